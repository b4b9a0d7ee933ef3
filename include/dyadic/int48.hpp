#pragma once
/// \file
/// The 48-bit range and its six-byte storage. Floor 1.
/// Arithmetic is done in int64, where sums of int48 are exact; back to int48 goes `exact`, `saturated` or `wrapped`, by name.

#include <dyadic/rounding.hpp>
#include <dyadic/status.hpp>
#include <dyadic/view.hpp>

namespace dyadic {

/// A signed integer in -2^47 .. 2^47 - 1.
class int48 {
 public:
  static constexpr std::int64_t min() noexcept { return -(std::int64_t{1} << 47); }
  static constexpr std::int64_t max() noexcept { return (std::int64_t{1} << 47) - 1; }
  static constexpr bool fits(std::int64_t x) noexcept { return x >= min() && x <= max(); }

  /// 0.
  constexpr int48() noexcept = default;
  /// Any integer of at most 32 bits is an int48.
  template <class T, std::enable_if_t<std::is_integral_v<T> && sizeof(T) <= 4, int> = 0>
  constexpr int48(T x) noexcept : value_{x} {}

  /// x itself, or 0 and `status::value_out_of_range`.
  static constexpr result<int48> exact(std::int64_t x) noexcept {
    return fits(x) ? result<int48>{int48{x, unchecked{}}, status::ok} : result<int48>{{}, status::value_out_of_range};
  }
  /// The int48 nearest to x.
  static constexpr int48 saturated(std::int64_t x) noexcept { return {clamp(x, min(), max()), unchecked{}}; }
  /// x modulo 2^48: two's complement truncation.
  static constexpr int48 wrapped(std::int64_t x) noexcept { return {shift_left_wrapped(x, 16) >> 16, unchecked{}}; }

  constexpr std::int64_t value() const noexcept { return value_; }
  constexpr operator std::int64_t() const noexcept { return value_; }

 private:
  struct unchecked {};
  constexpr int48(std::int64_t x, unchecked) noexcept : value_{x} {}

  std::int64_t value_ = 0;
};

/// Six bytes, little-endian two's complement, alignment 1: how TOSA serialization stores an int48.
struct packed_int48 {
  std::uint8_t bytes[6];

  static constexpr packed_int48 pack(int48 x) noexcept {
    packed_int48 packed{};
    auto rest = static_cast<std::uint64_t>(x.value());
    for (std::uint8_t& byte : packed.bytes) {
      byte = static_cast<std::uint8_t>(rest & 0xFFu);
      rest >>= 8;
    }
    return packed;
  }
  constexpr int48 unpack() const noexcept {
    std::uint64_t value = 0;
    for (int i = 5; i >= 0; --i) value = (value << 8) | bytes[i];
    return int48::wrapped(static_cast<std::int64_t>(value));
  }
};

static_assert(sizeof(packed_int48) == 6 && alignof(packed_int48) == 1);

/// to[i] = from[i], exact. `status::value_out_of_range` if one does not fit, `shape_mismatch`, `null_data` or `negative_size`; then
/// nothing is written. Writes 6 bytes an element and none behind the last.
constexpr status pack(view<const std::int64_t> from, view<packed_int48> to) noexcept {
  if (const status s = check_same_size(from, to); s != status::ok) return s;
  for (const std::int64_t x : from)
    if (!int48::fits(x)) return status::value_out_of_range;
  for (index_t i = 0; i < to.size(); ++i) to[i] = packed_int48::pack(int48::wrapped(from[i]));
  return status::ok;
}

/// to[i] = the int48 nearest to from[i]. `shape_mismatch`, `null_data` or `negative_size`: nothing is written.
constexpr status pack_saturated(view<const std::int64_t> from, view<packed_int48> to) noexcept {
  if (const status s = check_same_size(from, to); s != status::ok) return s;
  for (index_t i = 0; i < to.size(); ++i) to[i] = packed_int48::pack(int48::saturated(from[i]));
  return status::ok;
}

/// to[i] = from[i] modulo 2^48. `shape_mismatch`, `null_data` or `negative_size`: nothing is written.
constexpr status pack_wrapped(view<const std::int64_t> from, view<packed_int48> to) noexcept {
  if (const status s = check_same_size(from, to); s != status::ok) return s;
  for (index_t i = 0; i < to.size(); ++i) to[i] = packed_int48::pack(int48::wrapped(from[i]));
  return status::ok;
}

/// to[i] = from[i]. `shape_mismatch`, `null_data` or `negative_size`: nothing is written. Reads 6 bytes an element and none behind.
constexpr status unpack(view<const packed_int48> from, view<std::int64_t> to) noexcept {
  if (const status s = check_same_size(from, to); s != status::ok) return s;
  for (index_t i = 0; i < to.size(); ++i) to[i] = from[i].unpack().value();
  return status::ok;
}

/// Bytes of `count` packed elements with the padding to a multiple of 8 that TOSA serialization wants.
/// Requires: 0 <= count <= PTRDIFF_MAX / 8.
constexpr index_t padded_size(index_t count) noexcept { return (6 * count + 7) / 8 * 8; }

namespace detail {
constexpr status check_padded(view<const std::int64_t> values, view<const std::uint8_t> bytes) noexcept {
  if (const status s = check(values); s != status::ok) return s;
  if (const status s = check(bytes); s != status::ok) return s;
  return bytes.size() == padded_size(values.size()) ? status::ok : status::shape_mismatch;
}
}  // namespace detail

/// As `pack`, exact, into padded_size(from.size()) bytes, whose padding becomes 0.
constexpr status pack_padded(view<const std::int64_t> from, view<std::uint8_t> to) noexcept {
  if (const status s = detail::check_padded(from, to); s != status::ok) return s;
  for (const std::int64_t x : from)
    if (!int48::fits(x)) return status::value_out_of_range;
  for (std::uint8_t& byte : to) byte = 0;
  for (index_t i = 0; i < from.size(); ++i) {
    const packed_int48 packed = packed_int48::pack(int48::wrapped(from[i]));
    for (index_t b = 0; b < 6; ++b) to[6 * i + b] = packed.bytes[b];
  }
  return status::ok;
}

/// As `unpack`, from padded_size(to.size()) bytes; the padding is not read.
constexpr status unpack_padded(view<const std::uint8_t> from, view<std::int64_t> to) noexcept {
  if (const status s = detail::check_padded(to, from); s != status::ok) return s;
  for (index_t i = 0; i < to.size(); ++i) {
    packed_int48 packed{};
    for (index_t b = 0; b < 6; ++b) packed.bytes[b] = from[6 * i + b];
    to[i] = packed.unpack().value();
  }
  return status::ok;
}

}  // namespace dyadic
