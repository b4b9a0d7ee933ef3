// expect: (deleted function|deleted constructor)
#include <dyadic/linear.hpp>
#include <dyadic/proved.hpp>
#include <dyadic/scheme/tosa.hpp>

#include <vector>

using output = dyadic::per_tensor_output<std::int8_t, dyadic::tosa::scale32>;

dyadic::status caller(const dyadic::linear_layer<std::int8_t, output>& layer, std::vector<dyadic::binary32> numbers);
dyadic::status caller(const dyadic::linear_layer<std::int8_t, output>& layer, std::vector<dyadic::binary32> numbers) {
#ifdef MUST_NOT_COMPILE
  return dyadic::prove_epilogue(layer, std::vector<dyadic::binary32>(numbers)).status;
#else
  return dyadic::prove_epilogue(layer, numbers).status;
#endif
}
