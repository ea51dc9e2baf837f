// Segments of computed views of more than 2^31 and 2^32 items: each has the bytes of its items alone.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

// Before what kernels are made of: their names must not meet those of the CPU's ways.
#include "monofold/reduce_segments.hpp"

#include "monofold/reduce_segments.cuh"
#include "tests/gpu/device.cuh"
#include "tests/gpu/place_hash.cuh"
#include "tests/inputs/answer_bytes.hpp"
#include "tests/inputs/last_one.hpp"

namespace {

namespace mf = monofold;
using gpu_tests::device_array;
using gpu_tests::place_hash;

class gpu_far_segments : public gpu_tests::gpu_test {};

constexpr std::int64_t two_to_31 = std::int64_t{1} << 31;
constexpr std::int64_t two_to_32 = std::int64_t{1} << 32;

/// Any number, by all bits of the index.
struct number_at {
  MONOFOLD_HD float operator()(std::int64_t i) const {
    const std::uint64_t bits = (static_cast<std::uint64_t>(i) ^ 0x9e3779b9u) * 0xbf58476d1ce4e5b9u;
    return static_cast<float>(static_cast<std::int32_t>(bits >> 32)) * 0x1p-20f;
  }
};

/// On the CPU and on the device, `there` being the same segments.
template <class F, class Segments>
void expect_far(const char* what, const F& f, std::int64_t size, const Segments& here,
                const Segments& there) {
  const auto view = mf::generate(size, number_at{});
  const auto on_cpu = mf::try_reduce_segments(mf::cpu, view, here, f);
  const auto on_gpu = mf::try_reduce_segments(mf::gpu, view, there, f);
  for (std::int64_t s = 0; s < here.size(); ++s) {
    const auto at = static_cast<std::size_t>(s);
    std::vector<float> own;
    for (std::int64_t i = here.begin(s); i < here.end(s); ++i) own.push_back(number_at{}(i));
    const std::string want =
        inputs::bytes_of(mf::try_reduce(mf::cpu, std::span<const float>(own), f));
    ASSERT_EQ(inputs::bytes_of(on_cpu[at]), want) << what << ", segment " << s << " on the CPU";
    ASSERT_EQ(inputs::bytes_of(on_gpu[at]), want) << what << ", segment " << s;
  }
}

template <class F>
void compare_far(const char* what, const F& f) {
  // Around 2^31 and 2^32, and the last items of all.
  constexpr std::int64_t size = 2 * two_to_32 + 1000;
  std::vector<std::int64_t> starts, stops;
  for (const std::int64_t around : {two_to_31, two_to_32, two_to_32 + two_to_31, 2 * two_to_32}) {
    for (const std::int64_t length : {0, 1, 2, 31, 32, 33, 129, 600, 1024, 1025, 5000}) {
      for (const std::int64_t before : {length, length / 2, std::int64_t{0}, std::int64_t{-1}}) {
        if (around - before + length > size) continue;
        starts.push_back(around - before);
        stops.push_back(around - before + length);
      }
    }
  }
  starts.push_back(size - 1000);
  stops.push_back(size);
  const auto count = static_cast<std::int64_t>(starts.size());
  const device_array<std::int64_t> device_starts(starts);
  const device_array<std::int64_t> device_stops(stops);
  expect_far(what, f, size, mf::range_segments(starts.data(), stops.data(), count),
             mf::range_segments(device_starts.data(), device_stops.data(), count));
  if (testing::Test::HasFatalFailure()) return;
  // One behind the other, over the boundary.
  for (const std::int64_t around : {two_to_31, two_to_32}) {
    std::vector<std::int64_t> offsets{around - 7000};
    for (std::int64_t s = 0; s < 700; ++s) {
      offsets.push_back(offsets.back() + (s == 300 ? 3000 : s == 310 ? 1500 : s % 20));
    }
    ASSERT_GT(offsets.back(), around);
    const device_array<std::int64_t> there(offsets);
    expect_far(what, f, size, mf::offset_segments<std::int64_t>(offsets.data(), 700),
               mf::offset_segments<std::int64_t>(there.data(), 700));
    if (testing::Test::HasFatalFailure()) return;
  }
  // Rows that far apart: the last of them behind item 2^36.
  for (const std::int64_t length : {1, 9, 33, 1000, 1030}) {
    const mf::fixed_segments rows(length, 40, two_to_31 + 7);
    expect_far(what, f, 39 * (two_to_31 + 7) + length, rows, rows);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST_F(gpu_far_segments, trees) { compare_far("hash", place_hash{}); }
TEST_F(gpu_far_segments, exact_sums) { compare_far("sum", mf::sum); }
TEST_F(gpu_far_segments, indices) {
  compare_far("argmax", mf::argmax);
  if (HasFatalFailure()) return;
  const std::int64_t stride = two_to_31 + 7;
  const mf::fixed_segments rows(33, 40, stride);
  const auto view = mf::generate(39 * stride + 33, number_at{});
  const auto own = mf::reduce_segments(mf::gpu, view, rows, mf::argmax);
  const auto all = mf::reduce_segments(mf::gpu, view, rows, mf::argmax, mf::global_index);
  for (std::int64_t s = 0; s < 40; ++s) {
    EXPECT_EQ(all[static_cast<std::size_t>(s)], own[static_cast<std::size_t>(s)] + s * stride);
  }
}

TEST_F(gpu_far_segments, that_are_wrong_are_named) {
  const std::int64_t size = two_to_32 + 100;
  const auto view = mf::generate(size, number_at{});
  std::vector<std::int64_t> offsets{two_to_32 - 5, two_to_32, two_to_32 + 100, two_to_32 + 101};
  const auto named = [&](const auto& engine, const std::int64_t* at, std::int64_t count) {
    try {
      static_cast<void>(mf::try_reduce_segments(
          engine, view, mf::offset_segments<std::int64_t>(at, count), mf::argmax));
    } catch (const mf::segment_error& error) {
      return error.segment();
    }
    return std::int64_t{-1};
  };
  const device_array<std::int64_t> there(offsets);
  EXPECT_EQ(named(mf::cpu, offsets.data(), 3), 2);
  EXPECT_EQ(named(mf::gpu, there.data(), 3), 2);
  EXPECT_EQ(named(mf::cpu, offsets.data(), 2), -1);
  EXPECT_EQ(named(mf::gpu, there.data(), 2), -1);
  EXPECT_THROW(static_cast<void>(mf::try_reduce_segments(
                   mf::gpu, view, mf::fixed_segments(1, 3, two_to_31 + 50), mf::argmax)),
               mf::segment_error);
}

constexpr std::int64_t first_one = two_to_31 + 40;
constexpr std::int64_t second_one = two_to_31 + two_to_32 + 90;
struct two_ones {
  MONOFOLD_HD std::int32_t operator()(std::int64_t i) const {
    return i == first_one || i == second_one ? 1 : 0;
  }
};
TEST_F(gpu_far_segments, that_are_long) {
  if (gpu_tests::is_slow) GTEST_SKIP() << "takes minutes on the emulated device";
  const std::int64_t size = 2 * two_to_32 + 12345;
  const std::vector<std::int64_t> offsets{
      3, first_one + 5, first_one + 8, first_one + 8, second_one + 1, size};
  const device_array<std::int64_t> there(offsets);
  const auto got =
      mf::reduce_segments(mf::gpu, mf::generate(size, two_ones{}),
                          mf::offset_segments<std::int64_t>(there.data(), 5), inputs::last_one{});
  for (std::size_t s = 0; s < 5; ++s) {
    std::int64_t last = -1;
    for (const std::int64_t one : {first_one, second_one}) {
      if (one >= offsets[s] && one < offsets[s + 1]) last = one - offsets[s];
    }
    EXPECT_EQ(got[s], (offsets[s + 1] - offsets[s]) * 3 + last) << "segment " << s;
  }
}

struct low_byte {
  using state = std::uint8_t;
  static constexpr bool commutative = true;
  MONOFOLD_HD state lift(std::uint8_t x, std::int64_t) const { return x; }
  MONOFOLD_HD state combine(state l, state r) const { return static_cast<state>(l + r); }
};
struct byte_at {
  MONOFOLD_HD std::uint8_t operator()(std::int64_t i) const {
    return static_cast<std::uint8_t>(i ^ i >> 8 ^ i >> 16 ^ i >> 24);
  }
};

// The number of a segment is one that 32 bits do not hold, and so is where its answer lies.
TEST_F(gpu_far_segments, more_than_2_to_the_31_of_them) {
  if (gpu_tests::is_slow) GTEST_SKIP() << "takes minutes on the emulated device";
  const std::int64_t count = two_to_31 + 5000;
  const auto view = mf::generate(count + 1, byte_at{});
  const mf::fixed_segments pairs(2, count, 1);  // each overlaps the next
  std::size_t free_bytes = 0;
  std::size_t all_bytes = 0;
  ASSERT_EQ(cudaMemGetInfo(&free_bytes, &all_bytes), cudaSuccess);
  if (free_bytes < std::size_t{3} << 30) GTEST_SKIP() << "too little memory for the answers";
  const device_array<std::uint8_t> out(static_cast<std::size_t>(count));
  const mf::gpu_workspace workspace(mf::workspace_bytes(view, pairs, low_byte{}));
  mf::reduce_segments_into(mf::gpu, view, pairs, low_byte{}, out.data(), workspace);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  std::vector<std::uint8_t> some(5000);
  for (const std::int64_t first :
       {std::int64_t{0}, two_to_31 / 2, two_to_31 - 2500, count - 5000}) {
    gpu_tests::copy_bytes(some.data(), out.data() + first, some.size(), cudaMemcpyDeviceToHost);
    for (std::int64_t i = 0; i < 5000; ++i) {
      ASSERT_EQ(some[static_cast<std::size_t>(i)],
                static_cast<std::uint8_t>(byte_at{}(first + i) + byte_at{}(first + i + 1)))
          << "segment " << first + i;
    }
  }
}

}  // namespace
