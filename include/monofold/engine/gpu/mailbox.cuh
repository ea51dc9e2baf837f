#pragma once
/// engine/gpu/mailbox: how blocks hand a state to another block of the same launch without an atomic.

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "monofold/engine/gpu/thread_copy.cuh"
#include "monofold/level/block.cuh"
#include "monofold/level/shuffle.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/plan/launch.hpp"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// Global memory for a mailbox. It begins with the number of the next call that uses it, at first 1; boxes follow, at
/// first 0.
struct mailbox_storage {
  static constexpr int line_bytes = 128;    // of the second-level cache
  static constexpr int most_senders = 256;  // of exact sums, 31 words each at most
  static constexpr int words = static_cast<int>(max_mail_words);

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
  /// Begins to copy 16 bytes to shared memory, the first word of which is the number of the call.
  MONOFOLD_GPU void start_call_copy(bytes16* to) const {
    start_copy(to, static_cast<const bytes16*>(memory));
  }
  MONOFOLD_GPU std::uint64_t* boxes() const {
    return reinterpret_cast<std::uint64_t*>(static_cast<char*>(memory) + line_bytes);
  }

  /// Ends call `number`, when all its boxes were read, by writing the number of the next call. This comes before the
  /// result is stored, since whoever waits for that may call again, in another stream.
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

/// A word of mail has 64 bits: the number of the call above 32 bits of data.
MONOFOLD_GPU std::uint64_t mail_of(std::uint32_t call, std::uint32_t what) {
  return std::uint64_t{call} << 32 | what;
}
MONOFOLD_GPU bool is_mail_of(std::uint32_t call, std::uint64_t word) {
  return static_cast<std::uint32_t>(word >> 32) == call;
}

/// Writes and reads words of mail. Each word is written and read at once; the two words of a pair, at a boundary of 16
/// bytes, need not be.
MONOFOLD_GPU void post_mail(std::uint64_t* box, std::uint64_t word) {
#if defined(__CUDA_ARCH__)
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(box), "l"(word) : "memory");
#else
  *static_cast<volatile std::uint64_t*>(box) = word;
#endif
}
MONOFOLD_GPU void post_mail(std::uint64_t* box, std::uint64_t low, std::uint64_t high) {
#if defined(__CUDA_ARCH__)
  asm volatile("st.relaxed.gpu.global.v2.u64 [%0], {%1, %2};" ::"l"(box), "l"(low), "l"(high)
               : "memory");
#else
  post_mail(box, low);
  post_mail(box + 1, high);
#endif
}
MONOFOLD_GPU void read_mail(const std::uint64_t* box, std::uint64_t& word) {
#if defined(__CUDA_ARCH__)
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(word) : "l"(box) : "memory");
#else
  word = *static_cast<const volatile std::uint64_t*>(box);
#endif
}
MONOFOLD_GPU void read_mail(const std::uint64_t* box, std::uint64_t& low, std::uint64_t& high) {
#if defined(__CUDA_ARCH__)
  asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];"
               : "=l"(low), "=l"(high)
               : "l"(box)
               : "memory");
#else
  read_mail(box, low);
  read_mail(box + 1, high);
#endif
}

template <class State>
inline constexpr bool is_mailable_v = goes_by_mail(sizeof(State));

/// States by mail, each in words of 64 bits: 32 bits of the state and the number of the call. Each word is written at
/// once, so whoever reads a word with the number of its own call has data of this call. That takes no fence and no
/// counter, and nothing has to be reset.
template <class State>
struct mailbox {
  static_assert(std::is_trivially_copyable_v<State>);
  static constexpr int words = static_cast<int>((sizeof(State) + 3) / 4);

  std::uint64_t* boxes;
  std::uint32_t call;

  /// Posts the state of lane 0; `spare` is shared memory for a state.
  ///
  /// sync       all lanes of a warp; what they read of `spare` is read
  MONOFOLD_GPU void post(std::int64_t box, const State& own, State* spare) const {
    std::uint64_t* const to = boxes + box * words;
    if constexpr (words <= 4) {
      if (lane_rank() != 0) return;
      const value_words<State> part = to_words(own);
      MONOFOLD_UNROLL
      for (int w = 0; w < words; ++w) post_mail(to + w, mail_of(call, part.word[w]));
    } else {
      sync_warp();  // what is read of the spare room is read
      if (lane_rank() == 0) *spare = own;
      sync_warp();  // the state written above is read below
      post_words(to, spare);
    }
  }
  /// Posts a state that lies in shared memory, where all lanes can read it.
  ///
  /// sync       all lanes of a warp
  MONOFOLD_GPU void post(std::int64_t box, const State* own) const {
    if constexpr (words <= 4) {
      post(box, *own, nullptr);
    } else {
      post_words(boxes + box * words, own);
    }
  }

