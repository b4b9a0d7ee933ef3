// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Resizes images: where TFLite and TOSA read an image, and how they round. Floor 5.
/// Sources: tflite/kernels/internal/reference/resize_bilinear.h and resize_nearest_neighbor.h, the TOSA specification (RESIZE).
///
/// A rule is a struct with
///   `argument_type` and `value_type`: the types of x and y.
///   `along(axis, in, out)`: the positions of `out` outputs in `in` inputs, of rows for axis 0 and of columns for axis 1. The
///     positions are callable: they return the `resize_place` of an output, whose weights add up to their `unit`.
///   `finish(sum)`, if `interpolates`: y of the sum of four inputs, each times its weights of both axes.
///   `check(rule, axis, in, out)`: the first error of an axis. Sizes are 1 or more.

#include <dyadic/detail/elements.hpp>
#include <dyadic/elementwise/operands.hpp>

namespace dyadic {

/// y is x in another size. `check` returns `shape_mismatch` unless y has the images and channels of x, and both have a row and a
/// column. Otherwise it returns the first error of the rule.
template <class Rule>
struct resize_layer {
  Rule rule;  ///< where an output reads, and how it is rounded
};

template <class Rule>
resize_layer(Rule) -> resize_layer<Rule>;  ///< deduces the rule

/// A place between two inputs of an axis: input `low` with the rest of the unit, and input `high` with `weight`.
struct resize_place {
  index_t low;          ///< the input before the place
  index_t high;         ///< the input behind the place
  std::int64_t weight;  ///< weight of `high`
};

namespace tflite {

/// How an image is placed over another image.
struct resize_alignment {
  bool align_corners = false;       ///< the centers of the first pixels coincide, and those of the last
  bool half_pixel_centers = false;  ///< centers lie in the middle of pixels, so that the edges of both images meet
};

namespace detail {

/// Returns `size_overflow` unless TFLite's positions, 1024 steps for each input, fit int32.
DYADIC_API constexpr status check_resized(index_t in, index_t out) noexcept {
  constexpr index_t most = index_t{1} << 20;
  return in <= most && out <= most ? status::ok : status::size_overflow;
}

}  // namespace detail

/// ResizeBilinear of int8 and int16, with 10 bits of position along each axis:
///   k = (1024 * in + out / 2) / out, or (1024 * (in - 1) + (out - 1) / 2) / (out - 1) if corners are aligned and out > 1.
///   p = i * k, or i * k + k / 2 - 512 with half pixel centers. Divisions truncate toward zero.
///   low = max(p / 1024, 0), high = min((p + 1023) / 1024, in - 1), weight = p - 1024 * low.
/// The sum is divided by 2^20: ties away from zero, or up (`half_up`) with TFLITE_SINGLE_ROUNDING. TFLite rounds k and does not
/// clamp `low` to in - 1, so that it reads outside the image for some sizes. The smallest has 1 input and 55 outputs. `check`
/// returns `reads_outside` for these sizes.
template <class X, class Ties = half_away>
struct resize_bilinear {
  static_assert(dyadic::detail::is_one_of<X, std::int8_t, std::int16_t>, "TFLite resizes int8 and int16");
  static constexpr operator_id id = operator_id::resize_bilinear;  ///< the operator
  static constexpr bool interpolates = true;                       ///< y is made of four inputs
  using argument_type = X;                                         ///< the type of x
  using value_type = X;                                            ///< the type of y
  using ties = Ties;                                               ///< where a tie goes

  resize_alignment alignment;  ///< not both flags: TFLite refuses them

  /// The positions along an axis.
  struct positions {
    static constexpr std::int64_t unit = 1024;  ///< steps from one input to the next
    std::int32_t step;                          ///< k
    std::int32_t offset;                        ///< k / 2 - 512, or 0
    index_t last;                               ///< in - 1

    /// Returns the place of output i.
    DYADIC_API constexpr resize_place operator()(index_t i) const noexcept {
      const std::int32_t p = static_cast<std::int32_t>(i) * step + offset;
      const index_t low = p < 0 ? 0 : p / 1024;
      const index_t high = (p + 1023) / 1024;
      return {low, high < last ? high : last, p - 1024 * std::int64_t{low}};
    }
  };
  /// Returns the positions of `out` outputs. Requires: 1 to 2^20 inputs and outputs.
  DYADIC_API constexpr positions along(int /*axis*/, index_t in, index_t out) const noexcept {
    const std::int32_t less = alignment.align_corners && out > 1 ? 1 : 0;
    const std::int32_t steps = static_cast<std::int32_t>(out) - less;
    const std::int32_t k = (1024 * (static_cast<std::int32_t>(in) - less) + steps / 2) / steps;
    return {k, alignment.half_pixel_centers ? k / 2 - 512 : 0, in - 1};
  }
  /// Returns sum / 2^20, ties by `Ties`.
  DYADIC_API static constexpr X finish(std::int64_t sum) noexcept { return static_cast<X>(shift_right<Ties>(sum, 20)); }
  /// Returns `illegal_operator` for both flags, `size_overflow` above 2^20, or `reads_outside`. Positions rise, so that the last
  /// output decides.
  DYADIC_API friend constexpr status check(const resize_bilinear& rule, int axis, index_t in, index_t out) noexcept {
    if (rule.alignment.align_corners && rule.alignment.half_pixel_centers) return status::illegal_operator;
    if (const status s = detail::check_resized(in, out); s != status::ok) return s;
    return rule.along(axis, in, out)(out - 1).low < in ? status::ok : status::reads_outside;
  }
};

/// ResizeNearestNeighbor: v = fl32(c * r), where r = fl32(in / out) or fl32((in - 1) / (out - 1)), and c = i, or i + 1/2 with
/// half pixel centers. The input is v, rounded half away if corners are aligned, else floor(v), but at most in - 1. Both flags
/// may be set. binary32 misses exact integers: output 41 of 82 reads input 0 of 2, and not input 1.
template <class X>
struct resize_nearest {
  static constexpr operator_id id = operator_id::resize_nearest;  ///< the operator
  static constexpr bool interpolates = false;                     ///< y is one input
  using argument_type = X;                                        ///< the type of x
  using value_type = X;                                           ///< the type of y

