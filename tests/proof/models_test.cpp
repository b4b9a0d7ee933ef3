// Compares each modelled instruction with this machine's instruction, at edges and for random numbers.

#include <cstdint>
#include <cstdio>
#include <cstring>

#include "models.hpp"

int main() {
  if (!has_instructions()) {
    std::printf("this machine has no such instructions: nothing was tested\n");
    return 77;
  }
  const operations real = real_operations(), modelled = modelled_operations();
  std::mt19937_64 random{1};
  int failed = 0;
  for (std::size_t i = 0; i < real.count; ++i) {
    bool differs = false, varies = false;
    std::uint32_t before[16] = {};
    for (int n = 0; n < 1000 && !differs; ++n) {
      alignas(64) std::uint32_t a[16], b[16], y[2][16] = {};
      for (int k = 0; k < 16; ++k) a[k] = drawn(random), b[k] = drawn(random);
      real.first[i].run(a, b, y[0]);
      modelled.first[i].run(a, b, y[1]);
      differs = std::memcmp(y[0], y[1], sizeof(y[0])) != 0;
      varies = varies || (n > 0 && std::memcmp(y[0], before, sizeof(before)) != 0);
      std::memcpy(before, y[0], sizeof(before));
      if (differs) std::printf("%s differs for %08x %08x ..\n", real.first[i].name, a[0], b[0]);
    }
    if (!varies && !differs) std::printf("%s has one result for all inputs\n", real.first[i].name);
    failed += differs || !varies ? 1 : 0;
  }
  std::printf("%zu models, %d differ\n", real.count, failed);
  return failed == 0 && real.count != 0 && real.count == modelled.count ? 0 : 1;
}
