// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The options of a run: the part of y that it computes, and the memory where it copies and packs. Floor 1.

#include <dyadic/view.hpp>

namespace dyadic {

/// The part of y that a run computes, and its workspace. A range of rows converts to options. Two numbers in braces also convert
/// to options: run(layer, x, y, {0, 8}) computes eight rows.
struct run_options {
  /// Rows of a matrix, or the n * h rows of a batch of images, image after image.
  row_range rows{0, to_end};
  /// Output channels. The first channel is a multiple of channel_step(layer). Layers without weights compute all channels.
  channel_range channels{0, to_end};
  /// At least workspace_size<Backend> bytes that no other run uses, of any alignment. An empty workspace means the stack.
  view<std::byte> workspace{};

  DYADIC_API constexpr run_options() noexcept = default;  ///< computes all of y, with copies on the stack
  /// Names rows, their channels and the workspace.
  DYADIC_API constexpr run_options(const row_range& some, channel_range of = {0, to_end}, view<std::byte> memory = {}) noexcept
      : rows{some.begin, some.end}, channels{of}, workspace{memory} {}
  /// Names rows first .. last - 1.
  DYADIC_API constexpr run_options(index_t first, index_t last) noexcept : rows{first, last} {}
};

namespace detail {

/// The rows that a kernel computes, and its workspace. A kernel without copies takes a `const row_range&`.
struct rows_to_run : row_range {
  view<std::byte> workspace{};

  DYADIC_API constexpr rows_to_run(const row_range& rows, view<std::byte> memory) noexcept
      : row_range{rows.begin, rows.end}, workspace{memory} {}
};

/// Replaces `to_end` by the number of rows or channels.
/// @{
DYADIC_API constexpr row_range within(const row_range& rows, index_t count) noexcept {
  return {rows.begin, rows.end == to_end ? count : rows.end};
}
DYADIC_API constexpr channel_range within(channel_range channels, index_t count) noexcept {
  return {channels.begin, channels.end == to_end ? count : channels.end};
}
/// @}

/// Returns the rows of a matrix, or of all images; 0 if they have no elements.
/// @{
template <class T>
DYADIC_API constexpr index_t row_count(const matrix_view<T>& y) noexcept {
  return y.cols() == 0 ? 0 : y.rows();
}
template <class T>
DYADIC_API constexpr index_t row_count(const nhwc_view<T>& y) noexcept {
  return y.w() == 0 || y.c() == 0 ? 0 : y.n() * y.h();
}
/// @}
/// Returns the channels of outputs.
/// @{
template <class T>
DYADIC_API constexpr index_t channel_count(const matrix_view<T>& y) noexcept {
  return y.cols();
}
template <class T>
DYADIC_API constexpr index_t channel_count(const nhwc_view<T>& y) noexcept {
  return y.c();
}
/// @}

}  // namespace detail
}  // namespace dyadic
