#pragma once
/// \file
/// The outputs that a backend's epilogue stores, by its own code over modelled vectors.
/// Accumulators are in memory and multipliers in an output; outputs are stored in order.
/// Each output is the published result for its accumulator and multiplier, plus the zero point, clamped.

#include "published_schemes.hpp"
#include "store_claim.hpp"

/// Defines a type with the names of a backend's region.
#define DYADIC_PROOF_REGION(name_of_backend) DYADIC_PROOF_REGION_CALLED(name_of_backend, #name_of_backend)
#define DYADIC_PROOF_REGION_CALLED(name_of_backend, text)                                                   \
  struct name_of_backend##_region {                                                                         \
    static constexpr const char* name = text;                                                               \
    static constexpr int nr = dyadic::detail::over_##name_of_backend::nr;                                   \
    static constexpr int max_mr = dyadic::detail::over_##name_of_backend::simd::max_mr;                     \
    using simd = dyadic::detail::over_##name_of_backend::simd;                                              \
    using lanes = dyadic::detail::over_##name_of_backend::lanes;                                            \
    using general = dyadic::detail::over_##name_of_backend::general;                                        \
    using high_half = dyadic::detail::over_##name_of_backend::high_half;                                    \
    template <class Variant>                                                                                \
    using pre_scaled = dyadic::detail::over_##name_of_backend::pre_scaled<Variant>;                         \
    template <class Variant, class Output>                                                                  \
    using epilogue = dyadic::detail::over_##name_of_backend::vector_epilogue<Variant, Output>;              \
    template <class Accumulator>                                                                            \
    using tile = dyadic::detail::over_##name_of_backend::accumulator_tile<Accumulator>;                     \
    template <class Variant>                                                                                \
    using over_int32s = dyadic::detail::over_##name_of_backend::over_int32s<Variant>;                       \
    using wide_high_half = dyadic::detail::over_##name_of_backend::wide_high_half;                          \
    template <class Output>                                                                                 \
    using sums_variants = dyadic::detail::over_##name_of_backend::sums_variants<Output>;                    \
    template <class Accumulator, class Output, class Use>                                                   \
    static void with_variant(const Output& output, int first, int count, const Use& use) {                  \
      dyadic::detail::over_##name_of_backend::with_variant<Accumulator>(output, first, count, use);         \
    }                                                                                                       \
    template <class Variant, class Formula, class Y, class Range>                                           \
    static int folded_zero_point(int zero_point, const Range& m) {                                          \
      return dyadic::detail::over_##name_of_backend::folded_zero_point<Variant, Formula, Y>(zero_point, m); \
    }                                                                                                       \
    template <class Formula>                                                                                \
    using implementation = dyadic::detail::over_##name_of_backend::implementation<Formula>;                 \
    template <class Y>                                                                                      \
    using store = dyadic::detail::over_##name_of_backend::vector_store<Y>;                                  \
    using clamping = dyadic::detail::over_##name_of_backend::clamping;                                      \
    template <class Registers>                                                                              \
    static void store_from_registers(const Registers& store, const std::int32_t* x) {                       \
      using namespace dyadic::detail::over_##name_of_backend;                                               \
      using vectors = typename indices_below<nr / lanes::count>::type;                                      \
      typename lanes::int32s all[nr / lanes::count];                                                        \
      for (int i = 0; i < nr / lanes::count; ++i) all[i] = lanes::load_int32s(x + i * lanes::count);        \
      store(all, typename indices_below<1>::type{}, vectors{});                                             \
    }                                                                                                       \
    template <class Y>                                                                                      \
    static proof::term stored(const Y* y, int i) {                                                          \
      return proof::taken(y, static_cast<int>(8 * sizeof(Y)), i);                                           \
    }                                                                                                       \
  };

