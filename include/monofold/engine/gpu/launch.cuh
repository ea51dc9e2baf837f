#pragma once
/// engine/gpu/launch: the one place where a kernel is launched, how a host waits for it, and what errors mean.

#include <cuda_runtime_api.h>

#include <array>
#include <cstdint>
#include <string>
#include <type_traits>

#include "monofold/platform/status.hpp"
#if defined(MONOFOLD_EMULATED)
#include "emulation/launch.hpp"
#endif

namespace monofold::detail {

/// What went wrong on the way to a launch; `detail` names the argument or the call.
struct failure {
  status code = status::ok;
  std::string detail;

  explicit operator bool() const { return code != status::ok; }
};

inline status status_of(cudaError_t code) {
  switch (code) {
    case cudaSuccess: return status::ok;
    case cudaErrorMemoryAllocation: return status::out_of_memory;
    case cudaErrorNoDevice:
    case cudaErrorInvalidDevice:
    case cudaErrorInsufficientDriver:
    case cudaErrorDevicesUnavailable:
    case cudaErrorNoKernelImageForDevice: return status::device_unavailable;
    default: return status::internal;
  }
}

/// The failure that a CUDA call reports, with the call's name; the sticky error is cleared.
inline failure failure_of(cudaError_t code, const char* call) {
  if (code == cudaSuccess) return {};
  static_cast<void>(cudaGetLastError());
  return {status_of(code), std::string(call) + ": " + cudaGetErrorString(code)};
}

#if !defined(MONOFOLD_EMULATED)
/// Whether a device can begin a launch before the one before it has ended.
inline bool begins_early(int device) {
  static std::array<signed char, 64> known{};  // 0: not asked yet; 1: no; 2: yes
  if (device >= 64) return false;
  signed char* const place = &known[static_cast<std::size_t>(device)];
  signed char own = __atomic_load_n(place, __ATOMIC_RELAXED);
  if (own == 0) {
    int major = 0;
    if (cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) != cudaSuccess) {
      return false;
    }
    own = major >= 9 ? 2 : 1;
    __atomic_store_n(place, own, __ATOMIC_RELAXED);
  }
  return own == 2;
}
#endif

/// Whether blocks of a kernel may have so much dynamic shared memory: more than 48 KiB has to be asked for.
template <class... Parameters>
bool may_share([[maybe_unused]] void (*kernel)(Parameters...), [[maybe_unused]] int bytes) {
#if !defined(MONOFOLD_EMULATED)
  if (bytes > 48 * 1024 &&
      cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel),
                           cudaFuncAttributeMaxDynamicSharedMemorySize, bytes) != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    return false;
  }
#endif
  return true;
}

/// Whether a block of the current device may have so much shared memory, as far as it may be asked for.
inline bool has_shared_memory([[maybe_unused]] int bytes) {
#if defined(MONOFOLD_EMULATED)
  return true;
#else
  int device = 0;
  int most = 0;
  return cudaGetDevice(&device) == cudaSuccess &&
         cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device) ==
             cudaSuccess &&
         bytes <= most;
#endif
}

/// A stream of the current device, which device that is, and whether a graph is being captured: asked once a call.
struct device_stream {
  cudaStream_t stream;
  int device;
  bool is_captured = false;
};

#if !defined(MONOFOLD_EMULATED)
/// A node of a graph that is being captured. Places of nodes are used again, numbers of captures are not.
struct captured_node {
  unsigned long long capture = 0;
  cudaGraphNode_t node = nullptr;

  bool operator==(const captured_node&) const = default;
};

/// The node that the next one captured in a stream will follow; nothing where there are none or several.
inline captured_node last_captured(cudaStream_t stream) {
  captured_node last{};
  cudaStreamCaptureStatus state = cudaStreamCaptureStatusNone;
  const cudaGraphNode_t* nodes = nullptr;
  const cudaGraphEdgeData* edges = nullptr;  // asked for, or nodes behind early starts are not told
  std::size_t count = 0;
  const cudaError_t code =
      cudaStreamGetCaptureInfo(stream, &state, &last.capture, nullptr, &nodes, &edges, &count);
  if (code != cudaSuccess) static_cast<void>(cudaGetLastError());
  if (code != cudaSuccess || state != cudaStreamCaptureStatusActive || count != 1) return {};
  last.node = nodes[0];
  return last;
}

