// Compares linear layers of scaled blocks on each backend with exact dot products, bit for bit.

#include <dyadic/blocks/matrices.hpp>
#include <dyadic/blocks/vectors.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "../support/random.hpp"
#include "../support/rounding_modes.hpp"
#include "each_backend.hpp"

namespace {

namespace q = dyadic;
using q::index_t;

/// Compares the outputs of a layer, in the type Y, on each backend that has vectors for blocks with the exact sums.
template <class Y, class X, class W>
void compare(const X& x, const W& w, const q::sum_epilogue& e) {
  const index_t depth = w.depth();
  const auto bytes = q::packed_size(w);
  REQUIRE(bytes.status == q::status::ok);
  std::vector<unsigned char> memory(static_cast<std::size_t>(bytes.value));
  const auto packed = q::pack_rows(w, memory);
  REQUIRE(packed.status == q::status::ok);
  const auto size = static_cast<std::size_t>(x.rows() * w.rows());
  std::vector<Y> expected(size), y(size);
  for (index_t r = 0; r < x.rows(); ++r)
    for (index_t c = 0; c < w.rows(); ++c)
      q::detail::put_output(expected[static_cast<std::size_t>(r * w.rows() + c)], q::exact::dot(x.row(r), w.row(c)).value, e, c);
  parity::each_backend([&](auto backend) {
    using Backend = decltype(backend);
    if constexpr (!std::is_void_v<typename q::detail::panel_kernel_of<Backend>::type>) {
      // The workspace holds one row, two rows and a half, or all.
      const index_t all = q::workspace_of(x, packed.value), one = all / x.rows(), rooms[] = {one, 5 * one / 2, all};
      for (const index_t room : rooms) {
        std::memset(static_cast<void*>(y.data()), 0x55, size * sizeof(Y));
        std::vector<unsigned char> workspace(static_cast<std::size_t>(room));
        REQUIRE(q::exact::linear<Backend>(x, packed.value, q::matrix_view<Y>(y, x.rows(), w.rows()), e, workspace) ==
                q::status::ok);
        INFO(Backend::name << ": " << x.rows() << " x " << w.rows() << " x " << depth << ", workspace of " << room);
        CHECK(std::memcmp(expected.data(), y.data(), size * sizeof(Y)) == 0);
      }
    }
  });
}

/// Rows, channels and depth.
struct shape {
  index_t rows, channels, depth;
};
constexpr shape shapes[] = {{1, 1, 1}, {1, 17, 33}, {2, 16, 64}, {3, 31, 96}, {9, 33, 40}, {11, 5, 200}, {5, 16, 7}};

support::random_bits draw;

/// Returns true for one shape in four on emulated machines, and for one in eleven under sanitizers.
bool is_tried() { return draw.one_in(1 + DYADIC_TEST_DIVISOR / 10); }

template <class X, class W>
void compare_each(const X& x, const W& w) {
  std::vector<float> bias(static_cast<std::size_t>(w.rows()));
  for (float& b : bias) b = static_cast<float>(draw.between(-1000, 1000)) * 0.37f;
  const q::binary32 low(-3.25f), high(17.5f);
  compare<float>(x, w, {});
  compare<float>(x, w, {bias});
  compare<float>(x, w, {{}, low, high});
  if constexpr (X::row_type::largest == 12) {
    compare<q::bfloat16>(x, w, {bias, low, high});
    compare<q::binary16>(x, w, {});
    compare<std::int8_t>(x, w, {bias, low, high, q::binary32(0.23f), -3});
  }
}

/// Kinds of codes and scales.
enum class kind { usual, extreme, spread, zero };
constexpr kind kinds[] = {kind::usual, kind::extreme, kind::spread, kind::zero};

/// Returns random bytes, or bytes of extreme codes: all high or low bits, or the sign alone.
std::vector<std::uint8_t> codes(index_t size, kind k) {
  std::vector<std::uint8_t> all(static_cast<std::size_t>(size));
  constexpr std::uint8_t extremes[] = {0x80, 0x7F, 0x00, 0xFF, 0x88, 0x77};
  const std::uint8_t same = extremes[draw.below(6)];
  for (std::uint8_t& byte : all)
    byte = k != kind::extreme ? static_cast<std::uint8_t>(draw()) : draw.one_in(9) ? extremes[draw.below(6)] : same;
  return all;
}
/// Returns a number near 0.02, or of any exponent, or 0.
q::binary32 scale(kind k, int exponents) {
  const int exponent = k == kind::spread ? draw.below(2 * exponents) - exponents : draw.below(4) - 7;
  if (k == kind::zero && draw.one_in(2)) return q::binary32{};
  const auto digits = static_cast<std::int64_t>(draw.between(1 << 7, (1 << 8) - 1));
  return q::scale_by_power_of_two(q::from_integer<q::binary32>(draw.one_in(4) ? -digits : digits), exponent - 7);
}

/// Returns blocks of ggml with scales by `scale`.
template <class Block>
std::vector<std::uint8_t> ggml_blocks(index_t rows, index_t blocks, kind k) {
  std::vector<std::uint8_t> all = codes(rows * blocks * Block::bytes, k);
  for (index_t i = 0; i < rows * blocks; ++i) {
    std::uint8_t* const block = &all[static_cast<std::size_t>(i * Block::bytes)];
    const int bits = q::detail::convert<q::binary16>(scale(k, 14)).bits;
    if constexpr (std::is_same_v<Block, q::ggml::mxfp4>) {
      block[0] = static_cast<std::uint8_t>(k == kind::spread ? draw.below(255) : 118 + draw.below(6));
    } else if constexpr (!std::is_same_v<Block, q::ggml::nvfp4>) {
      block[0] = static_cast<std::uint8_t>(bits);
      block[1] = static_cast<std::uint8_t>(bits >> 8);
    }
  }
  return all;
}
template <class W, class X = q::ggml::q8_0>
void compare_ggml() {
  for (const kind k : kinds)
    for (const shape s : shapes) {
      if (!is_tried()) continue;
      const index_t elements = W::elements > X::elements ? W::elements : X::elements;
      const index_t groups = s.depth / elements + 1, depth = groups * elements;
      const auto w = ggml_blocks<W>(s.channels, depth / W::elements, k);
      const auto x = ggml_blocks<X>(s.rows, depth / X::elements, k);
      compare_each(q::ggml::matrix<X>{{x, s.rows, depth / X::elements * X::bytes}},
                   q::ggml::matrix<W>{{w, s.channels, depth / W::elements * W::bytes}});
    }
}

/// Returns scales of a type for `blocks` blocks.
template <class Scale>
std::vector<Scale> scales(index_t blocks, kind k) {
  std::vector<Scale> all(static_cast<std::size_t>(blocks));
  for (Scale& s : all) {
    if constexpr (std::is_same_v<Scale, std::uint8_t>)
      s = static_cast<std::uint8_t>(k == kind::zero ? 0 : draw());
    else if constexpr (std::is_same_v<Scale, q::e8m0>)
      s = {static_cast<std::uint8_t>(k == kind::spread ? draw.below(255) : 120 + draw.below(5))};
    else if constexpr (std::is_same_v<Scale, q::e4m3>)
      s = {static_cast<std::uint8_t>(draw.below(0x7F))};
    else
      s = q::detail::convert<Scale>(scale(k, std::is_same_v<Scale, q::binary16> ? 14 : 100));
  }
  return all;
}
/// A matrix and what it points to.
template <class Codes, class Scale>
class scaled {
 public:
  scaled(index_t rows, index_t depth, index_t block, kind k)
      : bytes_{codes(rows * (depth + 64), k)}, scales_{scales<Scale>(rows * ((depth + block - 1) / block), k)} {
    if constexpr (Codes::largest != 128 && Codes::group == 1)
      for (std::uint8_t& byte : bytes_) byte = element<Codes>::finite(byte);
    view.block_size = block;
    view.scales = {scales_, rows, (depth + block - 1) / block};
    if constexpr (Codes::group == 1)
      view.codes = {{reinterpret_cast<typename element<Codes>::type*>(bytes_.data()), rows * depth}};
    else
      view.codes = {bytes_, rows * depth};
  }
  q::block_scaled_view<Codes, Scale> view;

