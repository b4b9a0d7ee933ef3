// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The LHS of a matrix product: the rows of a matrix, or the windows of images as rows by implicit im2col (gemm/lhs_buffer.inc).
/// A micro-kernel reads some rows at a time. None of this has vectors, and it is compiled once for all regions. Private. Floor 4.
///
/// An LHS has:
///   value_type                        the type of its values
///   count(), depth()                  the number of rows, and of values in each
///   output_offsets(row, count, to)    writes the distances of the outputs of `count` rows from the outputs of row 0

#include <dyadic/backend/copy_bytes.hpp>
#include <dyadic/view.hpp>

namespace dyadic::detail {
inline namespace DYADIC_ISA {

/// The most rows of a tile, and the most columns of a panel, in any region.
/// @{
constexpr int most_rows = DYADIC_MOST_ROWS;
constexpr int most_columns = DYADIC_MOST_COLUMNS;
/// @}

/// The rows of a tile, each as `count` runs of `length` elements. A window in a line buffer has one run for each line.
struct lhs_runs {
  const void* first;  ///< the first run of row 0
  index_t stride;     ///< elements from one row to the next
  index_t length;
  index_t count;
  index_t gap;  ///< elements from the end of a run to the next run
};

/// The rows of a tile as a micro-kernel reads them. `set` chooses the rows and their elements.
/// - Element k of row r is at row(r, k), in a contiguous run of `run_length(k)` elements.
/// - `rows_from(first)` rows from `first` on can be set together, as one tile or several tiles.
/// - `max_depth()` elements of each row can be set at a time.
/// Only the address of the LHS is known here, so that the code that multiplies is compiled once for all types of LHS.
class rows_by_address {
 public:
  using set_type = void(rows_by_address& rows, index_t first, int count, index_t k, index_t length) noexcept;
  /// Sets the elements k .. k + length - 1 of `count` rows from `first` on.
  set_type* const set;

  index_t count() const noexcept { return count_; }
  index_t depth() const noexcept { return depth_; }
  index_t max_depth() const noexcept { return max_depth_; }
  /// Returns the number of elements of a run of `length` elements, including the zeros that pad the run in a copy.
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
  /// For padded runs. `filled_run_length` returns how many elements of one run follow from k on, padding included. `unfilled`
  /// returns how many of `length` elements from k on are not padding.
  /// @{
  index_t filled_run_length(index_t k) const noexcept {
    const index_t run = run_length(k);
    if (run_padding_ == 0) return run;
    const index_t left = run_ - (begin_ + k) % run_;
    return left < run ? left : run;
  }
  index_t unfilled(index_t k, index_t length) const noexcept {
    if (run_padding_ == 0) return length;
    const index_t left = run_ - run_padding_ - (begin_ + k) % run_;
    return left < 0 ? 0 : left < length ? left : length;
  }
  /// @}
  /// Returns the rows of a tile, if all their elements were set.
  const lhs_runs& whole_rows() const noexcept { return rows_; }

 protected:
  using offsets_type = void(const void* lhs, index_t first, int count, index_t* to) noexcept;

  /// The properties that all rows of one type share.
  struct kind {
    index_t max_depth;
    index_t padding;  ///< a power of two: each run is padded to a multiple of it, in elements
    int element_bytes;
    set_type* set;
    offsets_type* output_offsets;
  };

  DYADIC_NOINLINE rows_by_address(const void* lhs, index_t count, index_t depth, const kind& k) noexcept
      : set{k.set},
        lhs_{lhs},
        count_{count},
        depth_{depth},
        max_depth_{k.max_depth},
        padding_{k.padding},
        element_bytes_{k.element_bytes},
        rows_{nullptr, 0, padded(depth), 1, 0},
        output_offsets_{k.output_offsets} {}

  const void* lhs_;
  index_t count_;
  index_t depth_;
  index_t max_depth_;
  index_t padding_;
  int element_bytes_;
  bool is_line_buffer_ = false;
  lhs_runs rows_;
  index_t begin_ = 0;  ///< the first element that was set; a line buffer holds all elements
  index_t run_ = 0;    ///< elements of a padded run, padding included
  index_t run_padding_ = 0;
  index_t segment_ = 0;  ///< elements of one line of a window; 0 if each row is copied by its runs
  index_t line_ = 0;     ///< elements from one line of the buffer to the next
  offsets_type* output_offsets_;
  index_t (*left_in_line_)(const void* lhs, index_t first) noexcept = nullptr;  ///< set if a tile lies in one line of an image
};

/// The rows of a matrix.
template <class X>
struct matrix_lhs {
  using value_type = X;
  static constexpr bool is_matrix = true;

  matrix_view<const X> x;
  index_t output_stride;

  index_t count() const noexcept { return x.rows(); }
  index_t depth() const noexcept { return x.cols(); }
  void output_offsets(index_t row, int count, index_t* to) const noexcept {
    for (int i = 0; i < count; ++i) to[i] = (row + i) * output_stride;
  }
};

/// `rows_by_address`, with the elements of a micro-kernel.
template <class Element>
class lhs_rows : public rows_by_address {
 public:
  using element = Element;

  /// Returns row 0 from the first element that was set.
  const element* first_row() const noexcept { return static_cast<const element*>(rows_.first); }

 protected:
  /// The kind of an LHS whose rows are set by the function `Set`.
  template <class Lhs, rows_by_address::set_type* Set, index_t MaxDepth, index_t Padding>
  struct kind_of {
    static void output_offsets(const void* lhs, index_t first, int count, index_t* to) noexcept {
      static_cast<const Lhs*>(lhs)->output_offsets(first, count, to);
    }
    static constexpr rows_by_address::kind value{MaxDepth, Padding, static_cast<int>(sizeof(element)), Set, &output_offsets};
  };

  template <class Lhs, class Kind>
  lhs_rows(const Lhs& lhs, Kind) noexcept : rows_by_address{&lhs, lhs.count(), lhs.depth(), Kind::value} {}
};

/// The rows of a matrix in place, if its elements need no conversion. A micro-kernel that reads groups of two elements reads one
/// element past a row of odd length, and multiplies it by a weight of 0. The next row begins with this element. If no row
/// follows, short rows are copied, and the last element of a longer row is multiplied alone.
template <class Element, index_t Group>
class lhs_in_place : public lhs_rows<Element> {
  static_assert(Group == 1 || (Group == 2 && std::is_same_v<Element, std::int16_t>));
  using rows = lhs_rows<Element>;
  static constexpr index_t max_copied = 16;  ///< rows with fewer elements are copied

 public:
  using element = Element;

  static constexpr bool holds_all = true;
  static constexpr index_t workspace_bytes = 0;

  lhs_in_place(const matrix_lhs<Element>& lhs, std::byte* /*workspace*/) noexcept
      : rows{lhs, typename rows::template kind_of<matrix_lhs<Element>, set_rows, limits<index_t>::max, 1>{}} {}

 private:
  static void set_rows(rows_by_address& all, index_t first, int count, index_t k, index_t length) noexcept {
    auto& self = static_cast<lhs_in_place&>(all);
    const auto& x = static_cast<const matrix_lhs<Element>*>(self.lhs_)->x;
    self.rows_.first = x.row(first) + k;
    self.rows_.stride = length == 0 ? 0 : x.stride();
    if constexpr (Group == 2) {
      const bool is_followed = length % 2 == 0 || (x.stride() == x.cols() && first + count < x.rows());
      if (!is_followed && length < max_copied) self.copy(count, length);
      self.padding_ = is_followed || length < max_copied ? 2 : 1;
      self.rows_.length = self.padded(length);
    }
  }
  void copy(int count, index_t length) noexcept {
    copy_pieces(static_cast<const std::byte*>(this->rows_.first), 2 * this->rows_.stride, reinterpret_cast<std::byte*>(copies_),
                sizeof(copies_[0]), 2 * length, count);
    for (int r = 0; r < count; ++r) copies_[r][length] = 0;
    this->rows_.first = copies_[0];
    this->rows_.stride = max_copied;
  }

  Element copies_[Group == 1 ? 1 : most_rows][static_cast<std::size_t>(Group == 1 ? 1 : max_copied)];
};

}  // namespace DYADIC_ISA
}  // namespace dyadic::detail
