#pragma once
/// \file
/// The linear layer of backends against scalar code, with weights packed and not packed.

#include <dyadic/pack.hpp>

#include "../support/samples.hpp"
#include "each_backend.hpp"
#include "parity.hpp"

namespace parity {

struct shape {
  q::index_t rows, channels, depth;
};

/// The kind of numbers that fill a tensor. Small numbers are within +-64, but for one in 40.
enum class values { random, least, greatest, corners, small };

struct conditions {
  values x = values::random;
  values w = values::random;
  q::zero_points zero = {};
  int bias_bits = 20;
  bool at_end = false;                       ///< at the end of memory; else at its beginning
  q::index_t gap = 0;                        ///< elements after each row
  std::int32_t w_limit = 0;                  ///< largest magnitude of random weights; 0: no limit
  std::vector<std::int32_t> w_pattern = {};  ///< weights that are repeated, or none
};

template <class T>
std::int32_t element(values v, support::random_bits& random) {
  constexpr std::int32_t least = q::operand<T>::min;
  constexpr std::int32_t greatest = q::operand<T>::max;
  switch (v) {
    case values::least: return least;
    case values::greatest: return greatest;
    case values::corners: return random.one_in(2) ? least : greatest;
    case values::small:
      if (!random.one_in(40))
        return static_cast<std::int32_t>(
            random.between(std::max<std::int32_t>(least, -64), std::min<std::int32_t>(greatest, 64)));
      break;
    case values::random: break;
  }
  return static_cast<std::int32_t>(random.between(least, greatest));
}

inline std::string describe(const std::string& what, shape s, q::index_t r, q::index_t o) {
  return what + ", " + std::to_string(s.rows) + " x " + std::to_string(s.channels) + " x " + std::to_string(s.depth) + ", row " +
         std::to_string(r) + " channel " + std::to_string(o);
}

/// The type that stores weights. A byte stores two 4-bit weights.
template <class W>
using stored = std::conditional_t<std::is_same_v<W, q::int4>, std::uint8_t, W>;

/// Returns `elements` weights in guarded memory.
template <class W>
const stored<W>* weights_in(guarded<stored<W>>& memory, q::index_t elements, const conditions& c, support::random_bits& random) {
  constexpr bool is_int4 = std::is_same_v<W, q::int4>;
  const auto n = static_cast<std::size_t>(is_int4 ? (elements + 1) / 2 : elements);
  stored<W>* const w = memory.at(c.at_end, n);
  for (std::size_t i = 0; i < n; ++i) {
    if constexpr (is_int4)
      w[i] = static_cast<std::uint8_t>((element<W>(c.w, random) & 15) | (element<W>(c.w, random) & 15) << 4);
    else if (!c.w_pattern.empty())
      w[i] = static_cast<W>(c.w_pattern[i % c.w_pattern.size()]);
    else
      w[i] = static_cast<W>(c.w_limit == 0 ? element<W>(c.w, random) : random.between(-c.w_limit, c.w_limit));
  }
  return w;
}

/// The numbers of a layer of activations X and weights W in guarded memory.
/// Code that depends on neither output nor backend is here, so that it is compiled once.
template <class X, class W, class Y>
class linear_numbers {
 public:
  linear_numbers(shape most, q::index_t most_packed)
      : x_{count(most.rows, most.depth + 3)},
        w_{count(most.channels, most.depth + 3)},
        packed_{static_cast<std::size_t>(most_packed)},
        constants_{count(most.channels, sizeof(std::int64_t))},
        y_{count(most.rows, most.channels + 3)} {}

