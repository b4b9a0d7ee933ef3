#include <dyadic/depthwise.hpp>
#include <dyadic/linear.hpp>
#include <dyadic/scheme/exact.hpp>
#include <dyadic/scheme/tosa.hpp>
#include <dyadic/transposed_conv2d.hpp>

#include <algorithm>
#include <cstring>
#include <random>
#include <set>
#include <vector>

#include "../oracle/integer_schemes.hpp"
#include "../oracle/layers.hpp"
#include "../support/catch.hpp"
#include "../support/samples.hpp"

namespace {

namespace q = dyadic;
using oracle::dice;
using oracle::op;
using oracle::size;

/// Returns a value of the operand type T, the extremes and the middle often.
template <class T>
std::int32_t random_operand(dice& roll) {
  const std::int32_t low = q::operand<T>::min;
  const std::int32_t high = q::operand<T>::max;
  const std::int32_t choices[] = {low, high, (low + high + 1) / 2};
  const std::int64_t choice = roll(0, 5);
  return choice < 3 ? choices[choice] : static_cast<std::int32_t>(roll(low, high));
}

/// Weights with gaps between the rows. A byte holds two 4-bit weights.
template <class W>
struct weight_matrix {
  static constexpr bool packed = std::is_same_v<W, q::int4>;
  size rows, cols, stride;
  std::vector<std::conditional_t<packed, std::uint8_t, typename q::operand<W>::value_type>> data;

  weight_matrix(dice& roll, size r, size c) : rows{r}, cols{c}, stride{c + roll(0, 2)} {
    if constexpr (packed)
      for (size i = 0; i < rows * stride; i += 2) data.push_back(static_cast<std::uint8_t>(roll(0, 255)));
    else
      for (size i = 0; i < rows * stride; ++i) data.push_back(static_cast<W>(random_operand<W>(roll)));
  }
  std::int32_t at(size r, size c) const {
    const size i = r * stride + c;
    if constexpr (!packed) return data[static_cast<std::size_t>(i)];
    const int byte = data[static_cast<std::size_t>(i / 2)];
    const int value = i % 2 == 0 ? byte % 16 : byte / 16;
    return value < 8 ? value : value - 16;
  }
  q::matrix_view<const W> view() const { return {data.data(), rows, cols, stride}; }
};

/// Images with gaps between pixels, rows and images.
template <class T>
struct images {
  size n, h, w, c, pixel, row, image;
  std::vector<T> data;

