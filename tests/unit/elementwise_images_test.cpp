// Pools of extremes, extremes along axes, padding, parts of tensors and resizes against their definitions.

#include <dyadic/elementwise/binary.hpp>
#include <dyadic/elementwise/extremes.hpp>
#include <dyadic/elementwise/place.hpp>
#include <dyadic/elementwise/pool.hpp>
#include <dyadic/elementwise/resize.hpp>
#include <dyadic/elementwise/xnnpack_resize.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "../support/catch.hpp"
#include "../support/random.hpp"

namespace q = dyadic;
using q::index_t;
using q::status;
using std::int16_t;
using std::int32_t;
using std::int8_t;
using std::uint8_t;

namespace {

constexpr std::size_t to_size(index_t n) { return static_cast<std::size_t>(n); }

template <class X>
std::vector<X> random_elements(index_t n, support::random_bits& random) {
  std::vector<X> all(to_size(n));
  for (X& x : all)
    x = static_cast<X>(random.one_in(4) ? std::numeric_limits<X>::min() + random.below(2) : static_cast<int>(random()));
  return all;
}

// ---- pools

template <class Rule>
constexpr int pooled(int a, int b, int c, int d, q::output_range range = q::range_of<int8_t>()) {
  const int8_t x[] = {static_cast<int8_t>(a), static_cast<int8_t>(b), static_cast<int8_t>(c), static_cast<int8_t>(d)};
  int8_t y[1] = {};
  const q::pool_layer layer{q::window2d{{2}, {2}}, Rule{}, range};
  const q::nhwc_view<const int8_t> in(x, 1, 2, 2, 1);
  const q::nhwc_view<int8_t> out(y, 1, 1, 1, 1);
  if (check(layer, in, out) != status::ok) return 1000;
  run(layer, in, out);
  return y[0];
}
using greatest = q::maximum<int8_t>;
using least = q::minimum<int8_t>;
static_assert(pooled<greatest>(-128, -127, -128, -128) == -127 && pooled<least>(127, 126, 127, 127) == 126);
static_assert(pooled<greatest>(1, 2, 3, 100, {0, -5, 50}) == 50 && pooled<greatest>(-128, -9, -10, -7, {0, -5, 50}) == -5);
static_assert(pooled<greatest>(1, 2, 3, 4, {0, 5, 4}) == 1000 && pooled<greatest>(1, 2, 3, 4, {0, -129, 4}) == 1000);

constexpr status of_window(q::window1d w, index_t in, index_t out) {
  const q::pool_layer layer{q::window2d{{}, w}, greatest{}};
  int8_t memory[64] = {};
  return check(layer, q::nhwc_view<const int8_t>(memory, 1, 1, in, 1), q::nhwc_view<int8_t>(memory + 32, 1, 1, out, 1));
}
static_assert(of_window({2, 1, 1, 1, 1}, 4, 5) == status::ok && of_window({2, 1, 1, 1, 1}, 4, 4) == status::shape_mismatch);
static_assert(of_window({2, 1, 1, 2, 0}, 4, 5) == status::bad_window && of_window({2, 1, 1, 0, 2}, 4, 5) == status::bad_window);
static_assert(of_window({2, 1, 2}, 4, 2) == status::ok && of_window({0}, 4, 5) == status::bad_window);
static_assert(of_window({2, 1, 2, 2, 2}, 4, 6) == status::ok && of_window({2, 1, 2, 3, 0}, 4, 5) == status::bad_window);
static_assert(of_window({2, 1, 5, 1, 5}, 4, 5) == status::shape_mismatch);  // the taps of the first window are inputs -1 and 4
static_assert(of_window({2, 3}, 4, 2) == status::ok && of_window({2, 3}, 4, 3) == status::shape_mismatch);  // the ceiling mode
static_assert(of_window({1 << 20, 1, 1, (1 << 20) - 1, 1}, 1, 2) == status::ok);  // no limit on the elements of a window

/// Compares random pools, in two parts, with the definition.
template <class Rule>
void compare_pools(support::random_bits& random) {
  using X = typename Rule::value_type;
  const index_t n = 1 + random.below(2), h = 1 + random.below(6), w = 1 + random.below(6), c = 1 + random.below(5);
  const auto window = [&](index_t size) {
    q::window1d a{1 + random.below(4), 1 + random.below(3), std::min<index_t>(1 + random.below(3), size)};
    const auto covered = static_cast<int>(q::effective_kernel(a));
    a.pad_before = random.below(covered), a.pad_after = random.below(covered);
    return a;
  };
  const q::pool_layer<Rule> layer{{window(h), window(w)}, {}, {0, random.below(40), 60 + random.below(60)}};
  const auto outputs = random.one_in(2) ? q::forward_size : q::ceiling_size;
  const index_t oh = outputs(h, layer.window.y), ow = outputs(w, layer.window.x);
  const auto x = random_elements<X>(n * h * w * c, random);
  std::vector<X> y(to_size(n * oh * ow * c));
  const q::nhwc_view<const X> in(x.data(), n, h, w, c);
  const q::nhwc_view<X> out(y.data(), n, oh, ow, c);
  REQUIRE(check(layer, in, out) == status::ok);
  run(layer, in, out, {0, oh / 2});
  run(layer, in, out, {oh / 2, n * oh});
  for (index_t e = 0; e < n * oh * ow * c; ++e) {
    std::vector<X> window_elements;
    const index_t k = e % c, j = e / c % ow, i = e / c / ow % oh, m = e / c / ow / oh;
    for (index_t v = 0; v < layer.window.y.kernel; ++v)
      for (index_t u = 0; u < layer.window.x.kernel; ++u) {
        const index_t row = i * layer.window.y.stride + v * layer.window.y.dilation - layer.window.y.pad_before;
        const index_t col = j * layer.window.x.stride + u * layer.window.x.dilation - layer.window.x.pad_before;
        if (row >= 0 && row < h && col >= 0 && col < w) window_elements.push_back(x[to_size(((m * h + row) * w + col) * c + k)]);
      }
    const auto ends = std::minmax_element(window_elements.begin(), window_elements.end());
    const int extreme = Rule::id == q::operator_id::maximum ? *ends.second : *ends.first;
    REQUIRE(y[to_size(e)] == std::min(std::max<std::int64_t>(extreme, layer.range.min), std::int64_t{layer.range.max}));
  }
}

// ---- extremes of two tensors and along axes

constexpr bool binary_holds() {
  const int16_t a[] = {1, -5, 32767, 4}, b[] = {0};
  int16_t y[4] = {}, z[4] = {};
  const q::matrix_view<const int16_t> left(a, 2, 2), right(b, 1, 1);
  const q::matrix_view<int16_t> out(y, 2, 2), lesser(z, 2, 2);
  const q::binary_layer max{q::maximum<int16_t>{}};
  const q::binary_layer min{q::minimum<int16_t>{}};
  if (check(max, left, right, out) != status::ok || check(min, left, right, lesser) != status::ok) return false;
  run(max, left, right, out);
  run(min, left, right, lesser);
  return y[0] == 1 && y[1] == 0 && y[2] == 32767 && z[0] == 0 && z[1] == -5 && z[3] == 0;
}
static_assert(binary_holds());

/// Returns the index of the extreme of a row.
template <class Rule>
constexpr int32_t first_of(int8_t a, int8_t b, int8_t c, int8_t d) {
  const int8_t x[] = {a, b, c, d};
  int32_t y[1] = {-1};
  const q::arg_layer layer{Rule{}};
  const q::matrix_view<const int8_t> in(x, 1, 4);
  const q::matrix_view<int32_t> out(y, 1, 1);
  if (check(layer, in, out) == status::ok) run(layer, in, out);
  return y[0];
}
static_assert(first_of<greatest>(7, 7, -6, 7) == 0 && first_of<greatest>(-128, -128, -128, -128) == 0);
static_assert(first_of<greatest>(-128, 5, 127, 127) == 2 && first_of<least>(3, -3, -3, 4) == 1 &&
              first_of<least>(4, 3, 2, 1) == 3);

constexpr status of_arg(index_t n, index_t h, index_t w, index_t c, index_t yn, index_t yh, index_t yw, index_t yc) {
  const int8_t* const x = nullptr;
  int32_t* const y = nullptr;
  return check_shapes(q::arg_layer{greatest{}}, q::nhwc_view<const int8_t>(x, n, h, w, c),
                      q::nhwc_view<int32_t>(y, yn, yh, yw, yc));
}
static_assert(of_arg(2, 3, 4, 5, 2, 3, 4, 1) == status::ok && of_arg(2, 3, 4, 5, 2, 1, 4, 5) == status::ok);
static_assert(of_arg(2, 3, 4, 5, 1, 3, 4, 5) == status::ok && of_arg(2, 3, 4, 5, 2, 3, 4, 5) == status::ok);
static_assert(of_arg(2, 3, 4, 5, 2, 1, 1, 5) == status::shape_mismatch &&
              of_arg(2, 3, 4, 5, 2, 3, 4, 2) == status::shape_mismatch);
static_assert(of_arg(2, 3, 4, 0, 2, 3, 4, 1) == status::shape_mismatch && of_arg(0, 3, 4, 5, 0, 3, 4, 1) == status::ok);
constexpr index_t beyond = sizeof(index_t) == 8 ? index_t{1} << (sizeof(index_t) == 8 ? 31 : 0) : 0;
static_assert(sizeof(index_t) == 4 || (of_arg(1, 1, beyond, 1, 1, 1, 1, 1) == status::ok &&
                                       of_arg(1, 1, beyond + 1, 1, 1, 1, 1, 1) == status::shape_mismatch));
constexpr status of_extreme(index_t n, index_t h, index_t w, index_t c, index_t yn, index_t yh, index_t yw, index_t yc) {
  const int8_t* const x = nullptr;
  int8_t* const y = nullptr;
  return check_shapes(q::extreme_layer{least{}}, q::nhwc_view<const int8_t>(x, n, h, w, c),
                      q::nhwc_view<int8_t>(y, yn, yh, yw, yc));
}
static_assert(of_extreme(2, 3, 4, 5, 1, 1, 1, 1) == status::ok && of_extreme(2, 3, 4, 5, 2, 1, 1, 5) == status::ok);
static_assert(of_extreme(2, 3, 4, 5, 2, 3, 4, 2) == status::shape_mismatch &&
              of_extreme(2, 0, 4, 5, 2, 1, 4, 5) == status::shape_mismatch);

/// Compares extremes, and their indices along one axis, with the definition.
void compare_extremes(support::random_bits& random, int axes) {
  const index_t sizes[] = {1 + random.below(3), 1 + random.below(3), 1 + random.below(3), 1 + random.below(4)};
  index_t to[4] = {};
  for (int i = 0; i < 4; ++i) to[i] = (axes >> i & 1) != 0 ? 1 : sizes[i];
  const auto x = random_elements<uint8_t>(sizes[0] * sizes[1] * sizes[2] * sizes[3], random);
  const index_t count = to[0] * to[1] * to[2] * to[3];
  std::vector<uint8_t> y(to_size(count));
  std::vector<int32_t> at(to_size(count), -1);
  const q::nhwc_view<const uint8_t> in(x.data(), sizes[0], sizes[1], sizes[2], sizes[3]);
  const q::nhwc_view<uint8_t> out(y.data(), to[0], to[1], to[2], to[3]);
  const q::nhwc_view<int32_t> indices(at.data(), to[0], to[1], to[2], to[3]);
  const q::extreme_layer layer{q::maximum<uint8_t>{}};
  const q::arg_layer arg{q::maximum<uint8_t>{}};
  REQUIRE(check(layer, in, out) == status::ok);
  run(layer, in, out, {0, 1});
  run(layer, in, out, {1, to[0] * to[1]});
  const bool has_index = check(arg, in, indices) == status::ok;
  CHECK((has_index || (axes & (axes - 1)) != 0));
  if (has_index) run(arg, in, indices);
  std::vector<int> best(to_size(count), -1);
  std::vector<int32_t> first(to_size(count)), seen(to_size(count));
  for (index_t e = 0; e < static_cast<index_t>(x.size()); ++e) {
    index_t place[4] = {}, rest = e, target = 0;
    for (int i = 3; i >= 0; --i) place[i] = rest % sizes[i], rest /= sizes[i];
    for (int i = 0; i < 4; ++i) target = target * to[i] + (to[i] == 1 ? 0 : place[i]);
    const std::size_t t = to_size(target);
    if (x[to_size(e)] > best[t]) best[t] = x[to_size(e)], first[t] = seen[t];
    ++seen[t];
  }
  for (std::size_t i = 0; i < y.size(); ++i) {
    REQUIRE(y[i] == best[i]);
    if (has_index) REQUIRE(at[i] == first[i]);
  }
}

// ---- padding and parts

constexpr bool padding_holds() {
  const int8_t x[] = {1, 2, 3, 4};  // 2 x 1 pixels with 2 channels
  int8_t y[24] = {};
  const q::pad_layer<int8_t> layer{{0, 1, 1, 1}, 9};
  const q::nhwc_view<const int8_t> in(x, 1, 2, 1, 2);
  const q::nhwc_view<int8_t> out(y, 1, 4, 2, 3);
  if (check(layer, in, out) != status::ok) return false;
  run(layer, in, out);
  const int8_t expected[] = {9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 1, 2, 9, 9, 9, 9, 3, 4, 9, 9, 9, 9, 9, 9};
  for (int i = 0; i < 24; ++i)
    if (y[i] != expected[i]) return false;
  return true;
}
static_assert(padding_holds());
constexpr status of_pad(index_t before, index_t x, index_t y) {
  const int8_t* const from = nullptr;
  int8_t* const to = nullptr;
  return check_shapes(q::pad_layer<int8_t>{{0, 0, before, 0}, 0}, q::nhwc_view<const int8_t>(from, 1, 1, x, 1),
                      q::nhwc_view<int8_t>(to, 1, 1, y, 1));
}
static_assert(of_pad(2, 3, 5) == status::ok && of_pad(3, 3, 5) == status::shape_mismatch &&
              of_pad(0, 6, 5) == status::shape_mismatch);
static_assert(of_pad(-1, 3, 5) == status::negative_size &&
              of_pad(std::numeric_limits<index_t>::max(), 3, 5) == status::shape_mismatch);
static_assert(of_pad(0, -3, 5) == status::negative_size);

constexpr bool parts_hold() {
  int8_t y[24] = {};
  const q::nhwc_view<int8_t> all(y, 2, 2, 3, 2);
  using axis = q::image_axis_id;
  const auto at = [&](axis a, index_t begin, index_t size) { return part_along(all, a, begin, size); };
  const auto columns = at(axis::w, 1, 2);
  if (columns.status != status::ok || columns.value.pixel(1, 1, 0) != all.pixel(1, 1, 1) || columns.value.w() != 2) return false;
  const auto channels = at(axis::c, 1, 1);
  if (channels.value.pixel(1, 0, 2) != all.pixel(1, 0, 2) + 1 || channels.value.c() != 1) return false;
  if (at(axis::n, 1, 1).value.data() != y + 12 || at(axis::h, 1, 1).value.data() != y + 6) return false;
  if (at(axis::n, 2, 0).status != status::ok || at(axis::n, 2, 1).status != status::shape_mismatch) return false;
  return at(axis::h, -1, 1).status == status::shape_mismatch && at(axis::h, 0, -1).status == status::shape_mismatch &&
         at(static_cast<axis>(4), 0, 1).status == status::shape_mismatch &&
         at(axis::h, std::numeric_limits<index_t>::max(), 1).status == status::shape_mismatch &&
         part_along(q::nhwc_view<int8_t>(y, -1, 1, 1, 1), axis::n, 0, 0).status == status::negative_size &&
         part_along(q::nhwc_view<int8_t>(nullptr, 2, 2, 3, 2), axis::n, 1, 1).value.data() == nullptr;
}
static_assert(parts_hold());

// ---- resizes

template <class Rule>
constexpr status of_resize(const Rule& rule, index_t in, index_t out) {
  const typename Rule::argument_type* const x = nullptr;
  typename Rule::value_type* const y = nullptr;
  const q::resize_layer layer{rule};
  const status rows = check_shapes(layer, q::nhwc_view<const typename Rule::argument_type>(x, 1, in, 1, 1),
                                   q::nhwc_view<typename Rule::value_type>(y, 1, out, 1, 1));
  const status columns = check_shapes(layer, q::nhwc_view<const typename Rule::argument_type>(x, 1, 1, in, 1),
                                      q::nhwc_view<typename Rule::value_type>(y, 1, 1, out, 1));
  return rows == columns ? rows : status::undecided;
}
using bilinear = q::tflite::resize_bilinear<int8_t>;
using nearest = q::tflite::resize_nearest<int8_t>;
constexpr bilinear plain{}, corners{{true, false}}, centers{{false, true}};
// The smallest sizes for which TFLite reads outside the image.
static_assert(of_resize(plain, 1, 54) == status::ok && of_resize(plain, 1, 55) == status::reads_outside);
static_assert(of_resize(centers, 2, 1281) == status::reads_outside && of_resize(centers, 2, 1279) == status::ok);
static_assert(of_resize(bilinear{{true, true}}, 4, 4) == status::illegal_operator &&
              of_resize(nearest{{true, true}}, 4, 4) == status::ok);
constexpr index_t most = 1 << 20;
static_assert(of_resize(corners, most, 4) == status::ok && of_resize(corners, most + 1, 4) == status::size_overflow);
static_assert(of_resize(centers, most, 1) == status::ok && of_resize(centers, 4, most + 1) == status::size_overflow);
static_assert(of_resize(nearest{}, 4, most) == status::ok && of_resize(nearest{}, 4, most + 1) == status::size_overflow);
static_assert(of_resize(plain, 0, 4) == status::shape_mismatch && of_resize(plain, 4, 0) == status::shape_mismatch);
static_assert(of_resize(plain, -1, 4) == status::negative_size);
// binary32 misses exact integers.
static_assert(nearest{}.along(0, 2, 82)(41).low == 0 && nearest{}.along(0, 2, 84)(42).low == 1);
static_assert(nearest{{true, false}}.along(0, 2, 83)(41).low == 0 && nearest{{false, true}}.along(0, 2, 41)(20).low == 0);
static_assert(nearest{{true, true}}.along(0, 3, 3)(2).low == 2);  // 2.5 is rounded to 3, and clamped

constexpr status of_tosa(q::tosa::resize_attributes a, index_t in, index_t out) {
  const auto both = of_resize(q::tosa::resize_bilinear<int8_t>{{a, a}}, in, out);
  const auto rows = check(q::tosa::resize_nearest<int16_t>{{{a, {}}}}, 0, in, out);
  const auto columns = check(q::tosa::resize_nearest<int16_t>{{{{}, a}}}, 1, in, out);
  return rows == columns ? rows : both;
}
static_assert(of_tosa({1, 1, 0, 0}, 5, 5) == status::ok && of_tosa({1, 1, 0, 0}, 5, 6) == status::illegal_operator);
static_assert(of_tosa({4, 2, 0, 2}, 5, 10) == status::ok && of_tosa({4, 2, -1, 1}, 5, 10) == status::ok);
static_assert(of_tosa({4, 2, 0, 1}, 5, 9) == status::illegal_operator);  // a remainder
static_assert(of_tosa({4, 2, 0, 1}, 5, 10) == status::illegal_operator);
static_assert(of_tosa({2048, 2048, 0, 0}, 5, 5) == status::ok && of_tosa({2049, 2049, 0, 0}, 5, 5) == status::illegal_operator);
static_assert(of_tosa({0, 1, 0, 0}, 5, 5) == status::illegal_operator && of_tosa({1, 0, 0, 0}, 5, 5) == status::illegal_operator);
static_assert(of_tosa({1, 15, 0, 0}, 16, 2) == status::ok && of_tosa({1, 16, 0, 0}, 17, 2) == status::illegal_operator);
static_assert(of_tosa({2, 2, -2, 0}, 4, 5) == status::ok && of_tosa({2, 2, -3, 1}, 4, 6) == status::illegal_operator);
static_assert(of_tosa({1, 1, 15, 0}, 20, 5) == status::ok && of_tosa({1, 1, 16, 0}, 20, 4) == status::illegal_operator);
static_assert(of_tosa({1, 1, 0, -16}, 20, 4) == status::ok && of_tosa({1, 1, 0, -17}, 20, 3) == status::illegal_operator);
static_assert(of_tosa({2, 1, 0, 1}, 4, 8) == status::ok && of_tosa({2, 1, 0, 2}, 4, 9) == status::illegal_operator);
static_assert(of_tosa({1, 1, 0, 0}, 16383, 16383) == status::ok &&
              of_tosa({1, 1, 0, 0}, 16384, 16384) == status::illegal_operator);

/// Returns the input at p / n inputs, times n, with the first and the last input repeated outside of the image.
std::int64_t between(const std::vector<std::int64_t>& x, std::int64_t p, std::int64_t n) {
  const auto last = static_cast<std::int64_t>(x.size()) - 1;
  p = std::min(std::max<std::int64_t>(p, 0), last * n);
  const std::int64_t whole = p / n, rest = p % n;
  return rest == 0 ? n * x[to_size(whole)] : (n - rest) * x[to_size(whole)] + rest * x[to_size(whole + 1)];
}

q::tosa::resize_attributes any_attributes(support::random_bits& random, index_t in, index_t& out) {
  for (;;) {
    q::tosa::resize_attributes a{1 + random.below(8), 1 + random.below(8), 0, 0};
    a.offset = random.below(17 * a.scale_n) - a.scale_n;
    a.border = random.below(17 * a.scale_n) - 16 * a.scale_n;
    const std::int64_t span = (in - 1) * a.scale_n - a.offset + a.border;
    if (span < 0 || span % a.scale_d != 0 || a.scale_d >= 16 * a.scale_n) continue;
    out = static_cast<index_t>(span / a.scale_d + 1);
    return a;
  }
}

/// Compares a RESIZE of both modes with interpolation in integers, rows after columns.
template <class X>
void compare_tosa(support::random_bits& random) {
  const index_t h = 1 + random.below(5), w = 1 + random.below(5), c = 1 + random.below(3);
  index_t oh = 0, ow = 0;
  const auto rows = any_attributes(random, h, oh), columns = any_attributes(random, w, ow);
  const auto x = random_elements<X>(2 * h * w * c, random);
  const q::resize_layer layer{q::tosa::resize_bilinear<X>{{rows, columns}}};
  const q::resize_layer other{q::tosa::resize_nearest<X>{{{rows, columns}}}};
  using Y = typename q::tosa::resize_bilinear<X>::value_type;
  std::vector<Y> y(to_size(2 * oh * ow * c));
  std::vector<X> z(y.size());
  const q::nhwc_view<const X> in(x.data(), 2, h, w, c);
  const q::nhwc_view<Y> out(y.data(), 2, oh, ow, c);
  const q::nhwc_view<X> one(z.data(), 2, oh, ow, c);
  REQUIRE(check(layer, in, out) == status::ok);
  REQUIRE(check(other, in, one) == status::ok);
  run(layer, in, out, {0, 1});
  run(layer, in, out, {1, 2 * oh});
  run(other, in, one);
  for (index_t e = 0; e < static_cast<index_t>(y.size()); ++e) {
    const index_t k = e % c, j = e / c % ow, i = e / c / ow % oh, m = e / c / ow / oh;
    const std::int64_t p = std::int64_t{i} * rows.scale_d + rows.offset, u = std::int64_t{j} * columns.scale_d + columns.offset;
    std::vector<std::int64_t> column(to_size(h));
    for (index_t v = 0; v < h; ++v) {
      std::vector<std::int64_t> row(to_size(w));
      for (index_t a = 0; a < w; ++a) row[to_size(a)] = in.pixel(m, v, a)[k];
      column[to_size(v)] = between(row, u, columns.scale_n);
    }
    REQUIRE(y[to_size(e)] == between(column, p, rows.scale_n));
    // The nearest input; a place halfway between two inputs reads the next input.
    const auto near = [](std::int64_t at, std::int64_t n, index_t size) {
      return std::min(std::max<std::int64_t>((2 * at + 33 * n) / (2 * n) - 16, 0), std::int64_t{size} - 1);
    };
    REQUIRE(z[to_size(e)] ==
            in.pixel(m, static_cast<index_t>(near(p, rows.scale_n, h)), static_cast<index_t>(near(u, columns.scale_n, w)))[k]);
  }
}

}  // namespace

