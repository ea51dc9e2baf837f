// Squares in segments, one of them far below what the bins of its tile hold: it decides how the sum is rounded.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "monofold/reduce_segments.cuh"
#include "tests/gpu/device.cuh"

namespace {

namespace mf = monofold;
using gpu_tests::device_array;

class gpu_segment_rests : public gpu_tests::gpu_test {};

/// 1 + 2^-54 + 2^-54 is a tie; with another 2^-200 it is not.
template <class Item>
void expect_rounded_up(std::int64_t length) {
  constexpr std::int64_t count = 3;
  std::vector<Item> items(static_cast<std::size_t>(count * length), Item(0));
  for (std::int64_t s = 0; s < count; ++s) {
    Item* const own = items.data() + s * length;
    own[0] = Item(1);
    own[length / 2] = own[length - 1] = Item(0x1p-27);
    if (s != 1) own[length / 3] = Item(0x1p-100);
  }
  const device_array<Item> device(items);
  const auto got = mf::reduce_segments(mf::gpu, device.span(0, items.size()),
                                       mf::fixed_segments(length, count), mf::sum_of_squares);
  ASSERT_EQ(got.size(), static_cast<std::size_t>(count));
  EXPECT_EQ(got[0], 1 + 0x1p-52) << length;
  EXPECT_EQ(got[1], 1.0) << length;
  EXPECT_EQ(got[2], 1 + 0x1p-52) << length;
}

TEST_F(gpu_segment_rests, decide_ties) {
  for (const std::int64_t length : {30, 900, 1025, 5000, 20000, 150000}) {
    if (gpu_tests::is_slow && length > 20000) continue;
    expect_rounded_up<float>(length);
    expect_rounded_up<double>(length);
  }
}

}  // namespace
