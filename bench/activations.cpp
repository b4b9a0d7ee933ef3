// dyadic_activations [--smoke]: compares the engines' rules of operators on elements. Prints how many outputs differ, the worst
// difference, and the smallest input that shows a difference.
//
// Rules of one input are compared on all values of the type. Rules of two int8 inputs are compared on all pairs. Rules of two
// int16 inputs are compared for left operands near 0 and near the ends of the range, each with all right operands. Averages are
// compared on all sums of a window.

#include <dyadic/compare.hpp>
#include <dyadic/elementwise/add.hpp>
#include <dyadic/elementwise/average.hpp>
#include <dyadic/elementwise/compare_inputs.hpp>
#include <dyadic/elementwise/exact_table.hpp>
#include <dyadic/elementwise/leaky_relu.hpp>
#include <dyadic/elementwise/mean.hpp>
#include <dyadic/elementwise/multiply.hpp>
#include <dyadic/elementwise/sigmoid.hpp>
#include <dyadic/elementwise/softmax.hpp>
#include <dyadic/elementwise/softmax_tables.hpp>
#include <dyadic/elementwise/tanh.hpp>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace bench {
namespace {

namespace q = dyadic;
using std::int16_t;
using std::int8_t;

bool is_smoke = false;

/// Returns the value, or prints the error and ends the program.
template <class T>
T value_of(const q::result<T>& r, const char* what) {
  if (r.status == q::status::ok) return r.value;
  std::fprintf(stderr, "dyadic_activations: %s: %s\n", what, q::to_string(r.status));
  std::exit(1);
}

void print_head(const char* title) {
  std::printf("\n%s\n%-13s %-28s %-28s %9s %6s   %s\n", title, "", "a", "b", "differ", "worst", "the smallest input: a, b");
}

void print_row(const std::string& op, const char* a, const char* b, std::uint64_t compared, std::uint64_t differing,
               std::uint64_t worst, const std::string& smallest) {
  const double percent = 100.0 * static_cast<double>(differing) / static_cast<double>(compared);
  std::string share = "-";
  if (differing != 0) {
    char text[32];
    std::snprintf(text, sizeof text, percent < 0.01 ? "%.5f %%" : "%.2f %%", percent);
    share = text;
  }
  std::printf("%-13s %-28s %-28s %9s %6llu   %s\n", op.c_str(), a, b, share.c_str(), static_cast<unsigned long long>(worst),
              differing == 0 ? "" : smallest.c_str());
}

std::string both(std::int64_t a, std::int64_t b) { return std::to_string(a) + ", " + std::to_string(b); }

template <class Rule>
struct named {
  const char* name;
  Rule rule;
};
template <class Rule>
named(const char*, Rule) -> named<Rule>;

void print(const char* op, const char* a, const char* b, const q::difference& d) {
  const std::string smallest = std::to_string(d.smallest.acc) + ": " + both(d.smallest.a, d.smallest.b);
  print_row(op, a, b, d.compared, d.differing, d.worst_distance, smallest);
}

/// Prints a row for each pair of rules of one input.
/// @{
template <class A>
void print_inputs(const char*, const A&) {}
template <class A, class... Others>
void print_inputs(const char* op, const A& a, const Others&... others) {
  (print(op, a.name, others.name, q::compare_inputs(a.rule, others.rule)), ...);
  print_inputs(op, others...);
}
/// @}

template <class A, class B>
q::pair_difference differing(const A& a, const B& b) {
  if constexpr (sizeof(typename A::value_type) == 1) {
    return q::compare_pairs(a, b);
  } else {
    const std::int64_t reach = is_smoke ? 1 : 64;
    const q::interval all = q::all_values<int16_t>();
    q::pair_difference d = q::compare_pairs(a, b, {all.low, all.low + reach});
    d = merge(d, q::compare_pairs(a, b, {-reach, reach}));
    return merge(d, q::compare_pairs(a, b, {all.high - reach, all.high}));
  }
}

/// Compares rule `a` of two inputs with each of the others, and prints a row for each.
template <class A, class... Others>
void print_pairs(const char* op, const A& a, const Others&... others) {
  const auto one = [&](const auto& b) {
    const q::pair_difference d = differing(a.rule, b.rule);
    const q::pair_sample s = d.smallest;
    print_row(op, a.name, b.name, d.compared, d.differing, d.worst_distance, both(s.left, s.right) + ": " + both(s.a, s.b));
  };
  (one(others), ...);
}

struct scales {
  const char* title;
  float a, b, y;
};

/// Returns a rule of two inputs without zero points, with the parameters that its publisher derives.
template <class Rule>
named<Rule> derived(Rule, const scales& s, const char* name) {
  const q::output_range range = q::range_of<typename Rule::value_type>();
  return {name, value_of(Rule::derive(s.a, 0, s.b, 0, s.y, range), name)};
}

template <class X>
void sums(const scales& s) {
  const auto of = [&](auto rule, const char* name) { return derived(rule, s, name); };
  const auto twice = of(q::tflite::add<X>{}, "TFLite, CMSIS-NN");
  const auto once = of(q::tflite::add<X, q::tflite::single_rounding>{}, "TFLite, single rounding");
  const auto arm = of(q::executorch::arm::add<X>{}, "ExecuTorch Arm, TOSA");
  const char* const op = sizeof(X) == 1 ? "add int8" : "add int16";
  if constexpr (sizeof(X) == 1)
    print_pairs(op, twice, once, arm, of(q::executorch::cortex_m::add{}, "ExecuTorch Cortex-M"),
                of(q::xnnpack::add{}, "XNNPACK"));
  else
    print_pairs(op, twice, once, arm);
  print_pairs(sizeof(X) == 1 ? "sub int8" : "sub int16", of(q::tflite::subtract<X>{}, "TFLite"),
              of(q::executorch::arm::subtract<X>{}, "ExecuTorch Arm, TOSA"));
}

template <class X>
void products(const scales& s) {
  const auto of = [&](auto rule, const char* name) { return derived(rule, s, name); };
  const auto twice = of(q::tflite::multiply<X>{}, "TFLite, CMSIS-NN");
  const auto once = of(q::tflite::multiply<X, q::tflite::single_rounding>{}, "TFLite, single rounding");
  const auto arm = of(q::executorch::arm::multiply<X>{}, "ExecuTorch Arm, TOSA");
  if constexpr (sizeof(X) == 1)
    print_pairs("mul int8", twice, once, arm, of(q::xnnpack::multiply<X>{}, "XNNPACK"));
  else
    print_pairs("mul int16", twice, once, arm);
}

void relus() {
  const auto tflite = value_of(q::tflite::leaky_relu<int8_t>::derive(0.05f, 3, 0.1f, 0.04f, -7), "leaky relu");
  const auto xnnpack = value_of(q::xnnpack::leaky_relu<int8_t>::derive(0.05f, 3, 0.1f, 0.04f, -7), "leaky relu");
  print_inputs("leaky relu", named{"TFLite", tflite}, named{"XNNPACK", xnnpack});
}

void require(q::status s, const char* what) { static_cast<void>(value_of(q::result<int>{0, s}, what)); }

/// Compares a rule with the real function. The row shows the input with the largest error.
template <class Rule, class Function>
void compare_with_real(const char* op, const named<Rule>& a, Function, double x_scale, double y_scale, int y_zero_point) {
  using x = q::detail::argument_of<Rule>;
  const auto e = value_of(q::exact::worst_error(a.rule, Function{}, x_scale, 0, y_scale, y_zero_point), a.name);
  char worst[64];
  std::snprintf(worst, sizeof worst, "off by %.2f at %d", static_cast<double>(e.worst) / 65536, static_cast<int>(e.at));
  print_row(op, a.name, "the rounded real value", q::all_values<x>().size(), static_cast<std::uint64_t>(e.off),
            static_cast<std::uint64_t>((e.worst + 32767) >> 16), worst);
}

/// Compares the int16 outputs of a function for an input scale of 2^-12: the engine's own kernel, and tables of 513 entries by
/// three builders.
template <class Function, class Own>
void answers_of_int16(const char* op, const Own& own) {
  std::array<int16_t, 513> tflite{}, arm{}, nearest{};
  const q::exact::in_binary32<Function> function;
  const auto to = [](auto& entries) { return q::view<int16_t>(entries.data(), 513); };
  const auto from = [](const auto& entries) { return q::view<const int16_t>(entries.data(), 513); };
  const double x_scale = 0x1p-12;
  const double y_scale = 0x1p-15;
  require(q::tflite::table<int16_t>::populate(function, 0x1p-12f, 0, 0x1p-15f, 0, to(tflite)), op);
  require(q::executorch::arm::populate<int16_t>(function, x_scale, 0, y_scale, 0, to(arm)), op);
  require(q::exact::populate<q::executorch::arm::table>(Function{}, x_scale, 0, y_scale, 0, to(nearest)), op);
  const named kernel{"TFLite, CMSIS-NN", own};
  const named looked_up{"TFLite's table", q::tflite::table<int16_t>{from(tflite)}};
  const named rescaled{"ExecuTorch Arm, TOSA's table", q::executorch::arm::table{from(arm)}};
  const named exact{"the same, entries rounded once", q::executorch::arm::table{from(nearest)}};
  print_inputs(op, kernel, looked_up, rescaled);
  print_inputs(op, rescaled, exact);
  compare_with_real(op, kernel, Function{}, x_scale, y_scale, 0);
  compare_with_real(op, looked_up, Function{}, x_scale, y_scale, 0);
  compare_with_real(op, rescaled, Function{}, x_scale, y_scale, 0);
}

void answers_of_int8() {
  const float x_scale = 0x1p-4f;
  const auto sigmoid = value_of(q::tflite::sigmoid<int8_t>::derive(x_scale, 0), "sigmoid");
  const auto once = value_of(q::tflite::sigmoid<int8_t, q::tflite::single_rounding>::derive(x_scale, 0), "sigmoid");
  std::array<int8_t, 256> entries{};
  const q::exact::in_binary32<q::exact::sigmoid> function;
  require(q::executorch::arm::populate<int8_t>(function, x_scale, 0, 0x1p-8, -128, q::view<int8_t>(entries.data(), 256)),
          "table");
  const q::tosa::table<int8_t> table{q::view<const int8_t>(entries.data(), 256)};
  const named fixed{"TFLite", sigmoid};
  const named looked_up{"ExecuTorch Arm, TOSA's table", table};
  print_inputs("sigmoid int8", fixed, named{"TFLite, single rounding", once}, looked_up);
  compare_with_real("sigmoid int8", fixed, q::exact::sigmoid{}, x_scale, 0x1p-8, -128);
  compare_with_real("sigmoid int8", looked_up, q::exact::sigmoid{}, x_scale, 0x1p-8, -128);
  const named tanh{"TFLite", value_of(q::tflite::tanh<int8_t>::derive(x_scale, 0), "tanh")};
  compare_with_real("tanh int8", tanh, q::exact::tanh{}, x_scale, 0x1p-7, 0);
}

/// The average of `count` elements, computed from their sum.
template <class Rule>
struct average_of {
  using value_type = std::int32_t;
  std::int32_t count;
  std::int64_t operator()(std::int64_t sum) const { return Rule::apply(sum, Rule::divisor(count)); }
};
/// Compares two rules on all sums of a window of `count` int8.
template <class A, class B>
void compare_sums(const char* name_a, const A& a, const char* name_b, const B& b, std::int32_t count) {
  const q::difference d = q::compare_rules(a, b, q::interval{-128 * std::int64_t{count}, 127 * std::int64_t{count}});
  print(("mean of " + std::to_string(count)).c_str(), name_a, name_b, d);
}
void averages() {
  for (const std::int32_t count : {4, 9, 49}) {
    const average_of<q::tflite::average> tflite{count};
    compare_sums("TFLite, CMSIS-NN: pool", tflite, "TOSA: pool", average_of<q::tosa::average>{count}, count);
    compare_sums("TFLite, CMSIS-NN: pool", tflite, "oneDNN: pool", average_of<q::onednn::average>{count}, count);
    const auto mean = value_of(q::tflite::mean<int8_t>::derive(0.1f, 0, count, 0.1f, q::range_of<int8_t>()), "mean");
    compare_sums("TFLite, CMSIS-NN: pool", tflite, "TFLite: MEAN", mean, count);
  }
}

/// Prints the shortest row of int16 for which the softmax of CMSIS-NN differs from TFLite's. All elements are 32767 but the last.
void softmaxes() {
  static constexpr q::tflite::softmax_tables tables = q::tflite::make_softmax_tables();
  const auto m = value_of(q::tflite::softmax<int16_t>::derive(10.0f / 65535.0f, 1.0f), "softmax");
  q::tflite::softmax<int16_t> tflite{};
  q::cmsis_nn::softmax<int16_t> cmsis{};
  tflite.multiplier = cmsis.multiplier = m;
  tflite.exponential = cmsis.exponential = {tables.exponential};
  tflite.reciprocal = cmsis.reciprocal = {tables.reciprocal};
  for (q::index_t length = 2; length <= 16; ++length) {
    std::vector<int16_t> x(static_cast<std::size_t>(length), int16_t{32767});
    std::vector<int16_t> a(x.size()), b(x.size());
    int rows = 0;
    std::string first;
    for (std::int32_t last = -32768; last < 32767; last += is_smoke ? 4096 : 1) {
      x.back() = static_cast<int16_t>(last);
      tflite({x.data(), length}, {a.data(), length});
      cmsis({x.data(), length}, {b.data(), length});
      if (a == b) continue;
      ++rows;
      first = std::to_string(length - 1) + " of 32767, one " + std::to_string(last) + ": " + both(a[0], b[0]);
    }
    if (rows == 0) continue;
    print_row("softmax int16", "TFLite", "CMSIS-NN", 65535, static_cast<std::uint64_t>(rows), 0, first);
    return;
  }
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  using namespace bench;
  is_smoke = argc > 1 && std::strcmp(argv[1], "--smoke") == 0;
  const scales usual{"two inputs, scales of no pattern: .1234, .0567, .1511", 0.1234f, 0.0567f, 0.1511f};
  const scales equal{"two inputs, equal scales and a doubled one: .25, .25, .5", 0.25f, 0.25f, 0.5f};
  for (const scales& s : {usual, equal}) {
    print_head(s.title);
    sums<int8_t>(s);
    sums<int16_t>(s);
    products<int8_t>(s);
    products<int16_t>({s.title, s.a / 256, s.b / 256, s.y / 256});
  }
  print_head("one input");
  relus();
  answers_of_int8();
  const auto sigmoid = value_of(q::tflite::sigmoid<int16_t>::derive(0x1p-12f), "sigmoid");
  const auto tanh = value_of(q::tflite::tanh<int16_t>::derive(0x1p-12f), "tanh");
  answers_of_int16<q::exact::sigmoid>("sigmoid int16", sigmoid);
  answers_of_int16<q::exact::tanh>("tanh int16", tanh);
  print_head("sums and rows");
  averages();
  softmaxes();
}
