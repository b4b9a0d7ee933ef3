#pragma once
/// \file
/// The outputs of layers that are compiled for size, by a backend's code over modelled vectors.
/// The code computes outputs in the high-half variant if the variant is exact for all channels, else in portable code.
/// schemes_proof.cpp proves that portable code is as published.

#include "vector_claim.hpp"

namespace proof {

/// A scheme whose portable code is replaced by its published steps.
template <class Scheme>
struct published_in_portable_code : Scheme {
  static inline steps published = nullptr;

  static std::int64_t finish(typename Scheme::accumulator acc, typename Scheme::multiplier_type m, q::output_range) {
    constexpr int bits = static_cast<int>(8 * sizeof(acc));
    const auto low = term_of(static_cast<std::uint32_t>(acc));
    const term v = bits == 32 ? low : concat(term_of(static_cast<std::uint32_t>(std::int64_t{acc} >> 32)), low);
    const term mantissa = term_of(static_cast<std::uint32_t>(std::int32_t{m.mantissa}));
    return static_cast<std::int32_t>(word_of(saturated(published(v, extend(mantissa, bits), m.right_shift), 32)));
  }
};

template <class Formula>
struct finish_of;
/// Calls `finish_in_variant` of a region for a vector of channels and one more channel. Runs differ in the right shift of the
/// last channel.
template <class Region>
class finish_prover {
  static constexpr int count = Region::simd::count;
  static constexpr int channels = count + 1;
  static constexpr int branches = channels / count;  ///< one for each whole vector

 public:
  finish_prover(prover& all, depth d) : all_{all}, depth_{d} {}

  template <class Scheme>
  void prove(const std::string& scheme_name, steps steps_of_scheme) {
    using formula = typename Scheme::formula_type;
    if constexpr (Region::template has_compact_variant<q::per_channel_output<std::int32_t, Scheme>>()) {
      if (!is_new<finish_of<formula>>(steps_of_scheme)) return;
      const range shifts = shifts_of<Scheme>();
      constexpr bool is_wide = sizeof(typename Scheme::accumulator) == 8;
      const std::vector<int> some = is_wide ? std::vector<int>{16, 17, 46, 47} : std::vector<int>{32, 33, shifts.high};
      const int runs = depth_ == depth::every ? shifts.high - shifts.low + 1 : static_cast<int>(some.size());
      all_.prove_parts(std::string(Region::name) + ": for size: " + scheme_name, [&] {
        all_.prove_part("sums", runs << branches, [=](question& ask, int run) {
          const int i = run >> branches;
          const int t = depth_ == depth::every ? shifts.low + i : some[static_cast<std::size_t>(i)];
          says<Scheme>(ask, std::min(t, shifts.high), run, steps_of_scheme);
        });
      });
    }
  }

 private:
  template <class Scheme>
  static void says(question& ask, int t, int run, steps published) {
    using scheme = published_in_portable_code<Scheme>;
    using multiplier = typename Scheme::multiplier_type;
    using accumulator = typename Scheme::accumulator;
    using output = q::per_channel_output<std::int32_t, scheme>;
    constexpr int bits = static_cast<int>(8 * sizeof(accumulator));
    machine::begin(ask);
    machine::present().decide_by(ask, run, branches);
    scheme::published = published;
    multiplier stored[std::size_t{channels}] = {};
    alignas(64) accumulator sums[std::size_t{channels}] = {};
    std::vector<term> v, m;
    for (int c = 0; c < channels; ++c) {
      const std::string of = std::to_string(c);
      m.push_back(extend(ask.factor("m" + of, static_cast<int>(8 * sizeof(multiplier::mantissa))), 32));
      v.push_back(ask.input("v" + of, 32));
      if (bits == 64) v.back() = concat(ask.input("h" + of, 32), v.back());
      put(&sums[c], v.back());
      stored[c] = {mantissa_in_memory<multiplier>(m.back(), c), t};
    }
    const output out{q::view<const multiplier>(stored, channels), q::range_of<std::int32_t>(0)};
    std::int32_t y[std::size_t{channels}] = {};
    // The code's own constants are not changed: most changes select portable code sooner, which is not wrong.
    Region::template finish_in_variant<output>(&out, sums, channels, y);
    // A single condition for all lanes, because the branch depends on all lanes.
    const int later = static_cast<int>(ask.constant(32, 0).value());
    const int next = static_cast<int>(ask.constant(32, 0).value());
    term all = number(1, 1);
    for (int c = 0; c < channels; ++c) {
      const auto own = static_cast<std::size_t>(c), meant = static_cast<std::size_t>((c + next) % channels);
      const term low = wrapped(v[own], 32);
      if constexpr (bits == 64) {
        state_scaled_product(ask, low, m[own], 16);
        ask.lemma(same(product(extend(low, 64), extend(m[own], 64)), product(low, m[own])));
      }
      all = all & equal(taken(y, 32, c), saturated(published(v[meant], extend(m[own], bits), t + later), 32));
    }
    ask.expect(all);
  }

  prover& all_;
  depth depth_;
};

}  // namespace proof
