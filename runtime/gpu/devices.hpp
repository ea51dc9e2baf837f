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

/// Makes a GPU the calling thread's current one, and returns the one that was.
///
/// errors     throws `error`: device_unavailable, where there is none of this number
int use_gpu(int device);

/// A GPU that is the calling thread's current one while this lives; -1: the one that is.
class gpu_in_use {
 public:
  explicit gpu_in_use(int device) : before_(device < 0 ? -1 : use_gpu(device)) {}
  gpu_in_use(const gpu_in_use&) = delete;
  gpu_in_use& operator=(const gpu_in_use&) = delete;
  ~gpu_in_use() {
    try {
      if (before_ >= 0) use_gpu(before_);
    } catch (...) {  // NOLINT: a GPU that is lost has said so
    }
  }

 private:
  int before_;
};

/// Whether a pointer is one to memory of a GPU, or to memory that moves between it and the host.
bool is_device_memory(const void* pointer);

/// Copies device memory to the host, or what the host has to the device, and waits.
///
/// errors     throws `error`: internal
void copy_from_device(void* to, const void* from, std::int64_t bytes);

/// Host memory that GPUs read without a copy in between.
///
/// errors     throws `error`: device_unavailable, out_of_memory
/// cost       some tenths of a millisecond a MiB: to be kept and used again
std::shared_ptr<void> make_pinned(std::int64_t bytes);

}  // namespace monofold::runtime