  resize_alignment alignment;  ///< any flags

  /// The positions along an axis.
  struct positions {
    resize_alignment alignment;  ///< of the rule
    binary32 ratio;              ///< r
    index_t last;                ///< in - 1

    /// Returns the place of output i.
    DYADIC_API constexpr resize_place operator()(index_t i) const noexcept {
      const binary32 center = dyadic::add(from_integer<binary32>(i), binary32{alignment.half_pixel_centers ? 0.5f : 0.0f});
      const binary32 v = dyadic::multiply(center, ratio);
      const std::int64_t at = alignment.align_corners ? to_integer<half_away>(v) : to_integer<to_floor>(v);
      const auto input = static_cast<index_t>(clamp(at, 0, last));
      return {input, input, 0};
    }
  };
  /// Returns the positions of `out` outputs.
  DYADIC_API constexpr positions along(int /*axis*/, index_t in, index_t out) const noexcept {
    const index_t less = alignment.align_corners && out > 1 ? 1 : 0;
    return {alignment, dyadic::divide(from_integer<binary32>(in - less), from_integer<binary32>(out - less)), in - 1};
  }
  /// Returns `size_overflow` above 2^20.
  DYADIC_API friend constexpr status check(const resize_nearest&, int /*axis*/, index_t in, index_t out) noexcept {
    return detail::check_resized(in, out);
  }
};

}  // namespace tflite

namespace tosa {

/// The attributes of RESIZE along one axis: output i is at (i * scale_d + offset) / scale_n inputs.
struct resize_attributes {
  std::int32_t scale_n = 1;  ///< 1 .. 2048
  std::int32_t scale_d = 1;  ///< 1 .. 16 * scale_n - 1
  std::int32_t offset = 0;   ///< -scale_n .. 16 * scale_n - 1
  std::int32_t border = 0;   ///< -16 * scale_n .. scale_n - 1
};

/// RESIZE in the mode BILINEAR: int8 to int32, int16 to int64, which is TOSA's int48. y is the sum itself, which a RESCALE
/// divides. The weights add up to the product of both scale_n, at most 2^22, so that |y| <= 2^29 or 2^37.
template <class X>
struct resize_bilinear {
  static_assert(dyadic::detail::is_one_of<X, std::int8_t, std::int16_t>, "RESIZE is of int8 and int16");
  static constexpr operator_id id = operator_id::resize_bilinear;                     ///< the operator
  static constexpr bool interpolates = true;                                          ///< y is made of four inputs
  using argument_type = X;                                                            ///< the type of x
  using value_type = std::conditional_t<sizeof(X) == 1, std::int32_t, std::int64_t>;  ///< the type of y

  resize_attributes axes[2];  ///< of the rows and of the columns

  /// The positions along an axis.
  struct positions {
    std::int64_t unit;    ///< scale_n: steps from one input to the next
    std::int64_t step;    ///< scale_d
    std::int64_t offset;  ///< -unit or more
    index_t last;         ///< in - 1

