#include "operators.hpp"

#include <dyadic/elementwise/activation_range.hpp>
#include <dyadic/elementwise/softmax_tables.hpp>
#include <dyadic/layer_scheme.hpp>
#include <dyadic/scale.hpp>

#include <algorithm>
#include <cmath>

namespace model {
namespace {

using q::element_type;
using q::operator_id;

/// Reads one operator, and refuses what its kernel does not take.
struct reader {
  const network& net;
  const operation& op;
  step to;

  void require(bool holds, const std::string& why) const {
    if (!holds) throw refused(op.name + ": " + why);
  }
  template <class T>
  T value_of(const q::result<T>& r, const std::string& what) const {
    require(r.status == q::status::ok, what + ": " + q::to_string(r.status));
    return r.value;
  }
  template <class Options>
  const Options& options_of(const Options* o) const {
    require(o != nullptr, "without its options");
    return *o;
  }

  void require_tensors(std::size_t least, std::size_t most) const {
    require(op.inputs.size() >= least && op.inputs.size() <= most && op.outputs.size() == 1,
            std::to_string(op.inputs.size()) + " inputs and " + std::to_string(op.outputs.size()) + " outputs");
    for (std::size_t i = 0; i < least; ++i) require(op.inputs[i] >= 0, "input " + std::to_string(i) + " is absent");
  }
  bool has(std::size_t i) const { return i < op.inputs.size() && op.inputs[i] >= 0; }
  const tensor& in(std::size_t i) const { return net.tensors[static_cast<std::size_t>(op.inputs[i])]; }
  const tensor& out() const { return net.tensors[static_cast<std::size_t>(op.outputs[0])]; }
  /// Returns the type of the activations, and requires that x and y have it.
  element_type activations(std::size_t x = 0) const {
    const element_type type = in(x).element;
    require(type == element_type::int8 || type == element_type::int16,
            std::string("activations of ") + tflite::EnumNameTensorType(in(x).type) + ", not INT8 or INT16");
    require(out().element == type, std::string("outputs of ") + tflite::EnumNameTensorType(out().type));
    return type;
  }
  double scale(const tensor& t) const {
    require(t.scales.size() == 1, t.name + ": not exactly one scale");
    return t.scales[0];
  }
  std::int32_t zero_point(const tensor& t) const { return scale(t), t.zero_points[0]; }
  /// Returns the shape as images. Missing axes stand in front.
  sizes images(const tensor& t, std::size_t least_axes = 0) const {
    const std::size_t axes = t.shape.size();
    require(axes <= 4 && axes >= least_axes, t.name + " has " + std::to_string(axes) + " axes");
    sizes s{1, 1, 1, 1};
    std::copy(t.shape.begin(), t.shape.end(), s.end() - static_cast<std::ptrdiff_t>(axes));
    return s;
  }
  /// Returns the elements as rows.
  static sizes rows(const tensor& t, q::index_t length) { return {length == 0 ? 0 : t.count / length, 1, 1, length}; }
  static sizes one_row(const tensor& t) { return rows(t, t.count); }
  void reads(std::size_t i, sizes shape) {
    to.inputs.push_back(op.inputs[i]);
    to.x.push_back(shape);
  }
  void finish(const description& what, sizes y) {
    to.what = what;
    to.y = y;
  }

  q::output_range range(tflite::Activation fused) const {
    require(fused >= tflite::Activation_NONE && fused <= tflite::Activation_RELU6, "a fused activation that has no bounds");
    constexpr q::tflite::activation of[] = {q::tflite::activation::none, q::tflite::activation::relu,
                                            q::tflite::activation::relu_n1_to_1, q::tflite::activation::relu6};
    return value_of(q::tflite::activation_range(out().element, of[fused], scale(out()), zero_point(out())), "fused activation");
  }
  /// Returns the window whose output has the size that TFLite computes.
  q::window1d axis(tflite::Padding padding, q::index_t size, q::index_t y_size, q::index_t kernel, int stride,
                   int dilation) const {
    require(padding == tflite::Padding_SAME || padding == tflite::Padding_VALID, "neither SAME nor VALID");
    const q::window1d w{kernel, stride, dilation};
    require(q::check(q::window2d{w, w}) == q::status::ok, "an impossible kernel, stride or dilation");
    const q::window1d padded = padding == tflite::Padding_SAME ? q::with_same_padding(size, w) : w;
    require(q::forward_size(size, padded) == y_size, "the output has another size than its window gives");
    return padded;
  }

