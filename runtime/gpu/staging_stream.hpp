#pragma once
/// runtime/gpu/staging_stream: a stream, and the memory of one thread that feeds a GPU.

#include <cuda_runtime_api.h>

#include <array>
#include <cstdint>
#include <memory>

namespace monofold {
class gpu_workspace;
}

namespace monofold::runtime {

/// Throws `error` where a CUDA call failed.
void check_cuda(cudaError_t code, const char* call);

/// Host memory that GPUs read without a copy in between; goes back by cudaFreeHost.
char* allocate_pinned(std::int64_t bytes);

/// Belongs to the device that is current when it is made, which it is too whenever it is used.
///
/// Two buffers of pinned memory and of device memory, so that one is filled while the other is on its
/// way.
///
/// errors     the constructor throws `error`: device_unavailable, out_of_memory
class staging_stream {
 public:
  struct buffer {
    char* pinned = nullptr;
    char* device = nullptr;
    char* states = nullptr;  // pinned
  };

  staging_stream();
  staging_stream(const staging_stream&) = delete;
  staging_stream& operator=(const staging_stream&) = delete;
  ~staging_stream();

  int device() const { return device_; }
  cudaStream_t stream() const { return stream_; }
  /// The workspace of its folds, which kernels' sources make (workspace_of in device_passes).
  std::shared_ptr<gpu_workspace>& workspace() { return workspace_; }
  const buffer& at(std::size_t i) const { return buffers_[i % buffers_.size()]; }
  /// The buffers for items; made when host memory is first folded, pinned ones when it is not pinned.
  void make_buffers(bool is_pinned);
  /// Room for the states of a piece.
  void make_states(std::int64_t bytes);

  /// The line before the states, pinned, whose first word kernels raise, one after the other.
  char* flag_line() const { return pinned_; }
  /// What the next kernel raises it to.
  std::uint32_t next_flag() { return ++raised_; }
  /// What the last kernel that was started raises it to.
  std::uint32_t last_flag() const { return raised_; }
  /// Waits until a kernel has raised the flag so far: then its states are there, and what lies before it in the
  /// stream is done. Spins: the host knows in 2 us, by an event in 8.
  ///
  /// errors     throws `error`: what the stream failed by
  void wait(std::uint32_t raised) const;

 private:
  void release();

  int device_ = 0;
  cudaStream_t stream_ = nullptr;
  std::shared_ptr<gpu_workspace> workspace_;
  std::array<buffer, 2> buffers_{};
  char* pinned_ = nullptr;  // a line of the flag, the states of each buffer
  std::int64_t states_bytes_ = 0;
  std::uint32_t raised_ = 0;
};

/// A staging stream of the current device for one thread's use: one that is free, or a new one.
class staging_lease {
 public:
  staging_lease();
  staging_lease(const staging_lease&) = delete;
  staging_lease& operator=(const staging_lease&) = delete;
  ~staging_lease();
  staging_stream& get() const { return *own_; }

 private:
  std::unique_ptr<staging_stream> own_;
};

}  // namespace monofold::runtime