TEST_CASE("pools of extremes equal their definition") {
  support::random_bits random;
  for (int i = 0; i < 300; ++i) {
    compare_pools<q::maximum<int8_t>>(random);
    compare_pools<q::minimum<uint8_t>>(random);
    compare_pools<q::maximum<int16_t>>(random);
  }
}

TEST_CASE("extremes along any axes, and their first index, equal their definition") {
  support::random_bits random;
  for (int axes = 0; axes < 16; ++axes)
    for (int i = 0; i < 40; ++i) compare_extremes(random, axes);
}

namespace {
using q_resize = q::tflite::resize_alignment;
constexpr q::xnnpack::resize_bilinear<int8_t> legacy{}, xnnpack_corners{{true, false}}, xnnpack_centers{{false, true}};
static_assert(of_resize(q::xnnpack::resize_bilinear<uint8_t>{{true, true}}, 4, 4) == status::illegal_operator);
static_assert(of_resize(legacy, 1, 55) == status::ok && of_resize(legacy, (1 << 24) - 1, 3) == status::ok);
static_assert(of_resize(legacy, 1 << 24, 3) == status::size_overflow && of_resize(legacy, 3, 1 << 24) == status::size_overflow);
static_assert(legacy.along(0, 3, 7)(6).weight == 1170);           // 18/7 = 2.5714, times 2048: 1170.29
static_assert(xnnpack_centers.along(0, 2, 4)(0).weight == 0);     // -0.25 is clamped to 0
static_assert(xnnpack_centers.along(0, 2, 4)(3).low == 1);        // 1.25 is clamped to 1
static_assert(xnnpack_corners.along(0, 5, 9)(3).weight == 1024);  // 1.5
static_assert(legacy.along(0, 2049, 4096)(1).weight == 1024);     // 1024.5 of 2048, to even
static_assert(legacy.along(0, 2051, 4096)(1).weight == 1026);     // 1025.5
static_assert(legacy.finish((5 << 22) + (1 << 21)) == 6 && legacy.finish(-(5 << 22) - (1 << 21)) == -5);  // ties go up

/// Returns the position of output i in float, where each result is stored, so that no compiler fuses two operations.
float xnnpack_position(q_resize alignment, index_t in, index_t out, index_t i) {
  const index_t less = alignment.align_corners && out > 1 ? 1 : 0;
  const volatile float ratio = static_cast<float>(in - less) / static_cast<float>(out - less);
  const volatile float product = static_cast<float>(i) * ratio;
  if (!alignment.half_pixel_centers) return product;
  const volatile float half = 0.5f * ratio;
  const volatile float offset = half - 0.5f;
  const volatile float sum = product + offset;
  return std::min(std::max(float{sum}, 0.0f), static_cast<float>(in - 1));
}
/// Compares rows of one channel with the definition in integers.
template <class X>
void compare_xnnpack(support::random_bits& random, q_resize alignment) {
  const index_t size[2] = {1 + random.below(6), 1 + random.below(9)}, to[2] = {1 + random.below(15), 1 + random.below(20)};
  const auto x = random_elements<X>(size[0] * size[1], random);
  std::vector<X> y(to_size(to[0] * to[1]));
  const q::resize_layer layer{q::xnnpack::resize_bilinear<X>{alignment}};
  const q::nhwc_view<const X> in(x.data(), 1, size[0], size[1], 1);
  const q::nhwc_view<X> out(y.data(), 1, to[0], to[1], 1);
  REQUIRE(check(layer, in, out) == status::ok);
  run(layer, in, out);
  for (index_t i = 0; i < to[0]; ++i)
    for (index_t j = 0; j < to[1]; ++j) {
      index_t low[2] = {}, high[2] = {};
      std::int64_t weight[2] = {};
      for (int axis = 0; axis < 2; ++axis) {
        const float v = xnnpack_position(alignment, size[axis], to[axis], axis == 0 ? i : j);
        low[axis] = static_cast<index_t>(v);
        high[axis] = std::min(low[axis] + 1, size[axis] - 1);
        weight[axis] = std::lrint((v - static_cast<float>(low[axis])) * 2048.0f);
      }
      const auto row = [&](index_t r) {
        const std::int64_t left = in.pixel(0, r, low[1])[0], right = in.pixel(0, r, high[1])[0];
        return 2048 * left + weight[1] * (right - left);
      };
      const std::int64_t top = row(low[0]), sum = 2048 * top + weight[0] * (row(high[0]) - top);
      const double quotient = std::floor(static_cast<double>(sum) / (1 << 22) + 0.5);
      REQUIRE(out.pixel(0, i, j)[0] == static_cast<int>(quotient));
    }
}
}  // namespace

