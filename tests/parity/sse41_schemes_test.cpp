#include <dyadic/backend/sse41.hpp>

#define PARITY_BACKEND sse41
#define PARITY_NAME "sse41"
#include "linear_schemes.hpp"
