#pragma once
/// \file
/// NaN, infinity and the ends of each format, given by their bits, because -ffast-math assumes that there is no NaN or infinity.

#include <dyadic/detail/ieee.hpp>

namespace support::of_binary32 {
inline constexpr dyadic::binary32 infinite = dyadic::binary32::from_bits(0x7F80'0000);
inline constexpr dyadic::binary32 quiet_nan = dyadic::binary32::from_bits(0x7FC0'0000);
inline constexpr dyadic::binary32 least = dyadic::binary32::from_bits(1);
}  // namespace support::of_binary32

namespace support::of_binary64 {
inline constexpr dyadic::binary64 infinite = dyadic::binary64::from_bits(0x7FF0'0000'0000'0000);
inline constexpr dyadic::binary64 quiet_nan = dyadic::binary64::from_bits(0x7FF8'0000'0000'0000);
inline constexpr dyadic::binary64 least = dyadic::binary64::from_bits(1);
inline constexpr dyadic::binary64 largest = dyadic::binary64::from_bits(0x7FEF'FFFF'FFFF'FFFF);
}  // namespace support::of_binary64
