#include <dyadic/detail/windowed.hpp>
#include <dyadic/window.hpp>

#include <limits>
#include <vector>

#include "../support/catch.hpp"

namespace {

namespace q = dyadic;
using q::index_t;

/// The size of one axis, and the framework's padding and output size.
struct expected_axis {
  index_t size;
  q::window1d window;
  index_t pad_before;
  index_t pad_after;
  index_t outputs;
};

// ---- TFLite

// There are ceil(size / stride) outputs with the padding that they need. If the padding is odd, the additional element is after
// the input.
constexpr expected_axis same[] = {
    {5, {3, 1}, 1, 1, 5},     {5, {2, 1}, 0, 1, 5},     {5, {3, 2}, 1, 1, 3}, {6, {3, 2}, 0, 1, 3},
    {224, {3, 2}, 0, 1, 112}, {224, {7, 2}, 2, 3, 112}, {7, {1, 2}, 0, 0, 4}, {5, {3, 1, 2}, 2, 2, 5},
    {5, {3, 2, 3}, 3, 3, 3},  {6, {4, 1, 3}, 4, 5, 6},  {1, {5, 1}, 2, 2, 1}, {10, {2, 3}, 0, 1, 4},
    {9, {2, 3}, 0, 0, 3},     {4, {1, 3}, 0, 0, 2},     {3, {3, 5}, 0, 0, 1}, {0, {1, 1}, 0, 0, 0},
};

constexpr bool same_padding_is(const expected_axis& e) {
  const q::window1d w = q::with_same_padding(e.size, e.window);
  return w.pad_before == e.pad_before && w.pad_after == e.pad_after && q::forward_size(e.size, w) == e.outputs;
}

// There are ceil((size - effective kernel + 1) / stride) outputs, and none if the kernel is larger than the input.
constexpr expected_axis valid[] = {
    {5, {3, 1}, 0, 0, 3}, {5, {3, 2}, 0, 0, 2},    {6, {3, 2}, 0, 0, 2},    {224, {7, 2}, 0, 0, 109},
    {3, {3, 5}, 0, 0, 1}, {7, {3, 1, 3}, 0, 0, 1}, {6, {3, 1, 3}, 0, 0, 0}, {1, {2, 1}, 0, 0, 0},
};

constexpr bool valid_size_is(const expected_axis& e) { return q::forward_size(e.size, e.window) == e.outputs; }

// The padding of the forward convolution whose input has `outputs` elements and whose output has `size`.
constexpr expected_axis same_transposed[] = {
    {3, {3, 2}, 0, 1, 6}, {3, {3, 2}, 1, 1, 5}, {4, {2, 2}, 0, 0, 8},
    {4, {2, 2}, 0, 1, 7}, {5, {3, 1}, 1, 1, 5}, {2, {5, 3}, 1, 1, 6},
};

constexpr bool same_transposed_padding_is(const expected_axis& e) {
  const q::window1d w = q::with_same_padding(e.outputs, e.window);
  const index_t left_over = e.outputs - q::transposed_size(e.size, w);
  return w.pad_before == e.pad_before && w.pad_after == e.pad_after && left_over >= 0 && left_over < w.stride;
}

// ---- PyTorch: floor((size + 2 p - d (k - 1) - 1) / s) + 1, and (size - 1) s - 2 p + k + output padding.

constexpr bool pytorch_size_is(index_t size, index_t kernel, index_t stride, index_t padding, index_t dilation, index_t outputs) {
  return q::forward_size(size, {kernel, stride, dilation, padding, padding}) == outputs;
}
constexpr bool pytorch_transposed_size_is(index_t size, index_t kernel, index_t stride, index_t padding, index_t output_padding,
                                          index_t outputs) {
  return q::transposed_size(size, {kernel, stride, 1, padding, padding}, output_padding) == outputs;
}

// ---- TOSA: the division by the stride is exact

/// Checks that pad_after becomes this number, and that the number of outputs does not change.
constexpr bool exact_division_gives(index_t size, q::window1d w, index_t pad_after) {
  const auto r = q::with_exact_division(size, w);
  const index_t room = size + r.value.pad_before + r.value.pad_after - q::effective_kernel(r.value);
  return r.status == q::status::ok && r.value.pad_after == pad_after && room % w.stride == 0 &&
         q::forward_size(size, r.value) == q::forward_size(size, w);
}

// ---- taps against brute force

/// Returns all taps of a kernel with the input that an output reads by each tap, if it lies inside.
template <class Windows>
std::vector<std::vector<index_t>> taps_inside(index_t out, index_t size, const q::window1d& w) {
  std::vector<std::vector<index_t>> found;
  const q::detail::tap_sequence s = Windows::taps(out, w);
  for (index_t tap = s.tap, in = s.source; tap < w.kernel; tap += Windows::step(w), in += s.source_step)
    if (in >= 0 && in < size) found.push_back({tap, in});
  return found;
}

bool forward_taps_are_right(index_t out, index_t size, const q::window1d& w) {
  std::vector<std::vector<index_t>> right;
  for (index_t tap = 0; tap < w.kernel; ++tap) {
    const index_t in = out * w.stride - w.pad_before + tap * w.dilation;
    if (in >= 0 && in < size) right.push_back({tap, in});
  }
  return taps_inside<q::detail::forward_windows>(out, size, w) == right;
}

/// Checks that the taps are the pairs that scatter to the output.
bool transposed_taps_are_right(index_t out, index_t size, const q::window1d& w) {
  std::vector<std::vector<index_t>> right;
  for (index_t tap = 0; tap < w.kernel; ++tap)
    for (index_t in = 0; in < size; ++in)
      if (in * w.stride + tap - w.pad_before == out) right.push_back({tap, in});
  return taps_inside<q::detail::transposed_windows>(out, size, w) == right;
}

}  // namespace

