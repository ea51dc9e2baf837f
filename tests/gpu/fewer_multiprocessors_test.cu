// The same bits whatever the number of multiprocessors: a kernel that waits occupies all but some of
// them while reductions run on the others.

#include <cstdint>
#include <cstring>
#include <vector>

#include "tests/gpu/device.cuh"
#include "tests/inputs/random.hpp"

namespace {

namespace mf = monofold;
using gpu_tests::device_array;
using gpu_tests::same;

/// Each block says that it has started, in a word of its own, and stays until it is told to go.
__global__ void occupy(volatile unsigned* started, const volatile unsigned* go) {
  if (threadIdx.x == 0) {
    started[blockIdx.x] = 1;
    while (*go == 0) __nanosleep(1000);
  }
  __syncthreads();
}

/// Takes all multiprocessors but `left` while it lives: a block that asks for all shared memory of one
/// leaves no room for another.
class occupied {
 public:
  explicit occupied(int left) {
    cudaDeviceProp facts{};
    EXPECT_EQ(cudaGetDeviceProperties(&facts, 0), cudaSuccess);
    const auto blocks = static_cast<unsigned>(facts.multiProcessorCount - left);
    const std::size_t bytes = (1 + blocks) * sizeof(unsigned);
    EXPECT_EQ(cudaHostAlloc(reinterpret_cast<void**>(&flags_), bytes, cudaHostAllocMapped),
              cudaSuccess);
    std::memset(flags_, 0, bytes);
    EXPECT_EQ(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), cudaSuccess);
    const auto shared = static_cast<int>(facts.sharedMemPerBlockOptin);
    EXPECT_EQ(cudaFuncSetAttribute(reinterpret_cast<const void*>(&occupy),
                                   cudaFuncAttributeMaxDynamicSharedMemorySize, shared),
              cudaSuccess);
    volatile unsigned* const started = flags_ + 1;
    occupy<<<blocks, 1024, shared, stream_>>>(started, flags_);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    for (unsigned i = 0; i < blocks; ++i) {
      while (started[i] == 0) {
      }
    }
  }
  occupied(const occupied&) = delete;
  occupied& operator=(const occupied&) = delete;
  ~occupied() {
    *static_cast<volatile unsigned*>(flags_) = 1;
    EXPECT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
    EXPECT_EQ(cudaStreamDestroy(stream_), cudaSuccess);
    EXPECT_EQ(cudaFreeHost(flags_), cudaSuccess);
  }

 private:
  unsigned* flags_ = nullptr;  // go, then a word a block
  cudaStream_t stream_ = nullptr;
};

/// Rolling hash of a sequence: order shows in every bit.
struct sequence_hash {
  struct state {
    std::uint64_t hash;
    std::uint64_t power;
  };
  MONOFOLD_HD state lift(float x, std::int64_t) const {
    return {static_cast<std::uint64_t>(static_cast<std::int64_t>(x * 1024.0f)) + 1,
            0x9e3779b97f4a7c15u};
  }
  MONOFOLD_HD state combine(const state& left, const state& right) const {
    return {left.hash * right.power + right.hash, left.power * right.power};
  }
  MONOFOLD_HD std::uint64_t finish(const state& s) const { return s.hash; }
};

struct answers {
  float plain;
  double sum;
  double variance;
  std::int64_t argmin;
  std::uint64_t hash;

  friend bool operator==(const answers& a, const answers& b) {
    return same(a.plain, b.plain) && same(a.sum, b.sum) && same(a.variance, b.variance) &&
           a.argmin == b.argmin && a.hash == b.hash;
  }
};

template <class Engine>
answers all_of(const Engine& engine, std::span<const float> x) {
  return {mf::reduce(engine, x, mf::plain_sum), mf::reduce(engine, x, mf::plain_sum_in<double>),
          mf::reduce(engine, x, mf::plain_variance(1)), mf::reduce(engine, x, mf::argmin),
          mf::reduce(engine, x, sequence_hash{})};
}

class gpu_fewer_multiprocessors : public gpu_tests::gpu_test {};

TEST_F(gpu_fewer_multiprocessors, the_same_bits_on_1_on_7_and_on_64) {
  // One block, blocks that meet by mail, blocks that meet by a ticket.
  for (const std::size_t count : {std::size_t{3000}, std::size_t{1000003}, std::size_t{20000011}}) {
    std::vector<float> host(count);
    for (std::size_t i = 0; i < count; ++i) {
      host[i] = static_cast<float>(inputs::spread_double(i, 12));
    }
    const device_array<float> device(host);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    const auto range = device.span(0, count);
    const answers want = all_of(mf::cpu, std::span<const float>(host));
    // On all of them first: loading a kernel or growing a workspace would wait for the one that waits.
    EXPECT_TRUE(all_of(mf::gpu, range) == want) << count;
    for (const int left : {1, 7, 64}) {
      cudaStream_t stream = nullptr;
      ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
      {
        const occupied most(left);
        EXPECT_TRUE(all_of(mf::gpu(stream), range) == want) << left << ", " << count;
      }
      EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
    }
  }
}

}  // namespace
