#pragma once
/// bench/baselines/file_loops: bare loops over a file, which do nothing but bring its bytes and add words.

#include <cstdint>
#include <functional>
#include <string>

#include "bench/harness/samples.hpp"

namespace bench {

/// mapped     one map of the whole file, of which the kernel makes pages as they are touched
/// populated  the same, with each piece asked for before it is touched (MADV_POPULATE_READ)
/// read       each thread reads pieces into a buffer of its own, and adds there
enum class file_loop { mapped, populated, read };

/// A call on a file by some threads, which take pieces in turn. Its time includes maps and threads.
///
/// errors     the function throws std::runtime_error where the file cannot be read
std::function<outcome()> file_loop_call(file_loop kind, std::int64_t piece_bytes, int num_threads,
                                        const std::string& file);

}  // namespace bench
