// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The macro DYADIC_ISA: a name that says what the code of a function depends on. A part of config.hpp, which has the version.
/// Floor 0.

// The linker keeps only one of several functions that have the same name. Therefore the name of each function, but of no data,
// says what its code depends on:
//   The version of the library.
//   The instructions that the compiler may use by itself. A region adds instructions to those of its file.
//   If loops are kept short.
//   The backends from which a program chooses, where DYADIC_UNALIGNED_VECTOR_MOVES decides.
// DYADIC_IF(macro, name) gives the name if the macro is 1, or is the version of a RISC-V extension.
//
// The name does not distinguish:
//   Features that only intrinsics reach: AES, SHA, CRC32, AMX, .., atomics, half and decimal floats. No compiler uses them by
//     itself.
//   Options that add no instruction: optimisation, tuning, code models, sanitizers.
//   Features that no macro reports: 32-bit x86 below i686 by itself, extensions of one vendor.
// A program must not mix files that differ in features that no macro reports, or in DYADIC_ASSERT.
#define DYADIC_AFTER_1 ~,
#define DYADIC_AFTER_1000000 ~,
#define DYADIC_SECOND(first, second, ...) second
#define DYADIC_SECOND_OF(...) DYADIC_SECOND(__VA_ARGS__)
#define DYADIC_IF_VALUE(value, name) DYADIC_SECOND_OF(DYADIC_AFTER_##value name, , )
#define DYADIC_IF(macro, name) DYADIC_IF_VALUE(macro, name)
#define DYADIC_JOIN_9(a, b, c, d, e, f, g, h, i) a##b##c##d##e##f##g##h##i
#define DYADIC_JOIN(a, b, c, d, e, f, g, h, i) DYADIC_JOIN_9(a, b, c, d, e, f, g, h, i)
#define DYADIC_TEXT_1(text) #text
#define DYADIC_TEXT(text) DYADIC_TEXT_1(text)

#if defined(__AVX512VNNI__)
#define DYADIC_ISA_VECTOR avx512vnni
#elif defined(__AVX512F__)
#define DYADIC_ISA_VECTOR avx512
#elif defined(__AVX2__)
#define DYADIC_ISA_VECTOR avx2
#elif defined(__AVX__)
#define DYADIC_ISA_VECTOR avx
#elif defined(__SSE4_2__)
#define DYADIC_ISA_VECTOR sse42
#elif defined(__SSE4_1__)
#define DYADIC_ISA_VECTOR sse41
#elif defined(__SSSE3__)
#define DYADIC_ISA_VECTOR ssse3
#elif defined(__SSE3__)
#define DYADIC_ISA_VECTOR sse3
#elif defined(__SSE2__) && !defined(__x86_64__)
#define DYADIC_ISA_VECTOR sse2
#elif defined(__SSE__) && !defined(__x86_64__)
#define DYADIC_ISA_VECTOR sse
#elif defined(__ARM_FEATURE_SVE2)
#define DYADIC_ISA_VECTOR sve2
#elif defined(__ARM_FEATURE_SVE)
#define DYADIC_ISA_VECTOR sve
#elif defined(__ARM_NEON)
#define DYADIC_ISA_VECTOR neon
#elif defined(__ARM_FEATURE_MVE)
#define DYADIC_ISA_VECTOR mve
#elif defined(__ARM_FEATURE_SIMD32)
#define DYADIC_ISA_VECTOR dsp
#else
#define DYADIC_ISA_VECTOR baseline
#endif
// The part of the name after the vectors. Only the macros of this machine are defined, because each function's name expands them.
// On x86 a group is empty unless one of its macros is defined.
#ifdef DYADIC_MSVC
#define DYADIC_ISA_MACHINE _msvc  // /arch has no finer levels
#elif defined(DYADIC_X86)
#if defined(__AVX512BW__) || defined(__AVX512CD__) || defined(__AVX512DQ__) || defined(__AVX512VL__) ||            \
    defined(__AVX512IFMA__) || defined(__AVX512VBMI__) || defined(__AVX512VBMI2__) || defined(__AVX512BITALG__) || \
    defined(__AVX512VPOPCNTDQ__)
