#include <dyadic/weight_sums.hpp>

#include <cstdint>
#include <limits>
#include <vector>

#include "../support/catch.hpp"
#include "../support/random.hpp"

namespace q = dyadic;
using namespace support;

namespace {

/// Sums and range of the same weights as this machine adds bytes, one by one, and by definition.
template <class W>
void check_sums(random_bits& random, q::index_t length, std::int32_t zero) {
  const auto before_word = static_cast<std::size_t>(random.below(4));
  std::vector<W> room(before_word + static_cast<std::size_t>(length));
  const q::view<W> w(room.data() + before_word, length);
  const int kind = random.below(5);
  for (W& v : w)
    v = kind == 0   ? std::numeric_limits<W>::min()
        : kind == 1 ? std::numeric_limits<W>::max()
        : kind == 2 ? static_cast<W>(zero + random.below(3) - 1)
                    : static_cast<W>(random());
  if (kind == 3) w[random.below(static_cast<int>(length))] = random.one_in(2) ? 1 : 0;
  q::fold_record before;
  before.zero.w = zero;
  before.w_min = random.one_in(2) ? 0 : std::numeric_limits<W>::min() + random.below(2);
  before.w_max = random.one_in(2) ? 1 : std::numeric_limits<W>::max();
  q::fold_record in_bytes = before, in_turn = before;
  q::detail::weight_sums of_bytes{5, 7}, in_order{5, 7};
  const q::index_t added = q::detail::add_bytes(w.data(), length, of_bytes, in_bytes);
  REQUIRE((0 <= added && added <= length));
  q::detail::add_weights(w.data() + added, length - added, of_bytes, in_bytes);
  q::detail::add_weights(w.data(), length, in_order, in_turn);
  std::int64_t total = 5, magnitude = 7;
  for (const W v : w) {
    total += v - zero;
    magnitude += v < zero ? zero - v : v - zero;
    before.w_min = v < before.w_min ? v : before.w_min;
    before.w_max = v > before.w_max ? v : before.w_max;
  }
  CHECK((of_bytes.total == total && of_bytes.magnitude == magnitude));
  CHECK((in_order.total == total && in_order.magnitude == magnitude));
  CHECK((in_bytes.w_min == before.w_min && in_bytes.w_max == before.w_max));
  CHECK((in_turn.w_min == before.w_min && in_turn.w_max == before.w_max));
}

}  // namespace

TEST_CASE("sums of bytes and of weights in turn are those of their definition") {
  random_bits random;
  for (int round = 0; round < 20; ++round)
    for (const q::index_t length : {1, 3, 4, 9, 16, 36, 63, 64, 80, 252, 256}) {
      for (const std::int32_t zero : {-128, -3, 0, 77, 127}) check_sums<std::int8_t>(random, length, zero);
      for (const std::int32_t zero : {0, 1, 128, 255}) check_sums<std::uint8_t>(random, length, zero);
    }
}
