#pragma once
/// \file
/// The outputs that are stored for the scheme `fused`: the scheme's operations on binary32s, in its order, for each accumulator.
/// The solver knows only the sign of a converted integer, so that the claim holds for all accumulators, scales and addends.
/// Scalar code is also compared, for numbers.

#include <dyadic/proved.hpp>

#include "vector_claim.hpp"

namespace proof {

/// The three numbers of a multiplier, as bits.
struct fused_bits {
  term high, low, addend;
};

/// Proves the epilogues of a region with lanes of binary32s.
/// An epilogue reads three arrays, as `prove_epilogue` makes them, or takes a scheme like other schemes.
template <class Region>
class fused_prover {
  static constexpr int nr = Region::nr;
  using general = typename Region::general;

 public:
  fused_prover(prover& all, depth d) : all_{all}, depth_{d} {}

  void prove() {
    all_.prove_parts(std::string(Region::name) +
                         ": fused is fl32(f * high + fl32(f * low + c)) without its fraction, whatever these operations give",
                     [&] {
                       prove_part<q::fused_output<std::int8_t>>("int8, arrays");
                       prove_part<q::fused_output<std::uint8_t>>("uint8, arrays");
                       prove_part<q::per_channel_output<std::int16_t, q::fused>>("int16, per channel");
                       prove_part<q::per_tensor_output<std::int16_t, q::fused>>("int16, per tensor");
                     });
  }

 private:
  template <class Output>
  static constexpr bool is_shared = std::is_same_v<Output, q::per_tensor_output<typename Output::value_type, q::fused>>;

  /// Proves accumulators in memory and in registers, in alternate runs.
  template <class Output>
  void prove_part(const std::string& name) {
    all_.prove_part(name, depth_ == depth::every ? 14 : 2, [=](question& ask, int run) { says<Output>(ask, run, depth_); });
  }
  /// Returns fl32(f * high + fl32(f * low + c)) without its fraction, where f = fl32(v) and c is the addend with the sign of v.
  static term published(const term& v, const fused_bits& m) {
    const term f = binary32_of(v), c = m.addend ^ select(is_negative(v), power(32, 31), number(32, 0));
    return converted(multiply_add(f, m.high, multiply_add(f, m.low, c)));
  }
  /// Returns any bits. Half of the drawn numbers are a valid multiplier.
  static fused_bits inputs_of(question& ask, int i) {
    const std::string of = std::to_string(i);
    const term is_valid = ask.input("kind", 1);
    const term h = ask.input("h" + of, 32), l = ask.input("l" + of, 32), c = ask.input("c" + of, 31);
    const auto bits = [](const term& t, int high, int low) { return extend_unsigned(extract(t, high, low), 8); };
    const term exponent = number(8, 105) + bits(h, 26, 23) + bits(h, 28, 27);
    const auto number_with = [](const term& sign, const term& e, const term& x) {
      return concat(concat(sign, e), extract(x, 22, 0));
    };
    const term zero = number(1, 0);
    return {select(is_valid, number_with(zero, exponent, h), h),
            select(is_valid, number_with(is_negative(l), exponent - number(8, 24) - bits(l, 25, 23), l), l),
            select(is_valid, number_with(zero, number(8, 125) + bits(c, 23, 23), c), concat(zero, c))};
  }
  static q::binary32 in_memory(const term& t) { return q::binary32::from_bits(word_of(t)); }

  template <class Output>
  static void says(question& ask, int run, depth d) {
    using value = typename Output::value_type;
    machine::begin(ask);
    std::vector<term> v;
    std::vector<fused_bits> m;
    q::binary32 arrays[std::size_t{3 * nr}];
    q::fused_multiplier multipliers[std::size_t{nr}];
    alignas(64) std::int32_t accumulators[std::size_t{nr}];
    for (int i = 0; i < nr; ++i) {
      v.push_back(ask.input("v" + std::to_string(i), 32));
      m.push_back(is_shared<Output> && i > 0 ? m[0] : inputs_of(ask, i));
      multipliers[i] = {in_memory(m.back().high), in_memory(m.back().low), in_memory(m.back().addend)};
      arrays[i] = multipliers[i].high, arrays[nr + i] = multipliers[i].low, arrays[2 * nr + i] = multipliers[i].addend;
      put(accumulators + i, v.back());
    }
    constexpr int least = q::limits<value>::min, most = q::limits<value>::max;
    const int zero_points[] = {most, least, 1, -1, least + 1, 0, most / 3};
    const int z = zero_points[run / 2 % 7];
    const auto output = [&] {
      if constexpr (std::is_same_v<Output, q::fused_output<value>>)
        return Output{{arrays, 3 * nr}, q::range_of<value>(z)};
      else if constexpr (is_shared<Output>)
        return Output{multipliers[0], q::range_of<value>(z)};
      else
        return Output{q::view<const q::fused_multiplier>(multipliers, nr), q::range_of<value>(z)};
    };
    const Output out = output();
    alignas(64) value y[std::size_t{nr}] = {};
    run_epilogue(ask, out, accumulators, run % 2 != 0, y);

    const term more = number(34, z) + ask.constant(34, 0);
    const int next = static_cast<int>(ask.constant(32, 0).value());
    for (int i = 0; i < nr; ++i) {
      if (d == depth::sample && ask.is_about_symbols() && i % 8 != run % 8) continue;
      const auto own = static_cast<std::size_t>(i), meant = static_cast<std::size_t>((i + next) % nr);
      const term rescaled = published(v[meant], m[own]);
      const term stored = Region::stored(y, i);
      const term clamped_sum = max(min(extend(rescaled, 34) + more, number(34, most)), number(34, least));
      ask.expect(equal(stored, wrapped(clamped_sum, stored.bits())));
      if (!ask.is_about_symbols() && q::fused::valid(multipliers[own]))
        ask.expect(number(
            1, q::requantize<q::fused>(accumulators[meant], multipliers[own], out.range) == static_cast<value>(stored.value())
                   ? 1
                   : 0));
    }
  }
  template <class Output, class Y>
  static void run_epilogue(question& ask, const Output& out, const std::int32_t* accumulators, bool in_registers, Y* y) {
    using epilogue = typename Region::template epilogue<general, Output>;
    const q::index_t offset[Region::max_mr] = {};
    const epilogue e{out, 0, nr};
    machine::present().asked = &ask;
    if (in_registers) {
      Region::store_from_registers(typename epilogue::of_registers{e, offset, 0, y}, accumulators);
    } else {
      typename Region::template tile<std::int32_t> tile{};
      tile.rows = 1;
      std::memcpy(tile.accumulators[0], accumulators, sizeof(tile.accumulators[0]));
      e.store(tile, offset, 0, 0, nr, y, typename epilogue::vectors{});
    }
    machine::present().asked = nullptr;
  }

  prover& all_;
  depth depth_;
};

}  // namespace proof
