// The formulas of a backend in a program whose flags allow more instructions, contraction and reordering outside of the target
// region. Tests run one scheme for each accumulator type, and one scheme with a binary32.

#include "each_backend.hpp"
#include "parity.hpp"

#include <dyadic/scheme/fbgemm.hpp>

namespace {

#if defined(__ARM_NEON)
using tested = dyadic::backend::neon;
#else
using tested = dyadic::backend::sse41;
#endif

}  // namespace

TEST_CASE("fast math: binary32 scales equal scalar at ties and edges", "[parity]") {
  if (!parity::is_tested<tested>()) return;
  parity::binary32_ties_and_edges<tested, dyadic::fbgemm::floating, std::int8_t>();
  parity::binary32_ties_and_edges<tested, dyadic::fbgemm::floating, std::int32_t>();
}

TEST_CASE("fast math: chains of three binary32s equal scalar", "[parity]") {
  if (!parity::is_tested<tested>()) return;
  parity::binary32_chains<tested, std::int8_t>();
}

TEST_CASE("fast math: scales in binary64 equal scalar at ties and edges", "[parity]") {
  if (!parity::is_tested<tested>()) return;
  parity::binary64_ties_and_edges<tested, std::int32_t, std::int16_t>();
  parity::binary64_ties_and_edges<tested, std::int64_t, std::int32_t>();
}

TEST_CASE("fast math: integers equal scalar at ties and edges", "[parity]") {
  if (!parity::is_tested<tested>()) return;
  parity::ties_and_edges_of_tensor<tested, dyadic::tosa::scale32, std::int8_t>();
  parity::ties_and_edges_of_channels<tested, dyadic::tflite::double_rounding, std::int32_t>();
  parity::ties_and_edges_of_channels<tested, dyadic::tosa::scale16, std::int16_t>();
}

TEST_CASE("fast math: every length equals scalar and stays within its memory", "[parity]") {
  if (!parity::is_tested<tested>()) return;
  parity::every_length<tested, std::int32_t, std::int8_t, dyadic::tosa::scale32, parity::multipliers_per::channel>();
}
