// Opens a region around one private file of a backend, for an editor's language server (.clangd) and for tests/compile. The
// compiler's flags select the backend, and the region includes the headers that this backend includes.
#pragma once

#include <dyadic/backend/contract.hpp>

#if defined(__AVX512VNNI__)
#include <dyadic/backend/avx2.hpp>
#define DYADIC_REGION_LANES <dyadic/backend/x86/avx512vnni.inc>
#define DYADIC_REGION_MICRO_KERNELS <dyadic/backend/wide/int8_dot.inc>
#define DYADIC_REGION_DEPTHWISE <dyadic/backend/wide/depthwise.inc>
#elif defined(__AVXVNNI__)
#include <dyadic/backend/avx2.hpp>
#define DYADIC_REGION_LANES <dyadic/backend/x86/avxvnni.inc>
#define DYADIC_REGION_MICRO_KERNELS <dyadic/backend/wide/int8_dot.inc>
#elif defined(__AVX2__)
#include <dyadic/backend/sse41.hpp>
#include <immintrin.h>
#define DYADIC_REGION_LANES <dyadic/backend/x86/avx2.inc>
#define DYADIC_REGION_MICRO_KERNELS <dyadic/backend/wide/micro_kernel.inc>
#define DYADIC_REGION_DEPTHWISE <dyadic/backend/wide/depthwise.inc>
#elif defined(__SSE4_1__)
#include <smmintrin.h>
#include <dyadic/backend/wide/panel_kernel.hpp>
#include <dyadic/backend/x86/sum_int16.hpp>
#define DYADIC_REGION_LANES <dyadic/backend/x86/sse41.inc>
#define DYADIC_REGION_MICRO_KERNELS <dyadic/backend/wide/micro_kernel.inc>
#define DYADIC_REGION_DEPTHWISE <dyadic/backend/wide/depthwise.inc>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#if defined(__ARM_FEATURE_DOTPROD)
constexpr int nr_vectors = 4;
#else
constexpr int nr_vectors = 2;
#endif
#define DYADIC_REGION_LANES <dyadic/backend/neon/lanes.inc>
#if defined(__ARM_FEATURE_MATMUL_INT8) && defined(__ARM_FEATURE_DOTPROD)
#define DYADIC_REGION_MICRO_KERNELS <dyadic/backend/neon/i8mm.inc>
#elif defined(__ARM_FEATURE_DOTPROD)
#define DYADIC_REGION_MICRO_KERNELS <dyadic/backend/neon/dotprod.inc>
#else
#define DYADIC_REGION_MICRO_KERNELS DYADIC_NEON_MICRO_KERNELS
#endif
#define DYADIC_REGION_DEPTHWISE <dyadic/backend/neon/depthwise.inc>
#elif defined(__ARM_FEATURE_MVE)
#include <arm_mve.h>
#define DYADIC_REGION_LANES <dyadic/backend/mve/lanes.inc>
#define DYADIC_REGION_MICRO_KERNELS <dyadic/backend/mve/micro_kernel.inc>
#define DYADIC_REGION_DEPTHWISE <dyadic/backend/mve/depthwise.inc>
#define DYADIC_REGION_COMPACT <dyadic/backend/mve/compact.inc>
#elif defined(__wasm_simd128__)
#include <wasm_simd128.h>
#include <dyadic/backend/wide/panel_kernel.hpp>
#define DYADIC_REGION_LANES <dyadic/backend/wasm/simd128.inc>
#define DYADIC_REGION_MICRO_KERNELS <dyadic/backend/wide/micro_kernel.inc>
#define DYADIC_REGION_DEPTHWISE <dyadic/backend/wide/depthwise.inc>
#else
#include <arm_acle.h>
#define DYADIC_REGION_LANES <dyadic/backend/dsp/lanes.inc>
#define DYADIC_REGION_MICRO_KERNELS <dyadic/backend/dsp/micro_kernel.inc>
#define DYADIC_REGION_DEPTHWISE <dyadic/backend/dsp/depthwise.inc>
#define DYADIC_REGION_COMPACT <dyadic/backend/dsp/compact.inc>
#endif

#include <dyadic/backend/new_region.inc>  // because a header above may have included the file in a region

using namespace dyadic;          // NOLINT: a private file is included where these names are visible
using namespace dyadic::detail;  // NOLINT
