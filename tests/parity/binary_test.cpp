// Add, subtract, multiply and prelu, of every length and with every broadcast, against portable code.

#include <dyadic/elementwise/add.hpp>
#include <dyadic/elementwise/binary.hpp>
#include <dyadic/elementwise/multiply.hpp>
#include <dyadic/elementwise/prelu.hpp>

#include "each_backend.hpp"
#include "parity.hpp"

namespace {

using namespace parity;
using i8 = std::int8_t;
using u8 = std::uint8_t;
using i16 = std::int16_t;

/// Says whether an operand has a single row or a single column, which is broadcast to the rows or columns of y.
struct stretch {
  bool rows;
  bool cols;
};
constexpr stretch ways[][2] = {{{false, false}, {false, false}}, {{false, false}, {true, false}}, {{false, true}, {false, false}},
                               {{false, false}, {true, true}},   {{true, true}, {false, true}},   {{true, false}, {false, true}}};

/// An operand at one end of its memory. Its values are often the ends of the type; `gap` elements follow each row.
template <class X>
class operand {
 public:
  operand(q::index_t rows, q::index_t cols, q::index_t gap, bool at_end, std::mt19937_64& random)
      : memory_(static_cast<std::size_t>(rows * (cols + gap))),
        view_{memory_.at(at_end, static_cast<std::size_t>((rows - 1) * (cols + gap) + cols)), rows, cols, cols + gap} {
    for (q::index_t r = 0; r < rows; ++r)
      for (q::index_t c = 0; c < cols; ++c) {
        const auto bits = random();
        view_.row(r)[c] = bits % 7 == 0 ? q::limits<X>::min : bits % 7 == 1 ? q::limits<X>::max : static_cast<X>(bits >> 8);
      }
  }
  q::matrix_view<const X> view() const { return view_; }
  q::matrix_view<X> writable() const { return view_; }

 private:
  guarded<X> memory_;
  q::matrix_view<X> view_;
};

/// Two operands with one of the broadcasts, and the outputs.
template <class X>
struct operands {
  q::index_t rows, cols, cut;
  std::ptrdiff_t way;
  operand<X> a, b, y, expected;
  numbers<X> kept = {};

