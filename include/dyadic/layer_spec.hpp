// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Describes a layer whose operator, types, scheme and multipliers are known only when the program runs. Floor 4.

#include <dyadic/detail/any_view.hpp>
#include <dyadic/detail/bias.hpp>
#include <dyadic/detail/fold_record.hpp>
#include <dyadic/detail/text.hpp>
#include <dyadic/dispatch.hpp>

namespace dyadic {

/// The operators of layers that have weights.
enum class layer_op : std::uint8_t {
  linear,             ///< `linear_layer`
  conv2d,             ///< `conv2d_layer`
  depthwise,          ///< `depthwise_layer`
  transposed_conv2d,  ///< `transposed_conv2d_layer`
};

/// Returns the name of the operator, as its enumerator is written; never null.
DYADIC_API constexpr const char* to_string(layer_op op) noexcept {
  switch (op) {
    case layer_op::linear: return "linear";
    case layer_op::conv2d: return "conv2d";
    case layer_op::depthwise: return "depthwise";
    case layer_op::transposed_conv2d: return "transposed_conv2d";
  }
  return "unknown operator";
}

namespace detail {

/// Returns the name of the scheme as the compiler writes it, without `dyadic::`. Users' schemes have names, too.
template <class Scheme>
DYADIC_API constexpr text<64> scheme_name() noexcept {
  const char* from = __PRETTY_FUNCTION__;  // ends with "Scheme = dyadic::tosa::scale16]", by GCC perhaps with "; .." before "]"
  const auto skip = [&](const char* word) {
    index_t size = 0;
    while (word[size] != '\0' && word[size] == from[size]) ++size;
    const bool is_here = word[size] == '\0';
    if (is_here) from += size;
    return is_here;
  };
  while (*from != '\0' && !skip("Scheme = ")) ++from;
  skip("dyadic::");
  text<64> name;
  for (; *from != '\0' && *from != ';' && *from != ']'; ++from) {
    const char one[] = {*from, '\0'};
    name.add(one);
  }
  return name;
}

/// The address of the name stands for the scheme.
template <class Scheme>
struct scheme_tag {
  static constexpr text<64> name = scheme_name<Scheme>();
};

template <class Scheme, class Scale, class = void>
struct derives_from : std::false_type {};
template <class Scheme, class Scale>
struct derives_from<Scheme, Scale, std::void_t<decltype(Scheme::derive(Scale{}))>> : std::true_type {};

/// Returns a range of Y, where int32_min and int32_max stand for the least and the greatest value of Y.
template <class Y>
DYADIC_API constexpr output_range range_within(output_range r) noexcept {
  return {r.zero_point, r.min == int32_min ? range_of<Y>().min : r.min, r.max == int32_max ? range_of<Y>().max : r.max};
}

template <class Multiplier>
inline constexpr bool has_mantissa = false;
template <class Mantissa>
inline constexpr bool has_mantissa<multiplier<Mantissa>> = true;

/// Enables a function for arrays, containers and views of double, const or not.
template <class Scales, class Element = std::remove_const_t<element_of_range<Scales>>>
using if_scales =
    std::enable_if_t<std::is_same_v<Element, double> && !std::is_same_v<std::decay_t<Scales>, view<const double>>, int>;
}  // namespace detail

/// Names a scheme, or no scheme.
class scheme_id {
 public:
  DYADIC_API constexpr scheme_id() noexcept = default;  ///< no scheme
  /// Names the scheme; no scheme if it is void.
  template <class Scheme>
  DYADIC_API static constexpr scheme_id of() noexcept {
    scheme_id id;
    if constexpr (!std::is_void_v<Scheme>) id.name_ = &detail::scheme_tag<Scheme>::name;
    return id;
  }
  /// Returns the name of the scheme as it is written in C++, without `dyadic::` and cut to 63 characters; or "no scheme".
  DYADIC_API constexpr const char* name() const noexcept { return name_ == nullptr ? "no scheme" : name_->c_str(); }
  /// Returns true if both name the same scheme. GCC 11 compares addresses in a constant only if they are equal.
  DYADIC_API friend constexpr bool operator==(scheme_id a, scheme_id b) noexcept {
    return is_constant_evaluated() ? DYADIC_FOLDS_TO_TRUE(a.name_ == b.name_) : a.name_ == b.name_;
  }
  DYADIC_API friend constexpr bool operator!=(scheme_id a, scheme_id b) noexcept { return !(a == b); }  ///< the opposite

