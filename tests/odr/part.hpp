#pragma once
/// \file
/// One file of a program whose files are compiled for different instruction sets: part.cpp, once for each name in `parts`.

#include <dyadic/linear.hpp>
#include <dyadic/rescale.hpp>

#include <cstdint>

namespace odr {

namespace q = dyadic;

using rescaled = q::rescale_layer<q::per_tensor_output<std::int8_t, q::tflite::double_rounding>>;

/// What a part offers. Types of the library pass from file to file, whatever their flags.
struct part {
  const char* name;
  const char* native;              ///< the backend that its flags allow
  std::uint64_t (*fingerprint)();  ///< of the results of all that it calls: the same in each part
  void (*rescale)(const rescaled&, q::matrix_view<const std::int32_t> x, q::matrix_view<std::int8_t> y);
};

}  // namespace odr