  /// Returns true if an operand has the shape of the outputs, so that it can hold them.
  bool has_place_in(const operand<X>& of) const { return of.view().rows() == rows && of.view().cols() == cols; }
  void keep(const operand<X>& of) { kept.assign(of.view().data(), of.view().data() + of.view().measure()); }
  void restore(const operand<X>& of) const { std::copy(kept.begin(), kept.end(), of.writable().data()); }
  void clear() const {
    for (q::index_t r = 0; r < rows; ++r) std::fill_n(y.writable().row(r), cols, X{77});
  }
  void equal(const operand<X>& got, const char* name, tally& t) const {
    for (q::index_t r = 0; r < rows; ++r)
      t.add(got.view().row(r), expected.view().row(r), cols, [&](q::index_t c) {
        return std::string(name) + (&got == &y ? "" : " in place") + ", column " + std::to_string(c) + " of " +
               std::to_string(cols) + ", stretched in way " + std::to_string(way);
      });
  }
};

template <class X>
void each_stretch(const std::function<void(operands<X>&)>& use) {
  std::mt19937_64 random(support::seed);
  support::tried_cases tried;
  q::index_t turn = 0;
  for (const q::index_t cols : {1, 2, 7, 15, 16, 17, 33, 63, 64, 65, 127, 130, 200})
    for (const auto& way : ways) {
      ++turn;
      if (!tried.has_next()) continue;
      const q::index_t rows = 1 + turn % 3;
      const q::index_t gap = turn % 5 == 0 ? 3 : 0;
      const auto make = [&](stretch s) { return operand<X>(s.rows ? 1 : rows, s.cols ? 1 : cols, gap, turn % 2 == 0, random); };
      operands<X> all{rows,         cols,         turn % (rows + 1),    &way - ways,
                      make(way[0]), make(way[1]), make({false, false}), make({false, false})};
      use(all);
    }
}

/// Writes the outputs to memory of their own, and in place of each operand that is not broadcast.
template <class Rule>
void on_each_backend(const Rule& rule) {
  using X = typename Rule::value_type;
  const q::binary_layer<Rule> layer{rule};
  tally t;
  each_stretch<X>([&](operands<X>& all) {
    q::run(layer, all.a.view(), all.b.view(), all.expected.writable());
    for (const operand<X>* const to : {&all.y, &all.a, &all.b}) {
      if (!all.has_place_in(*to)) continue;
      require_runs(check(layer, all.a.view(), all.b.view(), to->writable()));
      all.keep(*to);
      each_backend([&](auto backend) {
        all.clear();
        q::run<decltype(backend)>(layer, all.a.view(), all.b.view(), to->writable(), {all.cut, all.rows});
        q::run<decltype(backend)>(layer, all.a.view(), all.b.view(), to->writable(), {0, all.cut});
        all.equal(*to, decltype(backend)::name, t);
        all.restore(*to);
      });
    }
  });
  t.check();
}

template <class X>
constexpr q::output_range narrow{-3, q::limits<X>::min / 2, q::limits<X>::max - 5};

/// Tests the scales that disagree most, unequal scales, and scales with which a step wraps (`accumulator_overflow`).
template <class Rule>
void of_derived(q::output_range range, std::int32_t zero) {
  const auto ties = Rule::derive(0.25F, zero, 0.25F, -zero, 0.5F, range);
  const auto any = Rule::derive(0.031F, -zero, 0.0043F, zero, 0.05F, range);
  const auto near = Rule::derive(0.0043F, zero, 0.0063F, zero, 0.0051F, range);  // operands: multipliers 1/2 and above 1/4
  require(ties.status == q::status::ok && any.status == q::status::ok && near.status == q::status::ok, "derive");
  on_each_backend(ties.value);
  on_each_backend(any.value);
  on_each_backend(near.value);
}

}  // namespace

TEST_CASE("binary: additions of every length equal portable code and stay within their memory", "[parity]") {
  of_derived<q::tflite::add<i8>>(q::range_of<i8>(4), 5);
  of_derived<q::tflite::add<u8>>({120, 3, 250}, 0);
  of_derived<q::tflite::add<i16, q::tflite::single_rounding>>(narrow<i16>, 700);
  of_derived<q::executorch::arm::add<i8>>(narrow<i8>, -120);
  of_derived<q::xnnpack::add>(q::range_of<i8>(4), 5);
  of_derived<q::xnnpack::add>(narrow<i8>, -120);
}
TEST_CASE("binary: subtractions of every length equal portable code and stay within their memory", "[parity]") {
  of_derived<q::tflite::subtract<i16>>(q::range_of<i16>(), 0);
  of_derived<q::executorch::arm::subtract<i16>>(q::range_of<i16>(), 0);
}
TEST_CASE("binary: products of every length equal portable code and stay within their memory", "[parity]") {
  of_derived<q::tflite::multiply<i8>>(narrow<i8>, 5);
  of_derived<q::tflite::multiply<u8>>({120, 3, 250}, 0);
  of_derived<q::tflite::multiply<i16>>(q::range_of<i16>(), 0);
  of_derived<q::xnnpack::multiply<i8>>(q::range_of<i8>(-9), 5);
  of_derived<q::xnnpack::multiply<u8, q::xnnpack::rndnu_neon>>(q::range_of<u8>(9), 0);
}
TEST_CASE("binary: prelus of every length equal portable code and stay within their memory", "[parity]") {
  of_derived<q::tflite::prelu<i8>>(narrow<i8>, 5);
  of_derived<q::tflite::prelu<u8, q::tflite::single_rounding>>({120, 3, 250}, 0);
}
TEST_CASE("binary: a sum that wraps does so as the rule says", "[parity]") {
  q::cmsis_nn::add<i16> rule{};
  rule.left_shift = 20;
  rule.a.multiplier = rule.b.multiplier = {1 << 30, 30};
  rule.multiplier = {(1 << 30) + 77, 50};
  rule.range = q::range_of<i16>();
  require(check(rule) == q::status::accumulator_overflow, "check");
  on_each_backend(rule);
}

