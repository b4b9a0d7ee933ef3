// The inner loops of layers on each backend of this processor: compiled and read, never run.

#include <dyadic/backend/avxvnni.hpp>
#include <dyadic/cpu.hpp>
#include <dyadic/linear.hpp>

namespace q = dyadic;

/// Tells the reader how large a tile is.
template <class Backend, int Rows>
void rows_of_a_tile() {}
template void rows_of_a_tile<q::backend::sse41, q::detail::over_sse41::simd::max_mr>();
template void rows_of_a_tile<q::backend::avx2, q::detail::over_avx2::simd::max_mr>();
template void rows_of_a_tile<q::backend::avxvnni, q::detail::over_avx2::over_avxvnni::simd::max_mr>();
template void rows_of_a_tile<q::backend::avx512vnni, q::detail::over_avx512vnni::simd::max_mr>();

namespace {

template <class X, class W, class Output>
void run_on_each_backend(const std::int8_t* weights, q::folded_bias<std::int32_t> bias, q::matrix_view<const X> x,
                         const Output& output, q::matrix_view<typename Output::value_type> y) {
  using namespace q::backend;
  q::for_each_backend<avx512vnni, avxvnni, avx2, sse41, scalar>([&](auto backend, bool runs_here) {
    const q::packed_matrix<decltype(backend), X, W> packed{weights, y.cols(), x.cols()};
    if (runs_here) q::run(q::linear_layer{packed, bias, output}, x, y);
  });
}

}  // namespace

void int16_by_int8(const std::int8_t* weights, q::folded_bias<std::int32_t> bias, q::matrix_view<const std::int16_t> x,
                   q::matrix_view<std::int32_t> y) {
  run_on_each_backend<std::int16_t, std::int8_t>(weights, bias, x, q::raw_output<std::int32_t>{}, y);
}
#ifndef INT16_ALONE
void int8_by_int8(const std::int8_t* weights, q::folded_bias<std::int32_t> bias, q::matrix_view<const std::int8_t> x,
                  q::matrix_view<std::int32_t> y) {
  run_on_each_backend<std::int8_t, std::int8_t>(weights, bias, x, q::raw_output<std::int32_t>{}, y);
}
/// A layer whose epilogue may read the sums from registers.
void int8_by_int8(const std::int8_t* weights, q::folded_bias<std::int32_t> bias, q::matrix_view<const std::int8_t> x,
                  const q::per_channel_output<std::int8_t, q::tflite::double_rounding>& output, q::matrix_view<std::int8_t> y) {
  run_on_each_backend<std::int8_t, std::int8_t>(weights, bias, x, output, y);
}
#endif
