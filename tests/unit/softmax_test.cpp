#include <dyadic/elementwise/softmax_layer.hpp>
#include <dyadic/elementwise/tosa_softmax.hpp>
#include <dyadic/native.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "../support/catch.hpp"

namespace q = dyadic;
namespace tflite = q::tflite;
using q::status;

namespace {

// ---- by the compiler

constexpr auto softmax8 = tflite::softmax<std::int8_t>::derive(0x1p-4f, 1.0f);
static_assert(softmax8.status == status::ok && softmax8.value.least_difference == -248);
static_assert(softmax8.value.multiplier == q::multiplier32{1 << 30, 8});

/// Two rows of four. The first row has equal elements. In the second row the element 127 is 16 steps of 1 / 16, hence 1, above
/// 111, and 255 / 16 above the others.
constexpr std::array<std::int8_t, 8> rows() {
  const std::int8_t x[] = {5, 5, 5, 5, -128, 127, -128, 111};
  std::array<std::int8_t, 8> y{};
  const q::softmax_layer layer{softmax8.value};
  const q::matrix_view<std::int8_t> out(y.data(), 2, 4);
  if (check(layer, q::matrix_view(x, 2, 4), out) == status::ok) run(layer, q::matrix_view(x, 2, 4), out);
  return y;
}
// A quarter of 256 less 128; 1 / (1 + 1/e) = 0.731 = 187 / 256, and 69 / 256.
static_assert(rows()[0] == -64 && rows()[3] == -64);
static_assert(rows()[4] == -128 && rows()[5] == 59 && rows()[6] == -128 && rows()[7] == -59);

// Returns the int16 softmax of two equal elements, or of a row of one element.
constexpr std::array<std::int16_t, 2> halves(q::index_t count) {
  const std::int8_t x[] = {-7, -7};
  std::array<std::int16_t, 2> y{};
  const auto rule = tflite::softmax<std::int8_t, std::int16_t, tflite::single_rounding>::derive(0.5f, 2.0f);
  rule.value({x, count}, {y.data(), count});
  return y;
}
static_assert(halves(2)[0] == 0 && halves(2)[1] == 0 && halves(1)[0] == 32767);

// Simple falling tables: exp is 32767 at 0, and 16384 half a table below 0.
struct tables {
  std::int16_t exponential[513] = {};
  std::int16_t reciprocal[513] = {};
};
constexpr tables line() {
  tables t{};
  for (int i = 0; i < 513; ++i) {
    t.exponential[i] = static_cast<std::int16_t>(64 * i - (i == 512));
    t.reciprocal[i] = static_cast<std::int16_t>(32767 - 32 * i);
  }
  return t;
}
constexpr tables line_tables = line();
template <class Rule>
constexpr Rule rule_of(const tables& t, q::multiplier32 m) {
  Rule rule{};
  rule.multiplier = m;
  rule.exponential = {t.exponential};
  rule.reciprocal = {t.reciprocal};
  return rule;
}
constexpr auto softmax16 = rule_of<tflite::softmax<std::int16_t>>(line_tables, {1 << 30, 30});
constexpr auto wrapping16 = rule_of<q::cmsis_nn::softmax<std::int16_t>>(line_tables, {1 << 30, 30});
static_assert(check(softmax16) == status::ok && check(wrapping16) == status::ok);
template <class Rule>
constexpr std::int16_t only_one(const Rule& rule) {
  const std::int16_t x[] = {1234};
  std::int16_t y[1] = {};
  rule(x, y);
  return y[0];
}
static_assert(only_one(softmax16) == 32767 && only_one(wrapping16) == 32767);

// The rows by TOSA's operators, with tables made at compile time.
constexpr auto byte_tables = q::tosa::softmax_tables_of(0x1p-4f, 1.0f);
static_assert(byte_tables.status == status::ok && byte_tables.value.bytes[0][256] == 127 &&
              byte_tables.value.bytes[3][256] == 255);
static_assert(byte_tables.value.bytes[0][257] == 0 && byte_tables.value.bytes[2][7] == 0);
static_assert(byte_tables.value.bytes[1][257] == 0 && byte_tables.value.bytes[2][257] == 0 &&
              byte_tables.value.bytes[3][257] == 0);
static_assert(q::tosa::softmax<std::int8_t>{}.y_zero_point == -128);
constexpr q::tosa::softmax<std::int8_t> of_tosa(const q::tosa::softmax_tables& t, std::int32_t y_zero_point) {
  return {{{t.bytes[0]}, {t.bytes[1]}, {t.bytes[2]}, {t.bytes[3]}}, y_zero_point};
}
constexpr auto tosa8 = of_tosa(byte_tables.value, -128);
constexpr std::array<std::int8_t, 8> rows_of_tosa(std::int32_t y_zero_point) {
  const std::int8_t x[] = {5, 5, 5, 5, -128, 127, -128, 111};
  std::array<std::int8_t, 8> y{};
  const q::softmax_layer layer{of_tosa(byte_tables.value, y_zero_point)};
  const q::matrix_view<std::int8_t> out(y.data(), 2, 4);
  if (check(layer, q::matrix_view(x, 2, 4), out) == status::ok) run(layer, q::matrix_view(x, 2, 4), out);
  return y;
}
static_assert(rows_of_tosa(-128)[0] == -64 && rows_of_tosa(-128)[3] == -64);
static_assert(rows_of_tosa(-128)[4] == -128 && rows_of_tosa(-128)[5] == 59 && rows_of_tosa(-128)[7] == -59);
static_assert(rows_of_tosa(-28)[0] == 36 && rows_of_tosa(-28)[5] == 127);  // saturated
static_assert(q::tosa::detail::reciprocal_of_half(1 << 30) == 1 << 30);
// Newton's three steps in integers of any size. A fourth step or another constant would change these numbers.
static_assert(q::tosa::detail::reciprocal_of_half(2147483634) == 536870913 &&
              q::tosa::detail::reciprocal_of_half(2147483647) == 536870910 &&
              q::tosa::detail::reciprocal_of_half(1610612736) == 715827881);

using tosa16 = q::tosa::softmax<std::int16_t>;
constexpr tosa16 tosa_lines{{1 << 30, 30}, {line_tables.exponential}, {line_tables.reciprocal}};
static_assert(check(tosa_lines) == status::ok && only_one(tosa_lines) == 32767);
// A step is 10 / 65535. Ties of mantissas go away from zero.
static_assert(tosa16::derive(divide(q::binary64{10.0}, q::binary64{65535.0})).value == q::multiplier32{1 << 30, 30});
static_assert(tosa16::derive(0.0).status == status::scale_zero && tosa16::derive(1e30).status == status::scale_too_large);

}  // namespace