  // Layers with weights.

  /// Weights and their scales. TFLite unpacks weights of 4 bits, too.
  void weights(q::layer_spec& spec, const tensor& w, std::size_t channel_axis) {
    require(w.is_constant(), "weights that are not constant");
    require(w.element == element_type::int8 || w.element == element_type::int4,
            std::string("weights of ") + tflite::EnumNameTensorType(w.type) + ", not INT8 or INT4");
    spec.w = element_type::int8;
    spec.weights = w.data.data();
    if (w.element == element_type::int4) {
      for (q::index_t i = 0; i < w.count; ++i) {
        const int nibble = w.data[static_cast<std::size_t>(i / 2)] >> (i % 2 * 4) & 15;
        to.unpacked.push_back(static_cast<std::int8_t>(nibble < 8 ? nibble : nibble - 16));
      }
      spec.weights = to.unpacked.data();
    }
    spec.channels = w.shape[channel_axis];
    require(!w.scales.empty(), "weights without a scale");
    const bool is_of_channels = static_cast<std::size_t>(w.quantized_axis) == channel_axis;
    require(w.scales.size() == 1 || (is_of_channels && static_cast<q::index_t>(w.scales.size()) == spec.channels),
            "scales that are not those of the channels");
    for (const std::int32_t zero : w.zero_points) require(zero == w.zero_points[0], "weights with several zero points");
    spec.zero.w = w.zero_points[0];
    to.scales.w.assign(w.scales.begin(), w.scales.end());
  }
  /// All of a layer but its sizes: types, weights, bias, zero points, range, scheme and multipliers.
  void layer(q::layer_spec& spec, std::size_t x_at, std::size_t channel_axis, tflite::Activation fused,
             tflite::TensorType bias_type) {
    const std::size_t bias_at = x_at == 0 ? 2 : 3;  // a transposed convolution has its shape before weights, x and bias
    const tensor& x = in(x_at);
    spec.x = spec.y = activations(x_at);
    spec.zero.x = zero_point(x);
    spec.range = range(fused);
    weights(spec, in(1), channel_axis);
    if (has(bias_at)) {
      const tensor& bias = in(bias_at);
      require(bias.is_constant() && bias.count == spec.channels, "a bias that is not a constant for each channel");
      if (bias.element == element_type::int32) spec.bias = {bias.as<std::int32_t>(), bias.count};
      if (bias.element == element_type::int64) spec.bias = {bias.as<std::int64_t>(), bias.count};
      require(!spec.bias.empty() && (spec.x == element_type::int16 || spec.bias.bits() == 32),
              std::string("a bias of ") + tflite::EnumNameTensorType(bias.type));
    }
    const bool is_int32 = spec.bias.empty() && bias_type == tflite::TensorType_INT32;
    spec.scheme = is_int32 ? q::scheme_id::of<q::tflite::double_rounding>() : q::tflite::scheme_of(spec);
    layer_scales& s = to.scales;
    s.x = scale(x), s.y = scale(out());
    const bool in_binary32 = spec.op == q::layer_op::linear && s.w.size() == 1;
    for (const double w : s.w)
      s.derived.push_back((in_binary32 ? q::tflite::linear_scale(q::narrow(s.x), q::narrow(w), q::narrow(s.y))
                                       : q::tflite::conv2d_scale(s.x, w, s.y))
                              .to_double());
    spec.multipliers = s.derived;
  }
  template <class Options>
  void convolution(const Options& o, bool is_depthwise, tflite::TensorType bias_type) {
    require_tensors(2, 3);
    const sizes x = images(in(0), 4), w = images(in(1), 4), y = images(out(), 4);
    q::layer_spec spec;
    spec.op = is_depthwise ? q::layer_op::depthwise : q::layer_op::conv2d;
    spec.window = {axis(o.padding(), x[1], y[1], w[1], o.stride_h(), o.dilation_h()),
                   axis(o.padding(), x[2], y[2], w[2], o.stride_w(), o.dilation_w())};
    require(is_depthwise ? w[0] == 1 : w[3] > 0 && x[3] % w[3] == 0, "weights that do not fit the channels");
    spec.depth = is_depthwise ? 1 : w[3];
    spec.groups = is_depthwise ? 1 : x[3] / w[3];
    layer(spec, 0, is_depthwise ? 3 : 0, o.fused(), bias_type);
    reads(0, x);
    finish(spec, y);
  }
  void conv2d() {
    const auto& o = options_of(op.options->builtin_options_as_Conv2DOptions());
    convolution(o, false, o.bias_type());
  }
  void depthwise() {
    convolution(options_of(op.options->builtin_options_as_DepthwiseConv2DOptions()), true, tflite::TensorType_FLOAT32);
  }
  void transposed() {
    require_tensors(3, 4);
    const auto& o = options_of(op.options->builtin_options_as_TransposeConvOptions());
    const sizes x = images(in(2), 4), w = images(in(1), 4), y = images(out(), 4);
    require(w[3] == x[3], "weights that do not fit the channels");
    q::layer_spec spec;
    spec.op = q::layer_op::transposed_conv2d;
    spec.window = {value_of(q::transposed_window_between(x[1], y[1], w[1], o.stride_h()), "height"),
                   value_of(q::transposed_window_between(x[2], y[2], w[2], o.stride_w()), "width")};
    spec.depth = w[3];
    layer(spec, 2, 0, o.fused(), o.bias_type());
    reads(2, x);
    finish(spec, y);
  }
  void fully_connected() {
    require_tensors(2, 3);
    const auto& o = options_of(op.options->builtin_options_as_FullyConnectedOptions());
    require(o.weights_format() == 0, "shuffled weights");
    require(in(1).shape.size() == 2, "weights that are not a matrix");
    q::layer_spec spec;
    spec.depth = in(1).shape[1];
    layer(spec, 0, 0, o.fused(), o.bias_type());
    const sizes x = rows(in(0), spec.depth), y = rows(out(), spec.channels);
    require(x[0] * spec.depth == in(0).count && y[0] == x[0] && y[0] * spec.channels == out().count,
            "weights that do not fit the inputs or the outputs");
    reads(0, x);
    finish(spec, y);
  }

