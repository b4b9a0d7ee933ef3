#include <dyadic/depthwise.hpp>
#include <dyadic/fold.hpp>
#include <dyadic/transposed_conv2d.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "../support/catch.hpp"
#include "../support/random.hpp"

namespace q = dyadic;
using namespace support;

namespace {

constexpr std::int8_t weights[] = {1, 2, 3, -4, -5, -128};
constexpr std::int32_t bias32[] = {10, -20};
constexpr std::int64_t bias64[] = {std::int64_t{1} << 40, -20};
constexpr q::packed_int48 bias48[] = {q::packed_int48::of(q::int48::saturated(std::int64_t{1} << 40)), q::packed_int48::of(-20)};

/// Checks the constants of the two rows above.
template <class X, class Acc, class Bias>
constexpr bool constants_are(const Bias& bias, q::zero_points zero, Acc first, Acc second) {
  Acc constants[2] = {};
  const auto folded = q::fold<X>(q::matrix_view(weights, 2, 3), bias, zero, constants);
  return folded.status == q::status::ok && folded.value.constants.data() == constants && constants[0] == first &&
         constants[1] == second;
}

/// Checks that the default record of a fold has one tap and nothing else.
constexpr bool default_record_is_of_one_tap() {
  const q::fold_record r;
  return r.channels == 0 && r.taps_y == 1 && r.taps_x == 1 && r.step_y == 1 && r.step_x == 1 && r.depth == 0 && r.x_min == 0 &&
         r.x_max == 0 && r.bound.lowest == 0 && r.bound.highest == 0 && r.fingerprint == 0 && r.w_min == 0 && r.w_max == 0;
}
static_assert(default_record_is_of_one_tap());

/// Checks that two records are equal if every number that describes a layer is equal.
constexpr bool records_compare_each_number() {
  const q::fold_record r;
  for (const auto number : {&q::fold_record::channels, &q::fold_record::taps_y, &q::fold_record::taps_x, &q::fold_record::step_y,
                            &q::fold_record::step_x, &q::fold_record::depth}) {
    q::fold_record other = r;
    ++(other.*number);
    if (other == r || !(other != r)) return false;
  }
  for (const auto number : {&q::fold_record::x_min, &q::fold_record::x_max}) {
    q::fold_record other = r;
    ++(other.*number);
    if (other == r || !(other != r)) return false;
  }
  q::fold_record other = r;
  other.zero = {0, 1};
  if (other == r || !(other != r)) return false;
  other.zero = {1, 0};
  if (other == r) return false;
  other = r;
  other.bound = {-1, 1}, other.fingerprint = 5, other.w_min = -1, other.w_max = 1, other.has_bias = true;
  const q::zero_points a{1, 2}, b{1, 3}, c{0, 2};
  return other == r && !(other != r) && a == a && !(a != a) && a != b && a != c;
}
static_assert(records_compare_each_number());

/// Checks the constants of two channels for 2 x 3 phases. Along each axis, all phases past the kernel of 2 x 2 are one phase.
constexpr bool phases_have_constants() {
  const std::int32_t constants[18] = {};
  q::fold_record r;
  r.channels = 2, r.taps_y = 2, r.taps_x = 2, r.step_y = 2, r.step_x = 3, r.zero.x = 1;
  const q::folded_bias<std::int32_t> all{constants, r}, same{{constants, 2}, r};
  r.channels = q::limits<q::index_t>::max;
  return q::detail::constants_of(r) == -1 && same.of_phase(1, 2) == constants && all.of_phase(0, 1) == constants + 2 &&
         all.of_phase(1, 0) == constants + 6 && all.of_phase(1, 1) == constants + 8 && all.of_phase(1, 5) == constants + 10 &&
         all.of_phase(7, 0) == constants + 12;
}
static_assert(phases_have_constants());

}  // namespace

