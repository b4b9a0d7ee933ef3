#include <dyadic/weight_sums.hpp>

#include <cstdint>
#include <limits>
#include <vector>

#include "../support/catch.hpp"
#include "../support/random.hpp"

namespace q = dyadic;
using namespace support;

namespace {

/// Sums and range of the same weights in words, in blocks and by definition.
template <class W>
void check_sums(random_bits& random, q::index_t words, std::int32_t zero) {
  std::vector<W> w(static_cast<std::size_t>(4 * words));
  const int kind = random.below(4);
  for (W& v : w)
    v = kind == 0   ? std::numeric_limits<W>::min()
        : kind == 1 ? std::numeric_limits<W>::max()
        : kind == 2 ? static_cast<W>(zero + random.below(3) - 1)
                    : static_cast<W>(random());
  q::fold_record before;
  before.zero.w = zero;
  before.w_min = random.one_in(2) ? 0 : std::numeric_limits<W>::min();
  before.w_max = random.one_in(2) ? 1 : std::numeric_limits<W>::max();
  q::fold_record in_words = before, in_turn = before;
  q::detail::weight_sums of_words{5, 7}, in_order{5, 7};
  q::detail::add_words(w.data(), words, of_words, in_words);
  q::detail::add_weights(w.data(), 4 * words, in_order, in_turn);
  std::int64_t total = 5, magnitude = 7;
  for (const W v : w) {
    total += v - zero;
    magnitude += v < zero ? zero - v : v - zero;
    before.w_min = v < before.w_min ? v : before.w_min;
    before.w_max = v > before.w_max ? v : before.w_max;
  }
  CHECK((of_words.total == total && of_words.magnitude == magnitude));
  CHECK((in_order.total == total && in_order.magnitude == magnitude));
  CHECK((in_words.w_min == before.w_min && in_words.w_max == before.w_max));
  CHECK((in_turn.w_min == before.w_min && in_turn.w_max == before.w_max));
}

}  // namespace

TEST_CASE("sums of words and of weights in turn are those of their definition") {
  random_bits random;
  for (int round = 0; round < 20; ++round)
    for (const q::index_t words : {1, 2, 9, 63, 64}) {
      for (const std::int32_t zero : {-128, -3, 0, 77, 127}) check_sums<std::int8_t>(random, words, zero);
      for (const std::int32_t zero : {0, 1, 128, 255}) check_sums<std::uint8_t>(random, words, zero);
    }
}