TEST_CASE("SAME padding equals TFLite's, with the odd element after") {
  for (const expected_axis& e : same) {
    CAPTURE(e.size, e.window.kernel, e.window.stride, e.window.dilation);
    CHECK(same_padding_is(e));
  }
  static_assert(same_padding_is(same[3]) && same_padding_is(same[9]));
}

TEST_CASE("SAME padding gives ceil(size / stride) outputs for all small windows") {
  for (index_t size = 1; size <= 12; ++size)
    for (index_t kernel = 1; kernel <= 5; ++kernel)
      for (index_t stride = 1; stride <= 4; ++stride)
        for (index_t dilation = 1; dilation <= 3; ++dilation) {
          const q::window1d w = q::with_same_padding(size, {kernel, stride, dilation});
          REQUIRE(q::forward_size(size, w) == (size + stride - 1) / stride);
          REQUIRE((w.pad_after == w.pad_before || w.pad_after == w.pad_before + 1));
        }
}

TEST_CASE("VALID padding is 0, and leaves no output where the kernel exceeds the input") {
  for (const expected_axis& e : valid) {
    CAPTURE(e.size, e.window.kernel, e.window.stride, e.window.dilation);
    CHECK(valid_size_is(e));
  }
  static_assert(valid_size_is(valid[0]) && valid_size_is(valid[6]));
}

TEST_CASE("SAME padding of a transposed convolution equals that of the convolution from its output") {
  for (const expected_axis& e : same_transposed) {
    CAPTURE(e.size, e.window.kernel, e.window.stride);
    CHECK(same_transposed_padding_is(e));
  }
  static_assert(same_transposed_padding_is(same_transposed[0]));
}

TEST_CASE("explicit sizes equal PyTorch's, forward and transposed") {
  static_assert(pytorch_size_is(224, 7, 2, 3, 1, 112));  // ResNet's stem
  static_assert(pytorch_size_is(112, 3, 2, 1, 1, 56));
  static_assert(pytorch_size_is(32, 3, 1, 2, 2, 32));
  static_assert(pytorch_size_is(10, 4, 3, 0, 1, 3));
  static_assert(pytorch_size_is(3, 4, 1, 0, 1, 0));
  static_assert(pytorch_transposed_size_is(4, 4, 2, 1, 0, 8));  // DCGAN's generator
  static_assert(pytorch_transposed_size_is(1, 4, 1, 0, 0, 4));
  static_assert(pytorch_transposed_size_is(6, 3, 2, 1, 1, 12));
  static_assert(pytorch_transposed_size_is(1, 2, 1, 2, 0, 0));
  static_assert(pytorch_transposed_size_is(1, 1, 1, 1, 0, 0));
  CHECK(pytorch_size_is(224, 7, 2, 3, 1, 112));
  CHECK(pytorch_transposed_size_is(6, 3, 2, 1, 1, 12));
  CHECK(pytorch_transposed_size_is(1, 1, 1, 1, 0, 0));
}

