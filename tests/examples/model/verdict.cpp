#include "verdict.hpp"

#include <dyadic/dyadic.hpp>
#include <dyadic/elementwise/add.hpp>
#include <dyadic/elementwise/average.hpp>
#include <dyadic/elementwise/comparison.hpp>
#include <dyadic/elementwise/divide.hpp>
#include <dyadic/elementwise/extremes.hpp>
#include <dyadic/elementwise/hard_swish.hpp>
#include <dyadic/elementwise/leaky_relu.hpp>
#include <dyadic/elementwise/log_softmax.hpp>
#include <dyadic/elementwise/mean.hpp>
#include <dyadic/elementwise/multiply.hpp>
#include <dyadic/elementwise/norm.hpp>
#include <dyadic/elementwise/prelu.hpp>
#include <dyadic/elementwise/requantize.hpp>
#include <dyadic/elementwise/resize.hpp>
#include <dyadic/elementwise/sigmoid.hpp>
#include <dyadic/elementwise/squared_difference.hpp>
#include <dyadic/elementwise/table.hpp>
#include <dyadic/elementwise/tanh.hpp>
#include <dyadic/elementwise/tosa_softmax.hpp>
#include <dyadic/elementwise/unary.hpp>
#include <dyadic/explain.hpp>
#include <dyadic/schemes.hpp>
#include <dyadic/thresholds.hpp>
#include <dyadic/witness.hpp>

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>