namespace {

/// Tests all pairs of two bytes, with scales near each other and far apart, the first or the second scale larger. TFLite does not
/// derive the other multipliers. Their left shifts are short, so that the sums show the last bit of an operand.
template <class Rule>
void on_all_pairs() {
  using X = typename Rule::value_type;
  numbers<X> a, b;
  for (int i = 0; i < 65536; ++i) {
    a.push_back(static_cast<X>(i & 255));
    b.push_back(static_cast<X>(i >> 8));
  }
  support::random_bits random;
  const auto zero = [&] { return static_cast<std::int32_t>(random.between(q::limits<X>::min, q::limits<X>::max)); };
  const auto scale = [&] {
    return std::ldexp(static_cast<float>(random.between(1 << 23, (1 << 24) - 1)), static_cast<int>(random.between(-26, -23)));
  };
  const auto multiplier = [&](int least, int most) {
    const auto mantissa = random.one_in(3) ? 1 << 30 : random.between(1 << 30, q::int32_max);
    return q::multiplier32{static_cast<std::int32_t>(mantissa), static_cast<std::int32_t>(random.between(least, most))};
  };
  tally t;
  for (int n = 2 * support::samples(20); n > 0; --n) {
    const float first = scale();
    const auto derived = Rule::derive(first, zero(), n % 8 == 1 ? first : scale(), zero(), scale(), q::range_of<X>(zero()));
    require(derived.status == q::status::ok, "derive");
    q::binary_layer<Rule> layer{derived.value};
    if (n % 2 == 0) {
      layer.rule.left_shift = static_cast<std::int32_t>(random.between(0, 4));
      layer.rule.a.multiplier = multiplier(31, 33);
      layer.rule.b.multiplier = multiplier(31, 33);
      layer.rule.multiplier = multiplier(33, 35);
      require(check(layer.rule) == q::status::ok, "check");
    }
    numbers<X> y(65536), expected(65536);
    run(layer, input(a, 256), input(b, 256), output(expected, 256));
    each_backend([&](auto backend) {
      q::run<decltype(backend)>(layer, input(a, 256), input(b, 256), output(y, 256));
      t.add(y.data(), expected.data(), 65536,
            [&](q::index_t i) { return std::string(decltype(backend)::name) + ", pair " + std::to_string(i); });
    });
  }
  t.check();
}

}  // namespace

namespace {

/// Tests a rule on all pairs of bytes.
void on_all_pairs(const q::xnnpack::add& rule, tally& t) {
  numbers<i8> a(65536), b(65536), y(65536), expected(65536);
  for (std::size_t i = 0; i < 65536; ++i) a[i] = static_cast<i8>(i & 255), b[i] = static_cast<i8>(i >> 8);
  require(check(rule) == q::status::ok, "check");
  const q::binary_layer layer{rule};
  run(layer, input(a, 256), input(b, 256), output(expected, 256));
  each_backend([&](auto backend) {
    q::run<decltype(backend)>(layer, input(a, 256), input(b, 256), output(y, 256));
    t.add(y.data(), expected.data(), 65536, [&](q::index_t i) {
      return std::string(decltype(backend)::name) + ", pair " + std::to_string(i) + " by " + std::to_string(rule.a_mantissa) +
             " and " + std::to_string(rule.b_mantissa) + " / 2^" + std::to_string(rule.right_shift);
    });
  });
}

}  // namespace