TEST_CASE("a transposed convolution restores the size that the convolution divided") {
  for (index_t size = 1; size <= 12; ++size)
    for (index_t kernel = 1; kernel <= 4; ++kernel)
      for (index_t stride = 1; stride <= 4; ++stride)
        for (index_t before = 0; before < kernel; ++before) {
          const q::window1d w{kernel, stride, 1, before, 1};
          const index_t outputs = q::forward_size(size, w);
          if (outputs > 0) REQUIRE(q::transposed_size(outputs, w, (size + before + 1 - kernel) % stride) == size);
        }
}

TEST_CASE("TOSA's exact division reduces the padding after, or needs a slice") {
  static_assert(exact_division_gives(224, {3, 2, 1, 1, 1}, 0));
  static_assert(exact_division_gives(225, {3, 2, 1, 1, 1}, 1));
  static_assert(exact_division_gives(10, {3, 4, 1, 2, 3}, 3));
  static_assert(exact_division_gives(10, {3, 4, 2, 2, 4}, 1));
  CHECK(exact_division_gives(224, {3, 2, 1, 1, 1}, 0));
  CHECK(exact_division_gives(10, {3, 4, 1, 1, 3}, 0));
  CHECK(exact_division_gives(3, {3, 2}, 0));
  CHECK(exact_division_gives(0, {1, 1, 1, 1, 0}, 0));
  CHECK(exact_division_gives(q::detail::size_limit, {1}, 0));
  CHECK(q::with_exact_division(224, {3, 2, 1, 0, 0}).status == q::status::shape_mismatch);
  CHECK(q::with_exact_division(9, {3, 4, 1, 0, 1}).status == q::status::shape_mismatch);
}

TEST_CASE("exact division makes no output of a window that does not fit") {
  for (const index_t size : {1, 2}) {
    const auto r = q::with_exact_division(size, {3, 4});
    CHECK(r.status == q::status::shape_mismatch);
    CHECK(r.value.pad_after == 0);
  }
}

TEST_CASE("exact division refuses impossible windows and sizes") {
  constexpr q::index_t largest = std::numeric_limits<q::index_t>::max();
  static_assert(q::with_exact_division(5, {1, 0, 1, 0, 0}).status == q::status::bad_window);
  static_assert(q::with_exact_division(largest, {1, 1, 1, 1, 0}).status == q::status::shape_mismatch);
  static_assert(q::with_exact_division(-1, {1, 1, 1, 4, 0}).status == q::status::shape_mismatch);
}

TEST_CASE("the taps of every output equal those of brute force") {
  for (index_t size = 1; size <= 6; ++size)
    for (index_t kernel = 1; kernel <= 5; ++kernel)
      for (index_t stride = 1; stride <= 4; ++stride)
        for (index_t before = 0; before <= 7; ++before) {
          bool right = true;
          for (index_t dilation = 1; dilation <= 3; ++dilation)
            for (index_t out = 0; out < 20; ++out)
              right = right && forward_taps_are_right(out, size, {kernel, stride, dilation, before, 0});
          for (index_t out = 0; out < 40; ++out)
            right = right && transposed_taps_are_right(out, size, {kernel, stride, 1, before, 0});
          CAPTURE(size, kernel, stride, before);
          REQUIRE(right);
        }
}

TEST_CASE("a window is one tap, without strides, unless it says otherwise") {
  constexpr q::window1d w;
  static_assert(w.kernel == 1 && w.stride == 1 && w.dilation == 1 && w.pad_before == 0 && w.pad_after == 0);
  CHECK(q::effective_kernel(w) == 1);
}

