// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Turns the arguments of CMSIS-NN's functions into those of the operators. Simulates cores, refuses arguments, places windows.

#include "operators.hpp"

namespace face {
namespace {

using std::int16_t;
using std::int32_t;
using std::int64_t;
using std::int8_t;
using status = arm_cmsis_nn_status;
using dims = cmsis_nn_dims;
using per_channel = cmsis_nn_per_channel_quant_params;
using per_tensor = cmsis_nn_per_tensor_quant_params;

/// The build of CMSIS-NN that the functions simulate.
struct simulated {
  bool is_helium;
  bool rounds_twice;
  rescale rule;
  bool (*takes)(q::multiplier32 m);
};
template <class Scheme>
constexpr simulated by(bool is_helium, bool rounds_twice) {
  return {is_helium, rounds_twice, [](int32_t acc, q::multiplier32 m) { return Scheme::apply(acc, m); },
          [](q::multiplier32 m) { return m.mantissa != q::int32_min && Scheme::valid(m); }};
}
simulated now = by<q::cmsis_nn::double_rounding>(false, true);

/// The number format of a function: limits of outputs, whether it has offsets, bits of sums.
/// 15-bit multipliers rescale sums of 64 bits in every simulated build.
struct format {
  int32_t least;
  int32_t most;
  bool has_offsets;
  int bits;
};
constexpr format s8{-128, 127, true, 32};
constexpr format s16{-32768, 32767, false, 64};
constexpr format s16_with_int32_bias{-32768, 32767, false, 32};

struct data {
  const void* x;
  const void* weights;
  const void* bias;
  void* y;
};

/// The multipliers of a function, as pointers into its parameters, which live during the call.
struct multipliers {
  const int32_t* mantissas;
  const int32_t* shifts;
  int32_t step;

