#pragma once
/// \file
/// What vector_store stores of requantize/store.inc, on x86 and NEON: clamp(value + zero_point, min, max) of each value, in its
/// order; for all values, zero points and bounds.

#include "words.hpp"

namespace proof {

/// Of which shifts each lane is proved.
enum class depth {
  sample,  ///< each lane with some shift, and each shift in some lane of the narrowest vectors
  every    ///< each shift in each lane
};

/// What is known of a range when it stores.
enum class range_kind { any, centred, whole };

template <class Region, class Y, int Vectors>
class store_prover {
  using simd = typename Region::simd;
  using lanes = typename Region::lanes;
  using vector = typename simd::vector;
  using store = typename Region::template store<Y>;
  using clamping = typename Region::clamping;
  static constexpr int total = Vectors * simd::count;
  static constexpr int bits = static_cast<int>(8 * sizeof(Y));
  static constexpr int wide = 34;
  static constexpr dyadic::output_range ranges[] = {{1, dyadic::limits<Y>::min + 1, dyadic::limits<Y>::max - 1},
                                                    {0, dyadic::limits<Y>::min + 1, dyadic::limits<Y>::max - 1},
                                                    dyadic::range_of<Y>()};

 public:
  static void prove(prover& all, depth d) {
    for (const range_kind kind : {range_kind::any, range_kind::centred, range_kind::whole}) {
      const std::string name = std::to_string(Vectors) + " vectors, range " + std::to_string(static_cast<int>(kind));
      // Of int32 a sum of symbols is beyond the solver: zero points are numbers, one in each run.
      const int runs = sizeof(Y) == 4 && kind == range_kind::any ? 3 : 1;
      all.prove_part(name, runs, [=](question& ask, int run) { says<clamping::asked>(ask, kind, d, run); });
      if (store{ranges[static_cast<int>(kind)]}.packs_first())
        all.prove_part(name + ", packed first", 1, [=](question& ask, int) { says<clamping::when_packed>(ask, kind, d, 0); });
    }
  }

 private:
  /// Zero point and bounds, in bits that hold their sums with values.
  struct limits_of_output {
    term zero_point, min, max;
  };
  /// An object's vectors, which are its last members: what its constructor makes of a range of numbers, and the same of symbols.
  static std::vector<vector> vectors_of(const limits_of_output& r) {
    constexpr int zero_bits = sizeof(Y) == 1 ? 16 : 32;
    constexpr int bound_bits = std::is_same_v<Y, std::uint16_t> ? 32 : bits;
    constexpr bool clamps_first = sizeof(Y) > 1 && !(lanes::has_add_saturated32 && std::is_signed_v<Y>);
    const auto all = [](const term& t) { return vector::make(t.bits(), [&](int) { return t; }); };
    const auto unshifted = [&](const term& t) { return all(clamps_first ? saturated(t - r.zero_point, 32) : number(32, 0)); };
    return {all(wrapped(r.zero_point, zero_bits)), all(wrapped(r.min, bound_bits)), all(wrapped(r.max, bound_bits)),
            unshifted(r.min), unshifted(r.max)};
  }
  static char* begin_of_vectors(store& s) { return reinterpret_cast<char*>(&s) + sizeof(s) - 5 * sizeof(vector); }

  template <clamping Known>
  static void says(question& ask, range_kind kind, depth d, int run) {
    machine::begin(ask);
    const dyadic::output_range& numbers_of = ranges[static_cast<int>(kind)];
    store s{numbers_of};
    limits_of_output r{number(wide, numbers_of.zero_point), number(wide, numbers_of.min), number(wide, numbers_of.max)};
    const auto made = vectors_of(r);
    if (std::memcmp(begin_of_vectors(s), made.data(), 5 * sizeof(vector)) != 0) refuse("a vector_store has other members");

    const auto value = [&](const char* name) {
      const term t = ask.input(name, bits);
      return std::is_signed_v<Y> ? extend(t, wide) : extend_unsigned(t, wide);
    };
    constexpr integer some[] = {1, dyadic::int32_min, dyadic::int32_max};
    if (kind == range_kind::any) r.zero_point = sizeof(Y) == 4 ? number(wide, some[run]) : value("z");
    if (kind != range_kind::whole) {
      r.min = value("min");
      r.max = value("max");
      ask.require(!less(r.max, r.min));
    }
    const auto symbols = vectors_of(r);
    std::memcpy(begin_of_vectors(s), symbols.data(), 5 * sizeof(vector));

    alignas(64) std::int32_t memory[std::size_t{total}];
    std::vector<term> x;
    for (int i = 0; i < total; ++i) {
      x.push_back(ask.input("x" + std::to_string(i), 32));
      put(memory + i, x.back());
    }
    const auto load = [&](int i) { return lanes::load_int32s(memory + i * simd::count); };
    alignas(64) Y y[std::size_t{total}] = {};
    machine::present().asked = nullptr;
    if constexpr (Vectors == 2)
      s.template store<Known>(y, load(0), load(1));
    else
      s.template store<Known>(y, load(0), load(1), load(2), load(3));

    const term more = ask.constant(wide, 0);
    const int next = static_cast<int>(ask.constant(32, 0).value());
    constexpr int stride = total / 4;  // a sample has a lane of each quarter
    for (int i = 0; i < total; ++i) {
      if (d == depth::sample && ask.is_about_symbols() && i % stride != i / stride % stride) continue;
      const term sum = extend(x[static_cast<std::size_t>((i + next) % total)], wide) + r.zero_point + more;
      ask.expect(equal(taken(y, bits, i), wrapped(max(min(sum, r.max), r.min), bits)));
    }
  }
};

/// For all types of outputs.
template <class Region, class... Y>
void prove_stores(prover& all, depth d, std::initializer_list<const char*> names) {
  auto name = names.begin();
  const auto prove = [&](auto y) {
    using value = decltype(y);
    all.prove_parts(std::string(Region::name) + ": outputs " + *name++ + " are clamp(value + zero point, min, max)", [&] {
      store_prover<Region, value, 2>::prove(all, d);
      store_prover<Region, value, 4>::prove(all, d);
    });
  };
  (prove(Y{}), ...);
}
template <class Region>
void prove_stores(prover& all, depth d) {
  prove_stores<Region, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t>(
      all, d, {"int8", "uint8", "int16", "uint16", "int32"});
}

}  // namespace proof
