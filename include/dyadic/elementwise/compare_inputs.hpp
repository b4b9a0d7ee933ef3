// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Compares two rules of elements over all of their inputs: how many outputs differ, the smallest difference, the worst
/// difference. Opt-in. Floor 3.
///
///   const auto d = q::compare_inputs(q::tflite::sigmoid<std::int16_t>{..}, q::tosa::table<std::int16_t>{..});
///   const auto e = q::compare_pairs(q::tflite::add<std::int8_t>{..}, q::executorch::arm::add<std::int8_t>{..});
///   q::to_string(e).c_str();  // "16512 of 65536 differ; the smallest at -1 and 0, -1 and 0; the worst by 1 at .."
///
/// Nothing is sampled. An input of 16 bits has 2^16 values, and two inputs of 8 bits have 2^16 pairs. An input of 32 bits, or two
/// of 16 bits, take seconds. The caller may give each thread an interval of left inputs, and `merge` the results.
///
/// A rule is a struct with
///   `value_type`: an integer, the type of y, and of each input unless the rule names another.
///   `argument_type`, optional: the type of x, or of the left input.
///   `second_type`, optional: the type of the right input.
///   `operator()`: y of one input, or of two.
/// The two rules may have outputs of different types. Rules of rows and rules of reals do not compile here. `compare_arrays`
/// compares arrays of outputs, and `compare_rules` compares any two functions of an integer.

#include <dyadic/detail/difference.hpp>
#include <dyadic/detail/rows.hpp>

