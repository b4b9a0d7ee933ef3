#include <dyadic/matmul.hpp>
#include <dyadic/rescale.hpp>
#include <dyadic/scheme/exact.hpp>
#include <dyadic/scheme/tosa.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <type_traits>
#include <vector>

#include "../oracle/layers.hpp"
#include "../oracle/linear.hpp"
#include "../support/catch.hpp"
#include "../support/operations.hpp"

// The table of operators and types. A small case of each operator is compiled, run and compared with its definition.

namespace {

namespace q = dyadic;
using i8 = std::int8_t;
using u8 = std::uint8_t;
using i16 = std::int16_t;
using u16 = std::uint16_t;
using i32 = std::int32_t;
using i48 = q::packed_int48;
using i64 = std::int64_t;
using oracle::size;
using support::as_stored;
using support::values;

// ---- data

/// Returns value i of the operand type T: the least, the greatest, and others. `small` values have 4 bits.
template <class T>
i64 operand_value(size i, bool small = false) {
  const i64 low = small && std::is_signed_v<typename q::operand<T>::value_type> ? -8 : q::operand<T>::min;
  const i64 high = small ? low + 15 : q::operand<T>::max;
  return i % 4 == 0 ? low : i % 4 == 1 ? high : low + (i * 7919 + 3) % (high - low + 1);
}
template <class T>
values operand_values(size count, bool small = false) {
  values v;
  for (size i = 0; i < count; ++i) v.push_back(operand_value<T>(i, small));
  return v;
}

i64 number(i64 y) { return y; }
i64 number(i48 y) { return y.unpack(); }

// ---- outputs

/// Calls use(output, definition) for the outputs of an accumulator type. An int32 has raw outputs, and outputs by one multiplier.
/// An int64 has raw outputs, raw outputs in 48 bits, and outputs by a multiplier for each channel. The largest accumulator
/// becomes 64 to 127, so that nothing saturates and little is lost.
template <class Y, class Accumulator, class Use>
void for_each_output(const values& accumulators, size channels, const Use& use) {
  const auto raw = [](i64 acc, size) { return acc; };
  i64 most = 1;
  for (const i64 acc : accumulators) most = std::max({most, acc, -acc});
  i32 right_shift = 16;
  while (most >> (right_shift - 16) >= 128) ++right_shift;
  const q::output_range range = q::range_of<Y>(std::is_signed_v<Y> ? -1 : 128);
  using scheme = std::conditional_t<sizeof(Accumulator) == 4, q::tosa::scale32, q::exact::half_up>;
  std::vector<q::multiplier32> multipliers;
  for (size c = 0; c < channels; ++c) multipliers.push_back({static_cast<i32>((1 << 15) + 4001 * c), right_shift + 1});
  const auto scaled = [=](i64 acc, size c) {
    const q::multiplier32 m = multipliers[static_cast<std::size_t>(c)];
    return oracle::nearest_half_up(acc, m.mantissa, m.right_shift) + range.zero_point;
  };
  if constexpr (sizeof(Accumulator) == 4) {
    use(q::raw_output<i32>{}, raw);
    use(q::per_tensor_output<Y, scheme>{multipliers[0], range}, [&](i64 acc, size) { return scaled(acc, 0); });
  } else {
    use(q::raw_output<i48>{}, raw);
    use(q::raw_output<i64>{}, raw);
    use(q::per_channel_output<Y, scheme>{multipliers, range}, scaled);
  }
}

/// Returns true if y equals `definition` of the accumulators, and the values of y are not all equal.
template <class Y, class Definition>
bool equals(const std::vector<Y>& y, const values& accumulators, size channels, const Definition& definition) {
  bool varies = false;
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (number(y[i]) != definition(accumulators[i], static_cast<size>(i) % channels)) return false;
    varies = varies || number(y[i]) != number(y[0]);
  }
  return varies && y.size() == accumulators.size();
}

// ---- layers

// The readers have one type each, so that the oracle is compiled once.
using reader = std::function<i64(size, size, size, size)>;
using bias_reader = std::function<i64(size)>;

