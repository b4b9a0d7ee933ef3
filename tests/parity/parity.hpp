#pragma once
/// \file
/// Compares a backend with scalar code, which is taken as right.
/// First come constructed ties and edges, then every length at either end of memory.

#include <dyadic/dyadic.hpp>
#include <dyadic/rescale.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "../support/catch.hpp"
#include "../support/multipliers.hpp"
#include "../support/random.hpp"
#include "../support/samples.hpp"
#include "guarded.hpp"

namespace parity {

namespace q = dyadic;

template <class T>
using numbers = std::vector<T>;

/// The only CHECK and the only REQUIRE, because each use of the macros expands to a page of code.
inline void require(bool holds, const char* what) {
  INFO(what);
  REQUIRE(holds);
}
inline void require_runs(q::status checked) { require(q::may_run(checked), "check"); }

/// The counts of compared outputs, and the place of the first difference.
struct tally {
  std::size_t compared = 0;
  std::size_t different = 0;
  std::size_t in_blocks = 0;  ///< layers whose weights are packed in blocks
  std::size_t varied = 0;     ///< neighbours that differ, so that a kernel that writes a constant is found
  std::string first;

  /// Adds n neighbouring outputs and their expected values. where(i) describes output i.
  template <class Y, class Where>
  void add(const Y* got, const Y* expected, q::index_t n, const Where& where) {
    for (q::index_t i = 0; i < n; ++i) {
      if (i > 0 && q::detail::value_of_element(got[i]) != q::detail::value_of_element(got[i - 1])) ++varied;
      if (q::detail::value_of_element(got[i]) != q::detail::value_of_element(expected[i]) && different++ == 0)
        note(where(i), q::detail::value_of_element(got[i]), q::detail::value_of_element(expected[i]));
    }
    compared += static_cast<std::size_t>(n);
  }
  /// Adds rows of y. The expected values have no gaps.
  template <class Y>
  void add_rows(q::matrix_view<Y> y, const Y* expected) {
    for (q::index_t r = 0; r < y.rows(); ++r)
      add(y.row(r), expected + r * y.cols(), y.cols(), [&](q::index_t c) {
        return "row " + std::to_string(r) + " column " + std::to_string(c) + " of " + std::to_string(y.cols());
      });
  }
  void note(const std::string& where, std::int64_t got, std::int64_t expected) {
    first = where + ": " + std::to_string(got) + ", expected " + std::to_string(expected);
  }
  void check() const {
    INFO("seed " << support::seed << ", " << different << " of " << compared << " differ, the first: " << first);
    CHECK(different == 0);
    if (support::tried_one_in() == 1) CHECK(varied * 100 >= compared);  // with few samples, all may have one column
  }
};

/// True if the backend has a kernel of its own. Otherwise a test would run another backend, or scalar code against itself.
template <class Backend, class Op>
constexpr bool has_kernel = !std::is_base_of_v<q::kernel<typename Backend::fallback, Op>, q::kernel<Backend, Op>>;

/// True if the backend, or one of its fallbacks, has a kernel other than scalar code.
template <class Backend, class Op>
constexpr bool runs_over_lanes = !std::is_base_of_v<q::kernel<q::backend::scalar, Op>, q::kernel<Backend, Op>>;

/// Runs the layer with the backend and with scalar code.
template <class Backend, class Layer, class X, class Y>
void compare(const Layer& layer, q::matrix_view<const X> x, q::matrix_view<Y> y, tally& t) {
  static_assert(has_kernel<Backend, q::op::rescale>);
  numbers<Y> expected(static_cast<std::size_t>(x.rows() * x.cols()) + 1);
  q::run(layer, x, q::matrix_view<Y>{expected.data(), x.rows(), x.cols()});
  q::run<Backend>(layer, x, y);
  t.add_rows(y, expected.data());
}

template <class X>
q::matrix_view<const X> input(const numbers<X>& x, std::size_t rows) {
  return {x.data(), static_cast<q::index_t>(rows), static_cast<q::index_t>(x.size() / rows)};
}
template <class Y>
q::matrix_view<Y> output(numbers<Y>& y, std::size_t rows) {
  return {y.data(), static_cast<q::index_t>(rows), static_cast<q::index_t>(y.size() / rows)};
}

/// Returns every shift that the scheme accepts, with the edges of its mantissa, or some shifts where fewer samples are taken.
template <class Multiplier>
numbers<Multiplier> multipliers_that_are(bool (*valid)(Multiplier)) {
  using mantissa_type = typename Multiplier::mantissa_type;
  constexpr mantissa_type greatest = std::numeric_limits<mantissa_type>::max();
  constexpr auto half = static_cast<mantissa_type>(greatest / 2 + 1);
  support::random_bits random;
  numbers<Multiplier> all;
  const int one_in = std::max(1 + DYADIC_TEST_DIVISOR / 10, std::min(support::tried_one_in(), 11));
  for (std::int32_t shift = 0; shift <= 126; ++shift)
    for (const std::int64_t m :
         {std::int64_t{0}, std::int64_t{1}, std::int64_t{half}, std::int64_t{half} + 1, std::int64_t{greatest},
          std::int64_t{greatest} - 1, random.between(half, greatest), random.between(1, half), std::int64_t{1} << 23,
          std::int64_t{-1}, -std::int64_t{half}, -std::int64_t{half} - 1, -std::int64_t{greatest}, -std::int64_t{greatest} - 1}) {
      const Multiplier candidate{static_cast<mantissa_type>(m), shift};
      if (candidate.mantissa == m && valid(candidate) && random.one_in(one_in)) all.push_back(candidate);
    }
  return all;
}
template <class Scheme>
numbers<typename Scheme::multiplier_type> multipliers() {
  return multipliers_that_are<typename Scheme::multiplier_type>([](auto m) { return Scheme::valid(m); });
}

/// The multipliers that a form of a formula serves.
struct form {
  std::int64_t least_mantissa;
  std::int32_t least_shift, greatest_shift;

