/// bench/exact_cpu: exact sums on this machine's cores, beside a read loop, plain sums and peers.
///
/// As in bench/reduce_cpu the subjects of a group take turns call by call. The result of every call
/// that is timed is compared with the exact sum: the same bits where the subject is exact, else
/// within the error that a plain sum may have.

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/baselines/peers.hpp"
#include "bench/exact_peers/items.hpp"
#include "bench/exact_peers/peers.hpp"
#include "bench/harness/dataset.hpp"
#include "bench/harness/machine.hpp"
#include "bench/harness/read_limit.hpp"
#include "bench/harness/report.hpp"
#include "bench/harness/samples.hpp"
#include "bench/harness/suite_options.hpp"
#include "bench/ours/ours.hpp"
#include "monofold/platform/dtype.hpp"

namespace bench {

namespace {

using monofold::dtype;

constexpr const char* usage =
    "usage: bench_exact_cpu [option...]\n"
    "  --size MIB       data from memory (256); 1 MiB from a cache is always there too\n"
    "  --samples N      calls of each subject that are counted (15)\n"
    "  --only WORDS     types and kinds of data, with commas: float64,uniform (all)\n"
    "  --json FILE      writes the rows as JSON lines\n"
    "  --machine NAME   what the rows call this machine (made from the processor's name)\n"
    "  --python FILE    the Python that has NumPy (/usr/bin/python3); none: no NumPy\n"
    "  --scratch DIR    where the data is put as a file (the system's folder for that)\n";

constexpr std::int64_t cached_bytes = std::int64_t{1} << 20;

struct options : suite_options {
  std::int64_t size_bytes = std::int64_t{256} << 20;
  std::string python = "/usr/bin/python3";
  std::string scratch = std::filesystem::temp_directory_path();
};

options parse(const std::vector<std::string>& words) {
  options chosen;
  chosen.how = {15, 1e9, 5};
  parse_words(
      words, usage, chosen, [](const std::string&) { return false; },
      [&](const std::string& name, const std::string& value) {
        if (name == "--size") {
          chosen.size_bytes = std::int64_t{std::max(1, std::atoi(value.c_str()))} << 20;
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

/// What a subject's sum may be off by, in units of the sum of magnitudes; 0: not at all.
double tolerance_of(const std::string& path, dtype type) {
  if (path == "runtime_plain") return 64 * (type == dtype::float64 ? 0x1p-53 : 0x1p-24);
  return path == "numpy" ? 4096 * 0x1p-53 : 0;
}

bool is_right(double got, const items_sum& right, double tolerance) {
  if (tolerance == 0)
    return std::bit_cast<std::uint64_t>(got) == std::bit_cast<std::uint64_t>(right.exact);
  // Plain sums may overflow on their way where the exact one does not.
  if (!(right.magnitudes < 0x1p127)) return true;
  return std::abs(got - right.exact) <= tolerance * right.magnitudes;
}

class suite {
 public:
  explicit suite(options chosen)
      : options_(std::move(chosen)),
        where_(describe_machine()),
        memory_(options_.size_bytes, page_kind::huge),
        all_cores_(where_.num_cores),
        one_core_(1),
        file_(options_.scratch + "/monofold_bench_" + std::to_string(getpid()) + ".npy"),
        rows_(options_.json) {
    if (!options_.machine.empty()) where_.machine = options_.machine;
  }
  suite(const suite&) = delete;
  suite& operator=(const suite&) = delete;
  ~suite() { std::filesystem::remove(file_); }

  /// Runs everything that was asked for; the number of wrong results.
  int run() {
    fill_items(memory_.data(), options_.size_bytes, dtype::float32, items_kind::uniform);
    print_machine(where_, runtime_instruction_set());
    for (const std::int64_t bytes : {options_.size_bytes, cached_bytes}) {
      all_cores_.tune(memory_.data(), bytes);
      one_core_.tune(memory_.data(), bytes);
      for (const dtype type : items_types) {
        for (const items_kind_row& row : items_kinds) {
          if (is_wanted(type, row)) run_group(type, row, bytes);
        }
      }
    }
    std::printf("%d wrong\n", num_wrong_);
    return num_wrong_;
  }

 private:
  bool is_wanted(dtype type, const items_kind_row& row) const {
    const auto any = [this](const auto& list, const auto& name) {
      return std::any_of(list.begin(), list.end(),
                         [&](const auto& each) { return options_.names(name(each)); });
    };
    const bool any_type = any(items_types, [](dtype t) { return monofold::info(t).name; });
    const bool any_kind = any(items_kinds, [](const auto& each) { return each.name; });
    return (!any_type || options_.names(monofold::info(type).name)) &&
           (!any_kind || options_.names(row.name));
  }

  void run_group(dtype type, const items_kind_row& kind, std::int64_t bytes) {
    fill_items(memory_.data(), bytes, type, kind.kind);
    const items_sum right = sum_of_items(memory_.data(), bytes, type);
    const void* const items = memory_.data();
    const std::int64_t count = bytes / monofold::info(type).size_bytes;

    std::vector<subject> subjects{{"read loop", read_call(all_cores_, bytes)}};
    subjects.push_back({"runtime", runtime_sum_call(type, items, count, false, 0)});
    subjects.push_back({"runtime_one_core", runtime_sum_call(type, items, count, false, 1)});
    subjects.push_back({"read_one_core", read_call(one_core_, bytes)});
    subjects.push_back({"runtime_plain", runtime_sum_call(type, items, count, true, 0)});
    std::unique_ptr<numpy_peer> python;
    if (type == dtype::float64) {
      subjects.push_back({"neal_large", neal_large_call(static_cast<const double*>(items), count)});
      const dataset data{item_type::float64, items, count};
      python = start_numpy(options_.python, file_, &data);
    }
    if (python != nullptr) add_python(subjects, *python, static_cast<const double*>(items), count);

    report_group group;
    for (std::size_t i = 1; i < subjects.size(); ++i) {
      report_row row{"exact sum, " + std::string(kind.name), std::string(monofold::info(type).name),
                     subjects[i].path, bytes, "huge"};
      if (row.path == "runtime" && bytes > cached_bytes) row.target = kind.target;
      row.values = subjects[i].call().values;
      subjects[i].call = checked(subjects[i], row, right, tolerance_of(row.path, type));
      group.rows.push_back(std::move(row));
    }
    measure(subjects, group);
  }

  std::function<outcome()> read_call(read_limit& limit, std::int64_t bytes) {
    return timed([&limit, data = memory_.data(), bytes] {
      return std::vector{static_cast<double>(limit.read(data, bytes))};
    });
  }

  /// The call, whose result is compared each time. What reads only has none; `fsum` has a smaller
  /// sum of its own, whose check is in `add_python`.
  std::function<outcome()> checked(const subject& one, const report_row& row,
                                   const items_sum& right, double tolerance) {
    if (one.path == "read_one_core" || one.path == "math_fsum") return one.call;
    const std::string what = row.op + " " + row.dtype + " " + one.path;
    return [this, call = one.call, right, tolerance, what] {
      outcome answer = call();
      if (!is_right(answer.values.at(0), right, tolerance)) {
        if (num_wrong_ < 20) {
          std::printf("WRONG %s: %a, not %a\n", what.c_str(), answer.values[0], right.exact);
        }
        ++num_wrong_;
      }
      return answer;
    };
  }

  /// NumPy's sum of all items, and math.fsum of a list of some of them: its time is stated as that
  /// of all items, in proportion.
  void add_python(std::vector<subject>& subjects, numpy_peer& python, const double* items,
                  std::int64_t count) {
    subjects.push_back({"numpy", python.call("sum")});
    const auto fsum = python.call("fsum");
    const outcome first = fsum();
    if (std::isnan(first.values.at(0))) return;  // it overflowed on the way
    const auto some = static_cast<std::int64_t>(first.values.at(1));
    const items_sum right =
        sum_of_items(items, some * std::int64_t{sizeof(double)}, dtype::float64);
    if (!is_right(first.values[0], right, 0)) {
      std::printf("WRONG math.fsum: %a, not %a\n", first.values[0], right.exact);
      ++num_wrong_;
    }
    const double scale = static_cast<double>(count) / static_cast<double>(some);
    subjects.push_back({"math_fsum", [fsum, scale] {
                          outcome answer = fsum();
                          answer.ns *= scale;
                          return answer;
                        }});
  }

  void measure(const std::vector<subject>& subjects, report_group& group) {
    time_rows(group, subjects, options_.how);
    group.limit_variant = all_cores_.variant();
    print_group(group, first_group_);
    first_group_ = false;
    rows_.write("exact_cpu", group, where_, runtime_instruction_set());
  }

  options options_;
  provenance where_;
  buffer memory_;
  read_limit all_cores_;
  read_limit one_core_;
  std::string file_;
  json_rows rows_;
  bool first_group_ = true;
  int num_wrong_ = 0;
};

}  // namespace

}  // namespace bench

int main(int argc, char** argv) {
  return bench::run_suite("bench_exact_cpu", argc, argv, [](const auto& words) {
    return bench::suite(bench::parse(words)).run();
  });
}
