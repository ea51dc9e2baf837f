#pragma once
/// engine/gpu/at_each: a kernel that calls a function for each number below a count.

#include <cuda_runtime_api.h>

#include <cstdint>

#include "monofold/engine/gpu/engine.cuh"
#include "monofold/engine/gpu/launch.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

template <class Body>
__global__ void at_each_kernel(const Body body, const std::int64_t count) {
  wait_for_launches_before();
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) body(i);
}

/// Calls body(0) to body(count - 1) on the device, in any order.
///
/// sync       does not wait
/// errors     throws `error`; unsupported: more than 2^39 places
template <class Body>
void at_each(const device_stream& on, std::int64_t count, const Body& body) {
  constexpr int threads = 256;
  if (count == 0) return;
  throw_if(launch_early(at_each_kernel<Body>, (count + threads - 1) / threads, threads, 0, on, body,
                        count));
}

/// Copies items of a view to neighbouring places: item at[i] to place i, or item i where `at` is null.
template <class View, class At>
struct gather_items {
  using item = typename View::item_type;

  View from;
  const At* at;
  item* to;

  MONOFOLD_GPU void operator()(std::int64_t i) const {
    to[i] = from[at == nullptr ? i : static_cast<std::int64_t>(at[i])];
  }
};

struct number_items {
  std::uint32_t* to;

  MONOFOLD_GPU void operator()(std::int64_t i) const { to[i] = static_cast<std::uint32_t>(i); }
};

}  // namespace monofold::detail
