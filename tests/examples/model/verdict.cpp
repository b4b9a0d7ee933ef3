#include "verdict.hpp"

#include <dyadic/dyadic.hpp>
#include <dyadic/elementwise/add.hpp>
#include <dyadic/elementwise/average.hpp>
#include <dyadic/elementwise/hard_swish.hpp>
#include <dyadic/elementwise/leaky_relu.hpp>
#include <dyadic/elementwise/mean.hpp>
#include <dyadic/elementwise/multiply.hpp>
#include <dyadic/elementwise/sigmoid.hpp>
#include <dyadic/elementwise/table.hpp>
#include <dyadic/elementwise/tanh.hpp>
#include <dyadic/elementwise/tosa_softmax.hpp>
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

// The rules of operators without weights.

struct operator_rule {
  operator_id op;
  element_type type;
  q::scheme_id id;
};
template <class Rule>
operator_rule named(operator_id op) {
  return {op, q::element_type_of<typename Rule::value_type>(), q::scheme_id::of<Rule>()};
}
template <class Scheme>
std::vector<operator_rule> rules_of_tflite() {
  return {named<tfl::add<int8_t, Scheme>>(operator_id::add),
          named<tfl::add<int16_t, Scheme>>(operator_id::add),
          named<tfl::subtract<int8_t, Scheme>>(operator_id::subtract),
          named<tfl::subtract<int16_t, Scheme>>(operator_id::subtract),
          named<tfl::multiply<int8_t, Scheme>>(operator_id::multiply),
          named<tfl::multiply<int16_t, Scheme>>(operator_id::multiply),
          named<tfl::mean<int8_t, Scheme>>(operator_id::mean),
          named<tfl::mean<int16_t, Scheme>>(operator_id::mean),
          named<tfl::sum<int8_t, Scheme>>(operator_id::sum),
          named<tfl::sum<int16_t, Scheme>>(operator_id::sum),
          named<tfl::leaky_relu<int8_t, Scheme>>(operator_id::leaky_relu),
          named<tfl::leaky_relu<int16_t, Scheme>>(operator_id::leaky_relu),
          named<tfl::sigmoid<int8_t, Scheme>>(operator_id::sigmoid),
          named<tfl::tanh<int8_t, Scheme>>(operator_id::tanh),
          named<tfl::softmax<int8_t, int8_t, Scheme>>(operator_id::softmax),
          named<tfl::softmax<int16_t, int16_t, Scheme>>(operator_id::softmax)};
}
using tfl::double_rounding;
using tfl::single_rounding;

/// Every rule above and below, portable: the verdict is not timed.
const backend_kinds& portable() {
  using one = q::backend::scalar;
  static const backend_kinds kinds{
      "scalar", backends().back().layers,
      q::operator_kinds_of<
          one, tfl::add<int8_t>, tfl::add<int16_t>, tfl::subtract<int8_t>, tfl::subtract<int16_t>, tfl::multiply<int8_t>,
          tfl::multiply<int16_t>, tfl::mean<int8_t>, tfl::mean<int16_t>, tfl::sum<int8_t>, tfl::sum<int16_t>,
          tfl::leaky_relu<int8_t>, tfl::leaky_relu<int16_t>, tfl::sigmoid<int8_t>, tfl::sigmoid<int16_t>, tfl::tanh<int8_t>,
          tfl::tanh<int16_t>, tfl::softmax<int8_t>, tfl::softmax<int16_t>, tfl::hard_swish<int8_t>, tfl::table<int8_t>,
          q::average_output<int8_t, tfl::average>, q::average_output<int16_t, tfl::average>, tfl::add<int8_t, single_rounding>,
          tfl::add<int16_t, single_rounding>, tfl::subtract<int8_t, single_rounding>, tfl::subtract<int16_t, single_rounding>,
          tfl::multiply<int8_t, single_rounding>, tfl::multiply<int16_t, single_rounding>, tfl::mean<int8_t, single_rounding>,
          tfl::mean<int16_t, single_rounding>, tfl::sum<int8_t, single_rounding>, tfl::sum<int16_t, single_rounding>,
          tfl::leaky_relu<int8_t, single_rounding>, tfl::leaky_relu<int16_t, single_rounding>,
          tfl::sigmoid<int8_t, single_rounding>, tfl::tanh<int8_t, single_rounding>,
          tfl::softmax<int8_t, int8_t, single_rounding>, tfl::softmax<int16_t, int16_t, single_rounding>,
          q::cmsis_nn::add<int8_t>, q::cmsis_nn::add<int16_t>, q::cmsis_nn::multiply<int8_t>, q::cmsis_nn::multiply<int16_t>,
          q::executorch::arm::add<int8_t>, q::executorch::arm::add<int16_t>, q::executorch::arm::subtract<int8_t>,
          q::executorch::arm::subtract<int16_t>, q::executorch::arm::multiply<int8_t>, q::executorch::arm::multiply<int16_t>,
          q::tosa::softmax<int8_t>, q::xnnpack::add, q::xnnpack::multiply<int8_t>, q::xnnpack::leaky_relu<int8_t>>()};
  return kinds;
}