  images(dice& roll, size n_, size h_, size w_, size c_) : n{n_}, h{h_}, w{w_}, c{c_}, pixel{c_ + roll(0, 2)}, row{}, image{} {
    row = (w - 1) * pixel + c + roll(0, 2);
    image = (h - 1) * row + (w - 1) * pixel + c + roll(0, 2);
    data.resize(static_cast<std::size_t>(n * image));
    std::memset(data.data(), 0x5A, data.size() * sizeof(T));
  }
  T& at(size i, size y, size x, size channel) {
    return data[static_cast<std::size_t>(i * image + y * row + x * pixel + channel)];
  }
  q::nhwc_view<T> view() { return {data.data(), n, h, w, c, pixel, row, image}; }
  /// Calls use(element) for all elements outside the gaps.
  template <class Use>
  void each(const Use& use) {
    for (size i = 0; i < n; ++i)
      for (size y = 0; y < h; ++y)
        for (size x = 0; x < w; ++x)
          for (size o = 0; o < c; ++o) use(at(i, y, x, o));
  }
  bool gaps_are_untouched() const {
    images rest = *this;
    rest.each([](T& element) { std::memset(&element, 0x5A, sizeof(T)); });
    const auto* const bytes = reinterpret_cast<const unsigned char*>(rest.data.data());
    return std::all_of(bytes, bytes + rest.data.size() * sizeof(T), [](unsigned char byte) { return byte == 0x5A; });
  }
};

std::int64_t value_of(std::int64_t y) { return y; }
std::int64_t value_of(q::packed_int48 y) { return y.unpack(); }

// ---- the four operators under one interface

q::window2d window_of(const oracle::layer& l) {
  const auto along = [](oracle::axis a) { return q::window1d{a.kernel, a.stride, a.dilation, a.before, a.after}; };
  return {along(l.y), along(l.x)};
}
q::zero_points zero_of(const oracle::layer& l) {
  return {static_cast<std::int32_t>(l.zero_x), static_cast<std::int32_t>(l.zero_w)};
}

template <op Op, class X, class W, class Bias, class Accumulator>
auto fold(const oracle::layer& l, q::matrix_view<const W> w, const Bias& bias, std::vector<Accumulator>& constants) {
  const q::window2d window = window_of(l);
  const q::zero_points zero = zero_of(l);
  const size transposed = q::transposed_conv2d_constants(l.out_c, window, zero);
  const size forward = l.out_c;
  constants.resize(static_cast<std::size_t>(Op == op::linear ? l.out_c : Op == op::transposed_conv2d ? transposed : forward));
  if constexpr (Op == op::conv2d) return q::fold_conv2d<X>(w, bias, window, zero, constants);
  if constexpr (Op == op::depthwise) return q::fold_depthwise<X>(w, bias, window, zero, constants);
  if constexpr (Op == op::transposed_conv2d) return q::fold_transposed_conv2d<X>(w, bias, window, zero, constants);
  if constexpr (Op == op::linear) return q::fold<X>(w, bias, zero, constants);
}

template <op Op, class W, class Folded, class Output>
auto layer_of(const oracle::layer& l, q::matrix_view<const W> w, Folded bias, Output output) {
  const q::window2d window = window_of(l);
  if constexpr (Op == op::conv2d) return q::conv2d_layer{w, bias, window, l.groups, output};
  if constexpr (Op == op::depthwise) return q::depthwise_layer{w, bias, window, output};
  if constexpr (Op == op::transposed_conv2d) return q::transposed_conv2d_layer{w, bias, window, output, l.groups};
  if constexpr (Op == op::linear) return q::linear_layer{w, bias, output};
}

/// Returns a view of the images: a matrix for a linear layer.
template <op Op, class T>
auto view_of(images<T>& i) {
  if constexpr (Op == op::linear)
    return q::matrix_view<T>(i.data.data(), i.h, i.c, i.row);
  else
    return i.view();
}

/// Calls use(output, bits of its accumulator, definition of the output) with one of seven outputs. Their multipliers bring
/// accumulators of `acc_bits` bits to about the size of the output.
template <class X, class Use>
void with_random_output(dice& roll, size channels, int acc_bits, const Use& use) {
  constexpr bool wide = sizeof(X) == 2;
  using Y = std::conditional_t<wide, std::int16_t, X>;
  using element = std::conditional_t<wide, std::int64_t, std::int32_t>;
  using tensor_scheme = std::conditional_t<wide, q::exact::half_up, q::tflite::single_rounding>;
  using left_scheme = std::conditional_t<wide, q::tflite::reduced_int64, q::tflite::double_rounding>;
  using right_scheme = std::conditional_t<wide, q::tosa::scale16, q::tosa::scale32>;
  constexpr int right_bits = wide ? 15 : 31;
  constexpr int bits = wide ? 48 : 32;
  std::vector<element> left_mantissas, left_shifts, right_mantissas, right_shifts;
  std::vector<typename right_scheme::multiplier_type> multipliers;
  for (size o = 0; o < channels; ++o) {
    const auto shift = static_cast<int>(std::clamp<std::int64_t>(8 * size{sizeof(Y)} - acc_bits + roll(-2, 1), -30, 7));
    left_mantissas.push_back(static_cast<element>(roll(1 << 30, q::int32_max)));
    left_shifts.push_back(shift);
    right_mantissas.push_back(
        static_cast<element>(roll(std::int64_t{1} << (right_bits - 1), (std::int64_t{1} << right_bits) - 1)));
    right_shifts.push_back(right_bits - shift);
    multipliers.push_back(
        {static_cast<typename right_scheme::multiplier_type::mantissa_type>(right_mantissas.back()), right_bits - shift});
  }
  const std::int64_t low = std::numeric_limits<Y>::min();
  const std::int64_t high = std::numeric_limits<Y>::max();
  q::output_range range = q::range_of<Y>(static_cast<std::int32_t>(roll(low, high)));
  if (roll.one_in(2))
    range = {0, static_cast<std::int32_t>(roll(low, low + high / 4)), static_cast<std::int32_t>(roll(high / 2, high))};
  const auto placed = [&](std::int64_t y) { return std::clamp<std::int64_t>(y + range.zero_point, range.min, range.max); };
  const auto by_left = [&](std::int64_t acc, std::size_t o) {
    const auto mantissa = static_cast<std::int32_t>(left_mantissas[o]);
    const auto shift = static_cast<int>(left_shifts[o]);
    return placed(wide ? oracle::tflite_reduced_i64(acc, mantissa, shift)
                       : oracle::tflite_double(static_cast<std::int32_t>(acc), mantissa, shift));
  };
  const auto by_right = [&](std::int64_t acc, std::size_t o) {
    return placed(oracle::exact_half_up(acc, right_mantissas[o], static_cast<int>(right_shifts[o])));
  };
  const auto by_first = [&](std::int64_t acc, std::size_t) {
    return placed(oracle::exact_half_up(acc, left_mantissas[0], 31 - static_cast<int>(left_shifts[0])));
  };
  const q::multiplier32 first{static_cast<std::int32_t>(left_mantissas[0]), 31 - static_cast<std::int32_t>(left_shifts[0])};
  switch (roll(0, 6)) {
    case 0: return use(q::raw_output<std::int32_t>{}, 32, [](std::int64_t acc, std::size_t) { return oracle::wrapped(acc, 32); });
    case 1:
      return use(q::raw_output<q::packed_int48>{}, 48, [](std::int64_t acc, std::size_t) { return oracle::wrapped(acc, 48); });
    case 2: return use(q::raw_output<std::int64_t>{}, 64, [](std::int64_t acc, std::size_t) { return acc; });
    case 3: return use(q::per_tensor_output<Y, tensor_scheme>{first, range}, wide ? 64 : 32, by_first);
    case 4: return use(q::per_channel_output<Y, right_scheme>{multipliers, range}, bits, by_right);
    case 5: return use(q::per_channel_arrays_output<Y, left_scheme, element>{left_mantissas, left_shifts, range}, bits, by_left);
    default: {
      using pairs = q::per_channel_arrays_output<Y, right_scheme, element, q::shift_convention::right>;
      return use(pairs{right_mantissas, right_shifts, range}, bits, by_right);
    }
  }
}

// ---- one layer

template <op Op, class X, class W>
void compare_one(dice& roll, std::set<std::int64_t>& seen) {
  oracle::layer l = oracle::random_layer(Op, roll);
  l.zero_x = random_operand<X>(roll);
  l.zero_w = roll.one_in(3) ? 0 : random_operand<W>(roll);
  const bool by_tap = Op == op::depthwise;
  const size taps = l.y.kernel * l.x.kernel;
  const weight_matrix<W> w(roll, by_tap ? taps : l.out_c, by_tap ? l.out_c : taps * (l.c / l.groups));
  images<X> x(roll, l.n, l.h, l.w, l.c);
  for (X& value : x.data) value = static_cast<X>(random_operand<X>(roll));

  // Mostly chooses a bias with which the accumulator fits the output, and sometimes one with all bits of its type.
  const auto bias_kind = roll(0, 3);
  const std::int64_t widest[] = {0, 31, 47, 60};
  const std::int64_t usual[] = {0, sizeof(X) == 2 ? 31 : 27, sizeof(X) == 2 ? 45 : 27, sizeof(X) == 2 ? 45 : 27};
  const std::int64_t bias_limit = (std::int64_t{1} << roll(0, (roll.one_in(20) ? widest : usual)[bias_kind])) - 1;
  std::vector<std::int64_t> bias;
  for (size o = 0; o < l.out_c; ++o) bias.push_back(roll(-bias_limit - (bias_kind != 0), bias_limit));
  std::vector<std::int32_t> bias32;
  std::vector<q::packed_int48> bias48;
  for (const std::int64_t b : bias) {
    bias32.push_back(static_cast<std::int32_t>(oracle::wrapped(b, 32)));
    bias48.push_back(q::packed_int48::of(q::int48::wrapped(b)));
  }
  const auto expected = oracle::accumulators(
      Op, l, [&](size n, size iy, size ix, size i) { return x.at(n, iy, ix, i); },
      [&](size o, size ky, size kx, size i) {
        const size tap = ky * l.x.kernel + kx;
        return by_tap ? w.at(tap, o) : w.at(o, tap * (l.c / l.groups) + i);
      },
      [&](size o) { return bias[static_cast<std::size_t>(o)]; });
  const auto ends = std::minmax_element(expected.begin(), expected.end());
  const std::int64_t largest = std::max(*ends.second, ~*ends.first);

  const auto use = [&](auto output, int bits, auto finish) {
    constexpr bool raw = std::is_same_v<decltype(output), q::raw_output<typename decltype(output)::value_type>>;
    std::vector<typename decltype(output)::accumulator> constants;
    const auto folded = bias_kind == 0   ? fold<Op, X>(l, w.view(), q::no_bias{}, constants)
                        : bias_kind == 1 ? fold<Op, X>(l, w.view(), bias32, constants)
                        : bias_kind == 2 ? fold<Op, X>(l, w.view(), bias48, constants)
                                         : fold<Op, X>(l, w.view(), bias, constants);
    REQUIRE(folded.status == q::status::ok);
    const q::accumulator_range bound = folded.value.record.bound;
    REQUIRE((bound.lowest <= *ends.first && *ends.second <= bound.highest));

    images<typename decltype(output)::value_type> y(roll, l.n, l.out_h, l.out_w, l.out_c);
    auto parts = y;
    const auto layer = layer_of<Op>(l, w.view(), folded.value, output);
    const q::status status = check(layer, view_of<Op>(x), view_of<Op>(y));
    const bool fits =
        oracle::wrapped(bound.lowest, bits) == bound.lowest && oracle::wrapped(bound.highest, bits) == bound.highest;
    REQUIRE(status == (fits ? q::status::ok : q::status::accumulator_overflow));
    if (!fits && !raw) return;
    run(layer, view_of<Op>(x), view_of<Op>(y));
    std::vector<std::int64_t> finished;
    for (std::size_t i = 0; i < expected.size(); ++i)
      finished.push_back(finish(expected[i], i % static_cast<std::size_t>(l.out_c)));
    std::vector<std::int64_t> found;
    y.each([&](auto element) { found.push_back(value_of(element)); });
    REQUIRE(found == finished);
    REQUIRE(y.gaps_are_untouched());

    for (size end = Op == op::linear ? l.h : l.n * l.out_h; end > 0;) {
      const size begin = roll(0, end - 1);
      run(layer, view_of<Op>(x), view_of<Op>(parts), {begin, end});
      end = begin;
    }
    REQUIRE(std::memcmp(parts.data.data(), y.data.data(), y.data.size() * sizeof(y.data[0])) == 0);
    if (!raw) seen.insert(found.begin(), found.end());
  };
  with_random_output<X>(roll, l.out_c, oracle::bit_length(static_cast<std::uint64_t>(largest)) + 1, use);
}

template <op Op, class X, class W>
void compare_many(unsigned seed, int count) {
  dice roll{std::mt19937(support::sample_seed(seed))};
  std::set<std::int64_t> seen;  // all outputs except raw ones: the test would prove nothing if they were all equal
  for (int i = 0; i < support::samples(count); ++i) compare_one<Op, X, W>(roll, seen);
  CHECK(seen.size() > 200);
}

template <op Op>
void compare_formats(unsigned seed) {
  compare_many<Op, std::int16_t, std::int8_t>(seed, 20000);
  compare_many<Op, std::int8_t, std::int8_t>(seed + 1, 20000);
  compare_many<Op, std::int8_t, q::int4>(seed + 2, 20000);
  compare_many<Op, std::int16_t, q::int4>(seed + 3, 20000);
}

}  // namespace

TEST_CASE("random convolutions equal the definition") { compare_formats<op::conv2d>(100); }

TEST_CASE("random depthwise convolutions equal the definition") { compare_formats<op::depthwise>(200); }

TEST_CASE("random transposed convolutions equal the sums that their inputs scatter") {
  compare_many<op::transposed_conv2d, std::int16_t, std::int8_t>(300, 40000);
  compare_many<op::transposed_conv2d, std::int8_t, std::int8_t>(301, 40000);
}

TEST_CASE("random linear layers equal the definition") {
  compare_formats<op::linear>(400);
  compare_many<op::linear, std::int16_t, std::int16_t>(404, 20000);
  compare_many<op::linear, std::uint8_t, std::uint8_t>(405, 20000);
}
