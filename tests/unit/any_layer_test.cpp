#include <dyadic/any_layer.hpp>
#include <dyadic/native.hpp>
#include <dyadic/scheme/exact.hpp>
#include <dyadic/scheme/tosa.hpp>
#include <dyadic/scheme/xnnpack.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <string_view>
#include <vector>

#include "../support/catch.hpp"
#include "../support/random.hpp"

namespace q = dyadic;
using namespace support;

namespace {

/// A backend that packs as a backend with vectors does. Portable code runs its layers.
struct panels : q::backend::scalar {
  using fallback = q::backend::scalar;
};

}  // namespace

template <class X, class W>
inline constexpr q::packed_layout dyadic::packed_layout_of<panels, X, W>{4, 2};

namespace {

using std::int16_t, std::int32_t, std::int64_t, std::int8_t, std::uint8_t;

using linear_a16w8 = q::kind<q::op::linear, int16_t, int8_t, q::tosa::scale16>;
using linear_a8w4 = q::kind<q::op::linear, int8_t, q::int4, q::tflite::double_rounding, int16_t>;
using linear_raw = q::kind<q::op::linear, int16_t, int16_t, void, int64_t>;
using linear_u8 = q::kind<q::op::linear, uint8_t, uint8_t, q::xnnpack::fp32>;
using conv2d_a8w8 = q::kind<q::op::conv2d, int8_t, int8_t, q::tflite::double_rounding>;
using depthwise_a8w8 = q::kind<q::op::depthwise, int8_t, int8_t, q::tflite::double_rounding>;
using transposed_a16w8 = q::kind<q::op::transposed_conv2d, int16_t, int8_t, q::tflite::reduced_int64>;
/// The types of the first kind, listed later.
using linear_reduced = q::kind<q::op::linear, int16_t, int8_t, q::tflite::reduced_int64>;

template <class Backend>
constexpr q::layer_kinds kinds = q::layer_kinds_of<Backend, linear_a16w8, linear_a8w4, linear_raw, linear_u8, conv2d_a8w8,
                                                   depthwise_a8w8, transposed_a16w8, linear_reduced>();
constexpr q::layer_kinds engines[] = {kinds<q::backend::scalar>, kinds<panels>, kinds<q::native>};

/// The sizes of a test layer.
struct sizes {
  q::index_t n, h, w, depth, channels, groups;
  q::window2d window;
  q::zero_points zero;
};

template <class Op, class X, class W, class Scheme, class Y>
q::layer_spec describe(q::kind<Op, X, W, Scheme, Y>, const sizes& s) {
  q::layer_spec spec;
  spec.op = q::detail::layer_op_of<Op>();
  spec.x = q::element_type_of<X>();
  spec.w = q::element_type_of<W>();
  spec.y = q::element_type_of<Y>();
  spec.scheme = q::scheme_id::of<Scheme>();
  spec.channels = s.channels;
  spec.depth = s.depth;
  spec.window = s.window;
  spec.groups = s.groups;
  spec.zero = s.zero;
  return spec;
}

template <class T>
std::vector<T> drawn(random_bits& random, q::index_t size) {
  std::vector<T> all(static_cast<std::size_t>(size));
  for (T& x : all) x = static_cast<T>(random());
  return all;
}

/// Runs the layer with its types by the steps that the README pages teach.
template <class Op, class X, class W, class Scheme, class Y, class Input, class Out>
void run_typed(q::kind<Op, X, W, Scheme, Y>, const q::layer_spec& spec, q::matrix_view<const W> w,
               const std::vector<int32_t>& bias, const std::vector<double>& scales, const Input& x, const Out& y) {
  const auto run_with = [&](const auto& output) {
    using accumulator = typename std::decay_t<decltype(output)>::accumulator;
    const auto count = q::transposed_conv2d_constants(spec.channels, spec.window, spec.zero);
    const bool is_transposed = std::is_same_v<Op, q::op::transposed_conv2d>;
    std::vector<accumulator> constants(static_cast<std::size_t>(is_transposed ? count : spec.channels));
    const auto run = [&](const auto& folded, const auto& layer_of) {
      REQUIRE(folded.status == q::status::ok);
      const auto layer = layer_of(folded.value);
      REQUIRE(check(layer, x, y) == q::status::ok);
      q::run(layer, x, y);
    };
    if constexpr (std::is_same_v<Op, q::op::linear>)
      run(q::fold<X>(w, bias, spec.zero, constants), [&](const auto& b) { return q::linear_layer{w, b, output}; });
    else if constexpr (std::is_same_v<Op, q::op::conv2d>)
      run(q::fold_conv2d<X>(w, bias, spec.window, spec.zero, constants), [&](const auto& b) {
        return q::conv2d_layer{w, b, spec.window, spec.groups, output};
      });
    else if constexpr (std::is_same_v<Op, q::op::depthwise>)
      run(q::fold_depthwise<X>(w, bias, spec.window, spec.zero, constants), [&](const auto& b) {
        return q::depthwise_layer{w, b, spec.window, output};
      });
    else
      run(q::fold_transposed_conv2d<X>(w, bias, spec.window, spec.zero, constants), [&](const auto& b) {
        return q::transposed_conv2d_layer{w, b, spec.window, output};
      });
  };
  if constexpr (std::is_void_v<Scheme>) {
    run_with(q::raw_output<Y>{});
  } else {
    std::vector<typename Scheme::multiplier_type> multipliers;
    for (const double scale : scales) {
      if constexpr (std::is_same_v<typename Scheme::multiplier_type, q::binary32>)
        multipliers.push_back(Scheme::derive(static_cast<float>(scale)).value);
      else
        multipliers.push_back(Scheme::derive(scale).value);
    }
    run_with(q::per_channel_output<Y, Scheme>{multipliers, {3, q::limits<Y>::min, 100}});
  }
}

template <class Op, class X, class W, class Scheme, class Y>
void equals_typed(q::kind<Op, X, W, Scheme, Y> which, const sizes& s) {
  constexpr bool is_linear = std::is_same_v<Op, q::op::linear>;
  constexpr bool is_depthwise = std::is_same_v<Op, q::op::depthwise>;
  constexpr bool is_transposed = std::is_same_v<Op, q::op::transposed_conv2d>;
  random_bits random;
  q::layer_spec spec = describe(which, s);
  const q::index_t taps = is_linear ? 1 : s.window.y.kernel * s.window.x.kernel;
  const q::index_t rows = is_depthwise ? taps : s.channels;
  const q::index_t cols = is_depthwise ? s.channels : taps * s.depth;
  using stored = std::conditional_t<std::is_same_v<W, q::int4>, uint8_t, W>;
  const auto weights = drawn<stored>(random, rows * cols);
  const q::matrix_view<const W> w(weights.data(), rows, cols);
  const q::index_t x_channels = is_linear ? s.depth : is_depthwise ? s.channels / 2 : s.depth * s.groups;
  const auto x = drawn<X>(random, s.n * s.h * s.w * x_channels);
  std::vector<int32_t> bias(static_cast<std::size_t>(s.channels));
  std::vector<double> scales;
  for (int32_t& b : bias) b = random.below(2001) - 1000;
  for (q::index_t o = 0; o < s.channels; ++o) scales.push_back((1 + random.below(1000)) * (sizeof(X) == 1 ? 1e-5 : 1e-7));
  spec.weights = weights.data();
  spec.bias = q::any_bias(bias.data(), s.channels);
  if constexpr (!std::is_void_v<Scheme>) spec.multipliers = q::any_multipliers(scales);
  spec.range = {3, q::int32_min, 100};

  const auto side = [&](q::index_t size, const q::window1d& axis) {
    return is_linear ? size : is_transposed ? q::transposed_size(size, axis) : q::forward_size(size, axis);
  };
  const q::index_t h = side(s.h, s.window.y);
  const q::index_t width = side(s.w, s.window.x);
  const auto outputs = static_cast<std::size_t>(s.n * h * width * s.channels);
  std::vector<Y> expected(outputs);
  if constexpr (is_linear)
    run_typed(which, spec, w, bias, scales, q::matrix_view(x, s.n, s.depth), q::matrix_view(expected, s.n, s.channels));
  else
    run_typed(which, spec, w, bias, scales, q::nhwc_view<const X>(x.data(), s.n, s.h, s.w, x_channels),
              q::nhwc_view<Y>(expected.data(), s.n, h, width, s.channels));

  for (const q::layer_kinds& engine : engines) {
    const auto bytes = engine.bytes(spec);
    REQUIRE(bytes.status == q::status::ok);
    std::vector<int64_t> arena(static_cast<std::size_t>(bytes.value / 8 + 1), 0x5a);
    const auto prepared = engine.prepare(spec, {reinterpret_cast<unsigned char*>(arena.data()), bytes.value});
    REQUIRE(prepared.status == q::status::ok);
    CHECK(arena.back() == 0x5a);
    const q::any_layer& layer = prepared.value;
    std::vector<Y> y(outputs, Y{77});
    const q::any_input in(spec.x, x.data(), s.n, s.h, s.w, x_channels);
    const q::any_output out(spec.y, y.data(), s.n, h, width, s.channels);
    const q::any_output shape = output_of(layer, in);
    const q::any_output same = output_of(layer, in, y.data());
    CHECK((shape.data() == nullptr && shape.size() == static_cast<q::index_t>(outputs) && same.type() == spec.y));
    REQUIRE((check(layer, in, out) == q::status::ok && check(layer, in, same) == q::status::ok));
    run(layer, in, same);
    CHECK(y == expected);
    for (q::index_t parts = 1; parts < 6; ++parts) {
      y.assign(outputs, Y{77});
      for (q::index_t part = 0; part < parts; ++part) {
        run(layer, in, out, part_of(layer, out, part, parts));
      }
      CHECK(y == expected);
    }
    const q::index_t middle = channel_step(layer) < s.channels ? channel_step(layer) : s.channels;
    y.assign(outputs, Y{77});
    for (q::index_t row = 0; row < out.rows(); ++row) {
      run(layer, in, out, {{row, row + 1}, {0, middle}});
      run(layer, in, out, {{row, row + 1}, {middle, s.channels}});
    }
    CHECK(y == expected);
    // A thread writes only its own channels. All other channels belong to other threads.
    y.assign(outputs, Y{77});
    run(layer, in, out, {{0, out.rows()}, {0, middle}});
    bool keeps = true;
    for (std::size_t i = 0; i < outputs; ++i) {
      const bool is_own = static_cast<q::index_t>(i) % s.channels < middle;
      keeps = keeps && y[i] == (is_own ? expected[i] : Y{77});
    }
    CHECK(keeps);
    y.assign(outputs, Y{77});
    run(layer, in, out, {{0, out.rows()}, {s.channels, s.channels}});
    CHECK(y == std::vector<Y>(outputs, Y{77}));
    run(layer, in, out, q::run_options{});
    CHECK(y == expected);
    const bool has_parts = is_linear || (std::is_same_v<Op, q::op::conv2d> && s.groups == 1);
    CHECK((has_parts ? channel_step(layer) <= 32 : channel_step(layer) == s.channels));
    const q::index_t unpacked_step = std::is_same_v<W, q::int4> && cols % 2 != 0 ? 2 : 1;
    if (&engine == engines) CHECK(channel_step(layer) == (has_parts ? unpacked_step : s.channels));
  }
}

constexpr q::window2d three_by_two{{3, 2, 1, 1, 1}, {2, 1, 2, 0, 1}};

}  // namespace

