#pragma once
/// cli/read_bandwidth: how fast this machine's threads together can read memory.

#include <cstddef>
#include <cstdint>

namespace monofold::cli {

/// All bytes as 64-bit numbers, added up, by one thread.
std::uint64_t sum_of_words(const std::byte* begin, const std::byte* end);

/// GB/s (1e9 bytes) of a loop that adds up all bytes as 64-bit numbers, threads a piece at a time; the best of
/// `num_runs`, since everything that disturbs it makes it slower.
///
/// shape      `data` is aligned to 64 bytes
double read_gbps(const void* data, std::int64_t num_bytes, int num_threads, int num_runs);

}  // namespace monofold::cli
