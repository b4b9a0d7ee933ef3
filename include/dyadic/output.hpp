// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Turns an accumulator into an output: by a scheme, multipliers, zero point and activation range, or as it is. Floor 3.

#include <dyadic/int4.hpp>
#include <dyadic/int48.hpp>
#include <dyadic/scheme/tflite.hpp>

namespace dyadic {

/// Returns `ok`, `empty_range`, `range_out_of_type` or `zero_point_out_of_range`.
template <class Y>
DYADIC_API constexpr status check_range(output_range range) noexcept {
  if (range.min > range.max) return status::empty_range;
  if (range.min < limits<Y>::min || range.max > limits<Y>::max) return status::range_out_of_type;
  return fits<Y>(range.zero_point) ? status::ok : status::zero_point_out_of_range;
}

namespace detail {
/// True if a scheme's results can be stored as Y.
template <class Y>
inline constexpr bool is_scaled_output = is_one_of<Y, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t> ||
                                         (std::is_integral_v<Y> && std::is_signed_v<Y> && sizeof(Y) == 4);
}  // namespace detail

/// An output with one multiplier for all channels: y = clamp(scheme(acc, multiplier) + zero_point, min, max).
template <class Y, class Scheme>
struct per_tensor_output {
  static_assert(detail::is_scaled_output<Y>, "a scaled output is int8, uint8, int16, uint16 or int32");
  using scheme = Scheme;                             ///< the rule from accumulator to result
  using value_type = Y;                              ///< what is stored
  using accumulator = typename Scheme::accumulator;  ///< what is rescaled

  typename Scheme::multiplier_type multiplier;  ///< valid for the scheme
  output_range range = range_of<Y>();           ///< zero point and activation range

  /// Returns the multiplier of any channel.
  DYADIC_API constexpr typename Scheme::multiplier_type multiplier_of(index_t /*channel*/) const noexcept { return multiplier; }
  /// Returns the output, which is the same for all channels.
  DYADIC_API constexpr Y operator()(accumulator acc, index_t /*channel*/) const noexcept {
    return static_cast<Y>(requantize<Scheme>(acc, multiplier, range));
  }
};

/// An output with one multiplier for each output channel.
template <class Y, class Scheme>
struct per_channel_output {
  static_assert(detail::is_scaled_output<Y>, "a scaled output is int8, uint8, int16, uint16 or int32");
  using scheme = Scheme;                             ///< the rule from accumulator to result
  using value_type = Y;                              ///< what is stored
  using accumulator = typename Scheme::accumulator;  ///< what is rescaled

  view<const typename Scheme::multiplier_type> multipliers;  ///< one for each channel
  output_range range = range_of<Y>();                        ///< zero point and activation range, of all channels

  /// Returns the multiplier of this channel.
  DYADIC_API constexpr typename Scheme::multiplier_type multiplier_of(index_t channel) const noexcept {
    return multipliers[channel];
  }
  /// Returns the output of this channel.
  DYADIC_API constexpr Y operator()(accumulator acc, index_t channel) const noexcept {
    return static_cast<Y>(requantize<Scheme>(acc, multiplier_of(channel), range));
  }
};

template <class Y>
struct fused_output;  ///< defined in proved.hpp

/// The direction in which the shifts of an array count.
enum class shift_convention : std::uint8_t {
  left,   ///< shifts count to the left, without the mantissa's 31 bits: TFLite, CMSIS-NN, ExecuTorch Cortex-M and Cadence
  right,  ///< shifts count to the right, with the mantissa's 31 or 15 bits: TOSA, ExecuTorch Arm
};

/// An output with one multiplier for each output channel, read in place from a framework's two arrays of 32-bit or 64-bit
/// integers. A left shift goes with a 31-bit mantissa, and `tflite::reduce` shortens the mantissa if the scheme has 15 bits. A
/// right shift goes with the scheme's own mantissa.
template <class Y, class Scheme, class Int = std::int32_t, shift_convention Convention = shift_convention::left>
struct per_channel_arrays_output {
  static_assert(detail::is_scaled_output<Y>, "a scaled output is int8, uint8, int16, uint16 or int32");
  static_assert(std::is_signed_v<Int> && (sizeof(Int) == 4 || sizeof(Int) == 8));
  using scheme = Scheme;                                          ///< the rule from accumulator to result
  using value_type = Y;                                           ///< what is stored
  using accumulator = typename Scheme::accumulator;               ///< what is rescaled
  using multiplier_type = typename Scheme::multiplier_type;       ///< the multiplier of the scheme
  using mantissa_type = typename multiplier_type::mantissa_type;  ///< a mantissa of 15 or 31 bits
  /// The type that an element of `mantissas` must fit.
  using stored_type = std::conditional_t<Convention == shift_convention::right, mantissa_type, std::int32_t>;

  view<const Int> mantissas;           ///< one for each channel
  view<const Int> shifts;              ///< one for each channel, counted by the convention
  output_range range = range_of<Y>();  ///< zero point and activation range, of all channels

