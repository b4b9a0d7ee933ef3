// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The 48-bit range and its storage in six bytes. Floor 1.
/// Arithmetic is done in int64, where sums of int48 are exact. The functions `exact`, `saturated` and `wrapped` convert the
/// result to int48.

#include <dyadic/rounding.hpp>
#include <dyadic/status.hpp>
#include <dyadic/view.hpp>

namespace dyadic {

/// A signed integer in -2^47 .. 2^47 - 1.
class int48 {
 public:
  /// The limits of the range, and a test if x is in it. Parentheses keep a macro `min` or `max` of <windows.h> away, here and in
  /// other headers.
  /// @{
  DYADIC_API static constexpr std::int64_t(min)() noexcept { return -(std::int64_t{1} << 47); }
  DYADIC_API static constexpr std::int64_t(max)() noexcept { return (std::int64_t{1} << 47) - 1; }
  DYADIC_API static constexpr bool fits(std::int64_t x) noexcept { return x >= (min)() && x <= (max)(); }
  /// @}

  /// 0.
  DYADIC_API constexpr int48() noexcept = default;
  /// Converts any integer of at most 32 bits.
  template <class T, std::enable_if_t<std::is_integral_v<T> && sizeof(T) <= 4, int> = 0>
  DYADIC_API constexpr int48(T x) noexcept : value_{x} {}

  /// Returns x, or 0 and `status::value_out_of_range`.
  DYADIC_API static constexpr result<int48> exact(std::int64_t x) noexcept {
    return fits(x) ? result<int48>{int48{x, unchecked{}}, status::ok} : result<int48>{{}, status::value_out_of_range};
  }
  /// Returns the int48 nearest to x.
  DYADIC_API static constexpr int48 saturated(std::int64_t x) noexcept { return {clamp(x, (min)(), (max)()), unchecked{}}; }
  /// Returns x modulo 2^48: two's complement truncation.
  DYADIC_API static constexpr int48 wrapped(std::int64_t x) noexcept { return {(shift_left_wrapped(x, 16) >> 16), unchecked{}}; }

  /// Return the number as int64, where comparisons and sums are exact.
  /// @{
  DYADIC_API constexpr std::int64_t value() const noexcept { return value_; }
  DYADIC_API constexpr operator std::int64_t() const noexcept { return value_; }
  /// @}

 private:
  struct unchecked {};
  DYADIC_API constexpr int48(std::int64_t x, unchecked) noexcept : value_{x} {}

  std::int64_t value_ = 0;
};

/// Six bytes, little-endian two's complement, alignment 1: the form in which TOSA serialization stores an int48.
struct packed_int48 {
  std::uint8_t bytes[6];  ///< the least significant byte first