 private:
  template <class T>
  struct element;
  template <class Format>
  struct element<q::element_codes<Format>> {
    using type = const Format;
    /// Returns the element of a byte, or the largest one for those that are not finite.
    static std::uint8_t finite(std::uint8_t byte) {
      using format = q::detail::format<Format>;
      const auto x = Format::from_bits(byte & ((1 << Format::width) - 1));
      return q::is_finite(x) ? x.bits : static_cast<std::uint8_t>((x.bits & format::sign_bit) | (format::infinity - 1));
    }
  };
  std::vector<std::uint8_t> bytes_;
  std::vector<Scale> scales_;
};
template <class X, class ScaleX, class W, class ScaleW>
void compare_scaled() {
  for (const kind k : kinds)
    for (const index_t block : {32, 16, 5, 512})
      for (const shape s : shapes) {
        if (!is_tried()) continue;
        const index_t group = X::group > W::group ? X::group : W::group, depth = (s.depth + group - 1) / group * group;
        const scaled<W, ScaleW> w(s.channels, depth, block, k);
        const scaled<X, ScaleX> x(s.rows, depth, draw.one_in(4) ? 2 * block : block, k);
        compare_each(x.view, w.view);
      }
}
template <class Codes, class Scale>
void compare_dynamic() {
  for (const kind k : kinds)
    for (const index_t block : {32, 64})
      for (const shape s : shapes) {
        if (!is_tried()) continue;
        const index_t depth = (s.depth + Codes::group - 1) / Codes::group * Codes::group;
        const scaled<Codes, Scale> w(s.channels, depth, block, k);
        const auto bytes = codes(s.rows * depth, k);
        std::vector<q::dynamic_row> rows(static_cast<std::size_t>(s.rows));
        for (q::dynamic_row& row : rows) {
          const auto bits = static_cast<std::uint32_t>(draw.between(0x3000'0000, 0x4F00'0000));  // 24 digits
          constexpr std::int32_t zeros[] = {-128, 127, 0, -1, 5};
          row = {q::binary32::from_bits(k == kind::zero ? 0 : bits), zeros[draw.below(5)], {}};
        }
        compare_each(q::dynamic_rows{{reinterpret_cast<const std::int8_t*>(bytes.data()), s.rows, depth}, rows}, w.view);
      }
}

template <class T, class Codes, class Scale>
void compare_one_scale() {
  for (const kind k : kinds)
    for (const shape s : shapes) {
      if (!is_tried()) continue;
      const index_t depth = (s.depth + Codes::group - 1) / Codes::group * Codes::group;
      const scaled<Codes, Scale> w(s.channels, depth, 32, k);
      std::vector<T> x(static_cast<std::size_t>(s.rows * depth));
      const T least = q::limits<T>::min, most = q::limits<T>::max;
      for (T& code : x) code = k == kind::extreme ? (draw.one_in(9) ? least : most) : static_cast<T>(draw());
      for (const T zero : {least, most, static_cast<T>(5)}) {
        const float factor = scale(kind::spread, 20).to_float();
        compare_each(q::one_scale_rows<q::integer_codes<T>>{{x, zero}, {&factor, 1}, s.rows}, w.view);
      }
    }
}

/// Compares weights with a scale of 24 bits for each channel. The block of such weights is a row.
template <class Codes>
void compare_channel_scales() {
  constexpr shape deep[] = {{1, 1, 1}, {3, 17, 40}, {5, 33, 96}, {2, 18, 700}, {4, 5, 1100}};
  for (const kind k : kinds)
    for (const shape s : deep) {
      if (!is_tried()) continue;
      const index_t depth = (s.depth + Codes::group - 1) / Codes::group * Codes::group;
      const scaled<Codes, q::e8m0> codes_of(s.channels, depth, depth, k);
      std::vector<float> factors(static_cast<std::size_t>(s.channels));
      for (float& f : factors) f = scale(k, 40).to_float() * 1.0000001f;
      factors[0] = k == kind::zero ? 0.0f : factors[0];
      const q::one_scale_rows<Codes> w{codes_of.view.codes, factors, s.channels};
      const scaled<q::element_codes<q::mxint8>, q::e8m0> mx(s.rows, depth, 32, k);
      compare_each(mx.view, w);
      const scaled<q::element_codes<std::int8_t>, q::binary32> with_scales(s.rows, depth, draw.one_in(2) ? 32 : depth, k);
      compare_each(with_scales.view, w);
      const auto bytes = codes(s.rows * depth, k);
      std::vector<q::dynamic_row> rows(static_cast<std::size_t>(s.rows));
      for (q::dynamic_row& row : rows)
        row = {q::binary32::from_bits(static_cast<std::uint32_t>(draw.between(0x3000'0000, 0x4F00'0000))),
               draw.below(256) - 128,
               {}};
      compare_each(q::dynamic_rows{{reinterpret_cast<const std::int8_t*>(bytes.data()), s.rows, depth}, rows}, w);
    }
}

/// Compares rows of 8-bit floats. In each block codes 0 .. 14 times the weights are canceled by codes 15 .. 29, so that the small
/// codes 30 and 31 are left. The last block has the smallest codes of X. Exponents of codes fall by `of_codes` bits in a block,
/// those of scales by `of_scales` from block to block.
template <class X, class W>
void compare_canceled(int of_codes, int of_scales) {
  constexpr index_t blocks = 5, channels = 17;
  std::vector<q::e8m0> of_x, of_w;
  const auto number = [](auto& all, int code, int spread) {
    using element = typename std::decay_t<decltype(all)>::value_type;
    using format = q::detail::format<element>;
    const int fall = code >= 30 ? spread : spread * (code % 15) / 14, most = (format::infinity - 1) >> format::fraction_bits;
    const int field = most - fall < 0 ? 0 : most - fall;
    const int fraction = draw.below(format::hidden_bit - 1) | (field == 0 ? 1 : 0);
    all.push_back(element::from_bits(field << format::fraction_bits | fraction));
  };
  std::vector<X> x;
  std::vector<W> w;
  const auto add_row = [&](auto& all, std::vector<q::e8m0>& scales, int sign) {
    for (int b = 0; b < blocks; ++b) {
      const std::size_t first = all.size();
      for (int i = 0; i < 32; ++i) {
        using element = typename std::decay_t<decltype(all)>::value_type;
        if (i < 15 || i >= 30)
          number(all, i, of_codes);
        else
          all.push_back(element::from_bits(all[first + static_cast<std::size_t>(i) - 15].bits |
                                           (sign < 0 ? q::detail::format<element>::sign_bit : 0)));
      }
      scales.push_back({static_cast<std::uint8_t>(127 - b * of_scales)});
    }
  };
  add_row(x, of_x, 1);
  for (index_t c = 0; c < channels; ++c) add_row(w, of_w, -1);
  for (std::size_t i = 32 * (blocks - 1); i < x.size(); ++i) x[i] = X::from_bits(1);
  compare<float>(q::block_scaled_view<q::element_codes<X>, q::e8m0>{{x}, {of_x, 1, blocks}},
                 q::block_scaled_view<q::element_codes<W>, q::e8m0>{{w}, {of_w, channels, blocks}}, {});
}

template <q::index_t Bytes>
using halves = q::nibble_order::halves<Bytes>;

}  // namespace

