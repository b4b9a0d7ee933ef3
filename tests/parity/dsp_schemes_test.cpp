#include <dyadic/backend/dsp.hpp>

#define PARITY_BACKEND dsp
#define PARITY_NAME "dsp"
#include "linear_schemes.hpp"
