#pragma once
/// cli/memory_limit: --memory, a ceiling on what this process takes, and the work that fits below it.

#include <cstdint>

namespace monofold::cli {

/// The least ceiling: the program, its buffers and one thread are below it.
inline constexpr std::int64_t least_memory_bytes = 32 << 20;

/// Makes `num_bytes` the most memory that this process has for its own: data, heap and stacks. What
/// would take more throws std::bad_alloc. Pages of files, which the system takes back when it wants
/// them, are not counted.
void limit_memory(std::int64_t num_bytes);

/// As many threads as asked for (0: one for each core), or as few as fit below a ceiling, each with
/// such a buffer.
int threads_below(std::int64_t memory_bytes, int num_threads, std::int64_t buffer_bytes);

}  // namespace monofold::cli
