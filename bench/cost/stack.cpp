// SPDX-License-Identifier: Apache-2.0
// The bytes of stack of a call of each operator: with copies on the stack, and with copies in a workspace of the caller.

#include <dyadic/cpu.hpp>
#include <dyadic/dyadic.hpp>

#include <cstdio>
#include <vector>

#include "../../tests/support/stack.hpp"

namespace q = dyadic;
using int8s = std::vector<std::int8_t>;

namespace {

std::vector<std::byte> memory(1 << 18);
constexpr q::index_t rows = 30, channels = 150, depth = 144, taps = 9;

/// Prints the bytes of stack of run(options) for all rows, without and with a workspace.
template <class Backend, class Run>
void print(q::index_t all_rows, const Run& run) {
  q::run_options options{0, all_rows};
  const auto own = support::stack_of([&] { run(options); });
  options.workspace = {memory.data(), q::workspace_size<Backend>};
  const auto lent = support::stack_of([&] { run(options); });
  std::printf(" %7zu %6zu", own, lent);
}

template <class Backend, class X, class Accumulator>
void print_row(const char* format) {
  using scheme = std::conditional_t<sizeof(Accumulator) == 8, q::tosa::scale16, q::tosa::scale32>;
  using output = q::per_channel_output<X, scheme>;
  std::vector<X> x(rows * rows * depth);
  std::vector<X> y(rows * rows * channels);
  int8s w(channels * depth * taps);
  for (std::size_t i = 0; i < w.size(); ++i) w[i] = static_cast<std::int8_t>(i * 37 % 251 - 125);
  std::vector<Accumulator> constants(channels);
  // The widest multipliers select the requantize variant that takes most stack.
  const std::vector<typename scheme::multiplier_type> multipliers(channels, scheme::derive(4.0).value);
  const output out{multipliers, q::range_of<X>(0)};
  std::printf("%-13s %-5s", Backend::name, format);

  const q::matrix_view wide(w.data(), channels, depth * taps);
  const q::matrix_view in(x.data(), rows, depth * taps);
  const q::matrix_view to(y.data(), rows, channels);
  int8s storage(q::packed_size<Backend, X, std::int8_t>(channels, depth * taps));
  const auto packed = q::pack<Backend, X>(wide, storage).value;
  const auto folded = q::fold<X>(wide, q::no_bias{}, {}, constants).value;
  const auto linear = q::linear_layer{wide, folded, out};
  const auto packed_linear = q::linear_layer{packed, folded, out};
  print<Backend>(rows, [&](const q::run_options& all) { q::run<Backend>(linear, in, to, all); });
  print<Backend>(rows, [&](const q::run_options& all) { q::run(packed_linear, in, to, all); });

  const q::window2d window{{3, 1, 1, 1, 1}, {3, 1, 1, 1, 1}};
  const q::nhwc_view image(x.data(), 1, rows, rows, depth);
  const q::nhwc_view image_to(y.data(), 1, rows, rows, channels);
  const auto conv_folded = q::fold_conv2d<X>(wide, q::no_bias{}, window, {}, constants).value;
  const auto conv = q::conv2d_layer{wide, conv_folded, window, 1, out};
  const auto packed_conv = q::conv2d_layer{packed, conv_folded, window, 1, out};
  print<Backend>(rows, [&](const q::run_options& all) { q::run<Backend>(conv, image, image_to, all); });
  print<Backend>(rows, [&](const q::run_options& all) { q::run(packed_conv, image, image_to, all); });

  const q::matrix_view tap_rows(w.data(), taps, depth);
  const q::nhwc_view depthwise_to(y.data(), 1, rows, rows, depth);
  const auto some = q::view(constants.data(), depth);
  const output some_out{{multipliers.data(), depth}, q::range_of<X>(0)};
  const auto depthwise_folded = q::fold_depthwise<X>(tap_rows, q::no_bias{}, window, {}, some).value;
  const auto depthwise = q::depthwise_layer{tap_rows, depthwise_folded, window, some_out};
  print<Backend>(rows, [&](const q::run_options& all) { q::run<Backend>(depthwise, image, depthwise_to, all); });
  std::printf(" %9td\n", q::workspace_size<Backend>);
}

}  // namespace

int main() {
  std::printf("%-19s %14s %14s %14s %14s %14s %9s\n", "bytes: own, lent", "linear", "packed", "conv2d", "packed", "depthwise",
              "workspace");
  q::for_each_backend([](auto backend, bool runs_here) {
    using chosen = decltype(backend);
    if (!runs_here) return;
    print_row<chosen, std::int8_t, std::int32_t>("a8w8");
    print_row<chosen, std::int16_t, std::int64_t>("a16w8");
  });
}