TEST_CASE("a layer of any kind computes the same as the layer with types") {
  for (const q::index_t n : {1, 5}) {
    equals_typed(linear_a16w8{}, {n, 1, 1, 37, 11, 1, {}, {5, -3}});
    equals_typed(linear_reduced{}, {n, 1, 1, 5, 3, 1, {}, {5, -3}});
    equals_typed(linear_a8w4{}, {n, 1, 1, 13, 9, 1, {}, {-7, 2}});
    equals_typed(linear_raw{}, {n, 1, 1, 4, 6, 1, {}, {100, -100}});
    equals_typed(linear_u8{}, {n, 1, 1, 21, 5, 1, {}, {128, 120}});
  }
  for (const q::index_t groups : {1, 3}) equals_typed(conv2d_a8w8{}, {2, 5, 4, 3, 9, groups, three_by_two, {-5, 1}});
  equals_typed(conv2d_a8w8{}, {1, 5, 4, 3, 66, 2, three_by_two, {-5, 1}});
  equals_typed(depthwise_a8w8{}, {2, 5, 4, 1, 6, 1, three_by_two, {-5, 1}});
  equals_typed(transposed_a16w8{}, {2, 3, 4, 3, 5, 1, {{3, 2, 1, 1, 0}, {2, 1, 1, 0, 0}}, {9, 0}});
  equals_typed(linear_a16w8{}, {1, 1, 1, 0, 3, 1, {}, {}});
}

namespace {

/// A linear layer of 2 channels and 3 inputs, in its own memory.
struct small_layer {
  int8_t weights[6] = {1, 2, 3, -4, -5, -6};
  int32_t bias[2] = {7, -7};
  double scale[1] = {0.5};
  int32_t mantissas[2] = {1 << 30, 1 << 30};
  int32_t shifts[2] = {0, -1};
  alignas(8) unsigned char arena[256] = {};
  int16_t x[6] = {10, 20, 30, 40, 50, 60};
  int16_t y[4] = {};
  q::layer_spec spec = describe(linear_a16w8{}, {1, 1, 1, 3, 2, 1, {}, {}});
  q::layer_kinds engine = kinds<panels>;

  small_layer() {
    spec.weights = weights;
    spec.bias = {bias, 2};
    spec.multipliers = q::any_multipliers(scale);
  }
  small_layer(const small_layer&) = delete;
  /// Prepares the layer after a change.
  template <class Change>
  q::status prepares(const Change& change) {
    const q::layer_spec before = spec;
    change(spec);
    const q::status s = engine.prepare(spec, arena).status;
    spec = before;
    return s;
  }
  q::any_layer layer() {
    const auto made = engine.prepare(spec, arena);
    REQUIRE(made.status == q::status::ok);
    return made.value;
  }
  q::any_input in() const { return q::matrix_view<const int16_t>(x, 2, 3); }
  q::any_output out() { return q::matrix_view<int16_t>(y, 2, 2); }
};

constexpr q::layer_spec sized(q::layer_op op, q::index_t channels, q::index_t depth, q::window2d window) {
  q::layer_spec spec;
  spec.op = op;
  spec.x = spec.y = op == q::layer_op::linear ? q::element_type::int16 : q::element_type::int8;
  spec.w = q::element_type::int8;
  if (op == q::layer_op::linear) spec.scheme = q::scheme_id::of<q::tosa::scale16>();
  spec.channels = channels;
  spec.depth = depth;
  spec.window = window;
  return spec;
}

static_assert(q::layer_kinds{}.workspace_bytes() == 1);
static_assert(q::layer_kinds_of<q::backend::scalar, linear_a16w8>().workspace_bytes() == 1);
/// The size of a microcontroller's arena is a constant.
constexpr auto bytes_of_scalar = kinds<q::backend::scalar>.bytes(sized(q::layer_op::linear, 3, 5, {}));
static_assert(bytes_of_scalar.status == q::status::ok && bytes_of_scalar.value == 3 * 8 + 3 * 8);
static_assert(kinds<panels>.bytes(sized(q::layer_op::linear, 3, 5, {})).value == 3 * 8 + 3 * 8 + 24);
static_assert(kinds<panels>.bytes(sized(q::layer_op::depthwise, 3, 1, {{3}, {3}})).value == 16 + 24);
static_assert(q::layer_kinds{}.bytes({}).status == q::status::unknown_kind);
static_assert(kinds<panels>.bytes(sized(q::layer_op::linear, -1, 5, {})).status == q::status::negative_size);
static_assert(kinds<panels>.bytes(sized(q::layer_op::linear, 1, -1, {})).status == q::status::negative_size);
static_assert(kinds<panels>.bytes(sized(q::layer_op::conv2d, 1, 5, {{0}, {1}})).status == q::status::bad_window);
static_assert(kinds<panels>.bytes(sized(q::layer_op::depthwise, 1, 5, {{1}, {-1}})).status == q::status::bad_window);
static_assert(kinds<panels>.bytes(sized(q::layer_op::linear, q::limits<q::index_t>::max, 2, {})).status ==
              q::status::size_overflow);
static_assert(kinds<panels>.bytes(sized(q::layer_op::linear, q::limits<q::index_t>::max, 0, {})).status ==
              q::status::size_overflow);
static_assert(kinds<panels>.bytes(sized(q::layer_op::conv2d, 1, q::limits<q::index_t>::max / 2, {{3}, {1}})).status ==
              q::status::size_overflow);

}  // namespace

