/// bench/reduce_gpu: reductions on a GPU beside CUB, Thrust and the fastest read kernels.
///
/// Times are device times of graphs of calls, by events; the subjects of a group take turns, so that
/// ratios hold where absolute times do not. Every result that is timed is checked.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/gpu/cases.hpp"
#include "bench/gpu/device.hpp"
#include "bench/gpu/turns.hpp"
#include "bench/harness/machine.hpp"
#include "bench/harness/report.hpp"
#include "bench/harness/samples.hpp"
#include "bench/harness/suite_options.hpp"

namespace bench {

namespace {

constexpr const char* usage =
    "usage: bench_reduce_gpu [option...]\n"
    "  --memory BYTES   device memory for the items, with M or G (16G)\n"
    "  --checked BYTES  results of up to so many bytes are compared with the CPU engine (1G)\n"
    "  --samples N      replays of each subject that are counted (15)\n"
    "  --only WORDS     operations and types, with commas: sum,argmax,float32 (all)\n"
    "  --json FILE      writes the rows as JSON lines\n"
    "  --machine NAME   what the rows call this machine\n";

struct options : suite_options {
  std::int64_t memory = std::int64_t{16} << 30;
  std::int64_t checked = std::int64_t{1} << 30;
};

std::int64_t parse_size(const std::string& text) {
  char* end = nullptr;
  std::int64_t bytes = std::strtoll(text.c_str(), &end, 10);
  if (*end == 'M') bytes <<= 20;
  if (*end == 'G') bytes <<= 30;
  if (bytes < 1 << 20) throw std::runtime_error("at least 1M, not " + text);
  return bytes;
}

options parse(const std::vector<std::string>& words) {
  options chosen{{{15, 300e6, 5}, "", "", "gpu"}};
  parse_words(
      words, usage, chosen, [](const std::string&) { return false; },
      [&](const std::string& name, const std::string& value) {
        if (name == "--memory") {
          chosen.memory = parse_size(value);
        } else if (name == "--checked") {
          chosen.checked = parse_size(value);
        } else {
          return false;
        }
        return true;
      });
  return chosen;
}

/// Calls in a graph: enough for a replay of some 100 us.
int calls_for(std::int64_t bytes) {
  if (bytes <= std::int64_t{16} << 20) return 40;
  if (bytes <= std::int64_t{256} << 20) return 8;
  return bytes <= std::int64_t{1} << 30 ? 2 : 1;
}

class suite {
 public:
  explicit suite(options chosen)
      : options_(std::move(chosen)),
        where_(describe_machine()),
        items_(options_.memory),
        out_(4096),
        host_(static_cast<std::size_t>(options_.checked)),
        rows_(options_.json) {
    where_.machine = options_.machine;
    device_ = describe_device();
  }

  int run() {
    std::printf("%s; %s; %s\n", device_.c_str(), where_.commit.c_str(), where_.compiler.c_str());
    std::printf("%-10s %-9s %7s  %10s %8s %6s  %s\n", "operation", "items", "size", "us", "GB/s",
                "share", "time over peers'");
    for (auto* make : {&float32_cases, &float64_cases, &half_cases, &integer_cases, &ordered_cases,
                       &top_cases}) {
      for (gpu_case& each : make()) {
        if (is_wanted(each)) run_case(each);
      }
    }
    return num_wrong_;
  }

 private:
  bool is_wanted(const gpu_case& each) const {
    if (options_.only.empty()) return true;
    bool any_type = false;
    for (int t = 0; t < num_gpu_items; ++t) {
      any_type = any_type || options_.names(name_of(static_cast<gpu_items>(t)));
    }
    bool any_op = false;
    for (const char* op :
         {"plain_sum", "sum", "argmax", "stats", "product", "last", "top2", "top10", "top100"}) {
      any_op = any_op || options_.names(op);
    }
    return (!any_type || options_.names(name_of(each.type))) &&
           (!any_op || options_.names(each.op));
  }

  void run_case(gpu_case& each) {
    if (!filled_ || *filled_ != each.type) {
      items_.fill(each.type);
      items_.copy_to_host(host_.data(), std::min(options_.checked, options_.memory));
      filled_ = std::make_unique<gpu_items>(each.type);
    }
    for (const std::int64_t bytes : each.sizes) {
      if (bytes <= options_.memory) run_size(each, bytes);
    }
  }

