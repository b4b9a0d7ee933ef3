// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Checks of the kinds of arguments. A wrong kind ends the compilation with one sentence. Floor 3.

#include <dyadic/detail/bias.hpp>
#include <dyadic/detail/fold_record.hpp>

namespace dyadic::detail {

/// False for all types. A static_assert on it fails only when its template is instantiated.
template <class... T>
inline constexpr bool never = false;

template <class T>
inline constexpr bool is_result = false;
template <class T>
inline constexpr bool is_result<result<T>> = true;

/// True if T is a matrix_view or an nhwc_view, or is derived from a matrix_view or an nhwc_view.
/// @{
template <class T>
std::true_type matrix_of(const matrix_view<T>*);
std::false_type matrix_of(const void*);
template <class T>
std::true_type image_of(const nhwc_view<T>*);
std::false_type image_of(const void*);
template <class T>
inline constexpr bool is_matrix = decltype(matrix_of(static_cast<std::remove_reference_t<T>*>(nullptr)))::value;
template <class T>
inline constexpr bool is_image = decltype(image_of(static_cast<std::remove_reference_t<T>*>(nullptr)))::value;
/// @}

/// The type of a layer's weights. `has_weights` is true if a layer has weights.
template <class Layer>
using weights_in = decltype(Layer::weights);
template <class Layer, class = void>
inline constexpr bool has_weights = false;
template <class Layer>
inline constexpr bool has_weights<Layer, std::void_t<weights_in<Layer>>> = true;

/// The type of a layer's output.
template <class Layer>
using output_of = decltype(Layer::output);

/// The element type of y, which the output or the rule of a layer makes.
/// @{
template <class Layer, class = void>
struct made_by {
  using type = typename decltype(Layer::rule)::value_type;
};
template <class Layer>
struct made_by<Layer, std::void_t<output_of<Layer>>> {
  using type = typename output_of<Layer>::value_type;
};
/// @}

/// True if T is a signed integer of 32 or 64 bits.
template <class T>
inline constexpr bool is_accumulator = std::is_integral_v<T>&& std::is_signed_v<T> && (sizeof(T) == 4 || sizeof(T) == 8);
template <>
inline constexpr bool is_accumulator<void> = false;

/// True if a fold takes T as a bias.
template <class T, class Element = std::remove_const_t<element_of_range<const T>>>
inline constexpr bool is_bias =
    is_one_of<T, no_bias, any_bias> || is_one_of<Element, packed_int48, int48> || is_accumulator<Element>;

/// Returns true if a fold takes the arguments. Else ends the compilation with a sentence that names the first error.
template <class X, class Weights, class Bias, class Storage>
DYADIC_API constexpr bool takes_fold() noexcept {
  constexpr bool has_result = is_result<Weights> || is_result<Bias>;
  constexpr bool can_store = is_accumulator<element_of_range<Storage>> && !std::is_const_v<element_of_range<Storage>>;
  if constexpr (std::is_void_v<X>)
    static_assert(never<X>, "a fold is for a type of activations: name it, fold<std::int8_t>(weights, ..)");
  else if constexpr (has_result)
    static_assert(never<X>, "a result is a status and a value: look at the status, then give the .value");
  else if constexpr (!is_matrix<Weights>)
    static_assert(never<X>, "weights are folded as a matrix_view(data, rows, columns), and not packed");
  else if constexpr (!is_bias<Bias>)
    static_assert(
        never<X>,
        "a bias is int32, int48 or int64: an array, a container or a view of them, any_bias(pointer, channels), no_bias{}");
  else if constexpr (!can_store)
    static_assert(never<X>, "constants are an array, a container or a view of int32 or int64, and not const");
  return !std::is_void_v<X> && !has_result && is_matrix<Weights> && is_bias<Bias> && can_store;
}

}  // namespace dyadic::detail