  template <class Multiplier>
  numbers<Multiplier> of(const numbers<Multiplier>& all) const {
    numbers<Multiplier> some;
    for (const Multiplier m : all)
      if (m.mantissa >= least_mantissa && m.right_shift >= least_shift && m.right_shift <= greatest_shift) some.push_back(m);
    return some;
  }
};
inline constexpr std::int64_t any_mantissa = std::numeric_limits<std::int64_t>::min();
inline constexpr form any_form{any_mantissa, 0, 126};
inline constexpr form forms[] = {any_form, {0, 33, 126}, {0, 16, 46}, {1, 10, 30}};

/// Returns accumulators of `bits` bits. They are edges, and values around the ties of a multiplier.
/// Other accumulators lie where an engine's pre-shift or the result begins to wrap.
inline numbers<std::int64_t> accumulators(std::int64_t mantissa, std::int32_t right_shift, int bits) {
  const std::int64_t greatest = std::numeric_limits<std::int64_t>::max() >> (64 - bits);
  const long double limit = std::ldexp(1.0L, bits - 1);  // on some machines equal to `greatest`
  numbers<std::int64_t> all;
  const auto add = [&](long double v) {
    for (int offset = -1; offset <= 1; ++offset) {
      const long double near = std::floor(v) + offset;
      all.push_back(near >= limit ? greatest : near < -limit ? -greatest - 1 : static_cast<std::int64_t>(near));
    }
  };
  for (const long double y : {0.5L, 1.5L, 2.5L, -0.5L, -1.5L, -2.5L, 126.5L, 127.5L, -128.5L, -129.5L, 254.5L, 32766.5L, 32767.5L,
                              -32768.5L, 65534.5L, 1073741823.5L, 2147483646.5L, 2147483647.5L, -2147483648.5L})
    add(std::ldexp(y, right_shift) / static_cast<long double>(mantissa == 0 ? 1 : mantissa));
  for (const int k : {0, 7, 8, 15, 16, 23, 24, 29, 30, 31, 46, 47, 62, 63}) {
    add(std::ldexp(1.0L, k));
    add(-std::ldexp(1.0L, k));
  }
  add(std::ldexp(1.0L, right_shift - 1));  // the largest that TOSA and the pre-shift of TFLite allow
  add(-std::ldexp(1.0L, right_shift - 1));
  return all;
}

/// Returns zero points and activation ranges worth a test.
template <class Y>
numbers<q::output_range> ranges() {
  const q::output_range all = q::range_of<Y>();
  const std::int32_t middle = all.min / 2 + all.max / 2;
  numbers<q::output_range> some = {all, {middle + 3, all.min, all.max}, {all.max, middle, all.max}, {all.min, all.min, middle}};
  some.push_back({all.max / 8, all.min / 2 + all.max / 4, all.max - 5});
  some.push_back({0, all.min / 2 + all.max / 8, all.max / 2});
  some.push_back({1, all.min, all.max});
  some.push_back({all.min < 0 ? -1 : 2, all.min, all.max});
  some.push_back({0, all.min, all.min});
  some.push_back({0, all.max, all.max});
  return some;
}

/// Returns the accumulators of neighbouring multipliers, rounded to the nearest values of X.
template <class X, class Multiplier>
numbers<X> inputs(const numbers<Multiplier>& columns, int bits) {
  numbers<X> all;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const auto column = accumulators(columns[c].mantissa, columns[c].right_shift, bits);
    all.resize(column.size() * columns.size());
    for (std::size_t r = 0; r < column.size(); ++r) all[r * columns.size() + c] = q::saturate<X>(column[r]);
  }
  return all;
}

