// Several emulated devices: whose memory and streams are whose.

#include "emulation/devices.hpp"
#include "tests/emulation/planted.cuh"

namespace {

using emulation_tests::expect_clean;
using emulation_tests::expect_found;
using emulation_tests::numbers;
using monofold::emulation::finding;

class emulation_devices : public testing::Test {
 protected:
  void SetUp() override { monofold::emulation::set_device_count(3); }
  void TearDown() override {
    EXPECT_EQ(cudaSetDevice(0), cudaSuccess);
    monofold::emulation::set_device_count(1);
  }
};

__global__ void add_kernel(const int* from, int* to) { to[threadIdx.x] += from[threadIdx.x]; }

TEST_F(emulation_devices, memory_is_one_devices_alone) {
  const numbers of_first(32);
  ASSERT_EQ(cudaSetDevice(2), cudaSuccess);
  const numbers of_third(32);
  void* shared = nullptr;
  ASSERT_EQ(cudaHostAlloc(&shared, 128, cudaHostAllocMapped), cudaSuccess);
  int* const pinned = static_cast<int*>(shared);
  expect_clean({1, 32}, add_kernel, of_third.data(), pinned);
  expect_found(finding::device_out_of_range, "add_kernel", "reads 4 bytes at byte", {1, 32},
               add_kernel, of_first.data(), of_third.data());
  ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
  expect_clean({1, 32}, add_kernel, of_first.data(), pinned);  // which all devices see
  expect_found(finding::device_out_of_range, "add_kernel",
               "which is memory of device 2: the kernel runs on device 0", {1, 32}, add_kernel,
               of_first.data(), of_third.data());
  cudaPointerAttributes facts{};
  ASSERT_EQ(cudaPointerGetAttributes(&facts, of_third.data()), cudaSuccess);
  EXPECT_EQ(facts.device, 2);
  ASSERT_EQ(cudaFreeHost(shared), cudaSuccess);
}

TEST_F(emulation_devices, a_stream_belongs_to_the_device_that_was_current) {
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  const numbers here(32);
  const auto launch = [&] {
    return monofold::emulation::launch(add_kernel, dim3(1), dim3(32), dim3(), 0, stream,
                                       static_cast<const int*>(here.data()), here.data());
  };
  EXPECT_EQ(launch(), cudaSuccess);
  ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
  EXPECT_EQ(launch(), cudaErrorInvalidResourceHandle);
  ASSERT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

TEST_F(emulation_devices, numbers) {
  int count = 0;
  ASSERT_EQ(cudaGetDeviceCount(&count), cudaSuccess);
  EXPECT_EQ(count, 3);
  EXPECT_EQ(cudaSetDevice(3), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaSetDevice(-1), cudaErrorInvalidDevice);
  ASSERT_EQ(cudaSetDevice(2), cudaSuccess);
  int device = -1;
  ASSERT_EQ(cudaGetDevice(&device), cudaSuccess);
  EXPECT_EQ(device, 2);
  monofold::emulation::set_device_count(2);  // the third is gone
  ASSERT_EQ(cudaGetDevice(&device), cudaSuccess);
  EXPECT_EQ(device, 0);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidDevice);
}

}  // namespace
