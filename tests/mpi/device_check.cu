// ranks with a device as inner engine: the bits of the CPU, and of ranks that have different engines.

#include <cuda_runtime_api.h>

#include <cstdint>
#include <string>
#include <vector>

#include "monofold/ranks.cuh"
#include "tests/inputs/random.hpp"
#include "tests/inputs/same_answers.hpp"
#include "tests/mpi/check.hpp"

namespace mf = monofold;

namespace {

/// Items in the device's memory.
class device_items {
 public:
  explicit device_items(const std::vector<double>& from) : count_(std::ssize(from)) {
    const std::size_t bytes = from.size() * sizeof(double);
    if (bytes == 0) return;
    cudaMalloc(&memory_, bytes);
    cudaMemcpy(memory_, from.data(), bytes, cudaMemcpyHostToDevice);
  }
  device_items(const device_items&) = delete;
  device_items& operator=(const device_items&) = delete;
  ~device_items() { cudaFree(memory_); }

  mf::contiguous_view<double> view() const { return {static_cast<const double*>(memory_), count_}; }

 private:
  void* memory_ = nullptr;
  std::int64_t count_;
};

template <class F>
void check(const std::vector<double>& items, const F& f, const std::string& name) {
  const auto want = mf::try_reduce(mf::cpu(1), items, f);
  for (const std::string& split : checks::splits) {
    const mf::item_range range =
        checks::part_of(split, std::ssize(items), checks::num_ranks(), checks::own_rank(), 512);
    const auto first = items.begin() + range.first;
    const std::vector<double> own(first, first + range.count);
    const device_items held(own);
    // Odd ranks have the processor.
    const auto got = checks::own_rank() % 2 == 0
                         ? mf::try_reduce(mf::ranks(MPI_COMM_WORLD, mf::gpu), held.view(), f)
                         : mf::try_reduce(mf::ranks(MPI_COMM_WORLD, mf::cpu(1)), own, f);
    checks::expect(got.code() == want.code() && (!want || inputs::same_answers(*got, *want)),
                   name + ", " + split);
  }
}

}  // namespace

int main(int argc, char** argv) {
  checks::begin(argc, argv);
  for (const std::size_t n : {std::size_t{0}, std::size_t{700}, std::size_t{20000}}) {
    const std::vector<double> items = inputs::spread_doubles(n, 60, n + 1);
    check(items, mf::sum, "sum");
    check(items, mf::plain_sum, "plain sum");
    check(items, mf::all(mf::count, mf::argmax), "count and argmax");
    check(items, mf::top(3), "top");
  }
  return checks::end();
}