/// Tries ties and edges of a scheme with one multiplier after the other, in each form of the formula that is exact for the
/// multiplier.
template <class Backend, class Scheme, class Y, class X = typename Scheme::accumulator>
void ties_and_edges_of_tensor() {
  const auto all_ranges = ranges<Y>();
  tally t;
  std::size_t count = 0;
  for (const auto m : multipliers<Scheme>()) {
    const auto x = inputs<X>(numbers<typename Scheme::multiplier_type>{m}, q::detail::accumulator_bits<Scheme>::value);
    numbers<Y> y(x.size());
    const bool has_all_ranges = count++ % 4 == 0;
    for (std::size_t k = 0; k < all_ranges.size(); k += has_all_ranges ? 1u : 4u)
      compare<Backend>(q::rescale_layer<q::per_tensor_output<Y, Scheme>>{0, {m, all_ranges[k]}}, input(x, 1), output(y, 1), t);
  }
  t.check();
}

/// Calls use(multipliers, index of a range, x) with a multiplier for each channel.
/// Tries multipliers of all kinds together, then, for each form of the formula, only multipliers for which the form is exact.
template <class X, class Multiplier>
void each_form(const numbers<Multiplier>& all, int bits, std::size_t ranges,
               const std::function<void(const numbers<Multiplier>&, std::size_t, q::matrix_view<const X>)>& use) {
  for (const form& f : forms) {
    const auto accepted = f.of(all);
    constexpr std::size_t at_once = 512;  // as many as a microcontroller has memory for
    for (std::size_t begin = 0; begin < accepted.size(); begin += at_once) {
      const auto first = accepted.begin() + static_cast<std::ptrdiff_t>(begin);
      const numbers<Multiplier> channels(first, first + static_cast<std::ptrdiff_t>(std::min(at_once, accepted.size() - begin)));
      const auto x = inputs<X>(channels, bits);
      for (std::size_t k = 0; k < (&f == forms ? ranges : 2); ++k) use(channels, k, input(x, x.size() / channels.size()));
    }
  }
}
template <class Backend, class Scheme, class Y, class X = typename Scheme::accumulator>
void ties_and_edges_of_channels() {
  using multiplier_type = typename Scheme::multiplier_type;
  const auto all_ranges = ranges<Y>();
  tally t;
  each_form<X, multiplier_type>(multipliers<Scheme>(), q::detail::accumulator_bits<Scheme>::value, all_ranges.size(),
                                [&](const numbers<multiplier_type>& channels, std::size_t k, q::matrix_view<const X> x) {
                                  numbers<Y> y(static_cast<std::size_t>(x.rows() * x.cols()));
                                  compare<Backend>(
                                      q::rescale_layer<q::per_channel_output<Y, Scheme>>{0, {channels, all_ranges[k]}}, x,
                                      q::matrix_view<Y>{y.data(), x.rows(), x.cols()}, t);
                                });
  t.check();
}

