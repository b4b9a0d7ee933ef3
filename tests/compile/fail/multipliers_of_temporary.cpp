// expect: (deleted function|deleted constructor)
#include <dyadic/output.hpp>

#include <array>

using output = dyadic::per_channel_output<std::int8_t, dyadic::tflite::double_rounding>;
constexpr std::array<dyadic::multiplier32, 2> all{{{1 << 30, 31}, {1 << 30, 32}}};
#ifdef MUST_NOT_COMPILE
constexpr output made{std::array<dyadic::multiplier32, 2>(all), {}};
#else
constexpr output made{all, {}};
#endif
static_assert(made.multipliers.size() == 2);
