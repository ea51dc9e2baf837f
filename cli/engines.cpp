#include "cli/engines.hpp"

#include <fmt/format.h>

#include "cli/emulated_program.hpp"
#include "cli/machine.hpp"
#include "runtime/gpu/devices.hpp"

namespace monofold::cli {
namespace {

engine_state gpu_state() {
  if (runtime::is_gpu_emulated()) {
    return {"gpu", false, "this program has the emulated device in place of a GPU"};
  }
  const runtime::gpu_devices& found = runtime::find_gpus();
  if (found.devices.empty()) return {"gpu", false, found.why_none};
  const runtime::gpu_device& first = found.devices.front();
  std::string why =
      fmt::format("{}, {} GiB, {} multiprocessors, compute capability {}.{}", first.name,
                  first.memory_bytes >> 30, first.multiprocessors, first.major, first.minor);
  if (found.devices.size() > 1) why += fmt::format(" (the first of {})", found.devices.size());
  return {"gpu", true, why};
}

}  // namespace

engine_state state_of_engine(std::string_view name) {
  if (name == "cpu") {
    return {"cpu", true, fmt::format("{}, threads by {}", cores_text(), thread_library())};
  }
  if (name == "gpu") return gpu_state();
  if (name == "gpus") return {"gpus", false, "this build has no engine for several GPUs"};
  if (!runtime::is_gpu_emulated() && emulated_program().empty()) {
    return {"emulated", false, "this build has no emulated device"};
  }
  return {"emulated", true,
          "GPU kernels on the processor, every access checked: for tests and learning, not for speed"};
}

}  // namespace monofold::cli
