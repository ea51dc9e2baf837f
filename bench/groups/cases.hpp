#pragma once
/// bench/groups/cases: what is timed of keys on a GPU, as calls that a program without CUDA can make.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bench/gpu/cases.hpp"

namespace bench {

/// Keys in device memory, and an item for each.
struct keyed_range {
  const void* keys;
  const void* items;
  std::int64_t count;
};

/// What a call found, on the host: how many groups or runs there are, and keys and answers of the first ones.
struct found_groups {
  std::int64_t most = 0;  // how many of them are asked for
  std::int64_t count = 0;
  std::vector<char> keys{};
  std::vector<char> answers{};
};

/// One way to fold items by their keys. `prepare` allocates what so many items and groups need. `call` leaves keys and
/// answers in memory of the device, or brings them to the host if the path says so.
struct groups_subject {
  std::string path;
  std::int64_t answer_bytes;
  std::function<void(std::int64_t count, std::int64_t num_groups)> prepare;
  /// found: null where nobody looks
  std::function<void(const keyed_range&, void* stream, found_groups* found)> call;
  std::function<double(const char* answer)> value;
  bool waits = false;  // for the stream, so that no graph can hold the call
};

/// One operation of ours; `right` is the CPU engine on keys and items of the host, all groups.
struct groups_case {
  std::string op;
  groups_subject subject;
  std::function<found_groups(const keyed_range& host)> right;
};

/// runs: of neighbours with one key; sorted, first: groups, and the order in which they come out
enum class grouping { runs, sorted, first };
const char* name_of(grouping kind);

/// Operations that are compared with the same peers, whose operation is `peer_op`.
struct groups_family {
  grouping kind;
  gpu_items keys;
  gpu_items items;
  std::vector<groups_case> cases;
  std::string peer_op;
  std::vector<groups_subject> peers;
};

/// float32 by run, of keys of both widths.
std::vector<groups_family> runs_by_int32();
std::vector<groups_family> runs_by_int64();
/// float64 by int64.
std::vector<groups_family> groups_by_int64();

}  // namespace bench
