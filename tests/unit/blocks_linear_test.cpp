#include <dyadic/blocks/linear.hpp>
#include <dyadic/blocks/matrices.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "../support/catch.hpp"
#include "../support/random.hpp"

namespace q = dyadic;
using q::index_t;
using q::status;

namespace {

support::random_bits draw;

using mxfp4 = q::nibble_codes<q::nibble_code::e2m1>;
using mxint8 = q::element_codes<q::mxint8>;
using weights_view = q::block_scaled_view<mxfp4, q::e8m0>;
using activations_view = q::block_scaled_view<mxint8, q::e8m0>;

constexpr index_t rows = 3, channels = 18, depth = 50, block = 16, blocks = 4;

/// A layer whose numbers are multiples of 2^-20 below 2^20, so that double holds all sums.
struct layer {
  std::vector<q::mxint8> x = std::vector<q::mxint8>(rows * depth);
  std::vector<std::uint8_t> w = std::vector<std::uint8_t>(channels * depth / 2);
  std::vector<q::e8m0> of_x = std::vector<q::e8m0>(rows * blocks), of_w = std::vector<q::e8m0>(channels * blocks);
  std::vector<float> y = std::vector<float>(rows * channels, -1.0f);
  std::vector<unsigned char> memory = std::vector<unsigned char>(
      static_cast<std::size_t>(q::packed_rows<weights_view::row_type>::bytes_of(channels, depth, block).value));

