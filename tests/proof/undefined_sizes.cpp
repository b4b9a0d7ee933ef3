// Functions about sizes, with comments as in undefined_numbers.cpp: the computations of `check` with any shapes, strides, windows
// and bounds.

#include <dyadic/blocks/width.hpp>
#include <dyadic/bound.hpp>
#include <dyadic/detail/batch_view.hpp>

namespace q = dyadic;
using i32 = std::int32_t;
using i64 = std::int64_t;
using q::index_t;

extern "C" {
void require(bool);

// view.hpp, batch_view.hpp
static i32 data[1];
// without: detail/extent.hpp: "!DYADIC_MULTIPLY_OVERFLOWS(count, size, &sum)" -> "((sum = count * size), true)"
void stride_of(index_t count, index_t inner) { q::detail::stride_of(count, inner); }
void check_view(index_t size) { q::check(q::view<i32>{data, size}); }
// without: detail/extent.hpp: "if (*p < 0) return status::negative_size" -> "static_cast<void>(p)"
// without: detail/extent.hpp: "if (stride > (most - extent) / gaps) return status::size_overflow;" -> ""
// without: detail/extent.hpp: "if (gaps == 0) continue;" -> ""
void check_matrix_view(index_t rows, index_t cols, index_t stride) { q::check(q::matrix_view<i32>{data, rows, cols, stride}); }
void check_matrix_view_of_array(index_t rows, index_t cols, index_t stride, index_t size) {
  q::detail::data_of_matrix(data, size, rows, cols, stride), q::detail::data_of_matrix(data, size, rows, cols, stride, 2);
}
void check_nhwc_view(index_t n, index_t h, index_t w, index_t c, index_t pixel, index_t row, index_t image) {
  q::check(q::nhwc_view<i32>{data, n, h, w, c, pixel, row, image});
}
// without: detail/batch_view.hpp: "v.batches() == 0 || " -> ""
void check_batch_view(index_t batches, index_t rows, index_t cols, index_t stride, index_t batch_stride) {
  q::check(q::batch_view<i32>{data, batches, rows, cols, stride, batch_stride});
}

// window.hpp
#define WINDOW(w) index_t w##_kernel, index_t w##_stride, index_t w##_dilation, index_t w##_before, index_t w##_after
#define MADE(w) \
  q::window1d { w##_kernel, w##_stride, w##_dilation, w##_before, w##_after }
// without: window.hpp: "positive && w.stride" -> "w.stride"
void check_window(WINDOW(y), WINDOW(x)) { q::check({MADE(y), MADE(x)}); }
// without: window.hpp: "if (const status s = check(w); s != status::ok) return s;" -> ""
void check_transposed_window(WINDOW(y), WINDOW(x)) { q::check_transposed({MADE(y), MADE(x)}); }
// without: window.hpp: " && w.kernel <= size_limit / w.dilation" -> ""
// without: window.hpp: " && w.pad_after <= size_limit" -> ""
// without: window.hpp: "if (!detail::is_size(size)) return {w, status::shape_mismatch};" -> ""
void with_exact_division(index_t size, WINDOW(w)) { q::with_exact_division(size, MADE(w)); }
void window_between(index_t input, index_t output, index_t kernel, index_t stride, index_t dilation, index_t before) {
  q::window_between(input, output, kernel, stride, dilation, before);
}
// without: window.hpp: "input > detail::size_limit / stride || " -> ""
void transposed_window_between(index_t input, index_t output, index_t kernel, index_t stride) {
  q::transposed_window_between(input, output, kernel, stride);
}
void with_same_padding(index_t size, WINDOW(w)) {
  require(q::detail::is_sound(MADE(w))), require(size >= 0 && size <= q::detail::size_limit), q::with_same_padding(size, MADE(w));
}
// without: window.hpp: "size <= size_limit && outputs" -> "outputs"
void forward_fits(index_t size, index_t outputs, WINDOW(w)) {
  require(q::detail::is_sound(MADE(w))), require(size >= 0), q::detail::forward_fits(size, outputs, MADE(w));
}
// without: window.hpp: "size > size_limit / w.stride || " -> ""
void transposed_fits(index_t size, index_t outputs, WINDOW(w)) {
  require(q::detail::is_sound(MADE(w))), require(outputs >= 0), q::detail::transposed_fits(size, outputs, MADE(w));
}

// bound.hpp, fold.hpp, fold_record.hpp
void product_range(i32 x_min, i32 x_max, i32 w_min, i32 w_max) { q::detail::product_range({x_min, x_max}, {w_min, w_max}); }
// without: bound.hpp: " && room / n != unlimited" -> ""
void max_depth(i32 x_min, i32 x_max, i32 w_min, i32 w_max, i64 bias) {
  require(bias >= 0), q::max_depth({x_min, x_max}, {w_min, w_max}, 64, bias);
  q::max_depth({x_min, x_max}, {w_min, w_max}, 32, bias), q::max_depth({x_min, x_max}, {w_min, w_max}, 2, bias);
}
void drain_length(i32 x_min, i32 x_max, i32 w_min, i32 w_max) { q::drain_length({x_min, x_max}, {w_min, w_max}); }
// without: fold.hpp: "!DYADIC_MULTIPLY_OVERFLOWS(a, b, &product)" -> "((product = a * b), true)"
void multiply_saturated(i64 a, i64 b) { q::detail::multiply_saturated(a, b); }
// without: fold.hpp: "!DYADIC_ADD_OVERFLOWS(a, b, &sum)" -> "((sum = a + b), true)"
void add_saturated(i64 a, i64 b) { q::detail::add_saturated(a, b); }
// without: detail/fold_record.hpp: "&all)" -> "&all) && (all = r.channels * constants_per_channel(r)) < 0"
void constants_of(index_t channels, WINDOW(y), WINDOW(x)) {
  require(q::check_transposed({MADE(y), MADE(x)}) == q::status::ok);
  q::fold_record r;
  r.channels = channels, r.zero.x = 1, r.taps_y = y_kernel, r.taps_x = x_kernel, r.step_y = y_stride, r.step_x = x_stride;
  q::detail::constants_of(r);
}

// blocks/rows.hpp, width.hpp
using nibbles = q::nibble_codes<q::nibble_code::offset8, q::nibble_order::halves_of_32>;
static std::uint8_t bytes[1];
static q::e8m0 scales[1];
void check_nibbles(index_t size, index_t count) { check(nibbles{{bytes, size}, count}); }
// without: blocks/rows.hpp: "block >= 1 && size" -> "size"
void check_block_scaled_row(index_t size, index_t count, index_t blocks, index_t block) {
  check(q::block_scaled_row<nibbles, q::e8m0>{{{bytes, size}, count}, {scales, blocks}, block});
}
// without: blocks/width.hpp: "row.size() - start > row.block() ? start + row.block() : row.size()" -> "start + row.block()"
void next_block(index_t count, index_t block, index_t i) {
  require(block >= 1), require(i >= 0), require(i < count);
  q::detail::next_block(q::block_scaled_row<nibbles, q::e8m0>{{{}, count}, {}, block}, i);
}
}  // extern "C"