namespace {

/// A backend that packs two channels of 4-bit weights into whole bytes, so that few inputs take a byte for each channel.
struct wide_panels : q::backend::scalar {
  using fallback = q::backend::scalar;
};

/// A user's scheme whose multiplier takes 16 bytes.
struct two_numbers {
  int64_t scale;
  int64_t addend;
};
struct of_two_numbers {
  using accumulator = int64_t;
  using multiplier_type = two_numbers;
  static constexpr bool valid(two_numbers) noexcept { return true; }
  static constexpr int64_t apply(int64_t acc, two_numbers m) noexcept { return (acc >> 4) * m.scale + m.addend; }
  static constexpr q::result<two_numbers> derive(q::binary64) noexcept { return {{1, 0}, q::status::ok}; }
};

}  // namespace

template <class X>
inline constexpr q::packed_layout dyadic::packed_layout_of<wide_panels, X, q::int4>{16, 2, 0, 0, 1, 4};

namespace {

using linear_a16w4 = q::kind<q::op::linear, int16_t, q::int4, q::tosa::scale16>;
using linear_of_user = q::kind<q::op::linear, int8_t, int8_t, of_two_numbers>;

/// Returns the bytes of a linear layer's arena. Rounds each piece up to a multiple of 8 bytes, and adds in floating point, so
/// that no size overflows.
long double pieces(std::initializer_list<long double> all) {
  long double sum = 0;
  for (const long double bytes : all) sum += 8 * std::ceil(bytes / 8);
  return sum;
}

void is_counted(const q::layer_kinds& engine, const q::layer_spec& spec, long double truth) {
  const auto bytes = engine.bytes(spec);
  const auto most = static_cast<long double>(q::limits<q::index_t>::max);
  INFO(spec.channels << " channels of depth " << spec.depth << ", " << static_cast<double>(truth) << " bytes");
  if (truth > most) {
    CHECK(bytes.status == q::status::size_overflow);
  } else {
    CHECK((bytes.status == q::status::ok && static_cast<long double>(bytes.value) == truth));
  }
  if (bytes.status != q::status::ok || bytes.value > 64) {  // an arena of 64 bytes is too small
    alignas(8) unsigned char arena[64];
    q::layer_spec used = spec;
    used.weights = arena;
    CHECK(engine.prepare(used, arena).status == (truth > most ? q::status::size_overflow : q::status::arena_too_small));
  }
}

}  // namespace

TEST_CASE("the bytes of an arena are counted, or refused if no arena can have them") {
  constexpr q::layer_kinds packs = q::layer_kinds_of<wide_panels, linear_a16w4>();
  constexpr q::layer_kinds user = q::layer_kinds_of<q::backend::scalar, linear_of_user>();
  constexpr q::index_t most = q::limits<q::index_t>::max;
  for (const q::index_t part : {1, 2, 8, 16, 17, 24, 32, 33})
    for (const q::index_t below : {0, 1, 2, 15, 16, 17, 64, 4096}) {
      const q::index_t channels = most / part - below;
      const auto n = static_cast<long double>(channels);
      is_counted(packs, describe(linear_a16w4{}, {1, 1, 1, 1, channels, 1, {}, {}}),
                 pieces({n * 8, n * 8, std::ceil(n / 16) * 16}));
      is_counted(user, describe(linear_of_user{}, {1, 1, 1, 0, channels, 1, {}, {}}), pieces({n * 8, n * 16}));
      is_counted(kinds<q::backend::scalar>, describe(linear_a8w4{}, {1, 1, 1, channels, 2, 1, {}, {}}),
                 2 * n > static_cast<long double>(most) ? 2 * n : pieces({2 * 4, 2 * 8}));
    }
  // The number of weights fits index_t, but their packed size does not.
  for (const q::index_t depth : {most / 8 + 8, most / 4, most / 2, most}) {
    const q::layer_spec deep = describe(linear_a16w4{}, {1, 1, 1, depth, 1, 1, {}, {}});
    is_counted(packs, deep, 8 * static_cast<long double>(depth));
    CHECK(packs.bytes(deep).status == q::status::size_overflow);
  }
}

TEST_CASE("the array of a network's descriptions is checked before it is read") {
  const small_layer l;
  using q::status;
  CHECK(l.engine.network_bytes({&l.spec, -1}).status == status::negative_size);
  CHECK(l.engine.network_bytes({&l.spec, -1}).value == 0);
  CHECK(l.engine.network_bytes({nullptr, 1}).status == status::null_data);
  alignas(q::layer_spec) unsigned char bytes[2 * sizeof(q::layer_spec)];
  const void* const odd = bytes + 1;
  CHECK(l.engine.network_bytes({static_cast<const q::layer_spec*>(odd), 1}).status == status::misaligned_data);
  // The size of each layer fits index_t, but the sum of three sizes exceeds it.
  std::vector<q::layer_spec> specs(5, sized(q::layer_op::linear, q::limits<q::index_t>::max / 32, 0, {}));
  REQUIRE(kinds<q::backend::scalar>.bytes(specs[0]).status == status::ok);
  CHECK(kinds<q::backend::scalar>.network_bytes({specs.data(), 2}).status == status::ok);
  CHECK(kinds<q::backend::scalar>.network_bytes({specs.data(), 3}).status == status::size_overflow);
  CHECK(kinds<q::backend::scalar>.network_bytes(specs).status == status::size_overflow);
}

TEST_CASE("an arena may not hold the descriptions or the layers of its network") {
  small_layer l;
  std::vector<q::layer_spec> specs(2, l.spec);
  std::vector<q::any_layer> layers(2);
  const auto arena_in = [](auto& all) {
    return q::view<unsigned char>(reinterpret_cast<unsigned char*>(all.data()), static_cast<q::index_t>(sizeof(all[0])));
  };
  CHECK(l.engine.prepare(specs[0], arena_in(specs)).status == q::status::overlap);
  CHECK(l.engine.prepare_network(specs, arena_in(specs), layers) == q::status::overlap);
  CHECK(l.engine.prepare_network(specs, arena_in(layers), layers) == q::status::overlap);
  // The piece of the first layer overlaps the description of the second layer.
  struct {
    q::layer_spec specs[2];
    alignas(q::arena_alignment) unsigned char behind[256];
  } joined{{l.spec, l.spec}, {}};
  const q::view<unsigned char> across(joined.behind - q::arena_alignment, 200);
  CHECK(l.engine.prepare_network({joined.specs, 2}, across, layers) == q::status::overlap);
  // An arena may follow the description.
  CHECK(l.engine.prepare(joined.specs[1], {joined.behind, 200}).status == q::status::ok);
}