namespace model {
namespace {

namespace tfl = q::tflite;
using q::element_type;
using q::index_t;
using q::operator_id;
using std::int16_t;
using std::int8_t;

// The rules of layers.

/// The rule of an engine from accumulators to outputs, beside the reference.
struct layer_rule {
  q::any_scheme scheme;
  double (*scale)(const layer_scales&, std::size_t channel);
  q::result<q::difference> (*compare)(double reference_scale, double scale, q::output_range range, q::interval accs);
  std::string (*explain)(std::int64_t acc, double scale);
};

double scale_of_tflite(const layer_scales& s, std::size_t c) { return s.derived[s.derived.size() == 1 ? 0 : c]; }
double scale_in_binary64(const layer_scales& s, std::size_t c) {
  return q::double_product_scale(s.x, s.w[s.w.size() == 1 ? 0 : c], s.y).to_double();
}
double scale_in_binary32(const layer_scales& s, std::size_t c) {
  const auto w = static_cast<float>(s.w[s.w.size() == 1 ? 0 : c]);
  return q::binary64{q::float_scale(static_cast<float>(s.x), w, static_cast<float>(s.y))}.to_double();
}

/// Derives as the scheme does. Schemes of binary32 take the scale rounded to binary32.
template <class Scheme>
q::result<typename Scheme::multiplier_type> derive(double scale) {
  if constexpr (std::is_invocable_v<decltype(Scheme::derive), q::binary64>)
    return Scheme::derive(q::binary64{scale});
  else
    return Scheme::derive(q::narrow(q::binary64{scale}));
}
template <class Reference, class Scheme>
q::result<q::difference> compare(double reference_scale, double scale, q::output_range range, q::interval accs) {
  const auto a = derive<Reference>(reference_scale);
  const auto b = derive<Scheme>(scale);
  if (a.status != q::status::ok || b.status != q::status::ok) return {{}, a.status != q::status::ok ? a.status : b.status};
  return q::compare_thresholds(q::rule_of<Reference>(a.value, range), q::rule_of<Scheme>(b.value, range), accs);
}
template <class Scheme>
std::string explain(std::int64_t acc, double scale) {
  return q::to_string(q::explain<Scheme>(static_cast<typename Scheme::accumulator>(acc), derive<Scheme>(scale).value)).c_str();
}
template <class Reference, class Scheme>
layer_rule rule(double (*scale)(const layer_scales&, std::size_t)) {
  return {q::any_scheme{q::named_scheme<Scheme>{""}}, scale, compare<Reference, Scheme>, explain<Scheme>};
}

// The rules of operators without weights, portable: the verdict is not timed.

using std::int32_t;
using std::uint8_t;
using tfl::double_rounding;
using tfl::single_rounding;
using scalar = q::backend::scalar;

const backend_kinds& portable() { return backends().back(); }

/// TFLite's rules in a build with one rounding, which is the scheme.
template <class Scheme>
q::operator_kinds rules_of_single() {
  return q::operator_kinds_of<
      scalar, tfl::add<int8_t, Scheme>, tfl::add<int16_t, Scheme>, tfl::subtract<int8_t, Scheme>, tfl::subtract<int16_t, Scheme>,
      tfl::multiply<int8_t, Scheme>, tfl::multiply<int16_t, Scheme>, tfl::divide<int8_t, Scheme>, tfl::divide<int16_t, Scheme>,
      tfl::squared_difference<int8_t, Scheme>, tfl::squared_difference<int16_t, Scheme>, tfl::prelu<int8_t, Scheme>,
      tfl::prelu<int16_t, Scheme>, tfl::compare<int8_t, operator_id::equal, Scheme>,
      tfl::compare<int8_t, operator_id::not_equal, Scheme>, tfl::compare<int8_t, operator_id::greater, Scheme>,
      tfl::compare<int8_t, operator_id::greater_equal, Scheme>, tfl::compare<int8_t, operator_id::less, Scheme>,
      tfl::compare<int8_t, operator_id::less_equal, Scheme>, tfl::mean<int8_t, Scheme>, tfl::mean<int16_t, Scheme>,
      tfl::sum<int8_t, Scheme>, tfl::sum<int16_t, Scheme>, tfl::softmax<int8_t, int8_t, Scheme>,
      tfl::softmax<int8_t, int16_t, Scheme>, tfl::softmax<int16_t, int16_t, Scheme>, tfl::log_softmax<Scheme>,
      tfl::l2_norm<Scheme>, tfl::sigmoid<int8_t, Scheme>, tfl::sigmoid<int16_t>, tfl::tanh<int8_t, Scheme>, tfl::tanh<int16_t>,
      tfl::leaky_relu<int8_t, Scheme>, tfl::leaky_relu<int16_t, Scheme>, tfl::hard_swish<int8_t>, tfl::abs<int8_t, Scheme>,
      tfl::abs<int16_t, Scheme>, tfl::rsqrt<Scheme>, tfl::resize_bilinear<int8_t, q::half_up>,
      tfl::resize_bilinear<int16_t, q::half_up>, tfl::resize_nearest<int8_t>, tfl::resize_nearest<int16_t>,
      tfl::requantize<int8_t, int8_t, Scheme>, tfl::requantize<int8_t, uint8_t, Scheme>, tfl::requantize<int8_t, int16_t, Scheme>,
      tfl::requantize<int8_t, int32_t, Scheme>, tfl::requantize<uint8_t, int8_t, Scheme>,
      tfl::requantize<uint8_t, uint8_t, Scheme>, tfl::requantize<int16_t, int8_t, Scheme>,
      tfl::requantize<int16_t, int16_t, Scheme>, tfl::requantize<int16_t, int32_t, Scheme>,
      tfl::requantize<int32_t, int8_t, Scheme>, tfl::requantize<int32_t, int16_t, Scheme>>();
}

struct engine {
  std::string name;
  std::optional<layer_rule> of_int32;  ///< layers with accumulators of 32 bits: int8, and int16 with a bias of int32
  std::optional<layer_rule> of_int64;  ///< other layers of int16
  bool takes_int16 = true;             ///< false if `of_int32` is for int8 alone
  q::operator_kinds operators;         ///< its rules for operators without weights
  preparation typed_spec::*typed;      ///< its rules for other layers, or null
  bool averages = true;  ///< it averages stored values as TFLite does, or by TOSA's multiplication, which is proved to be equal

