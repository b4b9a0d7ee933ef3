#pragma once

#include "integer_schemes.hpp"
#include "wide_integer.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

// LSTM and SVDF of TFLM and CMSIS-NN, and the GRU of exact::gru, from their published text: sums as written, no constants folded,
// all buffers of a step apart. Multipliers are Q31, shifts count to the left.

namespace oracle::recurrent {

/// Entry i of the engines' table of 256 sigmoids, from its formula.
inline std::int32_t sigmoid_entry(int i) {
  const auto s = [](double at) { return 65536.0 / (1.0 + std::exp(-at / 24.0)); };
  const double value = s(i) + (s(i + 0.5) - (s(i) + s(i + 1)) / 2.0) / 2.0;
  return i == 255 ? 65535 : static_cast<std::int32_t>(std::lround(value));
}

/// The table's sigmoid of x / 12288, in steps of 2^-15.
inline std::int16_t table_sigmoid(std::int64_t x) {
  const std::int64_t magnitude = x < 0 ? -x : x;
  const auto index = static_cast<int>(magnitude < 255 * 512 ? magnitude / 512 : 255);
  std::int64_t y = std::int64_t{0x7FFF} * 1024;
  if (index < 255)
    y = std::int64_t{sigmoid_entry(index)} * 512 + (sigmoid_entry(index + 1) - sigmoid_entry(index)) * (magnitude % 512);
  const std::int64_t rounded = x >= 0 ? y + 512 : (std::int64_t{1} << 25) - y + 511;
  return static_cast<std::int16_t>(divide_by_power_of_two(rounded, 10).whole);
}

/// The table's tanh of x / 12288, in steps of 2^-15.
inline std::int16_t table_tanh(std::int64_t x) {
  const std::int64_t magnitude = x < 0 ? -x : x;
  const auto index = static_cast<int>(magnitude < 255 * 256 ? magnitude / 256 : 255);
  std::int64_t y = std::int64_t{0xFFFF} * 256;
  if (index < 255)
    y = std::int64_t{sigmoid_entry(index)} * 256 + (sigmoid_entry(index + 1) - sigmoid_entry(index)) * (magnitude % 256);
  const std::int64_t rounded = x >= 0 ? y - (1 << 23) + 128 : (1 << 23) - y + 127;
  return static_cast<std::int16_t>(divide_by_power_of_two(rounded, 8).whole);
}

struct q31 {
  std::int32_t multiplier;
  int shift;
};

/// Weights of a gate, row after row, as they are before a fold.
struct gate_weights {
  std::vector<int> input, hidden;
  std::vector<std::int64_t> input_bias, hidden_bias;
};

struct recurrent_sizes {
  std::size_t inputs, units;
  int x_zero, h_zero;
  bool is_int16;
};

/// sum w (x - zero) + bias of one unit.
inline std::int64_t products(const std::vector<int>& w, std::size_t unit, const std::vector<int>& x, int zero,
                             std::int64_t bias) {
  std::int64_t sum = bias;
  for (std::size_t k = 0; k < x.size(); ++k) sum += std::int64_t{w[unit * x.size() + k]} * (x[k] - zero);
  return sum;
}

enum class engine { tflm, cmsis_nn };

struct lstm {
  recurrent_sizes sizes;
  engine of;
  bool one_rounding;
  gate_weights gates[4];  // input, forget, cell, output
  q31 from_x[4], from_h[4], forget, input, output;
  int clip;  // 0: none
  int cell_scale_power;

  std::int64_t m32(std::int64_t acc, q31 m) const {
    const auto x = static_cast<std::int32_t>(acc);
    if (one_rounding) return tflite_single(x, m.multiplier, m.shift);
    return of == engine::tflm ? tflite_double(x, m.multiplier, m.shift) : cmsis_double(x, m.multiplier, m.shift);
  }
  std::int64_t gate_product(std::int64_t acc, q31 m) const {
    if (!sizes.is_int16) return m32(wrap32(acc), m);
    if (of == engine::tflm) return tflite_reduced_i64(acc, m.multiplier, m.shift);
    return cmsis_requantize_s64(acc, reduce_multiplier_q31_to_q15(m.multiplier), m.shift);
  }
  std::int64_t limited(std::int64_t term) const { return of == engine::tflm ? saturate16(term) : term; }

