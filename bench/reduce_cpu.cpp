/// bench/reduce_cpu: reductions on all cores of this machine, beside a tuned read loop and peers.
///
/// Not a Google Benchmark suite: that runs one benchmark's iterations in a row, cannot take a time
/// from another process (NumPy), and knows neither percentiles nor a limit of the same
/// moment. Here the subjects of a group take turns call by call, so that whatever else the machine
/// does hits all alike, and ratios hold where absolute times do not.

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "bench/baselines/peers.hpp"
#include "bench/harness/check.hpp"
#include "bench/harness/dataset.hpp"
#include "bench/harness/machine.hpp"
#include "bench/harness/operations.hpp"
#include "bench/harness/read_limit.hpp"
#include "bench/harness/report.hpp"
#include "bench/harness/samples.hpp"
#include "bench/harness/suite_options.hpp"
#include "bench/ours/ours.hpp"

namespace bench {

namespace {

constexpr const char* usage =
    "usage: bench_reduce_cpu [option...]\n"
    "  --size BYTES     data of one type, with K, M or G for powers of 1024 (512M)\n"
    "  --samples N      calls of each subject that are counted (31)\n"
    "  --quick          --size 64M --samples 7: a first look, no result\n"
    "  --only WORDS     operations and types, with commas: sum,argmax,float32 (all)\n"
    "  --json FILE      writes the rows as JSON lines\n"
    "  --machine NAME   what the rows call this machine (made from the processor's name)\n"
    "  --python FILE    the Python that has NumPy (/usr/bin/python3); none: no NumPy\n"
    "  --scratch DIR    where NumPy finds the data as a file (the system's folder for that)\n";

struct options : suite_options {
  std::int64_t size_bytes = std::int64_t{512} << 20;
  std::string python = "/usr/bin/python3";
  std::string scratch = std::filesystem::temp_directory_path();
};

std::int64_t parse_size(const std::string& text) {
  char* end = nullptr;
  std::int64_t bytes = std::strtoll(text.c_str(), &end, 10);
  if (*end == 'K') bytes <<= 10;
  if (*end == 'M') bytes <<= 20;
  if (*end == 'G') bytes <<= 30;
  if (bytes < 4096) throw std::runtime_error("--size: at least 4K, not " + text);
  return bytes / 4096 * 4096;
}

options parse(const std::vector<std::string>& words) {
  options chosen;
  parse_words(
      words, usage, chosen,
      [&](const std::string& name) {
        if (name != "--quick") return false;
        chosen.size_bytes = std::int64_t{64} << 20;
        chosen.how.num_samples = 7;
        return true;
      },
      [&](const std::string& name, const std::string& value) {
        if (name == "--size") {
          chosen.size_bytes = parse_size(value);
        } else if (name == "--python") {
          chosen.python = value == "none" ? "" : value;
        } else if (name == "--scratch") {
          chosen.scratch = value;
        } else {
          return false;
        }
        return true;
      });
  return chosen;
}

/// Whether a group was asked for: each kind of word that was given must name it.
bool is_wanted(const options& chosen, operation op, item_type type) {
  bool any_op = false;
  bool any_type = false;
  for (const operation_row& row : operations) any_op = any_op || chosen.names(row.name);
  for (int t = 0; t <= static_cast<int>(item_type::matrix); ++t) {
    any_type = any_type || chosen.names(name_of(static_cast<item_type>(t)));
  }
  return (!any_op || chosen.names(row_of(op).name)) && (!any_type || chosen.names(name_of(type)));
}

class suite {
 public:
  explicit suite(options chosen)
      : options_(std::move(chosen)),
        where_(describe_machine()),
        limit_(where_.num_cores),
        file_(options_.scratch + "/monofold_bench_" + std::to_string(getpid()) + ".npy"),
        rows_(options_.json) {
    if (!options_.machine.empty()) where_.machine = options_.machine;
  }
  suite(const suite&) = delete;
  suite& operator=(const suite&) = delete;
  ~suite() { std::filesystem::remove(file_); }

