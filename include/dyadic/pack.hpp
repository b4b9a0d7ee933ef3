// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Packs weights in the order in which a backend's inner loop reads them, in storage that the user owns. Floor 4.

#include <dyadic/backend/plan.hpp>
#include <dyadic/detail/batch_view.hpp>
#include <dyadic/detail/packed_size.hpp>
#include <dyadic/detail/sums.hpp>
#include <dyadic/dispatch.hpp>
#include <dyadic/int4.hpp>
#include <dyadic/int48.hpp>

namespace dyadic {

/// The order in which the backend's kernel reads weights W with activations X. Each backend defines its own.
/// @{
template <class Backend, class X, class W>
inline constexpr packed_layout packed_layout_of = packed_layout_of<typename Backend::fallback, X, W>;
template <class X, class W>
inline constexpr packed_layout packed_layout_of<backend::scalar, X, W>{1, 1};
template <class X>
inline constexpr packed_layout packed_layout_of<backend::scalar, X, int4>{1, 2, 0, 0, 1, 4};
/// @}

/// Returns the bytes that `pack` writes for `rows` output channels of `cols` weights each, 0 or more; -1 if they fit no view.
template <class Backend, class X, class W>
DYADIC_API constexpr index_t packed_size(index_t rows, index_t cols) noexcept {
  if constexpr (detail::takes_backend<Backend>())
    return detail::size_of_packed<packed_layout_of<Backend, X, std::remove_const_t<W>>.has_blocks>(
        packed_layout_of<Backend, X, std::remove_const_t<W>>, rows, cols,
        detail::order_of_linear(packed_layout_of<Backend, X, std::remove_const_t<W>>, rows, cols), rows);
  else
    return -1;
}

/// `rows` output channels of `cols` weights each, packed for a backend, activations X and weights W: 8 bits, or int4. `pack`
/// makes it. A program can also make it from storage that was filled for the same backend elsewhere.
template <class Backend, class X, class W>
class packed_matrix {
 public:
  using value_type = typename operand<W>::value_type;  ///< the type of row(r)[k]
  static_assert(sizeof(value_type) == 1, "weights of 8 or 4 bits are packed");
  static constexpr packed_layout layout = packed_layout_of<Backend, X, W>;  ///< the order of the elements
  static_assert(layout.narrow < layout.nr && (layout.narrow == 0 || layout.bits == 8),
                "narrow panels are of bytes, and of fewer channels than others");
  static_assert(layout.rows == 0 || (layout.narrow > 0 && layout.parts == 1), "rows are panels of one column, in order");
  static_assert(layout.bits == 8 || (std::is_same_v<W, int4> && layout.nr * layout.kr % 2 == 0), "int4 fill whole bytes");

  DYADIC_API constexpr packed_matrix() noexcept = default;  ///< no rows
  DYADIC_API constexpr packed_matrix(const std::int8_t* data, index_t rows, index_t cols) noexcept
      : packed_matrix{data, rows, cols, rows} {}  ///< storage that `pack` has filled with exactly `rows` rows
  /// The first `rows` of `stored_rows` rows that `pack` has filled. `stored_rows` decides if the last panel is narrow. Requires:
  /// stored_rows >= rows.
  DYADIC_API constexpr packed_matrix(const std::int8_t* data, index_t rows, index_t cols, index_t stored_rows) noexcept
      : packed_matrix{data, rows, cols, stored_rows, detail::order_of_linear(layout, stored_rows, cols)} {}
  /// The first `rows` of `stored_rows` rows that `pack_conv2d` has filled. `order` is what `packed_conv2d_order` gives.
  DYADIC_API constexpr packed_matrix(const std::int8_t* data, index_t rows, index_t cols, index_t stored_rows,
                                     packed_order order) noexcept
      : data_{data}, rows_{rows}, cols_{cols}, stored_rows_{stored_rows}, order_{order} {}

