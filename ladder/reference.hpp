#pragma once
/// ladder/reference: what the results of a rung must be: one item after another, on the host.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ladder/device.hpp"

namespace monofold::ladder {

/// The result of each `items_per_result` of the first n items (0: of all). Shares no code with the
/// operators that kernels use.
std::vector<answer> reference(const task& what, const std::vector<std::byte>& items, std::int64_t n,
                              int items_per_result);

/// Equality number by number; a NaN equals nothing.
bool same(const std::vector<answer>& a, const std::vector<answer>& b);

}  // namespace monofold::ladder
