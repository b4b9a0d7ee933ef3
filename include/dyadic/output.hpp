#pragma once
/// \file
/// From accumulator to output integer: a scheme, its multipliers, zero point and activation range. Floor 3.

#include <dyadic/scheme/formula.hpp>
#include <dyadic/status.hpp>
#include <dyadic/view.hpp>

namespace dyadic {

/// `empty_range`, `range_out_of_type` or `zero_point_out_of_range`.
template <class Y>
constexpr status check_range(output_range range) noexcept {
  if (range.min > range.max) return status::empty_range;
  if (!fits<Y>(std::int64_t{range.min}) || !fits<Y>(std::int64_t{range.max})) return status::range_out_of_type;
  return fits<Y>(std::int64_t{range.zero_point}) ? status::ok : status::zero_point_out_of_range;
}

/// One multiplier for all channels: y = clamp(scheme(acc, multiplier) + zero_point, min, max).
template <class Y, class Scheme>
struct tensor_output {
  using value_type = Y;
  using scheme = Scheme;
  using accumulator = typename Scheme::accumulator;

  typename Scheme::multiplier_type multiplier;
  output_range range = range_of<Y>();

  constexpr Y operator()(accumulator acc, index_t /*channel*/) const noexcept {
    return static_cast<Y>(requantize<Scheme>(acc, multiplier, range));
  }
};

/// One multiplier for each output channel.
template <class Y, class Scheme>
struct channel_output {
  using value_type = Y;
  using scheme = Scheme;
  using accumulator = typename Scheme::accumulator;

  view<const typename Scheme::multiplier_type> multipliers;
  output_range range = range_of<Y>();

  constexpr Y operator()(accumulator acc, index_t channel) const noexcept {
    return static_cast<Y>(requantize<Scheme>(acc, multipliers[channel], range));
  }
};

/// Whether the output can serve `channels` channels: its range, and `multiplier_out_of_range`.
template <class Y, class Scheme>
constexpr status check(const tensor_output<Y, Scheme>& output, index_t /*channels*/) noexcept {
  if (const status s = check_range<Y>(output.range); s != status::ok) return s;
  return Scheme::valid(output.multiplier) ? status::ok : status::multiplier_out_of_range;
}

/// The same; also what is wrong with the view of the multipliers, and `multiplier_count_mismatch`.
template <class Y, class Scheme>
constexpr status check(const channel_output<Y, Scheme>& output, index_t channels) noexcept {
  if (const status s = check_range<Y>(output.range); s != status::ok) return s;
  if (const status s = check(output.multipliers); s != status::ok) return s;
  if (output.multipliers.size() != channels) return status::multiplier_count_mismatch;
  for (const auto& m : output.multipliers)
    if (!Scheme::valid(m)) return status::multiplier_out_of_range;
  return status::ok;
}

namespace detail {
template <class T, class Y, class Scheme>
constexpr bool overlaps_multipliers(view<T>, const tensor_output<Y, Scheme>&) noexcept {
  return false;
}
template <class T, class Y, class Scheme>
constexpr bool overlaps_multipliers(view<T> y, const channel_output<Y, Scheme>& output) noexcept {
  return overlap(y, output.multipliers);
}
}  // namespace detail

}  // namespace dyadic
