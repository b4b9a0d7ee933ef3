#include <dyadic/backend/avx2.hpp>

#define PARITY_BACKEND avx2
#define PARITY_NAME "avx2"
#include "proved_parity.hpp"