TEST_CASE("the derivations of softmax refuse numbers that are no scale") {
  using softmax = tflite::softmax<std::int8_t>;
  CHECK(softmax::derive(0.0f, 1.0f).status == status::scale_zero);
  CHECK(softmax::derive(1.0f, -1.0f).status == status::scale_negative);
  CHECK(softmax::derive(0x1p-26f, 1.0f).status == status::scale_too_small);
  CHECK(softmax::derive(0x1.000002p-26f, 1.0f).status == status::ok);
  const auto large = softmax::derive(1e9f, 1e9f);
  CHECK(large.status == status::ok);
  CHECK(large.value.multiplier == q::multiplier32{q::int32_max, 0});
  CHECK(large.value.least_difference == 0);
  const auto large_once = tflite::softmax<std::int8_t, std::int8_t, tflite::single_rounding>::derive(1e9f, 1e9f);
  CHECK(large_once.value.multiplier == q::multiplier32{q::int32_max - 1, 1});
  using softmax16 = tflite::softmax<std::int16_t>;
  CHECK(softmax16::derive(0.0f, 1.0f).status == status::scale_zero);
  CHECK(softmax16::derive(1e30f, 1e30f).status == status::scale_too_large);
  CHECK(softmax16::derive(0x1p-12f, 1.0f).status == status::ok);
}

TEST_CASE("each bad number of a softmax is refused") {
  const auto with = [](std::int32_t mantissa, std::int32_t right_shift, std::int32_t least_difference) {
    auto rule = softmax8.value;
    rule.multiplier = {mantissa, right_shift};
    rule.least_difference = least_difference;
    return check(rule);
  };
  CHECK(with(0, 31, 0) == status::ok);
  CHECK(with(-1, 31, 0) == status::multiplier_out_of_range);
  CHECK(with(1, 32, 0) == status::multiplier_out_of_range);
  CHECK(with(1, 0, 0) == status::ok);
  CHECK(with(1, 0, -1) == status::multiplier_out_of_range);
  using single = tflite::softmax<std::int16_t, std::int16_t, tflite::single_rounding>;
  // -65535 * m / 2^15 rounded up is -2^31 + 1 for the first m, and -2^31 - 1 for the second.
  CHECK(check(rule_of<single>(line_tables, {1073758208, 15})) == status::ok);
  CHECK(check(rule_of<single>(line_tables, {1073758209, 15})) == status::multiplier_out_of_range);
  static_assert(single::longest_row == 65538);
  static_assert(tflite::softmax<std::int8_t>::longest_row == 511 &&
                q::cmsis_nn::softmax<std::int8_t, std::int16_t>::longest_row == 4095);
}

