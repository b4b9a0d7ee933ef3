// Layers whose int8 weights are packed in blocks against scalar code, on the backends that have blocks.
#if defined(__x86_64__) || defined(__i386__)

#include "each_backend.hpp"
#include "windows_parity.hpp"

namespace {

using namespace dyadic;
using parity::conditions;
using parity::numbers;
using parity::shape;
using parity::square;
using parity::values;

struct backends_with_blocks {
  template <class Use>
  static void each(const Use& use) {
    parity::each_backend([&](auto backend) {
      if constexpr (packed_layout_of<decltype(backend), std::int8_t, std::int8_t>.has_blocks) use(backend);
    });
  }
};
/// True if this machine has such a backend that is tested.
bool has_blocks() {
  bool has = false;
  backends_with_blocks::each([&](auto) { has = true; });
  return has;
}

/// Returns the conditions of a case: small weights, both ends of memory, gaps, zero points and all kinds of activations.
conditions conditions_of(int way) {
  conditions c;
  c.w = values::small;
  c.at_end = way % 2 == 0;
  c.gap = way % 3 == 0 ? 1 + way % 5 : 0;
  if (way % 4 == 1) c.zero = {way % 8 == 1 ? -128 : 5, way % 3 == 0 ? -128 : way % 3 == 1 ? 127 : -1};
  constexpr values kinds[] = {values::random, values::random, values::least, values::greatest, values::corners};
  c.x = kinds[way % 5];
  return c;
}

/// Calls use for each depth from 60 to 96 and some to 2048, each number of rows to 13, and 15 to 49 channels.
void each_shape(const std::function<void(shape)>& use) {
  for (index_t k = 60; k <= 96; ++k) {
    use({1 + k % 13, 17 + 7 * k % 33, k});
    use({1 + k % 2 * 5, 17 + 11 * k % 33, k});
  }
  for (const index_t k : {112, 127, 128, 130,  144,  160,  176,  255,  256,  271,  288,  384,  500, 511,
                          512, 513, 576, 1000, 1024, 1152, 1535, 1536, 2000, 2032, 2033, 2047, 2048})
    for (const index_t r : {1, 2, 7}) use({r, 17 + (k + r) % 29, k});
  for (index_t r = 1; r <= 13; ++r)
    for (const index_t o : {16, 17, 24, 25, 33, 49})
      for (const index_t k : {64, 144}) use({r, o, k});
  for (index_t o = 15; o <= 49; ++o)
    for (const index_t r : {1, 3, 6}) use({r, o, 64});
}

template <class Y, class MakeOutput>
void every_shape(int bias_bits, const MakeOutput& output) {
  parity::linear_runs<backends_with_blocks, std::int8_t, std::int8_t, Y, parity::weights_are::packed_alone> runs{{13, 49, 2048}};
  int way = 0;
  each_shape([&](shape s) {
    conditions c = conditions_of(++way);
    c.bias_bits = bias_bits;
    runs.compare(s, c, output(s));
  });
  runs.t.check();
  if (has_blocks()) CHECK(runs.t.in_blocks > 0);
}

/// Returns weights of a pair that alternate along the depth.
std::vector<std::int32_t> pair_of(std::int32_t a, std::int32_t b) { return {a, b}; }

/// Weights at a bound of a lane, one below it and one above it.
const std::vector<std::vector<std::int32_t>>& patterns_at_bounds() {
  static const auto all = [] {
    std::vector<std::vector<std::int32_t>> some = {
        pair_of(127, 1),  pair_of(127, 2),   pair_of(127, 0),   pair_of(126, 1),    pair_of(64, 64),  pair_of(64, 65),
        pair_of(63, 64),  pair_of(-64, -64), pair_of(-64, -65), pair_of(-63, -64),  pair_of(-128, 0), pair_of(-128, -1),
        pair_of(-127, 0), pair_of(-127, -1), pair_of(-127, -2), pair_of(-128, 127), pair_of(65, 63),  pair_of(-65, -63)};
    for (const std::int32_t extreme : {127, 126, 65, -65, -127, -128}) {  // one of two blocks has halves
      std::vector<std::int32_t> halved(32, extreme);
      std::fill(halved.begin() + 16, halved.end(), extreme > 0 ? 64 : -64);
      some.push_back(halved);
    }
    return some;
  }();
  return all;
}

/// Tries images with lines of whole blocks: windows of 1x1, 1x3, 3x1, 3x3 and 5x5, strides, padding, gaps and several images.
const std::vector<parity::images_shape>& images() {
  static const std::vector<parity::images_shape> all = {
      {1, 5, 7, 16, 32, 1, square(3, 1, 1, 1, 1)},
      {2, 6, 5, 16, 19, 1, square(3, 2, 1, 1, 1)},
      {1, 9, 20, 16, 17, 1, square(3, 1, 1, 0, 0), {1, 2, 3}},
      {3, 3, 2, 32, 33, 1, square(3, 1, 1, 1, 1)},  // images smaller than a tile
      {1, 1, 1, 16, 24, 1, square(3, 1, 1, 1, 1)},  // a single window
      {2, 4, 4, 48, 25, 1, square(3, 2, 1, 0, 1), 2},
      {1, 2, 40, 32, 32, 1, square(3, 1, 1, 1, 1)},  // a long line
      {1, 2, 40, 16, 24, 1, square(3, 2, 1, 1, 1)},
      {1, 4, 9, 80, 21, 1, square(1, 1, 1, 0, 0)},
      {2, 5, 5, 64, 40, 1, square(1, 2, 1, 0, 0)},
      {2, 5, 5, 96, 18, 1, square(1, 1, 1, 1, 1)},
      {2, 3, 11, 64, 32, 1, square(1, 1, 1, 0, 0), {3, 0, 0}},
      {1, 3, 4, 61, 32, 1, square(1, 1, 1, 0, 0)},  // a padded block
      {1, 1, 17, 16, 32, 1, {{1, 1, 1, 0, 0}, {3, 1, 1, 1, 1}}},
      {2, 2, 17, 48, 29, 1, {{1, 1, 1, 0, 0}, {3, 2, 1, 2, 0}}},
      {1, 17, 2, 16, 32, 1, {{3, 1, 1, 1, 1}, {1, 1, 1, 0, 0}}},
      {1, 17, 2, 32, 28, 1, {{3, 2, 1, 1, 1}, {1, 2, 1, 0, 0}}},
      {1, 7, 6, 16, 32, 1, {{3, 1, 2, 2, 2}, {3, 1, 1, 1, 1}}},  // a dilation from line to line
      {1, 7, 7, 16, 26, 1, square(5, 1, 1, 2, 2)},
      {1, 6, 13, 32, 32, 1, square(3, 4, 1, 1, 0)},  // a stride beyond the window
      {1, 3, 4, 16, 32, 1, square(3, 1, 1, 3, 3)},   // windows with nothing but padding
      {1, 4, 13, 128, 32, 1, square(3, 1, 1, 1, 1)},
      {1, 7, 7, 512, 20, 1, square(3, 1, 1, 1, 1)},  // deeper than the copies of a tile
      {1, 3, 3, 224, 32, 1, square(3, 1, 1, 1, 1)},  // 2016 weights of a channel
      {1, 8, 8, 16, 24, 1, square(3, 1, 1, 1, 1)},   // panels of 8 channels for several pixels
      {1, 5, 6, 64, 32, 2, square(3, 1, 1, 1, 1)},   // groups
      {2, 5, 6, 64, 48, 2, square(1, 1, 1, 0, 0)},   // the second group begins within a panel
      {1, 5, 6, 64, 48, 2, square(3, 1, 1, 1, 1)},
      {1, 5, 6, 48, 24, 3, square(3, 1, 1, 1, 1)},
      {1, 5, 6, 128, 20, 4, square(1, 2, 1, 0, 0)},
  };
  return all;
}

template <class Y, class MakeOutput>
void every_image(int bias_bits, const MakeOutput& output) {
  parity::window_runs<backends_with_blocks, parity::kind::conv2d, std::int8_t, std::int8_t, Y> runs{160'000};
  int way = 0;
  for (int round = 0; round < 4; ++round)
    for (const auto& s : images()) {
      conditions c = conditions_of(++way);
      c.bias_bits = bias_bits;
      if (round == 3) c.w = values::random;  // panels that have room for blocks, but not in blocks
      runs.compare(s, c, output(s));
    }
  runs.t.check();
  if (has_blocks()) CHECK(runs.t.in_blocks > 0);
}

using tensor_of_int8 = per_tensor_output<std::int8_t, tflite::double_rounding>;
using tensor_of_int16 = per_tensor_output<std::int16_t, tosa::scale32>;

}  // namespace

TEST_CASE("blocks: linear layers of int8, int16, int32 and wide outputs equal scalar", "[parity]") {
  every_shape<std::int8_t>(16, [](shape s) {
    return tensor_of_int8{{1 << 30, s.depth > 300 ? 41 : 39}, range_of<std::int8_t>(3)};
  });
  numbers<tosa::scale32::multiplier_type> m(49);
  for (std::size_t i = 0; i < m.size(); ++i)
    m[i] = {static_cast<std::int32_t>((1 << 30) + 7'654'321 * i), 32 + static_cast<int>(i % 5)};
  every_shape<std::int16_t>(16, [&](shape s) {
    return per_channel_output<std::int16_t, tosa::scale32>{{m.data(), s.channels}, range_of<std::int16_t>(-7)};
  });
  every_shape<std::int32_t>(30, [](shape) { return raw_output<std::int32_t>{}; });
  every_shape<std::int64_t>(47, [](shape) { return raw_output<std::int64_t>{}; });
}

TEST_CASE("blocks: weights at the bounds of a lane with extreme activations equal scalar", "[parity]") {
  parity::linear_runs<backends_with_blocks, std::int8_t, std::int8_t, std::int32_t, parity::weights_are::packed_alone> runs{
      {13, 33, 256}};
  for (const auto& pattern : patterns_at_bounds())
    for (const values x : {values::least, values::greatest, values::corners})
      for (const index_t rows : {1, 2, 3, 4, 6, 13})
        for (const index_t channels : {5, 16, 33})
          for (const index_t depth : {32, 256}) {
            conditions c;
            c.x = x;
            c.w_pattern = pattern;
            if (rows == 2) c.zero.w = -3;
            runs.compare({rows, channels, depth}, c, raw_output<std::int32_t>{});
          }
  runs.t.check();
  if (has_blocks()) CHECK(runs.t.in_blocks > 0);
}

TEST_CASE("blocks: convolutions whose lines are whole blocks equal scalar", "[parity]") {
  every_image<std::int8_t>(16, [](const parity::images_shape& s) {
    return tensor_of_int8{{1 << 30, s.c * s.window.x.kernel > 100 ? 41 : 40}, range_of<std::int8_t>(3)};
  });
  every_image<std::int16_t>(16, [](const parity::images_shape&) {
    return tensor_of_int16{{(1 << 30) + 12345, 35}, range_of<std::int16_t>(-5)};
  });
  every_image<std::int32_t>(30, [](const parity::images_shape&) { return raw_output<std::int32_t>{}; });
  every_image<std::int64_t>(47, [](const parity::images_shape&) { return raw_output<std::int64_t>{}; });
}

TEST_CASE("blocks: ranges of rows and channels in a workspace of the caller equal scalar", "[parity]") {
  constexpr index_t n = 2, h = 5, w = 7, c = 32, channels = 40;
  support::random_bits random;
  INFO("seed " << support::seed);
  std::vector<std::int8_t> x(n * h * w * c), weights(channels * 9 * c);
  for (auto& one : x) one = static_cast<std::int8_t>(random.between(-128, 127));
  for (auto& one : weights) one = static_cast<std::int8_t>(parity::element<std::int8_t>(values::small, random));
  const matrix_view<const std::int8_t> matrix(weights.data(), channels, 9 * c);
  const window2d window = square(3, 1, 1, 1, 1);
  std::int64_t constants[channels];
  std::vector<std::int64_t> bias(channels);
  for (auto& one : bias) one = random.integer(45);
  const auto folded = fold_conv2d<std::int8_t>(matrix, bias, window, {9, 0}, constants);
  REQUIRE(folded.status == status::ok);
  const nhwc_view<const std::int8_t> image(x.data(), n, h, w, c);
  constexpr std::size_t outputs = n * h * w * channels;
  std::vector<std::int64_t> expected(outputs);
  run<backend::scalar>(conv2d_layer{matrix, folded.value, window, 1, raw_output<std::int64_t>{}}, image,
                       nhwc_view(expected.data(), n, h, w, channels));
  backends_with_blocks::each([&](auto backend) {
    using tested = decltype(backend);
    INFO(tested::name);
    std::vector<std::int8_t> storage(
        static_cast<std::size_t>(packed_conv2d_size<tested, std::int8_t, std::int8_t>(channels, 9 * c, window, 1)));
    const auto packed = pack_conv2d<tested, std::int8_t>(matrix, window, 1, storage);
    REQUIRE(packed.status == status::ok);
    CHECK(packed.value.in_blocks());
    const conv2d_layer layer{packed.value, folded.value, window, 1, raw_output<std::int64_t>{}};
    const index_t step = channel_step(layer);
    parity::guarded<std::byte> memory{static_cast<std::size_t>(workspace_size<tested>)};
    for (const bool at_end : {false, true})
      for (const bool has_workspace : {false, true})
        for (const row_range rows : {row_range{0, n * h}, {3, 4}, {2, 8}})
          for (const channel_range some : {channel_range{0, channels}, {0, step}, {step, channels}, {step, 2 * step}, {16, 33}}) {
            if (some.begin % step != 0) continue;
            std::vector<std::int64_t> y(outputs, 77);
            std::byte* const bytes = memory.at(at_end, static_cast<std::size_t>(workspace_size<tested>));
            run_options options{rows, some};
            if (has_workspace) options.workspace = {bytes, workspace_size<tested>};
            run(layer, image, nhwc_view(y.data(), n, h, w, channels), options);
            std::size_t different = 0;
            for (std::size_t i = 0; i < outputs; ++i) {
              const auto row = static_cast<index_t>(i / (w * channels));
              const auto channel = static_cast<index_t>(i % channels);
              const bool is_in = row >= rows.begin && row < rows.end && channel >= some.begin && channel < some.end;
              different += y[i] != (is_in ? expected[i] : 77);
            }
            CHECK(different == 0);
          }
  });
}

TEST_CASE("blocks: weights packed for lines of another window are refused, or equal scalar", "[parity]") {
  constexpr index_t c = 16, channels = 24, depth = 9 * c;
  support::random_bits random;
  std::vector<std::int8_t> x(20 * 20 * c), weights(channels * depth);
  for (auto& one : x) one = static_cast<std::int8_t>(random.between(-128, 127));
  for (auto& one : weights) one = static_cast<std::int8_t>(random.between(-60, 60));
  const matrix_view<const std::int8_t> matrix(weights.data(), channels, depth);
  const auto window = [](index_t high, index_t wide) { return window2d{{high, 1, 1, 0, 0}, {wide, 1, 1, 0, 0}}; };
  const window2d windows[] = {window(3, 3), window(9, 1), window(1, 9), window(1, 1)};
  for (const window2d& of_layer : windows) {
    const index_t inputs = depth / (of_layer.y.kernel * of_layer.x.kernel);
    const index_t size = inputs == c ? 12 : 4;
    const nhwc_view<const std::int8_t> image(x.data(), 1, size, size, inputs);
    const index_t h = size - of_layer.y.kernel + 1;
    const index_t w = size - of_layer.x.kernel + 1;
    std::int32_t constants[channels];
    const auto folded = fold_conv2d<std::int8_t>(matrix, no_bias{}, of_layer, {}, constants);
    REQUIRE(folded.status == status::ok);
    std::vector<std::int32_t> expected(static_cast<std::size_t>(h * w * channels));
    run<backend::scalar>(conv2d_layer{matrix, folded.value, of_layer, 1, raw_output<std::int32_t>{}}, image,
                         nhwc_view(expected.data(), 1, h, w, channels));
    for (const window2d& packed_for : windows)
      backends_with_blocks::each([&](auto backend) {
        using tested = decltype(backend);
        INFO(tested::name << ": " << packed_for.y.kernel << " lines, for a layer of " << of_layer.y.kernel << " lines of "
                          << of_layer.x.kernel);
        std::vector<std::int8_t> storage(
            static_cast<std::size_t>(packed_conv2d_size<tested, std::int8_t, std::int8_t>(channels, depth, packed_for, 1)));
        const auto packed = pack_conv2d<tested, std::int8_t>(matrix, packed_for, 1, storage);
        REQUIRE(packed.status == status::ok);
        CHECK(packed.value.in_blocks());
        const conv2d_layer layer{packed.value, folded.value, of_layer, 1, raw_output<std::int32_t>{}};
        std::vector<std::int32_t> y(expected.size(), 77);
        const nhwc_view to(y.data(), 1, h, w, channels);
        const status checked = check(layer, image, to);
        if (packed_for.y.kernel == of_layer.y.kernel) CHECK(checked == status::ok);
        if (!may_run(checked)) return;
        run(layer, image, to);
        const bool are_equal = y == expected;
        CHECK(are_equal);
      });
  }
}
#endif