TEST_CASE("binary: sums of all pairs of bytes by XNNPACK's weights equal portable code", "[parity]") {
  constexpr std::int32_t most = 1 << 21;
  const auto whole = [](std::int32_t zero_point) { return q::range_of<i8>(zero_point); };
  tally t;
  // The largest sums of both signs. The zero points of y are the largest that are added before the shift, and larger ones, which
  // are added after it.
  for (const std::int32_t right_shift : {12, 23, 24, 30})
    for (const std::int32_t sign : {1, -1}) {
      on_all_pairs({sign * most, sign * most, right_shift, 127, 127, whole(127)}, t);
      on_all_pairs({sign * most, -sign * most, right_shift, -128, 127, whole(-128)}, t);
    }
  // Mantissas at the ends of their seven bits.
  constexpr std::int32_t ends[] = {0, 1, -1, 127, 128, -127, -128, -129, most - 1, 1 - most};
  for (const std::int32_t m : ends) on_all_pairs({m, 977 - m / 3, 14, 3, -5, {2, -100, 90}}, t);
  support::random_bits random;
  const auto number = [&](std::int32_t least, std::int32_t end) { return static_cast<std::int32_t>(random.between(least, end)); };
  for (int n = support::samples(60); n > 0; --n) {
    const std::int32_t min = number(-128, 127), bits = number(12, 21);
    const auto mantissa = [&] { return number(-(1 << bits), 1 << bits); };
    on_all_pairs({mantissa(),
                  mantissa(),
                  number(12, 30),
                  number(-128, 127),
                  number(-128, 127),
                  {number(-128, 127), min, number(min, 127)}},
                 t);
  }
  t.check();
}
TEST_CASE("binary: sums and differences of all pairs of bytes equal portable code", "[parity]") {
  on_all_pairs<q::tflite::add<i8>>();
  on_all_pairs<q::tflite::subtract<u8, q::tflite::single_rounding>>();
  on_all_pairs<q::executorch::arm::subtract<i8>>();
}

namespace {

/// Tests sums of bytes by pairs of multipliers at the ends of each form of a rescaled operand.
/// The forms are: a shift by left_shift + 30 - right_shift >= 0, the upper half of a product, and any multiplier.
/// Other multipliers lie where a longer left shift would take a right shift past 62.
template <class Rule>
void at_ends_of_ways() {
  using X = typename Rule::value_type;
  constexpr std::int32_t half = 1 << 30, most = q::int32_max;
  const q::multiplier32 multipliers[] = {{half, 31},         {half, 32}, {half, 33},  {half, 34}, {half, 27}, {half / 2, 31},
                                         {half + 5, 30},     {half, 30}, {0, 31},     {0, 33},    {1, 31},    {half + 5, 31},
                                         {most, 32},         {half, 43}, {most, 43},  {half, 44}, {most, 44}, {most, 62},
                                         {q::int32_min, 33}, {-1, 32},   {-half, 31}, {-half, 34}};
  const q::multiplier32 ways_of_b[] = {{half, 31}, {most, 32}, {half + 5, 31}};
  numbers<X> a;
  for (std::int32_t i = q::limits<X>::min; i <= q::limits<X>::max; i += i % 5 == 0 ? 1 : 3) a.push_back(static_cast<X>(i));
  const numbers<X> b = {q::limits<X>::min, 0, 2, q::limits<X>::max};
  numbers<X> y(a.size() * b.size()), expected(y.size());
  tally t;
  int sound = 0;
  const auto compare = [&](const Rule& rule) {
    if (check(rule) != q::status::ok) return;
    ++sound;
    const q::binary_layer<Rule> layer{rule};
    const q::matrix_view<const X> row = input(a, 1), column = input(b, b.size());
    run(layer, row, column, output(expected, b.size()));
    each_backend([&](auto backend) {
      q::run<decltype(backend)>(layer, row, column, output(y, b.size()));
      t.add(y.data(), expected.data(), static_cast<q::index_t>(y.size()), [&](q::index_t i) {
        const auto text = [](q::multiplier32 m) { return std::to_string(m.mantissa) + " / 2^" + std::to_string(m.right_shift); };
        return std::string(decltype(backend)::name) + ", pair " + std::to_string(i) + " by " + text(rule.a.multiplier) + " and " +
               text(rule.b.multiplier) + " after a shift by " + std::to_string(rule.left_shift);
      });
    });
  };
  for (const std::int32_t left_shift : {3, 21, 22, 23})
    for (const q::multiplier32 m : multipliers)
      for (const q::multiplier32 n : ways_of_b)
        for (const int shift : {31, 31 + int{left_shift}}) {  // shows the last bits of small sums, the first bits of large sums
          Rule rule{};
          rule.left_shift = left_shift;
          rule.a = {q::limits<X>::max, m};
          rule.b = {q::limits<X>::max - 28, n};
          rule.multiplier = {most - 77, shift};
          rule.range = q::range_of<X>(q::limits<X>::max / 2);
          compare(rule);
          std::swap(rule.a, rule.b);
          compare(rule);
        }
  t.check();
  require(sound > 500, "rules that are sound");
}

}  // namespace

