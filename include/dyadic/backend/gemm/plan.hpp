// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Which algorithm computes a matrix product: all thresholds, each with the figure that set it. Private. Floor 4.

#include <dyadic/view.hpp>

namespace dyadic::detail {

/// Up to so many output channels are dot products along the depth, if their weights lie in rows. A panel of NR columns would
/// leave most of its columns empty. Unpacked a16w8 on AVX-512 (Zen 5): 4x1x4096 6.0 -> 1.0 us.
constexpr index_t most_few_channels = 3;
/// Up to so many columns of a narrow panel are multiplied along the depth if a row has at least so many vectors. Shorter rows pay
/// more for adding up the lanes than they save. a16w8 on AVX2 (Zen 5): 1x2x4096 0.80 -> 0.35 us.
constexpr index_t few_depth = 8;
/// Unpacked linear layers of up to so many products run by portable code, because the preparation of a block costs 100 ns.
constexpr index_t most_portable_products = 1024;

}  // namespace dyadic::detail
