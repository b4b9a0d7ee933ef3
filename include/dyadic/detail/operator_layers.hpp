// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Makes the layer of an operator without weights from its description. Floor 6.

#include <dyadic/detail/arena.hpp>
#include <dyadic/detail/image_kinds.hpp>
#include <dyadic/elementwise/activation.hpp>
#include <dyadic/elementwise/average_pool.hpp>
#include <dyadic/elementwise/binary.hpp>
#include <dyadic/elementwise/reduce.hpp>
#include <dyadic/elementwise/softmax_layer.hpp>
#include <dyadic/operator_spec.hpp>

namespace dyadic::detail {

/// A real scale, which becomes the type that a rule derives from.
struct real_scale {
  double value;

  DYADIC_API constexpr operator binary64() const noexcept { return binary64{value}; }
  DYADIC_API constexpr operator binary32() const noexcept { return narrow(binary64{value}); }
};

/// True if Rule::derive takes these arguments.
/// @{
template <class Rule, class... A>
using derived_by = decltype(Rule::derive(std::declval<A>()...));
template <class Enable, class Rule, class... A>
inline constexpr bool derives_by = false;
template <class Rule, class... A>
inline constexpr bool derives_by<std::void_t<derived_by<Rule, A...>>, Rule, A...> = true;
template <class Rule, class... A>
inline constexpr bool derives = derives_by<void, Rule, A...>;
/// @}

/// Copies a value into an arena. Returns the address of the copy.
template <class T>
DYADIC_API const T* store(void* to, const T& value) noexcept {
  static_assert(std::is_trivially_copyable_v<T>, "a rule in an arena is copied byte by byte");
  return static_cast<const T*>(DYADIC_MEMCPY(to, &value, sizeof(T)));
}

/// Returns the layer of a derived rule.
template <class Layer, class Rule>
DYADIC_API result<Layer> layer_of(const result<Rule>& rule) noexcept {
  return {{rule.value}, rule.status};
}

/// Makes the layer of a rule from the description of the operator. `extra` bytes lie after the layer in the arena.
/// @{
template <class Rule>
struct binary_parts {
  using spec = binary_spec;
  using layer = binary_layer<Rule>;
  static constexpr operator_id id = Rule::id;
  static constexpr index_t extra = 0;
  DYADIC_API static result<layer> make(const spec& s, void*) noexcept {
    const real_scale a{s.a_scale};
    const real_scale b{s.b_scale};
    if constexpr (derives<Rule, real_scale, std::int32_t, real_scale, std::int32_t>) {
      return layer_of<layer>(Rule::derive(a, s.a_zero_point, b, s.b_zero_point));
    } else {
      constexpr bool is_derived = derives<Rule, real_scale, std::int32_t, real_scale, std::int32_t, real_scale, output_range>;
      static_assert(is_derived, "the rule has derive(a_scale, a_zero_point, b_scale, b_zero_point, y_scale, range)");
      return layer_of<layer>(Rule::derive(a, s.a_zero_point, b, s.b_zero_point, real_scale{s.y_scale},
                                          range_within<typename Rule::value_type>(s.range)));
    }
  }
};

template <class Rule>
struct activation_parts {
  using spec = activation_spec;
  using layer = activation_layer<Rule>;
  static constexpr operator_id id = Rule::id;
  static constexpr index_t extra = 0;
  DYADIC_API static result<layer> make(const spec& s, void*) noexcept {
    const real_scale x{s.x_scale};
    const real_scale y{s.y_scale};
    if constexpr (id == operator_id::table) {
      using entry = element_of<decltype(Rule::entries)>;
      return {{{view<entry>{static_cast<entry*>(s.table), s.table_size}}}, status::ok};
    } else if constexpr (derives<Rule, real_scale, std::int32_t, real_scale, real_scale, std::int32_t>) {
      return layer_of<layer>(Rule::derive(x, s.x_zero_point, real_scale{s.alpha}, y, s.y_zero_point));
    } else if constexpr (derives<Rule, real_scale, std::int32_t, real_scale, std::int32_t>) {
      return layer_of<layer>(Rule::derive(x, s.x_zero_point, y, s.y_zero_point));
    } else if constexpr (derives<Rule, real_scale, std::int32_t>) {
      if (const status fixed = check_output(s); fixed != status::ok) return {{}, fixed};
      return layer_of<layer>(Rule::derive(x, s.x_zero_point));
    } else {
      static_assert(derives<Rule, real_scale>, "the rule of an activation has a derive from the scale of x");
      if (const status fixed = check_output(s); fixed != status::ok) return {{}, fixed};
      if (s.x_zero_point != 0) return {{}, status::zero_point_out_of_range};
      return layer_of<layer>(Rule::derive(x));
    }
  }

