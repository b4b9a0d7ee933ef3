#pragma once
/// \file
/// The backends' vector_store classes, with the parts that claims use: their vectors and their functions that store.

#include "words.hpp"

namespace proof {

/// The zero point and bounds of outputs. They have enough bits for sums with values.
struct limits_of_output {
  term zero_point, min, max;
};
template <class Vector>
Vector in_all(const term& t) {
  return Vector::make(t.bits(), [&](int) { return t; });
}

/// Some vectors of values, stored side by side or interleaved. `run` stores the values that `load` returns for each vector.
/// @{
template <class Store, int Vectors, auto Known>
struct neighbours {
  static constexpr int vectors = Vectors;
  template <class Y, class Load>
  static void run(const Store& s, Y* y, const Load& load) {
    if constexpr (Vectors == 2)
      s.template store<Known>(y, load(0), load(1));
    else
      s.template store<Known>(y, load(0), load(1), load(2), load(3));
  }
  /// Returns the number of the value that becomes output i.
  static int place(int i) { return i; }
};
template <class Store>
struct single {
  static constexpr int vectors = 1;
  template <class Y, class Load>
  static void run(const Store& s, Y* y, const Load& load) {
    s.store_one(y, load(0));
  }
  static int place(int i) { return i; }
};
template <class Store, int Count, auto Known>
struct interleaved {
  static constexpr int vectors = 2;
  template <class Y, class Load>
  static void run(const Store& s, Y* y, const Load& load) {
    s.template store_interleaved<Known>(y, load(0), load(1));
  }
  static int place(int i) { return i % 2 * Count + i / 2; }
};
/// @}

/// The vector_store of requantize/store.inc, on x86 and NEON. Its vectors are its last members.
template <class Region, class Y>
struct packed_stores {
  using lanes = typename Region::lanes;
  using vector = typename Region::simd::vector;
  using store = typename Region::template store<Y>;
  using clamping = typename Region::clamping;

  static std::vector<vector> vectors_of(const limits_of_output& r) {
    constexpr int bits = static_cast<int>(8 * sizeof(Y));
    constexpr int zero_bits = sizeof(Y) == 1 ? 16 : 32;
    constexpr int bound_bits = std::is_same_v<Y, std::uint16_t> ? 32 : bits;
    constexpr bool clamps_first = sizeof(Y) > 1 && !(lanes::has_add_saturated32 && std::is_signed_v<Y>);
    const auto unshifted = [&](const term& t) {
      return in_all<vector>(clamps_first ? saturated(t - r.zero_point, 32) : number(32, 0));
    };
    return {in_all<vector>(wrapped(r.zero_point, zero_bits)), in_all<vector>(wrapped(r.min, bound_bits)),
            in_all<vector>(wrapped(r.max, bound_bits)), unshifted(r.min), unshifted(r.max)};
  }
  static char* begin_of_vectors(store& s) { return reinterpret_cast<char*>(&s) + sizeof(s) - 5 * sizeof(vector); }

  /// Calls use(name, way) for each way to store that is available.
  template <class Use>
  static void each_way(const store& s, const Use& use) {
    use("2 vectors", neighbours<store, 2, clamping::asked>{});
    use("4 vectors", neighbours<store, 4, clamping::asked>{});
    if (!s.packs_first()) return;
    use("2 vectors, packed first", neighbours<store, 2, clamping::when_packed>{});
    use("4 vectors, packed first", neighbours<store, 4, clamping::when_packed>{});
  }
};

/// The vector_store of mve/store.inc. Its vectors are its first members.
template <class Region, class Y>
struct helium_stores {
  using vector = typename Region::simd::vector;
  using store = typename Region::template store<Y>;
  using clamping = typename Region::clamping;
  static constexpr int count = Region::simd::count;

  static std::vector<vector> vectors_of(const limits_of_output& r) {
    constexpr int bound_bits = sizeof(Y) == 4 ? 32 : 16;
    const auto unshifted = [&](const term& t) { return in_all<vector>(saturated(t - r.zero_point, 32)); };
    const auto bound = [&](const term& t) { return in_all<vector>(wrapped(t, bound_bits)); };
    return {in_all<vector>(wrapped(r.zero_point, 32)),
            unshifted(r.min),
            unshifted(r.max),
            bound(r.min),
            bound(r.max),
            bound(r.zero_point)};
  }
  static char* begin_of_vectors(store& s) { return reinterpret_cast<char*>(&s); }

  template <class Use>
  static void each_way(const store& s, const Use& use) {
    use("a vector", single<store>{});
    use("interleaved", interleaved<store, count, clamping::asked>{});
    if (!s.packs_first()) return;
    use("interleaved, packed first", interleaved<store, count, clamping::when_packed>{});
    use("2 vectors, packed first", neighbours<store, 2, clamping::when_packed>{});
  }
};

}  // namespace proof