  /// Waits for the state in a box. Its writer must be running, or be sure to start. Lanes that do not ask get some
  /// other state, or no state. Lanes wait for each other: if they left the loop one by one, they would run one by one
  /// until the next barrier.
  ///
  /// sync       all lanes of the warp
  MONOFOLD_GPU State wait(std::int64_t box, bool asks) const {
    const std::uint64_t* const from = boxes + (asks ? box : 0) * words;
    std::uint64_t word[words];
    bool all_there;
    do {
      // All words are on their way before one is looked at.
      MONOFOLD_UNROLL
      for (int w = 0; w < words; ++w) read_mail(from + w, word[w]);
      all_there = true;
      MONOFOLD_UNROLL
      for (int w = 0; w < words; ++w) all_there = all_there && is_mail_of(call, word[w]);
    } while (any_lane(asks && !all_there));
    value_words<State> part;
    MONOFOLD_UNROLL
    for (int w = 0; w < words; ++w) part.word[w] = static_cast<std::uint32_t>(word[w]);
    return from_words(part, State());
  }

  /// Waits for the states in boxes `first` .. `first` + count - 1, and stores them side by side. Neighbouring threads
  /// read neighbouring words: a box for each thread took 15 times as many accesses to the first-level cache.
  ///
  /// shape      `out` in shared memory, on a boundary of 4 bytes
  /// sync       all threads of the block; a barrier must follow
  MONOFOLD_GPU void wait_all(int first, int count, State* out) const {
    const auto rank = static_cast<int>(threadIdx.x);
    const auto threads = static_cast<int>(blockDim.x);
    if constexpr (sizeof(State) % 4 == 0) {
      constexpr int width = words % 2 == 0 ? 2 : 1;  // words at once
      constexpr int loads = 4;                       // on their way at once
      const std::uint64_t* const from = boxes + std::int64_t{first} * words;
      auto* const to = reinterpret_cast<std::uint32_t*>(out);
      MONOFOLD_ROLL
      for (int at = rank * width; at < count * words; at += loads * width * threads) {
        wait_words<width, loads>(from, at, count * words, width * threads, to);
      }
    } else {
      MONOFOLD_ROLL
      for (int box = rank; box - lane_rank() < count; box += threads) {
        const State own = wait(first + box, box < count);
        if (box < count) out[box] = own;
      }
    }
  }

 private:
  /// Waits for `loads` times `width` words, `step` apart, without those from `end` on.
  template <int width, int loads>
  MONOFOLD_GPU void wait_words(const std::uint64_t* from, int at, int end, int step,
                               std::uint32_t* to) const {
    std::uint64_t word[loads][2];
    bool all_there = false;
    while (!all_there) {
      MONOFOLD_UNROLL
      for (int i = 0; i < loads; ++i) {
        if (at + i * step >= end) {
          word[i][0] = word[i][1] = mail_of(call, 0);
        } else if constexpr (width == 2) {
          read_mail(from + at + i * step, word[i][0], word[i][1]);
        } else {
          read_mail(from + at + i * step, word[i][0]);
        }
      }
      all_there = true;
      MONOFOLD_UNROLL
      for (int i = 0; i < loads * width; ++i) {
        all_there = all_there && is_mail_of(call, word[i / width][i % width]);
      }
    }
    MONOFOLD_UNROLL
    for (int i = 0; i < loads * width; ++i) {
      const int own = at + i / width * step + i % width;
      if (own < end) to[own] = static_cast<std::uint32_t>(word[i / width][i % width]);
    }
  }

  /// Posts a state, each lane a word.
  MONOFOLD_GPU void post_words(std::uint64_t* to, const State* own) const {
    static_assert(sizeof(State) % 4 == 0 && words <= warp_lanes);
    const int w = lane_rank();
    if (w >= words) return;
    post_mail(to + w, mail_of(call, reinterpret_cast<const std::uint32_t*>(own)[w]));
  }
};

/// Waits for the states of blocks node * each .. node * each + each - 1, as far as there are such blocks, and combines
/// them. `each` is 1, 2 or 4.
///
/// sync       all lanes of the warp, with the same `each`
template <class F>
MONOFOLD_GPU typename F::state wait_for_node(const F& f, const mailbox<typename F::state>& mail,
                                             int node, int each, int blocks) {
  const int first = node * each;
  auto own = mail.wait(first, first < blocks);
  if (each > 1) {
    const auto next = mail.wait(first + 1, first + 1 < blocks);
    if (first + 1 < blocks) own = combine_states(f, own, next);
  }
  if (each > 2) {
    auto right = mail.wait(first + 2, first + 2 < blocks);
    const auto last = mail.wait(first + 3, first + 3 < blocks);
    if (first + 3 < blocks) right = combine_states(f, right, last);
    if (first + 2 < blocks) own = combine_states(f, own, right);
  }
  return own;
}

/// Waits for the states of all blocks and combines them, in thread 0; `warp_states` as in combine_block.
///
/// shape      up to four blocks a thread
/// order      the plan's tree
/// sync       all threads of the block; what they read of `warp_states` is read
template <class F>
MONOFOLD_GPU typename F::state combine_mail(const F& f, const mailbox<typename F::state>& mail,
                                            int blocks, typename F::state* warp_states) {
  using state = typename F::state;
  const auto rank = static_cast<int>(threadIdx.x);
  const auto threads = static_cast<int>(blockDim.x);
  const int each = blocks <= threads ? 1 : blocks <= 2 * threads ? 2 : 4;
  const state own = wait_for_node(f, mail, rank, each, blocks);
  return combine_block(f, own, (blocks + each - 1) / each, warp_states, rank);
}

}  // namespace monofold::detail
