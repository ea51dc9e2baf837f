// The traps of the catalogue, walked into: a broken variant of a rung each, and who catches it.

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "ladder/rungs.cuh"
#include "tests/ladder/broken.cuh"

namespace {

using namespace monofold::ladder;
using ladder_tests::device_array;
using ladder_tests::expect_found;
using ladder_tests::finding;
using ladder_tests::is_ever_wrong;
using ladder_tests::start;
using ladder_tests::times_right;

std::vector<int> numbers(std::size_t n) {
  std::vector<int> out(n);
  std::iota(out.begin(), out.end(), 1);
  return out;
}
std::int64_t sum_to(std::int64_t n) { return n * (n + 1) / 2; }

// A block barrier inside a divergent branch: the top-2 merge of the classic codes.

__global__ void barrier_in_merge_kernel(const int* items, two_largest_of<int>::state* result) {
  using fold = two_largest_of<int>;
  __shared__ fold::state cells[block_threads];
  const int t = static_cast<int>(threadIdx.x);
  cells[t] = fold{}.lift(items[t]);
  __syncthreads();
  for (int d = block_threads / 2; d > 0; d /= 2) {
    if (t < d) {
      cells[t] = fold{}.combine(cells[t], cells[t + d]);
      __syncthreads();
    }
  }
  if (t == 0) *result = cells[0];
}

TEST(ladder_traps, a_block_barrier_inside_a_divergent_branch) {
  const device_array<int> items(numbers(block_threads));
  const device_array<two_largest_of<int>::state> result(1);
  expect_found(finding::barrier_not_reached, barrier_in_merge_kernel, 1, block_threads,
               items.data(), result.data());
}

// No barrier between a shared-memory write and its read by another lane: of the block, and of a
// warp that is trusted to run in lockstep.

__global__ void no_block_barrier_kernel(const int* items, int* result) {
  __shared__ int cells[block_threads];
  const int t = static_cast<int>(threadIdx.x);
  cells[t] = items[t];
  __syncthreads();
  for (int d = block_threads / 2; d > 0; d /= 2) {
    if (t < d) cells[t] += cells[t + d];
  }
  if (t == 0) *result = cells[0];
}

template <class Cell>
__global__ void lockstep_kernel(const int* items, int* result) {
  __shared__ Cell cells[32];
  const int lane = static_cast<int>(threadIdx.x);
  cells[lane] = items[lane];
  __syncwarp();
  for (int d = 16; d > 0; d /= 2) {
    if (lane < d) cells[lane] = cells[lane] + cells[lane + d];
  }
  if (lane == 0) *result = cells[0];
}

/// The barrier after the writes is there, the one before them is not.
__global__ void one_barrier_a_step_kernel(const int* items, int* result) {
  __shared__ int cells[32];
  const int lane = static_cast<int>(threadIdx.x);
  cells[lane] = items[lane];
  __syncwarp();
  for (int d = 16; d > 0; d /= 2) {
    if (lane < 16) cells[lane] += cells[lane + d];
    __syncwarp();
  }
  if (lane == 0) *result = cells[0];
}

TEST(ladder_traps, no_barrier_between_a_write_and_a_read) {
  const device_array<int> items(numbers(block_threads));
  const device_array<int> result(1);
  expect_found(finding::shared_race, no_block_barrier_kernel, 1, block_threads, items.data(),
               result.data());
  expect_found(finding::shared_race, lockstep_kernel<int>, 1, 32, items.data(), result.data());
  expect_found(finding::shared_race, one_barrier_a_step_kernel, 1, 32, items.data(), result.data());
  // `volatile` keeps the device from complaining, and does not make the result right.
  const auto run = [&] {
    EXPECT_EQ(start(lockstep_kernel<volatile int>, 1, 32, items.data(), result.data()),
              cudaSuccess);
    return std::int64_t{result.host()[0]};
  };
  EXPECT_LT(times_right(run, sum_to(32)), 20);
}

// Reading past n: block_global_inplace for an n that is no multiple of B.

TEST(ladder_traps, reading_past_n) {
  using fold = sum_of<std::int64_t>;
  const device_array<std::int64_t> items(std::vector<std::int64_t>(block_threads + 77, 1));
  const device_array<std::int64_t> results(2);
  expect_found(finding::device_out_of_range, block_global_inplace_kernel<fold>, 2, block_threads,
               fold{}, items.data(), results.data());
}

// Partials over the input: blocks that start later read partials for items.

__global__ void partials_over_input_kernel(std::int64_t* items, std::int64_t n) {
  __shared__ std::int64_t cells[block_threads];
  cells[threadIdx.x] = accumulate_by_stride(sum_of<std::int64_t>{}, items, n);
  const auto total = fold_shared(sum_of<std::int64_t>{}, cells, block_threads);
  if (threadIdx.x == 0) items[blockIdx.x] = total;
}

TEST(ladder_traps, partials_over_the_input) {
  constexpr std::int64_t n = 4 * block_threads;
  std::vector<std::int64_t> host(n);
  std::iota(host.begin(), host.end(), 1);
  const auto run = [&](bool apart) {
    const device_array<std::int64_t> items(host);
    const device_array<std::int64_t> partials(4);
    if (apart) {
      EXPECT_EQ(start(grid_stride_kernel<sum_of<std::int64_t>>, 4, block_threads,
                      sum_of<std::int64_t>{}, items.data(), n, partials.data()),
                cudaSuccess);
    } else {
      EXPECT_EQ(start(partials_over_input_kernel, 4, block_threads, items.data(), n), cudaSuccess);
    }
    const auto found = apart ? partials.host() : items.host();
    return found[0] + found[1] + found[2] + found[3];
  };
  EXPECT_EQ(times_right([&] { return run(true); }, sum_to(n)), 20);
  EXPECT_LT(times_right([&] { return run(false); }, sum_to(n)), 20);
}

// A ticket counter that nobody sets back, and a partial that is seen later than the ticket. What a
// missing fence allows is written out in the second: the emulated device keeps the program's order.

enum class flaw { none, counter_not_reset, ticket_before_partial };

template <flaw which>
__global__ void last_block_kernel(const int* items, std::int64_t n, std::int64_t* partials,
                                  std::uint32_t* ticket, std::int64_t* result) {
  __shared__ std::int64_t cells[block_threads];
  __shared__ bool is_last;
  const sum_of<int> f;
  cells[threadIdx.x] = accumulate_by_stride(f, items, n);
  const auto total = fold_shared(f, cells, block_threads);
  if (threadIdx.x == 0) {
    if constexpr (which != flaw::ticket_before_partial) partials[blockIdx.x] = total;
    const unsigned last = gridDim.x - 1;
    const unsigned drawn =
        which == flaw::counter_not_reset ? atomicAdd(ticket, 1u) : atomicInc(ticket, last);
    is_last = drawn == last;
  }
  __syncthreads();
  if (which == flaw::ticket_before_partial && threadIdx.x == 0) partials[blockIdx.x] = total;
  __syncthreads();
  if (is_last) fold_partials(f, partials, cells, result);
}

/// The results of two calls, one after the other.
template <flaw which>
std::vector<std::int64_t> two_calls(std::int64_t n) {
  const device_array<int> items(numbers(static_cast<std::size_t>(n)));
  const device_array<std::int64_t> partials(16);
  const device_array<std::uint32_t> ticket(std::vector<std::uint32_t>{0});
  std::vector<std::int64_t> out;
  for (int call = 0; call < 2; ++call) {
    const device_array<std::int64_t> result(1);
    EXPECT_EQ(start(last_block_kernel<which>, 16, block_threads, items.data(), n, partials.data(),
                    ticket.data(), result.data()),
              cudaSuccess);
    out.push_back(result.host()[0]);
    EXPECT_EQ(cudaMemset(partials.data(), 0x55, 16 * sizeof(std::int64_t)), cudaSuccess);
  }
  return out;
}

TEST(ladder_traps, a_counter_good_for_one_call) {
  constexpr std::int64_t n = 16 * block_threads;
  const std::vector<std::int64_t> right(2, sum_to(n));
  EXPECT_EQ(times_right([&] { return two_calls<flaw::none>(n); }, right), 20);
  EXPECT_EQ(two_calls<flaw::counter_not_reset>(n)[0], right[0]);
  EXPECT_EQ(times_right([&] { return two_calls<flaw::counter_not_reset>(n); }, right), 0);
}

TEST(ladder_traps, a_ticket_seen_before_the_partial) {
  constexpr std::int64_t n = 16 * block_threads;
  const std::vector<std::int64_t> right(2, sum_to(n));
  EXPECT_TRUE(is_ever_wrong([&] { return two_calls<flaw::ticket_before_partial>(n); }, right));
}

// A padding that is not the identity.

/// The operator with zeros where the identity belongs.
template <class F>
struct padded_with_zeros : F {
  MONOFOLD_HD typename F::state identity() const { return {}; }
};

template <class F>
typename F::state of_block(const std::vector<typename F::item>& host) {
  const device_array<typename F::item> items(host);
  const device_array<typename F::state> result(1);
  EXPECT_EQ(start(block_warps_kernel<F>, 1, block_threads, F{}, items.data(),
                  static_cast<std::int64_t>(host.size()), result.data()),
            cudaSuccess);
  return result.host()[0];
}

TEST(ladder_traps, a_padding_that_is_not_the_identity) {
  const std::vector<int> below_zero{-5, -3, -9};
  EXPECT_EQ(of_block<max_of<int>>(below_zero), -3);
  EXPECT_EQ(of_block<padded_with_zeros<max_of<int>>>(below_zero), 0);
  using product = product_of<std::uint64_t>;
  const std::vector<matrix2<std::uint64_t>> shears(100, {1, 1, 0, 1});
  EXPECT_EQ(of_block<product>(shears).b, 100u);
  EXPECT_EQ(of_block<padded_with_zeros<product>>(shears).b, 0u);
}

// An accumulator in which the sum does not fit.

struct narrow_sum : sum_of<int> {
  using state = int;
  MONOFOLD_HD state identity() const { return 0; }
  MONOFOLD_HD state lift(int x, std::int64_t = 0) const { return x; }
  MONOFOLD_HD state combine(state l, state r) const {
    return static_cast<int>(static_cast<unsigned>(l) + static_cast<unsigned>(r));
  }
};

TEST(ladder_traps, an_accumulator_that_overflows) {
  const std::vector<int> large(block_threads, 2'000'000'000);
  EXPECT_EQ(of_block<sum_of<int>>(large), 2'000'000'000 * std::int64_t{block_threads});
  EXPECT_NE(of_block<narrow_sum>(large), 2'000'000'000 * std::int64_t{block_threads});
}

// An n that is no multiple: the number of blocks rounded down loses the tail, for every n but the
// multiples of B, on which alone the code was tried.

TEST(ladder_traps, a_tail_that_no_block_takes) {
  for (const std::int64_t n : {block_threads - 1, block_threads, block_threads + 1}) {
    const device_array<int> items(numbers(static_cast<std::size_t>(n)));
    const device_array<std::int64_t> results(2);
    const auto sum_by = [&](std::int64_t blocks) {
      if (blocks == 0) return std::int64_t{0};
      EXPECT_EQ(start(block_shared_kernel<sum_of<int>>, static_cast<unsigned>(blocks),
                      block_threads, sum_of<int>{}, items.data(), n, results.data()),
                cudaSuccess);
      const auto found = results.host();
      return std::accumulate(found.begin(), found.begin() + blocks, std::int64_t{0});
    };
    EXPECT_EQ(sum_by((n + block_threads - 1) / block_threads), sum_to(n));
    EXPECT_EQ(sum_by(n / block_threads) == sum_to(n), n == block_threads) << n;
  }
}

// One block left with the whole remainder: right, and slow.

TEST(ladder_traps, one_block_with_the_whole_remainder) {
  constexpr std::int64_t parts = 512;
  for (const std::int64_t tiles : {1, 511, 512, 513, 1023, 195313}) {
    std::int64_t least = tiles;
    std::int64_t most = 0;
    for (std::int64_t part = 0; part < parts; ++part) {
      const auto own = first_tile(tiles, parts, part + 1) - first_tile(tiles, parts, part);
      least = std::min(least, own);
      most = std::max(most, own);
    }
    EXPECT_LE(most - least, 1) << tiles;
    EXPECT_EQ(first_tile(tiles, parts, 0), 0);
    EXPECT_EQ(first_tile(tiles, parts, parts), tiles);
  }
  // Equal parts and the rest for the last one: 512 tiles for it, 1 for each other.
  constexpr std::int64_t tiles = 1023;
  EXPECT_EQ(tiles - tiles / parts * (parts - 1), 512);
}

// A float sum by atomics has other bits in another order of blocks; the two-launch form has not.

TEST(ladder_traps, float_atomics_vary) {
  constexpr std::int64_t n = 40 * block_threads;
  std::vector<float> host(n);
  for (std::size_t i = 0; i < host.size(); ++i)
    host[i] = 1.0f / static_cast<float>(i * i % 997 + 1);
  const device_array<float> items(host);
  const auto bits_by = [&](auto* rung) {
    std::vector<float> found;
    ladder_tests::for_seeds([&](std::uint64_t) {
      const device_array<float> results(64);
      const device_array<float> partials(64);
      rung_call<sum_of<float>> call;
      call.items = items.data();
      call.n = n;
      call.results = results.data();
      call.partials = partials.data();
      call.multiprocessors = 4;
      rung(call);
      EXPECT_EQ(call.failed, "");
      float total = 0;
      EXPECT_EQ(cudaMemcpy(&total, call.results, sizeof total, cudaMemcpyDeviceToHost),
                cudaSuccess);
      found.push_back(total);
    });
    std::sort(found.begin(), found.end());
    return std::unique(found.begin(), found.end()) - found.begin();
  };
  EXPECT_GT(bits_by(&grid_atomic<sum_of<float>>), 1);
  EXPECT_EQ(bits_by(&grid_two_launch<sum_of<float>>), 1);
}

}  // namespace
