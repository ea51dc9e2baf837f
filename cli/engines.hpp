#pragma once
/// cli/engines: the engines that --device can name, and whether they are here.

#include <array>
#include <string>
#include <string_view>

namespace monofold::cli {

/// shape      why: in one line what there is, or what keeps the engine from being used
struct engine_state {
  std::string name;
  bool available;
  std::string why;
};

inline constexpr std::array<std::string_view, 4> engine_names{"cpu", "gpu", "gpus", "emulated"};

/// The state of the engine of one of these names.
///
/// cost       "gpu": the first call starts the driver; the others: nothing
engine_state state_of_engine(std::string_view name);

}  // namespace monofold::cli