  const layer_rule* of(const q::layer_spec& spec) const {
    const bool is_wide = spec.scheme == q::scheme_id::of<tfl::reduced_int64>();
    const auto& found = is_wide ? of_int64 : of_int32;
    return found && (takes_int16 || spec.x == element_type::int8) ? &*found : nullptr;
  }
};

const std::vector<engine>& all_engines() {
  using narrow = double_rounding;
  using wide = tfl::reduced_int64;
  static const std::vector<engine> all = [] {
    namespace arm = q::executorch::arm;
    const auto of_cmsis_nn =
        q::operator_kinds_of<scalar, q::cmsis_nn::add<int8_t>, q::cmsis_nn::add<int16_t>, q::cmsis_nn::multiply<int8_t>,
                             q::cmsis_nn::multiply<int16_t>, q::cmsis_nn::softmax<int8_t>, q::cmsis_nn::softmax<int8_t, int16_t>,
                             q::cmsis_nn::softmax<int16_t>>();
    const auto of_arm =
        q::operator_kinds_of<scalar, arm::add<int8_t>, arm::add<int16_t>, arm::subtract<int8_t>, arm::subtract<int16_t>,
                             arm::multiply<int8_t>, arm::multiply<int16_t>, q::tosa::softmax<int8_t>>();
    const auto of_xnnpack = q::operator_kinds_of<scalar, q::xnnpack::add, q::xnnpack::convert, q::xnnpack::multiply<int8_t>,
                                                 q::xnnpack::leaky_relu<int8_t>>();
    return std::vector<engine>{
        {"TFLite", rule<narrow, narrow>(scale_of_tflite), rule<wide, wide>(scale_of_tflite), true, portable().operators,
         &typed_spec::prepare, true},
        {"single", rule<narrow, single_rounding>(scale_of_tflite), rule<wide, wide>(scale_of_tflite), true,
         rules_of_single<single_rounding>(), &typed_spec::in_one_rounding, true},
        {"NEON,x86",
         rule<narrow, tfl::neon_double_rounding>(scale_of_tflite),
         rule<wide, wide>(scale_of_tflite),
         true,
         {},
         nullptr,
         true},
        {"CMSIS-NN", rule<narrow, q::cmsis_nn::double_rounding>(scale_of_tflite),
         rule<wide, q::cmsis_nn::requantize_s64>(scale_of_tflite), true, of_cmsis_nn, &typed_spec::in_cmsis_nn, true},
        {"Helium", rule<narrow, q::cmsis_nn::mve_double_rounding>(scale_of_tflite),
         rule<wide, q::cmsis_nn::requantize_s64>(scale_of_tflite), true, of_cmsis_nn, &typed_spec::in_cmsis_nn, true},
        {"TOSA", rule<narrow, q::tosa::scale32>(scale_in_binary64), rule<wide, q::tosa::scale16>(scale_in_binary64), true, of_arm,
         nullptr, true},
        {"XNNPACK", rule<narrow, q::xnnpack::fp32>(scale_in_binary32), {}, false, of_xnnpack, nullptr, false},
        {"exact",
         rule<narrow, q::exact::half_up>(scale_in_binary64),
         rule<wide, q::exact::half_up>(scale_in_binary64),
         true,
         {},
         nullptr,
         false}};
  }();
  return all;
}

// Layers.

/// The weights of a layer as rows, one for each channel. A transposed convolution has a row for each phase of the stride and each
/// channel, because an output reads the taps of one phase.
class sums_of_layer {
 public:
  explicit sums_of_layer(const q::layer_spec& spec) : spec_{spec} {
    const auto* const w = static_cast<const int8_t*>(spec.weights);
    const index_t taps = spec.op == q::layer_op::linear ? 1 : spec.window.y.kernel * spec.window.x.kernel;
    const bool is_depthwise = spec.op == q::layer_op::depthwise;
    length_ = taps * spec.depth;
    const bool has_phases = spec.op == q::layer_op::transposed_conv2d;
    // Phases beyond the kernel have no taps, and count as one.
    const auto phases = [&](const q::window1d& axis) { return has_phases ? std::min(axis.stride, axis.kernel + 1) : 1; };
    const index_t x_phases = phases(spec.window.x);
    phases_ = phases(spec.window.y) * x_phases;
    for (index_t c = 0; c < spec.channels; ++c)
      for (index_t phase = 0; phase < phases_; ++phase)
        for (index_t k = 0; k < length_; ++k) {
          const index_t tap = k / spec.depth;
          const bool is_read = !has_phases || (tap / spec.window.x.kernel % spec.window.y.stride == phase / x_phases &&
                                               tap % spec.window.x.kernel % spec.window.x.stride == phase % x_phases);
          const int8_t weight = w[is_depthwise ? k * spec.channels + c : c * length_ + k];
          weights_.push_back(is_read ? weight : static_cast<int8_t>(spec.zero.w));
        }
  }
  index_t count() const { return spec_.channels * phases_; }
  index_t channel(index_t row) const { return row / phases_; }

