// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Sums of neighbouring channels, which compilers vectorize. Floor 2.

#include <dyadic/rounding.hpp>

namespace dyadic::detail {

/// The sums of up to 64 neighbouring channels, modulo 2^32. Elements of 8 bits are added in 16 bits, which hold the sum of 256
/// elements.
template <class X>
class channel_sums {
  using sum_type =
      std::conditional_t<sizeof(X) == 2, std::uint32_t, std::conditional_t<std::is_signed_v<X>, std::int16_t, std::uint16_t>>;
  static constexpr index_t side_by_side = 16;
  static constexpr int most_added = 256;

 public:
  static constexpr index_t max_channels = 64;

  /// Adds n channels of a pixel.
  DYADIC_API constexpr void add(const X* x, index_t n) noexcept {
    if (sizeof(X) == 1 && ++added_ > most_added) empty(n);
    index_t c = 0;
    for (; c + side_by_side <= n; c += side_by_side) add_some(short_sums_ + c, x + c);
    for (; c < n; ++c) short_sums_[c] = static_cast<sum_type>(short_sums_[c] + static_cast<sum_type>(x[c]));
  }
  /// Calls use(c, the sum of channel c) for n channels.
  template <class Use>
  DYADIC_API constexpr void finish(index_t n, const Use& use) noexcept {
    empty(n);
    for (index_t c = 0; c < n; ++c) use(c, wrap<std::int32_t>(sums_[c]));
  }

 private:
  DYADIC_API static constexpr void add_some(sum_type* __restrict sums, const X* __restrict x) noexcept {
    for (index_t c = 0; c < side_by_side; ++c) sums[c] = static_cast<sum_type>(sums[c] + static_cast<sum_type>(x[c]));
  }
  DYADIC_API constexpr void empty(index_t n) noexcept {
    for (index_t c = 0; c < n; ++c) {
      sums_[c] += static_cast<std::uint32_t>(short_sums_[c]);
      short_sums_[c] = 0;
    }
    added_ = 1;
  }

  std::uint32_t sums_[max_channels] = {};
  sum_type short_sums_[max_channels] = {};
  int added_ = 0;
};

/// Calls use(c, the sum of channel c) for all channels of some pixels. pixels(add) calls `add` with the first channel of each
/// pixel.
template <class X, class Pixels, class Use>
DYADIC_API constexpr void sum_channels(index_t channels, const Pixels& pixels, const Use& use) noexcept {
  constexpr index_t most = channel_sums<X>::max_channels;
  const index_t n = channels < most ? channels : most;
  for (index_t c = 0; c < channels; c += most) {
    const index_t at = c + n <= channels ? c : channels - n;  // the last n channels; some may be summed again
    channel_sums<X> sums;
    pixels([&](const X* x) { sums.add(x + at, n); });
    sums.finish(n, [&](index_t i, std::int32_t sum) { use(at + i, sum); });
  }
}

}  // namespace dyadic::detail
