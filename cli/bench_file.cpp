#include "cli/bench_file.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "cli/array_source.hpp"
#include "cli/failure.hpp"
#include "cli/file_steps.hpp"
#include "cli/fold_source.hpp"
#include "cli/json.hpp"
#include "cli/machine.hpp"
#include "cli/output.hpp"
#include "cli/quantity.hpp"
#include "cli/read_bandwidth.hpp"
#include "cli/same_answers.hpp"
#include "cli/table.hpp"

namespace monofold::cli {
namespace {

constexpr int num_cached_runs = 11;  // odd, so that the median is one of them
constexpr int num_cold_runs = 5;     // a drive is slow

enum class bare_way { map, populated_map, read, direct };

struct bare_loop {
  std::string_view name;
  bare_way way;
  std::int64_t piece_bytes;
};

constexpr bare_loop cached_loops[] = {{"map", bare_way::map, 1 << 20},
                                      {"map, pages asked for", bare_way::populated_map, 1 << 20},
                                      {"pread, 64 KiB", bare_way::read, 64 << 10},
                                      {"pread, 256 KiB", bare_way::read, 256 << 10},
                                      {"pread, 1 MiB", bare_way::read, 1 << 20}};
constexpr bare_loop cold_loops[] = {{"O_DIRECT, 1 MiB", bare_way::direct, 1 << 20},
                                    {"O_DIRECT, 4 MiB", bare_way::direct, 4 << 20}};
constexpr std::pair<std::string_view, io_mode> modes[] = {{"auto", io_mode::automatic},
                                                          {"map", io_mode::map},
                                                          {"read", io_mode::read},
                                                          {"direct", io_mode::direct}};

struct subject {
  std::string op;
  std::string way;
  std::function<void()> run;
  std::vector<double> seconds{};
  double median_seconds = 0;
};

#ifdef MADV_POPULATE_READ
constexpr int populate = MADV_POPULATE_READ;
#else
constexpr int populate = 22;  // of the kernel, since 5.14
#endif

// Threads take pieces in turn and add up their words. The calls are the system's, not this tool's sources.
void read_bare(const std::string& name, const bare_loop& loop, int num_threads) {
  const bool maps = loop.way == bare_way::map || loop.way == bare_way::populated_map;
  const descriptor file(
      ::open(name.c_str(), O_RDONLY | O_CLOEXEC | (loop.way == bare_way::direct ? O_DIRECT : 0)));
  struct stat facts {};
  if (file.get() < 0 || ::fstat(file.get(), &facts) != 0) {
    throw input_error("cannot open: " + error_text(errno));
  }
  const std::int64_t bytes = facts.st_size;
  void* const map =
      maps ? ::mmap(nullptr, static_cast<std::size_t>(bytes), PROT_READ, MAP_SHARED, file.get(), 0)
           : nullptr;
  if (map == MAP_FAILED) throw input_error("cannot map the file: " + error_text(errno));
  std::atomic<std::int64_t> next{0};
  std::atomic<std::uint64_t> total{0};
  std::atomic<bool> failed{false};
  const auto work = [&] {
    const aligned_buffer buffer = make_buffer(maps ? 64 : loop.piece_bytes, 4096);
    std::uint64_t own = 0;
    for (std::int64_t at = 0; (at = next.fetch_add(loop.piece_bytes)) < bytes;) {
      const std::int64_t count = std::min(loop.piece_bytes, bytes - at);
      const auto* items = static_cast<const std::byte*>(buffer.get());
      if (maps) {
        items = static_cast<const std::byte*>(map) + at;
        if (loop.way == bare_way::populated_map) {
          ::madvise(static_cast<std::byte*>(map) + at, static_cast<std::size_t>(count), populate);
        }
      } else if (::pread(file.get(), buffer.get(), static_cast<std::size_t>(loop.piece_bytes),
                         at) != count) {
        failed = true;
      }
      own += sum_of_words(items, items + count);
    }
    total += own;
  };
  std::vector<std::thread> threads;
  for (int i = 1; i < num_threads; ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  if (maps) ::munmap(map, static_cast<std::size_t>(bytes));
  if (failed) throw input_error("cannot read all of the file");
}

// Leaves the file on its drive alone.
void drop_from_cache(const std::string& name) {
  const descriptor file = open_for_reading(name);
  ::fsync(file.get());  // what is not written yet would stay
  ::posix_fadvise(file.get(), 0, 0, POSIX_FADV_DONTNEED);
  unsigned char first = 0;
  void* const page = ::mmap(nullptr, 1, PROT_READ, MAP_SHARED, file.get(), 0);
  if (page == MAP_FAILED) return;
  ::mincore(page, 1, &first);
  ::munmap(page, 1);
  if ((first & 1) != 0) {
    throw input_error("bench --cold: the file stays in memory");
  }
}

class file_bench {
 public:
  explicit file_bench(const bench_command& what)
      : what_(what), threads_(what.num_threads > 0 ? what.num_threads : num_cores()) {
    reduction_.reading = what.reading;
    const auto in = open_source(what.file, reduction_.reading);
    if (in->fetch_items() == 0) throw input_error("bench measures files of .npy and raw items");
    type_ = in->type();
    num_bytes_ = *in->total_bytes();
    for (const bare_loop& loop : cached_loops) {
      if (!what.cold)
        add("loop", loop.name, [this, loop] { read_bare(what_.file, loop, threads_); });
    }
    for (const bare_loop& loop : cold_loops) {
      // As many as the tool has for them.
      if (what.cold) {
        add("loop", loop.name, [this, loop] { read_bare(what_.file, loop, 2 * threads_); });
      }
    }
    for (std::size_t i = 0; i < what.ops.size(); ++i) {
      for (const auto& [name, io] : modes) {
        if (io == io_mode::direct && !what.cold) continue;
        add(runtime::info(what.ops[i]).name, name, [this, i, io = io] { reduce(i, io); });
      }
    }
    answers_.resize(what.ops.size());
  }

  std::string measure() {
    using clock = std::chrono::steady_clock;
    const int num_runs = what_.cold ? num_cold_runs : num_cached_runs;
    for (int run = what_.cold ? 0 : -1; run < num_runs; ++run) {  // the first one brings the file
      for (subject& one : subjects_) {
        if (what_.cold) drop_from_cache(what_.file);
        const clock::time_point start = clock::now();
        one.run();
        const double seconds = std::chrono::duration<double>(clock::now() - start).count();
        if (run >= 0) one.seconds.push_back(seconds);
      }
    }
    double best = 0;
    for (subject& one : subjects_) {
      std::nth_element(one.seconds.begin(), one.seconds.begin() + num_runs / 2, one.seconds.end());
      one.median_seconds = one.seconds[static_cast<std::size_t>(num_runs / 2)];
      if (one.op == "loop") best = std::max(best, 1 / one.median_seconds);
    }
    return what_.form == output_form::json ? json_text_of(best, num_runs)
                                           : table_text_of(best, num_runs);
  }

 private:
  void add(std::string_view op, std::string_view way, std::function<void()> run) {
    subjects_.push_back({std::string(op), std::string(way), std::move(run)});
  }

  void reduce(std::size_t index, io_mode io) {
    reduce_command command = reduction_;
    command.reading.io = io;
    runtime::request request;
    request.num_threads = what_.num_threads;
    request.ops = {what_.ops[index]};
    const auto in = open_for(command, what_.file, request);
    fit_threads(command, request, *in);
    runtime::reducer out(request);
    fold_source(*in, out, [](std::int64_t) {});
    const std::vector<runtime::answer> found = out.finish();
    if (answers_[index].empty()) answers_[index] = found;
    if (!same_answers(answers_[index], found)) {
      throw std::runtime_error("bench: two ways to read the file gave different answers");
    }
  }

  double gbps(const subject& one) const {
    return static_cast<double>(num_bytes_) / one.median_seconds * 1e-9;
  }

  std::string json_text_of(double best, int num_runs) const {
    std::string out;
    for (const subject& one : subjects_) {
      out += json_object()
                 .add("op", one.op)
                 .add("io", one.way)
                 .add("file", what_.file)
                 .add("cold", what_.cold)
                 .add("dtype", info(type_).name)
                 .add("bytes", num_bytes_)
                 .add("threads", threads_)
                 .add("instruction_set", runtime::instruction_set())
                 .add("runs", num_runs)
                 .add("median_seconds", one.median_seconds)
                 .add("gbps", gbps(one))
                 .add("share_of_best_loop", 1 / one.median_seconds / best)
                 .text() +
             '\n';
    }
    return out;
  }

  std::string table_text_of(double best, int num_runs) const {
    std::vector<std::vector<std::string>> lines{
        {"operation", "way", "ms", "GB/s", "of the best loop"}};
    for (const subject& one : subjects_) {
      lines.push_back({one.op, one.way, fmt::format("{:.2f}", one.median_seconds * 1e3),
                       fmt::format("{:.2f}", gbps(one)),
                       fmt::format("{:.0f} %", 100 / one.median_seconds / best)});
    }
    return fmt::format("{} of {} in {}, {}, {} threads, {}; median of {} runs\n\n",
                       bytes_text(static_cast<double>(num_bytes_)), info(type_).name,
                       shown_name(what_.file), what_.cold ? "on its drive" : "in the page cache",
                       threads_, runtime::instruction_set(), num_runs) +
           aligned_table(lines, {align::left, align::left, align::right});
  }

  const bench_command& what_;
  int threads_;
  reduce_command reduction_{};
  dtype type_ = dtype::float64;
  std::int64_t num_bytes_ = 0;
  std::vector<subject> subjects_{};
  std::vector<std::vector<runtime::answer>> answers_{};
};

}  // namespace

std::string bench_file(const bench_command& what) { return file_bench(what).measure(); }

}  // namespace monofold::cli
