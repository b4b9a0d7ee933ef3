// Scaled blocks are integer arithmetic. No result depends on the rounding mode to which a program has set its processor, nor on
// subnormals that the processor flushes to 0.

#include <dyadic/blocks/compare_scales.hpp>
#include <dyadic/blocks/dynamic_row.hpp>
#include <dyadic/blocks/engine_dot.hpp>
#include <dyadic/blocks/ggml.hpp>
#include <dyadic/blocks/ggml_dot.hpp>
#include <dyadic/blocks/lpbq.hpp>
#include <dyadic/blocks/quantize_blocks.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "../support/catch.hpp"
#include "../support/random.hpp"
#include "../support/rounding_modes.hpp"

namespace blocks_rounding {

namespace q = dyadic;
namespace ggml = q::ggml;
using q::binary32, q::index_t;
using support::random_bits;
using words = std::vector<std::uint32_t>;

namespace {

/// Compares `compute()` in each state of the processor with its result in the usual state. Checks that the words of the result
/// are not all equal.
template <class Compute>
void in_each_state(const Compute& compute) {
  const words expected = compute();
  CHECK(std::adjacent_find(expected.begin(), expected.end(), std::not_equal_to<>()) != expected.end());
  std::vector<unsigned> states{0};
  states.insert(states.end(), std::begin(support::flushes), std::end(support::flushes));
  for (const unsigned flush : states)
    for (const int mode : support::rounding_modes) {
      support::flush_subnormals(flush);
      const bool has_mode = std::fesetround(mode) == 0;
      const words got = has_mode ? compute() : expected;
      std::fesetround(FE_TONEAREST);
      support::flush_subnormals(0);
      INFO("mode " << mode << ", flush " << flush);
      CHECK(got == expected);
    }
}

/// Returns 64 numbers: multiples of half of a unit, any numbers of `low` .. `high` exponents, and zeros of both signs.
std::vector<float> numbers(int low, int high, std::size_t size = 64) {
  random_bits random;
  std::vector<float> x(size);
  for (std::size_t i = 0; i < size; ++i) {
    const auto exponent = static_cast<int>(random.between(low, high));
    const auto half_units = static_cast<int>(random.between(-256, 255));
    const binary32 digits = i % 2 == 0 ? q::from_integer<binary32>(half_units) : q::from_integer<binary32>(random.integer(24));
    x[i] = q::scale_by_power_of_two(digits, exponent - (i % 2 == 0 ? 8 : 24)).to_float();
  }
  x[5] = 0.0f;
  x[6] = -0.0f;
  return x;
}

/// Rows with ordinary numbers, numbers near the least normal number, and subnormal numbers.
const std::vector<std::vector<float>>& rows() {
  static const std::vector<std::vector<float>> all{numbers(-3, 3), numbers(-127, -120), numbers(-140, -126), numbers(10, 14)};
  return all;
}

template <class Bytes>
void append(words& to, const Bytes& from) {
  for (const auto value : from) to.push_back(static_cast<std::uint32_t>(value));
}

template <class Rule>
void quantize_mx(words& y, const Rule& rule) {
  for (const std::vector<float>& x : rows()) {
    std::vector<std::uint8_t> codes(x.size()), scales(x.size() / 16);
    y.push_back(static_cast<std::uint32_t>(q::quantize_blocks(rule, x, codes, scales)));
    append(y, codes);
    append(y, scales);
  }
}
template <class Rule>
void quantize_ggml(words& y) {
  using block = typename Rule::block;
  for (const std::vector<float>& x : rows()) {
    std::vector<std::uint8_t> bytes(x.size() / std::size_t{block::elements} * std::size_t{block::bytes});
    y.push_back(static_cast<std::uint32_t>(q::quantize_blocks(Rule{}, x, bytes)));
    append(y, bytes);
  }
}
template <class Rule>
void quantize_row(words& y) {
  for (const std::vector<float>& x : rows()) {
    std::vector<std::int8_t> codes(x.size());
    const auto row = q::quantize_row(Rule{}, x, codes);
    y.push_back(static_cast<std::uint32_t>(row.status));
    if (row.status != q::status::ok) continue;
    append(y, std::array<std::uint32_t, 3>{row.value.scale.bits, static_cast<std::uint32_t>(row.value.zero_point),
                                           row.value.reciprocal.bits});
    append(y, codes);
  }
}

template <class Format>
void all_of_format(words& y) {
  quantize_mx(y, q::ocp::floor<Format>{});
  quantize_mx(y, q::tosa::block_scale<Format>{});
  quantize_mx(y, q::microxcaling::floor_log2<Format>{});
  quantize_mx(y, q::microxcaling::floor_log2<Format, q::half_even>{});
  if constexpr (!std::is_same_v<Format, q::mxint8>) {
    quantize_mx(y, q::torchao::ceil<Format>{});
    quantize_mx(y, q::torchao::even<Format>{});
    quantize_mx(y, q::torchao::rceil<Format>{});
  }
  for (const std::vector<float>& x : rows()) {
    std::vector<float> rounded(x.size());
    y.push_back(static_cast<std::uint32_t>(q::microxcaling::quantize_mx<Format>(x, rounded)));
    for (const float& value : rounded) y.push_back(binary32(value).bits);
  }
}

/// Appends the sum, rounded to each format, and its quotient.
void append_sum(words& y, const q::result<q::exact_sum>& sum) {
  y.push_back(static_cast<std::uint32_t>(sum.status));
  append(y, std::array<std::uint32_t, 5>{
                sum.value.rounded<binary32>().bits, sum.value.rounded<q::bfloat16>().bits, sum.value.rounded<q::binary16>().bits,
                static_cast<std::uint32_t>(sum.value.quotient<q::half_even>(binary32(0x1.8p-3f), -32768, 32767)),
                static_cast<std::uint32_t>(sum.value.quotient<q::half_away>(binary32(0x1.8p-140f), -32768, 32767))});
}
void append_result(words& y, const q::result<binary32>& r) {
  y.push_back(static_cast<std::uint32_t>(r.status));
  y.push_back(r.value.bits);
}

std::vector<std::uint8_t> random_bytes(std::size_t size, std::uint64_t from) {
  random_bits random{from};
  std::vector<std::uint8_t> all(size);
  for (std::uint8_t& byte : all) byte = static_cast<std::uint8_t>(random());
  return all;
}

/// Blocks of ggml with random codes. Scales of binary16 are 2^(exponent - 15) * 1.x, so that products may be subnormal.
template <class Block>
std::vector<std::uint8_t> ggml_row(std::size_t blocks, int exponent) {
  constexpr std::size_t bytes{Block::bytes};
  std::vector<std::uint8_t> row = random_bytes(blocks * bytes, 7 + bytes);
  for (std::size_t at = 0; at < row.size(); at += bytes) {
    if (Block::bytes == ggml::mxfp4::bytes) row[at] = static_cast<std::uint8_t>(exponent);
    if (Block::first % 2 == 0 && !std::is_same_v<Block, ggml::nvfp4>)
      for (std::size_t half = 1; half < (bytes == 20 || bytes == 24 || bytes == 36 ? 4u : 2u); half += 2)
        row[at + half] = static_cast<std::uint8_t>((row[at + half] & 0x83) | exponent << 2);
  }
  return row;
}
template <class Block>
void ggml_dots(words& y) {
  for (const int exponent : {1, 9, 20}) {
    const std::vector<std::uint8_t> w = ggml_row<Block>(5, exponent);
    using activations = typename ggml::activations_of<Block>::block_type;
    const std::vector<std::uint8_t> a = ggml_row<activations>(std::is_same_v<Block, ggml::nvfp4> ? 10 : 5, exponent);
    const ggml::row<Block> x{w};
    const ggml::activations_of<Block> z{a};
    append_sum(y, ggml::exact_dot(x, z));
    append_result(y, ggml::generic_order::dot(x, z));
    append_result(y, ggml::avx2_order::dot(x, z));
  }
}

template <class Format>
void mx_dots(words& y) {
  random_bits random;
  std::vector<Format> a, b;
  for (int i = 0; i < 128; ++i)
    for (auto* to : {&a, &b}) {
      const int code = random.below(std::is_same_v<Format, q::mxint8> ? 256 : 16);
      if constexpr (std::is_same_v<Format, q::mxint8>)
        to->push_back({static_cast<std::int8_t>(code - 128)});
      else
        to->push_back(Format::from_bits(code));
    }
  using row = q::block_scaled_row<q::element_codes<Format>, q::e8m0>;
  for (const int least : {0, 52, 120, 250}) {  // 2^-127, 2^-75, whose square is subnormal, 2^-7 and 2^123
    std::array<q::e8m0, 4> scales{};
    for (std::size_t i = 0; i < 4; ++i) scales[i].bits = static_cast<std::uint8_t>(least + static_cast<int>(i * i % 5));
    append_sum(y, q::exact::dot(row{{a}, scales}, row{{b}, scales}));
    append_result(y, q::tosa::block_order::dot(row{{a}, scales}, row{{b}, scales}));
  }
}

}  // namespace

TEST_CASE("the machine rounds by its mode, or has no modes") {
  const volatile float one = 1.0f, three = 3.0f;
  words quotients;
  for (const int mode : support::rounding_modes) {
    const bool has_mode = std::fesetround(mode) == 0;
    const volatile float third = one / three;
    const float rounded = third;
    if (has_mode) quotients.push_back(binary32(rounded).bits);
  }
  std::fesetround(FE_TONEAREST);
  // A third is rounded up, down, and towards zero, which is down. The other tests prove nothing on a machine without modes.
  if (quotients.size() == 4) CHECK((quotients[1] == quotients[2] + 1 && quotients[3] == quotients[2]));
}

TEST_CASE("scales and codes are equal in each rounding mode, also if the machine flushes subnormals") {
  in_each_state([] {
    words y;
    all_of_format<q::e4m3>(y), all_of_format<q::e5m2>(y), all_of_format<q::e2m3>(y);
    all_of_format<q::e3m2>(y), all_of_format<q::e2m1>(y), all_of_format<q::mxint8>(y);
    quantize_mx(y, q::torchao::nvfp4{});
    quantize_mx(y, q::torchao::nvfp4{binary32(0x1.23456p-9f)});
    return y;
  });
}

TEST_CASE("blocks of ggml and dynamic rows are equal in each rounding mode, also if the machine flushes subnormals") {
  in_each_state([] {
    words y;
    quantize_ggml<ggml::reference<ggml::q4_0>>(y), quantize_ggml<ggml::reference<ggml::q4_1>>(y);
    quantize_ggml<ggml::reference<ggml::q5_0>>(y), quantize_ggml<ggml::reference<ggml::q5_1>>(y);
    quantize_ggml<ggml::reference<ggml::q8_0>>(y), quantize_ggml<ggml::reference<ggml::q8_1>>(y);
    quantize_ggml<ggml::avx2<ggml::q8_0>>(y), quantize_ggml<ggml::avx2<ggml::q8_1>>(y);
    quantize_ggml<ggml::reference<ggml::mxfp4>>(y), quantize_ggml<ggml::reference<ggml::nvfp4>>(y);
    quantize_row<q::xnnpack::qd8>(y), quantize_row<q::kleidiai::qai8dx>(y), quantize_row<q::litert::asymmetric>(y);
    return y;
  });
}

TEST_CASE("integer scales of blocks are equal in each rounding mode, also if the machine flushes subnormals") {
  in_each_state([] {
    words y;
    for (const std::vector<float>& x : rows()) {
      std::vector<float> scales;
      for (const float& value : x) scales.push_back(q::magnitude(binary32(value)).to_float());
      std::vector<std::uint8_t> k(scales.size());
      const auto aimet = q::lpbq::aimet(scales, k);
      append(y, k);
      const auto executorch = q::lpbq::executorch(scales, k);
      append(y, k);
      append(y, std::array<std::uint32_t, 3>{static_cast<std::uint32_t>(aimet.value.bits >> 32),
                                             static_cast<std::uint32_t>(aimet.value.bits), executorch.value.bits});
    }
    return y;
  });
}

TEST_CASE("exact sums and TOSA's order are equal in each rounding mode, also if the machine flushes subnormals") {
  in_each_state([] {
    words y;
    mx_dots<q::e4m3>(y), mx_dots<q::e5m2>(y), mx_dots<q::e2m3>(y), mx_dots<q::e3m2>(y), mx_dots<q::e2m1>(y),
        mx_dots<q::mxint8>(y);
    return y;
  });
}

TEST_CASE("the orders of ggml are equal in each rounding mode, also if the machine flushes subnormals") {
  in_each_state([] {
    words y;
    ggml_dots<ggml::q4_0>(y), ggml_dots<ggml::q4_1>(y), ggml_dots<ggml::q5_0>(y), ggml_dots<ggml::q5_1>(y);
    ggml_dots<ggml::q8_0>(y), ggml_dots<ggml::mxfp4>(y), ggml_dots<ggml::nvfp4>(y);
    return y;
  });
}

TEST_CASE("the orders of XNNPACK, KleidiAI and LiteRT are equal in each rounding mode, also if the machine flushes subnormals") {
  const std::vector<std::uint8_t> bytes = random_bytes(64, 1), codes = random_bytes(128, 2);
  const std::vector<std::int8_t> activations(codes.begin(), codes.end());
  using nibbles = q::nibble_codes<q::nibble_code::offset8>;
  in_each_state([&] {
    words y;
    for (const float factor : {0x1.23456p-5f, 0x1.6p-126f, 0x1.8p-140f}) {
      const q::qd8_row a{{activations, -3}, binary32(factor)};
      const q::epilogue e{q::scale_by_power_of_two(binary32(factor), 3)};
      const std::array<q::bfloat16, 4> brains{{{0x3C11}, {0x3B85}, {0x0091}, {0x3CF7}}};
      const std::array<q::binary16, 4> halves{{{0x2C11}, {0x0003}, {0x2B85}, {0x2CF7}}};
      const q::block_scaled_row<nibbles, q::bfloat16> w{{bytes, 128}, brains, 32};
      const q::block_scaled_row<nibbles, q::binary16> v{{bytes, 128}, halves, 32};
      const q::one_scale_row<nibbles> u{{bytes, 128}, binary32(0x1.abcdep-7f)};
      append_sum(y, q::exact::dot(a, w, e));
      append_result(y, q::xnnpack::scalar_order::dot(a, w, e));
      append_result(y, q::xnnpack::neondot_order::dot(a, w, e));
      append_result(y, q::xnnpack::neoni8mm_order::dot(a, w, e));
      append_result(y, q::kleidiai::qai8dx_order::dot(a, w, e));
      append_result(y, q::litert::blockwise_order::dot(a, v, e));
      append_result(y, q::xnnpack::scalar_order::dot(a, u, e));
      append_result(y, q::xnnpack::neondot_order::dot(a, u, e));
      append_result(y, q::kleidiai::qai8dx_order::dot(a, u, e));
    }
    return y;
  });
}

TEST_CASE("thresholds of scales are equal in each rounding mode, also if the machine flushes subnormals") {
  in_each_state([] {
    words y;
    for (int bits = 1; bits < 40; bits += 13) {
      y.push_back(q::least_magnitude(q::torchao::rceil<q::e4m3>{}, bits).bits);
      y.push_back(q::least_magnitude(q::tosa::block_scale<q::e5m2>{}, bits).bits);
      y.push_back(q::least_magnitude(q::microxcaling::floor_log2<q::e2m1>{}, bits).bits);
    }
    const auto found = q::compare_scale_rules(q::torchao::rceil<q::e2m1>{}, q::tosa::block_scale<q::e2m1>{});
    y.push_back(static_cast<std::uint32_t>(found.value.differing));
    return y;
  });
}

}  // namespace blocks_rounding
