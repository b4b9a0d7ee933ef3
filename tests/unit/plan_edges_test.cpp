#include <dyadic/backend/plan.hpp>

#include <algorithm>

#include "../support/catch.hpp"

// Tests each condition of a plan at its threshold and one past it. The backend and the layers are made up.

namespace {

namespace q = dyadic;
namespace d = dyadic::detail;
using d::depthwise_algorithm;
using d::gemm_algorithm;
using d::lhs_form;
using q::index_t;

constexpr index_t largest = q::limits<index_t>::max;

/// The windows of a convolution and the abilities of a backend. A test changes some of them.
struct problem {
  d::gemm_capabilities c{};
  index_t windows = 20;
  index_t v_taps = 3;
  index_t taps = 3;
  index_t stride = 1;
  index_t tap_stride = 1;
  index_t depth = 2;
  index_t outputs = 4;
  index_t lines_fill = 1;
  index_t taps_fill = 1;
  index_t pixels = 1;
  index_t pixel_stride = 2;
  index_t groups = 1;
  bool has_weight_zero = false;
  bool is_matrix = false;
  bool outputs_follow = true;

  d::image_windows x() const {
    const d::window_grid grid{{1, v_taps, 0, 1, 1, 9, 0}, {windows, taps, 0, stride, tap_stride, 9, 0}, 0, 0, windows};
    return {grid, depth, outputs, lines_fill, taps_fill};
  }
  d::windows_plan plan() const { return d::plan_windows(c, x(), {groups, pixels, has_weight_zero, is_matrix, outputs_follow}); }
};

/// Sets the room of a copy, in elements: one row of this length.
void set_copy_capacity(problem& p, index_t elements) {
  p.c.max_mr = 1;
  p.c.max_buffered_depth = elements;
}

/// Returns a small layer on a backend with panels of 16 channels and vectors of 8.
problem on_a_backend() {
  problem p;
  p.c.nr = 16;
  p.c.kr = 2;
  p.c.lanes = 8;
  p.c.max_mr = 4;
  p.c.max_buffered_depth = 1000;
  p.c.element_bytes = 1;
  p.c.lhs_group = 1;
  p.c.max_depth_at_once = 5000;
  p.c.min_rows_to_pack = 4;
  p.c.is_packed = true;
  return p;
}

// ---- Order of weights

constexpr q::window2d window(index_t y, index_t x, index_t dilation = 1) { return {{y, 1, dilation}, {x, 1, dilation}}; }
/// Returns runs * 100 + pixels.
constexpr index_t order(index_t nr, index_t kr, index_t rows, index_t cols, q::window2d w, index_t groups = 1, bool pads = true) {
  q::packed_layout layout{nr, kr};
  layout.pads_runs = pads;
  const q::packed_order o = d::order_of_conv2d(layout, rows, cols, w, groups);
  return o.runs * 100 + o.pixels;
}
constexpr index_t plain = 101;

}  // namespace

TEST_CASE("weights are padded to whole groups only on a backend that pads") {
  CHECK(order(16, 2, 16, 9, window(3, 3)) == 301);
  CHECK(order(16, 2, 16, 9, window(3, 3), 1, false) == plain);
  CHECK(order(16, 2, 8, 18, window(3, 3), 1, false) == plain);
}

TEST_CASE("weights of an impossible shape keep their plain order") {
  CHECK(order(16, 2, 16, 27, window(3, 3), 0) == plain);
  CHECK(order(16, 2, 16, 27, window(3, 3), -1) == plain);
  CHECK(order(16, 2, 8, 0, window(3, 3)) == plain);
  CHECK(order(16, 1, 8, -2, window(1, 2)) == plain);
  CHECK(order(16, 2, 16, 10, window(3, 3)) == plain);
}

TEST_CASE("lines are padded on wide panels, up to half as much again") {
  CHECK(order(8, 2, 16, 9, window(3, 3)) == plain);
  CHECK(order(9, 2, 16, 9, window(3, 3)) == 301);
  // Padding makes a line of 5 weights 8, and at most 7 are allowed: 16 / 3 * 3 / 2.
  CHECK(order(32, 4, 16, 15, window(3, 5)) == plain);
  // The 2 lines take 24 weights in both orders: each line of 11 is padded to 12, or the window of 22 is padded to 24.
  CHECK(order(32, 4, 16, 22, window(2, 11)) == 201);
}

