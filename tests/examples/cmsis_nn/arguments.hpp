// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The arguments of CMSIS-NN's functions in one form, and functions that fold a block of channels and make the block's output.

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

/// The backends that are compiled in, the best first. An empty list compiles in all backends of this processor.
#ifndef FACE_BACKENDS
#define FACE_BACKENDS
#endif

namespace face {
namespace {  // included by face.cpp alone

namespace q = dyadic;
using q::index_t;

/// The rule that rescales a 32-bit accumulator, chosen at run time.
using rescale = std::int64_t (*)(std::int32_t acc, q::multiplier32 m);

/// An output whose rule is chosen at run time, with one multiplier for each channel or one for all channels.
template <class Y, class Accumulator>
struct simulated_output {
  using value_type = Y;
  using accumulator = Accumulator;

  const std::int32_t* multipliers;
  const std::int32_t* shifts;
  index_t step;  ///< step from one channel to the next: 1, or 0 if all channels share a multiplier
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

/// Returns ok, because a function has checked the multipliers.
template <class Y, class Accumulator>
constexpr q::status check(const simulated_output<Y, Accumulator>&, index_t) noexcept {
  return q::status::ok;
}

/// The arguments of a function.
struct arguments {
  const void* x = nullptr;
  const void* weights = nullptr;
  const void* bias = nullptr;  ///< may stay null
  bool has_int64_bias = false;
  void* y = nullptr;
  const void* context = nullptr;  ///< folded constants, or null; if they are there, the bias is not read
  cmsis_nn_dims in{};
  index_t rows = 0;        ///< rows of an image of x that outputs read
  index_t columns = 0;     ///< columns of a row that outputs read
  cmsis_nn_dims kernel{};  ///< n output channels of h x w taps of depth c
  cmsis_nn_dims out{};
  index_t y_channels = 0;  ///< channels of a pixel of y; out has some or all of them
  q::zero_points zero;
  q::window2d window;
  const std::int32_t* multipliers = nullptr;
  const std::int32_t* shifts = nullptr;
  index_t step = 1;
  q::output_range range;
  rescale rule = nullptr;
  bool rounds_twice = false;    ///< true if `rule` rounds twice; only this rule has vectors
  bool has_short_sums = false;  ///< true if sums of 64 bits fit 32 bits
};

/// The number of channels that are folded and run at a time.
constexpr index_t block_channels = sizeof(void*) == 8 ? 1024 : 64;

/// Output channels first .. first + count - 1. The block has `groups` whole groups, of which `group` is the first, or a part of
/// one group.
struct channel_block {
  index_t first;
  index_t count;
  index_t group;
  index_t groups;
};

/// Returns the block that begins with channel `first`. Groups have `per_group` channels, and a block has at most `most`.
channel_block block_of(index_t first, index_t channels, index_t per_group, index_t most) {
  const index_t group = first / per_group;
  const index_t left = (group + 1) * per_group - first;
  if (left < per_group || per_group > most) return {first, left < most ? left : most, group, 1};
  const index_t fit = most / per_group;
  const index_t all = (channels - first) / per_group;
  const index_t groups = fit < all ? fit : all;
  return {first, groups * per_group, group, groups};
}

/// Return views of some channels: of the part of x that is read, and of y.
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

/// Returns a view of the weights from number `first` on.
template <class W>
q::matrix_view<const W> weights_from(const arguments& a, index_t first, index_t rows, index_t cols, index_t stride) {
  if constexpr (std::is_same_v<W, q::int4>)
    return {static_cast<const std::uint8_t*>(a.weights) + first / 2, rows, cols, stride};
  else
    return {static_cast<const W*>(a.weights) + first, rows, cols, stride};
}

/// The multipliers of a block in two arrays, one for each channel.
struct block_multipliers {
  std::int32_t mantissas[is_hosted ? block_channels : 1];
  std::int32_t shifts[is_hosted ? block_channels : 1];
};

/// Calls run(output of a block). Vectors compute the output if the backend has them and the arrays fit, unless the zero point is
/// 128.
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

/// True if layers of W and Accumulator are so common that their vectors are worth the bytes on a bare machine.
template <class W, class Accumulator>
constexpr bool is_usual = std::is_same_v<W, std::int8_t> && sizeof(Accumulator) == 4;

/// Calls f(backend) with the machine's best backend; on a bare machine, with the backend of the compiler's flags.
template <bool IsUsual, class F>
arm_cmsis_nn_status with_backend(F&& f) {
#if defined(__unix__) || defined(__APPLE__)
  return q::with_best_backend<FACE_BACKENDS>(f) == q::status::ok ? ARM_CMSIS_NN_SUCCESS : ARM_CMSIS_NN_FAILURE;
#else
  f(std::conditional_t<IsUsual, q::native, q::backend::scalar>{});
  return ARM_CMSIS_NN_SUCCESS;
#endif
}

/// Returns true if the best backend is more than portable code.
bool runs_vectors() {
  bool found = true;
  if constexpr (is_hosted) {
    static_cast<void>(with_backend<true>([&](auto best) { found = !std::is_same_v<decltype(best), q::backend::scalar>; }));
  }
  return found;
}

/// Returns the bias of a channel. Requires: the layer has a bias.
std::int64_t bias_of(const arguments& a, index_t channel) {
  return a.has_int64_bias ? static_cast<const std::int64_t*>(a.bias)[channel] : static_cast<const std::int32_t*>(a.bias)[channel];
}

/// Computes sums = bias - zero.x * (sums - terms * zero.w) for all channels of a block, modulo 2^(bits of the accumulator).
template <class Accumulator>
void add_bias(const arguments& a, const channel_block& b, index_t terms, Accumulator* sums) {
  using bits = std::make_unsigned_t<Accumulator>;
  const bits zeros = static_cast<bits>(terms) * static_cast<bits>(a.zero.w);
  for (index_t o = 0; o < b.count; ++o) {
    const bits shift = static_cast<bits>(a.zero.x) * (a.zero.x == 0 ? 0 : static_cast<bits>(sums[o]) - zeros);
    sums[o] = static_cast<Accumulator>((a.bias == nullptr ? 0 : static_cast<bits>(bias_of(a, b.first + o))) - shift);
  }
}

/// Returns the folded bias of a layer of activations X. The record states a bound of the sums only if they fit 32 bits.
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

/// Returns true if all sums of int16 by int8 fit int32 for any numbers, so that 64-bit addition is not needed.
bool has_short_sums(const arguments& a, index_t terms) {
  std::int64_t most = 0;
  for (index_t o = 0; o < a.out.c && a.bias != nullptr; ++o) {
    const std::int64_t bias = bias_of(a, o);
    most = bias > most ? bias : -bias > most ? -bias : most;
  }
  return most <= q::int32_max && terms <= q::max_depth<std::int16_t, std::int8_t, 32>(most);
}

/// Returns the layer with the rule of 64-bit sums, applied to sums of 32 bits.
arguments of_64_bits(arguments a) {
  a.rule = [](std::int32_t acc, q::multiplier32 m) { return q::cmsis_nn::requantize_s64::apply(acc, q::cmsis_nn::reduce(m)); };
  a.rounds_twice = false;
  return a;
}

}  // namespace
}  // namespace face