/// The last node that a launch of this thread's has left in a graph.
inline captured_node& own_captured() {
  static thread_local captured_node last;
  return last;
}

/// Whether a launch should begin before the one before it has ended. In a stream that is always quicker: 0.65 of the
/// time behind a kernel of somebody else. Not so in a graph: an edge to a kernel that does not let others begin costs
/// 0.24 us, so there only a launch right behind one of this library's begins early.
inline bool should_begin_early(const device_stream& on) {
  if (!begins_early(on.device)) return false;
  if (!on.is_captured) return true;
  const captured_node last = last_captured(on.stream);
  return last.node != nullptr && last == own_captured();
}
#endif

/// Launches a kernel on `blocks` blocks of `threads` threads with `shared_bytes` of dynamic shared memory. The kernel
/// must call let_next_launch_begin(), and wait_for_launches_before() before it touches memory: it may start while
/// launches before it are still running.
///
/// sync       does not wait; may be captured in a graph
template <class... Parameters, class... Arguments>
failure launch_early(void (*kernel)(Parameters...), std::int64_t blocks, int threads,
                     int shared_bytes, const device_stream& on, const Arguments&... arguments) {
  static_assert((std::is_same_v<std::remove_cv_t<Parameters>, Arguments> && ...),
                "the runtime copies the bytes of arguments: their types must be the kernel's");
  if (blocks > 0x7fffffff) return {status::unsupported, "more than 2^31 - 1 blocks"};
#if defined(MONOFOLD_EMULATED)
  return failure_of(
      emulation::launch(kernel, dim3(static_cast<unsigned>(blocks)),
                        dim3(static_cast<unsigned>(threads)), dim3(),
                        static_cast<std::size_t>(shared_bytes), on.stream, arguments...),
      "the emulated launch");
#else
  // The runtime reads the arguments and does not write them.
  void* parameters[] = {const_cast<void*>(static_cast<const void*>(&arguments))...};
  cudaLaunchAttribute order{};
  order.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  order.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t how{};
  how.gridDim = dim3(static_cast<unsigned>(blocks));
  how.blockDim = dim3(static_cast<unsigned>(threads));
  how.dynamicSmemBytes = static_cast<std::size_t>(shared_bytes);
  how.stream = on.stream;
  how.attrs = &order;
  how.numAttrs = should_begin_early(on) ? 1 : 0;
  const cudaError_t code =
      cudaLaunchKernelExC(&how, reinterpret_cast<const void*>(kernel), parameters);
  if (on.is_captured) own_captured() = last_captured(on.stream);
  return failure_of(code, "cudaLaunchKernelExC");
#endif
}

/// Waits until is_there() is true, which reads what kernels of the stream write to pinned memory. Spins, since that
/// takes 2 us and a wait by the stream 8 us.
template <class IsThere>
failure wait_until(const IsThere& is_there, cudaStream_t stream) {
  for (std::uint32_t spin = 1; !is_there(); ++spin) {
    if (spin % 4096 != 0) continue;
    const cudaError_t state = cudaStreamQuery(stream);
    if (state == cudaErrorNotReady) {
      static_cast<void>(cudaGetLastError());
    } else if (state != cudaSuccess) {
      return failure_of(state, "cudaStreamQuery");
    } else if (!is_there()) {
      return {status::internal, "the stream is done and left no result"};
    }
  }
  __atomic_thread_fence(__ATOMIC_ACQUIRE);  // what kernels wrote before is read behind it
  return {};
}

/// Waits until kernels of the stream have raised a counter in pinned memory to `raised`.
inline failure wait_for_flag(const volatile std::uint32_t* flag, std::uint32_t raised,
                             cudaStream_t stream) {
  // The count may wrap.
  return wait_until([=] { return static_cast<std::int32_t>(*flag - raised) >= 0; }, stream);
}

}  // namespace monofold::detail
