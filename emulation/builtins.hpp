#pragma once
/// emulation/builtins: what a kernel has without an include: threadIdx, barriers, shuffles, atomics.
///
/// Included before everything else where kernels are compiled for the emulated device, as nvcc does
/// with its own. Names and meanings are CUDA's.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "emulation/dimensions.hpp"
#include "emulation/warp_call.hpp"

#define __global__
#define __device__
#define __host__
#define __constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
// A block has its own, as a thread has: emulation/shared_memory changes them with the block. The
// alignment leaves gaps between most of them, so that an index past the end is seen.
#define __shared__ __attribute__((aligned(64))) thread_local

extern uint3 threadIdx;
extern uint3 blockIdx;
extern dim3 blockDim;
extern dim3 gridDim;
inline constexpr int warpSize = 32;

namespace monofold::emulation {

// What the functions below are made of; called by threads of a kernel.
int sync_threads(int kind, bool vote);
std::uint64_t meet_lanes(const warp_call& call);
void give_way();
[[noreturn]] void stop_kernel();
void* dynamic_shared_memory();

unsigned rank_in_cluster();
unsigned cluster_blocks();
void arrive_at_cluster_barrier();
void* in_block_of_cluster(const void* own, unsigned rank);

/// An atomic access of a kernel begins; and it changes what is there.
void note_atomic(const void* address, std::size_t bytes);
void note_change();

// What a call of these keeps on its stack is no access of the kernel's.
#define MONOFOLD_UNTOUCHED __attribute__((no_sanitize("thread")))

// Inlined whatever the options are: their frames would be on the stack of every lane that waits.
#define MONOFOLD_IN_CALL __attribute__((always_inline)) MONOFOLD_UNTOUCHED inline

/// A value as 64 bits, and back.
template <class T>
MONOFOLD_IN_CALL std::uint64_t to_word(T value) {
  static_assert(std::is_arithmetic_v<T> && sizeof(T) <= 8, "lanes exchange numbers");
  std::uint64_t word = 0;
  std::memcpy(&word, &value, sizeof(T));
  return word;
}
template <class T>
MONOFOLD_IN_CALL T from_word(std::uint64_t word) {
  T value;
  std::memcpy(&value, &word, sizeof(T));
  return value;
}

template <class T>
MONOFOLD_IN_CALL T shuffled(warp_operation operation, unsigned mask, T value, int operand,
                            int width) {
  return from_word<T>(meet_lanes({operation, mask, to_word(value), operand, width}));
}

template <int count>
MONOFOLD_IN_CALL void shuffle_words(warp_operation operation, unsigned mask,
                                    std::uint32_t (&words)[count], int operand) {
  if constexpr (count == 1) {
    words[0] = static_cast<std::uint32_t>(meet_lanes({operation, mask, words[0], operand}));
  } else {
    meet_lanes({operation, mask, reinterpret_cast<std::uintptr_t>(words), operand, 32, count});
  }
}

/// *at becomes change(*at); returns what it was. Not inlined and not instrumented: the access is an
/// atomic one, not a read and a write.
template <class T, class Change>
__attribute__((noinline)) MONOFOLD_UNTOUCHED T update(T* at, const Change& change) {
  note_atomic(at, sizeof(T));
  const T before = *at;
  const T after = change(before);
  if (std::memcmp(&before, &after, sizeof(T)) != 0) note_change();
  *at = after;
  return before;
}

/// The type that a parameter has by itself, so that atomicAdd(unsigned*, 1) means an unsigned 1.
template <class T>
using plain_t = std::type_identity_t<T>;

}  // namespace monofold::emulation

inline void __syncthreads() { monofold::emulation::sync_threads(0, false); }
inline int __syncthreads_or(int vote) { return monofold::emulation::sync_threads(1, vote != 0); }
inline int __syncthreads_and(int vote) { return monofold::emulation::sync_threads(2, vote != 0); }
inline int __syncthreads_count(int vote) { return monofold::emulation::sync_threads(3, vote != 0); }

MONOFOLD_UNTOUCHED inline void __syncwarp(unsigned mask = 0xffffffffu) {
  monofold::emulation::meet_lanes({monofold::emulation::warp_operation::sync, mask});
}
MONOFOLD_UNTOUCHED inline int __any_sync(unsigned mask, int vote) {
  using monofold::emulation::warp_operation;
  return static_cast<int>(
      monofold::emulation::meet_lanes({warp_operation::any, mask, vote != 0 ? 1u : 0u}));
}
MONOFOLD_UNTOUCHED inline int __all_sync(unsigned mask, int vote) {
  using monofold::emulation::warp_operation;
  return static_cast<int>(
      monofold::emulation::meet_lanes({warp_operation::all, mask, vote != 0 ? 1u : 0u}));
}
MONOFOLD_UNTOUCHED inline unsigned __ballot_sync(unsigned mask, int vote) {
  using monofold::emulation::warp_operation;
  return static_cast<unsigned>(
      monofold::emulation::meet_lanes({warp_operation::ballot, mask, vote != 0 ? 1u : 0u}));
}
template <class T>
MONOFOLD_UNTOUCHED unsigned __match_any_sync(unsigned mask, T value) {
  using namespace monofold::emulation;
  return static_cast<unsigned>(meet_lanes({warp_operation::match_any, mask, to_word(value)}));
}