  layer() {
    for (q::mxint8& code : x) code = {static_cast<std::int8_t>(draw())};
    for (std::uint8_t& byte : w) byte = static_cast<std::uint8_t>(draw());
    for (q::e8m0& s : of_x) s = {static_cast<std::uint8_t>(124 + draw.below(6))};
    for (q::e8m0& s : of_w) s = {static_cast<std::uint8_t>(124 + draw.below(6))};
  }
  activations_view activations() const { return {{x}, {of_x, rows, blocks}, block}; }
  weights_view weights() const { return {{w, channels * depth}, {of_w, channels, blocks}, block}; }
  q::matrix_view<float> outputs() { return {y, rows, channels}; }
  /// The value of weight i of a channel, from the definition of the format.
  double weight(index_t c, index_t i) const {
    constexpr double e2m1[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
    const index_t at = c * depth + i;
    const int code = w[static_cast<std::size_t>(at / 2)] >> (at % 2 == 0 ? 0 : 4) & 15;
    return std::ldexp(code < 8 ? e2m1[code] : -e2m1[code - 8], of_w[static_cast<std::size_t>(c * blocks + i / block)].bits - 127);
  }
  double activation(index_t r, index_t i) const {
    const int scale = of_x[static_cast<std::size_t>(r * blocks + i / block)].bits - 127;
    return std::ldexp(x[static_cast<std::size_t>(r * depth + i)].value / 64.0, scale);
  }
  double sum(index_t r, index_t c) const {
    double all = 0;
    for (index_t i = 0; i < depth; ++i) all += activation(r, i) * weight(c, i);
    return all;
  }
};

}  // namespace

TEST_CASE("blocks: a linear layer is the sum of its products") {
  layer l;
  const auto w = q::pack_rows(l.weights(), l.memory);
  REQUIRE(w.status == status::ok);
  REQUIRE(q::exact::linear(l.activations(), w.value, l.outputs()) == status::ok);
  for (index_t r = 0; r < rows; ++r)
    for (index_t c = 0; c < channels; ++c)
      CHECK(l.y[static_cast<std::size_t>(r * channels + c)] == static_cast<float>(l.sum(r, c)));

  const std::vector<float> bias(channels, 0.375f);
  const q::binary32 low(-2.5f), high(3.0f);
  REQUIRE(q::exact::linear(l.activations(), w.value, l.outputs(), {bias, low, high}) == status::ok);
  for (index_t r = 0; r < rows; ++r)
    for (index_t c = 0; c < channels; ++c) {
      const double sum = l.sum(r, c) + 0.375;
      CHECK(l.y[static_cast<std::size_t>(r * channels + c)] == static_cast<float>(sum < -2.5 ? -2.5 : sum > 3 ? 3 : sum));
    }
}

TEST_CASE("blocks: a linear layer requantizes exact sums") {
  layer l;
  const auto w = q::pack_rows(l.weights(), l.memory).value;
  std::vector<std::int8_t> y8(rows * channels);
  std::vector<std::uint16_t> y16(rows * channels);
  const q::sum_epilogue e{{}, negate(q::epilogue::infinity), q::epilogue::infinity, q::binary32(0.5f), -7};
  REQUIRE(q::exact::linear(l.activations(), w, q::matrix_view<std::int8_t>(y8, rows, channels), e) == status::ok);
  q::sum_epilogue wide = e;
  wide.zero_point = 30000;
  REQUIRE(q::exact::linear(l.activations(), w, q::matrix_view<std::uint16_t>(y16, rows, channels), wide) == status::ok);
  for (index_t r = 0; r < rows; ++r)
    for (index_t c = 0; c < channels; ++c) {
      const auto at = static_cast<std::size_t>(r * channels + c);
      const double ratio = std::nearbyint(l.sum(r, c) / 0.5);  // ties to even
      CHECK(y8[at] == std::min(std::max(ratio - 7, -128.0), 127.0));
      CHECK(y16[at] == ratio + 30000);
    }
  const auto refused = [&](q::binary32 scale, std::int32_t zero) {
    return q::exact::linear(l.activations(), w, q::matrix_view<std::int8_t>(y8, rows, channels), {{}, e.min, e.max, scale, zero});
  };
  CHECK(refused(q::binary32{}, 0) == status::scale_zero);
  CHECK(refused(q::binary32(-1.0f), 0) == status::scale_negative);
  CHECK(refused(q::epilogue::infinity, 0) == status::scale_not_finite);
  CHECK(refused(q::binary32(1.0f), 128) == status::zero_point_out_of_range);
}

TEST_CASE("blocks: packed rows have the codes and scales of the rows") {
  const layer l;
  std::vector<unsigned char> memory = l.memory;
  const auto w = q::pack_rows(l.weights(), memory).value;
  REQUIRE(check(w) == status::ok);
  REQUIRE(w.rows() == channels);
  REQUIRE(w.depth() == depth);
  for (index_t c = 0; c < channels; ++c) {
    const auto row = w.row(c);
    REQUIRE(row.size() == depth);
    for (index_t i = 0; i < depth; ++i) {
      const double scale = double{row.scale(i).to_float()};
      CHECK(std::ldexp(static_cast<double>(row.integer(i)) * scale, row.unit) == l.weight(c, i));
    }
  }
  // A ggml block of 5 bits has one byte for each code.
  std::vector<std::uint8_t> bytes(2 * q::ggml::q5_0::bytes);
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(draw());
  bytes[1] = bytes[q::ggml::q5_0::bytes + 1] = 0x2C;
  const q::ggml::matrix<q::ggml::q5_0> matrix{{bytes, 2, q::ggml::q5_0::bytes}};
  memory.resize(static_cast<std::size_t>(q::packed_rows<q::ggml::row<q::ggml::q5_0>>::bytes_of(2, 32, 32).value));
  const auto packed = q::pack_rows(matrix, memory);
  REQUIRE(packed.status == status::ok);
  CHECK(packed.value.scales == q::scale_format::binary16);
  for (index_t r = 0; r < 2; ++r)
    for (index_t i = 0; i < 32; ++i) {
      CHECK(packed.value.row(r).integer(i) == matrix.row(r).integer(i));
      CHECK(packed.value.row(r).scale(i).bits == matrix.row(r).scale(i).bits);
    }
}

namespace {
/// Packs a row of all finite codes of a format, and compares integers, and a product with activations of the same format.
template <class Format>
void pack_all_codes() {
  using view = q::block_scaled_view<q::element_codes<Format>, q::bfloat16>;
  std::vector<Format> codes;
  for (int bits = 0; bits < 1 << Format::width; ++bits)
    if (const auto x = Format::from_bits(bits); q::is_finite(x)) codes.push_back(x);
  const auto size = static_cast<index_t>(codes.size()), count = (size + 31) / 32;
  const std::vector<q::bfloat16> scales(static_cast<std::size_t>(count), q::detail::convert<q::bfloat16>(q::binary32(0.75f)));
  const view w{{codes}, {scales, 1, count}, 32};
  std::vector<unsigned char> memory(
      static_cast<std::size_t>(q::packed_rows<typename view::row_type>::bytes_of(1, size, 32).value));
  const auto packed = q::pack_rows(w, memory);
  REQUIRE(packed.status == status::ok);
  for (index_t i = 0; i < size; ++i) CHECK(packed.value.row(0).integer(i) == w.row(0).integer(i));

  std::vector<Format> x(codes.size());  // one code, which is multiplied by its neighbour
  std::vector<float> y(1);
  for (const int at : {0, 1, 7, 33, 50, 61}) {
    std::fill(x.begin(), x.end(), Format{});
    const auto i = static_cast<std::size_t>(at);
    x[i] = codes[i + 1];
    REQUIRE(q::exact::linear(view{{x}, {scales, 1, count}, 32}, packed.value, q::matrix_view<float>(y, 1, 1)) == status::ok);
    const float a = q::detail::convert<q::binary32>(codes[i]).to_float(),
                b = q::detail::convert<q::binary32>(codes[i + 1]).to_float();
    CHECK(y[0] == a * b * 0.5625f);
  }
}
}  // namespace

TEST_CASE("blocks: packed rows have each code of floats of 6 and 8 bits") {
  pack_all_codes<q::e4m3>();
  pack_all_codes<q::e5m2>();
  pack_all_codes<q::e3m2>();
  pack_all_codes<q::e2m3>();
}

TEST_CASE("blocks: the workspace holds each row, or is the largest size") {
  const layer l;
  std::vector<unsigned char> memory = l.memory;
  const auto w = q::pack_rows(l.weights(), memory).value;
  const index_t all = q::workspace_of(l.activations(), w);
  CHECK(all % rows == 0);
  CHECK(all / rows >= depth);
  const std::int8_t code = 0;
  const q::dynamic_rows many{{&code, q::limits<index_t>::max / 8, 0}, {}};
  CHECK(q::workspace_of(many, w) == q::limits<index_t>::max);
  CHECK(q::workspace_of(q::dynamic_rows{}, w) == 0);
}

TEST_CASE("blocks: rows with one scale keep all 24 bits of it") {
  using int8 = q::element_codes<std::int8_t>;
  using int4 = q::nibble_codes<q::nibble_code::twos_complement>;
  const std::int8_t w8[] = {3, -128, 127, 0, 1, -1}, x[] = {5, -7, 2};
  const std::uint8_t w4[] = {0x83, 0x07, 0xF1, 0x00};  // 3, -8, 7, 0; 1, -1, 0, 0
  const std::uint8_t x4[] = {0x95, 0x02};              // 5, -7, 2, 0
  const float of_w[] = {0x1.fffffep-3f, -0x1.000002p4f}, of_x = 0x1.aaaaaap0f;
  const auto expect = [&](const auto& activations, const auto& weights, std::int64_t first, std::int64_t second) {
    using packed = q::packed_rows<typename std::decay_t<decltype(weights)>::row_type>;
    std::vector<unsigned char> memory(static_cast<std::size_t>(packed::bytes_of(2, weights.depth(), weights.depth()).value));
    const auto made = q::pack_rows(weights, memory);
    REQUIRE(made.status == status::ok);
    CHECK(made.value.scales == q::scale_format::binary32);
    float y[2];
    REQUIRE(q::exact::linear(activations, made.value, q::matrix_view<float>(y, 1, 2)) == status::ok);
    CHECK(y[0] == static_cast<float>(static_cast<double>(first) * double{of_w[0]} * double{of_x}));  // 4 + 48 bits
    CHECK(y[1] == static_cast<float>(static_cast<double>(second) * double{of_w[1]} * double{of_x}));
    q::sum_epilogue e;
    e.x_scale = q::binary32(-0.5f);
    e.w_scale = q::binary32(4.0f);
    REQUIRE(q::exact::linear(activations, made.value, q::matrix_view<float>(y, 1, 2), e) == status::ok);
    CHECK(y[0] == static_cast<float>(static_cast<double>(-2 * first) * double{of_w[0]} * double{of_x}));
    e.w_scale = q::epilogue::infinity;
    CHECK(q::exact::linear(activations, made.value, q::matrix_view<float>(y, 1, 2), e) == status::scale_not_finite);
    std::swap(e.x_scale, e.w_scale);
    CHECK(q::exact::linear(activations, made.value, q::matrix_view<float>(y, 1, 2), e) == status::scale_not_finite);
  };
  const q::one_scale_rows<int8> weights{{w8}, of_w, 2};
  expect(q::one_scale_rows<int8>{{x}, {&of_x, 1}, 1}, weights, 15 + 896 + 254, -7 - 2);
  expect(q::one_scale_rows<q::integer_codes<std::int8_t>>{{x, 1}, {&of_x, 1}, 1}, weights, 12 + 8 * 128 + 127, -8 - 1);
  expect(q::one_scale_rows<int4>{{x4, 4}, {&of_x, 1}, 1}, q::one_scale_rows<int4>{{w4, 8}, of_w, 2}, 15 + 56 + 14, 12);
}

TEST_CASE("blocks: rows with one scale are checked") {
  using rows_of_int8 = q::one_scale_rows<q::integer_codes<std::int8_t>>;
  using rows_of_nibbles = q::one_scale_rows<q::nibble_codes<q::nibble_code::offset8>>;
  const std::int8_t codes[6] = {};
  const std::uint8_t bytes[3] = {};
  const float scales[6] = {};
  CHECK(check(rows_of_int8{{codes, 3}, {scales, 2}, 2}) == status::ok);
  CHECK(check(rows_of_int8{{codes, 3}, {scales, 1}, 2}) == status::ok);
  CHECK(check(rows_of_int8{{codes, 3}, {scales, 3}, 2}) == status::shape_mismatch);
  CHECK(check(rows_of_int8{{codes, 128}, {scales, 2}, 2}) == status::zero_point_out_of_range);
  CHECK(check(rows_of_int8{{codes, 3}, {scales, 1}, 4}) == status::shape_mismatch);
  CHECK(check(rows_of_int8{{codes, 3}, {scales, 1}, -2}) == status::negative_size);
  CHECK(check(rows_of_int8{{codes, 3}, {nullptr, 2}, 2}) == status::null_data);
  CHECK(check(rows_of_int8{{codes, 3}, {scales, 1}, 0}) == status::shape_mismatch);
  CHECK(check(rows_of_int8{{{nullptr, 0}, 3}, {scales, 1}, 2}) == status::shape_mismatch);
  CHECK(check(rows_of_int8{{{nullptr, 0}, 3}, {scales, 2}, 2}) == status::ok);
  CHECK(check(rows_of_int8{{{nullptr, 0}, 3}, {nullptr, 0}, 0}) == status::ok);
  CHECK(check(rows_of_int8{{{nullptr, 0}, 3}, {scales, 1}, 0}) == status::ok);
  CHECK(check(rows_of_int8{{{nullptr, 0}, 3}, {scales, 2}, 0}) == status::shape_mismatch);
  CHECK(check(rows_of_nibbles{{bytes, 6}, {scales, 3}, 3}) == status::ok);
  CHECK(check(rows_of_nibbles{{bytes, 6}, {scales, 2}, 2}) == status::shape_mismatch);  // rows share a byte
  CHECK(overlap(rows_of_nibbles{{bytes, 6}, {scales, 3}, 3}, q::view<const float>(scales + 2, 1)));
  CHECK(overlap(rows_of_nibbles{{bytes, 6}, {scales, 3}, 3}, q::view<const std::uint8_t>(bytes + 2, 1)));
  CHECK_FALSE(overlap(rows_of_nibbles{{bytes, 6}, {scales, 3}, 3}, q::view<const float>(scales + 3, 1)));
}

TEST_CASE("blocks: pack_rows refuses what it cannot pack") {
  layer l;
  const std::vector<unsigned char> before = l.memory;
  const auto refused = [&](const weights_view& w, status expected) {
    CHECK(q::pack_rows(w, l.memory).status == expected);
    CHECK(l.memory == before);
  };
  weights_view w = l.weights();
  w.codes.count -= 2;
  refused(w, status::shape_mismatch);  // not the same number of codes in each row
  CHECK(q::packed_size(w).status == status::shape_mismatch);
  CHECK(q::packed_size(l.weights()).value == q::packed_rows<weights_view::row_type>::bytes_of(channels, depth, block).value);
  w = l.weights();
  w.block_size = 0;
  refused(w, status::shape_mismatch);
  w = l.weights();
  w.codes.bytes = {nullptr, w.codes.bytes.size()};
  refused(w, status::null_data);
  l.of_w[5] = {255};
  refused(l.weights(), status::scale_not_finite);
  l.of_w[5] = {127};
  CHECK(q::pack_rows(l.weights(), q::view<unsigned char>(l.memory.data(), static_cast<index_t>(l.memory.size()) - 1)).status ==
        status::arena_too_small);
  CHECK(q::pack_rows(l.weights(), q::view<unsigned char>(l.w.data(), static_cast<index_t>(l.w.size()))).status ==
        status::arena_too_small);
  std::vector<unsigned char> shared(8192);
  weights_view inside = l.weights();
  inside.codes.bytes = {shared.data() + 100, inside.codes.bytes.size()};
  CHECK(q::pack_rows(inside, shared).status == status::overlap);
  // Scales of 12 digits fit neither bfloat16 nor binary16.
  const std::vector<q::binary32> fine(channels * blocks, q::binary32(1.0f + 1.0f / 2048));
  CHECK(q::pack_rows(q::block_scaled_view<mxfp4, q::binary32>{{l.w, channels * depth}, {fine, channels, blocks}, block}, l.memory)
            .status == status::value_out_of_range);
  CHECK(l.memory == before);

  using packed = q::packed_rows<weights_view::row_type>;
  CHECK(packed::bytes_of(-1, 1, 1).status == status::negative_size);
  CHECK(packed::bytes_of(1, -1, 1).status == status::negative_size);
  CHECK(packed::bytes_of(1, 1, 0).status == status::shape_mismatch);
  constexpr index_t most = std::numeric_limits<index_t>::max();
  CHECK(packed::bytes_of(most, 1, 1).status == status::size_overflow);
  CHECK(packed::bytes_of(1, most, 32).status == status::size_overflow);
  CHECK(packed::bytes_of(1, 1, most).status == status::size_overflow);
  CHECK(packed::bytes_of(most / 64, most / 64, 32).status == status::size_overflow);
  CHECK(packed::bytes_of(0, 0, 32).value == 0);
  CHECK(packed::bytes_of(most, most, most).status == status::size_overflow);
  CHECK(packed::bytes_of(16, 1, 1).value == 64 + 32 + 208);
  CHECK(packed::bytes_of(17, 40, 32).value == 2 * (2 * (4 * 64 + 32) + 208));
  CHECK(packed::bytes_of(17, 40, 1000000).value == 2 * (5 * 64 + 32 + 208));
}

namespace {
/// Codes of 4 bits that the library does not have: 8 - code, and 2 * code - 12.
/// @{
struct reversed {
  [[maybe_unused]] static constexpr int unit = 0;
  static constexpr std::int64_t largest = 8;
  static constexpr std::int64_t integer(int code) { return 8 - code; }
};
struct even {
  [[maybe_unused]] static constexpr int unit = 0;
  static constexpr std::int64_t largest = 12;
  static constexpr std::int64_t integer(int code) { return code > 12 ? 0 : 2 * code - 12; }
};
/// @}
template <class Code>
status packed_status(std::uint8_t code) {
  const float scale = 1.0f;
  unsigned char memory[1024];
  return q::pack_rows(q::one_scale_rows<q::nibble_codes<Code>>{{{&code, 1}, 2}, {&scale, 1}, 1}, memory).status;
}
}  // namespace

TEST_CASE("blocks: pack_rows refuses codes that packed rows do not have") {
  CHECK(packed_status<reversed>(0x81) == status::ok);                  // 7 and 0
  CHECK(packed_status<reversed>(0x10) == status::value_out_of_range);  // 8 and 7
  CHECK(packed_status<even>(0x62) == status::ok);                      // -8 and 0
  CHECK(packed_status<even>(0x61) == status::value_out_of_range);      // -10 and 0
}

TEST_CASE("blocks: a block longer than a row takes the room of the row") {
  const std::vector<std::int8_t> codes(2 * 40, 3);
  const std::vector<q::bfloat16> scales{{0x3F80}, {0x4000}};  // 1 and 2
  const q::block_scaled_view<q::element_codes<std::int8_t>, q::bfloat16> w{{codes}, {scales, 2, 1}, 1000000};
  std::vector<unsigned char> memory(10 * 64 + 32 + 208), workspace(200);
  const auto packed = q::pack_rows(w, memory);
  REQUIRE(packed.status == status::ok);
  float y[4] = {};
  CHECK(q::exact::linear(w, packed.value, q::matrix_view<float>(y, 2, 2)) == status::ok);
  CHECK((y[0] == 360 && y[1] == 720 && y[2] == 720 && y[3] == 1440));
}

TEST_CASE("blocks: a linear layer refuses arguments that do not match") {
  layer l;
  const auto w = q::pack_rows(l.weights(), l.memory).value;
  const std::vector<float> before = l.y;
  const auto refused = [&](const activations_view& x, const q::matrix_view<float>& y, const q::sum_epilogue& e, status expected) {
    CHECK(q::exact::linear(x, w, y, e) == expected);
    CHECK(l.y == before);
  };
  const std::vector<float> bias(channels), few(channels - 1), large(channels, std::numeric_limits<float>::infinity());
  activations_view x = l.activations();
  refused(x, {l.y, rows, channels - 1}, {}, status::shape_mismatch);
  refused(x, {l.y, rows - 1, channels}, {}, status::shape_mismatch);
  refused(x, {nullptr, rows, channels}, {}, status::null_data);
  refused(x, l.outputs(), {few}, status::shape_mismatch);
  refused(x, l.outputs(), {large}, status::value_out_of_range);
  refused(x, l.outputs(), {bias, q::binary32(1.0f), q::binary32(0.0f)}, status::empty_range);
  refused(x, l.outputs(), {{l.y.data(), channels}}, status::overlap);
  refused({{{l.x.data(), rows * blocks * block}}, x.scales, block}, l.outputs(), {}, status::shape_mismatch);  // another depth
  l.of_x[7] = {255};
  refused(l.activations(), l.outputs(), {}, status::scale_not_finite);
  l.of_x[7] = {127};
  auto broken = w;
  broken.bytes = {w.bytes.data(), w.bytes.size() - 1};
  CHECK(q::exact::linear(l.activations(), broken, l.outputs()) == status::null_data);
  CHECK(l.y == before);
}

TEST_CASE("blocks: a layer without rows, channels or depth has a result") {
  const std::vector<float> bias{0.5f, -1.5f};
  const std::vector<std::int8_t> none;
  const std::vector<q::dynamic_row> numbers(3, q::dynamic_row{q::binary32(2.0f), 1, q::binary32(0.5f)});
  const q::block_scaled_view<q::nibble_codes<q::nibble_code::offset8>, q::bfloat16> w{{{}, 0}, {nullptr, 2, 0}, 32};
  std::vector<unsigned char> memory(1000);
  const auto packed = q::pack_rows(w, memory);
  REQUIRE(packed.status == status::ok);
  std::vector<float> y(6);
  CHECK(q::exact::linear(q::dynamic_rows{{none.data(), 3, 0}, numbers}, packed.value, q::matrix_view<float>(y, 3, 2), {bias}) ==
        status::ok);
  CHECK(y == std::vector<float>{0.5f, -1.5f, 0.5f, -1.5f, 0.5f, -1.5f});
  CHECK(q::exact::linear(q::dynamic_rows{{none.data(), 0, 0}, {}}, packed.value, q::matrix_view<float>(y.data(), 0, 2)) ==
        status::ok);
}

TEST_CASE("blocks: a layer without depth refuses a scale that is not finite") {
  // Vectors would multiply the empty sum by the scale.
  const std::vector<std::int8_t> none;
  const std::vector<q::dynamic_row> numbers(1, q::dynamic_row{q::binary32::from_bits(0x7FC0'0000u), 1, {}});
  const q::block_scaled_view<q::nibble_codes<q::nibble_code::offset8>, q::bfloat16> w{{{}, 0}, {nullptr, 2, 0}, 32};
  std::vector<unsigned char> memory(1000);
  const auto packed = q::pack_rows(w, memory);
  REQUIRE(packed.status == status::ok);
  std::vector<float> y{1.0f, 2.0f};
  CHECK(q::exact::linear(q::dynamic_rows{{none.data(), 1, 0}, numbers}, packed.value, q::matrix_view<float>(y, 1, 2)) ==
        status::scale_not_finite);
  CHECK(y == std::vector<float>{1.0f, 2.0f});
}

TEST_CASE("blocks: a layer takes any number of empty rows") {
  constexpr index_t most = std::numeric_limits<index_t>::max();
  using matrix = q::ggml::matrix<q::ggml::q8_0>;
  const auto w = q::pack_rows(matrix{{nullptr, 0, 0}}, q::view<unsigned char>{});
  REQUIRE(w.status == status::ok);
  CHECK(q::exact::linear(matrix{{nullptr, most, 0}}, w.value, q::matrix_view<float>(nullptr, most, 0)) == status::ok);
}

TEST_CASE("blocks: a matrix of ggml refuses a depth beyond the largest size") {
  constexpr index_t most = std::numeric_limits<index_t>::max() / q::ggml::q4_0::bytes * q::ggml::q4_0::bytes;
  const q::ggml::matrix<q::ggml::q4_0> w{{nullptr, 0, most}};
  CHECK(check(w) == status::size_overflow);
  CHECK(q::pack_rows(w, q::view<unsigned char>{}).status == status::size_overflow);
  constexpr index_t deepest = std::numeric_limits<index_t>::max() / 32;
  CHECK(check(q::ggml::matrix<q::ggml::q4_0>{{nullptr, 0, deepest * q::ggml::q4_0::bytes}}) == status::ok);
}

namespace {
/// (3 - 1) * 4 * 0.5 * 0.25 in a constant expression.
constexpr float constant_layer() {
  const std::int8_t x[2] = {3, 1};
  const q::dynamic_row numbers[1] = {{q::binary32::from_bits(0x3E80'0000), 1, {}}};
  const std::uint8_t w[1] = {0x0C};  // 12 - 8 and 0 - 8
  const q::bfloat16 scales[1] = {q::bfloat16::from_bits(0x3F00)};
  unsigned char memory[700] = {};
  float y[1] = {};
  const q::block_scaled_view<q::nibble_codes<q::nibble_code::offset8>, q::bfloat16> weights{{w, 2}, {scales, 1, 1}, 32};
  const auto packed = q::pack_rows(weights, memory);
  const status s = q::exact::linear(q::dynamic_rows{{x, 1, 2}, numbers}, packed.value, q::matrix_view<float>(y, 1, 1));
  return packed.status == status::ok && s == status::ok ? y[0] : -1.0f;
}
static_assert(constant_layer() == 1.0f);
}  // namespace
