// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Exchanges kernel sums with engines that store them separately, or that store their own folded constant. Floor 3.
/// The functions for other engines' constants take one sum over the whole depth: linear layers, and convolutions of one tap.
/// `refold` takes every layer whose outputs read all taps. On every CPU a constant is bias[o] - zero.x * (sums[o] - products *
/// zero.w). Here sums[o] is the sum of the weights of channel o, and products = depth * taps is their number.

#include <dyadic/detail/sums.hpp>

namespace dyadic {

namespace detail {

template <class W>
DYADIC_API constexpr std::int64_t kernel_sum(matrix_view<W> weights, index_t o) noexcept {
  return weights.cols() == 0 ? 0 : sum<std::int64_t>(weights.row(o), weights.cols());  // the weights may be null
}

/// Returns the sum of the weights of a depthwise layer's output channel.
template <class W>
DYADIC_API constexpr std::int64_t kernel_sum(const tap_major<matrix_view<W>>& weights, index_t o) noexcept {
  std::int64_t total = 0;
  for (index_t tap = 0; tap < weights.rows.rows(); ++tap) total += weights(o, tap)[0];
  return total;
}

/// Returns depth * products + bias, saturated to int64. Requires: the products fit int64.
DYADIC_API constexpr accumulator_range worst_case(index_t depth, accumulator_range products, std::int64_t bias) noexcept {
  return {add_saturated(depth * products.lowest, bias), add_saturated(depth * products.highest, bias)};
}

/// Returns the least range that contains both.
DYADIC_API constexpr accumulator_range unite(accumulator_range a, accumulator_range b) noexcept {
  return {a.lowest < b.lowest ? a.lowest : b.lowest, a.highest > b.highest ? a.highest : b.highest};
}

/// Returns the record of a fold that has a bias and has not read its weights. It has no fingerprint, and the weights may be any
/// values of their type.
template <class X, class W>
DYADIC_API constexpr fold_record record_without_weights(index_t channels, index_t depth, zero_points zero) noexcept {
  fold_record record = linear_record<X>(channels, depth, zero);
  record.w_min = operand<W>::min;
  record.w_max = operand<W>::max;
  record.has_bias = true;
  return record;
}

/// Returns `negative_size` or `zero_point_out_of_range`. Returns `size_overflow` if depth products do not fit int64.
template <class X, class W>
DYADIC_API constexpr status check_depth(index_t depth, zero_points zero) noexcept {
  if (depth < 0) return status::negative_size;
  if (!is_operand<X>(zero.x) || !is_operand<W>(zero.w)) return status::zero_point_out_of_range;
  const std::int64_t most = max_depth(values_with_any_zero_point<X>(), values_with_any_zero_point<W>(), 64);
  return depth <= most ? status::ok : status::size_overflow;
}

/// Returns true if each element can be a sum of `products` weights in the range of the record.
template <class Sum>
DYADIC_API constexpr bool are_sums(view<Sum> sums, const fold_record& record, std::int64_t products) noexcept {
  for (const std::int64_t s : sums)
    if (s < products * record.w_min || s > products * record.w_max) return false;
  return true;
}

/// Moves both ends of a bound. An end that was saturated stays saturated.
DYADIC_API constexpr accumulator_range moved_bound(accumulator_range bound, accumulator_range by) noexcept {
  const bool lowest_known = bound.lowest != limits<std::int64_t>::min;
  const bool highest_known = bound.highest != limits<std::int64_t>::max;
  return {lowest_known ? add_saturated(bound.lowest, by.lowest) : bound.lowest,
          highest_known ? add_saturated(bound.highest, by.highest) : bound.highest};
}

/// Returns an error if the accumulators in `from` cannot be written to `to`. Both may be the same storage.
template <class From, class To>
DYADIC_API constexpr status check_constants(view<From> from, view<To> to) noexcept {
  if (const status s = check_same_size(from, to); s != status::ok) return s;
  const void* const first = from.data();
  return overlap(from, to) && (sizeof(From) != sizeof(To) || first != to.data()) ? status::overlap : status::ok;
}

/// Returns the number of products of a whole window, or -1 if sums of so many products may not fit int64 for some zero point of
/// x. They fit for every record that a fold has made.
DYADIC_API constexpr std::int64_t products_of(const fold_record& r) noexcept {
  const auto is_short = [](std::int32_t x) { return x >= -65536 && x <= 65536; };
  const bool are_ordered = r.x_min < r.x_max && r.x_min <= r.zero.x && r.zero.x <= r.x_max && r.w_min <= r.w_max;
  if (!are_ordered || !is_short(r.x_min) || !is_short(r.x_max) || !is_short(r.w_min) || !is_short(r.w_max) || !is_short(r.zero.w))
    return -1;
  const value_range x{r.x_min - r.x_max, r.x_max - r.x_min};
  const value_range w{r.w_min - (r.zero.w > 0 ? r.zero.w : 0), r.w_max - (r.zero.w < 0 ? r.zero.w : 0)};
  std::int64_t products = 0;
  const bool overflows =
      DYADIC_MULTIPLY_OVERFLOWS(r.depth, r.taps_y, &products) || DYADIC_MULTIPLY_OVERFLOWS(products, r.taps_x, &products);
  return !overflows && products <= max_depth(x, w, 64) ? products : -1;
}

/// Returns `shape_mismatch` unless this is a fold in which each output reads all taps.
template <class Accumulator>
DYADIC_API constexpr status check_whole_windows(const folded_bias<Accumulator>& folded) noexcept {
  const fold_record& r = folded.record;
  const bool whole = r.taps_y >= 1 && r.taps_x >= 1 && r.step_y == 1 && r.step_x == 1;
  return whole && r.depth >= 0 && folded.constants.size() == r.channels ? status::ok : status::shape_mismatch;
}

/// Returns `shape_mismatch` unless this is the fold of one sum over the whole depth.
template <class Accumulator>
DYADIC_API constexpr status check_one_tap(const folded_bias<Accumulator>& folded) noexcept {
  const bool one = folded.record.taps_y == 1 && folded.record.taps_x == 1;
  return one ? check_whole_windows(folded) : status::shape_mismatch;
}

/// Sets sums[o] to the sum of the weights of channel o.
template <class W, class Weights, class Sum>
DYADIC_API constexpr status write_sums(matrix_view<W> matrix, const Weights& weights, index_t channels, view<Sum> sums) noexcept {
  if (const status s = check(matrix); s != status::ok) return s;
  if (const status s = check(sums); s != status::ok) return s;
  if (sums.size() != channels) return status::shape_mismatch;
  if (overlap(sums, matrix)) return status::overlap;
  for (index_t o = 0; o < sums.size(); ++o)
    if (!fits<Sum>(kernel_sum(weights, o))) return status::value_out_of_range;
  for (index_t o = 0; o < sums.size(); ++o) sums[o] = static_cast<Sum>(kernel_sum(weights, o));
  return status::ok;
}

}  // namespace detail

/// Sets to[o] = sum over k of weights[o][k], without zero points: a linear layer's sums, or a convolution's over all taps. `to`
/// is an array or a container of int32 or int64. Returns the error of a view, `shape_mismatch`, or `overlap`, and then writes
/// nothing. Returns `value_out_of_range`, and writes nothing, if a sum does not fit. An int32 holds the sum of 2^24 - 1 int8
/// weights.
template <class W, class Storage>
DYADIC_API constexpr status kernel_sums(matrix_view<W> weights, Storage&& to) noexcept {
  return detail::write_sums(weights, weights, weights.rows(), detail::view_of_integers<4, 8>(static_cast<Storage&&>(to)));
}

/// Sets to[o] = sum over k of weights[k][o]: the kernel sums of a depthwise layer, whose weights have a row for each tap. Returns
/// the statuses of `kernel_sums`.
template <class W, class Storage>
DYADIC_API constexpr status depthwise_kernel_sums(matrix_view<W> weights, Storage&& to) noexcept {
  const detail::tap_major<matrix_view<W>> taps(weights, weights.rows());
  return detail::write_sums(weights, taps, weights.cols(), detail::view_of_integers<4, 8>(static_cast<Storage&&>(to)));
}

/// Folds kernel sums as `fold` does, without the weights. Activations are of type X, and weights of type W. The constants equal
/// those of `fold`. The bound is the worst case of the two types for this depth. Therefore `check` may refuse a layer that a fold
/// from weights would prove safe. There is no fingerprint, and `verify` returns `fold_not_verifiable`. Returns a status, and
/// writes nothing, if
/// - a view is unsound, or a size differs;
/// - `depth` is negative, or so large that products overflow int64;
/// - a zero point is not a value of its type;
/// - a sum cannot be a sum of `depth` weights (`value_out_of_range`);
/// - `constants` overlaps an input.
template <class X, class W, class Sums, class Bias, class Storage>
DYADIC_API constexpr auto fold_kernel_sums(const Sums& kernel_sums, index_t depth, const Bias& bias, zero_points zero,
                                           Storage&& constants) noexcept {
  const auto sums = detail::view_of_integers<4, 8>(kernel_sums);
  const auto biases = detail::bias_view(bias);
  const auto to = detail::view_of_integers<4, 8>(static_cast<Storage&&>(constants));
  using accumulator = std::remove_pointer_t<decltype(to.data())>;
  using folded = result<folded_bias<accumulator>>;
  if (const status s = check_same_size(sums, to); s != status::ok) return folded{{}, s};
  if (const status s = check(biases); s != status::ok) return folded{{}, s};
  if (detail::has_bias(bias) && biases.size() != to.size()) return folded{{}, status::shape_mismatch};
  if (const status s = detail::check_depth<X, W>(depth, zero); s != status::ok) return folded{{}, s};
  if (overlap(to, sums) || overlap(to, biases)) return folded{{}, status::overlap};
  fold_record record = detail::record_without_weights<X, W>(sums.size(), depth, zero);
  record.has_bias = detail::has_bias(bias);
  if (!detail::are_sums(sums, record, depth)) return folded{{}, status::value_out_of_range};
  const accumulator_range products = detail::product_range(values_of<X>(zero.x), values_of<W>(zero.w));
  for (index_t o = 0; o < sums.size(); ++o) {
    const std::int64_t b = biases.empty() ? 0 : detail::bias_value(biases[o]);
    const std::int64_t shift = zero.x * (std::int64_t{sums[o]} - depth * std::int64_t{zero.w});
    to[o] = wrap<accumulator>(static_cast<std::uint64_t>(b) - static_cast<std::uint64_t>(shift));
    const accumulator_range reached = detail::worst_case(depth, products, b);
    record.bound = o == 0 ? reached : detail::unite(record.bound, reached);
  }
  return folded{{to, record}, status::ok};
}

/// Folds a linear layer, a convolution or a depthwise layer for another activation zero point, without weights and bias. Each
/// constant becomes `constant - (zero_x - old zero.x) * (sum - products * zero.w)`, modulo 2^(bits of Accumulator). The products
/// are depth * taps, because the constant is that of the whole window. With zero point 0 the constants are the bias. `constants`
/// may be the storage of `folded`. The fingerprint stays, so that `verify` compares the weights as before. The bound of the
/// accumulators moves with the constants. The new bound is valid, and exact if the constants of all channels move by the same
/// number. The constants are right only if the sums are those of the fold's weights: `kernel_sums` or `depthwise_kernel_sums`.
/// Returns a status, and writes nothing, if
/// - a view is unsound, a size differs, or the fold is of a transposed convolution with a stride;
/// - sums of the record's window and types may not fit int64 (`size_overflow`);
/// - zero_x is not a value of the activation type;
/// - a sum cannot be a sum of the fold's weights (`value_out_of_range`);
/// - `constants` overlaps an input in another way.
template <class Accumulator, class Sums, class Storage>
DYADIC_API constexpr result<folded_bias<Accumulator>> refold(const folded_bias<Accumulator>& folded, const Sums& kernel_sums,
                                                             std::int32_t zero_x, Storage&& constants) noexcept {
  using bits = std::make_unsigned_t<Accumulator>;
  const auto sums = detail::view_of_integers<4, 8>(kernel_sums);
  const view<Accumulator> to(static_cast<Storage&&>(constants));
  if (const status s = detail::check_whole_windows(folded); s != status::ok) return {{}, s};
  if (const status s = detail::check_constants(folded.constants, to); s != status::ok) return {{}, s};
  if (const status s = check_same_size(sums, to); s != status::ok) return {{}, s};
  fold_record record = folded.record;
  const std::int64_t products = detail::products_of(record);
  if (products < 0) return {{}, status::size_overflow};
  if (zero_x < record.x_min || zero_x > record.x_max) return {{}, status::zero_point_out_of_range};
  if (overlap(to, sums)) return {{}, status::overlap};
  if (!detail::are_sums(sums, record, products)) return {{}, status::value_out_of_range};
  const std::int64_t step = std::int64_t{zero_x} - record.zero.x;
  accumulator_range moved{};
  for (index_t o = 0; o < to.size(); ++o) {
    const std::int64_t centred = std::int64_t{sums[o]} - products * record.zero.w;
    to[o] =
        static_cast<Accumulator>(static_cast<bits>(folded.constants[o]) - static_cast<bits>(step) * static_cast<bits>(centred));
    // sum (x - zero_x)(w - zero.w) = sum (x - zero.x)(w - zero.w) - step * sum (w - zero.w)
    const accumulator_range by{-step * centred, -step * centred};
    moved = o == 0 ? by : detail::unite(moved, by);
  }
  record.zero.x = zero_x;
  record.bound = detail::moved_bound(record.bound, moved);
  return {{to, record}, status::ok};
}

/// ExecuTorch's Cortex-M backend. Its int32 tensor `kernel_sum` has our constants: bias + (-zero.x) * sum of (w - zero.w). The
/// backend emits it for Helium only. Its other targets take the bias, which `refold` to zero point 0 gives.
namespace executorch::cortex_m {

/// Returns a fold that uses the int32 array `kernel_sum` in place. The bias in the array is not known. Therefore the bound is the
/// worst case of constant + sum of x * (w - zero.w) for the types. There is no fingerprint. Returns a status if the view is
/// unsound, the depth is negative or too large, or a zero point is not a value of its type.
template <class X, class W, class Storage>
DYADIC_API constexpr auto from_kernel_sum(Storage&& kernel_sum, index_t depth, zero_points zero) noexcept {
  const auto constants = detail::view_of_integers<4, 8>(static_cast<Storage&&>(kernel_sum));
  using accumulator = std::remove_const_t<std::remove_pointer_t<decltype(constants.data())>>;
  static_assert(sizeof(accumulator) == 4);
  using folded = result<folded_bias<accumulator>>;
  if (const status s = check(constants); s != status::ok) return folded{{}, s};
  if (const status s = detail::check_depth<X, W>(depth, zero); s != status::ok) return folded{{}, s};
  fold_record record = detail::record_without_weights<X, W>(constants.size(), depth, zero);
  const accumulator_range products = detail::product_range(values_of<X>(), values_of<W>(zero.w));
  for (index_t o = 0; o < constants.size(); ++o) {
    const accumulator_range reached = detail::worst_case(depth, products, constants[o]);
    record.bound = o == 0 ? reached : detail::unite(record.bound, reached);
  }
  return folded{{constants, record}, status::ok};
}

/// Sets to[o] to the constants of a linear fold. Returns the error of a view, `shape_mismatch`, `overlap`, or
/// `value_out_of_range` if a constant does not fit int32. Writes nothing in these cases.
template <class Accumulator, class Storage>
DYADIC_API constexpr status to_kernel_sum(const folded_bias<Accumulator>& folded, Storage&& kernel_sum) noexcept {
  const auto to = detail::view_of_integers<4, 8>(static_cast<Storage&&>(kernel_sum));
  using element = std::remove_pointer_t<decltype(to.data())>;
  static_assert(sizeof(element) == 4);
  if (const status s = detail::check_one_tap(folded); s != status::ok) return s;
  if (const status s = detail::check_constants(folded.constants, to); s != status::ok) return s;
  for (const std::int64_t c : folded.constants)
    if (!fits<element>(c)) return status::value_out_of_range;
  for (index_t o = 0; o < to.size(); ++o) to[o] = static_cast<element>(folded.constants[o]);
  return status::ok;
}

}  // namespace executorch::cortex_m

/// CMSIS-NN. `ctx->buf` of arm_fully_connected_s8 on Helium has bias + input_offset * sum of (w + filter_offset). The function
/// arm_vector_sum_s8 writes these numbers.
namespace cmsis_nn {

/// Negated zero points, as arm_nn_fc_params holds them.
struct offsets {
  std::int32_t input = 0;   ///< added to activations: -zero.x
  std::int32_t filter = 0;  ///< added to weights: -zero.w
};

/// Convert like executorch::cortex_m::from_kernel_sum and to_kernel_sum.
/// @{
template <class X, class W, class Storage>
DYADIC_API constexpr auto from_context(Storage&& buffer, index_t depth, offsets negated) noexcept {
  const zero_points zero{saturate<std::int32_t>(-std::int64_t{negated.input}),
                         saturate<std::int32_t>(-std::int64_t{negated.filter})};
  return executorch::cortex_m::from_kernel_sum<X, W>(static_cast<Storage&&>(buffer), depth, zero);
}
template <class Accumulator, class Storage>
DYADIC_API constexpr status to_context(const folded_bias<Accumulator>& folded, Storage&& buffer) noexcept {
  return executorch::cortex_m::to_kernel_sum(folded, static_cast<Storage&&>(buffer));
}
/// Returns the offsets with which to call CMSIS-NN, saturated.
DYADIC_API constexpr offsets offsets_of(zero_points zero) noexcept {
  return {saturate<std::int32_t>(-std::int64_t{zero.x}), saturate<std::int32_t>(-std::int64_t{zero.w})};
}
/// @}

}  // namespace cmsis_nn

}  // namespace dyadic
