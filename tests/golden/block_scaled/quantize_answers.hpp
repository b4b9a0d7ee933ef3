#pragma once
// Answers rows of quantizers of blocks and rows: ggml, XNNPACK, KleidiAI.

#include <dyadic/blocks/dynamic_row.hpp>
#include <dyadic/blocks/ggml.hpp>

#include <array>

#include "../driver.hpp"

namespace golden {

namespace quantizers {

namespace q = dyadic;

inline q::binary32 number(const row& r, const std::string& column) {
  return q::binary32::from_bits(r.integer<std::uint32_t>(column));
}
/// Returns `count` numbers, x0_bits and on.
inline std::vector<float> elements(const row& r, std::size_t count) {
  std::vector<float> x(count);
  for (std::size_t i = 0; i < count; ++i) x[i] = number(r, "x" + std::to_string(i) + "_bits").to_float();
  return x;
}
/// Returns `first`, and `count` names of columns with a number in the middle.
inline std::vector<std::string> columns(std::vector<std::string> first, const std::string& name, std::size_t count,
                                        const std::string& end = "") {
  for (std::size_t i = 0; i < count; ++i) first.push_back(name + std::to_string(i) + end);
  return first;
}

/// The bytes of one block.
template <class Rule>
values bytes_of(const row& r) {
  using block = typename Rule::block;
  const std::vector<float> x = elements(r, std::size_t{block::elements});
  std::array<std::uint8_t, std::size_t{block::bytes}> y{};
  if (const q::status s = q::quantize_blocks(Rule{}, x, y); s != q::status::ok) return values(y.size(), q::to_string(s));
  values all;
  for (const std::uint8_t byte : y) all.push_back(text(byte));
  return all;
}

template <class Rule>
answer blocks(const std::string& name) {
  using block = typename Rule::block;
  return {"ggml_quantize_" + name + ".csv", columns({}, "x", std::size_t{block::elements}, "_bits"),
          columns({}, "expected_", std::size_t{block::bytes}), bytes_of<Rule>};
}

/// KleidiAI's q8_0: the scale as a number, and signed codes.
inline answer qsi8d32() {
  return {"kleidiai_qsi8d32_block.csv", columns({}, "x", 32, "_bits"), columns({"expected_scale"}, "expected_", 32),
          [](const row& r) -> values {
            using block = q::kleidiai::qsi8d32::block;
            const std::vector<float> x = elements(r, 32);
            std::array<std::uint8_t, std::size_t{block::bytes}> y{};
            if (const q::status s = q::quantize_blocks(q::kleidiai::qsi8d32{}, x, y); s != q::status::ok)
              return values(33, q::to_string(s));
            values all{text(y[0] + 256 * y[1])};
            for (int i = 0; i < 32; ++i) all.push_back(text(block::value(y.data(), i)));
            return all;
          }};
}

/// A row of 32 elements. KleidiAI stores the zero point with the other sign.
template <class Rule>
answer row_of_32(const std::string& file, const std::string& zero_point, int sign, const std::string& scale) {
  return {file, columns({}, "x", 32, "_bits"), columns({zero_point, scale}, "expected_", 32), [sign](const row& r) -> values {
            const std::vector<float> x = elements(r, 32);
            std::array<std::int8_t, 32> y{};
            const auto made = q::quantize_row(Rule{}, x, y);
            if (made.status != q::status::ok) return values(34, q::to_string(made.status));
            values all{text(sign * made.value.zero_point), text(made.value.scale.bits)};
            for (const std::int8_t code : y) all.push_back(text(code));
            return all;
          }};
}

inline answer qd8_params() {
  return {"xnnpack_qd8_params.csv",
          {"min_bits", "max_bits"},
          {"expected_scale_bits", "expected_zero_point", "expected_inv_scale_bits"},
          [](const row& r) -> values {
            const auto made = q::xnnpack::qd8::derive(number(r, "min_bits"), number(r, "max_bits"));
            if (made.status != q::status::ok) return values(3, q::to_string(made.status));
            return {text(made.value.reciprocal.bits), text(made.value.zero_point), text(made.value.scale.bits)};
          }};
}

}  // namespace quantizers

inline std::vector<answer> quantize_answers() {
  namespace ggml = dyadic::ggml;
  using namespace quantizers;
  return {
      blocks<ggml::reference<ggml::q4_0>>("q4_0"),
      blocks<ggml::reference<ggml::q4_1>>("q4_1"),
      blocks<ggml::reference<ggml::q5_0>>("q5_0"),
      blocks<ggml::reference<ggml::q5_1>>("q5_1"),
      blocks<ggml::reference<ggml::q8_0>>("q8_0"),
      blocks<ggml::reference<ggml::q8_1>>("q8_1"),
      blocks<ggml::avx2<ggml::q8_0>>("q8_0_avx2"),
      blocks<ggml::avx2<ggml::q8_1>>("q8_1_avx2"),
      blocks<ggml::reference<ggml::mxfp4>>("mxfp4"),
      blocks<ggml::reference<ggml::nvfp4>>("nvfp4"),
      qsi8d32(),
      row_of_32<dyadic::xnnpack::qd8>("xnnpack_qd8_row.csv", "expected_zero_point", 1, "expected_inv_scale_bits"),
      row_of_32<dyadic::kleidiai::qai8dx>("kleidiai_qai8dx_row.csv", "expected_negated_zero_point", -1, "expected_scale_bits"),
      qd8_params()};
}

}  // namespace golden
