#include <dyadic/dyadic.hpp>
#include <dyadic/elementwise/activation_range.hpp>
#include <dyadic/elementwise/add.hpp>
#include <dyadic/elementwise/average_pool.hpp>
#include <dyadic/elementwise/binary.hpp>
#include <dyadic/elementwise/multiply.hpp>
#include <dyadic/elementwise/reduce.hpp>

#include <cstddef>
#include <cstdint>

#include "../support/catch.hpp"

namespace q = dyadic;
using q::status;
using std::int16_t;
using std::int8_t;

namespace {

constexpr q::output_range all = q::range_of<int8_t>();
using sum = q::tflite::add<int8_t>;
constexpr q::binary_layer halves{sum::derive(1.0f, 0, 1.0f, 0, 2.0f, all).value};

// ---- two inputs and their broadcast, by the compiler

template <std::size_t N>
struct values {
  int8_t at[N];
};
template <std::size_t N>
constexpr bool operator==(const values<N>& a, const values<N>& b) {
  for (std::size_t i = 0; i < N; ++i)
    if (a.at[i] != b.at[i]) return false;
  return true;
}

/// Returns (a + b) / 2 of 2 x 3 elements. The second operand has rows x cols elements. The rows of y are 4 elements apart.
constexpr values<8> sums(q::index_t rows, q::index_t cols, q::row_range range) {
  const int8_t a[] = {1, 2, 3, -1, -2, -3};
  const int8_t b[] = {10, 20, 30, 40, 50, 60};
  values<8> y{};
  const q::matrix_view x_a(a, 2, 3), x_b(b, rows, cols);
  const q::matrix_view<int8_t> out(y.at, 2, 3, 4);
  if (check(halves, x_a, x_b, out) == status::ok) q::run<void>(halves, x_a, x_b, out, range);
  return y;
}
static_assert(sums(2, 3, {0, 2}) == values<8>{{6, 11, 17, 0, 20, 24, 29, 0}});
static_assert(sums(1, 3, {0, 2}) == values<8>{{6, 11, 17, 0, 5, 9, 14, 0}});  // one value for each channel
static_assert(sums(2, 1, {0, 2}) == values<8>{{6, 6, 7, 0, 10, 9, 9, 0}});    // one value for each row
static_assert(sums(1, 1, {0, 2}) == values<8>{{6, 6, 7, 0, 5, 4, 4, 0}});     // one value for all: 9 / 2 = 4.5 becomes 5
static_assert(sums(1, 3, {1, 2}) == values<8>{{0, 0, 0, 0, 5, 9, 14, 0}});
static_assert(sums(3, 1, {0, 2}) == values<8>{} && sums(2, 2, {0, 2}) == values<8>{});

template <class Layer>
constexpr status checked(const Layer& layer, q::index_t a_rows, q::index_t b_cols, q::index_t y_cols, bool is_null = false) {
  const int8_t x[6] = {};
  int8_t y[6] = {};
  const q::matrix_view<const int8_t> a(is_null ? nullptr : x, a_rows, 3), b(x, 1, b_cols);
  return check(layer, a, b, q::matrix_view<int8_t>(y, 2, y_cols));
}
static_assert(checked(halves, 2, 3, 3) == status::ok && checked(halves, 1, 1, 3) == status::ok);
static_assert(checked(halves, 3, 3, 3) == status::shape_mismatch && checked(halves, 2, 2, 3) == status::shape_mismatch);
static_assert(checked(halves, 2, 3, 2) == status::shape_mismatch && checked(halves, 2, 3, 3, true) == status::null_data);
static_assert(checked(halves, -1, 3, 3) == status::negative_size);

constexpr status of_rule(std::int32_t left_shift) {
  auto layer = halves;
  layer.rule.left_shift = left_shift;
  return checked(layer, 2, 3, 3);
}
static_assert(of_rule(31) == status::multiplier_out_of_range && of_rule(25) == status::accumulator_overflow);

/// Checks that shapes can be checked without memory, and that the sum may lie on an operand.
constexpr bool halves_hold() {
  int8_t x[6] = {};
  const q::matrix_view<const int8_t> nowhere(static_cast<const int8_t*>(nullptr), 2, 3);
  const q::matrix_view<int8_t> y(x, 2, 3);
  auto wrong = halves;
  wrong.rule.left_shift = 25;
  auto bad = halves;
  bad.rule.left_shift = 31;
  return check_shapes(halves, nowhere, nowhere, y) == status::ok &&
         check_memory(halves, nowhere, nowhere, y) == status::null_data &&
         check_memory(halves, y, nowhere, y) == status::null_data && check(halves, y, y, y) == status::ok &&
         check(wrong, y, y, y) == status::accumulator_overflow && check(bad, y, y, y) == status::multiplier_out_of_range &&
         check_shapes(wrong, nowhere, nowhere, y) == status::accumulator_overflow;
}
static_assert(halves_hold());

/// Checks XNNPACK's rule of scheme/xnnpack.hpp, and TOSA's rule for int32.
constexpr bool others_hold() {
  const q::binary_layer xnnpack{q::xnnpack::add::derive(1.0f, 0, 1.0f, 0, 2.0f, all).value};
  const int8_t a[] = {-3, 3};
  int8_t y[2] = {};
  const q::matrix_view<const int8_t> in(a, 1, 2), zero(&y[0], 1, 1);
  int8_t out[2] = {};
  const q::matrix_view<int8_t> to(out, 1, 2);
  if (check(xnnpack, in, zero, to) != status::ok) return false;
  run(xnnpack, in, zero, to);
  const std::int32_t large[] = {1 << 20, -(1 << 20)};
  std::int32_t product[2] = {};
  const q::binary_layer tosa{q::tosa::multiply{32}};
  const q::matrix_view<const std::int32_t> factors(large, 1, 2);
  if (check(tosa, factors, factors, q::matrix_view<std::int32_t>(product, 1, 2)) != status::ok) return false;
  run(tosa, factors, factors, q::matrix_view<std::int32_t>(product, 1, 2));
  return out[0] == -1 && out[1] == 2 && product[0] == 256 && product[1] == 256;
}
static_assert(others_hold());
constexpr status of_xnnpack(std::int32_t mantissa, std::int32_t right_shift, std::int32_t zero_point) {
  return check(q::xnnpack::add{mantissa, mantissa, right_shift, zero_point, 0, all});
}
static_assert(of_xnnpack(1 << 21, 30, 127) == status::ok && of_xnnpack(-(1 << 21), 12, -128) == status::ok);
static_assert(of_xnnpack((1 << 21) + 1, 20, 0) == status::multiplier_out_of_range);
static_assert(of_xnnpack(0, 31, 0) == status::multiplier_out_of_range && of_xnnpack(0, 11, 0) == status::multiplier_out_of_range);
static_assert(of_xnnpack(0, 20, 128) == status::zero_point_out_of_range);

// ---- pools

/// Returns the 3 x 3 averages of the image 1 2 / 3 4. Windows have 2 x 2 elements, stride 1 and one element of padding on each
/// side.
template <class Rule>
constexpr values<9> pooled(q::averaged divisor, std::int32_t zero_point = 0, q::row_range rows = {0, 3}) {
  const int8_t x[] = {1, 2, 3, 4};
  values<9> y{};
  const q::window1d w{2, 1, 1, 1, 1};
  const q::average_pool_layer layer{
      {w, w}, divisor, q::average_output<int8_t, Rule>{zero_point, q::range_of<int8_t>(zero_point)}};
  const q::nhwc_view<const int8_t> in(x, 1, 2, 2, 1);
  const q::nhwc_view<int8_t> out(y.at, 1, 3, 3, 1);
  if (check(layer, in, out) == status::ok) run(layer, in, out, rows);
  return y;
}
static_assert(pooled<q::tflite::average>(q::averaged::inside) ==
              values<9>{{1, 2, 2, 2, 3, 3, 3, 4, 4}});  // 1.5, 2.5 and 3.5, away from zero
static_assert(pooled<q::onednn::average>(q::averaged::inside) == values<9>{{1, 2, 2, 2, 2, 3, 3, 4, 4}});
static_assert(pooled<q::onednn::average>(q::averaged::window) == values<9>{{0, 1, 0, 1, 2, 2, 1, 2, 1}});
static_assert(pooled<q::tosa::average>(q::averaged::inside, -2) == pooled<q::tflite::average>(q::averaged::inside));
static_assert(pooled<q::tosa::average>(q::averaged::window, 4) ==
              values<9>{{3, 3, 3, 3, 2, 3, 4, 4, 4}});                              // 1 - 4 = -3, divided by 4
static_assert(pooled<q::tflite::average>(q::averaged::inside, -2) == values<9>{});  // accepts no zero points
static_assert(pooled<q::cmsis_nn::average>(q::averaged::inside, 0, {1, 2}) == values<9>{{0, 0, 0, 2, 3, 3, 0, 0, 0}});

/// Returns the averages of 1 2 4 8 in windows of a row.
template <class Rule, std::size_t N>
constexpr values<N> pooled_row(q::window1d w, q::averaged divisor, q::average_output<int8_t, Rule> output = {}) {
  const int8_t x[] = {1, 2, 4, 8};
  values<N> y{};
  const q::average_pool_layer layer{{{}, w}, divisor, output};
  const q::nhwc_view<const int8_t> in(x, 1, 1, 4, 1);
  const q::nhwc_view<int8_t> out(y.at, 1, 1, N, 1);
  if (check(layer, in, out) == status::ok) run(layer, in, out);
  return y;
}
using q::averaged;
// Dilation: 1 and 4, 2 and 8; with padding 0 and 4, and so on.
static_assert(pooled_row<q::tflite::average, 2>({2, 1, 2}, averaged::inside) == values<2>{{3, 5}});
static_assert(pooled_row<q::tflite::average, 4>({2, 1, 2, 1, 1}, averaged::inside) == values<4>{{2, 3, 5, 4}});
static_assert(pooled_row<q::tflite::average, 4>({2, 1, 2, 1, 1}, averaged::window) == values<4>{{1, 3, 5, 2}});
// The ceiling mode: the last window has one element of the image. It counts the padding, but nothing beyond the padding.
static_assert(pooled_row<q::tflite::average, 2>({3, 3}, averaged::inside) == values<2>{{2, 8}});
static_assert(pooled_row<q::tflite::average, 2>({3, 3}, averaged::window) == values<2>{{2, 8}});
static_assert(pooled_row<q::tflite::average, 1>({3, 3}, averaged::window) == values<1>{{2}});
static_assert(pooled_row<q::tflite::average, 2>({3, 3, 1, 0, 1}, averaged::window) == values<2>{{2, 4}});  // 8 / 2
static_assert(pooled_row<q::tflite::average, 2>({3, 3, 1, 0, 2}, averaged::window) == values<2>{{2, 3}});  // 8 / 3
static_assert(pooled_row<q::tflite::average, 1>({6, 3}, averaged::window) == values<1>{{4}});              // 15 / 4

/// Returns the output of a pool with other scales and zero points of x and y.
template <class Ties>
constexpr auto rescaled(double x_scale, double y_scale, std::int32_t x_zero_point, std::int32_t y_zero_point) {
  const auto rule = q::exact::average<Ties>::derive(x_scale, y_scale);
  return q::average_output<int8_t, q::exact::average<Ties>>::of(x_zero_point, q::range_of<int8_t>(y_zero_point), rule.value);
}
// The averages less 2 are -1/2 and 4. Scaled by 3, they are -3/2, a tie, and 12.
static_assert(pooled_row<q::exact::average<q::half_away>, 2>({2, 2}, averaged::inside, rescaled<q::half_away>(3, 1, 2, 10)) ==
              values<2>{{8, 22}});
static_assert(pooled_row<q::exact::average<q::half_up>, 2>({2, 2}, averaged::inside, rescaled<q::half_up>(3, 1, 2, 10)) ==
              values<2>{{9, 22}});
// One rounding: 15 / 4 * 0.13 = 0.4875 gives 0, where a rounded average of 4 would give 0.52.
static_assert(pooled_row<q::exact::average<q::half_even>, 1>({4, 4, 1, 0, 0}, averaged::inside,
                                                             rescaled<q::half_even>(0.13, 1, 0, 0)) == values<1>{});
static_assert(q::exact::average<q::half_even>::derive(1.0, 0.0).status == status::scale_zero);
static_assert(q::exact::average<q::half_even>::derive(-1.0, 1.0).status == status::scale_negative);
static_assert(q::exact::average<q::half_even>::derive(0x1p31, 1.0).status == status::scale_too_large);
static_assert(check(rescaled<q::half_even>(1, 1, 128, 0)) == status::zero_point_out_of_range);
static_assert(check(q::average_output<int8_t, q::exact::average<q::half_even>>{0, all, {{1, -1}}}) ==
              status::multiplier_out_of_range);
static_assert(check(q::average_output<int8_t, q::exact::average<q::half_even>>{0, all, {{1, 127}}}) ==
              status::multiplier_out_of_range);
static_assert(check(q::average_output<int8_t, q::exact::average<q::half_even>>{0, all, {{-1, 1}}}) ==
              status::multiplier_out_of_range);

/// Averages the whole image, with two channels of int16.
constexpr bool whole_holds() {
  const int16_t x[] = {32767, -1, 32767, -2, 32766, -2, 32767, 32767};
  int16_t y[2] = {};
  const q::nhwc_view<const int16_t> in(x, 1, 2, 2, 2);
  const q::nhwc_view<int16_t> out(y, 1, 1, 1, 2);
  const q::average_pool_layer layer{q::whole_image(in), q::averaged::inside, q::average_output<int16_t, q::tosa::average>{}};
  if (check(layer, in, out) != status::ok) return false;
  run(layer, in, out);
  return y[0] == 32767 && y[1] == 8191;  // 32766.75 and 8190.5
}
static_assert(whole_holds());

struct image {
  q::index_t n, h, w, c;
};
struct pool_case {
  q::window2d window;
  image x, y;
  status expected;
};
constexpr q::window1d pair{2, 1, 1, 1, 1}, one{};
constexpr image four{1, 1, 4, 1}, five{1, 1, 5, 1};
constexpr pool_case pools[] = {
    {{one, pair}, four, five, status::ok},
    {{one, pair}, four, four, status::shape_mismatch},
    {{pair, one}, {1, 4, 1, 1}, {1, 5, 1, 1}, status::ok},
    {{pair, one}, {1, 4, 1, 1}, {1, 4, 1, 1}, status::shape_mismatch},
    {{one, pair}, {2, 1, 4, 1}, five, status::shape_mismatch},
    {{one, pair}, {1, 1, 4, 2}, five, status::shape_mismatch},
    {{one, pair}, {-1, 1, 4, 1}, five, status::negative_size},
    {{one, pair}, four, {1, 1, -5, 1}, status::negative_size},
    {{one, {0, 1, 1, 0, 0}}, four, five, status::bad_window},
    {{one, {2, 0, 1, 0, 0}}, four, five, status::bad_window},
    // Windows without an element of the image, by a padding of the effective kernel's size or by a dilation beyond the image.
    {{one, {2, 1, 1, 2, 0}}, four, five, status::bad_window},
    {{one, {2, 1, 1, 0, 2}}, four, five, status::bad_window},
    {{one, {2, 1, 2, 0, 0}}, four, {1, 1, 2, 1}, status::ok},
    {{one, {2, 1, 2, 2, 2}}, four, {1, 1, 6, 1}, status::ok},
    {{one, {2, 1, 2, 3, 0}}, four, {1, 1, 5, 1}, status::bad_window},
    {{one, {2, 1, 2, 0, 3}}, four, {1, 1, 5, 1}, status::bad_window},
    {{one, {2, 1, 4, 1, 0}}, four, {1, 1, 1, 1}, status::ok},
    {{one, {2, 1, 5, 1, 5}}, four, {1, 1, 5, 1}, status::shape_mismatch},  // the taps of the first window are inputs -1 and 4
    {{one, {2, 1, 5, 0, 5}}, four, {1, 1, 4, 1}, status::ok},
    // The ceiling mode adds a window, unless the window begins after the image.
    {{one, {2, 3, 1, 0, 0}}, four, {1, 1, 2, 1}, status::ok},
    {{one, {2, 3, 1, 0, 0}}, four, {1, 1, 1, 1}, status::ok},
    {{one, {2, 3, 1, 0, 0}}, four, {1, 1, 3, 1}, status::shape_mismatch},
    {{one, {2, 4, 1, 0, 1}}, four, {1, 1, 2, 1}, status::shape_mismatch},
    {{one, {5, 2, 1, 0, 0}}, four, {1, 1, 1, 1}, status::ok},  // the only window overhangs the image
    {{one, {5, 2, 1, 0, 0}}, four, {1, 1, 0, 1}, status::ok},
    {{one, {6, 2, 1, 0, 0}}, four, {1, 1, 1, 1}, status::shape_mismatch},
    {{{2, 1, 1, 2, 0}, one}, {1, 4, 1, 1}, {1, 5, 1, 1}, status::bad_window},
    {{{2, 1, 1, 0, 2}, one}, {1, 4, 1, 1}, {1, 5, 1, 1}, status::bad_window},
    {{{2, 1, 2, 0, 0}, one}, {1, 4, 1, 1}, {1, 2, 1, 1}, status::ok},
    {{{2, 1, 2, 3, 0}, one}, {1, 4, 1, 1}, {1, 5, 1, 1}, status::bad_window},
    {{{2, 1, 5, 1, 5}, one}, {1, 4, 1, 1}, {1, 5, 1, 1}, status::shape_mismatch},
    {{{2, 3, 1, 0, 0}, one}, {1, 4, 1, 1}, {1, 2, 1, 1}, status::ok},
    // Nothing is averaged if there is no image, or if the image and the output have no rows or columns.
    {{one, pair}, {0, 1, 4, 1}, {0, 1, 5, 1}, status::ok},
    {{one, pair}, {1, 1, 0, 1}, {1, 1, 1, 1}, status::shape_mismatch},
    {{pair, one}, {1, 0, 1, 1}, {1, 1, 1, 1}, status::shape_mismatch},
    {{one, {2, 1, 1, 0, 1}}, {1, 1, 0, 1}, {1, 1, 0, 1}, status::ok},
    {{{2, 1, 1, 0, 1}, one}, {1, 0, 1, 1}, {1, 0, 1, 1}, status::ok},
    // The rule takes 65534^2 elements, but not 65535^2. 641 * 6700417 = 2^32 + 1 elements must not count as one.
    {{one, {65534, 65534, 1, 65533, 65533}}, {1, 1, 1, 1}, {1, 1, 1, 1}, status::ok},
    {{one, {65535, 65535, 1, 65534, 65534}}, {1, 1, 1, 1}, {1, 1, 1, 1}, status::bad_window},
    {{{641, 641, 1, 640, 640}, {6700417, 6700417, 1, 6700416, 6700416}}, {1, 1, 1, 1}, {1, 1, 1, 1}, status::bad_window},
};
constexpr bool holds(const pool_case& c) {
  const int8_t x[8] = {};
  int8_t y[8] = {};
  const q::average_pool_layer layer{c.window, q::averaged::inside, q::average_output<int8_t, q::tflite::average>{}};
  const auto in = [&](const int8_t* data) { return q::nhwc_view<const int8_t>(data, c.x.n, c.x.h, c.x.w, c.x.c); };
  const auto out = [&](int8_t* data) { return q::nhwc_view<int8_t>(data, c.y.n, c.y.h, c.y.w, c.y.c); };
  return check(layer, in(x), out(y)) == c.expected && check_shapes(layer, in(nullptr), out(nullptr)) == c.expected;
}
constexpr bool pools_hold() {
  for (const pool_case& c : pools)
    if (!holds(c)) return false;
  return true;
}
static_assert(pools_hold());
using without = q::average_output<int8_t, q::tflite::average>;
using with = q::average_output<int8_t, q::tosa::average>;
using of_16_bits = q::average_output<int16_t, q::tosa::average>;
static_assert(check(without{1, all}) == status::zero_point_out_of_range && check(with{1, all}) == status::ok);
static_assert(check(without{0, q::range_of<int8_t>(1)}) == status::zero_point_out_of_range);
static_assert(check(of_16_bits{1, q::range_of<int16_t>()}) == status::zero_point_out_of_range);
static_assert(check(with{128, all}) == status::zero_point_out_of_range && check(with{0, {0, 1, 0}}) == status::empty_range);

/// The range of a fused relu6 at zero point -20: 0 is -20, and 6 is 120 steps of 0.05 above it.
constexpr q::output_range relu6 = q::tflite::activation_range<int8_t>(q::tflite::activation::relu6, 0.05f, -20).value;
template <class Output>
constexpr bool is_output(const Output& o, std::int32_t x_zero_point, q::output_range r) {
  return o.x_zero_point == x_zero_point && o.range.zero_point == r.zero_point && o.range.min == r.min && o.range.max == r.max;
}
// A rule of stored values drops the zero point that x and y share. Other zero points stay, and `check` refuses them.
static_assert(is_output(without::of(-20, relu6), 0, {0, -20, 100}) && check(without::of(-20, relu6)) == status::ok);
static_assert(is_output(without::of(-19, relu6), -19, relu6) &&
              check(without::of(-19, relu6)) == status::zero_point_out_of_range);
static_assert(is_output(with::of(-20, relu6), -20, relu6) && is_output(with::of(-19, relu6), -19, relu6));
static_assert(is_output(without::of(128, q::range_of<int8_t>(128)), 128, q::range_of<int8_t>(128)));
// TOSA's rule of int16 takes no zero point but 0.
static_assert(check(of_16_bits::of(7, q::range_of<int16_t>(7))) == status::zero_point_out_of_range);
static_assert(check(q::average_output<int16_t, q::tflite::average>::of(7, q::range_of<int16_t>(7))) == status::ok);

/// Averages a window of 2 x 2 and clamps it as relu6 does.
template <class Rule>
constexpr int pooled_relu6(int8_t a, int8_t b, int8_t c, int8_t d) {
  const int8_t x[] = {a, b, c, d};
  int8_t y[] = {0};
  const q::average_pool_layer layer{{{2}, {2}}, q::averaged::inside, q::average_output<int8_t, Rule>::of(-20, relu6)};
  const q::nhwc_view<const int8_t> in(x, 1, 2, 2, 1);
  const q::nhwc_view<int8_t> out(y, 1, 1, 1, 1);
  if (check(layer, in, out) != status::ok) return 1000;
  run(layer, in, out);
  return y[0];
}
static_assert(pooled_relu6<q::tflite::average>(10, 20, 30, 41) == 25 && pooled_relu6<q::tosa::average>(10, 20, 30, 41) == 25);
static_assert(pooled_relu6<q::tflite::average>(127, 127, 100, 127) == 100 && pooled_relu6<q::tosa::average>(-99, 0, 0, 0) == -20);

// ---- means over rows and columns

template <std::size_t N>
constexpr values<N> means(q::index_t rows, q::index_t cols, std::int32_t count) {
  const int8_t x[] = {1, 2, 6, -1, -2, -5};
  values<N> y{};
  const q::mean_layer layer{q::tflite::mean<int8_t>::derive(1.0f, 0, count, 1.0f, all).value};
  const q::matrix_view in(x, 2, 3);
  const q::matrix_view<int8_t> out(y.at, rows, cols);
  if (check(layer, in, out) == status::ok) run(layer, in, out);
  return y;
}
static_assert(means<2>(2, 1, 3) == values<2>{{3, -3}});    // each row: 9 / 3 and -8 / 3
static_assert(means<3>(1, 3, 2) == values<3>{{0, 0, 1}});  // each column: 0.5, away from zero
static_assert(means<1>(1, 1, 6) == values<1>{});           // 1 / 6
static_assert(means<6>(2, 3, 1) == values<6>{{1, 2, 6, -1, -2, -5}});
static_assert(means<2>(2, 1, 2) == values<2>{} && means<3>(3, 1, 1) == values<3>{});  // a wrong count, and a wrong axis

struct mean_case {
  q::index_t x_rows, x_cols, y_rows, y_cols;
  std::int32_t count;
  status expected;
};
constexpr mean_case mean_cases[] = {
    {2, 3, 1, 1, 6, status::ok},
    {2, 3, 1, 1, 5, status::shape_mismatch},
    {2, 3, 2, 2, 1, status::shape_mismatch},
    {2, 3, 3, 3, 1, status::shape_mismatch},
    {2, 3, 3, 2, 1, status::shape_mismatch},
    {-2, 3, 1, 1, 6, status::negative_size},
    {2, 3, 1, -1, 6, status::negative_size},
    {0, 3, 1, 1, 0, status::negative_size},  // no rule has a mean of 0 elements
    {0, 3, 0, 1, 3, status::ok},
    {0, 3, 1, 3, 1, status::shape_mismatch},
};
constexpr bool holds(const mean_case& c, status expected, std::int32_t zero_point = 0) {
  const int8_t x[8] = {};
  int8_t y[9] = {};
  const q::mean_layer layer{q::tflite::mean<int8_t>{zero_point, c.count, {1 << 30, 31}, all}};
  const auto in = [&](const int8_t* data) { return q::matrix_view<const int8_t>(data, c.x_rows, c.x_cols); };
  const auto out = [&](int8_t* data) { return q::matrix_view<int8_t>(data, c.y_rows, c.y_cols); };
  return check(layer, in(x), out(y)) == expected && check_shapes(layer, in(nullptr), out(nullptr)) == expected;
}
constexpr bool mean_cases_hold() {
  for (const mean_case& c : mean_cases)
    if (!holds(c, c.expected)) return false;
  return holds(mean_cases[0], status::zero_point_out_of_range, 128);
}
static_assert(mean_cases_hold());
constexpr bool memory_is_checked() {
  int8_t x[6] = {};
  const q::mean_layer mean{q::tflite::mean<int8_t>{0, 6, {1 << 30, 31}, all}};
  const q::average_pool_layer pool{{}, q::averaged::inside, q::average_output<int8_t, q::tflite::average>{}};
  const q::matrix_view<int8_t> in(x, 2, 3), inside(x + 5, 1, 1), nowhere(nullptr, 1, 1);
  const q::nhwc_view<int8_t> image(x, 1, 2, 3, 1), no_image(nullptr, 1, 2, 3, 1);
  return check_memory(mean, in, inside) == status::overlap && check_memory(mean, in, nowhere) == status::null_data &&
         check_memory(mean, nowhere, inside) == status::null_data && check_memory(pool, image, image) == status::overlap &&
         check_memory(pool, no_image, image) == status::null_data && check_memory(pool, image, no_image) == status::null_data;
}
static_assert(memory_is_checked());

/// Checks a mean of 2^24 + 1 elements. A sum that may leave int32 is the last error, after an overlap with x.
constexpr bool many_hold() {
  int8_t x[2] = {};
  const q::mean_layer layer{q::tflite::mean<int8_t>{0, (1 << 24) + 1, {1 << 30, 31}, all}};
  const q::matrix_view<const int8_t> in(&x[0], 1, (1 << 24) + 1), one_of(&x[0], 1, 1);
  auto single = layer;
  single.rule.count = 1;
  const q::matrix_view<int8_t> itself(&x[0], 1, 1);
  return check(layer, one_of, itself) == status::shape_mismatch && check(single, one_of, itself) == status::overlap &&
         check(layer, in, q::matrix_view<int8_t>(&x[0], 1, 1)) == status::overlap &&
         check_shapes(layer, in, q::matrix_view<int8_t>(&x[1], 1, 1)) == status::accumulator_overflow;
}

/// Checks that each view of a binary layer may be wrong, and that the sum may overlap an operand wrongly.
constexpr bool views_hold() {
  int8_t x[6] = {}, z[6] = {};
  const q::matrix_view<int8_t> y(x, 2, 3), other(z, 2, 3), wrong(x, 2, -3);
  // Views of y: fewer columns, rows farther apart, only the first row, and a row that begins an element later.
  const q::matrix_view<int8_t> part(&x[0], 2, 2, 3), apart(&x[0], 2, 2, 4), row(&x[0], 1, 3), later(&x[1], 1, 3);
  const auto shapes = [&](auto a, auto b, auto c) { return check_shapes(halves, a, b, c); };
  const auto memory = [&](auto a, auto b, auto c) { return check_memory(halves, a, b, c); };
  return shapes(wrong, other, other) == status::negative_size && shapes(other, wrong, other) == status::negative_size &&
         shapes(other, other, wrong) == status::negative_size && memory(wrong, other, other) == status::negative_size &&
         memory(other, wrong, other) == status::negative_size && memory(other, other, wrong) == status::negative_size &&
         memory(y, other, y) == status::ok && memory(other, y, y) == status::ok && memory(y, y, y) == status::ok &&
         memory(part, other, y) == status::overlap && memory(other, part, y) == status::overlap &&
         memory(y, other, part) == status::overlap && memory(apart, other, part) == status::overlap &&
         memory(row, other, y) == status::overlap && memory(row, row, row) == status::ok &&
         memory(later, row, row) == status::overlap && memory(other, other, y) == status::ok;
}
static_assert(views_hold());

}  // namespace

TEST_CASE("operators on elements give the same at run time and in the compiler") {
  CHECK(sums(2, 1, {0, 2}) == values<8>{{6, 6, 7, 0, 10, 9, 9, 0}});
  CHECK(halves_hold());
  CHECK(others_hold());
  CHECK(pooled<q::onednn::average>(q::averaged::window) == values<9>{{0, 1, 0, 1, 2, 2, 1, 2, 1}});
  CHECK(whole_holds());
  CHECK(pools_hold());
  CHECK(mean_cases_hold());
  CHECK(many_hold());
  CHECK(views_hold());
  CHECK(means<2>(2, 1, 3) == values<2>{{3, -3}});
}