TEST_CASE("taps of groups are padded on any panel, whatever their dilation") {
  CHECK(order(16, 2, 12, 27, window(3, 3, 2), 4) == 901);
  CHECK(order(16, 2, 12, 9, window(3, 3), 2) == 901);
  CHECK(order(8, 2, 12, 9, window(3, 3), 2) == 901);
  CHECK(order(16, 2, 16, 9, window(3, 3, 2)) == plain);
}

TEST_CASE("a panel repeats 8 channels for pixels if lines are whole groups") {
  CHECK(order(16, 2, 8, 4, window(1, 2)) == 102);
  CHECK(order(32, 2, 8, 4, window(1, 2)) == 104);
  CHECK(order(16, 2, 7, 4, window(1, 2)) == plain);
  CHECK(order(16, 2, 9, 4, window(1, 2)) == plain);
  CHECK(order(4, 2, 8, 4, window(1, 2)) == plain);
  CHECK(order(16, 2, 8, 4, window(1, 1)) == plain);
  CHECK(order(16, 2, 8, 2, window(2, 1)) == plain);  // a group would have the weights of two lines
  CHECK(order(16, 2, 8, 18, window(3, 3), 2) == plain);
}

// ---- Lines that windows share

namespace {

template <class Change>
bool shares(const Change& change) {
  problem p = on_a_backend();
  change(p);
  return d::shares_lines(p.c, p.x());
}

}  // namespace

TEST_CASE("windows share lines of whole groups and of neighbouring taps") {
  CHECK(shares([](problem&) {}));
  CHECK(!shares([](problem& p) { p.tap_stride = 2; }));
  CHECK(!shares([](problem& p) { p.v_taps = 0; }));
  CHECK(shares([](problem& p) { p.v_taps = 1; }));
  CHECK(!shares([](problem& p) { p.depth = 0; }));
  CHECK(!shares([](problem& p) { p.depth = 1; }));  // 3 elements, and groups of 2
  CHECK(shares([](problem& p) { p.depth = p.taps = p.c.kr = 1; }));
  CHECK(!shares([](problem& p) { p.c.lhs_group = 4; }));
  CHECK(shares([](problem& p) { p.c.lhs_group = p.depth = 4; }));
}

TEST_CASE("windows share lines only if each input is in a window") {
  CHECK(shares([](problem& p) { p.stride = 3; }));
  CHECK(!shares([](problem& p) { p.stride = 4; }));
  const auto shares_in_pairs = [](index_t stride) {
    problem p = on_a_backend();
    p.stride = stride;
    return d::shares_lines(p.c, p.x().of_pixels(2));
  };
  CHECK(shares_in_pairs(3));
  CHECK(!shares_in_pairs(4));
}

TEST_CASE("windows that vectors copy whole share no lines") {
  const auto shares_with_room = [](index_t depth) {
    return shares([&](problem& p) {
      p.c.copies_vectors = true;
      p.c.max_buffered_depth = depth;
    });
  };
  CHECK(!shares_with_room(18));
  CHECK(shares_with_room(17));
}

TEST_CASE("a copy of lines has room for all of them, and for their padding") {
  const auto shares_with_room = [](index_t elements, index_t lines_fill, index_t v_taps, index_t depth) {
    return shares([&](problem& p) {
      set_copy_capacity(p, elements);
      p.lines_fill = lines_fill;
      p.v_taps = v_taps;
      p.depth = depth;
    });
  };
  // 3 lines of 3 taps of 2.
  CHECK(shares_with_room(18, 1, 3, 2));
  CHECK(!shares_with_room(17, 1, 3, 2));
  // 3 lines of 3 taps and a padding of 1.
  CHECK(shares_with_room(12, 4, 3, 1));
  CHECK(!shares_with_room(11, 4, 3, 1));
  CHECK(shares_with_room(6, 1, 1, 2));
  // The size of 32 windows of this depth wraps to 0.
  CHECK(!shares([](problem& p) {
    p.c.max_mr = 32;
    p.taps = 1;
    p.depth = largest / 16 + 1;
  }));
}