namespace proof {

/// An accumulator and its multiplier.
struct lane_inputs {
  term v;  ///< in the bits of the scheme's accumulator
  term m;
};

/// Lemmas about the products of instructions that split v and m.
/// @{
/// States v m = 2^16 h m + l m, for an m of 15 bits and v = 2^16 h + l of 32 bits.
inline void state_product_by_halves(question& ask, const term& v, const term& m) {
  const term high = product(extract(v, 31, 16), extract(m, 15, 0));
  const term low = product_unsigned(extract(v, 15, 0), extract(m, 15, 0));
  ask.lemma(equal(product(v, m), shift_left(extend(high, 64), 16) + extend_unsigned(low, 64)));
}
/// States the product of 64 bits from v = 2^32 h + l, modulo 2^64. Lower halves are equal for signed and unsigned factors.
inline void state_product_by_words(question& ask, const term& v, const term& m) {
  const term low = extract(v, 31, 0), high = extract(v, 63, 32), factor = extract(m, 31, 0);
  ask.lemma(equal(product_low(v, m), product_unsigned(low, factor) + shift_left(product_unsigned(high, factor), 32)));
  for (const term& part : {low, high}) ask.lemma(equal(product_low(part, factor), wrapped(product_unsigned(part, factor), 32)));
}
/// @}

/// Returns a mantissa as an integer of the output. A 16-bit mantissa has words for its stored, widened and 2^16-fold forms.
template <class Multiplier>
auto mantissa_in_memory(const term& m, int channel) {
  using mantissa = decltype(Multiplier::mantissa);
  if (m.is_number()) return static_cast<mantissa>(m.signed_value());
  const term low = wrapped(m, 32);
  if constexpr (sizeof(mantissa) == 4) {
    return static_cast<mantissa>(word_of(low));
  } else {
    const std::uint32_t stored = 0x5E00U + static_cast<std::uint32_t>(channel);
    machine::present().stands_for[stored] = low;
    machine::present().stands_for[stored << 16] = concat(wrapped(m, 16), number(16, 0));
    return static_cast<mantissa>(stored);
  }
}

/// Returns a zero point of outputs, which differs between runs.
template <class Y>
int zero_point_of(int run) {
  if (sizeof(Y) == 4) return 0;  // the stored value needs none
  constexpr int least = q::limits<Y>::min, most = q::limits<Y>::max;
  const int some[] = {most, least, 1, least < 0 ? -1 : most - 1, least + 1, 0, most / 3};
  return some[run % 7];
}

/// States lemmas about the products of a variant with accumulators in the width of v.
/// The variant multiplies the mantissa by 2^extra_bits.
template <class Scheme>
void state_lemmas_of_products(question& ask, const term& v, const term& m, int extra_bits, bool has_wide_products) {
  if (has_wide_products) {
    if (v.bits() == 64)
      state_product_of_int64(ask, v, m);
    else if (!is_multiplied_out(ask, v, m))
      ask.lemma(same(product(extend(v, 64), extend(m, 64)), product(v, m)));
  } else if (extra_bits != 0) {
    state_scaled_product(ask, v, m, extra_bits);
    ask.lemma(same(product(extend(v, 64), extend(m, 64)), product(v, m)));
    state_product_by_halves(ask, v, m);
  } else if (sizeof(typename Scheme::accumulator) == 8) {
    state_product_of_int48(ask, v, m);
    state_product_by_words(ask, v, m);
  }
}

/// Proves the outputs that the epilogues of a region store.
template <class Region>
class vector_prover {
  static constexpr int nr = Region::nr;
  static constexpr int one_in = std::min(nr, 8);  ///< in a sample, the solver decides one lane in `one_in` lanes
  static constexpr std::int32_t zero_point_word = 0x5D00'0001;

 public:
  vector_prover(prover& all, depth d) : all_{all}, depth_{d} {}