  /// Returns the multiplier of this channel. Requires: `check` finds that the elements fit.
  DYADIC_API constexpr multiplier_type multiplier_of(index_t channel) const noexcept {
    return multiplier_of(mantissas[channel], shifts[channel]);
  }
  /// Returns the multiplier of a stored mantissa and shift. Requires: the mantissa and the shift fit their types.
  DYADIC_API static constexpr multiplier_type multiplier_of(Int stored_mantissa, Int stored_shift) noexcept {
    const auto mantissa = static_cast<stored_type>(stored_mantissa);
    const auto shift = static_cast<std::int32_t>(stored_shift);
    if constexpr (Convention == shift_convention::right)
      return {mantissa, shift};
    else if constexpr (sizeof(mantissa_type) == 2)
      return tflite::reduce(tflite::from_pair(mantissa, shift));
    else
      return tflite::from_pair(mantissa, shift);
  }
  /// Returns the output of this channel.
  DYADIC_API constexpr Y operator()(accumulator acc, index_t channel) const noexcept {
    return static_cast<Y>(requantize<Scheme>(acc, multiplier_of(channel), range));
  }
};

/// Stores the accumulator itself: Y is std::int32_t, std::int64_t or packed_int48. `check` refuses a layer whose accumulator does
/// not fit Y.
template <class Y>
struct raw_output {
  static_assert(std::is_same_v<Y, packed_int48> || (std::is_integral_v<Y> && std::is_signed_v<Y> && sizeof(Y) >= 4),
                "a raw output is int32, int64 or packed_int48");
  using value_type = Y;                                                                ///< what is stored
  using accumulator = std::conditional_t<sizeof(Y) == 4, std::int32_t, std::int64_t>;  ///< 32 bits or 64

  /// Returns the accumulator, modulo 2^48 if it is packed.
  DYADIC_API constexpr Y operator()(accumulator acc, index_t /*channel*/) const noexcept {
    if constexpr (std::is_same_v<Y, packed_int48>)
      return packed_int48::of(int48::wrapped(acc));
    else
      return acc;
  }
};

/// Computes y = rules[channel](acc). The rule of each output channel adds the bias itself, so the layer is folded with `no_bias`.
/// A rule has
/// - `value_type` and `accumulator`, and `accumulator_bits` if it takes fewer bits than its accumulator has;
/// - `valid()`, which is true if its numbers make a rule;
/// - `valid(acc)`, which is true if the result is defined for a 64-bit accumulator. If it is true for two accumulators, it is
///   true for all between them.
template <class Rule>
struct channel_rules_output {
  using value_type = typename Rule::value_type;    ///< what a rule gives
  using accumulator = typename Rule::accumulator;  ///< what a rule takes

  view<const Rule> rules;  ///< one for each channel