// ---- Rows of one copy

namespace {

/// Returns the rows of one line of windows; `mr` without a whole line.
index_t held(index_t windows, index_t element_bytes, index_t depth, index_t v_taps, index_t taps, index_t stride,
             index_t elements = 10000) {
  problem p = on_a_backend();
  p.windows = windows;
  p.c.element_bytes = element_bytes;
  p.depth = depth;
  p.v_taps = v_taps;
  p.taps = taps;
  p.stride = stride;
  p.c.max_mr = 4;
  p.c.max_buffered_depth = elements / 4;
  return d::rows_held(p.c, p.x());
}

}  // namespace

TEST_CASE("a copy holds a whole output line of up to 8 KiB, else the rows of a tile") {
  CHECK(held(8192, 1, 1, 1, 1, 1) == 8192);
  CHECK(held(8193, 1, 1, 1, 1, 1) == 4);
  CHECK(held(4096, 2, 1, 1, 1, 1) == 4096);
  CHECK(held(4097, 2, 1, 1, 1, 1) == 4);
  CHECK(held(2048, 2, 2, 1, 1, 1) == 2048);
  CHECK(held(2049, 2, 2, 1, 1, 1) == 4);
  CHECK(held(3, 1, 1, 1, 1, 1) == 4);
}

TEST_CASE("a copy holds a whole output line only if its lines have room") {
  CHECK(held(100, 1, 1, 1, 1, 1, 100) == 100);
  CHECK(held(101, 1, 1, 1, 1, 1, 100) == 4);
  // 3 lines of 9 * 2 + 3 inputs.
  CHECK(held(10, 1, 1, 3, 3, 2, 64) == 10);
  CHECK(held(10, 1, 1, 3, 3, 2, 60) == 4);
  // The size of 4 lines of this many windows wraps to 0.
  CHECK(held(largest / 8 + 1, 1, 1, 4, 4, 4) == 4);
}

// ---- Groups that share panels

TEST_CASE("groups share panels if a vector of columns reads one vector of inputs") {
  for (const index_t lanes : {4, 8, 16})
    for (index_t outputs = 1; outputs <= 40; ++outputs)
      for (index_t steps = 1; steps <= 20; ++steps) {
        index_t others = 0;  // groups of a vector after its first group
        for (index_t first = 0; first < outputs * lanes; first += lanes)
          others = std::max(others, (first + lanes - 1) / outputs - first / outputs);
        problem p = on_a_backend();
        p.c.lanes = lanes;
        CAPTURE(lanes, outputs, steps);
        REQUIRE(d::groups_share_panels(p.c, outputs, steps) == (others * steps < lanes));
      }
}

namespace {

/// Returns how many of 4 groups run together.
template <class Change>
index_t together(const Change& change) {
  problem p = on_a_backend();
  p.c.has_group_tiles = true;
  p.groups = 4;
  change(p);
  const d::windows_plan plan = p.plan();
  CHECK((plan.algorithm == gemm_algorithm::group_tiles) == (plan.groups > 1));
  return plan.groups;
}

}  // namespace

TEST_CASE("groups whose channels are no whole panels run together, if the backend has group tiles") {
  CHECK(together([](problem&) {}) == 4);
  CHECK(together([](problem& p) { p.groups = 2; }) == 2);
  CHECK(together([](problem& p) { p.groups = 1; }) == 1);
  CHECK(together([](problem& p) { p.c.has_group_tiles = false; }) == 1);
  CHECK(together([](problem& p) { p.has_weight_zero = true; }) == 1);
  CHECK(together([](problem& p) { p.outputs = 16; }) == 4);
  CHECK(together([](problem& p) { p.outputs = 32; }) == 1);
  CHECK(together([](problem& p) { p.outputs = 24; }) == 4);
  CHECK(together([](problem& p) { p.depth = 0; }) == 1);
  CHECK(together([](problem& p) { p.depth = 3; }) == 1);
  CHECK(together([](problem& p) { p.lines_fill = 4; }) == 1);
  CHECK(together([](problem& p) { p.depth = 16; }) == 1);  // a vector of 8 columns reads two groups of 8 steps
}