  /// Calls use(layer) with a layer of one channel, whose output rounds the sum in any way.
  template <class X, class Use>
  auto with(index_t row, const Use& use) const {
    const std::int64_t bias[] = {spec_.bias.empty() ? 0 : spec_.bias[channel(row)]};
    std::int64_t constants[1] = {};
    const q::matrix_view<const int8_t> w(weights_.data() + row * length_, 1, length_);
    const auto folded = q::fold<X>(w, bias, spec_.zero, constants);
    const q::per_tensor_output<std::int32_t, q::exact::half_up> output{q::exact::half_up::derive(0.5).value};
    return use(q::linear_layer{w, folded.value, output});
  }
  /// Returns the accumulators that inputs of type X allow.
  template <class X>
  q::interval bound(index_t row) const {
    return with<X>(row, [](const auto& layer) {
      return q::interval{layer.bias.record.bound.lowest, layer.bias.record.bound.highest};
    });
  }
  /// Returns inputs that give a sum, or nothing. A plain loop computes the sum once more.
  template <class X>
  std::vector<X> inputs_of(index_t row, std::int64_t acc) const {
    std::vector<X> x(static_cast<std::size_t>(length_));
    const q::status s = with<X>(row, [&](const auto& layer) { return q::find_witness(layer, 0, acc, x); });
    std::int64_t sum = spec_.bias.empty() ? 0 : spec_.bias[channel(row)];
    for (index_t k = 0; k < length_; ++k)
      sum += (std::int64_t{x[static_cast<std::size_t>(k)]} - spec_.zero.x) *
             (weights_[static_cast<std::size_t>(row * length_ + k)] - spec_.zero.w);
    return s == q::status::ok && sum == acc ? x : std::vector<X>{};
  }