 private:
  const text<64>* name_ = nullptr;
};

/// The multipliers of a layer: one for all output channels, or one for each. They are real scales, from which the scheme derives
/// multipliers, or a framework's two arrays. The object points to the arrays until the layer is prepared.
class any_multipliers {
 public:
  DYADIC_API constexpr any_multipliers() noexcept = default;                                     ///< none, for raw outputs
  DYADIC_API constexpr any_multipliers(view<const double> scales) noexcept : scales_{scales} {}  ///< input * weight / output
  /// The real scales of an array, a container or a view.
  template <class Scales, detail::if_scales<Scales> = 0>
  DYADIC_API constexpr any_multipliers(Scales&& scales) noexcept : scales_{view(static_cast<Scales&&>(scales))} {}
  DYADIC_API constexpr any_multipliers(view<const std::int32_t> mantissas, view<const std::int32_t> shifts,
                                       shift_convention convention) noexcept
      : mantissas_{mantissas}, shifts_{shifts}, convention_{convention} {}  ///< arrays that `per_channel_arrays_output` can read

  DYADIC_API constexpr index_t size() const noexcept {
    return scales_.size() + mantissas_.size();
  }  ///< 1, or the number of channels
  /// Returns the first error of the arrays, or `multiplier_count_mismatch` if they are neither one nor `channels` elements.
  DYADIC_API constexpr status check(index_t channels) const noexcept {
    if (const status s = dyadic::check(scales_); s != status::ok) return s;
    if (const status s = check_same_size(mantissas_, shifts_); s != status::ok) return s;
    return size() == channels || size() == 1 ? status::ok : status::multiplier_count_mismatch;
  }
  /// Returns the multiplier of a channel with the status of `derive` or `check`. Returns `multiplier_out_of_range` if the scheme
  /// derives from more than one scale, or if the arrays are for a scheme without a mantissa. A scheme that derives from a
  /// binary32 reads the scale rounded to binary32. Requires: check is ok.
  template <class Scheme>
  DYADIC_API constexpr result<typename Scheme::multiplier_type> of(index_t channel) const noexcept {
    const index_t i = size() == 1 ? 0 : channel;
    if (!scales_.empty()) {
      if constexpr (detail::derives_from<Scheme, binary64>::value) return Scheme::derive(binary64{scales_[i]});
      if constexpr (detail::derives_from<Scheme, binary32>::value) return Scheme::derive(narrow(binary64{scales_[i]}));
    } else if constexpr (detail::has_mantissa<typename Scheme::multiplier_type>) {
      return convention_ == shift_convention::left ? of_arrays<Scheme, shift_convention::left>(i)
                                                   : of_arrays<Scheme, shift_convention::right>(i);
    }
    return {{}, status::multiplier_out_of_range};
  }
  /// Returns true if a view shares memory with the arrays. Requires: both are sound.
  template <class T>
  DYADIC_API friend constexpr bool overlap(view<T> a, const any_multipliers& b) noexcept {
    return detail::share_memory(a, b.scales_) || detail::share_memory(a, b.mantissas_) || detail::share_memory(a, b.shifts_);
  }

 private:
  template <class Scheme, shift_convention Convention>
  DYADIC_API constexpr result<typename Scheme::multiplier_type> of_arrays(index_t i) const noexcept {
    using output = per_channel_arrays_output<std::int32_t, Scheme, std::int32_t, Convention>;
    const output one{{mantissas_.data() + i, 1}, {shifts_.data() + i, 1}};
    const status s = dyadic::check(one, 1);
    return {s == status::ok ? one.multiplier_of(0) : typename Scheme::multiplier_type{}, s};
  }

