#pragma once
/// \file
/// What all operators read of a file: their tensors, scales, constants and shapes.

#include <dyadic/elementwise/activation_range.hpp>
#include <dyadic/scale.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include "operators.hpp"

namespace model {

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
    for (std::size_t i = 0; i < least; ++i) in(i);
  }
  bool has(std::size_t i) const { return i < op.inputs.size() && op.inputs[i] >= 0; }
  const tensor& in(std::size_t i) const {
    require(has(i), "input " + std::to_string(i) + " is absent");
    return net.tensors[static_cast<std::size_t>(op.inputs[i])];
  }
  const tensor& out() const {
    require(!op.outputs.empty() && op.outputs[0] >= 0, "output 0 is absent");
    return net.tensors[static_cast<std::size_t>(op.outputs[0])];
  }
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
    require(t.scales.size() == 1, t.name + " has not one scale");
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
};

// Operators that move elements.
void copy(reader& r);
void join(reader& r, q::index_t axis, bool is_new);
void pad(reader& r);
void transpose(reader& r);
void strided_slice(reader& r);
void split(reader& r);

// Recurrent layers.
void lstm(reader& r);
void svdf(reader& r);

}  // namespace model