TEST_CASE("a fold without depth ends, however many taps each phase has") {
  const q::index_t many = q::index_t{1} << (sizeof(q::index_t) * 4 - 5);
  const q::window2d window{{many, 2}, {many, 2}};
  std::int32_t constants[4] = {77, 77, 77, 77};
  const q::matrix_view<const std::int8_t> nothing(nullptr, 1, 0);
  REQUIRE(q::fold_transposed_conv2d<std::int8_t>(nothing, q::no_bias{}, window, {1, 0}, constants).status == q::status::ok);
  CHECK((constants[0] == 0 && constants[3] == 0));
}

TEST_CASE("a folded constant is the bias less the zero point times the kernel sum") {
  // bias - x * (6 - 3 w) and bias - x * (-137 - 3 w)
  static_assert(constants_are<std::int8_t, std::int32_t>(bias32, {0, 0}, 10, -20));
  static_assert(constants_are<std::int8_t, std::int32_t>(bias32, {-128, 0}, 10 + 128 * 6, -20 - 128 * 137));
  static_assert(constants_are<std::int8_t, std::int32_t>(bias32, {7, 5}, 10 - 7 * (6 - 15), -20 - 7 * (-137 - 15)));
  static_assert(constants_are<std::int8_t, std::int32_t>(bias32, {0, 5}, 10, -20));
  static_assert(
      constants_are<std::int16_t, std::int64_t>(bias64, {-32768, 0}, (std::int64_t{1} << 40) + 32768 * 6, -20 - 32768 * 137));
  static_assert(constants_are<std::int16_t, std::int64_t>(bias48, {3, -128}, (std::int64_t{1} << 40) - 3 * (6 + 384),
                                                          -20 - 3 * (-137 + 384)));
  static_assert(constants_are<std::int8_t, std::int32_t>(q::no_bias{}, {2, 0}, -12, 274));
  CHECK(constants_are<std::int8_t, std::int32_t>(bias32, {7, 5}, 10 - 7 * (6 - 15), -20 - 7 * (-137 - 15)));
  CHECK(constants_are<std::int16_t, std::int64_t>(bias48, {3, -128}, (std::int64_t{1} << 40) - 3 * (6 + 384),
                                                  -20 - 3 * (-137 + 384)));
}

TEST_CASE("a 32-bit constant wraps where the 64-bit constant does not fit") {
  CHECK(constants_are<std::int8_t, std::int32_t>(bias64, {0, 0}, 0, -20));
}

TEST_CASE("a bias or a constant may lie in a std::vector") {
  const std::vector<std::int32_t> bias{1, 2};
  std::vector<std::int64_t> constants(2);
  const auto folded = q::fold<std::int16_t>(q::matrix_view(weights, 2, 3), bias, {}, constants);
  CHECK(folded.status == q::status::ok);
  CHECK(constants == std::vector<std::int64_t>{1, 2});
}

TEST_CASE("some activations reach the bounds of the accumulator, and none exceed them") {
  random_bits random;
  for (int round = 0; round < 200; ++round) {
    const q::index_t depth = random.below(5);
    const q::index_t rows = 1 + random.below(3);
    std::vector<std::int8_t> w(static_cast<std::size_t>(rows * depth));
    for (std::int8_t& x : w) x = random.one_in(4) ? std::int8_t{-128} : static_cast<std::int8_t>(random());
    std::vector<std::int32_t> bias(static_cast<std::size_t>(rows));
    for (std::int32_t& b : bias) b = random.below(2001) - 1000;
    const q::zero_points zero{random.below(256) - 128, random.below(256) - 128};
    std::vector<std::int32_t> constants(static_cast<std::size_t>(rows));
    const auto folded = q::fold<std::int8_t>(q::matrix_view(w.data(), rows, depth), bias, zero, constants);
    REQUIRE(folded.status == q::status::ok);

    // A linear function has its extremes at the corners, where every activation is at an end of int8.
    std::int64_t lowest = std::numeric_limits<std::int64_t>::max();
    std::int64_t highest = std::numeric_limits<std::int64_t>::min();
    for (q::index_t o = 0; o < rows; ++o)
      for (unsigned corner = 0; corner < 1u << depth; ++corner) {
        std::int64_t acc = bias[static_cast<std::size_t>(o)];
        for (q::index_t k = 0; k < depth; ++k)
          acc += ((corner >> k & 1u ? 127 : -128) - zero.x) * (w[static_cast<std::size_t>(o * depth + k)] - zero.w);
        lowest = std::min(lowest, acc);
        highest = std::max(highest, acc);
      }
    CHECK(folded.value.record.bound.lowest == lowest);
    CHECK(folded.value.record.bound.highest == highest);
  }
}

