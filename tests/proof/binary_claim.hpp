#pragma once
/// \file
/// The sums, differences and products of two matrices that a backend stores, by its own code.
/// Operands, left shift, zero points and multipliers of an engine's rule are in memory; outputs are stored in their places.

#include <dyadic/elementwise/add.hpp>
#include <dyadic/elementwise/binary.hpp>
#include <dyadic/elementwise/multiply.hpp>

#include "rows_claim.hpp"

namespace proof {

/// The layout of the operands in memory.
enum class operands {
  two,       ///< two rows each
  in_place,  ///< the outputs overwrite the first operand
  one_row,   ///< one row of the second operand is broadcast
  elements,  ///< elements of the second operand, numbers, are broadcast to rows
  count
};

/// The way in which an operand of a sum is rescaled.
struct summand_of {
  bool is_power_of_two;  ///< true if its mantissa is 2^30; else the mantissa is a symbol
  int right_shift;
};

/// Proves the outputs that a region stores for rules of two operands.
template <class Region>
class binary_prover {
  static constexpr int step = Region::step;
  // Words that stand for zero points. They are values of all element types, so that `check` of a rule accepts them.
  static constexpr std::int32_t words_of_zero_points[] = {85, 86};

 public:
  explicit binary_prover(prover& all) : all_{all} {}

  /// Proves a rule that adds or subtracts. No step leaves int32 for any numbers, as `check` requires.
  template <class Rule>
  void prove_sums(const std::string& name, int left_shift, steps published) {
    const range shifts = shifts_of<typename Rule::scheme>();
    all_.prove_parts(std::string(Region::name) + ": " + name, [&] {
      constexpr const char* ways[] = {"both by multipliers", "a by a shift", "b by a shift", "both by shifts"};
      const int count = shifts.high - shifts.low + 1;
      const int some[][2] = {{0, count + 20}, {1}, {2}, {7}};
      for (const int way : {0, 1, 2, 3})
        all_.prove_part(ways[way], way == 0 ? 2 : 1,
                        [=](question& ask, int run) { sum_says<Rule>(ask, some[way][run], way, left_shift, shifts, published); });
    });
  }
  /// Proves a rule that multiplies, for shifts with which no step leaves int32 for any mantissa.
  template <class Rule>
  void prove_products(const std::string& name, steps published) {
    range shifts = shifts_of<typename Rule::scheme>();
    shifts.low = std::max(shifts.low, matrix<Rule>::bits == 8 ? 17 : 31);
    all_.prove_parts(std::string(Region::name) + ": " + name, [&] {
      const int least = std::max(shifts.low, 33);
      const int natural = std::max(least, 47 - matrix<Rule>::bits);  // products then use the bits of outputs
      const std::vector<int> some = {least - 2, natural, natural + 3, shifts.high};
      all_.prove_part("products", static_cast<int>(some.size()), [=](question& ask, int run) {
        product_says<Rule>(ask, run, some[static_cast<std::size_t>(run)], published);
      });
    });
  }

 private:
  template <class Rule>
  using value_of = typename Rule::value_type;
  /// The value to be stored, for any values of some of its terms.
  struct value_of_terms {
    std::vector<term> any;
    term value;
  };
  /// A column and its neighbours in a vector; the column is lane number `lane`.
  struct vectors {
    std::vector<term> a, b;
    int lane;
  };
  /// The operands of a sum, rescaled by the backend's classes that serve them.
  template <class Rule>
  class operands_of_code {
    using lanes = typename Region::lanes;
    using any = typename Region::template rescaled_operand<Rule>;
    using by_shift = typename Region::template operand_by_shift<Rule>;
    static constexpr bool by_halves =
        !Region::lanes::has_product_sum && !Region::lanes::template has_rounded_product<q::rounding::double_away>;
    static constexpr bool by_products =
        Region::high_half::template has_rounded_product<typename Rule::scheme::formula_type, std::int32_t>;
    using of_products = std::conditional_t<by_products, typename Region::template operand_by_rounded_product<Rule>, any>;
    using other = std::conditional_t<by_halves, typename Region::template operand_by_upper_half<Rule>, of_products>;

