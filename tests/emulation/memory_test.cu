// Memory that kernels misuse, one kernel each: what the emulated device says.

#include <cstring>

#include "tests/emulation/planted.cuh"

namespace {

using emulation_tests::expect_clean;
using emulation_tests::expect_found;
using emulation_tests::numbers;
using monofold::emulation::finding;

int* dynamic_ints() { return static_cast<int*>(monofold::emulation::dynamic_shared_memory()); }

__global__ void dynamic_range_kernel(int more) {
  dynamic_ints()[static_cast<int>(threadIdx.x) + more] = 1;
}

TEST(emulation_memory, dynamic_shared_memory_ends) {
  expect_clean({2, 64, 256}, dynamic_range_kernel, 0);
  expect_found(finding::shared_out_of_range, "dynamic_range_kernel",
               "writes 4 bytes at byte 256 of the dynamic shared memory, which has 256",
               {2, 64, 256}, dynamic_range_kernel, 1);
  expect_found(finding::shared_out_of_range, "dynamic_range_kernel", "at byte -4", {2, 64, 256},
               dynamic_range_kernel, -1);
  expect_found(finding::shared_out_of_range, "dynamic_range_kernel", "which has 0", {2, 1},
               dynamic_range_kernel, 0);
}

template <int count>
__global__ void static_range_kernel(int* out, int more) {
  __shared__ int cells[count];
  cells[static_cast<int>(threadIdx.x) + more] = 1;
  __syncthreads();
  out[threadIdx.x] = cells[threadIdx.x];
}

TEST(emulation_memory, static_shared_memory_ends) {
  const numbers out(33);
  expect_clean({2, 33}, static_range_kernel<33>, out.data(), 0);
  expect_found(finding::shared_out_of_range, "static_range_kernel", "writes 4 bytes", {2, 33},
               static_range_kernel<33>, out.data(), 1);
}

__global__ void straddling_kernel() {
  __shared__ char bytes[6];
  if (threadIdx.x == 0) *reinterpret_cast<volatile short*>(bytes + 5) = 1;
}

TEST(emulation_memory, an_access_lies_across_the_end_of_a_variable) {
  expect_found(finding::shared_out_of_range, "straddling_kernel",
               "2 bytes at byte 5 of bytes, which has 6", {1, 2}, straddling_kernel);
}

/// Each thread reads what its neighbour writes; `barrier` says what is between.
enum class between { nothing, warp_barrier, block_barrier };
template <between barrier>
__global__ void neighbours_kernel(int* out) {
  __shared__ int cells[64];
  const unsigned rank = threadIdx.x;
  cells[rank] = 0;
  __syncthreads();
  cells[rank] = 1;
  if (barrier == between::warp_barrier) __syncwarp();
  if (barrier == between::block_barrier) __syncthreads();
  out[rank] = cells[rank ^ 1];
}

TEST(emulation_memory, a_barrier_is_missing_between_write_and_read) {
  const numbers out(64);
  expect_clean({2, 64}, neighbours_kernel<between::block_barrier>, out.data());
  expect_clean({2, 64}, neighbours_kernel<between::warp_barrier>, out.data());
  expect_found(finding::shared_race, "neighbours_kernel", "of cells, which has 256", {2, 64},
               neighbours_kernel<between::nothing>, out.data());
}

__global__ void across_warps_kernel(int* out) {
  __shared__ int cells[64];
  const unsigned rank = threadIdx.x;
  cells[rank] = 0;
  __syncthreads();
  cells[rank] = 1;
  __syncwarp();  // not enough: the other warp is read
  out[rank] = cells[rank ^ 32];
}

TEST(emulation_memory, a_warp_barrier_does_not_order_two_warps) {
  const numbers out(64);
  expect_found(finding::shared_race, "across_warps_kernel", "without a barrier between", {1, 64},
               across_warps_kernel, out.data());
}

/// The classic: a value is read by all and overwritten for the next round.
__global__ void overwritten_kernel(int* out, bool with_barrier) {
  __shared__ int total;
  for (int round = 0; round < 2; ++round) {
    if (threadIdx.x == 0) total = round;
    __syncthreads();
    out[threadIdx.x] = total;
    if (with_barrier) __syncthreads();
  }
}

TEST(emulation_memory, a_barrier_is_missing_between_read_and_write) {
  const numbers out(100);
  expect_clean({1, 100}, overwritten_kernel, out.data(), true);
  expect_found(finding::shared_race, "overwritten_kernel", "of total, which has 4", {1, 100},
               overwritten_kernel, out.data(), false);
}

__global__ void both_write_kernel(int* out) {
  __shared__ int cell;
  if (threadIdx.x % 40 == 0) cell = 1;
  __syncthreads();
  out[threadIdx.x] = cell;
}

TEST(emulation_memory, two_threads_write_one_word) {
  const numbers out(64);
  expect_found(finding::shared_race, "both_write_kernel", "wrote", {1, 64}, both_write_kernel,
               out.data());
}

/// Neighbouring bytes of a word are different memory.
__global__ void bytes_kernel(int* out) {
  __shared__ unsigned char cells[100];
  const unsigned rank = threadIdx.x;
  cells[rank] = static_cast<unsigned char>(rank);
  cells[rank] = static_cast<unsigned char>(cells[rank] + 1);
  __syncthreads();
  out[rank] = cells[99 - rank];
}

TEST(emulation_memory, bytes_of_one_word_are_apart) {
  const numbers out(100);
  expect_clean({1, 100}, bytes_kernel, out.data());
  EXPECT_EQ(out.host()[99], 1);
}

__global__ void atomics_kernel(int* out) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, 2);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(out, sum);
  if (threadIdx.x == 0) atomicMax(out + 1, static_cast<int>(blockIdx.x));
}