  /// Computes a step of a row: h and c become those of the next step.
  void step(const std::vector<int>& x, std::vector<int>& h, std::vector<int>& c) const {
    std::vector<int> gate[4];
    for (int g = 0; g < 4; ++g)
      for (std::size_t u = 0; u < sizes.units; ++u) {
        const gate_weights& w = gates[g];
        const std::int64_t acc_x = products(w.input, u, x, sizes.x_zero, w.input_bias[u]);
        const std::int64_t acc_h = products(w.hidden, u, h, sizes.h_zero, w.hidden_bias[u]);
        const std::int16_t sum = saturate16(saturate16(gate_product(acc_x, from_x[g])) + limited(gate_product(acc_h, from_h[g])));
        gate[g].push_back(g == 2 ? table_tanh(3 * std::int64_t{sum}) : table_sigmoid(3 * std::int64_t{sum}));
      }
    for (std::size_t u = 0; u < sizes.units; ++u) {
      const std::int64_t kept = saturate16(m32(std::int64_t{gate[1][u]} * c[u], forget));
      std::int64_t sum = saturate16(kept + limited(m32(std::int64_t{gate[0][u]} * gate[2][u], input)));
      if (clip > 0 && sum > clip) sum = clip;
      if (clip > 0 && sum < -clip) sum = -clip;
      c[u] = static_cast<int>(sum);
      const int k = cell_scale_power + 12;
      const std::int64_t scaled = k >= 0 ? scaled_up(3 * sum, k) : half_up(3 * sum, -k);
      const std::int64_t y = m32(std::int64_t{table_tanh(scaled)} * gate[3][u], output) + sizes.h_zero;
      h[u] = static_cast<int>(saturate(y, sizes.is_int16 ? 16 : 8));
    }
  }
};

/// (a m + b n) / 2^shift, ties up.
inline std::int64_t sum_of_two(wide a, wide m, wide b, wide n, int shift) {
  return static_cast<std::int64_t>(saturate(half_up(a * m + b * n, shift), 63));
}

struct gru {
  recurrent_sizes sizes;
  bool reset_after;
  gate_weights gates[3];  // update, reset, candidate
  std::int64_t from_x[3], from_h[3];
  int right_shift[3];
  std::int64_t output;
  int output_shift;

  std::int64_t argument(int g, std::int64_t acc_x, wide s_h) const {
    return 3 * std::int64_t{saturate16(sum_of_two(wide{acc_x} * 32768, from_x[g], s_h, from_h[g], 15 + right_shift[g]))};
  }
  void step(const std::vector<int>& x, std::vector<int>& h) const {
    std::vector<int> z, r, n;
    const auto acc_x = [&](int g, std::size_t u) { return products(gates[g].input, u, x, sizes.x_zero, gates[g].input_bias[u]); };
    const auto acc_h = [&](int g, std::size_t u) {
      return products(gates[g].hidden, u, h, sizes.h_zero, gates[g].hidden_bias[u]);
    };
    for (std::size_t u = 0; u < sizes.units; ++u) {
      z.push_back(table_sigmoid(argument(0, acc_x(0, u), wide{acc_h(0, u)} * 32768)));
      r.push_back(table_sigmoid(argument(1, acc_x(1, u), wide{acc_h(1, u)} * 32768)));
    }
    for (std::size_t u = 0; u < sizes.units; ++u) {
      wide s = wide{acc_h(2, u)} * r[u];
      if (!reset_after) {
        s = wide{gates[2].hidden_bias[u]} * 32768;
        for (std::size_t k = 0; k < sizes.units; ++k)
          s += wide{gates[2].hidden[u * sizes.units + k]} * r[k] * (h[k] - sizes.h_zero);
      }
      n.push_back(table_tanh(argument(2, acc_x(2, u), s)));
    }
    for (std::size_t u = 0; u < sizes.units; ++u) {
      const std::int64_t change = sum_of_two(wide{32768 - z[u]} * n[u], output, wide{z[u]} * (h[u] - sizes.h_zero),
                                             wide{1} << output_shift, 15 + output_shift);
      h[u] = static_cast<int>(saturate(change + sizes.h_zero, sizes.is_int16 ? 16 : 8));
    }
  }
};

struct svdf {
  engine of;
  bool one_rounding;
  std::size_t inputs, units, rank, memory;
  int x_zero, state_zero, y_zero, state_bits, state_min, state_max;
  std::vector<int> feature, time;
  std::vector<std::int64_t> bias;
  q31 to_state, to_y;

  std::int64_t m32(std::int64_t acc, q31 m) const {
    const std::int32_t x = wrap32(acc);
    if (one_rounding) return tflite_single(x, m.multiplier, m.shift);
    return of == engine::tflm ? tflite_double(x, m.multiplier, m.shift) : cmsis_double(x, m.multiplier, m.shift);
  }
  /// Computes a step of a row.
  std::vector<int> step(const std::vector<int>& x, std::vector<int>& state) const {
    for (std::size_t f = 0; f < units * rank; ++f) {
      for (std::size_t k = 0; k + 1 < memory; ++k) state[f * memory + k] = state[f * memory + k + 1];
      std::int64_t v = m32(products(feature, f, x, x_zero, 0), to_state);
      v = v < state_min ? state_min : v > state_max ? state_max : v;
      const std::int32_t stored = wrap32(v + state_zero);
      state[f * memory + memory - 1] = state_bits == 8 ? static_cast<std::int8_t>(stored) : static_cast<std::int16_t>(stored);
    }
    std::vector<int> y;
    for (std::size_t u = 0; u < units; ++u) {
      std::int64_t sum = bias[u];
      for (std::size_t k = u * rank * memory; k < (u + 1) * rank * memory; ++k)
        sum += std::int64_t{time[k]} * (state[k] - state_zero);
      y.push_back(static_cast<int>(saturate(m32(sum, to_y) + y_zero, 8)));
    }
    return y;
  }
};

}  // namespace oracle::recurrent