    /// Returns the place of output i: the floor of its position, the next input, both clamped to the image, and the remainder.
    DYADIC_API constexpr resize_place operator()(index_t i) const noexcept {
      const std::int64_t p = i * step + offset;
      const auto floor = static_cast<index_t>((p + unit) / unit - 1);
      return {floor < 0 ? 0 : floor, floor < last ? floor + 1 : last, p - floor * unit};
    }
  };
  /// Returns the positions of outputs.
  DYADIC_API constexpr positions along(int axis, index_t in, index_t /*out*/) const noexcept {
    return {axes[axis].scale_n, axes[axis].scale_d, axes[axis].offset, in - 1};
  }
  /// Returns the sum.
  DYADIC_API static constexpr value_type finish(std::int64_t sum) noexcept { return static_cast<value_type>(sum); }
  /// Returns `illegal_operator` for each ERROR_IF: an attribute outside its range, 16384 inputs or outputs and more, or a number
  /// of outputs that is not ((in - 1) * scale_n - offset + border) / scale_d + 1 without a remainder.
  DYADIC_API friend constexpr status check(const resize_bilinear& rule, int axis, index_t in, index_t out) noexcept {
    const resize_attributes& a = rule.axes[axis];
    const std::int64_t n = a.scale_n;
    if (n < 1 || n > 2048 || a.scale_d < 1 || a.scale_d >= 16 * n || a.offset < -n || a.offset >= 16 * n || a.border < -16 * n ||
        a.border >= n || in >= 16384 || out >= 16384)
      return status::illegal_operator;
    const std::int64_t span = (in - 1) * n - a.offset + a.border;
    return span % a.scale_d == 0 && out == span / a.scale_d + 1 ? status::ok : status::illegal_operator;
  }
};

/// RESIZE in the mode NEAREST_NEIGHBOR: the input after the position if twice the remainder is scale_n or more, else the input
/// before the position.
template <class X>
struct resize_nearest {
  static constexpr operator_id id = operator_id::resize_nearest;  ///< the operator
  static constexpr bool interpolates = false;                     ///< y is one input
  using argument_type = X;                                        ///< the type of x
  using value_type = X;                                           ///< the type of y

  resize_bilinear<X> bilinear;  ///< the attributes

  /// The positions along an axis.
  struct positions : resize_bilinear<X>::positions {
    /// Returns the place of output i.
    DYADIC_API constexpr resize_place operator()(index_t i) const noexcept {
      const resize_place at = resize_bilinear<X>::positions::operator()(i);
      return {2 * at.weight >= this->unit ? at.high : at.low, 0, 0};
    }
  };
  /// Returns the positions of outputs.
  DYADIC_API constexpr positions along(int axis, index_t in, index_t out) const noexcept {
    return {bilinear.along(axis, in, out)};
  }
  /// Returns the status of the attributes.
  DYADIC_API friend constexpr status check(const resize_nearest& rule, int axis, index_t in, index_t out) noexcept {
    return check(rule.bilinear, axis, in, out);
  }
};

}  // namespace tosa

namespace detail {

template <class Rule>
struct operation_of<resize_layer<Rule>> {
  using type = op::resize;
  using backend = backend::scalar;
  using windows = void;  ///< x and y are images
  template <class X>
  static constexpr bool takes = std::is_same_v<X, typename Rule::argument_type>;
};

template <class Rule, class X, class Y>
DYADIC_API constexpr status check_sizes(operation_of<resize_layer<Rule>>, const resize_layer<Rule>& layer, const nhwc_view<X>& x,
                                        const nhwc_view<Y>& y) noexcept {
  const bool have_pixels = x.h() > 0 && x.w() > 0 && y.h() > 0 && y.w() > 0;
  if (!have_pixels || x.n() != y.n() || x.c() != y.c()) return status::shape_mismatch;
  const status s = check(layer.rule, 0, x.h(), y.h());
  return s != status::ok ? s : check(layer.rule, 1, x.w(), y.w());
}

}  // namespace detail

inline namespace DYADIC_ISA {

template <>
struct kernel<backend::scalar, op::resize> {
  template <class Rule, class X, class Y>
  static constexpr void run(const resize_layer<Rule>& layer, const nhwc_view<const X>& x, const nhwc_view<Y>& y,
                            const row_range& rows) noexcept {
    for_each_pixel(layer.rule, x, y, rows, [&](index_t n, const auto& v, const auto& h, const Rule& rule, Y* to) {
      const X* const first = x.pixel(n, v.low, h.low);
      if constexpr (Rule::interpolates) {
        const X* const right = x.pixel(n, v.low, h.high);
        const X* const below = x.pixel(n, v.high, h.low);
        const X* const last = x.pixel(n, v.high, h.high);
        const std::int64_t top = rule.along(0, x.h(), y.h()).unit - v.weight;
        const std::int64_t left = rule.along(1, x.w(), y.w()).unit - h.weight;
        for (index_t c = 0; c < y.c(); ++c)
          to[c] = rule.finish(top * (left * first[c] + h.weight * right[c]) + v.weight * (left * below[c] + h.weight * last[c]));
      } else {
        for (index_t c = 0; c < y.c(); ++c) to[c] = first[c];
      }
    });
  }

  /// Calls use(n, v, h, rule, to) for each pixel `to` of the rows of y. Its place in image n is v along rows, h along columns.
  template <class Rule, class X, class Y, class Use>
  static constexpr void for_each_pixel(const Rule& any, const nhwc_view<X>& x, const nhwc_view<Y>& y, const row_range& rows,
                                       const Use& use) noexcept {
    const Rule rule = any;  // a copy, which no store to y can change
    const auto vertical = rule.along(0, x.h(), y.h());
    const auto horizontal = rule.along(1, x.w(), y.w());
    for (index_t r = rows.begin; r < rows.end; ++r) {
      const index_t n = r / y.h();
      const resize_place v = vertical(r % y.h());
      for (index_t j = 0; j < y.w(); ++j) use(n, v, horizontal(j), rule, y.pixel(n, r % y.h(), j));
    }
  }
};

}  // namespace DYADIC_ISA

}  // namespace dyadic
