#pragma once
/// emulation/block: the threads of one block, in an order by lot, and where they meet.

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "emulation/dimensions.hpp"
#include "emulation/fiber.hpp"
#include "emulation/grid.hpp"
#include "emulation/random.hpp"
#include "emulation/report.hpp"
#include "emulation/shared_memory.hpp"
#include "emulation/symbols.hpp"
#include "emulation/warp_call.hpp"
#include "emulation/warp_clock.hpp"

namespace monofold::emulation {

enum class block_barrier { plain, any, all, count };

namespace detail {

class block;
class step_notes;

/// A launch, as its blocks see it.
struct launch {
  const launch_request* request = nullptr;
  module home;
  std::string kernel;
  dim3 grid;
  dim3 block;
  std::size_t shared_bytes = 0;
  std::uint64_t seed = 0;
  std::uint64_t number = 0;  // of the launch, since the seed was set
  bool has_failed = false;
  std::uint64_t progress = 0;  // counts what a waiting block may wait for
  int accesses = 0;            // since a thread was made to give way
  std::uint32_t epochs = 0;    // block barriers of all blocks so far

  void fail(finding what, const uint3& at_block, const uint3& at_thread, const std::string& text,
            int other = -1);
};

/// The last act of a thread of a recorded launch, and whether the thread stands before the next part.
struct turn {
  bool is_due = false;
  bool is_call = false;  // of a barrier or with other lanes
  int stack = -1;        // where
  int group = 0;         // threads of one number went together until here
  // Cells: what is read again, or written again, is one access.
  std::vector<std::pair<int, std::size_t>> read, written;
  warp_call call;
  int words_left = 0;  // of a value that is exchanged word by word
  bool is_next_word = false;
  // The compiler tells the write of a struct that is copied first, then the read.
  std::size_t copied_bytes = 0;
  std::size_t copy_step = 0;
};

struct alignas(64) thread {  // what a change of threads needs is one line of a cache
  enum class place { ready, at_block_barrier, in_warp_call, at_cluster_barrier, ended };

  fiber own;
  block* home = nullptr;
  uint3 index{};
  int rank = 0;
  place where = place::ready;
  block_barrier barrier = block_barrier::plain;
  bool vote = false;
  std::uint64_t answer = 0;
  turn due;
};

struct warp {
  std::uint32_t every = 0;  // the lanes that there are
  std::uint32_t ready = 0;
  std::uint32_t calling = 0;  // in a warp call
  std::uint32_t ended = 0;
  warp_call calls[32];
  warp_clock clock;
};

/// The blocks of a cluster.
struct cluster {
  std::vector<block*> blocks;
  int arrived = 0;
  int ended = 0;
};

/// One block from its start to its end. Calls that say so come from its fibers.
class block {
 public:
  enum class outcome { ended, waits, paused, failed };

  /// False where there are no stacks for its threads. Throws std::bad_alloc; `end` is called then too.
  bool begin(launch& of, const uint3& index, cluster& home, int rank_in_cluster, random& numbers);
  void end();

  /// Runs threads until all ended, all of them wait for other blocks, or others get a turn.
  outcome run();

  // Recorded launches: emulation/in_step.
  /// One instruction of each warp.
  outcome run_a_step(step_notes& notes);
  /// On a fiber: stands at `stack` until its lanes are chosen.
  void wait_for_turn(int stack);
  const turn& due_of(int warp, int lane) const {
    return thread_at(static_cast<std::size_t>(warp), lane).due;
  }
  std::uint64_t answer_of(int warp, int lane) const {
    return thread_at(static_cast<std::size_t>(warp), lane).answer;
  }
  static auto main_of_threads() { return &thread_main; }

  cluster& home() const { return *cluster_; }
  const uint3& index() const { return index_; }
  int rank_in_cluster() const { return rank_in_cluster_; }
  int linear_index() const {
    const dim3& grid = launch_->grid;
    return static_cast<int>(index_.x + grid.x * (index_.y + grid.y * index_.z));
  }
  shared_memory& shared() { return shared_; }
  bool has_ended() const { return live_ == 0; }
  bool is_at_cluster_barrier() const { return at_cluster_ > 0; }

  // On a fiber.
  int sync(block_barrier kind, bool vote);
  std::uint64_t meet(const warp_call& call);
  void sync_cluster();
  void touch_shared(const void* address, std::size_t bytes, access_kind kind);
  /// Others get a turn; the caller may be waiting for what they write.
  void yield();
  [[noreturn]] void fail(finding what, const std::string& text, int other = -1);

  // By the last thread of a cluster to arrive.
  void leave_cluster_barrier();

 private:
  static void thread_main(void* argument);
  void go_on(thread& next);
  bool bring_to_turn(std::size_t warp);
  bool regroup(std::size_t warp);
  std::uint32_t lanes_behind(std::size_t warp, const step_notes& notes) const;
  bool may_go_on();
  thread& next_thread();
  void let_others_go();
  void wait(thread::place where);
  void make_ready(thread& own);
  void release_barrier();
  void try_release_warp(int warp, const warp_call& call);
  void end_thread(thread& own);
  [[noreturn, gnu::noinline]] void refuse(const warp_call& call, std::uint32_t absent);
  [[noreturn, gnu::noinline]] void refuse(access_kind kind);
  outcome report_stuck();
  std::string why_lane_waits(const thread& own) const;
  warp& warp_of(const thread& own) { return warps_[static_cast<std::size_t>(own.rank / 32)]; }
  const thread& thread_at(std::size_t warp, int lane) const {
    return *threads_[warp * 32 + static_cast<std::size_t>(lane)];
  }

  launch* launch_ = nullptr;
  cluster* cluster_ = nullptr;
  random* numbers_ = nullptr;
  uint3 index_{};
  int rank_in_cluster_ = 0;
  std::vector<std::unique_ptr<thread>> threads_;  // kept for the next block
  std::vector<warp> warps_;
  shared_memory shared_;
  int count_ = 0;
  int live_ = 0;
  int at_barrier_ = 0;
  int at_cluster_ = 0;
  std::uint32_t ready_warps_ = 0;
  int warp_ = 0;
  int yields_ = 0;  // since something changed
  std::uint64_t seen_progress_ = 0;
  bool wants_pause_ = false;
  std::uint32_t epoch_ = 0;
  int groups_ = 0;  // of threads of a recorded launch
};

/// Who runs. Only one kernel runs at a time, and only one of its threads.
extern block* running_block;
extern thread* running_thread;
extern launch* running_launch;

}  // namespace detail

}  // namespace monofold::emulation
