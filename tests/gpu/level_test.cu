// The levels in kernels of one's own: every block size, order, results in every thread.

#include <cstdint>
#include <cstring>
#include <vector>

#include "tests/gpu/device.cuh"
#include "tests/inputs/random.hpp"

namespace {

namespace mf = monofold;
using gpu_tests::device_array;

/// Not associative and not commutative: shows tree and order.
struct tree_hash {
  using state = std::uint64_t;
  MONOFOLD_HD state lift(std::uint32_t item, std::int64_t index) const {
    return item * 0x9e3779b97f4a7c15u + static_cast<std::uint64_t>(index);
  }
  MONOFOLD_HD state combine(state l, state r) const {
    return (l ^ (l >> 29)) * 0xbf58476d1ce4e5b9u + (r ^ (r >> 31)) * 5 + 1;
  }
};

/// Neighbours first, the odd one passing through.
std::uint64_t tree_of(std::vector<std::uint64_t> states) {
  while (states.size() > 1) {
    std::vector<std::uint64_t> next;
    for (std::size_t i = 0; i + 1 < states.size(); i += 2) {
      next.push_back(tree_hash{}.combine(states[i], states[i + 1]));
    }
    if (states.size() % 2 != 0) next.push_back(states.back());
    states = next;
  }
  return states[0];
}

std::vector<std::uint64_t> lifted(const std::vector<std::uint32_t>& items, std::size_t from,
                                  std::size_t count) {
  std::vector<std::uint64_t> out;
  for (std::size_t i = 0; i < count; ++i) {
    out.push_back(tree_hash{}.lift(items[from + i], static_cast<std::int64_t>(i)));
  }
  return out;
}

std::vector<std::uint32_t> some_items(std::size_t n) {
  std::vector<std::uint32_t> out(n);
  for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<std::uint32_t>(inputs::mixed(i));
  return out;
}

class gpu_level : public gpu_tests::gpu_test {
 protected:
  static constexpr std::size_t most = 1 << 16;
  std::vector<std::uint32_t> items = some_items(most);
};

/// Twice in a row, so that a missing barrier shows.
__global__ void block_kernel(const std::uint32_t* items, std::uint64_t* first, std::uint64_t* every,
                             std::uint64_t* warps) {
  __shared__ mf::block_storage<tree_hash> storage;
  const int rank = mf::thread_rank();
  const auto in_first = mf::block::reduce(tree_hash{}, items[rank], storage);
  const auto in_every =
      mf::block::reduce<mf::result_in::every_thread>(tree_hash{}, items[rank], storage);
  if (rank == 0) *first = in_first;
  every[rank] = in_every;
  warps[rank] = mf::warp::reduce<mf::result_in::every_thread>(tree_hash{}, items[rank]);
}

void check_block(const std::vector<std::uint32_t>& items, const std::uint32_t* device, dim3 shape) {
  const std::size_t n = std::size_t{shape.x} * shape.y * shape.z;
  const device_array<std::uint64_t> first(1), every(n), warps(n);
  gpu_tests::start(block_kernel, 1, shape, device, first.data(), every.data(), warps.data());
  ASSERT_EQ(cudaGetLastError(), cudaSuccess);
  const auto want = tree_of(lifted(items, 0, n));
  ASSERT_EQ(first.host()[0], want) << n << " threads";
  const auto got = every.host();
  const auto of_warps = warps.host();
  for (std::size_t i = 0; i < n; ++i) {
    ASSERT_EQ(got[i], want) << n << " threads, thread " << i;
    const std::size_t from = i / 32 * 32;
    ASSERT_EQ(of_warps[i], tree_of(lifted(items, from, std::min<std::size_t>(32, n - from))));
  }
}

TEST_F(gpu_level, blocks_of_every_size) {
  const device_array<std::uint32_t> device(items);
  // On the emulated device few of those with many warps, which differ as those of six do.
  const unsigned step = gpu_tests::repetitions(1, 31);
  for (unsigned n = 1; n <= 1024; n += n < 200 ? 1 : step) {
    check_block(items, device.data(), dim3(n));
  }
}

TEST_F(gpu_level, blocks_in_two_and_three_dimensions) {
  const device_array<std::uint32_t> device(items);
  for (const dim3 shape :
       {dim3(7, 5), dim3(32, 32), dim3(1, 33), dim3(3, 5, 7), dim3(1, 1, 64), dim3(16, 4, 16)}) {
    check_block(items, device.data(), shape);
  }
}

__global__ void counted_kernel(const std::uint32_t* items, int count, std::uint64_t* out) {
  __shared__ mf::block_storage<tree_hash> storage;
  const int rank = mf::thread_rank();
  const tree_hash f;
  // What threads past the count bring must not matter.
  const auto own = rank < count ? f.lift(items[rank], rank) : 0xbadull;
  const auto total = mf::block::combine(f, own, storage, count);
  if (rank == 0) *out = total;
}

TEST_F(gpu_level, the_first_threads_of_a_block) {
  const device_array<std::uint32_t> device(items);
  const device_array<std::uint64_t> out(1);
  for (const int threads : {32, 100, 1000}) {
    for (int count = 1; count <= threads; count += count < 70 ? 1 : 31) {
      gpu_tests::start(counted_kernel, 1, threads, device.data(), count, out.data());
      ASSERT_EQ(out.host()[0], tree_of(lifted(items, 0, static_cast<std::size_t>(count))));
    }
  }
}

using moments = mf::moments_fold<float>;

__global__ void moments_kernel(const mf::moments_state* states, int count, mf::moments_state* out) {
  const int rank = mf::thread_rank();
  constexpr auto every = mf::result_in::every_thread;
  out[rank] = mf::warp::combine<every>(moments{}, states[rank], count);
  const auto in_first = mf::warp::combine(moments{}, states[rank], count);
  if (rank == 0) out[32] = in_first;
  using both = mf::all_fold<mf::count_fold, moments>;
  const both::state own{states[rank].count, {states[rank]}};
  out[33 + rank] =
      mf::warp::combine<every>(both{{mf::count_fold{}, {moments{}}}}, own, count).rest.first;
}

/// Divisions of counts have the bits of `combine`, also of counts that are not those of tiles.
TEST_F(gpu_level, moments_of_any_counts) {
  const int rounds = gpu_tests::is_slow ? 300 : 3000;
  for (int round = 0; round < rounds; ++round) {
    std::vector<mf::moments_state> states(32);
    auto random = [at = std::uint64_t(round) * 1000]() mutable { return inputs::mixed(++at); };
    const int bits = 1 + round % 57;
    for (auto& s : states) {
      s.count = static_cast<std::int64_t>(random() >> (64 - bits));
      if (round % 3 == 0) s.count = 1024;
      if (round % 7 == 0 && random() % 4 == 0) s.count = 0;
      s.mean = static_cast<double>(random() >> 11) * 0x1p-53;
      s.m2 = static_cast<double>(random() >> 11);
    }
    if (round % 3 == 0) states[31].count = static_cast<std::int64_t>(random() % 1024);
    const int count = round % 5 == 0 ? static_cast<int>(random() % 32) + 1 : 32;
    std::vector<mf::moments_state> nodes(states.begin(), states.begin() + count);
    while (nodes.size() > 1) {
      std::vector<mf::moments_state> next;
      for (std::size_t i = 0; i + 1 < nodes.size(); i += 2) {
        next.push_back(moments{}.combine(nodes[i], nodes[i + 1]));
      }
      if (nodes.size() % 2 != 0) next.push_back(nodes.back());
      nodes = next;
    }
    const device_array<mf::moments_state> device(states), out(65);
    gpu_tests::start(moments_kernel, 1, 32, device.data(), count, out.data());
    for (const auto& got : out.host()) {
      ASSERT_EQ(std::memcmp(&got, &nodes[0], sizeof(got)), 0) << "round " << round;
    }
  }
}

__global__ void families_kernel(const float* items, float* out) {
  __shared__ mf::block_storage<decltype(mf::plain_sum), float> storage;
  const float item = items[mf::thread_rank()];
  const float total = mf::block::reduce(mf::plain_sum, item, storage);
  __shared__ mf::block_storage<decltype(mf::argmax), float> other;
  const auto best = mf::block::reduce(mf::argmax, item, other, 1000 + mf::thread_rank());
  if (mf::thread_rank() == 0) {
    out[0] = total;
    out[1] = static_cast<float>(best.index);
  }
}

TEST_F(gpu_level, built_in_folds_by_name) {
  std::vector<float> numbers(200, 0.25f);
  numbers[77] = 3;
  const device_array<float> device(numbers), out(2);
  gpu_tests::start(families_kernel, 1, 200, device.data(), out.data());
  EXPECT_EQ(out.host()[0], 199 * 0.25f + 3);
  EXPECT_EQ(out.host()[1], 1077.0f);
}

__global__ void grid_kernel(const std::uint32_t* items, mf::grid_storage<std::uint64_t> storage,
                            std::uint64_t* out, int* last_blocks) {
  __shared__ mf::block_storage<tree_hash> shared;
  const std::int64_t rank = mf::block_rank() * mf::threads_in_block() + mf::thread_rank();
  std::uint64_t total;
  const bool last = mf::grid::reduce<mf::result_in::every_thread>(tree_hash{}, items[rank], storage,
                                                                  shared, total);
  if (!last) return;
  out[mf::thread_rank()] = total;
  if (mf::thread_rank() == 0) atomicAdd(last_blocks, 1);
}

TEST_F(gpu_level, grids_of_every_shape_in_one_launch) {
  const device_array<std::uint32_t> device(items);
  const device_array<std::uint64_t> states(static_cast<std::size_t>(mf::grid_states(most)));
  const device_array<std::uint32_t> ticket(std::vector<std::uint32_t>{0});
  const mf::grid_storage<std::uint64_t> storage{states.data(), ticket.data()};
  int launches = 0;
  const device_array<int> last_blocks(std::vector<int>{0});
  const device_array<std::uint64_t> out(1024);
  for (const dim3 threads : {dim3(1), dim3(7), dim3(32), dim3(33), dim3(8, 8), dim3(1024)}) {
    for (const dim3 grid : {dim3(1), dim3(2), dim3(9), dim3(60), dim3(5, 7), dim3(3, 3, 3),
                            dim3(64), dim3(511), dim3(1025), dim3(9000)}) {
      const std::size_t each = std::size_t{threads.x} * threads.y * threads.z;
      const std::size_t blocks = std::size_t{grid.x} * grid.y * grid.z;
      if (each * blocks > most) continue;
      gpu_tests::start(grid_kernel, grid, threads, device.data(), storage, out.data(),
                       last_blocks.data());
      ASSERT_EQ(cudaGetLastError(), cudaSuccess);
      ++launches;
      std::vector<std::uint64_t> totals;
      const auto all = lifted(items, 0, each * blocks);
      for (std::size_t b = 0; b < blocks; ++b) {
        totals.push_back(tree_of({all.begin() + static_cast<std::ptrdiff_t>(b * each),
                                  all.begin() + static_cast<std::ptrdiff_t>((b + 1) * each)}));
      }
      const auto want = tree_of(totals);
      const auto got = out.host();
      for (std::size_t t = 0; t < each; ++t) ASSERT_EQ(got[t], want) << each << " x " << blocks;
    }
  }
  EXPECT_EQ(last_blocks.host()[0], launches);
  EXPECT_EQ(ticket.host()[0], 0u);
}

__global__ void cluster_kernel(const std::uint32_t* items, std::uint64_t* out) {
  __shared__ mf::block_storage<tree_hash> storage;
  const std::int64_t rank = mf::block_rank() * mf::threads_in_block() + mf::thread_rank();
  for (int twice = 0; twice < 2; ++twice) {
    out[rank] = mf::cluster::reduce<mf::result_in::every_thread>(tree_hash{}, items[rank], storage);
  }
}

TEST_F(gpu_level, clusters) {
  int major = 0;
  ASSERT_EQ(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0), cudaSuccess);
  const device_array<std::uint32_t> device(items);
  for (const unsigned blocks : {1u, 2u, 4u, 8u}) {
    if (blocks > 1 && major < 9) break;
    for (const unsigned threads : {1u, 5u, 32u, 100u, 256u, 1024u}) {
      const std::size_t each = threads * blocks;
      const device_array<std::uint64_t> out(2 * each);
      cudaLaunchConfig_t config{};
      config.gridDim = dim3(2 * blocks);
      config.blockDim = dim3(threads);
      cudaLaunchAttribute attribute{};
      attribute.id = cudaLaunchAttributeClusterDimension;
      attribute.val.clusterDim = {blocks, 1, 1};
      config.attrs = &attribute;
      config.numAttrs = 1;
      ASSERT_EQ(cudaLaunchKernelEx(&config, cluster_kernel,
                                   static_cast<const std::uint32_t*>(device.data()), out.data()),
                cudaSuccess);
      const auto got = out.host();
      for (std::size_t c = 0; c < 2; ++c) {
        const auto all = lifted(items, c * each, each);
        std::vector<std::uint64_t> totals;
        for (std::size_t b = 0; b < blocks; ++b) {
          totals.push_back(tree_of({all.begin() + static_cast<std::ptrdiff_t>(b * threads),
                                    all.begin() + static_cast<std::ptrdiff_t>((b + 1) * threads)}));
        }
        const auto want = tree_of(totals);
        for (std::size_t t = 0; t < each; ++t) {
          ASSERT_EQ(got[c * each + t], want) << blocks << " blocks of " << threads;
        }
      }
    }
  }
}

