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

// MONOFOLD_HD_CALL marks one that is called once a reduction: nothing asks for inlining.
#if defined(__CUDACC__)
#define MONOFOLD_HD_CALL __host__ __device__ inline
#else
#define MONOFOLD_HD_CALL inline
#endif

// MONOFOLD_HD_LAMBDA is the same for a lambda: [] MONOFOLD_HD_LAMBDA (float x) { return x > 0; }. nvcc
// takes one with --extended-lambda.
#if defined(__CUDACC__)
#define MONOFOLD_HD_LAMBDA __host__ __device__
#else
#define MONOFOLD_HD_LAMBDA
#endif

// MONOFOLD_CALLS_USER stands before a MONOFOLD_HD function template that calls what the user wrote.
// That may be for the host alone, so nvcc is asked not to look. level/thread_calls has it look at what
// kernels call: a new template that calls a user's function for a kernel needs a line there.
#if defined(__NVCC__)
#define MONOFOLD_CALLS_USER _Pragma("nv_exec_check_disable")
#else
#define MONOFOLD_CALLS_USER
#endif

// MONOFOLD_GPU marks a function of a kernel. Without nvcc it is an ordinary function: kernels
// compile with a host compiler too, given stand-ins for the few built-ins of level/shuffle.cuh and
// level/thread.cuh.
#if defined(__CUDACC__)
#define MONOFOLD_GPU __device__ __forceinline__
#define MONOFOLD_GPU_CALL inline __device__ __noinline__  // for what is rare and large
#define MONOFOLD_GRID_CONSTANT \
  __grid_constant__  // an argument of a kernel that calls are given by reference
#else
#define MONOFOLD_GPU inline
#define MONOFOLD_GPU_CALL inline
#define MONOFOLD_GRID_CONSTANT
#endif

// MONOFOLD_CONSTANT declares a constant object at namespace scope that both sides may refer to: device
// code can use the value of a host constant, not its address, and a reference is an address.
#if defined(__CUDA_ARCH__)
#define MONOFOLD_CONSTANT __device__ constexpr
#else
#define MONOFOLD_CONSTANT inline constexpr
#endif

// MONOFOLD_UNROLL stands before a loop of fixed length whose body keeps its arrays in registers.
#if defined(__CUDACC__)
#define MONOFOLD_UNROLL _Pragma("unroll")
#define MONOFOLD_ROLL _Pragma("unroll 1")
#else
#define MONOFOLD_UNROLL
#define MONOFOLD_ROLL
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
