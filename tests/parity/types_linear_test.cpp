#include "types.hpp"

namespace {

using namespace types;

oracle::layer matrix(size rows, size depth, size channels) {
  oracle::layer l;
  l.h = l.out_h = rows;
  l.c = depth;
  l.out_c = channels;
  return l;
}
const std::vector<oracle::layer> matrices{matrix(1, 1, 3), matrix(3, 19, 37), matrix(7, 33, 5), matrix(2, 601, 9)};

}  // namespace

TEST_CASE("types: sums of linear layers of all types equal the definition, also at extremes", "[parity]") {
  sums_of_all_pairs<support::linear>(oracle::op::linear, matrices);
}
TEST_CASE("types: scaled and wrapped sums of linear layers equal the definition", "[parity]") {
  outputs_of<support::linear, i8, i8>(oracle::op::linear, matrices);
  outputs_of<support::linear, i16, i8>(oracle::op::linear, matrices);
}
