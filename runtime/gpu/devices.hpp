#pragma once
/// runtime/gpu/devices: which GPUs are here, and what lies in their memory.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace monofold::runtime {

/// A GPU as its driver describes it.
struct gpu_device {
  std::string name;
  std::int64_t memory_bytes;
  int multiprocessors;
  int major;  // compute capability
  int minor;
};

/// The GPUs that this library can use.
///
/// shape      devices: none where `why_none` says why, in one line
struct gpu_devices {
  std::vector<gpu_device> devices;
  std::string why_none;
};

/// Looks once, the first time, in the library of kernels in use (runtime/gpu/load_device_library).
///
/// errors     none: what keeps GPUs from being used is in `why_none`, a missing library too
/// cost       the first call loads the library and starts the driver, some tenths of a second
const gpu_devices& find_gpus();

/// Whether a pointer is one to memory of a GPU, or to memory that moves between it and the host.
bool is_device_memory(const void* pointer);

/// Copies device memory to the host, and waits.
///
/// errors     throws `error`: internal
void copy_from_device(void* to, const void* from, std::int64_t bytes);

/// Host memory that GPUs read without a copy in between.
///
/// errors     throws `error`: device_unavailable, out_of_memory
/// cost       some tenths of a millisecond a MiB: to be kept and used again
std::shared_ptr<void> make_pinned(std::int64_t bytes);

}  // namespace monofold::runtime
