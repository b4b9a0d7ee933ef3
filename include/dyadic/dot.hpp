// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Dot products by the vectors of a backend. Floor 4.

#include <dyadic/detail/sums.hpp>
#include <dyadic/dispatch.hpp>

namespace dyadic {

inline namespace DYADIC_ISA {

template <>
struct kernel<backend::scalar, op::dot> {
  template <class Accumulator, class X, class Weights>
  static constexpr Accumulator run(detail::sums_in<Accumulator>, const X* x, const Weights& w, index_t depth) noexcept {
    return dot<Accumulator>(x, w, depth);
  }
  template <class X, class Weights, class Accumulator>
  static constexpr void run(const matrix_view<const X>& rows, const Weights& w, const view<Accumulator>& y) noexcept {
    for (index_t r = 0; r < rows.rows(); ++r) y[r] = dot<Accumulator>(rows.row(r), w, rows.cols());
  }
};

}  // namespace DYADIC_ISA

/// Returns sum_k x[k] * w[k] by the vectors of a backend, modulo 2^(bits of Accumulator): the bits of dot<Accumulator>(x, w,
/// depth). The default accumulator holds the exact sum of every depth. The elements x are int8, uint8, int16 or uint16. The
/// weights are a pointer to such elements or an int4_pointer. Only one of the two is uint16, and portable code runs it. A depth
/// that is less than a vector runs on shorter vectors or in portable code. Requires: x and w hold `depth` elements.
///
/// Products that an int32 accumulator holds, whatever the elements are:
///   int8 x int8     131,071      int16 x int8      511      int8 x int4     2,097,151
///   uint8 x int8     65,793      int16 x uint8     257      uint8 x int4    1,052,688
///   uint8 x uint8    33,025      int16 x int16       1      int16 x int4        8,191
template <class Backend, class Accumulator = std::int64_t, class X, class Weights,
          std::enable_if_t<std::is_class_v<Backend>, int> = 0>
DYADIC_API DYADIC_ALWAYS_INLINE constexpr Accumulator dot(const X* x, Weights w, index_t depth) noexcept {
  static_assert(std::is_integral_v<Accumulator> && sizeof(Accumulator) >= 4, "the accumulator is int32 or int64");
  if constexpr (detail::takes_backend<Backend>() && detail::takes_operands<X, std::decay_t<decltype(w[0])>>())
    return detail::call<Backend, op::dot>(detail::sums_in<Accumulator>{}, x, w, depth);
  else
    return 0;
}

/// Computes y[r] = sum_k rows[r][k] * w[k] for each row, modulo 2^(bits of the elements of y), which are int32 or int64. Several
/// rows share the loads of w, which is faster than a call for each row. The elements of `rows` and w are those of `dot`. y is a
/// view, an array or a container. Requires: `check` of `rows` is ok, w holds rows.cols() elements, y holds rows.rows() elements
/// and shares no memory with `rows` and w.
template <class Backend, class X, class Weights, class Storage, std::enable_if_t<std::is_class_v<Backend>, int> = 0>
DYADIC_API constexpr void dot(const matrix_view<X>& rows, Weights w, Storage&& y) noexcept {
  const auto to = detail::view_of_integers<4, 8>(static_cast<Storage&&>(y));
  DYADIC_ASSERT(check(rows) == status::ok && to.size() == rows.rows());
  if constexpr (detail::takes_backend<Backend>() &&
                detail::takes_operands<std::remove_const_t<X>, std::decay_t<decltype(w[0])>>())
    if (!to.empty()) detail::call<Backend, op::dot>(detail::to_read(rows), w, to);
}

}  // namespace dyadic
