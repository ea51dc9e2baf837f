#pragma once
/// emulation/recording: what the threads of recorded launches did, step by step.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "emulation/dimensions.hpp"
#include "emulation/report.hpp"

namespace monofold::emulation {

enum class step_kind {
  read,
  write,
  atomic,
  arrive,         // at a barrier or in a warp call, where others are waited for
  warp_call,      // the lanes met: a barrier of the warp, a shuffle, a vote, a reduction
  block_barrier,  // the threads of a block met
  cluster_barrier
};

/// One lane's part of a step of its warp.
struct lane_step {
  int lane = 0;
  std::size_t at = 0;  // of an access: so many bytes behind the begin of the space
  int from = -1;       // of a shuffle: the lane whose value it got
  std::string bytes;   // what was read, or lay there after the write; what the lane got
};

/// What lanes of a warp did together: one instruction, for those that were at it.
struct warp_step {
  int block = 0;  // linear
  int warp = -1;  // -1: the whole block
  step_kind what = step_kind::read;
  std::string name;       // of calls: __syncwarp
  int stack = -1;         // where: an index of recording::stacks
  int space = -1;         // of accesses: an index of recording::spaces
  std::size_t bytes = 0;  // of accesses: a lane's
  bool is_split = false;  // lanes that went together until here part
  std::vector<lane_step> lanes;
};

/// A buffer on the device, or a shared variable of one block.
struct memory_space {
  std::string name;
  int launch = 0;  // of shared memory
  int block = -1;  // of shared memory: linear; -1: device memory
  const char* begin = nullptr;
  std::size_t bytes = 0;
  std::size_t cell_bytes = 0;
  std::string before;  // device memory: its bytes before the first access
};

struct recorded_launch {
  std::string kernel;
  dim3 grid;
  dim3 block;
  std::size_t shared_bytes = 0;
  std::size_t first_step = 0;
};

struct recording {
  std::vector<recorded_launch> launches;
  std::vector<memory_space> spaces;
  std::vector<std::vector<std::uintptr_t>> stacks;  // return addresses, the kernel's first
  std::vector<std::vector<warp_step>> steps;        // in each step a warp does one thing at most
  std::optional<report> problem;                    // the last step is where it was found
};

/// While one of these lives kernels run in step and are recorded: all blocks at once (16 of a large
/// grid), in each of them one instruction of every warp after the other, by all lanes that are at it.
/// Lanes that are elsewhere wait; those behind go first, so that they meet again.
///
/// shape      a cell: what a page shows as one value. What is read or written of one cell in parts, word by
///            word, is one access
/// sync       one at a time in a process; the thread that made it launches the kernels
/// errors     a launch of more than most_lane_steps ends as one that cannot be emulated
/// cost       a launch that nobody records: a test of a pointer for each access to memory
/// tested by  tests/emulation/recorder_test.cu
class recorder {
 public:
  static constexpr std::size_t most_lane_steps = 100'000;

  recorder();
  recorder(const recorder&) = delete;
  recorder& operator=(const recorder&) = delete;
  ~recorder();

  /// What device memory is called, and the bytes of a cell. Other memory has cells of the size of its
  /// first access.
  void name_memory(const void* begin, std::size_t bytes, const std::string& name,
                   std::size_t cell_bytes);
  /// The same of shared variables of this name; of the name "" all others.
  void name_shared(const std::string& name, std::size_t cell_bytes);
  /// The bytes of a value that lanes exchange word by word (4 where nobody says).
  void set_shuffled_bytes(std::size_t bytes);

  const recording& found() const;
};

}  // namespace monofold::emulation
