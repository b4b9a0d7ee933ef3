// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Folds bias, kernel sum and zero points into constants, once for each layer. Floor 3.

#include <dyadic/detail/arguments.hpp>
#include <dyadic/detail/weight_sums.hpp>

namespace dyadic {

namespace detail {

/// Returns a * b, saturated to int64.
DYADIC_API constexpr std::int64_t multiply_saturated(std::int64_t a, std::int64_t b) noexcept {
  std::int64_t product = 0;
  if (!DYADIC_MULTIPLY_OVERFLOWS(a, b, &product)) return product;
  return (a < 0) == (b < 0) ? limits<std::int64_t>::max : limits<std::int64_t>::min;
}

/// Returns a + b, saturated to int64.
DYADIC_API constexpr std::int64_t add_saturated(std::int64_t a, std::int64_t b) noexcept {
  std::int64_t sum = 0;
  if (!DYADIC_ADD_OVERFLOWS(a, b, &sum)) return sum;
  return a < 0 ? limits<std::int64_t>::min : limits<std::int64_t>::max;
}

/// The weights of output channel o at tap t start at row(o) + t * depth: linear layers, and OHWI.
template <class Weights>
struct channel_major {
  static constexpr bool has_runs = true;  ///< the weights of neighbouring taps are adjacent
  Weights rows;
  index_t depth;

  DYADIC_API constexpr channel_major(const Weights& of_channels, index_t taps) noexcept
      : rows{of_channels}, depth{of_channels.cols() / taps} {}
  DYADIC_API constexpr index_t channels() const noexcept { return rows.rows(); }
  DYADIC_API constexpr bool has_taps(index_t taps) const noexcept { return depth * taps == rows.cols(); }
  DYADIC_API constexpr auto operator()(index_t o, index_t tap) const noexcept { return rows.row(o) + tap * depth; }
  DYADIC_API constexpr auto of_channel(index_t o) const noexcept { return rows.row(o); }
};

/// Reads like a pointer to the weights of output channel o in 1HWO.
template <class Weights>
struct weights_of_taps {
  Weights rows;
  index_t o;
  index_t first;

  DYADIC_API constexpr auto operator[](index_t tap) const noexcept { return rows.row(first + tap)[o]; }
  DYADIC_API constexpr weights_of_taps operator+(index_t taps) const noexcept { return {rows, o, first + taps}; }
};

/// The only weight of output channel o at tap t is row(t)[o]: depthwise layers, 1HWO.
template <class Weights>
struct tap_major {
  static constexpr bool has_runs = false;
  static constexpr index_t depth = 1;
  Weights rows;

