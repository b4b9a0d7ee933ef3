// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The operators behind CMSIS-NN's interface. They fold and run blocks of channels, so that they neither allocate nor need
/// scratch.

#include "arguments.hpp"

namespace face {
namespace {

/// The backend that sums weights. Portable code sums 4-bit weights, because backends read bytes.
template <class Backend, class W>
using sums_by = std::conditional_t<std::is_same_v<W, q::int4>, q::backend::scalar, Backend>;

/// A convolution with groups; a linear layer is a convolution of one tap. The bias has the type of the sums.
template <class X, class W, class Accumulator>
arm_cmsis_nn_status convolve(const arguments& a) {
  const index_t depth = a.kernel.c;
  const index_t row = index_t{a.kernel.h} * a.kernel.w * depth;
  const index_t per_group = a.out.c / (a.in.c / depth);
  return with_backend<is_usual<W, Accumulator>>([&](auto backend) {
    using chosen = decltype(backend);
    Accumulator constants[block_channels];
    channel_block b;
    for (index_t first = 0; first < a.out.c; first += b.count) {
      b = block_of(first, a.out.c, per_group, block_channels);
      const q::matrix_view<const W> weights = weights_from<W>(a, first * row, b.count, row, row);
      if (a.context == nullptr) {
        if constexpr (sizeof(X) == 1)
          if (a.zero.x != 0) q::kernel<sums_by<chosen, W>, q::op::row_sums>::run(weights, +constants);
        add_bias(a, b, row, constants);
      }
      const auto* const from = a.context == nullptr ? constants : static_cast<const Accumulator*>(a.context) + first;
      with_output<X, Accumulator>(a, b, [&](const auto& output) {
        const q::conv2d_layer<W, std::decay_t<decltype(output)>> layer{weights, folded<X>(a, b, depth, from), a.window, b.groups,
                                                                       output};
        q::run<chosen>(layer, inputs<X>(a, b.group * depth, b.groups * depth), outputs<X>(a, b.first, b.count));
      });
    }
  });
}

/// A depthwise convolution. A group is the output channels of one input channel.
template <class X, class W, class Accumulator>
arm_cmsis_nn_status convolve_depthwise(const arguments& a) {
  const index_t taps = index_t{a.kernel.h} * a.kernel.w;
  return with_backend<is_usual<W, Accumulator>>([&](auto backend) {
    Accumulator constants[block_channels];
    channel_block b;
    for (index_t first = 0; first < a.out.c; first += b.count) {
      b = block_of(first, a.out.c, a.out.c / a.in.c, block_channels);
      const q::matrix_view<const W> weights = weights_from<W>(a, first, taps, b.count, a.out.c);
      for (index_t o = 0; o < b.count; ++o) constants[o] = 0;
      for (index_t t = 0; t < taps && a.zero.x != 0; ++t) {
        const auto tap = weights.row(t);
        for (index_t o = 0; o < b.count; ++o) constants[o] += tap[o];
      }
      add_bias(a, b, taps, constants);
      with_output<X, Accumulator>(a, b, [&](const auto& output) {
        const q::depthwise_layer<W, std::decay_t<decltype(output)>> layer{weights, folded<X>(a, b, 1, constants), a.window,
                                                                          output};
        q::run<decltype(backend)>(layer, inputs<X>(a, b.group, b.groups), outputs<X>(a, b.first, b.count));
      });
    }
  });
}

/// A transposed convolution, with constants for each phase of the stride.
template <class X, class W, class Accumulator>
arm_cmsis_nn_status convolve_transposed(const arguments& a) {
  const index_t depth = a.kernel.c;
  const index_t row = index_t{a.kernel.h} * a.kernel.w * depth;
  const index_t phases = q::transposed_conv2d_constants(1, a.window, a.zero);
  if (phases < 1 || phases > block_channels) return ARM_CMSIS_NN_NO_IMPL_ERROR;
  const index_t steps_y = a.zero.x == 0 ? 1 : q::transposed_conv2d_constants(1, {a.window.y, {}}, a.zero);
  return with_backend<false>([&](auto backend) {
    Accumulator constants[block_channels];
    channel_block b;
    for (index_t first = 0; first < a.out.c; first += b.count) {
      b = block_of(first, a.out.c, a.out.c, block_channels / phases);
      const q::matrix_view<const W> weights = weights_from<W>(a, first * row, b.count, row, row);
      for (index_t p = 0; p < phases; ++p) {
        Accumulator* const sums = constants + p * b.count;
        index_t terms = 0;
        for (index_t o = 0; o < b.count; ++o) {
          sums[o] = 0;
          terms = 0;
          for (index_t y = p / (phases / steps_y); y < a.kernel.h && a.zero.x != 0; y += a.window.y.stride)
            for (index_t x = p % (phases / steps_y); x < a.kernel.w; x += a.window.x.stride, terms += depth)
              sums[o] += q::sum<Accumulator>(weights.row(o) + (y * a.kernel.w + x) * depth, depth);
        }
        add_bias(a, b, terms, sums);
      }
      auto bias = folded<X>(a, b, depth, constants, phases);
      bias.record.step_y = a.window.y.stride;
      bias.record.step_x = a.window.x.stride;
      with_output<X, Accumulator>(a, b, [&](const auto& output) {
        const q::transposed_conv2d_layer<W, std::decay_t<decltype(output)>> layer{weights, bias, a.window, output};
        q::run<decltype(backend)>(layer, inputs<X>(a, 0, a.in.c), outputs<X>(a, b.first, b.count));
      });
    }
  });
}

/// Unpacks 4-bit weights from number `first` on to bytes, which have faster kernels. Little-endian hosts use vectors.
[[maybe_unused]] void unpack(const std::uint8_t* bytes, index_t first, index_t count, std::int8_t* to) {
  using eight_bytes = std::uint8_t __attribute__((vector_size(8)));
  using eight_pairs = std::uint16_t __attribute__((vector_size(16)));
  using weights = std::int8_t __attribute__((vector_size(16)));
  const q::int4_pointer from(bytes, first);
  index_t i = 0;
  if (first % 2 != 0 && count > 0) to[i++] = from[0];
  for (; q::is_little_endian && count - i >= 16; i += 16) {
    eight_bytes some;
    __builtin_memcpy(&some, bytes + (first + i) / 2, sizeof(some));
    const eight_pairs both = __builtin_convertvector(some, eight_pairs);
    const eight_pairs apart = ((both | both << 4) & 0x0F0F) ^ 0x0808;
    const weights all = reinterpret_cast<weights>(apart) - 8;
    __builtin_memcpy(to + i, &all, sizeof(all));
  }
  for (; i < count; ++i) to[i] = from[i];
}

/// A convolution by 4-bit weights. If the weights of enough channels fit the buffer as bytes, it unpacks a block at a time.
template <bool IsHosted = is_hosted>
arm_cmsis_nn_status convolve_s4(const arguments& given) {
  if constexpr (IsHosted) {
    constexpr index_t room = 16 * 1024;
    const index_t row = index_t{given.kernel.h} * given.kernel.w * given.kernel.c;
    const index_t most = row <= room ? room / row : 0;
    if (most >= given.out.c || (most >= 32 && given.in.c == given.kernel.c)) {
      alignas(64) std::int8_t weights[room];
      arguments a = given;
      a.weights = weights;
      for (index_t first = 0; first < given.out.c; first += a.out.c) {
        const index_t left = given.out.c - first;
        a.out.c = static_cast<std::int32_t>(left < most ? left : most);
        unpack(static_cast<const std::uint8_t*>(given.weights), first * row, a.out.c * row, weights);
        if (given.bias != nullptr) a.bias = static_cast<const std::int32_t*>(given.bias) + first;
        a.multipliers = given.multipliers + first * a.step;
        a.shifts = given.shifts + first * a.step;
        a.y = static_cast<std::int8_t*>(given.y) + first;
        const auto status = convolve<std::int8_t, std::int8_t, std::int32_t>(a);
        if (status != ARM_CMSIS_NN_SUCCESS) return status;
      }
      return ARM_CMSIS_NN_SUCCESS;
    }
  }
  return convolve<std::int8_t, q::int4, std::int32_t>(given);
}

/// Runs a layer of int16 by int8 with 64-bit sums. On a host with vectors, `has_short_sums` tells the vector code that 32 bits
/// suffice. Elsewhere the function with 32-bit sums runs.
arm_cmsis_nn_status run_s16(const arguments& a, index_t terms, arm_cmsis_nn_status (*in_32_bits)(const arguments&),
                            arm_cmsis_nn_status (*in_64_bits)(const arguments&)) {
  const bool is_short = has_short_sums(a, terms);
  if (is_short && !(is_hosted && runs_vectors())) return in_32_bits(of_64_bits(a));
  if (!is_hosted) return in_64_bits(a);
  arguments known = a;
  known.has_short_sums = is_short;
  return in_64_bits(known);
}
arm_cmsis_nn_status convolve_s16(const arguments& a) {
  return run_s16(a, index_t{a.kernel.h} * a.kernel.w * a.kernel.c, convolve<std::int16_t, std::int8_t, std::int32_t>,
                 convolve<std::int16_t, std::int8_t, std::int64_t>);
}
arm_cmsis_nn_status convolve_depthwise_s16(const arguments& a) {
  return run_s16(a, index_t{a.kernel.h} * a.kernel.w, convolve_depthwise<std::int16_t, std::int8_t, std::int32_t>,
                 convolve_depthwise<std::int16_t, std::int8_t, std::int64_t>);
}

}  // namespace
}  // namespace face