  /// Proves a scheme in each variant that its code has.
  template <class Scheme>
  void prove(const std::string& scheme_name, steps published) {
    using formula = typename Scheme::formula_type;
    if (!is_new<formula>(published)) return;
    const range shifts = shifts_of<Scheme>();
    all_.prove_parts(std::string(Region::name) + ": " + scheme_name + text_of(shifts), [&] {
      using general = typename Region::general;
      using high_half = typename Region::high_half;
      constexpr bool has_high_half = Region::template implementation<formula>::has_high_half;
      prove_both<general, Scheme, std::int32_t>("", shifts, published);
      if constexpr (sizeof(typename Scheme::accumulator) == 8) {
        prove_both<typename Region::template pre_scaled<general>, Scheme, std::int32_t>("int32 accumulators, ", {shifts.low, 46},
                                                                                        published);
        if constexpr (has_high_half) {
          prove_both<typename Region::template pre_scaled<high_half>, Scheme, std::int32_t>("high half of int32 accumulators, ",
                                                                                            {17, 46}, published);
          prove_both<high_half, Scheme, std::int32_t>("high half, ", {33, shifts.high}, published);
        }
      } else if constexpr (has_high_half) {
        prove_both<high_half, Scheme, std::int32_t>("high half, ", {33, shifts.high}, published);
        prove_both<high_half, Scheme, std::int8_t>("high half, zero point of int8, ", {33, 53}, published);
        prove_both<high_half, Scheme, std::int16_t>("high half, zero point of int16, ", {33, 45}, published);
      }
    });
  }
  /// Proves a scheme that rounds 95-bit products once and shifts no accumulator to the left.
  template <class Scheme>
  void prove_rounded_once(const std::string& scheme_name, steps published) {
    using over_int32s = typename Region::template over_int32s<typename Region::high_half>;
    const range shifts{33, shifts_of<Scheme>().high};
    all_.prove_parts(std::string(Region::name) + ": " + scheme_name + text_of(shifts), [&] {
      prove_both<typename Region::wide_high_half, Scheme, std::int32_t>("high half, ", shifts, published);
      prove_both<over_int32s, Scheme, std::int32_t>("high half of int32 accumulators, ", shifts, published);
      prove_both<over_int32s, Scheme, std::int8_t>("high half of these, zero point of int8, ", {33, 53}, published);
      prove_both<over_int32s, Scheme, std::int16_t>("high half of these, zero point of int16, ", {33, 45}, published);
    });
  }

 private:
  /// The place of the accumulators.
  enum class place { memory, registers };
  template <class Variant, class Scheme, class Y>
  void prove_both(const std::string& name, range shifts, steps published) {
    prove_channels<Variant, Scheme, Y>(name, shifts, published, place::memory);
    prove_tensor<Variant, Scheme, Y>(name, shifts, published, place::memory);
    if constexpr (Region::template epilogue<Variant, q::per_channel_output<Y, Scheme>>::runs_in_registers) {
      prove_channels<Variant, Scheme, Y>(name + "in registers, ", shifts, published, place::registers);
      prove_tensor<Variant, Scheme, Y>(name + "in registers, ", shifts, published, place::registers);
    }
  }
  template <class Variant, class Scheme>
  using accumulator = typename Variant::template accumulator<typename Scheme::formula_type>;
  template <class Scheme>
  static constexpr bool has_wide_products = Region::template implementation<typename Scheme::formula_type>::has_wide_products;
  /// True if the multipliers hold the zero point.
  template <class Variant, class Scheme, class Y>
  static constexpr bool folds =
      Variant::template can_fold_zero_point<typename Scheme::formula_type, Y, accumulator<Variant, Scheme>>;

