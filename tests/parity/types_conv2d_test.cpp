#include "types_windows.hpp"

namespace {

using namespace types;

const std::vector<oracle::layer> convolutions{forward({1, 1, 1, 0, 0}, {1, 1, 1, 0, 0}, 5, 7, 1),
                                              forward({3, 2, 1, 2, 1}, {2, 1, 2, 1, 0}, 6, 10, 2),
                                              forward({3, 1, 1, 1, 1}, {3, 1, 1, 1, 1}, 19, 35, 1)};

}  // namespace

TEST_CASE("types: sums of convolutions of all types equal the definition, also at extremes", "[parity]") {
  sums_of_all_pairs<support::conv2d>(oracle::op::conv2d, convolutions);
}
TEST_CASE("types: scaled and wrapped sums of convolutions equal the definition", "[parity]") {
  outputs_of<support::conv2d, i16, i8>(oracle::op::conv2d, convolutions);
}