TEST_CASE("a softmax of int16 whose table falls below 0 gives 0") {
  tables t = line_tables;
  for (std::int16_t& entry : t.reciprocal) entry = -32768;
  const std::int16_t x[] = {5, 5};
  std::int16_t y[2] = {7, 7};
  rule_of<tflite::softmax<std::int16_t>>(t, {1 << 30, 30})(x, y);
  CHECK(y[0] == 0);
  rule_of<q::cmsis_nn::softmax<std::int16_t>>(t, {1 << 30, 30})(x, y);
  CHECK(y[0] == -32767);  // -32767 * 32768 / 2^15, where TFLite gives 0
}

TEST_CASE("check of a softmax names the error") {
  std::array<std::int8_t, 12> x{};
  std::array<std::int8_t, 12> y{};
  const q::softmax_layer layer{softmax8.value};
  CHECK(check(layer, q::matrix_view(x, 3, 4), q::matrix_view(y, 3, 4)) == status::ok);
  CHECK(check(layer, q::matrix_view(x, 3, 4), q::matrix_view(y, 4, 3)) == status::shape_mismatch);
  CHECK(check(layer, q::matrix_view(x, 3, 4), q::matrix_view(x, 3, 4)) == status::ok);
  CHECK(check(layer, q::matrix_view(x.data(), 2, 4), q::matrix_view(x.data() + 4, 2, 4)) == status::overlap);
  CHECK(check(layer, q::matrix_view(x.data(), 2, 4), q::matrix_view(x.data(), 2, 4, 5)) == status::overlap);
  CHECK(check(layer, q::matrix_view<std::int8_t>(nullptr, 3, 4), q::matrix_view(y, 3, 4)) == status::null_data);
  auto rule = softmax8.value;
  rule.least_difference = -249;
  CHECK(check(q::softmax_layer{rule}, q::matrix_view(x, 3, 4), q::matrix_view(y, 3, 4)) == status::multiplier_out_of_range);
  rule.least_difference = 1;
  CHECK(check(rule) == status::multiplier_out_of_range);
  const std::vector<std::int8_t> long_x(512);
  std::vector<std::int8_t> long_y(512);
  CHECK(check(layer, q::matrix_view(long_x, 1, 511), q::matrix_view(long_y, 1, 511)) == status::ok);
  CHECK(check(layer, q::matrix_view(long_x, 1, 512), q::matrix_view(long_y, 1, 512)) == status::accumulator_overflow);
  CHECK(check(q::softmax_layer{rule}, q::matrix_view(long_x, 1, 512), q::matrix_view(long_y, 1, 512)) ==
        status::multiplier_out_of_range);
}

/// A user's rule without `in_place`, which writes elements that it reads later.
struct reversed {
  using value_type = std::int8_t;
  static constexpr q::index_t longest_row = 100;
  constexpr void operator()(q::view<const std::int8_t> x, q::view<std::int8_t> y) const noexcept {
    for (q::index_t i = 0; i < x.size(); ++i) y[i] = x[x.size() - 1 - i];
  }
  friend constexpr status check(const reversed&) noexcept { return status::ok; }
};

TEST_CASE("a user's softmax and a softmax to wider outputs do not run in place") {
  alignas(std::int16_t) std::int8_t x[8] = {};
  const q::matrix_view<std::int8_t> rows(x, 1, 4);
  CHECK(check(q::softmax_layer{reversed{}}, rows, rows) == status::overlap);
  const auto wide = tflite::softmax<std::int8_t, std::int16_t>::derive(0x1p-4f, 1.0f).value;
  void* const same = x;
  CHECK(check(q::softmax_layer{wide}, rows, q::matrix_view(static_cast<std::int16_t*>(same), 1, 4)) == status::overlap);
}

constexpr bool is_same_in_place() {
  std::int8_t x[] = {5, 5, 5, 5, -128, 127, -128, 111};
  std::int8_t y[8] = {};
  const q::softmax_layer layer{softmax8.value};
  const q::matrix_view<std::int8_t> rows(x, 2, 4);
  if (check(layer, rows, rows) != status::ok) return false;
  run(layer, rows, q::matrix_view(y, 2, 4));
  run(layer, rows, rows);
  for (int i = 0; i < 8; ++i)
    if (x[i] != y[i]) return false;
  return true;
}
static_assert(is_same_in_place());