template <class T>
MONOFOLD_UNTOUCHED T __shfl_sync(unsigned mask, T value, int source, int width = 32) {
  using namespace monofold::emulation;
  return shuffled(warp_operation::shuffle, mask, value, source, width);
}
template <class T>
MONOFOLD_UNTOUCHED T __shfl_up_sync(unsigned mask, T value, unsigned distance, int width = 32) {
  using namespace monofold::emulation;
  return shuffled(warp_operation::shuffle_up, mask, value, static_cast<int>(distance), width);
}
template <class T>
MONOFOLD_UNTOUCHED T __shfl_down_sync(unsigned mask, T value, unsigned distance, int width = 32) {
  using namespace monofold::emulation;
  return shuffled(warp_operation::shuffle_down, mask, value, static_cast<int>(distance), width);
}
template <class T>
MONOFOLD_UNTOUCHED T __shfl_xor_sync(unsigned mask, T value, int pattern, int width = 32) {
  using namespace monofold::emulation;
  return shuffled(warp_operation::shuffle_xor, mask, value, pattern, width);
}

// What the library's shuffles of a value come down to: all of its words at once, in their place.
template <int count>
MONOFOLD_UNTOUCHED void __shfl_sync(unsigned mask, std::uint32_t (&words)[count], int source) {
  using namespace monofold::emulation;
  shuffle_words(warp_operation::shuffle, mask, words, source);
}
template <int count>
MONOFOLD_UNTOUCHED void __shfl_down_sync(unsigned mask, std::uint32_t (&words)[count],
                                         unsigned distance) {
  using namespace monofold::emulation;
  shuffle_words(warp_operation::shuffle_down, mask, words, static_cast<int>(distance));
}

#define MONOFOLD_WARP_REDUCTION(name, type, operation)                                     \
  MONOFOLD_UNTOUCHED inline type name(unsigned mask, type value) {                         \
    using namespace monofold::emulation;                                                   \
    return from_word<type>(meet_lanes({warp_operation::operation, mask, to_word(value)})); \
  }
MONOFOLD_WARP_REDUCTION(__reduce_add_sync, int, add)
MONOFOLD_WARP_REDUCTION(__reduce_add_sync, unsigned, add)
MONOFOLD_WARP_REDUCTION(__reduce_min_sync, int, min_signed)
MONOFOLD_WARP_REDUCTION(__reduce_min_sync, unsigned, min_unsigned)
MONOFOLD_WARP_REDUCTION(__reduce_max_sync, int, max_signed)
MONOFOLD_WARP_REDUCTION(__reduce_max_sync, unsigned, max_unsigned)
MONOFOLD_WARP_REDUCTION(__reduce_and_sync, unsigned, bit_and)
MONOFOLD_WARP_REDUCTION(__reduce_or_sync, unsigned, bit_or)
MONOFOLD_WARP_REDUCTION(__reduce_xor_sync, unsigned, bit_xor)
#undef MONOFOLD_WARP_REDUCTION

#define MONOFOLD_ATOMIC(name, expression)                                                         \
  template <class T>                                                                              \
  T name(T* at, monofold::emulation::plain_t<T> value) {                                          \
    return monofold::emulation::update(at, [=](T before) { return static_cast<T>(expression); }); \
  }
MONOFOLD_ATOMIC(atomicAdd, before + value)
MONOFOLD_ATOMIC(atomicSub, before - value)
MONOFOLD_ATOMIC(atomicMin, value < before ? value : before)
MONOFOLD_ATOMIC(atomicMax, before < value ? value : before)
MONOFOLD_ATOMIC(atomicAnd, before& value)
MONOFOLD_ATOMIC(atomicOr, before | value)
MONOFOLD_ATOMIC(atomicXor, before ^ value)
MONOFOLD_ATOMIC(atomicInc, before >= value ? 0 : before + 1)
MONOFOLD_ATOMIC(atomicDec, before == 0 || before > value ? value : before - 1)
#undef MONOFOLD_ATOMIC
template <class T>
T atomicExch(T* at, monofold::emulation::plain_t<T> value) {
  return monofold::emulation::update(at, [=](T) { return value; });
}
template <class T>
T atomicCAS(T* at, monofold::emulation::plain_t<T> expected,
            monofold::emulation::plain_t<T> value) {
  return monofold::emulation::update(at,
                                     [=](T before) { return before == expected ? value : before; });
}

// Threads take turns on one thread of the host: what one wrote, the next one reads.
inline void __threadfence() {}
inline void __threadfence_block() {}
inline void __threadfence_system() {}
inline void __nanosleep(unsigned) { monofold::emulation::give_way(); }
inline void __trap() { monofold::emulation::stop_kernel(); }

inline unsigned __clusterRelativeBlockRank() { return monofold::emulation::rank_in_cluster(); }
inline unsigned __clusterSizeInBlocks() { return monofold::emulation::cluster_blocks(); }
inline void __cluster_barrier_arrive() {}
inline void __cluster_barrier_wait() { monofold::emulation::arrive_at_cluster_barrier(); }
inline void* __cluster_map_shared_rank(const void* own, unsigned rank) {
  return monofold::emulation::in_block_of_cluster(own, rank);
}

inline int __popc(unsigned bits) { return __builtin_popcount(bits); }
inline int __clz(int bits) { return bits == 0 ? 32 : __builtin_clz(static_cast<unsigned>(bits)); }
inline int __ffs(int bits) { return __builtin_ffs(bits); }