  /// Proves multipliers per channel. Channel c of run r has a shift that no other run gives it.
  /// In a sample, the solver decides only one of several channels.
  template <class Variant, class Scheme, class Y>
  void prove_channels(const std::string& name, range shifts, steps published, place from) {
    const int count = shifts.high - shifts.low + 1;
    const int step = (count + nr - 1) / nr;
    const auto shift_of = [=](int run, int channel) { return shifts.low + (run + channel * step) % count; };
    all_.prove_part(name + "per channel", depth_ == depth::every ? count : std::max(1, one_in * step / nr / 2),
                    [=](question& ask, int run) {
                      using multiplier = typename Scheme::multiplier_type;
                      machine::begin(ask);
                      const auto inputs = inputs_of<Variant, Scheme>(ask, nr);
                      multiplier stored[std::size_t{nr}] = {};
                      for (int c = 0; c < nr; ++c)
                        stored[c] = {mantissa_in_memory<multiplier>(at(inputs, c).m, c), shift_of(run, c)};
                      using output = q::per_channel_output<Y, Scheme>;
                      std::int32_t zero_point = zero_point_of<Y>(run);
                      term z = number(32, zero_point);
                      if (folds<Variant, Scheme, Y>) {
                        z = extend(ask.input("z", static_cast<int>(8 * sizeof(Y))), 32);
                        zero_point = zero_point_word;
                        machine::present().stands_for[zero_point_word] = z;
                      }
                      const output out{q::view<const multiplier>(stored, nr), q::range_of<Y>(zero_point)};
                      const int later = static_cast<int>(ask.constant(32, 0).value());
                      const int next = static_cast<int>(ask.constant(32, 0).value());
                      alignas(64) Y y[std::size_t{nr}] = {};
                      run_epilogue<Variant, Scheme>(ask, out, inputs, folds<Variant, Scheme, Y> ? zero_point : 0, from, y);
                      for (int c = 0; c < nr; ++c)
                        if (depth_ == depth::every || !ask.is_about_symbols() || c % one_in == 3 * run % one_in)
                          expect<Variant, Scheme, Y>(ask, at(inputs, c), at(inputs, (c + next) % nr), shift_of(run, c) + later,
                                                     published, z, y, c);
                    });
  }
  /// Proves a multiplier per tensor. All lanes of a run have one shift, and one lane or all are checked.
  /// A sample has some shifts, including the ends.
  template <class Variant, class Scheme, class Y>
  void prove_tensor(const std::string& name, range shifts, steps published, place from) {
    const int last = shifts.high - shifts.low;
    const int stride = depth_ == depth::every ? 1 : 31;
    all_.prove_part(name + "per tensor", (last + stride - 1) / stride + 1, [=](question& ask, int run) {
      using multiplier = typename Scheme::multiplier_type;
      machine::begin(ask);
      auto inputs = inputs_of<Variant, Scheme>(ask, 1);
      for (int i = 1; i < nr; ++i)
        inputs.push_back(
            {extend(ask.input("v" + std::to_string(i), v_bits<Variant, Scheme>), v_bits_stored<Variant, Scheme>), inputs[0].m});
      const int t = shifts.low + std::min(run * stride, last);
      // Scalar code computes with the zero point when it prepares parameters, so the zero point is a number, another in each run.
      const int z = zero_point_of<Y>(run);
      using output = q::per_tensor_output<Y, Scheme>;
      const output out{multiplier{mantissa_in_memory<multiplier>(inputs[0].m, 0), t}, q::range_of<Y>(z)};
      const int later = static_cast<int>(ask.constant(32, 0).value());
      const int next = static_cast<int>(ask.constant(32, 0).value());
      alignas(64) Y y[std::size_t{nr}] = {};
      run_epilogue<Variant, Scheme>(ask, out, inputs, folds<Variant, Scheme, Y> ? z : 0, from, y);
      for (int c = 0; c < nr; ++c)
        if (depth_ == depth::every || !ask.is_about_symbols() || c == run % nr)
          expect<Variant, Scheme, Y>(ask, at(inputs, c), at(inputs, (c + next) % nr), t + later, published, number(32, z), y, c);
    });
  }
  static const lane_inputs& at(const std::vector<lane_inputs>& all, int i) { return all[static_cast<std::size_t>(i)]; }
  template <class Variant, class Scheme>
  static constexpr int v_bits_stored = static_cast<int>(8 * sizeof(accumulator<Variant, Scheme>));
  template <class Variant, class Scheme>
  static constexpr int v_bits = v_bits_stored<Variant, Scheme> == 32 ? 32 : q::detail::accumulator_bits<Scheme>::value;