  DYADIC_API constexpr const std::int8_t* data() const noexcept { return data_; }     ///< measure() bytes
  DYADIC_API constexpr index_t rows() const noexcept { return rows_; }                ///< output channels
  DYADIC_API constexpr index_t cols() const noexcept { return cols_; }                ///< weights of an output channel
  DYADIC_API constexpr index_t stored_rows() const noexcept { return stored_rows_; }  ///< channels in the storage: rows() or more
  /// The order that `pack` or `pack_conv2d` chose.
  DYADIC_API constexpr packed_order order() const noexcept {
    return layout.pads_runs || layout.narrow > 0 || layout.has_blocks ? order_ : packed_order{};
  }
  /// Returns the weights of an output channel, including the weights of 0 that pad its runs.
  DYADIC_API constexpr index_t depth() const noexcept { return layout.padded_depth(cols_, order().runs); }
  /// Returns output channel r: row(r)[k] is its weight k.
  DYADIC_API constexpr auto row(index_t r) const noexcept {
    DYADIC_ASSERT(r >= 0 && r < rows_);
    if constexpr (layout.has_blocks)
      if (order_.lines > 0) return row_of_panels_with_room(r);
    const index_t channels = detail::panel_channels(layout, order());
    const index_t panel = cols_ == 0 ? 0 : r / channels * detail::panel_stride(layout, order(), depth());
    const index_t channel = r % channels;
    return detail::packed_row<packed_matrix>{data_ + panel, detail::columns_of(layout, order(), stored_rows_ - (r - channel)),
                                             channel, order().runs == 1 ? 0 : cols_ / order().runs};
  }
  /// Returns true if the weights let `pack` store the panels in blocks. Requires: measure() >= 0.
  DYADIC_API constexpr bool in_blocks() const noexcept {
    DYADIC_ASSERT(measure() >= 0);
    return layout.has_blocks && order_.lines > 0 && rows_ > 0 && detail::read_number(data_, 8) > 0;
  }
  /// Returns the packed elements, including padding and sums, or the negative of the status of `check`. The status is
  /// `shape_mismatch` if fewer rows are stored than it has, or if `pack_conv2d` never gives this order.
  DYADIC_API constexpr index_t measure() const noexcept {
    if (rows_ < 0 || cols_ < 0) return -static_cast<index_t>(status::negative_size);
    if (stored_rows_ < rows_ || !is_order()) return -static_cast<index_t>(status::shape_mismatch);
    const index_t size = detail::size_of_packed<layout.has_blocks>(layout, rows_, cols_, order_, stored_rows_);
    if (size < 0) return -static_cast<index_t>(status::size_overflow);
    return size > 0 && detail::is_null(data_) ? -static_cast<index_t>(status::null_data) : size;
  }

