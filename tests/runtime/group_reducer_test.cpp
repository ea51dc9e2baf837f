// runtime/group_reducer: the answers of each group are those of a call that gets its items alone.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "monofold/monofold.h"
#include "monofold/platform/dtype.hpp"
#include "monofold/platform/float_format.hpp"
#include "tests/inputs/random.hpp"

namespace {

namespace mf = monofold;

template <class Item>
struct group_of {
  std::int64_t key;
  std::vector<Item> items;
};

/// The groups in either order, the slow way.
template <class Item>
std::vector<group_of<Item>> groups_of(const std::vector<std::int64_t>& keys,
                                      const std::vector<Item>& items, monofold_key_order order) {
  std::map<std::int64_t, std::size_t> places;
  std::vector<group_of<Item>> out;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto [at, is_new] = places.emplace(keys[i], out.size());
    if (is_new) out.push_back({keys[i], {}});
    out[at->second].items.push_back(items[i]);
  }
  if (order == MONOFOLD_BY_KEY) {
    std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.key < b.key; });
  }
  return out;
}

using groups_handle = std::unique_ptr<monofold_groups, decltype(&monofold_groups_destroy)>;

template <class Item>
void check_groups(const std::vector<std::int64_t>& keys, const std::vector<Item>& items,
                  mf::dtype type, monofold_operation op, monofold_dtype value_type, int threads,
                  monofold_nan_policy nan = MONOFOLD_NAN_PROPAGATE) {
  monofold_options options = MONOFOLD_OPTIONS_INIT;
  options.num_threads = threads;
  options.nan = nan;
  const auto item_type = static_cast<monofold_dtype>(type);
  for (const auto order : {MONOFOLD_BY_KEY, MONOFOLD_BY_FIRST}) {
    monofold_groups* made = nullptr;
    ASSERT_EQ(monofold_group_by(keys.data(), items.data(), item_type, std::ssize(items), order, op,
                                &options, value_type, &made),
              MONOFOLD_OK);
    const groups_handle groups(made, monofold_groups_destroy);
    const auto wanted = groups_of(keys, items, order);
    ASSERT_EQ(monofold_groups_count(made), std::ssize(wanted));
    std::vector<std::int64_t> got_keys(wanted.size());
    std::vector<std::int64_t> indices(wanted.size(), -7);
    std::vector<double> values(wanted.size());
    std::vector<double> seconds(wanted.size());
    ASSERT_EQ(
        monofold_groups_copy(made, got_keys.data(), values.data(), seconds.data(), indices.data()),
        MONOFOLD_OK);
    const auto bytes =
        static_cast<std::size_t>(mf::info(static_cast<mf::dtype>(value_type)).size_bytes);
    for (std::size_t g = 0; g < wanted.size(); ++g) {
      ASSERT_EQ(got_keys[g], wanted[g].key) << g;
      const auto count = std::ssize(wanted[g].items);
      const std::int64_t axis = 0;
      double value = 0;
      double second = 0;
      std::int64_t index = -7;
      ASSERT_EQ(
          monofold_reduce_axis_into(wanted[g].items.data(), item_type, 1, &count, nullptr, &axis, 1,
                                    op, &options, value_type, &value, &second, &index, 1, nullptr),
          MONOFOLD_OK);
      const auto same = [&](const std::vector<double>& all, const double& one) {
        return std::memcmp(reinterpret_cast<const char*>(all.data()) + g * bytes, &one, bytes) == 0;
      };
      ASSERT_TRUE(same(values, value)) << "group " << g << " of " << count;
      ASSERT_TRUE(op != MONOFOLD_MINMAX || same(seconds, second)) << "group " << g;
      ASSERT_EQ(indices[g], index) << "group " << g;
    }
  }
}

