// Operators that are described at run time compute what their typed layers compute, and refuse what they cannot compute.

#include <dyadic/any_operator.hpp>
#include <dyadic/elementwise/add.hpp>
#include <dyadic/elementwise/hard_swish.hpp>
#include <dyadic/elementwise/leaky_relu.hpp>
#include <dyadic/elementwise/multiply.hpp>
#include <dyadic/elementwise/requantize.hpp>
#include <dyadic/elementwise/softmax_tables.hpp>
#include <dyadic/elementwise/tanh.hpp>
#include <dyadic/elementwise/tosa_softmax.hpp>
#include <dyadic/native.hpp>

#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "../support/catch.hpp"
#include "../support/random.hpp"

namespace {

namespace q = dyadic;
using q::element_type, q::operator_id, q::status;
using i8 = std::int8_t;
using u8 = std::uint8_t;
using i16 = std::int16_t;

constexpr q::operator_kinds kinds = q::operator_kinds_of<
    q::native, q::tflite::add<i8>, q::tflite::subtract<i16>, q::executorch::arm::add<i8>, q::xnnpack::add,
    q::tflite::multiply<u8>, q::executorch::cortex_m::multiply, q::tflite::leaky_relu<i16>, q::xnnpack::leaky_relu<i8>,
    q::tflite::hard_swish<i8>, q::tflite::sigmoid<i8>, q::tflite::sigmoid<i16>, q::tflite::tanh<i8>, q::tflite::tanh<i16>,
    q::tflite::table<u8>, q::tosa::table<i16>, q::executorch::arm::table, q::average_output<i8, q::tflite::average>,
    q::average_output<i8, q::tosa::average>, q::average_output<i8, q::exact::average<q::half_even>>, q::tflite::mean<i8>,
    q::tflite::sum<i16>, q::tflite::softmax<i8>, q::tflite::softmax<i8, i16>, q::tflite::softmax<i16>, q::cmsis_nn::softmax<i16>,
    q::tosa::softmax<i8>, q::tosa::softmax<i16>, q::tflite::requantize<i8, i16>, q::litert::concatenate, q::maximum<i8>,
    q::minimum<i16>, q::pool_layer<q::maximum<i8>>, q::pool_layer<q::minimum<u8>>, q::extreme_layer<q::minimum<i16>>,
    q::extreme_layer<q::maximum<i8>>, q::tflite::resize_bilinear<i8>, q::tflite::resize_nearest<u8>>();

/// Memory for one operator.
struct memory {
  alignas(8) unsigned char bytes[8192] = {};

