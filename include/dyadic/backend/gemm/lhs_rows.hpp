// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The rows of an LHS as loops over tiles take them: elements by their bytes, compiled once for all regions. Private. Floor 4.

#include <dyadic/view.hpp>

namespace dyadic::detail {
inline namespace DYADIC_ISA {

/// The rows of a tile, each as `count` runs of `length` elements: a window in a line buffer has one for each line.
struct lhs_runs {
  const void* first;  ///< the first run of row 0
  index_t stride;     ///< from one row to the next, in elements
  index_t length;
  index_t count;
  index_t gap;  ///< from the end of a run to the next one
};

/// The rows of an LHS as a micro-kernel takes them: those of a tile, from that which was set on. Element k of row r is at row(r,
/// k), in a contiguous run of `run_length(k)` elements; `rows_from(first)` rows can be one tile or several; `max_depth()`
/// elements of each row are there at a time. The LHS is known by its address only: what multiplies is compiled once for all.
class rows_by_address {
 public:
  using set_type = void(rows_by_address& rows, index_t first, int count, index_t k, index_t length) noexcept;
  /// Makes them the elements k .. k + length - 1 of `count` rows from `first` on.
  set_type* const set;

  index_t count() const noexcept { return count_; }
  index_t depth() const noexcept { return depth_; }
  index_t max_depth() const noexcept { return max_depth_; }
  /// How many elements of a run of `length` are there: with zeros after the last one, if rows are copied so.
  index_t padded(index_t length) const noexcept { return (length + padding_ - 1) & -padding_; }
  index_t rows_from(index_t first) const noexcept {
    return left_in_line_ != nullptr ? left_in_line_(lhs_, first) : count_ - first;
  }
  void output_offsets(index_t first, int count, index_t* to) const noexcept { output_offsets_(lhs_, first, count, to); }
  const void* row(int r, index_t k) const noexcept {
    const index_t at = is_line_buffer_ ? (begin_ + k) / segment_ * line_ + (begin_ + k) % segment_ : k;
    return static_cast<const std::byte*>(rows_.first) + (r * rows_.stride + at) * element_bytes_;
  }
  index_t stride() const noexcept { return rows_.stride; }
  index_t run_length(index_t k) const noexcept {
    return is_line_buffer_ ? segment_ - (begin_ + k) % segment_ : limits<index_t>::max;
  }
  /// Whole rows, if as much of them is there.
  const lhs_runs& whole_rows() const noexcept { return rows_; }

 protected:
  using offsets_type = void(const void* lhs, index_t first, int count, index_t* to) noexcept;

  /// With a multiple of `padding` elements for each run, a power of two.
  rows_by_address(const void* lhs, index_t count, index_t depth, index_t max_depth, index_t padding, int element_bytes,
                  set_type* set_rows, offsets_type* offsets) noexcept
      : set{set_rows},
        lhs_{lhs},
        count_{count},
        depth_{depth},
        max_depth_{max_depth},
        padding_{padding},
        element_bytes_{element_bytes},
        rows_{nullptr, 0, padded(depth), 1, 0},
        output_offsets_{offsets} {}

  const void* lhs_;
  index_t count_;
  index_t depth_;
  index_t max_depth_;
  index_t padding_;
  int element_bytes_;
  bool is_line_buffer_ = false;
  lhs_runs rows_;
  index_t begin_ = 0;    ///< the first element that is asked for; a line buffer holds all
  index_t segment_ = 0;  ///< elements of one line of a window; 0 where what is asked for of a row is copied as it is
  index_t line_ = 0;     ///< from one line of the buffer to the next
  offsets_type* output_offsets_;
  index_t (*left_in_line_)(const void* lhs, index_t first) noexcept = nullptr;  ///< if a tile is in one line of an image
};

}  // namespace DYADIC_ISA
}  // namespace dyadic::detail
