/// bench/waiting_gpu: calls that wait for their answer on a GPU, beside CUB's with a copy and a wait, and beside the
/// least that starting a kernel and waiting for it takes.
///
/// Times are the host's; the subjects of a group take turns. The same items are read again and again. Ours have the
/// CPU engine's bits.

#include <cstdio>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "bench/gpu/device.hpp"
#include "bench/gpu/turns.hpp"
#include "bench/harness/machine.hpp"
#include "bench/harness/report.hpp"
#include "bench/harness/suite_options.hpp"
#include "bench/waiting/cases.hpp"

namespace bench {

namespace {

constexpr const char* usage =
    "usage: bench_waiting_gpu [option...]\n"
    "  --samples N      samples of 50 calls of each subject (31)\n"
    "  --only WORDS     operations or types, with commas: max,float64 (all)\n"
    "  --json FILE      writes the rows as JSON lines\n"
    "  --machine NAME   what the rows call this machine\n";

constexpr std::int64_t most_bytes = std::int64_t{64} << 20;

class suite {
 public:
  explicit suite(suite_options chosen)
      : options_(std::move(chosen)),
        where_(describe_machine()),
        items_(most_bytes),
        host_(static_cast<std::size_t>(most_bytes)),
        floor_(one_word_waiting()),
        rows_(options_.json) {
    where_.machine = options_.machine;
    device_ = describe_device();
  }

  int run() {
    std::printf("%s; %s; %s\n", device_.c_str(), where_.commit.c_str(), where_.compiler.c_str());
    for (gpu_case& each : waiting_cases()) {
      if (!options_.only.empty() && !options_.names(each.op) && !options_.names(name_of(each.type)))
        continue;
      items_.fill(each.type);
      items_.copy_to_host(host_.data(), most_bytes);
      each.waiting.push_back(floor_);
      for (std::int64_t bytes = 1 << 10; bytes <= most_bytes; bytes *= 4) run_size(each, bytes);
    }
    std::printf("%d wrong\n", num_wrong_);
    return num_wrong_;
  }

 private:
  void run_size(const gpu_case& each, std::int64_t bytes) {
    const gpu_range range{items_.data(), bytes / size_of(each.type)};
    const double right = each.right(host_.data(), range.count).front();
    report_group group;
    for (const gpu_waiting_subject& one : each.waiting) {
      report_row row{each.op + " and wait", name_of(each.type), one.path, bytes, "device"};
      const double value = one.call(range);
      if (one.path != floor_.path) {
        row.values.push_back(value);
        check(row, right, range.count);
      }
      group.rows.push_back(std::move(row));
    }
    time_waiting_in_turn(group, each.waiting, range, options_.how);
    if (each.waiting.front().call(range) != right) {
      std::printf("WRONG: another value after the timing\n");
      ++num_wrong_;
    }
    report(group);
  }

  void check(const report_row& row, double right, std::int64_t count) {
    const double value = row.values.front();
    const bool good = is_ours(row.path) ? std::memcmp(&value, &right, sizeof(right)) == 0
                                        : is_close(value, right, count);
    if (good) return;
    std::printf("WRONG %s of %s, %lld bytes, %s: %.17g, not %.17g\n", row.op.c_str(),
                row.dtype.c_str(), static_cast<long long>(row.bytes), row.path.c_str(), value,
                right);
    ++num_wrong_;
  }

  void report(const report_group& group) {
    const report_row& own = group.rows.front();
    std::printf("%-20s %-8s %5s %8.2f us", own.op.c_str(), own.dtype.c_str(),
                size_text(own.bytes).c_str(), own.time.median_ns / 1e3);
    for (const report_row& row : group.rows) {
      if (is_ours(row.path)) continue;
      std::printf("; %.3f of %s", own.time.median_ns / row.time.median_ns, row.path.c_str());
    }
    std::printf("\n");
    std::fflush(stdout);
    rows_.write("waiting_gpu", group, where_, device_);
  }

  suite_options options_;
  provenance where_;
  device_buffer items_;
  std::vector<char> host_;
  gpu_waiting_subject floor_;
  json_rows rows_;
  std::string device_;
  int num_wrong_ = 0;
};

}  // namespace

}  // namespace bench

int main(int argc, char** argv) {
  return bench::run_suite("bench_waiting_gpu", argc, argv, [](const auto& words) {
    return bench::suite(bench::parse_words(words, bench::usage, {{31, 300e6, 5}, "", "", "gpu"}))
        .run();
  });
}