  void run_size(gpu_case& each, std::int64_t bytes) {
    const std::int64_t count = bytes / size_of(each.type);
    report_group group;
    std::vector<double> right;
    if (bytes <= options_.checked) right = each.right(host_.data(), count);
    for (gpu_subject& one : each.subjects) {
      // The scan needs as much memory again.
      if (one.path.find("scan") != std::string::npos && bytes > std::int64_t{1} << 30) continue;
      one.prepare(count);
      report_row row{each.op, name_of(each.type), one.path, bytes, "device"};
      row.values = values_of(one, {items_.data(), count});
      check(row, right, count);
      group.rows.push_back(std::move(row));
    }

    std::vector<const gpu_subject*> subjects;
    for (const report_row& row : group.rows) {
      for (const gpu_subject& one : each.subjects) {
        if (one.path == row.path) subjects.push_back(&one);
      }
    }
    time_in_turn(group, subjects, items_, out_, bytes, count, calls_for(bytes), options_.how);
    report(group, each.target_of_cub);
    // A value of ours that changed while it was timed would show.
    gpu_subject& own = each.subjects.front();
    if (values_of(own, {items_.data(), count}) != group.rows.front().values) {
      std::printf("WRONG: other values after the timing\n");
      ++num_wrong_;
    }
    if (!each.waiting.empty() && bytes <= std::int64_t{64} << 20) run_waiting(each, bytes, group);
  }

  void run_waiting(const gpu_case& each, std::int64_t bytes, const report_group& of) {
    report_group group;
    const gpu_range range{items_.data(), bytes / size_of(each.type)};
    for (const gpu_waiting_subject& one : each.waiting) {
      report_row row{each.op + " and wait", name_of(each.type), one.path, bytes, "device"};
      row.values.push_back(one.call(range));
      check(row, of.rows.front().values, range.count);
      group.rows.push_back(std::move(row));
    }
    time_waiting_in_turn(group, each.waiting, range, options_.how);
    group.limit = of.limit;
    group.limit_variant = of.limit_variant;
    report(group, 0);
  }

  std::vector<double> values_of(const gpu_subject& one, const gpu_range& range) {
    return one.values(result_of(one, range, out_).data());
  }

  void check(const report_row& row, const std::vector<double>& right, std::int64_t count) {
    if (row.values.empty() || right.empty()) return;
    bool good = row.values.size() == right.size();
    for (std::size_t i = 0; good && i < right.size(); ++i) {
      // Ours has the CPU engine's bits. Peers add in another order; an index must be right.
      good = is_ours(row.path) || row.op == "argmax"
                 ? std::memcmp(&row.values[i], &right[i], sizeof(double)) == 0
                 : is_close(row.values[i], right[i], count);
    }
    if (good) return;
    std::printf("WRONG %s %s %lld bytes, %s: %.17g, not %.17g\n", row.op.c_str(), row.dtype.c_str(),
                static_cast<long long>(row.bytes), row.path.c_str(), row.values[0], right[0]);
    if (is_ours(row.path)) ++num_wrong_;
  }

  void report(const report_group& group, double target) {
    for (const report_row& row : group.rows) {
      std::string peers;
      if (is_ours(row.path)) {
        for (const report_row& peer : group.rows) {
          if (is_ours(peer.path)) continue;
          char text[96];
          const double ratio = row.time.median_ns / peer.time.median_ns;
          std::snprintf(text, sizeof(text), "%.3f of %s%s; ", ratio, peer.path.c_str(),
                        target > 0 && ratio > target ? " (behind)" : "");
          peers += text;
        }
      }
      std::printf("%-10s %-9s %7s  %10.2f %8.0f %6.3f  %-14s %s\n", row.op.c_str(),
                  row.dtype.c_str(), size_text(row.bytes).c_str(), row.time.median_ns / 1e3,
                  gbps(row.bytes, row.time), share(group, row), row.path.c_str(), peers.c_str());
    }
    std::fflush(stdout);
    rows_.write("reduce_gpu", group, where_, device_);
  }

  options options_;
  provenance where_;
  device_buffer items_;
  device_buffer out_;
  std::vector<char> host_;
  std::unique_ptr<gpu_items> filled_;
  json_rows rows_;
  std::string device_;
  int num_wrong_ = 0;
};

}  // namespace

}  // namespace bench

int main(int argc, char** argv) {
  return bench::run_suite("bench_reduce_gpu", argc, argv, [](const auto& words) {
    return bench::suite(bench::parse(words)).run();
  });
}