TEST_CASE("numbers that are not aligned for their type are refused before they are read") {
  small_layer l;
  using q::element_type, q::status;
  alignas(8) unsigned char bytes[64] = {0, 1, 0, 2, 0, 3};
  const void* const odd = bytes + 1;
  const void* const even = bytes + 2;
  l.spec = describe(linear_raw{}, {1, 1, 1, 3, 2, 1, {}, {}});
  CHECK(l.prepares([&](q::layer_spec& s) { s.weights = odd; }) == status::misaligned_data);
  CHECK(l.prepares([&](q::layer_spec& s) { s.weights = even; }) == status::ok);
  l.spec = describe(linear_a16w8{}, {1, 1, 1, 3, 2, 1, {}, {}});
  l.spec.multipliers = q::any_multipliers(l.scale);
  CHECK(l.prepares([&](q::layer_spec& s) { s.weights = odd; }) == status::ok);
  l.spec.weights = l.weights;
  CHECK(l.prepares([&](q::layer_spec& s) { s.bias = {static_cast<const int32_t*>(even), 2}; }) == status::misaligned_data);
  CHECK(l.prepares([&](q::layer_spec& s) { s.bias = {static_cast<const int64_t*>(even), 2}; }) == status::misaligned_data);
  CHECK(l.prepares([&](q::layer_spec& s) { s.bias = {static_cast<const q::packed_int48*>(odd), 2}; }) == status::ok);
  CHECK(l.prepares([&](q::layer_spec& s) { s.multipliers = q::view(static_cast<const double*>(even), 1); }) ==
        status::misaligned_data);
  const q::view<const int32_t> apart(static_cast<const int32_t*>(even), 2);
  const auto left = q::shift_convention::left;
  CHECK(l.prepares([&](q::layer_spec& s) { s.multipliers = {apart, l.shifts, left}; }) == status::misaligned_data);
  CHECK(l.prepares([&](q::layer_spec& s) { s.multipliers = {l.mantissas, apart, left}; }) == status::misaligned_data);

  const q::any_layer layer = l.layer();
  const q::any_input in(element_type::int16, odd, 2, 3);
  const q::any_output out(element_type::int16, bytes + 33, 2, 2);
  CHECK(check_shapes(layer, in, out) == status::ok);
  CHECK((check(layer, in, l.out()) == status::misaligned_data && check(layer, l.in(), out) == status::misaligned_data));
  CHECK(check(layer, {element_type::int16, even, 2, 3}, {element_type::int16, bytes + 34, 2, 2}) == status::ok);
  for (const auto type : {element_type::int32, element_type::int64})
    for (const int at : {1, 2}) CHECK(q::any_input(type, bytes + at, 1, 1).measure() < 0);
  for (const auto type : {element_type::int4, element_type::int8, element_type::uint8, element_type::int48})
    CHECK(q::any_input(type, odd, 1, 1).measure() > 0);
  CHECK((q::any_input(element_type::uint16, odd, 1, 1).measure() < 0 &&
         q::any_input(element_type::uint16, odd, 0, 1).measure() == 0));
}

TEST_CASE("a network is measured and prepared like its layers one after the other") {
  small_layer l;
  using q::status;
  const q::index_t bytes = l.engine.bytes(l.spec).value;
  std::vector<q::layer_spec> specs(3, l.spec);
  specs[1].channels = 1;
  specs[1].bias = {};
  const q::index_t smaller = l.engine.bytes(specs[1]).value;
  REQUIRE(smaller < bytes);
  CHECK((l.engine.network_bytes(specs).status == status::ok && l.engine.network_bytes(specs).value == 2 * bytes + smaller));
  std::vector<q::any_layer> layers(3);
  CHECK(l.engine.prepare_network(specs, l.arena, layers) == status::ok);
  CHECK((layers[1].parts.arena == l.arena + bytes && layers[2].parts.arena == l.arena + bytes + smaller));
  const q::any_layer alone = l.layer();
  for (const int i : {0, 2}) {
    int16_t y[4] = {};
    run(alone, l.in(), l.out());
    run(layers[static_cast<std::size_t>(i)], l.in(), output_of(alone, l.in(), y));
    CHECK(std::equal(std::begin(y), std::end(y), std::begin(l.y)));
  }
  CHECK(l.engine.prepare_network(specs, {l.arena, 2 * bytes + smaller - 1}, layers) == status::arena_too_small);
  CHECK(l.engine.prepare_network(specs, {l.arena + 1, 200}, layers) == status::arena_misaligned);
  CHECK(l.engine.prepare_network(specs, {nullptr, 200}, layers) == status::null_data);
  CHECK(l.engine.prepare_network(specs, l.arena, {layers.data(), 2}) == status::shape_mismatch);
  specs[2].window.y.kernel = specs[2].channels = -1;
  const auto failed = l.engine.network_bytes(specs);
  CHECK((failed.status == status::negative_size && failed.value == 0));
  std::fill(std::begin(l.arena), std::end(l.arena), static_cast<unsigned char>(0));
  CHECK(l.engine.prepare_network(specs, l.arena, layers) == status::negative_size);
  for (const unsigned char byte : l.arena) CHECK(byte == 0);
  const auto of_none = l.engine.network_bytes(q::view<const q::layer_spec>{});
  CHECK((of_none.value == 0 && of_none.status == status::ok && output_of({}, l.in()).size() == 0));
  CHECK(l.engine.prepare_network({}, {nullptr, 5}, {}) == status::null_data);
}

TEST_CASE("images without gaps are rows of a matrix") {
  const int16_t x[12] = {};
  const q::any_input rows = q::any_input(q::element_type::int16, x, 2, 1, 3, 2).as_rows();
  CHECK((rows.is_matrix() && rows.shape().n() == 2 && rows.shape().c() == 6 && rows.data() == x && rows.size() == 12));
  CHECK(rows.type() == q::element_type::int16);
}

TEST_CASE("a layer without a fitting kind is unknown") {
  small_layer l;
  using q::element_type, q::status;
  CHECK(l.prepares([](q::layer_spec&) {}) == status::ok);
  CHECK(l.prepares([](q::layer_spec& s) { s.op = q::layer_op::depthwise; }) == status::unknown_kind);
  CHECK(l.prepares([](q::layer_spec& s) { s.x = element_type::uint16; }) == status::unknown_kind);
  CHECK(l.prepares([](q::layer_spec& s) { s.w = element_type::int4; }) == status::unknown_kind);
  CHECK(l.prepares([](q::layer_spec& s) { s.y = element_type::int8; }) == status::unknown_kind);
  CHECK(l.prepares([](q::layer_spec& s) { s.scheme = q::scheme_id::of<q::xnnpack::fp32>(); }) == status::unknown_kind);
  CHECK(l.prepares([](q::layer_spec& s) { s.scheme = {}; }) == status::ambiguous_scheme);
  l.engine = {};
  CHECK(l.prepares([](q::layer_spec&) {}) == status::unknown_kind);
  CHECK(q::layer_kinds{status::unknown_backend}.bytes(l.spec).status == status::unknown_backend);
  CHECK(check(q::any_layer{}, l.in(), l.out()) == status::unknown_kind);
  CHECK(check_memory(q::any_layer{}, l.in(), l.out()) == status::unknown_kind);
}