  template <class Spec>
  auto prepare(const Spec& spec) {
    const auto size = kinds.bytes(spec);
    REQUIRE(size.status == status::ok);
    REQUIRE(size.value > 0);
    REQUIRE(size.value <= static_cast<q::index_t>(sizeof bytes));
    const auto made = kinds.prepare(spec, q::view<unsigned char>(bytes, size.value));
    REQUIRE(made.status == status::ok);
    return made.value;
  }
};

/// All bits of each element are random.
template <class T>
std::vector<T> random_elements(std::size_t size) {
  support::random_bits draw{support::seed + size};
  std::vector<T> all(size);
  for (T& x : all) x = static_cast<T>(draw());
  return all;
}

const q::index_t n = 2, h = 3, w = 5, c = 7;
constexpr std::size_t size = 2 * 3 * 5 * 7;

/// Runs a prepared operator with one input on images, and the typed layer, and compares.
template <class X, class Y, class Spec, class Layer>
void same_as_typed(const Spec& spec, const Layer& layer, q::nhwc_view<Y> shape = {nullptr, n, h, w, c}) {
  memory arena;
  const auto op = arena.prepare(spec);
  const std::vector<X> x = random_elements<X>(size);
  std::vector<Y> y(size), typed(size);
  const q::nhwc_view<const X> in(x.data(), n, h, w, c);
  const q::nhwc_view<Y> out(y.data(), shape.n(), shape.h(), shape.w(), shape.c());
  const q::nhwc_view<Y> wanted(typed.data(), shape.n(), shape.h(), shape.w(), shape.c());
  REQUIRE(check(layer, in, wanted) == status::ok);
  run(layer, in, wanted);
  REQUIRE(check(op, in, out) == status::ok);
  run(op, in, out, {0, 1});
  run(op, in, out, {1, shape.n() * shape.h()});
  CHECK(y == typed);
  CHECK(y != std::vector<Y>(size));
  CHECK(check(op, q::any_input(element_type::int32, x.data(), n, h, w, c), out) == status::type_mismatch);
  CHECK(check(op, in, q::any_output(element_type::uint16, y.data(), n, h, w, c)) == status::type_mismatch);
  CHECK(check_shapes(op, q::any_input(in.data() == nullptr ? in : q::nhwc_view<const X>(nullptr, n, h, w, c)), out) ==
        status::ok);
  CHECK(check(op, q::nhwc_view<const X>(nullptr, n, h, w, c), out) == status::null_data);
  CHECK(check(op, q::nhwc_view<const X>(x.data(), n, h, w, c + 1), out) != status::ok);
  // Outputs must not overwrite the rule in the arena.
  const q::any_output inside(op.parts.kind->y, arena.bytes, shape.n(), shape.h(), shape.w(), shape.c());
  CHECK(check(op, in, inside) == status::overlap);
}

template <class X, class Rule>
void same_binary(q::binary_spec spec, const Rule& rule) {
  spec.type = q::element_type_of<X>();
  spec.rule = q::scheme_id::of<Rule>();
  memory arena;
  const q::any_binary op = arena.prepare(spec);
  const std::vector<X> a = random_elements<X>(size), b = random_elements<X>(7);
  std::vector<X> y(size), typed(size);
  const q::nhwc_view<const X> left(a.data(), n, h, w, c), right(b.data(), 1, 1, 1, c);
  const q::nhwc_view<X> out(y.data(), n, h, w, c);
  REQUIRE(check(op, left, right, out) == status::ok);
  run(op, left, right, out, {0, 4});
  run(op, left, right, out, {4, 6});
  for (std::size_t i = 0; i < size; ++i) typed[i] = rule(a[i], b[i % 7]);
  CHECK(y == typed);
  CHECK(check(op, right, left, out) == status::ok);
  CHECK(check(op, left, right, q::nhwc_view<X>(y.data(), 1, 1, 1, c)) == status::shape_mismatch);
  CHECK(check(op, left, left, out) == status::ok);
  CHECK(check(op, left, q::nhwc_view<const X>(nullptr, 1, 1, 1, c), out) == status::null_data);
  CHECK(check_shapes(op, left, q::nhwc_view<const X>(nullptr, 1, 1, 1, c), out) == status::ok);
  CHECK(check(op, q::any_input(element_type::int32, a.data(), n, h, w, c), right, out) == status::type_mismatch);
  CHECK(check(op, left, q::any_input(element_type::int32, b.data(), 1, c), out) == status::type_mismatch);
  CHECK(check_memory(op, left, q::any_input(element_type::int32, b.data(), 1, c), out) == status::type_mismatch);
  CHECK(check(op, left, right, q::any_output(element_type::int32, y.data(), n, h, w, c)) == status::type_mismatch);
  CHECK(check(op, right, right, q::any_output(spec.type, arena.bytes, 1, c)) == status::overlap);
}

q::binary_spec two(operator_id op, double a_scale, int a_zero, double b_scale, int b_zero, double y_scale,
                   q::output_range range) {
  q::binary_spec spec;
  spec.op = op;
  spec.a_scale = a_scale, spec.a_zero_point = a_zero;
  spec.b_scale = b_scale, spec.b_zero_point = b_zero;
  spec.y_scale = y_scale, spec.range = range;
  return spec;
}

template <class X, class Y, class Rule>
q::activation_spec one(operator_id op, double x_scale, int x_zero, double y_scale, int y_zero) {
  q::activation_spec spec;
  spec.op = op;
  spec.x = q::element_type_of<X>(), spec.y = q::element_type_of<Y>();
  spec.rule = q::scheme_id::of<Rule>();
  spec.x_scale = x_scale, spec.x_zero_point = x_zero;
  spec.y_scale = y_scale, spec.y_zero_point = y_zero;
  return spec;
}

template <class X, class Y, class Rule>
q::softmax_spec softmax_of(double x_scale, const q::tflite::softmax_tables* tables = nullptr) {
  q::softmax_spec spec;
  spec.x = q::element_type_of<X>(), spec.y = q::element_type_of<Y>();
  spec.rule = q::scheme_id::of<Rule>();
  spec.x_scale = x_scale;
  spec.tables = tables;
  return spec;
}

}  // namespace

