#pragma once
// Answers rows of MX, NVFP4 and LPBQ: scales of blocks, and their elements.

#include <dyadic/blocks/lpbq.hpp>
#include <dyadic/blocks/quantize_blocks.hpp>

#include "../driver.hpp"

namespace golden {

namespace mx {

namespace q = dyadic;

inline std::vector<std::string> numbered(std::vector<std::string> first, const std::string& name, int count,
                                         const std::string& suffix = "") {
  for (int i = 0; i < count; ++i) first.push_back(name + std::to_string(i) + suffix);
  return first;
}
inline q::binary32 bits_of(const row& r, const std::string& column) {
  return q::binary32::from_bits(r.integer<std::uint32_t>(column));
}
inline std::vector<float> block_of(const row& r, const std::string& name, int count) {
  std::vector<float> x;
  for (const std::string& column : numbered({}, name, count, "_bits")) x.push_back(bits_of(r, column).to_float());
  return x;
}
inline values text_of(const std::vector<std::uint8_t>& codes, values first = {}) {
  for (const std::uint8_t code : codes) first.push_back(text(code));
  return first;
}

/// Calls f with a format by its number in the files.
template <class Function>
auto with_format(std::int64_t format, const Function& f) {
  switch (format) {
    case 0: return f(q::e4m3{});
    case 1: return f(q::e5m2{});
    case 2: return f(q::e2m3{});
    case 3: return f(q::e3m2{});
    case 4: return f(q::e2m1{});
    case 5: return f(q::mxint8{});
    default: throw std::runtime_error("no such format");
  }
}
inline std::uint8_t code_of(q::mxint8 x) { return static_cast<std::uint8_t>(x.value); }
template <class Format>
std::uint8_t code_of(Format x) {
  return x.bits;
}

/// Returns the scales and then the codes.
template <class Rule>
values quantize(const Rule& rule, const std::vector<float>& x, std::size_t blocks) {
  std::vector<std::uint8_t> codes(x.size()), scales(blocks);
  const q::status s = q::quantize_blocks(rule, x, codes, scales);
  if (s != q::status::ok) return values(blocks + x.size(), q::to_string(s));
  return text_of(codes, text_of(scales));
}

template <class Format>
answer torchao_mx(const std::string& file) {
  namespace torchao = q::torchao;
  return {file, numbered({"rule"}, "x", 32, "_bits"), numbered({"expected_scale"}, "expected_", 32), [](const row& r) -> values {
            const std::vector<float> x = block_of(r, "x", 32);
            switch (r.integer("rule")) {
              case 0: return quantize(torchao::floor<Format>{}, x, 1);
              case 1: return quantize(torchao::ceil<Format>{}, x, 1);
              case 2: return quantize(torchao::even<Format>{}, x, 1);
              case 3: return quantize(torchao::rceil<Format>{}, x, 1);
              default: throw std::runtime_error("no such rule");
            }
          }};
}

template <class Format, class Ties>
values round_block(const std::vector<float>& x) {
  std::vector<float> y(x.size());
  const q::status s = q::microxcaling::quantize_mx<Format, Ties>(x, y);
  values all;
  for (const float rounded : y) all.push_back(s == q::status::ok ? text(q::binary32{rounded}.bits) : q::to_string(s));
  return all;
}

template <class Format>
answer microxcaling_mx(const std::string& file) {
  return {file, numbered({"round"}, "x", 32, "_bits"), numbered({}, "expected_", 32, "_bits"), [](const row& r) -> values {
            const std::vector<float> x = block_of(r, "x", 32);
            switch (r.integer("round")) {
              case 0: return round_block<Format, q::half_away>(x);
              case 1: return round_block<Format, q::half_even>(x);
              default: throw std::runtime_error("no such rounding");
            }
          }};
}

template <class Format>
using microxcaling_even = q::microxcaling::floor_log2<Format, q::half_even>;

inline answer cast_bf16() {
  return {"fp_cast_bf16.csv",
          {"x"},
          {"expected_e4m3", "expected_e5m2", "expected_e2m3", "expected_e3m2", "expected_e2m1", "expected_int8"},
          [](const row& r) -> values {
            const auto x = q::detail::convert<q::binary32>(q::bfloat16::from_bits(r.integer<int>("x")));
            return {text(microxcaling_even<q::e4m3>::element(x).bits),
                    text(microxcaling_even<q::e5m2>::element(x).bits),
                    text(q::round_to<q::e2m3>(x).bits),
                    text(q::round_to<q::e3m2>(x).bits),
                    text(q::round_to<q::e2m1>(x).bits),
                    text(code_of(microxcaling_even<q::mxint8>::element(x)))};
          }};
}

/// Answers a file of the format, a binary32 and one result: `compute(Format{}, x)`.
template <class Function>
answer one_number(const std::string& file, const std::string& column, const Function& compute) {
  return {file, {"format", column}, {"expected"}, [column, compute](const row& r) -> values {
            return with_format(r.integer("format"), [&](auto f) -> values { return {text(compute(f, bits_of(r, column)))}; });
          }};
}

inline answer torchao_mx_scale() {
  return {"torchao_mx_scale.csv",
          {"format", "amax_bits"},
          {"expected_floor", "expected_ceil", "expected_even", "expected_rceil"},
          [](const row& r) -> values {
            return with_format(r.integer("format"), [&](auto f) -> values {
              using format = decltype(f);
              const q::binary32 a = bits_of(r, "amax_bits");
              if constexpr (std::is_same_v<format, q::mxint8>)
                return {};
              else
                return {text(q::torchao::floor<format>::scale(a).bits), text(q::torchao::ceil<format>::scale(a).bits),
                        text(q::torchao::even<format>::scale(a).bits), text(q::torchao::rceil<format>::scale(a).bits)};
            });
          }};
}

inline answer torchao_nvfp4() {
  return {"torchao_nvfp4.csv", numbered({"global_bits"}, "x", 64, "_bits"),
          numbered(numbered({}, "expected_scale", 4), "expected_", 64), [](const row& r) -> values {
            const q::binary32 global = bits_of(r, "global_bits");
            const q::torchao::nvfp4 rule = q::is_zero(global) ? q::torchao::nvfp4{} : q::torchao::nvfp4{global};
            return quantize(rule, block_of(r, "x", 64), 4);
          }};
}

inline answer tosa_cast() {
  return {"tosa_cast_to_block_scaled.csv", numbered({"format"}, "x", 32, "_bits"), numbered({"expected_scale"}, "expected_", 32),
          [](const row& r) -> values {
            return with_format(r.integer("format"), [&](auto f) -> values {
              return quantize(q::tosa::block_scale<decltype(f)>{}, block_of(r, "x", 32), 1);
            });
          }};
}

inline std::string hexadecimal(q::binary64 x) {
  char all[40];
  std::snprintf(all, sizeof all, "%.13a", x.to_double());
  return all;
}
inline answer lpbq_scales() {
  std::vector<std::string> outputs = numbered({"expected_aimet_hex"}, "expected_aimet_", 8);
  outputs.emplace_back("expected_executorch_bits");
  return {"lpbq_scales.csv", numbered({}, "s", 8, "_bits"), numbered(outputs, "expected_executorch_", 8),
          [](const row& r) -> values {
            const std::vector<float> scales = block_of(r, "s", 8);
            std::vector<std::uint8_t> integers(8);
            const auto aimet = q::lpbq::aimet(scales, integers);
            values all = text_of(integers, {hexadecimal(aimet.value)});
            const auto executorch = q::lpbq::executorch(scales, integers);
            all.push_back(text(executorch.value.bits));
            if (aimet.status != q::status::ok || executorch.status != q::status::ok) return values(18, "a status");
            return text_of(integers, all);
          }};
}

}  // namespace mx

inline std::vector<answer> mx_answers() {
  namespace q = dyadic;
  return {
      mx::cast_bf16(),
      mx::one_number("torchao_cast_f32.csv", "x_bits",
                     [](auto f, q::binary32 x) {
                       if constexpr (std::is_same_v<decltype(f), q::mxint8>)
                         return -1;
                       else
                         return int{q::round_to<decltype(f)>(x).bits};
                     }),
      mx::torchao_mx_scale(),
      mx::torchao_mx<q::e4m3>("torchao_mx_e4m3.csv"),
      mx::torchao_mx<q::e5m2>("torchao_mx_e5m2.csv"),
      mx::torchao_mx<q::e2m3>("torchao_mx_e2m3.csv"),
      mx::torchao_mx<q::e3m2>("torchao_mx_e3m2.csv"),
      mx::torchao_mx<q::e2m1>("torchao_mx_e2m1.csv"),
      mx::torchao_nvfp4(),
      mx::one_number("microxcaling_cast_f32.csv", "x_bits",
                     [](auto f, q::binary32 x) { return mx::code_of(mx::microxcaling_even<decltype(f)>::element(x)); }),
      mx::one_number("microxcaling_mx_scale.csv", "amax_bits",
                     [](auto f, q::binary32 a) { return q::microxcaling::floor_log2<decltype(f)>::scale(a).bits; }),
      mx::microxcaling_mx<q::e4m3>("microxcaling_mx_e4m3.csv"),
      mx::microxcaling_mx<q::e5m2>("microxcaling_mx_e5m2.csv"),
      mx::microxcaling_mx<q::e2m3>("microxcaling_mx_e2m3.csv"),
      mx::microxcaling_mx<q::e3m2>("microxcaling_mx_e3m2.csv"),
      mx::microxcaling_mx<q::e2m1>("microxcaling_mx_e2m1.csv"),
      mx::microxcaling_mx<q::mxint8>("microxcaling_mx_int8.csv"),
      mx::one_number("tosa_mx_scale.csv", "amax_bits",
                     [](auto f, q::binary32 a) { return q::tosa::block_scale<decltype(f)>::scale(a).bits; }),
      mx::tosa_cast(),
      mx::lpbq_scales(),
  };
}

}  // namespace golden