/// The items of each key are those of the slow way, bit for bit and in their order.
template <class Item>
void check_grouped_items(const std::vector<std::int64_t>& keys, const std::vector<Item>& items,
                         mf::dtype type, int threads) {
  monofold_options options = MONOFOLD_OPTIONS_INIT;
  options.num_threads = threads;
  for (const auto order : {MONOFOLD_BY_KEY, MONOFOLD_BY_FIRST}) {
    std::vector<std::int64_t> got_keys(keys.size());
    std::vector<std::int64_t> offsets(keys.size() + 1, -7);
    std::vector<Item> grouped(items.size());
    std::int64_t count = -7;
    ASSERT_EQ(monofold_group_items(keys.data(), items.data(), static_cast<monofold_dtype>(type),
                                   std::ssize(items), order, &options, got_keys.data(),
                                   offsets.data(), grouped.data(), &count),
              MONOFOLD_OK);
    const auto wanted = groups_of(keys, items, order);
    ASSERT_EQ(count, std::ssize(wanted));
    ASSERT_EQ(offsets[0], 0);
    for (std::size_t g = 0; g < wanted.size(); ++g) {
      ASSERT_EQ(got_keys[g], wanted[g].key) << g;
      ASSERT_EQ(offsets[g + 1] - offsets[g], std::ssize(wanted[g].items)) << g;
      ASSERT_EQ(std::memcmp(grouped.data() + offsets[g], wanted[g].items.data(),
                            wanted[g].items.size() * sizeof(Item)),
                0)
          << g;
    }
    if (wanted.size() < keys.size()) {
      ASSERT_EQ(offsets[wanted.size() + 1], -7);
    }
  }
}

/// Keys of about so many groups: near each other or spread, and one that a third of all items have.
std::vector<std::int64_t> spread_keys(std::int64_t count, std::uint64_t groups, bool near) {
  std::vector<std::int64_t> out;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint64_t number = inputs::mixed(static_cast<std::uint64_t>(i)) % groups;
    const auto key = static_cast<std::int64_t>(near ? number : inputs::mixed(number));
    out.push_back(i % 3 == 0 ? -5 : key);
  }
  return out;
}

template <class Item>
std::vector<Item> grouped_items(std::int64_t count) {
  std::vector<Item> out;
  for (std::int64_t i = 0; i < count; ++i) {
    out.push_back(static_cast<Item>(inputs::spread_double(static_cast<std::uint64_t>(i), 6) * 50));
  }
  return out;
}

