/// bench/groups_gpu: items folded by their keys on a GPU, in runs and in groups, beside what is written with CUB.
///
/// Times are device times. Ours are by events around each call, because the calls wait on their way and no graph can
/// hold them; CUB's are of replayed graphs. All subjects of some keys take turns, the read kernels among them. Before,
/// on fewer keys, all keys and answers of ours have the CPU engine's bytes, and CUB's are near them.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/gpu/device.hpp"
#include "bench/gpu/turns.hpp"
#include "bench/groups/cases.hpp"
#include "bench/groups/keys.hpp"
#include "bench/harness/machine.hpp"
#include "bench/harness/report.hpp"
#include "bench/harness/samples.hpp"
#include "bench/harness/suite_options.hpp"

namespace bench {

namespace {

constexpr const char* usage =
    "usage: bench_groups_gpu [option...]\n"
    "  --items NS       float32 in runs, with commas (10000000,268435456)\n"
    "  --lengths NS     of runs (1,3,10,100,1000,10000)\n"
    "  --rows N         float64 in groups (10000000)\n"
    "  --groups NS      different keys of them (200,1000000,10000000)\n"
    "  --checked N      most keys whose answers are all compared (2097152)\n"
    "  --samples N      calls of each subject that are counted (11)\n"
    "  --only WORD      runs or groups (both)\n"
    "  --json FILE      writes the rows as JSON lines\n"
    "  --machine NAME   what the rows call this machine\n";

struct options : suite_options {
  std::vector<std::int64_t> items{10'000'000, std::int64_t{1} << 28};
  std::vector<std::int64_t> lengths{1, 3, 10, 100, 1000, 10'000};
  std::int64_t rows = 10'000'000;
  std::vector<std::int64_t> groups{200, 1'000'000, 10'000'000};
  std::int64_t checked = std::int64_t{1} << 21;
};

std::vector<std::int64_t> numbers_in(const std::string& text) {
  std::vector<std::int64_t> out;
  for (const char* at = text.c_str(); *at != 0;) {
    char* end = nullptr;
    out.push_back(std::max(1ll, std::strtoll(at, &end, 10)));
    at = *end == ',' ? end + 1 : end + std::strlen(end);
  }
  return out;
}

/// A multiple of four, so that items behind keys are aligned.
std::int64_t whole_fours(std::int64_t count) { return std::max<std::int64_t>(4, count / 4 * 4); }

options parse(const std::vector<std::string>& words) {
  options chosen{{{11, 300e6, 3}, "", "", "gpu"}};
  parse_words(
      words, usage, chosen, [](const std::string&) { return false; },
      [&](const std::string& name, const std::string& value) {
        if (name == "--items") {
          chosen.items = numbers_in(value);
        } else if (name == "--lengths") {
          chosen.lengths = numbers_in(value);
        } else if (name == "--rows") {
          chosen.rows = numbers_in(value).at(0);
        } else if (name == "--groups") {
          chosen.groups = numbers_in(value);
        } else if (name == "--checked") {
          chosen.checked = numbers_in(value).at(0);
        } else {
          return false;
        }
        return true;
      });
  for (std::int64_t& count : chosen.items) count = whole_fours(count);
  chosen.rows = whole_fours(chosen.rows);
  chosen.checked = whole_fours(chosen.checked);
  return chosen;
}

std::int64_t bytes_needed(const options& chosen) {
  const std::int64_t most_items = *std::max_element(chosen.items.begin(), chosen.items.end());
  return std::max({most_items * (size_of(gpu_items::int64) + size_of(gpu_items::float32)),
                   chosen.rows * (size_of(gpu_items::int64) + size_of(gpu_items::float64)),
                   chosen.checked * 16});
}

/// Keys and items of one shape: so many runs or groups as there can be.
struct keyed_shape {
  std::int64_t count;
  std::int64_t length;  // of runs; of groups, the mean
  std::int64_t num_groups;
};

class suite {
 public:
  explicit suite(options chosen)
      : options_(std::move(chosen)),
        where_(describe_machine()),
        memory_(bytes_needed(options_)),
        out_(4096),
        readers_(read_kernels()),
        rows_(options_.json) {
    where_.machine = options_.machine;
    device_ = describe_device();
    keep_pool_memory();
  }

  int run() {
    std::printf("%s; %s; %s\n", device_.c_str(), where_.commit.c_str(), where_.compiler.c_str());
    std::printf("%-7s %-6s %10s %9s %10s %-10s %10s %6s  %s\n", "kind", "keys", "items", "length",
                "groups", "operation", "us", "share", "against peers");
    if (options_.only.empty() || options_.names("runs")) {
      for (const auto& families : {runs_by_int32(), runs_by_int64()}) run_runs(families);
    }
    if (options_.only.empty() || options_.names("groups")) run_groups(groups_by_int64());
    std::printf("%d of %d calls are wrong\n", num_wrong_, num_checked_);
    return num_wrong_;
  }