 private:
  const q::layer_spec& spec_;
  index_t length_ = 0;
  index_t phases_ = 1;
  std::vector<int8_t> weights_;
};

/// Prints inputs: those that are not the zero point, by their place.
template <class X>
std::string to_string(const std::vector<X>& x, std::int32_t zero) {
  std::string text;
  int shown = 0, all = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    if (x[k] == zero || (all++, shown == 4)) continue;
    text += (shown++ == 0 ? "" : ", ") + ("x[" + std::to_string(k) + "] = ") + std::to_string(x[k]);
  }
  if (all > shown) text += " and " + std::to_string(all - shown) + " more";
  return (all == 0 ? "x = " : text + ", others ") + std::to_string(zero);
}

template <class X>
verdict decide_layer(const step& s, const q::layer_spec& spec, const sums_of_layer& sums, const std::vector<q::interval>& bounds,
                     const layer_rule& of_reference, const layer_rule& of_engine) {
  verdict v;
  v.found = finding::equal;
  v.compared = spec.channels;
  if (of_engine.compare == of_reference.compare && of_engine.scale == of_reference.scale) return v;  // the same rule
  index_t before = -1;
  for (index_t row = 0; row < sums.count(); ++row) {
    const auto c = static_cast<std::size_t>(sums.channel(row));
    const std::string in_channel = "channel " + std::to_string(c) + ": ";
    const double a = of_reference.scale(s.scales, c), b = of_engine.scale(s.scales, c);
    if (const q::status none = of_engine.scheme.derive(b).status; none != q::status::ok)
      return {finding::no_rule, 0, 0, in_channel + q::to_string(none), {}};
    const auto d = of_engine.compare(a, b, spec.range, bounds[static_cast<std::size_t>(row)]);
    if (d.status != q::status::ok) return {finding::sampled, 0, 0, in_channel + q::to_string(d.status), {}};
    if (d.value.differing == 0) continue;
    v.found = finding::differs;
    v.differing += sums.channel(row) != before;
    before = sums.channel(row);
    if (!v.witness.empty()) continue;
    for (const q::sample& at : {d.value.smallest, d.value.worst, d.value.first}) {
      const std::vector<X> x = sums.inputs_of<X>(row, at.acc);
      if (x.empty()) continue;
      v.witness = "channel " + std::to_string(c) + ", accumulator " + std::to_string(at.acc) + " by " +
                  to_string(x, spec.zero.x) + ": " + std::to_string(at.a) + " by TFLite, " + std::to_string(at.b) + " here";
      v.steps = "TFLite: " + of_reference.explain(at.acc, a) + "\nhere:   " + of_engine.explain(at.acc, b);
      break;
    }
  }
  if (v.found == finding::differs && v.witness.empty()) v.witness = "no input is known that gives one of these accumulators";
  return v;
}

template <class X>
std::vector<verdict> decide_layer(const step& s, const q::layer_spec& spec) {
  const sums_of_layer sums(spec);
  std::vector<q::interval> bounds;
  for (index_t row = 0; row < sums.count(); ++row) bounds.push_back(sums.bound<X>(row));
  std::vector<verdict> all;
  for (const engine& e : all_engines()) {
    const layer_rule* const one = e.of(spec);
    all.push_back(one == nullptr ? verdict{} : decide_layer<X>(s, spec, sums, bounds, *all_engines()[0].of(spec), *one));
  }
  return all;
}

// Operators without weights: all inputs are computed by both rules.

/// Inputs that show all that a rule may do, and the shape of the outputs.
struct trial {
  element_type a_type, b_type, y_type;
  std::vector<std::int64_t> a, b;
  sizes a_shape{}, b_shape{}, y_shape{};
  const char* unit = "";
  std::int64_t first = 0;  ///< the sum of the first row
};

/// Calls use(0) with a number of the type.
template <class Use>
auto with_type(element_type type, const Use& use) {
  switch (type) {
    case element_type::int8: return use(int8_t{});
    case element_type::uint8: return use(uint8_t{});
    case element_type::int16: return use(int16_t{});
    default: return use(int32_t{});
  }
}
std::vector<std::int64_t> all_of(element_type type) {
  std::vector<std::int64_t> x;
  with_type(type, [&](auto of) {
    for (std::int64_t i = q::limits<decltype(of)>::min; i <= q::limits<decltype(of)>::max; ++i) x.push_back(i);
  });
  return x;
}
/// Pairs of int8.
std::optional<trial> trial_of(const q::binary_spec& spec) {
  if (spec.type != element_type::int8) return {};
  const auto x = all_of(spec.type);
  const bool compares = spec.op >= operator_id::equal && spec.op <= operator_id::less_equal;
  const element_type y = compares ? element_type::uint8 : spec.type;
  return trial{spec.type, spec.type, y, x, x, {1, 1, 256, 1}, {1, 1, 1, 256}, {1, 1, 256, 256}, "pair"};
}
std::optional<trial> trial_of(const q::activation_spec& spec) {
  if (spec.x == element_type::int32) return {};
  const auto x = all_of(spec.x);
  const sizes shape{1, 1, 1, static_cast<index_t>(x.size())};
  return trial{spec.x, spec.x, spec.y, x, {}, shape, {}, shape, "input"};
}
/// Rows of elements with every sum.
std::optional<trial> trial_of(const q::mean_spec& spec) {
  const std::int64_t half = spec.type == element_type::int8 ? 128 : 32768;
  const std::int64_t sums = spec.count * (2 * half - 1) + 1;
  if (sums > (1 << 24) / spec.count) return {};
  trial t{};
  t.a_type = t.b_type = t.y_type = spec.type;
  t.unit = "sum";
  t.first = -half * spec.count;
  for (std::int64_t sum = t.first; sum <= (half - 1) * spec.count; ++sum)
    for (index_t i = 0; i < spec.count; ++i) {
      const std::int64_t base = (sum + half * spec.count) / spec.count - half;
      t.a.push_back(base + (i < sum - base * spec.count ? 1 : 0));
    }
  t.a_shape = {sums, 1, spec.count, 1};
  t.y_shape = {sums, 1, 1, 1};
  return t;
}
/// Outputs of other operators depend on a whole row or image.
template <class Spec>
std::optional<trial> trial_of(const Spec&) {
  return {};
}

/// Elements of any type.
struct elements {
  element_type type;
  sizes shape;
  std::vector<int32_t> memory;

