/// bench/views_gpu: exact folds of adapted, paired and computed items on a GPU, beside the exact sum of the same memory
/// and the fastest read kernels.
///
/// Times are device times of graphs of calls, by events; the subjects of a group take turns. Every answer of ours is
/// compared with the CPU's, before and after it is timed.

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
#include "bench/views/cases.hpp"

namespace bench {

namespace {

constexpr const char* usage =
    "usage: bench_views_gpu [option...]\n"
    "  --samples N      replays of each subject that are counted (15)\n"
    "  --json FILE      writes the rows as JSON lines\n"
    "  --machine NAME   what the rows call this machine\n";

constexpr std::int64_t memory_bytes = std::int64_t{512} << 20;

class suite {
 public:
  explicit suite(suite_options chosen)
      : options_(std::move(chosen)),
        where_(describe_machine()),
        items_(memory_bytes),
        out_(4096),
        host_(static_cast<std::size_t>(memory_bytes)),
        rows_(options_.json) {
    where_.machine = options_.machine;
    device_ = describe_device();
  }

  int run() {
    std::printf("%s; %s; %s\n", device_.c_str(), where_.commit.c_str(), where_.compiler.c_str());
    for (const view_case& each : view_cases()) {
      for (const std::int64_t bytes : each.sizes) run_size(each, bytes);
    }
    std::printf("%d wrong\n", num_wrong_);
    return num_wrong_;
  }

 private:
  void run_size(const view_case& each, std::int64_t bytes) {
    for (std::int64_t at = 0; at < memory_bytes; at += bytes) each.fill(items_.data() + at, bytes);
    items_.copy_to_host(host_.data(), bytes);
    const std::int64_t count = bytes / size_of(each.type);
    const auto right = each.right(host_.data(), count);
    report_group group;
    std::vector<const gpu_subject*> subjects;
    for (const gpu_subject& one : each.subjects) {
      one.prepare(count);
      report_row row{each.op, name_of(each.type), one.path, bytes, "device"};
      row.values = one.values(result_of(one, {items_.data(), count}, out_).data());
      group.rows.push_back(std::move(row));
      subjects.push_back(&one);
    }
    compare_with(right, each, count, "before");
    const int calls = is_cached(bytes) ? 8 : 2;
    time_in_turn(group, subjects, items_, out_, bytes, count, calls, options_.how);
    compare_with(right, each, count, "after");
    report(group);
  }

  void compare_with(const std::vector<double>& right, const view_case& each, std::int64_t count,
                    const char* when) {
    const gpu_subject& own = each.subjects.front();
    const auto values = own.values(result_of(own, {items_.data(), count}, out_).data());
    if (values.size() == right.size() &&
        std::memcmp(values.data(), right.data(), right.size() * sizeof(double)) == 0) {
      return;
    }
    std::printf("WRONG: not the CPU's answer %s the timing\n", when);
    ++num_wrong_;
  }

  void report(const report_group& group) {
    const report_row& own = group.rows.front();
    std::printf("%-26s %5s %12.2f us, share %.3f, %.2f of the exact sum\n", own.op.c_str(),
                size_text(own.bytes).c_str(), own.time.median_ns / 1e3, share(group, own),
                own.time.median_ns / group.rows.back().time.median_ns);
    std::fflush(stdout);
    rows_.write("views_gpu", group, where_, device_);
  }

  suite_options options_;
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
  return bench::run_suite("bench_views_gpu", argc, argv, [](const auto& words) {
    return bench::suite(bench::parse_words(words, bench::usage, {{15, 300e6, 5}, "", "", "gpu"}))
        .run();
  });
}