TEST_CASE("groups of sums in pieces run alone") {
  CHECK(together([](problem& p) { p.c.max_depth_at_once = 18; }) == 4);
  CHECK(together([](problem& p) { p.c.max_depth_at_once = 17; }) == 1);
}

TEST_CASE("as many groups run together as copies have room for, halved each time") {
  // A window of one group has 18 elements. Windows with a stride of 4 share no lines.
  const auto with_room = [](index_t groups, index_t elements) {
    return together([&](problem& p) {
      p.groups = groups;
      p.stride = 4;
      p.c.max_buffered_depth = elements;
    });
  };
  CHECK(with_room(6, 6 * 18) == 6);
  CHECK(with_room(6, 6 * 18 - 1) == 3);
  CHECK(with_room(6, 4 * 18) == 3);
  CHECK(with_room(5, 4 * 18) == 3);
  CHECK(with_room(3, 2 * 18) == 2);
  CHECK(with_room(6, 2 * 18 - 1) == 1);
}

TEST_CASE("groups whose taps are padded run together only if they share lines") {
  const auto with_stride = [](index_t stride) {
    return together([&](problem& p) {
      p.depth = 1;
      p.taps_fill = 2;
      p.stride = stride;
    });
  };
  CHECK(with_stride(3) == 4);
  CHECK(with_stride(4) == 1);
  // The window of all groups is longer than a row of the copy, and its lines are shared.
  CHECK(together([](problem& p) { p.c.max_buffered_depth = 50; }) == 4);
}

// ---- The algorithm of windows

TEST_CASE("windows that are a matrix run by whole panels, group by group") {
  const auto of_matrix = [](index_t outputs) {
    return together([&](problem& p) {
      p.is_matrix = true;
      p.v_taps = p.taps = 1;
      p.outputs = outputs;
    });
  };
  CHECK(of_matrix(16) == 1);
  CHECK(of_matrix(4) == 4);
}

namespace {

template <class Change>
bool repeats_pixels(const Change& change) {
  problem p = on_a_backend();
  p.c.has_pixel_tiles = true;
  p.pixels = 2;
  change(p);
  return p.plan().algorithm == gemm_algorithm::pixel_tiles;
}

}  // namespace

TEST_CASE("neighbouring pixels share panels if the weights are repeated for them") {
  CHECK(repeats_pixels([](problem&) {}));
  CHECK(!repeats_pixels([](problem& p) { p.c.has_pixel_tiles = false; }));
  CHECK(!repeats_pixels([](problem& p) { p.pixels = 1; }));
  CHECK(!repeats_pixels([](problem& p) { p.is_matrix = true; }));
  CHECK(!repeats_pixels([](problem& p) { p.has_weight_zero = true; }));
  CHECK(!repeats_pixels([](problem& p) { p.outputs_follow = false; }));
  CHECK(repeats_pixels([](problem& p) { p.c.max_depth_at_once = 18; }));
  CHECK(!repeats_pixels([](problem& p) { p.c.max_depth_at_once = 17; }));
  CHECK(!repeats_pixels([](problem& p) { p.windows = 21; }));
  CHECK(!repeats_pixels([](problem& p) { p.tap_stride = 2; }));
  // A pair of neighbouring windows covers 4 pixels of 2 channels in each of 3 lines: 24 elements.
  CHECK(repeats_pixels([](problem& p) { set_copy_capacity(p, 24); }));
  CHECK(!repeats_pixels([](problem& p) { set_copy_capacity(p, 23); }));
}

TEST_CASE("neighbouring pixels share panels on lines of 8 pixels, with masks of 12") {
  const auto of = [](index_t windows, bool has_masks) {
    return repeats_pixels([&](problem& p) {
      p.pixels = windows % 2 == 0 ? 2 : windows;
      p.windows = windows;
      p.c.has_masks = has_masks;
    });
  };
  CHECK(of(8, false));
  CHECK(!of(7, false));
  CHECK(of(12, true));
  CHECK(!of(11, true));
}

// ---- How windows are read