  elements(element_type of, const sizes& s, const std::vector<std::int64_t>& from)
      : type(of), shape(s), memory(static_cast<std::size_t>(s[0] * s[1] * s[2] * s[3]) + 1) {
    with_type(type, [&](auto t) {
      for (std::size_t i = 0; i < from.size(); ++i) static_cast<decltype(t)*>(data())[i] = static_cast<decltype(t)>(from[i]);
    });
  }
  void* data() { return memory.data(); }
  template <class View>
  View view() {
    return {type, data(), shape[0], shape[1], shape[2], shape[3]};
  }
  std::int64_t operator[](std::size_t i) {
    return with_type(type, [&](auto t) { return std::int64_t{static_cast<decltype(t)*>(data())[i]}; });
  }
};

/// Returns what runs an operator by the rule of an engine, in memory of its own. `s` is why it may not run.
template <class Spec>
std::function<void()> operator_by(const q::operator_kinds& kinds, const Spec& spec, const operands& x, const q::any_output& y,
                                  q::status& s) {
  const auto bytes = kinds.bytes(spec);
  auto arena = std::make_shared<std::vector<std::uint64_t>>(static_cast<std::size_t>(bytes.value / 8 + 1));
  void* const begin = arena->data();
  const auto made = kinds.prepare(spec, {static_cast<unsigned char*>(begin), static_cast<index_t>(arena->size()) * 8});
  if constexpr (std::is_same_v<Spec, q::binary_spec>) {
    s = check(made.value, x[0], x[1], y);
    return [arena, op = made.value, x, y] { run(op, x[0], x[1], y); };
  } else {
    s = check(made.value, x[0], y);
    return [arena, op = made.value, x, y] { run(op, x[0], y); };
  }
}

/// True for operators that compare elements and round nothing: all engines give the same.
constexpr bool compares_elements(operator_id op) {
  return op == operator_id::maximum || op == operator_id::minimum || op == operator_id::max_pool ||
         op == operator_id::reduce_max || op == operator_id::reduce_min;
}

template <class Spec>
verdict decide_rules(const Spec& spec, const engine& reference, const engine& other) {
  const verdict equal{finding::equal, 0, 0, {}, {}};
  if (&reference == &other || compares_elements(spec.op)) return equal;
  if (other.operators.bytes(spec).status != q::status::ok) return {};
  if (spec.op == operator_id::resize_nearest) return equal;  // TFLite's positions, in both of its builds
  const auto t = trial_of(spec);
  if (!t) return {finding::sampled, 0, 0, "too many inputs to try them all", {}};
  elements a(t->a_type, t->a_shape, t->a), b(t->b_type, t->b_shape, t->b);
  elements y[] = {elements(t->y_type, t->y_shape, {}), elements(t->y_type, t->y_shape, {})};
  for (const bool is_other : {false, true}) {
    q::status s = q::status::ok;
    const operands x{a.view<q::any_input>(), b.view<q::any_input>()};
    const auto run =
        operator_by((is_other ? other : reference).operators, spec, x, y[is_other].template view<q::any_output>(), s);
    if (!q::may_run(s)) return {finding::no_rule, 0, 0, q::to_string(s), {}};
    run();
  }
  verdict v{finding::equal, 0, t->y_shape[0] * t->y_shape[1] * t->y_shape[2] * t->y_shape[3], {}, {}};
  for (std::size_t i = 0; i < static_cast<std::size_t>(v.compared); ++i) {
    if (y[0][i] == y[1][i] || v.differing++ > 0) continue;
    const std::string unit = t->unit;
    const std::string input = unit == "pair"
                                  ? std::to_string(t->a[i / t->b.size()]) + " and " + std::to_string(t->b[i % t->b.size()])
                              : unit == "input" ? std::to_string(t->a[i])
                                                : std::to_string(t->first + static_cast<std::int64_t>(i));
    v.witness = unit + " " + input + ": " + std::to_string(y[0][i]) + " by TFLite, " + std::to_string(y[1][i]) + " here";
  }
  if (v.differing > 0) v.found = finding::differs;
  return v;
}

struct deciding {
  const step& from;

