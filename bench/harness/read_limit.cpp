#include "bench/harness/read_limit.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define MONOFOLD_BENCH_X86 1
#endif

namespace bench {

namespace {

/// First choice: 1 MiB lasts some 50 us, a thousand times what the counter costs.
constexpr std::int64_t usual_piece_bytes = std::int64_t{1} << 20;

/// Bytes that a stream advances by before the next stream has its turn: four cache lines.
constexpr std::int64_t step_bytes = 256;

/// Every byte, in a way that any compiler vectorises for its baseline.
template <int streams>
std::uint64_t read_plain(const char* at, std::int64_t bytes, std::int64_t ahead) {
  constexpr int words = step_bytes / 8;
  const std::int64_t part = bytes / streams / step_bytes * step_bytes;
  std::uint64_t own[words] = {};
  for (std::int64_t done = 0; done < part; done += step_bytes) {
    for (int s = 0; s < streams; ++s) {
      const char* const from = at + s * part + done;
#if defined(__GNUC__)
      if (ahead != 0) {
        for (int line = 0; line < step_bytes; line += 64) __builtin_prefetch(from + ahead + line);
      }
#endif
      std::uint64_t word[words];
      std::memcpy(word, from, sizeof word);
      for (int w = 0; w < words; ++w) own[w] ^= word[w];
    }
  }
  std::uint64_t all = 0;
  for (const std::uint64_t word : own) all ^= word;
  for (std::int64_t rest = streams * part; rest < bytes; ++rest) {
    all ^= static_cast<unsigned char>(at[rest]);
  }
  return all;
}

#if defined(MONOFOLD_BENCH_X86)

template <int streams>
__attribute__((target("avx2"))) std::uint64_t read_avx2(const char* at, std::int64_t bytes,
                                                        std::int64_t ahead) {
  const std::int64_t part = bytes / streams / step_bytes * step_bytes;
  __m256i own[8];
  for (__m256i& o : own) o = _mm256_setzero_si256();
  for (std::int64_t done = 0; done < part; done += step_bytes) {
#pragma GCC unroll 8
    for (int s = 0; s < streams; ++s) {
      const char* const from = at + s * part + done;
#pragma GCC unroll 8
      for (int v = 0; v < 8; ++v) {
        if (ahead != 0 && v % 2 == 0) __builtin_prefetch(from + ahead + 32 * v);
        const __m256i* const p = reinterpret_cast<const __m256i*>(from) + v;
        own[v] = _mm256_xor_si256(own[v], _mm256_loadu_si256(p));
      }
    }
  }
  for (int v = 1; v < 8; ++v) own[0] = _mm256_xor_si256(own[0], own[v]);
  std::uint64_t word[4];
  std::memcpy(word, own, sizeof word);
  const std::int64_t read = streams * part;
  return word[0] ^ word[1] ^ word[2] ^ word[3] ^ read_plain<1>(at + read, bytes - read, 0);
}

template <int streams>
__attribute__((target("avx512f"))) std::uint64_t read_avx512(const char* at, std::int64_t bytes,
                                                             std::int64_t ahead) {
  const std::int64_t part = bytes / streams / step_bytes * step_bytes;
  __m512i own[4];
  for (__m512i& o : own) o = _mm512_setzero_si512();
  for (std::int64_t done = 0; done < part; done += step_bytes) {
#pragma GCC unroll 8
    for (int s = 0; s < streams; ++s) {
      const char* const from = at + s * part + done;
#pragma GCC unroll 4
      for (int v = 0; v < 4; ++v) {
        if (ahead != 0) __builtin_prefetch(from + ahead + 64 * v);
        own[v] = _mm512_xor_si512(own[v], _mm512_loadu_si512(from + 64 * v));
      }
    }
  }
  for (int v = 1; v < 4; ++v) own[0] = _mm512_xor_si512(own[0], own[v]);
  std::uint64_t word[8];
  std::memcpy(word, own, sizeof word);
  std::uint64_t all = 0;
  for (const std::uint64_t w : word) all ^= w;
  const std::int64_t read = streams * part;
  return all ^ read_plain<1>(at + read, bytes - read, 0);
}

#endif

std::vector<read_variant> variants() {
  std::vector<read_variant> list;
  const auto add = [&list](const std::string& name, read_variant::kernel one,
                           read_variant::kernel two, read_variant::kernel four) {
    for (const std::int64_t ahead : {0, 1024, 2048, 4096, 8192}) {
      const std::string text = name + ", prefetch " + std::to_string(ahead) + " B ahead";
      list.push_back({text, one, ahead, usual_piece_bytes});
      list.push_back({text + ", 2 streams", two, ahead, usual_piece_bytes});
      list.push_back({text + ", 4 streams", four, ahead, usual_piece_bytes});
    }
  };
  add("baseline", read_plain<1>, read_plain<2>, read_plain<4>);
#if defined(MONOFOLD_BENCH_X86)
  if (__builtin_cpu_supports("avx2")) add("AVX2", read_avx2<1>, read_avx2<2>, read_avx2<4>);
  if (__builtin_cpu_supports("avx512f")) {
    add("AVX-512", read_avx512<1>, read_avx512<2>, read_avx512<4>);
  }
#endif
  return list;
}

}  // namespace

crew::crew(int num_threads) {
  for (int t = 1; t < num_threads; ++t) threads_.emplace_back([this] { wait_for_work(); });
}

crew::~crew() {
  stop_ = true;
  ++round_;
  round_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void crew::run(const std::function<void()>& work) {
  work_ = &work;
  busy_ = static_cast<std::uint32_t>(threads_.size());
  ++round_;  // work_ and busy_ written above are seen by whoever sees this
  round_.notify_all();
  work();
  for (std::uint32_t left = busy_; left != 0; left = busy_) busy_.wait(left);
}

void crew::wait_for_work() {
  for (std::uint32_t seen = 0;;) {
    round_.wait(seen);
    seen = round_;
    if (stop_) return;
    (*work_)();
    if (--busy_ == 0) busy_.notify_all();
  }
}

read_limit::read_limit(int num_threads) : crew_(num_threads), best_(variants().front()) {}

void read_limit::tune(const void* data, std::int64_t bytes) {
  best_ = fastest(variants(), data, bytes);
  std::vector<read_variant> sizes;
  for (const int shift : {17, 18, 19, 20, 21, 22, 23, 24}) {
    sizes.push_back(best_);
    sizes.back().piece_bytes = std::int64_t{1} << shift;
    sizes.back().name += ", pieces of " + std::to_string(1 << (shift - 10)) + " KiB";
  }
  best_ = fastest(sizes, data, bytes);
}

std::uint64_t read_limit::read(const void* data, std::int64_t bytes) {
  return read_with(best_, data, bytes);
}

const read_variant& read_limit::fastest(const std::vector<read_variant>& list, const void* data,
                                        std::int64_t bytes) {
  // Round by round, so that a busy moment of the machine does not decide; the best time of each.
  constexpr int rounds = 7;
  std::vector<double> best_ns(list.size(), std::numeric_limits<double>::infinity());
  volatile std::uint64_t sink = 0;
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t v = 0; v < list.size(); ++v) {
      const auto start = std::chrono::steady_clock::now();
      sink = read_with(list[v], data, bytes);
      const std::chrono::duration<double, std::nano> ns = std::chrono::steady_clock::now() - start;
      best_ns[v] = std::min(best_ns[v], ns.count());
    }
  }
  static_cast<void>(sink);
  return list[static_cast<std::size_t>(std::min_element(best_ns.begin(), best_ns.end()) -
                                       best_ns.begin())];
}

std::uint64_t read_limit::read_with(const read_variant& variant, const void* data,
                                    std::int64_t bytes) {
  std::atomic<std::int64_t> next{0};
  std::atomic<std::uint64_t> all{0};
  crew_.run([&] {
    std::uint64_t own = 0;
    const std::int64_t piece = variant.piece_bytes;
    for (std::int64_t at; (at = next.fetch_add(piece)) < bytes;) {
      own ^= variant.read(static_cast<const char*>(data) + at, std::min(piece, bytes - at),
                          variant.ahead);
    }
    all ^= own;
  });
  return all;
}

}  // namespace bench
