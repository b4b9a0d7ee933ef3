#include "operators.hpp"

#include <dyadic/elementwise/add_n.hpp>
#include <dyadic/elementwise/extremes.hpp>
#include <dyadic/elementwise/row_layer.hpp>
#include <dyadic/elementwise/softmax_tables.hpp>
#include <dyadic/elementwise/table_functions.hpp>
#include <dyadic/layer_scheme.hpp>

#include "reader.hpp"

namespace model {
namespace {

/// Describes layers with weights, and operators on elements, rows and images.
struct describer : reader {
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
    softmax_of(spec);
  }
  void log_softmax() {
    require_tensors(1, 1);
    q::softmax_spec spec;
    spec.op = operator_id::log_softmax;
    fixed_scale(0x1p-4, 127);
    softmax_of(spec);
  }
  void softmax_of(q::softmax_spec spec) {
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
            in_all_engines,
            {},
            {}};
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
    finish(typed_spec{prepare, false, {}, {}}, one_row(out()));
  }
};

/// An operator of the format, and the function that describes it.
struct known_operator {
  tflite::BuiltinOperator code;
  void (*describe)(describer&);
};

constexpr known_operator all[] = {
    {tflite::BuiltinOperator_CONV_2D, [](describer& r) { r.conv2d(); }},
    {tflite::BuiltinOperator_DEPTHWISE_CONV_2D, [](describer& r) { r.depthwise(); }},
    {tflite::BuiltinOperator_TRANSPOSE_CONV, [](describer& r) { r.transposed(); }},
    {tflite::BuiltinOperator_FULLY_CONNECTED, [](describer& r) { r.fully_connected(); }},
    {tflite::BuiltinOperator_ADD, [](describer& r) { r.sum(operator_id::add, r.options<tflite::AddOptions>()); }},
    {tflite::BuiltinOperator_SUB, [](describer& r) { r.sum(operator_id::subtract, r.options<tflite::SubOptions>()); }},
    {tflite::BuiltinOperator_MUL, [](describer& r) { r.binary(operator_id::multiply, r.options<tflite::MulOptions>().fused()); }},
    {tflite::BuiltinOperator_DIV, [](describer& r) { r.binary(operator_id::divide, r.options<tflite::DivOptions>().fused()); }},
    {tflite::BuiltinOperator_SQUARED_DIFFERENCE, [](describer& r) { r.binary(operator_id::squared_difference); }},
    {tflite::BuiltinOperator_MAXIMUM, [](describer& r) { r.binary(operator_id::maximum); }},
    {tflite::BuiltinOperator_MINIMUM, [](describer& r) { r.binary(operator_id::minimum); }},
    {tflite::BuiltinOperator_PRELU, [](describer& r) { r.binary(operator_id::prelu); }},
    {tflite::BuiltinOperator_EQUAL, [](describer& r) { r.binary(operator_id::equal); }},
    {tflite::BuiltinOperator_NOT_EQUAL, [](describer& r) { r.binary(operator_id::not_equal); }},
    {tflite::BuiltinOperator_GREATER, [](describer& r) { r.binary(operator_id::greater); }},
    {tflite::BuiltinOperator_GREATER_EQUAL, [](describer& r) { r.binary(operator_id::greater_equal); }},
    {tflite::BuiltinOperator_LESS, [](describer& r) { r.binary(operator_id::less); }},
    {tflite::BuiltinOperator_LESS_EQUAL, [](describer& r) { r.binary(operator_id::less_equal); }},
    {tflite::BuiltinOperator_LOGISTIC, [](describer& r) { r.elementwise(operator_id::sigmoid); }},
    {tflite::BuiltinOperator_TANH, [](describer& r) { r.elementwise(operator_id::tanh); }},
    {tflite::BuiltinOperator_HARD_SWISH, [](describer& r) { r.elementwise(operator_id::hard_swish); }},
    {tflite::BuiltinOperator_ABS, [](describer& r) { r.elementwise(operator_id::abs); }},
    {tflite::BuiltinOperator_RSQRT, [](describer& r) { r.elementwise(operator_id::rsqrt); }},
    {tflite::BuiltinOperator_NEG, [](describer& r) { r.elementwise(operator_id::negate); }},
    {tflite::BuiltinOperator_SQRT, [](describer& r) { r.elementwise(operator_id::sqrt); }},
    {tflite::BuiltinOperator_LEAKY_RELU,
     [](describer& r) { r.elementwise(operator_id::leaky_relu, r.options<tflite::LeakyReluOptions>().alpha()); }},
    {tflite::BuiltinOperator_ELU, [](describer& r) { r.table_of(q::tflite::elu<>{}); }},
    {tflite::BuiltinOperator_EXP, [](describer& r) { r.table_of(q::exact::in_binary32<q::exact::exp>{}); }},
    {tflite::BuiltinOperator_RELU, [](describer& r) { r.relu(tflite::Activation_RELU); }},
    {tflite::BuiltinOperator_RELU6, [](describer& r) { r.relu(tflite::Activation_RELU6); }},
    {tflite::BuiltinOperator_RELU_N1_TO_1, [](describer& r) { r.relu(tflite::Activation_RELU_N1_TO_1); }},
    {tflite::BuiltinOperator_QUANTIZE, [](describer& r) { r.quantize(); }},
    {tflite::BuiltinOperator_AVERAGE_POOL_2D, [](describer& r) { r.pool(operator_id::average_pool); }},
    {tflite::BuiltinOperator_MAX_POOL_2D, [](describer& r) { r.pool(operator_id::max_pool); }},
    {tflite::BuiltinOperator_MEAN, [](describer& r) { r.reduce(operator_id::mean); }},
    {tflite::BuiltinOperator_SUM, [](describer& r) { r.reduce(operator_id::sum); }},
    {tflite::BuiltinOperator_REDUCE_MAX, [](describer& r) { r.reduce(operator_id::reduce_max); }},
    {tflite::BuiltinOperator_REDUCE_MIN, [](describer& r) { r.reduce(operator_id::reduce_min); }},
    {tflite::BuiltinOperator_ARG_MAX, [](describer& r) { r.arg<q::maximum>(); }},
    {tflite::BuiltinOperator_ARG_MIN, [](describer& r) { r.arg<q::minimum>(); }},
    {tflite::BuiltinOperator_ADD_N, [](describer& r) { r.add_n(); }},
    {tflite::BuiltinOperator_CUMSUM, [](describer& r) { r.cumsum(); }},
    {tflite::BuiltinOperator_SOFTMAX, [](describer& r) { r.softmax(); }},
    {tflite::BuiltinOperator_LOG_SOFTMAX, [](describer& r) { r.log_softmax(); }},
    {tflite::BuiltinOperator_L2_NORMALIZATION, [](describer& r) { r.l2_norm(); }},
    {tflite::BuiltinOperator_RESIZE_BILINEAR,
     [](describer& r) { r.resize(operator_id::resize_bilinear, r.options<tflite::ResizeBilinearOptions>()); }},
    {tflite::BuiltinOperator_RESIZE_NEAREST_NEIGHBOR,
     [](describer& r) { r.resize(operator_id::resize_nearest, r.options<tflite::ResizeNearestNeighborOptions>()); }},
    {tflite::BuiltinOperator_UNIDIRECTIONAL_SEQUENCE_LSTM, [](describer& r) { lstm(r); }},
    {tflite::BuiltinOperator_SVDF, [](describer& r) { svdf(r); }},
    {tflite::BuiltinOperator_RESHAPE, [](describer& r) { copy(r); }},
    {tflite::BuiltinOperator_SQUEEZE, [](describer& r) { copy(r); }},
    {tflite::BuiltinOperator_EXPAND_DIMS, [](describer& r) { copy(r); }},
    {tflite::BuiltinOperator_CONCATENATION,
     [](describer& r) { join(r, r.options<tflite::ConcatenationOptions>().axis(), false); }},
    {tflite::BuiltinOperator_PACK, [](describer& r) { join(r, r.options<tflite::PackOptions>().axis(), true); }},
    {tflite::BuiltinOperator_PAD, [](describer& r) { pad(r); }},
    {tflite::BuiltinOperator_PADV2, [](describer& r) { pad(r); }},
    {tflite::BuiltinOperator_TRANSPOSE, [](describer& r) { transpose(r); }},
    {tflite::BuiltinOperator_STRIDED_SLICE, [](describer& r) { strided_slice(r); }},
    {tflite::BuiltinOperator_SPLIT, [](describer& r) { split(r); }},
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
    describer r{{net, op, steps, {}}};
    known(op)->describe(r);
  }
  return steps;
}

}  // namespace model
