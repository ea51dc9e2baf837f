#pragma once
/// ladder/run_rungs: runs rungs on a device, checks their results, and says how fast they were.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "ladder/device.hpp"

namespace monofold::ladder {

struct rungs_request {
  rung_runner_maker make = nullptr;  // of the device
  std::int64_t n = 0;
  element_type type = element_type::int32;
  std::optional<operation> op;  // none: the first that each rung takes
  std::optional<rung_id> only;
  timing how = timing::measured;
};

/// What happened on one rung.
struct rung_row {
  rung_id which;
  operation op;
  std::int64_t n;       // items that it took
  std::string refused;  // why it cannot do this; empty: it ran
  std::string failed;   // what the device said; empty: nothing
  bool ok = false;      // every result is the reference's
  int launches = 0;
  double seconds = 0;  // a call, median
  double gbps = 0;     // of items
  double read_limit_gbps = 0;
  double gain = 0;  // over the rung before that ran; 0 for the first
};

/// Runs the rungs in the order of the registry and hands out each row as soon as it is there.
///
/// errors     throws std::runtime_error: no room for the items on the host or the device
void run_rungs(const rungs_request& what, const std::function<void(const rung_row&)>& take);

/// The bytes of an item.
std::int64_t item_bytes(operation op, element_type type);

}  // namespace monofold::ladder