TEST_CASE("each impossible window is refused") {
  const index_t huge = std::numeric_limits<index_t>::max();
  const auto of = [](q::window1d w) {
    return q::check(q::window2d{w, {}}) == q::check(q::window2d{{}, w}) ? q::check(q::window2d{w, {}}) : q::status::unpredictable;
  };
  CHECK(of({}) == q::status::ok);
  CHECK(of({0}) == q::status::bad_window);
  CHECK(of({-1}) == q::status::bad_window);
  CHECK(of({1, 0}) == q::status::bad_window);
  CHECK(of({1, 1, 0}) == q::status::bad_window);
  CHECK(of({1, 1, 1, -1}) == q::status::bad_window);
  CHECK(of({1, 1, 1, 0, -1}) == q::status::bad_window);
  CHECK(of({huge}) == q::status::bad_window);
  CHECK(of({1, huge}) == q::status::bad_window);
  CHECK(of({1, 1, huge}) == q::status::bad_window);
  CHECK(of({1, 1, 1, huge}) == q::status::bad_window);
  CHECK(of({1, 1, 1, 0, huge}) == q::status::bad_window);
  CHECK(of({huge / 32, 1, 3}) == q::status::bad_window);
  const index_t root = index_t{1} << (4 * sizeof(index_t) - 2);
  CHECK(q::check(q::window2d{{root}, {root}}) == q::status::bad_window);
}

TEST_CASE("a transposed convolution refuses a dilation, and strides that its fold cannot hold") {
  CHECK(q::check_transposed({{3, 2}, {3, 2}}) == q::status::ok);
  CHECK(q::check_transposed({{3, 2, 2}, {3, 2}}) == q::status::ok);
  CHECK(q::check_transposed({{3, 2}, {3, 2, 0}}) == q::status::bad_window);
  CHECK(q::check_transposed({{0}, {1}}) == q::status::bad_window);
  const index_t root = index_t{1} << (4 * sizeof(index_t) - 2);
  CHECK(q::check_transposed({{1, root}, {1, root}}) == q::status::bad_window);
}

TEST_CASE("windows are taken up to the greatest sizes, and not beyond") {
  constexpr index_t most = q::detail::size_limit;
  static_assert(most == std::numeric_limits<index_t>::max() / 16);
  const auto are_taken = [](q::window1d w) { return q::check(q::window2d{w, {}}) == q::status::ok; };
  CHECK((are_taken({most}) && !are_taken({most + 1})));
  CHECK((are_taken({1, most}) && !are_taken({1, most + 1})));
  CHECK((are_taken({1, 1, most}) && !are_taken({1, 1, most + 1})));
  CHECK((are_taken({1, 1, 1, most}) && !are_taken({1, 1, 1, most + 1})));
  CHECK((are_taken({1, 1, 1, 0, most}) && !are_taken({1, 1, 1, 0, most + 1})));
  CHECK(q::check(q::window2d{{most / 3}, {3}}) == q::status::ok);
  CHECK(q::check(q::window2d{{most}, {2}}) == q::status::bad_window);
  CHECK(q::check_transposed({{1, most / 8 - 1}, {1, 1}}) == q::status::ok);
  CHECK(q::check_transposed({{1, most / 8}, {1, 1}}) == q::status::bad_window);
}

TEST_CASE("sizes of one axis fit each other as the functions of sizes say, up to the largest size") {
  constexpr index_t most = q::detail::size_limit;
  for (index_t kernel = 1; kernel < 5; ++kernel)
    for (index_t stride = 1; stride < 4; ++stride)
      for (index_t before = 0; before < 3; ++before)
        for (index_t size = 0; size < 6; ++size)
          for (index_t outputs = 0; outputs < 20; ++outputs) {
            const q::window1d w{kernel, stride, 1, before, 1};
            REQUIRE(q::detail::forward_fits(size, outputs, w) == (q::forward_size(size, w) == outputs));
            bool fits = false;
            for (index_t padding = 0; padding < stride; ++padding)
              fits = fits || (size - 1) * stride - before - 1 + kernel + padding == outputs;
            REQUIRE(q::detail::transposed_fits(size, outputs, w) == (fits && size > 0));
          }
  CHECK((q::detail::forward_fits(most, most, {1}) && !q::detail::forward_fits(most + 1, most + 1, {1})));
  CHECK((q::detail::transposed_fits(most, most, {1}) && !q::detail::transposed_fits(most, most + 1, {2})));
  CHECK((q::detail::transposed_fits(most / 2, most - 2, {1, 2}) && !q::detail::transposed_fits(most / 2 + 1, most, {1, 2})));
  CHECK(!q::detail::transposed_fits(most, most - 1, {1, 2, 1, most}));
  const index_t quotients[] = {0, 0, 1, 1, 1, 2};
  for (index_t i = -1; i < 5; ++i) CHECK(q::detail::ceiling_divide(i, 3) == quotients[i + 1]);
}

