#include "bench/gpu/turns.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

namespace bench {

namespace {

summary without(summary time, const summary& other) {
  time.median_ns -= other.median_ns;
  time.p05_ns -= other.median_ns;
  time.p95_ns -= other.median_ns;
  return time;
}

}  // namespace

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
                  std::int64_t count, int calls, const sampling& how, calls_are asked) {
  const std::int64_t places = is_cached(bytes) ? 1 : items.size_bytes() / bytes;
  const gpu_subject empty = empty_kernel();
  std::vector<std::unique_ptr<timed_graph>> graphs;
  std::vector<subject> in_turn;
  const auto start_of = [=, &items, &out](const gpu_subject& one, std::int64_t num_items,
                                          bool behind_empty) {
    return [=, &items, &out, &one](int i, void* stream) {
      const gpu_range range{items.data() + i % places * bytes, num_items};
      if (behind_empty) empty.start(range, out.data(), stream);
      one.start(range, out.data(), stream);
    };
  };
  const auto add = [&](const gpu_subject& one, std::int64_t num_items, bool behind_empty) {
    graphs.push_back(std::make_unique<timed_graph>(calls, start_of(one, num_items, behind_empty)));
    auto* const graph = graphs.back().get();
    in_turn.push_back({one.path, [graph] { return outcome{graph->replay_ns(), {}}; }});
  };
  const auto add_launched = [&](const gpu_subject& one, bool behind_empty) {
    // Few enough that the host never waits for the device.
    const auto launched =
        std::make_shared<launched_calls>(std::min(calls, 50), start_of(one, count, behind_empty));
    in_turn.push_back({one.path, [launched] { return outcome{launched->run_ns(), {}}; }});
  };
  const auto readers = read_kernels();
  const bool is_launched =
      asked == calls_are::in_a_stream_and_isolated && bytes <= most_launched_bytes;
  const auto add_all = [&](bool behind_empty) {
    for (const auto& reader : readers) add(reader, bytes / 16, behind_empty);
    for (const gpu_subject* const one : subjects) add(*one, count, behind_empty);
  };
  add_all(false);
  if (asked == calls_are::in_a_stream_and_isolated) {
    add_all(true);
    add(empty, count, false);
    if (is_launched) {
      for (const gpu_subject* const one : subjects) add_launched(*one, true);
      add_launched(empty, false);
    }
  }
  const std::vector<summary> times = sample_in_turn(in_turn, how);

  const auto fastest_reader = [&](const summary* first) {
    return std::min_element(first, first + readers.size(),
                            [](const auto& l, const auto& r) { return l.median_ns < r.median_ns; });
  };
  const summary* const limit = fastest_reader(times.data());
  group.limit = *limit;
  group.limit_variant = readers[static_cast<std::size_t>(limit - times.data())].path;
  for (std::size_t i = 0; i < group.rows.size(); ++i) {
    group.rows[i].time = times[readers.size() + i];
  }
  if (asked == calls_are::in_a_stream) return;
  const summary* const behind = times.data() + readers.size() + subjects.size();
  const summary& alone = behind[readers.size() + subjects.size()];
  const summary* const launched = &alone + 1;  // where `is_launched`
  group.isolated_limit = without(*fastest_reader(behind), alone);
  for (std::size_t i = 0; i < group.rows.size(); ++i) {
    group.rows[i].isolated = without(behind[readers.size() + i], alone);
    if (is_launched) group.rows[i].launched = without(launched[i], times.back());
  }
}

void time_waiting_in_turn(report_group& group, const std::vector<gpu_waiting_subject>& waiting,
                          const gpu_range& range, const sampling& how) {
  constexpr int calls = 50;
  std::vector<subject> subjects;
  for (const gpu_waiting_subject& one : waiting) {
    subjects.push_back({one.path, [&one, range] {
                          const double before = now_ns();
                          for (int i = 0; i < calls; ++i) static_cast<void>(one.call(range));
                          return outcome{(now_ns() - before) / calls, {}};
                        }});
  }
  const std::vector<summary> times = sample_in_turn(subjects, how);
  for (std::size_t i = 0; i < times.size(); ++i) group.rows[i].time = times[i];
}

bool is_close(double got, double right, std::int64_t count) {
  if (got == right) return true;
  return std::abs(got - right) <= 1e-3 * std::abs(right) + 1e-6 * static_cast<double>(count);
}

}  // namespace bench
