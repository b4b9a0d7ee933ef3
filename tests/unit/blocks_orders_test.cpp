#include <dyadic/blocks/compare_orders.hpp>
#include <dyadic/blocks/matrices.hpp>

#include <cmath>
#include <limits>
#include <vector>

#include "../support/catch.hpp"
#include "../support/random.hpp"

namespace q = dyadic;
using q::index_t;
using q::status;

namespace {

using int8 = q::element_codes<std::int8_t>;

/// An order that returns given numbers.
struct told_order {
  static inline std::vector<float> outputs;
  static inline std::size_t next = 0;
  template <class X, class W>
  static q::result<q::binary32> dot(const X& /*x*/, const W& /*w*/) noexcept {
    return {q::binary32(outputs[next++]), status::ok};
  }
};

/// Two rows, three channels, depth 1. The exact sums are 3, 5, 0, and -6, -10, 0.
struct layer {
  const std::int8_t codes_of_x[2] = {1, -2}, codes_of_w[3] = {3, 5, 0};
  const float one = 1.0f;
  q::one_scale_rows<int8> x() const { return {{codes_of_x}, {&one, 1}, 2}; }
  q::one_scale_rows<int8> w() const { return {{codes_of_w}, {&one, 1}, 3}; }
  q::result<q::order_difference> compare(const std::vector<float>& outputs, const q::sum_epilogue& e = {}) const {
    told_order::outputs = outputs;
    told_order::next = 0;
    return q::compare_order<told_order>(x(), w(), e);
  }
};

}  // namespace

TEST_CASE("blocks: an order is compared with the exact outputs") {
  const layer l;
  const auto equal = l.compare({3, 5, -0.0f, -6, -10, 0}).value;
  CHECK(equal.compared == 6);
  CHECK(equal.differing == 0);
  CHECK(equal.error.bits == 0);

  const auto d = l.compare({3, 5.5f, 0, -7, -10, 1}).value;  // errors of 0.5, 1 and 1
  CHECK(d.compared == 6);
  CHECK(d.differing == 3);
  CHECK(d.row == 1);
  CHECK(d.channel == 0);
  CHECK(d.output.to_float() == -7);
  CHECK(d.exact.to_float() == -6);
  CHECK(d.error.to_float() == 1);

  const float infinity = std::numeric_limits<float>::infinity();
  const auto far = l.compare({3, 1e30f, 0, -6, infinity, std::nanf("")}).value;
  CHECK(far.differing == 3);
  CHECK(far.channel == 1);
  CHECK(far.error.bits == q::epilogue::infinity.bits);
  const auto opposite = l.compare({3, 5, 0, -6, -10, -std::numeric_limits<float>::denorm_min()}).value;
  CHECK(opposite.differing == 1);
  CHECK(opposite.error.bits == 1);
}

