#pragma once
/// \file
/// A layer of any types, filled with their extremes, and its accumulators by definition.
/// No code here depends on the types, so that the oracle is compiled once, with optimization.

#include <dyadic/detail/layer.hpp>

#include <string>
#include <vector>

#include "../oracle/layers.hpp"
#include "../support/operations.hpp"

namespace types {

namespace q = dyadic;
using oracle::size;
using support::values;
using i8 = std::int8_t;
using i16 = std::int16_t;
using i32 = std::int32_t;
using i64 = std::int64_t;

enum class filling { least, greatest, mixed };

/// Returns `count` values of a type. Two in five mixed values are extreme.
values filled(q::value_range all, filling f, size count);

/// A layer, its numbers, and its accumulators by definition.
struct problem {
  oracle::layer layer;
  oracle::op kind = oracle::op::linear;
  values x, w, bias, accumulators;
  std::string text;

  bool by_tap() const { return kind == oracle::op::depthwise; }
  size taps() const { return layer.y.kernel * layer.x.kernel; }
  size depth() const { return by_tap() ? 1 : layer.c / layer.groups; }
  size weight_rows() const { return by_tap() ? taps() : layer.out_c; }
  size weight_cols() const { return by_tap() ? layer.out_c : taps() * depth(); }
  q::zero_points zero() const { return {static_cast<i32>(layer.zero_x), static_cast<i32>(layer.zero_w)}; }
  q::window2d window() const {
    const auto along = [](oracle::axis a) { return q::window1d{a.kernel, a.stride, a.dilation, a.before, a.after}; };
    return {along(layer.y), along(layer.x)};
  }
};

/// Fills a layer with values of two types. `ends` selects the zero points: 0, or one end of each type.
problem make(oracle::op kind, const oracle::layer& l, q::value_range x, q::value_range w, filling x_like, filling w_like,
             int ends, bool wide_bias);

}  // namespace types
