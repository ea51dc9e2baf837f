// Recorded launches: what threads did, in step.

#include "emulation/recording.hpp"

#include <cstring>

#include "tests/emulation/planted.cuh"

namespace {

using emulation_tests::numbers;
using emulation_tests::start;
using monofold::emulation::recorder;
using monofold::emulation::recording;
using monofold::emulation::step_kind;
using monofold::emulation::warp_step;
namespace emulation = monofold::emulation;

int number_in(const std::string& bytes) {
  int out = 0;
  EXPECT_EQ(bytes.size(), sizeof(out));
  std::memcpy(&out, bytes.data(), std::min(bytes.size(), sizeof(out)));
  return out;
}

/// The steps of a run in words: "0.0 read 32" for 32 lanes of warp 0 of block 0.
std::vector<std::string> steps_of(const recording& found) {
  const char* const kinds[] = {"read", "write", "atomic", "arrive", "call", "barrier", "cluster"};
  std::vector<std::string> out;
  for (const auto& step : found.steps) {
    std::string words;
    for (const warp_step& part : step) {
      words += (words.empty() ? "" : "; ") + std::to_string(part.block) + "." +
               (part.warp < 0 ? "*" : std::to_string(part.warp)) + " " +
               kinds[static_cast<int>(part.what)];
      if (!part.lanes.empty()) words += " " + std::to_string(part.lanes.size());
      if (part.is_split) words += " split";
    }
    out.push_back(words);
  }
  return out;
}

__global__ void pairs_kernel(int* data) {
  __shared__ int cells[64];
  const int t = static_cast<int>(threadIdx.x);
  cells[t] = data[t] + t;
  __syncthreads();
  if (t < 32) data[t] = cells[t + 32];
}

TEST(emulation_recorder, a_warp_does_one_instruction_a_step_with_all_its_lanes) {
  const numbers data(64);
  recorder notes;
  notes.name_memory(data.data(), 64 * sizeof(int), "data", sizeof(int));
  ASSERT_EQ(start({1, 64}, pairs_kernel, data.data()), cudaSuccess);
  const recording& found = notes.found();
  EXPECT_EQ(steps_of(found),
            (std::vector<std::string>{"0.0 read 32; 0.1 read 32", "0.0 write 32; 0.1 write 32",
                                      "0.* barrier", "0.0 read 32", "0.0 write 32"}));
  ASSERT_EQ(found.spaces.size(), 2u);
  EXPECT_EQ(found.spaces[0].name, "data");
  EXPECT_EQ(found.spaces[1].name, "cells");
  EXPECT_EQ(found.spaces[1].block, 0);
  // What was read and what was written.
  const warp_step& last = found.steps[4][0];
  EXPECT_EQ(last.lanes[3].at, 3 * sizeof(int));
  EXPECT_EQ(number_in(last.lanes[3].bytes), 35);
  EXPECT_EQ(number_in(found.steps[0][0].lanes[3].bytes), 0);
  EXPECT_EQ(data.host()[3], 35);
}

__global__ void halves_kernel(int* out) {
  const int lane = static_cast<int>(threadIdx.x);
  if (lane < 8) atomicAdd(out, 1);
  const int other = __shfl_down_sync(0xffffffffu, lane, 16);
  if (lane == 0) out[1] = other;
}

TEST(emulation_recorder, lanes_part_and_meet_again) {
  const numbers out(2);
  recorder notes;
  ASSERT_EQ(start({1, 32}, halves_kernel, out.data()), cudaSuccess);
  EXPECT_EQ(steps_of(notes.found()),
            (std::vector<std::string>{"0.0 atomic 8 split", "0.0 call 32", "0.0 write 1 split"}));
  const warp_step& shuffle = notes.found().steps[1][0];
  EXPECT_EQ(shuffle.name, "__shfl_down_sync");
  EXPECT_EQ(shuffle.lanes[2].from, 18);
  EXPECT_EQ(number_in(shuffle.lanes[2].bytes), 18);
  // The atomic additions took place one after the other.
  EXPECT_EQ(number_in(notes.found().steps[0][0].lanes[7].bytes), 8);
}

struct wide {
  int word[8];
};

__global__ void copy_kernel(const wide* from, wide* to) { *to = *from; }

TEST(emulation_recorder, of_a_struct_that_is_copied_the_read_comes_first) {
  const numbers data(16);
  recorder notes;
  auto* const wides = reinterpret_cast<wide*>(data.data());
  notes.name_memory(wides, 2 * sizeof(wide), "data", sizeof(wide));
  ASSERT_EQ(start({1, 1}, copy_kernel, wides, wides + 1), cudaSuccess);
  EXPECT_EQ(steps_of(notes.found()), (std::vector<std::string>{"0.0 read 1; 0.0 write 1"}));
}

__global__ void no_barrier_kernel(int* out) {
  __shared__ int cells[32];
  const int lane = static_cast<int>(threadIdx.x);
  cells[lane] = lane;
  out[lane] = cells[(lane + 5) % 32];
}

TEST(emulation_recorder, what_goes_wrong_is_the_last_step_and_is_not_printed) {
  const numbers out(32);
  {
    recorder notes;
    testing::internal::CaptureStderr();
    EXPECT_EQ(start({1, 32}, no_barrier_kernel, out.data()), cudaErrorLaunchFailure);
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
    ASSERT_TRUE(notes.found().problem);
    EXPECT_EQ(notes.found().problem->what, emulation::finding::shared_race);
    EXPECT_EQ(notes.found().problem->thread.x, 0u);
    EXPECT_EQ(notes.found().problem->other, 5);
    EXPECT_EQ(steps_of(notes.found()), (std::vector<std::string>{"0.0 write 32", "0.0 read 1"}));
  }
  EXPECT_EQ(emulation::take_reports().size(), 1u);
}

__global__ void wait_kernel(volatile int* flag, int* out) {
  if (blockIdx.x == 0) {
    while (*flag == 0) {
    }
    *out = *flag;
  } else {
    *flag = 7;
  }
}

TEST(emulation_recorder, blocks_that_wait_for_others_go_on) {
  const numbers data(2);
  recorder notes;
  ASSERT_EQ(start({20, 1}, wait_kernel, data.data(), data.data() + 1), cudaSuccess);
  EXPECT_EQ(data.host()[1], 7);
}

__global__ void cluster_kernel(int* out) {
  __shared__ int cell;
  if (threadIdx.x == 0) cell = static_cast<int>(blockIdx.x) + 1;
  __cluster_barrier_arrive();
  __cluster_barrier_wait();
  const unsigned other = __clusterRelativeBlockRank() ^ 1u;
  const int* const there = static_cast<const int*>(__cluster_map_shared_rank(&cell, other));
  if (threadIdx.x == 0) out[blockIdx.x] = *there;
  __cluster_barrier_arrive();
  __cluster_barrier_wait();
}

TEST(emulation_recorder, clusters_meet) {
  const numbers out(4);
  recorder notes;
  ASSERT_EQ(start({4, 32, 0, 2}, cluster_kernel, out.data()), cudaSuccess);
  EXPECT_EQ(out.host(), (std::vector<int>{2, 1, 4, 3}));
  int meetings = 0;
  for (const auto& step : notes.found().steps) {
    for (const warp_step& part : step) meetings += part.what == step_kind::cluster_barrier ? 1 : 0;
  }
  EXPECT_EQ(meetings, 8);  // each of four blocks twice
}

__global__ void spin_kernel(volatile int* flag) {
  while (*flag == 0) {
  }
}

TEST(emulation_recorder, a_launch_without_end_ends) {
  const numbers data(1);
  {
    const recorder notes;
    EXPECT_EQ(start({1, 32}, spin_kernel, data.data()), cudaErrorLaunchFailure);
    ASSERT_TRUE(notes.found().problem);
    EXPECT_EQ(notes.found().problem->what, emulation::finding::unsupported);
  }
  EXPECT_EQ(emulation::take_reports().size(), 1u);
}

TEST(emulation_recorder, nothing_is_recorded_behind_it) {
  const numbers data(64);
  { const recorder notes; }
  EXPECT_EQ(start({1, 64}, pairs_kernel, data.data()), cudaSuccess);
  const recorder notes;
  EXPECT_TRUE(notes.found().steps.empty());
}

}  // namespace