TEST_CASE("sums and products described at run time equal those of their rules") {
  // A bound of int32_min or int32_max stands for a bound of the type.
  same_binary<i8>(two(operator_id::add, 0.5f, 3, 0.25f, -7, 0.75f, {2, -100, q::int32_max}),
                  q::tflite::add<i8>::derive(0.5f, 3, 0.25f, -7, 0.75f, {2, -100, 127}).value);
  same_binary<i16>(two(operator_id::subtract, 0.5f, 0, 0.25f, 0, 0.75f, {}),
                   q::tflite::subtract<i16>::derive(0.5f, 0, 0.25f, 0, 0.75f, q::range_of<i16>()).value);
  same_binary<i8>(two(operator_id::add, 0.1, 3, 0.25, -7, 0.3, {2}),  // 0.1 and 0.3 in binary64
                  q::executorch::arm::add<i8>::derive(0.1, 3, 0.25, -7, 0.3, q::range_of<i8>(2)).value);
  same_binary<i8>(two(operator_id::add, 0.1, 3, 0.25, -7, 0.3, {2}),  // 0.1 and 0.3 rounded to binary32
                  q::xnnpack::add::derive(0.1f, 3, 0.25f, -7, 0.3f, q::range_of<i8>(2)).value);
  same_binary<u8>(two(operator_id::multiply, 0.1, 128, 0.25, 100, 1.5, {7, 9, 250}),
                  q::tflite::multiply<u8>::derive(0.1f, 128, 0.25f, 100, 1.5f, {7, 9, 250}).value);
  same_binary<i8>(two(operator_id::multiply, 0.1, 28, 0.25, -100, 1.5, {7}),
                  q::executorch::cortex_m::multiply::derive(0.1, 28, 0.25, -100, 1.5, q::range_of<i8>(7)).value);
}

TEST_CASE("activations described at run time equal those of their rules") {
  namespace t = q::tflite;
  using leaky16 = t::leaky_relu<i16>;
  auto leaky = one<i16, i16, leaky16>(operator_id::leaky_relu, 0.1, 0, 0.2, 0);
  leaky.alpha = 0.3;
  same_as_typed<i16, i16>(leaky, q::activation_layer{leaky16::derive(0.1f, 0, 0.3f, 0.2f, 0).value});
  using leaky8 = q::xnnpack::leaky_relu<i8>;
  auto xnnpack = one<i8, i8, leaky8>(operator_id::leaky_relu, 0.1, 5, 0.2, -9);
  xnnpack.alpha = 0.3;
  same_as_typed<i8, i8>(xnnpack, q::activation_layer{leaky8::derive(0.1f, 5, 0.3f, 0.2f, -9).value});
  using swish = t::hard_swish<i8>;
  same_as_typed<i8, i8>(one<i8, i8, swish>(operator_id::hard_swish, 0.1, 5, 0.2, -9),
                        q::activation_layer{swish::derive(0.1f, 5, 0.2f, -9).value});
  same_as_typed<i8, i8>(one<i8, i8, t::sigmoid<i8>>(operator_id::sigmoid, 0.05, 5, 1.0 / 256, -128),
                        q::activation_layer{t::sigmoid<i8>::derive(0.05f, 5).value});
  same_as_typed<i8, i8>(one<i8, i8, t::tanh<i8>>(operator_id::tanh, 0.05, 5, 0, 0),
                        q::activation_layer{t::tanh<i8>::derive(0.05f, 5).value});
  same_as_typed<i16, i16>(one<i16, i16, t::sigmoid<i16>>(operator_id::sigmoid, 1e-4, 0, 1.0 / 32768, 0),
                          q::activation_layer{t::sigmoid<i16>::derive(1e-4f).value});
  same_as_typed<i16, i16>(one<i16, i16, t::tanh<i16>>(operator_id::tanh, 1e-4, 0, 0, 0),
                          q::activation_layer{t::tanh<i16>::derive(1e-4f).value});
}

TEST_CASE("tables described at run time equal those of their rules") {
  const auto bytes = random_elements<u8>(256);
  auto spec = one<u8, u8, q::tflite::table<u8>>(operator_id::table, 0, 0, 0, 0);
  spec.table = bytes.data(), spec.table_size = 256;
  same_as_typed<u8, u8>(spec, q::activation_layer{q::tflite::table<u8>{q::view<const u8>(bytes)}});
  std::vector<i16> entries;
  for (int i = 0; i < 513; ++i) entries.push_back(static_cast<i16>(i * i / 9));
  const q::view<const i16> all(entries);
  auto tosa = one<i16, std::int32_t, q::tosa::table<i16>>(operator_id::table, 0, 0, 0, 0);
  tosa.table = entries.data(), tosa.table_size = 513;
  same_as_typed<i16, std::int32_t>(tosa, q::activation_layer{q::tosa::table<i16>{all}});
  auto arm = one<i16, i16, q::executorch::arm::table>(operator_id::table, 0, 0, 0, 0);
  arm.table = entries.data(), arm.table_size = 513;
  same_as_typed<i16, i16>(arm, q::activation_layer{q::executorch::arm::table{all}});
  memory arena;
  i16 y[2] = {};
  const q::any_input x(element_type::int16, entries.data(), 1, 2);
  arm.table_size = 512;
  CHECK(check(arena.prepare(arm), x, q::any_output(element_type::int16, y, 1, 2)) == status::shape_mismatch);
  arm.table = nullptr;
  CHECK(check(arena.prepare(arm), x, q::any_output(element_type::int16, y, 1, 2)) == status::null_data);
}

