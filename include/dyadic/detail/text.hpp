// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// A sentence in a buffer of fixed size: reports are printed to it. Floor 1.

#include <dyadic/config.hpp>

namespace dyadic {

/// Up to Size - 1 characters and a 0. Characters that do not fit are left out.
template <index_t Size>
class text {
 public:
  DYADIC_API constexpr text() noexcept = default;  ///< no characters
  /// Returns the characters, which end with a 0. They live as long as this object.
  DYADIC_API constexpr const char* c_str() const noexcept DYADIC_LIFETIME_BOUND { return characters_; }
  DYADIC_API constexpr index_t size() const noexcept { return size_; }  ///< number of characters

  /// Appends characters, or a decimal number.
  /// @{
  DYADIC_API constexpr text& add(const char* more) noexcept {
    for (; *more != '\0' && size_ < Size - 1; ++more) characters_[size_++] = *more;
    return *this;
  }
  DYADIC_API constexpr text& add(std::uint64_t x) noexcept {
    if (x >= 10) add(x / 10);
    const char digit[] = {static_cast<char>('0' + x % 10), '\0'};
    return add(digit);
  }
  DYADIC_API constexpr text& add(std::int64_t x) noexcept {
    const auto bits = static_cast<std::uint64_t>(x);
    return x < 0 ? add("-").add(std::uint64_t{0} - bits) : add(bits);
  }
  /// @}

 private:
  char characters_[static_cast<std::size_t>(Size)] = {};
  index_t size_ = 0;
};

}  // namespace dyadic
