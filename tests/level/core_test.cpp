/// level/core: one tile gives the state of a literal reading of plan/tiles.hpp, for every count.

#include "monofold/level/core.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "tests/inputs/probe_folds.hpp"
#include "tests/oracle/plan_tree.hpp"

namespace {

namespace mf = monofold;

// One instance a fold and item, and not one a call: fold_tile is always inlined.
template <class F, class Item>
[[gnu::noinline]] typename F::state fold_tile(const Item* items, int count, std::int64_t index) {
  return mf::fold_tile(F{}, items, count, index);
}

template <class F, class Item>
[[gnu::noinline]] typename F::state fold_node(const std::vector<Item>& items, std::int64_t count,
                                              std::int64_t first_block, std::int64_t index) {
  const F f{};
  mf::node_folder<F, Item> folder(f);
  folder.add(items.data(), first_block, index);
  if (count > first_block) {
    folder.add(items.data() + first_block, count - first_block, index + first_block);
  }
  return folder.total();
}

template <class Item>
std::vector<Item> numbered(std::int64_t n) {
  std::vector<Item> items;
  for (std::int64_t i = 0; i < n; ++i) items.push_back(Item::of(i));
  return items;
}

/// Counts 1 to a tile through `fold_tile`; 1 to 2 tiles + 3 through `node_folder`.
template <class F, class Item>
void check_counts() {
  constexpr int tile = mf::tile_items_v<Item>;
  const std::vector<Item> items = numbered<Item>(2 * tile + 3);
  const auto item_at = [&](std::int64_t i) { return items[static_cast<std::size_t>(i)]; };
  const std::int64_t first = std::int64_t{5} << 33;  // indices beyond 32 bits
  const F f{};
  const auto full = oracle::tile_state<Item>(f, item_at, tile, first);
  SCOPED_TRACE(testing::Message() << sizeof(Item) << " bytes, order kept: " << !oracle::swaps<F>());
  for (int count = 1; count <= tile; ++count) {
    const auto expected = oracle::tile_state<Item>(f, item_at, count, first);
    ASSERT_TRUE((fold_tile<F, Item>(items.data(), count, first)) == expected) << count;
    ASSERT_TRUE((fold_node<F, Item>(items, count, count, first)) == expected) << count;
  }
  for (int extra = 0; extra <= tile + 3; extra += extra < 40 || extra > tile - 40 ? 1 : 13) {
    auto states = std::vector<typename F::state>{full};
    for (int done = 0; done < extra; done += tile) {
      const int here = extra - done < tile ? extra - done : tile;
      states.push_back(oracle::tile_state<Item>(
          f, [&](int i) { return item_at(tile + done + i); }, here, first + tile + done));
    }
    const auto expected = oracle::join_neighbours(
        states, [&](const auto& l, const auto& r) { return f.combine(l, r); });
    ASSERT_TRUE((fold_node<F, Item>(items, tile + extra, tile, first)) == expected) << extra;
    ASSERT_TRUE((fold_node<F, Item>(items, tile + extra, tile + extra, first)) == expected);
  }
}

template <std::size_t bytes>
void check_size() {
  using item = inputs::sized_item<bytes>;
  check_counts<inputs::tree_probe<item, true>, item>();
  check_counts<inputs::tree_probe<item, false>, item>();
}

TEST(fold_tile, items_of_1_byte) { check_size<1>(); }
TEST(fold_tile, items_of_2_bytes) { check_size<2>(); }
TEST(fold_tile, items_of_3_bytes) { check_size<3>(); }
TEST(fold_tile, items_of_4_bytes) { check_size<4>(); }
TEST(fold_tile, items_of_6_bytes) { check_size<6>(); }
TEST(fold_tile, items_of_8_bytes) { check_size<8>(); }
TEST(fold_tile, items_of_12_bytes) { check_size<12>(); }
TEST(fold_tile, items_of_16_bytes) { check_size<16>(); }
TEST(fold_tile, items_of_24_bytes) { check_size<24>(); }
TEST(fold_tile, items_of_40_bytes) { check_size<40>(); }

// States that leave a lane fewer accumulators than items.
TEST(fold_tile, states_of_24_bytes) {
  using item = inputs::sized_item<2>;
  check_counts<inputs::tree_probe<item, true, 2>, item>();
  check_counts<inputs::tree_probe<item, false, 2>, item>();
}
TEST(fold_tile, states_of_128_bytes) {
  using item = inputs::sized_item<4>;
  check_counts<inputs::tree_probe<item, true, 15>, item>();
}
TEST(fold_tile, states_of_1_kilobyte) {
  using item = inputs::sized_item<8>;
  check_counts<inputs::tree_probe<item, true, 127>, item>();
}

// All optional members; 16 bytes of accumulator are 8 chains for 16 items of 1 byte a lane.
TEST(fold_tile, private_accumulators) {
  check_counts<inputs::accumulating_probe<inputs::sized_item<1>, true>, inputs::sized_item<1>>();
  check_counts<inputs::accumulating_probe<inputs::sized_item<8>, true>, inputs::sized_item<8>>();
  check_counts<inputs::accumulating_probe<inputs::sized_item<4>, false>, inputs::sized_item<4>>();
}

}  // namespace
