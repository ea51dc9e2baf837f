#pragma once
/// runtime/gpu/rows/row_room: what a call on rows has of a device besides its items: a workspace, and a report.

#include <cuda_runtime_api.h>

#include <cstdint>
#include <memory>

#include "runtime/gpu/rows/row_library.hpp"

namespace monofold {
class gpu_workspace;
}

namespace monofold::runtime {

/// Throws `error` for what a CUDA call reports, with the call's name.
void check_row_call(cudaError_t code, const char* call);

/// Throws `error` where memory is not of this device, nor managed; null: it has no say.
void check_row_memory(const void* memory, const char* name, int device);

/// Throws `error` before anything of the stream's is asked, which would break the capture.
void check_not_captured(cudaStream_t stream);

/// A workspace that no work on the device uses, for the work of one call in a stream; kept for calls that come later.
/// Calls that ask for neither of its parts leave no event in the stream, which takes the host 0.6 us.
///
/// errors     the constructor and calls throw `error`: invalid_argument: the stream is being captured;
///            device_unavailable, out_of_memory, internal
class row_room {
 public:
  explicit row_room(cudaStream_t stream);
  row_room(const row_room&) = delete;
  row_room& operator=(const row_room&) = delete;
  ~row_room();

  cudaStream_t stream() const { return stream_; }
  int device() const { return device_; }
  int multiprocessors() const { return multiprocessors_; }
  /// What kernels' sources make (workspace_of in row_pass_of.cuh); of launches one behind the other the same.
  std::shared_ptr<gpu_workspace>& workspace();
  /// Where rows without an answer are told: row_store::failed.
  unsigned long long* failed();
  /// Where kernels tell of segments whose ends are wrong: ~ the lowest, or 0.
  void look_for_bad_segments_at(const std::uint64_t* place) { bad_segments_ = place; }
  /// Waits for the stream.
  row_failure wait();

  struct place;

 private:
  place& own();
  void clear_failed();

  cudaStream_t stream_;
  int device_ = 0;
  int multiprocessors_ = 0;
  const std::uint64_t* bad_segments_ = nullptr;
  std::unique_ptr<place> own_;  // null: not asked for yet
  int exceptions_;              // under way when this was made
};

}  // namespace monofold::runtime