TEST_CASE("XNNPACK's resize has weights of 11 bits from positions in binary32") {
  support::random_bits random;
  for (int i = 0; i < 300; ++i)
    for (const q_resize alignment : {q_resize{}, q_resize{true, false}, q_resize{false, true}}) {
      compare_xnnpack<int8_t>(random, alignment);
      compare_xnnpack<uint8_t>(random, alignment);
    }
}

TEST_CASE("TOSA's RESIZE interpolates exactly") {
  support::random_bits random;
  for (int i = 0; i < 2000; ++i) {
    compare_tosa<int8_t>(random);
    compare_tosa<int16_t>(random);
  }
}

TEST_CASE("TFLite's resize keeps constant images and equal sizes, and stays inside with aligned corners") {
  for (const bilinear& rule : {plain, corners, centers})
    for (const index_t in : {1, 2, 3, 7, 20})
      for (index_t out = 1; out < 60; ++out) {
        if (of_resize(rule, in, out) == status::reads_outside) continue;
        std::vector<int8_t> x(to_size(in), -77), y(to_size(out));
        const q::resize_layer layer{rule};
        const q::nhwc_view<int8_t> to(y.data(), 1, 1, out, 1);
        run(layer, q::nhwc_view<const int8_t>(x.data(), 1, 1, in, 1), to);
        CHECK(std::all_of(y.begin(), y.end(), [](int8_t v) { return v == -77; }));
        if (in != out) continue;
        std::iota(x.begin(), x.end(), int8_t{-9});
        run(layer, q::nhwc_view<const int8_t>(x.data(), 1, 1, in, 1), to);
        CHECK(x == y);
      }
  for (index_t in = 1; in < 60; ++in)
    for (index_t out = 1; out < 300; ++out) REQUIRE(of_resize(corners, in, out) == status::ok);
}
