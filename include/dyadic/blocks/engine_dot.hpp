// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The orders of binary32 operations of XNNPACK, KleidiAI, LiteRT and TOSA. Floor 2.
/// Source: XNNPACK src/qd8-f32-*-gemm, src/packing.c; KleidiAI kai/ukernels/matmul, matmul_clamp_f32_* and packing; LiteRT's
/// reference of blockwise weights; TOSA 1.1, MATMUL_T_BLOCK_SCALED.
/// Revision: XNNPACK @ 75db3c09, KleidiAI @ 495f652, LiteRT @ f6745779, TOSA specification @ cd5acdd.
///
/// Each `dot` returns y, which may be infinite or NaN, or the error of `exact::dot`. Sums begin at 0.
///     da, dw, z  the scales, and the zero point of activations
///     I, g       the sums of a * w and of w over a block or a group of weights; a are stored codes
///     S          the sum of (a - z) * w over the row, modulo 2^32, or modulo 2^28 for weights of 4 bits
/// An engine may hold 16 * I or 16 * S in int32. fl(16 * I) / 16 is fl(I). Only rows of 65,794 codes and more reach the modulus.

#include <dyadic/blocks/dot.hpp>
#include <dyadic/detail/fused.hpp>

namespace dyadic {

namespace detail {

/// Returns the first error of the operands, or `shape_mismatch` unless blocks are whole and a multiple of `step`.
template <class X, class Y>
DYADIC_API constexpr status check_dot(const X& x, const Y& y, const epilogue& e, index_t step = 1) noexcept {
  if (const status s = exact::range_of_dot(x, y).status; s != status::ok) return s;
  const bool are_whole = y.size() == 0 || (y.block() % step == 0 && y.size() % y.block() == 0);
  return are_whole ? check(e) : status::shape_mismatch;
}

/// Returns fl(16 * S) / 16 for weights of 4 bits, fl(S) for others.
template <class Y>
DYADIC_API constexpr binary32 sum_in_int32(const qd8_row& a, const Y& w) noexcept {
  constexpr int shift = Y::largest == 8 ? 4 : 0;
  return from_integer<binary32>(wrap<std::int32_t>(shift_left_wrapped(integer_dot(a, w, 0, a.size()), shift)) >> shift);
}

/// Returns k = fl(k + fl(g * dw)) over all groups of `group` weights.
template <class Y>
DYADIC_API constexpr binary32 scaled_kernel_sum(const Y& w, index_t group) noexcept {
  binary32 k;
  for (index_t i = 0; i < w.size(); i += group) {
    std::int64_t g = 0;
    for (index_t n = i; n < i + group; ++n) g += w.integer(n);
    k = rounded_product::add_to(k, from_integer<binary32>(g), w.scale(i));
  }
  return k;
}

/// Returns f = Product(f + fl(I) * dw) over all blocks.
template <class Product, class Y>
DYADIC_API constexpr binary32 add_blocks(binary32 f, const qd8_row& a, const Y& w) noexcept {
  const integer_codes<std::int8_t> stored{a.codes};
  for (index_t i = 0; i < w.size(); i += w.block())
    f = Product::add_to(f, from_integer<binary32>(integer_dot(stored, w, i, i + w.block())), w.scale(i));
  return f;
}

/// Returns clamp(f, min, max). NaN stays NaN.
DYADIC_API constexpr result<binary32> clamped(binary32 f, const epilogue& e) noexcept {
  return {less(f, e.min) ? e.min : less(e.max, f) ? e.max : f, status::ok};
}

/// Returns clamp(fl(fl(f * da) + bias)) with f = Product(f + k * -z) after all blocks.
template <class Product, class Y>
DYADIC_API constexpr result<binary32> dot_with_late_zero(const qd8_row& a, const Y& w, const epilogue& e,
                                                         index_t group) noexcept {
  if (const status s = check_dot(a, w, e, group); s != status::ok) return {{}, s};
  const binary32 f = add_blocks<Product>({}, a, w), minus_z = from_integer<binary32>(-std::int64_t{a.zero_point});
  return clamped(rounded_product::add_to(e.bias, Product::add_to(f, scaled_kernel_sum(w, group), minus_z), a.factor), e);
}

}  // namespace detail

namespace xnnpack {

/// The order of kernels whose packed weights have `Kr` elements of a channel side by side. `Product` adds a product to a sum.
///     qc8w, qc4w  y = clamp(Product(bias + fl(fl(S) * da) * dw)), for a row of weights with one scale
///     qb4w        k = fl(k - fl(g * dw)) for each 2 * Kr weights;  f = Product(f + fl(I) * dw) for each block, from fl(k * z)
///                 y = clamp(fl(fl(f * da) + bias)), for blocks of a multiple of 32 and scales of bfloat16
template <index_t Kr, class Product>
struct order {
  /// Returns y, or `scale_too_small` if a scale of qb4w is not positive and normal. XNNPACK refuses such scales.
  template <class Y>
  DYADIC_API static constexpr result<binary32> dot(const qd8_row& a, const Y& w, const epilogue& e = {}) noexcept {
    constexpr bool is_channel = dyadic::detail::has_one_scale<Y>;
    if (const status s = dyadic::detail::check_dot(a, w, e, is_channel ? 1 : 32); s != status::ok) return {{}, s};
    if constexpr (is_channel) {
      const binary32 f = dyadic::multiply(dyadic::detail::sum_in_int32(a, w), a.factor);
      return dyadic::detail::clamped(Product::add_to(e.bias, f, w.factor), e);
    } else {
      for (const bfloat16 scale : w.scales)
        if (is_negative(scale) || scale.bits < 0x0080) return {{}, status::scale_too_small};
      const binary32 minus_z = from_integer<binary32>(-std::int64_t{a.zero_point});
      const binary32 of_zero = dyadic::multiply(dyadic::detail::scaled_kernel_sum(w, 2 * Kr), minus_z);
      const binary32 f = dyadic::detail::add_blocks<Product>(of_zero, a, w);
      return dyadic::detail::clamped(rounded_product::add_to(e.bias, f, a.factor), e);
    }
  }
};
using scalar_order = order<1, rounded_product>;  ///< kernels 1x2__scalar
using neondot_order = order<4, fused_product>;   ///< kernels c4__neondot
using neoni8mm_order = order<8, fused_product>;  ///< kernels c8__neoni8mm, whose source was read but not run

}  // namespace xnnpack

namespace kleidiai {

/// The kernels of qai8dx for NEON with dotprod.
///     qsi4c32  k = fl(k + fl(g * dw)) for each 16 weights;  f = fma(fl(I), dw, f) for each block, a multiple of 16
///              y = clamp(fl(fl(fma(k, -z, f) * da) + bias))
///     qsi4cx   y = clamp(fl(fl(fl(16 * S) * fl(dw / 16 * da)) + bias)), for a row of weights with one scale
struct qai8dx_order {
  /// Returns y.
  template <class Y>
  DYADIC_API static constexpr result<binary32> dot(const qd8_row& a, const Y& w, const epilogue& e = {}) noexcept {
    if constexpr (!dyadic::detail::has_one_scale<Y>) return dyadic::detail::dot_with_late_zero<fused_product>(a, w, e, 16);
    if (const status s = dyadic::detail::check_dot(a, w, e); s != status::ok) return {{}, s};
    const binary32 sum = scale_by_power_of_two(dyadic::detail::sum_in_int32(a, w), 4);
    const binary32 scale = dyadic::multiply(scale_by_power_of_two(w.scale(0), -4), a.factor);
    return dyadic::detail::clamped(rounded_product::add_to(e.bias, sum, scale), e);
  }
};

/// The kernel of qsi8d32 and qsi4c32 for NEON with dotprod: f = fma(fl(I), fl(da * dw), f) for each block;  y = clamp(f).
struct qsi8d32_order {
  /// Returns y. Rows need blocks of one size. A bias other than 0 is `value_out_of_range`, because the kernel has none.
  template <class X, class Y>
  DYADIC_API static constexpr result<binary32> dot(const X& a, const Y& w, const epilogue& e = {}) noexcept {
    if (const status s = dyadic::detail::check_dot(a, w, e); s != status::ok) return {{}, s};
    if (a.block() != w.block()) return {{}, status::shape_mismatch};
    if (!is_zero(e.bias)) return {{}, status::value_out_of_range};
    binary32 f;
    for (index_t i = 0; i < w.size(); i += w.block()) {
      const auto sum = from_integer<binary32>(dyadic::detail::integer_dot(a, w, i, i + w.block()));
      f = fused_multiply_add(sum, dyadic::multiply(a.scale(i), w.scale(i)), f);
    }
    return dyadic::detail::clamped(f, e);
  }
};

}  // namespace kleidiai

namespace litert {

/// The reference of blockwise weights with scales of binary16. The source was read, but not run. For each block:
///     k = fl(k + fl(g * dw));  f = fl(f + fl(fl(I) * dw));  y = clamp(fl(fl(fl(f - fl(z * k)) * da) + bias))
struct blockwise_order {
  /// Returns y.
  template <class Codes>
  DYADIC_API static constexpr result<binary32> dot(const qd8_row& a, const block_scaled_row<Codes, binary16>& w,
                                                   const epilogue& e = {}) noexcept {
    return dyadic::detail::dot_with_late_zero<rounded_product>(a, w, e, w.block());
  }
};

}  // namespace litert

namespace tosa {

/// The order in which MATMUL_T_BLOCK_SCALED is written, of products of the elements a * b. The specification allows any order.
///     p = fl(p + fl(a * b)) over a block, from 0;  y = fl(y + fl(p * fl(da * db))) for each block
struct block_order {
  /// Returns y. Rows need whole blocks of one size.
  template <class X, class Y>
  DYADIC_API static constexpr result<binary32> dot(const X& a, const Y& b) noexcept {
    if (const status s = dyadic::detail::check_dot(a, b, {}); s != status::ok) return {{}, s};
    if (a.block() != b.block()) return {{}, status::shape_mismatch};
    const auto number = [](const auto& x, index_t k) {
      return scale_by_power_of_two(from_integer<binary32>(x.integer(k)), std::decay_t<decltype(x)>::unit);  // exact
    };
    binary32 y;
    for (index_t i = 0; i < a.size(); i += a.block()) {
      binary32 p;
      for (index_t k = i; k < i + a.block(); ++k) p = rounded_product::add_to(p, number(a, k), number(b, k));
      y = rounded_product::add_to(y, p, dyadic::multiply(a.scale(i), b.scale(i)));
    }
    return {y, status::ok};
  }
};

}  // namespace tosa

}  // namespace dyadic