TEST_CASE("scaled blocks: linear layers of weights with one scale of binary32 are the exact sums") {
  compare_channel_scales<q::element_codes<std::int8_t>>();
  compare_channel_scales<q::nibble_codes<q::nibble_code::twos_complement>>();
  compare_channel_scales<q::element_codes<q::e2m3>>();
  compare_channel_scales<q::element_codes<q::e4m3>>();
}

TEST_CASE("scaled blocks: linear layers of weights in blocks of more than 32 codes are the exact sums") {
  using int8 = q::element_codes<std::int8_t>;
  for (const index_t block : {33, 37, 48, 64, 128, 1000}) {
    const scaled<int8, q::bfloat16> w(17, 2 * block + 5, block, kind::extreme), x(3, 2 * block + 5, block, kind::extreme);
    compare_each(x.view, w.view);
  }
}

TEST_CASE("scaled blocks: second scales are exact") {
  using nvfp4 = q::nibble_codes<q::nibble_code::e2m1>;
  const float seconds[] = {1.0f, 0.0f, -0.75f, 0x1.fffffep-13f, 0x1.800002p5f, 0x1p-149f, 0x1.fffffep127f};
  const scaled<nvfp4, q::e4m3> w(17, 96, 16, kind::usual), x(5, 96, 16, kind::usual);
  const scaled<nvfp4, q::bfloat16> wide(17, 96, 16, kind::usual);
  const scaled<q::element_codes<std::int8_t>, q::bfloat16> per_channel(17, 96, 96, kind::usual);
  const std::vector<float> channel(17, 0x1.234566p-7f);
  const auto bytes = codes(5 * 96, kind::usual);
  const std::vector<q::dynamic_row> rows(5, q::dynamic_row{q::binary32(0x1.765432p-5f), 17, {}});
  const q::dynamic_rows dynamic{{reinterpret_cast<const std::int8_t*>(bytes.data()), 5, 96}, rows};
  const std::vector<float> bias(17, 0.1f);
  for (const float of_x : seconds)
    for (const float of_w : seconds) {
      q::sum_epilogue e{bias};
      e.x_scale = q::binary32(of_x);
      e.w_scale = q::binary32(of_w);
      const auto both = [&](const auto& activations, const auto& weights) {
        compare<float>(activations, weights, e);
        compare<q::bfloat16>(activations, weights, e);
        compare<std::int8_t>(activations, weights, e);
        q::sum_epilogue none = e;
        none.bias = {};
        compare<float>(activations, weights, none);
      };
      both(x.view, w.view);
      both(dynamic, w.view);
      both(dynamic, wide.view);
      both(dynamic, q::one_scale_rows<q::element_codes<std::int8_t>>{per_channel.view.codes, channel, 17});
      both(x.view, q::one_scale_rows<q::element_codes<std::int8_t>>{per_channel.view.codes, channel, 17});
    }
}

TEST_CASE("scaled blocks: linear layers of ggml's blocks are the exact sums") {
  compare_ggml<q::ggml::q4_0>();
  compare_ggml<q::ggml::q5_0>();
  compare_ggml<q::ggml::q8_0>();
  compare_ggml<q::ggml::mxfp4>();
  compare_ggml<q::ggml::nvfp4>();
  compare_ggml<q::ggml::mxfp4, q::ggml::mxfp4>();
  compare_ggml<q::ggml::q8_0, q::ggml::nvfp4>();  // smaller blocks of activations than of weights
}

TEST_CASE("scaled blocks: linear layers of elements with scales of any type are the exact sums") {
  using mxfp4 = q::nibble_codes<q::nibble_code::e2m1>;
  using mxint8 = q::element_codes<q::mxint8>;
  compare_scaled<mxint8, q::e8m0, mxfp4, q::e8m0>();
  compare_scaled<mxint8, q::e8m0, mxint8, q::e8m0>();
  compare_scaled<mxfp4, q::e8m0, mxfp4, q::e4m3>();
  compare_scaled<q::element_codes<q::e2m3>, q::e8m0, q::element_codes<q::e2m3>, q::e8m0>();
  compare_scaled<mxint8, q::binary16, q::nibble_codes<q::nibble_code::twos_complement, halves<16>>, q::binary16>();
  compare_scaled<mxint8, q::bfloat16, q::nibble_codes<q::nibble_code::offset8, halves<8>>, std::uint8_t>();
}