namespace {

/// Reads windows that masks copy.
template <class Change>
lhs_form by_masks(const Change& change) {
  problem p = on_a_backend();
  p.c.copies_parts = p.c.masks_windows = true;
  change(p);
  d::image_windows x = p.x();
  if (p.pixels > 1) x = x.of_pixels(p.pixels);
  return d::lhs_form_of(p.c, x, p.pixel_stride);
}
/// Sets `depth` channels of pixels that follow each other.
void set_depth(problem& p, index_t depth) { p.depth = p.pixel_stride = depth; }

}  // namespace

TEST_CASE("masks copy small windows of neighbouring inputs") {
  CHECK(by_masks([](problem&) {}) == lhs_form::copied_windows);
  CHECK(by_masks([](problem& p) { p.c.copies_parts = false; }) == lhs_form::lines);
  CHECK(by_masks([](problem& p) { p.tap_stride = 2; }) == lhs_form::copied_rows);
  CHECK(by_masks([](problem& p) { p.pixels = 2; }) == lhs_form::lines);
  CHECK(by_masks([](problem& p) { p.pixel_stride = 3; }) == lhs_form::lines);
  CHECK(by_masks([](problem& p) { p.v_taps = 0; }) == lhs_form::copied_rows);
  CHECK(by_masks([](problem& p) { set_depth(p, 0); }) == lhs_form::copied_rows);
  CHECK(by_masks([](problem& p) {
          set_depth(p, 1);
          p.v_taps = p.taps = 1;
        }) == lhs_form::copied_windows);
  CHECK(by_masks([](problem& p) {
          p.depth = 1;
          p.taps_fill = 2;
        }) == lhs_form::lines);
}

TEST_CASE("masks copy windows of up to 24 lines and 512 elements") {
  const auto of = [](index_t v_taps, index_t depth) {
    return by_masks([&](problem& p) {
      set_depth(p, depth);
      p.v_taps = v_taps;
      p.taps = 1;
      p.windows = 3;
      p.c.kr = 1;
      p.c.lanes = 16;
    });
  };
  CHECK(of(24, 4) == lhs_form::copied_windows);
  CHECK(of(25, 4) == lhs_form::lines);
  CHECK(of(16, 32) == lhs_form::copied_windows);
  CHECK(of(19, 27) == lhs_form::lines);  // 513 elements
}

TEST_CASE("masks copy lines of less than a vector, if they are short or have few windows") {
  const auto of = [](index_t depth, index_t windows, index_t element_bytes = 1) {
    return by_masks([&](problem& p) {
      set_depth(p, depth);
      p.taps = 1;
      p.c.kr = 1;
      p.windows = windows;
      p.c.element_bytes = element_bytes;
    });
  };
  // A vector of 8 lanes has 32 bytes.
  CHECK(of(31, 3) == lhs_form::copied_windows);
  CHECK(of(32, 3) == lhs_form::lines);
  CHECK(of(15, 3, 2) == lhs_form::copied_windows);
  CHECK(of(16, 3, 2) == lhs_form::lines);
  CHECK(of(8, 20) == lhs_form::copied_windows);
  CHECK(of(9, 20) == lhs_form::lines);
  CHECK(of(9, 4) == lhs_form::lines);
  CHECK(by_masks([](problem& p) { p.c.lhs_group = 4, p.taps = 9; }) == lhs_form::copied_windows);  // shares no lines
}

TEST_CASE("lines with padding are shared from two tiles of windows on") {
  const auto of = [](index_t windows) {
    return by_masks([&](problem& p) {
      set_depth(p, 1);
      p.taps = 9;
      p.lines_fill = 2;
      p.windows = windows;
    });
  };
  CHECK(of(7) == lhs_form::copied_windows);
  CHECK(of(8) == lhs_form::lines);
}

namespace {

/// Reads windows of 3 lines of 3 taps of 5 elements, which share no lines.
template <class Change>
lhs_form without_masks(const Change& change) {
  problem p = on_a_backend();
  p.c.copies_parts = true;
  p.c.lhs_group = 2;
  p.depth = 5;
  change(p);
  return d::lhs_form_of(p.c, p.x(), p.depth);
}

}  // namespace

