/// engine/cpu: any number of threads, any alignment, any part of the grid: the plan's tree.

#include "monofold/engine/cpu.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "monofold/engine/fetched.hpp"
#include "tests/inputs/probe_folds.hpp"
#include "tests/inputs/same_bits.hpp"
#include "tests/oracle/plan_tree.hpp"

namespace {

namespace mf = monofold;

// One instance a fold and view.
template <class F, class View>
[[gnu::noinline]] typename F::state fold_view(int threads, const F& f, const View& view) {
  const mf::cpu_engine engine = mf::cpu(threads);
  return mf::fold_view(engine, f, view);
}

template <class Item>
mf::contiguous_view<Item> view_of(const std::vector<Item>& items) {
  return {items.data(), static_cast<std::int64_t>(items.size())};
}

template <class Item>
std::vector<Item> numbered(std::int64_t n) {
  std::vector<Item> items;
  for (std::int64_t i = 0; i < n; ++i) items.push_back(Item::of(i));
  return items;
}

template <class F, class Item>
void check_sizes_and_threads() {
  constexpr std::int64_t tile = mf::tile_items_v<Item>;
  constexpr std::int64_t span = 64 * tile;
  const std::vector<std::int64_t> sizes = {
      1,        2,    31,       32,   33,       tile - 1, tile,         tile + 1,
      2 * tile, 7919, span - 1, span, span + 1, 2 * span, 3 * span - 1, 3 * span + tile + 1,
      100003};
  const auto items = numbered<Item>(std::max<std::int64_t>(3 * span + tile + 1, 100003));
  for (const std::int64_t n : sizes) {
    const mf::contiguous_view<Item> view(items.data(), n);
    const auto expected = oracle::plan_state<Item>(
        F{}, n, [&](std::int64_t i) { return items[static_cast<std::size_t>(i)]; });
    for (int threads = 0; threads <= 16; ++threads) {
      ASSERT_TRUE(fold_view(threads, F{}, view) == expected) << n << " on " << threads;
    }
  }
}

template <std::size_t bytes>
using item = inputs::sized_item<bytes>;

TEST(cpu, commutative_fold_on_1_to_16_threads) {
  check_sizes_and_threads<inputs::tree_probe<item<8>, true>, item<8>>();
  check_sizes_and_threads<inputs::tree_probe<item<24>, true, 2>, item<24>>();
}
TEST(cpu, ordered_fold_on_1_to_16_threads) {
  check_sizes_and_threads<inputs::tree_probe<item<8>, false>, item<8>>();
}
TEST(cpu, accumulators_on_1_to_16_threads) {
  check_sizes_and_threads<inputs::accumulating_probe<item<12>, true>, item<12>>();
}

// The engine cuts more data into larger nodes and hands them out in batches; the more threads, the
// smaller the nodes. 32768 tiles on 64 threads are 512 nodes of 64 tiles: one full batch.
TEST(cpu, nodes_of_every_height_and_batches_of_512) {
  using fold = inputs::tree_probe<item<16>, true>;
  constexpr std::int64_t tile = mf::tile_items_v<item<16>>;
  constexpr std::int64_t batch = 512 * 64 * tile;
  // A cheap item: the first eight bytes are its number, mixed.
  const auto make = [](std::int64_t i) {
    item<16> out{};
    const std::uint64_t number = static_cast<std::uint64_t>(i) * 0x9e3779b97f4a7c15U;
    std::memcpy(out.byte.data(), &number, sizeof number);
    return out;
  };
  for (const std::int64_t n : {2048 * tile - 1, 2048 * tile, 2048 * tile + 1, 5000 * tile + 3,
                               batch - 1, batch, batch + 1, batch + 192 * tile + 5}) {
    const mf::generated_view view(n, make);
    const auto expected = oracle::plan_state<item<16>>(fold{}, n, make);
    for (const int threads : {1, 3, 64}) {
      ASSERT_TRUE(fold_view(threads, fold{}, view) == expected) << n << " on " << threads;
    }
  }
}

/// Items as a file gives them: every other fetch is a copy, and none is longer than was said.
template <class Item>
struct file_view {
  using item_type = Item;
  const std::vector<Item>* items;
  std::int64_t best;  // items to a fetch

  std::int64_t size() const { return std::ssize(*items); }
  Item operator[](std::int64_t i) const { return (*items)[static_cast<std::size_t>(i)]; }
  std::int64_t fetch_items() const { return best; }
  const Item* fetch(std::int64_t at, std::int64_t count, Item* buffer) const {
    const std::int64_t most = static_cast<std::int64_t>(std::bit_ceil(
                                  static_cast<std::uint64_t>(mf::tile_count<Item>(best)))) *
                              mf::tile_items_v<Item>;
    EXPECT_LE(count, most);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer) % 64, 0U);
    if (at / mf::tile_items_v<Item> % 2 == 0) return items->data() + at;
    std::copy_n(items->data() + at, count, buffer);
    return buffer;
  }
};

TEST(cpu, fetched_items_on_1_to_16_threads) {
  using fold = inputs::tree_probe<item<16>, false>;
  constexpr std::int64_t tile = mf::tile_items_v<item<16>>;
  // Fetches of parts of a node, of nodes, and of more than a folder takes.
  for (const std::int64_t tiles : {1, 48, 64, 100, 1500}) {
    for (const std::int64_t n : {std::int64_t{1}, 64 * tile, 257 * tile + 3, 5000 * tile + 7}) {
      const auto items = numbered<item<16>>(n);
      const auto expected = fold_view(1, fold{}, view_of(items));
      for (const int threads : {0, 1, 5, 16}) {
        const file_view<item<16>> view{&items, tiles * tile};
        mf::tree_joiner<fold::state> joiner;
        mf::fold_tiles(mf::cpu(threads), fold{}, view, 0, 0, joiner);
        ASSERT_TRUE(joiner.total(fold{}) == expected) << n << " by " << tiles;
      }
    }
  }
}