  void fill(shape of, const conditions& as) {
    s = of;
    c = as;
    const std::size_t inputs = extent(s.rows, s.depth, s.depth + c.gap);
    X* const first = x_.at(c.at_end, inputs);
    for (std::size_t i = 0; i < inputs; ++i) first[i] = static_cast<X>(element<X>(c.x, random_));
    x = {first, s.rows, s.depth, s.depth + c.gap};
    const auto weights = static_cast<q::index_t>(extent(s.channels, s.depth, s.depth + c.gap));
    w = {weights_in<W>(w_, weights, c, random_), s.channels, s.depth, s.depth + c.gap};
    bias_.resize(static_cast<std::size_t>(s.channels));
    for (auto& b : bias_) b = random_.integer(c.bias_bits);
    size_ = extent(s.rows, s.channels, s.channels + c.gap);
    y = {y_.at(c.at_end, size_), s.rows, s.channels, s.channels + c.gap};
    expected_.assign(count(s.rows, s.channels), Y{});
    expected = {expected_.data(), s.rows, s.channels};
  }
  template <class Accumulator>
  q::folded_bias<Accumulator> folded() {
    std::byte* const to = constants_.at(c.at_end, bias_.size() * sizeof(Accumulator));
    const auto folded = q::fold<X>(w, bias_, c.zero, q::view<Accumulator>{reinterpret_cast<Accumulator*>(to), s.channels});
    require(folded.status == q::status::ok, "fold");
    return folded.value;
  }
  template <class Backend>
  q::packed_matrix<Backend, X, W> packed() {
    const q::index_t bytes = q::packed_size<Backend, X, W>(s.channels, s.depth);
    const auto packed =
        q::pack<Backend, X>(w, q::view<std::int8_t>{packed_.at(c.at_end, static_cast<std::size_t>(bytes)), bytes});
    require(packed.status == q::status::ok, "pack");
    t.in_blocks += packed.value.in_blocks();
    return packed.value;
  }
  void clear() { std::fill(y.data(), y.data() + size_, canary()); }
  void equal(const char* name, const char* how) {
    for (q::index_t r = 0; r < s.rows; ++r) {
      t.add(y.row(r), expected.row(r), s.channels, [&](q::index_t o) { return describe(std::string(name) + how, s, r, o); });
      if (r + 1 < s.rows && s.channels > 0)
        for (q::index_t o = s.channels; o < y.stride(); ++o)
          t.different += q::detail::value_of_element(y.row(r)[o]) != q::detail::value_of_element(canary());
    }
  }

  shape s{};
  conditions c;
  q::matrix_view<const X> x;
  q::matrix_view<const W> w;
  q::matrix_view<Y> y, expected;
  tally t;

 private:
  static std::size_t count(q::index_t rows, q::index_t cols) { return static_cast<std::size_t>(rows * cols); }
  static std::size_t extent(q::index_t rows, q::index_t cols, q::index_t stride) {
    return rows == 0 || cols == 0 ? 0 : count(rows - 1, stride) + static_cast<std::size_t>(cols);
  }
  static Y canary() {
    if constexpr (std::is_same_v<Y, q::packed_int48>)
      return q::packed_int48::of(q::int48::wrapped(77));
    else
      return 77;
  }

  guarded<X> x_;
  guarded<stored<W>> w_;
  guarded<std::int8_t> packed_;
  guarded<std::byte> constants_;
  guarded<Y> y_;
  numbers<std::int64_t> bias_;
  numbers<Y> expected_;
  std::size_t size_ = 0;
  support::random_bits random_;
};

enum class weights_are { packed_alone, packed_and_not };

/// Runs layers of activations X and weights W on each of the backends.
template <class Backends, class X, class W, class Y, weights_are Are = weights_are::packed_and_not>
class linear_runs {
 public:
  static constexpr bool is_packed = !std::is_same_v<W, std::int16_t>;
  static constexpr bool is_plain = Are == weights_are::packed_and_not;

  linear_runs(shape most) : n_{most, most_packed(most)} {}