#define DYADIC_ISA_AVX512                                                                                       \
  DYADIC_JOIN(DYADIC_IF(__AVX512BW__, _bw), DYADIC_IF(__AVX512CD__, _cd), DYADIC_IF(__AVX512DQ__, _dq),         \
              DYADIC_IF(__AVX512VL__, _vl), DYADIC_IF(__AVX512IFMA__, _ifma), DYADIC_IF(__AVX512VBMI__, _vbmi), \
              DYADIC_IF(__AVX512VBMI2__, _vbmi2), DYADIC_IF(__AVX512BITALG__, _bitalg),                         \
              DYADIC_IF(__AVX512VPOPCNTDQ__, _vpopcnt))
#else
#define DYADIC_ISA_AVX512
#endif
#if defined(__AVX512ER__) || defined(__AVX512FP16__) || defined(__AVX10_1__) || defined(__AVX10_2__) || defined(__AVXVNNI__) || \
    defined(__AVXVNNIINT8__) || defined(__AVXVNNIINT16__) || defined(__AVXIFMA__) || defined(__GFNI__)
#define DYADIC_ISA_AVX                                                                                          \
  DYADIC_JOIN(DYADIC_IF(__AVX512ER__, _er), DYADIC_IF(__AVX512FP16__, _fp16), DYADIC_IF(__AVX10_1__, _avx101),  \
              DYADIC_IF(__AVX10_2__, _avx102), DYADIC_IF(__AVXVNNI__, _vex), DYADIC_IF(__AVXVNNIINT8__, _int8), \
              DYADIC_IF(__AVXVNNIINT16__, _int16), DYADIC_IF(__AVXIFMA__, _vifma), DYADIC_IF(__GFNI__, _gfni))
#else
#define DYADIC_ISA_AVX
#endif
#if defined(__FMA__) || defined(__FMA4__) || defined(__XOP__) || defined(__TBM__) || defined(__BMI__) || defined(__BMI2__) || \
    defined(__LZCNT__) || defined(__POPCNT__) || defined(__MOVBE__)
#define DYADIC_ISA_X86                                                                                                  \
  DYADIC_JOIN(DYADIC_IF(__FMA__, _fma), DYADIC_IF(__FMA4__, _fma4), DYADIC_IF(__XOP__, _xop), DYADIC_IF(__TBM__, _tbm), \
              DYADIC_IF(__BMI__, _bmi), DYADIC_IF(__BMI2__, _bmi2), DYADIC_IF(__LZCNT__, _lzcnt),                       \
              DYADIC_IF(__POPCNT__, _popcnt), DYADIC_IF(__MOVBE__, _movbe))
#else
#define DYADIC_ISA_X86
#endif
#if defined(__APX_F__) || defined(__EGPR__) || defined(__NDD__) || defined(__CCMP__) || defined(__NF__) || defined(__PPX__) || \
    defined(__PUSH2POP2__) || defined(__ZU__) || defined(__i686__)
#define DYADIC_ISA_APX                                                                                                      \
  DYADIC_JOIN(DYADIC_IF(__APX_F__, _apx), DYADIC_IF(__EGPR__, _egpr), DYADIC_IF(__NDD__, _ndd), DYADIC_IF(__CCMP__, _ccmp), \
              DYADIC_IF(__NF__, _nf), DYADIC_IF(__PPX__, _ppx), DYADIC_IF(__PUSH2POP2__, _push2), DYADIC_IF(__ZU__, _zu),   \
              DYADIC_IF(__i686__, _i686))
#else
#define DYADIC_ISA_APX
#endif
#ifdef DYADIC_UNALIGNED_VECTOR_MOVES
#define DYADIC_ISA_MOVES _moves
#else
#define DYADIC_ISA_MOVES
#endif
#define DYADIC_ISA_MACHINE \
  DYADIC_JOIN(DYADIC_ISA_AVX512, DYADIC_ISA_AVX, DYADIC_ISA_X86, DYADIC_ISA_APX, DYADIC_ISA_MOVES, DYADIC_ISA_SIZE, , , )
#elif defined(__ARM_ARCH)
#if defined(__aarch64__)
#define DYADIC_ISA_LEVEL DYADIC_JOIN(_v, __ARM_ARCH, , , , , , , )
#elif defined(__ARM_FP)
#define DYADIC_ISA_LEVEL DYADIC_JOIN(_v, __ARM_ARCH, _fp, __ARM_FP, DYADIC_ISA_ARM32, , , , )
#else
#define DYADIC_ISA_LEVEL DYADIC_JOIN(_v, __ARM_ARCH, DYADIC_ISA_ARM32, , , , , , )
#endif
#define DYADIC_ISA_ARM32                                                                                                         \
  DYADIC_JOIN(DYADIC_IF(__ARM_FEATURE_IDIV, _idiv), DYADIC_IF(__ARM_FEATURE_FMA, _vfma), DYADIC_IF(__ARM_FEATURE_DSP, _q), , , , \
              , , )
