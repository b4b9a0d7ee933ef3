#pragma once
/// \file
/// A part is part.cpp, compiled for one instruction set. The program has a part for each name in `parts`.

#include <dyadic/linear.hpp>
#include <dyadic/rescale.hpp>

#include <cstdint>

namespace odr {

namespace q = dyadic;

using rescaled = q::rescale_layer<q::per_tensor_output<std::int8_t, q::tflite::double_rounding>>;

/// The functions of a part. Types of the library pass between files that are compiled with different flags.
struct part {
  const char* name;
  const char* native;              ///< the best backend that the part's flags allow
  std::uint64_t (*fingerprint)();  ///< hash of all results, which is equal in each part
  void (*rescale)(const rescaled&, q::matrix_view<const std::int32_t> x, q::matrix_view<std::int8_t> y);
};

}  // namespace odr
