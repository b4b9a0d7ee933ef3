// Compares dequantized matrices with products in binary64, which are exact, rounded by a conversion to float.

#include <dyadic/blocks/dequantize_blocks.hpp>
#include <dyadic/blocks/packed_rows.hpp>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "../support/catch.hpp"

namespace {

namespace q = dyadic;
using q::index_t;
using q::status;

/// Returns the value of a code of a small float with a sign, `exponent` bits of exponent and `fraction` bits of fraction.
double value(int code, int exponent, int fraction) {
  const int field = code >> fraction & ((1 << exponent) - 1), stored = code & ((1 << fraction) - 1);
  const double m = std::ldexp(field == 0 ? stored : stored + (1 << fraction), (field == 0 ? 1 : field) - fraction);
  return std::ldexp(code >> (exponent + fraction) != 0 ? -m : m, 1 - (1 << (exponent - 1)));
}

bool same(float a, float b) { return std::memcmp(&a, &b, sizeof a) == 0; }

/// Compares all finite codes of a format, each with scales of 24 bits at both ends of binary32.
template <class Format>
void compare_all(int exponent, int fraction) {
  std::vector<Format> codes;
  for (int code = 0; code < 1 << Format::width; ++code)
    if (q::is_finite(Format::from_bits(code))) codes.push_back(Format::from_bits(code));
  const auto depth = static_cast<index_t>(codes.size());
  std::vector<float> y(codes.size());
  for (const float scale : {1.0f, -0x1.234567p-20f, 0x1.fffffep100f, 0x1.800002p-140f, 0x1p-149f, 0x1.fffffep127f, 0.0f}) {
    const q::one_scale_rows<q::element_codes<Format>> x{{codes}, {&scale, 1}, 1};
    REQUIRE(q::exact::dequantize_blocks(x, q::matrix_view<float>(y, 1, depth)) == status::ok);
    for (std::size_t i = 0; i < codes.size(); ++i) {
      INFO(int{codes[i].bits} << " times " << scale);
      const auto expected = static_cast<float>(value(codes[i].bits, exponent, fraction) * static_cast<double>(scale));
      CHECK(same(y[i], expected + 0.0f));
    }
  }
}

}  // namespace

TEST_CASE("blocks: each code of each format is dequantized as its product in binary64, rounded once") {
  compare_all<q::e4m3>(4, 3);
  compare_all<q::e5m2>(5, 2);
  compare_all<q::e2m3>(2, 3);
  compare_all<q::e3m2>(3, 2);
}

TEST_CASE("blocks: rows of ggml, of packed weights, and with zero points are dequantized") {
  // Two blocks of q8_0: codes -128 .. -97 with the scale 0.5, and 96 .. 127 with the scale -3.
  std::vector<std::uint8_t> bytes{0x00, 0x38};
  for (int i = 0; i < 32; ++i) bytes.push_back(static_cast<std::uint8_t>(-128 + i));
  bytes.insert(bytes.end(), {0x00, 0xC2});
  for (int i = 0; i < 32; ++i) bytes.push_back(static_cast<std::uint8_t>(96 + i));
  const q::ggml::matrix<q::ggml::q8_0> x{{bytes, 1, 68}};
  std::vector<float> y(64);
  REQUIRE(q::exact::dequantize_blocks(x, q::matrix_view<float>(y, 1, 64)) == status::ok);
  for (int i = 0; i < 32; ++i) {
    CHECK(y[static_cast<std::size_t>(i)] == 0.5f * static_cast<float>(i - 128));
    CHECK(y[static_cast<std::size_t>(32 + i)] == -3.0f * static_cast<float>(96 + i));
  }
  std::vector<unsigned char> memory(2048);
  const auto packed = q::pack_rows(x, memory);
  REQUIRE(packed.status == status::ok);
  std::vector<float> of_packed(64);
  REQUIRE(q::exact::dequantize_blocks(packed.value, q::matrix_view<float>(of_packed, 1, 64)) == status::ok);
  CHECK(of_packed == y);

  const std::vector<std::int8_t> codes{-128, 0, 127, 5};
  const std::vector<q::dynamic_row> numbers{{q::binary32{0.25f}, -128, {}}, {q::binary32{2.0f}, 5, {}}};
  std::vector<q::bfloat16> z(4);
  REQUIRE(q::exact::dequantize_blocks(q::dynamic_rows{{codes, 2, 2}, numbers}, q::matrix_view<q::bfloat16>(z, 2, 2)) ==
          status::ok);
  CHECK((z[0].bits == 0 && z[1].bits == 0x4200 && z[2].bits == 0x4374 && z[3].bits == 0));  // 0, 32, 244, 0
}