struct engine {
  std::string name;
  std::optional<layer_rule> of_int32;  ///< layers with accumulators of 32 bits: int8, and int16 with a bias of int32
  std::optional<layer_rule> of_int64;  ///< other layers of int16
  bool takes_int16 = true;             ///< false if `of_int32` is for int8 alone
  std::vector<operator_rule> operators;
  bool averages = true;  ///< it averages stored values as TFLite does, or by TOSA's multiplication, which is proved to be equal

  const layer_rule* of(const q::layer_spec& spec) const {
    const bool is_wide = spec.scheme == q::scheme_id::of<tfl::reduced_int64>();
    const auto& found = is_wide ? of_int64 : of_int32;
    return found && (takes_int16 || spec.x == element_type::int8) ? &*found : nullptr;
  }
  q::scheme_id of(operator_id op, element_type type) const {
    for (const operator_rule& one : operators)
      if (one.op == op && one.type == type) return one.id;
    return {};
  }
};

const std::vector<engine>& all_engines() {
  using narrow = double_rounding;
  using wide = tfl::reduced_int64;
  static const std::vector<engine> all = [] {
    const std::vector<operator_rule> of_cmsis_nn = {named<q::cmsis_nn::add<int8_t>>(operator_id::add),
                                                    named<q::cmsis_nn::add<int16_t>>(operator_id::add),
                                                    named<q::cmsis_nn::multiply<int8_t>>(operator_id::multiply),
                                                    named<q::cmsis_nn::multiply<int16_t>>(operator_id::multiply)};
    const std::vector<operator_rule> of_arm = {named<q::executorch::arm::add<int8_t>>(operator_id::add),
                                               named<q::executorch::arm::add<int16_t>>(operator_id::add),
                                               named<q::executorch::arm::subtract<int8_t>>(operator_id::subtract),
                                               named<q::executorch::arm::subtract<int16_t>>(operator_id::subtract),
                                               named<q::executorch::arm::multiply<int8_t>>(operator_id::multiply),
                                               named<q::executorch::arm::multiply<int16_t>>(operator_id::multiply),
                                               named<q::tosa::softmax<int8_t>>(operator_id::softmax)};
    const std::vector<operator_rule> of_xnnpack = {named<q::xnnpack::add>(operator_id::add),
                                                   named<q::xnnpack::multiply<int8_t>>(operator_id::multiply),
                                                   named<q::xnnpack::leaky_relu<int8_t>>(operator_id::leaky_relu)};
    return std::vector<engine>{
        {"TFLite", rule<narrow, narrow>(scale_of_tflite), rule<wide, wide>(scale_of_tflite), true,
         rules_of_tflite<double_rounding>(), true},
        {"single", rule<narrow, single_rounding>(scale_of_tflite), rule<wide, wide>(scale_of_tflite), true,
         rules_of_tflite<single_rounding>(), true},
        {"NEON,x86", rule<narrow, tfl::neon_double_rounding>(scale_of_tflite), rule<wide, wide>(scale_of_tflite), true, {}, true},
        {"CMSIS-NN", rule<narrow, q::cmsis_nn::double_rounding>(scale_of_tflite),
         rule<wide, q::cmsis_nn::requantize_s64>(scale_of_tflite), true, of_cmsis_nn, true},
        {"Helium", rule<narrow, q::cmsis_nn::mve_double_rounding>(scale_of_tflite),
         rule<wide, q::cmsis_nn::requantize_s64>(scale_of_tflite), true, of_cmsis_nn, true},
        {"TOSA", rule<narrow, q::tosa::scale32>(scale_in_binary64), rule<wide, q::tosa::scale16>(scale_in_binary64), true, of_arm,
         true},
        {"XNNPACK", rule<narrow, q::xnnpack::fp32>(scale_in_binary32), {}, false, of_xnnpack, false},
        {"exact",
         rule<narrow, q::exact::half_up>(scale_in_binary64),
         rule<wide, q::exact::half_up>(scale_in_binary64),
         true,
         {},
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
  std::vector<std::int64_t> a, b;
  sizes a_shape{}, b_shape{}, y_shape{};
  const char* unit = "";
  std::int64_t first = 0;  ///< the sum of the first row
};

template <class X>
std::vector<X> narrowed(const std::vector<std::int64_t>& all) {
  std::vector<X> to;
  for (const std::int64_t x : all) to.push_back(static_cast<X>(x));
  return to;
}
std::vector<std::int64_t> all_of(element_type type) {
  std::vector<std::int64_t> x;
  const std::int64_t half = type == element_type::int8 ? 128 : 32768;
  for (std::int64_t i = -half; i < half; ++i) x.push_back(i);
  return x;
}
/// Pairs of int8.
std::optional<trial> trial_of(const q::binary_spec& spec) {
  if (spec.type != element_type::int8) return {};
  const auto x = all_of(spec.type);
  return trial{x, x, {1, 1, 256, 1}, {1, 1, 1, 256}, {1, 1, 256, 256}, "pair"};
}
std::optional<trial> trial_of(const q::activation_spec& spec) {
  const auto x = all_of(spec.x);
  const sizes shape{1, 1, 1, static_cast<index_t>(x.size())};
  return trial{x, {}, shape, {}, shape, "input"};
}
/// Rows of elements with every sum.
std::optional<trial> trial_of(const q::mean_spec& spec) {
  const std::int64_t half = spec.type == element_type::int8 ? 128 : 32768;
  const std::int64_t sums = spec.count * (2 * half - 1) + 1;
  if (sums > (1 << 24) / spec.count) return {};
  trial t;
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
/// The outputs of a softmax depend on a whole row.
std::optional<trial> trial_of(const q::softmax_spec&) { return {}; }

template <class Spec>
operator_id operator_of(const Spec& spec) {
  return spec.op;
}
operator_id operator_of(const q::softmax_spec&) { return operator_id::softmax; }
element_type type_of(const q::binary_spec& spec) { return spec.type; }
element_type type_of(const q::activation_spec& spec) { return spec.x; }
element_type type_of(const q::mean_spec& spec) { return spec.type; }
element_type type_of(const q::softmax_spec& spec) { return spec.x; }

/// Computes the outputs of a trial by one rule.
template <class X, class Spec>
q::result<std::vector<X>> outputs_of(Spec spec, q::scheme_id id, const trial& t) {
  spec.rule = id;
  const auto a = narrowed<X>(t.a), b = narrowed<X>(t.b);
  std::vector<X> y(static_cast<std::size_t>(t.y_shape[0] * t.y_shape[1] * t.y_shape[2] * t.y_shape[3]));
  std::vector<std::uint64_t> arena(512);
  void* const begin = arena.data();
  const auto made = portable().operators.prepare(spec, {static_cast<unsigned char*>(begin), 4096});
  const auto view = [](const sizes& s, auto* data) { return q::nhwc_view(data, s[0], s[1], s[2], s[3]); };
  const q::any_output out(view(t.y_shape, y.data()));
  const q::any_input in(view(t.a_shape, a.data()));
  q::status s = made.status;
  if constexpr (std::is_same_v<Spec, q::binary_spec>) {
    const q::any_input other(view(t.b_shape, b.data()));
    if (s == q::status::ok) s = check(made.value, in, other, out);
    if (q::may_run(s)) run(made.value, in, other, out);
  } else {
    if (s == q::status::ok) s = check(made.value, in, out);
    if (q::may_run(s)) run(made.value, in, out);
  }
  return {y, q::may_run(s) ? q::status::ok : s};
}

template <class X, class Spec>
verdict decide_rules(const Spec& spec, q::scheme_id reference, q::scheme_id other) {
  const auto t = trial_of(spec);
  if (!t) return {finding::sampled, 0, 0, "too many inputs to try them all", {}};
  const auto a = outputs_of<X>(spec, reference, *t), b = outputs_of<X>(spec, other, *t);
  for (const q::status s : {a.status, b.status})
    if (s != q::status::ok) return {finding::no_rule, 0, 0, q::to_string(s), {}};
  verdict v{finding::equal, 0, static_cast<index_t>(a.value.size()), {}, {}};
  for (std::size_t i = 0; i < a.value.size(); ++i) {
    if (a.value[i] == b.value[i] || v.differing++ > 0) continue;
    const std::string unit = t->unit;
    const std::string input = unit == "pair"
                                  ? std::to_string(t->a[i / t->b.size()]) + " and " + std::to_string(t->b[i % t->b.size()])
                              : unit == "input" ? std::to_string(t->a[i])
                                                : std::to_string(t->first + static_cast<std::int64_t>(i));
    v.witness = unit + " " + input + ": " + std::to_string(a.value[i]) + " by TFLite, " + std::to_string(b.value[i]) + " here";
  }
  if (v.differing > 0) v.found = finding::differs;
  return v;
}

struct deciding {
  const step& from;

  std::vector<verdict> operator()(const q::layer_spec& spec) const {
    return spec.x == element_type::int8 ? decide_layer<int8_t>(from, spec) : decide_layer<int16_t>(from, spec);
  }
  std::vector<verdict> operator()(const copy_spec&) const {
    return std::vector<verdict>(all_engines().size(), verdict{finding::equal, 0, 0, {}, {}});
  }
  /// average.hpp proves that TOSA's multiplication gives TFLite's averages while the sum is below 2^29.
  std::vector<verdict> operator()(const q::pool_spec& spec) const {
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
    const q::scheme_id reference = all_engines()[0].of(operator_of(spec), type_of(spec));
    for (const engine& e : all_engines()) {
      const q::scheme_id other = e.of(operator_of(spec), type_of(spec));
      if (&e == &all_engines()[0])
        all.push_back({finding::equal, 0, 0, {}, {}});
      else if (other == q::scheme_id{})
        all.push_back({});
      else
        all.push_back(type_of(spec) == element_type::int8 ? decide_rules<int8_t>(spec, reference, other)
                                                          : decide_rules<int16_t>(spec, reference, other));
    }
    return all;
  }
};

// Whole networks.

/// The accumulators of layers, portable.
const q::layer_kinds& kinds_of_sums() {
  using one = q::backend::scalar;
  static const q::layer_kinds kinds = q::layer_kinds_of<
      one, q::kind<q::op::conv2d, int8_t, int8_t, void, std::int32_t>,
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

/// Gives a description the rule of an engine, or TFLite's where the engine has none, or none for these scales.
template <class Spec>
void choose_rule(Spec& spec, const engine& e) {
  std::vector<std::uint64_t> arena(512);
  void* const begin = arena.data();
  spec.rule = e.of(operator_of(spec), type_of(spec));
  const q::status s = portable().operators.prepare(spec, {static_cast<unsigned char*>(begin), 4096}).status;
  if (spec.rule == q::scheme_id{} || s != q::status::ok) spec.rule = all_engines()[0].of(operator_of(spec), type_of(spec));
}
void choose_rule(q::layer_spec&, const engine&) {}
void choose_rule(q::pool_spec&, const engine&) {}
void choose_rule(copy_spec&, const engine&) {}

std::vector<step> with_rules(std::vector<step> steps, const engine& e) {
  for (step& s : steps) std::visit([&](auto& spec) { choose_rule(spec, e); }, s.what);
  return steps;
}

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
  const auto run_by = [&](const std::vector<step>& with, const engine& e) {
    auto p = std::make_unique<program>(net, with, portable(), kept::all);
    for (std::size_t i = 0; i < with.size(); ++i) {
      const auto* const spec = std::get_if<q::layer_spec>(&with[i].what);
      const layer_rule* const by = spec == nullptr ? nullptr : e.of(*spec);
      if (by == nullptr || &e == &all_engines()[0]) continue;
      const unsigned char* const x = p->data(with[i].inputs[0]);
      unsigned char* const y = p->data(with[i].output);
      auto run = spec->x == element_type::int8 ? layer_by<int8_t, std::int32_t>(with[i], *spec, *by, x, y)
                                               : layer_by<int16_t, std::int64_t>(with[i], *spec, *by, x, y);
      if (run) p->replace(i, std::move(run));
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) std::memcpy(p->data(net.inputs[i]), inputs[i].data(), inputs[i].size());
    p->run();
    return p;
  };
  std::vector<std::vector<growth>> all;
  const auto reference_steps = with_rules(steps, all_engines()[0]);
  const auto reference = run_by(reference_steps, all_engines()[0]);
  for (const engine& e : all_engines()) {
    const auto own_steps = with_rules(steps, e);
    const auto own = run_by(own_steps, e);
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