 private:
  void run_runs(const std::vector<groups_family>& families) {
    const auto shape_of = [](std::int64_t count, std::int64_t length) {
      return keyed_shape{count, length, (count + length - 1) / length};
    };
    for (const std::int64_t count : options_.items) {
      for (const std::int64_t length : options_.lengths) {
        check_all(families, shape_of(std::min(count, options_.checked), length));
        time_all(families, shape_of(count, length));
      }
    }
  }

  void run_groups(const std::vector<groups_family>& families) {
    const auto shape_of = [](std::int64_t count, std::int64_t asked) {
      const std::int64_t num_groups = std::min(asked, count);
      return keyed_shape{count, count / num_groups, num_groups};
    };
    for (const std::int64_t groups : options_.groups) {
      check_all(families, shape_of(std::min(options_.rows, options_.checked), groups));
      time_all(families, shape_of(options_.rows, groups));
    }
  }

  /// Puts keys and, behind them, items into the memory.
  keyed_range laid_out(const groups_family& family, const keyed_shape& shape) {
    memory_.fill(family.items);
    if (family.kind == grouping::runs) {
      fill_run_keys(family.keys, memory_.data(), shape.count, shape.length);
    } else {
      fill_group_keys(memory_.data(), shape.count, shape.num_groups);
    }
    return {memory_.data(), memory_.data() + shape.count * size_of(family.keys), shape.count};
  }

  static std::int64_t bytes_of(const groups_family& family, const keyed_shape& shape) {
    return shape.count * (size_of(family.keys) + size_of(family.items));
  }

  /// Compares all keys and answers of all subjects with the CPU's.
  void check_all(const std::vector<groups_family>& families, const keyed_shape& shape) {
    const groups_family& any = families.front();
    const keyed_range range = laid_out(any, shape);
    std::vector<char> host(static_cast<std::size_t>(bytes_of(any, shape)));
    memory_.copy_to_host(host.data(), bytes_of(any, shape));
    const keyed_range on_host{host.data(), host.data() + shape.count * size_of(any.keys),
                              shape.count};
    for (const groups_family& family : families) {
      found_groups first;
      for (const groups_case& each : family.cases) {
        const found_groups right = each.right(on_host);
        const found_groups got = found_by(each.subject, range, shape, right.count);
        note(family, each.op, each.subject, shape, has_bytes_of(got, right));
        if (first.keys.empty()) first = right;
      }
      for (const groups_subject& peer : family.peers) {
        const found_groups got = found_by(peer, range, shape, first.count);
        const bool good = family.peer_op == "max"
                              ? has_bytes_of(got, first)
                              : is_near(peer, got, family.cases.front().subject, first, shape);
        note(family, family.peer_op, peer, shape, good);
      }
    }
  }

  static found_groups found_by(const groups_subject& one, const keyed_range& range,
                               const keyed_shape& shape, std::int64_t most) {
    one.prepare(shape.count, shape.num_groups);
    found_groups out{most};
    waiting_call_ns([&](void* stream) { one.call(range, stream, &out); });
    return out;
  }

  static bool has_bytes_of(const found_groups& got, const found_groups& right) {
    return got.count == right.count && got.keys == right.keys && got.answers == right.answers;
  }

  /// CUB adds in another order.
  static bool is_near(const groups_subject& peer, const found_groups& got,
                      const groups_subject& ours, const found_groups& right,
                      const keyed_shape& shape) {
    if (got.count != right.count || got.keys != right.keys) return false;
    for (std::int64_t i = 0; i < right.count; ++i) {
      if (!is_close(peer.value(got.answers.data() + i * peer.answer_bytes),
                    ours.value(right.answers.data() + i * ours.answer_bytes), shape.length)) {
        return false;
      }
    }
    return true;
  }

  void note(const groups_family& family, const std::string& op, const groups_subject& one,
            const keyed_shape& shape, bool good) {
    ++num_checked_;
    if (good) return;
    ++num_wrong_;
    std::printf("WRONG %s, %s by %s, %lld keys, length %lld, %s\n", op.c_str(),
                name_of(family.kind), name_of(family.keys), static_cast<long long>(shape.count),
                static_cast<long long>(shape.length), one.path.c_str());
  }

