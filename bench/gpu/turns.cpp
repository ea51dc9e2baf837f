#include "bench/gpu/turns.hpp"

#include <memory>

namespace bench {

std::vector<char> result_of(const gpu_subject& one, const gpu_range& range,
                            const device_buffer& out) {
  out.poison();
  timed_graph once(1, [&](int, void* stream) { one.start(range, out.data(), stream); });
  once.replay_ns();
  std::vector<char> result(2048);
  out.copy_to_host(result.data(), 2048);
  return result;
}

void time_in_turn(report_group& group, const std::vector<const gpu_subject*>& subjects,
                  const device_buffer& items, const device_buffer& out, std::int64_t bytes,
                  std::int64_t count, int calls, const sampling& how) {
  const std::int64_t places = is_cached(bytes) ? 1 : items.size_bytes() / bytes;
  std::vector<std::unique_ptr<timed_graph>> graphs;
  std::vector<subject> in_turn;
  const auto add = [&](const gpu_subject& one, std::int64_t num_items) {
    graphs.push_back(std::make_unique<timed_graph>(calls, [&](int i, void* stream) {
      one.start({items.data() + i % places * bytes, num_items}, out.data(), stream);
    }));
    auto* const graph = graphs.back().get();
    in_turn.push_back({one.path, [graph] { return outcome{graph->replay_ns(), {}}; }});
  };
  const auto readers = read_kernels();
  for (const auto& reader : readers) add(reader, bytes / 16);
  for (const gpu_subject* const one : subjects) add(*one, count);
  const std::vector<summary> times = sample_in_turn(in_turn, how);
  std::size_t best = 0;
  for (std::size_t i = 0; i < readers.size(); ++i) {
    if (times[i].median_ns < times[best].median_ns) best = i;
  }
  group.limit = times[best];
  group.limit_variant = readers[best].path;
  for (std::size_t i = 0; i < group.rows.size(); ++i) {
    group.rows[i].time = times[readers.size() + i];
  }
}

}  // namespace bench
