#include <dyadic/detail/weight_sums.hpp>
#include <dyadic/fold.hpp>

#include <array>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "../support/catch.hpp"
#include "../support/random.hpp"

namespace q = dyadic;
using namespace support;

namespace {

/// Computes the sums and the range of the same weights in three ways: with the machine's code, one by one, and by the definition.
/// Checks that the results are equal.
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

/// Returns the fingerprint of one chunk. Words have eight bytes, the first weight lowest. Four chains take turns while there are
/// four words.
template <class W>
std::uint64_t fingerprint_of(const std::vector<W>& w) {
  const auto mixed = [](std::uint64_t f, std::uint64_t word) { return word + (f << 32 | f >> 32) * 0x9E3779B1u; };
  constexpr std::size_t of_word = 8 / sizeof(W);
  std::vector<std::uint64_t> words((w.size() + of_word - 1) / of_word);
  for (std::size_t i = 0; i < w.size(); ++i)
    words[i / of_word] |= std::uint64_t{static_cast<std::make_unsigned_t<W>>(w[i])} << (i % of_word * 8 * sizeof(W));
  std::uint64_t chains[4] = {0xCBF29CE484222325u, 1, 2, 3};
  std::size_t k = 0;
  for (; w.size() / of_word - k >= 4; k += 4)
    for (std::size_t j = 0; j < 4; ++j) chains[j] = mixed(chains[j], words[k + j]);
  for (std::size_t j = 1; j < 4 && k > 0; ++j) chains[0] = mixed(chains[0], chains[j]);
  for (; k < words.size(); ++k) chains[0] = mixed(chains[0], words[k]);
  return chains[0];
}

/// Returns the fingerprint for each length. Both the compiler and the program call it.
template <class W, std::size_t Most>
constexpr std::array<std::uint64_t, Most> fingerprints() {
  std::array<std::uint64_t, Most> all{};
  W w[Most] = {};
  constexpr auto most = static_cast<q::index_t>(Most);
  for (q::index_t i = 0; i < most; ++i) w[i] = static_cast<W>(i * i * 31 - 97 * i - 3);
  for (q::index_t length = 0; length < most; ++length)
    all[static_cast<std::size_t>(length)] = q::detail::fingerprint_with(q::detail::empty_fingerprint, w, length);
  return all;
}
template <class W>
void check_fingerprints() {
  constexpr q::index_t most = 75;
  static constexpr auto by_compiler = fingerprints<W, most>();
  CHECK(fingerprints<W, most>() == by_compiler);
  std::vector<W> w;
  for (q::index_t i = 0; i < most; ++i) {
    CHECK(by_compiler[static_cast<std::size_t>(i)] == fingerprint_of(w));
    w.push_back(static_cast<W>(i * i * 31 - 97 * i - 3));
  }
}

}  // namespace

TEST_CASE("a fingerprint of any length equals its definition, also in the compiler") {
  check_fingerprints<std::int8_t>();
  check_fingerprints<std::uint8_t>();
  check_fingerprints<std::int16_t>();
}

TEST_CASE("sums of bytes, and of weights in alternation, equal their definition") {
  random_bits random;
  for (int round = 0; round < 20; ++round)
    for (const q::index_t length : {1, 3, 4, 9, 16, 36, 63, 64, 80, 144, 252, 256}) {
      for (const std::int32_t zero : {-128, -3, 0, 77, 127}) check_sums<std::int8_t>(random, length, zero);
      for (const std::int32_t zero : {0, 1, 128, 255}) check_sums<std::uint8_t>(random, length, zero);
    }
}

TEST_CASE("weights are read in chunks of 256, and none beyond the last") {
  std::vector<std::int8_t> w(600, 3);
  std::vector<std::uint8_t> nibbles(300, 0x33);
  const auto lengths = [](auto weights, q::index_t length) {
    std::vector<q::index_t> all;
    q::detail::for_each_chunk(weights, length, [&](const std::int8_t* chunk, q::index_t some) {
      CHECK(chunk[some - 1] == 3);
      all.push_back(some);
    });
    return all;
  };
  using list = std::vector<q::index_t>;
  for (const q::index_t length : {255, 256, 257, 512, 600}) {
    list expected(static_cast<std::size_t>(length / 256), 256);
    if (length % 256 != 0) expected.push_back(length % 256);
    CHECK(lengths(static_cast<const std::int8_t*>(w.data()), length) == expected);
    CHECK(lengths(q::int4_pointer(nibbles.data(), 0), length) == expected);
  }
  std::int8_t copies[] = {77, 77, 77, 77};
  q::detail::copy_weights(w.data(), 2, copies + 1);
  CHECK((copies[0] == 77 && copies[1] == 3 && copies[2] == 3 && copies[3] == 77));
}

TEST_CASE("a phase reads its taps, and taps without steps are next to each other") {
  const std::int8_t w[12] = {};
  const q::detail::channel_major<q::matrix_view<const std::int8_t>> weights(q::matrix_view(w, 1, 12), 6);
  using chunks = std::vector<std::pair<q::index_t, q::index_t>>;
  const auto read = [&](q::index_t step_y, q::index_t step_x, q::index_t phase) {
    q::fold_record r;
    r.channels = 1, r.taps_y = 2, r.taps_x = 3, r.depth = 2, r.step_y = step_y, r.step_x = step_x;
    chunks all;
    q::detail::for_each_chunk(weights, r, 0, phase,
                              [&](const std::int8_t* chunk, q::index_t length) { all.emplace_back(chunk - w, length); });
    return all;
  };
  CHECK(read(1, 1, 0) == chunks{{0, 12}});
  CHECK(read(1, 2, 0) == chunks{{0, 2}, {4, 2}, {6, 2}, {10, 2}});
  CHECK(read(1, 2, 1) == chunks{{2, 2}, {8, 2}});
  CHECK(read(2, 1, 0) == chunks{{0, 2}, {2, 2}, {4, 2}});
  CHECK(read(2, 1, 1) == chunks{{6, 2}, {8, 2}, {10, 2}});
  CHECK(read(2, 2, 3) == chunks{{8, 2}});
}

TEST_CASE("the number of phases follows from the taps, and without depth from the constants") {
  const auto phases = [](q::index_t depth) {
    q::fold_record r;
    r.channels = 3, r.taps_y = 2, r.taps_x = 2, r.step_y = 2, r.step_x = 2, r.depth = depth;
    int count = 0;
    q::detail::for_each_phase(r, [&](q::index_t, q::index_t) { ++count; });
    return count;
  };
  CHECK((phases(0) == 3 && phases(1) == 12 && phases(2) == 12));
}
