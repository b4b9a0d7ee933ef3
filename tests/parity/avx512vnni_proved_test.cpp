#include <dyadic/backend/avx512vnni.hpp>

#define PARITY_BACKEND avx512vnni
#define PARITY_NAME "avx512vnni"
#include "proved_parity.hpp"
