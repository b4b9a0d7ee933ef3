// From one publisher's pairs to another's.

#include <dyadic/scheme/executorch.hpp>

#include <array>
#include <vector>

#include "../support/catch.hpp"

namespace {

namespace q = dyadic;

struct pair_case {
  q::tflite::pair pair;        // shift to the left, without the 31
  q::multiplier32 multiplier;  // shift to the right
};

constexpr pair_case cases[] = {
    {{1 << 30, 0}, {1 << 30, 31}},        {{1 << 30, -31}, {1 << 30, 62}},      {{2147483647, 30}, {2147483647, 1}},
    {{0, 0}, {0, 31}},                    {{-2147483647 - 1, 7}, {-2147483647 - 1, 24}}, {{1518500250, -8}, {1518500250, 39}},
};

constexpr bool round_trips() {
  for (const pair_case& c : cases) {
    const q::multiplier32 m = q::tflite::from_pair(c.pair);
    const q::tflite::pair back = q::tflite::to_pair(m);
    if (m != c.multiplier || q::tosa::scale32::from(c.pair) != c.multiplier) return false;
    if (back.multiplier != c.pair.multiplier || back.shift != c.pair.shift) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("a TFLite pair, shifted left, is our multiplier and TOSA's, shifted right") {
  static_assert(round_trips());
  CHECK(round_trips());
}

TEST_CASE("the 15-bit multiplier of a TFLite pair is its 31-bit one reduced") {
  static_assert(q::tosa::scale16::from({1 << 30, 0}) == q::multiplier16{1 << 14, 15});
  CHECK(q::tosa::scale16::from({0x7FFEFFFF, -3}) == q::multiplier16{0x7FFF, 18});
  CHECK(q::tosa::scale16::from({0x7FFFFFFF, -3}) == q::multiplier16{0x7FFF, 18});
  CHECK(q::tosa::scale16::from({0x40007FFF, 7}) == q::multiplier16{0x4000, 8});
  CHECK(q::tosa::scale16::from({0x40008000, 7}) == q::multiplier16{0x4001, 8});
}

TEST_CASE("arrays of 32-bit and of 64-bit elements become multipliers") {
  const std::int32_t m32[] = {1 << 30, 2147483647};
  const std::int32_t left[] = {-1, 3};
  const std::vector<std::int64_t> m64{1 << 30, 2147483647};
  const std::vector<std::int64_t> left64{-1, 3};
  const std::array<std::int64_t, 2> right64{32, 28};
  const std::array<q::multiplier32, 2> expected{{{1 << 30, 32}, {2147483647, 28}}};

  std::array<q::multiplier32, 2> to{};
  CHECK((q::tflite::from_pairs(m32, left, to) == q::status::ok && to == expected));
  to = {};
  CHECK((q::executorch::cortex_m::from_pairs(m64, left64, to) == q::status::ok && to == expected));
  to = {};
  CHECK((q::executorch::cadence::from_pairs(m64, left64, to) == q::status::ok && to == expected));
  to = {};
  CHECK((q::executorch::arm::from_pairs(m64, right64, to) == q::status::ok && to == expected));

  std::array<q::multiplier16, 2> to16{};
  const std::int64_t m15[] = {16384, 32767};
  CHECK(q::tosa::from_pairs(m15, right64, to16) == q::status::ok);
  CHECK((to16[0] == q::multiplier16{16384, 32} && to16[1] == q::multiplier16{32767, 28}));
}

TEST_CASE("an array that does not fit is refused and nothing is written") {
  const std::int64_t good[] = {1, 2};
  const std::int64_t wide[] = {1, std::int64_t{1} << 31};
  const std::int64_t far[] = {1, std::numeric_limits<std::int64_t>::min()};
  const std::int64_t one[] = {1};
  std::array<q::multiplier32, 2> to{{{7, 7}, {7, 7}}};
  std::array<q::multiplier16, 2> to16{{{7, 7}, {7, 7}}};
  const std::int64_t fits31[] = {1, 32768};
  CHECK(q::tosa::from_pairs(wide, good, to) == q::status::multiplier_out_of_range);
  CHECK(q::tflite::from_pairs(good, far, to) == q::status::multiplier_out_of_range);
  CHECK(q::tosa::from_pairs(fits31, good, to16) == q::status::multiplier_out_of_range);
  CHECK(q::tosa::from_pairs(one, good, to) == q::status::shape_mismatch);
  CHECK(q::tosa::from_pairs(good, one, to) == q::status::shape_mismatch);
  CHECK(q::tosa::from_pairs(q::view<const std::int64_t>(nullptr, 2), good, to) == q::status::null_data);
  for (const q::multiplier32 m : to) CHECK(m == q::multiplier32{7, 7});
  for (const q::multiplier16 m : to16) CHECK(m == q::multiplier16{7, 7});
}
