// Barriers and shuffles that go wrong, one kernel each: what the emulated device says.

#include <cstdint>
#include <vector>

#include "monofold/level/shuffle.cuh"
#include "tests/emulation/planted.cuh"

namespace {

using emulation_tests::expect_clean;
using emulation_tests::expect_found;
using emulation_tests::numbers;
using emulation_tests::shape;
using monofold::emulation::finding;

__global__ void one_thread_ends_kernel() {
  if (threadIdx.x == 7) return;
  __syncthreads();
}

TEST(emulation_barriers, a_thread_that_ended_does_not_reach_a_barrier) {
  expect_found(finding::barrier_not_reached, "one_thread_ends_kernel", "thread 7 has ended",
               {2, 64}, one_thread_ends_kernel);
}

__global__ void mixed_barriers_kernel() {
  if (threadIdx.x < 32) {
    __syncthreads();
  } else {
    static_cast<void>(__syncthreads_or(1));
  }
}

TEST(emulation_barriers, barriers_of_two_kinds_do_not_meet) {
  expect_found(finding::barrier_not_reached, "mixed_barriers_kernel", "another kind", {1, 64},
               mixed_barriers_kernel);
}

__global__ void warp_barrier_kernel() {
  if (threadIdx.x == 3) {
    __syncthreads();
  } else {
    __syncwarp();
    __syncthreads();
  }
}

TEST(emulation_barriers, a_lane_at_another_barrier_does_not_reach_that_of_the_warp) {
  expect_found(finding::barrier_not_reached, "warp_barrier_kernel",
               "__syncwarp waits for lane 3, which is at __syncthreads", {1, 32},
               warp_barrier_kernel);
}

__global__ void cluster_barrier_kernel() {
  if (blockIdx.x % 2 == 1 && threadIdx.x == 0) return;
  __cluster_barrier_arrive();
  __cluster_barrier_wait();
}

TEST(emulation_barriers, a_cluster_barrier_is_not_reached_by_all) {
  expect_found(finding::barrier_not_reached, "cluster_barrier_kernel", "cluster barrier",
               {4, 32, 0, 2}, cluster_barrier_kernel);
}

__global__ void full_mask_kernel(int* out) {
  out[threadIdx.x] = __shfl_down_sync(0xffffffffu, 1, 1);
}

TEST(emulation_barriers, a_mask_names_lanes_that_the_warp_has_not) {
  const numbers out(20);
  expect_found(finding::absent_lanes, "full_mask_kernel", "names lane 20, which the warp has not",
               {1, 20}, full_mask_kernel, out.data());
}

__global__ void ended_lane_kernel(int* out) {
  if (threadIdx.x == 31) return;
  out[threadIdx.x] = __shfl_sync(0xffffffffu, 1, 0);
}

TEST(emulation_barriers, a_mask_names_a_lane_that_has_ended) {
  const numbers out(32);
  expect_found(finding::absent_lanes, "ended_lane_kernel", "lane 31, which has ended", {1, 32},
               ended_lane_kernel, out.data());
}

__global__ void own_lane_kernel(int* out) {
  const unsigned mask = threadIdx.x < 16 ? 0x0000ffffu : 0x7fff0000u;
  out[threadIdx.x] = __shfl_xor_sync(mask, 1, 1);
}

TEST(emulation_barriers, a_mask_does_not_name_its_own_lane) {
  const numbers out(32);
  expect_found(finding::absent_lanes, "own_lane_kernel", "lane 31, which its mask does not name",
               {1, 32}, own_lane_kernel, out.data());
}

__global__ void two_shuffles_kernel(int* out) {
  if (threadIdx.x % 2 == 0) {
    out[threadIdx.x] = __shfl_up_sync(0xffffffffu, 1, 1);
  } else {
    out[threadIdx.x] = __shfl_down_sync(0xffffffffu, 1, 1);
  }
}

TEST(emulation_barriers, lanes_in_different_shuffles_wait_for_each_other) {
  const numbers out(32);
  expect_found(finding::absent_lanes, "two_shuffles_kernel", "waits for lane", {1, 32},
               two_shuffles_kernel, out.data());
}

template <int count>
struct words {
  std::int32_t word[count];
};

__global__ void two_sizes_kernel(int* out) {
  if (threadIdx.x % 2 == 0) {
    out[threadIdx.x] = monofold::shuffle_down(words<2>{}, 1).word[0];
  } else {
    out[threadIdx.x] = monofold::shuffle_down(words<3>{}, 1).word[0];
  }
}

TEST(emulation_barriers, lanes_in_shuffles_of_other_sizes_wait_for_each_other) {
  const numbers out(32);
  expect_found(finding::absent_lanes, "two_sizes_kernel", "waits for lane", {1, 32},
               two_sizes_kernel, out.data());
}

/// The last word is partly used.
struct odd_value {
  std::int32_t word[3];
  std::uint8_t last;
};

__global__ void values_kernel(int* out) {
  const int lane = static_cast<int>(threadIdx.x);
  const auto is_of = [](const odd_value& value, int of) {
    return value.word[0] == of && value.word[1] == 2 * of && value.word[2] == -of &&
           value.last == of;
  };
  const odd_value own{{lane, 2 * lane, -lane}, static_cast<std::uint8_t>(lane)};
  int right = 0;
  right += is_of(monofold::shuffle_from(own, 9), 9) ? 1 : 0;
  const odd_value below = monofold::shuffle_down(own, 3);
  right += is_of(below, lane < 29 ? lane + 3 : lane) ? 1 : 0;
  // Some lanes exchange: others are elsewhere, and nobody hears their values.
  if (lane < 8) {
    const odd_value next = monofold::shuffle_down(own, 1, 0xffu);
    right += is_of(next, lane + 1) == (lane < 7) ? 1 : 0;
  } else {
    right += is_of(own, lane) ? 1 : 0;
  }
  out[lane] = right;
}

TEST(emulation_barriers, values_of_several_words_are_shuffled_whole) {
  numbers out(32);
  expect_clean({1, 32}, values_kernel, out.data());
  EXPECT_EQ(out.host(), std::vector<int>(32, 3));
}

__global__ void trap_kernel() {
  if (threadIdx.x == 5) __trap();
}

TEST(emulation_barriers, a_trap_ends_the_kernel) {
  expect_found(finding::trap, "trap_kernel", "__trap", {1, 8}, trap_kernel);
}

__global__ void endless_kernel(const volatile int* flag) {
  while (*flag == 0) {
  }
}

TEST(emulation_barriers, a_kernel_waits_for_what_nobody_writes) {
  const numbers flag(1);
  expect_found(finding::waits_forever, "endless_kernel", "wait", {3, 32}, endless_kernel,
               flag.data());
}

/// The first block waits for the last, all of them for block 2; the flag is read in three ways.
__global__ void waiting_kernel(int* flags) {
  const int last = static_cast<int>(gridDim.x) - 1;
  const int block = static_cast<int>(blockIdx.x);
  if (block == last) *static_cast<volatile int*>(flags) = 1;
  if (block == 0) {
    while (*static_cast<volatile int*>(flags) == 0) {
    }
    atomicAdd(flags + 1, 1);
  }
  if (block == 2) {
    while (atomicAdd(flags + 1, 0) == 0) {
    }
    atomicExch(flags + 2, 1);
  }
  while (__syncthreads_or(*static_cast<volatile int*>(flags + 2)) == 0) {
  }
}

TEST(emulation_barriers, blocks_that_wait_let_others_run) {
  numbers flags(3);
  expect_clean({50, 1}, waiting_kernel, flags.data());
  EXPECT_EQ(flags.host()[2], 1);
}

__global__ void votes_kernel(int* out) {
  const int rank = static_cast<int>(threadIdx.x);
  int right = 0;
  right += __syncthreads_or(rank == 40) == 1 ? 1 : 0;
  right += __syncthreads_or(rank == 70) == 0 ? 1 : 0;
  right += __syncthreads_and(rank < 50) == 1 ? 1 : 0;
  right += __syncthreads_and(rank != 3) == 0 ? 1 : 0;
  right += __syncthreads_count(rank % 2) == 25 ? 1 : 0;
  const int lane = rank % 32;
  const unsigned mask = rank < 32 ? 0xffffffffu : 0x0003ffffu;
  const int lanes = rank < 32 ? 32 : 18;
  right += __any_sync(mask, lane == 17) == 1 ? 1 : 0;
  right += __all_sync(mask, lane != 17) == 0 ? 1 : 0;
  right += __ballot_sync(mask, lane < 5) == 31u ? 1 : 0;
  right += __match_any_sync(mask, lane % 2) == (mask & (lane % 2 == 0 ? 0x55555555u : 0xaaaaaaaau));
  right += __shfl_sync(mask, lane, 3) == 3 ? 1 : 0;
  right += __shfl_sync(mask, lane, 1, 8) == lane / 8 * 8 + 1 ? 1 : 0;
  right += __shfl_up_sync(mask, lane, 2) == (lane < 2 ? lane : lane - 2) ? 1 : 0;
  const double next = __shfl_down_sync(mask, 2.5 * lane, 1);
  right += lane + 1 >= lanes || next == 2.5 * (lane + 1) ? 1 : 0;
  right += __shfl_xor_sync(mask, std::int64_t{lane} << 40, 1) == std::int64_t{lane ^ 1} << 40;
  right += __reduce_max_sync(mask, lane) == lanes - 1 ? 1 : 0;
  right += __reduce_min_sync(mask, -lane) == 1 - lanes ? 1 : 0;
  right += __reduce_add_sync(mask, 1u) == static_cast<unsigned>(lanes) ? 1 : 0;
  out[rank] = right;
}

TEST(emulation_barriers, votes_shuffles_and_reductions) {
  const numbers out(50);
  expect_clean({1, 50}, votes_kernel, out.data());
  for (const int right : out.host()) EXPECT_EQ(right, 17);
}

}  // namespace
