/// plan/tree: nodes cover the tiles once, and states meet neighbours first.

#include "monofold/plan/tree.hpp"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/inputs/random.hpp"
#include "tests/oracle/plan_tree.hpp"

namespace {

namespace mf = monofold;

/// Writes down who met whom.
struct bracket_fold {
  std::string combine(const std::string& l, const std::string& r) const {
    return "(" + l + " " + r + ")";
  }
};

std::string expected_brackets(int first, int count) {
  std::vector<std::string> row;
  for (int i = 0; i < count; ++i) row.push_back(std::to_string(first + i));
  return oracle::join_neighbours(
      row, [](const std::string& l, const std::string& r) { return bracket_fold{}.combine(l, r); });
}

TEST(node_joiner, joins_neighbours_first_for_every_count) {
  for (int count = 1; count <= 64; ++count) {
    mf::node_joiner<std::string, 6> joiner;
    EXPECT_TRUE(joiner.empty());
    for (int i = 0; i < count; ++i) {
      joiner.push(bracket_fold{}, std::to_string(i));
      EXPECT_FALSE(joiner.empty());
    }
    EXPECT_EQ(joiner.total(bracket_fold{}), expected_brackets(0, count)) << count;
    EXPECT_EQ(joiner.total(bracket_fold{}), expected_brackets(0, count)) << "a second time";
  }
}

TEST(node_joiner, the_tree_of_seven) {
  mf::node_joiner<std::string, 3> joiner;
  for (int i = 0; i < 7; ++i) joiner.push(bracket_fold{}, std::to_string(i));
  EXPECT_EQ(joiner.total(bracket_fold{}), "(((0 1) (2 3)) ((4 5) 6))");
}

void check_next_node(std::int64_t first, std::int64_t end, int max_level) {
  const mf::tree_node node = mf::next_node(first, end, max_level);
  SCOPED_TRACE(testing::Message() << first << " " << end << " " << max_level);
  ASSERT_EQ(node.first_tile(), first);
  ASSERT_LE(node.end_tile(), end);
  ASSERT_GE(node.level, 0);
  ASSERT_LE(node.level, max_level);
  // The largest such node: its parent is too high, does not start here, or ends too late.
  const std::int64_t size = std::int64_t{1} << node.level;
  const bool parent_starts_here = first % (2 * size) == 0;
  ASSERT_TRUE(node.level == max_level || !parent_starts_here || 2 * size > end - first);
}

TEST(next_node, is_the_largest_that_fits) {
  for (std::int64_t end = 1; end <= 140; ++end) {
    for (std::int64_t first = 0; first < end; ++first) {
      for (const int level : {0, 1, 3, 6, 40}) check_next_node(first, end, level);
    }
  }
  inputs::generator random(11);
  for (int round = 0; round < 20000; ++round) {
    const auto end = static_cast<std::int64_t>((random() >> 2) >> random() % 60) + 1;
    const auto low_zeros = random() % 50;
    const auto first = static_cast<std::int64_t>((random() % static_cast<std::uint64_t>(end)) >>
                                                 low_zeros << low_zeros);
    check_next_node(first, end, static_cast<int>(random() % 61));
  }
  // The most tiles that 2^63 - 1 items can have: 256 items a tile.
  const std::int64_t most = std::numeric_limits<std::int64_t>::max() / 256 + 1;
  check_next_node(0, most, 6);
  check_next_node(most - 1, most, 6);
  check_next_node(most - 64, most, 6);
}

TEST(next_node, nodes_cover_the_tiles_once) {
  for (const std::int64_t begin : {0, 1, 5, 63, 64, 100}) {
    for (std::int64_t end = begin + 1; end < begin + 300; ++end) {
      std::int64_t at = begin;
      while (at < end) {
        const mf::tree_node node = mf::next_node(at, end, 6);
        ASSERT_EQ(node.first_tile(), at);
        ASSERT_GT(node.end_tile(), at);
        at = node.end_tile();
      }
      ASSERT_EQ(at, end);
    }
  }
}

}  // namespace