TEST_CASE("pools and means described at run time equal those of their rules") {
  q::pool_spec pool;
  pool.type = element_type::int8;
  pool.window = {{2, 1, 1, 1}, {3, 2}};
  pool.divisor = q::averaged::window;
  pool.range = {0, -100, q::int32_max};
  pool.rule = q::scheme_id::of<q::average_output<i8, q::tflite::average>>();
  const q::nhwc_view<i8> pooled(nullptr, n, 3, 2, c);
  const q::average_output<i8, q::tflite::average> clamped{0, {0, -100, 127}};
  same_as_typed<i8, i8>(pool, q::average_pool_layer{pool.window, pool.divisor, clamped}, pooled);
  pool.rule = q::scheme_id::of<q::average_output<i8, q::tosa::average>>();
  pool.divisor = q::averaged::inside;
  pool.x_zero_point = 5, pool.range.zero_point = -9;
  const q::average_output<i8, q::tosa::average> shifted{5, {-9, -100, 127}};
  same_as_typed<i8, i8>(pool, q::average_pool_layer{pool.window, pool.divisor, shifted}, pooled);
  using exact = q::average_output<i8, q::exact::average<q::half_even>>;
  pool.rule = q::scheme_id::of<exact>();
  pool.x_scale = 0.3, pool.y_scale = 0.2;
  const auto rescaled = exact::of(5, {-9, -100, 127}, q::exact::average<q::half_even>::derive(0.3, 0.2).value);
  same_as_typed<i8, i8>(pool, q::average_pool_layer{pool.window, pool.divisor, rescaled}, pooled);

  q::mean_spec mean;
  mean.type = element_type::int8;
  mean.x_scale = 0.1, mean.x_zero_point = 5, mean.y_scale = 0.01, mean.count = h * w;
  mean.range = {-7};
  const auto rule = q::tflite::mean<i8>::derive(0.1f, 5, 15, 0.01f, q::range_of<i8>(-7)).value;
  same_as_typed<i8, i8>(mean, q::mean_layer{rule}, {nullptr, n, 1, 1, c});
  mean.op = operator_id::sum;
  mean.type = element_type::int16;
  mean.x_zero_point = 0, mean.count = c, mean.range = {};
  const auto total = q::tflite::sum<i16>::derive(0.1f, 0, 7, 0.01f, q::range_of<i16>()).value;
  same_as_typed<i16, i16>(mean, q::sum_layer{total}, {nullptr, n, h, w, 1});
}

TEST_CASE("conversions, extremes and resizes described at run time equal those of their rules") {
  using wide = q::tflite::requantize<i8, i16>;
  same_as_typed<i8, i16>(one<i8, i16, wide>(operator_id::requantize, 0.1, 5, 0.01, -9),
                         q::activation_layer{wide::derive(0.1f, 5, 0.01f, -9).value});
  same_as_typed<u8, u8>(one<u8, u8, q::litert::concatenate>(operator_id::concatenate, 0.1, 5, 0.3, 9),
                        q::activation_layer{q::litert::concatenate::derive(0.1f, 5, 0.3f, 9).value});
  same_binary<i8>(two(operator_id::maximum, 0, 0, 0, 0, 0, {}), q::maximum<i8>{});
  same_binary<i16>(two(operator_id::minimum, 0, 0, 0, 0, 0, {}), q::minimum<i16>{});
  q::pool_spec pool;
  pool.op = operator_id::max_pool;
  pool.type = element_type::int8;
  pool.window = {{2, 1, 1, 1}, {3, 2}};
  pool.range = {0, 20, q::int32_max};
  const q::pool_layer<q::maximum<i8>> greatest{pool.window, {}, {0, 20, 127}};
  same_as_typed<i8, i8>(pool, greatest, {nullptr, n, 3, 2, c});
  pool.op = operator_id::min_pool, pool.type = element_type::uint8;
  const q::pool_layer<q::minimum<u8>> least{pool.window, {}, {0, 20, 255}};
  same_as_typed<u8, u8>(pool, least, {nullptr, n, 3, 2, c});
  pool.window.y.dilation = 2;
  same_as_typed<u8, u8>(pool, q::pool_layer<q::minimum<u8>>{pool.window, {}, {0, 20, 255}}, {nullptr, n, 2, 2, c});
  pool.window.x.pad_after = 3;
  memory arena;
  CHECK(kinds.prepare(pool, q::view<unsigned char>(arena.bytes)).status == status::bad_window);
  pool.window.x.pad_after = 0, pool.y_scale = 0.5;
  CHECK(kinds.prepare(pool, q::view<unsigned char>(arena.bytes)).status == status::scale_too_large);
  pool.y_scale = 0, pool.range.min = -1;
  CHECK(kinds.prepare(pool, q::view<unsigned char>(arena.bytes)).status == status::range_out_of_type);
  pool.op = operator_id::maximum, pool.type = element_type::int8;  // the operator of another description
  CHECK(kinds.bytes(pool).status == status::unknown_kind);
  q::mean_spec extreme;
  extreme.op = operator_id::reduce_min, extreme.type = element_type::int16;
  same_as_typed<i16, i16>(extreme, q::extreme_layer{q::minimum<i16>{}}, {nullptr, n, 1, w, c});
  extreme.op = operator_id::reduce_max, extreme.type = element_type::int8;
  same_as_typed<i8, i8>(extreme, q::extreme_layer{q::maximum<i8>{}}, {nullptr, n, h, 1, c});
  q::resize_spec resize;
  resize.type = element_type::int8;
  resize.alignment.half_pixel_centers = true;
  same_as_typed<i8, i8>(resize, q::resize_layer{q::tflite::resize_bilinear<i8>{resize.alignment}}, {nullptr, n, 4, 3, c});
  resize.op = operator_id::resize_nearest, resize.type = element_type::uint8;
  same_as_typed<u8, u8>(resize, q::resize_layer{q::tflite::resize_nearest<u8>{resize.alignment}}, {nullptr, n, 2, 7, c});
}