/// Compares rows of numbers with a multiplier for each column, in all ranges. Then compares each column alone with its
/// multiplier.
template <class Backend, class Scheme, class Y, class X>
void compare_by_columns(const numbers<X>& x, const numbers<typename Scheme::multiplier_type>& multipliers,
                        std::int32_t x_zero_point) {
  const std::size_t rows = x.size() / multipliers.size();
  tally t;
  numbers<Y> y(x.size());
  for (const auto& range : ranges<Y>())
    compare<Backend>(q::rescale_layer<q::per_channel_output<Y, Scheme>>{x_zero_point, {multipliers, range}}, input(x, rows),
                     output(y, rows), t);
  numbers<X> column(rows);
  numbers<Y> outputs(rows);
  for (std::size_t c = 0; c < multipliers.size(); ++c) {
    for (std::size_t r = 0; r < rows; ++r) column[r] = x[r * multipliers.size() + c];
    const q::rescale_layer<q::per_tensor_output<Y, Scheme>> layer{0, {multipliers[c], ranges<Y>()[1]}};
    compare<Backend>(layer, input(column, 1), output(outputs, 1), t);
  }
  t.check();
}

/// Tries scale16 with accumulators of all 64 bits: results beside powers of two, which leave int16 and int32, and products that
/// wrap.
template <class Backend, class Y>
void results_of_all_lengths() {
  using scheme = q::tosa::scale16;
  support::random_bits random;
  numbers<q::multiplier16> multipliers;
  for (const int t : {2, 3, 4, 15, 16, 17, 28, 30, 31, 32, 33, 34, 47, 48, 61, 62})
    for (const int mantissa : {0, 1, 3, 0x4000, 0x5A5B, 0x7FFF}) multipliers.push_back({static_cast<std::int16_t>(mantissa), t});
  constexpr std::size_t rows = 72;
  numbers<std::int64_t> x(rows * multipliers.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const q::multiplier16 m = multipliers[i % multipliers.size()];
    const int length = static_cast<int>(i / multipliers.size() / 2) + m.right_shift;  // the bits of the product
    const std::int64_t product = std::int64_t{1} << (length < 62 ? length : 62);
    const std::int64_t near = (m.mantissa == 0 ? product : product / m.mantissa) + random.between(-1, 1);
    x[i] = random.one_in(8) ? random.integer(63) : random.one_in(2) ? near : -near;
  }
  for (std::size_t c = 0; c < multipliers.size(); ++c) {
    x[c] = std::numeric_limits<std::int64_t>::min();
    x[multipliers.size() + c] = std::numeric_limits<std::int64_t>::max();
  }
  compare_by_columns<Backend, scheme, Y>(x, multipliers, 0);
}

/// Tries schemes with a binary32: scales of both signs and every size, accumulators at ties and at the ends of int32.
template <class Backend, class Scheme, class Y>
void binary32_ties_and_edges() {
  support::random_bits random;
  numbers<q::binary32> scales;
  for (int k = -150; k <= 127; ++k)
    for (const float fraction : {1.0f, 0x1.000002p0f, 0x1.fffffep0f, 0x1.8p0f, -0x1.4p0f}) {
      const q::binary32 scale{std::ldexp(fraction, k)};
      if (Scheme::valid(scale)) scales.push_back(scale);
    }
  constexpr std::size_t rows = 64;
  numbers<std::int32_t> x(rows * scales.size());
  for (std::size_t c = 0; c < scales.size(); ++c)
    for (std::size_t r = 0; r < rows; ++r) {
      const double tie = (static_cast<double>(random.between(-300, 300)) + 0.5) / static_cast<double>(scales[c].to_float());
      const double near = std::floor(tie) + static_cast<double>(random.between(-1, 1));
      const bool in_range = near > -0x1p31 && near < 0x1p31;
      x[r * scales.size() + c] = in_range && r % 4 != 0 ? static_cast<std::int32_t>(near)
                                 : r % 8 == 0           ? std::numeric_limits<std::int32_t>::min() + static_cast<std::int32_t>(r)
                                                        : static_cast<std::int32_t>(random.integer(31));
    }
  compare_by_columns<Backend, Scheme, Y>(x, scales, 0);
}

