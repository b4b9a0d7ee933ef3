#pragma once
/// \file
/// Which code runs an operation: `kernel<Backend, Op>`, and the backend that is always there. Floor 4.
///
/// A backend is an empty struct with `fallback`, the backend that runs what it has no kernel for, and `name`. It joins in by
/// specialising `kernel`. It may be faster or slower, never different.

#include <dyadic/output.hpp>

namespace dyadic {

namespace backend {
/// Portable code: defines every operation.
struct scalar {
  static constexpr const char* name = "scalar";
};
}  // namespace backend

namespace op {
/// run(x, x_zero_point, output, y): y[r][c] = output(x[r][c] - x_zero_point, c), as `rescale_layer` says.
struct rescale {};
/// run(layer, x, y): the rows of a `linear_layer`, whose weights are a matrix_view or a packed_matrix.
struct linear {};
/// run(layer, x, y, rows): output rows of a `conv2d_layer`, whose weights are a matrix_view or a packed_matrix.
struct conv2d {};
/// run(layer, x, y, rows): output rows of a `transposed_conv2d_layer`.
struct transposed_conv2d {};
/// run(layer, x, y, rows): the output rows in the range of a `depthwise_layer`.
struct depthwise {};
/// run(weights, sums): sums[o] = sum over k of the weights of output channel o, modulo 2^(bits of *sums); a matmul's fold.
struct weight_sums {};
}  // namespace op

inline namespace DYADIC_ISA {

template <class Backend, class Op>
struct kernel : kernel<typename Backend::fallback, Op> {};

/// Each operation's header defines its own.
template <class Op>
struct kernel<backend::scalar, Op>;

}  // namespace DYADIC_ISA

namespace detail {

/// The scheme of an output, or void.
template <class Output>
struct scheme_of {
  using type = void;
};
template <class Y, class Scheme>
struct scheme_of<tensor_output<Y, Scheme>> {
  using type = Scheme;
};
template <class Y, class Scheme>
struct scheme_of<channel_output<Y, Scheme>> {
  using type = Scheme;
};
template <class Y, class Scheme, class Int, shift_convention Convention>
struct scheme_of<channel_pairs_output<Y, Scheme, Int, Convention>> {
  using type = Scheme;
};

/// Whether one multiplier serves all channels, and the multiplier of a channel.
/// @{
template <class Output>
inline constexpr bool is_per_tensor = false;
template <class Y, class Scheme>
inline constexpr bool is_per_tensor<tensor_output<Y, Scheme>> = true;

template <class Y, class Scheme>
DYADIC_API constexpr auto multiplier_of(const tensor_output<Y, Scheme>& output, index_t) noexcept {
  return output.multiplier;
}
template <class Y, class Scheme>
DYADIC_API constexpr auto multiplier_of(const channel_output<Y, Scheme>& output, index_t channel) noexcept {
  return output.multipliers[channel];
}
template <class Y, class Scheme, class Int, shift_convention Convention>
DYADIC_API constexpr auto multiplier_of(const channel_pairs_output<Y, Scheme, Int, Convention>& output,
                                        index_t channel) noexcept {
  return output.multiplier_of(channel);
}
/// @}

/// The multipliers of all channels if they lie in one array, else null.
/// @{
template <class Output>
DYADIC_API constexpr auto multipliers_in_place(const Output& output) noexcept -> const decltype(multiplier_of(output, 0))* {
  return nullptr;
}
template <class Y, class Scheme>
DYADIC_API constexpr const typename Scheme::multiplier_type* multipliers_in_place(
    const channel_output<Y, Scheme>& output) noexcept {
  return output.multipliers.data();
}
/// @}

/// Whether lanes give what the scheme gives for this output.
template <class Output>
DYADIC_API constexpr bool runs_over_lanes() noexcept {
  using scheme = typename scheme_of<Output>::type;
  if constexpr (std::is_void_v<scheme>)
    return false;
  else if constexpr (!dyadic::has_formula<scheme>)
    return false;
  else
    return sizeof(typename Output::value_type) < 4 || !std::is_same_v<typename scheme::formula_type::result, to_int32_if_short>;
}

inline namespace DYADIC_ISA {

/// Runs an operation; the constant evaluator runs the scalar kernel.
template <class Backend, class Op, class... Arguments>
constexpr void call(const Arguments&... arguments) noexcept {
  if (is_constant_evaluated())
    kernel<backend::scalar, Op>::run(arguments...);
  else
    kernel<Backend, Op>::run(arguments...);
}

/// The kernel of a backend that has lanes: `Kernels`, from its region, where the output's scheme is written over lanes.
template <class Backend, class Kernels>
struct rescale_over_lanes {
  template <class X, class Output>
  static void run(matrix_view<const X> x, std::int32_t x_zero_point, const Output& output,
                  matrix_view<typename Output::value_type> y) noexcept {
    if constexpr (runs_over_lanes<Output>())
      Kernels::rescale(x, x_zero_point, output, y);
    else
      kernel<typename Backend::fallback, op::rescale>::run(x, x_zero_point, output, y);
  }
};

}  // namespace DYADIC_ISA
}  // namespace detail
}  // namespace dyadic