  void time_all(const std::vector<groups_family>& families, const keyed_shape& shape) {
    const keyed_range range = laid_out(families.front(), shape);
    report_group all;
    std::vector<const groups_subject*> subjects;
    std::vector<std::ptrdiff_t> num_rows;  // of each family
    std::int64_t num_groups = 0;           // that the first one found
    const auto add = [&](const groups_family& family, const std::string& op,
                         const groups_subject& one) {
      const found_groups got = found_by(one, range, shape, 3);
      if (num_groups == 0) num_groups = got.count;
      note(family, op, one, shape,
           got.count == num_groups &&
               (family.kind != grouping::runs || got.count == shape.num_groups));
      all.rows.push_back(row_of(family, op, one, shape, got));
      subjects.push_back(&one);
    };
    for (const groups_family& family : families) {
      const auto before = std::ssize(all.rows);
      for (const groups_case& each : family.cases) add(family, each.op, each.subject);
      for (const groups_subject& peer : family.peers) add(family, family.peer_op, peer);
      num_rows.push_back(std::ssize(all.rows) - before);
    }
    time_subjects(all, subjects, range, bytes_of(families.front(), shape));
    auto row = all.rows.begin();
    for (const std::ptrdiff_t number : num_rows) {
      report_group group = all;
      group.rows.assign(row, row + number);
      row += number;
      for (const report_row& each : group.rows) print(group, each, shape);
      rows_.write("groups_gpu", group, where_, device_);
    }
    std::fflush(stdout);
  }

  static report_row row_of(const groups_family& family, const std::string& op,
                           const groups_subject& one, const keyed_shape& shape,
                           const found_groups& got) {
    const std::int64_t bytes = bytes_of(family, shape);
    report_row row{op, name_of(family.items), one.path, bytes, "device"};
    row.segments = {name_of(family.kind), shape.length, got.count,
                    bytes + got.count * (size_of(family.keys) + one.answer_bytes),
                    name_of(family.keys)};
    const auto stored = static_cast<std::int64_t>(got.answers.size()) / one.answer_bytes;
    for (std::int64_t i = 0; i < std::min<std::int64_t>(3, stored); ++i) {
      row.values.push_back(one.value(got.answers.data() + i * one.answer_bytes));
    }
    return row;
  }

  /// Times `subjects`, of which row i of the group is the i-th, and the read kernels on keys and items.
  void time_subjects(report_group& group, const std::vector<const groups_subject*>& subjects,
                     const keyed_range& range, std::int64_t bytes) {
    std::vector<std::unique_ptr<timed_graph>> graphs;
    std::vector<subject> in_turn;
    const auto add_graph = [&](const std::string& path, const auto& start) {
      constexpr int calls = 2;
      graphs.push_back(std::make_unique<timed_graph>(calls, start));
      in_turn.push_back({path, [graph = graphs.back().get()] {
                           return outcome{graph->replay_ns(), {}};
                         }});
    };
    for (const gpu_subject& reader : readers_) {
      add_graph(reader.path, [&](int, void* stream) {
        reader.start({range.keys, bytes / 16}, out_.data(), stream);
      });
    }
    for (const groups_subject* const one : subjects) {
      const auto start = [one, &range](void* stream) { one->call(range, stream, nullptr); };
      if (one->waits) {
        in_turn.push_back({one->path, [start] { return outcome{waiting_call_ns(start), {}}; }});
      } else {
        add_graph(one->path, [start](int, void* stream) { start(stream); });
      }
    }
    const std::vector<summary> times = sample_in_turn(in_turn, options_.how);
    const auto behind = times.begin() + std::ssize(readers_);
    const auto limit = std::min_element(
        times.begin(), behind,
        [](const summary& l, const summary& r) { return l.median_ns < r.median_ns; });
    group.limit = *limit;
    group.limit_variant = readers_[static_cast<std::size_t>(limit - times.begin())].path;
    for (std::size_t i = 0; i < group.rows.size(); ++i) {
      group.rows[i].time = behind[static_cast<std::ptrdiff_t>(i)];
    }
  }

  static void print(const report_group& group, const report_row& row, const keyed_shape& shape) {
    std::string remarks = row.path == "gpu" ? "" : row.path;
    for (const report_row& peer : group.rows) {
      if (!is_ours(row.path) || is_ours(peer.path)) continue;
      char ratio[16];
      std::snprintf(ratio, sizeof(ratio), " %.2f", row.time.median_ns / peer.time.median_ns);
      remarks += (remarks.empty() ? "over " : "; ") + peer.path + ratio;
    }
    std::printf("%-7s %-6s %10lld %9lld %10lld %-10s %10.1f %6.3f  %s\n", row.segments.kind.c_str(),
                row.segments.keys.c_str(), static_cast<long long>(shape.count),
                static_cast<long long>(row.segments.length),
                static_cast<long long>(row.segments.count), row.op.c_str(),
                row.time.median_ns / 1e3,
                share(group, row) * static_cast<double>(row.segments.moved_bytes) /
                    static_cast<double>(row.bytes),
                remarks.c_str());
  }

  options options_;
  provenance where_;
  device_buffer memory_;
  device_buffer out_;
  std::vector<gpu_subject> readers_;
  json_rows rows_;
  std::string device_;
  int num_wrong_ = 0;
  int num_checked_ = 0;
};

}  // namespace

}  // namespace bench

int main(int argc, char** argv) {
  return bench::run_suite("bench_groups_gpu", argc, argv, [](const auto& words) {
    return bench::suite(bench::parse(words)).run();
  });
}