#define DYADIC_ISA_ARM                                                                                         \
  DYADIC_JOIN(DYADIC_IF(__ARM_FEATURE_QRDMX, _qrdmx), DYADIC_IF(__ARM_FEATURE_DOTPROD, _dotprod),              \
              DYADIC_IF(__ARM_FEATURE_MATMUL_INT8, _i8mm), DYADIC_IF(__ARM_FEATURE_SVE_MATMUL_INT8, _svei8mm), \
              DYADIC_IF(__ARM_FEATURE_ATOMICS, _lse), DYADIC_IF(__ARM_FEATURE_RCPC, _rcpc),                    \
              DYADIC_IF(__ARM_FEATURE_MOPS, _mops), DYADIC_IF(__ARM_FEATURE_CSSC, _cssc), )
#define DYADIC_ISA_MACHINE                                                                                                       \
  DYADIC_JOIN(DYADIC_ISA_LEVEL, DYADIC_ISA_ARM, DYADIC_IF(__ARM_FEATURE_UNALIGNED, _ua), DYADIC_IF(__ARM_FEATURE_PAUTH, _pauth), \
              DYADIC_ISA_SIZE, , , , )
#else
#if defined(__zarch__)
#define DYADIC_ISA_LEVEL DYADIC_JOIN(_arch, __ARCH__, , , , , , , )
#else
#define DYADIC_ISA_LEVEL
#endif
#define DYADIC_ISA_OTHERS                                                                                   \
  DYADIC_JOIN(DYADIC_IF(__riscv_vector, _v), DYADIC_IF(__riscv_zba, _zba), DYADIC_IF(__riscv_zbb, _zbb),    \
              DYADIC_IF(__riscv_zbs, _zbs), DYADIC_IF(__riscv_zicond, _zicond), DYADIC_IF(__riscv_mul, _m), \
              DYADIC_IF(__riscv_compressed, _c), DYADIC_IF(__VEC__, _vx), DYADIC_IF(__VSX__, _vsx))
#define DYADIC_ISA_POWER                                                                                                         \
  DYADIC_JOIN(DYADIC_IF(__ALTIVEC__, _altivec), DYADIC_IF(_ARCH_PWR7, _7), DYADIC_IF(_ARCH_PWR8, _8), DYADIC_IF(_ARCH_PWR9, _9), \
              DYADIC_IF(_ARCH_PWR10, _10), DYADIC_IF(__wasm_simd128__, _simd128), DYADIC_IF(__wasm_relaxed_simd__, _relaxed),    \
              DYADIC_IF(__loongarch_sx, _lsx), DYADIC_IF(__loongarch_asx, _lasx))
#define DYADIC_ISA_MACHINE DYADIC_JOIN(DYADIC_ISA_LEVEL, DYADIC_ISA_OTHERS, DYADIC_ISA_POWER, DYADIC_ISA_SIZE, , , , , )
#endif
#if defined(__OPTIMIZE_SIZE__)
#define DYADIC_ISA_SIZE _small
#else
#define DYADIC_ISA_SIZE
#endif

/// The inline namespace of kernels and of all code in a region.
#define DYADIC_ISA \
  DYADIC_JOIN(v, DYADIC_VERSION_MAJOR, _, DYADIC_VERSION_MINOR, _, DYADIC_VERSION_PATCH, _, DYADIC_ISA_VECTOR, DYADIC_ISA_MACHINE)
/// Marks every other function, members included. The symbol of the function then contains the name DYADIC_ISA. Symbols of the
/// Microsoft ABI have no tags. There the linker refuses files whose names DYADIC_ISA differ.
#ifdef _MSC_VER
#define DYADIC_API
#pragma detect_mismatch("dyadic", DYADIC_TEXT(DYADIC_ISA))
#else
#define DYADIC_API __attribute__((abi_tag(DYADIC_TEXT(DYADIC_ISA))))
#endif
