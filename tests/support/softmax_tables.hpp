#pragma once
/// \file
/// The tables of the int16 softmax.

#include <dyadic/elementwise/softmax_tables.hpp>

namespace support {

/// Returns the tables, computed at run time. A compiler would take seconds to compute them for a constant.
inline const dyadic::tflite::softmax_tables& softmax_tables() {
  dyadic::tflite::softmax_tables (*volatile const make)() = dyadic::tflite::make_softmax_tables;
  static const dyadic::tflite::softmax_tables tables = make();
  return tables;
}

}  // namespace support