  view<const double> scales_;
  view<const std::int32_t> mantissas_;
  view<const std::int32_t> shifts_;
  shift_convention convention_ = shift_convention::left;
};

/// A layer that is described when the program runs. Weights have the order of the operator's own layer, without gaps.
struct layer_spec {
  layer_op op = layer_op::linear;       ///< what it computes
  element_type x = element_type::none;  ///< type of activations
  element_type w = element_type::none;  ///< type of weights
  element_type y = element_type::none;  ///< type of outputs
  scheme_id scheme;                     ///< scheme of the outputs; if none, the scheme of the only kind with these types
  index_t channels = 0;                 ///< output channels
  index_t depth = 0;                    ///< products for each tap: inputs of a row, channels of a group; not read if depthwise
  window2d window;                      ///< unused by a linear layer
  index_t groups = 1;                   ///< groups of a conv2d or a transposed_conv2d
  const void* weights = nullptr;  ///< the weights; must stay in place, because a layer reads them there unless they are packed
  any_bias bias;                  ///< one for each channel, or none
  zero_points zero;               ///< zero points of activations and weights
  any_multipliers multipliers;    ///< no multipliers if the accumulator is the output
  output_range range;  ///< range of the outputs; int32_min and int32_max stand for the least and the greatest value of y
};

namespace detail {
template <class X, class Y, class W>
DYADIC_API constexpr layer_spec spec_of(layer_op op, const W* weights, index_t channels, index_t depth,
                                        const window2d& window = {}) noexcept {
  layer_spec spec;
  spec.op = op;
  spec.x = element_type_of<X>();
  spec.w = element_type_of<W>();
  spec.y = element_type_of<Y>();
  spec.weights = weights;
  spec.channels = channels;
  spec.depth = depth;
  spec.window = window;
  return spec;
}
}  // namespace detail

/// Begin the description of a layer: operator, types, sizes and weights. The other fields are set by their names. Weights of 4
/// bits are described by the fields alone.
/// @{
template <class X, class Y = X, class W>
DYADIC_API constexpr layer_spec linear_spec(const W* weights, index_t channels, index_t depth) noexcept {
  return detail::spec_of<X, Y>(layer_op::linear, weights, channels, depth);
}
template <class X, class Y = X, class W>
DYADIC_API constexpr layer_spec conv2d_spec(const W* weights, index_t channels, index_t depth, const window2d& window) noexcept {
  return detail::spec_of<X, Y>(layer_op::conv2d, weights, channels, depth, window);
}
template <class X, class Y = X, class W>
DYADIC_API constexpr layer_spec depthwise_spec(const W* weights, index_t channels, const window2d& window) noexcept {
  return detail::spec_of<X, Y>(layer_op::depthwise, weights, channels, 1, window);
}
template <class X, class Y = X, class W>
DYADIC_API constexpr layer_spec transposed_conv2d_spec(const W* weights, index_t channels, index_t depth,
                                                       const window2d& window) noexcept {
  return detail::spec_of<X, Y>(layer_op::transposed_conv2d, weights, channels, depth, window);
}
/// @}

namespace detail {

/// A text with room for 15 sizes of up to 20 characters, for five other numbers, and for fewer than 272 other characters.
using spec_text = text<640>;

DYADIC_API constexpr void add_pair(spec_text& t, const char* before, index_t a, const char* between, index_t b) noexcept {
  t.add(before).add(std::int64_t{a}).add(between).add(std::int64_t{b});
}

/// Prints a window; a stride, dilation or padding only if it is not the default.
DYADIC_API constexpr void add_window(spec_text& t, const window1d& y, const window1d& x) noexcept {
  add_pair(t, ", ", y.kernel, "x", x.kernel);
  t.add(" window");
  if (y.stride != 1 || x.stride != 1) add_pair(t, ", stride ", y.stride, "x", x.stride);
  if (y.dilation != 1 || x.dilation != 1) add_pair(t, ", dilation ", y.dilation, "x", x.dilation);
  if (y.pad_before == 0 && y.pad_after == 0 && x.pad_before == 0 && x.pad_after == 0) return;
  add_pair(t, ", padding ", y.pad_before, "+", y.pad_after);
  add_pair(t, " x ", x.pad_before, "+", x.pad_after);
}

DYADIC_API constexpr void add_multipliers(spec_text& t, index_t size, index_t channels) noexcept {
  if (size == 0) t.add(", no multipliers");
  if (size == 1) t.add(", one multiplier");
  if (size == 0 || size == 1) return;
  if (size == channels) t.add(", per-channel multipliers");
  if (size != channels) t.add(", ").add(std::int64_t{size}).add(" multipliers");
}

DYADIC_API constexpr void add_bias(spec_text& t, const any_bias& bias, index_t channels) noexcept {
  if (bias.empty()) t.add(", no bias");
  if (bias.empty()) return;
  t.add(", int").add(std::int64_t{bias.bits()}).add(" bias");
  if (bias.size() != channels) t.add(" of ").add(std::int64_t{bias.size()});
}

}  // namespace detail

/// Prints a description for humans. Reads no pointer. Leaves out zero points and other numbers that have their default:
/// `conv2d, int8 x int8 -> int8 by tosa::scale32, 64 channels of depth 27, 3x3 window, groups 1, one multiplier, int32 bias`.
DYADIC_API constexpr text<640> to_string(const layer_spec& spec) noexcept {
  text<640> t;
  t.add(to_string(spec.op)).add(", ").add(to_string(spec.x)).add(" x ").add(to_string(spec.w));
  t.add(" -> ").add(to_string(spec.y)).add(" by ").add(spec.scheme.name());
  detail::add_pair(t, ", ", spec.channels, " channels of depth ", spec.depth);
  if (spec.op != layer_op::linear) detail::add_window(t, spec.window.y, spec.window.x);
  const bool has_groups = spec.op == layer_op::conv2d || (spec.op == layer_op::transposed_conv2d && spec.groups != 1);
  if (has_groups) t.add(", groups ").add(std::int64_t{spec.groups});
  detail::add_multipliers(t, spec.multipliers.size(), spec.channels);
  detail::add_bias(t, spec.bias, spec.channels);
  if (spec.zero.x != 0 || spec.zero.w != 0) detail::add_pair(t, ", zero points ", spec.zero.x, " and ", spec.zero.w);
  const output_range& range = spec.range;
  if (range.zero_point == 0 && range.min == int32_min && range.max == int32_max) return t;
  detail::add_pair(t, ", outputs ", range.min, " .. ", range.max);
  t.add(" with zero point ").add(std::int64_t{range.zero_point});
  return t;
}

}  // namespace dyadic