TEST_CASE("blocks: a scale of the tensor does not round twice") {
  // code * scale * scale of the tensor has 60 bits or more. It is so close to a tie of binary32 that binary64 rounds it to the
  // tie.
  struct product {
    std::int16_t code;
    std::uint32_t scale, tensor;  // bits of binary32
    std::uint32_t expected;
  };
  constexpr product products[] = {{26007, 0x4B3E6E91, 0x4B53D359, 0x5E7A1EB9},
                                  {27197, 0x4B29DA61, 0x4B628A61, 0x5E798171},
                                  {-23851, 0x4B323DE7, 0x4B2252CF, 0xDE2486F3},
                                  {26989, 0xCB08C2AF, 0x4B6DBDBB, 0xDE5136EB},
                                  {23523, 0x4B336F8F, 0x4B664C7D, 0x5E67C1E1}};
  for (const product& p : products) {
    const float scale = q::binary32::from_bits(p.scale).to_float();
    float y = 0;
    const q::one_scale_rows<q::integer_codes<std::int16_t>> x{{{&p.code, 1}}, {&scale, 1}, 1};
    REQUIRE(q::exact::dequantize_blocks(x, q::matrix_view<float>(&y, 1, 1), q::binary32::from_bits(p.tensor)) == status::ok);
    CHECK(q::binary32(y).bits == p.expected);
  }
  // 112 has bits above 2^64 in the unit of E5M2, times such scales.
  const q::e5m2 large = q::e5m2::from_bits(87);
  constexpr product beyond[] = {{0, 0x4B67B1B7, 0x4B681C0F, 0x5AB7D025}, {0, 0x4B567B49, 0xCB31EAF5, 0xDA826E15}};
  for (const product& p : beyond) {
    const float scale = q::binary32::from_bits(p.scale).to_float();
    float y = 0;
    const q::one_scale_rows<q::element_codes<q::e5m2>> x{{{&large, 1}}, {&scale, 1}, 1};
    REQUIRE(q::exact::dequantize_blocks(x, q::matrix_view<float>(&y, 1, 1), q::binary32::from_bits(p.tensor)) == status::ok);
    CHECK(q::binary32(y).bits == p.expected);
  }
}

TEST_CASE("blocks: what cannot be dequantized gets a status, and nothing is written") {
  const std::vector<q::e4m3> codes(64), bad{q::e4m3::from_bits(0x7F)};
  std::vector<q::e8m0> scales(4, q::e8m0{127});
  std::vector<float> y(64, 7.0f);
  using matrix = q::block_scaled_view<q::element_codes<q::e4m3>, q::e8m0>;
  const matrix x{{codes}, {scales, 2, 2}, 16};
  const q::matrix_view<float> to(y, 2, 32);
  CHECK(q::exact::dequantize_blocks(x, q::matrix_view<float>(y, 2, 31)) == status::shape_mismatch);
  CHECK(q::exact::dequantize_blocks(x, q::matrix_view<float>(y, 1, 32)) == status::shape_mismatch);
  CHECK(q::exact::dequantize_blocks(x, q::matrix_view<float>(nullptr, 2, 32)) == status::null_data);
  CHECK(q::exact::dequantize_blocks(x, to, q::epilogue::infinity) == status::scale_not_finite);
  scales[3] = {255};
  CHECK(q::exact::dequantize_blocks(x, to) == status::scale_not_finite);
  scales[3] = {127};
  CHECK(q::exact::dequantize_blocks(matrix{{bad}, {scales.data(), 1, 1}, 16}, q::matrix_view<float>(y, 1, 1)) ==
        status::value_out_of_range);
  CHECK(q::exact::dequantize_blocks(matrix{{codes}, {scales, 2, 2}, 0}, to) == status::shape_mismatch);
  CHECK(y == std::vector<float>(64, 7.0f));
  std::vector<float> shared(64);
  const q::one_scale_rows<q::element_codes<std::int8_t>> inside{
      {{reinterpret_cast<const std::int8_t*>(shared.data()), 64}}, {y.data(), 1}, 1};
  CHECK(q::exact::dequantize_blocks(inside, q::matrix_view<float>(shared, 1, 64)) == status::overlap);
  CHECK(q::exact::dequantize_blocks(matrix{{{}}, {nullptr, 0, 0}}, q::matrix_view<float>(nullptr, 0, 0)) == status::ok);
  CHECK(q::exact::dequantize_blocks(x, to) == status::ok);
  CHECK(y == std::vector<float>(64, 0.0f));
}