template <class Operation>
struct shape;
template <>
struct shape<support::linear> {
  static constexpr oracle::op kind = oracle::op::linear;
  static oracle::layer layer() {
    oracle::layer l;
    l.h = l.out_h = 2;
    l.c = 5;
    l.out_c = 3;
    return l;
  }
};
/// Returns a layer with stride 2, dilation and asymmetric padding. It has out_c output channels.
inline oracle::layer windowed(size channels, size groups) {
  oracle::layer l;
  l.h = l.w = 4;
  l.c = 4;
  l.out_c = channels;
  l.groups = groups;
  l.y = {3, 2, 1, 2, 1};
  l.x = {2, 1, 2, 1, 0};
  l.out_h = oracle::windows(l.h, l.y);
  l.out_w = oracle::windows(l.w, l.x);
  return l;
}
template <>
struct shape<support::conv2d> {
  static constexpr oracle::op kind = oracle::op::conv2d;
  static oracle::layer layer() { return windowed(6, 2); }
};
template <>
struct shape<support::depthwise> {
  static constexpr oracle::op kind = oracle::op::depthwise;
  static oracle::layer layer() { return windowed(8, 1); }
};
template <>
struct shape<support::transposed_conv2d> {
  static constexpr oracle::op kind = oracle::op::transposed_conv2d;
  static oracle::layer layer() {
    oracle::layer l = windowed(3, 1);
    l.x.dilation = 1;
    l.out_h = oracle::scattered(l.h, l.y, 1);  // an output padding of 1
    l.out_w = oracle::scattered(l.w, l.x, 0);
    return l;
  }
};

/// Checks a layer with all types of bias and all outputs of one accumulator type.
template <class Operation, class X, class W, class Accumulator>
void check_layer() {
  constexpr oracle::op kind = shape<Operation>::kind;
  constexpr bool by_tap = kind == oracle::op::depthwise;
  const bool small = sizeof(Accumulator) == 4 && q::operand<W>::max > 255;  // sums of int16 products do not fit int32
  oracle::layer l = shape<Operation>::layer();
  l.zero_x = operand_value<X>(3);
  l.zero_w = operand_value<W>(3, small);
  const size taps = l.y.kernel * l.x.kernel, depth = by_tap ? 1 : l.c / l.groups;
  const values x = operand_values<X>(l.n * l.h * l.w * l.c);
  const values w = operand_values<W>(taps * depth * l.out_c, small);
  const reader x_at = [&](size n, size r, size c, size i) {
    return x[static_cast<std::size_t>(((n * l.h + r) * l.w + c) * l.c + i)];
  };
  const reader w_at = [&](size o, size ky, size kx, size i) {
    const size tap = ky * l.x.kernel + kx;
    return w[static_cast<std::size_t>(by_tap ? tap * l.out_c + o : (o * taps + tap) * depth + i)];
  };

  const auto x_stored = as_stored<X>(x);
  const auto w_stored = as_stored<W>(w);
  const q::matrix_view<const W> weights(w_stored.data(), by_tap ? taps : l.out_c, by_tap ? l.out_c : taps * depth);
  const auto along = [](oracle::axis a) { return q::window1d{a.kernel, a.stride, a.dilation, a.before, a.after}; };
  const q::window2d window{along(l.y), along(l.x)};
  const q::zero_points zero{static_cast<i32>(l.zero_x), static_cast<i32>(l.zero_w)};
  const size count = kind == oracle::op::linear              ? l.out_c
                     : kind == oracle::op::transposed_conv2d ? q::transposed_conv2d_constants(l.out_c, window, zero)
                                                             : l.out_c;
  std::vector<Accumulator> constants(static_cast<std::size_t>(count));
  const auto fold = [&](const auto& bias) { return Operation::template fold<X>(weights, bias, window, zero, constants); };
  const auto compare = [&](q::result<q::folded_bias<Accumulator>> folded, const values& biases) {
    REQUIRE(folded.status == q::status::ok);
    const bias_reader bias_at = [&](size o) { return biases[static_cast<std::size_t>(o)]; };
    const values accumulators = oracle::accumulators(kind, l, x_at, w_at, bias_at);
    for_each_output<X, Accumulator>(accumulators, l.out_c, [&](const auto& output, const auto& definition) {
      using value = typename std::decay_t<decltype(output)>::value_type;
      std::vector<value> y(accumulators.size());
      auto layer = Operation::layer(weights, folded.value, window, output);
      if constexpr (kind == oracle::op::conv2d) layer.groups = l.groups;
      const auto computed = [&](auto in, auto out) {
        const q::status s = check(layer, in, out);
        if (s == q::status::ok) run(layer, in, out);
        return s;
      };
      if constexpr (kind == oracle::op::linear)
        REQUIRE(computed(q::matrix_view(x_stored.data(), l.h, l.c), q::matrix_view(y.data(), l.h, l.out_c)) == q::status::ok);
      else
        REQUIRE(computed(q::nhwc_view<const X>(x_stored.data(), l.n, l.h, l.w, l.c),
                         q::nhwc_view<value>(y.data(), l.n, l.out_h, l.out_w, l.out_c)) == q::status::ok);
      CHECK(equals(y, accumulators, l.out_c, definition));
    });
  };
  values none, narrow, wide;
  for (size o = 0; o < l.out_c; ++o) {
    none.push_back(0);
    narrow.push_back(70001 * o - 9);
    wide.push_back(sizeof(Accumulator) == 4 ? 13 - 70001 * o : (i64{1} << 33) * (3 * o - 2) + o);
  }
  compare(fold(q::no_bias{}), none);
  compare(fold(as_stored<i32>(narrow)), narrow);
  compare(fold(as_stored<i48>(wide)), wide);
  compare(fold(as_stored<i64>(wide)), wide);
}

