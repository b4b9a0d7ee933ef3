// dyadic_activations [--smoke]: compares the engines' rules of operators without weights. Prints the rules that are equal, how
// many outputs of the others differ, the largest difference, and the smallest input that shows a difference.
//
// Rules of one input are compared on all values of the type. Rules of two int8 inputs are compared on all pairs. Rules of two
// int16 inputs are compared for left operands near 0 and near the ends of the range, each with all right operands. Rows, sums and
// images are in activation_rows.hpp.

#include <dyadic/elementwise/add.hpp>
#include <dyadic/elementwise/comparison.hpp>
#include <dyadic/elementwise/divide.hpp>
#include <dyadic/elementwise/exact_table.hpp>
#include <dyadic/elementwise/leaky_relu.hpp>
#include <dyadic/elementwise/multiply.hpp>
#include <dyadic/elementwise/onnx.hpp>
#include <dyadic/elementwise/prelu.hpp>
#include <dyadic/elementwise/quantize.hpp>
#include <dyadic/elementwise/requantize.hpp>
#include <dyadic/elementwise/squared_difference.hpp>
#include <dyadic/elementwise/table_functions.hpp>
#include <dyadic/elementwise/unary.hpp>

#include <array>
#include <cstring>

#include "activation_rows.hpp"
#include "groups.hpp"

namespace bench {
namespace {

using std::int16_t;
using std::int8_t;
using std::uint8_t;
using single = q::tflite::single_rounding;

struct tensors {
  const char* title;
  float a, b, y;                           // scales
  int a_zero = 0, b_zero = 0, y_zero = 0;  // zero points

