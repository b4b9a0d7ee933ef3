// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Max pools and min pools of images. Floor 5.
/// Sources: tflite/kernels/internal/reference/integer_ops/pooling.h (MaxPool), CMSIS-NN Source/PoolingFunctions (arm_max_pool_s8,
/// arm_max_pool_s16), the TOSA specification (MAX_POOL2D).

#include <dyadic/detail/elements.hpp>
#include <dyadic/elementwise/extremes.hpp>
#include <dyadic/elementwise/pool_windows.hpp>

namespace dyadic {

/// y[n][i][j][c] = clamp(the extreme over the window of x, min, max). Rule is `maximum` or `minimum`. The window begins at (i *
/// stride - pad_before, j * stride - pad_before), and elements outside of the image do not count. x and y have one scale and one
/// zero point. `check` returns `bad_window` also if the padding of a side is not smaller than the effective kernel. `check`
/// returns `shape_mismatch` unless y has the images and channels of x, and each side of y has `forward_size` or `ceiling_size`
/// elements. `check` returns `shape_mismatch` also if a dilation exceeds the side of a padded image.
template <class Rule>
struct pool_layer {
  using value_type = typename Rule::value_type;  ///< the type of x and y

  window2d window;                                             ///< its padding is smaller than the effective kernel
  Rule rule;                                                   ///< compares two elements
  output_range range = range_of<typename Rule::value_type>();  ///< bounds of y; the zero point is not used
};

template <class Rule, class... Range>
pool_layer(window2d, Rule, Range...) -> pool_layer<Rule>;  ///< deduces the rule

namespace detail {

template <class Rule>
struct operation_of<pool_layer<Rule>> {
  using type = op::pool;
  using backend = backend::scalar;
  using windows = window2d;  ///< x and y are images
  template <class X>
  static constexpr bool takes = std::is_same_v<X, typename Rule::value_type>;
};

template <class Rule, class X, class Y>
DYADIC_API constexpr status check_sizes(operation_of<pool_layer<Rule>>, const pool_layer<Rule>& layer, const nhwc_view<X>& x,
                                        const nhwc_view<Y>& y) noexcept {
  if (const status s = check_pool(layer.window); s != status::ok) return s;
  return pool_fits(layer.window, x, y) ? check_range<Y>(layer.range) : status::shape_mismatch;
}

}  // namespace detail

inline namespace DYADIC_ISA {

template <>
struct kernel<backend::scalar, op::pool> {
  template <class Rule, class X, class Y>
  static constexpr void run(const pool_layer<Rule>& layer, const nhwc_view<const X>& x, const nhwc_view<Y>& y,
                            const row_range& rows) noexcept {
    const output_range range = layer.range;
    detail::for_each_window(layer.window, x, y, rows, [&](index_t n, const auto& v, const auto& h, Y* to) {
      const Rule rule{};
      const X* const first = x.pixel(n, v.begin, h.begin);
      for (index_t c = 0; c < x.c(); ++c) to[c] = first[c];
      for (index_t i = v.begin; i < v.end; i += v.step)
        for (index_t j = h.begin; j < h.end; j += h.step) {
          const X* const from = x.pixel(n, i, j);
          for (index_t c = 0; c < x.c(); ++c) to[c] = rule(to[c], from[c]);
        }
      for (index_t c = 0; c < x.c(); ++c) to[c] = static_cast<Y>(clamp(to[c], range.min, range.max));
    });
  }
};

}  // namespace DYADIC_ISA

}  // namespace dyadic