TEST_CASE("without masks windows are copied from lines if a copy has room for both") {
  // A window has 45 elements, padded to 48 in pieces of 16 bytes. Each of 3 lines covers 4 * 5 elements. Two pieces follow.
  const auto with_room = [](index_t elements, index_t element_bytes) {
    return without_masks([&](problem& p) {
      p.c.max_mr = 2;
      p.c.max_buffered_depth = elements / 2;
      p.c.element_bytes = element_bytes;
    });
  };
  CHECK(with_room(2 * 48 + 3 * 20 + 2 * 16, 1) == lhs_form::copied_windows);
  CHECK(with_room(2 * 48 + 3 * 20 + 2 * 16 - 2, 1) == lhs_form::copied_rows);
  CHECK(with_room(2 * 48 + 3 * 20 + 2 * 8, 2) == lhs_form::copied_windows);
  CHECK(with_room(2 * 48 + 3 * 20 + 2 * 8 - 2, 2) == lhs_form::copied_rows);
}

TEST_CASE("without masks windows are copied if each input is in a window and they share no lines") {
  CHECK(without_masks([](problem& p) { p.stride = 3; }) == lhs_form::copied_windows);
  CHECK(without_masks([](problem& p) { p.stride = 4; }) == lhs_form::copied_rows);
  const auto shared = [](index_t windows, index_t lines_fill) {
    return without_masks([&](problem& p) {
      p.windows = windows;
      p.c.lhs_group = 1;
      p.c.kr = lines_fill == 1 ? 1 : 2;
      p.lines_fill = lines_fill;
    });
  };
  CHECK(shared(3, 1) == lhs_form::lines);
  CHECK(shared(7, 2) == lhs_form::copied_windows);
  CHECK(shared(8, 2) == lhs_form::lines);
}

// ---- The algorithm of rows

namespace {

/// Returns the algorithm of rows by `channels` weights of `depth`.
template <class Change>
gemm_algorithm rows_plan(index_t rows, index_t depth, index_t channels, const Change& change, bool in_rows = false) {
  problem p = on_a_backend();
  p.c.has_dot_products = p.c.has_one_row = p.c.has_gemv = true;
  change(p.c);
  return d::plan_rows(p.c, {rows, depth, channels, p.has_weight_zero, in_rows});
}
void unpacked(d::gemm_capabilities& c) { c.is_packed = false; }

}  // namespace

TEST_CASE("few channels run as dot products: packed weights that lie in rows, else up to 3 channels") {
  const auto packed = [](d::gemm_capabilities&) {};
  CHECK(rows_plan(9, 999, 3, packed, true) == gemm_algorithm::dot_products);
  CHECK(rows_plan(9, 999, 3, packed) == gemm_algorithm::tiles);
  CHECK(rows_plan(9, 999, 3, unpacked) == gemm_algorithm::dot_products);
  CHECK(rows_plan(9, 999, 4, unpacked) == gemm_algorithm::packing);
  CHECK(rows_plan(9, 999, 1, [](d::gemm_capabilities& c) { c.has_dot_products = false; }) == gemm_algorithm::tiles);
}

TEST_CASE("the weights of a linear layer lie in rows up to the channels that the layout says") {
  dyadic::packed_layout layout{16, 2};
  layout.narrow = 8;
  layout.rows = 3;
  const auto in_rows = [&](index_t channels) { return d::order_of_linear(layout, channels, 1).in_rows; };
  CHECK((!in_rows(0) && in_rows(1) && in_rows(3) && !in_rows(4)));
  layout.rows = 0;
  CHECK((!in_rows(0) && !in_rows(1)));
  CHECK(d::most_few_channels == 3);
  CHECK(d::most_few_neon_channels == 1);
}

TEST_CASE("up to 1024 products of unpacked weights run by portable code") {
  CHECK(rows_plan(4, 16, 16, unpacked) == gemm_algorithm::portable);
  CHECK(rows_plan(5, 41, 5, unpacked) == gemm_algorithm::packing);
  CHECK(rows_plan(4, 16, 16, [](d::gemm_capabilities& c) { c.is_packed = c.has_dot_products = false; }) ==
        gemm_algorithm::packing);
}

TEST_CASE("few rows by unpacked weights run by GEMV") {
  CHECK(rows_plan(3, 999, 16, unpacked) == gemm_algorithm::gemv);
  CHECK(rows_plan(4, 999, 16, unpacked) == gemm_algorithm::packing);
  CHECK(rows_plan(3, 999, 16, [](d::gemm_capabilities& c) { c.is_packed = c.has_gemv = false; }) == gemm_algorithm::packing);
}

