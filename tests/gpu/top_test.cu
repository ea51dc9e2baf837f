// top and bottom on every type: the GPU engine's answers have the CPU engine's bits.

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "tests/gpu/device.cuh"
#include "tests/gpu/top_items.cuh"

namespace {

namespace mf = monofold;
using gpu_tests::device_array;
using gpu_tests::expect_same_top;
using gpu_tests::item_order;
using gpu_tests::items_in;

class gpu_top : public gpu_tests::gpu_test {};

const std::vector<std::int64_t> some_k =
    gpu_tests::is_slow ? std::vector<std::int64_t>{1, 10, 32, 33, 1024}
                       : std::vector<std::int64_t>{1, 2, 3, 10, 31, 32, 33, 100, 128, 1000, 1024};

/// Around every boundary: lanes, tiles, one block, several.
template <class Item>
std::vector<std::size_t> some_counts() {
  constexpr std::size_t tile = mf::tile_items_v<Item>;
  if (gpu_tests::is_slow) return {1, 33, 1025, tile + 1, 16 * tile, 17 * tile + 5};
  return {1,
          2,
          31,
          33,
          100,
          1023,
          1025,
          tile - 1,
          tile,
          tile + 1,
          16 * tile - 1,
          16 * tile,
          16 * tile + 1,
          17 * tile + 5,
          40 * tile + 3,
          300 * tile + 7,
          512 * tile + 1};
}

/// Every k where there are few items or they begin at a boundary; else some in turn.
template <class Item, class Make>
void compare_order(item_order order, const Make& make) {
  constexpr std::size_t tile = mf::tile_items_v<Item>;
  const std::size_t most = (gpu_tests::is_slow ? 18 : 513) * tile;
  const auto host = gpu_tests::ordered_items<Item>(order, most);
  const device_array<char> device(host);
  const std::string what = "order " + std::to_string(static_cast<int>(order));
  std::size_t turn = 0;
  for (const std::size_t n : some_counts<Item>()) {
    // The range's end has what is special about it too.
    for (const std::size_t from : {std::size_t{0}, std::size_t{1}, std::size_t{13}, most - n}) {
      for (const std::int64_t k : some_k) {
        if (k > static_cast<std::int64_t>(n) + 1) continue;
        if (from != 0 && n > 2 * tile && ++turn % 4 != 0) continue;
        if (gpu_tests::is_slow && from != 0 && ++turn % 5 != 0) continue;
        expect_same_top(what.c_str(), make(k), items_in<Item>(host.data(), from, n),
                        items_in<Item>(device.data(), from, n));
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

template <class F>
struct made {
  F operator()(std::int64_t k) const { return F{k}; }
};

template <class Item, bool smallest, mf::nan_rule rule = mf::nan_rule::propagate>
void compare_orders() {
  // On the emulated device the three tests of float32 take all orders; of the others each takes a few.
  constexpr bool is_integer = std::is_integral_v<Item>;
  const int step = !gpu_tests::is_slow ? 1 : is_integer ? 6 : 3;
  const int part = static_cast<int>(sizeof(Item)) + (smallest ? 1 : 0) + (is_integer ? 1 : 0) +
                   (rule == mf::nan_rule::omit ? 2 : 0);
  const int first = gpu_tests::is_slow ? part % 3 : 0;
  for (int order = first; order < gpu_tests::num_item_orders; order += step) {
    compare_order<Item>(static_cast<item_order>(order), made<mf::top_fold<Item, smallest, rule>>{});
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST_F(gpu_top, largest_float32) { compare_orders<float, false>(); }
TEST_F(gpu_top, smallest_float32) { compare_orders<float, true>(); }
TEST_F(gpu_top, numbers_float32) { compare_orders<float, false, mf::nan_rule::omit>(); }
TEST_F(gpu_top, largest_float64) { compare_orders<double, false>(); }
TEST_F(gpu_top, smallest_numbers_float64) { compare_orders<double, true, mf::nan_rule::omit>(); }
TEST_F(gpu_top, smallest_float16) { compare_orders<mf::float16, true>(); }
TEST_F(gpu_top, largest_bfloat16) { compare_orders<mf::bfloat16, false>(); }
TEST_F(gpu_top, smallest_boolean) { compare_orders<bool, true>(); }
TEST_F(gpu_top, largest_int8) { compare_orders<std::int8_t, false>(); }
TEST_F(gpu_top, smallest_uint8) { compare_orders<std::uint8_t, true>(); }
TEST_F(gpu_top, smallest_int16) { compare_orders<std::int16_t, true>(); }
TEST_F(gpu_top, largest_uint16) { compare_orders<std::uint16_t, false>(); }
TEST_F(gpu_top, smallest_int32) { compare_orders<std::int32_t, true>(); }
TEST_F(gpu_top, largest_uint32) { compare_orders<std::uint32_t, false>(); }
TEST_F(gpu_top, largest_int64) { compare_orders<std::int64_t, false>(); }
TEST_F(gpu_top, smallest_uint64) { compare_orders<std::uint64_t, true>(); }

/// Blocks that take several chunks.
TEST_F(gpu_top, many_tiles) {
  if (gpu_tests::is_slow) GTEST_SKIP() << "takes hours there";
  for (const std::size_t n :
       {std::size_t{1} << 21, (std::size_t{1} << 21) + 2, (std::size_t{24} << 18) + 5,
        (std::size_t{140} << 18) + 1001, (std::size_t{1050} << 18) + 77}) {
    for (const item_order order : {item_order::any_bits, item_order::ascending,
                                   item_order::all_equal, item_order::few_at_end}) {
      const auto host = gpu_tests::ordered_items<float>(order, static_cast<std::int64_t>(n));
      const device_array<char> device(host);
      for (const std::int64_t k : {1, 10, 128, 1024}) {
        expect_same_top("many", mf::top_fold<float, false>{k},
                        items_in<float>(host.data(), 1, n - 1),
                        items_in<float>(device.data(), 1, n - 1));
      }
    }
  }
}

/// Ties among 64-bit items, whose positions do not fit beside their ranks.
TEST_F(gpu_top, many_equal_items_of_8_bytes) {
  const std::size_t n = gpu_tests::is_slow ? 30011 : 5000011;
  for (const item_order order :
       {item_order::all_equal, item_order::all_nan, item_order::few_values, item_order::steps}) {
    const auto host = gpu_tests::ordered_items<double>(order, static_cast<std::int64_t>(n));
    const device_array<char> device(host);
    for (const std::int64_t k : {1, 100, 1024}) {
      expect_same_top("equal", mf::top_fold<double, false>{k}, items_in<double>(host.data(), 0, n),
                      items_in<double>(device.data(), 0, n));
    }
  }
}

TEST_F(gpu_top, more_than_2_to_the_32_items) {
  if (gpu_tests::is_slow) GTEST_SKIP() << "takes hours there";
  const std::size_t n = (std::size_t{1} << 32) + (std::size_t{5} << 20) + 3;
  std::size_t free_bytes = 0;
  std::size_t all_bytes = 0;
  ASSERT_EQ(cudaMemGetInfo(&free_bytes, &all_bytes), cudaSuccess);
  if (free_bytes < n + (std::size_t{1} << 30)) GTEST_SKIP() << "too little device memory";
  const device_array<std::uint8_t> device(n);
  ASSERT_EQ(cudaMemset(device.data(), 7, n), cudaSuccess);
  const auto put = [&](std::size_t at, int value) {
    ASSERT_EQ(cudaMemset(device.data() + at, value, 1), cudaSuccess);
  };
  const std::size_t wrap = std::size_t{1} << 32;
  put(wrap + 5, 9);
  put(wrap + 1000, 8);
  put(wrap - 1, 8);
  put(n - 1, 9);
  put(4, 6);
  using indices = std::vector<std::int64_t>;
  const auto at = [](std::size_t i) { return static_cast<std::int64_t>(i); };
  const auto best = mf::reduce(mf::gpu, device.span(0, n), mf::top(7));
  EXPECT_EQ(best.indices,
            (indices{at(wrap + 5), at(n - 1), at(wrap - 1), at(wrap + 1000), 0, 1, 2}));
  EXPECT_EQ(best.values, (std::vector<std::uint8_t>{9, 9, 8, 8, 7, 7, 7}));
  const mf::top_fold<std::uint8_t, true> least{3};
  EXPECT_EQ(mf::reduce(mf::gpu, device.span(1, n - 1), least).indices, (indices{3, 0, 1}));
}

}  // namespace
