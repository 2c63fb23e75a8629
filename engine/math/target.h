// Compiler and instruction-set switches shared by all step code.
//
// Step code is compiled several times: once per CPU instruction set and once by nvcc. Each build
// lives in its own inline namespace (SB_ISA), so that the linker can never merge an AVX-512 body of
// an inline function into a program that runs on an older machine.
//
//   namespace stepbench::math::inline SB_ISA { ... }
//
// Step code may be called from device code: functions are marked SB_HD (host and device) or
// SB_INLINE (the same, always inlined). It uses no allocation, no exceptions and no standard
// containers.
#pragma once

#if defined(__CUDACC__)
#define SB_HD __host__ __device__
#else
#define SB_HD
#endif

#if defined(__GNUC__) && !defined(__CUDACC__)
#define SB_INLINE inline __attribute__((always_inline))
#else
#define SB_INLINE SB_HD inline
#endif

// Unroll a loop of constant length: GCC keeps the arrays of loops it does not unroll in memory.
#if defined(__CUDACC__)
#define SB_UNROLL _Pragma("unroll")
#elif defined(__clang__)
#define SB_UNROLL _Pragma("clang loop unroll(full)")
#else
#define SB_UNROLL _Pragma("GCC unroll 36")
#endif

// Bytes of the widest vector register that this build may use.
#if defined(__AVX512F__)
#define SB_VECTOR_BYTES 64
#elif defined(__AVX__)
#define SB_VECTOR_BYTES 32
#else
#define SB_VECTOR_BYTES 16
#endif

// Name of this build's namespace; the build sets it for each instruction set.
#ifndef SB_ISA
#define SB_ISA isa_host
#endif
