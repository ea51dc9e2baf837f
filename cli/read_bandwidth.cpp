#include "cli/read_bandwidth.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <iterator>

#include "cli/start_threads.hpp"

namespace monofold::cli {
namespace {

// 32 bytes as four numbers: one register with AVX2, two without.
using vector_of_four [[gnu::vector_size(32)]] = std::uint64_t;

constexpr std::int64_t step_bytes = 128;  // two cache lines, four vectors
// So far ahead that lines come from memory while those before are added: latency 100 ns x 20 GB/s = 2 KiB. Some
// processors are faster where they are asked for the next page, so runs take turns.
constexpr std::int64_t prefetch_bytes[] = {2048, 8192};
// What a thread takes at a time: a thread that is held up leaves the rest to others.
constexpr std::int64_t piece_bytes = 1 << 21;

[[gnu::always_inline]] inline std::uint64_t add_up(const std::byte* at, const std::byte* end,
                                                   std::int64_t ahead) {
  vector_of_four sums[4]{};
  for (; end - at >= step_bytes; at += step_bytes) {
    __builtin_prefetch(at + ahead);
    __builtin_prefetch(at + ahead + 64);
    for (int i = 0; i < 4; ++i) {
      vector_of_four items;
      std::memcpy(&items, at + 32 * i, sizeof items);
      sums[i] += items;
    }
  }
  const vector_of_four all = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  std::uint64_t total = all[0] + all[1] + all[2] + all[3];
  for (; at < end; ++at) total += std::to_integer<std::uint64_t>(*at);
  return total;
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] std::uint64_t add_up_avx2(const std::byte* at, const std::byte* end,
                                                  std::int64_t ahead) {
  return add_up(at, end, ahead);
}
#endif

std::uint64_t add_up_best(const std::byte* at, const std::byte* end, std::int64_t ahead) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) return add_up_avx2(at, end, ahead);
#endif
  return add_up(at, end, ahead);
}

}  // namespace

std::uint64_t sum_of_words(const std::byte* begin, const std::byte* end) {
  return add_up_best(begin, end, prefetch_bytes[0]);
}

double read_gbps(const void* data, std::int64_t num_bytes, int num_threads, int num_runs) {
  using clock = std::chrono::steady_clock;
  const auto* const begin = static_cast<const std::byte*>(data);
  std::atomic<std::uint64_t> total{0};
  double best_seconds = 0;
  for (int run = 0; run < num_runs; ++run) {
    std::atomic<bool> go{false};
    std::atomic<std::int64_t> taken{0};
    const auto read_pieces = [&, ahead = prefetch_bytes[run % std::size(prefetch_bytes)]] {
      std::uint64_t own = 0;
      for (std::int64_t at = 0; (at = taken.fetch_add(piece_bytes)) < num_bytes;) {
        own += add_up_best(begin + at, begin + std::min(at + piece_bytes, num_bytes), ahead);
      }
      total += own;
    };
    const auto read_when_told = [&] {
      go.wait(false);
      read_pieces();
    };
    auto threads = start_threads(num_threads - 1, read_when_told);
    const clock::time_point start = clock::now();
    go = true;
    go.notify_all();
    read_pieces();
    threads.clear();  // joined
    const double seconds = std::chrono::duration<double>(clock::now() - start).count();
    best_seconds = run == 0 ? seconds : std::min(best_seconds, seconds);
  }
  return static_cast<double>(num_bytes) / best_seconds * 1e-9;
}

}  // namespace monofold::cli
