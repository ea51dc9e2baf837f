// The C++ of docs/groups.md (tests/docs/snippets_test.py).

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

// [groups_call]
#include "monofold/group_by.hpp"
#include "monofold/monofold.hpp"
namespace mf = monofold;
// [/groups_call]

namespace {

TEST(groups, page) {
  // [groups_call]
  std::vector<std::string> cities{"Oslo", "Bergen", "Oslo", "Oslo", "Bergen"};
  std::vector<double> rain{0.1, 3, 0.2, 7, 5};
  auto [keys, means] = mf::group_by(cities, rain, mf::mean);  // "Bergen", "Oslo"; 4, 2.4333...
  auto first = mf::group_by(cities, rain, mf::sum, mf::key_order::first);  // "Oslo" comes first
  auto runs = mf::reduce_by_key(cities, rain, mf::count);  // runs of neighbours: 1, 1, 2, 1
  auto peaks = mf::group_by(cities, rain, mf::argmax);     // in the group: 1 and 2
  auto places = mf::group_by(cities, rain, mf::argmax, mf::key_order::sorted, mf::global_index);
  // [/groups_call]
  EXPECT_EQ(keys, (std::vector<std::string>{"Bergen", "Oslo"}));
  EXPECT_EQ(means, (std::vector<double>{4, (0.1 + 0.2 + 7) / 3}));
  EXPECT_EQ(first.keys[0], "Oslo");
  EXPECT_EQ(runs.answers, (std::vector<std::int64_t>{1, 1, 2, 1}));
  EXPECT_EQ(peaks.answers, (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(places.answers, (std::vector<std::int64_t>{4, 3}));
}

}  // namespace
