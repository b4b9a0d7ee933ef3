#include <dyadic/conv2d.hpp>
#include <dyadic/cpu.hpp>
#include <dyadic/dyadic.hpp>

#include <set>
#include <string>

#include "../support/catch.hpp"
#include "plan_table.hpp"

// The algorithm of each layer of some networks on each backend of x86. A changed threshold shows here and must be intended.

#if defined(__x86_64__)

namespace q = dyadic;
namespace d = dyadic::detail;

namespace {

using d::depthwise_algorithm;
using d::gemm_algorithm;
using d::input_copy;
using d::lhs_form;

constexpr const char* name_of(gemm_algorithm a) {
  switch (a) {
    case gemm_algorithm::portable: return "portable";
    case gemm_algorithm::dot_products: return "dot_products";
    case gemm_algorithm::one_row: return "one_row";
    case gemm_algorithm::tiles: return "tiles";
    case gemm_algorithm::pixel_tiles: return "pixel_tiles";
    case gemm_algorithm::group_tiles: return "group_tiles";
    case gemm_algorithm::gemv: return "gemv";
    case gemm_algorithm::packing: return "packing";
  }
  return "";
}
constexpr const char* name_of(lhs_form f) {
  switch (f) {
    case lhs_form::in_place: return "in_place";
    case lhs_form::copied_rows: return "copied_rows";
    case lhs_form::copied_windows: return "copied_windows";
    case lhs_form::lines: return "lines";
  }
  return "";
}

/// A layer. A linear layer has rows and no image.
struct layer {
  const char* name;
  q::index_t rows, h, w, c, channels;
  q::window2d window;
  q::index_t groups;
};
constexpr layer linear(const char* name, q::index_t rows, q::index_t depth, q::index_t channels) {
  return {name, rows, 0, 0, depth, channels, {}, 1};
}
constexpr q::window1d axis(q::index_t size, q::index_t kernel, q::index_t stride) {
  return q::with_same_padding(size, {kernel, stride});
}
constexpr layer conv(const char* name, q::index_t h, q::index_t w, q::index_t c, q::index_t channels, q::index_t ky,
                     q::index_t kx, q::index_t stride = 1, q::index_t groups = 1) {
  return {name, 0, h, w, c, channels, {axis(h, ky, stride), axis(w, kx, stride)}, groups};
}
constexpr layer layers[] = {
    conv("MobileNetV2 stem", 224, 224, 3, 32, 3, 3, 2),
    conv("MobileNetV2 1 project", 112, 112, 32, 16, 1, 1),
    conv("MobileNetV2 3 expand", 56, 56, 24, 144, 1, 1),
    conv("MobileNetV2 15 project", 7, 7, 960, 160, 1, 1),
    linear("MobileNetV2 classes", 1, 1280, 1000),
    conv("ResNet-18 stem", 224, 224, 3, 64, 7, 7, 2),
    conv("ResNet-18 1.1", 56, 56, 64, 64, 3, 3),
    conv("ResNet-18 2.1 shortcut", 56, 56, 64, 128, 1, 1, 2),
    conv("ResNet-18 4.2", 7, 7, 512, 512, 3, 3),
    conv("person detection stem", 96, 96, 1, 8, 3, 3, 2),
    linear("person detection classes", 1, 256, 2),
    conv("DS-CNN stem", 49, 10, 1, 64, 10, 4, 2),
    linear("DS-CNN classes", 1, 64, 12),
    linear("NSNet2 first", 1, 161, 400),
    linear("NSNet2 cell", 1, 400, 1200),
    conv("3x3 /2 of 24 channels", 28, 28, 24, 48, 3, 3, 2),
    conv("3x3 of 5 channels, 7x7", 7, 7, 5, 32, 3, 3),
    conv("3x3 in 32 groups of 4", 28, 28, 128, 128, 3, 3, 1, 32),
    conv("3x3 in 8 groups of 3", 14, 14, 24, 24, 3, 3, 1, 8),
    linear("one channel", 49, 64, 1),
    linear("three channels", 8, 256, 3),
    linear("four channels", 8, 256, 4),
    linear("few products", 1, 16, 8),
    linear("four rows", 4, 1024, 64),
};

constexpr const char* name_of(depthwise_algorithm a) {
  switch (a) {
    case depthwise_algorithm::portable: return "portable";
    case depthwise_algorithm::whole_tiles: return "whole_tiles";
    case depthwise_algorithm::repeated_tile: return "repeated_tile";
    case depthwise_algorithm::padded_tile: return "padded_tile";
    case depthwise_algorithm::joined_pixels: return "joined_pixels";
  }
  return "";
}
constexpr const char* name_of(input_copy c) {
  switch (c) {
    case input_copy::vectors: return "vectors";
    case input_copy::parts: return "parts";
    case input_copy::shuffled: return "shuffled";
    case input_copy::elements: return "elements";
  }
  return "";
}

/// A depthwise layer. It has inputs * multiplier channels.
struct depthwise_layer {
  const char* name;
  q::index_t h, w, inputs;
  q::index_t ky, kx, stride = 1, multiplier = 1;
};
constexpr depthwise_layer depthwise_layers[] = {
    {"MobileNetV2 1 depthwise", 112, 112, 32, 3, 3},
    {"MobileNetV2 2 depthwise", 112, 112, 96, 3, 3, 2},
    {"MobileNetV2 3 depthwise", 56, 56, 144, 3, 3},
    {"MobileNetV2 4 depthwise", 56, 56, 144, 3, 3, 2},
    {"MobileNetV2 5 depthwise", 28, 28, 192, 3, 3},
    {"MobileNetV2 15 depthwise", 7, 7, 960, 3, 3},
    {"DS-CNN 1 depthwise", 25, 5, 64, 3, 3},
    {"person detection 1 depthwise", 48, 48, 8, 3, 3},
    {"person detection 2 depthwise", 48, 48, 16, 3, 3, 2},
    {"person detection 3 depthwise", 24, 24, 32, 3, 3},
    {"person detection 12 depthwise", 6, 6, 128, 3, 3, 2},
    {"person detection 13 depthwise", 3, 3, 256, 3, 3},
    {"micro_speech", 49, 40, 1, 10, 8, 2, 8},
    {"40 channels", 28, 28, 40, 3, 3},
    {"3 channels", 28, 28, 3, 3, 3},
    {"a window of 17 x 17", 32, 32, 32, 17, 17},
};

/// Returns the algorithm, the form of the windows of the last channels, and how their inputs are copied.
std::string plan_of(const depthwise_layer& l, const d::depthwise_capabilities& c) {
  const q::window2d window{axis(l.h, l.ky, l.stride), axis(l.w, l.kx, l.stride)};
  const q::index_t h = q::forward_size(l.h, window.y);
  const q::index_t w = q::forward_size(l.w, window.x);
  const q::index_t channels = l.inputs * l.multiplier;
  const depthwise_algorithm a = d::plan_depthwise(c, l.ky * l.kx, channels);
  if (a == depthwise_algorithm::portable) return name_of(a);
  const bool is_down = a == depthwise_algorithm::joined_pixels;
  const bool are_squares = d::are_sliding_squares(window, is_down ? window.y : window.x);
  const bool slides = d::window_form_of(are_squares, is_down ? h : w) == d::window_form::three_by_three;
  const bool is_part = is_down || a == depthwise_algorithm::padded_tile;
  const q::index_t count = is_part ? channels % c.tile_channels : c.tile_channels;
  return std::string(name_of(a)) + (slides ? ", three_by_three, " : ", any, ") +
         name_of(d::input_copy_of(c, l.multiplier, count));
}
/// The abilities of NEON: 8 channels of int16 to a tile.
constexpr d::depthwise_capabilities of_neon{8, 256, 24 * 1024, 32, false};

/// Returns the table of depthwise plans, one line for each layer: sse41, avx2, avx512vnni, NEON.
std::string depthwise_table() {
  std::string text;
  for (const depthwise_layer& l : depthwise_layers)
    text += std::string(l.name) + " | " + plan_of(l, d::over_sse41::depthwise_abilities) + " | " +
            plan_of(l, d::over_avx2::depthwise_abilities) + " | " + plan_of(l, d::over_avx512vnni::depthwise_abilities) + " | " +
            plan_of(l, of_neon) + "\n";
  return text;
}

/// Names the plan of a layer with packed weights or others, on the backend of a region.
#define PLAN_OF(region)                                                                                  \
  template <class X, class Scheme, bool IsPacked>                                                        \
  std::string plan_on_##region(const layer& l) {                                                         \
    using output = q::per_channel_output<X, Scheme>;                                                     \
    using packed = q::packed_matrix<q::backend::region, X, std::int8_t>;                                 \
    using weights = std::conditional_t<IsPacked, packed, q::matrix_view<const std::int8_t>>;             \
    using rows = d::over_##region::gemm_problem<d::matrix_lhs<X>, weights, output>;                      \
    using windows = d::over_##region::gemm_problem<d::over_##region::im2col_lhs<X>, weights, output>;    \
    auto of_rows = d::over_##region::block_products<rows>::capabilities;                                 \
    of_rows.has_dot_products = l.rows > 0;                                                               \
    return plan_of(l, of_rows, d::over_##region::block_products<windows>::capabilities, packed::layout); \
  }

std::string plan_of(const layer& l, const d::gemm_capabilities& of_rows, const d::gemm_capabilities& of_windows,
                    const q::packed_layout& layout) {
  const auto rows_plan = [&](q::index_t rows, q::index_t depth, bool in_rows) {
    return std::string(name_of(d::plan_rows(of_rows, {rows, depth, l.channels, false, in_rows})));
  };
  if (l.rows > 0) return rows_plan(l.rows, l.c, d::order_of_linear(layout, l.channels, l.c).in_rows);
  const q::index_t h = q::forward_size(l.h, l.window.y);
  const q::index_t w = q::forward_size(l.w, l.window.x);
  const q::index_t depth = l.c / l.groups;
  const q::index_t taps = l.window.y.kernel * l.window.x.kernel;
  const q::packed_order order =
      of_windows.is_packed ? d::order_of_conv2d(layout, l.channels, taps * depth, l.window, l.groups) : q::packed_order{};
  const bool fills_taps = order.runs > 1 && order.runs == taps;
  const d::window_grid grid{{h, l.window.y.kernel, -l.window.y.pad_before, l.window.y.stride, 1, l.h, w * l.channels},
                            {w, l.window.x.kernel, -l.window.x.pad_before, l.window.x.stride, 1, l.w, l.channels},
                            h * w * l.channels,
                            0,
                            h * w};
  const d::image_windows x(grid, depth, l.channels / l.groups, order.runs > 1 && !fills_taps ? layout.kr : 1,
                           fills_taps ? layout.kr : 1);
  const bool is_matrix = taps == 1 && l.window.y.stride == 1;
  const auto plan = d::plan_windows(of_windows, x, {l.groups, order.pixels, false, is_matrix, true});
  if (is_matrix && plan.groups == 1) return rows_plan(h * w, depth, order.in_rows) + ", matrix";
  const auto read = plan.algorithm == gemm_algorithm::pixel_tiles ? x.of_pixels(order.pixels) : x.of_groups(plan.groups);
  return std::string(name_of(plan.algorithm)) + ", " + name_of(d::lhs_form_of(of_windows, read, l.c));
}

PLAN_OF(sse41)
PLAN_OF(avx2)
PLAN_OF(avx512vnni)

/// Returns the table of plans, one line for each layer and format: packed on each backend, and not packed on AVX2.
std::string table() {
  std::string text;
  const auto add = [&](const layer& l, const char* format, const std::string& sse41, const std::string& avx2,
                       const std::string& avx512, const std::string& unpacked) {
    text += std::string(l.name) + " " + format + " | " + sse41 + " | " + avx2 + " | " + avx512 + " | " + unpacked + "\n";
  };
  for (const layer& l : layers) {
    using int8 = std::int8_t;
    using rule8 = q::tflite::double_rounding;
    add(l, "a8w8", plan_on_sse41<int8, rule8, true>(l), plan_on_avx2<int8, rule8, true>(l),
        plan_on_avx512vnni<int8, rule8, true>(l), plan_on_avx2<int8, rule8, false>(l));
    using int16 = std::int16_t;
    using rule16 = q::tosa::scale16;
    add(l, "a16w8", plan_on_sse41<int16, rule16, true>(l), plan_on_avx2<int16, rule16, true>(l),
        plan_on_avx512vnni<int16, rule16, true>(l), plan_on_avx2<int16, rule16, false>(l));
  }
  return text;
}

TEST_CASE("each layer of some networks runs by the algorithm that is written down") {
  const std::string actual = table();
  INFO(actual);
  CHECK(actual == expected_plans);
}

TEST_CASE("each algorithm of x86 runs some of these layers") {
  const std::string plans = table();
  for (const auto a : {gemm_algorithm::portable, gemm_algorithm::dot_products, gemm_algorithm::one_row, gemm_algorithm::tiles,
                       gemm_algorithm::pixel_tiles, gemm_algorithm::group_tiles, gemm_algorithm::gemv, gemm_algorithm::packing}) {
    INFO(name_of(a));
    CHECK(plans.find(name_of(a)) != std::string::npos);
  }
  for (const auto f : {lhs_form::copied_rows, lhs_form::copied_windows, lhs_form::lines}) {
    INFO(name_of(f));
    CHECK(plans.find(name_of(f)) != std::string::npos);
  }
}

TEST_CASE("each depthwise layer of some networks runs by the algorithm that is written down") {
  const std::string actual = depthwise_table();
  INFO(actual);
  CHECK(actual == expected_depthwise_plans);
}

TEST_CASE("each algorithm of depthwise layers runs some of these layers") {
  const std::string plans = depthwise_table();
  for (const auto a : {depthwise_algorithm::portable, depthwise_algorithm::whole_tiles, depthwise_algorithm::repeated_tile,
                       depthwise_algorithm::padded_tile, depthwise_algorithm::joined_pixels}) {
    INFO(name_of(a));
    CHECK(plans.find(name_of(a)) != std::string::npos);
  }
  for (const auto c : {input_copy::vectors, input_copy::parts, input_copy::shuffled, input_copy::elements}) {
    INFO(name_of(c));
    CHECK(plans.find(name_of(c)) != std::string::npos);
  }
}

TEST_CASE("a tile of a depthwise layer has as many outputs as its copy has room for") {
  const d::window_axis same = d::forward_axis({3, 2, 2, 2, 2}, 14, 28);
  const d::tile_axis all(same, 31);
  CHECK(all.outputs == 14);
  CHECK(all.size == 31);
  CHECK(all.tap_distance() == 2);
  CHECK(all.output_distance() == 2);
  const d::tile_axis some(same, 30);
  CHECK(some.outputs == 13);
  CHECK(some.size == 29);
  // A window without the inputs between its taps.
  const d::tile_axis taps(same, 4);
  CHECK(taps.outputs == 1);
  CHECK(taps.size == 3);
  CHECK(taps.step == 2);
  CHECK(taps.tap_distance() == 1);
  CHECK(taps.output_distance() == 0);
}

// A plan is a constant expression, too.
constexpr d::gemm_capabilities some_capabilities() {
  d::gemm_capabilities c{};
  c.nr = 16;
  c.is_packed = c.has_dot_products = c.has_one_row = true;
  return c;
}
static_assert(d::plan_rows(some_capabilities(), {49, 64, 3, false, true}) == gemm_algorithm::dot_products);
static_assert(d::plan_rows(some_capabilities(), {1, 16, 16, false, false}) == gemm_algorithm::one_row);
static_assert(d::plan_rows(some_capabilities(), {2, 16, 16, false, false}) == gemm_algorithm::tiles);
static_assert(d::plan_rows(some_capabilities(), {1, 16, 16, true, false}) == gemm_algorithm::tiles,
              "the weights have a zero point");

}  // namespace

#endif