TEST_CASE("scaled blocks: linear layers of floats of 6 and 8 bits are the exact sums") {
  using mxfp4 = q::nibble_codes<q::nibble_code::e2m1>;
  using mxint8 = q::element_codes<q::mxint8>;
  using e4m3 = q::element_codes<q::e4m3>;
  using e5m2 = q::element_codes<q::e5m2>;
  using e3m2 = q::element_codes<q::e3m2>;
  compare_scaled<e4m3, q::e8m0, e4m3, q::e8m0>();
  compare_scaled<mxint8, q::binary32, e4m3, q::binary16>();
  compare_scaled<e3m2, q::e8m0, e3m2, q::bfloat16>();
  compare_scaled<mxfp4, q::e4m3, e5m2, q::e8m0>();
  compare_scaled<e5m2, q::e8m0, e5m2, q::e8m0>();
  compare_scaled<e4m3, q::e8m0, mxfp4, q::e8m0>();
  compare_scaled<e3m2, q::e8m0, q::nibble_codes<q::nibble_code::offset8>, q::bfloat16>();
  compare_scaled<e4m3, q::e8m0, mxint8, q::e8m0>();
  compare_dynamic<e4m3, q::e8m0>();
}

TEST_CASE("scaled blocks: linear layers of activations of 8 and 16 bits with one scale are the exact sums") {
  compare_one_scale<std::int16_t, q::nibble_codes<q::nibble_code::offset8>, q::bfloat16>();
  compare_one_scale<std::int16_t, q::element_codes<q::e4m3>, q::e8m0>();
  compare_one_scale<std::uint8_t, q::nibble_codes<q::nibble_code::e2m1>, q::e8m0>();
  compare_one_scale<std::uint16_t, q::element_codes<q::mxint8>, q::e8m0>();
}

TEST_CASE("scaled blocks: linear layers of dynamic rows are the exact sums") {
  compare_dynamic<q::nibble_codes<q::nibble_code::offset8>, q::bfloat16>();
  compare_dynamic<q::nibble_codes<q::nibble_code::e2m1>, q::e8m0>();
  compare_dynamic<q::element_codes<q::mxint8>, q::e8m0>();
}

TEST_CASE("scaled blocks: sums that are ties of binary32 go to the even number") {
  // 127 * 127 * 4096 has 26 bits. The last code moves the sum by 1.
  constexpr index_t depth = 4096, channels = 32;
  std::vector<q::mxint8> x(depth, q::mxint8{127}), w(depth * channels, q::mxint8{127});
  for (index_t c = 0; c < channels; ++c) {
    w[static_cast<std::size_t>(c * depth)] = {static_cast<std::int8_t>(c)};
    for (index_t i = 1; i < c; ++i) w[static_cast<std::size_t>(c * depth + i)] = {static_cast<std::int8_t>(-i)};
  }
  x[0] = {1};
  const std::vector<q::e8m0> ones(depth / 32 * channels, q::e8m0{127});
  using view = q::block_scaled_view<q::element_codes<q::mxint8>, q::e8m0>;
  compare_each(view{{x}, {ones, 1, depth / 32}}, view{{w}, {ones, channels, depth / 32}});
}

TEST_CASE("scaled blocks: a small bias breaks a tie of each type of outputs") {
  // The sum of channel c is c times the scale of the row, of 1, 9, 12 and 25 bits. These are ties of int8 in units of 2, of
  // bfloat16, binary16 and binary32. The bias is far below the bits of binary64.
  constexpr index_t channels = 16, depth = 32;
  std::vector<std::uint8_t> w(channels * depth / 2, std::uint8_t{0x88});
  for (index_t c = 0; c < channels; ++c) w[static_cast<std::size_t>(c * depth / 2)] = static_cast<std::uint8_t>(0x80 | c);
  const std::vector<q::bfloat16> ones(channels, q::bfloat16::from_bits(0x3F80));
  const q::block_scaled_view<q::nibble_codes<q::nibble_code::offset8>, q::bfloat16> weights{{w, channels * depth},
                                                                                            {ones, channels, 1}};
  std::vector<std::int8_t> x(5 * depth, std::int8_t{0});
  std::vector<q::dynamic_row> rows;
  for (const float factor : {1.0f, 257.0f, 2049.0f, 8388609.0f, 8388611.0f}) {
    x[rows.size() * depth] = 1;
    rows.push_back({q::binary32(factor), 0, {}});
  }
  const q::dynamic_rows activations{{x, 5, depth}, rows};
  for (const float bias : {0.0f, 0x1p-60f, -0x1p-60f, 0x1p-149f, -0x1p-149f, 0x1p25f, -0x1p25f, 0x1.000002p30f}) {
    const std::vector<float> all(channels, bias);
    compare<float>(activations, weights, {all});
    compare<float>(activations, weights, {all, q::binary32(-3.0f), q::binary32(3.0f)});
    compare<q::bfloat16>(activations, weights, {all});
    compare<q::binary16>(activations, weights, {all});
    for (const int zero : {0, -128, 127})
      compare<std::int8_t>(activations, weights, {all, {}, q::epilogue::infinity, q::binary32(2.0f), zero});
    compare<std::int8_t>(activations, weights, {all, q::negate(q::epilogue::infinity), q::binary32(5.0f), q::binary32(2.0f), 0});
    compare<std::uint8_t>(activations, weights, {all, {}, q::epilogue::infinity, q::binary32(2.0f), 250});
    compare<std::int16_t>(activations, weights, {all, q::binary32(-5.0f), q::binary32(5e4f), q::binary32(2.0f), -7});
    compare<std::uint16_t>(activations, weights,
                           {all, q::negate(q::epilogue::infinity), q::epilogue::infinity, q::binary32(0.1f), 7});
  }
}

TEST_CASE("scaled blocks: a small bias breaks a tie of integers with a scale of 24 bits") {
  // Sums are odd multiples of half the scale of outputs. The bias moves a quotient by at most one last bit of binary64.
  constexpr index_t channels = 16, depth = 32;
  std::vector<std::int8_t> w(channels * depth), x(4 * depth);
  for (index_t c = 0; c < channels; ++c) w[static_cast<std::size_t>(c * depth)] = static_cast<std::int8_t>(2 * c - 15);
  const std::vector<float> ones(channels, 1.0f);
  std::vector<q::dynamic_row> rows;
  for (const int code : {1, 5, -17, 127}) {
    x[rows.size() * depth] = static_cast<std::int8_t>(code);
    rows.push_back({q::binary32(0x1.fffffep-1f), 0, {}});
  }
  for (const float bias : {0.0f, 0x1p-60f, -0x1p-60f, 0x1p-149f, -0x1p-149f}) {
    const std::vector<float> all(channels, bias);
    for (const int zero : {0, 3, -128}) {
      const q::sum_epilogue e{all, negate(q::epilogue::infinity), q::epilogue::infinity, q::binary32(0x1.fffffep0f), zero};
      compare<std::int8_t>(q::dynamic_rows{{x, 4, depth}, rows},
                           q::one_scale_rows<q::element_codes<std::int8_t>>{{w}, ones, channels}, e);
    }
  }
}

