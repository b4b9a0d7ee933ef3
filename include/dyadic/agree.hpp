// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Decides if two outputs of a layer, for example those of two engines, are equal for every input. Opt-in. Roof.
///
///   const auto report = q::agree(layer, q::per_tensor_output<std::int8_t, q::tosa::scale32>{m});
///   report.value.differing == 0;             // if report.status is ok: no input shows a difference
///   q::to_string(report).c_str();            // "3 of 64 channels differ, .., or "not decided: ..
///
/// The weights, the bias and the zero points bound the accumulators of each channel. The header thresholds.hpp finds the
/// accumulators within these bounds on which the two outputs differ. The header witness.hpp finds an input that shows a
/// difference.

#include <dyadic/decomposed.hpp>
#include <dyadic/thresholds.hpp>
#include <dyadic/verify.hpp>

namespace dyadic {

/// An accumulator of a channel, and the two outputs for it.
struct channel_sample {
  index_t channel;  ///< the output channel
  sample at;        ///< the accumulator and its two outputs
};

/// The differences between two outputs on the accumulators that a layer can reach. If `differing` is 0, both samples are 0.
struct agreement {
  index_t channels;              ///< channels that were compared
  index_t differing_channels;    ///< channels with a difference
  std::uint64_t compared;        ///< accumulators that were compared in all channels
  std::uint64_t differing;       ///< accumulators with different outputs
  channel_sample smallest;       ///< the least |acc|, in the first channel that has it
  channel_sample worst;          ///< the largest distance, in the first channel that has it
  std::uint64_t worst_distance;  ///< the distance between the two outputs of `worst`
};

namespace detail {

/// Returns the weights of any layer, in the order in which the layer's fold reads them.
template <class Layer>
DYADIC_API constexpr auto weights_of_fold(const Layer& layer) noexcept {
  if constexpr (has_images<Layer>)
    return weights_in_order(layer);
  else
    return channel_major<std::decay_t<decltype(layer.weights)>>(layer.weights, 1);
}

/// An interval that contains the accumulators of a channel for all inputs, and the bias that was folded.
struct channel_bound {
  interval accs;
  std::int64_t bias;
};

/// Calls use(channel, bound) for each channel. Computes the bias from the constant of each phase. Unites the bounds of all phases
/// in one interval.
/// Requires: check_decidable is ok. The bias is exact if `check_bound` is ok, too. Otherwise the constant may have wrapped, and
/// the bias is then wrong.
template <class Layer, class Use>
DYADIC_API constexpr void for_each_bound(const Layer& layer, const Use& use) noexcept {
  using accumulator = typename decltype(layer.output)::accumulator;
  const fold_record& record = layer.bias.record;
  const auto weights = weights_of_fold(layer);
  fold_record one = record;
  one.w_min = one.w_max = 0;  // add_chunk widens this range, which may have any values if no fold made the record
  index_t present = 0;
  std::int64_t bias = 0;
  for_each_phase(record, [&](index_t o, index_t phase) {
    if (o != present) use(present, channel_bound{{one.bound.lowest, one.bound.highest}, bias});
    weight_sums sums{};
    for_each_chunk(weights, record, o, phase, [&](const auto* chunk, index_t length) { add_chunk(chunk, length, sums, one); });
    const std::int64_t constant = layer.bias.constants[(record.zero.x == 0 ? 0 : phase) * record.channels + o];
    const std::uint64_t shift = static_cast<std::uint64_t>(record.zero.x) * static_cast<std::uint64_t>(sums.total);
    bias = wrap<accumulator>(static_cast<std::uint64_t>(constant) + shift);
    widen_bound(one, phase == 0, bias, sums);
    present = o;
  });
  if (record.channels > 0) use(present, channel_bound{{one.bound.lowest, one.bound.highest}, bias});
}

/// Returns true if x_min and x_max of a record are the limits of an activation type.
DYADIC_API constexpr bool is_of_activations(const fold_record& record) noexcept {
  const auto is_range = [&](auto zero) {
    using type = decltype(zero);
    return record.x_min == operand<type>::min && record.x_max == operand<type>::max;
  };
  return is_range(std::int8_t{}) || is_range(std::uint8_t{}) || is_range(std::int16_t{}) || is_range(std::uint16_t{});
}

/// Returns the first error that `verify` and `check` find in a layer. Accepts a layer without a fingerprint, and does not test
/// the bound. Total. Reads all weights.
template <class Layer>
DYADIC_API constexpr status check_decidable(const Layer& layer) noexcept {
  const fold_record& record = layer.bias.record;
  if (const status s = verify(layer); s != status::ok && s != status::fold_not_verifiable) return s;
  if (const status s = check(layer.bias.constants); s != status::ok) return s;
  if (layer.bias.constants.size() != constants_of(record)) return status::shape_mismatch;
  return is_of_activations(record) ? check_layer(layer, record) : status::fold_of_other_type;
}

/// Returns true if the layer's output takes all accumulators of a channel, and they fit 63 bits. The difference of two
/// accumulators then fits int64.
template <class Layer>
DYADIC_API constexpr bool takes_channel(const Layer& layer, interval accs) noexcept {
  constexpr std::int64_t end = std::int64_t{1} << 62;
  return accs.low >= -end && accs.high < end && takes(layer.output, accs.low) && takes(layer.output, accs.high);
}

/// Returns true if an array that is written shares memory with the arrays of a layer.
template <class T, class Layer>
DYADIC_API constexpr bool overlaps_layer(view<T> written, const Layer& layer) noexcept {
  return overlap(written, layer.weights) || overlap(written, layer.bias.constants) || overlaps_arrays(written, layer.output);
}

/// Applies the rule of a channel to the layer's accumulator, which contains the bias. Ignores `valid` of the rule, because `run`
/// stores a result for any accumulator. Requires: accumulators and a bias of at most 63 bits.
template <class Rule>
struct biased_rule {
  Rule rule;
  std::int64_t bias;  // subtracted from the accumulator, because the rule adds it