TEST_CASE("a layer of any kind tells the bound of its accumulators") {
  constexpr auto kinds =
      q::layer_kinds_of<q::backend::scalar, q::kind<q::op::linear, int8_t, int8_t, q::tflite::double_rounding>>();
  const int8_t w[] = {1, -2, 3, 100};
  const int32_t bias[] = {10, -20};
  const double scales[] = {0.5};
  auto spec = q::linear_spec<int8_t>(w, 2, 2);
  spec.bias = bias;
  spec.zero.x = 3;
  spec.multipliers = scales;
  alignas(q::arena_alignment) unsigned char arena[128];
  const auto layer = kinds.prepare(spec, arena);
  REQUIRE(layer.status == q::status::ok);
  // x - 3 is in -131 .. 124. The second channel has the wider sums.
  CHECK(bound_of(layer.value).lowest == -20 - 131 * 103);
  CHECK(bound_of(layer.value).highest == -20 + 124 * 103);
  CHECK(bound_of(q::any_layer{}).lowest == 0);
  CHECK(bound_of(q::any_layer{}).highest == 0);
}

TEST_CASE("the checks of a refused layer say why prepare has refused it") {
  small_layer l;
  using q::status;
  const auto refused = [&](auto change) {
    q::layer_spec spec = l.spec;
    change(spec);
    const auto made = l.engine.prepare(spec, l.arena);
    CHECK(made.status != status::ok);
    CHECK(check(made.value, l.in(), l.out()) == made.status);
    CHECK(check_memory(made.value, l.in(), l.out()) == made.status);
    return made.status;
  };
  CHECK(refused([](q::layer_spec& s) { s.op = q::layer_op::depthwise; }) == status::unknown_kind);
  CHECK(refused([](q::layer_spec& s) { s.weights = nullptr; }) == status::null_data);
  CHECK(refused([](q::layer_spec& s) { s.zero.w = 1000; }) == status::zero_point_out_of_range);
  CHECK(refused([](q::layer_spec& s) { s.multipliers = {}; }) == status::multiplier_count_mismatch);
  CHECK(refused([](q::layer_spec& s) { s.channels = -1; }) == status::negative_size);
}

TEST_CASE("multipliers and biases are arrays, containers or views") {
  double scales[] = {0.5, 0.25};
  const std::vector<double> more = {1, 2, 3};
  CHECK(q::any_multipliers(scales).size() == 2);
  CHECK(q::any_multipliers(q::view(scales)).size() == 2);
  CHECK(q::any_multipliers(more).size() == 3);
  int32_t short_bias[] = {7, 8};
  const std::vector<int64_t> long_bias = {1, 2, 3};
  const std::vector<q::packed_int48> bias_of_48(4);
  q::layer_spec spec;
  spec.multipliers = scales;
  spec.bias = short_bias;
  CHECK((spec.multipliers.size() == 2 && spec.bias.size() == 2 && spec.bias.bits() == 32 && spec.bias[1] == 8));
  spec.bias = long_bias;
  CHECK((spec.bias.size() == 3 && spec.bias.bits() == 64 && spec.bias[2] == 3));
  CHECK((q::any_bias(bias_of_48).size() == 4 && q::any_bias(bias_of_48).bits() == 48));
  CHECK((q::any_bias(q::view(short_bias)).size() == 2 && q::any_bias(short_bias, 1).size() == 1));
}

TEST_CASE("a description begins with operator, types, sizes and weights") {
  const int8_t w[4] = {};
  const q::window2d window{{1, 2}, {1, 3}};
  const auto holds = [&](const q::layer_spec& s, q::layer_op op, q::element_type x, q::element_type y, q::index_t depth) {
    const bool has_window = op == q::layer_op::linear || (s.window.y.stride == 2 && s.window.x.stride == 3);
    return s.op == op && s.x == x && s.w == q::element_type::int8 && s.y == y && s.channels == 2 && s.depth == depth &&
           s.weights == w && s.groups == 1 && has_window;
  };
  using q::element_type;
  CHECK(holds(q::linear_spec<int16_t>(w, 2, 2), q::layer_op::linear, element_type::int16, element_type::int16, 2));
  CHECK(holds(q::linear_spec<int16_t, int64_t>(w, 2, 2), q::layer_op::linear, element_type::int16, element_type::int64, 2));
  CHECK(holds(q::conv2d_spec<int8_t>(w, 2, 2, window), q::layer_op::conv2d, element_type::int8, element_type::int8, 2));
  CHECK(holds(q::depthwise_spec<int8_t>(w, 2, window), q::layer_op::depthwise, element_type::int8, element_type::int8, 1));
  const auto transposed = q::transposed_conv2d_spec<int16_t, int8_t>(w, 2, 2, window);
  CHECK(holds(transposed, q::layer_op::transposed_conv2d, element_type::int16, element_type::int8, 2));
}

TEST_CASE("an unknown layer has a sentence that says which part no kind has") {
  small_layer l;
  using q::element_type, q::layer_op;
  const auto after = [&](const auto& change) {
    q::layer_spec spec = l.spec;
    change(spec);
    return std::string_view(l.engine.missing(spec));
  };
  constexpr std::string_view no_types = "no kind of this operator has these types";
  CHECK(after([](q::layer_spec&) {}) == "a kind has this operator, these types and this scheme");
  CHECK(after([](q::layer_spec& s) { s.x = element_type::uint16; }) == no_types);
  CHECK(after([](q::layer_spec& s) { s.w = element_type::int4; }) == no_types);
  CHECK(after([](q::layer_spec& s) { s.y = element_type::int8; }) == no_types);
  CHECK(after([](q::layer_spec& s) { s.op = layer_op::depthwise; }) == no_types);
  CHECK(after([](q::layer_spec& s) { s.op = static_cast<layer_op>(9); }) == "no kind has this operator");
  // The scheme belongs to another kind.
  CHECK(after([](q::layer_spec& s) { s.scheme = q::scheme_id::of<q::xnnpack::fp32>(); }) ==
        "no kind of this operator and these types has this scheme");
  constexpr auto nearest = q::layer_kinds_of<q::backend::scalar, linear_a16w8, conv2d_a8w8, linear_u8>();
  static_assert(nearest.missing(sized(q::layer_op::conv2d, 1, 1, {})) != nullptr);
  CHECK(std::string_view(nearest.missing(describe(linear_reduced{}, {1, 1, 1, 1, 1, 1, {}, {}}))) ==
        "no kind of this operator and these types has this scheme");
  CHECK(std::string_view(q::layer_kinds{}.missing(l.spec)) == "no kind has this operator");
}

namespace {

using linear_int32_bias = q::kind<q::op::linear, int16_t, int8_t, q::tflite::double_rounding>;
using linear_sums = q::kind<q::op::linear, int8_t, int8_t, void, int32_t>;
using linear_int32_outputs = q::kind<q::op::linear, int8_t, int8_t, q::tosa::scale32, int32_t>;
using linear_exact_outputs = q::kind<q::op::linear, int8_t, int8_t, q::exact::half_up, int32_t>;

template <class... Kinds>
constexpr q::layer_kinds listed = q::layer_kinds_of<q::backend::scalar, Kinds...>();

/// Returns a description without a scheme, with a multiplier if `scales` is not null.
template <class Kind>
constexpr q::layer_spec unnamed(Kind which, const double* scales) {
  q::layer_spec spec = describe(which, {1, 1, 1, 1, 1, 1, {}, {}});
  spec.scheme = {};
  if (scales != nullptr) spec.multipliers = q::view<const double>(scales, 1);
  return spec;
}

}  // namespace

