#pragma once
/// \file
/// Declarations that the sources with a mistake share.

#include <dyadic/dyadic.hpp>
#include <dyadic/rescale.hpp>

#include <vector>

namespace q = dyadic;

using scheme = q::tflite::double_rounding;
using output_type = q::per_tensor_output<std::int8_t, scheme>;

extern const q::matrix_view<const std::int8_t> weights;
extern const q::packed_matrix<q::backend::scalar, std::int8_t, std::int8_t> packed;
extern const std::int32_t bias[2];
extern const q::window2d window;
extern const output_type output;
extern const q::folded_bias<std::int32_t> folded;
extern const q::folded_bias<std::int64_t> folded_wide;
extern std::int32_t constants[2];

extern const q::matrix_view<const std::int8_t> x;
extern const q::matrix_view<std::int8_t> y;
extern const q::nhwc_view<const std::int8_t> x_image;
extern const q::nhwc_view<std::int8_t> y_image;
extern const q::linear_layer<std::int8_t, output_type> linear;
extern const q::conv2d_layer<std::int8_t, output_type> conv2d;

q::status caller();
