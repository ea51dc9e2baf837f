#pragma once
/// ladder/device: what the tool and the tests ask of a device that runs rungs.
///
/// Standard headers only, as registry.hpp. Two libraries answer: one compiled by nvcc, one by g++
/// for the emulated device; each is loaded when it is asked for (runtime/gpu/load_device_library).

#include <array>
#include <cfloat>
#include <cstdint>
#include <string>
#include <vector>

#include "ladder/registry.hpp"

namespace monofold::ladder {

/// The numbers of a state, each exact: a sum; a sum and a count; four entries of a matrix; the two
/// largest.
using answer = std::array<long double, 4>;

static_assert(LDBL_MANT_DIG >= 64, "an answer holds 64-bit integers");

/// What is reduced. The items are a function of these (ladder/data.hpp).
struct task {
  operation op = operation::sum;
  element_type type = element_type::int32;
  std::int64_t n = 0;
  int offset = 0;  // the first item lies so many items behind an aligned address
};

enum class timing {
  none,     // two calls, so that what the first leaves behind meets the second
  measured  // many calls, the median of their device time
};

/// What a rung did with a task that it takes.
struct outcome {
  std::string failed;  // what the device said went wrong; empty: nothing
  std::vector<answer> results;
  int launches = 0;
  double seconds = 0;  // a call
};

/// Holds the items of a task in a device's memory, and runs any rung on them.
class rung_runner {
 public:
  virtual ~rung_runner() = default;
  virtual outcome run(rung_id which, timing how) = 0;
  /// The fastest time in which this device only reads the items.
  virtual double read_seconds() = 0;
};

/// Makes a runner of the task, whose items are copied; the caller deletes it.
///
/// errors     throws std::runtime_error: no room for the items
using rung_runner_maker = rung_runner* (*)(const task& what, const void* items);

/// The names under which a library of kernels has its maker, and its version, a function that returns it.
inline constexpr char rung_runner_symbol[] = "monofold_ladder_runner";
inline constexpr char ladder_version_symbol[] = "monofold_ladder_version";

}  // namespace monofold::ladder
