#pragma once
/// bench/groups/keys: keys in device memory that depend on their places alone.

#include <cstdint>

#include "bench/gpu/cases.hpp"

namespace bench {

/// Runs of `length`, the last of which may be shorter. Neighbouring runs have different keys, which are spread over all
/// integers.
void fill_run_keys(gpu_items type, void* keys, std::int64_t count, std::int64_t length);

/// int64 keys from 0 to num_groups - 1 in a random order: random ones, or each of them once if there are as many as
/// keys.
void fill_group_keys(void* keys, std::int64_t count, std::int64_t num_groups);

/// The device's default pool keeps what is given back to it, from now on.
void keep_pool_memory();

}  // namespace bench
