#pragma once
/// \file
/// The four layers with weights under one interface: draw, fold, check, verify and run.

#include <dyadic/channels.hpp>
#include <dyadic/verify.hpp>

#include <algorithm>
#include <numeric>

#include "../oracle/layers.hpp"
#include "decided.hpp"
#include "outputs.hpp"
#include "tally.hpp"

namespace fuzz {

/// Expects the right answer to an impossible description, and to a description that has no fault.
inline void expect_answer(const reader& r, const memory& m, q::status s) {
  const bool accepted = s == q::status::ok || s == q::status::accumulator_overflow;
  if (m.impossible()) expect(!accepted, "what no memory can hold is refused");
  if (!r.faulty() && m.holds_all()) expect(accepted, "what has no fault is accepted");
}

/// Returns true if `acc` fits in `bits` bits.
inline bool fits_bits(std::int64_t acc, int bits) { return oracle::wrapped(acc, bits) == acc; }

// ---- drawing

inline oracle::axis any_axis(reader& r, bool dilated) {
  oracle::axis a;
  a.kernel = r.between(1, 4);
  a.stride = r.between(1, 3);
  if (dilated) a.dilation = r.between(1, 3);
  if (r.one_in(2)) {
    a.before = r.between(0, 3);
    a.after = r.between(0, 3);
  }
  return a;
}

/// Draws the axis of a pool, whose padding is smaller than the window.
inline oracle::axis any_pool_axis(reader& r) {
  oracle::axis a = any_axis(r, r.one_in(2));
  a.before = a.before % ((a.kernel - 1) * a.dilation + 1);
  a.after = a.after % ((a.kernel - 1) * a.dilation + 1);
  return a;
}
/// Returns the number of outputs of a pool, now and then in the ceiling mode, whose last window begins inside of the image.
inline index_t any_pool_size(reader& r, index_t size, const oracle::axis& a) {
  const index_t windows = oracle::windows(size, a), room = size + a.before + a.after - (a.kernel - 1) * a.dilation - 1;
  const bool has_more = room > -a.stride && room % a.stride != 0 && windows * a.stride - a.before < size;
  return windows + (has_more && r.one_in(2) ? 1 : 0);
}

/// Draws a layer. Its only faults are too many images or rows, or a depth of 0. Its zero points are 0.
template <op Op>
oracle::layer any_layer(reader& r) {
  oracle::layer l;
  if constexpr (Op == op::linear) {
    l.h = l.out_h = r.near(r.size(4));
    l.c = r.size(9);
    l.out_c = r.size(4);
    return l;
  }
  constexpr bool transposed = Op == op::transposed_conv2d;
  constexpr bool depthwise = Op == op::depthwise;
  l.n = r.near(r.size(2));
  l.h = transposed ? r.between(1, 4) : r.size(4);
  l.w = transposed ? r.between(1, 4) : r.size(4);
  const bool dilated = !transposed || r.one_in(2);
  l.y = any_axis(r, dilated);
  l.x = any_axis(r, dilated);
  if (Op == op::conv2d || (transposed && r.one_in(2))) l.groups = r.between(1, 3);
  l.c = depthwise ? r.between(1, 3) : l.groups * r.size(3);
  l.out_c = (depthwise ? l.c : l.groups) * r.size(2);
  const auto outputs = [&](index_t size, oracle::axis& a) {
    if constexpr (!transposed) return oracle::windows(size, a);
    const index_t more = r.between(0, std::max(a.stride, a.dilation) - 1);
    if (oracle::scattered(size, a, more) < 0) a.before = a.after = 0;
    return oracle::scattered(size, a, more);
  };
  l.out_h = outputs(l.h, l.y);
  l.out_w = outputs(l.w, l.x);
  if (Op == op::conv2d && l.c == 0 && r.one_in(2)) {
    l.y = {index_t{1} << 28, 1, 1, (index_t{1} << 28) - l.h, 0};
    l.x.kernel = 1;
    l.out_h = 1;
    l.out_w = oracle::windows(l.w, l.x);
  }
  return l;
}

/// The layout of an image, or of the rows of a matrix.
struct shape {
  index_t n, h, w, c, pixel, row, image;