 private:
  DYADIC_API constexpr auto row_of_panels_with_room(index_t r) const noexcept {
    const std::int8_t* const panel = data_ + r / layout.nr * detail::panel_stride(layout, order_, cols_);
    const bool has_blocks = in_blocks();
    return detail::packed_row<packed_matrix>{panel + (has_blocks ? 0 : detail::block_layout::header), layout.nr, r % layout.nr, 0,
                                             has_blocks ? cols_ : 0};
  }
  /// Returns whether this layout and these sizes allow the order.
  DYADIC_API constexpr bool is_order() const noexcept {
    if (order_ == packed_order{}) return true;
    if (layout.rows > 0 && order_.in_rows) return order_ == detail::order_of_linear(layout, stored_rows_, cols_);
    if (layout.has_blocks && order_.lines > 0)  // a part of the channels that were packed may have few
      return order_ == detail::order_with_blocks(layout, detail::least_channels_in_blocks, cols_, order_.lines);
    const bool has_runs = order_.runs >= 1 && cols_ % order_.runs == 0;
    const bool has_pixels = order_.pixels == 1 || (order_.pixels > 1 && order_.pixels <= layout.nr &&
                                                   layout.nr % order_.pixels == 0 && stored_rows_ == layout.nr / order_.pixels);
    return layout.pads_runs && order_.lines == 0 && has_runs && has_pixels;
  }
  const std::int8_t* data_ = nullptr;
  index_t rows_ = 0;
  index_t cols_ = 0;
  index_t stored_rows_ = 0;
  packed_order order_{};
};

namespace detail {

template <class T>
inline constexpr bool is_packed = false;
template <class Backend, class X, class W>
inline constexpr bool is_packed<packed_matrix<Backend, X, W>> = true;

/// Traits of weights, which are a matrix_view, depth_major or a packed_matrix. `type` is the element type. `runs_in` is true if
/// kernels run the weights with activations X: vectors take all X but uint16. `has_panels` is true if the weights are packed in
/// the order of the kernels.
template <class Weights>
struct weights_traits;
template <class W>
struct weights_traits<matrix_view<const W>> {
  using type = W;
  template <class Kernels, class X>
  DYADIC_API static constexpr bool has_panels() noexcept {
    return false;
  }
  template <class Kernels, class X>
  DYADIC_API static constexpr bool runs_in() noexcept {
    const bool has_kernel = sizeof(typename operand<W>::value_type) == 1 || std::is_same_v<W, std::int16_t>;
    return has_kernel && !std::is_same_v<X, std::uint16_t>;
  }
};
template <class W>
struct weights_traits<depth_major<const W>> : weights_traits<matrix_view<const W>> {};
/// Returns whether the packed order of weights fits a layer with `lines` lines and `taps` taps of a window, and `groups` groups.
/// A linear layer has one of each.
/// @{
template <class Weights>
DYADIC_API constexpr bool fit_window(const Weights& /*weights*/, index_t /*lines*/, index_t /*taps*/,
                                     index_t /*groups*/) noexcept {
  return true;
}
template <class Backend, class X, class W>
DYADIC_API constexpr bool fit_window(const packed_matrix<Backend, X, W>& weights, index_t lines, index_t taps,
                                     index_t groups) noexcept {
  const packed_order order = weights.order();
  return (order.runs == 1 || order.runs == lines || order.runs == taps) && (order.pixels == 1 || groups == 1) &&
         (order.lines <= 1 || order.lines == lines);
}
/// @}
template <class Backend, class P, class W>
struct weights_traits<packed_matrix<Backend, P, W>> {
  using type = W;
  template <class Kernels, class X>
  DYADIC_API static constexpr bool has_panels() noexcept {
    return packed_matrix<Backend, P, W>::layout == Kernels::template layout<X, W>() && !std::is_same_v<X, std::uint16_t>;
  }
  template <class Kernels, class X>
  DYADIC_API static constexpr bool runs_in() noexcept {
    return has_panels<Kernels, X>();
  }
};

/// True if kernels run the layer with these activations.
template <class Kernels, class Layer, class Input>
inline constexpr bool runs_layer =
    weights_traits<decltype(Layer::weights)>::template runs_in<Kernels, std::remove_const_t<element_of<Input>>>();

/// The operation of packed weights, which name the backend and the activations.
template <class Op, class Backend, class P, class W>
struct operation_with<Op, W, packed_matrix<Backend, P, W>> {
  using type = Op;
  using backend = Backend;
  template <class X>
  static constexpr bool takes = takes_operands<X, W>() && std::is_same_v<X, P>;
};

/// Names the packed_matrix that `pack` makes of a matrix_view.
template <class Backend, class X, class Weights>
struct packed_from;
template <class Backend, class X, class W>
struct packed_from<Backend, X, matrix_view<W>> {
  using type = packed_matrix<Backend, X, std::remove_const_t<W>>;
};

/// Packs the weights into storage. Requires: the layout and the sizes allow the order.
template <class Packed, class W>
DYADIC_API constexpr result<Packed> pack_checked(matrix_view<W> weights, packed_order order, view<std::int8_t> storage) noexcept {
  if (const status s = check(weights); s != status::ok) return {{}, s};
  if (const status s = check(storage); s != status::ok) return {{}, s};
  constexpr packed_layout layout = Packed::layout;
  const index_t size = size_of_packed<layout.has_blocks>(layout, weights.rows(), weights.cols(), order, weights.rows());
  if (size < 0 || size > storage.size()) return {{}, status::shape_mismatch};
  if (overlap(storage, weights)) return {{}, status::overlap};
  const Packed packed{storage.data(), weights.rows(), weights.cols(), weights.rows(), order};
  if constexpr (layout.has_blocks)
    if (order.lines > 0) {
      pack_panels_with_room<Packed>(weights, order.lines, storage.data());
      return {packed, status::ok};
    }
  const index_t depth = layout.padded_depth(weights.cols(), order.runs);
  std::int8_t* to = storage.data();
  const index_t channels = panel_channels(layout, order);
  for (index_t left = size > 0 ? weights.rows() : 0; left > 0; left -= channels) {
    const index_t first = weights.rows() - left;
    if (first > 0) to += stride_without_blocks(layout, order, depth);
    const index_t columns = columns_of(layout, order, left);
    const index_t panel = layout.panel_size(depth, columns);
    if (left < layout.nr) {  // columns without a channel have weights of 0
      const index_t end = layout.end_of(depth, columns);
      for (index_t i = 0; i < panel; ++i) to[i] = layout.bits == 4 && i < end ? 8 : 0;
    }
    for (index_t c = 0; c < channels && c < left * order.pixels; ++c)
      pack_channel<Packed>(weights, order.pixels == 1 ? first + c : c % left, c, columns, order.runs, to);
  }
  return {packed, status::ok};
}

/// Returns true if `pack` takes the arguments, else ends the compilation with a message that names the wrong argument.
template <class Backend, class X, class Weights, class Storage>
DYADIC_API constexpr bool takes_pack() noexcept {
  constexpr bool is_named = is_backend<Backend>::value && !std::is_void_v<X>;
  constexpr bool can_store = std::is_same_v<element_of_range<Storage>, std::int8_t>;
  if constexpr (!takes_backend<Backend>())
    return false;
  else if constexpr (!is_named)
    static_assert(never<X>,
                  "weights are packed for a backend and a type of activations: pack<Backend, std::int8_t>(weights, storage)");
  else if constexpr (!is_matrix<Weights>)
    static_assert(never<X>, "weights are packed from a matrix_view(data, rows, columns)");
  else if constexpr (!can_store)
    static_assert(never<X>, "packed weights are stored in an array, a container or a view of int8, and not const");
  return is_named && is_matrix<Weights> && can_store;
}

}  // namespace detail

/// Packs `weights`, one row for each output channel, into the first packed_size<Backend, X, W>(rows, cols) bytes of `storage`.
/// Runs in the constant evaluator, too. Returns a status, and writes nothing, if a view is unsound, the storage is too small
/// (`shape_mismatch`), or the storage overlaps the weights. Storage may have any alignment. Vectors read storage at a multiple of
/// 64 bytes faster, mostly for a few rows by a large matrix.
template <class Backend = void, class X = void, class Weights, class Storage = view<std::int8_t>>
DYADIC_API constexpr auto pack(Weights weights, Storage&& storage) noexcept {
  if constexpr (detail::takes_pack<Backend, X, Weights, Storage>()) {
    using packed = typename detail::packed_from<Backend, X, Weights>::type;
    return detail::pack_checked<packed>(weights, detail::order_of_linear(packed::layout, weights.rows(), weights.cols()),
                                        static_cast<Storage&&>(storage));
  } else {
    return result<packed_matrix<backend::scalar, std::int8_t, std::int8_t>>{};
  }
}

}  // namespace dyadic
