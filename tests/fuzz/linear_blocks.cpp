#include <dyadic/blocks/matrices.hpp>
#include <dyadic/blocks/vectors.hpp>

#include <algorithm>

#include "../support/best_backend.hpp"
#include "drawing.hpp"
#include "outputs.hpp"

namespace fuzz {

namespace {

namespace ggml = q::ggml;
using q::binary32;
using std::uint8_t;

/// The sizes of a matrix, without faults or absurd.
struct shape {
  index_t rows, depth, block;
};

/// Returns a * b modulo 2^64, because sizes may be absurd.
index_t times(index_t a, index_t b) { return static_cast<index_t>(static_cast<std::size_t>(a) * static_cast<std::size_t>(b)); }
index_t parts_of(index_t size, index_t each) { return size / each + (size % each > 0 ? 1 : 0); }

/// Returns the elements of a view, or null if no memory of the program holds them. element(i, is_wrong) makes element i.
template <class T, class Element>
const T* any_elements(reader& r, memory& m, extent e, const Element& element) {
  const block<T> b = m.writable<T>(e);
  m.make_input(m.last());
  const index_t size = b.holds == held::all && b.data != nullptr ? static_cast<index_t>(e.elements) : 0;
  const index_t wrong = size > 0 && r.fault() ? r.byte() % size : -1;
  for (index_t i = 0; i < size; ++i) b.data[i] = element(i, i == wrong);
  return b.may_read() ? b.data : nullptr;
}
template <class T, class Element>
q::view<const T> any_view(reader& r, memory& m, index_t size, const Element& element) {
  const index_t drawn_size = r.near(size);
  return {any_elements<T>(r, m, extent_of(drawn_size), element), drawn_size};
}
/// Draws a matrix, now and then with gaps between its rows. element(column, is_wrong) makes an element.
template <class T, class Element>
q::matrix_view<const T> any_matrix(reader& r, memory& m, index_t rows, index_t cols, const Element& element) {
  const index_t drawn_rows = r.near(rows), drawn_cols = r.near(cols);
  const index_t stride = r.near(r.one_in(4) && cols < 1000 ? cols + 3 : cols);
  const auto in_row = [&](index_t i, bool is_wrong) { return element(stride > 0 ? i % stride : i, is_wrong); };
  return {any_elements<T>(r, m, extent_of(drawn_rows, drawn_cols, stride), in_row), drawn_rows, drawn_cols, stride};
}

/// Draws bytes of codes: random bytes, or mostly codes of one extreme value.
class codes {
 public:
  explicit codes(reader& r) : style_{r.byte() % 8}, random_{r.word()} {}
  uint8_t operator()() {
    constexpr uint8_t extremes[] = {0x80, 0x7F, 0x00, 0x88};
    const auto byte = static_cast<uint8_t>(random_());
    return style_ < 4 && byte % 8 != 0 ? extremes[style_] : byte;
  }

 private:
  int style_;
  support::random_bits random_;
};

/// Draws scales: small numbers, or finite numbers of any exponent. A wrong scale is NaN or infinite.
class scales {
 public:
  explicit scales(reader& r) : is_any_{r.one_in(4)}, random_{r.word()} {}
  template <class Scale>
  Scale get(bool is_wrong) {
    const std::uint64_t bits = random_();
    if constexpr (std::is_same_v<Scale, q::e8m0>) {
      return {static_cast<uint8_t>(is_wrong ? 255 : is_any_ ? bits % 255 : 120 + bits % 12)};
    } else {
      using word = decltype(Scale::bits);
      constexpr auto infinity = static_cast<word>(q::detail::format<Scale>::infinity);
      const auto sign = static_cast<word>(bits & q::detail::format<Scale>::sign_bit);
      if (is_wrong) return Scale::from_bits(static_cast<word>(sign | infinity | (bits >> 63)));
      if (is_any_) return Scale::from_bits(static_cast<word>(sign | (bits >> 16) % infinity));
      return q::detail::convert<Scale>(binary32(static_cast<float>(static_cast<int>(bits >> 32 & 511) - 200) / 64));
    }
  }

