#pragma once
/// engine/gpu/workspace: the memory that a call needs beside its input and result, and the memory where a host waits
/// for a state.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "monofold/engine/gpu/launch.cuh"
#include "monofold/engine/gpu/mailbox.cuh"
#include "monofold/level/shuffle.cuh"
#include "monofold/plan/segment_launch.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/status.hpp"

namespace monofold {

/// Device memory for one reduction at a time. It is made once and may be used by any number of reductions.
///
/// shape      at least `workspace_bytes(range, fold)`; on the device that was current when it was made
/// sync       the constructor waits for the default stream and cannot be captured in a graph. Calls that may
///            run at the same time (in several streams) need a workspace each
/// errors     throws `error`: out_of_memory, device_unavailable. After a kernel that failed, make another: the
///            old one may hold what the next call takes for its own
/// tested by  tests/gpu/into_test.cu, tests/gpu/workspace_test.cu
class gpu_workspace {
 public:
  gpu_workspace() = default;
  explicit gpu_workspace(std::int64_t bytes) {
    if (auto failed = make(bytes)) {
      release();
      throw error(failed.code, failed.detail);
    }
  }
  /// Makes `out`, without throwing.
  static detail::failure try_make(std::int64_t bytes, gpu_workspace& out) {
    gpu_workspace made;
    if (auto failed = made.make(bytes)) return failed;
    out = std::move(made);
    return {};
  }
  gpu_workspace(gpu_workspace&& other) noexcept
      : memory_(std::exchange(other.memory_, nullptr)),
        bytes_(std::exchange(other.bytes_, 0)),
        device_(other.device_) {}
  gpu_workspace& operator=(gpu_workspace&& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(bytes_, other.bytes_);
    std::swap(device_, other.device_);
    return *this;
  }
  ~gpu_workspace() { release(); }

  std::int64_t bytes() const { return bytes_; }
  int device() const { return device_; }

  /// The counter of blocks that are done: 0 between calls.
  std::uint32_t* ticket() const { return static_cast<std::uint32_t*>(memory_); }

  /// The mailbox of blocks of small launches.
  detail::mailbox_storage mail() const {
    return {static_cast<char*>(memory_) + detail::mailbox_storage::line_bytes};
  }

  /// What blocks that search for the k best tell each other: 0 between calls.
  void* top_scratch() const { return static_cast<char*>(memory_) + top_scratch_at; }

  /// Words in which blocks add up an exact sum: 0 between calls.
  std::int64_t* exact_words() const {
    return reinterpret_cast<std::int64_t*>(static_cast<char*>(memory_) + exact_words_at);
  }

  /// Counters of blocks that share a row: 0 between calls.
  std::uint32_t* row_tickets() const {
    return reinterpret_cast<std::uint32_t*>(static_cast<char*>(memory_) + row_tickets_at);
  }

  /// What the last call of segments found wrong, see engine/gpu/segment.
  std::uint64_t* segment_report() const {
    return reinterpret_cast<std::uint64_t*>(static_cast<char*>(memory_) + segment_report_at);
  }

  /// Memory for the states of blocks.
  void* states() const { return static_cast<char*>(memory_) + fixed_bytes; }

  /// The workspace has a line for the ticket, a line for the number of the call by mail, and boxes; then the memory of
  /// the top, words of exact sums, counters of rows, and the report of segments.
  static constexpr std::int64_t top_scratch_at =
      2 * detail::mailbox_storage::line_bytes + detail::mailbox_storage::words * 8;
  static constexpr std::int64_t top_scratch_bytes = 16 * (2 * 8 + 128);
  static constexpr std::int64_t exact_words_at = top_scratch_at + top_scratch_bytes;
  static constexpr std::int64_t num_exact_words = 256;
  static constexpr std::int64_t row_tickets_at = exact_words_at + num_exact_words * 8;
  static constexpr std::int64_t segment_report_at = row_tickets_at + max_cut_rows * 4;
  static constexpr std::int64_t fixed_bytes = segment_report_at + 64;

 private:
  detail::failure make(std::int64_t bytes) {
    if (bytes < fixed_bytes) bytes = fixed_bytes;
    if (auto failed = detail::failure_of(cudaGetDevice(&device_), "cudaGetDevice")) return failed;
    if (auto failed = detail::failure_of(cudaMalloc(&memory_, static_cast<std::size_t>(bytes)),
                                         "cudaMalloc")) {
      return failed;
    }
    bytes_ = bytes;
    if (auto failed =
            detail::failure_of(cudaMemset(memory_, 0, fixed_bytes), "cudaMemset of a workspace")) {
      return failed;
    }
    // The first call is number 1.
    if (auto failed =
            detail::failure_of(cudaMemset(mail().memory, 1, 1), "cudaMemset of a workspace")) {
      return failed;
    }
    // Streams that do not wait for the default one find the counter at 0 too.
    return detail::failure_of(cudaStreamSynchronize(cudaStreamLegacy), "cudaStreamSynchronize");
  }
  void release() {
    if (memory_ != nullptr) static_cast<void>(cudaFree(memory_));
    memory_ = nullptr;
  }

  void* memory_ = nullptr;
  std::int64_t bytes_ = 0;
  int device_ = 0;
};

namespace detail {

/// A sink for a host that waits: it stores the state behind a line with a flag, and then raises the flag.
template <class State>
struct awaited_sink {
  static constexpr int flag_bytes = 64;

  void* line;
  std::uint32_t raised;              // what the flag becomes
  std::int64_t offset = flag_bytes;  // of the state, from the line on