TEST_CASE("scaled blocks: the longest block whose sum int32 holds, and a longer one") {
  for (const index_t depth : {131071, 131072, 131104}) {
    const std::vector<std::int8_t> codes(static_cast<std::size_t>(depth), std::int8_t{-128});
    const float one = 1.0f;
    const q::one_scale_rows<q::element_codes<std::int8_t>> all{{codes}, {&one, 1}, 1};
    compare<float>(all, all, {});
  }
}

TEST_CASE("scaled blocks: a bias and a product of more than 53 bits are rounded once") {
  // The scales of 8 blocks are powers of 64, so that a row of 8 digits is any sum of 47 bits. The weights are 1.
  constexpr index_t blocks = 8, depth = 32 * blocks;
  std::vector<std::uint8_t> w(depth / 2, std::uint8_t{0x88});
  std::vector<q::bfloat16> scales;
  for (int b = 0; b < blocks; ++b) {
    w[static_cast<std::size_t>(16 * b)] = 0x89;
    scales.push_back(q::detail::convert<q::bfloat16>(q::binary32(static_cast<float>(std::int64_t{1} << 6 * b))));
  }
  const q::block_scaled_view<q::nibble_codes<q::nibble_code::offset8>, q::bfloat16> weights{{w, depth}, {scales, 1, blocks}};
  const auto compare_row = [&](std::int64_t sum, float factor, float bias) {
    std::vector<std::int8_t> x(depth, std::int8_t{0});
    for (int b = 0; b < blocks; ++b) {
      const std::int64_t digit = ((sum & 63) ^ 32) - 32;
      x[static_cast<std::size_t>(32 * b)] = static_cast<std::int8_t>(digit);
      sum = (sum - digit) / 64;
    }
    const std::vector<q::dynamic_row> rows{{q::binary32(factor), 0, {}}};
    const std::vector<float> all{bias};
    compare<float>(q::dynamic_rows{{x, 1, depth}, rows}, weights, {all});
  };
  // A sum times a factor is almost 2^69, which is half of the last bit of the bias. binary64 rounds the product to 2^69.
  int found = 0;
  for (std::int64_t factor = (1 << 23) + 1; found < 8; factor += 2) {
    const std::int64_t power = std::int64_t{1} << 46, sum = (power << 16) / factor << 7;  // a multiple of 128
    for (std::int64_t i = sum; i < sum + 128 && found < 8; ++i) {
      const auto rest = static_cast<std::int64_t>(static_cast<std::uint64_t>(i) * static_cast<std::uint64_t>(factor));  // - 2^69
      if (rest == 0 || rest > 1 << 14 || rest < -(1 << 14)) continue;
      ++found;
      for (const float last : {0.0f, 1.0f, 2.0f})
        for (const int sign : {-1, 1}) {
          const float bias = (8388608.0f + last) * 0x1p70f;
          compare_row(i, static_cast<float>(factor), bias);
          compare_row(sign * i, static_cast<float>(sign * factor), -bias);
          compare_row(sign * i, static_cast<float>(factor), bias);
        }
    }
  }
  for (int i = 0; i < 200; ++i) {  // the bias cancels most of the product
    const auto sum = static_cast<std::int64_t>(draw() & 0x3FFF'FFFF'FFFF);
    const auto factor = static_cast<float>(draw.between(1 << 23, (1 << 24) - 1)) * 0x1p-40f;
    compare_row(sum, factor, -static_cast<float>(static_cast<double>(sum) * static_cast<double>(factor)));
  }
}

TEST_CASE("scaled blocks: the smallest products have outputs, too") {
  // The product is 2^-286. The 53 bits of a binary64 of this size go down to 2^-338.
  std::vector<q::e5m2> one(32, q::e5m2::from_bits(0));
  one[5] = q::e5m2::from_bits(1);
  const std::vector<q::e8m0> least{{0}};
  using view = q::block_scaled_view<q::element_codes<q::e5m2>, q::e8m0>;
  const view x{{one}, {least, 1, 1}};
  const std::vector<float> bias{0x1.8p-148f};
  compare<float>(x, x, {});
  compare<float>(x, x, {bias});
  compare<q::bfloat16>(x, x, {bias});
  compare<std::int8_t>(x, x, {{}, q::binary32{}, q::epilogue::infinity, q::binary32(0x1p-149f), 0});
}

TEST_CASE("scaled blocks: a sum that binary64 does not hold is exact") {
  // 32 * 127 * 127 + 2^-k - 32 * 127 * 127. Its first two terms have more than 53 bits from k = 35 on.
  for (int k = 0; k < 64; ++k) {
    std::vector<q::mxint8> x(96, q::mxint8{127}), w(96, q::mxint8{127});
    for (std::size_t i = 32; i < 64; ++i) x[i] = w[i] = {static_cast<std::int8_t>(i == 33 ? 1 : 0)};
    for (std::size_t i = 64; i < 96; ++i) w[i] = {-127};
    const std::vector<q::e8m0> of_x{{127}, {static_cast<std::uint8_t>(127 - k / 2)}, {127}};
    const std::vector<q::e8m0> of_w{{127}, {static_cast<std::uint8_t>(127 - (k + 1) / 2)}, {127}};
    using view = q::block_scaled_view<q::element_codes<q::mxint8>, q::e8m0>;
    compare_each(view{{x}, {of_x, 1, 3}}, view{{w}, {of_w, 1, 3}});
  }
}

TEST_CASE("scaled blocks: a sum of weights that binary64 does not hold is exact times a zero point") {
  // The codes are 0, so that the products are 0. The sum of the weights is 2^57 + 2^33 + 1, above a tie of binary32.
  std::vector<q::mxint8> w(96);
  std::fill(w.begin(), w.begin() + 16, q::mxint8{127});
  w[16] = {16};
  w[32] = {64};
  w[64] = {1};
  const std::vector<q::e8m0> scales{{127 + 46}, {127 + 27}, {127}};
  const std::vector<std::int8_t> x(96);
  const std::vector<q::dynamic_row> rows{{q::binary32{1.0f}, -1, {}}};
  compare_each(q::dynamic_rows{{x, 1, 96}, rows},
               q::block_scaled_view<q::element_codes<q::mxint8>, q::e8m0>{{w}, {scales, 1, 3}});
}