/// Checks both accumulator types.
template <class Operation, class X, class W>
void check_layers() {
  check_layer<Operation, X, W, i32>();
  check_layer<Operation, X, W, i64>();
}

// ---- matmul

/// Checks three batches of 2 x 5 by 5 x 3, both forms of the right operand, and all outputs.
template <class X, class W, class Accumulator>
void check_matmul(size depth) {
  const size batches = 3, rows = 2, columns = 3;
  const q::zero_points zero{static_cast<i32>(operand_value<X>(2)), static_cast<i32>(operand_value<W>(3))};
  const values left = operand_values<X>(batches * rows * depth), right = operand_values<W>(batches * columns * depth);
  values right_by_depth, accumulators;
  for (size b = 0; b < batches; ++b) {
    const auto l = [&](size m, size k) { return left[static_cast<std::size_t>((b * rows + m) * depth + k)]; };
    const auto r = [&](size n, size k) { return right[static_cast<std::size_t>((b * columns + n) * depth + k)]; };
    for (size k = 0; k < depth; ++k)
      for (size n = 0; n < columns; ++n) right_by_depth.push_back(r(n, k));
    for (size m = 0; m < rows; ++m)
      for (size n = 0; n < columns; ++n) {
        i64 acc = 0;
        for (size k = 0; k < depth; ++k) acc += (l(m, k) - zero.x) * (r(n, k) - zero.w);
        accumulators.push_back(acc);
      }
  }
  const auto x = as_stored<X>(left);
  const auto w = as_stored<W>(right), w_by_depth = as_stored<W>(right_by_depth);
  std::vector<Accumulator> scratch(static_cast<std::size_t>(columns));
  for_each_output<X, Accumulator>(accumulators, columns, [&](const auto& output, const auto& definition) {
    using value = typename std::decay_t<decltype(output)>::value_type;
    const q::matmul_layer layer{zero, output};
    const q::batch_view<const X> in(x.data(), batches, rows, depth);
    const auto compute = [&](auto operand) {
      std::vector<value> y(accumulators.size());
      const q::batch_view<value> out(y.data(), batches, rows, columns);
      REQUIRE(check(layer, in, operand, out, scratch) == q::status::ok);
      run(layer, in, operand, out, scratch);
      CHECK(equals(y, accumulators, columns, definition));
    };
    compute(q::batch_view<const W>(w.data(), batches, columns, depth));
    compute(q::transposed(q::batch_view<const W>(w_by_depth.data(), batches, depth, columns)));
  });
}