  template <class F>
  MONOFOLD_GPU void operator()(const F&, const State& total) const {
    *reinterpret_cast<State*>(static_cast<char*>(line) + offset) = total;
#if defined(__CUDA_ARCH__)
    __threadfence_system();  // a reader of the flag, on the host too, sees the state written above
#endif
    *static_cast<volatile std::uint32_t*>(line) = raised;
  }
};

/// A sink that mails a small state to a host that waits. Each word has the number of the call, as in a mailbox, so
/// that no fence and no flag are needed: a call that waits takes 0.6 us less.
template <class State>
struct mailed_sink {
  static constexpr int words = value_words<State>::count;

  std::uint64_t* boxes;
  std::uint32_t call;

  template <class F>
  MONOFOLD_GPU void operator()(const F&, const State& total) const {
    const auto part = to_words(total);
    MONOFOLD_UNROLL
    for (int w = 0; w < words; ++w) {
      *static_cast<volatile std::uint64_t*>(boxes + w) = mail_of(call, part.word[w]);
    }
  }
};

/// Pinned memory that host and device read and write, and a workspace. Each thread has one for each device, and keeps
/// it for the next call. (It must not be used after a cudaDeviceReset.)
class awaited_state {
 public:
  awaited_state() = default;
  awaited_state(const awaited_state&) = delete;
  awaited_state& operator=(const awaited_state&) = delete;
  ~awaited_state() {
    if (pinned_ != nullptr) static_cast<void>(cudaFreeHost(pinned_));
  }

  /// The one of this thread for a device.
  static awaited_state& of_device(int device) {
    thread_local awaited_state places[max_devices];
    return places[device];
  }
  static constexpr int max_devices = 64;

  const gpu_workspace& workspace() const { return workspace_; }

  /// Makes room for a state and a workspace of these sizes.
  failure reserve(std::int64_t state_bytes, std::int64_t workspace_bytes) {
    if (workspace_bytes > workspace_.bytes()) {
      if (auto failed = gpu_workspace::try_make(workspace_bytes, workspace_)) return failed;
    }
    if (pinned_ != nullptr && state_bytes <= pinned_bytes_) return {};
    if (pinned_ != nullptr) static_cast<void>(cudaFreeHost(pinned_));
    pinned_ = nullptr;
    pinned_bytes_ = 0;
    const auto bytes = static_cast<std::size_t>(mail_bytes + flag_bytes + state_bytes);
    if (auto failed =
            failure_of(cudaHostAlloc(&pinned_, bytes, cudaHostAllocMapped), "cudaHostAlloc")) {
      return failed;
    }
    std::memset(pinned_, 0, mail_bytes + flag_bytes);
    raised_ = 0;
    pinned_bytes_ = state_bytes;
    return {};
  }

  /// Frees the workspace. A kernel that failed may have left tickets and mail in it; the next call makes another one.
  void discard_workspace() { workspace_ = gpu_workspace(); }

  /// The sink for the kernel; `reserve` must come before.
  template <class State>
  awaited_sink<State> sink() {
    static_assert(awaited_sink<State>::flag_bytes == flag_bytes);
    mailed_words_ = 0;
    return {line(), next_call()};
  }
  /// The sink for the kernel where the state goes by mail; `reserve` must come before.
  template <class State>
  mailed_sink<State> mailed() {
    mailed_words_ = mailed_sink<State>::words;
    return {static_cast<std::uint64_t*>(pinned_), next_call()};
  }

  /// The place where a `sink` stores the state.
  void* state_place() const { return line() + flag_bytes; }

  /// Waits until the kernel that got the last `sink` or `mailed` has stored its state.
  failure wait(cudaStream_t stream) const {
    if (mailed_words_ == 0) {
      return wait_for_flag(reinterpret_cast<volatile std::uint32_t*>(line()), raised_, stream);
    }
    int there = 0;
    return wait_until(
        [&] {
          while (there < mailed_words_ && box(there) >> 32 == raised_) ++there;
          return there == mailed_words_;
        },
        stream);
  }

  template <class State>
  State get() const {
    State out;
    std::memcpy(static_cast<void*>(&out), state_place(), sizeof(State));
    return out;
  }
  template <class State>
  State get_mailed() const {
    std::uint32_t part[mailed_sink<State>::words];
    for (int w = 0; w < mailed_sink<State>::words; ++w)
      part[w] = static_cast<std::uint32_t>(box(w));
    State out;
    std::memcpy(static_cast<void*>(&out), part, sizeof(State));
    return out;
  }

 private:
  static constexpr std::int64_t flag_bytes = 64;                    // a line of its own
  static constexpr std::int64_t mail_bytes = 2 * max_mailed_bytes;  // before it

  std::uint32_t next_call() {
    if (++raised_ == 0) {
      // Numbers begin again: no box may hold one of them.
      std::memset(pinned_, 0, mail_bytes);
      ++raised_;
    }
    return raised_;
  }
  char* line() const { return static_cast<char*>(pinned_) + mail_bytes; }
  std::uint64_t box(int word) const { return static_cast<volatile std::uint64_t*>(pinned_)[word]; }

  gpu_workspace workspace_;
  void* pinned_ = nullptr;
  std::int64_t pinned_bytes_ = 0;
  std::uint32_t raised_ = 0;
  int mailed_words_ = 0;  // that the last call mails; 0: it raises the flag
};

}  // namespace detail

}  // namespace monofold