TEST_CASE("a description without a scheme is ambiguous if kinds of these types have different schemes") {
  using q::status;
  const double scale = 0.5;
  const q::layer_spec a16w8 = unnamed(linear_reduced{}, &scale);
  CHECK(listed<linear_reduced>.bytes(a16w8).status == status::ok);
  CHECK(listed<linear_reduced, conv2d_a8w8, linear_a8w4>.bytes(a16w8).status == status::ok);
  CHECK(listed<linear_reduced, linear_reduced>.bytes(a16w8).status == status::ok);
  const q::layer_kinds both = listed<linear_reduced, linear_int32_bias>;
  CHECK(both.bytes(a16w8).status == status::ambiguous_scheme);
  CHECK((listed<linear_int32_bias, conv2d_a8w8, linear_reduced>.bytes(a16w8).status == status::ambiguous_scheme));
  CHECK((listed<linear_reduced, linear_int32_bias, linear_reduced>.bytes(a16w8).status == status::ambiguous_scheme));
  CHECK((listed<linear_reduced, linear_reduced, linear_int32_bias>.bytes(a16w8).status == status::ambiguous_scheme));
  CHECK(std::string_view(both.missing(a16w8)) == "kinds of this operator and these types have different schemes");
  CHECK(both.network_bytes({&a16w8, 1}).status == status::ambiguous_scheme);
  alignas(8) unsigned char arena[64];
  CHECK(both.prepare(a16w8, arena).status == status::ambiguous_scheme);
  // Raw sums of 32 and of 64 bits have different sizes, so that the size shows which kind was found. Each named kind is found at
  // any place of the list.
  q::layer_spec named = a16w8;
  named.channels = 2;
  named.scheme = q::scheme_id::of<q::tflite::double_rounding>();
  CHECK(both.bytes(named).value == 8 + 16);
  named.scheme = q::scheme_id::of<q::tflite::reduced_int64>();
  CHECK(both.bytes(named).value == 16 + 16);
}

TEST_CASE("a description without a scheme and without multipliers is of raw sums") {
  using q::status;
  const double scale = 0.5;
  const q::layer_spec raw = unnamed(linear_sums{}, nullptr);
  const q::layer_spec scaled = unnamed(linear_sums{}, &scale);
  const auto is_raw = [](const q::result<q::index_t>& bytes) { return bytes.status == status::ok && bytes.value == 8; };
  const auto is_scaled = [](const q::result<q::index_t>& bytes) { return bytes.status == status::ok && bytes.value == 16; };
  CHECK((is_raw(listed<linear_sums>.bytes(raw)) && is_scaled(listed<linear_int32_outputs>.bytes(raw))));
  CHECK(is_raw(listed<linear_sums, linear_int32_outputs, linear_exact_outputs>.bytes(raw)));
  CHECK(is_raw(listed<linear_int32_outputs, linear_exact_outputs, linear_sums>.bytes(raw)));
  CHECK((listed<linear_int32_outputs, linear_exact_outputs>.bytes(raw).status == status::ambiguous_scheme));
  CHECK((listed<linear_sums, linear_int32_outputs>.bytes(scaled).status == status::ambiguous_scheme));
  CHECK((listed<linear_int32_outputs, linear_sums>.bytes(scaled).status == status::ambiguous_scheme));
  CHECK(is_scaled(listed<linear_int32_outputs>.bytes(scaled)));
}

TEST_CASE("an error of the arena has its own status, and nothing is written") {
  small_layer l;
  using q::status;
  const q::index_t bytes = l.engine.bytes(l.spec).value;
  CHECK(l.engine.prepare(l.spec, {l.arena, bytes - 1}).status == status::arena_too_small);
  CHECK(l.engine.prepare(l.spec, {l.arena + 4, bytes}).status == status::arena_misaligned);
  CHECK(l.engine.prepare(l.spec, {nullptr, bytes}).status == status::null_data);
  CHECK(l.engine.prepare(l.spec, {l.arena, -1}).status == status::negative_size);
  CHECK(l.prepares([&](q::layer_spec& s) { s.weights = l.arena + bytes - 1; }) == status::overlap);
  CHECK(l.prepares([&](q::layer_spec& s) { s.bias = {reinterpret_cast<int32_t*>(l.arena), 2}; }) == status::overlap);
  CHECK(l.prepares([&](q::layer_spec& s) { s.bias = {reinterpret_cast<int32_t*>(l.arena + 16), 2}; }) == status::overlap);
  const auto* const scale = reinterpret_cast<double*>(l.arena + bytes - 8);
  CHECK(l.prepares([&](q::layer_spec& s) { s.multipliers = q::view(scale, 1); }) == status::overlap);
  for (const unsigned char byte : l.arena) CHECK(byte == 0);
  CHECK(l.engine.prepare(l.spec, {l.arena, bytes}).status == status::ok);
  CHECK(l.arena[bytes] == 0);
  q::layer_spec nibbles = describe(linear_a8w4{}, {1, 1, 1, 3, 2, 1, {}, {}});
  nibbles.weights = l.arena + 5;  // three bytes; the bytes after them are free
  nibbles.multipliers = q::any_multipliers(l.scale);
  CHECK(l.engine.prepare(nibbles, {l.arena + 8, 100}).status == status::ok);
  nibbles.weights = l.arena + 6;
  CHECK(l.engine.prepare(nibbles, {l.arena + 8, 100}).status == status::overlap);
  nibbles.channels = 1;
  nibbles.depth = 5;  // three bytes, too: the last byte holds one weight
  nibbles.weights = l.arena + 6;
  const auto in_place = kinds<q::backend::scalar>.prepare(nibbles, {l.arena + 16, 100});
  REQUIRE(in_place.status == status::ok);
  const int8_t five[5] = {};
  const q::any_input x = q::matrix_view(five, 1, 5);
  CHECK(check(in_place.value, x, {q::element_type::int16, l.arena + 8, 1, 1}) == status::overlap);
  CHECK(check(in_place.value, x, {q::element_type::int16, l.arena + 10, 1, 1}) == status::ok);
  CHECK(in_place.value.parts.plan.weight_bytes == 3);
  nibbles.depth = 2;
  nibbles.weights = l.weights;
  CHECK(kinds<q::backend::scalar>.prepare(nibbles, l.arena).value.parts.plan.weight_bytes == 1);
  CHECK(kinds<q::backend::scalar>.prepare(l.spec, l.arena).value.parts.plan.weight_bytes == 6);
  q::layer_spec none = describe(linear_raw{}, {1, 1, 1, 0, 0, 1, {}, {}});
  const auto no_layer = l.engine.prepare(none, {});
  CHECK(no_layer.status == status::ok);
  CHECK(check(no_layer.value, {q::element_type::int16, nullptr, 2, 0}, {q::element_type::int64, nullptr, 2, 0}) == status::ok);
}

