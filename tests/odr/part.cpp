// Compiled once for each part, with DYADIC_PART=name and the part's flags. It calls many functions of the library, so that the
// object file holds them.

#include "part.hpp"

#include <dyadic/compare.hpp>
#include <dyadic/cpu.hpp>
#include <dyadic/decomposed.hpp>
#include <dyadic/dyadic.hpp>
#include <dyadic/kernel_sums.hpp>
#include <dyadic/native.hpp>
#include <dyadic/verify.hpp>

#include <initializer_list>

namespace {

namespace q = dyadic;
using std::int16_t;
using std::int32_t;
using std::int64_t;
using std::int8_t;

/// FNV-1a over values.
struct fingerprint {
  std::uint64_t bits = 0xCBF29CE484222325u;

  void add(int64_t value) { bits = (bits ^ static_cast<std::uint64_t>(value)) * 0x100000001B3u; }
  void add(q::status s) { add(static_cast<int64_t>(s)); }
  template <class T>
  void add(q::view<T> all) {
    for (const auto& x : all) add(int64_t{x});
  }
};

/// Pseudo-random values.
template <class T, std::size_t N>
void fill(T (&array)[N]) {
  std::uint32_t state = 12345;
  for (T& x : array) x = static_cast<T>((state = state * 1664525u + 1013904223u) >> 16);
}

template <class Scheme>
void scheme(fingerprint& f) {
  using accumulator = typename Scheme::accumulator;
  typename Scheme::multiplier_type m{};
  if constexpr (std::is_same_v<decltype(m), q::binary32>)
    m = q::narrow(q::binary64{0.001});
  else
    m = {static_cast<decltype(m.mantissa)>(20001), 24};
  for (const accumulator acc : {accumulator{0}, accumulator{123456}, accumulator{-123457}, accumulator{1} << 30})
    if (Scheme::valid(m)) f.add(q::requantize<Scheme>(acc, m, q::range_of<int8_t>(3)));
}

template <class... Schemes>
void schemes(fingerprint& f) {
  (scheme<Schemes>(f), ...);
}

void derivations(fingerprint& f) {
  for (const double scale : {0.0123, 0.9999999, 1e-9, 3.0, 0.0}) {
    const auto t = q::tflite::double_rounding::derive(scale);
    const auto s = q::tosa::scale16::derive(scale);
    f.add(t.value.mantissa + t.value.right_shift);
    f.add(t.status);
    f.add(s.value.mantissa + s.value.right_shift);
    f.add(s.status);
  }
}

void numbers(fingerprint& f) {
  const int64_t values[] = {5, -5, int64_t{1} << 40, -(int64_t{1} << 47)};
  q::packed_int48 packed[4];
  for (int i = 0; i < 4; ++i) packed[i] = q::packed_int48::of(q::int48::saturated(values[i]));
  for (const q::packed_int48 p : packed) f.add(p.unpack().value());
  f.add(q::shift_right<q::half_even>(int32_t{-7}, 1));
  f.add(q::shift_right<q::half_away>(int64_t{-7}, 1));
}

template <class Backend>
void rescale(fingerprint& f) {
  int32_t x[3 * 37];
  int8_t y[3 * 37] = {};
  fill(x);
  const odr::rescaled layer{5, {{1717986918, 40}, q::range_of<int8_t>(-3)}};
  const q::matrix_view<const int32_t> from(x, 3, 37);
  const q::matrix_view<int8_t> to(y, 3, 37);
  f.add(check(layer, from, to));
  q::run<Backend>(layer, from, to);
  f.add(q::view(y));
  run(layer, from, to, {1, 3});
  f.add(q::view(y));
}

void linear(fingerprint& f) {
  int16_t x[2 * 70];
  int8_t w[3 * 70];
  const int32_t bias[] = {1000, -1000, 0};
  fill(x);
  fill(w);
  int64_t constants[3] = {};
  int16_t y[6] = {};
  int64_t raw[6] = {};
  const q::multiplier16 multipliers[] = {{20001, 35}, {30001, 36}, {16385, 34}};
  const q::zero_points zero{7, -1};
  const q::matrix_view<const int8_t> weights(w, 3, 70);
  const q::matrix_view<const int16_t> from(x, 2, 70);
  const auto folded = q::fold<int16_t>(weights, bias, zero, constants);
  const q::linear_layer layer{weights, folded.value, q::per_channel_output<int16_t, q::tosa::scale16>{multipliers}};
  f.add(folded.status);
  f.add(check(layer, from, q::matrix_view<int16_t>(y, 2, 3)));
  f.add(q::verify(layer));
  run(layer, from, q::matrix_view<int16_t>(y, 2, 3));
  f.add(q::view(y));
  const q::linear_layer sums{weights, folded.value, q::raw_output<int64_t>{}};
  f.add(check(sums, from, q::matrix_view<int64_t>(raw, 2, 3)));
  run(sums, from, q::matrix_view<int64_t>(raw, 2, 3));
  f.add(q::view(raw));
}

void windows(fingerprint& f) {
  int8_t x[6 * 5 * 2];
  int8_t w[2 * 3 * 3 * 2];
  fill(x);
  fill(w);
  const int32_t bias[] = {100, -100};
  const q::zero_points zero{-3, 0};
  const q::window2d window{{3, 1, 1, 1, 1}, {3, 1, 1, 1, 1}};
  int32_t constants[64] = {};
  int8_t y[2 * 12 * 10] = {};
  const q::per_tensor_output<int8_t, q::tosa::scale32> output{{1 << 30, 38}};
  const q::nhwc_view<const int8_t> from(x, 1, 6, 5, 2);
  {
    const q::matrix_view<const int8_t> weights(w, 2, 18);
    const auto folded = q::fold_conv2d<int8_t>(weights, bias, window, zero, q::view<int32_t>(constants, 2));
    const q::conv2d_layer layer{weights, folded.value, window, 1, output};
    f.add(folded.status);
    f.add(check(layer, from, q::nhwc_view<int8_t>(y, 1, 6, 5, 2)));
    run(layer, from, q::nhwc_view<int8_t>(y, 1, 6, 5, 2));
    f.add(q::view(y));
  }
  {
    const q::matrix_view<const int8_t> weights(w, 9, 2);
    const auto folded = q::fold_depthwise<int8_t>(weights, bias, window, zero, q::view<int32_t>(constants, 2));
    const q::depthwise_layer layer{weights, folded.value, window, output};
    f.add(folded.status);
    f.add(check(layer, from, q::nhwc_view<int8_t>(y, 1, 6, 5, 2)));
    run(layer, from, q::nhwc_view<int8_t>(y, 1, 6, 5, 2));
    f.add(q::view(y));
  }
}

void products(fingerprint& f) {
  int8_t a[2 * 9];
  int8_t b[9 * 3];
  fill(a);
  fill(b);
  f.add(q::dot<int64_t>(a, b, 9));
  f.add(q::sum<int32_t>(a, 18));
}

void comparison(fingerprint& f) {
  constexpr q::multiplier32 quarter{1 << 30, 32};
  const q::difference d = q::compare_rules(q::rule_of<q::tflite::double_rounding>(quarter), q::rule_of<q::tosa::scale32>(quarter),
                                           q::by_magnitude{{-1000, 1000}});
  f.add(static_cast<int64_t>(d.differing));
}

std::uint64_t run_all() {
  using namespace dyadic;
  fingerprint f;
  // The schemes are listed by hand. The linker would merge functions of std::tuple that were built for different instruction
  // sets.
  schemes<exact::half_up, exact::half_even, tflite::double_rounding, tflite::single_rounding, tflite::avx2, tflite::reduced_int64,
          cmsis_nn::double_rounding, cmsis_nn::requantize_s64, ruy::x86_simd, tosa::scale16, tosa::scale32, fbgemm::fixed,
          xnnpack::fp32, xnnpack::rndnu16, xnnpack::rndna, onnx::mlas>(f);
  derivations(f);
  numbers(f);
  rescale<q::backend::scalar>(f);
  rescale<q::native>(f);
  f.add(q::with_best_backend([&](auto backend) { rescale<decltype(backend)>(f); }));
  linear(f);
  windows(f);
  products(f);
  comparison(f);
  return f.bits;
}

void rescale_for_others(const odr::rescaled& layer, q::matrix_view<const int32_t> x, q::matrix_view<int8_t> y) {
  q::run<q::native>(layer, x, y);
}

}  // namespace

#define ODR_TEXT_1(text) #text
#define ODR_TEXT(text) ODR_TEXT_1(text)

namespace odr {
extern const part DYADIC_PART;
const part DYADIC_PART{ODR_TEXT(DYADIC_PART), q::native::name, run_all, rescale_for_others};
}  // namespace odr
