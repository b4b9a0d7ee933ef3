// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Finds an input that gives a layer's accumulator, so that a difference between two engines can be shown. Opt-in. Roof.

#include <dyadic/agree.hpp>

namespace dyadic {

namespace detail {

/// The greatest residual that the search closes by a few steps of single inputs.
inline constexpr std::int32_t witness_reach = 512;

/// Searches for the inputs of one output that give a sum of products. Zero points are subtracted from inputs and weights.
template <class Weights, class X>
class witness_search {
 public:
  DYADIC_API constexpr witness_search(const Weights& of_channel, index_t length, std::int32_t w_zero, std::int32_t x_zero,
                                      X* to_fill) noexcept
      : weights_{of_channel}, length_{length}, w_zero_{w_zero}, x_zero_{x_zero}, inputs_{to_fill} {}

  /// Fills the inputs so that the sum of products is `sum`. Returns false if it does not succeed.
  DYADIC_API constexpr bool find(std::int64_t sum) noexcept {
    for (index_t k = 0; k < length_; ++k) inputs_[k] = static_cast<X>(x_zero_);
    take_most(sum);
    return close(sum - sum_of_products()) && sum_of_products() == sum;
  }

 private:
  DYADIC_API constexpr std::int64_t weight_at(index_t k) const noexcept { return std::int64_t{weights_[k]} - w_zero_; }
  DYADIC_API constexpr std::int64_t magnitude_at(index_t k) const noexcept {
    return weight_at(k) < 0 ? -weight_at(k) : weight_at(k);
  }
  DYADIC_API constexpr std::int64_t sum_of_products() const noexcept {
    std::int64_t sum = 0;
    for (index_t k = 0; k < length_; ++k) sum += (std::int64_t{inputs_[k]} - x_zero_) * weight_at(k);
    return sum;
  }
  /// Takes the largest weights first. Moves each input as far as it goes, but no further than the sum needs.
  DYADIC_API constexpr void take_most(std::int64_t rest) noexcept {
    for (std::int64_t above = limits<std::int64_t>::max; rest != 0;) {
      std::int64_t magnitude = 0;
      for (index_t k = 0; k < length_; ++k)
        if (magnitude_at(k) < above && magnitude_at(k) > magnitude) magnitude = magnitude_at(k);
      if (magnitude == 0) return;
      for (index_t k = 0; k < length_; ++k) {
        if (magnitude_at(k) != magnitude) continue;
        const std::int64_t x =
            clamp(rest / weight_at(k), std::int64_t{limits<X>::min} - x_zero_, std::int64_t{limits<X>::max} - x_zero_);
        inputs_[k] = static_cast<X>(x + x_zero_);
        rest -= x * weight_at(k);
      }
      above = magnitude;
    }
  }
  /// Returns how much the sum changes if an input goes one up or down; 0 if it cannot.
  DYADIC_API constexpr std::int64_t step(index_t k, bool up) const noexcept {
    if (inputs_[k] == (up ? limits<X>::max : limits<X>::min)) return 0;
    return up ? weight_at(k) : -weight_at(k);
  }
  /// Adds `rest` to the sum by the fewest steps of single inputs. An input may step several times if it has room. Searches from 0
  /// outwards, breadth first, over the sums within the reach.
  DYADIC_API constexpr bool close(std::int64_t rest) noexcept {
    if (rest > witness_reach || rest < -witness_reach) return false;
    constexpr bool directions[] = {true, false};
    constexpr index_t none = limits<index_t>::max;
    index_t by[2 * witness_reach + 1] = {};  // the step that led to a sum: k + 1 if up, -(k + 1) if down
    std::int16_t queue[2 * witness_reach + 1] = {};
    std::int32_t begin = 0;
    std::int32_t end = 0;
    const auto visit = [&](std::int64_t reached, index_t step_taken) {
      if (reached > witness_reach || reached < -witness_reach || by[reached + witness_reach] != 0) return;
      by[reached + witness_reach] = step_taken;
      queue[end++] = static_cast<std::int16_t>(reached);
    };
    visit(0, none);
    for (; begin < end && by[rest + witness_reach] == 0; ++begin)
      for (index_t k = 0; k < length_; ++k)
        for (const bool up : directions)
          if (const std::int64_t s = step(k, up); s != 0) visit(queue[begin] + s, up ? k + 1 : -(k + 1));
    for (std::int64_t at = rest; at != 0;) {
      const index_t taken = by[at + witness_reach];
      if (taken == 0) return false;
      const bool up = taken > 0;
      const index_t k = (up ? taken : -taken) - 1;
      const std::int64_t s = step(k, up);
      if (s == 0) return false;  // no room for another step
      inputs_[k] = static_cast<X>(inputs_[k] + (up ? 1 : -1));
      at -= s;
    }
    return true;
  }

  Weights weights_;
  index_t length_;
  std::int32_t w_zero_;
  std::int32_t x_zero_;
  X* inputs_;
};

}  // namespace detail

/// Fills `to` with stored inputs that give `channel` this accumulator: one input for each weight of the channel, in the order of
/// the weights. No tap of a window is padding. The sum of products is computed once more to verify the result. The largest
/// weights take what they can of the accumulator. The remainder, at most 512, is reached by the fewest single steps of inputs.
/// The time grows as length * (different weights + 1024). Total: reads all weights, after the sizes of all arrays are checked.
/// Returns the first of the following statuses:
/// - the error that `check` or `verify` finds in the layer, except a missing fingerprint;
/// - `shape_mismatch` if `to` does not have the length, or there is no such channel;
/// - `fold_of_other_type` if the elements of `to` are not the fold's activations;
/// - `overlap` if `to` shares memory with the layer;
/// - `accumulator_overflow` if `agree` returns it for the layer;
/// - `no_witness` if the search found none, as for every transposed convolution. An accumulator may have no input, because two
///   even weights give no odd sum.
template <class Layer, class To>
DYADIC_API constexpr status find_witness(const Layer& layer, index_t channel, std::int64_t acc, To&& to) noexcept {
  const auto inputs = view(to);
  using x_type = std::decay_t<decltype(inputs[0])>;
  const fold_record& record = layer.bias.record;
  if (const status s = detail::check_decidable(layer); s != status::ok) return s;
  if (const status s = check(inputs); s != status::ok) return s;
  const index_t length = record.taps_y * record.taps_x * record.depth;
  if (inputs.size() != length || channel < 0 || channel >= record.channels) return status::shape_mismatch;
  if (limits<x_type>::max != record.x_max) return status::fold_of_other_type;  // types of activations have different maxima
  if (detail::overlaps_layer(inputs, layer)) return status::overlap;
  if (const status s = detail::check_bound(layer); s != status::ok) return s;
  if (record.step_y != 1 || record.step_x != 1) return status::no_witness;
  detail::channel_bound bound{};
  detail::for_each_bound(layer, [&](index_t o, const detail::channel_bound& of_o) {
    if (o == channel) bound = of_o;
  });
  if (!detail::takes_channel(layer, bound.accs)) return status::accumulator_overflow;
  if (acc < bound.accs.low || acc > bound.accs.high) return status::no_witness;
  const auto weights = detail::weights_of_fold(layer).of_channel(channel);
  detail::witness_search search(weights, length, record.zero.w, record.zero.x, inputs.data());
  return search.find(acc - bound.bias) ? status::ok : status::no_witness;
}

}  // namespace dyadic
