// Inputs that reductions on GPUs are known to get wrong, with the answers they have by definition.

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

#include "tests/gpu/device.cuh"
#include "tests/inputs/random.hpp"

namespace {

namespace mf = monofold;
using gpu_tests::device_array;

constexpr float infinite = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

class gpu_known_answers : public gpu_tests::gpu_test {};

template <class Item, class F>
auto answer(const std::vector<Item>& items, F fold) {
  const device_array<Item> device(items);
  return mf::reduce(mf::gpu, device.span(0, items.size()), fold);
}

template <class T>
std::vector<std::uint8_t> bits(const T& value) {
  std::vector<std::uint8_t> out(sizeof(T));
  std::memcpy(out.data(), &value, sizeof(T));
  return out;
}

struct last_index {
  MONOFOLD_HD std::int64_t operator()(std::int64_t, std::int64_t right) const { return right; }
};

TEST_F(gpu_known_answers, a_plain_sum_has_the_same_bits_at_every_offset) {
  constexpr std::size_t count = 100003;
  std::vector<float> items(count + 4);
  for (const std::size_t offset : {0, 1, 2, 3}) {
    for (std::size_t i = 0; i < count; ++i) {
      items[offset + i] = static_cast<float>(2 * inputs::unit_double(i) - 1);
    }
    const device_array<float> device(items);
    static std::vector<std::uint8_t> first;
    const auto own = bits(mf::reduce(mf::gpu, device.span(offset, count), mf::plain_sum));
    if (offset == 0) first = own;
    EXPECT_EQ(own, first) << offset;
  }
}

TEST_F(gpu_known_answers, the_last_element_in_order) {
  for (const std::int64_t count : {1000, 5000, 100000}) {
    std::vector<std::int64_t> items;
    for (std::int64_t i = 0; i < count; ++i) items.push_back(i);
    EXPECT_EQ(answer(items, mf::ordered(last_index{})), count - 1);
  }
}

TEST_F(gpu_known_answers, extrema_of_infinities_and_of_nan) {
  for (const std::size_t count : {1, 3, 1000, 5000}) {
    EXPECT_EQ(answer(std::vector<float>(count, infinite), mf::min), infinite);
    EXPECT_EQ(answer(std::vector<float>(count, -infinite), mf::max), -infinite);
    EXPECT_TRUE(std::isnan(answer(std::vector<float>(count, not_a_number), mf::min)));
    EXPECT_TRUE(std::isnan(answer(std::vector<float>(count, not_a_number), mf::max)));
  }
}

TEST_F(gpu_known_answers, an_index_of_nan_is_that_of_the_first) {
  const std::vector<float> items{not_a_number, 3, 1, 2};
  for (std::size_t shift = 0; shift < 4; ++shift) {
    std::vector<float> turned;
    for (std::size_t i = 0; i < 4; ++i) turned.push_back(items[(i + 4 - shift) % 4]);
    EXPECT_EQ(answer(turned, mf::argmin), static_cast<std::int64_t>(shift));
    EXPECT_EQ(answer(turned, mf::argmax), static_cast<std::int64_t>(shift));
  }
}

TEST_F(gpu_known_answers, a_sum_of_minus_zeros_is_minus_zero) {
  for (const std::size_t count : {1, 3, 1000, 5000, 300000}) {
    std::vector<float> items(count, -0.0f);
    EXPECT_EQ(bits(answer(items, mf::plain_sum)), bits(-0.0f)) << count;
    EXPECT_EQ(bits(answer(items, mf::plain_sum_in<double>)), bits(-0.0)) << count;
    items[count / 2] = 0;
    EXPECT_EQ(bits(answer(items, mf::plain_sum)), bits(0.0f)) << count;
  }
}

TEST_F(gpu_known_answers, sums_of_infinities_and_large_numbers) {
  EXPECT_EQ(answer(std::vector<double>{infinite, 1, 2}, mf::plain_sum_in<double>), infinite);
  EXPECT_EQ(answer(std::vector<double>{-infinite, 1}, mf::plain_sum_in<double>), -infinite);
  EXPECT_TRUE(
      std::isnan(answer(std::vector<double>{infinite, 1, -infinite}, mf::plain_sum_in<double>)));
  EXPECT_EQ(answer(std::vector<double>(1000, 0.0), mf::plain_sum_in<double>), 0.0);
  EXPECT_EQ(answer(std::vector<float>(10, 1e30f), mf::plain_sum_in<double>),
            10 * static_cast<double>(1e30f));
}

}  // namespace
