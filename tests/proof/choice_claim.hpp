#pragma once
/// \file
/// The requantize variant that a backend's code chooses for the multipliers of some channels.
/// It is the cheapest variant that serves all of them. vector_claim.hpp proves what a variant stores for multipliers that it
/// serves.

#include "vector_claim.hpp"

namespace proof {

/// The multipliers that a variant serves: a mantissa of 0 or more, unless takes_any_sign, and a right shift in low .. high.
struct served {
  static constexpr int any = 1 << 20;
  bool takes_any_sign;
  int low, high;

  template <class Variant>
  static constexpr served by() {
    constexpr bool is_scaled = Variant::extra_bits != 0;
    return {!Variant::is_high_half, !Variant::is_high_half ? -any : is_scaled ? 17 : 33, is_scaled ? 46 : any};
  }
};
/// Returns the greatest shift with which the rounding can hold a zero point of `bits` bits.
template <class Variant>
constexpr int last_folding_shift(int bits) {
  return bits == 8 ? (Variant::extra_bits != 0 ? 37 : 53) : Variant::extra_bits != 0 ? 29 : 45;
}

/// Proves the choices of a region. Each claim has a run for each sequence of branches and for some numbers of channels.
template <class Region>
class choice_prover {
  static constexpr int count = Region::simd::count;
  static constexpr int branches = 3;
  static constexpr int max_channels = std::max(count + 1, 3);
  using general = typename Region::general;
  using high_half = typename Region::high_half;
  template <class Variant>
  using pre_scaled = typename Region::template pre_scaled<Variant>;
  template <class Variant>
  using over_int32s = typename Region::template over_int32s<Variant>;
  template <class Y, class Scheme>
  using channels = q::per_channel_output<Y, Scheme>;
  template <class Y, class Scheme>
  using arrays = q::per_channel_arrays_output<Y, Scheme>;

 public:
  choice_prover(prover& all, depth d) : all_{all}, depth_{d} {}

  void prove() {
    all_.prove_parts(std::string(Region::name) + ": the variant is the cheapest that serves the multipliers of all channels",
                     [&] {
                       using q::tflite::double_rounding;
                       using q::tosa::scale16;
                       using int8_of_31 = channels<std::int8_t, double_rounding>;
                       using int8_of_15 = channels<std::int8_t, scale16>;
                       using for_int32s = pre_scaled<high_half>;
                       std::vector<choice> choices = {
                           chooses<std::int32_t, int8_of_31, high_half, general>,
                           chooses<std::int32_t, channels<std::int16_t, double_rounding>, high_half, general>,
                           chooses<std::int32_t, arrays<std::int8_t, double_rounding>, high_half, general>,
                           chooses<std::int32_t, int8_of_15, for_int32s, pre_scaled<general>, general>,
                           chooses<std::int32_t, channels<std::int16_t, scale16>, for_int32s, pre_scaled<general>, general>,
                           chooses<std::int64_t, int8_of_15, high_half, general>,
                           asks<int8_of_31>,
                           asks<int8_of_15>,
                       };
                       if constexpr (Region::lanes::has_wide_products) {
                         using rounded_once = channels<std::int8_t, q::exact::half_up>;
                         choices.push_back(chooses<std::int32_t, rounded_once, over_int32s<high_half>, general>);
                         choices.push_back(chooses<std::int64_t, rounded_once, typename Region::wide_high_half, general>);
                         choices.push_back(asks<rounded_once>);
                       }
                       prove_choices(choices);
                     });
  }

 private:
  /// The multipliers of some channels. They begin with the output's second channel.
  template <class Output>
  struct multipliers {
    std::vector<term> m, t;
    Output out;
    int n;

