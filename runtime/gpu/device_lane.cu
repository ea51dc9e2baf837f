/// runtime/gpu/device_lane: makes lanes and keeps those that are free.

#include "runtime/gpu/device_lane.cuh"

#include <mutex>
#include <utility>
#include <vector>

#include "monofold/platform/status.hpp"
#include "runtime/gpu/device_member.hpp"

namespace monofold::runtime {

void check_cuda(cudaError_t code, const char* call) {
  if (const auto failed = monofold::detail::failure_of(code, call)) {
    throw error(failed.code, failed.detail);
  }
}

namespace {

/// Lanes that no thread uses. They live as long as the process: the driver may be gone before static
/// objects are.
struct free_lanes {
  std::mutex mutex;
  std::vector<std::unique_ptr<device_lane>> lanes;
};
free_lanes& all_free_lanes() {
  static auto* const lanes = new free_lanes;
  return *lanes;
}

}  // namespace

char* allocate_pinned(std::int64_t bytes) {
  void* memory = nullptr;
  check_cuda(cudaHostAlloc(&memory, static_cast<std::size_t>(bytes), cudaHostAllocPortable),
             "cudaHostAlloc");
  return static_cast<char*>(memory);
}

device_lane::device_lane() {
  try {
    // Not one that goes its own way: items may still be on their way in the default stream, as after a
    // cudaMemcpy from pageable memory.
    check_cuda(cudaStreamCreate(&stream_), "cudaStreamCreate");
    for (buffer& own : buffers_) {
      check_cuda(cudaEventCreateWithFlags(&own.done, cudaEventDisableTiming),
                 "cudaEventCreateWithFlags");
    }
  } catch (...) {
    release();
    throw;
  }
}

device_lane::~device_lane() { release(); }

void device_lane::release() {
  if (stream_ != nullptr) static_cast<void>(cudaStreamSynchronize(stream_));
  for (buffer& own : buffers_) {
    static_cast<void>(cudaFreeHost(own.pinned));
    static_cast<void>(cudaFreeHost(own.states));
    static_cast<void>(cudaFree(own.device));
    if (own.done != nullptr) static_cast<void>(cudaEventDestroy(own.done));
  }
  if (stream_ != nullptr) static_cast<void>(cudaStreamDestroy(stream_));
}

const gpu_workspace& device_lane::workspace(std::int64_t bytes) {
  if (workspace_.bytes() < bytes) {
    check_cuda(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
    workspace_ = gpu_workspace(bytes);
  }
  return workspace_;
}

void device_lane::make_buffers(bool is_pinned) {
  for (buffer& own : buffers_) {
    if (!is_pinned && own.pinned == nullptr) own.pinned = allocate_pinned(max_piece_bytes);
    if (own.device != nullptr) continue;
    void* memory = nullptr;
    check_cuda(cudaMalloc(&memory, static_cast<std::size_t>(max_piece_bytes)), "cudaMalloc");
    own.device = static_cast<char*>(memory);
  }
}

void device_lane::make_states(std::int64_t bytes) {
  if (states_bytes_ >= bytes) return;
  check_cuda(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
  for (buffer& own : buffers_) {
    static_cast<void>(cudaFreeHost(std::exchange(own.states, nullptr)));
    states_bytes_ = 0;
    own.states = allocate_pinned(bytes);
  }
  states_bytes_ = bytes;
}

lane_lease::lane_lease() {
  free_lanes& all = all_free_lanes();
  {
    const std::lock_guard lock(all.mutex);
    if (!all.lanes.empty()) {
      lane_ = std::move(all.lanes.back());
      all.lanes.pop_back();
    }
  }
  if (lane_ == nullptr) lane_ = std::make_unique<device_lane>();
}

lane_lease::~lane_lease() {
  // After a failure there may be work that still reads buffers.
  static_cast<void>(cudaStreamSynchronize(lane_->stream()));
  free_lanes& all = all_free_lanes();
  const std::lock_guard lock(all.mutex);
  all.lanes.push_back(std::move(lane_));
}

}  // namespace monofold::runtime
