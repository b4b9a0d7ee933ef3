// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Sizes in memory: sums of sizes, and the extent of a pointer with a shape. Floor 1.

#include <dyadic/status.hpp>

namespace dyadic::detail {

/// Returns true if p is null. GCC under -fsanitize=undefined does not fold the comparison for weak symbols, which are not null.
template <class T>
DYADIC_API constexpr bool is_null(T* p) noexcept {
  return is_constant_evaluated() ? DYADIC_FOLDS_TO_TRUE(p == nullptr) : p == nullptr;
}

/// Returns true if p is not a multiple of `alignment`, a power of two. Returns false in constant evaluation, where pointers have
/// no addresses and are always aligned.
DYADIC_API constexpr bool is_misaligned(const void* p, index_t alignment) noexcept {
  return !is_constant_evaluated() && (bit_cast<std::uintptr_t>(p) & static_cast<std::uintptr_t>(alignment - 1)) != 0;
}

/// Returns before + count * size, or -1 if an argument is negative or the sum exceeds index_t. If an argument is the -1 of an
/// earlier call, it returns -1. A caller therefore compares only the last sum.
DYADIC_API constexpr index_t add_size(index_t before, index_t count, index_t size = 1) noexcept {
  index_t sum = 0;
  const bool fits = before >= 0 && count >= 0 && size >= 0 && !DYADIC_MULTIPLY_OVERFLOWS(count, size, &sum) &&
                    !DYADIC_ADD_OVERFLOWS(before, sum, &sum);
  return fits ? sum : -1;
}

/// Returns the stride of `count` items of `inner` elements. If it exceeds index_t, returns the greatest index_t, a stride that no
/// view has.
DYADIC_API constexpr index_t stride_of(index_t count, index_t inner) noexcept {
  const index_t stride = add_size(0, count, inner);
  return stride < 0 ? limits<index_t>::max : stride;
}

/// The bytes of an element times 256, plus its alignment. It is a number, because GCC stores a structure to the stack.
enum class element_layout : std::uint32_t {};
template <class T>
DYADIC_API constexpr element_layout layout_of() noexcept {
  static_assert(sizeof(T) < 1 << 24 && alignof(T) < 256, "an element has less than 16 MB, and is aligned to 128 bytes or less");
  return element_layout{static_cast<std::uint32_t>(sizeof(T) << 8 | alignof(T))};
}
DYADIC_API constexpr index_t size_of(element_layout e) noexcept {
  return static_cast<index_t>(static_cast<std::uint32_t>(e) >> 8);
}
DYADIC_API constexpr index_t alignment_of(element_layout e) noexcept {
  return static_cast<index_t>(static_cast<std::uint32_t>(e) & 255);
}

/// Measures `extent`, the elements from the first to the last of a view, or 0 if there are none. The first number of `shape`
/// counts the elements of a row. Two numbers follow for each axis, innermost axis first: its stride in elements and its number of
/// items. `length` is therefore odd. Returns `negative_size`, `stride_too_small` if items share elements, `size_overflow` if the
/// elements do not fit the address space, `null_data`, `misaligned_data` or `ok`.
DYADIC_API constexpr status measure(const void* data, element_layout element, const index_t* shape, int length,
                                    index_t& extent) noexcept {
  const index_t* const end = shape + length;
  for (const index_t* p = shape; p != end; ++p)
    if (*p < 0) return status::negative_size;
  extent = 0;
  for (int i = 0; i < length; i += 2)
    if (shape[i] == 0) return status::ok;
  extent = *shape;
  const index_t most = limits<index_t>::max / size_of(element);
  while (++shape != end) {
    const index_t stride = *shape++;
    const index_t gaps = *shape - 1;
    if (gaps == 0) continue;
    if (stride < extent) return status::stride_too_small;
    if (stride > (most - extent) / gaps) return status::size_overflow;  // also where extent > most: stride > 0
    extent += gaps * stride;
  }
  if (extent > most) return status::size_overflow;
  if (is_null(data)) return status::null_data;
  return is_misaligned(data, alignment_of(element)) ? status::misaligned_data : status::ok;
}

/// Returns the extent that `measure` finds, or the negative of its status.
DYADIC_API constexpr index_t extent_of(const void* data, element_layout element, const index_t* shape, int length) noexcept {
  index_t extent = 0;
  const auto found = static_cast<index_t>(measure(data, element, shape, length, extent));
  return found == 0 ? extent : -found;
}

/// Returns the status in a result of `extent_of`: `ok` if the result is an extent.
DYADIC_API constexpr status status_of(index_t extent) noexcept { return extent < 0 ? static_cast<status>(-extent) : status::ok; }

}  // namespace dyadic::detail