    /// Returns a condition: the variant serves all multipliers.
    term are_served(const served& by, const term& later) const {
      term all = number(1, 1);
      for (int c = 0; c < n; ++c) {
        const auto i = static_cast<std::size_t>(c);
        if (!by.takes_any_sign) all = all & !is_negative(m[i]);
        all = all & at_least(t[i] + later, by.low) & at_most(t[i] + later, by.high);
      }
      return all;
    }
  };
  using choice = void (*)(question& ask, int n);
  void prove_choices(const std::vector<choice>& choices) {
    const int counts = depth_ == depth::every ? max_channels : 1;
    all_.prove_part("choices", counts * static_cast<int>(choices.size()) << branches, [=](question& ask, int run) {
      const int k = (run >> branches) % counts;
      machine::begin(ask);
      machine::present().decide_by(ask, run, branches);
      const int i = (run >> branches) / counts;
      choices[static_cast<std::size_t>(i)](ask, depth_ == depth::every ? k + 1 : i == 0 ? count + 1 : 3);
    });
  }
  /// Returns any mantissas, and shifts of 8 bits, in the memory of a claim.
  template <class Output>
  static multipliers<Output> inputs_of(question& ask, int n) {
    using scheme = typename Output::scheme;
    using value = typename Output::value_type;
    using multiplier = typename scheme::multiplier_type;
    multipliers<Output> all{{}, {}, {}, n};
    // Many drawn numbers are multipliers that some variant serves. With `kind` 0 they are any numbers.
    const term kind = ask.input("kind", 3);
    const auto is_kind = [&](int k) { return equal(kind, number(3, k)); };
    const auto near = [](const term& x, int least) { return extend_unsigned(extract(x, 3, 0), 8) + number(8, least); };
    static multiplier stored[std::size_t{max_channels + 1}];
    static std::int32_t mantissas[std::size_t{max_channels + 1}], shifts[std::size_t{max_channels + 1}];
    for (int c = 0; c < n; ++c) {
      const term any_m = ask.input("m" + std::to_string(c), static_cast<int>(8 * sizeof(multiplier::mantissa)));
      const term any_t = ask.input("t" + std::to_string(c), 8);
      const term magnitude = extend_unsigned(extract(any_m, any_m.bits() - 2, 0), any_m.bits());
      const term m = extend(select(is_kind(1) | is_kind(2), magnitude, any_m), 32);
      const term t = extend(select(is_kind(1), near(any_t, 33), select(is_kind(2) | is_kind(3), near(any_t, 17), any_t)), 32);
      constexpr bool is_left = !std::is_same_v<Output, channels<value, scheme>>;
      // A word stands for each shift, even if the shift is a number, because otherwise the shift would count as a constant of the
      // code. Another word stands for the right shift that scalar code computes from a left shift.
      const std::int32_t shift = 0x5C00'0000 + c;
      auto& stands_for = machine::present().stands_for;
      stands_for[static_cast<std::uint32_t>(shift)] = is_left ? number(32, 31) - t : t;
      if (is_left) stands_for[static_cast<std::uint32_t>(31 - shift)] = t;
      all.m.push_back(m), all.t.push_back(t);
      if constexpr (is_left)
        mantissas[c + 1] = static_cast<std::int32_t>(word_of(m)), shifts[c + 1] = shift;
      else
        stored[c + 1] = multiplier{mantissa_in_memory<multiplier>(m, c), shift};
    }
    if constexpr (std::is_same_v<Output, channels<value, scheme>>)
      all.out = Output{{stored, n + 1}, q::range_of<value>(1)};
    else
      all.out = Output{{mantissas, n + 1}, {shifts, n + 1}, q::range_of<value>(1)};
    return all;
  }

  template <class Accumulator, class Output, class... Variants>
  static void chooses(question& ask, int n) {
    const auto all = inputs_of<Output>(ask, n);
    const term later = ask.constant(32, 0);
    machine::present().asked = &ask;
    Region::template with_variant<Accumulator>(all.out, 1, n, [&](auto chosen, const auto& range) {
      using variant = typename decltype(chosen)::type;
      using formula = typename Output::scheme::formula_type;
      using value = typename Output::value_type;
      const int folded = Region::template folded_zero_point<variant, formula, value>(1, range);
      machine::present().asked = nullptr;
      constexpr bool can_fold =
          variant::template can_fold_zero_point<formula, value, typename variant::template accumulator<formula>>;
      const served by{true, -served::any, last_folding_shift<variant>(8 * static_cast<int>(sizeof(value)))};
      if (machine::present().is_way_of_another_run()) return;
      // A single condition for all inputs, because the branches depend on all inputs.
      ask.expect(is_cheapest<variant, Variants...>(all, later) &
                 equal(number(1, folded), can_fold ? all.are_served(by, later) : number(1, 0)));
    });
  }
  /// Returns a condition: the variant is the first in the list that is exact for the multipliers. The last variant is exact for
  /// all.
  template <class Variant, class First, class... Others, class Multipliers>
  static term is_cheapest(const Multipliers& all, const term& later) {
    const term is_first = number(1, std::is_same_v<Variant, First> ? 1 : 0);
    if constexpr (sizeof...(Others) == 0)
      return is_first;
    else
      return select(all.are_served(served::by<First>(), later), is_first, is_cheapest<Variant, Others...>(all, later));
  }
  /// The variant of sums of products.
  template <class Output>
  static void asks(question& ask, int n) {
    using variants = typename Region::template sums_variants<Output>;
    const auto all = inputs_of<Output>(ask, n);
    const term later = ask.constant(32, 0);
    machine::present().asked = &ask;
    const bool serves = variants::serves(variants::range(all.out, 1, n));
    machine::present().asked = nullptr;
    if (machine::present().is_way_of_another_run()) return;
    ask.expect(equal(number(1, serves ? 1 : 0), all.are_served(served::by<typename variants::cheapest>(), later)));
  }

  prover& all_;
  depth depth_;
};

}  // namespace proof