  /// Compares the outputs of the backends with scalar code. Expects that `check` accepts the layer or says that it may overflow.
  template <class Output>
  void compare(shape s, const conditions& c, const Output& output) {
    if (!cases_.has_next()) return;
    n_.fill(s, c);
    const auto folded = n_.template folded<typename Output::accumulator>();
    const q::linear_layer plain{n_.w, folded, output};
    q::run(plain, n_.x, n_.expected);
    const q::status checked = check(plain, n_.x, n_.y);
    overflows += checked == q::status::accumulator_overflow;
    require_runs(checked);
    Backends::each([&](auto backend) {
      using tested = decltype(backend);
      static_assert(has_kernel<tested, q::op::linear>);
      if constexpr (is_plain) {
        n_.clear();
        q::run<tested>(plain, n_.x, n_.y);
        n_.equal(tested::name, " not packed");
      }
      if constexpr (is_packed) {
        const q::linear_layer layer{n_.template packed<tested>(), folded, output};
        n_.clear();
        q::run(layer, n_.x, n_.y);
        n_.equal(tested::name, " packed");
        if constexpr (is_plain) {
          require(check(layer, n_.x, n_.y) == checked, "check with packed weights");
          if (s.rows >= 3) return;
          n_.clear();
          q::run<q::backend::scalar>(layer, n_.x, n_.y);
          n_.equal(tested::name, " packed, run by scalar");
        }
      }
    });
  }

 private:
  static q::index_t most_packed(shape most) {
    q::index_t n = 0;
    if constexpr (is_packed)
      Backends::each([&](auto backend) { n = std::max(n, q::packed_size<decltype(backend), X, W>(most.channels, most.depth)); });
    return n;
  }

  linear_numbers<X, W, Y> n_;
  support::tried_cases cases_;

