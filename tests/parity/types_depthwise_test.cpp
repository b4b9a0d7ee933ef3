#include "types_windows.hpp"

namespace {

using namespace types;

const std::vector<oracle::layer> layers{forward({1, 1, 1, 0, 0}, {1, 1, 1, 0, 0}, 5, 5, 1),
                                        forward({2, 2, 1, 2, 1}, {2, 1, 2, 1, 0}, 3, 9, 1),
                                        forward({3, 1, 1, 1, 1}, {3, 1, 1, 1, 1}, 35, 35, 1)};

}  // namespace

TEST_CASE("types: sums of depthwise convolutions of all types equal the definition, also at extremes", "[parity]") {
  sums_of_all_pairs<support::depthwise>(oracle::op::depthwise, layers);
}
TEST_CASE("types: scaled and wrapped sums of depthwise convolutions equal the definition", "[parity]") {
  outputs_of<support::depthwise, i8, i8>(oracle::op::depthwise, layers);
  outputs_of<support::depthwise, i16, i8>(oracle::op::depthwise, layers);
}
