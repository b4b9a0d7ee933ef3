#include "operators.hpp"

#include <dyadic/elementwise/activation_range.hpp>
#include <dyadic/elementwise/add_n.hpp>
#include <dyadic/elementwise/extremes.hpp>
#include <dyadic/elementwise/requantize.hpp>
#include <dyadic/elementwise/row_layer.hpp>
#include <dyadic/elementwise/softmax_tables.hpp>
#include <dyadic/elementwise/table_functions.hpp>
#include <dyadic/layer_scheme.hpp>
#include <dyadic/scale.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <utility>

#include "program.hpp"

namespace model {
namespace {

using q::element_type;
using q::operator_id;

/// Reads one operator, and refuses what its kernel does not take.
struct reader {
  const network& net;
  const operation& op;
  std::vector<step>& steps;
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
  const Options& options() const {
    const Options* const o = op.options->builtin_options_as<Options>();
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
  /// Returns the type of the activations.
  element_type activation(std::size_t x = 0) const {
    const element_type type = in(x).element;
    require(type == element_type::int8 || type == element_type::int16,
            std::string("activations of ") + tflite::EnumNameTensorType(in(x).type) + ", not INT8 or INT16");
    return type;
  }
  /// The same, and requires that y has the type of x.
  element_type activations(std::size_t x = 0) const {
    const element_type type = activation(x);
    require(out().element == type, std::string("outputs of ") + tflite::EnumNameTensorType(out().type));
    return type;
  }
  double scale(const tensor& t) const {
    require(t.scales.size() == 1, t.name + ": not exactly one scale");
    return t.scales[0];
  }
  std::int32_t zero_point(const tensor& t) const { return scale(t), t.zero_points[0]; }
  void one_scale(const tensor& x) const {
    require(std::abs(scale(x) - scale(out())) <= 1e-6 && zero_point(x) == zero_point(out()),
            "another scale or zero point of y than of x");
  }
  void fixed_scale(double y, std::int32_t zero, double within = 0) const {
    require(std::abs(scale(out()) / y - 1) <= within && zero_point(out()) == zero, "a scale of y that TFLite refuses");
  }
  /// Returns the numbers of a constant: axes, sizes or places.
  std::vector<q::index_t> integers(std::size_t i) const {
    const tensor& t = in(i);
    const bool is_wide = t.element == element_type::int64;
    require(t.is_constant() && (is_wide || t.element == element_type::int32),
            "input " + std::to_string(i) + " is not a constant of INT32 or INT64");
    std::vector<q::index_t> all;
    for (q::index_t k = 0; k < t.count; ++k) {
      all.push_back(is_wide ? t.as<std::int64_t>()[k] : t.as<std::int32_t>()[k]);
      require(q::fits<std::int32_t>(all.back()), "input " + std::to_string(i) + " has a number beyond int32");
    }
    return all;
  }
  /// Returns the place of an axis. The last one is also -1.
  std::size_t axis_of(q::index_t axis, const tensor& t) const {
    const auto rank = static_cast<q::index_t>(t.shape.size());
    require(axis >= -rank && axis < rank, "axis " + std::to_string(axis) + " does not exist");
    return static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
  }
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
  void finish(const description& what, sizes y, std::size_t output = 0) {
    to.from = &op;
    to.what = what;
    to.y = y;
    to.output = op.outputs[output];
    steps.push_back(std::move(to));
    to = {};
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
    const auto& o = options<tflite::Conv2DOptions>();
    convolution(o, false, o.bias_type());
  }
  void depthwise() { convolution(options<tflite::DepthwiseConv2DOptions>(), true, tflite::TensorType_FLOAT32); }
  void transposed() {
    require_tensors(3, 4);
    const auto& o = options<tflite::TransposeConvOptions>();
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
    const auto& o = options<tflite::FullyConnectedOptions>();
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

  /// A maximum and a minimum look at no scales, and a comparison has none for y.
  void binary(operator_id id, tflite::Activation fused = tflite::Activation_NONE) {
    require_tensors(2, 2);
    const bool has_scales = id != operator_id::maximum && id != operator_id::minimum;
    const bool has_output_scale = has_scales && (id < operator_id::equal || id > operator_id::less_equal);
    q::binary_spec spec;
    spec.op = id;
    spec.type = has_output_scale || !has_scales ? activations() : activation();
    require(id == operator_id::prelu ? in(1).element == element_type::int8 : activation(1) == spec.type, "operands of two types");
    require(has_output_scale || !has_scales || out().type == tflite::TensorType_BOOL, "a comparison whose output is not BOOL");
    if (has_scales) {
      spec.a_scale = scale(in(0)), spec.a_zero_point = zero_point(in(0));
      spec.b_scale = scale(in(1)), spec.b_zero_point = zero_point(in(1));
    }
    if (has_output_scale) spec.y_scale = scale(out()), spec.range = range(fused);
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
  /// `x` and `y` of the description are the types.
  void elementwise(q::activation_spec spec) {
    require_tensors(1, 1);
    require(in(0).count == out().count, "another number of outputs than inputs");
    spec.x = in(0).element, spec.x_scale = scale(in(0)), spec.x_zero_point = zero_point(in(0));
    spec.y = out().element, spec.y_scale = scale(out()), spec.y_zero_point = zero_point(out());
    reads(0, one_row(in(0)));
    finish(spec, one_row(out()));
  }
  void elementwise(operator_id id, float alpha = 0) {
    require_tensors(1, 1);
    activations();
    q::activation_spec spec;
    spec.op = id;
    spec.alpha = static_cast<double>(alpha);
    elementwise(spec);
  }
  /// Any function of int8, by a table of all x. The entries of negative x follow the others. fill(entries) returns a status.
  template <class Fill>
  void table(const Fill& fill) {
    require_tensors(1, 1);
    require(activations() == element_type::int8, "int16, for which there is no rule yet");
    to.unpacked.resize(256);
    const q::status s = fill(q::view<std::int8_t>(to.unpacked.data(), 256));
    require(s == q::status::ok, q::to_string(s));
    q::activation_spec spec;
    spec.table = to.unpacked.data();
    spec.table_size = 256;
    elementwise(spec);
  }
  template <class Function>
  void table_of(const Function& function) {
    table([&](q::view<std::int8_t> entries) {
      return q::tflite::table<std::int8_t>::populate(function, q::narrow(scale(in(0))), zero_point(in(0)),
                                                     q::narrow(scale(out())), zero_point(out()), entries);
    });
  }
  /// RELU rescales x - zero point of x, and divides the scales in binary32.
  void relu(tflite::Activation bounds) {
    table([&](q::view<std::int8_t> entries) {
      const auto m = q::tflite::double_rounding::derive(divide(q::narrow(scale(in(0))), q::narrow(scale(out()))));
      for (int x = -128; m.status == q::status::ok && x < 128; ++x)
        entries[x & 255] =
            static_cast<std::int8_t>(q::requantize<q::tflite::double_rounding>(x - zero_point(in(0)), m.value, range(bounds)));
      return m.status;
    });
  }
  void quantize() {
    q::activation_spec spec;
    spec.op = operator_id::requantize;
    elementwise(spec);
  }
  void pool(operator_id id) {
    require_tensors(1, 1);
    const auto& o = options<tflite::Pool2DOptions>();
    q::pool_spec spec;
    spec.op = id;
    spec.type = activations();
    const sizes x = images(in(0), 4), y = images(out(), 4);
    spec.window = {axis(o.padding(), x[1], y[1], o.filter_height(), o.stride_h(), 1),
                   axis(o.padding(), x[2], y[2], o.filter_width(), o.stride_w(), 1)};
    one_scale(in(0));
    spec.x_zero_point = zero_point(in(0));
    spec.range = range(o.fused());
    reads(0, x);
    finish(spec, y);
  }
  /// Returns the shape of y, which has one element along each axis that input 1 names.
  sizes reduced() {
    require_tensors(2, 2);
    const sizes x = images(in(0));
    sizes y = x;
    for (const q::index_t axis : integers(1)) y[4 - in(0).shape.size() + axis_of(axis, in(0))] = 1;
    require(y[0] * y[1] * y[2] * y[3] == out().count && out().count > 0, "another number of outputs than its axes give");
    reads(0, x);
    return y;
  }
  void reduce(operator_id id) {
    const sizes y = reduced();
    q::mean_spec spec;
    spec.op = id;
    spec.type = activations();
    if (id == operator_id::reduce_max || id == operator_id::reduce_min) one_scale(in(0));
    spec.count = in(0).count / out().count;
    spec.x_scale = scale(in(0)), spec.x_zero_point = zero_point(in(0));
    spec.y_scale = scale(out());
    spec.range = range(tflite::Activation_NONE);
    finish(spec, y);
  }
  void softmax() {
    static const q::tflite::softmax_tables tables = q::tflite::make_softmax_tables();
    require_tensors(1, 1);
    q::softmax_spec spec;
    spec.beta = static_cast<double>(options<tflite::SoftmaxOptions>().beta());
    spec.tables = &tables;
    if (out().element == element_type::int8)
      fixed_scale(0x1p-8, -128);
    else if (activation() == element_type::int8)
      fixed_scale(0x1p-16, -32768, 1e-3);
    else
      fixed_scale(0x1p-15, 0, 1e-3);
    rows(spec);
  }
  void log_softmax() {
    require_tensors(1, 1);
    q::softmax_spec spec;
    spec.op = operator_id::log_softmax;
    fixed_scale(0x1p-4, 127);
    rows(spec);
  }
  void rows(q::softmax_spec spec) {
    spec.x = activation();
    spec.y = out().element;
    spec.x_scale = scale(in(0));
    finish_rows(spec);
  }
  void l2_norm() {
    require_tensors(1, 1);
    require(options<tflite::L2NormOptions>().fused() == tflite::Activation_NONE, "a fused activation");
    fixed_scale(0x1p-7, 0);
    q::norm_spec spec;
    spec.op = operator_id::l2_norm;
    spec.type = activations();
    spec.x_zero_point = zero_point(in(0));
    finish_rows(spec);
  }
  /// x and y are rows of the last axis.
  void finish_rows(const description& what) {
    require(in(0).shape == out().shape && !in(0).shape.empty(), "another shape of y than of x, or a scalar");
    const sizes shape = rows(in(0), in(0).shape.back());
    reads(0, shape);
    finish(what, shape);
  }
  template <class Options>
  void resize(operator_id id, const Options& o) {
    require_tensors(2, 2);
    const sizes x = images(in(0), 4), y = images(out(), 4);
    require(integers(1) == std::vector<q::index_t>{y[1], y[2]}, "an output that has not the size that it is given");
    require(!o.align_corners() || !o.half_pixel_centers(), "both align_corners and half_pixel_centers");
    q::resize_spec spec;
    spec.op = id;
    spec.type = activations();
    spec.alignment = {o.align_corners(), o.half_pixel_centers()};
    reads(0, x);
    finish(spec, y);
  }

  // Operators that no description of the library has.

  /// A layer from elements X to Y, on one thread and portable.
  template <class X, class Y, class Layer>
  static typed_spec typed(const Layer& layer, bool in_all_engines) {
    return {[layer](const backend_kinds&, const operands& x, const q::any_output& y, q::status& s) {
              const auto from = x[0].images<const X>();
              const auto into = y.images<Y>();
              s = check(layer, from, into);
              return [layer, from, into] { run(layer, from, into); };
            },
            in_all_engines};
  }
  template <template <class> class Extreme>
  void arg() {
    const sizes y = reduced();
    require(in(1).count == 1 && out().element == element_type::int32, "not one axis, or an output that is not INT32");
    if (activation() == element_type::int8)
      finish(typed<std::int8_t, std::int32_t>(q::arg_layer<Extreme<std::int8_t>>{}, true), y);
    else
      finish(typed<std::int16_t, std::int32_t>(q::arg_layer<Extreme<std::int16_t>>{}, true), y);
  }
  void cumsum() {
    require_tensors(2, 2);
    const auto& o = options<tflite::CumsumOptions>();
    const auto axes = integers(1);
    require(activations() == element_type::int8 && in(0).shape == out().shape && axes.size() == 1, "not int8, or not one axis");
    require(axis_of(axes[0], in(0)) + 1 == in(0).shape.size(), "an axis that is not the last one");
    const auto rule = value_of(q::tflite::cumsum<>::derive(q::narrow(scale(in(0))), zero_point(in(0)), q::narrow(scale(out())),
                                                           range(tflite::Activation_NONE), o.exclusive(), o.reverse()),
                               "scales");
    finish_rows(typed<std::int8_t, std::int8_t>(q::row_layer{rule}, false));
  }
  /// All inputs have one scale, one zero point and one shape.
  void add_n() {
    require_tensors(1, 1000);
    const auto count = static_cast<std::int32_t>(op.inputs.size());
    const auto derived = q::tflite::add_n<>::derive(q::narrow(scale(in(0))), zero_point(in(0)), count, q::narrow(scale(out())),
                                                    range(tflite::Activation_NONE));
    require(q::may_run(derived.status), q::to_string(derived.status));
    for (std::size_t i = 0; i < op.inputs.size(); ++i) {
      require(has(i) && activations(i) == element_type::int8 && in(i).shape == out().shape, "not int8 of one shape");
      require(scale(in(i)) == scale(in(0)) && zero_point(in(i)) == zero_point(in(0)), "inputs of two scales");
      reads(i, one_row(in(i)));
    }
    const auto prepare = [derived, size = out().count](const backend_kinds&, const operands& x, const q::any_output& y,
                                                       q::status& s) {
      s = derived.status;
      return [rule = derived.value, size, x, into = static_cast<std::int8_t*>(y.data())] {
        for (q::index_t i = 0; i < size; ++i) {
          std::int64_t sum = 0;
          for (const q::any_input& one : x) sum += static_cast<const std::int8_t*>(one.data())[i];
          into[i] = rule(sum);
        }
      };
    };
    finish(typed_spec{prepare}, one_row(out()));
  }

  // Recurrent layers. Their states are variable tensors.

  /// Returns a state, which the operator writes.
  template <class T>
  static T* state(const q::any_input& of) {
    return static_cast<T*>(const_cast<void*>(of.data()));
  }
  /// Requires that an input is a state of this type and this shape.
  void require_state(std::size_t i, element_type type, const std::vector<q::index_t>& shape) const {
    require(has(i) && in(i).is_variable && !in(i).is_constant() && in(i).element == type && in(i).shape == shape,
            "input " + std::to_string(i) + " is not a state of the right type and shape");
  }
  /// Returns the weights of an input: a constant matrix with this number of columns, one scale and no zero point.
  template <class W>
  q::matrix_view<const W> matrix(std::size_t i, q::index_t columns) const {
    require(has(i) && in(i).is_constant() && in(i).element == q::element_type_of<W>() && in(i).shape.size() == 2 &&
                in(i).shape[1] == columns && zero_point(in(i)) == 0,
            "input " + std::to_string(i) + " is not a constant matrix that fits, without a zero point");
    return {in(i).as<W>(), in(i).shape[0], columns};
  }
  /// Returns weights with a folded bias, whose constants are appended. The vector has room for them.
  template <class X, class W, class Sum, class Bias>
  q::folded_weights<W, Sum> folded(q::matrix_view<const W> w, const Bias& bias, std::int32_t zero,
                                   std::vector<Sum>& constants) const {
    constants.resize(constants.size() + static_cast<std::size_t>(w.rows()));
    const q::view<Sum> into(constants.data() + constants.size() - w.rows(), w.rows());
    return {w, value_of(q::fold<X>(w, bias, {zero, 0}, into), "bias")};
  }
  template <class Sum>
  q::view<const Sum> bias(std::size_t i, q::index_t channels) const {
    require(has(i) && in(i).is_constant() && in(i).element == q::element_type_of<Sum>() && in(i).count == channels,
            "input " + std::to_string(i) + " is not a constant bias for each unit");
    return {in(i).as<Sum>(), channels};
  }
  void lstm() {
    const auto& o = options<tflite::UnidirectionalSequenceLSTMOptions>();
    require(op.inputs.size() >= 20 && op.outputs.size() == 1 && has(0), "not 20 inputs and one output");
    for (const std::size_t i : {9u, 10u, 11u, 16u, 17u, 20u, 21u, 22u, 23u})
      require(!has(i), "a peephole, a projection or a layer norm");
    require(o.fused() == tflite::Activation_TANH && !o.diagonal_recurrent_tensors(), "an activation that is not TANH");
    if (activations() == element_type::int8)
      lstm<std::int8_t>(o);
    else
      lstm<std::int16_t>(o);
  }
  template <class X>
  void lstm(const tflite::UnidirectionalSequenceLSTMOptions& o) {
    using rule = q::tflite::lstm<X>;
    using sum = typename rule::accumulator;
    struct parts {
      q::recurrent_layer<rule> layer;
      std::vector<sum> constants;
    };
    const auto &x = in(0).shape, &y = out().shape;
    require(x.size() == 3 && y.size() == 3 && x[0] == y[0] && x[1] == y[1], "not as many steps of y as of x");
    const q::index_t steps_of_x = x[0], rows_of_x = x[1], depth = x[2], units = y[2];
    const auto order = o.time_major() ? q::sequence_order::time_major : q::sequence_order::batch_major;
    const q::index_t batch = o.time_major() ? x[1] : x[0];
    require_state(18, q::element_type_of<X>(), {batch, units});
    require_state(19, element_type::int16, {batch, units});
    require(zero_point(in(19)) == 0, "a cell with a zero point");
    const auto made = std::make_shared<parts>();
    made->constants.reserve(8 * static_cast<std::size_t>(matrix<std::int8_t>(1, depth).rows()));
    q::lstm_scales scales{q::narrow(scale(in(0))), q::narrow(scale(in(18))), q::narrow(scale(in(19))), {}, {}, o.cell_clip()};
    for (std::size_t g = 0; g < 4; ++g) {
      const auto w = matrix<std::int8_t>(1 + g, depth), u = matrix<std::int8_t>(5 + g, units);
      require(w.rows() == units && u.rows() == units, "weights that do not fit the units");
      scales.input_weights[g] = q::narrow(scale(in(1 + g)));
      scales.hidden_weights[g] = q::narrow(scale(in(5 + g)));
      made->layer.gates[g] = {folded<X>(w, bias<sum>(12 + g, units), zero_point(in(0)), made->constants),
                              folded<X>(u, q::no_bias{}, zero_point(in(18)), made->constants)};
    }
    const auto derived = rule::derive(scales, zero_point(in(18)));
    require(q::may_run(derived.status), q::to_string(derived.status));
    made->layer.rule = derived.value;
    for (const std::size_t i : {0u, 18u, 19u}) reads(i, one_row(in(i)));
    const auto prepare = [=](const backend_kinds& kinds, const operands& all, const q::any_output& to_y, q::status& s) {
      const q::batch_view<const X> from(static_cast<const X*>(all[0].data()), steps_of_x, rows_of_x, depth);
      const q::batch_view<X> into(static_cast<X*>(to_y.data()), steps_of_x, rows_of_x, units);
      const q::recurrent_state<X> states{{state<X>(all[1]), batch, units}, {state<std::int16_t>(all[2]), batch, units}};
      s = check(made->layer, order, from, states, into);
      return [=, run = std::get<lstm_run<X>>(kinds.recurrent)] { run(made->layer, order, from, states, into); };
    };
    finish(typed_spec{prepare}, one_row(out()));
  }
  void svdf() {
    require_tensors(5, 5);
    require(in(2).element == element_type::int8 || in(2).element == element_type::int16,
            "weights of time that are not INT8 or INT16");
    if (in(2).element == element_type::int8)
      svdf<std::int8_t>();
    else
      svdf<std::int16_t>();
  }
  template <class State>
  void svdf() {
    struct parts {
      q::svdf_layer<q::tflite::svdf<State>> layer;
      std::vector<std::int32_t> constants;
    };
    const auto& o = options<tflite::SVDFOptions>();
    require(activations() == element_type::int8 && o.fused() == tflite::Activation_RELU && o.rank() > 0,
            "not int8, or a rank or an activation that TFLite refuses");
    require(in(0).shape.size() == 2 && out().shape.size() == 2 && in(2).shape.size() == 2, "not matrices");
    const q::index_t batch = in(0).shape[0], depth = in(0).shape[1], units = out().shape[1];
    const auto feature = matrix<std::int8_t>(1, depth);
    const auto time = matrix<State>(2, in(2).shape[1]);
    require(time.rows() == feature.rows() && feature.rows() == units * o.rank() && units > 0,
            "weights that do not fit the units");
    const q::index_t entries = time.rows() * time.cols();
    require_state(4, q::element_type_of<State>(), {batch, entries});
    const auto made = std::make_shared<parts>();
    made->constants.reserve(static_cast<std::size_t>(feature.rows() + units));
    const auto rule = q::tflite::svdf<State>::derive(q::narrow(scale(in(0))), q::narrow(scale(in(1))), q::narrow(scale(in(4))),
                                                     zero_point(in(4)), q::narrow(scale(in(2))), q::narrow(scale(out())),
                                                     range(tflite::Activation_NONE));
    made->layer = {value_of(rule, "scales"), folded<std::int8_t>(feature, q::no_bias{}, zero_point(in(0)), made->constants),
                   folded<State>(q::matrix_view<const State>(time.data(), units, entries / units), bias<std::int32_t>(3, units),
                                 zero_point(in(4)), made->constants)};
    for (const std::size_t i : {0u, 4u}) reads(i, one_row(in(i)));
    const auto prepare = [=](const backend_kinds& kinds, const operands& all, const q::any_output& to_y, q::status& s) {
      const q::matrix_view<const std::int8_t> from(static_cast<const std::int8_t*>(all[0].data()), batch, depth);
      const q::matrix_view<std::int8_t> into(static_cast<std::int8_t*>(to_y.data()), batch, units);
      const q::matrix_view<State> states(state<State>(all[1]), batch, entries);
      s = check(made->layer, from, states, into);
      return [=, run = std::get<svdf_run<State>>(kinds.recurrent)] { run(made->layer, from, states, into); };
    };
    finish(typed_spec{prepare}, one_row(out()));
  }

  // Operators that move elements.

  /// Operators whose outputs are their inputs in the same order. Shapes and axes are those of the tensors.
  void copy() {
    require(has(0) && op.outputs.size() == 1, "not one input and one output");
    require(in(0).element != element_type::none && in(0).element == out().element && in(0).bytes == out().bytes,
            "another type or size of y than of x");
    reads(0, one_row(in(0)));
    finish(moves_spec{1, {{0, 0, {{in(0).bytes, 1, 1}}, {}}}, {}}, one_row(out()));
  }
  /// Returns the elements from one index of an axis to the next.
  static std::vector<q::index_t> steps_of(const tensor& t) {
    std::vector<q::index_t> all(t.shape.size(), 1);
    for (std::size_t i = all.size(); i-- > 1;) all[i - 1] = all[i] * t.shape[i];
    return all;
  }
  /// Moves from x to y, which have the same type of whole bytes and at most 8 axes.
  moves_spec moves(const tensor& x, const tensor& y) const {
    require(
        x.element != element_type::none && x.element == y.element && x.bits >= 8 && x.shape.size() <= 8 && y.shape.size() <= 8,
        "another type of y than of x, or more than 8 axes");
    return {x.bits / 8, {}, {}};
  }
  void finish_move(moves_spec spec, std::size_t x, element_move move, std::size_t y = 0) {
    if (move.axes.empty()) move.axes.push_back({1, 1, 1});
    spec.moves = {move};
    reads(x, one_row(in(x)));
    finish(spec, one_row(net.tensors[static_cast<std::size_t>(op.outputs[y])]), y);
  }
  /// Inputs side by side along an axis of y, which is new or which they have. Int8 has one scale in all engines, LiteRT rescales
  /// uint8, and nobody looks at scales of int16.
  void join(q::index_t at_axis, bool is_new) {
    require(!op.inputs.empty() && op.outputs.size() == 1, "no input, or not one output");
    const tensor& y = out();
    const std::size_t axis = axis_of(at_axis, y);
    const q::index_t inner = steps_of(y)[axis], row = y.shape[axis] * inner;
    moves_spec spec;
    q::index_t at = 0;
    for (std::size_t i = 0; i < op.inputs.size(); ++i) {
      require(has(i), "input " + std::to_string(i) + " is absent");
      spec.bytes = moves(in(i), y).bytes;
      auto shape = in(i).shape;
      if (is_new) shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(std::min(axis, shape.size())), 1);
      require(shape.size() == y.shape.size(), "inputs that do not fit the output");
      const q::index_t part = std::exchange(shape[axis], y.shape[axis]) * inner;
      require(shape == y.shape, "inputs that do not fit the output");
      spec.moves.push_back({0, at, {{row == 0 ? 0 : y.count / row, part, row}, {part, 1, 1}}, {}});
      if (y.element == element_type::int8)
        require(scale(in(i)) == scale(y) && zero_point(in(i)) == zero_point(y), "int8 of two scales, which TFLite refuses");
      if (y.element == element_type::uint8 && !y.scales.empty()) spec.moves.back().table = rescaling_table(in(i));
      at += part;
      reads(i, one_row(in(i)));
    }
    require(at == row, "inputs that do not fit the output");
    finish(spec, one_row(y));
  }
  std::vector<unsigned char> rescaling_table(const tensor& x) const {
    if (scale(x) == scale(out()) && zero_point(x) == zero_point(out())) return {};
    const auto rule = value_of(
        q::litert::concatenate::derive(q::narrow(scale(x)), zero_point(x), q::narrow(scale(out())), zero_point(out())), "scales");
    std::vector<unsigned char> all;
    for (int byte = 0; byte < 256; ++byte) all.push_back(rule(static_cast<std::uint8_t>(byte)));
    return all;
  }
  /// The elements outside of x are the zero point of y, or the constant of PADV2.
  void pad() {
    require_tensors(2, 3);
    const tensor &x = in(0), &y = out();
    moves_spec spec = moves(x, y);
    const auto pads = integers(1);
    require(x.shape.size() == y.shape.size() && pads.size() == 2 * x.shape.size(), "not a padding before and behind each axis");
    element_move move;
    for (std::size_t i = 0; i < x.shape.size(); ++i) {
      require(pads[2 * i] >= 0 && pads[2 * i + 1] >= 0 && pads[2 * i] + x.shape[i] + pads[2 * i + 1] == y.shape[i],
              "the output has another size than its paddings give");
      move.axes.push_back({x.shape[i], steps_of(x)[i], steps_of(y)[i]});
      move.to += pads[2 * i] * steps_of(y)[i];
    }
    if (has(2)) {
      require(in(2).is_constant() && in(2).element == y.element && in(2).count == 1,
              "a value that is not a constant of y's type");
      spec.fill = in(2).data;
    } else {
      const std::int32_t zero = zero_point(y);
      spec.fill.resize(static_cast<std::size_t>(spec.bytes));
      std::memcpy(spec.fill.data(), &zero, std::min<std::size_t>(spec.fill.size(), sizeof zero));
    }
    finish_move(spec, 0, move);
  }
  void transpose() {
    require_tensors(2, 2);
    const tensor &x = in(0), &y = out();
    const moves_spec spec = moves(x, y);
    const auto order = integers(1);
    std::vector<bool> used(x.shape.size());
    require(order.size() == x.shape.size() && order.size() == y.shape.size(), "not an axis of x for each axis of y");
    element_move move;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const std::size_t from = axis_of(order[i], x);
      require(!used[from] && x.shape[from] == y.shape[i], "axes of x that do not give y");
      used[from] = true;
      move.axes.push_back({y.shape[i], steps_of(x)[from], steps_of(y)[i]});
    }
    finish_move(spec, 0, move);
  }
  /// x[begin], x[begin + step] and so on, along each axis. A bit of a mask takes an axis from its first or to its last element.
  void strided_slice() {
    require_tensors(4, 4);
    const auto& o = options<tflite::StridedSliceOptions>();
    require(o.ellipsis_mask() == 0 && o.new_axis_mask() == 0 && !o.offset(), "an ellipsis, a new axis or an offset");
    const tensor& x = in(0);
    const moves_spec spec = moves(x, out());
    const auto begins = integers(1), ends = integers(2), strides = integers(3);
    require(begins.size() == x.shape.size() && ends.size() == begins.size() && strides.size() == begins.size(),
            "not a begin, an end and a step for each axis");
    element_move move;
    q::index_t all = 1;
    for (std::size_t i = 0; i < begins.size(); ++i) {
      const bool is_one = (o.shrink_axis_mask() >> i & 1) != 0;  // a single index
      const q::index_t size = x.shape[i], stride = is_one ? 1 : strides[i], least = stride < 0 ? -1 : 0;
      require(stride != 0, "a step of 0");
      const auto place = [&](q::index_t at, int mask, bool is_last) {
        if ((mask >> i & 1) != 0) return is_last == (stride > 0) ? size + least : least;
        return std::clamp(at < 0 ? at + size : at, least, size + least);
      };
      const q::index_t first = place(begins[i], o.begin_mask(), false);
      const q::index_t last = is_one ? first + 1 : place(ends[i], o.end_mask(), true);
      require(!is_one || first < size, "an index that does not exist");
      const q::index_t count = std::max<q::index_t>(0, (last - first + stride + (stride < 0 ? 1 : -1)) / stride);
      move.from += first * steps_of(x)[i];
      move.axes.push_back({count, stride * steps_of(x)[i], 0});
      all *= count;
    }
    require(all == out().count, "another number of outputs than its places give");
    for (auto& axis : move.axes) axis.y_step = all = axis.size == 0 ? 0 : all / axis.size;
    finish_move(spec, 0, move);
  }
  void split() {
    require(op.inputs.size() == 2 && has(0) && has(1) && !op.outputs.empty(), "not an axis, an input and outputs");
    const tensor& x = in(1);
    const auto axes = integers(0);
    require(axes.size() == 1, "not one axis");
    const std::size_t axis = axis_of(axes[0], x);
    const q::index_t inner = steps_of(x)[axis], row = x.shape[axis] * inner;
    const q::index_t part = row / static_cast<q::index_t>(op.outputs.size());
    for (std::size_t i = 0; i < op.outputs.size(); ++i) {
      const tensor& y = net.tensors[static_cast<std::size_t>(op.outputs[i])];
      require(y.count * static_cast<q::index_t>(op.outputs.size()) == x.count, "outputs that do not have equal parts of x");
      finish_move(moves(x, y), 1,
                  {static_cast<q::index_t>(i) * part, 0, {{row == 0 ? 0 : x.count / row, row, part}, {part, 1, 1}}, {}}, i);
    }
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
    {tflite::BuiltinOperator_ADD, [](reader& r) { r.sum(operator_id::add, r.options<tflite::AddOptions>()); }},
    {tflite::BuiltinOperator_SUB, [](reader& r) { r.sum(operator_id::subtract, r.options<tflite::SubOptions>()); }},
    {tflite::BuiltinOperator_MUL, [](reader& r) { r.binary(operator_id::multiply, r.options<tflite::MulOptions>().fused()); }},
    {tflite::BuiltinOperator_DIV, [](reader& r) { r.binary(operator_id::divide, r.options<tflite::DivOptions>().fused()); }},
    {tflite::BuiltinOperator_SQUARED_DIFFERENCE, [](reader& r) { r.binary(operator_id::squared_difference); }},
    {tflite::BuiltinOperator_MAXIMUM, [](reader& r) { r.binary(operator_id::maximum); }},
    {tflite::BuiltinOperator_MINIMUM, [](reader& r) { r.binary(operator_id::minimum); }},
    {tflite::BuiltinOperator_PRELU, [](reader& r) { r.binary(operator_id::prelu); }},
    {tflite::BuiltinOperator_EQUAL, [](reader& r) { r.binary(operator_id::equal); }},
    {tflite::BuiltinOperator_NOT_EQUAL, [](reader& r) { r.binary(operator_id::not_equal); }},
    {tflite::BuiltinOperator_GREATER, [](reader& r) { r.binary(operator_id::greater); }},
    {tflite::BuiltinOperator_GREATER_EQUAL, [](reader& r) { r.binary(operator_id::greater_equal); }},
    {tflite::BuiltinOperator_LESS, [](reader& r) { r.binary(operator_id::less); }},
    {tflite::BuiltinOperator_LESS_EQUAL, [](reader& r) { r.binary(operator_id::less_equal); }},
    {tflite::BuiltinOperator_LOGISTIC, [](reader& r) { r.elementwise(operator_id::sigmoid); }},
    {tflite::BuiltinOperator_TANH, [](reader& r) { r.elementwise(operator_id::tanh); }},
    {tflite::BuiltinOperator_HARD_SWISH, [](reader& r) { r.elementwise(operator_id::hard_swish); }},
    {tflite::BuiltinOperator_ABS, [](reader& r) { r.elementwise(operator_id::abs); }},
    {tflite::BuiltinOperator_RSQRT, [](reader& r) { r.elementwise(operator_id::rsqrt); }},
    {tflite::BuiltinOperator_NEG, [](reader& r) { r.elementwise(operator_id::negate); }},
    {tflite::BuiltinOperator_SQRT, [](reader& r) { r.elementwise(operator_id::sqrt); }},
    {tflite::BuiltinOperator_LEAKY_RELU,
     [](reader& r) { r.elementwise(operator_id::leaky_relu, r.options<tflite::LeakyReluOptions>().alpha()); }},
    {tflite::BuiltinOperator_ELU, [](reader& r) { r.table_of(q::tflite::elu<>{}); }},
    {tflite::BuiltinOperator_EXP, [](reader& r) { r.table_of(q::exact::in_binary32<q::exact::exp>{}); }},
    {tflite::BuiltinOperator_RELU, [](reader& r) { r.relu(tflite::Activation_RELU); }},
    {tflite::BuiltinOperator_RELU6, [](reader& r) { r.relu(tflite::Activation_RELU6); }},
    {tflite::BuiltinOperator_RELU_N1_TO_1, [](reader& r) { r.relu(tflite::Activation_RELU_N1_TO_1); }},
    {tflite::BuiltinOperator_QUANTIZE, [](reader& r) { r.quantize(); }},
    {tflite::BuiltinOperator_AVERAGE_POOL_2D, [](reader& r) { r.pool(operator_id::average_pool); }},
    {tflite::BuiltinOperator_MAX_POOL_2D, [](reader& r) { r.pool(operator_id::max_pool); }},
    {tflite::BuiltinOperator_MEAN, [](reader& r) { r.reduce(operator_id::mean); }},
    {tflite::BuiltinOperator_SUM, [](reader& r) { r.reduce(operator_id::sum); }},
    {tflite::BuiltinOperator_REDUCE_MAX, [](reader& r) { r.reduce(operator_id::reduce_max); }},
    {tflite::BuiltinOperator_REDUCE_MIN, [](reader& r) { r.reduce(operator_id::reduce_min); }},
    {tflite::BuiltinOperator_ARG_MAX, [](reader& r) { r.arg<q::maximum>(); }},
    {tflite::BuiltinOperator_ARG_MIN, [](reader& r) { r.arg<q::minimum>(); }},
    {tflite::BuiltinOperator_ADD_N, [](reader& r) { r.add_n(); }},
    {tflite::BuiltinOperator_CUMSUM, [](reader& r) { r.cumsum(); }},
    {tflite::BuiltinOperator_SOFTMAX, [](reader& r) { r.softmax(); }},
    {tflite::BuiltinOperator_LOG_SOFTMAX, [](reader& r) { r.log_softmax(); }},
    {tflite::BuiltinOperator_L2_NORMALIZATION, [](reader& r) { r.l2_norm(); }},
    {tflite::BuiltinOperator_RESIZE_BILINEAR,
     [](reader& r) { r.resize(operator_id::resize_bilinear, r.options<tflite::ResizeBilinearOptions>()); }},
    {tflite::BuiltinOperator_RESIZE_NEAREST_NEIGHBOR,
     [](reader& r) { r.resize(operator_id::resize_nearest, r.options<tflite::ResizeNearestNeighborOptions>()); }},
    {tflite::BuiltinOperator_UNIDIRECTIONAL_SEQUENCE_LSTM, [](reader& r) { r.lstm(); }},
    {tflite::BuiltinOperator_SVDF, [](reader& r) { r.svdf(); }},
    {tflite::BuiltinOperator_RESHAPE, [](reader& r) { r.copy(); }},
    {tflite::BuiltinOperator_SQUEEZE, [](reader& r) { r.copy(); }},
    {tflite::BuiltinOperator_EXPAND_DIMS, [](reader& r) { r.copy(); }},
    {tflite::BuiltinOperator_CONCATENATION, [](reader& r) { r.join(r.options<tflite::ConcatenationOptions>().axis(), false); }},
    {tflite::BuiltinOperator_PACK, [](reader& r) { r.join(r.options<tflite::PackOptions>().axis(), true); }},
    {tflite::BuiltinOperator_PAD, [](reader& r) { r.pad(); }},
    {tflite::BuiltinOperator_PADV2, [](reader& r) { r.pad(); }},
    {tflite::BuiltinOperator_TRANSPOSE, [](reader& r) { r.transpose(); }},
    {tflite::BuiltinOperator_STRIDED_SLICE, [](reader& r) { r.strided_slice(); }},
    {tflite::BuiltinOperator_SPLIT, [](reader& r) { r.split(); }},
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
    reader r{net, op, steps, {}};
    known(op)->describe(r);
  }
  return steps;
}

}  // namespace model
