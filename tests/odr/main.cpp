// odr [PART...]: runs all parts that this machine can run, except the named parts. Each part must give the results of the first
// part, which needs nothing above the baseline. The linker has merged the functions that parts share.

#include "part.hpp"

#include <dyadic/cpu.hpp>

#include <algorithm>
#include <cstdio>
#include <string>

namespace odr {
#define ODR_PART(name) extern const part name;
#include ODR_PARTS
#undef ODR_PART

const part* const parts[] = {
#define ODR_PART(name) &name,
#include ODR_PARTS
};
}  // namespace odr

int main(int count, char** arguments) {
  const std::uint64_t expected = odr::parts[0]->fingerprint();
  int failed = 0;
  for (const odr::part* const part : odr::parts) {
    if (std::count(arguments + 1, arguments + count, std::string(part->name)) != 0) {
      std::printf("%s: left out\n", part->name);
      continue;
    }
    bool runs_here = false;
    dyadic::for_each_backend(
        [&](auto backend, bool runs) { runs_here |= runs && part->native == std::string(decltype(backend)::name); });
    if (!runs_here) {
      std::printf("%s: this machine has no %s\n", part->name, part->native);
      continue;
    }
    const std::int32_t x[3] = {1000, -1000, 25};
    std::int8_t y[3] = {};
    const odr::rescaled layer{0, {{1 << 30, 33}, dyadic::range_of<std::int8_t>(1)}};
    part->rescale(layer, dyadic::matrix_view<const std::int32_t>(x, 1, 3), dyadic::matrix_view<std::int8_t>(y, 1, 3));
    const bool right = part->fingerprint() == expected && y[0] == 126 && y[1] == -124 && y[2] == 4;
    std::printf("%s: %s\n", part->name, right ? "equal" : "DIFFERENT");
    failed += !right;
  }
  return failed;
}
