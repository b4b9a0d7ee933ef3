#include <dyadic/blocks/dynamic_row.hpp>
#include <dyadic/blocks/engine_dot.hpp>
#include <dyadic/blocks/ggml.hpp>
#include <dyadic/blocks/ggml_dot.hpp>
#include <dyadic/blocks/lpbq.hpp>
#include <dyadic/blocks/quantize_blocks.hpp>

#include <algorithm>

#include "drawing.hpp"
#include "outputs.hpp"

namespace fuzz {

namespace {

namespace ggml = q::ggml;
using q::binary32;
using std::int8_t;
using std::uint8_t;

/// Numbers that every rule takes, and kinds of others: any bits, subnormal and tiny numbers, large numbers, zeros.
class floats {
 public:
  explicit floats(reader& r) : kind_{r.byte() % 8}, random_{r.word()} {}
  bool are_tame() const { return kind_ > 3; }
  float operator()(reader& r) {
    if (r.fault()) return binary32::from_bits(r.one_in(2) ? 0x7FC0'0000u : 0xFF80'0000u).to_float();
    const auto bits = static_cast<std::uint32_t>(random_());
    switch (kind_) {
      case 0: return binary32::from_bits(bits & 0xFF7F'FFFFu).to_float();
      case 1: return binary32::from_bits(bits & 0x81FF'FFFFu).to_float();
      case 2: return binary32::from_bits((bits & 0x80FF'FFFFu) | 0x7E00'0000u).to_float();
      case 3: return 0;
      default: return static_cast<float>(static_cast<int>(bits % 513) - 256) / 128;
    }
  }

 private:
  int kind_;
  support::random_bits random_;
};

/// Draws an array of numbers. An array that is too large for memory has a null pointer.
q::view<const float> any_floats(reader& r, memory& m, index_t size, floats& numbers) {
  return any_array<float>(r, m, size, [&](reader& from) { return numbers(from); });
}
/// Draws an array of any bytes, or of T made of them.
template <class T>
q::view<const T> any_codes(reader& r, memory& m, index_t size) {
  support::random_bits random{r.word()};
  return any_array<T>(r, m, size, [&](reader&) {
    T code{};
    const std::uint64_t bits = random();
    std::memcpy(&code, &bits, sizeof code);
    return code;
  });
}
template <class T>
q::view<T> view_of(const block<T>& b, index_t size) {
  return {b.may_read() ? b.data : nullptr, size};
}
template <class T>
std::vector<T*> elements_of(q::view<T> y) {
  std::vector<T*> all;
  for (index_t i = 0; i < y.size(); ++i) all.push_back(y.data() + i);
  return all;
}

/// Calls a function that writes y, over two paints. It writes each element of y, or nothing if it returns an error.
/// `other` is the number of a block that it also writes, or -1.
template <class T, class Call>
q::status expect_all_or_nothing(reader& r, tally& t, memory& m, op o, q::view<T> y, bool must_be_taken, const Call& call,
                                int other = -1) {
  m.remember();
  m.paint(0xA5);
  const q::status s = t.add(o, call());
  const std::vector<T*> written = s == q::status::ok ? elements_of(y) : std::vector<T*>{};
  expect(m.all_else_is_unchanged(0xA5, written), "a quantizer writes its output alone");
  if (s != q::status::ok && other >= 0) expect(m.is_unchanged(static_cast<std::size_t>(other)), "what is refused writes nothing");
  if (m.impossible()) expect(s != q::status::ok, "what no memory can hold is refused");
  if (must_be_taken && !r.faulty()) expect(s == q::status::ok, "what has no fault is quantized");
  if (s != q::status::ok) return s;
  ++t.clean_runs;
  std::vector<T> first;
  for (const T* element : written) first.push_back(*element);
  m.paint(0x5A);
  expect(call() == s, "a quantizer has one result");
  expect(m.all_else_is_unchanged(0x5A, written), "a quantizer writes its output alone");
  for (std::size_t i = 0; i < first.size(); ++i)
    expect(std::memcmp(&first[i], written[i], sizeof(T)) == 0, "each code is written");
  return s;
}

/// Quantizes by a rule of MX, or by NVFP4's.
template <class Rule>
void draw_mx(reader& r, tally& t, Rule rule = {}) {
  memory m(r);
  const index_t blocks = r.size(4), size = blocks * r.between(1, 40);
  const index_t codes_size = r.near(size, 4);
  const auto codes = view_of(m.output<uint8_t>(extent_of(codes_size)), codes_size);
  floats numbers(r);
  const q::view<const float> x = any_floats(r, m, r.near(size, 4), numbers);
  const index_t scales_size = r.near(blocks, 4);
  const auto scales = view_of(m.writable<uint8_t>(extent_of(scales_size)), scales_size);
  const auto at = static_cast<int>(m.last());
  bool is_tame = numbers.are_tame();
  if constexpr (std::is_same_v<Rule, q::torchao::nvfp4>) {
    if (r.one_in(2)) rule.global = binary32::from_bits(static_cast<std::uint32_t>(r.word()));
    is_tame = is_tame && check(rule) == q::status::ok;
  }
  const q::status s = expect_all_or_nothing(
      r, t, m, op::quantize_blocks, codes, is_tame, [&] { return q::quantize_blocks(rule, x, codes, scales); }, at);
  if (s != q::status::ok) return;
  for (const uint8_t code : codes)
    if constexpr (!std::is_same_v<typename Rule::format, q::mxint8>)
      expect(code >> Rule::format::width == 0, "a code has its width");
  for (index_t b = 0; b < scales.size(); ++b) {
    float most = 0;
    const index_t each = x.size() / scales.size();
    for (index_t i = b * each; i < (b + 1) * each; ++i) most = std::max(most, q::magnitude(binary32(x[i])).to_float());
    expect(rule.scale(binary32(most)).bits == scales[b], "the scale of a block follows from its largest magnitude");
  }
  ++t.compared;
}

/// Rounds by microxcaling's rule, to another array or in place.
template <class Format>
void draw_microxcaling(reader& r, tally& t) {
  memory m(r);
  const index_t each = r.size(40), size = each * r.between(0, 3);
  const index_t y_size = r.near(size, 4);
  const q::view<float> y = view_of(m.output<float>(extent_of(y_size)), y_size);
  floats numbers(r);
  const q::view<const float> x = any_floats(r, m, r.near(size, 4), numbers);
  const index_t step = r.near(each, 4);
  const bool is_tame = numbers.are_tame() && each > 0;
  if (x.data() == y.data()) return;  // in place, as below
  if (expect_all_or_nothing(r, t, m, op::quantize_mx, y, is_tame,
                            [&] { return q::microxcaling::quantize_mx<Format>(x, y, step); }) != q::status::ok)
    return;
  const std::vector<float> apart(y.begin(), y.end());
  for (index_t i = 0; i < y.size(); ++i) y[i] = x[i];
  expect(q::microxcaling::quantize_mx<Format>(q::view<const float>(y), y, step) == q::status::ok, "rounding in place is taken");
  for (index_t i = 0; i < y.size(); ++i)
    expect(binary32(y[i]).bits == binary32(apart[static_cast<std::size_t>(i)]).bits, "rounding in place is equal");
}

/// Quantizes to the bytes of ggml's blocks.
template <class Rule>
void draw_ggml(reader& r, tally& t) {
  using made = typename Rule::block;
  memory m(r);
  const index_t blocks = r.size(3), y_size = r.near(blocks * made::bytes, 4);
  const q::view<uint8_t> y = view_of(m.output<uint8_t>(extent_of(y_size)), y_size);
  floats numbers(r);
  const q::view<const float> x = any_floats(r, m, r.near(blocks * made::elements, 4), numbers);
  static_cast<void>(
      expect_all_or_nothing(r, t, m, op::quantize_ggml, y, numbers.are_tame(), [&] { return q::quantize_blocks(Rule{}, x, y); }));
}

/// Quantizes a row with the scale of its range.
template <class Rule>
void draw_row(reader& r, tally& t) {
  memory m(r);
  const index_t size = r.size(40), y_size = r.near(size, 4);
  const q::view<int8_t> y = view_of(m.output<int8_t>(extent_of(y_size)), y_size);
  floats numbers(r);
  const q::view<const float> x = any_floats(r, m, r.near(size, 4), numbers);
  q::result<q::dynamic_row> row{};
  const q::status s = expect_all_or_nothing(r, t, m, op::quantize_row, y, numbers.are_tame(), [&] {
    row = q::quantize_row(Rule{}, x, y);
    return row.status;
  });
  if (s != q::status::ok) return;
  expect(row.value.zero_point >= -128 && row.value.zero_point <= 127, "a zero point is an int8");
  expect(q::is_finite(row.value.scale) && q::is_finite(row.value.reciprocal), "a row has a finite scale");
}

/// Copies nibbles from one order to another.
template <class From, class To>
void draw_nibbles(reader& r, tally& t) {
  memory m(r);
  const index_t size = 16 * r.size(3) + (r.one_in(8) ? r.between(1, 15) : 0), y_size = r.near(size, 4);
  const q::view<uint8_t> y = view_of(m.output<uint8_t>(extent_of(y_size)), y_size);
  const q::view<const uint8_t> x = any_codes<uint8_t>(r, m, r.near(size, 4));
  const q::status s =
      expect_all_or_nothing(r, t, m, op::reorder_nibbles, y, size % 16 == 0, [&] { return q::reorder_nibbles<From, To>(x, y); });
  if (s != q::status::ok) return;
  for (index_t i = 0; i < 2 * y.size(); ++i)
    expect(q::nibble<From>(x.data(), i) == q::nibble<To>(y.data(), i), "a code keeps its number");
  ++t.compared;
}

/// Derives the integer scales of LPBQ's blocks.
void draw_lpbq(reader& r, tally& t) {
  memory m(r);
  const index_t size = r.size(12), y_size = r.near(size, 4);
  const q::view<uint8_t> y = view_of(m.output<uint8_t>(extent_of(y_size)), y_size);
  floats numbers(r);
  const q::view<const float> x = any_array<float>(r, m, r.near(size, 4), [&](reader& from) {
    const float drawn = numbers(from);
    return from.fault() ? drawn : q::magnitude(binary32(drawn)).to_float();
  });
  const bool by_aimet = r.one_in(2);
  // Scales that are all zeros have a status. An empty channel writes nothing.
  const auto derive = [&] { return by_aimet ? q::lpbq::aimet(x, y).status : q::lpbq::executorch(x, y).status; };
  const q::status s = expect_all_or_nothing(r, t, m, op::lpbq, y, false, derive);
  if (!r.faulty() && numbers.are_tame())
    expect(s == q::status::ok || s == q::status::scale_zero, "scales without a fault are taken");
  if (s != q::status::ok) return;
  for (const uint8_t k : y) expect(k >= 1 && k <= 16, "an integer scale is 1 .. 16");
}

/// Expands LPBQ's weights to int8.
void draw_expand(reader& r, tally& t) {
  memory m(r);
  const index_t channels = r.size(3), blocks = r.size(3), depth = blocks * r.between(1, 9);
  const index_t rows = r.near(channels), cols = r.near(depth), stride = r.near(depth + r.between(0, 2));
  const block<int8_t> made = m.output<int8_t>(extent_of(rows, cols, stride));
  const index_t w_rows = r.near(channels), w_cols = r.near(depth), w_stride = r.near(depth);
  const block<uint8_t> w = m.input<uint8_t>(in_halves(extent_of(w_rows, w_cols, w_stride)));
  const index_t k_rows = r.near(channels), k_cols = r.near(blocks), k_stride = r.near(blocks, 4);
  const block<uint8_t> k = m.writable<uint8_t>(extent_of(k_rows, k_cols, k_stride));
  m.make_input(m.last());
  if (k.holds == held::all && k.data != nullptr)
    for (index_t i = 0; i < static_cast<index_t>(extent_of(k_rows, k_cols, k_stride).elements); ++i)
      k.data[i] = static_cast<uint8_t>(r.near(1 + i % 16));
  if (!m.impossible() && !m.holds_all()) return;
  const q::matrix_view<int8_t> to(made.data, rows, cols, stride);
  m.remember();
  m.paint(0xA5);
  const q::status s =
      t.add(op::lpbq_expand, q::lpbq::expand(q::matrix_view<const q::int4>(w.data, w_rows, w_cols, w_stride),
                                             q::matrix_view<const uint8_t>(k.data, k_rows, k_cols, k_stride), to));
  std::vector<int8_t*> written;
  for (index_t i = 0; s == q::status::ok && i < rows * cols; ++i) written.push_back(made.data + i / cols * stride + i % cols);
  expect(m.all_else_is_unchanged(0xA5, written), "expanded weights are written alone");
  if (m.impossible()) expect(s != q::status::ok, "what no memory can hold is refused");
  if (s != q::status::ok) return;
  for (const int8_t* weight : written) expect(*weight <= 112, "an expanded weight is -128 .. 112");
  ++t.clean_runs;
}

// Dot products.

/// Draws the zero point and the scale of a row.
binary32 any_scale(reader& r, bool is_tame) {
  if (r.fault()) return binary32::from_bits(static_cast<std::uint32_t>(r.word()) | 0x7F80'0000u);
  if (is_tame) return q::from_integer<binary32>(r.between(-8, 8));
  return binary32::from_bits(static_cast<std::uint32_t>(r.word()) & 0xFF7F'FFFFu);
}

/// Draws scales of blocks: small powers of two or small integers, or any bits.
template <class Scale>
q::view<const Scale> any_scales(reader& r, memory& m, index_t size, bool is_tame) {
  return any_array<Scale>(r, m, size, [&](reader& from) {
    const bool is_any = from.fault(2) || !is_tame;
    Scale scale{};
    if constexpr (std::is_same_v<Scale, q::e8m0>)
      scale.bits = is_any ? from.byte() : static_cast<uint8_t>(from.between(126, 128));
    else if constexpr (std::is_same_v<Scale, uint8_t>)
      scale = from.byte();
    else
      scale = is_any ? Scale::from_bits(static_cast<decltype(scale.bits)>(from.word()))
                     : q::detail::convert<Scale>(q::from_integer<binary32>(from.between(1, 8)));
    return scale;
  });
}

/// The shape of two rows, and whether their numbers are small enough for a sum in double.
struct shape {
  index_t size, block;
  bool is_tame;
};
index_t blocks_of(shape s) { return (s.size + s.block - 1) / s.block; }

template <class T>
void draw_operand(reader& r, memory& m, shape s, q::one_scale_row<q::integer_codes<T>>& row) {
  row.codes = any_codes<T>(r, m, r.near(s.size, 3));
  row.zero_point = r.near32(value_in<T>(r, q::limits<T>::min, q::limits<T>::max));
  row.factor = any_scale(r, s.is_tame);
}
template <class Code, class Order, class Scale>
void draw_operand(reader& r, memory& m, shape s, q::block_scaled_row<q::nibble_codes<Code, Order>, Scale>& row) {
  const index_t group = 2 * Order::bytes;
  row.bytes = any_codes<uint8_t>(r, m, r.near((s.size + group - 1) / group * Order::bytes, 3));
  row.count = r.near(s.size, 3);
  row.block_size = r.near(s.block, 3);
  row.scales = any_scales<Scale>(r, m, r.near(blocks_of(s), 3), s.is_tame);
}
template <class Format, class Scale>
void draw_operand(reader& r, memory& m, shape s, q::block_scaled_row<q::element_codes<Format>, Scale>& row) {
  support::random_bits random{r.word()};
  row.elements = any_array<Format>(r, m, r.near(s.size, 3), [&](reader& from) {
    Format element{};
    auto bits = static_cast<uint8_t>(random());
    if constexpr (!std::is_same_v<Format, q::mxint8>) {
      bits = static_cast<uint8_t>(bits & ((1 << Format::width) - 1));
      if (!q::is_finite(Format::from_bits(bits)) && !from.fault(4)) bits = 1;
    }
    std::memcpy(&element, &bits, 1);
    return element;
  });
  row.block_size = r.near(s.block, 3);
  row.scales = any_scales<Scale>(r, m, r.near(blocks_of(s), 3), s.is_tame);
}
/// Draws blocks of ggml whose numbers of binary16 are tame, unless there is a fault.
template <class Block>
void draw_operand(reader& r, memory& m, shape s, ggml::row<Block>& row) {
  support::random_bits random{r.word()};
  const index_t blocks = (s.size + Block::elements - 1) / Block::elements;
  index_t at = 0;
  row.bytes = any_array<uint8_t>(r, m, r.near(blocks * Block::bytes, 3), [&](reader& from) {
    const index_t i = at++ % Block::bytes;
    const auto byte = static_cast<uint8_t>(random());
    constexpr bool has_halves = !std::is_same_v<Block, ggml::mxfp4> && !std::is_same_v<Block, ggml::nvfp4>;
    if (i >= Block::first || (Block::first > 4 && i >= 4) || from.fault(2)) return byte;
    if (!has_halves) return static_cast<uint8_t>(Block::first == 1 ? 127 + byte % 4 : 0x30 + byte % 16);
    return static_cast<uint8_t>(i % 2 == 0 ? 0 : 0x3C + byte % 8);
  });
}

/// Returns the sum of a dot product in double, which is exact for tame rows.
template <class X, class Y>
double sum_in_double(const X& x, const Y& y) {
  double sum = 0;
  for (index_t i = 0; i < x.size(); ++i) {
    const double scales = double{x.scale(i).to_float()} * double{y.scale(i).to_float()};
    sum += static_cast<double>(x.integer(i)) * static_cast<double>(y.integer(i)) * scales;
  }
  for (int e = X::unit + Y::unit; e < 0; ++e) sum /= 2;
  return sum;
}

/// Draws two rows, and expects that the exact sum of both orders is equal, and that of tame rows right.
/// `engines` calls use(status) for the order of each engine.
template <class X, class Y, class Engines>
void draw_dot(reader& r, tally& t, index_t each, const Engines& engines, bool fits_double = true) {
  memory m(r);
  const index_t size = each * r.size(3);
  const shape s{r.one_in(8) ? r.near(size, 16) : size, each, r.one_in(2)};
  if (s.size < 0 || s.size > 4096) return;
  X x{};
  Y y{};
  draw_operand(r, m, s, x);
  draw_operand(r, m, s, y);
  q::epilogue e;
  e.bias = any_scale(r, true);
  if (r.one_in(4)) e.min = any_scale(r, s.is_tame);
  if (r.one_in(4)) e.max = any_scale(r, s.is_tame);
  const q::status range = q::exact::range_of_dot(x, y).status;
  const auto sum = q::exact::dot(x, y, e);
  t.note(op::exact_dot, sum.status);
  if (m.impossible()) expect(sum.status != q::status::ok, "what no memory can hold is refused");
  const auto swapped = q::exact::dot(y, x, e);
  expect((swapped.status == q::status::ok) == (sum.status == q::status::ok), "both orders of the operands are taken");
  engines(x, y, e, [&](q::status of_engine) {
    t.note(op::engine_dot, of_engine);
    if (range != q::status::ok) expect(of_engine != q::status::ok, "what has no exact sum has no other");
  });
  if (sum.status != q::status::ok) return;
  ++t.clean_runs;
  expect(swapped.value.template rounded<binary32>().bits == sum.value.template rounded<binary32>().bits,
         "both orders of the operands have one sum");
  if (!s.is_tame || !fits_double || r.faulty()) return;
  const double expected = sum_in_double(x, y) + double{e.bias.to_float()};
  const double low = e.min.to_float(), high = e.max.to_float();
  const double clamped = expected < low ? low : high < expected ? high : expected;
  expect(sum.value.template rounded<binary32>().to_float() == static_cast<float>(clamped), "the sum is exact");
  ++t.compared;
}

constexpr auto no_engines = [](const auto&, const auto&, const q::epilogue&, const auto&) {};
constexpr auto engines_of_tosa = [](const auto& x, const auto& y, const q::epilogue&, const auto& use) {
  use(q::tosa::block_order::dot(x, y).status);
};
constexpr auto engines_of_ggml = [](const auto& x, const auto& y, const q::epilogue&, const auto& use) {
  use(ggml::generic_order::dot(x, y).status);
  use(ggml::avx2_order::dot(x, y).status);
  use(ggml::exact_dot(x, y).status);
};
constexpr auto engines_of_channels = [](const auto& x, const auto& y, const q::epilogue& e, const auto& use) {
  use(q::xnnpack::scalar_order::dot(x, y, e).status);
  use(q::xnnpack::neondot_order::dot(x, y, e).status);
  use(q::kleidiai::qai8dx_order::dot(x, y, e).status);
};
constexpr auto engines_of_brains = [](const auto& x, const auto& y, const q::epilogue& e, const auto& use) {
  engines_of_channels(x, y, e, use);
  use(q::xnnpack::neoni8mm_order::dot(x, y, e).status);
};
constexpr auto engines_of_halves = [](const auto& x, const auto& y, const q::epilogue& e, const auto& use) {
  use(q::litert::blockwise_order::dot(x, y, e).status);
  use(q::kleidiai::qai8dx_order::dot(x, y, e).status);
};

template <class Format>
using mx_row = q::block_scaled_row<q::element_codes<Format>, q::e8m0>;
template <class Code, class Scale, class Order = q::nibble_order::pairs>
using nibble_row = q::block_scaled_row<q::nibble_codes<Code, Order>, Scale>;
template <class T>
using integer_row = q::one_scale_row<q::integer_codes<T>>;

void draw_any_dot(reader& r, tally& t) {
  namespace code = q::nibble_code;
  namespace order = q::nibble_order;
  switch (r.byte() % 14) {
    case 0: return draw_dot<mx_row<q::e4m3>, mx_row<q::e4m3>>(r, t, 32, engines_of_tosa);
    case 1: return draw_dot<mx_row<q::e5m2>, mx_row<q::e5m2>>(r, t, 32, engines_of_tosa, false);
    case 2: return draw_dot<mx_row<q::e2m1>, mx_row<q::mxint8>>(r, t, r.between(1, 40), engines_of_tosa);
    case 3: return draw_dot<nibble_row<code::e2m1, q::e4m3, order::halves_of_16>, mx_row<q::e3m2>>(r, t, 16, no_engines);
    case 4: return draw_dot<q::qd8_row, nibble_row<code::offset8, q::bfloat16>>(r, t, 32, engines_of_brains);
    case 5: return draw_dot<q::qd8_row, nibble_row<code::twos_complement, q::binary16>>(r, t, 32, engines_of_halves);
    case 6: return draw_dot<q::qd8_row, integer_row<int8_t>>(r, t, r.between(1, 60), engines_of_channels);
    case 7:
      return draw_dot<integer_row<std::uint16_t>, nibble_row<code::offset8, uint8_t, order::halves_of_32>>(r, t, 32, no_engines);
    case 8: return draw_dot<ggml::row<ggml::q4_0>, ggml::row<ggml::q8_0>>(r, t, 32, engines_of_ggml);
    case 9: return draw_dot<ggml::row<ggml::q5_1>, ggml::row<ggml::q8_1>>(r, t, 32, engines_of_ggml);
    case 10: return draw_dot<ggml::row<ggml::mxfp4>, ggml::row<ggml::q8_0>>(r, t, 32, engines_of_ggml);
    case 11: return draw_dot<ggml::row<ggml::nvfp4>, ggml::row<ggml::q8_0>>(r, t, 64, engines_of_ggml);
    case 12: return draw_dot<integer_row<uint8_t>, nibble_row<code::offset8, q::binary32>>(r, t, r.between(1, 40), no_engines);
    default:
      return draw_dot<ggml::row<ggml::q8_0>, ggml::row<ggml::q4_0>>(
          r, t, 32, [](const auto& x, const auto& y, const q::epilogue& e, const auto& use) {
            use(q::kleidiai::qsi8d32_order::dot(x, y, e).status);
          });
  }
}

void draw_quantizer(reader& r, tally& t) {
  switch (r.byte() % 21) {
    case 0: return draw_mx<q::ocp::floor<q::e2m1>>(r, t);
    case 1: return draw_mx<q::torchao::ceil<q::e4m3>>(r, t);
    case 2: return draw_mx<q::torchao::even<q::e5m2>>(r, t);
    case 3: return draw_mx<q::torchao::rceil<q::e2m3>>(r, t);
    case 4: return draw_mx<q::tosa::block_scale<q::e3m2>>(r, t);
    case 5: return draw_mx<q::tosa::block_scale<q::mxint8>>(r, t);
    case 6: return draw_mx<q::microxcaling::floor_log2<q::e4m3>>(r, t);
    case 7: return draw_mx<q::torchao::nvfp4>(r, t);
    case 8: return draw_microxcaling<q::e2m1>(r, t);
    case 9: return draw_microxcaling<q::mxint8>(r, t);
    case 10: return draw_ggml<ggml::reference<ggml::q4_0>>(r, t);
    case 11: return draw_ggml<ggml::reference<ggml::q5_1>>(r, t);
    case 12: return draw_ggml<ggml::avx2<ggml::q8_1>>(r, t);
    case 13: return draw_ggml<ggml::reference<ggml::nvfp4>>(r, t);
    case 14: return draw_row<q::xnnpack::qd8>(r, t);
    case 15: return draw_row<q::kleidiai::qai8dx>(r, t);
    case 16: return draw_row<q::litert::asymmetric>(r, t);
    case 17: return draw_nibbles<q::nibble_order::pairs, q::nibble_order::halves_of_32>(r, t);
    case 18: return draw_nibbles<q::nibble_order::halves_of_16, q::nibble_order::pairs>(r, t);
    case 19: return draw_lpbq(r, t);
    default: return draw_expand(r, t);
  }
}

}  // namespace

void draw_blocks(reader& r, tally& t) { return r.one_in(3) ? draw_any_dot(r, t) : draw_quantizer(r, t); }

}  // namespace fuzz
