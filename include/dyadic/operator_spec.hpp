// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Describes an operator without weights whose types, rule and scales are known only when the program runs. Floor 5.
///
/// Scales are those of the model file. A rule that derives from binary32 reads them rounded to binary32. An example of `rule` is
/// `scheme_id::of<tflite::add<std::int8_t>>()`. An empty `rule` selects the only linked rule with this operator and these types.
/// If several linked rules fit, the status is `ambiguous_scheme`. In a range, int32_min and int32_max stand for the least and the
/// greatest value of y.

#include <dyadic/elementwise/activation_range.hpp>
#include <dyadic/elementwise/average_pool.hpp>
#include <dyadic/elementwise/resize.hpp>
#include <dyadic/elementwise/softmax.hpp>
#include <dyadic/layer_spec.hpp>

namespace dyadic {

/// A function of two tensors. A maximum and a minimum use no scales and no range.
struct binary_spec {
  operator_id op = operator_id::add;       ///< add .. multiply, divide .. less_equal, maximum or minimum
  element_type type = element_type::none;  ///< type of a, b and y; y of a comparison is uint8, b of a signed prelu is int8
  scheme_id rule;                          ///< the rule of one publisher, or empty
  double a_scale = 0;                      ///< scale of a
  std::int32_t a_zero_point = 0;           ///< zero point of a
  double b_scale = 0;                      ///< scale of b
  std::int32_t b_zero_point = 0;           ///< zero point of b
  double y_scale = 0;                      ///< scale of y; unused by a comparison
  output_range range;                      ///< zero point and bounds of y, with a fused activation; unused by a comparison
};

/// A function of one element.
struct activation_spec {
  operator_id op = operator_id::table;  ///< leaky_relu .. table, abs .. rsqrt, requantize or concatenate
  element_type x = element_type::none;  ///< type of x
  element_type y = element_type::none;  ///< type of y
  scheme_id rule;                       ///< the rule of one publisher, or empty
  double x_scale = 0;                   ///< scale of x; unused by a table
  std::int32_t x_zero_point = 0;        ///< zero point of x; unused by a table
  double y_scale = 0;                   ///< scale of y; for a sigmoid or a tanh 0, or the scale that the rule fixes
  std::int32_t y_zero_point = 0;        ///< zero point of y; unused where y_scale is unused
  double alpha = 0;                     ///< slope of a leaky_relu below 0
  const void* table = nullptr;          ///< entries of a table, of the type of y; must stay in place
  index_t table_size = 0;               ///< number of entries: 256 for x of 8 bits, 513 for int16
};

/// A pool of averages, maxima or minima.
struct pool_spec {
  element_type type = element_type::none;      ///< type of x and y
  scheme_id rule;                              ///< the id of an `average_output` or a `pool_layer`, or empty
  window2d window;                             ///< kernel, stride, dilation and padding
  averaged divisor = averaged::inside;         ///< the elements that are counted
  std::int32_t x_zero_point = 0;               ///< zero point of x, and of y if the rule averages stored values
  output_range range;                          ///< zero point and bounds of y
  operator_id op = operator_id::average_pool;  ///< average_pool, max_pool or min_pool, which use no zero points and no divisor
  double x_scale = 0;                          ///< scale of x; equal to that of y, or both 0, unless the rule rescales
  double y_scale = 0;                          ///< scale of y
};

/// A mean, a sum or an extreme over each axis along which y has one element. Extremes use no scales, zero points and count.
struct mean_spec {
  operator_id op = operator_id::mean;      ///< mean, sum, add_n, reduce_max or reduce_min
  element_type type = element_type::none;  ///< type of x and y
  scheme_id rule;                          ///< the rule of one publisher, or empty
  double x_scale = 0;                      ///< scale of x
  std::int32_t x_zero_point = 0;           ///< zero point of x
  index_t count = 0;                       ///< number of elements of x for each element of y
  double y_scale = 0;                      ///< scale of y
  output_range range;                      ///< zero point and bounds of y
};

/// An image in another size.
struct resize_spec {
  operator_id op = operator_id::resize_bilinear;  ///< resize_bilinear or resize_nearest
  element_type type = element_type::none;         ///< type of x and y, which have one scale and one zero point
  scheme_id rule;                                 ///< the rule of one publisher, or empty
  tflite::resize_alignment alignment;             ///< how y is placed over x
};

/// A softmax over the channels.
struct softmax_spec {
  element_type x = element_type::none;             ///< type of x
  element_type y = element_type::none;             ///< type of y, whose scale and zero point the rule fixes
  scheme_id rule;                                  ///< the rule of one publisher, or empty
  double x_scale = 0;                              ///< scale of x
  double beta = 1;                                 ///< factor of x in the exponent; 1 for a log softmax and TOSA's int16
  const tflite::softmax_tables* tables = nullptr;  ///< for x of int16: one pair for all layers, which must stay in place
  operator_id op = operator_id::softmax;           ///< softmax or log_softmax
};

/// A norm over the channels. Weights and bias must stay in place.
struct norm_spec {
  operator_id op = operator_id::layer_norm;  ///< layer_norm, rms_norm or l2_norm
  element_type type = element_type::none;    ///< type of x and y
  scheme_id rule;                            ///< the rule of one publisher, or empty
  double x_scale = 0;                        ///< scale of x; unused by LiteRT and by an l2_norm
  std::int32_t x_zero_point = 0;             ///< zero point of x; unused by a layer_norm
  double epsilon = 0;                        ///< added to the mean of squares; unused by LiteRT and by an l2_norm
  view<const std::int16_t> weights;          ///< one for each channel; none for an l2_norm
  view<const std::int32_t> bias;             ///< one for each channel, in units of 2^-10 * weight_scale, or none
  double weight_scale = 0;                   ///< scale of the weights
  double y_scale = 0;                        ///< scale of y; LiteRT has 2^-12, an l2_norm 2^-7
  output_range range;                        ///< zero point and bounds of y; unused by LiteRT and by an l2_norm
};

namespace tflite {

/// Returns `activation_range<Y>` for the type y of the outputs, with the scale rounded to binary32. Returns `type_mismatch`
/// unless it is int8, uint8, int16 or int32.
DYADIC_API constexpr result<output_range> activation_range(element_type y, activation fused, double scale,
                                                           std::int32_t zero_point) noexcept {
  switch (y) {
    case element_type::int8: return activation_range<std::int8_t>(fused, narrow(binary64{scale}), zero_point);
    case element_type::uint8: return activation_range<std::uint8_t>(fused, narrow(binary64{scale}), zero_point);
    case element_type::int16: return activation_range<std::int16_t>(fused, narrow(binary64{scale}), zero_point);
    case element_type::int32: return activation_range<std::int32_t>(fused, narrow(binary64{scale}), zero_point);
    default: return {{zero_point}, status::type_mismatch};
  }
}

}  // namespace tflite

}  // namespace dyadic