 private:
  /// Checks the scale of y, if there is one, and its zero point. The rule has one scale and one zero point.
  DYADIC_API static status check_output(const spec& s) noexcept {
    constexpr double fixed = 1.0 / (1 << Rule::y_fraction_bits);
    if (s.y_scale == 0) return status::ok;
    if (s.y_scale != s.y_scale) return status::scale_not_finite;
    if (s.y_scale != fixed) return s.y_scale < fixed ? status::scale_too_small : status::scale_too_large;
    return s.y_zero_point == Rule::y_zero_point ? status::ok : status::zero_point_out_of_range;
  }
};

template <class Rule>
struct mean_parts {
  using spec = mean_spec;
  using layer = std::conditional_t<Rule::id == operator_id::mean, mean_layer<Rule>, sum_layer<Rule>>;
  static constexpr operator_id id = Rule::id;
  static constexpr index_t extra = 0;
  DYADIC_API static result<layer> make(const spec& s, void*) noexcept {
    layer made{};
    if (s.count < 1 || s.count > int32_max) return {made, s.count < 1 ? status::negative_size : status::size_overflow};
    const auto rule = Rule::derive(real_scale{s.x_scale}, s.x_zero_point, static_cast<std::int32_t>(s.count),
                                   real_scale{s.y_scale}, range_within<typename Rule::value_type>(s.range));
    made.rule = rule.value;
    return {made, rule.status};
  }
};

template <class Output>
struct pool_parts {
  using spec = pool_spec;
  using layer = average_pool_layer<Output>;
  using rule = typename Output::rule_type;
  static constexpr operator_id id = operator_id::average_pool;
  static constexpr index_t extra = 0;
  DYADIC_API static result<layer> make(const spec& s, void*) noexcept {
    const result<rule> of_scales = derive(s);
    const auto range = range_within<typename Output::value_type>(s.range);
    const layer made{s.window, s.divisor, Output::of(s.x_zero_point, range, of_scales.value)};
    if (of_scales.status != status::ok) return {made, of_scales.status};
    const status window = check_pool<rule>(s.window);
    return {made, window != status::ok ? window : check(made.output)};
  }

 private:
  DYADIC_API static result<rule> derive(const spec& s) noexcept {
    if constexpr (has_multiplier<rule>)
      return rule::derive(real_scale{s.x_scale}, real_scale{s.y_scale});
    else
      return {{}, check_one_scale(s.x_scale, s.y_scale)};
  }
};

template <class Rule>
struct norm_parts {
  using spec = norm_spec;
  using layer = row_layer<Rule>;
  static constexpr operator_id id = Rule::id;
  static constexpr index_t extra = 0;
  DYADIC_API static result<layer> make(const spec& s, void*) noexcept {
    const real_scale w{s.weight_scale};
    if constexpr (id == operator_id::l2_norm) {
      const Rule rule{s.x_zero_point};
      return {{rule}, check(rule)};
    } else if constexpr (derives<Rule, real_scale, view<const std::int16_t>, view<const std::int32_t>>) {
      return layer_of<layer>(Rule::derive(w, s.weights, s.bias));
    } else {
      return layer_of<layer>(Rule::derive(real_scale{s.x_scale}, s.x_zero_point, real_scale{s.epsilon}, w, real_scale{s.y_scale},
                                          s.weights, s.bias, range_within<typename Rule::value_type>(s.range)));
    }
  }
};

template <class Rule>
struct softmax_parts {
  using spec = softmax_spec;
  static constexpr operator_id id = Rule::id;
  using layer = std::conditional_t<id == operator_id::softmax, softmax_layer<Rule>, row_layer<Rule>>;
  static constexpr bool has_beta = derives<Rule, real_scale, real_scale>;
  DYADIC_API static auto derive(const spec& s) noexcept {
    if constexpr (has_beta)
      return Rule::derive(real_scale{s.x_scale}, real_scale{s.beta});
    else
      return Rule::derive(real_scale{s.x_scale});
  }
  using derived = decltype(derive(std::declval<spec>()).value);  // the rule, its multiplier, or its own tables
  static constexpr bool has_own_tables = !std::is_same_v<derived, Rule> && !std::is_same_v<derived, multiplier32>;
  static constexpr index_t extra = has_own_tables ? sizeof(derived) : 0;
  DYADIC_API static result<layer> make(const spec& s, void* behind) noexcept {
    if (!has_beta && s.beta != 1) return {{}, status::value_out_of_range};
    const auto made = derive(s);
    if (made.status != status::ok) return {{}, made.status};
    if constexpr (std::is_same_v<derived, Rule>) {
      return {{made.value}, status::ok};
    } else if constexpr (has_own_tables) {
      return {{Rule::of_tables(*store(behind, made.value))}, status::ok};
    } else {
      if (s.tables == nullptr) return {{}, status::null_data};
      const Rule rule{made.value, {s.tables->exponential}, {s.tables->reciprocal}};
      return {{rule}, check(rule)};
    }
  }
};
/// @}

/// Finds the parts of a rule by what the rule has.
/// @{
template <class Rule>
struct parts_by_id<Rule, false, false, false> {
  using of_elements = std::conditional_t<takes_two(Rule::id), binary_parts<Rule>, activation_parts<Rule>>;
  static constexpr bool is_norm = Rule::id >= operator_id::l2_norm && Rule::id <= operator_id::rms_norm;
  using of_several = std::conditional_t<is_norm, norm_parts<Rule>, mean_parts<Rule>>;
  using type = std::conditional_t<takes_two(Rule::id) || takes_one(Rule::id), of_elements, of_several>;
};
template <class Rule>
struct parts_by_id<Rule, false, false, true> {
  using type = softmax_parts<Rule>;
};
template <class X, class Rule>
struct parts_by_id<average_output<X, Rule>, false, false, false> {
  using type = pool_parts<average_output<X, Rule>>;
};
template <class Rule>
using operator_parts_of = typename parts_by_id<Rule>::type;
/// @}

}  // namespace dyadic::detail
