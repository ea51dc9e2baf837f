#pragma once
/// level/mailbox: how blocks hand a state to another block of the same launch without an atomic.

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "monofold/level/thread.cuh"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// Global memory for a mailbox: the number of the next call that uses it, 1 at first, then boxes, 0 at
/// first.
struct mail_room {
  static constexpr int line_bytes = 128;  // of the second-level cache
  static constexpr int most_senders = 256;
  /// States of up to 16 bytes take 4 words each, exact sums up to 9 (level/mailed_sums).
  static constexpr int words = most_senders * 9;

  void* memory;

  MONOFOLD_GPU std::uint32_t* call() const { return static_cast<std::uint32_t*>(memory); }
  MONOFOLD_GPU std::uint32_t read_call() const {
#if defined(__CUDA_ARCH__)
    std::uint32_t number;
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(number) : "l"(memory));
    return number;
#else
    return *static_cast<const volatile std::uint32_t*>(memory);
#endif
  }
  MONOFOLD_GPU std::uint64_t* boxes() const {
    return reinterpret_cast<std::uint64_t*>(static_cast<char*>(memory) + line_bytes);
  }

  /// Ends call `number`, when all boxes were read that it needs: before its result is handed on, since
  /// who waits for that may call again, in another stream.
  ///
  /// sync       all threads of the block that was the last to read
  MONOFOLD_GPU void end_call(std::uint32_t number) const {
    const auto rank = static_cast<int>(threadIdx.x);
    if (number + 1 == 0) {
      // Numbers begin again: no box may hold one of them.
      sync_block();
      for (int word = rank; word < words; word += static_cast<int>(blockDim.x)) boxes()[word] = 0;
      sync_block();
    }
    if (rank == 0) *call() = number + 1 == 0 ? 1 : number + 1;
  }
};

/// A state lies in words of 64 bits: 32 of the state and the number of the call. Whoever reads a word
/// with the number of its own call has what was written in this call, since each word is written at
/// once; so no fence, no counter and nothing to reset.
template <class State>
struct mailbox {
  static_assert(std::is_trivially_copyable_v<State>);
  static constexpr int words = static_cast<int>((sizeof(State) + 3) / 4);

  std::uint64_t* boxes;
  std::uint32_t call;

  MONOFOLD_GPU void post(std::int64_t box, const State& own) const {
    std::uint32_t part[words];
    if constexpr (sizeof(State) % 4 != 0) part[words - 1] = 0;
    std::memcpy(part, &own, sizeof(State));
    MONOFOLD_UNROLL
    for (int w = 0; w < words; ++w) {
      const std::uint64_t word = (std::uint64_t{call} << 32) | part[w];
#if defined(__CUDA_ARCH__)
      asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(boxes + box * words + w), "l"(word)
                   : "memory");
#else
      *static_cast<volatile std::uint64_t*>(boxes + box * words + w) = word;
#endif
    }
  }

  /// Waits for the state of a box. Its writer must be running, or be sure to start.
  MONOFOLD_GPU State wait(std::int64_t box) const {
    std::uint64_t word[words];
    bool all_there = false;
    while (!all_there) {
      // All words are on their way before one is looked at.
      MONOFOLD_UNROLL
      for (int w = 0; w < words; ++w) {
#if defined(__CUDA_ARCH__)
        asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];"
                     : "=l"(word[w])
                     : "l"(boxes + box * words + w)
                     : "memory");
#else
        word[w] = *static_cast<volatile std::uint64_t*>(boxes + box * words + w);
#endif
      }
      all_there = true;
      MONOFOLD_UNROLL
      for (int w = 0; w < words; ++w) {
        all_there = all_there && static_cast<std::uint32_t>(word[w] >> 32) == call;
      }
    }
    std::uint32_t part[words];
    MONOFOLD_UNROLL
    for (int w = 0; w < words; ++w) part[w] = static_cast<std::uint32_t>(word[w]);
    State out;
    std::memcpy(&out, part, sizeof(State));
    return out;
  }
};

}  // namespace monofold::detail