// ---- rescale

/// Checks two rows of three columns with a zero point, from X to all outputs of Y.
template <class X, class Y>
void check_rescale() {
  using accumulator = std::conditional_t<sizeof(X) <= 2, i32, i64>;
  const i64 limit = sizeof(X) == 8 ? i64{1} << 44 : std::is_same_v<X, i48> ? i64{1} << 42 : sizeof(X) == 4 ? i64{1} << 31 : 0;
  values x{-limit, limit - 1, 5, -7, limit / 3, -limit / 5};
  if constexpr (sizeof(X) <= 2) x = operand_values<X>(6);
  const auto zero_point = static_cast<i32>(x[2]);
  values accumulators;
  for (const i64 value : x) accumulators.push_back(value - zero_point);
  const auto from = as_stored<X>(x);
  for_each_output<Y, accumulator>(accumulators, 3, [&](const auto& output, const auto& definition) {
    using value = typename std::decay_t<decltype(output)>::value_type;
    std::vector<value> y(6);
    const q::rescale_layer layer{zero_point, output};
    const q::matrix_view<const X> in(from.data(), 2, 3);
    const q::status s = check(layer, in, q::matrix_view(y.data(), 2, 3));
    // An int64 less a zero point may not fit the accumulator. An int48 less a zero point may not fit 48 bits.
    const bool wide = sizeof(X) == 8 || (std::is_same_v<X, i48> && std::is_same_v<value, i48>);
    REQUIRE(s == (wide ? q::status::accumulator_overflow : q::status::ok));
    run(layer, in, q::matrix_view(y.data(), 2, 3));
    CHECK(equals(y, accumulators, 3, definition));
  });
}

template <class X>
void check_rescales() {
  check_rescale<X, i8>();
  check_rescale<X, u8>();
  check_rescale<X, i16>();
  check_rescale<X, u16>();
  check_rescale<X, i32>();
}

}  // namespace

TEST_CASE("linear layers of all types, biases and outputs equal the definition") {
  check_layers<support::linear, i16, i8>();
  check_layers<support::linear, i8, i8>();
  check_layers<support::linear, i8, q::int4>();
  check_layers<support::linear, i16, q::int4>();
  check_layers<support::linear, i16, i16>();
  check_layers<support::linear, u8, u8>();
}

TEST_CASE("convolutions of all types, biases and outputs equal the definition") {
  check_layers<support::conv2d, i16, i8>();
  check_layers<support::conv2d, i8, i8>();
  check_layers<support::conv2d, i8, q::int4>();
  check_layers<support::conv2d, i16, q::int4>();
}

TEST_CASE("depthwise convolutions of all types, biases and outputs equal the definition") {
  check_layers<support::depthwise, i16, i8>();
  check_layers<support::depthwise, i8, i8>();
  check_layers<support::depthwise, i8, q::int4>();
  check_layers<support::depthwise, i16, q::int4>();
}

TEST_CASE("transposed convolutions of all types, biases and outputs equal the definition") {
  check_layers<support::transposed_conv2d, i16, i8>();
  check_layers<support::transposed_conv2d, i8, i8>();
}

TEST_CASE("products of matrices of all types and outputs equal the definition") {
  check_matmul<i8, i8, i32>(5);
  check_matmul<i8, i8, i64>(5);
  check_matmul<i16, i8, i32>(5);
  check_matmul<i16, i8, i64>(5);
  check_matmul<i16, i16, i32>(1);
  check_matmul<i16, i16, i64>(5);
}

TEST_CASE("integers of all widths rescaled to all widths equal the definition") {
  check_rescales<i8>();
  check_rescales<u8>();
  check_rescales<i16>();
  check_rescales<u16>();
  check_rescales<i32>();
  check_rescales<i48>();
  check_rescales<i64>();
}
