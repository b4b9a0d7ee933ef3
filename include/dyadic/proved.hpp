// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// A layer with a cheaper epilogue that is proved, once, to give the same outputs for every input. Opt-in. Roof.
///
///   q::binary32 numbers[3 * 64];  // for each output channel
///   const auto proved = q::prove_epilogue(layer, numbers);
///   run(proved.value, x, y);      // what run(layer, x, y) gives, bit for bit
///
/// 255 thresholds, the least accumulators of the output values, define an output of 8 bits. The scheme `fused` takes a few
/// instructions if vectors have one instruction for a product and a sum. `prove_epilogue` takes the accumulators between the
/// least and the greatest of each channel. For them it searches for numbers with which `fused` has the thresholds of the layer's
/// own scheme. `agree` decides whether the numbers give the same outputs. The layer's own scheme runs in the constant evaluator,
/// on a backend without such instructions, and in a layer without such numbers.

#include <dyadic/agree.hpp>
#include <dyadic/scheme/fused.hpp>

namespace dyadic {

/// The outputs of `fused`: y = clamp(fused(acc, multiplier of the channel) + zero_point, min, max).
template <class Y>
struct fused_output {
  static_assert(sizeof(Y) == 1, "an output of 8 bits");
  using scheme = fused;              ///< the rule from accumulator to result
  using value_type = Y;              ///< what is stored
  using accumulator = std::int32_t;  ///< what is rescaled

  view<const binary32> numbers;        ///< `high` of all channels, then `low`, then `addend`
  output_range range = range_of<Y>();  ///< zero point and activation range, of all channels

