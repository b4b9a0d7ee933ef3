#pragma once
/// \file
/// Small layers with windows for types.hpp.

#include "types.hpp"

namespace types {

/// Returns a layer over an image of 4 x 5 pixels.
inline oracle::layer image(oracle::axis y, oracle::axis x, size channels, size out_channels, size groups) {
  oracle::layer l;
  l.h = 4;
  l.w = 5;
  l.c = channels;
  l.out_c = out_channels;
  l.groups = groups;
  l.y = y;
  l.x = x;
  return l;
}
inline oracle::layer forward(oracle::axis y, oracle::axis x, size channels, size out_channels, size groups) {
  oracle::layer l = image(y, x, channels, out_channels, groups);
  l.out_h = oracle::windows(l.h, y);
  l.out_w = oracle::windows(l.w, x);
  return l;
}
inline oracle::layer scattered(oracle::axis y, oracle::axis x, size channels, size out_channels, size output_padding) {
  oracle::layer l = image(y, x, channels, out_channels, 1);
  l.out_h = oracle::scattered(l.h, y, output_padding);
  l.out_w = oracle::scattered(l.w, x, 0);
  return l;
}

}  // namespace types
