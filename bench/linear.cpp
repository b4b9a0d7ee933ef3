// dyadic_linear: linear layers on shapes of real networks, and odd ones, or of --shape.

#include "layers.hpp"

namespace bench {
namespace {

table linear(const request& asked) {
  return layers("Linear: y = x * weights + bias", "linear", "rows x channels x depth", linear_shape, linear_shapes(asked.smoke),
                asked);
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  return bench::print_layers(argc, argv, bench::linear, bench::linear_shape,
                             "ROWSxCHANNELSxDEPTH, as 8x1024x4096, with sizes of 1 to 65536");
}