  /// Returns the number of channels that have numbers.
  DYADIC_API constexpr index_t channels() const noexcept { return numbers.size() / 3; }
  /// Returns the numbers of this channel. Requires: 0 <= channel < channels().
  DYADIC_API constexpr fused_multiplier multiplier_of(index_t channel) const noexcept {
    return {numbers[channel], numbers[channels() + channel], numbers[2 * channels() + channel]};
  }
  /// Returns the output of this channel. Requires: 0 <= channel < channels().
  DYADIC_API constexpr Y operator()(accumulator acc, index_t channel) const noexcept {
    return static_cast<Y>(requantize<fused>(acc, multiplier_of(channel), range));
  }
};

/// Returns the first error of the output for `channels` channels, as `check` of a `per_channel_output` does.
template <class Y>
DYADIC_API constexpr status check(const fused_output<Y>& output, index_t channels) noexcept {
  if (const status s = check_range<Y>(output.range); s != status::ok) return s;
  if (const status s = check(output.numbers); s != status::ok) return s;
  if (output.channels() != channels || output.numbers.size() % 3 != 0) return status::multiplier_count_mismatch;
  for (index_t c = 0; c < channels; ++c)
    if (!fused::valid(output.multiplier_of(c))) return status::multiplier_out_of_range;
  return status::ok;
}

namespace detail {

/// All integers within +-2^24 are exact in binary32.
inline constexpr std::int64_t most_in_binary32 = 1 << 24;

/// The accumulators within +-2^24 are one piece. Each other accumulator is a piece of its own.
template <>
struct pieces_of_formula<formula::fused_in_binary32> {
  DYADIC_API static constexpr std::int64_t piece(std::int64_t acc, const fused_multiplier& /*m*/) noexcept {
    return acc > most_in_binary32 ? acc - most_in_binary32 : acc < -most_in_binary32 ? acc + most_in_binary32 : 0;
  }
};

/// Returns the layer with another output.
/// @{
template <class W, class Other, class Weights, class Output>
DYADIC_API constexpr auto with_output(const linear_layer<W, Other, Weights>& l, const Output& output) noexcept {
  return linear_layer<W, Output, Weights>{l.weights, l.bias, output};
}
template <class W, class Other, class Weights, class Output>
DYADIC_API constexpr auto with_output(const conv2d_layer<W, Other, Weights>& l, const Output& output) noexcept {
  return conv2d_layer<W, Output, Weights>{l.weights, l.bias, l.window, l.groups, output};
}
template <class W, class Other, class Output>
DYADIC_API constexpr auto with_output(const depthwise_layer<W, Other>& l, const Output& output) noexcept {
  return depthwise_layer<W, Output>{l.weights, l.bias, l.window, output};
}
template <class W, class Other, class Output>
DYADIC_API constexpr auto with_output(const transposed_conv2d_layer<W, Other>& l, const Output& output) noexcept {
  return transposed_conv2d_layer<W, Output>{l.weights, l.bias, l.window, output, l.groups};
}
/// @}

/// Searches for the numbers of a channel. The search treats `fused` as a line a * s + c, where s is the scale and c the addend,
/// in units of 2^-24. If an accumulator a > 0 has a result of k or more, the line must be k or more there. For all other a > 0 it
/// must be less than k. Results below 0 are tested with -a, because the line is the same for both signs. Rounding to 24 bits
/// gives k or more from k - 2^(j - 24) on, where j is the exponent below k.
template <class Scheme>
class fused_search {
 public:
  DYADIC_API constexpr fused_search(multiplier32 m, output_range range, interval accs) noexcept : m_{m} {
    if (m.mantissa <= 0 || accs.low < -most_in_binary32 || accs.high > most_in_binary32) return;
    while (m_.mantissa < 1 << 30) m_ = {2 * m_.mantissa, m_.right_shift + 1};
    if (m_.right_shift < 32 || m_.right_shift > 52) return;
    const std::int64_t above = std::int64_t{range.max} - range.zero_point;
    const std::int64_t below = std::int64_t{range.zero_point} - range.min;
    add_side(m, 1, accs, 1 - below, above);
    add_side(m, -1, {-accs.high, -accs.low}, 1 - above, below);
    fits_ = true;
  }
  /// Returns true and sets `found`, or returns false if there are no numbers.
  DYADIC_API constexpr bool find(fused_multiplier& found) const noexcept {
    if (!fits_) return false;
    const int to_addend = m_.right_shift - 24;
    const std::int64_t low = clamp(lowest_ >> to_addend, 1 << 22, (1 << 24) - 1);
    const std::int64_t high = clamp(highest_ >> to_addend, 1 << 22, (1 << 24) - 1);
    const std::int64_t step = (high - low) / tries + 1;
    for (std::int64_t i = 0; i < tries; ++i) {
      const std::int64_t c = (low + high) / 2 + (i % 2 == 0 ? -(i / 2) : (i + 1) / 2) * step;
      if (c < low || c > high) break;
      if (find_scale(c, found)) return true;
    }
    return false;
  }

 private:
  static constexpr std::int64_t tries = 33;
  /// The least accumulator that gives k (`first`), and the accumulator before `first`; 0 or less if there is none above 0.
  struct edge {
    std::int32_t k;
    std::int32_t first;
    std::int32_t before;
  };

