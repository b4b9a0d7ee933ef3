// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What the functions of CMSIS-NN's face are given, in one form, and how a block of channels is folded and given an output.

#include <dyadic/dyadic.hpp>

#include "types.hpp"

#if defined(__unix__) || defined(__APPLE__)
#include <dyadic/cpu.hpp>
namespace face {
constexpr bool is_hosted = true;
}
#else
#include <dyadic/native.hpp>
namespace face {
constexpr bool is_hosted = false;
}
#endif

/// The backends that are compiled in, the best first; none for all of this processor's.
#ifndef FACE_BACKENDS
#define FACE_BACKENDS
#endif

namespace face {
namespace {  // for face.cpp alone

namespace q = dyadic;
using q::index_t;

/// The rule that an accumulator of 32 bits is rescaled by, chosen at run time.
using rescale = std::int64_t (*)(std::int32_t acc, q::multiplier32 m);

/// An output whose rule is known when it runs: one multiplier for each channel, or for all of them.
template <class Y, class Accumulator>
struct simulated_output {
  using value_type = Y;
  using accumulator = Accumulator;

  const std::int32_t* multipliers;
  const std::int32_t* shifts;
  index_t step;  ///< from one channel to the next: 1, or 0
  q::output_range range;
  rescale rule;

  constexpr q::multiplier32 multiplier_of(index_t channel) const noexcept {
    return q::tflite::from_pair(multipliers[channel * step], shifts[channel * step]);
  }
  constexpr Y operator()(Accumulator acc, index_t channel) const noexcept {
    const q::multiplier32 m = multiplier_of(channel);
    if constexpr (sizeof(Accumulator) == 8)
      return static_cast<Y>(q::requantize<q::cmsis_nn::requantize_s64>(acc, q::cmsis_nn::reduce(m), range));
    else
      return static_cast<Y>(q::clamp(rule(acc, m) + range.zero_point, range.min, range.max));
  }
};

/// Functions look at the multipliers before.
template <class Y, class Accumulator>
constexpr q::status check(const simulated_output<Y, Accumulator>&, index_t) noexcept {
  return q::status::ok;
}

/// What a function is given.
struct arguments {
  const void* x = nullptr;
  const void* weights = nullptr;
  const void* bias = nullptr;  ///< may stay null
  bool has_int64_bias = false;
  void* y = nullptr;
  const void* context = nullptr;  ///< constants that are folded already; the bias is not read then
  cmsis_nn_dims in{};
  index_t rows = 0;        ///< of an image of x that outputs read, as far as they are there
  index_t columns = 0;     ///< and of each of these rows
  cmsis_nn_dims kernel{};  ///< n output channels of h x w taps of depth c
  cmsis_nn_dims out{};
  index_t y_channels = 0;  ///< those of a pixel of y, of which out has all or some
  q::zero_points zero;
  q::window2d window;
  const std::int32_t* multipliers = nullptr;
  const std::int32_t* shifts = nullptr;
  index_t step = 1;
  q::output_range range;
  rescale rule = nullptr;
  bool rounds_twice = false;    ///< as `rule` does: that one has vectors
  bool has_short_sums = false;  ///< sums of 64 bits that fit 32
};

/// Channels that are folded and run at a time.
constexpr index_t block_channels = sizeof(void*) == 8 ? 1024 : 64;

/// Output channels first .. first + count - 1: of `groups` groups from `group` on, or some of one.
struct channel_block {
  index_t first;
  index_t count;
  index_t group;
  index_t groups;
};

/// The block that begins with channel `first`, of groups of `per_group` channels.
channel_block block_of(index_t first, index_t channels, index_t per_group, index_t most) {
  const index_t group = first / per_group;
  const index_t left = (group + 1) * per_group - first;
  if (left < per_group || per_group > most) return {first, left < most ? left : most, group, 1};
  const index_t fit = most / per_group;
  const index_t all = (channels - first) / per_group;
  const index_t groups = fit < all ? fit : all;
  return {first, groups * per_group, group, groups};
}

/// Some channels of images, and of x what is read.
/// @{
template <class X>
q::nhwc_view<const X> inputs(const arguments& a, index_t first, index_t count) {
  const index_t row = index_t{a.in.w} * a.in.c;
  return {static_cast<const X*>(a.x) + first, a.in.n, a.rows, a.columns, count, a.in.c, row, row * a.in.h};
}
template <class Y>
q::nhwc_view<Y> outputs(const arguments& a, index_t first, index_t count) {
  const index_t row = a.out.w * a.y_channels;
  return {static_cast<Y*>(a.y) + first, a.out.n, a.out.h, a.out.w, count, a.y_channels, row, row * a.out.h};
}
/// @}

/// Weights from number `first` on.
template <class W>
q::matrix_view<const W> weights_from(const arguments& a, index_t first, index_t rows, index_t cols, index_t stride) {
  if constexpr (std::is_same_v<W, q::int4>)
    return {static_cast<const std::uint8_t*>(a.weights) + first / 2, rows, cols, stride};
  else
    return {static_cast<const W*>(a.weights) + first, rows, cols, stride};
}

/// One multiplier for each channel of a block, in two arrays.
struct block_multipliers {
  std::int32_t mantissas[is_hosted ? block_channels : 1];
  std::int32_t shifts[is_hosted ? block_channels : 1];
};

/// Calls run(output of a block): one with vectors where there is one, and room; none takes a zero point of 128.
template <class Y, class Accumulator, class Run>
void with_output(const arguments& a, const channel_block& b, const Run& run) {
  using scheme = std::conditional_t<sizeof(Accumulator) == 8, q::cmsis_nn::requantize_s64, q::cmsis_nn::double_rounding>;
  if constexpr (is_hosted)
    if (sizeof(Accumulator) == 8 || (a.rounds_twice && q::fits<Y>(a.range.zero_point))) {
      block_multipliers all;
      for (index_t o = 0; o < b.count; ++o) {
        all.mantissas[o] = a.multipliers[(b.first + o) * a.step];
        all.shifts[o] = a.shifts[(b.first + o) * a.step];
      }
      return run(q::per_channel_arrays_output<Y, scheme>{{all.mantissas, b.count}, {all.shifts, b.count}, a.range});
    }
  if constexpr (!is_hosted || sizeof(Accumulator) == 4)
    run(simulated_output<Y, Accumulator>{a.multipliers + b.first * a.step, a.shifts + b.first * a.step, a.step, a.range, a.rule});
}

/// Whether layers of these types are so usual that their vectors are worth the bytes on a bare machine.
template <class W, class Accumulator>
constexpr bool is_usual = std::is_same_v<W, std::int8_t> && sizeof(Accumulator) == 4;

/// Calls f(backend) with the best of the machine; of a bare one, with what the compiler's flags allow.
template <bool IsUsual, class F>
arm_cmsis_nn_status with_backend(F&& f) {
#if defined(__unix__) || defined(__APPLE__)
  return q::with_best_backend<FACE_BACKENDS>(f) == q::status::ok ? ARM_CMSIS_NN_SUCCESS : ARM_CMSIS_NN_FAILURE;
#else
  f(std::conditional_t<IsUsual, q::native, q::backend::scalar>{});
  return ARM_CMSIS_NN_SUCCESS;
#endif
}

/// Whether that is more than portable code.
bool runs_vectors() {
  bool found = true;
  if constexpr (is_hosted) {
    static_cast<void>(with_backend<true>([&](auto best) { found = !std::is_same_v<decltype(best), q::backend::scalar>; }));
  }
  return found;
}

/// The bias of a channel, which there is.
std::int64_t bias_of(const arguments& a, index_t channel) {
  return a.has_int64_bias ? static_cast<const std::int64_t*>(a.bias)[channel] : static_cast<const std::int32_t*>(a.bias)[channel];
}

/// sums = bias - zero.x * (sums - terms * zero.w) for all channels of a block, modulo 2^(bits of the accumulator).
template <class Accumulator>
void add_bias(const arguments& a, const channel_block& b, index_t terms, Accumulator* sums) {
  using bits = std::make_unsigned_t<Accumulator>;
  const bits zeros = static_cast<bits>(terms) * static_cast<bits>(a.zero.w);
  for (index_t o = 0; o < b.count; ++o) {
    const bits shift = static_cast<bits>(a.zero.x) * (a.zero.x == 0 ? 0 : static_cast<bits>(sums[o]) - zeros);
    sums[o] = static_cast<Accumulator>((a.bias == nullptr ? 0 : static_cast<bits>(bias_of(a, b.first + o))) - shift);
  }
}

/// What a layer of activations X is folded with; of its sums nothing is known.
template <class X, class Accumulator>
q::folded_bias<Accumulator> folded(const arguments& a, const channel_block& b, index_t depth, const Accumulator* constants,
                                   index_t phases = 1) {
  q::fold_record record;
  record.channels = b.count;
  record.taps_y = a.kernel.h;
  record.taps_x = a.kernel.w;
  record.depth = depth;
  record.zero = a.zero;
  record.x_min = q::operand<X>::min;
  record.x_max = q::operand<X>::max;
  if (!a.has_short_sums) record.bound = {q::limits<std::int64_t>::min, q::limits<std::int64_t>::max};
  return {{constants, b.count * phases}, record};
}

/// Whether the sums of int16 by int8 fit int32, whatever the numbers are, so that they need not be added in 64 bits.
bool has_short_sums(const arguments& a, index_t terms) {
  std::int64_t most = 0;
  for (index_t o = 0; o < a.out.c && a.bias != nullptr; ++o) {
    const std::int64_t bias = bias_of(a, o);
    most = bias > most ? bias : -bias > most ? -bias : most;
  }
  return most <= q::int32_max && terms <= q::max_depth<std::int16_t, std::int8_t, 32>(most);
}

/// The same layer with the rule of sums of 64 bits.
arguments of_64_bits(arguments a) {
  a.rule = [](std::int32_t acc, q::multiplier32 m) { return q::cmsis_nn::requantize_s64::apply(acc, q::cmsis_nn::reduce(m)); };
  a.rounds_twice = false;
  return a;
}

}  // namespace
}  // namespace face
