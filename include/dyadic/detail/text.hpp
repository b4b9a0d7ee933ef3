// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// A sentence in memory of its own: what reports are printed as. Floor 1.

#include <dyadic/config.hpp>

namespace dyadic {

/// Up to Size - 1 characters and a 0. What does not fit is left out.
template <index_t Size>
class text {
 public:
  DYADIC_API constexpr text() noexcept = default;  ///< no characters
  /// Ends with a 0; as long as this object lives.
  DYADIC_API constexpr const char* c_str() const noexcept DYADIC_LIFETIME_BOUND { return characters_; }
  DYADIC_API constexpr index_t size() const noexcept { return size_; }  ///< how many characters

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
