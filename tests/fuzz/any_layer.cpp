#include <dyadic/any_layer.hpp>
#include <dyadic/scheme/tflite.hpp>
#include <dyadic/scheme/tosa.hpp>

#include "drawing.hpp"
#include "windowed.hpp"

namespace fuzz {
namespace {

/// Packs weights as a vector backend does; portable code runs the layer.
struct packing : q::backend::scalar {
  using fallback = q::backend::scalar;
};

}  // namespace
}  // namespace fuzz

template <class X, class W>
inline constexpr dyadic::packed_layout dyadic::packed_layout_of<fuzz::packing, X, W>{4, 2};
template <class X>
inline constexpr dyadic::packed_layout dyadic::packed_layout_of<fuzz::packing, X, dyadic::int4>{16, 2, 0, 0, 1, 4};

namespace fuzz {
namespace {

template <op Op>
using tag_of =
    std::conditional_t<Op == op::linear, q::op::linear,
                       std::conditional_t<Op == op::conv2d, q::op::conv2d,
                                          std::conditional_t<Op == op::depthwise, q::op::depthwise, q::op::transposed_conv2d>>>;

constexpr auto kinds = q::layer_kinds_of<packing, q::kind<q::op::linear, std::int16_t, std::int16_t, void, std::int64_t>,
                                         q::kind<q::op::linear, std::int16_t, q::int4, q::tosa::scale16>,
                                         q::kind<q::op::conv2d, std::int8_t, std::int8_t, q::tflite::double_rounding>,
                                         q::kind<q::op::depthwise, std::int8_t, q::int4, q::tflite::double_rounding>,
                                         q::kind<q::op::transposed_conv2d, std::int16_t, std::int8_t, void, q::packed_int48>>();

/// Draws a real scale. On a fault the scale is not valid.
double any_scale(reader& r) {
  const double scale = static_cast<double>(1 + r.byte()) / static_cast<double>(index_t{1} << r.between(8, 30));
  if (!r.fault()) return scale;
  constexpr double none[] = {0, -1, 1e300, 1e-300};
  return none[r.byte() % 4];
}

/// Draws one multiplier for all channels or one for each, as real scales or as a framework's arrays.
q::any_multipliers any_multipliers(reader& r, memory& m, index_t channels) {
  const index_t size = r.one_in(2) ? 1 : r.near(channels);
  if (r.one_in(2)) return q::any_multipliers(any_array<double>(r, m, size, any_scale));
  const auto mantissas = any_array<std::int32_t>(r, m, size, any_mantissa<std::int32_t, 31>);
  const auto shifts = any_array<std::int32_t>(r, m, r.near(size), any_shift<std::int32_t, -31, 0>);
  return {mantissas, shifts, r.fault() ? q::shift_convention::right : q::shift_convention::left};
}

template <class T>
q::any_bias any_bias_of(reader& r, memory& m, index_t channels, std::vector<std::int64_t>& values) {
  const index_t size = r.near(channels);
  const auto array = any_array<T>(r, m, size, [](reader& from) { return any_bias<T>(from); });
  if (check(array) == q::status::ok)
    for (const T b : array) values.push_back(value_of(b));
  return {array.data(), array.size()};
}
q::any_bias any_bias_of(reader& r, memory& m, index_t channels, std::vector<std::int64_t>& values) {
  switch (r.byte() % 4) {
    case 0: return {};
    case 1: return any_bias_of<std::int32_t>(r, m, channels, values);
    case 2: return any_bias_of<q::packed_int48>(r, m, channels, values);
    default: return any_bias_of<std::int64_t>(r, m, channels, values);
  }
}

/// Returns the extent in bytes of the weights that a description states, or the extent of no weights if a size is impossible.
template <class W>
extent weight_bytes(const q::layer_spec& spec) {
  const q::window2d& w = spec.window;
  const bool is_linear = spec.op == q::layer_op::linear;
  if (spec.channels < 0 || spec.depth < 0 || (!is_linear && (w.y.kernel < 1 || w.x.kernel < 1))) return {0, true};
  const double taps = is_linear ? 1 : static_cast<double>(w.y.kernel) * static_cast<double>(w.x.kernel);
  const double depth = spec.op == q::layer_op::depthwise ? 1 : static_cast<double>(spec.depth);
  const extent weights{taps * depth * static_cast<double>(spec.channels), true};
  if constexpr (std::is_same_v<W, q::int4>) return in_halves(weights);
  return {weights.elements * static_cast<double>(sizeof(typename q::operand<W>::value_type)), true};
}

enum class tampered : std::uint8_t { no, arena, numbers };

/// Changes numbers in a prepared layer, or bytes in its arena.
tampered tamper(reader& r, q::any_layer& layer) {
  const std::uint64_t seed = r.word();
  q::detail::layer_parts& parts = layer.parts;
  bool is_other = false;
  const auto other = [&](index_t& number) {
    const index_t before = number;
    number = r.near(number);
    is_other = is_other || number != before;
  };
  other(parts.plan.weight_rows);
  other(parts.plan.weight_cols);
  other(parts.plan.weight_bytes);
  other(parts.plan.constant_count);
  other(parts.plan.multipliers_at);
  other(parts.plan.packed_at);
  other(parts.plan.size);
  other(parts.groups);
  other(parts.channel_step);
  for (q::window1d* axis : {&parts.window.y, &parts.window.x})
    for (index_t* number : {&axis->kernel, &axis->stride, &axis->dilation, &axis->pad_before, &axis->pad_after}) other(*number);
  parts.range = {r.near32(parts.range.zero_point), r.near32(parts.range.min), r.near32(parts.range.max)};
  if (r.fault()) {
    tamper(r, parts.record);
    is_other = true;
  }
  if (!is_other && r.fault()) {
    support::random_bits random{seed};
    auto* const arena = const_cast<unsigned char*>(parts.arena);
    for (index_t i = 0; i < parts.plan.size; ++i) arena[i] = static_cast<unsigned char>(random() & 0xFFu);
    return tampered::arena;
  }
  if (r.fault() && r.one_in(8)) {
    layer = {};
    is_other = true;
  }
  return is_other ? tampered::numbers : tampered::no;
}

/// Returns true if two views have the same elements in the same places.
template <class Void>
bool are_same(const q::any_view<Void>& a, const q::any_view<Void>& b) {
  const auto sizes = [](const q::any_view<Void>& v) {
    const auto s = v.shape();
    return std::vector<index_t>{s.n(), s.h(), s.w(), s.c(), s.image_stride(), s.row_stride(), s.pixel_stride()};
  };
  return a.type() == b.type() && sizes(a) == sizes(b);
}

template <op Op, class X, class W, class Y>
void draw(reader& r, tally& t) {
  constexpr bool linear = Op == op::linear;
  memory m(r);
  oracle::layer l = any_layer<Op>(r);
  const shape y_shape(r, l.n, l.out_h, l.out_w, l.out_c);
  const block<Y> y_block = m.output<Y>(y_shape.extent(linear));
  const shape x_shape(r, l.n, l.h, l.w, l.c);
  const block<X> x_block = m.input<X>(x_shape.extent(linear));

  q::layer_spec spec;
  spec.op = r.fault() ? q::layer_op{r.byte()} : q::detail::layer_op_of<tag_of<Op>>();
  spec.x = r.fault() ? q::element_type{r.byte()} : q::element_type_of<X>();
  spec.w = r.fault() ? q::element_type{r.byte()} : q::element_type_of<W>();
  spec.y = r.fault() ? q::element_type{r.byte()} : q::element_type_of<Y>();
  const bool is_of_kind = spec.op == q::detail::layer_op_of<tag_of<Op>>() && spec.x == q::element_type_of<X>() &&
                          spec.w == q::element_type_of<W>() && spec.y == q::element_type_of<Y>();
  spec.channels = r.near(l.out_c);
  spec.depth = r.near(Op == op::depthwise ? 1 : l.c / l.groups);
  spec.window = near_window(r, l);
  spec.groups = r.near(l.groups);
  spec.zero = {r.near32(any_zero<X>(r)), r.near32(any_zero<W>(r))};
  if constexpr (sizeof(Y) <= 2) spec.range = any_range<Y>(r);
  const index_t shift = std::is_same_v<W, std::int16_t> && r.fault() ? 1 : 0;
  const extent stated = weight_bytes<W>(spec);
  const block<unsigned char> weights = m.input<unsigned char>({stated.elements + static_cast<double>(shift), true});
  const std::size_t first_region = m.last();
  spec.weights = weights.data == nullptr ? nullptr : weights.data + shift;
  bias_values bias;
  spec.bias = any_bias_of(r, m, spec.channels, bias.values);
  for (const std::int64_t b : bias.values) bias.small = bias.small && b >> 60 == (b < 0 ? -1 : 0);
  if constexpr (sizeof(Y) <= 2) spec.multipliers = any_multipliers(r, m, spec.channels);

  static_cast<void>(kinds.missing(spec));
  expect(to_string(spec).size() < 639, "a description fits its text");
  const q::result<index_t> bytes = kinds.bytes(spec);
  if (bytes.status == q::status::ok) expect(bytes.value >= 0, "an arena has no negative size");
  const q::result<index_t> of_network = kinds.network_bytes({&spec, r.near(1, 4) == 1 ? 1 : r.one_in(2) ? -1 : 0});
  if (of_network.status == q::status::ok && of_network.value != 0)
    expect(of_network.value == bytes.value, "a network of one layer takes what the layer does");
  const index_t size = r.near(bytes.status == q::status::ok ? bytes.value : 16);
  const block<std::int64_t> arena_block = m.writable<std::int64_t>({(static_cast<double>(size) + 7) / 8, size >= 0});
  const std::size_t arena_region = m.last();
  if (!m.may_read_all()) return;
  const int behind = r.fault() ? 1 + r.byte() % 7 : 0;
  auto* const arena = reinterpret_cast<unsigned char*>(arena_block.data) + (arena_block.data == nullptr ? 0 : behind);
  m.remember();
  const auto made = kinds.prepare(spec, {arena, behind == 0 ? size : size - behind});
  t.note(op::prepare, made.status);
  // A block of bytes may begin anywhere, so the shift may also align it.
  const bool is_aligned = reinterpret_cast<std::uintptr_t>(spec.weights) % alignof(std::int16_t) == 0;
  if (shift != 0 && !is_aligned && stated.elements > 0)
    expect(made.status != q::status::ok, "weights that are not aligned are refused");
  if (made.status != q::status::ok && bytes.status != q::status::ok)
    expect(m.is_unchanged(arena_region), "what has no size writes nothing");
  if (!r.faulty()) expect(made.status == q::status::ok, "a description without a fault is prepared");
  q::any_layer layer = made.status == q::status::ok ? made.value : q::any_layer{};
  const tampered what = made.status == q::status::ok ? tamper(r, layer) : tampered::no;
  const bool is_other = what == tampered::numbers;
  // A prepared layer no longer reads what it was made from, except weights that are not packed.
  for (std::size_t i = first_region; i < arena_region; ++i)
    m.make_input(i, i == first_region && layer.parts.weights == spec.weights);
  m.make_input(arena_region, size == layer.parts.plan.size);

  const auto type = [&](q::element_type right) { return r.one_in(2) ? q::element_type{r.byte()} : right; };
  const auto image_of = [&](auto* data, const shape& s) { return view_of<Op>(data, s); };
  const q::any_input typed_x = image_of(static_cast<const X*>(x_block.data), x_shape);
  const q::any_output typed_y = image_of(y_block.data, y_shape);
  const q::any_input x =
      r.fault() ? q::any_input(type(spec.x), x_block.data, x_shape.n, x_shape.h, x_shape.w, x_shape.c) : typed_x;
  const q::any_output y =
      r.fault() ? q::any_output(type(spec.y), y_block.data, y_shape.n, y_shape.h, y_shape.w, y_shape.c) : typed_y;
  static_cast<void>(channel_step(layer));
  const q::status shapes = check_shapes(layer, x, y);
  const q::status memory = check_memory(layer, x, y);
  const q::status s = t.add(op::any_layer, check(layer, x, y));
  const bool may_run = s == q::status::ok || s == q::status::accumulator_overflow;
  expect(may_run == ((shapes == q::status::ok || shapes == q::status::accumulator_overflow) && memory == q::status::ok),
         "a layer is accepted where both halves are");
  const q::any_output out = output_of(layer, x);
  if (may_run && !is_other && x.data() == typed_x.data() && Op != op::transposed_conv2d)
    expect(out.size() == y.size(), "a layer has outputs of the shape that it is said to have");
  if (!may_run || is_other || !m.holds_all() || !is_of_kind || !are_same(x, typed_x) || !are_same(y, typed_y)) return;
  const std::vector<Y*> elements = y_shape.elements(y_block.data, linear);
  if (elements.empty()) return run(layer, x, y);
  const index_t rows = linear ? y_shape.h : y_shape.n * y_shape.h;
  expect_clean_run(r, m, elements, rows, [&](index_t begin, index_t end) { run(layer, x, y, {begin, end}); });
  ++t.clean_runs;
  const index_t parts = r.between(1, 4);
  m.paint(0x33);
  for (index_t part = 0; part < parts; ++part) run(layer, x, y, part_of(layer, y, part, parts));
  expect(m.all_else_is_unchanged(0x33, elements), "parts of a layer write their output alone");

  if constexpr (sizeof(Y) > 2) {  // an accumulator
    if (!bias.small || what != tampered::no) return;
    oracle::layer truth = l;
    truth.h = x_shape.h;
    truth.c = x_shape.c;
    truth.out_h = y_shape.h;
    truth.out_c = y_shape.c;
    truth.zero_x = spec.zero.x;
    truth.zero_w = spec.zero.w;
    if constexpr (!linear) {
      const auto along = [](q::window1d a) { return oracle::axis{a.kernel, a.stride, a.dilation, a.pad_before, a.pad_after}; };
      truth.n = x_shape.n;
      truth.w = x_shape.w;
      truth.out_w = y_shape.w;
      truth.y = along(spec.window.y);
      truth.x = along(spec.window.x);
    }
    const index_t cols = spec.depth * truth.y.kernel * truth.x.kernel;
    const auto sums = definition<Op, X, W>(truth, x_shape, x_block.data, static_cast<const W*>(spec.weights), cols, bias.values);
    expect(sums.size() == elements.size(), "the output has the size of the definition");
    for (std::size_t i = 0; i < sums.size(); ++i)
      expect(oracle::wrapped(sums[i], 8 * static_cast<int>(sizeof(Y))) == value_of(*elements[i]),
             "an output equals the definition");
    ++t.compared;
  }
}

}  // namespace

void draw_any_layer(reader& r, tally& t) {
  switch (r.byte() % 5) {
    case 0: return draw<op::linear, std::int16_t, std::int16_t, std::int64_t>(r, t);
    case 1: return draw<op::linear, std::int16_t, q::int4, std::int16_t>(r, t);
    case 2: return draw<op::conv2d, std::int8_t, std::int8_t, std::int8_t>(r, t);
    case 3: return draw<op::depthwise, std::int8_t, q::int4, std::int8_t>(r, t);
    default: return draw<op::transposed_conv2d, std::int16_t, std::int8_t, q::packed_int48>(r, t);
  }
}

}  // namespace fuzz
