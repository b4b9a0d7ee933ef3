#pragma once
/// \file
/// A layer that is prepared in a file of one optimization level and run in a file of another. Both use equal packed weights.

#include <dyadic/conv2d.hpp>
#include <dyadic/linear.hpp>

#include DYADIC_BEST_HEADER

namespace levels {

namespace q = dyadic;
using backend = q::backend::DYADIC_BEST;
template <class X>
using weights = q::packed_matrix<backend, X, std::int8_t>;
template <class X>
using output = q::raw_output<std::conditional_t<sizeof(X) == 2, std::int64_t, std::int32_t>>;
template <class X>
using linear_layer = q::linear_layer<std::int8_t, output<X>, weights<X>>;
template <class X>
using value = typename output<X>::value_type;

/// Runs the layer in a file that is compiled for size.
/// @{
void run_small(const linear_layer<std::int16_t>& layer, q::matrix_view<const std::int16_t> x,
               q::matrix_view<value<std::int16_t>> y);
void run_small(const linear_layer<std::int8_t>& layer, q::matrix_view<const std::int8_t> x, q::matrix_view<value<std::int8_t>> y);
/// @}

}  // namespace levels
