// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// A layer with its numbers, and the oracle's outputs for each build of CMSIS-NN.

#include <vector>

#include "face.hpp"
#include "oracle/layers.hpp"
#include "oracle/requantize.hpp"

namespace face_test {

using oracle::dice;
using oracle::layer;
using oracle::op;
using size = std::size_t;

enum class kind { s8, s4, s16, s16_with_int32_bias };

/// A layer and all of its numbers. int8 numbers are stored as int16, too.
struct problem {
  op operation;
  kind numbers;
  layer l;
  std::vector<std::int16_t> x;
  std::vector<std::int16_t> w;
  std::vector<std::int64_t> bias;  ///< or none
  std::vector<std::int32_t> multipliers;
  std::vector<std::int32_t> shifts;
  std::int32_t zero_y = 0;
  cmsis_nn_activation range{};

  bool is_wide() const { return numbers == kind::s16 || numbers == kind::s16_with_int32_bias; }
};

inline size weight_at(const problem& p, oracle::size o, oracle::size ky, oracle::size kx, oracle::size i) {
  const layer& l = p.l;
  const oracle::size at = p.operation == op::depthwise ? (ky * l.x.kernel + kx) * l.out_c + o
                                                       : ((o * l.y.kernel + ky) * l.x.kernel + kx) * (l.c / l.groups) + i;
  return static_cast<size>(at);
}

/// Draws numbers of `bits` bits: all of one value, the two ends of the type, or any.
inline std::vector<std::int16_t> draw(dice& roll, oracle::size count, int bits) {
  const std::int64_t most = (std::int64_t{1} << (bits - 1)) - 1;
  const std::int64_t way = roll(0, 5);
  std::vector<std::int16_t> numbers(static_cast<size>(count));
  for (auto& n : numbers)
    n = static_cast<std::int16_t>(way == 0 ? -most - 1 : way == 1 ? (roll(0, 1) == 0 ? most : -most - 1) : roll(-most - 1, most));
  return numbers;
}

/// Draws the numbers of a layer. Requires: its sizes are set.
inline void fill(problem& p, dice& roll) {
  layer& l = p.l;
  const bool is_linear = p.operation == op::linear;
  const int bits = p.is_wide() ? 16 : 8;
  const oracle::size depth = p.operation == op::depthwise ? 1 : l.c / l.groups;
  p.x = draw(roll, (is_linear ? 1 : l.n) * l.h * l.w * l.c, bits);
  p.w = draw(roll, l.out_c * l.y.kernel * l.x.kernel * depth, p.numbers == kind::s4 ? 4 : 8);
  l.zero_x = p.is_wide() ? 0 : roll(-128, 127);
  l.zero_w = 0;
  p.zero_y = p.is_wide() ? 0 : static_cast<std::int32_t>(roll.one_in(4) ? 128 : roll(-128, 128));
  const std::int64_t most = (1 << (bits - 1)) - 1;
  const std::int64_t least = roll.one_in(2) ? -most - 1 : roll(-most - 1, most);
  p.range = {static_cast<std::int32_t>(least), static_cast<std::int32_t>(roll.one_in(2) ? most : roll(least, most))};
  p.bias.clear();
  const std::int64_t far = p.numbers == kind::s16 && roll.one_in(3) ? std::int64_t{1} << 40 : 1 << 20;
  if (!roll.one_in(4))
    for (oracle::size o = 0; o < l.out_c; ++o) p.bias.push_back(roll(-far, far));
  p.multipliers.clear();
  p.shifts.clear();
  const bool is_far = roll.one_in(6);
  const int high = p.numbers == kind::s16 ? 7 : 29;
  for (oracle::size o = 0; o < l.out_c; ++o) {
    p.multipliers.push_back(static_cast<std::int32_t>(roll.one_in(20) ? 0 : roll(std::int64_t{1} << 30, 0x7FFFFFFF)));
    p.shifts.push_back(static_cast<std::int32_t>(is_far ? roll(-31, high) : roll(-14, p.is_wide() ? -2 : -5)));
  }
}

using rule = std::int64_t (*)(std::int32_t, std::int32_t, int);
struct build {
  arm_nn_core core;
  arm_nn_rounding rounding;
  rule rescale;
};
inline const build builds[] = {
    {arm_nn_core::scalar, arm_nn_rounding::twice,
     [](auto v, auto m, auto s) -> std::int64_t { return oracle::cmsis_double(v, m, s); }},
    {arm_nn_core::dsp, arm_nn_rounding::twice,
     [](auto v, auto m, auto s) -> std::int64_t { return oracle::cmsis_double(v, m, s); }},
    {arm_nn_core::helium, arm_nn_rounding::twice,
     [](auto v, auto m, auto s) -> std::int64_t { return oracle::cmsis_mve_double(v, m, s); }},
    {arm_nn_core::scalar, arm_nn_rounding::once,
     [](auto v, auto m, auto s) -> std::int64_t { return oracle::cmsis_single(v, m, s); }},
    {arm_nn_core::dsp, arm_nn_rounding::once,
     [](auto v, auto m, auto s) -> std::int64_t { return oracle::cmsis_single(v, m, s); }},
    {arm_nn_core::helium, arm_nn_rounding::once,
     [](auto v, auto m, auto s) -> std::int64_t { return oracle::cmsis_mve_single(v, m, s); }},
};

/// Returns the outputs of a build of CMSIS-NN. `step` is 0 if all channels share one multiplier.
inline std::vector<std::int16_t> expected(const problem& p, const build& b, size step = 1) {
  const auto& l = p.l;
  const auto acc = oracle::accumulators(
      p.operation, l, [&](auto n, auto y, auto x, auto i) { return p.x[static_cast<size>(((n * l.h + y) * l.w + x) * l.c + i)]; },
      [&](auto o, auto ky, auto kx, auto i) { return p.w[weight_at(p, o, ky, kx, i)]; },
      [&](auto o) { return p.bias.empty() ? std::int64_t{0} : p.bias[static_cast<size>(o)]; });
  std::vector<std::int16_t> y;
  for (size i = 0; i < acc.size(); ++i) {
    const size o = i % static_cast<size>(l.out_c) * step;
    const std::int32_t m = p.multipliers[o];
    std::int64_t v = 0;
    if (p.numbers == kind::s16)
      v = oracle::cmsis_requantize_s64(acc[i], oracle::reduce_multiplier_q31_to_q15(m), p.shifts[o]);
    else
      v = b.rescale(static_cast<std::int32_t>(oracle::wrapped(acc[i], 32)), m, p.shifts[o]);
    v += p.zero_y;
    v = v < p.range.min ? p.range.min : v > p.range.max ? p.range.max : v;
    y.push_back(static_cast<std::int16_t>(v));
  }
  return y;
}

}  // namespace face_test