/// Tries chains of three binary32s that overflow, underflow and recover, give a tie or a NaN. Accumulators have all bit lengths.
template <class Backend, class Y>
void binary32_chains() {
  support::random_bits random;
  numbers<q::onednn::scales> chains;
  for (const q::onednn::scales m : support::multipliers<q::onednn::scales>())
    if (q::onednn::f32::valid(m)) chains.push_back(m);
  for (const q::onednn::scales m : {q::onednn::scales{0x1p-100f, 0x1.8p-40f, 0x1.4p127f},
                                    {0x1p-149f, 0x1p100f, 0x1p40f},
                                    {0.5f, 1.0f, 1.0f},
                                    {0.25f, 0.5f, -1.0f},
                                    {0x1.fp-9f, 0x1.3p-1f, 0x1.7p2f}})
    chains.push_back(m);
  constexpr std::size_t rows = 40;
  numbers<std::int32_t> x(rows * chains.size());
  for (auto& acc : x) acc = static_cast<std::int32_t>(random.of_random_length(31)) * (random.one_in(2) ? 1 : -1);
  for (std::size_t c = 0; c < chains.size(); ++c) {
    x[c] = std::numeric_limits<std::int32_t>::min();
    x[chains.size() + c] = std::numeric_limits<std::int32_t>::max();
  }
  compare_by_columns<Backend, q::onednn::f32, Y>(x, chains, 3);
}

/// Tries binary64 scales of all sizes. Accumulators lie at ties and have all bit lengths.
template <class Backend, class Accumulator, class Y>
void binary64_ties_and_edges() {
  using scheme = q::tflite::double_scale<Accumulator>;
  support::random_bits random;
  numbers<q::binary64> scales;
  for (const q::binary64 m : support::multipliers<q::binary64>())
    if (scheme::valid(m)) scales.push_back(m);
  for (const double m :
       {0x1p-63, 0x1p-41, 0x1.8p-30, -0x1p-8, 0x1.fffffffffffffp-2, 0x1.5555555555555p-9, 0.0, 0x1p-1074, 0x1p31, 0.5})
    scales.push_back(m);
  constexpr std::size_t rows = 64;
  numbers<Accumulator> x(rows * scales.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double tie = (static_cast<double>(random.between(-70000, 70000)) + 0.5) / scales[i % scales.size()].to_double();
    const bool is_tie = i % 3 != 0 && std::abs(tie) < std::ldexp(1.0, q::limits<Accumulator>::digits - 1);
    x[i] = is_tie ? static_cast<Accumulator>(static_cast<std::int64_t>(tie) + random.between(-1, 1))
                  : static_cast<Accumulator>(random.integer(1 + random.below(q::limits<Accumulator>::digits)));
  }
  for (std::size_t c = 0; c < scales.size(); ++c) {
    x[c] = q::limits<Accumulator>::min;
    x[scales.size() + c] = q::limits<Accumulator>::max;
    x[2 * scales.size() + c] = 1;  // a scale of 1/2 gives a tie, and a scale just below 1/2 must round like the tie, too
    x[3 * scales.size() + c] = -1;
  }
  compare_by_columns<Backend, scheme, Y>(x, scales, 0);
}

template <class X>
X random_element(support::random_bits& random) {
  if constexpr (std::is_same_v<X, q::packed_int48>)
    return q::packed_int48::of(q::int48::wrapped(random.integer(47)));
  else if constexpr (sizeof(X) == 8)
    return random.integer(47);
  else
    return q::wrap<X>(random.integer(static_cast<int>(8 * sizeof(X)) - 1) + (std::is_signed_v<X> ? 0 : 1));
}

enum class multipliers_per { tensor, channel };

