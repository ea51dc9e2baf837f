#pragma once
/// bench/gpu/turns: runs subjects on a GPU once for their results, and in turn for their times.

#include <cstdint>
#include <vector>

#include "bench/gpu/cases.hpp"
#include "bench/gpu/device.hpp"
#include "bench/harness/report.hpp"
#include "bench/harness/samples.hpp"

namespace bench {

/// What fits in the second-level cache is read from there; more comes from changing places.
constexpr bool is_cached(std::int64_t bytes) { return bytes <= std::int64_t{32} << 20; }

inline constexpr std::int64_t most_launched_bytes = std::int64_t{16} << 20;

/// What a subject leaves for a range: 2 KiB, on a heap and so aligned for any state.
std::vector<char> result_of(const gpu_subject& one, const gpu_range& range,
                            const device_buffer& out);

/// A call in a stream follows another one of the same subject, and may begin early. An isolated one follows
/// an empty kernel of somebody else, whose own time is subtracted. Both are replayed from a graph; isolated ones of up to
/// most_launched_bytes are launched by the host too.
enum class calls_are { in_a_stream, in_a_stream_and_isolated };

/// Times `subjects`, of which row i of the group is the i-th, and the read kernels, the fastest of which
/// becomes the group's limit.
///
/// shape      each replay is `calls` calls on ranges of `bytes` in `items`, of `count` items
void time_in_turn(report_group& group, const std::vector<const gpu_subject*>& subjects,
                  const device_buffer& items, const device_buffer& out, std::int64_t bytes,
                  std::int64_t count, int calls, const sampling& how,
                  calls_are asked = calls_are::in_a_stream);

/// Times calls that wait, of which row i of the group is the i-th, by the host's clock, 50 in a row.
void time_waiting_in_turn(report_group& group, const std::vector<gpu_waiting_subject>& waiting,
                          const gpu_range& range, const sampling& how);

/// Whether a peer, which adds in another order, has about the right value of `count` items.
bool is_close(double got, double right, std::int64_t count);

}  // namespace bench
