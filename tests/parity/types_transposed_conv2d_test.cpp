#include "types_windows.hpp"

namespace {

using namespace types;

const std::vector<oracle::layer> transposed_convolutions{scattered({1, 1, 1, 0, 0}, {1, 1, 1, 0, 0}, 5, 7, 0),
                                                         scattered({3, 2, 1, 2, 1}, {2, 1, 1, 1, 0}, 6, 10, 1),
                                                         scattered({3, 2, 1, 0, 1}, {3, 2, 1, 1, 0}, 19, 35, 0)};

}  // namespace

TEST_CASE("types: sums of transposed convolutions of all types equal the definition, also at extremes", "[parity]") {
  sums_of_all_pairs<support::transposed_conv2d>(oracle::op::transposed_conv2d, transposed_convolutions);
}
TEST_CASE("types: scaled and wrapped sums of transposed convolutions equal the definition", "[parity]") {
  outputs_of<support::transposed_conv2d, i8, i8>(oracle::op::transposed_conv2d, transposed_convolutions);
  outputs_of<support::transposed_conv2d, i16, i8>(oracle::op::transposed_conv2d, transposed_convolutions);
}