TEST_CASE("softmaxes described at run time equal those of their rules") {
  static const auto tables = q::tflite::make_softmax_tables();
  same_as_typed<i8, i8>(softmax_of<i8, i8, q::tflite::softmax<i8>>(0.1),
                        q::softmax_layer{q::tflite::softmax<i8>::derive(0.1f, 1.0f).value});
  auto sharp = softmax_of<i8, i16, q::tflite::softmax<i8, i16>>(0.1);
  sharp.beta = 0.3;
  same_as_typed<i8, i16>(sharp, q::softmax_layer{q::tflite::softmax<i8, i16>::derive(0.1f, 0.3f).value});
  const auto with_tables = [&](auto rule) {
    using type = decltype(rule);
    rule.multiplier = type::derive(q::binary32{1e-4f}, q::binary32{1.0f}).value;
    rule.exponential.entries = q::view<const i16>(tables.exponential);
    rule.reciprocal.entries = q::view<const i16>(tables.reciprocal);
    same_as_typed<i16, i16>(softmax_of<i16, i16, type>(1e-4, &tables), q::softmax_layer{rule});
  };
  with_tables(q::tflite::softmax<i16>{});
  with_tables(q::cmsis_nn::softmax<i16>{});
  const q::tosa::softmax<i16> wide{q::tosa::softmax<i16>::derive(1e-4).value,
                                   {q::view<const i16>(tables.exponential)},
                                   {q::view<const i16>(tables.reciprocal)}};
  same_as_typed<i16, i16>(softmax_of<i16, i16, q::tosa::softmax<i16>>(1e-4, &tables), q::softmax_layer{wide});
  const auto bytes = q::tosa::softmax_tables_of(0.1f, 1.0f).value;
  const q::tosa::softmax<i8> tosa{{{q::view<const i16>(bytes.bytes[0])},
                                   {q::view<const i16>(bytes.bytes[1])},
                                   {q::view<const i16>(bytes.bytes[2])},
                                   {q::view<const i16>(bytes.bytes[3])}}};
  same_as_typed<i8, i8>(softmax_of<i8, i8, q::tosa::softmax<i8>>(0.1), q::softmax_layer{tosa});
}

TEST_CASE("the range of an activation follows the type that is known at run time") {
  using q::tflite::activation, q::tflite::activation_range;
  const auto holds = [](element_type type, auto typed) {
    const auto any = activation_range(type, activation::relu6, 0.05f, 3);
    return any.status == typed.status && any.value.zero_point == 3 && any.value.min == typed.value.min &&
           any.value.max == typed.value.max;
  };
  CHECK(holds(element_type::int8, activation_range<i8>(activation::relu6, 0.05f, 3)));
  CHECK(holds(element_type::uint8, activation_range<u8>(activation::relu6, 0.05f, 3)));
  CHECK(holds(element_type::int16, activation_range<i16>(activation::relu6, 0.05f, 3)));
  CHECK(holds(element_type::int32, activation_range<std::int32_t>(activation::relu6, 0.05f, 3)));
  CHECK(activation_range(element_type::int48, activation::relu6, 0.05f, 3).status == status::type_mismatch);
  CHECK(activation_range(element_type::int8, activation::relu6, 0.0f, 3).status == status::scale_zero);
}

