#pragma once
/// platform/version: the version of the library.

#define MONOFOLD_VERSION_MAJOR 0
#define MONOFOLD_VERSION_MINOR 1
#define MONOFOLD_VERSION_PATCH 0

namespace monofold {

inline constexpr const char* version = "0.1.0";

}  // namespace monofold
