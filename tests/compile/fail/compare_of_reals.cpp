// expect: inputs are integers of up to 32 bits
#include <dyadic/elementwise/compare_inputs.hpp>
#include <dyadic/elementwise/quantize.hpp>

#include "given.hpp"

using of_reals = q::tflite::quantize<std::int8_t>;
using of_integers = q::xnnpack::convert;

std::uint64_t differing() {
#ifdef MUST_NOT_COMPILE
  return q::compare_inputs(of_reals{}, of_reals{}).differing;
#else
  return q::compare_inputs(of_integers{}, of_integers{}).differing;
#endif
}
