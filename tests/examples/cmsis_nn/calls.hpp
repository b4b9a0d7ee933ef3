// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Calls functions of CMSIS-NN's interface with a layer, and compares the outputs with the expected outputs.

#include <cstdio>

#include "face.hpp"
#include "problem.hpp"

namespace face_test {

inline int failures = 0;

inline void expect(bool holds, const char* what, const char* of) {
  if (holds) return;
  if (++failures <= 20) std::printf("%s: %s\n", of, what);
}

/// Returns the numbers in the type that a function takes.
template <class T>
std::vector<T> as(const std::vector<std::int16_t>& numbers) {
  return std::vector<T>(numbers.begin(), numbers.end());
}
inline std::vector<std::int8_t> weights_of(const problem& p) {
  if (p.numbers != kind::s4) return as<std::int8_t>(p.w);
  std::vector<std::int8_t> bytes((p.w.size() + 1) / 2);
  for (size i = 0; i < p.w.size(); ++i) bytes[i / 2] = static_cast<std::int8_t>(bytes[i / 2] | (p.w[i] & 15) << (i % 2 * 4));
  return bytes;
}

inline cmsis_nn_dims dims(oracle::size n, oracle::size h, oracle::size w, oracle::size c) {
  return {static_cast<std::int32_t>(n), static_cast<std::int32_t>(h), static_cast<std::int32_t>(w), static_cast<std::int32_t>(c)};
}
inline cmsis_nn_tile tile(oracle::size w, oracle::size h) { return {static_cast<std::int32_t>(w), static_cast<std::int32_t>(h)}; }

/// All arguments of a call.
template <class X, class Bias>
struct call {
  std::vector<X> x;
  std::vector<std::int8_t> w;
  std::vector<Bias> bias;
  std::vector<X> y;
  std::vector<std::int32_t> m;
  std::vector<std::int32_t> s;
  std::vector<std::int32_t> sums;
  cmsis_nn_dims in;
  cmsis_nn_dims filter;
  cmsis_nn_dims bias_dims;
  cmsis_nn_dims out;
  cmsis_nn_per_channel_quant_params quant;
  cmsis_nn_context none{nullptr, 0};

  explicit call(const problem& p)
      : x{as<X>(p.x)},
        w{weights_of(p)},
        bias(p.bias.begin(), p.bias.end()),
        y(static_cast<size>(p.l.outputs())),
        m{p.multipliers},
        s{p.shifts},
        in{dims(p.l.n, p.l.h, p.l.w, p.l.c)},
        filter{dims(p.operation == op::depthwise ? 1 : p.l.out_c, p.l.y.kernel, p.l.x.kernel,
                    p.operation == op::conv2d && p.numbers == kind::s8 ? p.l.c / p.l.groups : -7)},  // not read elsewhere
        bias_dims{dims(1, 1, 1, p.l.out_c)},
        out{dims(p.l.n, p.l.out_h, p.l.out_w, p.l.out_c)},
        quant{m.data(), s.data()} {}
  call(const call&) = delete;

