// expect: a backend is defined by its header, dyadic/backend/<name>.hpp, or by dyadic/native.hpp and dyadic/cpu.hpp
#include <dyadic/any_layer.hpp>
#include <dyadic/scheme/tosa.hpp>

namespace q = dyadic;

#ifdef MUST_NOT_COMPILE
using chosen = q::backend::mve;
#else
using chosen = q::backend::scalar;
#endif

using linear = q::kind<q::op::linear, std::int8_t, std::int8_t, q::tosa::scale32>;
constexpr auto kinds = q::layer_kinds_of<chosen, linear>();
