#pragma once
/// \file
/// The outputs of a backend's vector_store: clamp(value + zero_point, min, max) of each value, in order.
/// The claim holds for all values, zero points and bounds.

#include "stores.hpp"

namespace proof {

/// The shifts for which each lane is proved.
enum class depth {
  sample,  ///< some lanes with some shifts, each lane of the narrowest vectors with one
  every    ///< each shift in each lane
};

/// The kinds of ranges that a vector_store distinguishes.
enum class range_kind { any, centred, whole };

template <class Region, class Y, class Stores>
class store_prover {
  using simd = typename Region::simd;
  using lanes = typename Region::lanes;
  using vector = typename simd::vector;
  using store = typename Region::template store<Y>;
  static constexpr int bits = static_cast<int>(8 * sizeof(Y));
  static constexpr int wide = 34;
  static constexpr dyadic::output_range ranges[] = {{1, dyadic::limits<Y>::min + 1, dyadic::limits<Y>::max - 1},
                                                    {0, dyadic::limits<Y>::min + 1, dyadic::limits<Y>::max - 1},
                                                    dyadic::range_of<Y>()};

 public:
  static void prove(prover& all, depth d) {
    for (const range_kind kind : {range_kind::any, range_kind::centred, range_kind::whole}) {
      // For int32 outputs zero points are numbers, one in each run, because the solver does not decide a sum of symbols.
      const int runs = sizeof(Y) == 4 && kind == range_kind::any ? 3 : 1;
      Stores::each_way(store{ranges[static_cast<int>(kind)]}, [&](const std::string& name, auto way) {
        all.prove_part(name + ", range " + std::to_string(static_cast<int>(kind)), runs,
                       [=](question& ask, int run) { says<decltype(way)>(ask, kind, d, run); });
      });
    }
  }

 private:
  template <class Way>
  static void says(question& ask, range_kind kind, depth d, int run) {
    machine::begin(ask);
    const dyadic::output_range& numbers_of = ranges[static_cast<int>(kind)];
    store s{numbers_of};
    // The vectors of a store: its constructor makes them from a range of numbers, and the claim makes them from symbols.
    limits_of_output r{number(wide, numbers_of.zero_point), number(wide, numbers_of.min), number(wide, numbers_of.max)};
    const auto made = Stores::vectors_of(r);
    const std::size_t bytes = made.size() * sizeof(vector);
    if (std::memcmp(Stores::begin_of_vectors(s), made.data(), bytes) != 0) refuse("a vector_store has other members");

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
    std::memcpy(Stores::begin_of_vectors(s), Stores::vectors_of(r).data(), bytes);

    constexpr int total = Way::vectors * simd::count;
    alignas(64) std::int32_t memory[std::size_t{total}];
    std::vector<term> x;
    for (int i = 0; i < total; ++i) {
      x.push_back(ask.input("x" + std::to_string(i), 32));
      put(memory + i, x.back());
    }
    alignas(64) Y y[std::size_t{total}] = {};
    machine::present().asked = nullptr;
    Way::run(s, y, [&](int i) { return lanes::load_int32s(memory + i * simd::count); });

    const term more = ask.constant(wide, 0);
    const int next = static_cast<int>(ask.constant(32, 0).value());
    for (int i = 0; i < total; ++i) {
      // A sample has one lane of each vector, and another lane of the next vector.
      if (d == depth::sample && ask.is_about_symbols() && i % simd::count != i / simd::count) continue;
      const term sum = extend(x[static_cast<std::size_t>(Way::place((i + next) % total))], wide) + r.zero_point + more;
      ask.expect(equal(taken(y, bits, i), wrapped(max(min(sum, r.max), r.min), bits)));
    }
  }
};

/// Proves the stores of all output types.
template <class Region, template <class AnyRegion, class Y> class Stores, class... Y>
void prove_stores(prover& all, depth d, std::initializer_list<const char*> names) {
  auto name = names.begin();
  const auto prove = [&](auto y) {
    using value = decltype(y);
    all.prove_parts(std::string(Region::name) + ": outputs " + *name++ + " are clamp(value + zero point, min, max)",
                    [&] { store_prover<Region, value, Stores<Region, value>>::prove(all, d); });
  };
  (prove(Y{}), ...);
}
template <class Region, template <class AnyRegion, class Y> class Stores>
void prove_stores(prover& all, depth d) {
  prove_stores<Region, Stores, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t>(
      all, d, {"int8", "uint8", "int16", "uint16", "int32"});
}

}  // namespace proof