   public:
    operands_of_code(const Rule& rule, int way, bool is_high_half)
        : rule_{rule}, longer_{by_halves ? Region::with_long_shift(rule) : rule}, way_{way} {
      const bool serves[] = {other::serves(longer_.a.multiplier), other::serves(longer_.b.multiplier)};
      if (!is_high_half || (way == 1 && !serves[1]) || (way == 2 && !serves[0])) way_ = 0;
    }
    term rescaled(int i, const vectors& x) const {
      const auto& elements = i == 0 ? x.a : x.b;
      if (way_ == 0) return of(any{i == 0 ? rule_.a : rule_.b, rule_.left_shift}, elements, x.lane);
      const auto& summand = i == 0 ? longer_.a : longer_.b;
      if (way_ == 3 || way_ == i + 1) return of(by_shift{summand, longer_.left_shift}, elements, x.lane);
      return of(other{summand, longer_.left_shift}, elements, x.lane);
    }

   private:
    template <class Operand>
    static term of(const Operand& operand, const std::vector<term>& x, int lane) {
      alignas(64) std::int32_t memory[std::size_t{lanes::count}] = {};
      put_all(memory, x);
      lanes::store(memory, operand(lanes::load_int32s(memory)));
      return taken(memory, 32, lane);
    }
    Rule rule_;
    Rule longer_;
    int way_;
  };
  template <class Rule>
  using matrix = matrix_of_inputs<value_of<Rule>, step>;

  template <class Rule>
  void sum_says(question& ask, int run, int way, int left_shift, range shifts, steps published) const {
    using multiplier = typename Rule::multiplier_type;
    machine::begin(ask);
    const bool by_shift[] = {way == 1 || way == 3, way == 2 || way == 3};
    const auto last_of = [&](int i) { return by_shift[i] ? left_shift + 30 : shifts.high; };
    // The difference of elements, shifted to the left and times a 31-bit mantissa, has fewer bits than this.
    const int bits = 31 + left_shift + (sizeof(value_of<Rule>) == 1 ? 8 : 16);
    // Operands are within 2^30, and so is their sum if it is shifted to the left.
    // In the first `count` runs the shifts of the operands vary, and the shift of the sum makes it fill the outputs.
    // In other runs the shift of the sum varies.
    const int least = std::max(shifts.low, bits - 30);
    const int least_of_sum = std::max(shifts.low, bits + 2 - std::min(last_of(0), last_of(1)));
    const int count = shifts.high - shifts.low + 1;
    int t[2], t_of_sum = std::min(least_of_sum + run % count, shifts.high);
    for (const int i : {0, 1}) {
      const int begin = run < count ? least : std::max(least, bits + 2 - t_of_sum);
      t[i] = begin + (run + (by_shift[i] ? 2 : 4)) % (last_of(i) - begin + 1);
    }
    if (run < count) t_of_sum = std::clamp(bits + 32 - std::min(t[0], t[1]) - matrix<Rule>::bits, shifts.low, shifts.high);
    const auto m_of = [&](int i) {
      return by_shift[i] ? number(32, 1 << 30) : extend_unsigned(ask.factor(i == 0 ? "ma" : "mb", 31), 32);
    };
    const term m[] = {m_of(0), m_of(1)};
    Rule rule{};
    rule.left_shift = left_shift;
    const term m_of_sum = extend_unsigned(ask.factor("m", 31), 32);
    const std::vector<term> z = zero_points_of<Rule>(ask);
    rule.a = {in_rule(z, 0), multiplier{mantissa_in_memory<multiplier>(m[0], 0), t[0]}};
    rule.b = {in_rule(z, 1), multiplier{mantissa_in_memory<multiplier>(m[1], 1), t[1]}};
    rule.multiplier = multiplier{mantissa_in_memory<multiplier>(m_of_sum, 2), t_of_sum};
    const int later = changed(ask, "shift");
    const int later_of_operand = changed(ask, "shift of an operand");
    constexpr int longest = 30 - matrix<Rule>::bits;
    const auto published_operand = [&](const term& difference, int i) {
      // The code may shift further to the left before the multiplication, and then further to the right by the same number.
      const term shifted = shift_left(difference, left_shift);
      if (m[i].is_number()) return wrapped(extend(published(shifted, m[i], t[i] + later_of_operand), 128), 32);
      const term p = product(shifted, m[i]);
      if (longest > left_shift) {
        const term scaled = product(shift_left(difference, longest), m[i]);
        const int more = longest - left_shift;
        ask.lemma(equal(scaled, shift_left(p, more)) & equal(shift_right(scaled, more), p));
      }
      // The lemma states less than the bounds of all 32-bit products: the result fits int32.
      const integer most = (integer{1} << (left_shift + matrix<Rule>::bits)) * q::int32_max;
      if (t[i] < 33) ask.lemma(at_least(p, -most) & at_most(p, most));
      return wrapped(extend(published(shifted, m[i], t[i] + later_of_operand), 128), 32);
    };
    const auto sum_of = [](const term& a, const term& b) { return Rule::operation::is_difference ? a - b : a + b; };
    const operands_of_code<Rule> code{rule, way, t_of_sum >= 33};
    run_rule(ask, rule, run, [&](const term& a, const term& b, const vectors& own, const vectors& meant) {
      const term by_code[] = {code.rescaled(0, own), code.rescaled(1, own)};
      ask.expect(equal(by_code[0], published_operand(a - z[0], 0)));
      ask.expect(equal(by_code[1], published_operand(b - z[1], 1)));
      // The code computes the rescaled operands of a column. Their terms also occur in the stored value.
      const term of_a = code.rescaled(0, meant), of_b = code.rescaled(1, meant);
      return value_of_terms{{of_a, of_b}, published(sum_of(of_a, of_b), m_of_sum, t_of_sum + later)};
    });
  }
  template <class Rule>
  void product_says(question& ask, int run, int t, steps published) const {
    using multiplier = typename Rule::multiplier_type;
    machine::begin(ask);
    const term m = extend_unsigned(ask.factor("m", 31), 32);
    const std::vector<term> z = zero_points_of<Rule>(ask);
    Rule rule{};
    rule.a_zero_point = in_rule(z, 0), rule.b_zero_point = in_rule(z, 1);
    rule.multiplier = multiplier{mantissa_in_memory<multiplier>(m, 0), t};
    const int later = changed(ask, "shift");
    run_rule(ask, rule, run, [&](const term& a, const term& b, const vectors&, const vectors&) {
      return value_of_terms{{}, published(product_low(a - z[0], b - z[1]), m, t + later)};
    });
  }

