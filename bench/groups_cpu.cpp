/// Groups of float64 by int64 keys, from two .npy files that bench/peers_groups.py writes: a line of JSON a fold.
///
/// usage: bench_groups_cpu KEYS.npy VALUES.npy COUNT [THREADS]

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <string>
#include <vector>

#include "monofold/group_by.hpp"
#include "monofold/monofold.hpp"

namespace {

namespace mf = monofold;

constexpr int samples = 7;

template <class Item>
std::vector<Item> load(const char* path, std::size_t count) {
  std::vector<Item> items(count);
  std::ifstream file(path, std::ios::binary);
  file.seekg(128);  // the header of a small .npy file of one dimension
  file.read(reinterpret_cast<char*>(items.data()),
            static_cast<std::streamsize>(count * sizeof(Item)));
  if (!file) std::exit(3);
  return items;
}

double process_seconds() {
  std::timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// The least time on the clock, and the least processor time of all threads.
template <class Call>
void report(const char* name, const Call& call) {
  double wall = 1e9;
  double processor = 1e9;
  std::size_t groups = 0;
  double first = 0;
  for (int i = 0; i < samples; ++i) {
    const auto start = std::chrono::steady_clock::now();
    const double used = process_seconds();
    const auto found = call();
    processor = std::min(processor, process_seconds() - used);
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
    wall = std::min(wall, passed.count());
    groups = found.keys.size();
    first = found.answers.at(0);
  }
  std::printf(
      "{\"path\":\"%s\",\"wall_ms\":%.1f,\"processor_ms\":%.1f,\"groups\":%zu,\"first\":%.17g}\n",
      name, wall * 1e3, processor * 1e3, groups, first);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const auto count = static_cast<std::size_t>(std::atoll(argv[3]));
  const auto keys = load<std::int64_t>(argv[1], count);
  const auto values = load<double>(argv[2], count);
  const mf::cpu_engine engine = mf::cpu(argc > 4 ? std::atoi(argv[4]) : 0);
  const auto by = [&](const auto& fold, mf::key_order order) {
    return [&, order] { return mf::group_by(engine, keys, values, fold, order); };
  };
  report("monofold sum", by(mf::sum, mf::key_order::sorted));
  report("monofold sum, first", by(mf::sum, mf::key_order::first));
  report("monofold plain_sum", by(mf::plain_sum, mf::key_order::sorted));
  report("monofold mean", by(mf::mean, mf::key_order::sorted));
}
