// expect: the vectors of Arm are for little-endian machines
#include <dyadic/fold.hpp>
#include <dyadic/native.hpp>
static_assert(std::is_same_v<dyadic::native, dyadic::backend::scalar>);
// Sums and fingerprints of weights are portable code, which the compiler evaluates.
static_assert(dyadic::detail::mix_blocks(nullptr, 64, 1, nullptr) == 0);
#ifdef MUST_NOT_COMPILE
#include <dyadic/backend/dsp.hpp>
#endif