TEST_CASE("only a padded window has borders") {
  static_assert(!q::has_borders({{3, 2, 2}, {3}}));
  static_assert(q::has_borders({{1, 1, 1, 1}, {}}) && q::has_borders({{1, 1, 1, 0, 1}, {}}));
  static_assert(q::has_borders({{}, {1, 1, 1, 1}}) && q::has_borders({{}, {1, 1, 1, 0, 1}}));
  CHECK(q::has_borders({{1, 1, 1, 0, 1}, {}}));
}

TEST_CASE("a window between two sizes has the least padding after with which it gives the outputs") {
  for (index_t kernel = 1; kernel < 5; ++kernel)
    for (index_t stride = 1; stride < 4; ++stride)
      for (index_t dilation = 1; dilation < 4; ++dilation)
        for (index_t before = 0; before < 4; ++before)
          for (index_t input = 0; input < 9; ++input)
            for (index_t output = 0; output < 12; ++output) {
              index_t after = 0;
              while (after < 60 && q::forward_size(input, {kernel, stride, dilation, before, after}) != output) ++after;
              const auto found = q::window_between(input, output, kernel, stride, dilation, before);
              REQUIRE((found.status == q::status::ok) == (after < 60));
              if (after < 60) REQUIRE(found.value.pad_after == after);
            }
}

TEST_CASE("a window between two sizes takes a dilation of 0 for one tap, and refuses what is absurd") {
  const auto one = q::window_between(5, 3, 1, 2, 0, 0);
  CHECK((one.status == q::status::ok && one.value.dilation == 1 && one.value.pad_after == 0));
  CHECK(q::window_between(5, 3, 2, 2, 0, 0).status == q::status::bad_window);
  CHECK(q::window_between(5, 3, 0, 2, 1, 0).status == q::status::bad_window);
  CHECK(q::window_between(5, 3, 1, 0, 1, 0).status == q::status::bad_window);
  CHECK(q::window_between(5, 3, 1, 1, 1, -1).status == q::status::bad_window);
  for (const index_t absurd : {index_t{-1}, std::numeric_limits<index_t>::max(), std::numeric_limits<index_t>::min()}) {
    CHECK(q::window_between(absurd, 3, 1, 1, 1, 0).status == q::status::shape_mismatch);
    CHECK(q::window_between(3, absurd, 1, 1, 1, 0).status == q::status::shape_mismatch);
  }
  const index_t most = std::numeric_limits<index_t>::max() / 16;
  CHECK(q::window_between(most, most, most, 1, 1, most).status == q::status::shape_mismatch);
  CHECK(q::window_between(0, most, most, 1, 1, 0).status == q::status::shape_mismatch);
  CHECK(q::window_between(0, 1, most, 1, 1, 0).status == q::status::ok);
  CHECK(q::window_between(most, most / 2, 3, 2, 1, 0).status == q::status::ok);
  CHECK(q::window_between(most + 1, most / 2, 3, 2, 1, 0).status == q::status::shape_mismatch);
  CHECK(q::window_between(most, most / 2 + 1, 3, 2, 1, 0).status == q::status::shape_mismatch);
  CHECK(q::window_between(5, 3, 1, 2, 3, 0).value.dilation == 3);
  static_assert(q::window_between(224, 112, 7, 2, 1, 2).value.pad_after == 3);
}

