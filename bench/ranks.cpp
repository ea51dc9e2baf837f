// What ranks of MPI pay for the same bits: calls over a few items a rank, beside the MPI calls that they stand on.
//
// usage: mpirun -n 4 bench_ranks_openmpi [SAMPLES]     one JSON line a subject, times of rank 0 in microseconds

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "monofold/monofold.hpp"
#include "monofold/monofold_mpi.h"
#include "monofold/ranks.hpp"

namespace mf = monofold;

namespace {

constexpr int num_fields = 1000;

struct subject {
  std::string name;
  std::function<void()> call;
  std::vector<double> samples_us{};
};

template <class Word>
std::function<void()> all_reduce(std::size_t count, MPI_Datatype type) {
  return [words = std::vector<Word>(count), count, type]() mutable {
    MPI_Allreduce(MPI_IN_PLACE, words.data(), static_cast<int>(count), type, MPI_SUM,
                  MPI_COMM_WORLD);
  };
}

template <class Item, class F>
std::function<void()> reduce(std::int64_t count, const F& f) {
  return [items = std::vector<Item>(static_cast<std::size_t>(count), Item{1} / 3), f] {
    mf::reduce(mf::ranks(MPI_COMM_WORLD, mf::cpu(1)), items, f);
  };
}

// What communicators of more than 256 ranks do, whatever their number here.
template <class F>
std::function<void()> by_tree(const F& f) {
  return [items = std::vector<double>(100, 1.0 / 3), f] {
    mf::reduce(mf::ranks_engine<>{MPI_COMM_WORLD, mf::cpu(1), 1}, items, f);
  };
}

template <class Item>
std::function<void()> many() {  // 32 items each, from -0.3 to 1.7
  std::vector fields(num_fields, std::vector<Item>(32));
  std::uint32_t seed = 1;
  for (auto& field : fields) {
    for (Item& item : field) {
      seed = seed * 1664525 + 1013904223;  // Knuth 1981, TAOCP vol. 2, 3.3.4
      item = static_cast<Item>(seed * 0x1p-31 - 0.3);
    }
  }
  return [fields] { mf::reduce_many(mf::ranks(MPI_COMM_WORLD, mf::cpu(1)), fields, mf::sum); };
}

// The C interface, by words that add up and by states that are gathered.
std::function<void()> c_call() {
  return [items = std::vector<double>(100, 1.0 / 3)] {
    monofold_options options = MONOFOLD_OPTIONS_INIT;
    options.num_threads = 1;
    monofold_result result;
    monofold_reduce_ranks(MPI_COMM_WORLD, items.data(), MONOFOLD_FLOAT64, std::ssize(items),
                          MONOFOLD_HOST, MONOFOLD_SUM, &options, &result);
  };
}
std::function<void()> c_join() {
  return [items = std::vector<double>(100, 1.0 / 3)] {
    const monofold_operation sum = MONOFOLD_SUM;
    monofold_state* own = nullptr;
    monofold_state* all = nullptr;
    monofold_result result;
    monofold_state_create(MONOFOLD_FLOAT64, &sum, 1, 0, nullptr, &own);
    monofold_state_push(own, items.data(), std::ssize(items), MONOFOLD_HOST);
    monofold_state_join_ranks(MPI_COMM_WORLD, own, &all);
    monofold_state_result(all, 0, &result);
    monofold_state_destroy(own);
    monofold_state_destroy(all);
  };
}

double at(const std::vector<double>& sorted, double share) {
  return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int num_samples = argc > 1 ? std::atoi(argv[1]) : 2000;
  std::vector<subject> subjects{
      {"MPI_Allreduce of one double", all_reduce<double>(1, MPI_DOUBLE)},
      {"MPI_Allreduce of 74 int64", all_reduce<std::int64_t>(74, MPI_INT64_T)},
      {"sum of 100 float64 a rank", reduce<double>(100, mf::sum)},
      {"sum of 100 float32 a rank", reduce<float>(100, mf::sum)},
      {"max of 100 float64 a rank", reduce<double>(100, mf::max)},
      {"plain sum of 100 float64 a rank", reduce<double>(100, mf::plain_sum)},
      {"max of 100 float64 a rank, by a tree", by_tree(mf::max)},
      {"plain sum of 100 float64 a rank, by a tree", by_tree(mf::plain_sum)},
      {"sum of 100 float64 a rank, on one rank",
       [items = std::vector<double>(100, 1.0 / 3)] {
         mf::reduce_to(0, mf::ranks(MPI_COMM_WORLD, mf::cpu(1)), items, mf::sum);
       }},
      {"sum of 100 float64 a rank, later",
       [items = std::vector<double>(100, 1.0 / 3)] {
         mf::reduce_async(mf::ranks(MPI_COMM_WORLD, mf::cpu(1)), items, mf::sum).wait();
       }},
      {"C: sum of 100 float64 a rank", c_call()},
      {"C: the same by gathered states", c_join()},
      {"1000 fields of float64, sum", many<double>()},
      {"MPI_Allreduce of as many bytes (584 KB)",
       all_reduce<std::int64_t>(num_fields * 73 + 1, MPI_INT64_T)},
      {"1000 fields of float32, sum", many<float>()},
      {"MPI_Allreduce of as many bytes (136 KB)",
       all_reduce<std::int64_t>(num_fields * 17 + 1, MPI_INT64_T)},
  };
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  using clock = std::chrono::steady_clock;
  // In turn, so that a disturbance meets all; the first tenth warms up.
  for (int sample = -num_samples / 10; sample < num_samples; ++sample) {
    for (subject& one : subjects) {
      MPI_Barrier(MPI_COMM_WORLD);
      const clock::time_point start = clock::now();
      one.call();
      const double us = std::chrono::duration<double, std::micro>(clock::now() - start).count();
      if (sample >= 0) one.samples_us.push_back(us);
    }
  }
  for (subject& one : subjects) {
    std::sort(one.samples_us.begin(), one.samples_us.end());
    if (rank != 0) continue;
    std::printf(
        "{\"subject\":\"%s\",\"ranks\":%d,\"samples\":%d,\"median_us\":%.2f,\"p05_us\":%.2f,"
        "\"p95_us\":%.2f}\n",
        one.name.c_str(), ranks, num_samples, at(one.samples_us, 0.5), at(one.samples_us, 0.05),
        at(one.samples_us, 0.95));
  }
  MPI_Finalize();
}
