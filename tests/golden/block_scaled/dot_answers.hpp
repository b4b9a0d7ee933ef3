#pragma once
// Answers rows of dot products of blocks.

#include <dyadic/blocks/engine_dot.hpp>
#include <dyadic/blocks/ggml_dot.hpp>

#include "../driver.hpp"

namespace golden {
namespace dots {

namespace q = dyadic;

using columns = std::vector<std::string>;

/// Returns name0, name1, ..
inline columns numbered(const std::string& name, std::size_t count) {
  columns all;
  for (std::size_t i = 0; i < count; ++i) all.push_back(name + std::to_string(i));
  return all;
}
inline columns joined(const std::vector<columns>& parts) {
  columns all;
  for (const columns& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

/// Reads the first `count` numbered columns. `make` makes an element of an integer.
template <class T, class Make>
std::vector<T> array_of(const row& r, const std::string& name, std::int64_t count, Make make) {
  std::vector<T> all;
  for (std::int64_t i = 0; i < count; ++i) all.push_back(make(r.integer<int>(name + std::to_string(i))));
  return all;
}
template <class T>
std::vector<T> array_of(const row& r, const std::string& name, std::int64_t count) {
  return array_of<T>(r, name, count, [](int x) { return static_cast<T>(x); });
}

inline q::binary32 number(const row& r, const std::string& column) {
  return q::binary32::from_bits(r.integer<std::uint32_t>(column));
}

inline const columns exact_columns{"exact_f32_bits", "exact_bf16", "exact_f16"};

/// Adds the result of an engine, or the name of its error.
inline void add_result(values& to, q::result<q::binary32> y) {
  to.push_back(y.status == q::status::ok ? text(y.value.bits) : q::to_string(y.status));
}
inline void add_exact(values& to, const q::result<q::exact_sum>& y) {
  if (y.status != q::status::ok) throw std::runtime_error(q::to_string(y.status));
  to.push_back(text(y.value.rounded<q::binary32>().bits));
  to.push_back(text(y.value.rounded<q::bfloat16>().bits));
  to.push_back(text(y.value.rounded<q::binary16>().bits));
}

/// The bytes of ggml's blocks. A row of the file has up to 8 blocks of 32 elements of activations.
template <class Block>
answer ggml_answer(const std::string& file) {
  using activations = typename q::ggml::activations_of<Block>::block_type;
  constexpr std::int64_t ratio = Block::elements / activations::elements;
  constexpr std::size_t w_bytes = 8 / ratio * Block::bytes, a_bytes = 8 * activations::bytes;
  return {file, joined({{"blocks"}, numbered("w", w_bytes), numbered("a", a_bytes)}),
          joined({{"expected_bits", "expected_avx2_bits"}, exact_columns}), [](const row& r) -> values {
            const std::int64_t blocks = r.integer("blocks");
            const auto w = array_of<std::uint8_t>(r, "w", blocks * Block::bytes);
            const auto a = array_of<std::uint8_t>(r, "a", blocks * ratio * activations::bytes);
            const q::ggml::row<Block> weights{w};
            const q::ggml::row<activations> inputs{a};
            values y;
            add_result(y, q::ggml::generic_order::dot(weights, inputs));
            add_result(y, q::ggml::avx2_order::dot(weights, inputs));
            add_exact(y, q::ggml::exact_dot(weights, inputs));
            return y;
          }};
}

inline values qsi8d32_qsi4c32(const row& r) {
  const std::int64_t blocks = r.integer("blocks");
  const auto w = array_of<std::uint8_t>(r, "w", blocks * q::ggml::q4_0::bytes);
  const auto a = array_of<std::uint8_t>(r, "a", blocks * q::ggml::q8_0::bytes);
  const q::ggml::row<q::ggml::q4_0> weights{w};
  const q::ggml::row<q::ggml::q8_0> inputs{a};
  values y;
  add_result(y, q::kleidiai::qsi8d32_order::dot(inputs, weights));
  add_exact(y, q::ggml::exact_dot(weights, inputs));
  return y;
}

/// Calls visit(row of activations, epilogue) for the columns of a dynamically quantized row.
template <class Visit>
values with_qd8(const row& r, const std::string& scale, bool is_clamped, Visit visit) {
  const auto codes = array_of<std::int8_t>(r, "a", r.integer("k"));
  q::epilogue e{number(r, "bias_bits")};
  if (is_clamped) {
    e.min = number(r, "min_bits");
    e.max = number(r, "max_bits");
  }
  return visit(q::qd8_row{{codes, r.integer<std::int32_t>("zero_point")}, number(r, scale)}, e);
}

/// Adds the results of the orders and the exact columns.
template <class... Orders, class Weights>
values results(const q::qd8_row& a, const Weights& w, const q::epilogue& e) {
  values y;
  (add_result(y, Orders::dot(a, w, e)), ...);
  add_exact(y, q::exact::dot(a, w, e));
  return y;
}

using nibbles = q::nibble_codes<q::nibble_code::offset8>;

template <class... Orders>
struct qd8_answers {
  std::string scale;  // the column of the scale of activations
  bool is_clamped;    // the file has columns of bounds
  std::size_t depth;  // the largest
  columns outputs;

  columns inputs(const columns& weights) const {
    const columns bounds = is_clamped ? columns{"min_bits", "max_bits"} : columns{};
    return joined({{"k", "zero_point", scale, "bias_bits"}, bounds, numbered("a", depth), weights});
  }
  answer of_int8(const std::string& file) const {
    return {file, inputs(joined({{"weight_scale_bits"}, numbered("w", depth)})), joined({outputs, exact_columns}),
            [scale = scale, is_clamped = is_clamped](const row& r) {
              return with_qd8(r, scale, is_clamped, [&r](const auto& a, const auto& e) {
                const auto w = array_of<std::int8_t>(r, "w", a.size());
                const q::one_scale_row<q::integer_codes<std::int8_t>> weights{{w}, number(r, "weight_scale_bits")};
                return results<Orders...>(a, weights, e);
              });
            }};
  }
  answer of_int4(const std::string& file) const {
    return {file, inputs(joined({{"weight_scale_bits"}, numbered("w", depth / 2)})), joined({outputs, exact_columns}),
            [scale = scale, is_clamped = is_clamped](const row& r) {
              return with_qd8(r, scale, is_clamped, [&r](const auto& a, const auto& e) {
                const auto w = array_of<std::uint8_t>(r, "w", a.size() / 2);
                const q::one_scale_row<nibbles> weights{{w, a.size()}, number(r, "weight_scale_bits")};
                return results<Orders...>(a, weights, e);
              });
            }};
  }
  /// `block` is the column of the block, or empty for 32.
  answer of_blocks(const std::string& file, const std::string& block) const {
    const columns more = block.empty() ? columns{} : columns{block};
    return {file, inputs(joined({more, numbered("s", 4), numbered("w", depth / 2)})), joined({outputs, exact_columns}),
            [scale = scale, is_clamped = is_clamped, block](const row& r) {
              return with_qd8(r, scale, is_clamped, [&](const auto& a, const auto& e) {
                const q::index_t size = block.empty() ? 32 : r.integer<q::index_t>(block);
                const auto w = array_of<std::uint8_t>(r, "w", a.size() / 2);
                const auto scales = array_of<q::bfloat16>(r, "s", a.size() / size, q::bfloat16::from_bits);
                const q::block_scaled_row<nibbles, q::bfloat16> weights{{w, a.size()}, scales, size};
                return results<Orders...>(a, weights, e);
              });
            }};
  }
};

template <class Format>
values mx_result(const row& r) {
  const auto make = [](int bits) {
    if constexpr (std::is_same_v<Format, q::mxint8>)
      return Format{static_cast<std::int8_t>(static_cast<std::uint8_t>(bits))};
    else
      return Format::from_bits(bits);
  };
  const auto scale = [](int bits) { return q::e8m0{static_cast<std::uint8_t>(bits)}; };
  const std::int64_t blocks = r.integer("blocks");
  const auto a = array_of<Format>(r, "a", 32 * blocks, make);
  const auto b = array_of<Format>(r, "b", 32 * blocks, make);
  const auto sa = array_of<q::e8m0>(r, "sa", blocks, scale);
  const auto sb = array_of<q::e8m0>(r, "sb", blocks, scale);
  const q::block_scaled_row<q::element_codes<Format>, q::e8m0> x{{a}, sa}, y{{b}, sb};
  values results;
  add_result(results, q::tosa::block_order::dot(x, y));
  add_exact(results, q::exact::dot(x, y));
  return results;
}

/// The formats in the order of their numbers.
inline values tosa_result(const row& r) {
  using compute = values (*)(const row&);
  constexpr compute of_format[] = {mx_result<q::e4m3>, mx_result<q::e5m2>, mx_result<q::e2m3>,
                                   mx_result<q::e3m2>, mx_result<q::e2m1>, mx_result<q::mxint8>};
  return of_format[r.integer("format")](r);
}

}  // namespace dots

inline std::vector<answer> dot_answers() {
  using namespace dots;
  namespace ggml = q::ggml;
  using xnnpack = qd8_answers<q::xnnpack::scalar_order, q::xnnpack::neondot_order>;
  using kleidiai = qd8_answers<q::kleidiai::qai8dx_order>;
  const columns two{"expected_bits", "expected_neondot_bits"}, one{"expected_bits"};
  return {
      ggml_answer<ggml::q4_0>("ggml_vec_dot_q4_0_q8_0.csv"),
      ggml_answer<ggml::q5_0>("ggml_vec_dot_q5_0_q8_0.csv"),
      ggml_answer<ggml::q8_0>("ggml_vec_dot_q8_0_q8_0.csv"),
      ggml_answer<ggml::mxfp4>("ggml_vec_dot_mxfp4_q8_0.csv"),
      ggml_answer<ggml::nvfp4>("ggml_vec_dot_nvfp4_q8_0.csv"),
      ggml_answer<ggml::q4_1>("ggml_vec_dot_q4_1_q8_1.csv"),
      ggml_answer<ggml::q5_1>("ggml_vec_dot_q5_1_q8_1.csv"),
      xnnpack{"inv_scale_bits", true, 64, two}.of_int8("xnnpack_qd8_f32_qc8w.csv"),
      xnnpack{"inv_scale_bits", true, 64, two}.of_int4("xnnpack_qd8_f32_qc4w.csv"),
      xnnpack{"inv_scale_bits", true, 128, two}.of_blocks("xnnpack_qd8_f32_qb4w.csv", "block"),
      kleidiai{"scale_bits", false, 128, one}.of_int4("kleidiai_qai8dx_qsi4cx.csv"),
      kleidiai{"scale_bits", false, 128, one}.of_blocks("kleidiai_qai8dx_qsi4c32.csv", ""),
      {"kleidiai_qsi8d32_qsi4c32.csv", joined({{"blocks"}, numbered("w", 8 * 18), numbered("a", 8 * 34)}),
       joined({one, exact_columns}), qsi8d32_qsi4c32},
      {"tosa_matmul_t_block_scaled.csv",
       joined({{"format", "blocks"}, numbered("sa", 4), numbered("sb", 4), numbered("a", 128), numbered("b", 128)}),
       joined({one, exact_columns}), tosa_result},
  };
}

}  // namespace golden