  /// Returns a number of the claim that is 0, and 1 in a mutant.
  static int changed(question& ask, const char* name) { return static_cast<int>(ask.constant(32, 0, 1, name).value()); }
  /// Returns symbols for the zero points of the operands, or 0 if the rule has no zero points.
  template <class Rule>
  static std::vector<term> zero_points_of(question& ask) {
    std::vector<term> z;
    for (const int i : {0, 1}) {
      if (Rule::zero_points != q::allowed_zero_points::any) {
        z.push_back(number(32, 0));
        continue;
      }
      const term stored = ask.input(i == 0 ? "za" : "zb", matrix<Rule>::bits);
      z.push_back(matrix<Rule>::widened_to(stored, 32));
      if (!stored.is_number()) machine::present().stands_for[static_cast<std::uint32_t>(words_of_zero_points[i])] = z.back();
    }
    return z;
  }
  /// Returns zero point i as the rule stores it.
  static std::int32_t in_rule(const std::vector<term>& z, std::size_t i) {
    return z[i].is_number() ? static_cast<std::int32_t>(z[i].signed_value()) : words_of_zero_points[i];
  }

  /// Runs the code of a rule and expects clamp(value + zero point) for each pair of elements.
  /// `value` is a function of a, b, the vectors of a column, and the vectors of the column that is checked.
  template <class Rule, class Value>
  void run_rule(question& ask, Rule& rule, int run, const Value& value) const {
    using x_type = value_of<Rule>;
    using backend = typename Region::backend;
    const auto form = static_cast<shape>(run % 3);
    const auto kind = static_cast<operands>(run % static_cast<int>(operands::count));
    const int zero_point = Rule::zero_points == q::allowed_zero_points::none ? 0 : zero_point_of<x_type>(run);
    rule.range = some_range<x_type>(zero_point, run % 2 == 0);
    matrix<Rule> a{form, 4}, b{form, 8}, y{form, 12};
    const int n = a.columns();
    a.fill(ask, "a");
    if (kind == operands::elements)
      for (int r = 0; r < rows_of_matrix; ++r) b.view().row(r)[0] = static_cast<x_type>(37 + 50 * r);
    else
      b.fill(ask, "b", kind == operands::one_row ? 1 : rows_of_matrix);
    const auto of_b = [&](int r, int c) {
      if (kind == operands::elements) return number(32, 37 + 50 * r);
      return b.at(kind == operands::one_row ? 0 : r, c, 32);
    };
    // If the check failed, portable code would run.
    const bool is_ok = check(rule) == q::status::ok;
    if (!is_ok && ask.is_to_be_proved()) refuse("a rule that may wrap: " + std::to_string(static_cast<int>(check(rule))));
    ask.require(number(1, is_ok ? 1 : 0));
    const q::binary_layer<Rule> layer{rule};
    auto& to = kind == operands::in_place ? a : y;
    q::matrix_view<x_type> of_b_view = b.view(kind == operands::one_row ? 1 : rows_of_matrix);
    if (kind == operands::elements) of_b_view = {of_b_view.data(), rows_of_matrix, 1, of_b_view.stride()};
    q::run<backend>(layer, a.view(), of_b_view, to.view());

    const int next = changed(ask, "column of a");
    const int next_of_b = kind == operands::elements ? 0 : changed(ask, "column of b");
    const int next_of_y = Rule::operation::is_product ? 0 : changed(ask, "column of y");
    const term more = number(32, changed(ask, "zero point"));
    const auto vectors_of = [&](int r, int c) {
      // The last step covers the last columns, or a copy of the last columns followed by zeros.
      constexpr int lanes = Region::simd::count;
      const int lane = (n < step || c < n - step ? c : c - n + step) % lanes;
      vectors all{{}, {}, lane};
      for (int i = c - lane; i < c - lane + lanes; ++i) {
        all.a.push_back(i < n ? a.at(r, i, 32) : number(32, 0));
        all.b.push_back(i < n ? of_b(r, i) : number(32, 0));
      }
      return all;
    };
    for (int r = 0; r < rows_of_matrix; ++r)
      for (int c = 0; c < n; ++c) {
        if (!is_asked(ask, run, r, c, n)) continue;
        const value_of_terms found = value(a.at(r, (c + next) % n, 32) + more, of_b(r, (c + next_of_b) % n), vectors_of(r, c),
                                           vectors_of(r, (c + next_of_y) % n));
        ask.expect_for_any(found.any, equal(to.stored(r, c), wrapped(clamped_to(found.value, rule.range), matrix<Rule>::bits)));
      }
  }

