/// \file
/// Every scheme as the output of a linear layer on one backend: the file that includes this defines PARITY_BACKEND and
/// PARITY_NAME. No guard.

#include DYADIC_BEST_HEADER

#include "linear_parity.hpp"

namespace {

template <class... Schemes>
void linear_schemes() {
  if (!dyadic::runs_here<dyadic::backend::PARITY_BACKEND>::value()) {
    WARN("this machine has no " PARITY_NAME ": nothing was tested");
    return;
  }
  (parity::multipliers_of<dyadic::backend::PARITY_BACKEND, Schemes, std::int32_t>(), ...);
}

}  // namespace

TEST_CASE(PARITY_NAME ": linear layers with the schemes of an int32 accumulator equal scalar", "[parity]") {
  using namespace dyadic;
  linear_schemes<tflite::double_rounding, tflite::single_rounding, tflite::neon_double_rounding, tflite::neon_single_rounding,
                 tflite::avx2, cmsis_nn::double_rounding, cmsis_nn::mve_predicated_single_rounding, tosa::scale32,
                 tosa::scale32_double_round, fbgemm::fixed, xnnpack::rndnu, xnnpack::rndna, xnnpack::rndnu16,
                 xnnpack::gemmlowp>();
}
TEST_CASE(PARITY_NAME ": linear layers with the schemes of an int48 accumulator equal scalar", "[parity]") {
  using namespace dyadic;
  linear_schemes<tosa::scale16, tflite::reduced_int64, cmsis_nn::requantize_s64>();
}