  /// Draws the layout. If there is no fault, it has the given sizes, with gaps.
  shape(reader& r, index_t n_, index_t h_, index_t w_, index_t c_)
      : n{r.near(n_)}, h{r.near(h_)}, w{r.near(w_)}, c{r.near(c_)}, pixel{}, row{}, image{} {
    const index_t dense_row = std::max<index_t>(w_ - 1, 0) * (c_ + 2) + c_ + 2;
    pixel = r.near(c_ + r.between(0, 2));
    row = r.near(dense_row + r.between(0, 2));
    image = r.near(std::clamp<index_t>(h_, 1, 1000) * (dense_row + 2) + r.between(0, 2));
  }
  fuzz::extent extent(bool as_matrix) const {
    return as_matrix ? extent_of(h, c, row) : extent_of({{c, 1}, {w, pixel}, {h, row}, {n, image}});
  }
  template <class T>
  T& at(T* data, index_t i, index_t y, index_t x, index_t channel) const {
    return data[i * image + y * row + x * pixel + channel];
  }
  /// Returns a copy of the memory of a matrix, with its gaps. Requires: it is in memory.
  template <class T>
  std::vector<T> stored(const T* data) const {
    return {data, data + static_cast<index_t>(extent(true).elements)};
  }
  /// Returns pointers to all elements. Requires: they are in memory.
  template <class T>
  std::vector<T*> elements(T* data, bool as_matrix) const {
    std::vector<T*> all;
    if (extent(as_matrix).elements == 0) return all;
    for (index_t i = 0; i < (as_matrix ? 1 : n); ++i)
      for (index_t y = 0; y < h; ++y)
        for (index_t x = 0; x < (as_matrix ? 1 : w); ++x)
          for (index_t o = 0; o < c; ++o) all.push_back(&at(data, as_matrix ? 0 : i, y, as_matrix ? 0 : x, o));
    return all;
  }
};

/// Returns the layout of a matrix with these sizes.
inline shape matrix(reader& r, index_t rows, index_t cols) { return shape(r, 1, rows, 1, cols); }

template <class T>
q::matrix_view<T> matrix_view(T* data, const shape& s) {
  return {data, s.h, s.c, s.row};
}

inline q::window1d near_window(reader& r, oracle::axis a) {
  return {r.near(a.kernel), r.near(a.stride), r.near(a.dilation), r.near(a.before), r.near(a.after)};
}
inline q::window2d near_window(reader& r, const oracle::layer& l) { return {near_window(r, l.y), near_window(r, l.x)}; }

template <class T>
std::int32_t any_zero(reader& r) {
  return r.one_in(3) ? 0 : value_in<T>(r, q::operand<T>::min, q::operand<T>::max);
}
inline q::zero_points near_zero(reader& r, q::zero_points zero) { return {r.near32(zero.x), r.near32(zero.w)}; }

/// Returns true if `zero` is a value of T.
template <class T>
bool is_value(std::int32_t zero) {
  return zero >= q::operand<T>::min && zero <= q::operand<T>::max;
}

// ---- the four layers under one interface

template <op Op, class T>
auto view_of(T* data, const shape& s) {
  if constexpr (Op == op::linear)
    return q::matrix_view<T>(data, s.h, s.c, s.row);
  else
    return q::nhwc_view<T>(data, s.n, s.h, s.w, s.c, s.pixel, s.row, s.image);
}

template <op Op, class X, class W, class Bias, class Accumulator>
auto fold_of(q::matrix_view<const W> w, q::window2d window, const Bias& bias, q::zero_points zero,
             q::view<Accumulator> constants) {
  if constexpr (Op == op::conv2d) return q::fold_conv2d<X>(w, bias, window, zero, constants);
  if constexpr (Op == op::depthwise) return q::fold_depthwise<X>(w, bias, window, zero, constants);
  if constexpr (Op == op::transposed_conv2d) return q::fold_transposed_conv2d<X>(w, bias, window, zero, constants);
  if constexpr (Op == op::linear) return q::fold<X>(w, bias, zero, constants);
}

template <op Op>
constexpr op fold_op = static_cast<op>(static_cast<int>(op::fold) + static_cast<int>(Op));

template <op Op, class W, class Folded, class Output>
auto layer_of(q::matrix_view<const W> w, Folded bias, q::window2d window, index_t groups, Output output) {
  if constexpr (Op == op::conv2d) return q::conv2d_layer{w, bias, window, groups, output};
  if constexpr (Op == op::depthwise) return q::depthwise_layer{w, bias, window, output};
  if constexpr (Op == op::transposed_conv2d) return q::transposed_conv2d_layer{w, bias, window, output, groups};
  if constexpr (Op == op::linear) return q::linear_layer{w, bias, output};
}

/// Returns weight i of a row. A byte holds two 4-bit weights, the first weight in the low half.
template <class W, class Stored>
std::int32_t weight_at(const Stored* data, index_t i) {
  if constexpr (std::is_same_v<W, q::int4>) {
    const int value = i % 2 == 0 ? data[i / 2] % 16 : data[i / 2] / 16;
    return value < 8 ? value : value - 16;
  } else {
    return data[i];
  }
}

/// Draws a bias that is small enough for the sums of the oracle, now and then any bias.
template <class T>
T any_bias(reader& r) {
  const std::int64_t b = r.integer() >> (r.one_in(8) ? 0 : 20);
  if constexpr (std::is_same_v<T, q::packed_int48>)
    return q::packed_int48::of(q::int48::wrapped(b));
  else
    return static_cast<T>(b);
}
inline std::int64_t value_of(std::int64_t b) { return b; }
inline std::int64_t value_of(q::packed_int48 b) { return b.unpack().value(); }

/// The values of a bias; empty without a bias.
struct bias_values {
  std::vector<std::int64_t> values;
  bool small = true;
};

template <class T, class Use>
void with_biases(reader& r, memory& m, index_t channels, bias_values& known, const Use& use) {
  const index_t size = r.near(channels);
  const block<T> b = m.writable<T>(extent_of(size));
  if (b.holds == held::all && b.data != nullptr)
    for (index_t o = 0; o < size; ++o) {
      b.data[o] = any_bias<T>(r);
      known.values.push_back(value_of(b.data[o]));
      known.small = known.small && known.values.back() >> 60 == (known.values.back() < 0 ? -1 : 0);
    }
  use(q::view<const T>(b.data, size), b.may_read());
  m.forget(b.holds);
}

/// Calls use(bias, true if it may be read).
template <class Use>
void with_bias(reader& r, memory& m, index_t channels, bias_values& known, const Use& use) {
  switch (r.byte() % 4) {
    case 0: return use(q::no_bias{}, true);
    case 1: return with_biases<std::int32_t>(r, m, channels, known, use);
    case 2: return with_biases<q::packed_int48>(r, m, channels, known, use);
    default: return with_biases<std::int64_t>(r, m, channels, known, use);
  }
}

/// Returns the number of constants for each channel: one for each phase of the stride. All phases without taps share one.
template <op Op>
index_t constants_per_channel(const oracle::layer& l) {
  if (Op != op::transposed_conv2d || l.zero_x == 0) return 1;
  const auto of_axis = [](const oracle::axis& a) { return std::min(a.stride / std::gcd(a.stride, a.dilation), a.kernel + 1); };
  return of_axis(l.y) * of_axis(l.x);
}

/// Returns the record that a fold would make.
template <op Op, class X>
q::fold_record record_of(const oracle::layer& l, q::zero_points zero) {
  constexpr bool transposed = Op == op::transposed_conv2d;
  const index_t depth = Op == op::depthwise ? 1 : l.c / l.groups;
  const auto step = [](const oracle::axis& a) { return transposed ? a.stride / std::gcd(a.stride, a.dilation) : 1; };
  return {l.out_c, l.y.kernel,         l.x.kernel,         step(l.y),     step(l.x), depth,
          zero,    q::operand<X>::min, q::operand<X>::max, {-1000, 1000}, 0};
}

inline void tamper(reader& r, q::fold_record& record) {
  const auto near64 = [&](std::int64_t v) { return static_cast<std::int64_t>(r.near(static_cast<index_t>(v))); };
  for (index_t* size : {&record.channels, &record.taps_y, &record.taps_x, &record.step_y, &record.step_x, &record.depth})
    *size = r.near(*size);
  for (std::int32_t* value : {&record.x_min, &record.x_max, &record.w_min, &record.w_max}) *value = r.near32(*value);
  record.zero = near_zero(r, record.zero);
  record.bound = {near64(record.bound.lowest), near64(record.bound.highest)};
  if (r.fault()) ++record.fingerprint;
}

/// Calls the functions that must return a right answer for any record, window and size.
inline void ask(reader& r, const q::fold_record& record, const q::window2d& w) {
  static_cast<void>(q::fits_int32(record) || q::fits_int48(record) || q::has_borders(w));
  expect(q::drain_length(record) >= -1, "a drain length is a number of products, or -1");
  expect(q::transposed_conv2d_constants(r.near(record.channels), w, record.zero) >= -1, "there are constants, or -1 is said");
  const bool is_sound = check(w) == q::status::ok;
  expect(is_sound || q::check_transposed(w) != q::status::ok, "what no convolution has, no transposed one has");
  const index_t size = r.near(8);
  if (q::with_exact_division(size, w.y).status == q::status::ok) expect(size >= 0, "an image has no negative size");
  static_cast<void>(q::window_between(size, r.near(4), w.x.kernel, w.x.stride, w.x.dilation, w.x.pad_before));
  static_cast<void>(q::transposed_window_between(size, r.near(4), w.x.kernel, w.x.stride));
}

// ---- one layer

/// Computes the sums by the definition.
template <op Op, class X, class W, class Stored>
std::vector<std::int64_t> definition(const oracle::layer& l, const shape& at, const X* x, const Stored* w, index_t stride,
                                     const std::vector<std::int64_t>& bias) {
  const index_t depth = l.c / l.groups;
  constexpr auto kind = Op == op::linear      ? oracle::op::linear
                        : Op == op::conv2d    ? oracle::op::conv2d
                        : Op == op::depthwise ? oracle::op::depthwise
                                              : oracle::op::transposed_conv2d;
  return oracle::accumulators(
      kind, l, [&](index_t n, index_t iy, index_t ix, index_t i) { return at.at(x, n, iy, ix, i); },
      [&](index_t o, index_t ky, index_t kx, index_t i) {
        const index_t tap = ky * l.x.kernel + kx;
        return weight_at<W>(w, Op == op::depthwise ? tap * stride + o : o * stride + tap * depth + i);
      },
      [&](index_t o) { return bias.empty() ? 0 : bias[static_cast<std::size_t>(o)]; });
}

template <op Op, class X, class W, bool All = false>
void draw_layer(reader& r, tally& t) {
  constexpr bool linear = Op == op::linear;
  memory m(r);
  oracle::layer l = any_layer<Op>(r);
  const q::zero_points zero{r.near32(any_zero<X>(r)), r.near32(any_zero<W>(r))};
  l.zero_x = zero.x;
  const shape y_shape(r, l.n, l.out_h, l.out_w, l.out_c);

  with_output<sizeof(X) == 2, All>(r, m, l.out_c, y_shape.extent(linear), [&](auto output, int bits, auto y_block) {
    using output_type = decltype(output);
    using accumulator = typename output_type::accumulator;
    using Y = typename output_type::value_type;
    using stored = std::conditional_t<std::is_same_v<W, q::int4>, std::uint8_t, typename q::operand<W>::value_type>;
    const shape x_shape(r, l.n, l.h, l.w, l.c);
    const block<X> x_block = m.input<X>(x_shape.extent(linear));
    const index_t taps = l.y.kernel * l.x.kernel;
    const index_t w_rows = r.near(Op == op::depthwise ? taps : l.out_c);
    const index_t w_cols = r.near(Op == op::depthwise ? l.out_c : taps * (l.c / l.groups));
    const index_t w_stride = r.near((Op == op::depthwise ? l.out_c : taps * (l.c / l.groups)) + r.between(0, 2));
    const extent rows_of_weights = extent_of(w_rows, w_cols, w_stride);
    const block<stored> w_block = m.input<stored>(std::is_same_v<W, q::int4> ? in_halves(rows_of_weights) : rows_of_weights);
    const std::size_t w_region = m.last();
    const q::matrix_view<const W> w(w_block.data, w_rows, w_cols, w_stride);

    // The library folds the bias. Where the library must not be called, the test folds the bias.
    const index_t constants_size = r.near(l.out_c * constants_per_channel<Op>(l));
    const block<accumulator> constants = m.writable<accumulator>(extent_of(constants_size));
    const std::size_t constants_region = m.last();
    bias_values bias;
    q::folded_bias<accumulator> folded{{constants.data, constants_size}, record_of<Op, X>(l, zero)};
    bool by_hand = true;
    with_bias(r, m, l.out_c, bias, [&](auto biases, bool may_read_bias) {
      if (!may_read_bias || !w_block.may_read() || !constants.may_read()) return;
      const q::view<accumulator> to(constants.data, constants_size);
      m.remember();
      const auto result = fold_of<Op, X>(w, near_window(r, l), biases, near_zero(r, zero), to);
      if (!r.faulty()) expect(result.status == q::status::ok, "a fold without a fault is made");
      const bool has_bias = !std::is_same_v<decltype(biases), q::no_bias>;
      expect(m.is_unchanged(w_region) && (!has_bias || m.is_unchanged(m.last())), "a fold changes neither weights nor bias");
      if (t.add(fold_op<Op>, result.status) != q::status::ok)
        expect(m.is_unchanged(constants_region), "a fold that is refused writes nothing");
      by_hand = result.status != q::status::ok && r.one_in(2);  // the record claims a fold that was not made
      if (!by_hand) folded = result.value;
    });
    if (r.fault()) {
      by_hand = true;
      tamper(r, folded.record);
    }
    if (r.fault()) {
      by_hand = true;
      const index_t size = r.near(folded.constants.size());
      folded.constants = {m.input<accumulator>(extent_of(size)).data, size};
    }

    const bool used = folded.constants.data() == constants.data && folded.constants.size() == constants_size;
    m.make_input(constants_region, used);
    if (!used) m.forget(constants.holds);

    const auto layer = layer_of<Op>(w, folded, near_window(r, l), r.near(l.groups), output);
    const auto x = view_of<Op>(x_block.data, x_shape);
    const auto y = view_of<Op>(y_block.data, y_shape);
    ask(r, folded.record, near_window(r, l));
    expect(q::channel_step(layer) >= 1 || layer.weights.rows() <= 0, "a range of channels has a step");
    static_cast<void>(q::overlap(x, y));
    const q::status s = t.add(Op, check(layer, x, y));
    expect_answer(r, m, s);
    const q::status verified = w_block.may_read() ? t.add(op::verify, verify(layer)) : q::status::fold_of_other_weights;
    if (m.may_read_all())
      decide<X>(r, t, layer, {s, verified}, [&](index_t o, index_t k) {
        return weight_at<W>(w_block.data, Op == op::depthwise ? k * w_stride + o : o * w_stride + k);
      });
    if (!q::may_run(s) || !m.holds_all()) return;
    const q::zero_points folded_zero = folded.record.zero;
    expect(is_sound(output) && is_value<X>(folded_zero.x) && is_value<W>(folded_zero.w), "what is accepted is of its type");

    const std::vector<Y*> elements = y_shape.elements(y_block.data, linear);
    if (elements.empty()) return run(layer, x, y);  // the number of empty rows does not matter
    expect_clean_run(r, m, elements, linear ? y_shape.h : y_shape.n * y_shape.h, [&](index_t begin, index_t end) {
      run(layer, x, y, {begin, end});
    });
    ++t.clean_runs;
    if (by_hand || !bias.small) return;
    expect(verified == q::status::ok, "a fold that is accepted was made from these weights");

    oracle::layer truth;
    truth.h = x_shape.h;
    truth.c = x_shape.c;
    truth.out_h = y_shape.h;
    truth.out_c = y_shape.c;
    truth.zero_x = folded_zero.x;
    truth.zero_w = folded_zero.w;
    if constexpr (!linear) {
      const auto along = [](q::window1d a) { return oracle::axis{a.kernel, a.stride, a.dilation, a.pad_before, a.pad_after}; };
      truth.n = x_shape.n;
      truth.w = x_shape.w;
      truth.out_w = y_shape.w;
      truth.y = along(layer.window.y);
      truth.x = along(layer.window.x);
    }
    if constexpr (Op == op::conv2d || Op == op::transposed_conv2d) truth.groups = layer.groups;
    double work = static_cast<double>(elements.size()) * static_cast<double>(truth.c + 1);
    for (const index_t size : {truth.y.kernel, truth.x.kernel, truth.y.stride, truth.x.stride}) work *= static_cast<double>(size);
    if (work > 1e6) return;
    ++t.compared;
    const auto has_size = [](index_t size, const oracle::axis& a, index_t outputs) {
      if constexpr (Op != op::transposed_conv2d) return outputs == oracle::windows(size, a);
      const index_t least = oracle::scattered(size, a, 0);
      return outputs >= least && outputs < least + std::max(a.stride, a.dilation);
    };
    if (!linear)
      expect(has_size(truth.h, truth.y, truth.out_h) && has_size(truth.w, truth.x, truth.out_w), "an output has its size");
    const auto sums = definition<Op, X, W>(truth, x_shape, x_block.data, w_block.data, w_stride, bias.values);
    expect(sums.size() == elements.size(), "the output has the size of the definition");
    for (std::size_t i = 0; i < sums.size(); ++i) {
      if (s == q::status::ok) expect(fits_bits(sums[i], bits), "an accumulator that is accepted fits");
      const auto acc = static_cast<accumulator>(oracle::wrapped(sums[i], static_cast<int>(8 * sizeof(accumulator))));
      const Y expected = output(acc, static_cast<index_t>(i) % y_shape.c);
      expect(std::memcmp(&expected, elements[i], sizeof(Y)) == 0, "an output equals the definition");
    }
  });
}

}  // namespace fuzz