using mean_state = mf::bound_fold_t<decltype(mf::plain_mean), float>::state;

/// Where the answer is, and how many threads have one.
struct level_answers {
  double warp, block, grid;
  int of_warps, of_block, of_grid;
};

__global__ void __launch_bounds__(1024)
    answers_kernel(const float* items, mf::grid_storage<mean_state> storage, level_answers* out) {
  __shared__ mf::block_storage<decltype(mf::plain_mean), float> shared;
  const float item = items[mf::block_rank() * mf::threads_in_block() + mf::thread_rank()];
  const auto warp = mf::warp::answer(mf::plain_mean, item);
  const auto block = mf::block::answer<mf::result_in::every_thread>(mf::plain_mean, item, shared);
  const auto grid = mf::grid::answer(mf::plain_mean, item, storage, shared);
  if (warp) atomicAdd(&out->of_warps, 1);
  if (block) atomicAdd(&out->of_block, 1);
  if (grid) atomicAdd(&out->of_grid, 1);
  if (warp && mf::block_rank() == 0 && mf::thread_rank() == 0) out->warp = *warp;
  if (block && mf::block_rank() == 0 && mf::thread_rank() == 77) out->block = *block;
  if (grid) out->grid = *grid;
}

TEST_F(gpu_level, answers_are_finished_where_the_result_is) {
  constexpr int threads = 1024, blocks = 3;
  std::vector<float> host(std::size_t{threads} * blocks);
  for (std::size_t i = 0; i < host.size(); ++i) host[i] = static_cast<float>(i);
  const device_array<float> device(host);
  const device_array<mean_state> states(static_cast<std::size_t>(mf::grid_states(blocks)));
  const device_array<std::uint32_t> ticket(std::vector<std::uint32_t>{0});
  const device_array<level_answers> out(std::vector<level_answers>(1));
  gpu_tests::start(answers_kernel, blocks, threads, device.data(),
                   mf::grid_storage<mean_state>{states.data(), ticket.data()}, out.data());
  const level_answers got = out.host()[0];
  EXPECT_EQ(got.warp, 15.5);
  EXPECT_EQ(got.block, 511.5);
  EXPECT_EQ(got.grid, 1535.5);
  EXPECT_EQ(got.of_warps, blocks * threads / 32);
  EXPECT_EQ(got.of_block, blocks * threads);
  EXPECT_EQ(got.of_grid, 1);
}

}  // namespace
