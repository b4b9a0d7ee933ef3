#include <dyadic/backend/wasm_simd128.hpp>

#define PARITY_BACKEND wasm_simd128
#define PARITY_NAME "wasm_simd128"
#include "backend_test.hpp"