  /// Runs everything that was asked for; the number of wrong results.
  int run() {
    {
      const buffer memory(options_.size_bytes, page_kind::huge);
      print_head(memory);
      for (int t = 0; t <= static_cast<int>(item_type::matrix); ++t) {
        run_type(memory, static_cast<item_type>(t), page_kind::huge);
      }
    }
    // Once more without huge pages, to see what they bring.
    if (is_wanted(options_, operation::sum, item_type::float32)) {
      const buffer memory(options_.size_bytes, page_kind::small);
      const dataset data = fill(memory, item_type::float32);
      limit_.tune(data.items, data.size_bytes());
      reference right(data);
      run_group(operation::sum, data, page_kind::small, right, nullptr);
    }
    return num_wrong_;
  }

 private:
  void print_head(const buffer& memory) {
    fill(memory, item_type::int8);
    limit_.tune(memory.data(), memory.size_bytes());
    print_machine(where_, runtime_instruction_set());
    std::printf("%lld MiB a type, %d samples; read loop: %s\n",
                static_cast<long long>(options_.size_bytes >> 20), options_.how.num_samples,
                limit_.variant().c_str());
  }

  void run_type(const buffer& memory, item_type type, page_kind pages) {
    std::vector<operation> ops;
    for (const operation_row& row : operations) {
      if (is_timed(row.op, type) && is_wanted(options_, row.op, type)) ops.push_back(row.op);
    }
    if (ops.empty()) return;
    const dataset data = fill(memory, type);
    reference right(data);
    std::unique_ptr<numpy_peer> numpy;
    if (type <= item_type::int8) {
      write_npy(data, file_);
      numpy = start_numpy(options_.python, file_);
      if (numpy != nullptr) std::printf("NumPy %s\n", numpy->version().c_str());
    }
    for (const operation op : ops) run_group(op, data, pages, right, numpy.get());
  }

  void run_group(operation op, const dataset& data, page_kind pages, reference& right,
                 numpy_peer* numpy) {
    std::vector<subject> subjects{{"read loop", timed([this, &data] {
                                     const auto bits = limit_.read(data.items, data.size_bytes());
                                     return std::vector{static_cast<double>(bits)};
                                   })}};
    const auto add = [&subjects](const char* path, std::function<outcome()> call) {
      if (call) subjects.push_back({path, std::move(call)});
    };
    add("runtime", runtime_call(op, data));
    add("header", header_native_call(op, data));
    add("header_baseline", header_call(op, data));
    if (op == operation::sum || op == operation::plain_sum) add("std_par", std_par_call(op, data));
    add("std_unseq", std_unseq_call(op, data));
    add("tbb", tbb_call(op, data));
    add("serial", serial_call(op, data));
    if (numpy != nullptr) add("numpy", numpy->call(op));

    report_group group;
    for (std::size_t i = 1; i < subjects.size(); ++i) {
      report_row row{std::string(row_of(op).name), name_of(data.type), subjects[i].path,
                     data.size_bytes(), pages == page_kind::huge ? "huge" : "small"};
      row.target = row_of(op).target;
      row.values = subjects[i].call().values;
      group.rows.push_back(std::move(row));
    }
    check(op, data, group, right.values(op));
    measure(subjects, group);
  }

  void check(operation op, const dataset& data, const report_group& group,
             const std::vector<double>& right) {
    const report_row* first = nullptr;
    for (const report_row& row : group.rows) {
      const bool ours = is_ours(row.path);
      std::string problem =
          mismatch(op, data, ours ? accuracy::ours : accuracy::peer, row.values, right);
      if (ours && first == nullptr) first = &row;
      // Every way of ours gives the same bits.
      if (ours && row.values != first->values) problem = "other bits than " + first->path;
      if (problem.empty()) continue;
      std::printf("WRONG %s %s %s: %s\n", row.op.c_str(), row.dtype.c_str(), row.path.c_str(),
                  problem.c_str());
      if (ours) ++num_wrong_;
    }
  }

  void measure(const std::vector<subject>& subjects, report_group& group) {
    time_rows(group, subjects, options_.how);
    group.limit_variant = limit_.variant();
    print_group(group, first_group_);
    first_group_ = false;
    rows_.write("reduce_cpu", group, where_, runtime_instruction_set());
  }

  options options_;
  provenance where_;
  read_limit limit_;
  std::string file_;
  json_rows rows_;
  bool first_group_ = true;
  int num_wrong_ = 0;
};

}  // namespace

}  // namespace bench

int main(int argc, char** argv) {
  return bench::run_suite("bench_reduce_cpu", argc, argv, [](const auto& words) {
    return bench::suite(bench::parse(words)).run();
  });
}
