// Real functions and their tables against the C library's long double functions, and softmax tables against the engines'.

#include <dyadic/elementwise/exact_table.hpp>
#include <dyadic/elementwise/sigmoid.hpp>
#include <dyadic/elementwise/tanh.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>

#include "../support/catch.hpp"
#include "../support/samples.hpp"
#include "../support/softmax_tables.hpp"

namespace q = dyadic;
namespace exact = q::exact;
using q::status;

namespace {

using real = long double;

long double center(q::enclosure v) { return std::ldexp(static_cast<real>(v.significand), v.exponent) * (v.negative ? -1 : 1); }
long double radius(q::enclosure v) { return std::ldexp(static_cast<real>(v.radius), v.exponent); }

long double real_sigmoid(real x) { return 1 / (1 + std::exp(-x)); }
long double real_silu(real x) { return x / (1 + std::exp(-x)); }
long double real_gelu(real x) { return x * std::erfc(-x / std::sqrt(2.0L)) / 2; }
long double real_elu(real x) { return x < 0 ? std::expm1(x) : x; }
long double real_reciprocal(real x) { return 1 / x; }
long double real_reciprocal_root(real x) { return 1 / std::sqrt(x); }

/// Checks that a function's enclosure contains the C library's value, whose relative error is at most `library`.
/// The enclosure's relative radius must be below `in_doubt`.
template <class Function>
void check_function(const char* name, real (*function)(real), real low, real high, real library, real in_doubt) {
  support::random_bits random{support::sample_seed(23)};
  real widest = 0;
  for (int i = 0; i < support::samples(20000); ++i) {
    real fraction = std::ldexp(static_cast<real>(random() >> 11), -53);
    if (random.one_in(3)) fraction = std::ldexp(fraction, -random.below(30));
    const auto x = static_cast<double>(random.one_in(2) ? low * fraction : high * fraction);
    if (x == 0) continue;
    const q::enclosure v = Function::of(q::enclose(q::binary64{x}));
    const real expected = function(x);
    INFO(name << " of " << x);
    REQUIRE(std::abs(center(v) - expected) <= radius(v) + std::abs(expected) * library);
    widest = std::max(widest, radius(v) / std::abs(expected));
  }
  INFO(name << " leaves 2^" << std::log2(widest));
  CHECK(widest < in_doubt);
}

template <class X, class Function, class T = X>
std::array<T, static_cast<std::size_t>(q::table_size<X>)> exact_table(double x_scale, int x_zero_point, double y_scale,
                                                                      int y_zero_point) {
  std::array<T, static_cast<std::size_t>(q::table_size<X>)> entries{};
  REQUIRE(exact::populate<q::tosa::table<X>>(Function{}, x_scale, x_zero_point, y_scale, y_zero_point, q::view<T>(entries)) ==
          status::ok);
  return entries;
}

/// Checks that every entry is the nearest value, unless the C library's value is too near to a tie to decide.
template <class X, class Function>
void check_table(const char* name, real (*function)(real), double x_scale, int x_zero_point, double y_scale, int y_zero_point) {
  const auto entries = exact_table<X, Function>(x_scale, x_zero_point, y_scale, y_zero_point);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const int x = q::tosa::table<X>::argument(static_cast<q::index_t>(i));
    const real steps = function((x - x_zero_point) * static_cast<real>(x_scale)) / static_cast<real>(y_scale);
    const real least = std::numeric_limits<X>::min();
    const real most = std::numeric_limits<X>::max();
    const real nearest = std::min(most, std::max(least, std::round(steps) + y_zero_point));
    INFO(name << " of " << x << " at scale " << x_scale << ": " << steps);
    if (std::abs(steps - std::floor(steps) - 0.5L) > 1e-14L) REQUIRE(entries[i] == static_cast<X>(nearest));
  }
}

template <class X>
void check_tables(double x_scale, int x_zero_point) {
  const double unit = sizeof(X) == 1 ? 0x1p-7 : 0x1p-15;
  check_table<X, exact::exp>("exp", std::exp, x_scale, x_zero_point, unit * 3, -5);
  check_table<X, exact::sigmoid>("sigmoid", real_sigmoid, x_scale, x_zero_point, unit / 2, std::numeric_limits<X>::min());
  check_table<X, exact::tanh>("tanh", std::tanh, x_scale, x_zero_point, unit, 0);
  check_table<X, exact::erf>("erf", std::erf, x_scale, x_zero_point, unit, 0);
  check_table<X, exact::gelu>("gelu", real_gelu, x_scale, x_zero_point, x_scale, x_zero_point);
  check_table<X, exact::elu>("elu", real_elu, x_scale, x_zero_point, unit * 2, 9);
  check_table<X, exact::silu>("silu", real_silu, x_scale, x_zero_point, x_scale * 0.7, 3);
}

