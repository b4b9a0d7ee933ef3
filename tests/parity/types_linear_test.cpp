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
const std::vector<oracle::layer> layers{matrix(1, 1, 3), matrix(3, 19, 37), matrix(7, 33, 5), matrix(2, 601, 9)};

}  // namespace

TEST_CASE("types: linear layers of all their types sum what the definition says, extremes included", "[parity]") {
  sums_of_all_pairs<support::linear>(oracle::op::linear, layers);
}
TEST_CASE("types: linear layers scale their sums, and wrap them, as the definition says", "[parity]") {
  outputs_of<support::linear, i8, i8>(oracle::op::linear, layers);
  outputs_of<support::linear, i16, i8>(oracle::op::linear, layers);
}
TEST_CASE("types: each type of bias folds to the same constants", "[parity]") {
  each_pair([](auto activation, auto weight) {
    using W = typename decltype(weight)::type;
    const values numbers{5, -7, q::limits<i32>::max, q::limits<i32>::min, 0};
    const auto stored = as_stored<W>(filled(q::values_of<W>(), filling::mixed, 35));
    const auto constants = [&](const auto& bias) {
      std::vector<i64> to(5);
      const q::matrix_view<const W> weights(stored.data(), 5, 7);
      CHECK(q::fold<typename decltype(activation)::type>(weights, bias, {1, 2}, to).status == q::status::ok);
      return to;
    };
    const auto of_int64 = constants(numbers);
    CHECK(constants(as_stored<i32>(numbers)) == of_int64);
    CHECK(constants(as_stored<q::packed_int48>(numbers)) == of_int64);
    CHECK(constants(std::vector<q::int48>(5)) == constants(q::no_bias{}));
  });
}
