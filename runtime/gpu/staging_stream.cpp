/// runtime/gpu/staging_stream: makes staging streams and keeps those that are free.

#include "runtime/gpu/staging_stream.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <iterator>
#include <mutex>
#include <utility>
#include <vector>

#include "monofold/engine/gpu/launch.cuh"
#include "monofold/platform/status.hpp"
#include "runtime/gpu/device_pass.hpp"

namespace monofold::runtime {

void check_cuda(cudaError_t code, const char* call) {
  if (const auto failed = monofold::detail::failure_of(code, call)) {
    throw error(failed.code, failed.detail);
  }
}

namespace {

constexpr std::int64_t line_bytes = 64;  // of a processor's caches

/// Those that no thread uses. They live as long as the process: the driver may be gone before static
/// objects are.
struct free_streams {
  std::mutex mutex;
  std::vector<std::unique_ptr<staging_stream>> streams;
};
free_streams& all_free_streams() {
  static auto* const streams = new free_streams;
  return *streams;
}

}  // namespace

char* allocate_pinned(std::int64_t bytes) {
  void* memory = nullptr;
  check_cuda(cudaHostAlloc(&memory, static_cast<std::size_t>(bytes), cudaHostAllocPortable),
             "cudaHostAlloc");
  return static_cast<char*>(memory);
}

staging_stream::staging_stream() {
  check_cuda(cudaGetDevice(&device_), "cudaGetDevice");
  try {
    // Not one that goes its own way: items may still be on their way in the default stream, as after a
    // cudaMemcpy from pageable memory.
    check_cuda(cudaStreamCreate(&stream_), "cudaStreamCreate");
  } catch (...) {
    release();
    throw;
  }
}

staging_stream::~staging_stream() { release(); }

void staging_stream::release() {
  if (stream_ != nullptr) static_cast<void>(cudaStreamSynchronize(stream_));
  for (buffer& own : buffers_) {
    static_cast<void>(cudaFreeHost(own.pinned));
    static_cast<void>(cudaFree(own.device));
  }
  static_cast<void>(cudaFreeHost(pinned_));
  if (stream_ != nullptr) static_cast<void>(cudaStreamDestroy(stream_));
}

void staging_stream::make_buffers(bool is_pinned) {
  for (buffer& own : buffers_) {
    if (!is_pinned && own.pinned == nullptr) own.pinned = allocate_pinned(max_piece_bytes);
    if (own.device != nullptr) continue;
    void* memory = nullptr;
    check_cuda(cudaMalloc(&memory, static_cast<std::size_t>(max_piece_bytes)), "cudaMalloc");
    own.device = static_cast<char*>(memory);
  }
}

void staging_stream::make_states(std::int64_t bytes) {
  if (states_bytes_ >= bytes) return;
  check_cuda(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
  static_cast<void>(cudaFreeHost(std::exchange(pinned_, nullptr)));
  states_bytes_ = 0;
  bytes = in_chunks_of_16(bytes);
  pinned_ = allocate_pinned(line_bytes + 2 * bytes);
  std::memcpy(pinned_, &raised_, sizeof(raised_));
  buffers_[0].states = pinned_ + line_bytes;
  buffers_[1].states = buffers_[0].states + bytes;
  states_bytes_ = bytes;
}

void staging_stream::wait(std::uint32_t raised) const {
  const auto failed = monofold::detail::wait_for_flag(
      reinterpret_cast<const volatile std::uint32_t*>(pinned_), raised, stream_);
  if (failed) throw error(failed.code, failed.detail);
}

staging_lease::staging_lease() {
  int device = 0;
  check_cuda(cudaGetDevice(&device), "cudaGetDevice");
  free_streams& all = all_free_streams();
  {
    const std::lock_guard lock(all.mutex);
    const auto found = std::find_if(all.streams.rbegin(), all.streams.rend(),
                                    [&](const auto& stream) { return stream->device() == device; });
    if (found != all.streams.rend()) {
      own_ = std::move(*found);
      all.streams.erase(std::next(found).base());
    }
  }
  if (own_ == nullptr) own_ = std::make_unique<staging_stream>();
}

staging_lease::~staging_lease() {
  // After a failure there may be work that still reads buffers, tickets and mail of a kernel that failed, and a flag
  // that no kernel raises: the stream goes, once it is done.
  if (std::uncaught_exceptions() > 0) return;
  free_streams& all = all_free_streams();
  const std::lock_guard lock(all.mutex);
  all.streams.push_back(std::move(own_));
}

}  // namespace monofold::runtime
