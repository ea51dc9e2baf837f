// Views and segments of users that count in other types than std::int64_t: every call takes them, without a warning.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "monofold/gpus.cuh"
#include "monofold/group_by.cuh"
#include "monofold/reduce_segments.cuh"
#include "monofold/running_state.cuh"
#include "tests/gpu/device.cuh"

namespace {

namespace mf = monofold;
using gpu_tests::device_array;

class gpu_unsigned_sizes : public gpu_tests::gpu_test {};

/// Numbers in memory.
template <class Item, class Size>
struct user_array {
  using item_type = Item;
  const Item* items;
  Size count;

  MONOFOLD_HD Size size() const { return count; }
  MONOFOLD_HD Item operator[](std::int64_t i) const { return items[i]; }
  MONOFOLD_HD const Item* data() const { return items; }
};

/// Numbers that are computed.
template <class Size>
struct user_numbers {
  using item_type = int;
  Size count;

  MONOFOLD_HD Size size() const { return count; }
  MONOFOLD_HD int operator[](std::int64_t i) const { return static_cast<int>(i / 3); }
};

/// Pairs in two arrays.
template <class Size>
struct user_pairs {
  using item_type = mf::item_pair<float, float>;
  const float* left;
  const float* right;
  Size count;

  MONOFOLD_HD Size size() const { return count; }
  MONOFOLD_HD item_type operator[](std::int64_t i) const { return {left[i], right[i]}; }
  MONOFOLD_HD const float* left_data() const { return left; }
  MONOFOLD_HD const float* right_data() const { return right; }
};

/// Pieces of three items.
template <class Size>
struct user_segments {
  Size count;

  MONOFOLD_HD Size size() const { return count; }
  MONOFOLD_HD Size begin(std::int64_t s) const { return static_cast<Size>(3 * s); }
  MONOFOLD_HD Size end(std::int64_t s) const { return static_cast<Size>(3 * s + 3); }
};

constexpr int count = 300;

template <class Size>
void call_everything() {
  std::vector<float> host(count);
  for (std::size_t i = 0; i < host.size(); ++i) host[i] = static_cast<float>(i);
  const device_array<float> device(host);
  const user_array<float, Size> items{device.data(), Size(count)};
  const user_array<float, Size> host_items{host.data(), Size(count)};
  const user_numbers<Size> numbers{Size(count)};
  const user_pairs<Size> pairs{device.data(), device.data(), Size(count)};
  const user_segments<Size> segments{Size(count / 3)};
  const double sum = count * (count - 1) / 2;

  EXPECT_EQ(mf::reduce(mf::gpu, items, mf::sum), sum);
  EXPECT_EQ(mf::reduce(mf::gpu, items, mf::plain_sum), static_cast<float>(sum));
  EXPECT_EQ(mf::reduce(mf::gpu, items, mf::top(2)).values[0], count - 1);
  EXPECT_EQ(mf::reduce(mf::gpu, numbers, mf::max), (count - 1) / 3);
  EXPECT_EQ(mf::reduce(mf::gpu, pairs, mf::dot), mf::reduce(mf::gpu, items, mf::sum_of_squares));
  EXPECT_EQ(mf::reduce(mf::gpus({0}), host_items, mf::sum), sum);
  EXPECT_EQ(mf::reduce(mf::gpus({0}), std::vector{items}, mf::sum), sum);

  const auto of_segments = mf::reduce_segments(mf::gpu, items, segments, mf::sum);
  ASSERT_EQ(of_segments.size(), std::size_t{count / 3});
  EXPECT_EQ(of_segments[1], 3 + 4 + 5);
  EXPECT_EQ(mf::reduce_segments(mf::gpu, numbers, segments, mf::max)[2], 2);
  EXPECT_EQ(mf::reduce_segments(mf::gpu, items, segments, mf::top(1)).size(),
            std::size_t{count / 3});

  for (const auto& groups : {mf::group_by(mf::gpu, numbers, items, mf::sum),
                             mf::reduce_by_key(mf::gpu, numbers, items, mf::sum)}) {
    ASSERT_EQ(groups.keys.size(), std::size_t{count / 3});
    EXPECT_EQ(groups.keys[1], 1);
    EXPECT_EQ(groups.answers[1], 3 + 4 + 5);
  }
  EXPECT_EQ(mf::group_by(mf::gpu, items, numbers, mf::sum).keys.size(), std::size_t{count});

  mf::running_state<float, decltype(mf::sum), mf::gpu_engine> state(mf::sum);
  state.push(items);
  EXPECT_EQ(state.finish(), sum);

  EXPECT_EQ(mf::reduce(host_items, mf::sum), sum);
  EXPECT_EQ(mf::reduce_segments(mf::cpu, host_items, segments, mf::sum), of_segments);
  EXPECT_EQ(mf::reduce_by_key(numbers, host_items, mf::sum).answers, of_segments);
  EXPECT_EQ(mf::group_by(numbers, host_items, mf::sum).answers, of_segments);
}

TEST_F(gpu_unsigned_sizes, of_64_bits) { call_everything<std::size_t>(); }
TEST_F(gpu_unsigned_sizes, of_32_bits) { call_everything<std::uint32_t>(); }
TEST_F(gpu_unsigned_sizes, of_int) { call_everything<int>(); }

}  // namespace
