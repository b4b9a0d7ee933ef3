#include <dyadic/output.hpp>

#include <dyadic/scheme/tosa.hpp>

#include <cstdint>

#include "../support/catch.hpp"

namespace q = dyadic;

namespace {
using int8_output = q::per_tensor_output<std::int8_t, q::tosa::scale32>;
using channels_output = q::per_channel_output<std::int16_t, q::tosa::scale16>;

constexpr q::multiplier32 half{1 << 30, 31};

struct output_case {
  std::int32_t acc;
  q::output_range range;
  std::int8_t y;
};

// The output is acc / 2 with ties up, plus the zero point, clamped.
constexpr output_case cases[] = {
    {7, {0, -128, 127}, 4},
    {-7, {0, -128, 127}, -3},
    {252, {1, -128, 127}, 127},
    {253, {0, -128, 127}, 127},
    {-254, {-1, -128, 127}, -128},
    {-300, {0, -128, 127}, -128},
    {100, {0, -10, 10}, 10},
    {-100, {0, -10, 10}, -10},
    {0, {-128, -128, 127}, -128},
    {9, {-128, -128, 127}, -123},
    {-9, {127, 127, 127}, 127},
    {2147483647, {127, -128, 127}, 127},
    {-2147483647 - 1, {-128, -128, 127}, -128},
};

constexpr bool all_hold() {
  for (const output_case& c : cases)
    if (int8_output{half, c.range}(c.acc, 0) != c.y) return false;
  return true;
}

}  // namespace

TEST_CASE("an output rescales, adds the zero point and clamps, in that order") {
  static_assert(all_hold());
  for (const output_case& c : cases) CHECK(int{int8_output{half, c.range}(c.acc, 0)} == c.y);
}

TEST_CASE("the default range is that of the output type") {
  static_assert(int8_output{half}(1000, 0) == 127 && int8_output{half}(-1000, 0) == -128);
  static_assert(q::per_tensor_output<std::uint8_t, q::tosa::scale32>{half}(-1000, 0) == 0);
  CHECK(q::per_tensor_output<std::uint8_t, q::tosa::scale32>{half}(1000, 0) == 255);
}

TEST_CASE("each channel has its multiplier") {
  const q::multiplier16 multipliers[] = {{1 << 14, 14}, {1 << 14, 15}, {1 << 14, 16}};
  const channels_output output{multipliers};
  CHECK((output(100, 0) == 100 && output(100, 1) == 50 && output(100, 2) == 25));
}

TEST_CASE("a bad output gets its status") {
  using s = q::status;
  const auto tensor = [](q::multiplier32 m, q::output_range range) { return check(int8_output{m, range}, 3); };
  CHECK(tensor(half, {}) == s::range_out_of_type);
  CHECK(tensor(half, {0, -128, 127}) == s::ok);
  CHECK(tensor(half, {0, 5, 5}) == s::ok);
  CHECK(tensor(half, {0, 5, 4}) == s::empty_range);
  CHECK(tensor(half, {0, -129, 4}) == s::range_out_of_type);
  CHECK(tensor(half, {0, -128, 128}) == s::range_out_of_type);
  CHECK(tensor(half, {128, -128, 127}) == s::zero_point_out_of_range);
  CHECK(tensor(half, {-129, -128, 127}) == s::zero_point_out_of_range);
  CHECK(tensor({1 << 30, 1}, {0, -128, 127}) == s::multiplier_out_of_range);
  CHECK(tensor({1 << 30, 63}, {0, -128, 127}) == s::multiplier_out_of_range);
  CHECK(tensor({-1, 31}, {0, -128, 127}) == s::multiplier_out_of_range);

  const q::multiplier16 multipliers[] = {{1 << 14, 14}, {1 << 14, 15}, {-1, 16}};
  CHECK(check(channels_output{{multipliers, 2}}, 2) == s::ok);
  CHECK(check(channels_output{{multipliers, 2}}, 3) == s::multiplier_count_mismatch);
  CHECK(check(channels_output{{multipliers, 3}}, 3) == s::multiplier_out_of_range);
  CHECK(check(channels_output{{nullptr, 3}}, 3) == s::null_data);
  CHECK(check(channels_output{{multipliers, -1}}, -1) == s::negative_size);
  CHECK(check(channels_output{{multipliers, 2}, {0, 3, 2}}, 2) == s::empty_range);
}

