#pragma once
/// emulation/report: what the emulated device found wrong with a kernel.

#include <cstdint>
#include <string>
#include <vector>

#include "emulation/dimensions.hpp"

namespace monofold::emulation {

enum class finding {
  barrier_not_reached,  // a block, cluster or warp barrier that some of its threads never reach
  absent_lanes,         // a shuffle whose mask names lanes that are not there
  shared_out_of_range,  // shared memory that the block does not have
  shared_race,          // two threads, one word, no barrier between, and a write among them
  shared_unwritten,     // shared memory that is read before it is written
  device_out_of_range,  // device memory past the ends of what was allocated, or freed
  device_misaligned,    // device memory at an address that the type does not have
  waits_forever,        // for a value that nobody writes
  trap,                 // the kernel ended itself
  unsupported,          // a launch that this device cannot run
};

struct report {
  finding what;
  std::string kernel;
  uint3 block;
  uint3 thread;
  std::string text;    // what was done where
  std::uint64_t seed;  // MONOFOLD_SEED for the same order of threads
  int other = -1;      // of a race: the other thread, by its rank in the block
};

/// A report as lines for people.
std::string to_text(const report& found);

/// What was found since the last call. Until then launches and calls that wait return
/// cudaErrorLaunchFailure: like a device after a fault, this one does nothing more.
std::vector<report> take_reports();

namespace detail {

enum class echo { on, off };

/// Keeps a report, and prints it to standard error.
void file_report(const report& found, echo prints);
bool has_reports();
/// The first report in one line; empty where there is none.
std::string first_report();

}  // namespace detail

}  // namespace monofold::emulation
