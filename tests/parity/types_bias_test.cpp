#include "types.hpp"

using namespace types;

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