namespace {

/// Returns the status of a mantissa before a valid one and after a valid one, which must be equal.
template <class Scheme, class Int, q::shift_convention Convention>
q::status status_of_mantissa(Int mantissa, Int shift) {
  const Int before[] = {mantissa, 1 << 14}, behind[] = {1 << 14, mantissa};
  const Int shifts[] = {shift, shift};
  using output = q::per_channel_arrays_output<std::int8_t, Scheme, Int, Convention>;
  const q::status found = check(output{before, shifts}, 2);
  return check(output{behind, shifts}, 2) == found ? found : q::status::unpredictable;
}

static_assert(!q::detail::is_scaled_output<std::uint32_t> && !q::detail::is_scaled_output<std::int64_t> &&
              !q::detail::is_scaled_output<float>);

}  // namespace

TEST_CASE("a mantissa of a framework's array is refused if only its lower bits would be valid") {
  using s = q::status;
  constexpr auto left = q::shift_convention::left;
  constexpr auto right = q::shift_convention::right;
  constexpr std::int64_t cut32 = std::int64_t{1} << 32;
  CHECK(status_of_mantissa<q::tosa::scale32, std::int64_t, right>(1 << 30, 31) == s::ok);
  CHECK(status_of_mantissa<q::tosa::scale32, std::int64_t, right>(cut32 + (1 << 30), 31) == s::multiplier_out_of_range);
  CHECK(status_of_mantissa<q::tosa::scale32, std::int64_t, right>(1 << 30, cut32 + 31) == s::multiplier_out_of_range);
  CHECK(status_of_mantissa<q::tosa::scale32, std::int64_t, right>(1 << 30, 31 - cut32) == s::multiplier_out_of_range);
  CHECK(status_of_mantissa<q::tosa::scale32, std::int64_t, left>(cut32 + (1 << 30), 0) == s::multiplier_out_of_range);
  CHECK(status_of_mantissa<q::tflite::reduced_int64, std::int64_t, left>(cut32 + (1 << 30), 0) == s::multiplier_out_of_range);
  CHECK(status_of_mantissa<q::tosa::scale16, std::int64_t, right>(1 << 14, 15) == s::ok);
  CHECK(status_of_mantissa<q::tosa::scale16, std::int32_t, right>((1 << 16) + (1 << 14), 15) == s::multiplier_out_of_range);
}

namespace {

/// A rule for a channel. The rule is as large as two elements of its type.
struct offset_rule {
  using value_type = std::int32_t;
  using accumulator = std::int32_t;
  std::int32_t offset, unused;
  constexpr value_type operator()(accumulator acc) const { return acc + offset; }
};

}  // namespace

TEST_CASE("overlaps_arrays finds memory in each array of an output") {
  using q::detail::overlaps_arrays;
  std::int32_t memory[6] = {};
  const auto met = [&](const auto& output) {
    int elements = 0;
    for (int i = 0; i < 6; ++i) elements += overlaps_arrays(q::view<std::int32_t>(memory + i, 1), output) ? 1 << i : 0;
    return elements;
  };
  offset_rule rules[3] = {};
  const auto meets_rule = [&](const q::channel_rules_output<offset_rule>& output) {
    int elements = 0;
    for (int i = 0; i < 3; ++i) elements += overlaps_arrays(q::view<std::int32_t>(&rules[i].unused, 1), output) ? 1 << i : 0;
    return elements;
  };
  q::multiplier32 multipliers[3] = {};
  const q::per_channel_output<std::int8_t, q::tosa::scale32> per_channel{{multipliers + 1, 1}};
  CHECK(met(q::per_channel_arrays_output<std::int8_t, q::tosa::scale32>{{memory, 2}, {memory + 3, 2}}) == 0b011011);
  CHECK((overlaps_arrays(q::view<q::multiplier32>(multipliers, 2), per_channel) &&
         !overlaps_arrays(q::view<q::multiplier32>(multipliers, 1), per_channel)));
  CHECK(meets_rule({{rules, 2}}) == 0b011);
  CHECK(met(int8_output{half}) == 0);
}