  /// Returns the output of this channel.
  DYADIC_API constexpr value_type operator()(accumulator acc, index_t channel) const noexcept { return rules[channel](acc); }
};

/// Checks if the output is valid for `channels` channels. Returns the status of `check_range`, or `multiplier_out_of_range`.
template <class Y, class Scheme>
DYADIC_API constexpr status check(const per_tensor_output<Y, Scheme>& output, index_t /*channels*/) noexcept {
  if (const status s = check_range<Y>(output.range); s != status::ok) return s;
  return Scheme::valid(output.multiplier) ? status::ok : status::multiplier_out_of_range;
}

/// Returns the statuses of a `per_tensor_output`, the first error of the multipliers' view, or `multiplier_count_mismatch`.
template <class Y, class Scheme>
DYADIC_API constexpr status check(const per_channel_output<Y, Scheme>& output, index_t channels) noexcept {
  if (const status s = check_range<Y>(output.range); s != status::ok) return s;
  if (const index_t extent = output.multipliers.measure(); extent != channels)
    return extent < 0 ? detail::status_of(extent) : status::multiplier_count_mismatch;
  for (index_t c = channels; --c >= 0;)
    if (!Scheme::valid(output.multipliers[c])) return status::multiplier_out_of_range;
  return status::ok;
}

/// Returns the statuses of a `per_channel_output`, `shape_mismatch` if the arrays differ in size, and `multiplier_out_of_range`
/// also if an element does not fit.
template <class Y, class Scheme, class Int, shift_convention Convention>
DYADIC_API constexpr status check(const per_channel_arrays_output<Y, Scheme, Int, Convention>& output,
                                  index_t channels) noexcept {
  using stored_type = typename per_channel_arrays_output<Y, Scheme, Int, Convention>::stored_type;
  if (const status s = check_range<Y>(output.range); s != status::ok) return s;
  if (const status s = check_same_size(output.mantissas, output.shifts); s != status::ok) return s;
  if (output.mantissas.size() != channels) return status::multiplier_count_mismatch;
  for (index_t c = 0; c < channels; ++c) {
    const std::int64_t shift = output.shifts[c];
    const bool sane = fits<stored_type>(std::int64_t{output.mantissas[c]}) && shift > -1000 && shift < 1000;
    if (!sane || !Scheme::valid(output.multiplier_of(c))) return status::multiplier_out_of_range;
  }
  return status::ok;
}

/// Returns the first error of the rules' view, `multiplier_count_mismatch`, or `multiplier_out_of_range` if a rule is invalid.
template <class Rule>
DYADIC_API constexpr status check(const channel_rules_output<Rule>& output, index_t channels) noexcept {
  if (const status s = check(output.rules); s != status::ok) return s;
  if (output.rules.size() != channels) return status::multiplier_count_mismatch;
  for (const Rule& rule : output.rules)
    if (!rule.valid()) return status::multiplier_out_of_range;
  return status::ok;
}

/// Returns `ok`, because a raw output is valid for any channel.
template <class Y>
DYADIC_API constexpr status check(const raw_output<Y>&, index_t /*channels*/) noexcept {
  return status::ok;
}

/// Returns true if the output takes the accumulator `acc`: within the bits of its scheme, or a value of its raw type. If the
/// output has rules, each rule must find `acc` valid. Then `check` may refuse a channel for an accumulator that only another
/// channel reaches. Requires: the view of the rules is sound.
/// @{
template <class Output, class Scheme = typename Output::scheme>
DYADIC_API constexpr bool takes(const Output&, std::int64_t acc) noexcept {
  return fits_accumulator<Scheme>(acc);
}
template <class Rule>
DYADIC_API constexpr bool takes(const channel_rules_output<Rule>& output, std::int64_t acc) noexcept {
  DYADIC_ASSERT(check(output.rules) == status::ok);
  for (const Rule& rule : output.rules)
    if (!rule.valid(acc)) return false;
  return true;
}
template <class Y>
DYADIC_API constexpr bool takes(const raw_output<Y>&, std::int64_t acc) noexcept {
  if constexpr (std::is_same_v<Y, packed_int48>)
    return int48::fits(acc);
  else
    return fits<Y>(acc);
}
/// @}

namespace detail {
/// Computes the output of a sum, in one copy for all layers of a program: for -Os.
template <class Output>
DYADIC_API DYADIC_NOINLINE constexpr typename Output::value_type output_of_sum(const Output& output, index_t channel,
                                                                               typename Output::accumulator sum) noexcept {
  return output(sum, channel);
}

/// arrays_of counts an output's arrays. locate_arrays finds them if their views are sound. check_arrays checks the views.
/// @{
template <class Output>
inline constexpr std::size_t arrays_of = 0;
template <class Y, class Scheme>
inline constexpr std::size_t arrays_of<per_channel_output<Y, Scheme>> = 1;
template <class Y, class Scheme, class Int, shift_convention Convention>
inline constexpr std::size_t arrays_of<per_channel_arrays_output<Y, Scheme, Int, Convention>> = 2;
template <class Rule>
inline constexpr std::size_t arrays_of<channel_rules_output<Rule>> = 1;

template <class Y, class Scheme>
DYADIC_API constexpr void locate_arrays(const per_channel_output<Y, Scheme>& output, memory* at) noexcept {
  at[0] = memory_at(output.multipliers, output.multipliers.size());
}
template <class Y, class Scheme, class Int, shift_convention Convention>
DYADIC_API constexpr void locate_arrays(const per_channel_arrays_output<Y, Scheme, Int, Convention>& output,
                                        memory* at) noexcept {
  at[0] = memory_at(output.mantissas, output.mantissas.size());
  at[1] = memory_at(output.shifts, output.shifts.size());
}
template <class Rule>
DYADIC_API constexpr void locate_arrays(const channel_rules_output<Rule>& output, memory* at) noexcept {
  at[0] = memory_at(output.rules, output.rules.size());
}
template <class Output>
DYADIC_API constexpr status check_arrays(const Output&) noexcept {
  return status::ok;
}
template <class Y, class Scheme>
DYADIC_API constexpr status check_arrays(const per_channel_output<Y, Scheme>& output) noexcept {
  return check(output.multipliers);
}
template <class Y, class Scheme, class Int, shift_convention Convention>
DYADIC_API constexpr status check_arrays(const per_channel_arrays_output<Y, Scheme, Int, Convention>& output) noexcept {
  const status s = check(output.mantissas);
  return s == status::ok ? check(output.shifts) : s;
}
template <class Rule>
DYADIC_API constexpr status check_arrays(const channel_rules_output<Rule>& output) noexcept {
  return check(output.rules);
}
/// @}

/// Returns true if an array of an output shares memory with `written`. An array with an unsound view shares no memory.
template <class T, class Output>
DYADIC_API constexpr bool overlaps_arrays(view<T> written, const Output& output) noexcept {
  if constexpr (arrays_of<Output> == 0) {
    return false;
  } else {
    if (check_arrays(output) != status::ok) return false;
    memory at[1 + arrays_of<Output>] = {memory_at(written, written.size())};
    locate_arrays(output, at + 1);
    return check_first(at, 1 + arrays_of<Output>) == status::overlap;
  }
}

/// True if the output adds the bias, so that the fold must not.
template <class Output>
inline constexpr bool adds_bias = false;
template <class Rule>
inline constexpr bool adds_bias<channel_rules_output<Rule>> = true;
}  // namespace detail

}  // namespace dyadic