  DYADIC_API constexpr tap_major(const Weights& of_taps, index_t /*taps*/) noexcept : rows{of_taps} {}
  DYADIC_API constexpr index_t channels() const noexcept { return rows.cols(); }
  DYADIC_API constexpr bool has_taps(index_t taps) const noexcept { return rows.rows() == taps; }
  DYADIC_API constexpr auto operator()(index_t o, index_t tap) const noexcept { return rows.row(tap) + o; }
  DYADIC_API constexpr weights_of_taps<Weights> of_channel(index_t o) const noexcept { return {rows, o, 0}; }
};

/// Widens the bound of the record to the accumulators that a channel with this bias and these sums can reach. A tap may read real
/// 0, so that windows that lose taps at a border reach no further than whole windows. The 32-bit code needs no saturation of
/// products: fewer than 2^31 weights times activations less than 2^16 stay within 2^62.
DYADIC_API constexpr void widen_bound(fold_record& record, bool first, std::int64_t bias, weight_sums s) noexcept {
  const std::int32_t most = record.x_max - record.zero.x;
  const std::int32_t least = record.x_min - record.zero.x;
  std::int64_t highest = 0, lowest = 0;
  if constexpr (sizeof(index_t) == 4) {
    const auto p = static_cast<std::uint64_t>(s.positive());
    const auto n = static_cast<std::uint64_t>(s.magnitude) - p;
    const auto up = static_cast<std::uint32_t>(most), down = static_cast<std::uint32_t>(-least);
    highest = add_saturated(bias, static_cast<std::int64_t>(n * down + p * up));
    lowest = add_saturated(bias, -static_cast<std::int64_t>(n * up + p * down));
  } else {
    const auto reach = [&](std::int64_t p, std::int64_t n) {
      return add_saturated(bias, add_saturated(multiply_saturated(s.positive(), p), multiply_saturated(s.negative(), n)));
    };
    highest = reach(most, least);
    lowest = reach(least, most);
  }
  record.bound.highest = first || highest > record.bound.highest ? highest : record.bound.highest;
  record.bound.lowest = first || lowest < record.bound.lowest ? lowest : record.bound.lowest;
}

/// Fills the constants and completes the record.
template <class Accumulator, class Weights, class BiasView>
DYADIC_API constexpr void fold_taps(const Weights& weights, const BiasView& bias, fold_record& record,
                                    view<Accumulator> constants, verifiable taken) noexcept {
  record.fingerprint = taken == verifiable::yes ? empty_fingerprint : 0;
  for_each_phase(record, [&](index_t o, index_t phase) {
    weight_sums sums{};
    for_each_chunk(weights, record, o, phase, [&](const auto* chunk, index_t length) {
      add_chunk(chunk, length, sums, record);
      if (taken == verifiable::yes) record.fingerprint = fingerprint_with(record.fingerprint, chunk, length);
    });
    const std::int64_t b = bias.empty() ? 0 : bias_value(bias[o]);
    widen_bound(record, o + phase == 0, b, sums);
    const std::uint64_t shift = static_cast<std::uint64_t>(record.zero.x) * static_cast<std::uint64_t>(sums.total);
    if (record.zero.x == 0) phase = 0;
    constants[phase * record.channels + o] = wrap<Accumulator>(static_cast<std::uint64_t>(b) - shift);
  });
}

/// Returns the first error in the arguments of a fold.
template <class X, class W, class BiasView, class Accumulator>
DYADIC_API constexpr status check_fold(const matrix_view<W>& matrix, const BiasView& bias, const fold_record& record,
                                       view<Accumulator> constants) noexcept {
  const index_t extent = matrix.measure();
  if (extent < 0) return status_of(extent);
  if (const status s = check(bias); s != status::ok) return s;
  if (const status s = check(constants); s != status::ok) return s;
  const bool fit = constants.size() == constants_of(record);
  if (!fit || (record.has_bias && bias.size() != record.channels)) return status::shape_mismatch;
  if (!is_operand<X>(record.zero.x) || !is_operand<W>(record.zero.w)) return status::zero_point_out_of_range;
  return share_memory(constants, memory_of(matrix)) || overlap(constants, bias) ? status::overlap : status::ok;
}

/// Folds weights of the sizes in the record.
template <class X, class W, class Weights, class Bias, class Accumulator>
DYADIC_API constexpr result<folded_bias<Accumulator>> fold_checked(const matrix_view<W>& matrix, const Weights& weights,
                                                                   const Bias& bias, const fold_record& record,
                                                                   view<Accumulator> constants, verifiable taken) noexcept {
  static_cast<void>(takes_operands<X, std::remove_const_t<W>>());
  const auto bias_of = bias_view(bias);
  result<folded_bias<Accumulator>> made{{constants, record}, status::ok};
  made.value.record.has_bias = has_bias(bias);
  made.status = check_fold<X>(matrix, bias_of, made.value.record, constants);
  if (made.status == status::ok)
    fold_taps(weights, bias_of, made.value.record, constants, taken);
  else
    made.value = {};
  return made;
}

}  // namespace detail

/// Folds the bias, the kernel sums and the zero points of a linear layer into one constant for each channel:
///
///     sum (x - zero.x) (w - zero.w) + bias = sum x w - zero.w * sum x + constant
///
/// The bias is int32, int64, packed_int48, no_bias{} or any_bias.
/// `weights` has one row per output channel. Activations are of type X. The bound of the accumulator over all activations of type
/// X is exact.
/// Returns a status, and writes nothing, if a view is unsound, a size differs, or a zero point is not a value of its type.
/// Returns `overlap`, and writes nothing, if `constants` overlaps an input. Sums are exact in 64 bits while depth * 2^(bits of X
/// + bits of W) <= 2^62: below 2^38 for int16 and int8. The record has no fingerprint if `taken` is verifiable::no.
template <class X = void, class Weights, class Bias, class Storage>
DYADIC_API constexpr auto fold(Weights weights, const Bias& bias, zero_points zero, Storage&& constants,
                               verifiable taken = verifiable::yes) noexcept {
  if constexpr (detail::takes_fold<X, Weights, Bias, Storage>()) {
    const fold_record record = detail::linear_record<X>(weights.rows(), weights.cols(), zero);
    return detail::fold_checked<X>(weights, detail::channel_major<Weights>(weights, 1), bias, record,
                                   view(static_cast<Storage&&>(constants)), taken);
  } else {
    return result<folded_bias<std::int32_t>>{};
  }
}

}  // namespace dyadic
