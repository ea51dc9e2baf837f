/// watched_calls: groups and segments on several threads, for the thread sanitizer. Who answers right is seen elsewhere, by
/// many folds; here few are enough, because threads meet in the same places whatever they fold.

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "monofold/group_by.hpp"
#include "monofold/monofold.hpp"
#include "monofold/reduce_segments.hpp"
#include "tests/inputs/random.hpp"

namespace {

namespace mf = monofold;
using inputs::mixed;

constexpr auto in_order = mf::ordered([](double l, double r) { return 0.75 * l + r; });

/// The keys and answers of one thread, on several.
template <class Keys>
void check_groups(const Keys& keys, mf::key_order order = mf::key_order::sorted) {
  const std::vector<double> values = inputs::spread_doubles(keys.size(), 30, 2);
  const auto alone = mf::group_by(mf::cpu(1), keys, values, in_order, order);
  for (const int threads : {2, 5}) {
    const auto got = mf::group_by(mf::cpu(threads), keys, values, in_order, order);
    ASSERT_EQ(got.keys, alone.keys);
    ASSERT_EQ(got.answers, alone.answers);
  }
}

std::vector<std::int64_t> keys_below(std::uint64_t groups, std::size_t count) {
  std::vector<std::int64_t> keys;
  for (std::size_t i = 0; i < count; ++i) {
    keys.push_back(static_cast<std::int64_t>(mixed(i) % groups));
  }
  return keys;
}

TEST(group_by, few_and_many) {
  for (const auto order : {mf::key_order::sorted, mf::key_order::first}) {
    check_groups(keys_below(9, 100000), order);
    check_groups(keys_below(30000, 100000), order);
  }
}

TEST(group_by, a_giant_among_many) {
  auto keys = keys_below(1 << 17, 100000);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (i % 5 != 0) keys[i] = 77;
  }
  check_groups(keys);
}

TEST(group_by, sorted_keys) {
  auto keys = keys_below(9000, 100000);
  std::sort(keys.begin(), keys.end());
  check_groups(keys);
}

TEST(group_by, strings) {
  std::vector<std::string> keys;
  for (std::uint64_t i = 0; i < 30000; ++i) keys.push_back(std::to_string(mixed(i) % 700));
  check_groups(keys);
}

TEST(group_by, exact_sums_whose_parts_meet) {
  const auto keys = keys_below(50, 50000);
  const std::vector<double> values = inputs::spread_doubles(keys.size(), 30, 2);
  const auto alone = mf::group_by(mf::cpu(1), keys, values, mf::sum);
  ASSERT_EQ(mf::group_by(mf::cpu(5), keys, values, mf::sum).answers, alone.answers);
}

TEST(reduce_segments, giants_tiny_ones_and_none) {
  constexpr std::int64_t tile = mf::tile_items_v<double>;
  std::vector<std::int64_t> offsets{7};
  for (std::uint64_t i = 0; i < 400; ++i) {
    const std::int64_t length = i == 90 ? 150 * tile + 17 : static_cast<std::int64_t>(mixed(i) % 5);
    offsets.push_back(offsets.back() + length);
  }
  for (const std::int64_t length : {tile - 1, tile, 64 * tile + 1, 3 * tile}) {
    offsets.push_back(offsets.back() + length);
  }
  const auto items = inputs::spread_doubles(static_cast<std::size_t>(offsets.back()), 30, 2);
  const mf::offset_segments<std::int64_t> segments(offsets.data(), std::ssize(offsets) - 1);
  const auto bytes_on = [&](int threads) {
    std::vector<double> sums;
    for (const auto& one :
         mf::try_reduce_segments(mf::cpu(threads), items, segments, mf::plain_sum)) {
      sums.push_back(*one);
    }
    return sums;
  };
  const auto alone = bytes_on(1);
  for (const int threads : {2, 5}) ASSERT_EQ(bytes_on(threads), alone);
}

}  // namespace