TEST_CASE("descriptions of operators that cannot be prepared have a status") {
  memory arena;
  const auto prepare = [&](const auto& spec) {
    const auto made = kinds.prepare(spec, q::view<unsigned char>(arena.bytes));
    CHECK((made.status == status::ok) == (made.value.parts.kind != nullptr));
    if (made.status != status::ok) CHECK(made.value.parts.prepared == made.status);  // `check` returns it, too
    return made.status;
  };
  q::binary_spec add = two(operator_id::add, 0.5, 0, 0.5, 0, 0.5, {});
  add.type = element_type::int8;
  add.rule = q::scheme_id::of<q::tflite::add<i8>>();
  CHECK(prepare(add) == status::ok);

  SECTION("no rule has these types, this operator or this name") {
    auto other = add;
    other.type = element_type::int16;
    CHECK(kinds.bytes(other).status == status::unknown_kind);
    CHECK(prepare(other) == status::unknown_kind);
    other = add;
    other.op = operator_id::subtract;
    CHECK(prepare(other) == status::unknown_kind);
    other.op = operator_id::softmax;  // an operator of another description
    CHECK(prepare(other) == status::unknown_kind);
    other = add;
    other.rule = q::scheme_id::of<int>();
    CHECK(prepare(other) == status::unknown_kind);
    CHECK(q::operator_kinds{}.bytes(add).status == status::unknown_kind);
    CHECK(q::operator_kinds{status::unknown_backend}.bytes(add).status == status::unknown_backend);
    add.rule = {};  // three publishers' additions of int8 are linked
    CHECK(kinds.bytes(add).status == status::ambiguous_scheme);
    CHECK(prepare(add) == status::ambiguous_scheme);
    constexpr auto twice = q::operator_kinds_of<q::native, q::tflite::add<i8>, q::tflite::add<i8>>();
    CHECK(twice.bytes(add).status == status::ok);
  }
  SECTION("an operator that is not prepared says why") {
    add.y_scale = 0;
    const auto refused = kinds.prepare(add, q::view<unsigned char>(arena.bytes));
    CHECK(refused.status == status::scale_zero);
    i8 x[4] = {}, y[4] = {};
    const q::any_input in(element_type::int8, x, 1, 4);
    const q::any_output out(element_type::int8, y, 1, 4);
    CHECK(check(refused.value, in, in, out) == status::scale_zero);
    CHECK(check_memory(refused.value, in, in, out) == status::scale_zero);
    CHECK(check(q::any_softmax{}, in, out) == status::unknown_kind);
    CHECK(check_memory(q::any_softmax{}, in, out) == status::unknown_kind);
  }
  SECTION("the arena") {
    const q::index_t bytes = kinds.bytes(add).value;
    CHECK(bytes % q::arena_alignment == 0);
    CHECK(kinds.prepare(add, q::view<unsigned char>(arena.bytes, bytes)).status == status::ok);
    CHECK(kinds.prepare(add, q::view<unsigned char>(arena.bytes, bytes - 1)).status == status::arena_too_small);
    CHECK(kinds.prepare(add, q::view<unsigned char>(arena.bytes + 4, bytes)).status == status::arena_misaligned);
    CHECK(kinds.prepare(add, q::view<unsigned char>(nullptr, bytes)).status == status::null_data);
    alignas(8) q::binary_spec inside = add;
    CHECK(kinds.prepare(inside, q::view<unsigned char>(reinterpret_cast<unsigned char*>(&inside), bytes)).status ==
          status::overlap);
  }
  SECTION("numbers that a rule does not take") {
    auto other = add;
    other.a_zero_point = 128;
    CHECK(prepare(other) == status::zero_point_out_of_range);
    other = add;
    other.range = {0, 5, 4};
    CHECK(prepare(other) == status::empty_range);
    auto sigmoid = one<i8, i8, q::tflite::sigmoid<i8>>(operator_id::sigmoid, 0.05, 5, 1.0 / 128, -128);
    CHECK(prepare(sigmoid) == status::scale_too_large);
    sigmoid.y_scale = 1.0 / 512;
    CHECK(prepare(sigmoid) == status::scale_too_small);
    sigmoid.y_scale = std::numeric_limits<double>::quiet_NaN();
    CHECK(prepare(sigmoid) == status::scale_not_finite);
    sigmoid.y_scale = 1.0 / 256, sigmoid.y_zero_point = 0;
    CHECK(prepare(sigmoid) == status::zero_point_out_of_range);
    auto tanh = one<i16, i16, q::tflite::tanh<i16>>(operator_id::tanh, 1e-4, 1, 0, 0);
    CHECK(prepare(tanh) == status::zero_point_out_of_range);
    tanh.x_zero_point = 0, tanh.y_scale = 1;
    CHECK(prepare(tanh) == status::scale_too_large);
    q::mean_spec mean;
    mean.type = element_type::int8;
    mean.x_scale = mean.y_scale = 1;
    CHECK(prepare(mean) == status::negative_size);
    mean.count = static_cast<q::index_t>(std::int64_t{1} << 31);  // the least index where an index has 32 bits
    CHECK(prepare(mean) == (sizeof(q::index_t) == 8 ? status::size_overflow : status::negative_size));
    mean.count = (1 << 24) + 1;  // `check` of a tensor finds that the sum may leave int32
    CHECK(prepare(mean) == status::ok);
    q::pool_spec pool;
    pool.type = element_type::int8;
    pool.rule = q::scheme_id::of<q::average_output<i8, q::tflite::average>>();
    pool.window = {{2}, {2}};
    pool.x_zero_point = 1;  // stored values have one zero point
    CHECK(prepare(pool) == status::zero_point_out_of_range);
    pool.range.zero_point = 1;
    CHECK(prepare(pool) == status::ok);
    pool.x_zero_point = pool.range.zero_point = 200;
    CHECK(prepare(pool) == status::zero_point_out_of_range);
    pool.x_zero_point = pool.range.zero_point = 0, pool.x_scale = 0.5, pool.y_scale = 1;
    CHECK(prepare(pool) == status::scale_too_large);  // the rule averages stored values
    pool.y_scale = 0.25;
    CHECK(prepare(pool) == status::scale_too_small);
    pool.y_scale = std::numeric_limits<double>::quiet_NaN();
    CHECK(prepare(pool) == status::scale_not_finite);
    pool.y_scale = 0.5;
    CHECK(prepare(pool) == status::ok);
    pool.window.x.pad_after = 2;
    CHECK(prepare(pool) == status::bad_window);
    pool.rule = q::scheme_id::of<q::average_output<i8, q::exact::average<q::half_even>>>();
    CHECK(prepare(pool) == status::bad_window);
    pool.window.x.dilation = 2;
    CHECK(prepare(pool) == status::ok);
    pool.y_scale = 0;
    CHECK(prepare(pool) == status::scale_zero);
    CHECK(prepare(softmax_of<i8, i8, q::tflite::softmax<i8>>(-0.1)) == status::scale_negative);
    CHECK(prepare(softmax_of<i16, i16, q::tflite::softmax<i16>>(1e-4)) == status::null_data);
    static const auto tables = q::tflite::make_softmax_tables();
    auto sharp = softmax_of<i16, i16, q::tosa::softmax<i16>>(1e-4, &tables);
    sharp.beta = 2;
    CHECK(prepare(sharp) == status::value_out_of_range);
  }
}