  /// Adds the thresholds of sign * (result of sign * a) for a in `accs`. k runs from the greater of 1 and `least` to `most`.
  DYADIC_API constexpr void add_side(multiplier32 m, int sign, interval accs, std::int64_t least, std::int64_t most) noexcept {
    std::int64_t at = accs.low;
    std::int64_t guess = at;
    for (std::int64_t k = least < 1 ? 1 : least; k <= most; ++k) {
      const auto reaches = [&](std::int64_t a) { return sign * Scheme::apply(static_cast<std::int32_t>(sign * a), m) >= k; };
      go_on(at, guess, accs.high, reaches);
      const bool is_reached = at <= accs.high;
      add({static_cast<std::int32_t>(k), is_reached ? static_cast<std::int32_t>(at) : 0,
           at > accs.low ? static_cast<std::int32_t>(at - 1) : 0});
      if (!is_reached) break;
    }
  }
  /// Narrows the bounds of the addend to k - a * scale, in units of 2^-right_shift.
  DYADIC_API constexpr void add(edge e) noexcept {
    const std::int64_t k = std::int64_t{e.k} << m_.right_shift;
    const std::int64_t from = e.first > 0 ? k - std::int64_t{e.first} * m_.mantissa : lowest_;
    const std::int64_t to = e.before > 0 ? k - std::int64_t{e.before} * m_.mantissa : highest_;
    if (from > lowest_) lowest_ = from;
    if (to < highest_) highest_ = to;
    edges_[edges_found_++] = e;
  }
  DYADIC_API constexpr bool find_scale(std::int64_t c, fused_multiplier& found) const noexcept {
    const int scale_bits = m_.right_shift - 7;  // high is 24 bits in units of 2^-scale_bits
    const int more = scale_bits < 34 ? 20 : 54 - scale_bits;
    std::int64_t least = std::int64_t{1} << (23 + more);
    std::int64_t most = 2 * least - (std::int64_t{1} << more);
    for (int i = 0; i < edges_found_; ++i) {
      const edge e = edges_[i];
      int exponent = -1;
      while (1 << (exponent + 1) < e.k) ++exponent;
      const std::int64_t sum =
          (std::int64_t{e.k} << scale_bits) - (std::int64_t{1} << (scale_bits + exponent - 24)) - (c << (scale_bits - 24));
      const std::int64_t product = sum << more;
      if (e.first > 0 && (product - 1) / e.first + 1 > least) least = (product - 1) / e.first + 1;
      if (e.before > 0 && (product - 1) / e.before < most) most = (product - 1) / e.before;
    }
    if (least > most) return false;
    const std::int64_t scale = least + (most - least) / 2;
    const std::int64_t high = (scale + (std::int64_t{1} << (more - 1))) >> more << more;
    const auto number = [&](std::int64_t x, int bits) {
      return compose<binary32>({x < 0, static_cast<std::uint64_t>(x < 0 ? -x : x), -bits});
    };
    found = {number(high, scale_bits + more), number(scale - high, scale_bits + more), number(c, 24)};
    return true;
  }

  multiplier32 m_;
  bool fits_ = false;
  int edges_found_ = 0;
  std::int64_t lowest_ = 0;
  std::int64_t highest_ = limits<std::int64_t>::max;
  edge edges_[255] = {};  ///< one for each of the 255 thresholds of 8 bits
};

}  // namespace detail

/// A layer and, if it `is_proved`, the numbers of an epilogue that gives the same outputs. `prove_epilogue` makes it.
template <class Layer>
struct proved_layer {
  using output = std::decay_t<detail::output_of<Layer>>;  ///< the layer's own output

