#include "cli/engines.hpp"

#include <fmt/core.h>

#include "cli/machine.hpp"
#include "runtime/gpu/devices.hpp"
#include "runtime/gpu/load_device_library.hpp"

namespace monofold::cli {
namespace {

engine_state gpu_state() {
  const runtime::gpu_devices& found = runtime::find_devices(runtime::device_kind::gpu);
  if (found.devices.empty()) return {"gpu", false, found.why_none};
  const runtime::gpu_device& first = found.devices.front();
  std::string why =
      fmt::format("{}, {} GiB, {} multiprocessors, compute capability {}.{}", first.name,
                  first.memory_bytes >> 30, first.multiprocessors, first.major, first.minor);
  if (found.devices.size() > 1) why += fmt::format(" (the first of {})", found.devices.size());
  return {"gpu", true, why};
}

engine_state gpus_state() {
  const runtime::gpu_devices& found = runtime::find_devices(runtime::device_kind::gpu);
  if (found.devices.empty()) return {"gpus", false, found.why_none};
  return {"gpus", true, fmt::format("{} at once, by pieces in turn", found.devices.size())};
}

}  // namespace

engine_state state_of_engine(std::string_view name) {
  if (name == "cpu") {
    return {"cpu", true, fmt::format("{}, threads by {}", cores_text(), thread_library())};
  }
  if (name == "gpu") return gpu_state();
  if (name == "gpus") return gpus_state();
  const runtime::gpu_devices& found = runtime::find_devices(runtime::device_kind::emulated);
  if (found.devices.empty()) return {"emulated", false, found.why_none};
  return {
      "emulated", true,
      "GPU kernels on the processor, every access checked: for tests and learning, not for speed"};
}

}  // namespace monofold::cli