namespace {

/// Draws the numbers of descriptions: often usual ones, else any bits.
struct number_source {
  support::random_bits draw{};

  double scale() {
    if (!draw.one_in(4)) return static_cast<double>(1 + draw.below(255)) / (1 << (4 + draw.below(12)));
    const std::uint64_t bits = draw();
    double any = 0;
    std::memcpy(&any, &bits, sizeof any);
    constexpr double special[] = {0, -1, std::numeric_limits<double>::infinity(), 1e300, 1e-300, 1e39};
    return draw.one_in(2) ? any : special[draw.below(6)];
  }
  std::int32_t integer() {
    return draw.one_in(4) ? static_cast<std::int32_t>(draw.integer(31)) : static_cast<std::int32_t>(draw.between(-4, 4));
  }
  q::index_t small(int low, int high) { return static_cast<q::index_t>(draw.between(low, high)); }
  q::index_t size() { return draw.one_in(4) ? static_cast<q::index_t>(draw.integer(62)) : small(0, 3); }
  q::window1d axis() {
    if (!draw.one_in(4)) return {small(1, 2), small(1, 2), 1, 0, small(0, 1)};
    return {size(), size(), size(), size(), size()};
  }
  q::output_range range() {
    return draw.one_in(4) ? q::output_range{integer(), integer(), integer()} : q::output_range{integer()};
  }
  template <class T, std::size_t N>
  T one_of(const T (&all)[N]) {
    return all[static_cast<std::size_t>(draw.below(static_cast<int>(N)))];
  }
  element_type type() { return one_of({element_type::int8, element_type::int16, element_type::uint8, element_type::int32}); }
  operator_id op() { return static_cast<operator_id>(draw.below(32)); }  // one of these values names no operator
};

/// Prepares and checks the operators, and runs those that pass. Counts the operators that ran.
template <class Spec, class... Inputs>
int try_description(const Spec& spec, const Inputs&... inputs) {
  alignas(8) unsigned char arena[8192];
  std::int32_t y[16] = {};
  const auto op = kinds.prepare(spec, q::view<unsigned char>(arena));
  if (op.status != status::ok) {
    CHECK(check(op.value, inputs..., q::any_output(element_type::int8, y, 1, 4)) == op.status);
    return 0;
  }
  int ran = 0;
  for (const q::index_t rows : {1, 2})
    for (const q::index_t channels : {1, 2, 4}) {
      const q::any_output out(op.value.parts.kind->y, y, 1, rows, 2, channels);
      if (!q::may_run(check(op.value, inputs..., out))) continue;
      run(op.value, inputs..., out);
      ++ran;
    }
  return ran;
}

}  // namespace