TEST_CASE("one row runs alone unless a copy has no room for it") {
  const auto of = [](index_t depth, bool is_converted) {
    return rows_plan(1, depth, 16, [&](d::gemm_capabilities& c) {
      c.is_converted = is_converted;
      c.max_buffered_depth = 50;
    });
  };
  CHECK(of(51, false) == gemm_algorithm::one_row);
  CHECK(of(50, true) == gemm_algorithm::one_row);
  CHECK(of(51, true) == gemm_algorithm::tiles);
}

// ---- Depthwise layers

TEST_CASE("an output tile of a depthwise layer copies inputs of 2 bytes") {
  CHECK(d::depthwise_capabilities{8, 256, 24 * 1024, 32, false}.max_elements() == 12 * 1024);
}

TEST_CASE("two neighbouring outputs of 3 x 3 windows share their inputs") {
  CHECK(d::window_form_of(true, 2) == d::window_form::three_by_three);
  CHECK(d::window_form_of(true, 1) == d::window_form::any);
  CHECK(d::window_form_of(false, 2) == d::window_form::any);
  const auto are = [](index_t y, index_t x, index_t stride, index_t dilation) {
    return d::are_sliding_squares({{y}, {x}}, {3, stride, dilation});
  };
  CHECK(are(3, 3, 1, 1));
  CHECK(!are(3, 5, 1, 1));
  CHECK(!are(5, 3, 1, 1));
  CHECK(!are(3, 3, 2, 1));
  CHECK(!are(3, 3, 1, 2));
}

TEST_CASE("a depthwise window has as many taps as the backend takes") {
  const d::depthwise_capabilities c{8, 256, 24 * 1024, 32, false};
  CHECK(d::plan_depthwise(c, 256, 16) == depthwise_algorithm::whole_tiles);
  CHECK(d::plan_depthwise(c, 257, 16) == depthwise_algorithm::portable);
}

TEST_CASE("thresholds inside of kernels are those that were measured") { CHECK(d::least_copied_part == 16); }

TEST_CASE("a tile of a depthwise layer has all outputs, those of the longest copy, or one window") {
  const d::window_axis axis = d::forward_axis({3, 2, 2, 2, 2}, 14, 28);
  CHECK(d::tile_axis(axis, 33).outputs == 14);
  const d::tile_axis one(axis, 5);
  CHECK((one.outputs == 1 && one.step == 1 && one.size == 5));
  const d::tile_axis two(axis, 8);
  CHECK((two.outputs == 2 && two.output_distance() == 2));
  CHECK(d::tile_axis(d::forward_axis({2, 1, 3}, 4, 9), 99).tap_distance() == 3);
  CHECK(d::tile_axis(d::forward_axis({1, 1, 1}, 4, 9), 99).tap_distance() == 0);
}

TEST_CASE("a tile of a depthwise layer copies the inputs of its windows that are inside the image") {
  for (const index_t taps : {1, 3})
    for (const index_t stride : {1, 2})
      for (const index_t dilation : {1, 3})
        for (const index_t pad : {0, 4})
          for (const index_t max : {3, 99})
            for (index_t n = 1; n <= (max == 99 ? 3 : 1); ++n)
              for (index_t output = 0; output + n <= 5; ++output) {
                const d::tile_axis axis(d::forward_axis({taps, stride, dilation, pad, 4}, 5, 6), max);
                const auto in = axis.copied_from(output, n);
                index_t count = 0, inside = 0, first = -1;
                const index_t begin = output * stride - pad;
                const index_t last = begin + (n - 1) * stride + (taps - 1) * dilation;
                for (index_t at = begin; at <= last; at += axis.step, ++count)
                  if (at >= 0 && at < 6 && inside++ == 0) first = at;
                CAPTURE(taps, stride, dilation, pad, max, n, output);
                CHECK(in.count == count);
                CHECK(in.end - in.begin == inside);
                if (inside != 0) CHECK(in.at == first);
                if (inside != 0) CHECK(begin + in.begin * axis.step == first);
              }
}
