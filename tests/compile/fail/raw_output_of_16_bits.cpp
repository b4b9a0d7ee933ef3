// expect: a raw output is int32, int64 or packed_int48
#include <dyadic/output.hpp>

#ifdef MUST_NOT_COMPILE
constexpr dyadic::raw_output<std::int16_t> output{};
#else
constexpr dyadic::raw_output<std::int32_t> output{};
#endif
static_assert(output(7, 0) == 7);
