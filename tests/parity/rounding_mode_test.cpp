// Checks that no result depends on the rounding mode to which a program has set its processor.

#include <dyadic/elementwise/binary.hpp>
#include <dyadic/elementwise/multiply.hpp>
#include <dyadic/linear.hpp>
#include <dyadic/rescale.hpp>
#include <dyadic/scheme/fbgemm.hpp>
#include <dyadic/scheme/onednn.hpp>
#include <dyadic/scheme/xnnpack.hpp>

#include <vector>

#include "../support/rounding_modes.hpp"
#include "each_backend.hpp"

namespace {

namespace q = dyadic;

/// Compares the results of `compute` in each rounding mode of the machine.
template <class Compute>
void in_each_mode(const Compute& compute) {
  const auto expected = compute(q::backend::scalar{});
  parity::each_backend([&](auto backend) {
    for (const int mode : support::rounding_modes) {
      if (std::fesetround(mode) != 0) continue;
      const auto got = compute(backend);
      std::fesetround(FE_TONEAREST);
      INFO(decltype(backend)::name << ", mode " << mode);
      CHECK(got == expected);
    }
  });
}

/// Returns x rescaled by one multiplier.
template <class Backend, class Scheme, class X>
std::vector<std::int16_t> rescaled(const std::vector<X>& x, typename Scheme::multiplier_type m) {
  std::vector<std::int16_t> y(x.size());
  const q::rescale_layer layer{3, q::per_tensor_output<std::int16_t, Scheme>{m, {-5, -30000, 30000}}};
  q::run<Backend>(layer, q::matrix_view<const X>(x, 2, 128), q::matrix_view(y, 2, 128));
  return y;
}

std::vector<std::int32_t> numbers() {
  std::vector<std::int32_t> x;
  for (std::int32_t i = 0; i < 256; ++i) x.push_back(i * 1234567 - 150000000);
  return x;
}

template <class Scheme, class X = std::int32_t>
void rescale(typename Scheme::multiplier_type m, const std::vector<X>& x = numbers()) {
  in_each_mode([&](auto backend) { return rescaled<decltype(backend), Scheme>(x, m); });
}

}  // namespace

TEST_CASE("rounding mode: integers rescaled by a binary32 are equal in each mode", "[parity]") {
  rescale<q::fbgemm::floating>(0.00007f);
  rescale<q::xnnpack::fp32>(0.00007f);
  rescale<q::onednn::f32>({0.07f, 0.003f, 0.3f});
  rescale<q::tflite::double_scale<std::int32_t>>(0.5);
}
TEST_CASE("rounding mode: products by a binary64 that are ties only after rounding to nearest are equal in each mode",
          "[parity]") {
  std::vector<std::int32_t> x;  // 3 + 3 * (2k + 1), by the binary64 below 1/6
  for (int k = -128; k < 128; ++k) x.push_back(3 + 3 * (2 * k + 1));
  rescale<q::tflite::double_scale<std::int32_t>>(1.0 / 6, x);
  std::vector<std::int64_t> wide;  // 3 + k * 2^54 - 1, with more bits than a binary64 has
  for (int k = -128; k < 128; ++k) wide.push_back(2 + k * (std::int64_t{1} << 54));
  rescale<q::tflite::double_scale<std::int64_t>>(0x1.8p-54, wide);
}
TEST_CASE("rounding mode: a chain of binary32s keeps subnormals even if the machine flushes them", "[parity]") {
  const q::onednn::scales m{0x1.2p-100f, 0x1.4p-47f, 0x1.8p127f};
  const auto expected = rescaled<q::backend::scalar, q::onednn::f32>(numbers(), m);
  CHECK(expected.front() != expected.back());
  parity::each_backend([&](auto backend) {
    for (const unsigned flush : support::flushes) {
      support::flush_subnormals(flush);
      const auto got = rescaled<decltype(backend), q::onednn::f32>(numbers(), m);
      support::flush_subnormals(0);
      INFO(decltype(backend)::name << ", " << flush);
      CHECK(got == expected);
    }
  });
}
TEST_CASE("rounding mode: a subnormal binary64, or one with subnormal products, gives 0 even if the machine flushes them",
          "[parity]") {
  using scheme = q::tflite::double_scale<std::int32_t>;
  for (const double m : {0x1p-1023, 0x1p-1074, -0x1.4p-1050}) {
    const auto expected = rescaled<q::backend::scalar, scheme>(numbers(), m);
    CHECK(expected == std::vector<std::int16_t>(256, -5));
    parity::each_backend([&](auto backend) {
      for (const unsigned flush : support::flushes) {
        support::flush_subnormals(flush);
        const auto got = rescaled<decltype(backend), scheme>(numbers(), m);
        support::flush_subnormals(0);
        INFO(decltype(backend)::name << ", " << flush);
        CHECK(got == expected);
      }
    });
  }
}
TEST_CASE("rounding mode: a layer with a binary32 for each channel has equal outputs in each mode", "[parity]") {
  std::vector<std::int8_t> x, w;
  for (int i = 0; i < 5 * 63; ++i) x.push_back(static_cast<std::int8_t>(i * 37 % 256 - 128));
  for (int i = 0; i < 41 * 63; ++i) w.push_back(static_cast<std::int8_t>(i * 101 % 255 - 127));
  std::vector<q::binary32> scales;
  for (int i = 0; i < 41; ++i) scales.push_back(q::narrow(q::binary64{0.00123 + 0.0000071 * i}));
  std::vector<std::int32_t> constants(41);
  const q::matrix_view<const std::int8_t> weights(w, 41, 63);
  const auto folded = q::fold<std::int8_t>(weights, q::no_bias{}, {3, 0}, constants);
  const q::linear_layer layer{weights, folded.value,
                              q::per_channel_output<std::int8_t, q::xnnpack::fp32>{scales, q::range_of<std::int8_t>(1)}};
  in_each_mode([&](auto backend) {
    std::vector<std::int8_t> y(5 * 41);
    q::run<decltype(backend)>(layer, q::matrix_view<const std::int8_t>(x, 5, 63), q::matrix_view(y, 5, 41));
    return y;
  });
}
TEST_CASE("rounding mode: products of two matrices by a binary32 are equal in each mode", "[parity]") {
  const auto rule = q::xnnpack::multiply<std::int8_t>::derive(0.031F, 5, 0.0043F, -9, 0.01F, q::range_of<std::int8_t>(3));
  REQUIRE(rule.status == q::status::ok);
  std::vector<std::int8_t> a, b;
  for (int i = 0; i < 256; ++i) {
    a.push_back(static_cast<std::int8_t>(i * 37 % 256 - 128));
    b.push_back(static_cast<std::int8_t>(i * 101 % 256 - 128));
  }
  in_each_mode([&](auto backend) {
    std::vector<std::int8_t> y(256);
    q::run<decltype(backend)>(q::binary_layer<q::xnnpack::multiply<std::int8_t>>{rule.value},
                              q::matrix_view<const std::int8_t>(a, 2, 128), q::matrix_view<const std::int8_t>(b, 2, 128),
                              q::matrix_view(y, 2, 128));
    return y;
  });
}
