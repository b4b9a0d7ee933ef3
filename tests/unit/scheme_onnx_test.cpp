#include <dyadic/scheme/onnx.hpp>

#include <cstdint>

#include "../support/catch.hpp"
#include "../support/scheme_cases.hpp"
#include "../support/special.hpp"

namespace q = dyadic;
using namespace support;
using namespace support::of_binary32;

namespace {

/// A case with the result of the operator text and the result of its reference evaluator.
struct quantize_case {
  q::binary32 x, scale;
  q::output_range range;
  std::int64_t text, reference;
};
constexpr quantize_case quantize_cases[] = {
    {0.5f, 1.0f, q::range_of<std::uint8_t>(0), 0, 0},
    {0.5f, 1.0f, q::range_of<std::uint8_t>(1), 1, 2},  // the evaluator adds the zero point first
    {1.5f, 1.0f, q::range_of<std::uint8_t>(1), 3, 2},
    {2.5f, 1.0f, q::range_of<std::uint8_t>(128), 130, 130},
    {-0.5f, 1.0f, q::range_of<std::int8_t>(1), 1, 0},
    {0x1.fffffep-2f, 1.0f, q::range_of<std::uint8_t>(1), 1, 2},
    {3.0f, 6.0f, q::range_of<std::uint8_t>(0), 0, 0},  // a division, not a product with the reciprocal
    {1000.0f, 2.0f, q::range_of<std::uint8_t>(128), 255, 255},
    {-1000.0f, 2.0f, q::range_of<std::uint8_t>(128), 0, 0},
    {-1000.0f, 2.0f, q::range_of<std::int8_t>(-128), -128, -128},
    {infinite, 1.0f, q::range_of<std::uint8_t>(7), 255, 255},
    {q::negate(infinite), 1.0f, q::range_of<std::uint8_t>(7), 0, 0},
    {1.0f, 0.0f, q::range_of<std::int8_t>(0), 127, 127},
    {0x1p127f, least, q::range_of<std::int16_t>(0), 32767, 32767},
    {0.0f, 1.0f, q::range_of<std::int8_t>(-5), -5, -5},
};
constexpr auto quantize_holds = [](const quantize_case& c) {
  return q::onnx::quantize_linear(c.x, c.scale, c.range) == c.text &&
         q::onnx::quantize_linear_reference(c.x, c.scale, c.range) == c.reference;
};
static_assert(first_wrong(quantize_cases, quantize_holds) == -1);
static_assert(q::onnx::quantize_linear(quiet_nan, 1.0f, q::range_of<std::int8_t>(3)) == 3);

struct mlas_case {
  std::int32_t acc;
  q::binary32 scale;
  q::output_range range;
  std::int64_t y;
};
constexpr mlas_case mlas_cases[] = {
    {1, 0.5f, q::range_of<std::uint8_t>(1), 1},           {3, 0.5f, q::range_of<std::uint8_t>(1), 3},
    {-3, 0.5f, q::range_of<std::int8_t>(0), -2},          {3, 0x1.555556p-3f, q::range_of<std::int8_t>(0), 0},
    {max, 1.0f, q::range_of<std::int8_t>(-128), 127},     {min, 1.0f, q::range_of<std::int8_t>(127), -128},
    {max, 0x1p100f, q::range_of<std::int32_t>(max), max},
};
constexpr auto mlas_holds = [](const mlas_case& c) { return q::requantize<q::onnx::mlas>(c.acc, c.scale, c.range) == c.y; };
static_assert(first_wrong(mlas_cases, mlas_holds) == -1);
static_assert(q::onnx::mlas::valid(0.5f) && !q::onnx::mlas::valid(infinite) && !q::onnx::mlas::valid(quiet_nan));

}  // namespace

TEST_CASE("ONNX's text and its reference evaluator differ on ties with an odd zero point") {
  CHECK(first_wrong(at_run_time(quantize_cases), quantize_holds) == -1);
}

TEST_CASE("ONNX Runtime's MLAS adds the zero point after the rounding") {
  CHECK(first_wrong(at_run_time(mlas_cases), mlas_holds) == -1);
}
