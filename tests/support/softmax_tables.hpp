#pragma once
/// \file
/// The tables of the softmax of int16.

#include <dyadic/elementwise/softmax_tables.hpp>

namespace support {

/// Computed by the program: what initialises a constant, a compiler would compute itself, which takes it seconds.
inline const dyadic::tflite::softmax_tables& softmax_tables() {
  dyadic::tflite::softmax_tables (*volatile const make)() = dyadic::tflite::make_softmax_tables;
  static const dyadic::tflite::softmax_tables tables = make();
  return tables;
}

}  // namespace support
