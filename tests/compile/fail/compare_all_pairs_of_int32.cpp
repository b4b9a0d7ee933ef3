// expect: int32 has too many pairs
#include <dyadic/elementwise/compare_inputs.hpp>
#include <dyadic/elementwise/multiply.hpp>

#include "given.hpp"

std::uint64_t differing() {
  const q::tosa::multiply product{31};
#ifdef MUST_NOT_COMPILE
  return q::compare_pairs(product, product).differing;
#else
  return q::compare_pairs(product, product, {-1, 1}, {-1, 1}).differing;
#endif
}
