// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The integer form of a scale: mantissa * 2^-right_shift. Floor 1.

#include <dyadic/detail/ieee.hpp>
#include <dyadic/rounding.hpp>
#include <dyadic/status.hpp>
#include <dyadic/view.hpp>

namespace dyadic {

/// The dyadic rational mantissa * 2^-right_shift. A negative right_shift is a shift to the left.
template <class Mantissa>
struct multiplier {
  using mantissa_type = Mantissa;  ///< the type of the integer

  Mantissa mantissa = 0;         ///< any value of its type; a scheme may accept fewer values
  std::int32_t right_shift = 0;  ///< counts to the right, and to the left if negative

  /// Returns true if mantissa and shift are equal, not only the number that they make.
  DYADIC_API friend constexpr bool operator==(multiplier a, multiplier b) noexcept {
    return a.mantissa == b.mantissa && a.right_shift == b.right_shift;
  }
  DYADIC_API friend constexpr bool operator!=(multiplier a, multiplier b) noexcept { return !(a == b); }  ///< the opposite
};

/// Multipliers whose mantissa has 15, 31 or 32 bits.
/// @{
using multiplier16 = multiplier<std::int16_t>;
using multiplier32 = multiplier<std::int32_t>;
/// Holds the mantissa 2^31. Vela keeps it, others halve it.
using multiplier32u = multiplier<std::uint32_t>;
/// @}

/// Returns the multiplier nearest to `scale` whose mantissa uses all its bits. For scale = f * 2^e with f in [1/2, 1) and a
/// mantissa of N value bits (31 for uint32, too), it is round(f * 2^N) * 2^-(N - e). A mantissa that rounds up to 2^N is halved,
/// and e incremented. An unsigned mantissa keeps 2^N, because 2^N fits. A negative scale gives the negative of its magnitude's
/// multiplier, but -2^N is kept, because it fits. Zero gives {0, N}. NaN and infinity give {0, N} and `status::scale_not_finite`.
template <class Mantissa, class Ties>
DYADIC_API constexpr result<multiplier<Mantissa>> nearest(binary64 scale, Ties /*where a tie goes*/) noexcept {
  constexpr int bits = limits<std::make_signed_t<Mantissa>>::digits;
  if (!is_finite(scale)) return {{0, bits}, status::scale_not_finite};
  if (is_zero(scale)) return {{0, bits}, status::ok};
  const fraction f = decompose(scale);
  // |scale| = significand * 2^exponent with the significand in [2^63, 2^64).
  std::int64_t mantissa = static_cast<std::int64_t>(shift_right<Ties>(f.significand, 64 - bits));
  std::int32_t right_shift = bits - (f.exponent + 64);
  const bool keeps_all_ones = std::is_unsigned_v<Mantissa> || f.negative;
  if (mantissa == std::int64_t{1} << bits && !keeps_all_ones) {
    mantissa /= 2;
    --right_shift;
  }
  return {{static_cast<Mantissa>(f.negative ? -mantissa : mantissa), right_shift}, status::ok};
}

namespace detail {

/// Writes to[i] = {mantissas[i], base + sign * shifts[i]}. Writes nothing unless all elements fit and `to` shares no memory with
/// them.
template <class M, class S, class Mantissa>
DYADIC_API constexpr status from_arrays(view<M> mantissas, view<S> shifts, std::int64_t base, std::int64_t sign,
                                        view<multiplier<Mantissa>> to) noexcept {
  static_assert(std::is_signed_v<M> && std::is_signed_v<S> && sizeof(M) <= 8 && sizeof(S) <= 8);
  if (const status s = check_same_size(mantissas, to); s != status::ok) return s;
  if (const status s = check_same_size(shifts, to); s != status::ok) return s;
  if (overlap(to, mantissas) || overlap(to, shifts)) return status::overlap;
  constexpr std::int64_t shift_limit = 1 << 16;  // far beyond any shift that a scheme accepts
  for (index_t i = 0; i < to.size(); ++i)
    if (!fits<Mantissa>(std::int64_t{mantissas[i]}) || shifts[i] < -shift_limit || shifts[i] > shift_limit)
      return status::multiplier_out_of_range;
  for (index_t i = 0; i < to.size(); ++i)
    to[i] = {static_cast<Mantissa>(mantissas[i]), static_cast<std::int32_t>(base + sign * shifts[i])};
  return status::ok;
}

}  // namespace detail
}  // namespace dyadic