template <class Rule>
void check_worst_error(const char* name, const Rule& rule, bool is_tanh, long off, long steps) {
  const auto error = is_tanh ? exact::worst_error(rule, exact::tanh{}, 0x1p-12, 0, 0x1p-15, 0)
                             : exact::worst_error(rule, exact::sigmoid{}, 0x1p-12, 0, 0x1p-15, 0);
  INFO(name);
  REQUIRE(error.status == status::ok);
  std::printf("%s: off the nearest for %.1f %%, at most %.3f steps, at %d\n", name, static_cast<double>(error.value.off) / 655.36,
              static_cast<double>(error.value.worst) / 65536, static_cast<int>(error.value.at));
  CHECK(std::lround(static_cast<double>(error.value.off) / 65.536) == off);
  CHECK((error.value.worst + (1 << 15)) >> 16 == steps);
}

}  // namespace

TEST_CASE("enclosures of functions contain the real values") {
  const real library = 0x1p-60L;  // a few units in the last place of long double
  check_function<exact::exp>("exp", std::exp, -80, 80, library, 0x1p-58L);
  check_function<exact::sigmoid>("sigmoid", real_sigmoid, -80, 80, library, 0x1p-58L);
  check_function<exact::silu>("silu", real_silu, -80, 80, library, 0x1p-57L);
  check_function<exact::tanh>("tanh", std::tanh, -30, 30, library, 0x1p-56L);
  check_function<exact::erf>("erf", std::erf, -10, 10, library, 0x1p-52L);
  check_function<exact::gelu>("gelu", real_gelu, -3, 20, library, 0x1p-40L);
  check_function<exact::gelu>("gelu", real_gelu, -20, 3, library, 0x1p-4L);
  check_function<exact::log>("log", std::log, 1e-30L, 1e30L, library, 0x1p-50L);
  check_function<exact::log>("log", std::log, 0.5L, 2, library, 0x1p-30L);
  check_function<exact::elu>("elu", real_elu, -80, 80, library, 0x1p-57L);
  check_function<exact::reciprocal>("reciprocal", real_reciprocal, -1000, 1000, library, 0x1p-62L);
  check_function<exact::reciprocal_square_root>("reciprocal square root", real_reciprocal_root, 1, 1000, library, 0x1p-60L);
}

TEST_CASE("entries of exact tables are the nearest values") {
  for (const double scale : {0.03125, 0.0625, 0.1, 0.0470588, 1.0}) {
    check_tables<std::int8_t>(scale, 0);
    check_tables<std::int8_t>(scale, -128);
    check_tables<std::int8_t>(scale, 37);
  }
  for (const double scale : {0x1p-12, 0x1p-11, 3.0517578125e-4, 0.001})
    for (const int zero_point : {0, 1000}) check_tables<std::int16_t>(scale, zero_point);
}

TEST_CASE("worst_error gives the known errors of the engines' sigmoid and tanh of int16, and of exact tables") {
  using q::tflite::sigmoid;
  using q::tflite::tanh;
  check_worst_error("tflite::sigmoid", sigmoid<std::int16_t>::from_pair(0, 0), false, 128, 1);
  check_worst_error("tflite::tanh", tanh<std::int16_t>::from_pair(0, 0), true, 277, 1);
  const auto of_sigmoid = exact_table<std::int16_t, exact::sigmoid>(0x1p-12, 0, 0x1p-15, 0);
  const auto of_tanh = exact_table<std::int16_t, exact::tanh>(0x1p-12, 0, 0x1p-15, 0);
  check_worst_error("executorch::arm::table, exact entries of sigmoid", q::executorch::arm::table{of_sigmoid}, false, 216, 1);
  check_worst_error("executorch::arm::table, exact entries of tanh", q::executorch::arm::table{of_tanh}, true, 271, 4);
}

TEST_CASE("tables of softmax equal those of a C library that rounds correctly") {
  const q::tflite::softmax_tables& ours = support::softmax_tables();
  std::array<std::int16_t, 513> theirs{};
  const auto exp = [](q::binary32 x) { return q::binary32{static_cast<float>(std::exp(static_cast<real>(x.to_float())))}; };
  const q::binary32 range{65535.0f};
  REQUIRE(q::tflite::table<std::int16_t>::populate(exp, divide(q::binary32{10.0f}, range), 32767,
                                                   divide(q::binary32{2.0f}, range), 0, theirs) == status::ok);
  CHECK(std::equal(theirs.begin(), theirs.end(), ours.exponential));
}

TEST_CASE("exp in binary32 is decided for all inputs that were tried") {
  support::random_bits random{support::sample_seed(24)};
  for (int i = 0; i < support::samples(100000); ++i) {
    const auto x = q::binary32::from_bits(static_cast<std::uint32_t>(random.between(0x3000'0000, 0x42AE'0000)) |
                                          (random.one_in(2) ? 0x8000'0000u : 0u));
    const auto y = q::round_to<q::binary32>(exact::exp::of(q::enclose(x)));
    INFO(x.bits);
    REQUIRE(y.status == status::ok);
    REQUIRE(std::abs(y.value.to_float() - std::exp(static_cast<double>(x.to_float()))) <= std::abs(y.value.to_float()) * 0x1p-24);
  }
}