  std::vector<verdict> operator()(const q::layer_spec& spec) const {
    return spec.x == element_type::int8 ? decide_layer<int8_t>(from, spec) : decide_layer<int16_t>(from, spec);
  }
  /// Elements that are moved are equal in all engines. LiteRT alone rescales the inputs of a concatenation.
  std::vector<verdict> operator()(const moves_spec& spec) const {
    return equal_in(std::all_of(spec.moves.begin(), spec.moves.end(), [](const element_move& m) { return m.table.empty(); }));
  }
  std::vector<verdict> operator()(const typed_spec& spec) const {
    std::vector<verdict> all = equal_in(spec.in_all_engines);
    for (std::size_t i = 1; i < all.size(); ++i)
      if (const auto by = all_engines()[i].typed; by != nullptr && spec.*by)
        all[i] = {finding::sampled, 0, 0, "too many inputs to try them all", {}};
    return all;
  }
  /// average.hpp proves that TOSA's multiplication gives TFLite's averages while the sum is below 2^29.
  std::vector<verdict> operator()(const q::pool_spec& spec) const {
    if (compares_elements(spec.op)) return equal_in(true);
    std::vector<verdict> all;
    const index_t most = spec.type == element_type::int8 ? 1 << 22 : 1 << 14;
    const bool is_proved = spec.window.y.kernel < most / spec.window.x.kernel;
    for (const engine& e : all_engines())
      all.push_back({e.averages && is_proved ? finding::equal : finding::no_rule, 0, 0, {}, {}});
    return all;
  }
  template <class Spec>
  std::vector<verdict> operator()(const Spec& spec) const {
    std::vector<verdict> all;
    for (const engine& e : all_engines()) all.push_back(decide_rules(spec, all_engines()[0], e));
    return all;
  }
  /// Equal in all engines, or in the reference alone, because the others have no rule.
  static std::vector<verdict> equal_in(bool all_others) {
    std::vector<verdict> all(all_engines().size(), verdict{all_others ? finding::equal : finding::no_rule, 0, 0, {}, {}});
    all[0].found = finding::equal;
    return all;
  }
};

// Whole networks.

/// The accumulators of layers, portable.
const q::layer_kinds& kinds_of_sums() {
  static const q::layer_kinds kinds = q::layer_kinds_of<
      scalar, q::kind<q::op::conv2d, int8_t, int8_t, void, std::int32_t>,
      q::kind<q::op::depthwise, int8_t, int8_t, void, std::int32_t>, q::kind<q::op::linear, int8_t, int8_t, void, std::int32_t>,
      q::kind<q::op::transposed_conv2d, int8_t, int8_t, void, std::int32_t>,
      q::kind<q::op::conv2d, int16_t, int8_t, void, std::int64_t>, q::kind<q::op::depthwise, int16_t, int8_t, void, std::int64_t>,
      q::kind<q::op::linear, int16_t, int8_t, void, std::int64_t>,
      q::kind<q::op::transposed_conv2d, int16_t, int8_t, void, std::int64_t>>();
  return kinds;
}

/// Runs a layer by any rule: its accumulators, then an output of each. Returns nothing if the rule has no multiplier for a scale.
template <class X, class Sum>
std::function<void()> layer_by(const step& s, q::layer_spec spec, const layer_rule& by, const unsigned char* x,
                               unsigned char* y) {
  spec.y = q::element_type_of<Sum>();
  spec.scheme = {};
  spec.multipliers = {};
  const q::output_range range = spec.range;
  spec.range = {};
  std::vector<q::any_rule> rules;
  for (index_t c = 0; c < spec.channels; ++c) {
    const auto one = by.scheme.derive(by.scale(s.scales, static_cast<std::size_t>(c)));
    if (one.status != q::status::ok) return {};
    rules.push_back(one.value);
  }
  const auto bytes = kinds_of_sums().bytes(spec);
  auto arena = std::make_shared<std::vector<std::uint64_t>>(static_cast<std::size_t>(bytes.value / 8 + 1));
  void* const begin = arena->data();
  const auto made = kinds_of_sums().prepare(spec, {static_cast<unsigned char*>(begin), static_cast<index_t>(arena->size()) * 8});
  if (made.status != q::status::ok) throw refused(s.from->name + ": " + q::to_string(made.status));
  auto sums = std::make_shared<std::vector<Sum>>(static_cast<std::size_t>(s.y[0] * s.y[1] * s.y[2] * s.y[3]));
  const q::any_input in(spec.x, x, s.x[0][0], s.x[0][1], s.x[0][2], s.x[0][3]);
  const q::any_output out(spec.y, sums->data(), s.y[0], s.y[1], s.y[2], s.y[3]);
  void* const to = y;
  return [=, layer = made.value] {
    static_cast<void>(arena);
    run(layer, in, out);
    for (std::size_t i = 0; i < sums->size(); ++i)
      static_cast<X*>(to)[i] = static_cast<X>(rules[i % rules.size()]((*sums)[i], range));
  };
}

/// Returns what runs a step by the rule of an engine, or nothing if the engine has no rule for it or for its scales.
struct running_by {
  const engine& by;
  const network& net;
  const step& s;
  program& p;

