/// bench/table_gpu: what users of CUB compare, at every size, by calls in a stream and by isolated ones.
///
/// Times are device times of graphs of calls, by events. All subjects of a type and a size take turns, the
/// read kernels among them. Ours have the CPU engine's bits where it is asked (--checked); CUB's results are
/// compared with ours at every size.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "bench/gpu/device.hpp"
#include "bench/gpu/turns.hpp"
#include "bench/harness/machine.hpp"
#include "bench/harness/report.hpp"
#include "bench/harness/samples.hpp"
#include "bench/harness/suite_options.hpp"
#include "bench/table/cases.hpp"

namespace bench {

namespace {

constexpr const char* usage =
    "usage: bench_table_gpu [option...]\n"
    "  --memory GIB     device memory for the items; larger ranges are left out (8)\n"
    "  --checked MIB    results of up to so many MiB are compared with the CPU engine (16)\n"
    "  --samples N      replays of each subject that are counted (11)\n"
    "  --only WORDS     types, with commas: float32,int8 (all)\n"
    "  --json FILE      writes the rows as JSON lines\n"
    "  --machine NAME   what the rows call this machine\n";

struct options : suite_options {
  std::int64_t memory = std::int64_t{8} << 30;
  std::int64_t checked = std::int64_t{16} << 20;
};

options parse(const std::vector<std::string>& words) {
  options chosen{{{11, 300e6, 5}, "", "", "gpu"}};
  parse_words(
      words, usage, chosen, [](const std::string&) { return false; },
      [&](const std::string& name, const std::string& value) {
        const std::int64_t number = std::max(1, std::atoi(value.c_str()));
        if (name == "--memory") {
          chosen.memory = number << 30;
        } else if (name == "--checked") {
          chosen.checked = number << 20;
        } else {
          return false;
        }
        return true;
      });
  chosen.checked = std::min(chosen.checked, chosen.memory);
  return chosen;
}

/// Powers of 4 from 1 KiB to 256 MiB, and 4 GiB.
constexpr int size_shifts[] = {10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 32};

int calls_for(std::int64_t bytes) {
  if (bytes <= std::int64_t{16} << 20) return 20;
  return bytes <= std::int64_t{256} << 20 ? 4 : 2;
}

bool has_bits_of(const std::vector<double>& got, const std::vector<double>& right) {
  return got.size() == right.size() &&
         std::memcmp(got.data(), right.data(), got.size() * sizeof(double)) == 0;
}

/// CUB adds in another order; an index must be right.
bool agrees(const report_row& peer, const std::vector<double>& right, std::int64_t count) {
  if (peer.op == "argmax") return has_bits_of(peer.values, right);
  return is_close(peer.values[0], right[0], count);
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
    std::printf("%-8s %5s %-16s %10s %6s %10s %6s %10s %6s %10s %10s  %s\n", "items", "size",
                "operation", "stream us", "ratio", "isolated", "ratio", "launched", "ratio",
                "read us", "isolated", "ratios over");
    for (auto* make : {&table_float32, &table_float64, &table_bfloat16, &table_float16, &table_int8,
                       &table_int32, &table_int64}) {
      auto cases = make();
      const gpu_items type = cases.front().type;
      if (!options_.only.empty() && !options_.names(name_of(type))) continue;
      items_.fill(type);
      items_.copy_to_host(host_.data(), options_.checked);
      for (const int shift : size_shifts) {
        const std::int64_t bytes = std::int64_t{1} << shift;
        if (bytes <= options_.memory) run_size(cases, type, bytes);
      }
    }
    return num_wrong_;
  }

 private:
  void run_size(std::vector<gpu_case>& cases, gpu_items type, std::int64_t bytes) {
    const gpu_range range{items_.data(), bytes / size_of(type)};
    report_group all;
    std::vector<const gpu_subject*> subjects;
    for (gpu_case& each : cases) {
      for (gpu_subject& one : each.subjects) {
        one.prepare(range.count);
        report_row row{each.op, name_of(type), one.path, bytes, "device"};
        row.values = values_of(one, range);
        all.rows.push_back(std::move(row));
        subjects.push_back(&one);
      }
    }
    time_in_turn(all, subjects, items_, out_, bytes, range.count, calls_for(bytes), options_.how,
                 calls_are::in_a_stream_and_isolated);
    auto row = all.rows.begin();
    for (const gpu_case& each : cases) {
      report_group group = all;
      group.rows.assign(row, row + static_cast<std::ptrdiff_t>(each.subjects.size()));
      row += static_cast<std::ptrdiff_t>(each.subjects.size());
      check(each, group, range);
      report(group);
    }
  }

  std::vector<double> values_of(const gpu_subject& one, const gpu_range& range) {
    return one.values(result_of(one, range, out_).data());
  }

  void check(const gpu_case& each, const report_group& group, const gpu_range& range) {
    const report_row& own = group.rows.front();
    if (own.bytes <= options_.checked &&
        !has_bits_of(own.values, each.right(host_.data(), range.count))) {
      complain(own, "not the CPU's result");
    }
    if (!has_bits_of(values_of(each.subjects.front(), range), own.values)) {
      complain(own, "another result after the timing");
    }
    for (const report_row& row : group.rows) {
      if (is_ours(row.path) || row.values.empty() || own.values.empty()) continue;
      if (!agrees(row, own.values, range.count)) complain(row, "not our result");
    }
  }

  void complain(const report_row& row, const char* what) {
    std::printf("WRONG %s of %s, %lld bytes, %s: %s\n", row.op.c_str(), row.dtype.c_str(),
                static_cast<long long>(row.bytes), row.path.c_str(), what);
    ++num_wrong_;
  }

  void report(const report_group& group) {
    const report_row& own = group.rows.front();
    const report_row* const peer = group.rows.size() > 1 ? &group.rows[1] : nullptr;
    const auto ratio = [&](summary report_row::*time) {
      return peer == nullptr ? 0 : (own.*time).median_ns / (peer->*time).median_ns;
    };
    std::printf("%-8s %5s %-16s %10.2f %6.3f %10.2f %6.3f %10.2f %6.3f %10.2f %10.2f  %s\n",
                own.dtype.c_str(), size_text(own.bytes).c_str(), own.op.c_str(),
                own.time.median_ns / 1e3, ratio(&report_row::time), own.isolated.median_ns / 1e3,
                ratio(&report_row::isolated), own.launched.median_ns / 1e3,
                own.launched.num_samples == 0 ? 0 : ratio(&report_row::launched),
                group.limit.median_ns / 1e3, group.isolated_limit.median_ns / 1e3,
                peer == nullptr ? "no peer" : peer->path.c_str());
    std::fflush(stdout);
    rows_.write("table_gpu", group, where_, device_);
  }

  options options_;
  provenance where_;
  device_buffer items_;
  device_buffer out_;
  std::vector<char> host_;
  json_rows rows_;
  std::string device_;
  int num_wrong_ = 0;
};

}  // namespace

}  // namespace bench

int main(int argc, char** argv) {
  return bench::run_suite("bench_table_gpu", argc, argv, [](const auto& words) {
    return bench::suite(bench::parse(words)).run();
  });
}