TEST(emulation_memory, atomics_do_not_race) {
  const numbers out(2);
  ASSERT_EQ(emulation_tests::start({10, 100}, atomics_kernel, out.data()), cudaSuccess);
  EXPECT_EQ(out.host()[0], 2000);
  EXPECT_EQ(out.host()[1], 9);
}

__global__ void atomic_and_plain_kernel() {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  if (threadIdx.x == 33) {
    sum = 5;
  } else {
    atomicAdd(&sum, 1);
  }
}

TEST(emulation_memory, an_atomic_races_with_a_plain_write) {
  expect_found(finding::shared_race, "atomic_and_plain_kernel", "of sum", {1, 64},
               atomic_and_plain_kernel);
}

__global__ void unwritten_kernel(int* out) {
  __shared__ int cells[64];
  if (threadIdx.x != 9) cells[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = cells[threadIdx.x];
}

TEST(emulation_memory, unwritten_shared_memory_is_read) {
  const numbers out(64);
  expect_found(finding::shared_unwritten, "unwritten_kernel",
               "reads 4 bytes at byte 36 of cells, which has 256", {3, 64}, unwritten_kernel,
               out.data());
}

/// Blocks take turns, and each has its own.
__global__ void own_kernel(int* out) {
  __shared__ int own;
  if (threadIdx.x == 0) own = static_cast<int>(blockIdx.x);
  for (int i = 0; i < 20; ++i) __syncthreads();
  if (threadIdx.x == 1) out[blockIdx.x] = own;
}

TEST(emulation_memory, blocks_have_shared_memory_of_their_own) {
  const numbers out(30);
  expect_clean({30, 2}, own_kernel, out.data());
  for (int b = 0; b < 30; ++b) EXPECT_EQ(out.host()[static_cast<std::size_t>(b)], b);
}

__global__ void device_range_kernel(const int* in, int* out, int at) {
  if (threadIdx.x == 3) *out = in[at];
}

TEST(emulation_memory, device_buffers_end) {
  const numbers in(7), out(1);
  expect_clean({1, 8}, device_range_kernel, in.data(), out.data(), 6);
  const auto found = [&](const char* words, int at) {
    expect_found(finding::device_out_of_range, "device_range_kernel", words, {1, 8},
                 device_range_kernel, in.data(), out.data(), at);
  };
  found("reads 4 bytes at byte 28 of a buffer of 28 bytes", 7);
  found("at byte -4", -1);
  expect_found(finding::device_out_of_range, "device_range_kernel", "writes 4 bytes at byte 4",
               {1, 8}, device_range_kernel, in.data(), out.data() + 1, 0);
}

struct alignas(16) four {
  int values[4];
};
template <class T>
__global__ void misaligned_kernel(const int* in, T* out, int at) {
  const T taken = *reinterpret_cast<const T*>(in + at);
  if (threadIdx.x == 1) *out = taken;
}

// A GPU ends the kernel; this machine would end the process, or not notice.
TEST(emulation_memory, a_wide_load_needs_its_alignment) {
  const numbers in(12), out(4);
  auto* const fours = reinterpret_cast<four*>(out.data());
  expect_clean({1, 2}, misaligned_kernel<four>, in.data(), fours, 4);
  expect_found(
      finding::device_misaligned, "misaligned_kernel",
      "reads 16 bytes at byte 4 of a buffer of 48 bytes, an address that is no multiple of 8",
      {1, 2}, misaligned_kernel<four>, in.data(), fours, 1);
  auto* const eights = reinterpret_cast<long long*>(out.data());
  expect_clean({1, 2}, misaligned_kernel<long long>, in.data(), eights, 2);
  expect_found(finding::device_misaligned, "misaligned_kernel", "reads 8 bytes at byte 12", {1, 2},
               misaligned_kernel<long long>, in.data(), eights, 3);
}

TEST(emulation_memory, a_freed_buffer_is_read) {
  int* freed = nullptr;
  ASSERT_EQ(cudaMalloc(&freed, 16), cudaSuccess);
  ASSERT_EQ(cudaFree(freed), cudaSuccess);
  const numbers out(1);
  expect_found(finding::device_out_of_range, "device_range_kernel", "that was freed", {1, 8},
               device_range_kernel, freed, out.data(), 0);
}

struct large {
  int values[10];
};
__global__ void copies_kernel(const large* in, large* out, int form) {
  if (threadIdx.x != 0) return;
  if (form == 0) *out = *in;
  if (form == 1) std::memcpy(out, in, sizeof(large));
  if (form == 2) memset(out, 0, sizeof(large));
}

TEST(emulation_memory, copies_of_structs_and_bytes_are_seen) {
  const numbers whole(10), half(5);
  auto* const good = reinterpret_cast<large*>(whole.data());
  auto* const bad = reinterpret_cast<large*>(half.data());
  for (const int form : {0, 1}) {
    expect_clean({1, 2}, copies_kernel, good, good, form);
    expect_found(finding::device_out_of_range, "copies_kernel", "reads 40 bytes", {1, 2},
                 copies_kernel, bad, good, form);
  }
  for (const int form : {0, 1, 2}) {
    expect_found(finding::device_out_of_range, "copies_kernel", "writes 40 bytes", {1, 2},
                 copies_kernel, good, bad, form);
  }
}

TEST(emulation_memory, copies_by_the_host_stay_inside) {
  const numbers seven(7);
  int host[8] = {};
  EXPECT_EQ(cudaMemcpy(host, seven.data(), 32, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemset(seven.data(), 0, 29), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
}

__global__ void remote_kernel(int* out, bool with_barrier) {
  __shared__ int own;
  if (threadIdx.x == 0) own = static_cast<int>(blockIdx.x);
  __cluster_barrier_arrive();
  __cluster_barrier_wait();
  const unsigned next = (__clusterRelativeBlockRank() + 1) % __clusterSizeInBlocks();
  if (threadIdx.x == 0) {
    out[blockIdx.x] = *static_cast<const int*>(__cluster_map_shared_rank(&own, next));
  }
  if (with_barrier) {
    __cluster_barrier_arrive();
    __cluster_barrier_wait();
  }
}

TEST(emulation_memory, blocks_of_a_cluster_read_each_other) {
  const numbers out(8);
  expect_clean({8, 32, 0, 4}, remote_kernel, out.data(), true);
  const auto got = out.host();
  for (int b = 0; b < 8; ++b) {
    EXPECT_EQ(got[static_cast<std::size_t>(b)], b / 4 * 4 + (b + 1) % 4);
  }
  expect_found(finding::shared_out_of_range, "remote_kernel", "which has ended", {8, 32, 0, 4},
               remote_kernel, out.data(), false);
}

}  // namespace
