/// Rows and columns of an array, from a .npy file that bench/peers_axes.py writes: a line of JSON a call.
///
/// A loop that reads all items, on as many threads, says what memory gives.
///
/// usage: bench_axes_cpu FILE.npy TYPE COUNT THREADS LENGTH...

#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <functional>
#include <type_traits>
#include <vector>

#include "bench/harness/read_limit.hpp"
#include "monofold/monofold.h"
#include "monofold/monofold.hpp"
#include "monofold/reduce_axis.hpp"

namespace {

namespace mf = monofold;

constexpr int samples = 3;

/// Memory of large pages, as NumPy asks for it too.
template <class Item>
Item* large_array(std::int64_t count) {
  constexpr std::size_t page = std::size_t{2} << 20;
  const std::size_t bytes =
      (static_cast<std::size_t>(count) * sizeof(Item) + page - 1) / page * page;
  void* const memory = std::aligned_alloc(page, bytes);
  if (memory == nullptr) std::exit(3);
  ::madvise(memory, bytes, MADV_HUGEPAGE);
  std::memset(memory, 0, bytes);
  return static_cast<Item*>(memory);
}

double process_seconds() {
  std::timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct cost {
  double wall_ms;
  double processor_ms;
};

/// The least time on the clock, and the least processor time.
cost least(const std::function<void()>& call) {
  cost out{1e9, 1e9};
  for (int i = 0; i <= samples; ++i) {
    const auto start = std::chrono::steady_clock::now();
    const double used = process_seconds();
    call();
    const double processor = process_seconds() - used;
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
    if (i == 0) continue;  // pages of the answers are touched
    out = {std::min(out.wall_ms, passed.count() * 1e3),
           std::min(out.processor_ms, processor * 1e3)};
  }
  return out;
}

template <class Item>
class suite {
 public:
  suite(const Item* items, std::int64_t count, const mf::dtype_info& type, int threads)
      : items_(items),
        count_(count),
        type_(type),
        threads_(threads),
        answers_(large_array<double>(2 * count)) {}

  void run(std::int64_t length) {
    if (length < 1 || length > count_) return;
    for (const int axis : {1, 0}) {
      if constexpr (std::is_floating_point_v<Item>) {
        header("sum", mf::sum, length, axis);
        header("plain sum", mf::plain_sum, length, axis);
        header("max", mf::max, length, axis);
        header("mean", mf::mean, length, axis);
      }
      library("sum", MONOFOLD_SUM, false, length, axis);
      if (type_.type == mf::dtype::float32) {
        library("sum as float32", MONOFOLD_SUM, false, length, axis, MONOFOLD_FLOAT32);
      }
      library("plain sum", MONOFOLD_SUM, true, length, axis);
      library("max", MONOFOLD_MAX, false, length, axis);
      library("mean", MONOFOLD_MEAN, false, length, axis);
      library("argmax", MONOFOLD_ARGMAX, false, length, axis);
      library("std", MONOFOLD_STD, false, length, axis);
    }
  }

 private:
  mf::axis_numbers extents(std::int64_t length, int axis) const {
    const std::int64_t rows = count_ / length;
    return axis == 1 ? mf::axis_numbers{rows, length} : mf::axis_numbers{length, rows};
  }

  template <class F>
  void header(const char* op, const F& fold, std::int64_t length, int axis) {
    const mf::array_view<Item> view(items_, extents(length, axis));
    auto* const out = reinterpret_cast<mf::finished_t<F, Item>*>(answers_);
    const cost found =
        least([&] { mf::reduce_axis_into(mf::cpu(threads_), view, {axis}, fold, out); });
    print("header", op, length, axis, found, 0);
  }

  /// `asked`: the type of answers, if not their own.
  void library(const char* op, monofold_operation which, bool plain, std::int64_t length, int axis,
               monofold_dtype asked = -1) {
    const mf::array_view<Item> view(items_, extents(length, axis));
    const auto dtype = static_cast<monofold_dtype>(type_.type);
    const std::int64_t reduced = axis;
    monofold_options options = MONOFOLD_OPTIONS_INIT;
    options.num_threads = threads_;
    options.plain = plain ? 1 : 0;
    monofold_dtype answer = dtype;
    if (monofold_answer_dtype(which, dtype, &options, &answer) != MONOFOLD_OK) std::exit(4);
    if (asked >= 0) answer = asked;
    auto* const indices = reinterpret_cast<std::int64_t*>(answers_ + count_);
    const cost found = least([&] {
      const monofold_status status = monofold_reduce_axis_into(
          items_, dtype, 2, view.extents().begin(), nullptr, &reduced, 1, which, &options, answer,
          answers_, nullptr, indices, count_, nullptr);
      if (status != MONOFOLD_OK) std::exit(4);
    });
    const double first = answer == MONOFOLD_FLOAT32   ? *reinterpret_cast<const float*>(answers_)
                         : answer == MONOFOLD_FLOAT64 ? *answers_
                                                      : 0;
    print("library", op, length, axis, found, first);
  }

  void print(const char* path, const char* op, std::int64_t length, int axis, const cost& found,
             double first) {
    std::printf(
        "{\"path\":\"%s\",\"type\":\"%s\",\"op\":\"%s\",\"axis\":%d,\"length\":%lld,\"wall_ms\":%."
        "2f,"
        "\"processor_ms\":%.2f,\"first\":%.17g}\n",
        path, type_.name.data(), op, axis, static_cast<long long>(length), found.wall_ms,
        found.processor_ms, first);
    std::fflush(stdout);
  }

  const Item* items_;
  std::int64_t count_;
  const mf::dtype_info& type_;
  int threads_;
  double* answers_;  // a `result` takes two
};

template <class Item>
int run(const char* path, std::int64_t count, int threads, const std::vector<std::int64_t>& lengths,
        const mf::dtype_info& type) {
  Item* const items = large_array<Item>(count);
  const std::int64_t bytes = count * static_cast<std::int64_t>(sizeof(Item));
  std::ifstream file(path, std::ios::binary);
  file.seekg(128);  // the header of a small .npy file of one dimension
  file.read(reinterpret_cast<char*>(items), bytes);
  if (!file) return 3;
  bench::read_limit limit(threads);
  limit.tune(items, bytes);
  const cost found = least([&] { static_cast<void>(limit.read(items, bytes)); });
  std::printf("{\"path\":\"read limit\",\"type\":\"%s\",\"wall_ms\":%.2f,\"processor_ms\":%.2f}\n",
              type.name.data(), found.wall_ms, found.processor_ms);
  suite<Item> all(items, count, type, threads);
  for (const std::int64_t length : lengths) all.run(length);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 6) return 2;
  const int threads = std::atoi(argv[4]);
  const std::int64_t count = std::atoll(argv[3]);
  std::vector<std::int64_t> lengths;
  for (int i = 5; i < argc; ++i) lengths.push_back(std::atoll(argv[i]));
  const auto type = mf::dtype_from_name(argv[2]);
  if (!type) return 2;
  return mf::visit_dtype(*type, [&]<class Item>() {
    return run<Item>(argv[1], count, threads, lengths, mf::info(*type));
  });
}
