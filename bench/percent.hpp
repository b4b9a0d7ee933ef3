#pragma once
/// \file
/// Percentages in tables.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

namespace bench {

/// Formats a share in percent, with two digits. `below` stands for a share of 0, which is not known to be 0 for all inputs.
inline std::string in_percent(double share, const char* below = "<0.0001") {
  if (share <= 0) return below;
  char text[32];
  std::snprintf(text, sizeof text, "%.*f", std::max(0, 1 - static_cast<int>(std::floor(std::log10(100 * share)))), 100 * share);
  return text;
}

}  // namespace bench