/// Tries every length from 0 to past three steps of the widest vectors, or past one step where fewer samples are taken.
/// Data lies at either end of memory, without a zero point or with the least one of either sign.
/// A gap follows each row of inputs, of outputs, or of both, and must not change.
template <class Backend, class X, class Y, class Scheme, multipliers_per Per>
void every_length() {
  constexpr q::index_t most = (DYADIC_TEST_DIVISOR == 1 ? 3 : 1) * 64 + 7;
  constexpr q::index_t rows = 3;
  constexpr std::int32_t first_shift = sizeof(typename Scheme::accumulator) == 8 ? 24 : 31;
  using multiplier_type = typename Scheme::multiplier_type;
  support::random_bits random;
  guarded<X> x_memory(rows * (most + 1));
  guarded<Y> y_memory(rows * (most + 1));
  guarded<multiplier_type> m_memory(most + 1);
  tally t;
  for (q::index_t n = 0; n <= most; ++n)
    for (int way = 0; way < 8; ++way) {
      multiplier_type* const m = m_memory.at(way & 1, static_cast<std::size_t>(Per == multipliers_per::tensor ? 1 : n));
      for (q::index_t c = 0; c < (Per == multipliers_per::tensor ? 1 : n); ++c)
        m[c] = {static_cast<typename multiplier_type::mantissa_type>(random.between(1 << 14, 32767) *
                                                                     (sizeof(m[c].mantissa) == 4 ? 65537 : 1)),
                first_shift + (way & 4 ? 8 : 0) + random.below(4)};
      const q::index_t x_stride = n + (way >> 1 & 1);
      const q::index_t y_stride = n + ((way >> 1 ^ way >> 2) & 1);
      const auto extent = [&](q::index_t stride) { return static_cast<std::size_t>((rows - 1) * stride + n); };
      X* const x = x_memory.at(way & 1, extent(x_stride));
      Y* const y = y_memory.at(way & 1, extent(y_stride));
      for (std::size_t i = 0; i < extent(x_stride); ++i) x[i] = random_element<X>(random);
      if constexpr (sizeof(X) <= 4)
        if (n > 0) x[0] = q::limits<X>::min, x[extent(x_stride) - 1] = q::limits<X>::max;
      const Y canary = q::wrap<Y>(random.integer(31));
      std::fill(y, y + extent(y_stride), canary);
      const q::matrix_view<const X> from{x, rows, n, x_stride};
      const q::matrix_view<Y> to{y, rows, n, y_stride};
      const std::int32_t one_more = way & 1 ? 1 : -1;
      const q::output_range range = q::range_of<Y>(way & 2 ? (std::is_signed_v<Y> ? one_more : 1) : 0);
      const std::int32_t zero = way & 4 ? (std::is_signed_v<X> ? one_more : 1) : 0;
      if constexpr (Per == multipliers_per::tensor)
        compare<Backend>(q::rescale_layer<q::per_tensor_output<Y, Scheme>>{zero, {*m, range}}, from, to, t);
      else
        compare<Backend>(q::rescale_layer<q::per_channel_output<Y, Scheme>>{zero, {q::view<const multiplier_type>{m, n}, range}},
                         from, to, t);
      if (y_stride > n)
        for (q::index_t r = 0; r + 1 < rows; ++r) t.different += y[r * y_stride + n] != canary;
    }
  t.check();
}

/// Tries a framework's two arrays in guarded memory, preceded by other values that would be valid as well.
/// Mantissas alternate between a tie of `tflite::reduce`, the largest mantissa, others, and small mantissas. Shifts run from
/// `shift` on. If `shift` is the longest shift, the first shifts after it are too short for the short form of a formula.
template <class Backend, class Scheme, class Int, q::shift_convention Convention>
void every_length_of_pairs(std::int32_t shift) {
  constexpr q::index_t most = 64 + 7;
  constexpr q::index_t rows = 3;
  const Int edges[3][5] = {{1 << 30, 0x7FFF'FFFF, 0x7FFF'7FFF, 0x7FFF'8000, 0x7FFF'0000},
                           {1 << 30, 0x7FFE'FFFF, 0x4000'7FFF, 0x4000'8000, 0},
                           {0x10'8000, 0x3FFF'7FFF, 0x2FFF'8000, 0x8000, 0}};
  constexpr bool is_left = Convention == q::shift_convention::left;
  support::random_bits random;
  guarded<Int> mantissas(2 * most);
  guarded<Int> shifts(2 * most);
  numbers<std::int32_t> x(rows * most);
  numbers<std::int16_t> y(rows * most);
  tally t;
  for (q::index_t n = 1; n <= most; ++n) {
    const auto size = static_cast<std::size_t>(n);
    Int* const m = mantissas.last(size);
    Int* const s = shifts.last(size);
    for (q::index_t c = -most; c < n; ++c) {
      const q::index_t i = c + 45 * most;
      const Int edge = edges[n % 3][i % 5];
      m[c] = is_left || sizeof(typename Scheme::multiplier_type::mantissa_type) == 4 ? edge : edge >> 16;
      s[c] = static_cast<Int>(is_left ? shift - i % 4 : shift + i % 4);
    }
    for (auto& one : x) one = random_element<std::int32_t>(random);
    const q::rescale_layer layer{
        0, q::per_channel_arrays_output<std::int16_t, Scheme, Int, Convention>{{m, n}, {s, n}, q::range_of<std::int16_t>(5)}};
    compare<Backend>(layer, q::matrix_view<const std::int32_t>{x.data(), rows, n},
                     q::matrix_view<std::int16_t>{y.data(), rows, n}, t);
  }
  t.check();
}

}  // namespace parity