  /// Returns a rule of two inputs.
  template <class Rule>
  named<Rule> operator()(const char* name, const Rule& rule) const {
    return derived(name, rule, a, a_zero, b, b_zero, y, q::range_of<typename Rule::value_type>(y_zero));
  }
};

/// Compares the rules that int8 and int16 have, and others.
/// @{
template <class X, class... Others>
void sums(const std::string& op, const tensors& t, const named<Others>&... others) {
  print_pairs(op, t("TFLite", q::tflite::add<X>{}), t("CMSIS-NN", q::cmsis_nn::add<X>{}),
              t("TFLite single", q::tflite::add<X, single>{}), t("Arm TOSA", q::executorch::arm::add<X>{}),
              t("ONNX", q::onnx::add<X>{}), t("MLAS", q::onnx::mlas_add<X>{}), others...);
}
template <class X, class... Others>
void products(const std::string& op, const tensors& t, const named<Others>&... others) {
  print_pairs(op, t("TFLite", q::tflite::multiply<X>{}), t("CMSIS-NN", q::cmsis_nn::multiply<X>{}),
              t("TFLite single", q::tflite::multiply<X, single>{}), t("Arm TOSA", q::executorch::arm::multiply<X>{}),
              t("ONNX", q::onnx::multiply<X>{}), t("MLAS", q::onnx::mlas_multiply<X>{}), others...);
}
/// @}
void sums_and_products_of_int8(const tensors& t) {
  sums<int8_t>("add int8", t, t("Cortex-M", q::executorch::cortex_m::add{}), t("XNNPACK", q::xnnpack::add{}),
               t("MLAS SSE2", q::onnx::mlas_sse2_add<int8_t>{}), t("MLAS AVX2", q::onnx::mlas_avx2_add<int8_t>{}),
               t("MLAS NEON", q::onnx::mlas_neon_add<int8_t>{}));
  products<int8_t>("multiply int8", t, t("Cortex-M", q::executorch::cortex_m::multiply{}),
                   t("XNNPACK", q::xnnpack::multiply<int8_t>{}),
                   t("XNNPACK rndnu", q::xnnpack::multiply<int8_t, q::xnnpack::rndnu_neon>{}),
                   t("MLAS x86, A64", q::onnx::mlas_vector_multiply<int8_t>{}));
}
template <class X>
void other_pairs(const tensors& t, const std::string& type) {
  print_pairs("subtract " + type, t("TFLite", q::tflite::subtract<X>{}), t("TFLite single", q::tflite::subtract<X, single>{}),
              t("Arm TOSA", q::executorch::arm::subtract<X>{}));
  print_pairs("divide " + type, t("TFLite", q::tflite::divide<X>{}), t("TFLite single", q::tflite::divide<X, single>{}),
              t("Cortex-M", q::executorch::cortex_m::divide<X>{}));
  print_pairs("(a - b)^2 " + type, t("TFLite", q::tflite::squared_difference<X>{}),
              t("TFLite single", q::tflite::squared_difference<X, single>{}));
  print_pairs("prelu " + type, t("TFLite", q::tflite::prelu<X>{}), t("TFLite single", q::tflite::prelu<X, single>{}));
}

/// a == b, or a > b, of stored values.
template <q::operator_id Id>
struct of_stored {
  using argument_type = int8_t;
  using value_type = uint8_t;
  uint8_t operator()(int8_t a, int8_t b) const { return Id == q::operator_id::equal ? a == b : a > b; }
};
template <q::operator_id Id>
void comparisons(float scale) {
  print_pairs(q::to_string(Id), derived("TFLite", q::tflite::compare<int8_t, Id>{}, scale, 0, scale, 0),
              derived("TFLite single", q::tflite::compare<int8_t, Id, single>{}, scale, 0, scale, 0),
              named{"stored values", of_stored<Id>{}});
}

/// A rule of reals as a rule of integers: x is i steps.
template <class Rule>
struct of_steps {
  using argument_type = int16_t;
  using value_type = typename Rule::value_type;
  Rule rule;
  q::binary32 step;
  value_type operator()(int16_t i) const { return rule(q::multiply(step, q::from_integer<q::binary32>(i))); }
};
/// Compares quantizations of the reals i / 256 * scale.
void quantizations(float scale, int zero_point) {
  const auto of = [&](const char* name, auto rule) {
    const q::binary32 step = q::scale_by_power_of_two(q::binary32{scale}, -8);
    return named{name, of_steps<decltype(rule)>{derived(name, rule, scale, q::range_of<int8_t>(zero_point)).rule, step}};
  };
  print_inputs("quantize", of("TFLite", q::tflite::quantize<int8_t>{}), of("ONNX", q::onnx::quantize<int8_t>{}),
               of("PyTorch, Cortex-M", q::fbgemm::quantize<int8_t>{}),
               of("FBGEMM", q::fbgemm::quantize<int8_t, q::zero_point_inside>{}));
}

/// Dequantizes, then quantizes.
template <class Quantize>
struct through_reals {
  using value_type = int8_t;
  q::exact::dequantize<int8_t, float> from;
  Quantize to;
  int8_t operator()(int8_t x) const { return to(from.nearest(x)); }
};
void requantizations(float x, int x_zero, float y, int y_zero) {
  const auto of = [&](const char* name, auto rule) { return derived(name, rule, x, x_zero, y, y_zero); };
  const auto through = [&](const char* name, auto rule) {
    const auto from = derived("dequantize", q::exact::dequantize<int8_t, float>{}, x, x_zero).rule;
    return named{name, through_reals<decltype(rule)>{from, derived(name, rule, y, q::range_of<int8_t>(y_zero)).rule}};
  };
  print_inputs("requantize int8", of("TFLite", q::tflite::requantize<int8_t, int8_t>{}),
               of("TFLite single", q::tflite::requantize<int8_t, int8_t, single>{}),
               of("Arm TOSA", q::tflite::requantize<int8_t, int8_t, q::tosa::scale32>{}), of("XNNPACK", q::xnnpack::convert{}),
               through("ONNX", q::onnx::quantize<int8_t>{}), through("PyTorch", q::fbgemm::quantize<int8_t>{}));
  x_zero += 128, y_zero += 128;
  print_inputs("requantize uint8", of("TFLite", q::tflite::requantize<uint8_t, uint8_t>{}),
               of("LiteRT concatenate", q::litert::concatenate{}));
}

/// Compares a rule with the real function. The row shows the input with the largest error.
template <class Rule, class Function>
void compare_with_real(const std::string& op, const named<Rule>& a, Function, double x_scale, double y_scale, int y_zero_point) {
  const auto e = value_of(q::exact::worst_error(a.rule, Function{}, x_scale, 0, y_scale, y_zero_point), a.name);
  char worst[64];
  std::snprintf(worst, sizeof worst, "off by %.2f at %d", static_cast<double>(e.worst) / 65536, static_cast<int>(e.at));
  const auto compared = q::all_values<q::detail::argument_of<Rule>>().size();
  print_row(op, a.name + std::string(", real value"),
            {compared, static_cast<std::uint64_t>(e.off), static_cast<std::uint64_t>((e.worst + 32767) >> 16), worst});
}

void relus_and_roots() {
  const auto relu = [](const char* name, auto rule) { return derived(name, rule, 0.05f, 3, 0.1f, 0.04f, -7); };
  print_inputs("leaky relu", relu("TFLite", q::tflite::leaky_relu<int8_t>{}),
               relu("TFLite single", q::tflite::leaky_relu<int8_t, single>{}), relu("XNNPACK", q::xnnpack::leaky_relu<int8_t>{}));
  const float x = 0.05f, y = 0.04f;
  const auto of = [=](const char* name, auto rule) { return derived(name, rule, x, 0, y, 0); };
  print_inputs("abs int16", of("TFLite", q::tflite::abs<int16_t>{}), of("TFLite single", q::tflite::abs<int16_t, single>{}));
  const auto rsqrt = of("TFLite", q::tflite::rsqrt<>{});
  print_inputs("rsqrt int8", rsqrt, of("TFLite single", q::tflite::rsqrt<single>{}));
  compare_with_real("rsqrt int8", rsqrt, q::exact::reciprocal_square_root{}, x, y, 0);
  compare_with_real("sqrt int8", of("LiteRT", q::litert::sqrt<int8_t>{}), q::exact::sqrt{}, x, y, 0);
  compare_with_real("sqrt int16", of("LiteRT", q::litert::sqrt<int16_t>{}), q::exact::sqrt{}, x, y, 0);
}

/// A correctly rounded function of binary64, for tables that are filled in binary64.
template <class Function>
struct in_binary64 {
  q::binary64 operator()(q::binary64 x) const { return q::round_to<q::binary64>(Function::of(q::enclose(x))).value; }
};
/// Compares the tables of int8 that publishers fill. TFLite's function is its own.
template <class Function, class OfTflite = q::exact::in_binary32<Function>>
void tables_of_int8(const std::string& op, float x_scale, float y_scale, int y_zero, const OfTflite& of_tflite = {}) {
  std::array<int8_t, 256> entries[5];
  const auto filled = [&](const char* name, int i, auto table, auto populate, const auto& function) {
    require(populate(function, x_scale, 0, y_scale, y_zero, q::view<int8_t>(entries[i].data(), 256)), name);
    table.entries = q::view<const int8_t>(entries[i].data(), 256);
    return named{name, table};
  };
  const q::exact::in_binary32<Function> narrow;
  const in_binary64<Function> wide;
  using by_x = q::tosa::table<int8_t>;
  using by_byte = q::tflite::table<int8_t>;
  const auto as_tflite = [](auto... all) { return by_byte::populate(all...); };
  const auto as_arm = [](auto... all) { return q::executorch::arm::populate<int8_t>(all...); };
  const auto as_tosa = [](auto... all) { return q::tosa::populate(all...); };
  const auto as_vela = [](auto... all) { return q::vela::populate<int8_t>(all...); };
  const auto exactly = [](auto... all) { return q::exact::populate<by_x>(all...); };
  print_inputs(op, filled("TFLite", 0, by_byte{}, as_tflite, of_tflite), filled("Arm TOSA", 1, by_x{}, as_arm, narrow),
               filled("TensorFlow TOSA", 2, by_x{}, as_tosa, wide), filled("Vela", 3, by_x{}, as_vela, wide),
               filled("rounded once", 4, by_x{}, exactly, Function{}));
}

/// Compares the int16 outputs of a function for an input scale of 2^-12: the engine's own kernel, and tables of 513 entries by
/// three builders.
template <class Function, class Own>
void answers_of_int16(const std::string& op, const Own& own) {
  std::array<int16_t, 513> tflite{}, arm{}, nearest{};
  const q::exact::in_binary32<Function> function;
  const auto to = [](auto& entries) { return q::view<int16_t>(entries.data(), 513); };
  const auto from = [](const auto& entries) { return q::view<const int16_t>(entries.data(), 513); };
  const double x_scale = 0x1p-12;
  const double y_scale = 0x1p-15;
  require(q::tflite::table<int16_t>::populate(function, 0x1p-12f, 0, 0x1p-15f, 0, to(tflite)), op);
  require(q::executorch::arm::populate<int16_t>(function, x_scale, 0, y_scale, 0, to(arm)), op);
  require(q::exact::populate<q::executorch::arm::table>(Function{}, x_scale, 0, y_scale, 0, to(nearest)), op);
  const auto kernel = derived("TFLite, CMSIS-NN", own, 0x1p-12f);
  const named looked_up{"TFLite's table", q::tflite::table<int16_t>{from(tflite)}};
  const named rescaled{"Arm TOSA's table", q::executorch::arm::table{from(arm)}};
  print_inputs(op, kernel, looked_up, rescaled, named{"its entries rounded once", q::executorch::arm::table{from(nearest)}});
  compare_with_real(op, kernel, Function{}, x_scale, y_scale, 0);
  compare_with_real(op, looked_up, Function{}, x_scale, y_scale, 0);
  compare_with_real(op, rescaled, Function{}, x_scale, y_scale, 0);
}

void functions() {
  const auto sigmoid = derived("TFLite", q::tflite::sigmoid<int8_t>{}, 0x1p-4f, 0);
  print_inputs("sigmoid int8", sigmoid, derived("TFLite single", q::tflite::sigmoid<int8_t, single>{}, 0x1p-4f, 0));
  compare_with_real("sigmoid int8", sigmoid, q::exact::sigmoid{}, 0x1p-4, 0x1p-8, -128);
  compare_with_real("tanh int8", derived("TFLite", q::tflite::tanh<int8_t>{}, 0x1p-4f, 0), q::exact::tanh{}, 0x1p-4, 0x1p-7, 0);
  answers_of_int16<q::exact::sigmoid>("sigmoid int16", q::tflite::sigmoid<int16_t>{});
  answers_of_int16<q::exact::tanh>("tanh int16", q::tflite::tanh<int16_t>{});
  tables_of_int8<q::exact::sigmoid>("sigmoid table", 0x1p-4f, 0x1p-8f, -128);
  tables_of_int8<q::exact::tanh>("tanh table", 0x1p-4f, 0x1p-7f, 0);
  tables_of_int8<q::exact::exp>("exp table", 0.03f, 0.4f, -128);
  tables_of_int8<q::exact::elu>("elu table", 0.05f, 0.1f, -3, q::tflite::elu<>{});
  tables_of_int8<q::exact::log>("log table", 0.05f, 0.02f, 1, q::litert::log<>::of<int8_t>(0.02f, 1));
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  using namespace bench;
  is_smoke = argc > 1 && std::strcmp(argv[1], "--smoke") == 0;
  const tensors usual{"two inputs, scales of no pattern: .1234, .0567, .1511", 0.1234f, 0.0567f, 0.1511f};
  const tensors equal{"two inputs, equal scales and a doubled one: .25, .25, .5", 0.25f, 0.25f, 0.5f};
  const tensors shifted{"two inputs, the same scales, zero points 3, -5 and 7", 0.25f, 0.25f, 0.5f, 3, -5, 7};
  for (const tensors& t : {usual, equal}) {
    print_head(t.title);
    sums_and_products_of_int8(t);
    sums<int16_t>("add int16", t);
    products<int16_t>("multiply int16", {t.title, t.a / 256, t.b / 256, t.y / 256});
    other_pairs<int8_t>(t, "int8");
    other_pairs<int16_t>(t, "int16");
  }
  print_head(shifted.title);
  sums_and_products_of_int8(shifted);
  print_head("two int8, a scale of 2^-9");
  comparisons<q::operator_id::equal>(0x1p-9f);
  comparisons<q::operator_id::greater>(0x1p-9f);
  print_head("reals i / 256 * scale, a scale of .1, zero point 1");
  quantizations(0.1f, 1);
  print_head("one input, scales .05 and .1, zero points 3 and -7");
  requantizations(0.05f, 3, 0.1f, -7);
  print_head("one input, scales .1234 and .1511, zero points 3 and -7");
  requantizations(0.1234f, 3, 0.1511f, -7);
  print_head("one input");
  relus_and_roots();
  functions();
  print_rows();
}
