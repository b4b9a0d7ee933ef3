// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Selects the code that runs an operation: `kernel<Backend, Op>`. A backend specialises `kernel` for its operations. Floor 4.

#include <dyadic/detail/arguments.hpp>
#include <dyadic/detail/backend_names.hpp>
#include <dyadic/output.hpp>
#include <dyadic/run_options.hpp>

namespace dyadic {

namespace op {
/// run(layer, x, y, rows): rows of a `rescale_layer`.
struct rescale {};
/// run(layer, x, y, rows): rows of a `linear_layer`, whose weights are a matrix_view or a packed_matrix.
struct linear {};
/// run(layer, x, y, rows): output rows of a `conv2d_layer`, whose weights are a matrix_view or a packed_matrix.
struct conv2d {};
/// run(layer, x, y, rows): output rows of a `transposed_conv2d_layer`.
struct transposed_conv2d {};
/// run(layer, x, y, rows): the output rows in the range of a `depthwise_layer`.
struct depthwise {};
/// run(layer, a, b, y, rows): rows of a `binary_layer`.
struct binary {};
/// run(layer, x, y, rows): rows of an `activation_layer`.
struct activation {};
/// run(layer, x, y, rows): output rows of a `pool_layer`.
struct pool {};
/// run(layer, x, y, rows): output rows of a `resize_layer`.
struct resize {};
/// run(sums_in<Accumulator>, x, w, depth): returns a dot product. run(rows, w, y): the products of several rows.
struct dot {};
/// run(weights, sums): sums[o] = the sum of the weights of output channel o, modulo 2^(bits of *sums). For the fold of a matmul.
struct row_sums {};
/// A block of units of an LSTM: run(rule, sums, gate, whole block at y, count) and run(rule, gates, c, y, count): next c and y.
struct lstm {};
}  // namespace op

/// The bytes of a workspace for all layers on a backend. It is 1 if none is used, because an array has at least 1 byte.
/// @{
template <class Backend>
inline constexpr index_t workspace_size = workspace_size<typename Backend::fallback>;
template <>
inline constexpr index_t workspace_size<backend::scalar> = 1;
/// @}

inline namespace DYADIC_ISA {

/// Runs an operation on a backend: run(arguments of the operation). A backend without a kernel inherits that of its fallback.
template <class Backend, class Op>
struct kernel : kernel<typename Backend::fallback, Op> {};

/// The header of each operation defines its portable kernel.
template <class Op>
struct kernel<backend::scalar, Op>;

}  // namespace DYADIC_ISA

namespace detail {

/// The scheme of an output, or void if it has none.
template <class Output, class = void>
struct scheme_of {
  using type = void;
};
template <class Output>
struct scheme_of<Output, std::void_t<typename Output::scheme>> {
  using type = typename Output::scheme;
};

/// True if all channels have the same multiplier.
template <class Output>
inline constexpr bool is_per_tensor = false;
template <class Y, class Scheme>
inline constexpr bool is_per_tensor<per_tensor_output<Y, Scheme>> = true;

/// Returns true if vector lanes give the results of the scheme for this output.
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

/// True if a layer computes its outputs in floats. Vectors then follow the rounding mode of the machine.
/// @{
template <class Scheme, class = void>
inline constexpr bool rounds_binary32 = false;
template <class Scheme>
inline constexpr bool rounds_binary32<Scheme, std::void_t<typename Scheme::formula_type>> =
    !is_one_of<typename Scheme::formula_type::multiplier_type, multiplier16, multiplier32>;
template <class Layer, class = void>
inline constexpr bool is_in_binary32 = false;
template <class Layer>
inline constexpr bool is_in_binary32<Layer, std::void_t<output_of<Layer>>> =
    rounds_binary32<typename scheme_of<output_of<Layer>>::type>;
/// @}

/// Returns the rows of a matrix that are in the range. Requires: a range of at least one row, within the matrix.
template <class T>
DYADIC_API constexpr matrix_view<T> rows_of(const matrix_view<T>& m, const row_range& rows) noexcept {
  return {m.row(rows.begin), rows.end - rows.begin, m.cols(), m.stride()};
}

/// An operand that is broadcast to the shape of y: a single row or column is repeated.
template <class A>
struct stretched {
  const A* data;
  index_t row_stride;  ///< 0 if one row is repeated, else the stride of the operand
  index_t step;        ///< 0 if one column is repeated, else 1