  DYADIC_API constexpr bool takes(std::int64_t acc) const noexcept { return fits_accumulator<Rule>(acc - bias); }
  DYADIC_API constexpr std::int64_t operator()(std::int64_t acc) const noexcept { return rule(acc - bias); }
  DYADIC_API constexpr std::int64_t piece(std::int64_t acc) const noexcept { return promises_monotony<Rule> ? 0 : acc; }
};

/// Returns the rule that an output applies in a channel.
/// @{
template <class Output, class Scheme = typename Output::scheme>
DYADIC_API constexpr output_rule<Scheme> rule_of_channel(const Output& output, index_t channel, std::int64_t /*bias*/) noexcept {
  return rule_of<Scheme>(output.multiplier_of(channel), output.range);
}
template <class Rule>
DYADIC_API constexpr biased_rule<Rule> rule_of_channel(const channel_rules_output<Rule>& output, index_t channel,
                                                       std::int64_t bias) noexcept {
  return {output.rules[channel], bias};
}
/// @}

/// Returns an output with another scheme, and with the multipliers and the range of the given output.
/// @{
template <class Scheme, class Y, class Other>
DYADIC_API constexpr per_tensor_output<Y, Scheme> with_scheme(const per_tensor_output<Y, Other>& output) noexcept {
  return {output.multiplier, output.range};
}
template <class Scheme, class Y, class Other>
DYADIC_API constexpr per_channel_output<Y, Scheme> with_scheme(const per_channel_output<Y, Other>& output) noexcept {
  return {output.multipliers, output.range};
}
template <class Scheme, class Y, class Other, class Int, shift_convention Convention>
DYADIC_API constexpr per_channel_arrays_output<Y, Scheme, Int, Convention> with_scheme(
    const per_channel_arrays_output<Y, Other, Int, Convention>& output) noexcept {
  return {output.mantissas, output.shifts, output.range};
}
/// @}

DYADIC_API constexpr void add_channel(agreement& all, index_t channel, const difference& d) noexcept {
  ++all.channels;
  all.compared += d.compared;
  if (d.differing == 0) return;
  ++all.differing_channels;
  if (all.differing == 0 || is_nearer_to_zero(d.smallest.acc, all.smallest.at.acc)) all.smallest = {channel, d.smallest};
  if (d.worst_distance > all.worst_distance) {
    all.worst = {channel, d.worst};
    all.worst_distance = d.worst_distance;
  }
  all.differing += d.differing;
}

}  // namespace detail

/// Compares the layer's own output with `other` on all accumulators within the bound of each channel. An accumulator within the
/// bound need not have an input.
/// `other` is any output: per tensor or per channel, with its own scheme, multipliers and range. It may also have rules that add
/// the bias themselves. These rules receive the accumulator without the bias (decomposed.hpp). Total: checks the sizes of all
/// arrays, then reads all weights.
/// Returns the first of the following statuses. The value then covers only the channels before the error.
/// - The error that `check` or `verify` finds in the layer, except a missing fingerprint.
/// - The error that `check` finds in `other`.
/// - `accumulator_overflow` if `check` returns it: a constant may have wrapped, and the accumulators are then unknown.
/// - `accumulator_overflow` if an output does not take all accumulators of a channel, or they have more than 63 bits.
/// - `not_monotone` if `compare_thresholds` returns it for a channel.
/// The bound of a fold from kernel sums holds for all weights of the type. It may overflow although the actual weights cannot.
template <class Layer, class Other>
DYADIC_API constexpr result<agreement> agree(const Layer& layer, const Other& other) noexcept {
  agreement all{};
  if (const status s = detail::check_decidable(layer); s != status::ok) return {all, s};
  if (const status s = check(other, layer.bias.record.channels); s != status::ok) return {all, s};
  status found = detail::check_bound(layer);
  detail::for_each_bound(layer, [&](index_t o, const detail::channel_bound& of_o) {
    if (found != status::ok) return;
    found = status::accumulator_overflow;
    if (!detail::takes_channel(layer, of_o.accs)) return;
    const result<difference> one =
        compare_thresholds(detail::rule_of_channel(layer.output, o, 0), detail::rule_of_channel(other, o, of_o.bias), of_o.accs);
    found = one.status;
    if (found == status::ok) detail::add_channel(all, o, one.value);
  });
  return {all, found};
}

/// Compares the layer's own output with an output of another scheme that has the layer's multipliers and range.
template <class Scheme, class Layer>
DYADIC_API constexpr result<agreement> agree(const Layer& layer) noexcept {
  using output = std::decay_t<decltype(layer.output)>;
  static_assert(std::is_same_v<typename output::scheme::multiplier_type, typename Scheme::multiplier_type>,
                "the two schemes have multipliers of two types: derive one, and give agree an output with it");
  return agree(layer, detail::with_scheme<Scheme>(layer.output));
}

/// Prints an agreement for humans: "1 of 3 channels differ, on 2 of 100 accumulators; the smallest in channel 1 at -5, 1 and 2;
/// the worst by ..". The two outputs follow the accumulator. Prints "nothing was compared" if `compared` is 0.
DYADIC_API constexpr text<384> to_string(const agreement& a) noexcept {
  text<384> t;
  if (a.compared == 0) return t.add("nothing was compared");
  const auto add = [&](const char* before, channel_sample s) {
    t.add(before).add(std::int64_t{s.channel}).add(" at ").add(s.at.acc).add(", ").add(s.at.a).add(" and ").add(s.at.b);
  };
  if (a.differing == 0)
    return t.add("none of ")
        .add(std::int64_t{a.channels})
        .add(" channels differ on any of ")
        .add(a.compared)
        .add(" accumulators");
  t.add(std::int64_t{a.differing_channels}).add(" of ").add(std::int64_t{a.channels}).add(" channels differ, on ");
  t.add(a.differing).add(" of ").add(a.compared);
  add(" accumulators; the smallest in channel ", a.smallest);
  t.add("; the worst by ").add(a.worst_distance);
  add(" in channel ", a.worst);
  return t;
}

/// Prints the agreement if the status is ok, else "not decided: " and the status.
DYADIC_API constexpr text<384> to_string(const result<agreement>& a) noexcept { return detail::sentence_of(a); }

}  // namespace dyadic