TEST_CASE("descriptions of any numbers are prepared and run, or refused") {
  number_source any;
  const std::vector<std::int32_t> data(64, 0x01FF'7F80);
  std::vector<i16> entries(513);
  static const auto tables = q::tflite::make_softmax_tables();
  int ran[5] = {};
  for (int i = 0; i < 4000; ++i) {
    const element_type type = any.type();
    const q::any_input x(type, data.data(), 1, 2, 2, 4), one(type, data.data(), 1, 1, 1, any.one_of({1, 4}));
    q::binary_spec two;
    two.op = any.op(), two.type = type, two.range = any.range();
    if (type == element_type::int8)
      two.rule = any.one_of({q::scheme_id::of<q::tflite::add<i8>>(), q::scheme_id::of<q::xnnpack::add>()});
    two.a_scale = any.scale(), two.b_scale = any.scale(), two.y_scale = any.scale();
    two.a_zero_point = any.integer(), two.b_zero_point = any.integer();
    ran[0] += try_description(two, x, one);
    q::activation_spec activation;
    activation.op = any.op(), activation.x = type, activation.y = any.draw.one_in(4) ? any.type() : type;
    activation.x_scale = any.scale(), activation.y_scale = any.draw.one_in(2) ? 0 : any.scale(), activation.alpha = any.scale();
    activation.x_zero_point = any.integer(), activation.y_zero_point = any.integer();
    activation.table = any.draw.one_in(4) ? nullptr : entries.data();
    activation.table_size = any.one_of<q::index_t>({-1, 0, 256, 512, 513});
    ran[1] += try_description(activation, x);
    q::pool_spec pool;
    pool.type = type, pool.window = {any.axis(), any.axis()}, pool.range = any.draw.one_in(2) ? q::output_range{} : any.range();
    pool.x_zero_point = any.draw.one_in(2) ? 0 : any.integer();
    pool.rule = any.one_of({q::scheme_id::of<q::average_output<i8, q::tflite::average>>(),
                            q::scheme_id::of<q::average_output<i8, q::tosa::average>>(),
                            q::scheme_id::of<q::average_output<i8, q::exact::average<q::half_even>>>()});
    if (any.draw.one_in(2)) pool.x_scale = any.scale(), pool.y_scale = any.scale();
    pool.divisor = any.draw.one_in(2) ? q::averaged::inside : q::averaged::window;
    ran[2] += try_description(pool, x);
    q::mean_spec mean;
    mean.op = any.op(), mean.type = type, mean.count = any.draw.one_in(2) ? any.size() : any.one_of<q::index_t>({2, 4, 8});
    mean.x_scale = any.scale(), mean.y_scale = any.scale(), mean.x_zero_point = any.integer(), mean.range = any.range();
    ran[3] += try_description(mean, x);
    q::softmax_spec softmax;
    softmax.x = type, softmax.y = any.draw.one_in(4) ? any.type() : type, softmax.x_scale = any.scale();
    softmax.beta = any.draw.one_in(2) ? 1 : any.scale(), softmax.tables = any.draw.one_in(4) ? nullptr : &tables;
    softmax.rule = any.one_of({q::scheme_id::of<q::tflite::softmax<i8>>(), q::scheme_id::of<q::tosa::softmax<i8>>(),
                               q::scheme_id::of<q::tflite::softmax<i16>>(), q::scheme_id::of<q::tosa::softmax<i16>>()});
    ran[4] += try_description(softmax, x);
  }
  for (int i = 0; i < 5; ++i) {
    INFO("description " << i);
    CHECK(ran[i] > 5);
  }
}
