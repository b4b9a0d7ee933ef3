#pragma once
/// \file
/// Bias, kernel sum and zero points folded into one constant per output channel. Floor 3.

#include <dyadic/int48.hpp>
#include <dyadic/rounding.hpp>
#include <dyadic/status.hpp>
#include <dyadic/view.hpp>

namespace dyadic {

/// The stored values that mean real 0, subtracted from activations and weights.
struct zero_points {
  std::int32_t x = 0;
  std::int32_t w = 0;

  friend constexpr bool operator==(zero_points a, zero_points b) noexcept { return a.x == b.x && a.w == b.w; }
  friend constexpr bool operator!=(zero_points a, zero_points b) noexcept { return !(a == b); }
};

/// Stands where a bias would, for a layer without one.
struct no_bias {};

/// One constant per output channel, and what it was made with:
/// constants[o] = bias[o] - zero.x * (sum_k w[o][k] - depth * zero.w), modulo 2^(bits of Accumulator).
template <class Accumulator>
struct folded_bias {
  view<const Accumulator> constants;
  index_t depth = 0;
  zero_points zero;
  std::int32_t x_min = 0;    ///< the smallest value of the activation type
  std::int32_t x_max = 0;    ///< the largest
  std::int64_t lowest = 0;   ///< the least accumulator of any channel for any activations, saturated to int64
  std::int64_t highest = 0;  ///< the greatest
};

namespace detail {

template <class T>
constexpr std::int64_t bias_value(T x) noexcept {
  static_assert(std::is_integral_v<T> && std::is_signed_v<T> && (sizeof(T) == 4 || sizeof(T) == 8), "a bias is int32, int48 or int64");
  return x;
}
constexpr std::int64_t bias_value(packed_int48 x) noexcept { return x.unpack().value(); }

/// The bias as a view; `no_bias` as an empty one.
template <class Bias>
constexpr auto bias_view(const Bias& bias) noexcept {
  if constexpr (std::is_same_v<Bias, no_bias>)
    return view<const std::int32_t>{};
  else
    return view(bias);
}

/// a + b, saturated to int64.
constexpr std::int64_t add_saturated(std::int64_t a, std::int64_t b) noexcept {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return a < 0 ? std::numeric_limits<std::int64_t>::min() : std::numeric_limits<std::int64_t>::max();
}

}  // namespace detail

/// Folds `bias` (int32, int64, packed_int48, or no_bias{}) and the kernel sums of `weights`, one row per output channel, into
/// `constants`, for activations of type X with zero points `zero`:
/// sum (x - zero.x)(w - zero.w) + bias = sum x w - zero.w * sum x + constants. Also finds the bounds of the accumulator over all
/// activations of type X: from the sums of the positive and of the negative w - zero.w, exact.
/// Returns a status, and writes nothing, if a view is unsound, a size differs, a zero point is no value of its type, or `constants`
/// overlaps an input. Needs no more than 64 bits for depths below 2^38.
template <class X, class W, class Bias, class Accumulator>
constexpr result<folded_bias<Accumulator>> fold(matrix_view<W> weights, const Bias& bias, zero_points zero,
                                                view<Accumulator> constants) noexcept {
  using weight = std::remove_const_t<W>;
  static_assert(std::is_same_v<Accumulator, std::int32_t> || std::is_same_v<Accumulator, std::int64_t>);
  const auto bias_of = detail::bias_view(bias);
  const bool has_bias = !std::is_same_v<Bias, no_bias>;
  if (const status s = check(weights); s != status::ok) return {{}, s};
  if (const status s = check(bias_of); s != status::ok) return {{}, s};
  if (const status s = check(constants); s != status::ok) return {{}, s};
  if (constants.size() != weights.rows() || (has_bias && bias_of.size() != weights.rows())) return {{}, status::shape_mismatch};
  if (!fits<X>(std::int64_t{zero.x}) || !fits<weight>(std::int64_t{zero.w})) return {{}, status::zero_point_out_of_range};
  if (overlap(constants, detail::extent(weights)) || overlap(constants, bias_of)) return {{}, status::overlap};

  constexpr std::int32_t x_min = std::numeric_limits<X>::min();
  constexpr std::int32_t x_max = std::numeric_limits<X>::max();
  folded_bias<Accumulator> folded{constants, weights.cols(), zero, x_min, x_max, 0, 0};
  for (index_t o = 0; o < weights.rows(); ++o) {
    std::int64_t positive = 0;
    std::int64_t negative = 0;
    for (index_t k = 0; k < weights.cols(); ++k) {
      const std::int64_t w = std::int64_t{weights.row(o)[k]} - zero.w;
      (w < 0 ? negative : positive) += w;
    }
    const std::int64_t b = has_bias ? detail::bias_value(bias_of[o]) : 0;
    const std::int64_t kernel_term = -std::int64_t{zero.x} * (positive + negative);
    constants[o] = wrap<Accumulator>(static_cast<std::uint64_t>(b) + static_cast<std::uint64_t>(kernel_term));

    const std::int64_t most = std::int64_t{x_max} - zero.x;
    const std::int64_t least = std::int64_t{x_min} - zero.x;
    const std::int64_t highest = detail::add_saturated(b, positive * most + negative * least);
    const std::int64_t lowest = detail::add_saturated(b, positive * least + negative * most);
    folded.highest = o == 0 || highest > folded.highest ? highest : folded.highest;
    folded.lowest = o == 0 || lowest < folded.lowest ? lowest : folded.lowest;
  }
  return {folded, status::ok};
}

/// The same for storage in an array, a std::array or a std::vector.
template <class X, class W, class Bias, class Storage>
constexpr auto fold(matrix_view<W> weights, const Bias& bias, zero_points zero, Storage& constants) noexcept {
  return fold<X>(weights, bias, zero, view(constants));
}

}  // namespace dyadic
