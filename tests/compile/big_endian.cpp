// expect: the vectors of Arm are for little-endian machines
#include <dyadic/native.hpp>
static_assert(std::is_same_v<dyadic::native, dyadic::backend::scalar>);
#ifdef MUST_NOT_COMPILE
#include <dyadic/backend/dsp.hpp>
#endif