  template <class Variant, class Scheme>
  static std::vector<lane_inputs> inputs_of(question& ask, int count) {
    constexpr int bits = v_bits_stored<Variant, Scheme>;
    constexpr int mantissa_bits = static_cast<int>(8 * sizeof(typename Scheme::multiplier_type::mantissa_type)) -
                                  (takes_negative_mantissas<Scheme>() && !Variant::is_high_half ? 0 : 1);
    std::vector<lane_inputs> all;
    for (int i = 0; i < count; ++i) {
      const std::string of = std::to_string(i);
      const term m = ask.factor("m" + of, mantissa_bits);
      const bool has_sign = mantissa_bits % 8 == 0;
      all.push_back(
          {extend(ask.input("v" + of, v_bits<Variant, Scheme>), bits), has_sign ? extend(m, bits) : extend_unsigned(m, bits)});
    }
    return all;
  }
  template <class Variant, class Scheme, class Output, class Y>
  static void run_epilogue(question& ask, const Output& out, const std::vector<lane_inputs>& inputs, std::int32_t folded,
                           [[maybe_unused]] place from, Y* y) {
    using epilogue = typename Region::template epilogue<Variant, Output>;
    typename Region::template tile<accumulator<Variant, Scheme>> tile{};
    tile.rows = 1;
    for (int i = 0; i < nr; ++i) put(&tile.accumulators[0][i], at(inputs, i).v);
    const q::index_t offset[Region::max_mr] = {};
    const epilogue e{out, 0, nr, folded};
    // Constants of the code count for int32 outputs only, because shorter outputs have the same ones.
    // If each shift is 31 or more, general code saturates nothing, and its constants do not count.
    const bool saturates_nothing = !Variant::is_high_half && shifts_of<Scheme>().low >= 31;
    machine::present().asked = sizeof(Y) == 4 && !saturates_nothing ? &ask : nullptr;
    if constexpr (epilogue::runs_in_registers)
      if (from == place::registers && e.meets_registers()) {
        Region::store_from_registers(typename epilogue::of_registers{e, offset, 0, y}, tile.accumulators[0]);
        machine::present().asked = nullptr;
        return;
      }
    q::index_t stored = 0;
    if constexpr (epilogue::runs_by_rows && Variant::is_high_half && sizeof(Y) < 4)
      if (q::detail::is_per_tensor<Output>) stored = e.store_row(tile.accumulators[0], nr, y);  // otherwise accumulators of tiles
    if (stored != nr) e.store(tile, offset, 0, 0, nr, y, typename epilogue::vectors{});
    machine::present().asked = nullptr;
  }
  template <class Variant, class Scheme, class Y>
  static void expect(question& ask, const lane_inputs& own, const lane_inputs& meant, int t, steps published, const term& z,
                     const Y* y, int c) {
    constexpr int bits = bits_of<typename Scheme::accumulator>;
    const term v = extend(meant.v, bits), m = extend(own.m, bits);
    state_lemmas_of_products<Scheme>(ask, meant.v, own.m, Variant::extra_bits, has_wide_products<Scheme>);
    const term sum = extend(published(v, m, t), 128) + extend(z, 128);
    const term stored = Region::stored(y, c);
    ask.expect(equal(stored, saturated(sum, stored.bits())));
  }
  template <class Accumulator>
  static constexpr int bits_of = static_cast<int>(8 * sizeof(Accumulator));

  prover& all_;
  depth depth_;
};

}  // namespace proof