 public:
  tally& t = n_.t;
  std::size_t overflows = 0;
};

/// Returns a multiplier by which sums of this depth about fill the range of Y.
template <class Scheme, class X, class W, class Y>
typename Scheme::multiplier_type fitting(q::index_t depth, support::random_bits& random) {
  using mantissa_type = typename Scheme::multiplier_type::mantissa_type;
  constexpr int bits = sizeof(mantissa_type) == 2 ? 15 : 31;
  const double spread = std::sqrt(static_cast<double>(depth) + 1) * q::operand<X>::max * q::operand<W>::max / 2;
  const int shift = static_cast<int>(std::log2(spread / q::limits<Y>::max * 2) + 0.5);
  const auto least = std::int64_t{1} << (bits - 1);
  return {static_cast<mantissa_type>(random.between(least, 2 * least - 1)), bits + (shift > 2 - bits ? shift : 2 - bits)};
}

/// Tries every number of rows with some channels, and every number of channels with some rows.
/// Some depths have an odd last element. Others lie around a block of steps, a block of packing, and the depth at which int32
/// lanes are drained.
inline constexpr shape most_of_every_shape{26, 98, 2305};
inline void each_shape(const std::function<void(shape)>& use) {
  for (q::index_t r = 0; r <= most_of_every_shape.rows; ++r)
    for (const q::index_t k : {0, 1, 2, 3, 8, 9, 17, 64}) {
      use({r, 5, k});
      use({r, 35, k});
    }
  for (q::index_t o = 0; o <= most_of_every_shape.channels; ++o)
    for (const q::index_t r : {1, 2, 13}) {
      use({r, o, 7});
      use({r, o, 16});
    }
  for (q::index_t k = 15; k <= 36; ++k)  // blocks that are packed at a time; the last blocks overlap
    for (const q::index_t o : {8, 31, 64, 65}) use({5, o, k});
  for (q::index_t k = 18; k <= 72; ++k) use({1, 33, k});  // a single row takes several steps at a time
  // Copies of rows that end with a part of a vector, and layers so small that some backends have a kernel for them.
  for (q::index_t k = 1; k <= 130; ++k) {
    use({1 + k % 14, 1 + k % 70, k});
    use({1, 1 + k % 33, k});
    use({12, 1 + k % 17, k});
  }
  // As many rows as are multiplied together at this depth, and one row more, with one or two vectors of channels.
  for (const q::index_t k : {170, 171, 204, 205, 682, 683, 1024, 1025, 2048, 2049})
    for (const q::index_t r : {2048 / k, 2048 / k + 1})
      for (const q::index_t o : {8, 9, 16, 17}) use({r, o, k});
  for (q::index_t r = 3; r <= 26; ++r)  // 6 or 12 rows at a time, with no gap between groups of rows
    for (const q::index_t k : {4, 8, 80, 84, 88, 156})
      for (const q::index_t o : {8, 16}) use({r, o, k});
  for (const q::index_t o : {31, 32, 64, 65}) use({12, o, 128});  // whole tiles, whose sums all stay in registers
  use({2, 9, 2040});                                              // one step more than lanes can sum
  for (const q::index_t k : {255, 256, 509, 510, 511, 512, 513, 516, 517, 1020, 1021, 1100}) {
    use({1, 33, k});
    use({3, 9, k});
    use({14, 33, k});
  }
  for (int i = 0; i < 16; ++i) use({1 + i / 8, 64, 300});  // whole panels
  // A few rows, for which some backends have other kernels, around the first and the last depth of such a kernel.
  for (const q::index_t k : {127, 128, 129, 130, 131, 132, 133, 134, 135, 136, 2271, 2272, 2273, 2304, 2305})
    for (q::index_t r = 1; r <= 5; ++r) use({r, 40, k});
  for (q::index_t k = 259; k <= 315; k += 8) use({2, 40, k});  // three elements past the last step, under each of the conditions
}
template <class Backends, class X, class W, class Y, class Scheme, multipliers_per Per>
void every_shape() {
  using multiplier_type = typename Scheme::multiplier_type;
  linear_runs<Backends, X, W, Y> runs{most_of_every_shape};
  guarded<multiplier_type> multipliers(most_of_every_shape.channels);
  support::random_bits random;
  int way = 0;
  each_shape([&](shape s) {
    conditions c;
    c.at_end = (++way & 1) != 0;
    c.gap = way & 2 ? 1 + way % 3 : 0;
    if (way & 4) {
      constexpr std::int32_t w_zeros[] = {q::operand<W>::min, 1, -1};
      c.zero = {q::operand<X>::max / 3, std::max(w_zeros[way / 8 % 3], q::operand<W>::min)};
    }
    if (way % 5 == 0) c.w_limit = 7;
    multiplier_type* const m = multipliers.at(c.at_end, static_cast<std::size_t>(s.channels));
    for (q::index_t o = 0; o < s.channels; ++o) m[o] = fitting<Scheme, X, W, Y>(s.depth, random);
    if (way % 7 == 0 && s.channels > 0) m[0].right_shift = 12;  // the first lane needs another variant
    if constexpr (Per == multipliers_per::tensor)
      runs.compare(s, c, q::per_tensor_output<Y, Scheme>{fitting<Scheme, X, W, Y>(s.depth, random), q::range_of<Y>(3)});
    else
      runs.compare(s, c, q::per_channel_output<Y, Scheme>{q::view<const multiplier_type>{m, s.channels}, q::range_of<Y>(3)});
  });
  runs.t.check();
}

/// Tries all-extreme values, and biases up to the last bit of int48 and beyond int32: sums that are exact, and sums that wrap.
inline void each_extreme(q::zero_points zero, const std::function<void(shape, const conditions&)>& use) {
  std::size_t i = 0;
  for (const values x : {values::least, values::greatest, values::corners})
    for (const values w : {values::least, values::greatest, values::corners})
      for (const int bits : {10, 33, 47, 48}) {
        constexpr q::index_t depths[] = {511, 512, 1100};  // depths alternate, so that each occurs with four widths of the bias
        const q::index_t depth = depths[i++ % 3];
        conditions c;
        c.x = x;
        c.w = w;
        c.bias_bits = bits;
        c.at_end = i % 2 == 0;
        use({13, 40, depth}, c);
        use({2, 40, depth}, c);
        c.zero = zero;
        use({2, 40, depth}, c);
      }
}
template <class Backends, class X, class W, weights_are Are = weights_are::packed_and_not, class Output>
void extremes(const Output& output, bool some_overflow) {
  linear_runs<Backends, X, W, typename Output::value_type, Are> runs{{13, 40, 1100}};
  each_extreme({q::operand<X>::min, q::operand<W>::max}, [&](shape s, const conditions& c) { runs.compare(s, c, output); });
  runs.t.check();
  if (support::tried_one_in() == 1) CHECK((runs.overflows > 0) == some_overflow);
}

/// Calls use(shape, conditions, multipliers) for multipliers of all kinds.
/// The multipliers need both forms of the formula, and include the shifts at which a third form begins. In other cases one form
/// is exact for all multipliers except the first or the last multiplier of a vector.
template <class Multiplier>
void each_choice_of(const numbers<Multiplier>& all,
                    const std::function<void(shape, const conditions&, const numbers<Multiplier>&)>& use) {
  support::random_bits random;
  const auto one_of = [&](const numbers<Multiplier>& some) {
    return some[static_cast<std::size_t>(random.below(static_cast<int>(some.size())))];
  };
  std::size_t turn = 0;
  const auto choose = [&](const form& f, const conditions& c, shape s, const numbers<Multiplier>& others = {}) {
    const auto some = f.of(all);
    if (some.empty()) return;
    numbers<Multiplier> m(static_cast<std::size_t>(s.channels));
    for (auto& one : m) one = one_of(some);
    const q::index_t places[] = {0, 16, s.channels / 8 * 8, s.channels - 1};
    if (!others.empty()) m[static_cast<std::size_t>(places[turn++ % 4])] = one_of(others);
    use(s, c, m);
  };
  for (int round = 0; round < 4; ++round)
    for (const int bits : {8, 24, 30, 46}) {
      conditions c;
      c.bias_bits = bits;
      c.w_limit = round % 3 == 0 ? 0 : 3;
      const shape s{round == 1 ? 12 : round + 1, round % 2 == 0 ? 270 : 37, round % 4 == 0 ? 600 : 20};
      for (const form& f : forms) choose(f, c, s);
      choose({any_mantissa, 0, 46}, c, s);
      choose(any_form, c, s, all);
      for (const form& f : forms) {  // a shift that is too short, one that is too long, and a mantissa below 0
        numbers<Multiplier> negative;
        for (const Multiplier m : form{any_mantissa, f.least_shift, f.greatest_shift}.of(all))
          if (m.mantissa < 0) negative.push_back(m);
        for (const auto& others : {form{1, 0, f.least_shift - 1}.of(all), form{1, f.greatest_shift + 1, 126}.of(all), negative})
          if (!others.empty()) choose(f, c, s, others);
      }
    }
}
/// Tests packed weights alone, because the epilogue does not depend on where the weights came from.
template <class Backends, class Scheme, class Y, class X = std::int16_t>
void multipliers_of() {
  using multiplier_type = typename Scheme::multiplier_type;
  linear_runs<Backends, X, std::int8_t, Y, weights_are::packed_alone> runs{{12, 300, 600}};
  each_choice_of<multiplier_type>(multipliers<Scheme>(), [&](shape s, const conditions& c, const numbers<multiplier_type>& m) {
    runs.compare(s, c, q::per_channel_output<Y, Scheme>{m, q::range_of<Y>(1)});
  });
  runs.t.check();
}

/// Tests the extreme zero points with multipliers of all shifts. An addend of 32 bits can hold both the rounding and the zero
/// point for some shifts only. Also tests small zero points with shifts for which it cannot.
template <class Backends, class Scheme, class X, class Y, multipliers_per Per>
void zero_points_of() {
  linear_runs<Backends, X, std::int8_t, Y, weights_are::packed_alone> runs{{24, 40, 64}};
  for (const auto m : multipliers<Scheme>())
    for (const int zero : {int{q::limits<Y>::min}, int{q::limits<Y>::max}, 1, std::is_signed_v<Y> ? -1 : 2})
      if (m.mantissa > 0 && (zero == q::limits<Y>::min || zero == q::limits<Y>::max || m.right_shift > 45)) {
        conditions c;
        c.bias_bits = 31;
        const bool is_small = zero == q::limits<Y>::max || m.right_shift <= 45;
        const shape of = is_small ? shape{12, 40, 20} : shape{24, 40, 64};  // a small product, or whole tiles
        const numbers<typename Scheme::multiplier_type> all(40, m);
        if constexpr (Per == multipliers_per::channel)
          runs.compare(of, c, q::per_channel_output<Y, Scheme>{all, q::range_of<Y>(zero)});
        else
          runs.compare(of, c, q::per_tensor_output<Y, Scheme>{m, q::range_of<Y>(zero)});
      }
  runs.t.check();
}

}  // namespace parity