  multipliers(const per_channel* p) : mantissas{p->multiplier}, shifts{p->shift}, step{1} {}
  multipliers(const per_tensor* p) : mantissas{&p->multiplier}, shifts{&p->shift}, step{0} {}
  multipliers(const cmsis_nn_quant_params* p)
      : mantissas{p->multiplier}, shifts{p->shift}, step{p->is_per_channel != 0 ? 1 : 0} {}
};

/// Returns the zero point of an offset, saturated to int32.
int32_t negated(int32_t offset) { return q::saturate<int32_t>(-int64_t{offset}); }

/// Returns a layer of a format without its sizes.
arguments begin(const format& f, const data& d, int32_t input_offset, int32_t output_offset, cmsis_nn_activation clamp,
                const multipliers& m) {
  arguments a;
  a.x = d.x;
  a.weights = d.weights;
  a.bias = d.bias;
  a.y = d.y;
  a.zero.x = f.has_offsets ? negated(input_offset) : 0;
  a.range = {f.has_offsets ? output_offset : 0, clamp.min, clamp.max};
  a.multipliers = m.mantissas;
  a.shifts = m.shifts;
  a.step = m.step;
  a.rule = now.rule;
  a.rounds_twice = now.rounds_twice;
  a.has_int64_bias = f.bits == 64;
  return a;
}

bool is_positive(const dims& d) { return d.n > 0 && d.h > 0 && d.w > 0 && d.c > 0; }

/// Runs the operation if the arguments are valid. Requires: the windows are set.
status finish(const arguments& a, const format& f, status (*operation)(const arguments&)) {
  const bool is_there =
      a.x != nullptr && a.weights != nullptr && a.y != nullptr && a.multipliers != nullptr && a.shifts != nullptr;
  const bool has_offset = a.range.zero_point >= -128 && a.range.zero_point <= 128;  // 128 does not fit int8, but is supported
  const bool has_range = f.least <= a.range.min && a.range.min <= a.range.max && a.range.max <= f.most;
  const bool is_byte = a.zero.x == q::clamp(a.zero.x, -128, 127) && a.zero.w == q::clamp(a.zero.w, -128, 127);
  if (!is_there || !has_offset || !has_range || !is_byte) return ARM_CMSIS_NN_ARG_ERROR;
  for (index_t c = 0; c < (a.step == 0 ? 1 : a.out.c); ++c) {
    const q::multiplier32 m = q::tflite::from_pair(a.multipliers[c], a.shifts[c]);
    if (!(f.bits == 32 ? now.takes(m) : q::cmsis_nn::requantize_s64::valid(q::cmsis_nn::reduce(m))))
      return ARM_CMSIS_NN_ARG_ERROR;
  }
  return operation(a);
}

/// Sets the window along one axis of a convolution, and the number of inputs that it reads.
/// Inputs may remain after the last window, and all windows may lie in the padding before the image.
bool set_axis(index_t inputs, index_t outputs, index_t kernel, index_t stride, index_t dilation, index_t padding,
              q::window1d& window, index_t& read) {
  const index_t covered = (outputs - 1) * stride + (kernel - 1) * dilation + 1;
  const index_t end = covered < padding ? 0 : covered - padding;
  read = end < inputs ? end : inputs;
  const auto found = q::window_between(read, outputs, kernel, stride, dilation, covered < padding ? covered : padding);
  window = found.value;
  return found.status == q::status::ok;
}
bool set_windows(arguments& a, cmsis_nn_tile stride, cmsis_nn_tile padding, cmsis_nn_tile dilation) {
  return set_axis(a.in.h, a.out.h, a.kernel.h, stride.h, dilation.h, padding.h, a.window.y, a.rows) &&
         set_axis(a.in.w, a.out.w, a.kernel.w, stride.w, dilation.w, padding.w, a.window.x, a.columns);
}

/// Sets the sizes of the images and the kernels. Returns false if a size is not positive.
bool set_sizes(arguments& a, const dims& in, const dims& filter, const dims& out, int32_t depth) {
  a.in = in;
  a.kernel = {out.c, filter.h, filter.w, depth};
  a.out = {in.n, out.h, out.w, out.c};
  a.y_channels = out.c;
  return is_positive(a.in) && is_positive(a.kernel) && is_positive(a.out);
}

/// The windows that a function accepts. `one_row` needs windows of neighbouring outputs a multiple of four bytes apart.
enum class shape { any, one_row, one_tap, one_tap_each_pixel, even_window };

/// Runs a convolution. `depth` is the number of input channels of a group.
status convolve(const format& f, status (*operation)(const arguments&), shape taken, int32_t depth, const cmsis_nn_conv_params* p,
                const per_channel* quant, const dims* in, const dims* filter, const dims* out, const data& d) {
  arguments a = begin(f, d, p->input_offset, p->output_offset, p->activation, quant);
  if (!set_sizes(a, *in, *filter, *out, depth) || in->c % depth != 0 || out->c % (in->c / depth) != 0)
    return ARM_CMSIS_NN_ARG_ERROR;
  const bool is_row = in->h == 1 && filter->h == 1 && out->h == 1 && p->dilation.w == 1 && int64_t{p->stride.w} * in->c % 4 == 0;
  const bool is_tap = filter->h == 1 && filter->w == 1 && p->padding.h == 0 && p->padding.w == 0;
  const bool is_even = filter->h % 2 == 0 || filter->w % 2 == 0 || depth % 2 == 0;
  const bool is_taken = taken == shape::any || (taken == shape::one_row && is_row) || (taken == shape::one_tap && is_tap) ||
                        (taken == shape::one_tap_each_pixel && is_tap && p->stride.h == 1 && p->stride.w == 1) ||
                        (taken == shape::even_window && is_even);
  if (!is_taken || !set_windows(a, p->stride, p->padding, p->dilation)) return ARM_CMSIS_NN_ARG_ERROR;
  return finish(a, f, operation);
}

/// The taps that a depthwise function accepts. `any` alone allows several outputs for a channel, and dilation.
enum class taps { any, any_undilated, three_by_three, fewer_than_512 };

status depthwise(const format& f, status (*operation)(const arguments&), taps taken, const cmsis_nn_dw_conv_params* p,
                 const per_channel* quant, const dims* in, const dims* filter, const dims* out, const data& d) {
  arguments a = begin(f, d, p->input_offset, p->output_offset, p->activation, quant);
  const bool is_three = filter->h == 3 && filter->w == 3 && p->padding.w <= 1;
  const bool is_few = int64_t{filter->h} * filter->w < 512;
  const bool is_taken = taken == taps::any || (p->ch_mult == 1 && (taken != taps::three_by_three || is_three) &&
                                               (taken != taps::fewer_than_512 || is_few));
  if (!set_sizes(a, *in, *filter, *out, 1) || !is_taken || p->ch_mult < 1 || out->c % in->c != 0 || out->c / in->c != p->ch_mult)
    return ARM_CMSIS_NN_ARG_ERROR;
  const cmsis_nn_tile dilation = taken == taps::any ? p->dilation : cmsis_nn_tile{1, 1};
  return set_windows(a, p->stride, p->padding, dilation) ? finish(a, f, operation) : ARM_CMSIS_NN_ARG_ERROR;
}

status transpose_conv(const cmsis_nn_transpose_conv_params* p, const per_channel* quant, const dims* in, const dims* filter,
                      const dims* out, const data& d) {
  arguments a = begin(s8, d, p->input_offset, p->output_offset, p->activation, quant);
  if (!set_sizes(a, *in, *filter, *out, in->c)) return ARM_CMSIS_NN_ARG_ERROR;
  a.rows = in->h;
  a.columns = in->w;
  const auto axis = [](index_t inputs, index_t outputs, index_t kernel, index_t stride, index_t padding) {
    const index_t beyond = (inputs - 1) * stride + kernel - padding - outputs;
    return q::window1d{kernel, stride, 1, padding, beyond > 0 ? beyond : 0};
  };
  a.window = {axis(in->h, out->h, filter->h, p->stride.h, p->padding.h),
              axis(in->w, out->w, filter->w, p->stride.w, p->padding.w)};
  const bool is_sound = p->dilation.h <= 1 && p->dilation.w <= 1 && q::check_transposed(a.window) == q::status::ok;
  return is_sound ? finish(a, s8, convolve_transposed<int8_t, int8_t, int32_t>) : ARM_CMSIS_NN_ARG_ERROR;
}

/// Sets the sizes of a convolution of one tap: rows of `depth` elements by weights of `channels` rows.
void set_matrices(arguments& a, int32_t rows, int32_t depth, int32_t channels) {
  a.in = {1, 1, rows, depth};
  a.kernel = {channels, 1, 1, depth};
  a.out = {1, 1, rows, channels};
  a.y_channels = channels;
  a.rows = 1;
  a.columns = rows;
}

status fully_connected(const format& f, status (*operation)(const arguments&), const cmsis_nn_context* helium_sums,
                       const cmsis_nn_fc_params* p, const multipliers& m, const dims* in, const dims* filter, const dims* out,
                       const data& d) {
  arguments a = begin(f, d, p->input_offset, p->output_offset, p->activation, m);
  a.zero.w = f.has_offsets ? negated(p->filter_offset) : 0;
  set_matrices(a, in->n, filter->n, out->c);
  if (!is_positive(a.in) || !is_positive(a.out)) return ARM_CMSIS_NN_ARG_ERROR;
  if (helium_sums != nullptr && now.is_helium) {
    a.context = helium_sums->buf;
    if (a.context == nullptr) return ARM_CMSIS_NN_ARG_ERROR;
  }
  return finish(a, f, operation);
}

/// Runs a batched product of matrices. Elements have `size` bytes.
status batch_matmul(const format& f, status (*operation)(const arguments&), index_t size, const cmsis_nn_bmm_params* bmm,
                    const per_tensor* quant, const dims* left, const dims* right, const dims* out, const data& all) {
  const cmsis_nn_fc_params& p = bmm->fc_params;
  const auto serves = [](int32_t some, int32_t count) { return some == count || some == 1; };
  const bool agree = is_positive(*left) && is_positive(*right) && is_positive(*out) && left->c == right->c && out->w == left->w &&
                     out->c == right->w && serves(left->n, out->n) && serves(left->h, out->h) && serves(right->n, out->n) &&
                     serves(right->h, out->h);
  if (!agree || all.x == nullptr || all.weights == nullptr || all.y == nullptr) return ARM_CMSIS_NN_ARG_ERROR;
  const auto matrix = [&](const dims* d, index_t n, index_t h) {
    return ((d->n == 1 ? 0 : n) * d->h + (d->h == 1 ? 0 : h)) * d->w * d->c * size;
  };
  for (index_t n = 0; n < out->n; ++n)
    for (index_t h = 0; h < out->h; ++h) {
      const data d{static_cast<const char*>(all.x) + matrix(left, n, h),
                   static_cast<const char*>(all.weights) + matrix(right, n, h), nullptr,
                   static_cast<char*>(all.y) + matrix(out, n, h)};
      arguments a = begin(f, d, p.input_offset, p.output_offset, p.activation, quant);
      a.zero.w = f.has_offsets ? negated(p.filter_offset) : 0;
      set_matrices(a, left->w, left->c, right->w);
      const status s = finish(a, f, operation);
      if (s != ARM_CMSIS_NN_SUCCESS) return s;
    }
  return ARM_CMSIS_NN_SUCCESS;
}

/// Computes to[r] = bias[r] + x_offset * sum of (row r + w_offset), modulo 2^(bits of Sum).
template <class Sum>
status vector_sum(Sum* to, int32_t cols, int32_t rows, const int8_t* weights, int32_t x_offset, int32_t w_offset,
                  const Sum* bias) {
  if (to == nullptr || weights == nullptr || cols < 1 || rows < 1) return ARM_CMSIS_NN_ARG_ERROR;
  for (index_t r = 0; r < rows; ++r) {
    const int64_t sum = q::sum<int64_t>(weights + r * cols, cols) + int64_t{cols} * w_offset;
    to[r] = q::wrap<Sum>(static_cast<std::uint64_t>(x_offset * sum) + static_cast<std::uint64_t>(bias == nullptr ? 0 : bias[r]));
  }
  return ARM_CMSIS_NN_SUCCESS;
}

}  // namespace
}  // namespace face
