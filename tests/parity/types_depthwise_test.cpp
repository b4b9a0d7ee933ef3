#include "types_windows.hpp"

namespace {

using namespace types;

const std::vector<oracle::layer> layers{forward({1, 1, 1, 0, 0}, {1, 1, 1, 0, 0}, 5, 5, 1),
                                        forward({2, 2, 1, 2, 1}, {2, 1, 2, 1, 0}, 3, 9, 1),
                                        forward({3, 1, 1, 1, 1}, {3, 1, 1, 1, 1}, 35, 35, 1)};

}  // namespace

TEST_CASE("types: depthwise convolutions of all their types sum what the definition says, extremes included", "[parity]") {
  sums_of_all_pairs<support::depthwise>(oracle::op::depthwise, layers);
}
TEST_CASE("types: depthwise convolutions scale their sums, and wrap them, as the definition says", "[parity]") {
  outputs_of<support::depthwise, i8, i8>(oracle::op::depthwise, layers);
  outputs_of<support::depthwise, i16, i8>(oracle::op::depthwise, layers);
}
