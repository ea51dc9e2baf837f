#pragma once
/// ladder/data: the items that rungs reduce, chosen so that results are exact and mistakes show.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ladder/device.hpp"

namespace monofold::ladder {

/// sum, mean   whole numbers whose sum is exact in the state of the operator, in any order: in
///             float32 below 2^24. Those of int32 are so large that few of them overflow 32 bits
/// max, min    all below 0, or all above: a padding of zeros wins. The best is first, last, inside
/// matmul      four numbers an item, row by row: of determinant 1 modulo 2^32 or 2^64; of floats
///             reflections and translations of a line. Both depend on the order of the factors
/// top2        below 0; for even n the two largest are equal
std::vector<std::byte> make_items(const task& what);

}  // namespace monofold::ladder