 private:
  bool is_any_;
  support::random_bits random_;
};

template <class Block>
void draw_matrix(reader& r, memory& m, shape s, ggml::matrix<Block>& x) {
  codes code(r);
  scales scale(r);
  std::uint64_t bits = 0;
  bool is_spoiled = false;
  const index_t most = q::limits<index_t>::max / Block::bytes * Block::bytes;
  const index_t row = r.fault() ? most : times(s.depth / Block::elements, Block::bytes);
  x.bytes = any_matrix<uint8_t>(r, m, s.rows, row, [&](index_t i, bool is_wrong) {
    is_spoiled = is_spoiled || is_wrong;  // the scale of the next block is wrong
    if (i % Block::bytes == 0) bits = scale.get<q::binary16>(is_spoiled).bits;
    if (i % Block::bytes < 2) return static_cast<uint8_t>(bits >> 8 * (i % Block::bytes));
    return code();
  });
}

template <class Code, class Order>
void draw_codes(reader& r, memory& m, index_t count, q::nibble_codes<Code, Order>& x) {
  codes code(r);
  const index_t bytes = times(parts_of(count, 2 * Order::bytes), Order::bytes);
  x = {any_view<uint8_t>(r, m, bytes, [&](index_t, bool) { return code(); }), r.near(count)};
}
template <class Format>
void draw_codes(reader& r, memory& m, index_t count, q::element_codes<Format>& x) {
  codes code(r);
  x.elements = any_view<Format>(r, m, count, [&](index_t, bool is_wrong) {
    const uint8_t byte = code();
    if constexpr (q::element_codes<Format>::largest == 128) {
      return Format{q::wrap<std::int8_t>(byte)};
    } else {
      const auto element = Format::from_bits(is_wrong ? 0x7F : byte & ((1 << Format::width) - 1));
      return q::is_finite(element) || is_wrong ? element : Format::from_bits(1);
    }
  });
}
void draw_codes(reader& r, memory& m, index_t count, q::integer_codes<std::int8_t>& x) {
  codes code(r);
  x = {any_view<std::int8_t>(r, m, count, [&](index_t, bool) { return q::wrap<std::int8_t>(code()); }),
       r.near32(q::wrap<std::int8_t>(code()))};
}
template <class Codes>
void draw_matrix(reader& r, memory& m, shape s, q::one_scale_rows<Codes>& x) {
  draw_codes(r, m, times(s.rows, s.depth), x.codes);
  scales scale(r);
  x.scales = any_view<float>(r, m, (s.depth > 0 || s.rows == 0) && r.one_in(2) ? 1 : s.rows,
                             [&](index_t, bool is_wrong) { return scale.get<binary32>(is_wrong).to_float(); });
  x.row_count = r.near(s.rows);
}
template <class Codes, class Scale>
void draw_matrix(reader& r, memory& m, shape s, q::block_scaled_view<Codes, Scale>& x) {
  draw_codes(r, m, times(s.rows, s.depth), x.codes);
  scales scale(r);
  x.scales = any_matrix<Scale>(r, m, s.rows, parts_of(s.depth, s.block),
                               [&](index_t, bool is_wrong) { return scale.get<Scale>(is_wrong); });
  x.block_size = r.near(s.block);
}
void draw_matrix(reader& r, memory& m, shape s, q::dynamic_rows& x) {
  codes code(r);
  scales scale(r);
  x.codes = any_matrix<std::int8_t>(r, m, s.rows, s.depth, [&](index_t, bool) { return q::wrap<std::int8_t>(code()); });
  x.numbers = any_view<q::dynamic_row>(r, m, s.rows, [&](index_t, bool is_wrong) {
    const std::int32_t zero = r.near32(q::wrap<std::int8_t>(code()));
    return q::dynamic_row{scale.get<binary32>(is_wrong || r.fault(4)), zero, {}};
  });
}

/// Draws the numbers of an epilogue but for its bias.
template <class Y>
q::sum_epilogue any_epilogue(reader& r) {
  scales scale(r);
  const auto number = [&] { return r.one_in(3) ? scale.get<binary32>(r.fault(2)) : binary32{}; };
  q::sum_epilogue e;
  if (r.one_in(3)) e.min = number();
  if (r.one_in(3)) e.max = number();
  if (q::less(e.max, e.min) && !r.fault(8)) std::swap(e.min, e.max);
  e.scale = q::magnitude(scale.get<binary32>(r.fault(2)));
  if (q::is_zero(e.scale)) e.scale = binary32(0.5f);
  if (r.fault(2)) e.scale = r.one_in(2) ? binary32{} : q::negate(e.scale);
  if (r.one_in(4)) e.x_scale = scale.get<binary32>(r.fault(2));
  if (r.one_in(4)) e.w_scale = scale.get<binary32>(r.fault(2));
  if constexpr (std::is_integral_v<Y>) e.zero_point = r.near32(value_in<Y>(r, q::limits<Y>::min, q::limits<Y>::max), 2);
  return e;
}

/// Returns an output from exact products.
template <class Y>
Y output_of(const q::exact_sum& sum, const q::sum_epilogue& e) {
  if constexpr (std::is_same_v<Y, float>) {
    return sum.rounded<binary32>().to_float();
  } else if constexpr (std::is_same_v<Y, q::bfloat16>) {
    return sum.rounded<q::bfloat16>();
  } else {
    const std::int32_t zero = e.zero_point;
    return static_cast<Y>(sum.quotient<q::half_even>(e.scale, q::limits<Y>::min - zero, q::limits<Y>::max - zero) + zero);
  }
}

/// 8 bytes of packed rows, whose size is a multiple of 8.
struct chunk {
  unsigned char bytes[8];
};

/// Packs rows twice, over two paints. Returns the packed rows, or an error.
template <class W>
auto expect_packed(reader& r, tally& t, memory& m, const W& w, shape s, block<unsigned char> made, index_t size) {
  using packed = q::packed_rows<typename W::row_type>;
  const q::view<unsigned char> to(made.may_read() ? made.data : nullptr, size);
  m.remember();
  m.paint(0xA5);
  const q::result<packed> y = q::pack_rows(w, to);
  t.note(op::pack_rows, y.status);
  const bool is_ok = y.status == q::status::ok;
  const auto needed = packed::bytes_of(s.rows, s.depth, s.block);
  std::vector<chunk*> written;
  for (index_t i = 0; is_ok && i < y.value.bytes.size(); i += 8) written.push_back(reinterpret_cast<chunk*>(to.data() + i));
  expect(m.all_else_is_unchanged(0xA5, written), "pack_rows writes its bytes alone");
  if (m.impossible()) expect(!is_ok, "rows that no memory can hold are not packed");
  if (!r.faulty()) expect(is_ok && y.value.bytes.size() == needed.value, "rows without a fault are packed");
  if (!is_ok) return y;
  expect(y.value.bytes.size() <= size, "packed rows lie in their memory");
  expect(check(y.value) == q::status::ok && y.value.rows() == w.rows() && y.value.depth() == w.depth(), "packed rows are sound");
  for (index_t k = 0; k < w.rows(); ++k) {
    const auto from = w.row(k);
    const auto row = y.value.row(k);
    for (index_t i = 0; i < w.depth(); ++i)
      expect(row.integer(i) == from.integer(i) && (i % row.block() != 0 || row.scale(i).bits == from.scale(i).bits),
             "packed rows have the codes and scales of the rows");
  }
  const std::vector<unsigned char> first(y.value.bytes.begin(), y.value.bytes.end());
  m.paint(0x5A);
  expect(q::pack_rows(w, to).status == q::status::ok, "pack_rows has one result");
  expect(m.all_else_is_unchanged(0x5A, written), "pack_rows writes its bytes alone");
  expect(std::equal(first.begin(), first.end(), y.value.bytes.begin()), "each packed byte is written");
  ++t.clean_runs;
  return y;
}

/// Calls use(backend) for scalar, then for each backend that has vectors of its own on this machine.
template <class Use>
void each_backend(const Use& use) {
  use(q::backend::scalar{});
  q::for_each_backend<support::best_backend>([&](auto backend, bool runs_here) {
    using Backend = decltype(backend);
    if constexpr (!std::is_same_v<Backend, q::backend::scalar>) {
      using kernel = typename q::detail::panel_kernel_of<Backend>::type;
      if constexpr (!std::is_same_v<kernel, typename q::detail::panel_kernel_of<typename Backend::fallback>::type>)
        if (runs_here) use(backend);
    }
  });
}

/// Draws weights and packs them. Then draws a layer with these weights and runs it on each backend.
template <class W, class X, class Y>
void draw_layer_of(reader& r, tally& t, shape of_w, shape of_x) {
  using packed = q::packed_rows<typename W::row_type>;
  memory for_weights(r);
  const auto needed = packed::bytes_of(of_w.rows, of_w.depth, of_w.block);
  const index_t size = r.near(needed.value < 100'000 && r.one_in(4) ? needed.value + r.between(1, 70) : needed.value, 3);
  const block<unsigned char> made = for_weights.output<unsigned char>(extent_of(size));
  W raw{};
  draw_matrix(r, for_weights, of_w, raw);
  const q::result<packed> weights = expect_packed(r, t, for_weights, raw, of_w, made, size);
  if (weights.status != q::status::ok) return;

  memory m(r);
  const index_t rows = r.near(of_x.rows), cols = r.near(of_w.rows);
  const index_t stride = r.near(r.one_in(4) && cols < 1000 ? cols + r.between(1, 3) : cols);
  const block<Y> output = m.output<Y>(extent_of(rows, cols, stride));
  const q::matrix_view<Y> y(output.may_read() ? output.data : nullptr, rows, cols, stride);
  X x{};
  draw_matrix(r, m, of_x, x);
  packed w = weights.value;
  w.bytes = any_view<unsigned char>(r, m, w.bytes.size(), [&](index_t i, bool) {
    return i < weights.value.bytes.size() ? weights.value.bytes[i] : static_cast<unsigned char>(0);
  });
  w.row_count = r.near(w.row_count);
  q::sum_epilogue e = any_epilogue<Y>(r);
  if (r.one_in(2)) {
    scales bias(r);
    e.bias = any_view<float>(r, m, of_w.rows, [&](index_t, bool is_wrong) { return bias.get<binary32>(is_wrong).to_float(); });
  }
  if constexpr (std::is_same_v<Y, float>)
    if (m.holds_all() && y.rows() > 0 && y.cols() == e.bias.size() && r.fault(2)) e.bias = {y.data(), y.cols()};
  const bool is_impossible = m.impossible();
  constexpr auto by = q::detail::block_products_of<typename X::row_type, typename W::row_type>;
  const auto shape = q::detail::shape_of_panel<typename W::row_type>(weights.value.depth(), weights.value.block_size);
  const index_t one = q::detail::prepared_bytes(shape, by), all = times(one, of_x.rows > 0 && of_x.rows < 20 ? of_x.rows : 1);
  index_t room = r.one_in(3) || one > 100'000 ? one : r.one_in(2) ? all : one + r.byte() * all / 256;
  room = r.fault(3) ? one - 1 : r.near(room, 2);
  const block<unsigned char> workspace_block = m.writable<unsigned char>(extent_of(room));
  const std::size_t workspace_number = m.last();
  const q::view<unsigned char> workspace(workspace_block.may_read() ? workspace_block.data : nullptr, room);
  if (x.rows() >= 0) expect(q::workspace_of(x, weights.value) >= x.rows(), "a workspace has bytes for each row");
  // Packed rows are as pack_rows made them, unless inputs lie in each other.
  const index_t same = std::min(w.bytes.size(), weights.value.bytes.size());
  if (w.bytes.data() != nullptr && same > 0 && !std::equal(w.bytes.begin(), w.bytes.begin() + same, weights.value.bytes.begin()))
    return;
  m.remember();

  q::status of_scalar = q::status::ok;
  std::vector<Y*> elements;
  std::vector<Y> expected;
  each_backend([&](auto backend) {
    using Backend = decltype(backend);
    constexpr bool is_scalar = std::is_same_v<Backend, q::backend::scalar>;
    const int color = is_scalar ? 0xA5 : 0x5A;
    m.paint(color);
    const q::status s = t.add(op::exact_linear, q::exact::linear<Backend>(x, w, y, e, workspace));
    if (is_scalar ? is_impossible : m.impossible()) expect(s != q::status::ok, "what no memory can hold is refused");
    if (!r.faulty()) expect(s == q::status::ok, "a layer without a fault is taken");
    if (is_scalar) of_scalar = s;
    if (of_scalar != q::status::ok) expect(s == of_scalar, "all backends return the error of a layer");
    if (!is_scalar && room < one && x.rows() > 0) expect(s != q::status::ok, "a workspace holds a row");
    if (is_scalar && s == q::status::ok && y.cols() > 0)
      for (index_t k = 0; k < y.rows(); ++k)
        for (index_t c = 0; c < y.cols(); ++c) {
          elements.push_back(y.row(k) + c);
          const q::epilogue of_channel{e.bias.empty() ? binary32{} : binary32(e.bias[c]), e.min, e.max};
          auto sum = c < raw.rows() ? q::exact::dot(x.row(k), raw.row(c)) : q::exact::dot(x.row(k), w.row(c));  // of zeros
          expect(sum.status == q::status::ok, "a layer that is taken has a sum for each output");
          sum.value.multiply_by(e.x_scale);
          sum.value.multiply_by(e.w_scale);
          expected.push_back(output_of<Y>(q::exact::finish(sum.value, of_channel), e));
        }
    const std::vector<Y*> none;
    expect(m.all_else_is_unchanged(color, s == q::status::ok ? elements : none), "a layer writes its output alone");
    if (s != q::status::ok || (is_scalar && !r.faulty()))
      expect(m.is_unchanged(workspace_number), "a refused layer, and portable code, write no workspace");
    if (s != q::status::ok) return;
    expect(e.bias.empty() || e.bias.size() == y.cols(), "each channel has a bias, or none has one");
    if constexpr (std::is_integral_v<Y>)
      expect(e.zero_point >= q::limits<Y>::min && e.zero_point <= q::limits<Y>::max, "a zero point is an output");
    ++t.clean_runs;
    for (std::size_t i = 0; i < expected.size(); ++i)
      expect(std::memcmp(&expected[i], elements[i], sizeof(Y)) == 0, "an output is the exact sum, rounded once");
    ++t.compared;
  });
}

template <class W, class X>
void draw_pair(reader& r, tally& t, index_t group) {
  const bool has_fixed_blocks = group > 2;
  const index_t any_depth = r.one_in(16) ? 0 : has_fixed_blocks ? group * r.size(2) : r.between(1, 66) / group * group;
  constexpr bool is_row_scaled = q::detail::has_one_scale<typename W::row_type>;
  const index_t depth = r.near(any_depth), any_block = has_fixed_blocks || !r.one_in(3) ? 32 : r.between(1, 70);
  const index_t block = is_row_scaled && depth > 0 ? depth : any_block;
  const shape of_w{r.near(r.one_in(8) ? r.between(15, 18) : r.size(4)), depth, block};
  const index_t x_block = has_fixed_blocks || r.one_in(2) ? block : r.one_in(2) ? times(2, block) : r.between(1, 70);
  const shape of_x{r.near(r.one_in(8) ? r.between(4, 9) : r.size(3)), r.near(depth), x_block};
  switch (r.byte() % 4) {
    case 0: return draw_layer_of<W, X, std::int8_t>(r, t, of_w, of_x);
    case 1: return draw_layer_of<W, X, q::bfloat16>(r, t, of_w, of_x);
    default: return draw_layer_of<W, X, float>(r, t, of_w, of_x);
  }
}

template <class Codes, class Scale = q::e8m0>
using scaled = q::block_scaled_view<Codes, Scale>;
using mxfp4 = scaled<q::nibble_codes<q::nibble_code::e2m1>>;
using mxfp8 = scaled<q::element_codes<q::e4m3>>;
using int4_rows = scaled<q::nibble_codes<q::nibble_code::offset8>, q::bfloat16>;
using int8_channels = q::one_scale_rows<q::element_codes<std::int8_t>>;
using int4_channels = q::one_scale_rows<q::nibble_codes<q::nibble_code::twos_complement>>;

}  // namespace

void draw_linear_blocks(reader& r, tally& t) {
  switch (r.byte() % 7) {
    case 0: return draw_pair<ggml::matrix<ggml::q4_0>, ggml::matrix<ggml::q8_0>>(r, t, 32);
    case 1: return draw_pair<mxfp4, scaled<q::element_codes<q::mxint8>>>(r, t, 2);
    case 2: return draw_pair<mxfp8, mxfp8>(r, t, 1);
    case 3: return draw_pair<int4_rows, q::dynamic_rows>(r, t, 2);
    case 4: return draw_pair<int4_channels, q::dynamic_rows>(r, t, 2);
    case 5: return draw_pair<int8_channels, q::one_scale_rows<q::integer_codes<std::int8_t>>>(r, t, 1);
    default: return draw_pair<mxfp4, mxfp8>(r, t, 2);
  }
}

}  // namespace fuzz
