// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The types of bias that a fold takes. Floor 3.

#include <dyadic/int48.hpp>
#include <dyadic/view.hpp>

namespace dyadic {

/// The bias argument for a layer without a bias.
struct no_bias {};

namespace detail {
/// Returns a view of `size` elements, or an empty view if `data` is null.
template <class T>
DYADIC_API constexpr view<const T> view_or_none(const T* data, index_t size) noexcept {
  return is_null(data) ? view<const T>{} : view<const T>{data, size};
}
/// The element type of an array or a container, const if the elements are const. It is void if no view can be made of T.
template <class T, class = void>
struct range_element {
  using type = void;
};
template <class T, std::size_t Count>
struct range_element<T[Count]> {
  using type = T;
};
template <class T>
struct range_element<T, std::void_t<decltype(std::declval<T&>().data()), decltype(std::declval<T&>().size())>> {
  using type = std::remove_pointer_t<decltype(std::declval<T&>().data())>;
};
template <class T>
using element_of_range = typename range_element<std::remove_reference_t<T>>::type;

/// Enables a function for arrays, containers and views of a bias.
template <class Range, class Element = std::remove_const_t<element_of_range<Range>>>
using if_bias_range = std::enable_if_t<
    std::is_same_v<Element, std::int32_t> || std::is_same_v<Element, packed_int48> || std::is_same_v<Element, std::int64_t>, int>;
}  // namespace detail

/// A bias whose type is known only at run time, or no bias. Its elements are std::int32_t, packed_int48 or std::int64_t, one for
/// each output channel. A null pointer means no bias, whatever the size.
class any_bias {
 public:
  DYADIC_API constexpr any_bias() noexcept = default;  ///< no bias
  DYADIC_API constexpr any_bias(const std::int32_t* data, index_t size) noexcept
      : int32_{detail::view_or_none(data, size)} {}  ///< a bias of 32 bits
  DYADIC_API constexpr any_bias(const packed_int48* data, index_t size) noexcept
      : int48_{detail::view_or_none(data, size)} {}  ///< a bias of 48 bits
  DYADIC_API constexpr any_bias(const std::int64_t* data, index_t size) noexcept
      : int64_{detail::view_or_none(data, size)} {}  ///< a bias of 64 bits

  /// The bias of an array, a container or a view of one of these types.
  template <class Range, detail::if_bias_range<Range> = 0>
  DYADIC_API constexpr any_bias(Range&& range) noexcept
      : any_bias{view(static_cast<Range&&>(range)).data(), view(static_cast<Range&&>(range)).size()} {}

  /// Returns the number of elements, 0 if there is no bias.
  DYADIC_API constexpr index_t size() const noexcept { return int32_.size() + int48_.size() + int64_.size(); }
  DYADIC_API constexpr bool empty() const noexcept { return size() == 0; }  ///< true if there is no bias
  /// Returns the bits of an element: 32, 48 or 64; 0 if there is no bias.
  DYADIC_API constexpr int bits() const noexcept {
    return !int32_.empty() ? 32 : !int48_.empty() ? 48 : !int64_.empty() ? 64 : 0;
  }
  /// Returns element o. Requires: 0 <= o < size().
  DYADIC_API constexpr std::int64_t operator[](index_t o) const noexcept {
    return !int32_.empty() ? int32_[o] : !int48_.empty() ? int48_[o].unpack().value() : int64_[o];
  }
  /// Returns the number of elements, or the negative of the status that `check` of the elements returns.
  DYADIC_API constexpr index_t measure() const noexcept {
    return !int32_.empty() ? int32_.measure() : !int48_.empty() ? int48_.measure() : int64_.measure();
  }
  /// Returns true if a view shares memory with the elements. Requires: both are sound.
  template <class T>
  DYADIC_API friend constexpr bool overlap(view<T> a, const any_bias& b) noexcept {
    return detail::share_memory(a, b.int32_) || detail::share_memory(a, b.int48_) || detail::share_memory(a, b.int64_);
  }

 private:
  // At most one of these views has elements.
  view<const std::int32_t> int32_;
  view<const packed_int48> int48_;
  view<const std::int64_t> int64_;
};

namespace detail {

template <class T>
DYADIC_API constexpr std::int64_t bias_value(T x) noexcept {
  static_assert(std::is_integral_v<T> && std::is_signed_v<T> && (sizeof(T) == 4 || sizeof(T) == 8),
                "a bias is int32, int48 or int64");
  return x;
}
DYADIC_API constexpr std::int64_t bias_value(packed_int48 x) noexcept { return x.unpack().value(); }
DYADIC_API constexpr std::int64_t bias_value(int48 x) noexcept { return x.value(); }

/// Returns the bias as a view, and an empty any_bias for `no_bias`.
template <class Bias>
DYADIC_API constexpr auto bias_view(const Bias& bias) noexcept {
  if constexpr (std::is_same_v<Bias, no_bias>)
    return any_bias{};
  else if constexpr (std::is_same_v<Bias, any_bias>)
    return bias;
  else
    return view(bias);
}

/// Returns true if there is a bias. A typed bias may have no channels, but an any_bias without elements is no bias.
template <class Bias>
DYADIC_API constexpr bool has_bias(const Bias& bias) noexcept {
  if constexpr (std::is_same_v<Bias, any_bias>)
    return !bias.empty();
  else
    return !std::is_same_v<Bias, no_bias>;
}

}  // namespace detail
}  // namespace dyadic