TEST_CASE("scaled blocks: a sum of floats of 8 bits that binary64 does not hold is exact") {
  // 32 * 448 * 448 + 2^-(18 + k) - 32 * 448 * 448. Its first two terms have more than 53 bits from k = 13 on.
  const auto most = q::e4m3::from_bits(0x7E), negative = q::e4m3::from_bits(0xFE), least = q::e4m3::from_bits(1);
  for (int k = 0; k < 64; ++k) {
    std::vector<q::e4m3> x(96, most), w(96, most);
    for (std::size_t i = 32; i < 64; ++i) x[i] = w[i] = i == 33 ? least : q::e4m3{};
    for (std::size_t i = 64; i < 96; ++i) w[i] = negative;
    const std::vector<q::e8m0> of_x{{127}, {static_cast<std::uint8_t>(127 - k / 2)}, {127}};
    const std::vector<q::e8m0> of_w{{127}, {static_cast<std::uint8_t>(127 - (k + 1) / 2)}, {127}};
    using view = q::block_scaled_view<q::element_codes<q::e4m3>, q::e8m0>;
    compare_each(view{{x}, {of_x, 1, 3}}, view{{w}, {of_w, 1, 3}});
  }
}

TEST_CASE("scaled blocks: magnitudes of a row that exceed 64 bits are not small") {
  // The magnitudes are (512 * 57344 * 2^16 + 1) * 9586981. Modulo 2^64 this is 3 * 2^38 + 9586981.
  constexpr index_t depth = 513;
  std::vector<q::e5m2> x(depth, q::e5m2::from_bits(0x7B));
  std::vector<q::e3m2> w(depth, q::e3m2::from_bits(0x1F));
  x[256] = q::e5m2::from_bits(1);
  w[256] = q::e3m2::from_bits(0x1D);
  for (std::size_t i = 257; i < depth; ++i) w[i] = q::e3m2::from_bits(0x3F);
  const std::vector<q::binary32> of_x{q::from_integer<q::binary32>(std::int64_t{9586981})};
  const std::vector<q::e8m0> of_w{{127}};
  compare_each(q::block_scaled_view<q::element_codes<q::e5m2>, q::binary32>{{x}, {of_x, 1, 1}, depth},
               q::block_scaled_view<q::element_codes<q::e3m2>, q::e8m0>{{w}, {of_w, 1, 1}, depth});
}

TEST_CASE("scaled blocks: a long block whose scale is 0 adds 0") {
  // The integer sum is 0x3EC0'0000. Added to the upper half of 1.5 * 2^20, it makes a NaN.
  constexpr std::size_t depth = 64256;
  const std::vector<q::mxint8> codes(depth, q::mxint8{-128});
  const std::vector<q::binary16> zero(1), one(1, q::binary16::from_bits(0x3C00));
  using view = q::block_scaled_view<q::element_codes<q::mxint8>, q::binary16>;
  compare_each(view{{codes}, {zero, 1, 1}, depth}, view{{codes}, {one, 1, 1}, depth});
}

TEST_CASE("scaled blocks: a sum times the scale of a row is rounded once") {
  // sum * factor is a tie of binary32 plus or minus 1 in the last of 24 + s bits. binary64 would round it to the tie for s > 29.
  constexpr int blocks = 7;
  std::vector<std::int8_t> x(32 * blocks);
  for (std::size_t i = 0; i < x.size(); i += 32) x[i] = 1;
  for (int s = 26; s < 40; ++s)
    for (const std::uint64_t last : {std::uint64_t{0}, std::uint64_t{1}, ~std::uint64_t{0}}) {
      const auto factor = static_cast<std::uint64_t>(draw.between(1 << 23, (1 << 24) - 1) | 1);
      std::uint64_t inverse = 1;  // of factor modulo 2^64: each step doubles the bits that are right
      for (int i = 0; i < 6; ++i) inverse *= 2 - factor * inverse;
      const std::uint64_t sum = ((std::uint64_t{1} << (s - 1)) + last) * inverse & ((std::uint64_t{1} << s) - 1);
      std::vector<q::mxint8> w(64 * blocks);
      std::vector<q::e8m0> scales(2 * blocks);
      std::uint64_t rest = sum;
      for (std::size_t b = 0; b < blocks; ++b, rest >>= 7) {
        w[32 * b] = {static_cast<std::int8_t>(rest & 127)};
        w[32 * (b + blocks)] = {static_cast<std::int8_t>(-w[32 * b].value)};
        scales[b] = scales[b + blocks] = {static_cast<std::uint8_t>(127 + 7 * b)};
      }
      for (const int zero : {0, 1}) {
        const std::vector<q::dynamic_row> rows{
            {q::from_integer<q::binary32>(static_cast<std::int64_t>(factor)), zero, q::binary32{}}};
        for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<std::int8_t>(zero + (i % 32 == 0 ? 1 : 0));
        compare_each(q::dynamic_rows{{x, 1, 32 * blocks}, rows},
                     q::block_scaled_view<q::element_codes<q::mxint8>, q::e8m0>{{w}, {scales, 2, blocks}});
      }
    }
}

TEST_CASE("scaled blocks: a product of scales of more than 53 bits is rounded once") {
  // a * b * c has 48 + k bits. It is a tie of binary32, plus or minus 1. From k = 6 on binary64 would round it to the tie.
  const std::vector<std::int8_t> one{1};
  const q::bfloat16 unit[] = {q::bfloat16::from_bits(0x3F80)};
  const q::block_scaled_view<q::element_codes<std::int8_t>, q::bfloat16> plain{{one}, {unit, 1, 1}};
  for (int k = 3; k < 9; ++k)
    for (int found = 0; found < 8;) {
      const auto a = static_cast<std::uint64_t>(draw.between(15 << 20, (1 << 24) - 1) | 1);
      const auto c = static_cast<std::uint64_t>((1 << k) - 1);
      std::uint64_t inverse = 1;  // of a * c modulo 2^64: each step doubles the bits that are right
      for (int i = 0; i < 6; ++i) inverse *= 2 - a * c * inverse;
      const std::uint64_t last = (std::uint64_t{1} << (23 + k)) + (found % 2 == 0 ? 1 : ~std::uint64_t{0});
      const std::uint64_t b = last * inverse & ((std::uint64_t{1} << (24 + k)) - 1);
      if (b >> 24 != 0 || b < 14 << 20) continue;
      ++found;
      const std::vector<q::dynamic_row> rows{{q::binary32(static_cast<float>(c)), 0, {}}};
      const q::dynamic_rows x{{one, 1, 1}, rows};
      const float of_channel = static_cast<float>(a);
      q::sum_epilogue e;
      e.x_scale = q::binary32(static_cast<float>(b));
      compare<float>(x, q::one_scale_rows<q::element_codes<std::int8_t>>{{one}, {&of_channel, 1}, 1}, e);
      e.w_scale = q::binary32(of_channel);
      compare<float>(x, plain, e);
    }
}