TEST_CASE("blocks: orders of publishers differ from exact outputs where the sum in binary32 is rounded") {
  // 2^24 + 1 + 1: binary32 rounds the first sum to 2^24.
  std::vector<std::uint8_t> w(3 * q::ggml::q8_0::bytes), x = w;
  for (std::size_t b = 0; b < 3; ++b) {
    const std::size_t at = b * q::ggml::q8_0::bytes;
    x[at + 1] = 0x3C;                  // 1
    w[at + 1] = b == 0 ? 0x6C : 0x3C;  // 2^12 and 1
    w[at + 2] = 64;
    x[at + 2] = 64;
    if (b > 0) w[at + 2] = x[at + 2] = 1;
  }
  using matrix = q::ggml::matrix<q::ggml::q8_0>;
  const matrix of_x{{x, 1, 3 * q::ggml::q8_0::bytes}}, of_w{{w, 1, 3 * q::ggml::q8_0::bytes}};
  const auto d = q::compare_order<q::ggml::generic_order>(of_x, of_w);
  REQUIRE(d.status == status::ok);
  CHECK(d.value.differing == 1);
  CHECK(d.value.output.to_float() == 0x1p24f);
  CHECK(d.value.exact.to_float() == 0x1p24f + 2);
  CHECK(d.value.error.to_float() == 2);
  CHECK(q::compare_order<q::tosa::block_order>(of_x, of_w).value.error.to_float() == 2);
  const float bias = 3;
  CHECK(q::compare_order<q::ggml::generic_order>(of_x, of_w, {{&bias, 1}}).status == status::value_out_of_range);
  CHECK(q::compare_order<q::tosa::block_order>(of_x, of_w, {{}, q::binary32(0.0f)}).status == status::value_out_of_range);

  // The weight is -1 and the activation -128: ggml's code for AVX2 returns -128. It treats its operands differently.
  for (std::size_t b = 0; b < 3; ++b) x[b * q::ggml::q8_0::bytes + 2] = w[b * q::ggml::q8_0::bytes + 2] = 0;
  w[1] = 0x3C;
  w[2] = 0xFF;
  x[2] = 0x80;
  const auto signs = q::compare_order<q::ggml::avx2_order>(of_x, of_w).value;
  CHECK(signs.differing == 1);
  CHECK(signs.output.to_float() == -128);
  CHECK(signs.exact.to_float() == 128);
  CHECK(q::compare_order<q::ggml::avx2_order>(of_w, of_x).value.differing == 0);

  // An order with a bias: 17725773, a tie of binary32, plus 0.75. Then a clamp.
  std::vector<std::int8_t> codes(1100, std::int8_t{127}), weights = codes;
  codes[0] = 1;
  weights[0] = 2;
  const float one = 1;
  const q::dynamic_row number[] = {{q::binary32(1.0f), 0, {}}};
  const q::dynamic_rows dynamic{{codes, 1, 1100}, number};
  const q::one_scale_rows<int8> channel{{weights}, {&one, 1}, 1};
  const float biases[] = {0.75f};
  const auto with_bias = q::compare_order<q::kleidiai::qai8dx_order>(dynamic, channel, {biases}).value;
  CHECK(with_bias.compared == 1);
  CHECK(with_bias.differing == 1);
  CHECK(with_bias.output.to_float() == 17725772.0f);
  CHECK(with_bias.exact.to_float() == 17725774.0f);
  const auto clamped =
      q::compare_order<q::xnnpack::scalar_order>(dynamic, channel, {biases, q::binary32(-1.0f), q::binary32(5.0f)});
  CHECK(clamped.value.differing == 0);
  CHECK(clamped.value.compared == 1);
}

TEST_CASE("blocks: compare_order refuses operands that do not match") {
  const layer l;
  q::sum_epilogue e;
  e.x_scale = q::binary32(2.0f);
  CHECK(l.compare({0, 0, 0, 0, 0, 0}, e).status == status::value_out_of_range);
  std::swap(e.x_scale, e.w_scale);
  CHECK(l.compare({0, 0, 0, 0, 0, 0}, e).status == status::value_out_of_range);
  const std::vector<float> few(2);
  CHECK(l.compare({0, 0, 0, 0, 0, 0}, {few}).status == status::shape_mismatch);
  CHECK(l.compare({0, 0, 0, 0, 0, 0}, {{nullptr, 3}}).status == status::null_data);
  using q::xnnpack::scalar_order;
  const q::dynamic_row numbers[2] = {{q::binary32(1.0f), 0, {}}, {q::binary32(1.0f), 0, {}}};
  const std::int8_t codes[4] = {};
  CHECK(q::compare_order<scalar_order>(q::dynamic_rows{{codes, 2, 2}, numbers}, l.w()).status == status::shape_mismatch);
  CHECK(q::compare_order<scalar_order>(q::dynamic_rows{{nullptr, 2, 1}, numbers}, l.w()).status == status::null_data);
  CHECK(q::compare_order<scalar_order>(q::dynamic_rows{{codes, 2, 1}, numbers}, q::one_scale_rows<int8>{}).value.compared == 0);
  const float nan = std::nanf("");
  const q::one_scale_rows<int8> wrong{{l.codes_of_w}, {&nan, 1}, 3};
  CHECK(q::compare_order<scalar_order>(q::dynamic_rows{{codes, 2, 1}, numbers}, wrong).status == status::scale_not_finite);
}
