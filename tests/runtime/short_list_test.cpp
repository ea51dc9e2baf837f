#include "runtime/short_list.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace monofold::runtime {

TEST(short_list, grows_beyond_what_lies_in_it) {
  short_list<int, 2> list;
  EXPECT_TRUE(list.empty());
  std::vector<int> wanted;
  for (int i = 0; i < 5; ++i) {
    list.push_back(i);
    wanted.push_back(i);
    EXPECT_EQ(std::vector<int>(list.begin(), list.end()), wanted);
    EXPECT_EQ(list.size(), wanted.size());
    const short_list<int, 2> copy = list;
    EXPECT_EQ(copy, list);
    EXPECT_EQ(copy[static_cast<std::size_t>(i)], i);
  }
  for (int& one : list) wanted[static_cast<std::size_t>(one++)]++;
  EXPECT_EQ(std::vector<int>(list.begin(), list.end()), wanted);
  list.assign_one(7);
  EXPECT_EQ(std::vector<int>(list.begin(), list.end()), std::vector<int>{7});
  list = wanted;
  EXPECT_EQ(list.size(), 5u);
  list = std::vector<int>{3};
  EXPECT_EQ(list.size(), 1u);
  EXPECT_EQ(list.front(), 3);
  list.clear();
  EXPECT_TRUE(list.empty());
}

}  // namespace monofold::runtime