TEST_CASE("scaled blocks: sums that need two numbers of binary64 are exact") {
  // The scales of blocks fall by 2^k. Codes and significands of scales are the largest ones, or random. In rows 1 and 2 the last
  // block cancels the first one, so that small blocks are left.
  constexpr index_t blocks = 9, depth = 32 * blocks, channels = 19;
  for (int k = 0; k < 15; ++k)
    for (const bool is_random : {false, true}) {
      std::vector<std::int8_t> x(3 * depth), w(channels * depth);
      for (std::int8_t& code : x) code = is_random ? static_cast<std::int8_t>(draw()) : std::int8_t{127};
      for (std::int8_t& code : w) code = is_random ? static_cast<std::int8_t>(draw()) : std::int8_t{-128};
      std::vector<q::bfloat16> of_x, of_w;
      for (int i = 0; i < 3 * blocks; ++i) {
        const auto digits = static_cast<float>(is_random ? draw.between(128, 255) : 255);
        const int block = i % blocks;
        const int exponent = block == blocks - 1 ? 0 : -k * block;  // the last scale is as large as the first
        of_x.push_back(q::detail::convert<q::bfloat16>(q::binary32(std::ldexp(digits, exponent))));
      }
      for (int i = 0; i < channels * blocks; ++i)
        of_w.push_back(
            q::detail::convert<q::bfloat16>(q::binary32(static_cast<float>(is_random ? draw.between(128, 255) : 255))));
      for (index_t r = 0; r < 3; ++r) {
        of_x[static_cast<std::size_t>((r + 1) * blocks - 1)] = of_x[static_cast<std::size_t>(r * blocks)];
        for (index_t i = 0; r > 0 && i < 32; ++i) {
          const std::int8_t first = x[static_cast<std::size_t>(r * depth + i)];
          x[static_cast<std::size_t>((r + 1) * depth - 32 + i)] = static_cast<std::int8_t>(first == -128 ? 127 : -first);
        }
      }
      for (index_t c = 0; c < channels; ++c) {
        of_w[static_cast<std::size_t>((c + 1) * blocks - 1)] = of_w[static_cast<std::size_t>(c * blocks)];
        for (index_t i = 0; i < 32; ++i)
          w[static_cast<std::size_t>((c + 1) * depth - 32 + i)] = w[static_cast<std::size_t>(c * depth + i)];
      }
      using matrix = q::block_scaled_view<q::element_codes<std::int8_t>, q::bfloat16>;
      const matrix activations{{x}, {of_x, 3, blocks}}, weights{{w}, {of_w, channels, blocks}};
      compare_each(activations, weights);
      compare<q::bfloat16>(activations, weights, {});
      const std::vector<float> bias(channels, -0x1p-40f);
      q::sum_epilogue e{bias, q::binary32(-100.0f), q::binary32(1e6f), q::binary32(0.3f), 5};
      e.x_scale = q::binary32(0x1.23456p3f);
      e.w_scale = q::binary32(-0x1.fffffep-9f);
      compare<std::int8_t>(activations, weights, e);
      const std::vector<float> of_channels(channels, 0x1.23456p-3f);
      compare<float>(activations, q::one_scale_rows<q::element_codes<std::int8_t>>{{w}, of_channels, channels}, e);
    }
}

TEST_CASE("scaled blocks: large blocks that cancel leave a small one exact") {
  // Block 0 is the smallest. The products of blocks 1 .. 4 are larger by 2^k each, 2^(0 .. 3) more for block 4, and
  // blocks 5 .. 8 are their negatives, the largest one first. Both operands have a part of each power of two.
  constexpr index_t blocks = 9, channels = 17;
  const auto number = [](int exponent) {
    const auto digits = q::from_integer<q::binary32>(draw.between(128, 255));
    return q::detail::convert<q::bfloat16>(scale_by_power_of_two(digits, exponent));
  };
  for (int n = 0; n < 160; ++n) {
    const int k = n / 4;
    std::vector<std::int8_t> x, w;
    std::vector<q::bfloat16> of_x, of_w;
    const auto add_row = [&](std::vector<std::int8_t>& codes, std::vector<q::bfloat16>& scales, int sign, int step, int last) {
      const std::size_t first = codes.size(), first_scale = scales.size();
      for (int b = 0; b < blocks; ++b) {
        const auto of = static_cast<std::size_t>(b < 5 ? b : b == 5 ? 4 : b - 5);
        scales.push_back(b < 5 ? number(step * b + (b == 4 ? last : 0)) : scales[first_scale + of]);
        for (std::size_t i = 0; i < 32; ++i)
          codes.push_back(static_cast<std::int8_t>(b < 5 ? draw.between(100, 127) : sign * codes[first + 32 * of + i]));
      }
    };
    add_row(x, of_x, -1, k / 2, n % 4);
    for (int c = 0; c < channels; ++c) add_row(w, of_w, 1, k - k / 2, 0);
    using matrix = q::block_scaled_view<q::element_codes<std::int8_t>, q::bfloat16>;
    compare<float>(matrix{{x}, {of_x, 1, blocks}}, matrix{{w}, {of_w, channels, blocks}}, {});
  }
}

TEST_CASE("scaled blocks: floats of 8 bits that cancel leave small ones exact") {
  // E5M2 has 30 exponents, so that blocks of many codes need products in two parts, and those of few codes fit one.
  for (int of_codes = 0; of_codes < 31; ++of_codes)
    for (const int of_scales : {0, 1, 3, 7, 12, 20}) {
      compare_canceled<q::e4m3, q::e4m3>(of_codes, of_scales);
      compare_canceled<q::e5m2, q::e4m3>(of_codes, of_scales);
      compare_canceled<q::e4m3, q::e5m2>(of_codes, of_scales);
      compare_canceled<q::e5m2, q::e5m2>(of_codes, of_scales);
      compare_canceled<q::e3m2, q::e5m2>(of_codes, of_scales);
    }
}

