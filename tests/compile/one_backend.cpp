// Compiles a layer for one backend, DYADIC_ONE_BACKEND of DYADIC_ONE_HEADER, in a program that instantiates nothing else before
// it.
#include <dyadic/dyadic.hpp>
#include DYADIC_ONE_HEADER

namespace q = dyadic;
using one = q::backend::DYADIC_ONE_BACKEND;

template <class X, class Output>
void run_both(const q::linear_layer<std::int8_t, Output, q::packed_matrix<one, X, std::int8_t>>& packed,
              const q::linear_layer<std::int8_t, Output>& plain, q::matrix_view<const X> x, q::matrix_view<X> y) {
  q::run(packed, x, y);
  q::run<one>(plain, x, y);
}
template void run_both(const q::linear_layer<std::int8_t, q::per_channel_output<std::int16_t, q::tosa::scale16>,
                                             q::packed_matrix<one, std::int16_t, std::int8_t>>&,
                       const q::linear_layer<std::int8_t, q::per_channel_output<std::int16_t, q::tosa::scale16>>&,
                       q::matrix_view<const std::int16_t>, q::matrix_view<std::int16_t>);
template void run_both(const q::linear_layer<std::int8_t, q::per_channel_output<std::int8_t, q::tflite::double_rounding>,
                                             q::packed_matrix<one, std::int8_t, std::int8_t>>&,
                       const q::linear_layer<std::int8_t, q::per_channel_output<std::int8_t, q::tflite::double_rounding>>&,
                       q::matrix_view<const std::int8_t>, q::matrix_view<std::int8_t>);
