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
#include "bench/harness/machine.hpp"
#include "bench/harness/report.hpp"
#include "bench/harness/samples.hpp"

namespace bench {

namespace {

constexpr const char* usage =
    "usage: bench_exact_gpu [option...]\n"
    "  --memory GIB     device memory for the items (8)\n"
    "  --samples N      replays of each subject that are counted (15)\n"
    "  --only WORDS     operations, types, kinds of data, with commas: sum,float32,uniform (all)\n"
    "  --json FILE      writes the rows as JSON lines\n"
    "  --machine NAME   what the rows call this machine\n";

struct options {
  std::int64_t memory = std::int64_t{8} << 30;
  sampling how{15, 300e6, 5};
  std::string only;
  std::string json;
  std::string machine = "gpu";
};

options parse(const std::vector<std::string>& words) {
  options chosen;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& name = words[i];
    if (name == "--help") {
      std::fputs(usage, stdout);
      std::exit(0);
    }
    if (i + 1 == words.size()) throw std::runtime_error("no value, or no such option: " + name);
    const std::string& value = words[++i];
    if (name == "--memory") {
      chosen.memory = std::int64_t{std::max(1, std::atoi(value.c_str()))} << 30;
    } else if (name == "--samples") {
      chosen.how.num_samples = std::max(1, std::atoi(value.c_str()));
    } else if (name == "--only") {
      chosen.only = "," + value + ",";
    } else if (name == "--json") {
      chosen.json = value;
    } else if (name == "--machine") {
      chosen.machine = value;
    } else {
      throw std::runtime_error("no such option: " + name);
    }
  }
  return chosen;
}

class suite {
 public:
  explicit suite(options chosen)
      : options_(std::move(chosen)),
        where_(describe_machine()),
        items_(options_.memory),
        out_(4096),
        host_(static_cast<std::size_t>(period_bytes)) {
    where_.machine = options_.machine;
    device_ = describe_device();
    if (options_.json.empty()) return;
    json_ = std::fopen(options_.json.c_str(), "w");
    if (json_ == nullptr) throw std::runtime_error("cannot write " + options_.json);
  }
  suite(const suite&) = delete;
  suite& operator=(const suite&) = delete;
  ~suite() {
    if (json_ != nullptr) std::fclose(json_);
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
    const auto given = [&](const std::string& word) {
      return options_.only.find("," + word + ",") != std::string::npos;
    };
    bool any_type = false, any_kind = false;
    for (int t = 0; t < num_gpu_items; ++t) {
      any_type = any_type || given(name_of(static_cast<gpu_items>(t)));
    }
    for (int k = 0; k < num_exact_data; ++k) {
      any_kind = any_kind || given(name_of(static_cast<exact_data>(k)));
    }
    const bool any_op = given("sum") || given("variance") || given("dot");
    return (!any_op || given(op)) && (!any_type || given(name_of(type))) &&
           (!any_kind || given(name_of(kind)));
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
      const auto result = result_of(one, {items_.data(), count});
      row.values = one.values(result.data());
      group.rows.push_back(std::move(row));
    }
    compare_with(right, each, count, "before");

    const bool cached = bytes <= std::int64_t{32} << 20;
    const std::int64_t places = cached ? 1 : options_.memory / bytes;
    const int calls = cached ? 40 : bytes <= std::int64_t{256} << 20 ? 8 : 2;
    std::vector<std::unique_ptr<timed_graph>> graphs;
    std::vector<subject> subjects;
    const auto add = [&](const gpu_subject& one, std::int64_t items) {
      graphs.push_back(std::make_unique<timed_graph>(calls, [&](int i, void* stream) {
        one.start({items_.data() + i % places * bytes, items}, out_.data(), stream);
      }));
      auto* const graph = graphs.back().get();
      subjects.push_back({one.path, [graph] { return outcome{graph->replay_ns(), {}}; }});
    };
    const auto readers = read_kernels();
    for (const auto& reader : readers) add(reader, bytes / 16);
    for (const gpu_subject& one : each.subjects) add(one, count);
    const std::vector<summary> times = sample_in_turn(subjects, options_.how);
    std::size_t best = 0;
    for (std::size_t i = 0; i < readers.size(); ++i) {
      if (times[i].median_ns < times[best].median_ns) best = i;
    }
    group.limit = times[best];
    group.limit_variant = readers[best].path;
    for (std::size_t i = 0; i < group.rows.size(); ++i) {
      group.rows[i].time = times[readers.size() + i];
    }
    report(group, each.op, kind);
    compare_with(right, each, count, "after");
  }

  std::vector<char> result_of(const gpu_subject& one, const gpu_range& range) {
    out_.poison();
    timed_graph once(1, [&](int, void* stream) { one.start(range, out_.data(), stream); });
    once.replay_ns();
    std::vector<char> result(2048);
    out_.copy_to_host(result.data(), 2048);
    return result;
  }

  void compare_with(const std::vector<std::uint64_t>& right, const exact_case& each,
                    std::int64_t count, const char* when) {
    const auto result = result_of(each.subjects.front(), {items_.data(), count});
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
    const std::string size = own.bytes >= 1 << 30   ? std::to_string(own.bytes >> 30) + "G"
                             : own.bytes >= 1 << 20 ? std::to_string(own.bytes >> 20) + "M"
                                                    : std::to_string(own.bytes >> 10) + "K";
    std::printf("%-9s %-13s %-9s %6s %10.2f %7.0f %6.3f  %s\n", op.c_str(), name_of(kind),
                own.dtype.c_str(), size.c_str(), own.time.median_ns / 1e3,
                gbps(own.bytes, own.time), share(group, own), others.c_str());
    std::fflush(stdout);
    if (json_ != nullptr) write_json(json_, "exact_gpu", group, where_, device_);
  }

  options options_;
  provenance where_;
  device_buffer items_;
  device_buffer out_;
  std::vector<char> host_;
  std::string device_;
  std::FILE* json_ = nullptr;
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
  try {
    return bench::suite(bench::parse({argv + 1, argv + argc})).run() == 0 ? 0 : 1;
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "bench_exact_gpu: %s\n", failure.what());
    return 2;
  }
}