  Layer layer;                                      ///< the layer that was proved; runs with its own output if not `is_proved`
  fused_output<typename output::value_type> cheap;  ///< gives the same outputs if `is_proved`
  accumulator_range bound;                          ///< bound of the fold in the proof
  std::uint64_t fingerprint;                        ///< fingerprint of the weights in the proof
  bool is_proved = false;                           ///< if false, the layer's own output runs
};

/// Searches for an epilogue of binary32s that gives the layer's outputs for all inputs, and proves it. `is_proved` is true if
/// there is one. There is none if one channel has
/// - a scale of 1/2 or more, or below 2^-22;
/// - accumulators beyond +-2^24;
/// - a tie that it reaches on both sides of 0 and that goes up or down there;
/// - thresholds that are closer together than binary32s: hardly ever at depth 64, for one channel in a hundred at depth 512.
///
/// `numbers` has three binary32s for each output channel. The numbers must stay where they are. They have no meaning if
/// `is_proved` is false. `prove_epilogue` reads all weights. It takes 0.1 to 0.5 ms for each channel. Total. Returns the first of
/// the following statuses, and then writes no number:
/// - the error of the view of the numbers, or `shape_mismatch` if there are not three numbers for each channel;
/// - the status of `agree`;
/// - `overlap` if the numbers share memory with the layer.
template <class Layer>
DYADIC_API constexpr result<proved_layer<Layer>> prove_epilogue(const Layer& layer, view<binary32> numbers) noexcept {
  using output = std::decay_t<detail::output_of<Layer>>;
  using scheme = typename output::scheme;
  static_assert(std::is_same_v<typename scheme::multiplier_type, multiplier32> && sizeof(typename output::accumulator) == 4,
                "a scheme with multipliers of 31 bits over int32 accumulators");
  const index_t channels = layer.bias.record.channels;
  proved_layer<Layer> proved{
      layer, {view<const binary32>(numbers), layer.output.range}, layer.bias.record.bound, layer.bias.record.fingerprint};
  if (const status s = check(numbers); s != status::ok) return {proved, s};
  if (numbers.size() % 3 != 0 || numbers.size() / 3 != channels) return {proved, status::shape_mismatch};
  if (const status s = agree(layer, layer.output).status; s != status::ok) return {proved, s};
  if (detail::overlaps_layer(numbers, layer)) return {proved, status::overlap};
  bool is_found = true;
  detail::for_each_bound(layer, [&](index_t o, const detail::channel_bound& of_o) {
    if (!is_found) return;
    fused_multiplier m{};
    is_found = detail::fused_search<scheme>{layer.output.multiplier_of(o), layer.output.range, of_o.accs}.find(m);
    numbers[o] = m.high;
    numbers[channels + o] = m.low;
    numbers[2 * channels + o] = m.addend;
  });
  if (is_found) {
    const result<agreement> report = agree(layer, proved.cheap);
    proved.is_proved = report.status == status::ok && report.value.differing == 0;
  }
  return {proved, status::ok};
}

/// Returns the status of `check` of the layer. If the layer is proved, it may also return
/// - `fold_of_other_weights` if the layer's fold or range is not that of the proof;
/// - the error of the numbers;
/// - `overlap` if y shares memory with the numbers.
///
/// It costs as much as `check` of the layer.
template <class Layer, class X, class Y>
DYADIC_API constexpr status check(const proved_layer<Layer>& proved, const X& x, const Y& y) noexcept {
  const status s = check(proved.layer, x, y);
  if (!proved.is_proved || s != status::ok) return s;
  const fold_record& record = proved.layer.bias.record;
  const output_range range = proved.layer.output.range;
  const output_range other = proved.cheap.range;
  if (record.bound.lowest != proved.bound.lowest || record.bound.highest != proved.bound.highest ||
      record.fingerprint != proved.fingerprint || range.zero_point != other.zero_point || range.min != other.min ||
      range.max != other.max || record.channels != proved.cheap.channels())
    return status::fold_of_other_weights;
  if (const status n = check(proved.cheap, record.channels); n != status::ok) return n;
  return overlap(y, proved.cheap.numbers) ? status::overlap : status::ok;
}

/// Returns the status of `verify` of the layer, and repeats the proof. Returns `fold_of_other_weights` if the epilogue gives
/// other outputs with the weights, the multipliers or the range that the layer has now.
template <class Layer>
DYADIC_API constexpr status verify(const proved_layer<Layer>& proved) noexcept {
  const status s = verify(proved.layer);
  if (!proved.is_proved || (s != status::ok && s != status::fold_not_verifiable)) return s;
  const result<agreement> report = agree(proved.layer, proved.cheap);
  return report.status != status::ok ? report.status : report.value.differing != 0 ? status::fold_of_other_weights : s;
}

inline namespace DYADIC_ISA {

/// Runs the layer. The requirements and the outputs are those of `run` of the layer.
/// @{
template <class Backend = void, class Layer, class X, class Y>
constexpr void run(const proved_layer<Layer>& proved, const X& x, const Y& y, const run_options& options) noexcept {
  using backend = detail::backend_for<Backend, Layer>;
  if constexpr (has_fused_products<backend>)
    if (proved.is_proved && !is_constant_evaluated())
      return run<backend>(detail::with_output(proved.layer, proved.cheap), x, y, options);
  run<backend>(proved.layer, x, y, options);
}
template <class Backend = void, class Layer, class X, class Y>
constexpr void run(const proved_layer<Layer>& proved, const X& x, const Y& y) noexcept {
  run<Backend>(proved, x, y, run_options{});
}
/// @}

}  // namespace DYADIC_ISA
}  // namespace dyadic
