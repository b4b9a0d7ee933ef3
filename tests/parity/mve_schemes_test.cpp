#include <dyadic/backend/mve.hpp>

#define PARITY_BACKEND mve
#define PARITY_NAME "mve"
#include "linear_schemes.hpp"
