// Public reports about scales and sums of scaled blocks, by number, with the right values. Reports about the scales of MX and
// LPBQ are in blocks_mx_test. Numbers are powers of two or their sums, so that float computes the expected values exactly.

#include <dyadic/blocks/compare_scales.hpp>
#include <dyadic/blocks/dynamic_row.hpp>
#include <dyadic/blocks/engine_dot.hpp>
#include <dyadic/blocks/ggml.hpp>
#include <dyadic/blocks/ggml_dot.hpp>
#include <dyadic/blocks/quantize_blocks.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "../support/catch.hpp"

namespace blocks_reports {

namespace q = dyadic;
namespace ggml = q::ggml;
using q::binary32, q::e2m1, q::e4m3, q::index_t, q::status;
using std::int8_t;
using std::uint8_t;
using bytes = std::vector<uint8_t>;

namespace {

/// Quantizes one block. Returns the bits of its scale, or 256 for an error.
template <class Rule>
int quantize(const std::vector<float>& x, bytes& codes, const Rule& rule = {}) {
  uint8_t scale = 0;
  codes.assign(x.size(), 0);
  return q::quantize_blocks(rule, x, codes, {&scale, 1}) == status::ok ? scale : 256;
}

template <class Rule>
bytes ggml_block(const std::vector<float>& x, status want = status::ok) {
  bytes y(x.size() / std::size_t{Rule::block::elements} * std::size_t{Rule::block::bytes});
  CHECK(q::quantize_blocks(Rule{}, x, y) == want);
  return y;
}

/// Returns a block of q8_0 with a scale by its bits of binary16, and equal codes.
bytes q8_0_block(int d, int code) {
  bytes block(34, static_cast<uint8_t>(code));
  block[0] = static_cast<uint8_t>(d & 255);
  block[1] = static_cast<uint8_t>(d >> 8);
  return block;
}

template <class Result>
float value_of(const Result& r) {
  CHECK(r.status == status::ok);
  return r.value.to_float();
}
float rounded(const q::result<q::exact_sum>& r) {
  CHECK(r.status == status::ok);
  return r.value.rounded<binary32>().to_float();
}

template <class Rule>
int scale_of(float a) {
  return Rule::scale(binary32{a}).bits;
}

}  // namespace

// Products of scales.

TEST_CASE("ik_llama.cpp 2498, 2503: the product of two binary16 scales does not vanish below 2^-24") {
  // d = 2^-14 is normal in binary16, its square 2^-28 is not even subnormal there. The sum of a block is 32 * 100 * 100 * 2^-28.
  const bytes small = q8_0_block(0x0400, 100);
  const ggml::row<ggml::q8_0> x{small};
  const float expected = 32 * 100 * 100 * 0x1p-28f;
  CHECK(value_of(ggml::generic_order::dot(x, x)) == expected);
  CHECK(value_of(ggml::avx2_order::dot(x, x)) == expected);
  CHECK(value_of(q::kleidiai::qsi8d32_order::dot(x, x)) == expected);
  CHECK(rounded(ggml::exact_dot(x, x)) == expected);
  CHECK(q::multiply(ggml::q8_0::scale(small.data(), 0), ggml::q8_0::scale(small.data(), 0)).to_float() == 0x1p-28f);
  // The least scales: 2^-24 each.
  const bytes least = q8_0_block(0x0001, 127);
  const ggml::row<ggml::q8_0> y{least};
  CHECK(value_of(ggml::generic_order::dot(y, y)) == 32 * 127 * 127 * 0x1p-48f);
  CHECK(rounded(ggml::exact_dot(y, y)) == 32 * 127 * 127 * 0x1p-48f);
}

TEST_CASE("llama.cpp 29131: the last block of an odd number of MXFP4 blocks is added") {
  bytes w, a;
  for (const int e : {127, 128, 129}) {  // 2^(e - 128): 1/2, 1, 2, and codes of 2, which is 4 halves
    w.push_back(static_cast<uint8_t>(e));
    w.resize(w.size() + 16, 0x44);
    const bytes ones = q8_0_block(0x3C00, 1);
    a.insert(a.end(), ones.begin(), ones.end());
  }
  for (const index_t blocks : {1, 2, 3}) {
    const ggml::row<ggml::mxfp4> x{q::view<const uint8_t>(w.data(), 17 * blocks)};
    const ggml::row<ggml::q8_0> y{q::view<const uint8_t>(a.data(), 34 * blocks)};
    const float expected = blocks == 1 ? 64.0f : blocks == 2 ? 192.0f : 448.0f;  // 32 * 4 * (1/2 + 1 + 2)
    CAPTURE(blocks);
    CHECK(value_of(ggml::generic_order::dot(x, y)) == expected);
    CHECK(value_of(ggml::avx2_order::dot(x, y)) == expected);
    CHECK(rounded(ggml::exact_dot(x, y)) == expected);
  }
}

TEST_CASE("ggml 1393: the negative of -128 is no int8, and a product of two negative codes gets the wrong sign") {
  bytes minus_one = q8_0_block(0x3C00, 0), least = q8_0_block(0x3C00, 0);
  minus_one[2] = 0xFF;
  least[2] = 0x80;
  const ggml::row<ggml::q8_0> w{minus_one}, a{least};
  CHECK(rounded(ggml::exact_dot(w, a)) == 128);
  CHECK(value_of(ggml::generic_order::dot(w, a)) == 128);
  CHECK(value_of(ggml::avx2_order::dot(w, a)) == -128);
}

// Stored sums.

TEST_CASE("llama.cpp 21652, ik_llama.cpp 540: the stored sum of q8_1 overflows binary16 where its scale does not") {
  const std::vector<float> large(32, 2064.0f);  // d = 16.25.., s = 66048
  ggml_block<ggml::reference<ggml::q8_1>>(large, status::scale_too_large);
  ggml_block<ggml::avx2<ggml::q8_1>>(large, status::scale_too_large);
  const bytes without_sum = ggml_block<ggml::reference<ggml::q8_0>>(large);
  CHECK(ggml::q8_0::scale(without_sum.data(), 0).to_float() == 16.25f);
  // A sum of elements of both signs is 0. The sum of 32 times 2047 is 65504, the largest binary16.
  std::vector<float> cancelling(32, 2064.0f);
  for (std::size_t i = 0; i < 32; i += 2) cancelling[i] = -2064.0f;
  CHECK(ggml::q8_1::sum(ggml_block<ggml::reference<ggml::q8_1>>(cancelling).data()).to_float() == 0);
  const bytes most = ggml_block<ggml::reference<ggml::q8_1>>(std::vector<float>(32, 2047.0f));
  CHECK(ggml::q8_1::sum(most.data()).to_float() == 65504);
  // A stored sum that is infinite is refused when it is read.
  bytes infinite(36), weights(20);
  infinite[3] = 0x7C;
  CHECK(ggml::exact_dot(ggml::row<ggml::q4_1>{weights}, ggml::row<ggml::q8_1>{infinite}).status == status::scale_not_finite);
}

TEST_CASE("ik_llama.cpp 2233: the stored sum of q8_1 has 11 digits, the sum of its codes has more") {
  // s = 2049 is a tie of binary16 and becomes 2048: with m = 1, the sum of 32 elements is off by 1.
  bytes a(36), w(20);
  a[1] = 0x3C;  // d = 1
  for (std::size_t i = 4; i < 36; ++i) a[i] = 64;
  a[4] = 65;
  const q::binary16 stored = q::detail::convert<q::binary16>(binary32{2049.0f});
  a[2] = static_cast<uint8_t>(stored.bits & 255), a[3] = static_cast<uint8_t>(stored.bits >> 8);
  w[3] = 0x3C;  // d = 0, m = 1
  CHECK(rounded(ggml::exact_dot(ggml::row<ggml::q4_1>{w}, ggml::row<ggml::q8_1>{a})) == 2048);
  const q::one_scale_row<q::integer_codes<int8_t>> ones{
      {q::view<const int8_t>(reinterpret_cast<const int8_t*>(a.data()) + 4, 32)}, binary32{1.0f}};
  const std::vector<int8_t> m(32, 1);
  CHECK(rounded(q::exact::dot(ones, q::one_scale_row<q::integer_codes<int8_t>>{{m}, binary32{1.0f}})) == 2049);
}

// Blocks of zeros or near zero.

TEST_CASE("ai-edge-quantizer 678: a block near zero has the binary16 scale 0, and XNNPACK refuses the layer") {
  CHECK(q::detail::convert<q::binary16>(binary32{0x1p-25f}).bits == 0);
  const std::vector<int8_t> activations(64, 100);
  const bytes codes(32, 0x99);  // 1 with offset 8
  const q::qd8_row a{{activations, 0}, binary32{1.0f}};
  using nibbles = q::nibble_codes<q::nibble_code::offset8>;
  const q::binary16 halves[] = {q::binary16::from_bits(0), q::binary16::from_bits(0x3C00)};
  const q::bfloat16 brains[] = {q::bfloat16::from_bits(0), q::bfloat16::from_bits(0x3F80)};
  const q::block_scaled_row<nibbles, q::binary16> by_halves{{codes, 64}, halves, 32};
  const q::block_scaled_row<nibbles, q::bfloat16> by_brains{{codes, 64}, brains, 32};
  CHECK(value_of(q::litert::blockwise_order::dot(a, by_halves)) == 3200);  // the block with the scale 0 adds nothing
  CHECK(rounded(q::exact::dot(a, by_halves)) == 3200);
  CHECK(q::xnnpack::scalar_order::dot(a, by_brains).status == status::scale_too_small);
  CHECK(q::xnnpack::check_block_scale(brains[0]) == status::scale_zero);
  CHECK(value_of(q::kleidiai::qai8dx_order::dot(a, by_brains)) == 3200);
}

TEST_CASE("torchao 4713: a block of zeros is not 0 / 0, and a tensor of zeros has no global scale") {
  bytes codes;
  const std::vector<float> zeros{0.0f, -0.0f, 0.0f, 0.0f};
  CHECK(quantize<q::torchao::nvfp4>(zeros, codes) == 0x08);  // 2^-6, not 0
  CHECK(codes == bytes{0, 8, 0, 0});
  const q::torchao::nvfp4 of_zeros{q::torchao::nvfp4::global_scale(binary32{0.0f})};
  CHECK(check(of_zeros) == status::scale_zero);
  CHECK(quantize(zeros, codes, of_zeros) == 256);
  CHECK(quantize<q::torchao::rceil<e4m3>>(zeros, codes) == 0);
  CHECK(codes == bytes{0, 0x80, 0, 0});
}

TEST_CASE("flashinfer 2440: a block of zeros or near zero never saturates to -448") {
  for (const float least : {0.0f, -0.0f, std::numeric_limits<float>::denorm_min(), -0x1p-140f, -0x1p-127f}) {
    const std::vector<float> x{least, 0.0f, -0.0f};
    const auto is_small = [&](auto rule) {
      bytes codes;
      CHECK(quantize(x, codes, rule) == 0);
      // The elements are those of x * 2^127, at most 1.
      CHECK(q::magnitude(q::detail::convert<binary32>(e4m3::from_bits(codes[0]))).to_float() <= 1);
      CHECK((codes[1] == 0 && codes[2] == 0x80));
    };
    is_small(q::ocp::floor<e4m3>{}), is_small(q::torchao::ceil<e4m3>{}), is_small(q::torchao::even<e4m3>{});
    is_small(q::torchao::rceil<e4m3>{}), is_small(q::tosa::block_scale<e4m3>{});
  }
}

TEST_CASE("a row of zeros or of numbers near zero has a finite scale, or a status") {
  std::array<int8_t, 2> y{};
  const auto scale = [&](auto rule, float x) {
    const std::array<float, 2> row{x, 0.0f};
    return q::quantize_row(rule, row, y);
  };
  CHECK(scale(q::xnnpack::qd8{}, 0.0f).value.scale.to_float() == 1);
  CHECK(scale(q::litert::asymmetric{}, 0.0f).value.scale.to_float() == 1);
  CHECK(scale(q::xnnpack::qd8{}, 0x1p-121f).status == status::scale_too_small);
  CHECK(scale(q::kleidiai::qai8dx{}, -0x1p-149f).status == status::scale_too_small);
  CHECK(scale(q::litert::asymmetric{}, 0x1p-121f).status == status::scale_too_small);
}

// Rules of scales.

TEST_CASE("ExecuTorch's MXFP reference takes rceil: the maximum 6.5 in E2M1 has the scale 2, and 1 in TOSA") {
  CHECK(scale_of<q::torchao::rceil<e2m1>>(6.5f) == 128);
  CHECK(scale_of<q::tosa::block_scale<e2m1>>(6.5f) == 127);
  bytes codes;
  const std::vector<float> x{6.5f, 1.0f, 0.5f};
  quantize<q::torchao::rceil<e2m1>>(x, codes);
  CHECK(codes == bytes{5, 1, 0});  // 3 * 2, 1/2 * 2, and a tie that goes to 0
  quantize<q::tosa::block_scale<e2m1>>(x, codes);
  CHECK(codes == bytes{7, 2, 1});  // 6, 1, 1/2
  // 6 is the last maximum with the scale 1 by rceil, and the number below 7 by TOSA.
  CHECK(q::least_magnitude(q::torchao::rceil<e2m1>{}, 128).bits == binary32{6.0f}.bits + 1);
  CHECK(q::least_magnitude(q::tosa::block_scale<e2m1>{}, 128).bits == binary32{7.0f}.bits);
}

TEST_CASE("humming 39: a scale that is cut off saturates the largest element, a scale that is rounded up does not") {
  const std::vector<float> x{500.0f, 3.0f};
  bytes codes;
  CHECK(quantize<q::ocp::floor<e4m3>>(x, codes) == 127);
  CHECK(codes[0] == 0x7E);  // 448
  CHECK(quantize<q::torchao::ceil<e4m3>>(x, codes) == 128);
  CHECK(codes[0] == 0x78);  // 256, the neighbour of 250: 2 * 256 is 512
  CHECK(quantize<q::torchao::rceil<e4m3>>(x, codes) == 128);
}

TEST_CASE("aiter 3212: three rules that one engine had in turn for the maximum of MXFP4") {
  // The rules round the exponent up from 1.5 of an octave on, truncate it, and round it up above 1.5. The scales of 6 and 6.5
  // show by which rule a file was made.
  struct half_up_at_1_5 : q::torchao::rceil<e2m1> {
    static constexpr q::e8m0 scale(binary32 a) { return q::ocp::floor<e2m1>::scale(binary32::from_bits(a.bits + 0x40'0000u)); }
  };
  const auto scales = [](float a) {
    return std::array<int, 3>{half_up_at_1_5::scale(binary32{a}).bits, scale_of<q::ocp::floor<e2m1>>(a),
                              scale_of<q::torchao::rceil<e2m1>>(a)};
  };
  CHECK(scales(5.0f) == std::array<int, 3>{127, 127, 127});
  CHECK(scales(6.0f) == std::array<int, 3>{128, 127, 127});
  CHECK(scales(6.5f) == std::array<int, 3>{128, 127, 128});
  // The first and the third rule differ only for 6 * 2^k, to which the first rule gives the greater scale.
  const auto found =
      q::compare_scale_rules(half_up_at_1_5{}, q::torchao::rceil<e2m1>{}, {binary32{4.0f}.bits, binary32{8.0f}.bits - 1});
  REQUIRE(found.status == status::ok);
  CHECK(found.value.differing == 1);
  CHECK(found.value.first.acc == binary32{6.0f}.bits);
}

TEST_CASE("triton 11668: the scale of NVFP4 is rounded half even and saturates at 448") {
  const q::torchao::nvfp4 rule;
  const auto scale = [&](float a) { return q::detail::convert<binary32>(rule.scale(binary32{a})).to_float(); };
  CHECK(scale(6 * 17.0f) == 16);  // a tie of 16 and 18
  CHECK(scale(6 * 19.0f) == 20);  // a tie of 18 and 20
  CHECK(scale(6 * 448.0f) == 448);
  CHECK(scale(6 * 464.0f) == 448);  // a tie of 448 and 480, which E4M3 does not have
  CHECK(scale(6 * 1e6f) == 448);
  CHECK(ggml::to_ue4m3(17.0f) == 0x59);  // 18: ggml rounds half up
}

// Roundings.

TEST_CASE("candle 3629, onnxruntime 28606: a row whose tail rounds ties otherwise than its vectors is neither rule") {
  std::vector<float> x(32, 2.5f);
  x[0] = 127;
  const bytes away = ggml_block<ggml::reference<ggml::q8_0>>(x), even = ggml_block<ggml::avx2<ggml::q8_0>>(x);
  for (index_t i = 1; i < 32; ++i) CHECK((ggml::q8_0::value(away.data(), i) == 3 && ggml::q8_0::value(even.data(), i) == 2));
  const std::array<float, 3> row{-128.0f, 2.5f, 127.0f};
  std::array<int8_t, 3> by_xnnpack{}, by_kleidiai{};
  CHECK(q::quantize_row(q::xnnpack::qd8{}, row, by_xnnpack).status == status::ok);
  CHECK(q::quantize_row(q::kleidiai::qai8dx{}, row, by_kleidiai).status == status::ok);
  CHECK((by_xnnpack[1] == 2 && by_kleidiai[1] == 3));
}

TEST_CASE("arch-com 905, 926: |v| compared with scale * midpoint is rounded once, the product with a reciprocal is not") {
  // 1 / 1.875 is rounded up. The products of 1.875 and the midpoints are exact, and ties.
  const q::torchao::nvfp4 rule;
  const e4m3 s = rule.scale(binary32{6 * 1.875f});
  REQUIRE(q::detail::convert<binary32>(s).to_float() == 1.875f);
  const float midpoints[] = {0.25f, 0.75f, 1.25f, 1.75f, 2.5f, 3.5f, 5.0f};
  const int half_even[] = {0, 2, 2, 4, 4, 6, 6};
  int differing = 0;
  for (int i = 0; i < 7; ++i) {
    CHECK(rule.element(binary32{midpoints[i]}).bits == half_even[i]);
    differing += rule.element(q::multiply(binary32{1.875f * midpoints[i]}, rule.reciprocal(s))).bits != half_even[i] ? 1 : 0;
  }
  CHECK(differing > 0);
}

}  // namespace blocks_reports