  const Bias* bias_data() const { return bias.empty() ? nullptr : bias.data(); }
};

template <class Params>
Params params_of(const problem& p) {
  Params c{};
  c.input_offset = static_cast<std::int32_t>(-p.l.zero_x);
  c.output_offset = p.zero_y;
  c.activation = p.range;
  return c;
}
template <class Params>
Params windows_of(const problem& p) {
  auto c = params_of<Params>(p);
  c.stride = tile(p.l.x.stride, p.l.y.stride);
  c.padding = tile(p.l.x.before, p.l.y.before);
  c.dilation = tile(p.l.x.dilation, p.l.y.dilation);
  return c;
}

inline void compare(const char* name, const problem& p, arm_cmsis_nn_status status, const std::vector<std::int16_t>& got,
                    const build& b, size step = 1) {
  expect(status == ARM_CMSIS_NN_SUCCESS, "refused", name);
  if (status == ARM_CMSIS_NN_SUCCESS) expect(got == expected(p, b, step), "other bits", name);
}

template <class X, class Bias, class Params, class Function>
void check_windows(const char* name, Function* function, const problem& p, const build& b) {
  call<X, Bias> c(p);
  auto params = windows_of<Params>(p);
  if constexpr (std::is_same_v<Params, cmsis_nn_dw_conv_params>) params.ch_mult = static_cast<std::int32_t>(p.l.out_c / p.l.c);
  arm_cmsis_nn_status status{};
  if constexpr (std::is_same_v<Function, arm_nn_convolve_s16>) {
    const cmsis_nn_bias_data bias{c.bias_data(), sizeof(Bias) == 4};
    status =
        function(&c.none, &params, &c.quant, &c.in, c.x.data(), &c.filter, c.w.data(), &c.bias_dims, &bias, &c.out, c.y.data());
  } else if constexpr (std::is_same_v<Function, arm_nn_transpose_conv_s8>) {
    params.dilation = {1, 1};
    status = function(&c.none, &c.none, &params, &c.quant, &c.in, c.x.data(), &c.filter, c.w.data(), &c.bias_dims, c.bias_data(),
                      &c.out, c.y.data());
  } else if constexpr (std::is_same_v<Function, decltype(arm_convolve_s8)>) {
    status = function(&c.none, &params, &c.quant, &c.in, c.x.data(), &c.filter, c.w.data(), &c.bias_dims, c.bias_data(), nullptr,
                      &c.out, c.y.data());
  } else {
    status = function(&c.none, &params, &c.quant, &c.in, c.x.data(), &c.filter, c.w.data(), &c.bias_dims, c.bias_data(), &c.out,
                      c.y.data());
  }
  compare(name, p, status, {c.y.begin(), c.y.end()}, b);
}

template <class X, class Bias, class Quantization>
void check_linear(const char* name, arm_nn_fully_connected<Quantization, X, Bias>* function, const problem& p, const build& b) {
  call<X, Bias> c(p);
  const auto params = params_of<cmsis_nn_fc_params>(p);
  c.in = dims(p.l.h, 1, 1, p.l.c);
  c.filter = dims(p.l.c, 1, 1, p.l.out_c);
  c.out = dims(p.l.h, 1, 1, p.l.out_c);
  cmsis_nn_context sums = c.none;
  const bool takes_sums = b.core == arm_nn_core::helium && sizeof(X) == 1 && p.numbers == kind::s8;
  expect(arm_fully_connected_s8_get_buffer_size(&c.filter) == (b.core == arm_nn_core::helium ? 4 * c.filter.c : 0), "size", name);
  std::vector<std::int32_t> buffer(static_cast<size>(p.l.out_c));
  if constexpr (sizeof(Bias) == 4)
    if (takes_sums) {
      const auto made = arm_vector_sum_s8(buffer.data(), c.filter.n, c.filter.c, c.w.data(), params.input_offset,
                                          params.filter_offset, c.bias_data());
      expect(made == ARM_CMSIS_NN_SUCCESS, "no sums", name);
      sums = {buffer.data(), 4 * c.filter.c};
    }
  const auto run = [&](const auto& quant, size step) {
    const auto status = function(&sums, &params, &quant, &c.in, c.x.data(), &c.filter, c.w.data(), &c.bias_dims, c.bias_data(),
                                 &c.out, c.y.data());
    compare(name, p, status, {c.y.begin(), c.y.end()}, b, step);
  };
  if constexpr (std::is_same_v<Quantization, cmsis_nn_per_tensor_quant_params>)
    run(Quantization{c.m[0], c.s[0]}, 0);
  else if constexpr (std::is_same_v<Quantization, cmsis_nn_quant_params>)
    for (const int is_per_channel : {0, 1})
      run(Quantization{c.m.data(), c.s.data(), is_per_channel}, is_per_channel == 0 ? 0 : 1);
  else
    run(c.quant, 1);
}

}  // namespace face_test