  prover& all_;
};

/// Proves the rules of the engines, one of each kind.
template <class Region>
void prove_binary(prover& all) {
  binary_prover<Region> rules{all};
  using std::int16_t, std::int8_t, std::uint8_t;
  namespace arm = q::executorch::arm;
  namespace says = published;
  rules.template prove_products<q::tflite::multiply<int8_t>>("tflite::multiply of int8", says::tflite_double);
  rules.template prove_sums<q::tflite::add<int8_t>>("tflite::add of int8", 20, says::tflite_double);
  if (has_long_steps<Region>) return;
  rules.template prove_sums<q::tflite::add<int16_t>>("tflite::add of int16", 15, says::tflite_double);
  rules.template prove_sums<q::tflite::subtract<uint8_t, q::tflite::single_rounding>>(
      "tflite::subtract of uint8, single rounding", 20, says::tflite_single);
  rules.template prove_sums<q::cmsis_nn::add<int16_t>>("cmsis_nn::add of int16", 15, says::cmsis_double);
  rules.template prove_sums<arm::add<int8_t>>("executorch::arm::add of int8", 0, says::tosa_single);
  rules.template prove_sums<arm::subtract<int16_t>>("executorch::arm::subtract of int16", 0, says::tosa_single);
  rules.template prove_products<q::tflite::multiply<int16_t, q::tflite::single_rounding>>(
      "tflite::multiply of int16, single rounding", says::tflite_single);
  rules.template prove_products<q::cmsis_nn::multiply<int8_t>>("cmsis_nn::multiply of int8", says::cmsis_double);
  rules.template prove_products<arm::multiply<int8_t>>("executorch::arm::multiply of int8", says::tosa_single);
  rules.template prove_products<q::tflite::multiply<uint8_t>>("tflite::multiply of uint8", says::tflite_double);
}

}  // namespace proof
