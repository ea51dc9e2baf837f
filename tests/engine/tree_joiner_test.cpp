/// engine/tree_joiner: states of nodes meet as the plan's tree says, wherever the nodes were cut.

#include "monofold/engine/tree_joiner.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/inputs/random.hpp"
#include "tests/oracle/plan_tree.hpp"

namespace {

namespace mf = monofold;

struct bracket_fold {
  std::string combine(const std::string& l, const std::string& r) const {
    return "(" + l + " " + r + ")";
  }
};

std::string brackets(std::int64_t first, std::int64_t end) {
  std::vector<std::string> row;
  for (std::int64_t i = first; i < end; ++i) row.push_back(std::to_string(i));
  return oracle::join_neighbours(
      row, [](const std::string& l, const std::string& r) { return bracket_fold{}.combine(l, r); });
}

/// Pushes the tiles of [first, end), cut into nodes of at most 2^max_level tiles.
void push_tiles(mf::tree_joiner<std::string>& joiner, std::int64_t first, std::int64_t end,
                int max_level) {
  while (first < end) {
    const mf::tree_node node = mf::next_node(first, end, max_level);
    joiner.push(bracket_fold{}, node, brackets(node.first_tile(), node.end_tile()));
    first = node.end_tile();
  }
}

TEST(tree_joiner, gives_the_tree_of_every_count_from_nodes_of_any_height) {
  for (std::int64_t tiles = 1; tiles <= 150; ++tiles) {
    for (const int level : {0, 1, 2, 6}) {
      mf::tree_joiner<std::string> joiner;
      EXPECT_TRUE(joiner.empty());
      push_tiles(joiner, 0, tiles, level);
      EXPECT_FALSE(joiner.empty());
      ASSERT_EQ(joiner.total(bracket_fold{}), brackets(0, tiles)) << tiles << " " << level;
      ASSERT_EQ(joiner.total(bracket_fold{}), brackets(0, tiles)) << "a second time";
    }
  }
}

TEST(tree_joiner, mixed_heights) {
  inputs::generator random(71);
  for (int round = 0; round < 300; ++round) {
    const auto tiles = static_cast<std::int64_t>(1 + random() % 200);
    mf::tree_joiner<std::string> joiner;
    for (std::int64_t at = 0; at < tiles;) {
      const mf::tree_node node = mf::next_node(at, tiles, static_cast<int>(random() % 7));
      joiner.push(bracket_fold{}, node, brackets(node.first_tile(), node.end_tile()));
      at = node.end_tile();
    }
    ASSERT_EQ(joiner.total(bracket_fold{}), brackets(0, tiles));
  }
}

// Two shards: the entries of the second joiner, pushed after the first, give the whole tree.
TEST(tree_joiner, shards_meet_at_any_tile) {
  for (std::int64_t cut = 1; cut < 70; ++cut) {
    for (const std::int64_t end : {cut + 1, cut + 5, std::int64_t{128}, std::int64_t{131}}) {
      mf::tree_joiner<std::string> left;
      mf::tree_joiner<std::string> right;
      push_tiles(left, 0, cut, 6);
      push_tiles(right, cut, end, 3);
      for (const auto& entry : right.entries()) left.push(bracket_fold{}, entry.node, entry.value);
      ASSERT_EQ(left.total(bracket_fold{}), brackets(0, end)) << cut << " " << end;
    }
  }
}

TEST(tree_joiner, keeps_few_states) {
  mf::tree_joiner<int> joiner;
  struct plus {
    int combine(int l, int r) const { return l + r; }
  };
  for (int i = 0; i < 100000; ++i) {
    joiner.push(plus{}, {0, i}, 1);
    ASSERT_LE(joiner.entries().size(), 2U * 64U);
  }
  EXPECT_EQ(joiner.total(plus{}), 100000);
  joiner.clear();
  EXPECT_TRUE(joiner.empty());
}

}  // namespace
