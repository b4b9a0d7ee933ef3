// dyadic_conv: convolutions on shapes of real networks, or of --shape.

#include "layers.hpp"

namespace bench {
namespace {

table conv(const request& asked) {
  return layers("Convolution: NHWC, padded to as many outputs as inputs over the stride", "conv", "image-kernel", conv_shape,
                conv_shapes(), asked);
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  return bench::print_layers(argc, argv, bench::conv, bench::conv_shape,
                             "HxWxC-KxKxO, HxWxC-KxKxO/STRIDE, or either with gGROUPS or dw, as 56x56x64-3x3x128/2");
}
