// Results that the compiler computes, by the code for MSVC: schemes, int48, folds, a layer, sizes, overlap and sums that
// overflow.
#include <dyadic/dyadic.hpp>
#include <dyadic/rescale.hpp>

namespace q = dyadic;

static_assert(q::shift_right<q::half_up>(-5, 1) == -2);
static_assert(q::shift_right<q::half_away>(-5, 1) == -3);
static_assert(q::shift_right<q::half_even>(-5LL, 1) == -2);
static_assert(q::leading_zeros(0) == 64 && q::leading_zeros(1) == 63 && q::leading_zeros(~0ull) == 0);

// 10 * 2^30 / 2^32 is a tie, 2.5. The last rule rounds it away from zero.
static_assert(q::tosa::scale32::apply(10, q::multiplier32{1 << 30, 32}) == 3);
static_assert(q::tosa::scale32::apply(-10, q::multiplier32{1 << 30, 32}) == -2);
static_assert(q::tflite::double_rounding::apply(-10, q::multiplier32{1 << 30, 32}) == -3);
static_assert(q::tosa::scale32::derive(0.25).value.mantissa == 1 << 30);
static_assert(q::packed_int48::of(q::int48::saturated(-(1LL << 47) - 1)).unpack().value() == -(1LL << 47));

// Sums that overflow: 2^62 + 2^62, 2^32 * 2^31, and sizes.
static_assert(q::detail::add_saturated(1LL << 62, 1LL << 62) == q::limits<std::int64_t>::max);
static_assert(q::detail::multiply_saturated(1LL << 32, -(1LL << 31)) == q::limits<std::int64_t>::min);
static_assert(q::detail::multiply_saturated(1LL << 32, -(1LL << 32)) == q::limits<std::int64_t>::min);
static_assert(q::detail::add_size(1, q::limits<q::index_t>::max / 2, 3) == -1);
static_assert(q::detail::add_size(q::limits<q::index_t>::max, 1) == -1 && q::detail::add_size(1, 5, 3) == 16);

constexpr bool finds_overlap() {
  std::int8_t all[4] = {};
  std::int8_t other[4] = {};
  const q::view<std::int8_t> left(all, 3), right(all + 2, 2), last(all + 3, 1), apart(other);
  return q::overlap(left, right) && q::overlap(right, left) && !q::overlap(left, last) && !q::overlap(left, apart);
}
static_assert(finds_overlap());

/// Folds and runs a layer of two channels of depth 3, and checks it first.
constexpr int run_layer(std::int16_t (&y)[2]) {
  const std::int16_t x[] = {-32768, 32767, 5};
  const std::int8_t w[] = {-128, 127, 1, 3, -4, 7};
  const std::int64_t bias[] = {1000, -1};
  std::int64_t constants[2] = {};
  const q::matrix_view weights(w, 2, 3);
  const auto folded = q::fold<std::int16_t>(weights, bias, q::zero_points{100, -3}, constants);
  const q::multiplier16 multipliers[] = {{1 << 14, 24}, {1 << 14, 20}};
  const q::linear_layer layer{weights, folded.value, q::per_channel_output<std::int16_t, q::tosa::scale16>{multipliers}};
  const q::matrix_view<const std::int16_t> from(x, 1, 3);
  const q::matrix_view<std::int16_t> to(y, 1, 2);
  if (folded.status != q::status::ok) return static_cast<int>(folded.status);
  const q::status checked = check(layer, from, to);
  if (checked == q::status::ok) run(layer, from, to);
  return static_cast<int>(checked);
}
constexpr int output(int channel) {
  std::int16_t y[2] = {};
  return run_layer(y) == 0 ? y[channel] : 99999;
}
// Channel 0: -32868 * -125 + 32667 * 130 - 95 * 4 + 1000 = 8355830; / 2^10 = 8159.99. Channel 1: -32868 * 6 - 32667 - 950 - 1 =
// -230826; / 2^6 = -3606.66.
static_assert(output(0) == 8160 && output(1) == -3607);