TEST_CASE("prepare names the error of a description") {
  small_layer l;
  using q::status;
  CHECK(l.prepares([](q::layer_spec& s) { s.weights = nullptr; }) == status::null_data);
  CHECK(l.prepares([&](q::layer_spec& s) { s.bias = {l.bias, 1}; }) == status::shape_mismatch);
  CHECK(l.prepares([&](q::layer_spec& s) { s.bias = {l.bias, -1}; }) == status::negative_size);
  // The size in bytes wraps modulo the address space, and the end lies in the arena.
  const q::index_t too_many = q::limits<q::index_t>::max / 2 + 1000;
  CHECK(l.prepares([&](q::layer_spec& s) { s.bias = {l.bias, too_many}; }) == status::size_overflow);
  CHECK(l.prepares([](q::layer_spec& s) { s.zero.x = 40000; }) == status::zero_point_out_of_range);
  CHECK(l.prepares([](q::layer_spec& s) { s.zero.w = 128; }) == status::zero_point_out_of_range);
  CHECK(l.prepares([](q::layer_spec& s) { s.range.max = 32768; }) == status::range_out_of_type);
  CHECK(l.prepares([](q::layer_spec& s) { s.range.min = -32769; }) == status::range_out_of_type);
  CHECK(l.prepares([](q::layer_spec& s) { s.range.min = q::int32_min + 1; }) == status::range_out_of_type);
  CHECK(l.prepares([](q::layer_spec& s) { s.range.max = q::int32_max - 1; }) == status::range_out_of_type);
  CHECK(l.prepares([](q::layer_spec& s) { s.range = {0, -32768, 32767}; }) == status::ok);
  CHECK(l.prepares([](q::layer_spec& s) { s.range = {0, 5, 4}; }) == status::empty_range);
  CHECK(l.prepares([](q::layer_spec& s) { s.multipliers = {}; }) == status::multiplier_count_mismatch);
  const double scales[3] = {1, 1, 1};
  CHECK(l.prepares([&](q::layer_spec& s) { s.multipliers = q::any_multipliers(scales); }) == status::multiplier_count_mismatch);
  l.scale[0] = -1;
  CHECK(l.prepares([](q::layer_spec&) {}) == q::tosa::scale16::derive(-1.0).status);
  l.spec.scheme = q::scheme_id::of<q::tflite::reduced_int64>();
  const auto left = q::shift_convention::left;
  CHECK(l.prepares([&](q::layer_spec& s) { s.multipliers = {l.mantissas, l.shifts, left}; }) == status::ok);
  CHECK(l.prepares([&](q::layer_spec& s) { s.multipliers = {{l.mantissas, 1}, l.shifts, left}; }) == status::shape_mismatch);
  CHECK(l.prepares([&](q::layer_spec& s) { s.multipliers = {{l.mantissas, 1}, {l.shifts, 1}, left}; }) == status::ok);
  l.shifts[1] = 200;
  CHECK(l.prepares([&](q::layer_spec& s) { s.multipliers = {l.mantissas, l.shifts, left}; }) == status::multiplier_out_of_range);
  l.spec.scheme = q::scheme_id::of<q::tosa::scale16>();
  l.shifts[1] = 20;
  const auto right = q::shift_convention::right;
  CHECK(l.prepares([&](q::layer_spec& s) { s.multipliers = {l.mantissas, l.shifts, right}; }) == status::multiplier_out_of_range);
  l.spec = describe(linear_u8{}, {1, 1, 1, 3, 2, 1, {}, {}});
  l.spec.weights = l.weights;
  l.spec.multipliers = {l.mantissas, l.shifts, left};
  CHECK(l.prepares([](q::layer_spec&) {}) == status::multiplier_out_of_range);
}

TEST_CASE("arrays of a framework give the multipliers of their convention") {
  small_layer l;
  l.spec.scheme = q::scheme_id::of<q::tflite::reduced_int64>();
  l.spec.multipliers = {l.mantissas, l.shifts, q::shift_convention::left};  // 0.5 and 0.25
  run(l.layer(), l.in(), l.out());
  CHECK((l.y[0] == 74 && l.y[1] == -82 && l.y[2] == 164 && l.y[3] == -194));
  l.spec.scheme = q::scheme_id::of<q::tosa::scale16>();
  const int32_t mantissas[] = {1 << 14, 1 << 14};
  const int32_t shifts[] = {15, 16};
  l.spec.multipliers = {mantissas, shifts, q::shift_convention::right};
  int16_t y[4] = {};
  run(l.layer(), l.in(), q::matrix_view<int16_t>(y, 2, 2));
  CHECK((y[0] == 74 && y[1] == -82 && y[2] == 164 && y[3] == -194));
}

TEST_CASE("the use of a layer is checked like that of other layers") {
  small_layer l;
  using q::status;
  const q::any_layer layer = l.layer();
  CHECK(check(layer, l.in(), l.out()) == status::ok);
  CHECK(check_shapes(layer, q::matrix_view<const int16_t>(nullptr, 2, 3), l.out()) == status::ok);
  CHECK(check(layer, q::matrix_view<const int16_t>(nullptr, 2, 3), l.out()) == status::null_data);
  CHECK(check(layer, {q::element_type::int8, l.x, 2, 3}, l.out()) == status::type_mismatch);
  CHECK(check(layer, l.in(), {q::element_type::int32, l.y, 2, 2}) == status::type_mismatch);
  CHECK(check(layer, q::matrix_view<const int16_t>(l.x, 1, 3), l.out()) == status::shape_mismatch);
  CHECK(check(layer, q::nhwc_view<const int16_t>(l.x, 1, 2, 1, 3), l.out()) == status::shape_mismatch);
  CHECK(check(layer, q::nhwc_view<const int16_t>(l.x, 2, 1, 1, 3), l.out()) == status::ok);
  CHECK(check(layer, l.in(), q::nhwc_view<int16_t>(l.y, 1, 1, 2, 2)) == status::shape_mismatch);
  CHECK(check(layer, l.in(), q::nhwc_view<int16_t>(l.y, 2, 1, 2, 2)) == status::shape_mismatch);
  CHECK(check(layer, l.in(), q::nhwc_view<int16_t>(l.y, 2, 2, 1, 2)) == status::shape_mismatch);
  CHECK(check(layer, q::nhwc_view<const int16_t>(l.x, 2, 2, 1, 3), l.out()) == status::shape_mismatch);
  CHECK(check(layer, l.in(), q::matrix_view<int16_t>(l.x + 4, 2, 2)) == status::overlap);
  CHECK(check(layer, l.in(), {q::element_type::int16, l.arena, 2, 2}) == status::overlap);
  CHECK(check(layer, l.in(), q::matrix_view<int16_t>(l.y, 2, 2, 1)) == status::stride_too_small);
  CHECK(check_memory(layer, l.in(), q::matrix_view<int16_t>(nullptr, 2, 2)) == status::null_data);
  const q::any_input no_rows = q::matrix_view<const int16_t>(nullptr, 0, 3);
  CHECK(check_memory(layer, no_rows, {q::element_type::int16, l.arena, 2, 2}) == status::overlap);
  CHECK(check_memory(layer, no_rows, q::matrix_view<int16_t>(nullptr, 2, 2)) == status::null_data);
  l.engine = kinds<q::backend::scalar>;  // a backend that reads the weights in place
  CHECK(check(l.layer(), l.in(), {q::element_type::int16, l.weights, 1, 2}) == status::shape_mismatch);
  CHECK(check(l.layer(), q::matrix_view<const int16_t>(l.x, 1, 3), {q::element_type::int16, l.weights + 2, 1, 2}) ==
        status::overlap);
}

TEST_CASE("a layer with numbers that prepare has not made is refused, or has the stated sizes") {
  small_layer l;
  using q::status;
  const q::any_layer made = l.layer();
  const auto after = [&](const auto& change) {
    q::any_layer layer = made;
    change(layer.parts);
    return check(layer, l.in(), l.out());
  };
  using parts = q::detail::layer_parts;
  for (const q::index_t by : {q::index_t{1}, q::index_t{-1}, q::limits<q::index_t>::max / 2, -q::limits<q::index_t>::max}) {
    CHECK(after([&](parts& p) { p.plan.multipliers_at += by; }) == status::arena_too_small);
    CHECK(after([&](parts& p) { p.plan.packed_at += by; }) == status::arena_too_small);
    CHECK(after([&](parts& p) { p.plan.size += by; }) == status::arena_too_small);
    CHECK(after([&](parts& p) { p.plan.weight_rows += by; }) != status::ok);
    CHECK(after([&](parts& p) { p.plan.weight_cols += by; }) != status::ok);
    CHECK(after([&](parts& p) { p.plan.constant_count += by; }) != status::ok);
    CHECK(after([&](parts& p) { p.record.channels += by; }) != status::ok);
    CHECK(after([&](parts& p) { p.record.depth += by; }) == status::fold_of_other_shape);
  }
  CHECK(after([](parts& p) {
          p.plan.constant_count = -1;
          p.plan.multipliers_at = p.plan.packed_at = p.plan.size = -1;
        }) == status::arena_too_small);
  l.engine = kinds<q::backend::scalar>;  // a backend whose arena holds no weights
  const q::any_layer in_place = l.layer();
  for (const auto member : {&q::detail::layer_plan::weight_rows, &q::detail::layer_plan::weight_cols}) {
    q::any_layer layer = in_place;
    layer.parts.plan.*member = -1;
    CHECK(check(layer, l.in(), l.out()) == status::arena_too_small);
  }
  CHECK(after([](parts& p) { p.arena = nullptr; }) == status::arena_too_small);
  CHECK(after([](parts& p) { ++p.arena; }) == status::misaligned_data);
  CHECK(after([](parts& p) { p.range = {0, 5, 4}; }) == status::empty_range);
  CHECK(after([](parts& p) { p.record.zero.x = 40000; }) == status::zero_point_out_of_range);
}