TEST_CASE("binary: sums by multipliers at the ends of each way to rescale an operand equal portable code", "[parity]") {
  at_ends_of_ways<q::tflite::add<i8>>();
  at_ends_of_ways<q::tflite::subtract<u8, q::tflite::single_rounding>>();
  at_ends_of_ways<q::executorch::arm::add<i8>>();
}

namespace {

/// Draws a multiplier that the scheme accepts. Half of the mantissas and half of the right shifts come from lists. The lists have
/// small values, extremes, and the limits of the forms in which an operand is rescaled.
template <class Scheme>
q::multiplier32 any_multiplier(support::random_bits& random) {
  constexpr std::int32_t half = 1 << 30, most = q::int32_max, least = q::int32_min;
  constexpr std::int32_t mantissas[] = {least, least + 1, -half, -1, 0, 1, half - 1, half, half + 1, most - 1, most};
  constexpr std::int32_t right_shifts[] = {1, 2, 30, 31, 32, 33, 61, 62};
  q::multiplier32 m{};
  do {
    m.mantissa = random.one_in(2) ? mantissas[random.between(0, 10)] : static_cast<std::int32_t>(random.between(least, most));
    m.right_shift = random.one_in(2) ? right_shifts[random.between(0, 7)] : static_cast<std::int32_t>(random.between(1, 62));
    if (random.one_in(3))
      m = {half + static_cast<std::int32_t>(random.between(0, half - 1)), m.right_shift < 31 ? 32 : m.right_shift};
  } while (!Scheme::valid(m));
  return m;
}

/// Tests rules with any multipliers, some with sums that wrap, on the ends of the type and on numbers between them.
/// The operands have equal shapes, or they are one row and one column.
template <class Rule>
void by_any_multipliers() {
  using X = typename Rule::value_type;
  using scheme = typename Rule::scheme;
  constexpr std::int32_t least = q::limits<X>::min, most = q::limits<X>::max;
  support::random_bits random;
  const auto any = [&] { return static_cast<std::int32_t>(random.between(least, most)); };
  const auto zero_if = [&](bool allowed) { return allowed && !random.one_in(4) ? any() : 0; };
  numbers<X> a, b;
  constexpr std::int32_t ends[] = {least, least + 1, most, -1, 0, 1, most - 1, most / 2};
  for (const std::int32_t x : ends) a.push_back(static_cast<X>(x));
  b = a;
  while (a.size() < 19) a.push_back(static_cast<X>(any()));
  while (b.size() < 13) b.push_back(static_cast<X>(any()));
  numbers<X> all_a, all_b, y(a.size() * b.size()), expected(y.size());
  for (const X x_b : b)
    for (const X x_a : a) all_a.push_back(x_a), all_b.push_back(x_b);
  tally t;
  int sound = 0;
  for (int n = support::samples(3000); n > 0; --n) {
    Rule rule{};
    rule.multiplier = any_multiplier<scheme>(random);
    if (n == 1) rule.multiplier = {q::int32_max, 62};  // half of 2^31 is added to the greatest h
    const bool of_inputs = Rule::zero_points == q::allowed_zero_points::any;
    const std::int32_t zeros[] = {zero_if(of_inputs), zero_if(of_inputs)};
    if constexpr (Rule::operation::is_product) {
      rule.a_zero_point = zeros[0];
      rule.b_zero_point = zeros[1];
    } else {
      rule.left_shift = static_cast<std::int32_t>(random.between(0, 30));
      rule.a = {zeros[0], any_multiplier<scheme>(random)};
      rule.b = {zeros[1], any_multiplier<scheme>(random)};
      if (n % 2 == 0) {  // as engines derive them: sums fit the type, and the multiplier of the larger scale is 1/2
        const bool is_first = random.one_in(2);
        rule.left_shift = static_cast<std::int32_t>(random.between(13, sizeof(X) == 1 ? 22 : 16));
        (is_first ? rule.a : rule.b).multiplier = {1 << 30, 31};
        (is_first ? rule.b : rule.a).multiplier = {(1 << 30) + any() * 7, static_cast<std::int32_t>(random.between(32, 36))};
        rule.multiplier = {q::int32_max - 3 * most + 2 * any(),
                           static_cast<std::int32_t>(random.between(31, 33)) + rule.left_shift - 1};
      }
    }
    if constexpr (!Rule::operation::is_product)
      if (n == 2) {  // halves of odd numbers
        rule.left_shift = 0;
        rule.a.multiplier = rule.b.multiplier = {1 << 30, 31};
        rule.multiplier = {q::int32_max, 32};
      }
    const bool is_narrow = n > 2 && random.one_in(2);
    rule.range = {zero_if(Rule::zero_points != q::allowed_zero_points::none), is_narrow ? least / 2 + 3 : least,
                  is_narrow ? most / 2 + 5 : most};
    rule.range.zero_point = std::min(std::max(rule.range.zero_point, rule.range.min), rule.range.max);
    const q::status s = check(rule);
    if (s == q::status::ok) ++sound;
    require(s == q::status::ok || s == q::status::accumulator_overflow, "check");
    const q::binary_layer<Rule> layer{rule};
    const auto compare = [&](auto left, auto right, const char* how) {
      run(layer, left, right, output(expected, b.size()));
      each_backend([&](auto backend) {
        q::run<decltype(backend)>(layer, left, right, output(y, b.size()));
        t.add(y.data(), expected.data(), static_cast<q::index_t>(y.size()), [&](q::index_t i) {
          return std::string(decltype(backend)::name) + ", pair " + std::to_string(i) + how + " of rule " + std::to_string(n);
        });
      });
    };
    compare(input(all_a, b.size()), input(all_b, b.size()), " side by side");
    compare(input(a, 1), input(b, b.size()), " of a row and a column");
    compare(input(b, b.size()), input(a, 1), " of a column and a row");
  }
  t.check();
  require(sound > support::samples(3000) / 20, "rules that are sound");
}

}  // namespace