  DYADIC_API constexpr explicit stretched(const matrix_view<const A>& a) noexcept
      : data{a.data()}, row_stride{a.rows() == 1 ? 0 : a.stride()}, step{a.cols() == 1 ? 0 : 1} {}
  DYADIC_API constexpr const A* row(index_t r) const noexcept { return data + r * row_stride; }
};

/// Returns a view with const elements. Does not copy a view that has const elements already.
/// @{
template <class T>
DYADIC_API constexpr const matrix_view<const T>& to_read(const matrix_view<const T>& x) noexcept {
  return x;
}
template <class T>
DYADIC_API constexpr const nhwc_view<const T>& to_read(const nhwc_view<const T>& x) noexcept {
  return x;
}
template <class T>
DYADIC_API constexpr matrix_view<const T> to_read(const matrix_view<T>& x) noexcept {
  return x;
}
template <class T>
DYADIC_API constexpr nhwc_view<const T> to_read(const nhwc_view<T>& x) noexcept {
  return x;
}
/// @}

/// Checks the sizes of a view. Returns the status of `check`, but `ok` for `null_data` and `misaligned_data`.
template <class View>
DYADIC_API constexpr status check_shape(const View& v) noexcept {
  const status s = check(v);
  return s == status::null_data || s == status::misaligned_data ? status::ok : s;
}

/// Runs both halves of `check` on any operands. Returns `accumulator_overflow` only if there is no other error.
template <class Layer, class... Views>
DYADIC_API constexpr status check_halves(const Layer& layer, const Views&... views) noexcept {
  const status shapes = check_shapes(layer, views...);
  if (!may_run(shapes)) return shapes;
  const status memory = check_memory(layer, views...);
  return memory != status::ok ? memory : shapes;
}

/// The operation of a layer, the activation types that it `takes`, and its default backend. A layer's header specialises it.
template <class Layer>
struct operation_of;

/// The operation of a layer with weights.
template <class Op, class W, class Weights>
struct operation_with {
  using type = Op;
  using backend = backend::scalar;
  template <class X>
  static constexpr bool takes = takes_operands<X, W>();
};

/// True if a layer has weights, so that some of its channels can be computed alone.
template <class Layer, class Operation = typename operation_of<Layer>::type>
inline constexpr bool has_parts = is_one_of<Operation, op::linear, op::conv2d, op::depthwise, op::transposed_conv2d>;

/// The backend that the caller names, else the default backend of the layer.
template <class Backend, class Layer>
using backend_for = backend_or<Backend, typename operation_of<Layer>::backend>;

/// The base of the type that stands for a layer of unsuitable parts, after the compiler has printed the error.
struct refused_layer {};

/// True if x and y of a layer are images, because the layer has a window.
template <class Layer, class = void>
inline constexpr bool has_images = false;
template <class Layer>
inline constexpr bool has_images<Layer, std::void_t<typename operation_of<Layer>::windows>> = true;

/// `are_of_kind` is true if x and y are images or matrices as the layer requires. `are_views` is true if y also has the element
/// type of the outputs.
template <class Layer, class X, class Y>
inline constexpr bool are_of_kind = has_images<Layer> ? is_image<X>&& is_image<Y> : is_matrix<X>&& is_matrix<Y>;
template <class Layer, class X, class Y>
DYADIC_API constexpr bool are_views() noexcept {
  if constexpr (are_of_kind<Layer, X, Y> && !std::is_base_of_v<refused_layer, Layer>)
    return std::is_same_v<element_of<Y>, typename made_by<Layer>::type>;
  else
    return false;
}

/// Returns true, or ends the compilation with a message about x and y.
template <class Layer, class X, class Y>
DYADIC_API constexpr bool takes_views() noexcept {
  if constexpr (std::is_base_of_v<refused_layer, Layer>) {
    return false;
  } else if constexpr (are_views<Layer, X, Y>()) {
    constexpr bool is_taken = operation_of<Layer>::template takes<std::remove_const_t<element_of<X>>>;
    static_assert(is_taken, "x must hold what the layer and its packed weights take");
    return is_taken;
  } else {
    constexpr bool are_right = are_of_kind<Layer, X, Y>;
    static_assert(are_right || !has_images<Layer>, "x and y of this layer are images: nhwc_view(data, n, h, w, c)");
    static_assert(are_right || has_images<Layer>, "x and y of this layer are matrices: matrix_view(data, rows, columns)");
    static_assert(!are_right, "y must hold what the layer's output makes, and not be const");
    return false;
  }
}

inline namespace DYADIC_ISA {

/// Runs an operation. A constant expression runs the scalar kernel.
template <class Backend, class Op, class... Arguments>
constexpr auto call(const Arguments&... arguments) noexcept {
  if (is_constant_evaluated()) return kernel<backend::scalar, Op>::run(arguments...);
  return kernel<Backend, Op>::run(arguments...);
}

/// Runs the kernels in the region of a backend if they take the arguments, else the kernel of its fallback. If the machine rounds
/// binary32 in another way, runs portable code, which computes binary32 in integers.
template <class Backend, class Op, class Kernels>
struct kernel_in {
  template <class Layer, class... Arguments>
  static auto run(const Layer& layer, const Arguments&... arguments) noexcept {
    if constexpr (!decltype(Kernels::takes(Op{}, layer, arguments...))::value) {
      return kernel<typename Backend::fallback, Op>::run(layer, arguments...);
    } else {
      if constexpr (is_in_binary32<Layer>)
        if (!Kernels::rounds_as(layer.output)) return kernel<backend::scalar, Op>::run(layer, arguments...);
      return Kernels::run(Op{}, layer, arguments...);
    }
  }
};

/// Computes a range of rows of y.
template <class Backend, class Layer, class X, class Y>
constexpr void run_range(const Layer& layer, const X& x, const Y& y, const row_range& rows, view<std::byte> workspace) noexcept {
  if (row_count(y) == 0 || rows.begin == rows.end) return;
  DYADIC_ASSERT(0 <= rows.begin && rows.begin <= rows.end && rows.end <= row_count(y));
  DYADIC_ASSERT(may_run(check_sizes(operation_of<Layer>{}, layer, to_read(x), y)));
  using chosen = backend_for<Backend, Layer>;
  using operation = typename operation_of<Layer>::type;
  if constexpr (1 < workspace_size<chosen>)
    call<chosen, operation>(layer, to_read(x), y, rows_to_run{rows, workspace});
  else
    call<chosen, operation>(layer, to_read(x), y, rows);
}

}  // namespace DYADIC_ISA
}  // namespace detail

inline namespace DYADIC_ISA {

/// Computes y, or the part of y that the options name. Requires: check(layer, x, y) is ok or `accumulator_overflow`, and the
/// ranges are within y. If it is `accumulator_overflow`, sums wrap modulo 2^(bits of the accumulator). The default backend is the
/// backend for which the weights are packed, else portable code. A backend without a kernel for the layer uses its fallback.
/// Therefore each backend runs each layer, also with weights that are packed for another backend.
/// @{
template <class Backend = void, class Layer, class X, class Y, class Operation = typename detail::operation_of<Layer>::type>
DYADIC_ALWAYS_INLINE constexpr void run(const Layer& layer, const X& x, const Y& y, const run_options& options) noexcept {
  if constexpr (detail::takes_backend<Backend>() && detail::takes_views<Layer, X, Y>()) {
    const row_range rows = detail::within(options.rows, detail::row_count(y));
    const channel_range all{0, detail::channel_count(y)};
    const channel_range channels = detail::within(options.channels, all.end);
    if constexpr (detail::has_parts<Layer>) {
      if (channels.begin != 0 || channels.end != all.end)
        return detail::run_range<Backend>(channels_of(layer, channels), inputs_of(layer, x, channels), channels_of(y, channels),
                                          rows, options.workspace);
    }
    DYADIC_ASSERT(channels.begin == 0 && channels.end == all.end);
    detail::run_range<Backend>(layer, x, y, rows, options.workspace);
  }
}
template <class Backend = void, class Layer, class X, class Y, class Operation = typename detail::operation_of<Layer>::type>
constexpr void run(const Layer& layer, const X& x, const Y& y) noexcept {
  if constexpr (detail::takes_backend<Backend>() && detail::takes_views<Layer, X, Y>())
    detail::run_range<Backend>(layer, x, y, {0, detail::row_count(y)}, {});
}
/// @}

}  // namespace DYADIC_ISA

/// Ends the compilation with a message about x and y.
template <class Layer, class X, class Y, class Operation = typename detail::operation_of<Layer>::type,
          std::enable_if_t<!detail::are_views<Layer, X, Y>(), int> = 0>
DYADIC_API constexpr status check(const Layer&, const X&, const Y&) noexcept {
  detail::takes_views<Layer, X, Y>();
  return status::shape_mismatch;
}

}  // namespace dyadic
