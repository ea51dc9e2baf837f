#pragma once
/// bench/segments/cases: what is timed of segments on a GPU, as calls that a program without CUDA can make.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bench/gpu/cases.hpp"
#include "bench/segments/list.hpp"

namespace bench {

/// One way to reduce the segments of a range. `start` leaves an answer a segment at `out`, of `answer_bytes`
/// each; `value` takes one on the host, and has none where a segment has no answer.
struct segments_subject {
  std::string path;
  std::int64_t answer_bytes;
  std::function<void(const gpu_range&, const segment_list&)> prepare;
  std::function<void(const gpu_range&, const segment_list&, void* out, void* stream)> start;
  std::function<std::vector<double>(const void* answer)> value;
};

/// One operation of ours; `right` is the CPU engine on a segment's items. `whole` is `reduce_into`, which a list of one
/// segment is compared with.
struct segments_case {
  std::string op;
  segments_subject subject;
  segments_subject whole;
  std::function<std::vector<double>(const void* host_items, std::int64_t count)> right;
};

/// Operations that are compared with the same peers, whose operation is `peer_op`.
struct segments_family {
  gpu_items type;
  std::vector<segments_case> cases;
  std::string peer_op;
  std::vector<segments_subject>
      peers;  // by offsets; then for one length, where CUB's version has it
};

segments_family segments_float32_sums();
segments_family segments_float32_means();
segments_family segments_float32_max();
segments_family segments_float32_argmax();
segments_family segments_float64();
segments_family segments_bfloat16();

}  // namespace bench
