#pragma once
/// \file
/// Every pair of types that an operator accepts, packed or not, on every backend of this machine.
/// Results are compared with the operator's definition, at the extremes of the types.
/// Pairs that are not in the list do not compile: tests/compile/fail.

#include <dyadic/dyadic.hpp>
#include <dyadic/rescale.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include "../oracle/linear.hpp"
#include "../support/operations.hpp"
#include "each_backend.hpp"
#include "types_problem.hpp"

namespace types {

using support::as_stored;

// ---- the list

template <class T>
struct tag {
  using type = T;
};

template <class X, class... W, class Use>
void each_weight(const Use& use) {
  const auto each = [&](auto weight) {
    if constexpr (q::detail::is_supported<X, typename decltype(weight)::type>) use(tag<X>{}, weight);
  };
  (each(tag<W>{}), ...);
}
template <class... X, class Use>
void each_activation(const Use& use) {
  (each_weight<X, i8, std::uint8_t, i16, std::uint16_t, q::int4>(use), ...);
}
/// Calls use(tag of the activation, tag of the weight) for each pair.
template <class Use>
void each_pair(const Use& use) {
  each_activation<i8, std::uint8_t, i16, std::uint16_t>(use);
}

template <class T>
std::string name() {
  if constexpr (std::is_same_v<T, q::int4>)
    return "int4";
  else if constexpr (std::is_same_v<T, q::packed_int48>)
    return "int48";
  else
    return (std::is_signed_v<T> ? "int" : "uint") + std::to_string(8 * sizeof(T));
}

// ---- numbers

/// A mantissa that scales large and small sums to numbers that are not all clamped.
constexpr i32 mantissa = (1 << 30) + 12345;

/// Returns the value that an output gives for an accumulator.
/// @{
inline i64 expected(q::raw_output<i64>, i64 acc) { return acc; }
inline i64 expected(q::raw_output<i32>, i64 acc) { return oracle::wrapped(acc, 32); }
template <class Y, class Scheme>
i64 expected(const q::per_tensor_output<Y, Scheme>& output, i64 acc) {
  const i64 y = oracle::nearest_half_up(oracle::wrapped(acc, 32), output.multiplier.mantissa, output.multiplier.right_shift);
  return std::clamp<i64>(y + output.range.zero_point, output.range.min, output.range.max);
}
/// @}
template <class Y>
q::per_tensor_output<Y, q::tosa::scale32> scaled(int right_shift) {
  return {{mantissa, right_shift}, q::range_of<Y>(std::is_signed_v<Y> ? -3 : 7)};
}

/// Counts the outputs that differ from the expected outputs.
template <class Y, class Output>
void compare(const std::vector<Y>& y, const values& accumulators, const Output& output, const std::string& what) {
  size different = 0;
  std::string first;
  for (std::size_t i = 0; i < accumulators.size(); ++i) {
    const i64 want = expected(output, accumulators[i]);
    if (y[i] == want || different++ > 0) continue;
    first = std::to_string(i) + ": " + std::to_string(y[i]) + ", expected " + std::to_string(want);
  }
  if (different == 0) return;  // an emulator would take minutes to report ten thousand successes
  INFO(what << ", output " << first);
  CHECK(different == 0);
}

// ---- layers with weights

/// Calls use(problem) for the layers with all fillings. Tries each filling with all three choices of zero points, or with one of
/// them where fewer samples are taken.
template <class Use>
void each_problem(oracle::op kind, const std::vector<oracle::layer>& layers, q::value_range x, q::value_range w, const Use& use) {
  for (const oracle::layer& l : layers)
    for (const filling x_like : {filling::least, filling::greatest, filling::mixed})
      for (const filling w_like : {filling::least, filling::greatest, filling::mixed})
        for (const int ends : {0, 1, 2}) {
          const int sum = static_cast<int>(x_like) + static_cast<int>(w_like) + ends;
          if (DYADIC_TEST_DIVISOR == 1 || sum % 3 == 0) use(make(kind, l, x, w, x_like, w_like, ends, sum % 2 != 0));
        }
}

/// Runs the layer with the given weights, a view or packed.
template <class Operation, class Backend, class X, class Weights, class Output>
void run_with(const problem& p, const std::vector<X>& x, const Weights& w,
              const q::folded_bias<typename Output::accumulator>& folded, const Output& output, const char* how) {
  const oracle::layer& l = p.layer;
  std::vector<typename Output::value_type> y(p.accumulators.size());
  auto layer = Operation::layer(w, folded, p.window(), output);
  if constexpr (std::is_same_v<Operation, support::conv2d>) layer.groups = l.groups;
  const auto compute = [&](auto in, auto out) {
    const q::status s = check(layer, in, out);
    if (!q::may_run(s)) FAIL(q::to_string(s) << ", " << how << p.text);
    q::run<Backend>(layer, in, out);
  };
  if constexpr (std::is_same_v<Operation, support::linear>)
    compute(q::matrix_view(x.data(), l.h, l.c), q::matrix_view(y.data(), l.h, l.out_c));
  else
    compute(q::nhwc_view(x.data(), l.n, l.h, l.w, l.c), q::nhwc_view(y.data(), l.n, l.out_h, l.out_w, l.out_c));
  compare(y, p.accumulators, output, Backend::name + (" by " + (how + p.text)));
}

template <class Operation>
constexpr bool takes_packed = std::is_same_v<Operation, support::linear> || std::is_same_v<Operation, support::conv2d>;

/// Runs the layer on each backend, with weights not packed, and packed where the operator accepts packed weights.
template <class Operation, class X, class W, class Output>
void run_everywhere(const problem& p, const Output& output) {
  using accumulator = typename Output::accumulator;
  const auto x = as_stored<X>(p.x);
  const auto w = as_stored<W>(p.w);
  const q::matrix_view<const W> weights(w.data(), p.weight_rows(), p.weight_cols());
  const q::window2d window = p.window();
  const size count = p.kind == oracle::op::linear              ? p.layer.out_c
                     : p.kind == oracle::op::transposed_conv2d ? q::transposed_conv2d_constants(p.layer.out_c, window, p.zero())
                                                               : p.layer.out_c;
  std::vector<accumulator> constants(static_cast<std::size_t>(count));
  const auto bias = as_stored<q::packed_int48>(p.bias);
  const auto folded = Operation::template fold<X>(weights, bias, window, p.zero(), constants);
  if (folded.status != q::status::ok) FAIL(q::to_string(folded.status) << ", " << p.text);
  const std::string pair = name<X>() + " and " + name<W>() + ", ";
  parity::each_backend_and_scalar([&](auto backend) {
    using tested = decltype(backend);
    run_with<Operation, tested>(p, x, weights, folded.value, output, pair.c_str());
    if constexpr (takes_packed<Operation> && sizeof(typename q::operand<W>::value_type) == 1) {
      std::vector<i8> storage(static_cast<std::size_t>(q::packed_size<tested, X, W>(weights.rows(), weights.cols())));
      const auto packed = q::pack<tested, X>(weights, storage);
      if (packed.status != q::status::ok) FAIL(q::to_string(packed.status) << ", " << p.text);
      run_with<Operation, tested>(p, x, packed.value, folded.value, output, (pair + "packed, ").c_str());
    }
  });
}

/// Tests all pairs of types, with the whole accumulator as the output.
template <class Operation>
void sums_of_all_pairs(oracle::op kind, const std::vector<oracle::layer>& layers) {
  each_pair([&](auto activation, auto weight) {
    using X = typename decltype(activation)::type;
    using W = typename decltype(weight)::type;
    each_problem(kind, layers, q::values_of<X>(), q::values_of<W>(),
                 [](const problem& p) { run_everywhere<Operation, X, W>(p, q::raw_output<i64>{}); });
    SUCCEED(name<X>() << " and " << name<W>());
  });
}
/// Tests one pair of types with a scaled output, and with the other accumulator, whose sums wrap.
template <class Operation, class X, class W>
void outputs_of(oracle::op kind, const std::vector<oracle::layer>& layers) {
  each_problem(kind, layers, q::values_of<X>(), q::values_of<W>(), [](const problem& p) {
    run_everywhere<Operation, X, W>(p, q::raw_output<i32>{});
    run_everywhere<Operation, X, W>(p, scaled<X>(sizeof(X) == 1 ? 50 : 45));
  });
}

}  // namespace types