TEST_CASE("check of a softmax of int16 reads its tables") {
  tables t = line_tables;
  const auto rule = rule_of<tflite::softmax<std::int16_t>>(t, {1 << 30, 30});
  std::array<std::int16_t, 4> x{};
  CHECK(check(q::softmax_layer{rule}, q::matrix_view(x, 2, 2), q::matrix_view(t.exponential, 2, 2)) == status::overlap);
  CHECK(check(q::softmax_layer{rule}, q::matrix_view(x, 2, 2), q::matrix_view(t.reciprocal, 2, 2)) == status::overlap);
  CHECK(check(rule_of<tflite::softmax<std::int16_t>>(t, {1 << 30, 14})) == status::multiplier_out_of_range);
  t.exponential[3] = -1;
  CHECK(check(rule) == status::value_out_of_range);
  t.exponential[3] = 0;
  CHECK(check(rule) == status::ok);
  t.exponential[0] = -1;
  CHECK(check(rule) == status::value_out_of_range);
  t.exponential[0] = 0;
  t.exponential[511] = t.exponential[512] = 2;
  CHECK(check(rule) == status::ok);
  auto without = rule;
  without.exponential = {};
  CHECK(check(without) == status::shape_mismatch);
  without = rule;
  without.reciprocal = {};
  CHECK(check(without) == status::shape_mismatch);
  t.exponential[511] = t.exponential[512] = 1;
  CHECK(check(rule) == status::value_out_of_range);
  CHECK(check(tflite::softmax<std::int16_t>{}) == status::shape_mismatch);
}

TEST_CASE("a matrix without columns has no rows to compute") {
  const q::softmax_layer layer{softmax8.value};
  std::int8_t x[1] = {};
  std::int8_t y[1] = {7};
  CHECK(check(layer, q::matrix_view(x, 1, 0), q::matrix_view(y, 1, 0)) == status::ok);
  run(layer, q::matrix_view(x, 1, 0), q::matrix_view(y, 1, 0));
  CHECK(y[0] == 7);
}

TEST_CASE("check of a softmax has two halves, and any backend runs a softmax") {
  const q::softmax_layer layer{softmax8.value};
  const q::matrix_view<std::int8_t> nothing(nullptr, 1, 512);
  CHECK(check_shapes(layer, nothing, nothing) == status::accumulator_overflow);
  CHECK(check(layer, nothing, nothing) == status::null_data);
  CHECK(check_memory(layer, nothing, nothing) == status::null_data);
  std::array<std::int8_t, 8> x{5, 5, 5, 5, -128, 127, -128, 111};
  std::array<std::int8_t, 8> y{};
  q::run<q::native>(layer, q::matrix_view(x, 2, 4), q::matrix_view(y, 2, 4), {1, 2});
  CHECK(y == std::array<std::int8_t, 8>{0, 0, 0, 0, -128, 59, -128, -59});
}