TEST(cpu, bytes_at_any_offset) {
  using fold = inputs::tree_probe<item<1>, true>;
  const std::int64_t n = 2 * 64 * 4096 + 777;
  const auto items = numbered<item<1>>(n);
  const auto expected = fold_view(1, fold{}, view_of(items));
  for (std::size_t offset = 0; offset < 64; offset += offset < 17 ? 1 : 13) {
    std::vector<item<1>> moved(items.size() + offset);
    std::copy(items.begin(), items.end(), moved.begin() + static_cast<std::ptrdiff_t>(offset));
    const mf::contiguous_view<item<1>> view(moved.data() + offset, n);
    ASSERT_TRUE(fold_view(3, fold{}, view) == expected) << offset;
  }
}

/// A user's fold of floating-point numbers.
struct weighted_sum {
  using state = double;
  static constexpr bool commutative = true;
  double lift(float x, std::int64_t) const { return x; }
  double combine(double l, double r) const { return l * 0.875 + r; }
};

TEST(cpu, numbers_at_any_natural_offset) {
  const std::int64_t n = 70001;
  std::vector<float> items;
  for (std::int64_t i = 0; i < n; ++i) {
    items.push_back(static_cast<float>(inputs::spread_double(static_cast<std::uint64_t>(i), 10)));
  }
  const double expected = oracle::plan_state(weighted_sum{}, items);
  for (std::size_t offset = 0; offset < 17; ++offset) {
    std::vector<float> moved(offset, 1e30F);
    moved.insert(moved.end(), items.begin(), items.end());
    const mf::contiguous_view<float> view(moved.data() + offset, n);
    for (const int threads : {1, 4}) {
      ASSERT_TRUE(inputs::same_bits(fold_view(threads, weighted_sum{}, view), expected)) << offset;
    }
  }
}

/// A state with padding: only its members are compared, and they are always the same.
struct padded_fold {
  struct state {
    double value;
    char last;
    float scaled;
    bool odd;
  };
  state lift(std::int16_t x, std::int64_t i) const {
    return {x * 0.1, static_cast<char>(x), static_cast<float>(x), i % 2 != 0};
  }
  state combine(const state& l, const state& r) const {
    return {l.value * 0.5 + r.value, r.last, l.scaled - r.scaled, l.odd != r.odd};
  }
};

TEST(cpu, states_with_padding) {
  const auto items = inputs::integers<std::int16_t>(300007, 81);
  const padded_fold::state expected = oracle::plan_state(padded_fold{}, items);
  for (const int threads : {1, 2, 5, 16}) {
    const padded_fold::state got = fold_view(threads, padded_fold{}, view_of(items));
    EXPECT_TRUE(inputs::same_bits(got.value, expected.value));
    EXPECT_TRUE(inputs::same_bits(got.scaled, expected.scaled));
    EXPECT_EQ(got.last, expected.last);
    EXPECT_EQ(got.odd, expected.odd);
  }
}

TEST(fold_tiles, shards_of_whole_tiles_make_the_tree_of_all) {
  using fold = inputs::tree_probe<item<8>, false>;
  constexpr std::int64_t tile = mf::tile_items_v<item<8>>;
  const std::int64_t n = 200 * tile + 17;
  const auto items = numbered<item<8>>(n);
  const auto expected = oracle::plan_state(fold{}, items);
  for (const std::int64_t cut : {1, 2, 3, 63, 64, 65, 100, 128, 199, 200}) {
    mf::tree_joiner<fold::state> joiner;
    const mf::contiguous_view<item<8>> left(items.data(), cut * tile);
    const mf::contiguous_view<item<8>> right(items.data() + cut * tile, n - cut * tile);
    // The item i of a view has index first_index + i.
    mf::fold_tiles(mf::cpu(2), fold{}, left, 0, 0, joiner);
    mf::fold_tiles(mf::cpu(2), fold{}, right, cut, cut * tile, joiner);
    ASSERT_TRUE(joiner.total(fold{}) == expected) << cut;
  }
}

struct throwing_fold {
  std::int64_t at;

  using state = std::int64_t;
  static constexpr bool commutative = true;
  state lift(std::uint8_t, std::int64_t index) const {
    if (index == at) throw std::out_of_range("item " + std::to_string(index));
    return 1;
  }
  state combine(state l, state r) const { return l + r; }
};

TEST(cpu, an_exception_of_a_fold_passes_through) {
  const std::vector<std::uint8_t> items(3000000);
  for (const std::int64_t at : {0, 5000, 1500000, 2999999}) {
    for (const int threads : {1, 2, 8}) {
      try {
        fold_view(threads, throwing_fold{at}, view_of(items));
        FAIL() << "no exception from " << at;
      } catch (const std::out_of_range& e) {
        EXPECT_EQ(e.what(), "item " + std::to_string(at));
      }
    }
  }
  EXPECT_EQ(fold_view(4, throwing_fold{-1}, view_of(items)), 3000000) << "and works afterwards";
}

}  // namespace