TEST_CASE("scaled blocks: equal products that cancel leave the smallest product exact") {
  // 62 products p, the product 2^-32, and 62 products -p. Each block of x has a code of 2^-16, so that a sum of a block needs
  // over 53 bits.
  constexpr index_t blocks = 6, depth = 32 * blocks;
  using view = q::block_scaled_view<q::element_codes<q::e5m2>, q::e8m0>;
  const std::vector<q::e8m0> scales(blocks, q::e8m0{127});
  for (int of_x = 1; of_x < 31; ++of_x)
    for (int of_w = 1; of_w < 31; ++of_w) {
      if (!is_tried()) continue;
      std::vector<q::e5m2> x(depth), w(depth);
      for (std::size_t i = 0; i < depth; ++i) {
        x[i] = q::e5m2::from_bits(of_x << 2 | 3);
        w[i] = q::e5m2::from_bits((of_w << 2 | 3) + (i < 64 ? 0 : 0x80));
        if (i % 32 == 31 || i / 32 == 2 || i / 32 == 5) {
          x[i] = q::e5m2::from_bits(1);
          w[i] = q::e5m2::from_bits(i == 70 ? 1 : 0);
        }
      }
      compare<float>(view{{x}, {scales, 1, blocks}}, view{{w}, {scales, 1, blocks}}, {});
    }
}

TEST_CASE("scaled blocks: codes that are multiples of a large power of two have exact sums") {
  // Codes are 49152 or 57344, which are odd multiples of 2^14 and 2^13. A code of x is 2^-16. A scale of x and a scale of channel
  // 1 are larger than the others by 2^k. Channel 2 has a block of zeros with a small scale, and channels 16 and 17 are
  // zeros.
  constexpr index_t blocks = 3, depth = 32 * blocks, channels = 18;
  using view = q::block_scaled_view<q::element_codes<q::e5m2>, q::e8m0>;
  const auto large = [] { return q::e5m2::from_bits(draw.one_in(2) ? 0x7B : 0xFA); };
  for (int k = 0; k < 64; ++k) {
    std::vector<q::e5m2> x(depth), w(channels * depth);
    for (q::e5m2& code : x) code = large();
    for (std::size_t i = 0; i < 16 * depth; ++i) w[i] = i / 32 == 2 * blocks ? q::e5m2{} : large();
    x[depth - 1] = q::e5m2::from_bits(1);
    std::vector<q::e8m0> of_x(blocks, q::e8m0{10}), of_w(channels * blocks, q::e8m0{190});
    of_x[0] = {static_cast<std::uint8_t>(10 + k)};
    of_w[blocks] = {static_cast<std::uint8_t>(190 + k)};
    of_w[2 * blocks] = {static_cast<std::uint8_t>(100 - k)};
    compare_each(view{{x}, {of_x, 1, blocks}}, view{{w}, {of_w, channels, blocks}});
  }
}

TEST_CASE("scaled blocks: activations with one scale need two numbers of binary64, too") {
  // The scales of the weights fall by 2^k. A zero point other than 0 takes portable code.
  constexpr index_t blocks = 4, depth = 32 * blocks, channels = 18;
  for (int k = 0; k < 24; ++k)
    for (const std::int32_t zero : {0, -3}) {
      std::vector<std::int8_t> x(2 * depth), w(channels * depth);
      for (std::int8_t& code : x) code = static_cast<std::int8_t>(draw());
      for (std::int8_t& code : w) code = static_cast<std::int8_t>(draw());
      std::vector<q::bfloat16> of_w;
      for (int i = 0; i < channels * blocks; ++i)
        of_w.push_back(q::detail::convert<q::bfloat16>(
            scale_by_power_of_two(q::from_integer<q::binary32>(draw.between(128, 255)), -k * static_cast<int>(i % blocks))));
      const std::vector<q::dynamic_row> rows{{q::binary32{0x1.23456p-7f}, zero, {}}, {q::binary32{-0x1.fffffep3f}, 0, {}}};
      const q::block_scaled_view<q::element_codes<std::int8_t>, q::bfloat16> weights{{w}, {of_w, channels, blocks}};
      compare_each(q::dynamic_rows{{x, 2, depth}, rows}, weights);
      std::vector<std::int16_t> wide(2 * depth);
      for (std::int16_t& code : wide) code = static_cast<std::int16_t>(draw());
      const float factor = 0x1.23456p-11f;
      const std::vector<std::uint8_t> nibbles = codes(channels * depth / 2, kind::usual);
      using int4 = q::nibble_codes<q::nibble_code::twos_complement>;
      compare_each(q::one_scale_rows<q::integer_codes<std::int16_t>>{{wide, static_cast<std::int16_t>(zero)}, {&factor, 1}, 2},
                   q::block_scaled_view<int4, q::bfloat16>{{nibbles, channels * depth}, {of_w, channels, blocks}});
    }
}

TEST_CASE("scaled blocks: a layer without rows needs no workspace, as workspace_of says") {
  const scaled<q::element_codes<q::mxint8>, q::e8m0> w(17, 64, 32, kind::usual);
  std::vector<unsigned char> memory(8192);
  const auto packed = q::pack_rows(w.view, memory);
  REQUIRE(packed.status == q::status::ok);
  const q::dynamic_rows none{{nullptr, 0, 64}, {}};
  CHECK(q::workspace_of(none, packed.value) == 0);
  parity::each_backend([&](auto backend) {
    INFO(decltype(backend)::name);
    CHECK(q::exact::linear<decltype(backend)>(none, packed.value, q::matrix_view<float>(nullptr, 0, 17)) == q::status::ok);
  });
}

namespace {
/// Returns 3 * 5, the output of a layer.
template <class Backend>
constexpr float constant_output() {
  const std::int8_t of_x[] = {3}, of_w[] = {5};
  const float one[] = {1.0f};
  using matrix = q::one_scale_rows<q::element_codes<std::int8_t>>;
  const matrix x{{{of_x, 1}}, {one, 1}, 1}, w{{{of_w, 1}}, {one, 1}, 1};
  unsigned char memory[400] = {}, workspace[100] = {};
  float y[1] = {};
  const auto packed = q::pack_rows(w, memory).value;
  return q::exact::linear<Backend>(x, packed, q::matrix_view<float>(y, 1, 1), {}, workspace) == q::status::ok ? y[0] : 0;
}
}  // namespace

TEST_CASE("scaled blocks: a linear layer of each backend is a constant expression") {
  parity::each_backend([](auto backend) {
    constexpr float y = constant_output<decltype(backend)>();
    static_assert(y == 15);
    CHECK(constant_output<decltype(backend)>() == 15);
  });
}

TEST_CASE("scaled blocks: linear layers do not depend on the rounding mode") {
  const index_t depth = 256;
  const auto w = ggml_blocks<q::ggml::q4_0>(17, depth / 32, kind::usual),
             x = ggml_blocks<q::ggml::q8_0>(3, depth / 32, kind::usual);
  for (const int mode : support::rounding_modes) {
    if (std::fesetround(mode) != 0) continue;
    compare_each(q::ggml::matrix<q::ggml::q8_0>{{x, 3, depth / 32 * 34}},
                 q::ggml::matrix<q::ggml::q4_0>{{w, 17, depth / 32 * 18}});
    std::fesetround(FE_TONEAREST);
  }
}