TEST_CASE("check of a softmax by TOSA's operators reads its tables") {
  std::array<std::int8_t, 4> x{};
  std::array<std::int8_t, 4> y{};
  const q::matrix_view<std::int8_t> in(x, 1, 4), out(y, 1, 4);
  const auto with = [&](int table, int entry, std::int16_t value) {
    q::tosa::softmax_tables t = byte_tables.value;
    t.bytes[table][entry] = value;
    return check(q::softmax_layer{of_tosa(t, -128)}, in, out);
  };
  CHECK(with(0, 0, 127) == status::ok);
  CHECK(with(0, 0, 128) == status::value_out_of_range);
  CHECK(with(1, 512, 255) == status::ok);
  CHECK(with(3, 512, 256) == status::value_out_of_range);
  CHECK(with(2, 1, -1) == status::value_out_of_range);
  // If exp(0) is 2^11, it gives half a unit of the sum. If exp(0) is 2^11 - 1, it gives 0.
  q::tosa::softmax_tables t = byte_tables.value;
  for (int i = 0; i < 4; ++i) t.bytes[i][256] = i == 2 ? 8 : 0;
  CHECK(check(of_tosa(t, -128)) == status::ok);
  t.bytes[2][256] = 7;
  t.bytes[3][256] = 255;
  CHECK(check(of_tosa(t, -128)) == status::value_out_of_range);
  CHECK(check(of_tosa(byte_tables.value, 128)) == status::zero_point_out_of_range);
  CHECK(check(q::tosa::softmax<std::int8_t>{}) == status::shape_mismatch);
  CHECK(q::tosa::softmax_tables_of(0.0f, 1.0f).status == status::scale_zero);
  const std::vector<std::int8_t> long_x(512);
  std::vector<std::int8_t> long_y(512);
  CHECK(check(q::softmax_layer{tosa8}, q::matrix_view(long_x, 1, 512), q::matrix_view(long_y, 1, 512)) ==
        status::accumulator_overflow);
  // The output overlaps a table.
  q::tosa::softmax_tables mutable_tables = byte_tables.value;
  auto* const last = reinterpret_cast<std::int8_t*>(mutable_tables.bytes[3]);
  CHECK(check(q::softmax_layer{of_tosa(mutable_tables, -128)}, in, q::matrix_view<std::int8_t>(last, 1, 4)) == status::overlap);

  tables lines = line_tables;
  const auto refuses = [&] { return check(tosa16{{1 << 30, 30}, {lines.exponential}, {lines.reciprocal}}); };
  lines.exponential[511] = lines.exponential[512] = 0;
  CHECK(refuses() == status::value_out_of_range);  // exp(0) is 0
  lines = line_tables;
  lines.exponential[3] = -1;
  CHECK(refuses() == status::value_out_of_range);
  lines = line_tables;
  lines.reciprocal[5] = -32768;
  CHECK(refuses() == status::unpredictable);
  lines = line_tables;
  lines.exponential[0] = -1;
  CHECK(refuses() == status::value_out_of_range);
  lines.exponential[0] = 0;
  lines.exponential[511] = lines.exponential[512] = 1;
  CHECK(refuses() == status::ok);
  // From a shift of 17 on, differences down to -65535 are below 2^(right_shift - 1).
  const auto with_shift = [](int n) { return check(tosa16{{1 << 30, n}, {line_tables.exponential}, {line_tables.reciprocal}}); };
  CHECK(with_shift(17) == status::ok);
  CHECK(with_shift(16) == status::multiplier_out_of_range);
  CHECK(check(tosa16{{1 << 30, 30}, {}, {line_tables.reciprocal}}) == status::shape_mismatch);
}

TEST_CASE("a softmax of 1000 classes may run, although check names an overflow of the engine's sum") {
  const q::softmax_layer layer{tflite::softmax<std::int8_t>::derive(0.1f, 1.0f).value};
  std::vector<std::int8_t> x(1000, -128), y(1000);
  const q::matrix_view from(std::as_const(x).data(), 1, 1000);
  const q::matrix_view to(y.data(), 1, 1000);
  const status s = check(layer, from, to);
  CHECK((s == status::accumulator_overflow && q::may_run(s)));
  x[7] = 20;  // exp(-14.8) * 999 = 0.0004: the class has a share of 0.9996, which is 127.9
  run(layer, from, to);
  CHECK((y[7] == 127 && std::count(y.begin(), y.end(), std::int8_t{-128}) == 999));
  x[800] = 20;  // two classes with half a share each: 0.4998 * 256 - 128 = -0.05
  run(layer, from, to);
  CHECK((y[7] == 0 && y[800] == 0 && std::count(y.begin(), y.end(), std::int8_t{-128}) == 998));
}

TEST_CASE("TOSA's softmax gives the zero point for 512 equal elements, whose sum is shifted out") {
  const std::vector<std::int8_t> x(512, 9);
  std::vector<std::int8_t> y(512);
  const q::softmax_layer layer{of_tosa(byte_tables.value, 5)};
  for (const q::index_t cols : {511, 512}) {
    const q::matrix_view from(x.data(), 1, cols);
    const q::matrix_view to(y.data(), 1, cols);
    CHECK(q::may_run(check(layer, from, to)));
    run(layer, from, to);
    CHECK(y[0] == (cols == 511 ? 6 : 5));  // 256 / 511 of a step, or a sum whose 32 bits are all shifted out
  }
}

TEST_CASE("a softmax of almost 1 saturates at 127 in every engine, and does not wrap to -128") {
  // onnxruntime #29727: QLinearSoftmax of int8 clamped at 255, and stored 128 as -128.
  const std::int8_t x[] = {127, -128, -128, -128};
  const auto holds = [&](const auto& rule) {
    std::int8_t y[4] = {};
    rule(x, y);
    return y[0] == 127 && y[1] == -128 && y[2] == -128 && y[3] == -128;
  };
  CHECK(holds(tflite::softmax<std::int8_t>::derive(0.1f, 1.0f).value));
  CHECK(holds(q::cmsis_nn::softmax<std::int8_t>::derive(0.1f, 1.0f).value));
  CHECK(holds(tosa8));
}