  /// Convert an int48 to six bytes and back.
  /// @{
  DYADIC_API static constexpr packed_int48 of(int48 x) noexcept {
    packed_int48 packed{};
    auto rest = static_cast<std::uint64_t>(x.value());
    for (std::uint8_t& byte : packed.bytes) {
      byte = static_cast<std::uint8_t>(rest & 0xFFu);
      rest >>= 8;
    }
    return packed;
  }
  DYADIC_API constexpr int48 unpack() const noexcept {
    std::uint64_t value = 0;
    for (int i = 5; i >= 0; --i) value = (value << 8) | bytes[i];
    return int48::wrapped(static_cast<std::int64_t>(value));
  }
  /// @}
};

static_assert(sizeof(packed_int48) == 6 && alignof(packed_int48) == 1);

namespace detail {

template <class T>
DYADIC_API constexpr bool all_fit_int48(view<T> values) noexcept {
  for (const std::int64_t x : values)
    if (!int48::fits(x)) return false;
  return true;
}

}  // namespace detail

namespace detail {
/// Sets to[i] = convert(values[i]).
template <class T, class Convert>
DYADIC_API constexpr status convert_each(view<T> values, view<packed_int48> to, Convert convert) noexcept {
  if (const status s = check_same_size(values, to); s != status::ok) return s;
  for (index_t i = 0; i < to.size(); ++i) to[i] = packed_int48::of(convert(values[i]));
  return status::ok;
}
}  // namespace detail

// The functions for arrays take views, arrays or containers, with unpacked elements of 64 bits. They return the error of
// `check_same_size`, and then write nothing. They touch 6 bytes for each packed element, and no byte past the last.

/// Sets to[i] = from[i] exactly. Returns `status::value_out_of_range`, and writes nothing, if an element does not fit.
template <class From = view<const std::int64_t>>
DYADIC_API constexpr status to_int48(const From& from, view<packed_int48> to) noexcept {
  const auto values = detail::view_of_integers<8>(from);
  if (const status s = check_same_size(values, to); s != status::ok) return s;
  return detail::all_fit_int48(values) ? detail::convert_each(values, to, int48::wrapped) : status::value_out_of_range;
}

/// Sets to[i] to the int48 nearest to from[i].
template <class From = view<const std::int64_t>>
DYADIC_API constexpr status to_int48_saturated(const From& from, view<packed_int48> to) noexcept {
  return detail::convert_each(detail::view_of_integers<8>(from), to, int48::saturated);
}

/// Sets to[i] = from[i] modulo 2^48.
template <class From = view<const std::int64_t>>
DYADIC_API constexpr status to_int48_wrapped(const From& from, view<packed_int48> to) noexcept {
  return detail::convert_each(detail::view_of_integers<8>(from), to, int48::wrapped);
}

/// Sets to[i] = from[i].
template <class To = view<std::int64_t>>
DYADIC_API constexpr status from_int48(view<const packed_int48> from, To&& to) noexcept {
  const auto values = detail::view_of_integers<8>(static_cast<To&&>(to));
  if (const status s = check_same_size(from, values); s != status::ok) return s;
  for (index_t i = 0; i < values.size(); ++i) values[i] = from[i].unpack().value();
  return status::ok;
}

/// Returns the bytes of `count` packed elements, padded to a multiple of 8 as TOSA serialization requires.
/// Requires: 0 <= count <= PTRDIFF_MAX / 8.
DYADIC_API constexpr index_t padded_size(index_t count) noexcept { return (6 * count + 7) / 8 * 8; }

namespace detail {
template <class T, class Bytes>
DYADIC_API constexpr status check_padded(view<T> values, view<Bytes> bytes) noexcept {
  if (const status s = check(values); s != status::ok) return s;
  if (const status s = check(bytes); s != status::ok) return s;
  return bytes.size() == padded_size(values.size()) ? status::ok : status::shape_mismatch;
}
/// Sets `to` to the bytes of convert(values[i]), then zeros.
template <class T, class Convert>
DYADIC_API constexpr status to_padded_int48(view<T> values, view<std::uint8_t> to, Convert convert) noexcept {
  if (const status s = check_padded(values, to); s != status::ok) return s;
  for (std::uint8_t& byte : to) byte = 0;
  for (index_t i = 0; i < values.size(); ++i) {
    const packed_int48 packed = packed_int48::of(convert(values[i]));
    for (index_t b = 0; b < 6; ++b) to[6 * i + b] = packed.bytes[b];
  }
  return status::ok;
}
}  // namespace detail

/// Convert like `to_int48`, `to_int48_saturated` and `to_int48_wrapped`, into padded_size(from.size()) bytes. Set the padding to
/// 0.
/// @{
template <class From = view<const std::int64_t>>
DYADIC_API constexpr status to_padded_int48(const From& from, view<std::uint8_t> to) noexcept {
  const auto values = detail::view_of_integers<8>(from);
  if (const status s = detail::check_padded(values, to); s != status::ok) return s;
  return detail::all_fit_int48(values) ? detail::to_padded_int48(values, to, int48::wrapped) : status::value_out_of_range;
}
template <class From = view<const std::int64_t>>
DYADIC_API constexpr status to_padded_int48_saturated(const From& from, view<std::uint8_t> to) noexcept {
  return detail::to_padded_int48(detail::view_of_integers<8>(from), to, int48::saturated);
}
template <class From = view<const std::int64_t>>
DYADIC_API constexpr status to_padded_int48_wrapped(const From& from, view<std::uint8_t> to) noexcept {
  return detail::to_padded_int48(detail::view_of_integers<8>(from), to, int48::wrapped);
}
/// @}

/// Converts like `from_int48`, from padded_size(to.size()) bytes. Does not read the padding.
template <class To = view<std::int64_t>>
DYADIC_API constexpr status from_padded_int48(view<const std::uint8_t> from, To&& to) noexcept {
  const auto values = detail::view_of_integers<8>(static_cast<To&&>(to));
  if (const status s = detail::check_padded(values, from); s != status::ok) return s;
  for (index_t i = 0; i < values.size(); ++i) {
    packed_int48 packed{};
    for (index_t b = 0; b < 6; ++b) packed.bytes[b] = from[6 * i + b];
    values[i] = packed.unpack().value();
  }
  return status::ok;
}

}  // namespace dyadic
