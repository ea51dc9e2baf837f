#pragma once
/// bench/segments/list: lists of segments in device memory that depend on their kind and length alone.

#include <cstdint>
#include <utility>
#include <vector>

#include "bench/gpu/device.hpp"

namespace bench {

/// How the segments of a range lie, one behind the other.
///
/// fixed: of one length that the host knows; offsets: the same by offsets; mixed: of 0 to 2 x length items;
/// giant: one of half the range amid others of `length`
enum class list_kind { fixed, offsets, mixed, giant };
inline constexpr list_kind all_list_kinds[] = {list_kind::fixed, list_kind::offsets,
                                               list_kind::mixed, list_kind::giant};
const char* name_of(list_kind kind);

struct segment_list {
  list_kind kind;
  std::int64_t length;
  std::int64_t count;
  std::int64_t num_items;       // from 0 on, of all of them
  const std::int64_t* offsets;  // count + 1 in device memory, for `fixed` too
};

/// Room for the offsets of up to so many segments.
class offset_memory {
 public:
  explicit offset_memory(std::int64_t max_segments);

  /// The list for a range of so many items, which stays until the next one; no segments: there is none, or
  /// there is no room.
  segment_list list_of(list_kind kind, std::int64_t length, std::int64_t num_items);

 private:
  std::int64_t max_segments_;
  device_buffer memory_;
};

/// Where a segment begins and ends.
std::pair<std::int64_t, std::int64_t> ends_of(const segment_list& list, std::int64_t segment);

/// The answer of a segment on the host: `bytes` of them, aligned for any.
std::vector<char> answer_of(const void* answers, std::int64_t segment, std::int64_t bytes);

}  // namespace bench