  // Operators without weights.

  void binary(operator_id id, tflite::Activation fused) {
    require_tensors(2, 2);
    q::binary_spec spec;
    spec.op = id;
    spec.type = activations();
    require(activations(1) == spec.type, "operands of two types");
    spec.a_scale = scale(in(0)), spec.a_zero_point = zero_point(in(0));
    spec.b_scale = scale(in(1)), spec.b_zero_point = zero_point(in(1));
    spec.y_scale = scale(out());
    spec.range = range(fused);
    const bool is_plain = in(0).shape == out().shape && in(1).shape == out().shape;  // any number of axes
    for (std::size_t i = 0; i < 2; ++i) reads(i, is_plain ? one_row(in(i)) : images(in(i)));
    finish(spec, is_plain ? one_row(out()) : images(out()));
  }
  /// TFLite adds int16 by shifts if the option says so, and all scales are powers of two.
  template <class Options>
  void sum(operator_id id, const Options& o) {
    binary(id, o.fused());
    const auto is_power_of_two = [this](const tensor& t) { return std::abs(std::remainder(std::log2(scale(t)), 1)) < 1e-3; };
    const bool by_shifts = in(0).element == element_type::int16 && o.pot_scale_int16() && is_power_of_two(in(0)) &&
                           is_power_of_two(in(1)) && is_power_of_two(out());
    require(!by_shifts, "int16 with scales that are powers of two and pot_scale_int16, which TFLite computes by shifts");
  }
  void elementwise(q::activation_spec spec) {
    require_tensors(1, 1);
    spec.x = spec.y = activations();
    require(in(0).count == out().count, "another number of outputs than inputs");
    spec.x_scale = scale(in(0)), spec.x_zero_point = zero_point(in(0));
    spec.y_scale = scale(out()), spec.y_zero_point = zero_point(out());
    reads(0, one_row(in(0)));
    finish(spec, one_row(out()));
  }
  void elementwise(operator_id id, float alpha = 0) {
    q::activation_spec spec;
    spec.op = id;
    spec.alpha = static_cast<double>(alpha);
    elementwise(spec);
  }
  /// A rescale of int8 by a table of all x: y = clamp(zero point of y + the rescaled x - zero point of x).
  void rescale(tflite::Activation bounds, double ratio) {
    require(activations() == element_type::int8, "int16, for which there is no rule yet");
    const auto m = value_of(q::tflite::double_rounding::derive(ratio), "scales");
    for (int byte = 0; byte < 256; ++byte) {  // the entries of negative x follow the others
      const std::int32_t x = (byte < 128 ? byte : byte - 256) - zero_point(in(0));
      to.unpacked.push_back(static_cast<std::int8_t>(q::requantize<q::tflite::double_rounding>(x, m, range(bounds))));
    }
    q::activation_spec spec;
    spec.table = to.unpacked.data();
    spec.table_size = 256;
    elementwise(spec);
  }
  /// RELU divides the scales in binary32.
  void relu(tflite::Activation bounds) {
    require_tensors(1, 1);
    rescale(bounds, q::binary64{divide(q::narrow(scale(in(0))), q::narrow(scale(out())))}.to_double());
  }
  void quantize() {
    require_tensors(1, 1);
    rescale(tflite::Activation_NONE, scale(in(0)) / scale(out()));
  }
  void average_pool() {
    require_tensors(1, 1);
    const auto& o = options_of(op.options->builtin_options_as_Pool2DOptions());
    q::pool_spec spec;
    spec.type = activations();
    const sizes x = images(in(0), 4), y = images(out(), 4);
    spec.window = {axis(o.padding(), x[1], y[1], o.filter_height(), o.stride_h(), 1),
                   axis(o.padding(), x[2], y[2], o.filter_width(), o.stride_w(), 1)};
    require(std::abs(scale(in(0)) - scale(out())) <= 1e-6 && zero_point(in(0)) == zero_point(out()),
            "another scale or zero point of y than of x");
    spec.x_zero_point = zero_point(in(0));
    spec.range = range(o.fused());
    reads(0, x);
    finish(spec, y);
  }
  void mean(operator_id id) {
    require_tensors(2, 2);
    q::mean_spec spec;
    spec.op = id;
    spec.type = activations();
    const tensor& axes = in(1);
    require(axes.is_constant() && axes.element == element_type::int32, "axes that are not constants of INT32");
    const sizes x = images(in(0));
    sizes y = x;
    const auto rank = static_cast<std::int64_t>(in(0).shape.size());
    for (q::index_t i = 0; i < axes.count; ++i) {
      const std::int64_t axis = axes.as<std::int32_t>()[i];
      require(axis >= -rank && axis < rank, "axis " + std::to_string(axis) + " does not exist");
      y[static_cast<std::size_t>(axis < 0 ? 4 + axis : 4 - rank + axis)] = 1;
    }
    require(y[0] * y[1] * y[2] * y[3] == out().count && out().count > 0, "another number of outputs than its axes give");
    spec.count = in(0).count / out().count;
    spec.x_scale = scale(in(0)), spec.x_zero_point = zero_point(in(0));
    spec.y_scale = scale(out());
    spec.range = range(tflite::Activation_NONE);
    reads(0, x);
    finish(spec, y);
  }
  void softmax() {
    static const q::tflite::softmax_tables tables = q::tflite::make_softmax_tables();
    require_tensors(1, 1);
    q::softmax_spec spec;
    spec.x = spec.y = activations();
    require(in(0).shape == out().shape && !in(0).shape.empty(), "another shape of y than of x, or a scalar");
    const bool is_byte = spec.x == element_type::int8;
    require(std::abs(scale(out()) * (is_byte ? 0x1p8 : 0x1p15) - 1) <= (is_byte ? 0 : 1e-3) &&
                zero_point(out()) == (is_byte ? -128 : 0),
            "a scale of y that TFLite refuses");
    spec.x_scale = scale(in(0));
    spec.beta = static_cast<double>(options_of(op.options->builtin_options_as_SoftmaxOptions()).beta());
    spec.tables = &tables;
    const sizes shape = rows(in(0), in(0).shape.back());
    reads(0, shape);
    finish(spec, shape);
  }
  /// Operators whose outputs are their inputs in the same order. Shapes and axes are those of the tensors.
  void copy() {
    require(has(0) && op.outputs.size() == 1, "not one input and one output");
    require(in(0).element != element_type::none && in(0).element == out().element && in(0).bytes == out().bytes,
            "another type or size of y than of x");
    reads(0, one_row(in(0)));
    finish(copy_spec{}, one_row(out()));
  }
};

/// An operator of the format, and the function that describes it.
struct known_operator {
  tflite::BuiltinOperator code;
  void (*describe)(reader&);
};

constexpr known_operator all[] = {
    {tflite::BuiltinOperator_CONV_2D, [](reader& r) { r.conv2d(); }},
    {tflite::BuiltinOperator_DEPTHWISE_CONV_2D, [](reader& r) { r.depthwise(); }},
    {tflite::BuiltinOperator_TRANSPOSE_CONV, [](reader& r) { r.transposed(); }},
    {tflite::BuiltinOperator_FULLY_CONNECTED, [](reader& r) { r.fully_connected(); }},
    {tflite::BuiltinOperator_ADD,
     [](reader& r) { r.sum(operator_id::add, r.options_of(r.op.options->builtin_options_as_AddOptions())); }},
    {tflite::BuiltinOperator_SUB,
     [](reader& r) { r.sum(operator_id::subtract, r.options_of(r.op.options->builtin_options_as_SubOptions())); }},
    {tflite::BuiltinOperator_MUL,
     [](reader& r) { r.binary(operator_id::multiply, r.options_of(r.op.options->builtin_options_as_MulOptions()).fused()); }},
    {tflite::BuiltinOperator_AVERAGE_POOL_2D, [](reader& r) { r.average_pool(); }},
    {tflite::BuiltinOperator_MEAN, [](reader& r) { r.mean(operator_id::mean); }},
    {tflite::BuiltinOperator_SUM, [](reader& r) { r.mean(operator_id::sum); }},
    {tflite::BuiltinOperator_SOFTMAX, [](reader& r) { r.softmax(); }},
    {tflite::BuiltinOperator_LOGISTIC, [](reader& r) { r.elementwise(operator_id::sigmoid); }},
    {tflite::BuiltinOperator_TANH, [](reader& r) { r.elementwise(operator_id::tanh); }},
    {tflite::BuiltinOperator_HARD_SWISH, [](reader& r) { r.elementwise(operator_id::hard_swish); }},
    {tflite::BuiltinOperator_LEAKY_RELU,
     [](reader& r) {
       r.elementwise(operator_id::leaky_relu, r.options_of(r.op.options->builtin_options_as_LeakyReluOptions()).alpha());
     }},
    {tflite::BuiltinOperator_RELU, [](reader& r) { r.relu(tflite::Activation_RELU); }},
    {tflite::BuiltinOperator_RELU6, [](reader& r) { r.relu(tflite::Activation_RELU6); }},
    {tflite::BuiltinOperator_RELU_N1_TO_1, [](reader& r) { r.relu(tflite::Activation_RELU_N1_TO_1); }},
    {tflite::BuiltinOperator_QUANTIZE, [](reader& r) { r.quantize(); }},
    {tflite::BuiltinOperator_RESHAPE, [](reader& r) { r.copy(); }},
    {tflite::BuiltinOperator_SQUEEZE, [](reader& r) { r.copy(); }},
    {tflite::BuiltinOperator_EXPAND_DIMS, [](reader& r) { r.copy(); }},
};

}  // namespace

std::vector<step> describe(const network& net) {
  const auto known = [](const operation& op) {
    const auto* const found =
        std::find_if(std::begin(all), std::end(all), [&](const known_operator& one) { return one.code == op.code; });
    if (found == std::end(all)) throw refused(op.name + ": there is no rule for this operator yet");
    return found;
  };
  for (const operation& op : net.operations) static_cast<void>(known(op));
  check_order(net);
  std::vector<step> steps;
  for (const operation& op : net.operations) {
    reader r{net, op, {}};
    r.to.from = &op;
    known(op)->describe(r);
    r.to.output = op.outputs[0];
    steps.push_back(std::move(r.to));
  }
  return steps;
}

}  // namespace model
