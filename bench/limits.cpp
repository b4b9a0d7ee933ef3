// dyadic_limits [--smoke]: how many multiply-adds the instruction sets of this machine do at most.

#include "limits.hpp"

#include <cstdio>

int main(int argc, char** argv) {
  const bool smoke = argc > 1 && std::strcmp(argv[1], "--smoke") == 0;
  std::printf("Limits: multiply-adds whose operands stay in registers\n\n");
  std::printf("%-11s %-8s %-28s %10s %10s\n", "backend", "operands", "instructions", "G/s", "per cycle");
  std::printf("%-11s %-8s %-28s %10s %10s\n", "----------", "--------", "---------------------------", "------", "---------");
  for (const bench::limit& l : bench::measure_limits(smoke)) {
    std::printf("%-11s int%-5d %-28s ", l.backend, l.bits, l.instructions);
    if (l.per_second > 0)
      std::printf("%10.1f %10.1f\n", l.per_second / 1e9, l.per_cycle);
    else
      std::printf("%21s\n", "not on this machine");
  }
  std::printf(
      "\nG/s: 10^9 multiply-adds per second, the median of 21 samples that a probe found undisturbed. per cycle: of a chain of\n"
      "additions that wait for each other. int8: exact sums of bytes need VNNI; other kernels widen them to int16 first.\n"
      "int32: 64-bit products, of which each rescaled element needs one.\n");
}
