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
#include <iterator>
#include <memory>
#include <new>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/array_source.hpp"
#include "cli/failure.hpp"
#include "cli/file_steps.hpp"
#include "cli/fold_source.hpp"
#include "cli/json.hpp"
#include "cli/machine.hpp"
#include "cli/map_file.hpp"
#include "cli/output.hpp"
#include "cli/quantity.hpp"
#include "cli/read_bandwidth.hpp"
#include "cli/same_answers.hpp"
#include "cli/start_threads.hpp"
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
  std::function<int()> run;  // gives the number of threads
  int num_threads = 0;
  std::vector<double> seconds{};
  double median_seconds = 0;
};

#ifdef MADV_POPULATE_READ
constexpr int populate = MADV_POPULATE_READ;
#else
constexpr int populate = 22;  // of the kernel, since 5.14
#endif

// A buffer for each thread, or for as many as there is memory for.
std::vector<aligned_buffer> make_buffers(int num_threads, std::int64_t num_bytes) {
  std::vector<aligned_buffer> buffers;
  buffers.push_back(make_buffer(num_bytes, 4096));
  try {
    while (std::ssize(buffers) < num_threads) buffers.push_back(make_buffer(num_bytes, 4096));
  } catch (const std::bad_alloc&) {  // fewer threads do the work
  }
  return buffers;
}

// Threads take pieces in turn and add up their words. The calls are the system's, not this tool's sources. Returns
// how many threads there were.
int read_bare(const std::string& name, std::int64_t bytes, const bare_loop& loop, int num_threads) {
  const bool maps = loop.way == bare_way::map || loop.way == bare_way::populated_map;
  descriptor opened(
      ::open(name.c_str(), O_RDONLY | O_CLOEXEC | (loop.way == bare_way::direct ? O_DIRECT : 0)));
  struct stat facts {};
  if (opened.get() < 0 || ::fstat(opened.get(), &facts) != 0) {
    throw input_error("cannot open: " + error_text(errno));
  }
  if (facts.st_size != bytes) throw input_error("bench: the file's size changed");
  std::unique_ptr<regular_file> file;
  const std::byte* map = nullptr;
  if (maps) {
    auto mapped = std::make_unique<mapped_file>(std::move(opened), bytes);
    map = mapped->data();
    file = std::move(mapped);
  } else {
    file = std::make_unique<regular_file>(std::move(opened), bytes);
  }
  const std::vector<aligned_buffer> buffers =
      make_buffers(num_threads, maps ? 64 : loop.piece_bytes);
  std::atomic<std::size_t> num_begun{0};
  std::atomic<std::int64_t> next{0};
  std::atomic<std::uint64_t> total{0};
  std::atomic<bool> failed{false};
  const auto work = [&] {
    void* const buffer = buffers[num_begun.fetch_add(1)].get();
    std::uint64_t own = 0;
    for (std::int64_t at = 0; (at = next.fetch_add(loop.piece_bytes)) < bytes;) {
      const std::int64_t count = std::min(loop.piece_bytes, bytes - at);
      const auto* items = maps ? map + at : static_cast<const std::byte*>(buffer);
      if (loop.way == bare_way::populated_map) {
        ::madvise(const_cast<std::byte*>(items), static_cast<std::size_t>(count), populate);
      }
      if (!maps && ::pread(file->file().get(), buffer, static_cast<std::size_t>(loop.piece_bytes),
                           at) != count) {
        failed = true;
      }
      own += sum_of_words(items, items + count);
    }
    total += own;
  };
  auto threads = start_threads(static_cast<int>(buffers.size()) - 1, work);
  work();
  const int used = static_cast<int>(threads.size()) + 1;
  threads.clear();  // joined
  file->check();
  if (failed) throw input_error("cannot read all of the file");
  return used;
}

// The share of a file's pages that are in memory, of which the kernel tells those who may write it.
double share_in_memory(const descriptor& file, std::int64_t num_bytes) {
  const std::int64_t page_bytes = ::sysconf(_SC_PAGESIZE);
  const auto length = static_cast<std::size_t>(num_bytes);
  std::vector<unsigned char> pages(
      static_cast<std::size_t>((num_bytes + page_bytes - 1) / page_bytes));
  void* const map = ::mmap(nullptr, length, PROT_READ, MAP_SHARED, file.get(), 0);
  if (map == MAP_FAILED) throw input_error("cannot map the file: " + error_text(errno));
  const int failure = ::mincore(map, length, pages.data()) == 0 ? 0 : errno;
  ::munmap(map, length);
  if (failure != 0) throw input_error("bench --cold: mincore: " + error_text(failure));
  const auto found = std::count_if(pages.begin(), pages.end(), [](auto page) { return page & 1; });
  return static_cast<double>(found) / static_cast<double>(pages.size());
}

