// expect: a rule returns one integer: compare_arrays takes rows
#include <dyadic/elementwise/compare_inputs.hpp>
#include <dyadic/elementwise/softmax.hpp>

#include "given.hpp"

using of_rows = q::tflite::softmax<std::int8_t>;
using of_elements = q::xnnpack::convert;

std::uint64_t differing() {
#ifdef MUST_NOT_COMPILE
  return q::compare_inputs(of_rows{}, of_rows{}).differing;
#else
  return q::compare_inputs(of_elements{}, of_elements{}).differing;
#endif
}
