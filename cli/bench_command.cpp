#include <fmt/core.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "cli/array_source.hpp"
#include "cli/attempt.hpp"
#include "cli/bench_file.hpp"
#include "cli/execute.hpp"
#include "cli/failure.hpp"
#include "cli/json.hpp"
#include "cli/machine.hpp"
#include "cli/output.hpp"
#include "cli/quantity.hpp"
#include "cli/read_bandwidth.hpp"
#include "cli/same_answers.hpp"
#include "cli/sample_data.hpp"
#include "cli/start_threads.hpp"
#include "cli/table.hpp"

namespace monofold::cli {
namespace {

using runtime::operation;

constexpr int num_runs = 11;  // odd, so that the median is one of them

struct measurement {
  std::string name;
  double median_seconds = 0;
  double gbps = 0;
};

// The data to measure on, in large pages where the system lends them.
class bench_data {
 public:
  bench_data(dtype type, std::int64_t num_bytes, int num_threads)
      : num_items_(num_bytes / info(type).size_bytes),
        buffer_(make_buffer(num_items_ * info(type).size_bytes + large_page_bytes)) {
    const auto address = reinterpret_cast<std::uintptr_t>(buffer_.get());
    const std::uintptr_t rest = address % large_page_bytes;
    items_ = static_cast<std::byte*>(buffer_.get()) + (rest == 0 ? 0 : large_page_bytes - rest);
    ::madvise(items_, static_cast<std::size_t>(num_items_ * info(type).size_bytes), MADV_HUGEPAGE);
    // Whole numbers are small, so that sums fit; no item is 0, and products of floats stay near 1.
    const distribution shape =
        info(type).is_floating ? distribution::uniform : distribution::integers;
    std::atomic<std::int64_t> next{0};
    const auto fill_slices = [&] {
      for (std::int64_t i = 0; (i = next.fetch_add(1)) < num_threads;) {
        const std::int64_t from = num_items_ * i / num_threads;
        const std::int64_t to = num_items_ * (i + 1) / num_threads;
        fill_items(type, shape, 1, from, to - from, items_ + from * info(type).size_bytes);
      }
    };
    const auto threads = start_threads(num_threads - 1, fill_slices);
    fill_slices();
  }

  const std::byte* items() const { return items_; }
  std::int64_t num_items() const { return num_items_; }

 private:
  static constexpr std::int64_t large_page_bytes = 2 << 20;
  std::int64_t num_items_;
  aligned_buffer buffer_;
  std::byte* items_ = nullptr;
};

std::vector<runtime::answer> reduce_once(const runtime::request& what, const bench_data& data) {
  runtime::reducer out(what);
  if (what.ops.front() == operation::dot) {
    const std::int64_t half = data.num_items() / 2;
    out.push_pairs(data.items(), data.items() + half * info(what.type).size_bytes, half);
  } else {
    out.push(data.items(), data.num_items());
  }
  return out.finish();
}

measurement measure(const std::string& name, const runtime::request& what, const bench_data& data) {
  using clock = std::chrono::steady_clock;
  const std::vector<runtime::answer> expected = reduce_once(what, data);  // also warms up
  std::vector<double> seconds;
  for (int run = 0; run < num_runs; ++run) {
    const clock::time_point start = clock::now();
    const std::vector<runtime::answer> found = reduce_once(what, data);
    seconds.push_back(std::chrono::duration<double>(clock::now() - start).count());
    if (!same_answers(expected, found)) {
      throw std::runtime_error(fmt::format("bench: {}: two runs gave different answers", name));
    }
  }
  std::nth_element(seconds.begin(), seconds.begin() + num_runs / 2, seconds.end());
  const double median = seconds[num_runs / 2];
  const auto num_bytes = static_cast<double>(data.num_items() * info(what.type).size_bytes);
  return {name, median, num_bytes / median * 1e-9};
}

bool has_stats(const std::vector<operation>& ops) {
  return std::all_of(
      runtime::stats_operations.begin(), runtime::stats_operations.end(), [&](operation op) {
        return op == operation::count || std::find(ops.begin(), ops.end(), op) != ops.end();
      });
}

std::string table_text(const std::vector<measurement>& rows, double limit) {
  std::vector<std::vector<std::string>> lines{{"operation", "ms", "GB/s", "of read"}};
  for (const measurement& row : rows) {
    lines.push_back({row.name, fmt::format("{:.2f}", row.median_seconds * 1e3),
                     fmt::format("{:.2f}", row.gbps),
                     fmt::format("{:.0f} %", 100 * row.gbps / limit)});
  }
  return aligned_table(lines, {align::left, align::right});
}

std::string json_text(const bench_command& what, const std::vector<measurement>& rows, double limit,
                      int threads, std::int64_t num_bytes) {
  std::string out;
  for (const measurement& row : rows) {
    out += json_object()
               .add("op", row.name)
               .add("dtype", info(what.type).name)
               .add("bytes", num_bytes)
               .add("threads", threads)
               .add("instruction_set", runtime::instruction_set())
               .add("runs", num_runs)
               .add("median_seconds", row.median_seconds)
               .add("gbps", row.gbps)
               .add("share_of_read", row.gbps / limit)
               .text() +
           '\n';
  }
  return out;
}

}  // namespace

int execute(const bench_command& what) {
  if (!what.instruction_set.empty()) runtime::use_instruction_set(what.instruction_set);
  if (what.file) {
    return attempt(*what.file, [&] { write_out(bench_file(what)); });
  }
  const int threads = what.num_threads > 0 ? what.num_threads : num_cores();
  const bench_data data(what.type, what.size_bytes, threads);
  const std::int64_t num_bytes = data.num_items() * info(what.type).size_bytes;
  // On a machine shared with others the limit moves: it is taken before and after the operations.
  double limit = read_gbps(data.items(), num_bytes, threads, num_runs);

  std::vector<measurement> rows;
  runtime::request request;
  request.type = what.type;
  request.num_threads = what.num_threads;
  for (const operation op : what.ops) {
    if (op == operation::count) continue;  // reads nothing
    request.ops = {op};
    rows.push_back(measure(std::string(runtime::info(op).name), request, data));
  }
  if (has_stats(what.ops)) {
    request.ops.assign(runtime::stats_operations.begin(), runtime::stats_operations.end());
    rows.push_back(measure("stats", request, data));
  }
  limit = std::max(limit, read_gbps(data.items(), num_bytes, threads, num_runs));
  rows.insert(rows.begin(), {"read", static_cast<double>(num_bytes) / limit * 1e-9, limit});
  if (what.form == output_form::json) {
    write_out(json_text(what, rows, limit, threads, num_bytes));
    return exit_code::ok;
  }
  write_out(fmt::format("{} of {} in memory, {} threads, {}; median of {} runs, read: the best\n\n",
                        bytes_text(static_cast<double>(num_bytes)), info(what.type).name, threads,
                        runtime::instruction_set(), num_runs) +
            table_text(rows, limit));
  return exit_code::ok;
}

}  // namespace monofold::cli
