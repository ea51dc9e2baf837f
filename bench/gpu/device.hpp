#pragma once
/// bench/gpu/device: device memory, graphs of calls and their times.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bench/gpu/cases.hpp"

namespace bench {

/// "NVIDIA H200, 132 multiprocessors, driver 13.0"
std::string describe_device();

class device_buffer {
 public:
  explicit device_buffer(std::int64_t bytes);
  device_buffer(const device_buffer&) = delete;
  device_buffer& operator=(const device_buffer&) = delete;
  ~device_buffer();

  char* data() const { return static_cast<char*>(data_); }
  std::int64_t size_bytes() const { return bytes_; }

  /// Fills it with items that depend on their index alone.
  void fill(gpu_items type);
  void copy_to_host(void* host, std::int64_t bytes) const;
  /// Sets bytes, so that a result that nobody wrote is seen.
  void poison() const;

 private:
  void* data_ = nullptr;
  std::int64_t bytes_;
};

/// `calls` enqueued calls as one graph, replayed and timed by events.
class timed_graph {
 public:
  /// `start` enqueues call i on a stream.
  timed_graph(int calls, const std::function<void(int i, void* stream)>& start);
  timed_graph(const timed_graph&) = delete;
  timed_graph& operator=(const timed_graph&) = delete;
  ~timed_graph();

  /// Replays it once: device time per call.
  double replay_ns();

 private:
  int calls_;
  void* graph_ = nullptr;
};

/// `calls` calls that the host launches one by one, timed by events.
class launched_calls {
 public:
  /// `start` launches call i on a stream.
  launched_calls(int calls, std::function<void(int i, void* stream)> start);

  /// Launches them once, behind a kernel that waits for the host, so that the device waits for no launch: device time
  /// per call.
  double run_ns();

 private:
  int calls_;
  std::function<void(int, void*)> start_;
};

/// Device time from before a call's first kernel until the stream is done with it, by events; for a call that waits on
/// its way, which no graph can hold. What the host does in between counts.
///
/// sync       the stream is idle before, and after
double waiting_call_ns(const std::function<void(void* stream)>& call);

/// A kernel that does nothing: somebody else's, behind which a call stands alone.
gpu_subject empty_kernel();

/// The fastest kernels known for reading a range and adding it up as floats, whatever it holds: what
/// memory gives at most.
std::vector<gpu_subject> read_kernels();

}  // namespace bench
