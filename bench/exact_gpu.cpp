/// bench/exact_gpu: exact sums on a GPU beside the plain sum, CUB and the fastest read kernels.
///
/// Times are device times of graphs of calls, by events; the subjects of a group take turns. Every
/// state of ours is compared with the CPU's, before and after it is timed.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/exact/cases.hpp"
#include "bench/gpu/device.hpp"
#include "bench/gpu/turns.hpp"
#include "bench/harness/machine.hpp"
#include "bench/harness/report.hpp"
#include "bench/harness/suite_options.hpp"

namespace bench {

namespace {

constexpr const char* usage =
    "usage: bench_exact_gpu [option...]\n"
    "  --memory GIB     device memory for the items (8)\n"
    "  --samples N      replays of each subject that are counted (15)\n"
    "  --only WORDS     operations, types, kinds of data, with commas: sum,float32,uniform (all)\n"
    "  --json FILE      writes the rows as JSON lines\n"
    "  --machine NAME   what the rows call this machine\n";

struct options : suite_options {
  std::int64_t memory = std::int64_t{8} << 30;
};

options parse(const std::vector<std::string>& words) {
  options chosen{{{15, 300e6, 5}, "", "", "gpu"}};
  parse_words(
      words, usage, chosen, [](const std::string&) { return false; },
      [&](const std::string& name, const std::string& value) {
        if (name != "--memory") return false;
        chosen.memory = std::int64_t{std::max(1, std::atoi(value.c_str()))} << 30;
        return true;
      });
  return chosen;
}

class suite {
 public:
  explicit suite(options chosen)
      : options_(std::move(chosen)),
        where_(describe_machine()),
        items_(options_.memory),
        out_(4096),
        host_(static_cast<std::size_t>(period_bytes)),
        rows_(options_.json) {
    where_.machine = options_.machine;
    device_ = describe_device();
  }

  int run() {
    std::printf("%s; %s; %s\n", device_.c_str(), where_.commit.c_str(), where_.compiler.c_str());
    std::printf("%-9s %-13s %-9s %6s %10s %7s %6s  %s\n", "exact", "data", "items", "size", "us",
                "GB/s", "share", "time over that of others");
    for (auto* make : {&exact_float32, &exact_float64, &exact_bfloat16, &exact_float16}) {
      for (const exact_case& each : make()) {
        for (int k = 0; k < num_exact_data; ++k) run_kind(each, static_cast<exact_data>(k));
      }
    }
    std::printf("%d wrong\n", num_wrong_);
    return num_wrong_;
  }

 private:
  bool is_wanted(const std::string& op, gpu_items type, exact_data kind) const {
    if (options_.only.empty()) return true;
    bool any_type = false, any_kind = false;
    for (int t = 0; t < num_gpu_items; ++t) {
      any_type = any_type || options_.names(name_of(static_cast<gpu_items>(t)));
    }
    for (int k = 0; k < num_exact_data; ++k) {
      any_kind = any_kind || options_.names(name_of(static_cast<exact_data>(k)));
    }
    const bool any_op = options_.names("sum") || options_.names("variance") ||
                        options_.names("dot") || options_.names("statistics");
    return (!any_op || options_.names(op)) && (!any_type || options_.names(name_of(type))) &&
           (!any_kind || options_.names(name_of(kind)));
  }

  void run_kind(const exact_case& each, exact_data kind) {
    if (!is_wanted(each.op, each.type, kind)) return;
    each.fill(items_.data(), items_.size_bytes(), kind);
    items_.copy_to_host(host_.data(), period_bytes);
    std::vector<std::int64_t> sizes;
    for (const int shift : {16, 18, 20, 22, 24, 26, 28, 30, 32}) {
      // Where the data are hard, latency is not the question.
      if (kind > exact_data::normal && shift != 20 && shift != 28 && shift != 32) continue;
      if (std::int64_t{1} << shift <= options_.memory) sizes.push_back(std::int64_t{1} << shift);
    }
    for (const std::int64_t bytes : sizes) run_size(each, kind, bytes);
  }

  void run_size(const exact_case& each, exact_data kind, std::int64_t bytes) {
    const std::int64_t count = bytes / size_of(each.type);
    const auto right = each.right(host_.data(), count);
    report_group group;
    for (const gpu_subject& one : each.subjects) {
      one.prepare(count);
      report_row row{"exact " + each.op + ", " + name_of(kind), name_of(each.type), one.path, bytes,
                     "device"};
      row.values = one.values(result_of(one, {items_.data(), count}, out_).data());
      group.rows.push_back(std::move(row));
    }
    compare_with(right, each, count, "before");

    const int calls = is_cached(bytes) ? 40 : bytes <= std::int64_t{256} << 20 ? 8 : 2;
    std::vector<const gpu_subject*> subjects;
    for (const gpu_subject& one : each.subjects) subjects.push_back(&one);
    time_in_turn(group, subjects, items_, out_, bytes, count, calls, options_.how);
    report(group, each.op, kind);
    compare_with(right, each, count, "after");
  }

  void compare_with(const std::vector<std::uint64_t>& right, const exact_case& each,
                    std::int64_t count, const char* when) {
    const auto result = result_of(each.subjects.front(), {items_.data(), count}, out_);
    if (each.words(result.data()) == right) return;
    std::printf("WRONG: not the CPU's state %s the timing\n", when);
    ++num_wrong_;
  }

  void report(const report_group& group, const std::string& op, exact_data kind) {
    const report_row& own = group.rows.front();
    std::string others;
    for (const report_row& row : group.rows) {
      if (is_ours(row.path)) continue;
      char text[96];
      std::snprintf(text, sizeof(text), "%.3f of %s; ", own.time.median_ns / row.time.median_ns,
                    row.path.c_str());
      others += text;
    }
    std::printf("%-9s %-13s %-9s %6s %10.2f %7.0f %6.3f  %s\n", op.c_str(), name_of(kind),
                own.dtype.c_str(), size_text(own.bytes).c_str(), own.time.median_ns / 1e3,
                gbps(own.bytes, own.time), share(group, own), others.c_str());
    std::fflush(stdout);
    rows_.write("exact_gpu", group, where_, device_);
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

const char* name_of(exact_data kind) {
  static constexpr const char* names[] = {"uniform", "normal", "lognormal", "any_exponent",
                                          "growing"};
  return names[static_cast<std::size_t>(kind)];
}

}  // namespace bench

int main(int argc, char** argv) {
  return bench::run_suite("bench_exact_gpu", argc, argv, [](const auto& words) {
    return bench::suite(bench::parse(words)).run();
  });
}
