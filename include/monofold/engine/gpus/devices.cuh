#pragma once
/// engine/gpus/devices: the engine of several GPUs as a value, the current device, and ports to devices.

#include <cuda_runtime_api.h>

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "monofold/engine/gpu/engine.cuh"
#include "monofold/engine/gpu/launch.cuh"
#include "monofold/engine/gpu/workspace.cuh"
#include "monofold/platform/status.hpp"

namespace monofold {

/// Several GPUs of this machine as an engine; shard i of a call lies on devices[i].
struct gpus_engine {
  std::vector<int> devices;
};

/// The devices of these numbers, in this order; without an argument all that CUDA shows.
inline gpus_engine gpus(std::vector<int> devices) { return {std::move(devices)}; }
inline gpus_engine gpus(std::initializer_list<int> devices) { return {devices}; }
inline gpus_engine gpus() {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) {
    static_cast<void>(cudaGetLastError());  // a call with no device says so
    count = 0;
  }
  gpus_engine all{std::vector<int>(static_cast<std::size_t>(count))};
  std::iota(all.devices.begin(), all.devices.end(), 0);
  return all;
}

namespace detail {

/// Makes devices current one after the other, and at its end the one that was.
class current_device {
 public:
  current_device() { has_one_ = cudaGetDevice(&before_) == cudaSuccess; }
  current_device(const current_device&) = delete;
  current_device& operator=(const current_device&) = delete;
  ~current_device() {
    if (has_one_) static_cast<void>(cudaSetDevice(before_));
  }

  static failure be(int device) {
    auto failed = failure_of(cudaSetDevice(device), "cudaSetDevice");
    if (failed) failed.detail += " (" + std::to_string(device) + ")";
    return failed;
  }

 private:
  int before_ = 0;
  bool has_one_ = false;
};

/// Where a host hands work to a device and waits for a state; with a stream and buffers where items come from
/// the host.
class device_port {
 public:
  explicit device_port(int device) : device_(device) {}
  device_port(const device_port&) = delete;
  device_port& operator=(const device_port&) = delete;

  int device() const { return device_; }
  awaited_state& place() { return place_; }
  /// After make_buffers.
  device_stream stream() const { return {stream_, device_}; }
  char* there() const { return there_.begin; }
  char* pinned() const { return pinned_.begin; }

  /// A stream and `bytes` of the device's memory, of pinned memory too where that is wanted. Kept for other calls, and
  /// made anew where those want more.
  ///
  /// sync       the device is current, and nothing uses the buffers
  failure make_buffers(std::int64_t bytes, bool with_pinned) {
    const auto size = static_cast<std::size_t>(bytes);
    if (stream_ == nullptr) {
      // Not one that goes its own way: items may be on their way in the default stream.
      if (auto failed = failure_of(cudaStreamCreate(&stream_), "cudaStreamCreate")) return failed;
    }
    if (auto failed = there_.grow(size, cudaFree,
                                  [](void** out, std::size_t n) { return cudaMalloc(out, n); })) {
      return failed;
    }
    if (!with_pinned) return {};
    return pinned_.grow(size, cudaFreeHost, [](void** out, std::size_t n) {
      return cudaHostAlloc(out, n, cudaHostAllocPortable);
    });
  }

 private:
  struct buffer {
    char* begin = nullptr;
    std::size_t bytes = 0;

    template <class Free, class Make>
    failure grow(std::size_t wanted, const Free& free_it, const Make& make_it) {
      if (wanted <= bytes) return {};
      if (begin != nullptr) {
        if (auto failed = failure_of(free_it(begin), "a buffer for items")) return failed;
        *this = {};
      }
      void* memory = nullptr;
      if (auto failed = failure_of(make_it(&memory, wanted), "a buffer for items")) return failed;
      begin = static_cast<char*>(memory);
      bytes = wanted;
      return {};
    }
  };

  int device_;
  awaited_state place_;
  cudaStream_t stream_ = nullptr;
  buffer there_;
  buffer pinned_;
};

/// Ports that no call uses. They live as long as the process: the driver may be gone before static objects are.
struct free_ports {
  std::mutex mutex;
  std::vector<std::unique_ptr<device_port>> ports;

  static free_ports& all() {
    static auto* const own = new free_ports;
    return *own;
  }
};

/// A port to a device for one call's use: one that is free, or another.
class port_lease {
 public:
  explicit port_lease(int device) {
    free_ports& all = free_ports::all();
    const std::lock_guard lock(all.mutex);
    for (auto& port : all.ports) {
      if (port->device() != device) continue;
      own_ = std::exchange(port, std::move(all.ports.back()));
      all.ports.pop_back();
      return;
    }
    own_ = std::make_unique<device_port>(device);
  }
  port_lease(port_lease&&) = default;
  port_lease& operator=(port_lease&&) = delete;
  ~port_lease() {
    if (own_ == nullptr) return;
    free_ports& all = free_ports::all();
    const std::lock_guard lock(all.mutex);
    all.ports.push_back(std::move(own_));
  }
  device_port* operator->() const { return own_.get(); }

 private:
  std::unique_ptr<device_port> own_;
};

}  // namespace detail

}  // namespace monofold
