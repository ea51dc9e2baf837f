#pragma once
/// emulation/grid: runs a kernel, its blocks in an order by lot, a few of them at a time.

#include <cstddef>
#include <memory>
#include <vector>

#include "emulation/launch_shape.hpp"

namespace monofold::emulation {

/// Copies of what a kernel is called with, each on lines of its own.
struct kernel_arguments {
  struct alignas(64) line {
    unsigned char bytes[64];
  };
  std::vector<line> lines;
  std::vector<const void*> table;
};

struct launch_request : launch_shape {
  std::shared_ptr<const kernel_arguments> arguments;
  int device = 0;
};

inline constexpr unsigned max_block_threads = 1024;
inline constexpr unsigned max_cluster_blocks = 16;

/// Whether the device can run such a launch at all.
bool is_launchable(const launch_request& request);

/// Runs a kernel to its end. False where it went wrong: see emulation/report.
///
/// order      blocks start in an order that the seed decides. A block runs until it ends, or waits for
///            what others write; at barriers up to three blocks take turns. Blocks that wait make room
///            for all others, so a grid may wait for itself
/// sync       one kernel at a time in a process; others wait for it
/// errors     throws std::bad_alloc where there is no memory for it, which the next one does not see
bool run(const launch_request& request);

namespace detail {

/// Held while a kernel runs: what changes memory under it takes its turn.
void lock_device();
void unlock_device();

}  // namespace detail

}  // namespace monofold::emulation