template <class Item>
void check_groups_of_type(mf::dtype type, monofold_dtype sums) {
  for (const std::int64_t count : {1, 2, 1000, 30'000}) {
    const auto items = grouped_items<Item>(count);
    for (const auto groups : std::initializer_list<std::uint64_t>{1, 7, 900, 1'500, 12'000}) {
      const auto keys = spread_keys(count, groups, groups % 2 == 1);
      const int threads = groups == 900 ? 1 : 3;
      SCOPED_TRACE(testing::Message() << mf::info(type).name << ", " << count << " items, about "
                                      << groups << " groups");
      check_groups(keys, items, type, MONOFOLD_SUM, sums, threads);
      check_groups(keys, items, type, MONOFOLD_MEAN, MONOFOLD_BFLOAT16, threads);
      check_groups(keys, items, type, MONOFOLD_ARGMIN, static_cast<monofold_dtype>(type), threads);
      check_groups(keys, items, type, MONOFOLD_MINMAX, static_cast<monofold_dtype>(type), threads);
      check_grouped_items(keys, items, type, threads);
    }
  }
}

TEST(group_reducer, types_and_numbers_of_groups) {
  check_groups_of_type<double>(mf::dtype::float64, MONOFOLD_FLOAT64);
  check_groups_of_type<float>(mf::dtype::float32, MONOFOLD_FLOAT32);
  check_groups_of_type<mf::float16>(mf::dtype::float16, MONOFOLD_FLOAT64);
  check_groups_of_type<std::int8_t>(mf::dtype::int8, MONOFOLD_INT32);
}

TEST(group_reducer, long_groups_and_nan) {
  auto items = grouped_items<double>(200'000);
  for (std::size_t i = 0; i < items.size(); i += 1001) items[i] = std::nan("");
  for (const auto groups : std::initializer_list<std::uint64_t>{2, 3'000}) {
    const auto keys = spread_keys(200'000, groups, false);
    for (const auto nan : {MONOFOLD_NAN_PROPAGATE, MONOFOLD_NAN_OMIT}) {
      check_groups(keys, items, mf::dtype::float64, MONOFOLD_SUM, MONOFOLD_FLOAT32, 2, nan);
      check_groups(keys, items, mf::dtype::float64, MONOFOLD_COUNT, MONOFOLD_INT64, 2, nan);
    }
  }
}

TEST(group_reducer, runs_end_where_keys_change) {
  for (const std::int64_t count : {1, 2, 1000}) {
    const auto keys = spread_keys(count, 2, true);
    std::vector<std::int64_t> wanted;
    for (std::int64_t i = 0; i < count; ++i) {
      if (i == 0 || keys[static_cast<std::size_t>(i)] != keys[static_cast<std::size_t>(i - 1)])
        wanted.push_back(i);
    }
    wanted.push_back(count);
    std::vector<std::int64_t> offsets(keys.size() + 1);
    std::int64_t runs = 0;
    ASSERT_EQ(monofold_find_runs(keys.data(), count, offsets.data(), &runs), MONOFOLD_OK);
    ASSERT_EQ(runs + 1, std::ssize(wanted));
    offsets.resize(wanted.size());
    EXPECT_EQ(offsets, wanted);
  }
}

TEST(group_reducer, extreme_keys_are_in_order) {
  const std::vector<std::int64_t> keys = {0, INT64_MAX, INT64_MIN, -1, 1, INT64_MIN};
  const std::vector<std::int32_t> items = {1, 2, 3, 4, 5, 6};
  check_groups(keys, items, mf::dtype::int32, MONOFOLD_SUM, MONOFOLD_INT64, 1);
}

TEST(group_reducer, the_status_of_the_first_group_without_an_answer) {
  for (const std::int64_t count : {60, 60'000}) {  // few groups, and many
    std::vector<std::int64_t> keys;
    std::vector<std::int64_t> items;
    for (std::int64_t i = 0; i < count; ++i) {
      keys.push_back(count - i / 2);
      items.push_back(i);
    }
    items[10] = INT64_MAX;
    monofold_groups* made = nullptr;
    const auto group = [&](monofold_dtype value_type) {
      return monofold_group_by(keys.data(), items.data(), MONOFOLD_INT64, count, MONOFOLD_BY_FIRST,
                               MONOFOLD_SUM, nullptr, value_type, &made);
    };
    EXPECT_EQ(group(MONOFOLD_INT64), MONOFOLD_INTEGER_OVERFLOW);
    EXPECT_EQ(made, nullptr);
    ASSERT_EQ(group(MONOFOLD_FLOAT64), MONOFOLD_OK);  // 2^63 - 1 + 11
    const groups_handle groups(made, monofold_groups_destroy);
    std::vector<double> values(static_cast<std::size_t>(count) / 2);
    ASSERT_EQ(monofold_groups_copy(made, nullptr, values.data(), nullptr, nullptr), MONOFOLD_OK);
    EXPECT_EQ(values[5], 0x1p63);
    EXPECT_EQ(values[6], 25);
    std::vector<float> with_nan(items.begin(), items.end());
    with_nan[11] = std::nanf("");
    monofold_options raise = MONOFOLD_OPTIONS_INIT;
    raise.nan = MONOFOLD_NAN_RAISE;
    monofold_groups* none = nullptr;
    EXPECT_EQ(monofold_group_by(keys.data(), with_nan.data(), MONOFOLD_FLOAT32, count, 0,
                                MONOFOLD_MAX, &raise, MONOFOLD_FLOAT32, &none),
              MONOFOLD_NAN_FOUND);
    EXPECT_EQ(none, nullptr);
  }
}

}  // namespace
