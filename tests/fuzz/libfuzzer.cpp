// The entry of libFuzzer, which searches where the plain loop draws. Opt-in: it never ends by itself.
// It needs a clang with its run time (libclang-rt-14-dev). Build and run:
//   clang++-14 -std=c++17 -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all -I include
//     tests/fuzz/{libfuzzer,one,linear,conv2d,depthwise,transposed_conv2d,matmul,rescale,exchange,elementwise,activation}.cpp
//     tests/fuzz/{recurrent,any_layer,blocks,linear_blocks,images}.cpp -o build/libfuzzer
//   build/libfuzzer -max_len=400 -len_control=0 [-max_total_time=600] [directory that keeps what it finds]

#include "tally.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fuzz::tally t;
  fuzz::fuzz_one(data, size, t);
  return 0;
}
