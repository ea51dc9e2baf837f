/// runtime/gpu/rows/row_room: keeps workspaces, and an event each that says when the device is done with it.

#include "runtime/gpu/rows/row_room.hpp"

#include <cstddef>
#include <exception>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "monofold/engine/gpu/launch.cuh"
#include "monofold/platform/status.hpp"

namespace monofold::runtime {

void check_row_call(cudaError_t code, const char* call) {
  if (const auto failed = monofold::detail::failure_of(code, call)) {
    throw error(failed.code, failed.detail);
  }
}

void check_row_memory(const void* memory, const char* name, int device) {
  if (memory == nullptr) return;
  cudaPointerAttributes facts{};
  check_row_call(cudaPointerGetAttributes(&facts, memory), "cudaPointerGetAttributes");
  if (facts.type != cudaMemoryTypeDevice && facts.type != cudaMemoryTypeManaged) {
    throw error(status::invalid_argument, std::string(name) + " is not memory of a device");
  }
  if (facts.type == cudaMemoryTypeDevice && facts.device != device) {
    throw error(status::invalid_argument, std::string(name) + " is memory of device " +
                                              std::to_string(facts.device) +
                                              "; the current device is " + std::to_string(device));
  }
}

void check_not_captured(cudaStream_t stream) {
  cudaStreamCaptureStatus capturing = cudaStreamCaptureStatusNone;
  const cudaError_t code = cudaStreamIsCapturing(stream, &capturing);
  // The second one: the default stream, while one that waits for it is being captured.
  if (code == cudaErrorStreamCaptureImplicit || capturing != cudaStreamCaptureStatusNone) {
    static_cast<void>(cudaGetLastError());
    throw error(status::invalid_argument,
                "the stream is being captured: rows and groups cannot be");
  }
  check_row_call(code, "cudaStreamIsCapturing");
}

struct row_room::place {
  place() = default;
  place(const place&) = delete;
  place& operator=(const place&) = delete;
  ~place() {
    static_cast<void>(cudaFree(failed));
    if (done != nullptr) static_cast<void>(cudaEventDestroy(done));
  }

  std::shared_ptr<gpu_workspace> workspace{};
  unsigned long long* failed = nullptr;  // 0 between calls
  cudaEvent_t done = nullptr;
  cudaStream_t stream = nullptr;
  int device = 0;
};

namespace {

/// Those of calls that have returned. They live as long as the process: the driver may be gone before static objects
/// are.
struct kept_places {
  std::mutex mutex;
  std::vector<std::unique_ptr<row_room::place>> places;
};
kept_places& all_kept() {
  static auto* const kept = new kept_places;
  return *kept;
}

/// One of the device that is free, or whose work lies before what comes in the stream; null: there is none.
std::unique_ptr<row_room::place> take_place(cudaStream_t stream, int device) {
  kept_places& kept = all_kept();
  const std::lock_guard lock(kept.mutex);
  for (std::size_t i = kept.places.size(); i-- > 0;) {
    auto& one = kept.places[i];
    if (one->device != device) continue;
    cudaError_t code = cudaEventQuery(one->done);
    if (code == cudaErrorNotReady) {
      static_cast<void>(cudaGetLastError());
      if (one->stream != stream) continue;
      // A stream that is gone may have left its number to this one.
      code = cudaStreamWaitEvent(stream, one->done, 0);
    }
    std::swap(one, kept.places.back());
    auto own = std::move(kept.places.back());
    kept.places.pop_back();
    if (code == cudaSuccess) return own;
    static_cast<void>(cudaGetLastError());  // nobody can say when the device is done with it
  }
  return nullptr;
}

}  // namespace

row_room::row_room(cudaStream_t stream) : stream_(stream), exceptions_(std::uncaught_exceptions()) {
  check_not_captured(stream_);
  check_row_call(cudaGetDevice(&device_), "cudaGetDevice");
  check_row_call(cudaDeviceGetAttribute(&multiprocessors_, cudaDevAttrMultiProcessorCount, device_),
                 "cudaDeviceGetAttribute");
}

row_room::place& row_room::own() {
  if (own_ == nullptr) own_ = take_place(stream_, device_);
  if (own_ != nullptr) return *own_;
  own_ = std::make_unique<place>();
  own_->device = device_;
  check_row_call(cudaEventCreateWithFlags(&own_->done, cudaEventDisableTiming),
                 "cudaEventCreateWithFlags");
  void* failed = nullptr;
  check_row_call(cudaMalloc(&failed, sizeof(*own_->failed)), "cudaMalloc");
  own_->failed = static_cast<unsigned long long*>(failed);
  clear_failed();
  return *own_;
}

row_room::~row_room() {
  // What has failed may have left anything behind.
  if (own_ == nullptr || std::uncaught_exceptions() > exceptions_) return;
  own_->stream = stream_;
  if (cudaEventRecord(own_->done, stream_) != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    return;
  }
  kept_places& kept = all_kept();
  const std::lock_guard lock(kept.mutex);
  kept.places.push_back(std::move(own_));
}

void row_room::clear_failed() {
  check_row_call(cudaMemset(own_->failed, 0, sizeof(*own_->failed)), "cudaMemset");
  // Streams that do not wait for the default one find it so too.
  check_row_call(cudaStreamSynchronize(cudaStreamLegacy), "cudaStreamSynchronize");
}

std::shared_ptr<gpu_workspace>& row_room::workspace() { return own().workspace; }

unsigned long long* row_room::failed() { return own().failed; }

row_failure row_room::wait() {
  unsigned long long failed = 0;
  unsigned long long bad = 0;
  const auto bring = [&](unsigned long long& to, const void* from) {
    check_row_call(cudaMemcpyAsync(&to, from, sizeof(to), cudaMemcpyDeviceToHost, stream_),
                   "cudaMemcpyAsync");
  };
  bring(failed, this->failed());
  if (bad_segments_ != nullptr) bring(bad, bad_segments_);
  check_row_call(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
  if (failed != 0) clear_failed();
  if (bad != 0) return {status::invalid_argument, static_cast<std::int64_t>(~bad)};
  if (failed == 0) return {};
  return {static_cast<status>(~failed & 15), static_cast<std::int64_t>(~failed >> 4)};
}

}  // namespace monofold::runtime
