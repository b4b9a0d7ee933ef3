// dyadic_linear: linear layers on shapes of real networks, and odd ones.

#include "layers.hpp"

namespace bench {
namespace {

table linear(bool smoke) {
  return layers("Linear: y = x * weights + bias", "linear", "rows x channels x depth", linear_shapes(smoke), smoke);
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) { return bench::print_table(argc, argv, bench::linear); }