namespace dyadic {

/// Returns the interval of all values of an element's type.
template <class X>
DYADIC_API constexpr interval all_values() noexcept {
  return {limits<X>::min, limits<X>::max};
}

namespace detail {
inline constexpr interval all_numbers{int32_min, limits<std::uint32_t>::max};  ///< more than the values of any element

/// Returns the part of an interval whose numbers are values of X.
template <class X>
DYADIC_API constexpr interval values_in(interval inputs) noexcept {
  const interval all = all_values<X>();
  return {inputs.low > all.low ? inputs.low : all.low, inputs.high < all.high ? inputs.high : all.high};
}

/// True if a rule returns an integer for inputs of the types `Inputs`.
template <class Rule, class... Inputs>
DYADIC_API constexpr bool gives_integer() noexcept {
  if constexpr (std::is_invocable_v<const Rule&, Inputs...>)
    return std::is_integral_v<decltype(std::declval<const Rule&>()(std::declval<Inputs>()...))>;
  else
    return false;
}
/// Returns true, or ends the compilation with a message that names the error.
template <class A, class B, class... Inputs>
DYADIC_API constexpr bool are_comparable() noexcept {
  constexpr bool take_integers = ((std::is_integral_v<Inputs> && sizeof(Inputs) <= 4) && ...);
  static_assert(take_integers, "inputs are integers of up to 32 bits: compare_rules takes functions that make reals of integers");
  constexpr bool give_integers = gives_integer<A, Inputs...>() && gives_integer<B, Inputs...>();
  static_assert(give_integers || !take_integers, "a rule returns one integer: compare_arrays takes rows, and the bits of reals");
  return take_integers && give_integers;
}
}  // namespace detail

/// Compares two rules of one input on an interval of inputs, by default on all values of their type. Leaves out numbers that are
/// not values of the type. In the result `acc` is x.
/// @{
template <class A, class B>
DYADIC_API constexpr difference compare_inputs(const A& a, const B& b, interval inputs) noexcept {
  using x = detail::argument_of<A>;
  static_assert(std::is_same_v<x, detail::argument_of<B>>, "both rules take the same elements");
  if constexpr (detail::are_comparable<A, B, x>()) {
    const auto of_a = [&](std::int64_t in) { return std::int64_t{a(static_cast<x>(in))}; };
    const auto of_b = [&](std::int64_t in) { return std::int64_t{b(static_cast<x>(in))}; };
    const interval values = detail::values_in<x>(inputs);
    return detail::sweep(of_a, of_b, values, 0, values.size());
  } else {
    return {};
  }
}
template <class A, class B>
DYADIC_API constexpr difference compare_inputs(const A& a, const B& b) noexcept {
  return compare_inputs(a, b, detail::all_numbers);
}
/// @}

/// Two inputs, and the outputs of two rules.
struct pair_sample {
  std::int64_t left;   ///< the first operand
  std::int64_t right;  ///< the second
  std::int64_t a;      ///< the output of the first rule
  std::int64_t b;      ///< the output of the second rule
};

/// How two rules of two inputs differ. If `differing` is 0, the fields below it are 0.
struct pair_difference {
  std::uint64_t compared;        ///< pairs of inputs
  std::uint64_t differing;       ///< pairs with different outputs
  pair_sample smallest;          ///< the first pair with the least |left| + |right|, in the order of left, then of right
  pair_sample worst;             ///< the first pair with the largest distance
  std::uint64_t worst_distance;  ///< the largest distance
};

namespace detail {
DYADIC_API constexpr std::int64_t size_of(const pair_sample& s) noexcept {
  return (s.left < 0 ? -s.left : s.left) + (s.right < 0 ? -s.right : s.right);
}
}  // namespace detail

/// Merges the differences of two parts: the result of `compare_pairs` for the left inputs of the first part, followed by those
/// of the second part.
DYADIC_API constexpr pair_difference merge(const pair_difference& earlier, const pair_difference& later) noexcept {
  if (later.differing == 0 || earlier.differing == 0) {
    pair_difference d = earlier.differing == 0 ? later : earlier;
    d.compared = earlier.compared + later.compared;
    return d;
  }
  const bool is_smaller = detail::size_of(later.smallest) < detail::size_of(earlier.smallest);
  const bool is_worse = later.worst_distance > earlier.worst_distance;
  return {earlier.compared + later.compared, earlier.differing + later.differing, (is_smaller ? later : earlier).smallest,
          (is_worse ? later : earlier).worst, (is_worse ? later : earlier).worst_distance};
}

/// Compares two rules of two inputs on all pairs of a left and a right input, each from an interval. An interval that is not
/// given has all values of the input's type. Leaves out numbers that are not values of the type. Inputs of 32 bits have too many
/// pairs, so that they need both intervals.
/// @{
template <class A, class B>
DYADIC_API constexpr pair_difference compare_pairs(const A& a, const B& b, interval left, interval right) noexcept {
  using left_type = detail::argument_of<A>;
  using right_type = typename detail::second_type_of<A>::type;
  static_assert(
      std::is_same_v<left_type, detail::argument_of<B>> && std::is_same_v<right_type, typename detail::second_type_of<B>::type>,
      "both rules take the same elements");
  pair_difference d{};
  if constexpr (detail::are_comparable<A, B, left_type, right_type>()) {
    const interval lefts = detail::values_in<left_type>(left);
    const interval rights = detail::values_in<right_type>(right);
    for (std::uint64_t i = 0; i < lefts.size(); ++i)
      for (std::uint64_t j = 0; j < rights.size(); ++j) {
        const auto l = static_cast<left_type>(lefts[i]);
        const auto r = static_cast<right_type>(rights[j]);
        const pair_sample s{l, r, std::int64_t{a(l, r)}, std::int64_t{b(l, r)}};
        ++d.compared;
        if (s.a == s.b) continue;
        const pair_difference one{0, 1, s, s, distance(sample{0, s.a, s.b})};
        d = merge(d, one);
      }
  }
  return d;
}
template <class A, class B>
DYADIC_API constexpr pair_difference compare_pairs(const A& a, const B& b, interval left) noexcept {
  return compare_pairs(a, b, left, detail::all_numbers);
}
template <class A, class B>
DYADIC_API constexpr pair_difference compare_pairs(const A& a, const B& b) noexcept {
  static_assert(sizeof(detail::argument_of<A>) < 4, "int32 has too many pairs: give an interval of left and one of right inputs");
  return compare_pairs(a, b, detail::all_numbers, detail::all_numbers);
}
/// @}

/// Prints a difference for humans: "9 of 201 differ; the smallest at 1 and -3, 11 and 20; the worst by 25 at 15 and 7, 15 and
/// 40". The outputs of the two rules follow the two inputs. Prints "nothing was compared" if `compared` is 0.
DYADIC_API constexpr difference_text to_string(const pair_difference& d) noexcept {
  difference_text t;
  const auto add = [&](const char* before, const pair_sample& s) {
    t.add(before).add(s.left).add(" and ").add(s.right).add(", ").add(s.a).add(" and ").add(s.b);
  };
  if (d.compared == 0) return t.add("nothing was compared");
  if (d.differing == 0) return t.add("none of ").add(d.compared).add(" differ");
  t.add(d.differing).add(" of ").add(d.compared);
  add(" differ; the smallest at ", d.smallest);
  t.add("; the worst by ").add(d.worst_distance);
  add(" at ", d.worst);
  return t;
}

}  // namespace dyadic
