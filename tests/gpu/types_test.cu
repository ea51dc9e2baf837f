// Folds on every type: the GPU engine's answers have the CPU engine's bits.

#include <cstdint>
#include <vector>

#include "tests/gpu/device.cuh"
#include "tests/gpu/numbers.cuh"
#include "tests/inputs/random.hpp"

namespace {

namespace mf = monofold;
using gpu_tests::compare;
using gpu_tests::device_array;

class gpu_types : public gpu_tests::gpu_test {};

template <class Item>
void compare_folds(std::size_t count = gpu_tests::few_items_to_compare<Item>()) {
  const gpu_tests::numbers<Item> d(count);
  compare("sum", mf::plain_sum_in<double>, d.host, d.device);
  compare("variance", mf::plain_variance(1), d.host, d.device);
  compare("extrema", mf::extrema, d.host, d.device);
  compare("nonzero", mf::nonzero, d.host, d.device);
}

TEST_F(gpu_types, boolean) {
  std::vector<std::uint8_t> bytes(gpu_tests::items_to_compare<bool>());
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = inputs::mixed(i) % 2;
  const device_array<std::uint8_t> device(bytes);
  const std::span<const bool> on_host(reinterpret_cast<const bool*>(bytes.data()), bytes.size());
  const std::span<const bool> on_device(reinterpret_cast<const bool*>(device.data()), bytes.size());
  for (const std::size_t n : gpu_tests::hard_counts(4096)) {
    gpu_tests::expect_same<bool>("sum", mf::plain_sum_in<double>, on_host.first(n),
                                 on_device.first(n));
    gpu_tests::expect_same<bool>("and", mf::bit_and, on_host.first(n), on_device.first(n));
  }
}
TEST_F(gpu_types, int8) { compare_folds<std::int8_t>(gpu_tests::items_to_compare<std::int8_t>()); }
TEST_F(gpu_types, uint16) { compare_folds<std::uint16_t>(); }
TEST_F(gpu_types, int32) { compare_folds<std::int32_t>(); }
TEST_F(gpu_types, int64) { compare_folds<std::int64_t>(); }
TEST_F(gpu_types, uint64) { compare_folds<std::uint64_t>(); }
TEST_F(gpu_types, float16) { compare_folds<mf::float16>(); }
TEST_F(gpu_types, bfloat16) { compare_folds<mf::bfloat16>(); }
TEST_F(gpu_types, float32) { compare_folds<float>(); }
TEST_F(gpu_types, float64) { compare_folds<double>(gpu_tests::items_to_compare<double>()); }

}  // namespace