TEST_CASE("binary: rescales of two roundings by any multiplier equal portable code, also where they wrap", "[parity]") {
  by_any_multipliers<q::cmsis_nn::add<i8>>();
  by_any_multipliers<q::cmsis_nn::add<i16>>();
  by_any_multipliers<q::tflite::add<i16>>();
  by_any_multipliers<q::tflite::subtract<u8>>();
  by_any_multipliers<q::tflite::subtract<i16>>();
  by_any_multipliers<q::cmsis_nn::multiply<i8>>();
  by_any_multipliers<q::cmsis_nn::multiply<i16>>();
  by_any_multipliers<q::tflite::multiply<u8>>();
  by_any_multipliers<q::tflite::multiply<i16>>();
  by_any_multipliers<q::rescaled_product<i16, q::tflite::double_rounding, q::allowed_zero_points::any>>();
}

namespace {

/// Tests prelus of all pairs of bytes by multipliers as engines derive them and by any multipliers. Half of the zero points are
/// ends of the type.
template <class Rule>
void prelus_of_all_pairs() {
  using X = typename Rule::value_type;
  using scheme = typename Rule::scheme;
  constexpr std::int32_t least = q::limits<X>::min, most = q::limits<X>::max;
  numbers<X> x, alpha;
  for (int i = 0; i < 65536; ++i) {
    x.push_back(static_cast<X>(i & 255));
    alpha.push_back(static_cast<X>(i >> 8));
  }
  support::random_bits random;
  const auto any = [&] {
    const bool is_end = random.one_in(2);
    return static_cast<std::int32_t>(is_end ? (random.one_in(2) ? least : most) : random.between(least, most));
  };
  const auto derived = [&](int least_shift, int most_shift) {
    return q::multiplier32{(1 << 30) + static_cast<std::int32_t>(random.between(0, (1 << 30) - 1)),
                           static_cast<std::int32_t>(random.between(least_shift, most_shift))};
  };
  tally t;
  int sound = 0;
  const int samples = 2 * support::samples(100);
  for (int n = samples; n > 0; --n) {
    Rule rule{any(), any(), derived(29, 33), derived(30, 42), q::range_of<X>(any())};
    if (n % 2 == 0) rule.identity = any_multiplier<scheme>(random), rule.slope = any_multiplier<scheme>(random);
    if (n == 1) rule.identity = rule.slope = {1 << 30, 31};  // halves: each odd number is a tie
    if (random.one_in(3)) rule.range = {least / 2 + 9, least / 2 + 3, most / 2 + 5};
    if (check(rule) != q::status::ok) continue;
    ++sound;
    const q::binary_layer<Rule> layer{rule};
    numbers<X> y(65536), expected(65536);
    run(layer, input(x, 256), input(alpha, 256), output(expected, 256));
    each_backend([&](auto backend) {
      q::run<decltype(backend)>(layer, input(x, 256), input(alpha, 256), output(y, 256));
      t.add(y.data(), expected.data(), 65536, [&](q::index_t i) {
        return std::string(decltype(backend)::name) + ", pair " + std::to_string(i) + " of rule " + std::to_string(n);
      });
    });
  }
  t.check();
  require(sound > samples / 2, "rules that are sound");
}

}  // namespace

