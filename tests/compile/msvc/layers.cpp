// Layers on each backend of x86, by the code for MSVC. Returns 0 if each backend that this machine runs has the outputs of
// portable code, else the number of the first layer that differs.
#include <dyadic/cpu.hpp>
#include <dyadic/dyadic.hpp>
#include <dyadic/native.hpp>
#include <dyadic/rescale.hpp>

namespace q = dyadic;

namespace {

template <class T, std::size_t Size>
void fill(T (&values)[Size], std::uint32_t seed) {
  for (T& value : values) value = static_cast<T>((seed = seed * 1664525 + 1013904223) >> 12);
}

template <class T, std::size_t Size>
bool equal(const T (&a)[Size], const T (&b)[Size]) {
  for (std::size_t i = 0; i < Size; ++i)
    if (a[i] != b[i]) return false;
  return true;
}

/// Two sets of outputs that begin different, so that outputs which are not stored are found.
template <class Y, int Size>
struct outputs {
  Y expected[Size] = {};
  Y got[Size] = {};

  outputs() { fill(got, 77); }
  bool are_equal() const { return equal(expected, got); }
};

template <class Scheme>
auto output_rule(q::index_t channels) {
  static typename Scheme::multiplier_type multipliers[64];
  for (q::index_t c = 0; c < channels; ++c) multipliers[c] = Scheme::derive(0.0009 + 0.0001 * static_cast<double>(c % 7)).value;
  using value = std::conditional_t<sizeof(typename Scheme::accumulator) == 4, std::int8_t, std::int16_t>;
  return q::per_channel_output<value, Scheme>{q::view<const typename Scheme::multiplier_type>(multipliers, channels)};
}

/// A linear layer of 5 x 37 by 43 channels.
template <class Backend, class X, class Scheme>
bool linear() {
  constexpr int rows = 5, depth = 37, channels = 43;
  X x[rows * depth];
  std::int8_t w[channels * depth];
  fill(x, 1);
  fill(w, 2);
  const q::matrix_view<const X> from(x, rows, depth);
  const q::matrix_view<const std::int8_t> weights(w, channels, depth);
  typename Scheme::accumulator constants[channels];
  const auto folded = q::fold<X>(weights, q::no_bias{}, q::zero_points{5, -3}, constants);
  const auto rule = output_rule<Scheme>(channels);
  std::int8_t storage[q::packed_size<Backend, X, std::int8_t>(channels, depth)];
  const auto packed = q::pack<Backend, X>(weights, storage);
  outputs<typename decltype(rule)::value_type, rows * channels> y;
  const q::matrix_view to(y.got, rows, channels);
  const q::linear_layer plain{weights, folded.value, rule};
  const q::linear_layer layer{packed.value, folded.value, rule};
  if (check(plain, from, to) != q::status::ok || check(layer, from, to) != q::status::ok) return false;
  q::run(plain, from, q::matrix_view(y.expected, rows, channels));
  q::run<Backend>(plain, from, to);
  if (!y.are_equal()) return false;
  fill(y.got, 78);
  q::run(layer, from, to);
  return y.are_equal();
}

/// Convolutions of 3 x 3 taps over an image of 7 x 6 pixels with 20 channels, padded: to 24 channels, and depthwise.
template <class Backend, class X, class Scheme>
bool windows() {
  constexpr int height = 7, width = 6, depth = 20, channels = 24;
  X x[height * width * depth];
  std::int8_t w[channels * 9 * depth];
  fill(x, 3);
  fill(w, 4);
  const q::window2d window{{3, 1, 1, 1, 1}, {3, 1, 1, 1, 1}};
  const q::nhwc_view<const X> from(x, 1, height, width, depth);
  const auto rule = output_rule<Scheme>(channels);
  using value = typename decltype(rule)::value_type;
  outputs<value, height * width * channels> y;
  typename Scheme::accumulator constants[channels];
  {
    const q::matrix_view<const std::int8_t> weights(w, channels, 9 * depth);
    const auto folded = q::fold_conv2d<X>(weights, q::no_bias{}, window, q::zero_points{5, 0}, constants);
    const q::conv2d_layer layer{weights, folded.value, window, 1, rule};
    const q::nhwc_view<value> to(y.got, 1, height, width, channels);
    if (check(layer, from, to) != q::status::ok) return false;
    q::run(layer, from, q::nhwc_view<value>(y.expected, 1, height, width, channels));
    q::run<Backend>(layer, from, to);
    if (!y.are_equal()) return false;
  }
  outputs<value, height * width * depth> z;
  const q::matrix_view<const std::int8_t> weights(w, 9, depth);
  const auto folded = q::fold_depthwise<X>(weights, q::no_bias{}, window, q::zero_points{5, 0},
                                           q::view<typename Scheme::accumulator>(constants, depth));
  const q::depthwise_layer layer{weights, folded.value, window, output_rule<Scheme>(depth)};
  const q::nhwc_view<value> to(z.got, 1, height, width, depth);
  if (check(layer, from, to) != q::status::ok) return false;
  q::run(layer, from, q::nhwc_view<value>(z.expected, 1, height, width, depth));
  q::run<Backend>(layer, from, to);
  return z.are_equal();
}

/// Rescales 3 x 41 numbers. The formula in floating point needs a compiler that does not fuse a product with a sum.
template <class Backend, class Scheme>
bool rescale() {
  constexpr int rows = 3, columns = 41;
  std::int32_t x[rows * columns];
  fill(x, 5);
  const q::matrix_view<const std::int32_t> from(x, rows, columns);
  const q::rescale_layer layer{
      0, q::per_tensor_output<std::int8_t, Scheme>{Scheme::derive(0.0002f).value, q::range_of<std::int8_t>(-3)}};
  outputs<std::int8_t, rows * columns> y;
  const q::matrix_view to(y.got, rows, columns);
  if (check(layer, from, to) != q::status::ok) return false;
  q::run(layer, from, q::matrix_view(y.expected, rows, columns));
  q::run<Backend>(layer, from, to);
  return y.are_equal();
}

template <class Backend>
int first_wrong() {
  const bool right[] = {linear<Backend, std::int16_t, q::tosa::scale16>(),
                        linear<Backend, std::int8_t, q::tflite::double_rounding>(),
                        linear<Backend, std::uint8_t, q::tflite::single_rounding>(),
                        windows<Backend, std::int16_t, q::tosa::scale16>(),
                        windows<Backend, std::int8_t, q::tflite::double_rounding>(),
                        rescale<Backend, q::tosa::scale32>(),
                        rescale<Backend, q::xnnpack::fp32>()};
  int number = 1;
  for (const bool is_right : right) {
    if (!is_right) return number;
    ++number;
  }
  return 0;
}

}  // namespace

int main() {
  int wrong = 0;
  q::for_each_backend([&](auto backend, bool runs_here) {
    if (runs_here && wrong == 0) wrong = first_wrong<decltype(backend)>();
  });
  const q::status s = q::with_best_backend([](auto) {});
  return wrong == 0 && s != q::status::ok ? 100 : wrong;
}