  template <class View>
  View view(int t, const sizes& shape) const {
    return {net.tensors[static_cast<std::size_t>(t)].element, p.data(t), shape[0], shape[1], shape[2], shape[3]};
  }
  std::function<void()> operator()(const q::layer_spec& spec) const {
    const layer_rule* const rule = by.of(spec);
    if (rule == nullptr) return {};
    const unsigned char* const x = p.data(s.inputs[0]);
    return spec.x == element_type::int8 ? layer_by<int8_t, int32_t>(s, spec, *rule, x, p.data(s.output))
                                        : layer_by<int16_t, std::int64_t>(s, spec, *rule, x, p.data(s.output));
  }
  std::function<void()> operator()(const moves_spec&) const { return {}; }
  template <class Spec>
  std::function<void()> operator()(const Spec& spec) const {
    operands x;
    for (std::size_t k = 0; k < s.inputs.size(); ++k) x.push_back(view<q::any_input>(s.inputs[k], s.x[k]));
    const auto y = view<q::any_output>(s.output, s.y);
    q::status status = q::status::ok;
    std::function<void()> run;
    if constexpr (!std::is_same_v<Spec, typed_spec>)
      run = operator_by(by.operators, spec, x, y, status);
    else if (by.typed != nullptr && spec.*by.typed)
      run = (spec.*by.typed)(portable(), x, y, status);
    return q::may_run(status) ? run : std::function<void()>{};
  }
};

template <class X>
growth compare_outputs(const void* a, const void* b, index_t count) {
  growth g{0, count, 0};
  for (index_t i = 0; i < count; ++i) {
    const std::int64_t apart = std::int64_t{static_cast<const X*>(a)[i]} - static_cast<const X*>(b)[i];
    g.differing += apart != 0;
    g.worst = std::max(g.worst, apart < 0 ? -apart : apart);
  }
  return g;
}

}  // namespace

const std::vector<std::string>& engines() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const engine& e : all_engines()) all.push_back(e.name);
    return all;
  }();
  return names;
}

std::vector<verdict> decide(const step& s) { return std::visit(deciding{s}, s.what); }

std::vector<std::vector<growth>> compare_runs(const network& net, const std::vector<step>& steps,
                                              const std::vector<std::vector<unsigned char>>& inputs) {
  const auto run_by = [&](const engine& e) {
    auto p = std::make_unique<program>(net, steps, portable(), kept::all);
    for (std::size_t i = 0; i < steps.size() && &e != &all_engines()[0]; ++i)
      if (auto run = std::visit(running_by{e, net, steps[i], *p}, steps[i].what)) p->replace(i, std::move(run));
    for (std::size_t i = 0; i < inputs.size(); ++i) std::memcpy(p->data(net.inputs[i]), inputs[i].data(), inputs[i].size());
    p->run();
    return p;
  };
  std::vector<std::vector<growth>> all;
  const auto reference = run_by(all_engines()[0]);
  for (const engine& e : all_engines()) {
    const auto own = run_by(e);
    std::vector<growth> of_engine;
    for (const step& s : steps) {
      const tensor& y = net.tensors[static_cast<std::size_t>(s.output)];
      const void* const a = reference->data(s.output);
      const void* const b = own->data(s.output);
      of_engine.push_back(y.element == element_type::int16  ? compare_outputs<int16_t>(a, b, y.count)
                          : y.element == element_type::int8 ? compare_outputs<int8_t>(a, b, y.count)
                                                            : compare_outputs<unsigned char>(a, b, y.bytes));
    }
    all.push_back(of_engine);
  }
  return all;
}

}  // namespace model