TEST_CASE("binary: prelus of all pairs of bytes equal portable code", "[parity]") {
  prelus_of_all_pairs<q::tflite::prelu<i8>>();
  prelus_of_all_pairs<q::tflite::prelu<i8, q::tflite::single_rounding>>();
  prelus_of_all_pairs<q::tflite::prelu<u8>>();
}

namespace {

/// Tests operands and outputs with rows side by side or apart, in all combinations.
/// An operand may also have one row or one column, with a stride as long as a row of the outputs.
template <class Rule>
void of_layouts() {
  using X = typename Rule::value_type;
  constexpr q::index_t rows = 5, cols = 9, apart = cols + 3;
  struct layout {
    q::index_t rows, cols, stride;
  };
  constexpr layout layouts[] = {{rows, cols, cols}, {rows, cols, apart}, {1, cols, cols}, {rows, 1, cols}};
  support::random_bits random;
  numbers<X> a, b;
  while (a.size() < rows * apart) {
    a.push_back(static_cast<X>(random()));
    b.push_back(static_cast<X>(random()));
  }
  const q::binary_layer<Rule> layer{Rule::derive(0.031F, 0, 0.043F, 0, 0.05F, q::range_of<X>()).value};
  tally t;
  for (const layout& of_a : layouts)
    for (const layout& of_b : layouts)
      for (const q::index_t stride : {q::index_t{cols}, q::index_t{apart}}) {
        const q::matrix_view<const X> left(a.data(), of_a.rows, of_a.cols, of_a.stride);
        const q::matrix_view<const X> right(b.data(), of_b.rows, of_b.cols, of_b.stride);
        numbers<X> y(a.size()), expected(a.size());
        run(layer, left, right, q::matrix_view<X>(expected.data(), rows, cols, stride));
        each_backend([&](auto backend) {
          q::run<decltype(backend)>(layer, left, right, q::matrix_view<X>(y.data(), rows, cols, stride));
          t.add(y.data(), expected.data(), static_cast<q::index_t>(y.size()),
                [&](q::index_t i) { return std::string(decltype(backend)::name) + ", output " + std::to_string(i); });
        });
      }
  t.check();
}

}  // namespace

TEST_CASE("binary: operands and outputs of any layouts equal portable code", "[parity]") {
  of_layouts<q::tflite::add<i8>>();
  of_layouts<q::tflite::multiply<i16>>();
}