TEST_CASE("outputs with sizes that no image can have are empty") {
  constexpr q::index_t most = q::limits<q::index_t>::max;
  std::vector<int8_t> w(16, 1);
  small_layer l;
  for (const bool is_transposed : {false, true}) {
    const sizes s{1, 1, 1, 2, 2, 1, {{2, 3}, {2, 2}}, {}};
    l.spec = is_transposed ? describe(transposed_a16w8{}, s) : describe(conv2d_a8w8{}, s);
    l.spec.weights = w.data();
    l.spec.multipliers = q::any_multipliers(l.scale);
    const q::any_layer layer = l.layer();
    const auto size_of = [&](q::index_t h, q::index_t width) {
      return output_of(layer, {l.spec.x, nullptr, 1, h, width, 2}).size();
    };
    CHECK(size_of(8, 7) == (is_transposed ? 23 * 14 * 2 : 3 * 3 * 2));
    for (const q::index_t size : {q::index_t{-1}, -most, most, most / 2, most / 16 + 1, most / (is_transposed ? 32 : 16) + 1})
      CHECK((size_of(size, 8) == 0 && size_of(8, size) == 0));
    CHECK(output_of(layer, {l.spec.x, nullptr, 1, most / 64, 2, 2}).shape().h() ==
          (is_transposed ? most / 64 * 3 - 1 : (most / 64 - 2) / 3 + 1));
    const q::index_t greatest = most / 16 / (is_transposed ? 3 : 1);
    CHECK(output_of(layer, {l.spec.x, nullptr, 1, greatest, 2, 2}).shape().h() ==
          (is_transposed ? greatest * 3 - 1 : (greatest - 2) / 3 + 1));
    q::any_layer other = layer;
    other.parts.window.x.kernel = 0;
    CHECK(output_of(other, {l.spec.x, nullptr, 1, 8, 8, 2}).size() == 0);
  }
  l.spec = describe(conv2d_a8w8{}, {1, 1, 1, 2, 2, 1, {{2, 3, 1, 2, 2}, {2, 2}}, {}});
  l.spec.weights = w.data();
  l.spec.multipliers = q::any_multipliers(l.scale);
  const q::any_layer padded = l.layer();
  const auto height_of = [&](q::index_t h) { return output_of(padded, {l.spec.x, nullptr, 1, h, 2, 2}).shape().h(); };
  CHECK((height_of(0) == 1 && height_of(-1) == 0));
}

TEST_CASE("the outputs of a linear layer are a matrix") {
  small_layer l;
  const q::any_layer layer = l.layer();
  for (const q::any_input& x : {l.in(), q::any_input{q::nhwc_view<const int16_t>(l.x, 2, 3, 1, 1)}}) {
    const q::any_output y = output_of(layer, x);
    CHECK((y.is_matrix() && y.shape().n() == 2 && y.shape().c() == 2));
  }
}

TEST_CASE("views without a type count their elements, or return -1") {
  constexpr q::index_t most = q::limits<q::index_t>::max;
  const auto of = [](q::index_t n, q::index_t h, q::index_t width, q::index_t c) {
    return q::any_input(q::element_type::int8, nullptr, n, h, width, c);
  };
  CHECK((of(2, 3, 4, 5).size() == 120 && of(2, 3, 4, 5).rows() == 6 && of(2, 3, 0, 5).rows() == 0 && of(2, 3, 4, 0).rows() == 0));
  CHECK((of(most, 2, 1, 1).rows() == -1 && of(most, 2, 1, 1).size() == -1 && of(1, most, 2, 1).size() == -1));
  CHECK((of(1, 1, most, 2).size() == -1 && of(-1, 2, 1, 1).rows() == -1 && of(2, 2, 2, -2).size() == -1));
  CHECK((of(1, most, 2, 1).as_rows().shape().c() == -1 && of(3, 2, 2, 2).as_rows().shape().c() == 8));
}

TEST_CASE("accumulator_overflow is returned only if there is no other error") {
  small_layer l;
  std::vector<int8_t> w(200'000, 127);
  std::vector<int8_t> x(w.size());
  l.spec = describe(conv2d_a8w8{}, {1, 1, 1, static_cast<q::index_t>(w.size()), 1, 1, {}, {}});
  l.spec.weights = w.data();
  l.spec.multipliers = q::any_multipliers(l.scale);
  l.engine = kinds<q::backend::scalar>;
  const auto made = l.engine.prepare(l.spec, l.arena);
  REQUIRE(made.status == q::status::ok);
  int8_t y = 0;
  const q::any_input in(q::element_type::int8, x.data(), 1, 1, 1, static_cast<q::index_t>(x.size()));
  CHECK(check(made.value, in, {q::element_type::int8, &y, 1, 1, 1, 1}) == q::status::accumulator_overflow);
  CHECK(check(made.value, in, {q::element_type::int8, x.data(), 1, 1, 1, 1}) == q::status::overlap);
}

TEST_CASE("parts cover the outputs once, and are panels of channels if there are few rows") {
  small_layer l;
  q::any_layer layer = l.layer();
  CHECK(channel_step(layer) == 4);
  for (const q::index_t step : {1, 4})
    for (const q::index_t channels : {1, 2, 5, 8, 13})
      for (const q::index_t rows : {0, 1, 2, 3, 7})
        for (q::index_t parts = 1; parts < 9; ++parts) {
          layer.parts.channel_step = step;
          layer.parts.record.channels = channels;
          const q::index_t panels_of_channels = channels / step + (channels % step == 0 ? 0 : 1);
          const bool by_rows = rows >= parts || panels_of_channels <= rows;
          const q::index_t all = by_rows ? rows : channels, units = by_rows ? rows : panels_of_channels;
          q::index_t at = 0;
          CAPTURE(step, channels, rows, parts);
          for (q::index_t part = 0; part < parts; ++part) {
            const q::run_options p = part_of(layer, {q::element_type::int16, l.y, rows, channels}, part, parts);
            const q::channel_range whole = by_rows ? p.channels : q::channel_range{p.rows.begin, p.rows.end};
            CHECK((whole.begin == 0 && whole.end == (by_rows ? channels : rows)));
            const q::channel_range own = by_rows ? q::channel_range{p.rows.begin, p.rows.end} : p.channels;
            CHECK(own.begin == at);
            at = own.end;
            const q::index_t of_part = by_rows ? own.size() : own.size() / step + (own.size() % step == 0 ? 0 : 1);
            CHECK((of_part == units / parts || of_part == units / parts + 1));
            CHECK((by_rows || own.size() == 0 || own.begin % step == 0));
          }
          CHECK(at == all);
        }
  // The channel step of a layer that cannot be split by channels is the number of channels, here 0.
  layer.parts.channel_step = layer.parts.record.channels = 0;
  CHECK(part_of(layer, {q::element_type::int16, l.y, 1, 0}, 0, 3).channels.size() == 0);
}