TEST_CASE("bounds beyond int64 saturate") {
  const std::int8_t w[] = {1};
  std::int64_t constants[1] = {};
  const std::int64_t most[] = {std::numeric_limits<std::int64_t>::max()};
  const std::int64_t least[] = {std::numeric_limits<std::int64_t>::min()};
  CHECK(q::fold<std::int16_t>(q::matrix_view(w, 1, 1), most, {}, constants).value.record.bound.highest == most[0]);
  CHECK(q::fold<std::int16_t>(q::matrix_view(w, 1, 1), least, {}, constants).value.record.bound.lowest == least[0]);
}

TEST_CASE("products and sums beyond int64 saturate by their signs") {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max(), least = std::numeric_limits<std::int64_t>::min();
  using q::detail::add_saturated, q::detail::multiply_saturated;
  static_assert(multiply_saturated(most, 2) == most && multiply_saturated(least, -1) == most);
  static_assert(multiply_saturated(-1, least) == most && multiply_saturated(2, least) == least);
  static_assert(multiply_saturated(least, 2) == least && multiply_saturated(-3, 5) == -15 && multiply_saturated(least, 0) == 0);
  static_assert(add_saturated(most, 1) == most && add_saturated(1, most) == most && add_saturated(2, -5) == -3);
  static_assert(add_saturated(-1, least) == least && add_saturated(least, -1) == least && add_saturated(least, most) == -1);
  CHECK((multiply_saturated(most, 2) == most && multiply_saturated(-1, least) == most && multiply_saturated(least, -1) == most));
  CHECK((multiply_saturated(2, least) == least && multiply_saturated(least, 2) == least));
  CHECK((add_saturated(-1, least) == least && add_saturated(1, most) == most));
}