// Leaves the file on its drive alone.
void drop_from_cache(const std::string& name, std::int64_t num_bytes) {
  const descriptor file = open_for_reading(name);
  // What is not written yet would stay. Some file systems that are only read have no such call.
  if (::fsync(file.get()) != 0 && errno != EINVAL && errno != EROFS) {
    throw input_error("bench --cold: fsync: " + error_text(errno));
  }
  const int failure = ::posix_fadvise(file.get(), 0, 0, POSIX_FADV_DONTNEED);
  if (failure != 0) throw input_error("bench --cold: fadvise: " + error_text(failure));
  if (share_in_memory(file, num_bytes) <= 0.01) return;
  struct stat facts {};
  const bool is_told = (::fstat(file.get(), &facts) == 0 && facts.st_uid == ::geteuid()) ||
                       ::faccessat(AT_FDCWD, name.c_str(), W_OK, AT_EACCESS) == 0;
  throw input_error(is_told ? "bench --cold: the file stays in memory"
                            : "bench --cold: only for a file that is yours or that you may write");
}

class file_bench {
 public:
  explicit file_bench(const bench_command& what) : what_(what), file_(*what.file) {
    reduction_.reading = what.reading;
    const auto in = open_source(file_, reduction_.reading);
    if (in->fetch_items() == 0) throw input_error("bench measures files of .npy and raw items");
    type_ = in->type();
    num_bytes_ = *in->total_bytes();
    // Loops have as many threads as the tool has for such a way to read.
    const int threads = fitted_threads(what.cold ? io_mode::direct : io_mode::automatic, *in);
    const auto add_loop = [&](const bare_loop& loop) {
      add("loop", loop.name, [=, this] { return read_bare(file_, num_bytes_, loop, threads); });
    };
    if (what.cold) {
      for (const bare_loop& loop : cold_loops) add_loop(loop);
    } else {
      for (const bare_loop& loop : cached_loops) add_loop(loop);
    }
    for (std::size_t i = 0; i < what.ops.size(); ++i) {
      if (what.ops[i] == runtime::operation::count) continue;  // reads nothing
      for (const auto& [name, io] : modes) {
        if (io == io_mode::direct && !what.cold) continue;
        add(runtime::info(what.ops[i]).name, name, [this, i, io = io] { return reduce(i, io); });
      }
    }
    answers_.resize(what.ops.size());
  }

  std::string measure() {
    using clock = std::chrono::steady_clock;
    const int num_runs = what_.cold ? num_cold_runs : num_cached_runs;
    for (int run = what_.cold ? 0 : -1; run < num_runs; ++run) {  // the first one brings the file
      for (subject& one : subjects_) {
        if (what_.cold) drop_from_cache(file_, num_bytes_);
        const clock::time_point start = clock::now();
        one.num_threads = one.run();
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
  void add(std::string_view op, std::string_view way, std::function<int()> run) {
    subjects_.push_back({std::string(op), std::string(way), std::move(run)});
  }

  int fitted_threads(io_mode io, const source& in) const {
    reduce_command command = reduction_;
    command.reading.io = io;
    runtime::request request;
    request.num_threads = what_.num_threads;
    fit_threads(command, request, in);
    return request.num_threads > 0 ? request.num_threads : num_cores();
  }

  int reduce(std::size_t index, io_mode io) {
    reduce_command command = reduction_;
    command.reading.io = io;
    runtime::request request;
    request.num_threads = what_.num_threads;
    request.ops = {what_.ops[index]};
    const auto in = open_for(command, file_, request);
    fit_threads(command, request, *in);
    runtime::reducer out(request);
    fold_source(*in, out, [](std::int64_t) {});
    const std::vector<runtime::answer> found = out.finish();
    if (answers_[index].empty()) answers_[index] = found;
    if (!same_answers(answers_[index], found)) {
      throw std::runtime_error("bench: two ways to read the file gave different answers");
    }
    return request.num_threads > 0 ? request.num_threads : num_cores();
  }

  double gbps(const subject& one) const {
    return static_cast<double>(num_bytes_) / one.median_seconds * 1e-9;
  }

  std::string json_text_of(double best, int num_runs) const {
    std::string out;
    for (const subject& one : subjects_) {
      json_object row;
      row.add("op", one.op)
          .add("io", one.way)
          .add("file", file_)
          .add("cold", what_.cold)
          .add("dtype", info(type_).name)
          .add("bytes", num_bytes_)
          .add("threads", one.num_threads);
      if (one.op != "loop") row.add("instruction_set", runtime::instruction_set());
      out += row.add("runs", num_runs)
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
        {"operation", "way", "threads", "ms", "GB/s", "of the best loop"}};
    for (const subject& one : subjects_) {
      lines.push_back({one.op, one.way, std::to_string(one.num_threads),
                       fmt::format("{:.2f}", one.median_seconds * 1e3),
                       fmt::format("{:.2f}", gbps(one)),
                       fmt::format("{:.0f} %", 100 / one.median_seconds / best)});
    }
    return fmt::format("{} of {} in {}, {}, {}; median of {} runs\n\n",
                       bytes_text(static_cast<double>(num_bytes_)), info(type_).name,
                       shown_name(file_), what_.cold ? "on its drive" : "in the page cache",
                       runtime::instruction_set(), num_runs) +
           aligned_table(lines, {align::left, align::left, align::right});
  }

  const bench_command& what_;
  std::string file_;
  reduce_command reduction_{};
  dtype type_ = dtype::float64;
  std::int64_t num_bytes_ = 0;
  std::vector<subject> subjects_{};
  std::vector<std::vector<runtime::answer>> answers_{};
};

}  // namespace

std::string bench_file(const bench_command& what) { return file_bench(what).measure(); }

}  // namespace monofold::cli
