#pragma once
/// \file
/// Multipliers of any scheme, valid or not, at which something wraps, saturates or ties.

#include <dyadic/scheme/onednn.hpp>

#include <type_traits>
#include <vector>

#include "random.hpp"

namespace support {

namespace q = dyadic;

inline std::vector<float> scales() {
  return {0x1p-8f, 0x1.fffffep-4f, 0x1.555556p-3f, 1.0f, 0x1.8p7f, -0x1.4p-5f, -3.0f, 0.0f, 0x1p-140f, 0x1p127f, 0x1.fffffep126f};
}

/// Returns multipliers of a type, valid or not: those at which something wraps or saturates, and random ones.
template <class M>
std::vector<M> multipliers() {
  std::vector<M> all;
  if constexpr (std::is_same_v<M, q::onednn::scales>) {
    for (const float s : scales()) {
      all.insert(all.end(),
                 {{s, 1.0f, 1.0f}, {1.0f, s, -2.0f}, {0x1p120f, s, 0.0f}, {0x1p100f, 0x1p27f, s}, {0x1p120f, 0.0f, s}});
    }
  } else if constexpr (std::is_same_v<M, q::binary32> || std::is_same_v<M, q::binary64>) {
    for (const float s : scales()) all.push_back(s);
    if constexpr (std::is_same_v<M, q::binary64>) all.insert(all.end(), {1e300, -1e-300, 0x1.0000000000001p-20});
  } else {
    using mantissa_type = typename M::mantissa_type;
    constexpr auto least = q::limits<mantissa_type>::min, most = q::limits<mantissa_type>::max;
    const int bits = q::limits<mantissa_type>::digits;
    random_bits random;
    for (const int t : {1, 2, 7, 8, 15, 16, 17, 22, 24, 29, 30, 31, 32, 33, 40, 46, 55, 62, 63}) {
      for (const int m : {0, 1, 1 << (bits - 1), (1 << (bits - 1)) + 1, int{most}, int{least}, int{least} + 1, -5, (1 << 14) + 3,
                          (1 << 14) - 1})
        all.push_back({static_cast<mantissa_type>(m), t});
      all.push_back({static_cast<mantissa_type>(random.integer(bits)), t});
    }
  }
  return all;
}

}  // namespace support