TEST_CASE("a bad fold gets its status and writes nothing") {
  std::int8_t w[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  std::int32_t bias[2] = {1, 2};
  std::int32_t constants[2] = {77, 77};
  const auto fold = [&](q::matrix_view<const std::int8_t> m, q::view<const std::int32_t> b, q::zero_points zero,
                        q::view<std::int32_t> c) { return q::fold<std::int8_t>(m, b, zero, c).status; };
  using s = q::status;
  const q::matrix_view<const std::int8_t> good(w, 2, 3, 4);
  CHECK(fold({nullptr, 2, 3}, bias, {}, constants) == s::null_data);
  CHECK(fold({w, -1, 3}, bias, {}, constants) == s::negative_size);
  CHECK(fold({w, 2, 3, 2}, bias, {}, constants) == s::stride_too_small);
  CHECK(fold({w, std::numeric_limits<q::index_t>::max(), 3}, bias, {}, constants) == s::size_overflow);
  CHECK(fold(good, {nullptr, 2}, {}, constants) == s::null_data);
  CHECK(fold(good, {bias, 1}, {}, constants) == s::shape_mismatch);
  CHECK(fold(good, {bias, -2}, {}, constants) == s::negative_size);
  CHECK(fold(good, bias, {}, {nullptr, 2}) == s::null_data);
  CHECK(fold(good, bias, {}, {constants, 1}) == s::shape_mismatch);
  CHECK(fold(good, bias, {128, 0}, constants) == s::zero_point_out_of_range);
  CHECK(fold(good, bias, {0, -129}, constants) == s::zero_point_out_of_range);
  CHECK(fold(good, bias, {}, bias) == s::overlap);
  std::int32_t shared[2] = {};
  CHECK(fold({reinterpret_cast<const std::int8_t*>(shared), 2, 3}, bias, {}, shared) == s::overlap);
  CHECK((constants[0] == 77 && constants[1] == 77 && bias[0] == 1 && bias[1] == 2));
  CHECK(fold(good, bias, {}, constants) == s::ok);
  CHECK(fold({nullptr, 0, 3}, {nullptr, 0}, {}, {nullptr, 0}) == s::ok);
  CHECK(fold({nullptr, 0, 3}, {bias, 1}, {}, {nullptr, 0}) == s::shape_mismatch);
}

TEST_CASE("a depthwise fold of many taps sums all taps") {
  constexpr int taps = 700;
  std::vector<std::int8_t> w(2 * taps);
  std::int32_t expected[2] = {};
  for (int i = 0; i < 2 * taps; ++i) {
    w[static_cast<std::size_t>(i)] = static_cast<std::int8_t>(i / 7 * (i % 2 == 0 ? 3 : 5));
    expected[i % 2] -= 3 * w[static_cast<std::size_t>(i)];
  }
  std::int32_t constants[2] = {};
  const q::window2d row{{}, {taps}};
  REQUIRE(q::fold_depthwise<std::int8_t>(q::matrix_view(w.data(), taps, 2), q::no_bias{}, row, {3, 0}, constants).status ==
          q::status::ok);
  CHECK((constants[0] == expected[0] && constants[1] == expected[1]));
}

TEST_CASE("a transposed fold has a constant for each phase if the zero point is not 0") {
  const std::int8_t w[] = {100, 1, 2, 3};  // one tap for each phase
  const q::window2d window{{2, 2}, {2, 2}};
  for (const std::int32_t zero : {-1, 0, 1, 5}) {
    std::int32_t constants[5] = {77, 77, 77, 77, 77};
    const q::index_t count = zero == 0 ? 1 : 4;
    const auto folded = q::fold_transposed_conv2d<std::int8_t>(q::matrix_view(w, 1, 4), q::no_bias{}, window, {zero, 0},
                                                               q::view<std::int32_t>(constants, count));
    CAPTURE(zero);
    REQUIRE(folded.status == q::status::ok);
    for (int i = 0; i < 5; ++i) CHECK(constants[i] == (i < count ? -zero * w[i] : 77));
    CHECK(folded.value.record.bound.highest == 100 * (127 - zero));
  }
}

TEST_CASE("a bias may be an array of int48") {
  const q::int48 bias[] = {7, q::int48::saturated(std::int64_t{1} << 60)};
  std::int64_t constants[2] = {};
  REQUIRE(q::fold<std::int16_t>(q::matrix_view(weights, 2, 3), bias, {}, constants).status == q::status::ok);
  CHECK(constants[0] == 7);
  CHECK(constants[1] == q::int48::max());
}

namespace {

/// Compares the fold's sums of `depth` weights with plain loops. The weights are the ends of both types and random numbers.
template <class W>
void check_long_row(random_bits& random, q::index_t depth, std::int32_t zero) {
  using limits = std::numeric_limits<W>;
  std::vector<W> w(static_cast<std::size_t>(depth));
  for (int kind = 0; kind < 3; ++kind) {
    for (W& v : w) v = kind == 0 ? limits::min() : kind == 1 ? limits::max() : static_cast<W>(random());
    std::int64_t positive = 0, negative = 0, constants[1] = {};
    for (const W v : w) (v < zero ? negative : positive) += std::int64_t{v} - zero;
    const auto folded = q::fold<std::int8_t>(q::matrix_view<const W>(w.data(), 1, depth), q::no_bias{}, {-1, zero}, constants);
    REQUIRE(folded.status == q::status::ok);
    CHECK(constants[0] == positive + negative);
    CHECK(folded.value.record.bound.highest == 128 * positive - 127 * negative);
    CHECK(folded.value.record.bound.lowest == -127 * positive + 128 * negative);
    CHECK(folded.value.record.w_min == std::min<int>(0, *std::min_element(w.begin(), w.end())));
    CHECK(folded.value.record.w_max == std::max<int>(0, *std::max_element(w.begin(), w.end())));
  }
}

}  // namespace

TEST_CASE("a fold of long rows has the sums of its weights, whatever their type and zero point") {
  random_bits random;
  for (const q::index_t depth : {1, 7, 31, 32, 33, 255, 256, 257, 300, 1024}) {
    for (const std::int32_t zero : {-128, -1, 0, 5, 127}) check_long_row<std::int8_t>(random, depth, zero);
    for (const std::int32_t zero : {0, 128, 255}) check_long_row<std::uint8_t>(random, depth, zero);
    for (const std::int32_t zero : {-32768, 0, 77, 32767}) check_long_row<std::int16_t>(random, depth, zero);
    for (const std::int32_t zero : {0, 32768, 65535}) check_long_row<std::uint16_t>(random, depth, zero);
  }
}

TEST_CASE("one argument takes a bias of each type, or no bias") {
  const auto same = [](const auto& typed, const q::any_bias& any) {
    for (const q::zero_points zero : {q::zero_points{}, q::zero_points{7, 5}}) {
      std::int64_t expected[2] = {};
      std::int64_t got[2] = {};
      const auto a = q::fold<std::int16_t>(q::matrix_view(weights, 2, 3), typed, zero, expected);
      const auto b = q::fold<std::int16_t>(q::matrix_view(weights, 2, 3), any, zero, got);
      REQUIRE((a.status == q::status::ok && b.status == q::status::ok));
      CHECK((expected[0] == got[0] && expected[1] == got[1]));
      CHECK((a.value.record.bound.lowest == b.value.record.bound.lowest && a.value.record.has_bias == b.value.record.has_bias));
    }
  };
  same(bias32, {bias32, 2});
  same(bias48, {bias48, 2});
  same(bias64, {bias64, 2});
  same(q::no_bias{}, {});
  same(q::no_bias{}, q::any_bias(static_cast<const std::int32_t*>(nullptr), 2));
  same(q::no_bias{}, q::any_bias(static_cast<const std::int64_t*>(nullptr), -7));
  static_assert(
      constants_are<std::int8_t, std::int32_t>(q::any_bias(bias32, 2), {7, 5}, 10 - 7 * (6 - 15), -20 - 7 * (-137 - 15)));
  static_assert(constants_are<std::int8_t, std::int64_t>(q::any_bias(bias48, 2), {0, 5}, std::int64_t{1} << 40, -20));
}

TEST_CASE("a bias of any type is checked as one of its type") {
  std::int64_t memory[4] = {};
  std::int64_t constants[2] = {77, 77};
  const auto fold = [&](const q::any_bias& bias, q::view<std::int64_t> to) {
    return q::fold<std::int8_t>(q::matrix_view(weights, 2, 3), bias, {}, to).status;
  };
  CHECK(fold({bias32, 1}, constants) == q::status::shape_mismatch);
  CHECK(fold({bias48, 3}, constants) == q::status::shape_mismatch);
  CHECK(fold({bias64, -2}, constants) == q::status::negative_size);
  CHECK(fold({memory, 2}, {memory + 1, 2}) == q::status::overlap);
  CHECK(fold({memory, 2}, {memory + 2, 2}) == q::status::ok);
  CHECK(fold({reinterpret_cast<const q::packed_int48*>(memory), 2}, {memory + 1, 2}) == q::status::overlap);
  std::int32_t narrow[3] = {};
  const q::view<std::int32_t> last_two{narrow + 1, 2};
  CHECK(q::fold<std::int8_t>(q::matrix_view(weights, 2, 3), q::any_bias{narrow, 2}, {}, last_two).status == q::status::overlap);
  CHECK(constants[0] == 77);
}
