// dyadic_conv: convolutions on shapes of real networks.

#include "layers.hpp"

namespace bench {
namespace {

table conv(bool smoke) {
  return layers("Convolution: NHWC, stride 1, padded to as many outputs", "conv", "layer and image", conv_shapes(), smoke);
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) { return bench::print_table(argc, argv, bench::conv); }
