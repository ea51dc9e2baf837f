#pragma once
/// runtime/gpu/rows/row_room: what a call on rows has of a device besides its items: a workspace, and a report.

#include <cuda_runtime_api.h>

#include <cstdint>
#include <memory>

#include "monofold/engine/gpu/launch.cuh"
#include "monofold/engine/gpu/workspace.cuh"
#include "runtime/gpu/rows/row_library.hpp"

namespace monofold::runtime {

/// A workspace that no work on the device uses, for the work of one call in a stream; kept for calls that come later.
///
/// errors     the constructor and calls throw `error`: device_unavailable, out_of_memory, internal
class row_room {
 public:
  explicit row_room(cudaStream_t stream);
  row_room(const row_room&) = delete;
  row_room& operator=(const row_room&) = delete;
  ~row_room();

  const monofold::detail::device_stream& on() const { return on_; }
  int multiprocessors() const { return multiprocessors_; }
  /// At least so many bytes; of launches one behind the other the same.
  const gpu_workspace& workspace(std::int64_t bytes);
  /// Where rows without an answer are told: row_store::failed.
  unsigned long long* failed() const;
  /// Waits for the stream. `is_of_segments`: ends of segments that are wrong are looked for too.
  row_failure wait(bool is_of_segments);

  struct place;

 private:
  void clear_failed();

  monofold::detail::device_stream on_{};
  int multiprocessors_ = 0;
  std::unique_ptr<place> own_;
  int exceptions_;  // under way when this was made
};

}  // namespace monofold::runtime