namespace {

/// TFLite's TRANSPOSE_CONV: the number of inputs and the padding before, which follow from the outputs and the padding mode.
struct transposed_sizes {
  index_t inputs, before;
};
transposed_sizes of_tflite(bool is_same, index_t outputs, index_t kernel, index_t stride) {
  index_t inputs = 0;  // windows that begin inside of the outputs, or that end inside, too
  for (index_t begin = 0; begin < outputs; begin += stride) inputs += is_same || begin + kernel <= outputs ? 1 : 0;
  const index_t excess = (inputs - 1) * stride + kernel - outputs;
  return {inputs, excess > 0 ? excess / 2 : 0};
}

}  // namespace

TEST_CASE("a transposed window between two sizes has the padding that TFLite computes from the outputs") {
  for (index_t kernel = 1; kernel < 7; ++kernel)
    for (index_t stride = 1; stride < 5; ++stride)
      for (index_t input = -1; input < 8; ++input)
        for (index_t output = -1; output < 35; ++output) {
          const auto by_same = of_tflite(true, output, kernel, stride);
          const auto by_valid = of_tflite(false, output, kernel, stride);
          const bool is_same = input > 0 && by_same.inputs == input;
          const bool is_valid = input > 0 && by_valid.inputs == input;
          const auto found = q::transposed_window_between(input, output, kernel, stride);
          CAPTURE(kernel, stride, input, output);
          REQUIRE((found.status == q::status::ok) == (is_same || is_valid));
          if (found.status != q::status::ok) {
            REQUIRE(found.status == q::status::shape_mismatch);
            continue;
          }
          const q::window1d w = found.value;
          REQUIRE((w.kernel == kernel && w.stride == stride && w.dilation == 1));
          if (is_same) REQUIRE(w.pad_before == by_same.before);
          if (is_valid) REQUIRE((w.pad_before == by_valid.before && w.pad_after == 0));
          REQUIRE((w.pad_after == w.pad_before || w.pad_after == w.pad_before + 1));
          REQUIRE(q::detail::transposed_fits(input, output, w));
        }
}

TEST_CASE("a transposed window between two sizes refuses what is absurd") {
  CHECK(q::transposed_window_between(3, 6, 0, 2).status == q::status::bad_window);
  CHECK(q::transposed_window_between(3, 6, 3, 0).status == q::status::bad_window);
  const index_t greatest = std::numeric_limits<index_t>::max(), most = greatest / 16;
  for (const index_t absurd : {index_t{-1}, greatest, most + 1, std::numeric_limits<index_t>::min()}) {
    CHECK(q::transposed_window_between(absurd, 6, 3, 2).status == q::status::shape_mismatch);
    CHECK(q::transposed_window_between(3, absurd, 3, 2).status == q::status::shape_mismatch);
  }
  CHECK(q::transposed_window_between(most / 2 + 1, most, 1, 2).status == q::status::shape_mismatch);
  CHECK(q::transposed_window_between(most / 2, most / 2 * 2, 1, 2).status == q::status::ok);
  CHECK(q::transposed_window_between(1, most, most, most).status == q::status::ok);
  static_assert(q::transposed_window_between(7, 14, 3, 2).value.pad_after == 1);
  static_assert(q::transposed_window_between(7, 15, 3, 2).value.pad_after == 0);
}

TEST_CASE("an axis of windows reads the inputs that its taps name, and finds those inside the image") {
  for (const index_t kernel : {1, 3, 4})
    for (const index_t stride : {1, 2, 5})
      for (const index_t dilation : {1, 3})
        for (const index_t pad : {0, 2, 7})
          for (const index_t inputs : {1, 6}) {
            const q::detail::window_axis axis = q::detail::forward_axis({kernel, stride, dilation, pad, 9}, 4, inputs);
            for (index_t n = 0; n < 4; ++n) {
              std::vector<index_t> read, inside;
              for (index_t i = 0; i < kernel; ++i) {
                read.push_back(n * stride - pad + i * dilation);
                if (read.back() >= 0 && read.back() < inputs) inside.push_back(i);
              }
              CHECK(axis.first(n) == read.front());
              CHECK(axis.span() == read.back() - read.front() + 1);
              const auto taps = axis.inside(axis.first(n), kernel, dilation);
              CHECK(taps.end - taps.begin == static_cast<index_t>(inside.size()));
              if (!inside.empty()) CHECK(taps.begin == inside.front());
            }
          }
}
