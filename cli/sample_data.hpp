#pragma once
/// cli/sample_data: numbers made up from a seed, for `generate`, `verify` and `bench`.

#include <cstdint>
#include <optional>
#include <string_view>

#include "monofold/platform/dtype.hpp"

namespace monofold::cli {

/// uniform    floats in [0, 1), whole numbers over the whole range of their type
/// normal     mean 0 and standard deviation 1; whole numbers 16 times that, rounded and cut off
/// ramp       item i is i, modulo 2^N where the type has N bits; floats are rounded
/// integers   whole numbers from 0 to 100 in every type; bool: whether the number is odd
/// hard       for tests: signs that cancel, extremes, denormals, both zeros
enum class distribution { uniform, normal, ramp, integers, hard };

std::optional<distribution> distribution_from_name(std::string_view name);

/// Writes items [first, first + count) of the sequence to `out`. An item is a function of seed and
/// index alone, so pieces of any size make up the same sequence.
///
/// source     Steele, Lea, Flood 2014 (SplitMix); Box, Muller 1958
void fill_items(dtype type, distribution shape, std::uint64_t seed, std::int64_t first,
                std::int64_t count, void* out);

}  // namespace monofold::cli
