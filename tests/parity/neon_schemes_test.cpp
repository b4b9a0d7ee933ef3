#include <dyadic/backend/neon.hpp>

#define PARITY_BACKEND neon
#define PARITY_NAME "neon"
#include "linear_schemes.hpp"
