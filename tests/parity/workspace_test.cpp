// SPDX-License-Identifier: Apache-2.0
// A workspace of the caller in place of the stack: the same outputs, and little stack.
#include <dyadic/any_layer.hpp>
#include <dyadic/dyadic.hpp>

#include <algorithm>
#include <vector>

#include "../support/stack.hpp"
#include "each_backend.hpp"

namespace q = dyadic;

namespace {

constexpr q::index_t rows = 14, channels = 70, depth = 40, taps = 9;
constexpr std::size_t around = 8;  // bytes before and after a workspace, at no alignment

template <class T>
std::vector<T> numbers(q::index_t count) {
  std::vector<T> all(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<T>(i * 37 % 251 - 125);
  return all;
}

/// Calls run(options, y) with a workspace and without. Checks that the outputs are equal, and that no byte around the workspace
/// is written. Returns how many bytes of the workspace are written.
template <class Backend, class Run>
std::ptrdiff_t test(q::index_t all_rows, const Run& run) {
  const auto bytes = static_cast<std::size_t>(q::workspace_size<Backend>);
  std::vector<std::byte> memory(bytes + 2 * around, std::byte{77});
  std::vector<std::int16_t> own(rows * rows * channels);
  auto lent = own;
  run(q::run_options{0, all_rows}, own.data());
  q::run_options options{0, all_rows};
  options.workspace = {memory.data() + around - 1, q::workspace_size<Backend>};
  [[maybe_unused]] const std::size_t stack = support::stack_of([&] { run(options, lent.data()); });
#if defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__)
  CHECK(stack <= 16 * 1024);
#endif
  CHECK(own == lent);
  const auto ends = std::minmax_element(own.begin(), own.end());
  CHECK(*ends.first != *ends.second);
  const auto is_kept = [](std::byte b) { return b == std::byte{77}; };
  const auto begin = memory.begin() + (around - 1);
  CHECK(std::all_of(memory.begin(), begin, is_kept));
  const auto end = begin + q::workspace_size<Backend>;
  CHECK(std::all_of(end, memory.end(), is_kept));
  return q::workspace_size<Backend> - std::count_if(begin, end, is_kept);
}

}  // namespace

TEST_CASE("a run in a workspace of the caller has the same outputs and takes little stack") {
  using output = q::per_channel_output<std::int16_t, q::tosa::scale16>;
  const auto x = numbers<std::int16_t>(rows * rows * depth);
  const auto w = numbers<std::int8_t>(channels * depth * taps);
  std::vector<std::int64_t> constants(channels);
  // The high-half variant computes the scale 0.02, and the general variant the scale 4. The parameters of the general variant
  // take most stack.
  for (const double scale : {0.02, 4.0}) {
    const std::vector<q::multiplier16> multipliers(channels, q::tosa::scale16::derive(scale).value);
    const output out{multipliers, q::range_of<std::int16_t>(0)};
    const q::matrix_view wide(w.data(), channels, depth * taps);
    const q::matrix_view in(x.data(), rows, depth * taps);
    const auto folded = q::fold<std::int16_t>(wide, q::no_bias{}, {}, constants).value;
    const auto linear = q::linear_layer{wide, folded, out};
    const q::window2d window{{3, 1, 1, 1, 1}, {3, 1, 1, 1, 1}};
    const q::nhwc_view image(x.data(), 1, rows, rows, depth);
    std::vector<std::int64_t> conv_constants(channels);
    const auto conv_folded = q::fold_conv2d<std::int16_t>(wide, q::no_bias{}, window, {}, conv_constants).value;
    const auto conv = q::conv2d_layer{wide, conv_folded, window, 1, out};
    const q::matrix_view tap_rows(w.data(), taps, depth);
    std::vector<std::int64_t> depthwise_constants(depth);
    const output some{{multipliers.data(), depth}, q::range_of<std::int16_t>(0)};
    const auto depthwise_folded = q::fold_depthwise<std::int16_t>(tap_rows, q::no_bias{}, window, {}, depthwise_constants).value;
    const auto depthwise = q::depthwise_layer{tap_rows, depthwise_folded, window, some};
    parity::each_backend([&](auto backend) {
      using chosen = decltype(backend);
      INFO(chosen::name);
      std::vector<std::int8_t> storage(
          static_cast<std::size_t>(q::packed_size<chosen, std::int16_t, std::int8_t>(channels, depth * taps)));
      const auto packed = q::pack<chosen, std::int16_t>(wide, storage).value;
      const auto packed_linear = q::linear_layer{packed, folded, out};
      const auto packed_conv = q::conv2d_layer{packed, conv_folded, window, 1, out};
      const auto image_at = [](std::int16_t* y, q::index_t c) { return q::nhwc_view(y, 1, rows, rows, c); };
      test<chosen>(rows, [&](const q::run_options& options, auto* y) {
        q::run<chosen>(linear, in, q::matrix_view(y, rows, channels), options);
      });
      test<chosen>(rows, [&](const q::run_options& options, auto* y) {
        q::run(packed_linear, in, q::matrix_view(y, rows, channels), options);
      });
      test<chosen>(rows,
                   [&](const q::run_options& options, auto* y) { q::run<chosen>(conv, image, image_at(y, channels), options); });
      test<chosen>(rows,
                   [&](const q::run_options& options, auto* y) { q::run(packed_conv, image, image_at(y, channels), options); });
      test<chosen>(
          rows, [&](const q::run_options& options, auto* y) { q::run<chosen>(depthwise, image, image_at(y, depth), options); });
      std::vector<std::int64_t> scratch(channels);
      const q::matmul_layer<output> product{{1, 2}, out};
      const auto by_depth = q::transposed(q::batch_view(x.data(), 1, depth * taps, rows));
      test<chosen>(rows, [&](const q::run_options& options, auto* y) {
        q::run<chosen>(product, by_depth, q::batch_view(w.data(), 1, channels, depth * taps), q::batch_view(y, 1, rows, channels),
                       q::view(scratch), options);
      });
    });
  }
}

TEST_CASE("a layer whose types are known at run time writes the same part of a workspace as the layer with types") {
  using scheme = q::tosa::scale16;
  const auto x = numbers<std::int16_t>(rows * rows * depth);
  const auto w = numbers<std::int8_t>(channels * depth * taps);
  const q::window2d window{{3, 1, 1, 1, 1}, {3, 1, 1, 1, 1}};
  const double scales[] = {0.02};
  const std::vector<q::multiplier16> multipliers(channels, scheme::derive(scales[0]).value);
  const q::per_channel_output<std::int16_t, scheme> out{multipliers};
  const q::per_channel_output<std::int16_t, scheme> some{{multipliers.data(), depth}};
  q::layer_spec spec;
  spec.x = spec.y = q::element_type::int16;
  spec.w = q::element_type::int8;
  spec.weights = w.data();
  spec.multipliers = q::any_multipliers(scales);
  spec.window = window;
  const q::nhwc_view image(x.data(), 1, rows, rows, depth);
  parity::each_backend([&](auto backend) {
    using chosen = decltype(backend);
    INFO(chosen::name);
    constexpr auto kinds = q::layer_kinds_of<chosen, q::kind<q::op::conv2d, std::int16_t, std::int8_t, scheme>,
                                             q::kind<q::op::depthwise, std::int16_t, std::int8_t, scheme>>();
    static_assert(kinds.workspace_bytes() == q::workspace_size<chosen>);
    std::vector<std::int64_t> storage(channels * depth * taps / 4);
    std::vector<std::int8_t> panels(
        static_cast<std::size_t>(q::packed_size<chosen, std::int16_t, std::int8_t>(channels, depth * taps)));
    std::vector<std::int64_t> constants(channels), constants_of_taps(depth);
    const auto equals = [&](const auto& typed, q::index_t count) {
      const q::view arena(reinterpret_cast<unsigned char*>(storage.data()), static_cast<q::index_t>(8 * storage.size()));
      const auto prepared = kinds.prepare(spec, arena);
      REQUIRE(prepared.status == q::status::ok);
      const q::any_layer& layer = prepared.value;
      const auto at = [&](std::int16_t* y) { return q::nhwc_view(y, 1, rows, rows, count); };
      const auto expected =
          test<chosen>(rows, [&](const q::run_options& options, auto* y) { q::run<chosen>(typed, image, at(y), options); });
      CHECK(expected == test<chosen>(rows, [&](const q::run_options& options, auto* y) { run(layer, image, at(y), options); }));
      CHECK(expected == test<chosen>(rows, [&](const q::run_options& options, auto* y) {
              run(layer, image, at(y), q::run_options{options.rows, {0, count}, options.workspace});
            }));
      return expected;
    };
    const q::matrix_view wide(w.data(), channels, depth * taps);
    const auto conv = q::fold_conv2d<std::int16_t>(wide, q::no_bias{}, window, {}, constants).value;
    const auto packed = q::pack<chosen, std::int16_t>(wide, panels).value;
    spec.op = q::layer_op::conv2d;
    spec.channels = channels;
    spec.depth = depth;
    CHECK(equals(q::conv2d_layer{packed, conv, window, 1, out}, channels) > 0);
    const q::matrix_view tap_rows(w.data(), taps, depth);
    const auto of_taps = q::fold_depthwise<std::int16_t>(tap_rows, q::no_bias{}, window, {}, constants_of_taps).value;
    spec.op = q::layer_op::depthwise;
    spec.channels = depth;
    spec.depth = 1;
    equals(q::depthwise_layer{tap_rows, of_taps, window, some}, depth);
  });
}

#if defined(__x86_64__)
TEST_CASE("a run aligns its memory to 64 bytes, whatever the alignment of the caller's workspace") {
  namespace sse41 = q::detail::over_sse41;
  alignas(64) std::byte memory[64 + 128];
  for (int i = 0; i < 64; ++i) {
    std::byte* given = nullptr;
    sse41::run_in<64>(
        {{0, 1}, {memory + i, 128}}, [](void* to, std::byte* p) noexcept { *static_cast<std::byte**>(to) = p; }, &given);
    CHECK(given == memory + (i == 0 ? 0 : 64));
  }
}
#endif
