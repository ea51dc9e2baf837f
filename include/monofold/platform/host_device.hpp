#pragma once
/// platform/host_device: function attributes that work with a host compiler alone and with nvcc.

// MONOFOLD_HD marks a function that runs on the host and on the device. On the host it is also
// always inlined: the compiled library builds the same loops once per instruction set, and a call
// that is not inlined would leave the instruction set of its caller (docs/decisions/0003).
#if defined(__CUDACC__)
#define MONOFOLD_HD __host__ __device__ __forceinline__
#elif defined(__GNUC__)
#define MONOFOLD_HD inline __attribute__((always_inline))
#else
#define MONOFOLD_HD inline
#endif

// MONOFOLD_UNROLL_8 stands before a loop of eight independent steps.
#if defined(__GNUC__) && !defined(__CUDACC__)
#define MONOFOLD_UNROLL_8 _Pragma("GCC unroll 8")
#else
#define MONOFOLD_UNROLL_8
#endif

// MONOFOLD_INLINE marks a host function with the same need.
#if defined(__GNUC__)
#define MONOFOLD_INLINE inline __attribute__((always_inline))
#else
#define MONOFOLD_INLINE inline
#endif
