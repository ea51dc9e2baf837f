// Groups by keys in memory of a device: each call writes the bytes that the processor's writes.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "monofold/monofold.h"
#include "monofold/platform/numbers.hpp"
#include "tests/inputs/random.hpp"
#include "tests/runtime/device_rows_cases.hpp"
#include "tests/runtime/hard_items.hpp"

namespace {

namespace mf = monofold;
using namespace device_row_cases;  // NOLINT: a test is made of it
using hard_items::pattern;
using inputs::mixed;

class device_groups : public device_rows {};

struct destroy_groups {
  void operator()(monofold_groups* own) const { monofold_groups_destroy(own); }
  void operator()(monofold_device_groups* own) const { monofold_device_groups_destroy(own); }
};
using groups_here = std::unique_ptr<monofold_groups, destroy_groups>;
using groups_there = std::unique_ptr<monofold_device_groups, destroy_groups>;

groups_there group_there(const void* keys, mf::dtype type, std::int64_t count,
                         monofold_key_order order, monofold_status wanted = MONOFOLD_OK) {
  monofold_device_groups* made = nullptr;
  EXPECT_EQ(monofold_group_keys_on_device(keys, static_cast<monofold_dtype>(type), count, order,
                                          nullptr, &made),
            wanted);
  return groups_there(made);
}

/// The numbers of keys, in their order: what the processor groups by.
template <class Key>
struct numbered_keys {
  std::vector<Key> distinct;  // as answers have them
  std::vector<std::int64_t> numbers;

  explicit numbered_keys(const std::vector<Key>& keys) {
    const auto number_of = [](Key key) {
      if constexpr (mf::is_floating_v<Key>) {
        const auto own = static_cast<double>(key);
        return std::pair(std::isnan(own), std::isnan(own) || own == 0 ? 0.0 : own);
      } else {
        return key;
      }
    };
    std::map<decltype(number_of(Key{})), std::int64_t> ranks;
    for (const Key key : keys) ranks.emplace(number_of(key), 0);
    for (auto& [number, rank] : ranks) {
      rank = std::ssize(distinct);
      if constexpr (mf::is_floating_v<Key>) {
        const double nan = std::numeric_limits<double>::quiet_NaN();
        distinct.push_back(static_cast<Key>(number.first ? nan : number.second));
      } else {
        distinct.push_back(number);
      }
    }
    for (const Key key : keys) numbers.push_back(ranks.at(number_of(key)));
  }
};

/// Keys of all kinds, each several times; -0 and NaN of both signs among floats.
template <class Key>
std::vector<Key> keys_of(std::int64_t count, std::uint64_t most) {
  std::vector<Key> out;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint64_t own = mixed(static_cast<std::uint64_t>(i)) % most;
    if constexpr (mf::is_floating_v<Key>) {
      const double infinity = std::numeric_limits<double>::infinity();
      const double kinds[] = {0.0, -0.0, std::nan(""), -std::nan(""), infinity, -infinity, 6e-8};
      const double far = (static_cast<double>(own) - static_cast<double>(most) / 2) * 0.5;
      out.push_back(static_cast<Key>(own < 7 ? kinds[own] : far));
    } else {
      using limits = std::numeric_limits<Key>;
      const Key ends[] = {limits::min(), limits::max(), Key(0)};
      out.push_back(own < 3 ? ends[own] : static_cast<Key>(mixed(own)));
    }
  }
  return out;
}

template <class Key>
bytes key_bytes(const std::vector<Key>& keys) {
  if constexpr (std::is_same_v<Key, bool>) {
    return {keys.begin(), keys.end()};
  } else {
    return bytes_of(keys);
  }
}

/// One question, of keys that lie in both memories.
void compare_one(const question& what, const bytes& items, const std::vector<std::int64_t>& numbers,
                 const groups_there& there, monofold_key_order order) {
  const std::int64_t count = std::ssize(numbers);
  const std::int64_t groups = monofold_device_groups_count(there.get());
  monofold_groups* made = nullptr;
  const monofold_status status = monofold_group_by(numbers.data(), items.data(), what.type, count,
                                                   order, what.op, &what.options, what.to, &made);
  const groups_here here(made);
  const device_copy copy(items);
  const outcome got = on_device(
      what, groups, [&](void* values, void* seconds, std::int64_t* indices, std::int64_t* failed) {
        return monofold_device_groups_reduce(there.get(), copy.at(), what.type, count, what.op,
                                             &what.options, what.to, values, seconds, indices,
                                             failed);
      });
  ASSERT_EQ(got.status, status) << what.text();
  if (status != MONOFOLD_OK) {
    EXPECT_GE(got.failed, 0) << what.text();
    return;  // whose answers the processor does not keep
  }
  outcome want = on_host(
      what, groups, [&](void* values, void* seconds, std::int64_t* indices, std::int64_t* failed) {
        *failed = -1;
        return monofold_groups_copy(here.get(), nullptr, values, seconds, indices);
      });
  expect_same(want, got, what.text() + ", " + std::to_string(groups) + " groups");
}

/// Keys of one type, and what they give.
template <class Key>
void compare_keys(mf::dtype type, std::int64_t count, std::uint64_t most) {
  const std::vector<Key> keys = keys_of<Key>(count, most);
  const numbered_keys<Key> numbered(keys);
  const device_copy copy(key_bytes(keys));
  const hard_items::sequence<float> made(pattern::ordinary, count, 7);
  const bytes items = bytes_of(made.items());
  const std::string where = std::string(mf::info(type).name) + " keys, " + std::to_string(count);
  for (const monofold_key_order order : {MONOFOLD_BY_KEY, MONOFOLD_BY_FIRST}) {
    SCOPED_TRACE(where);
    const groups_there there = group_there(copy.at(), type, count, order);
    ASSERT_NE(there, nullptr);
    ASSERT_EQ(monofold_device_groups_count(there.get()), std::ssize(numbered.distinct));
    std::vector<Key> want;
    if (order == MONOFOLD_BY_KEY) {
      want = numbered.distinct;
    } else {
      std::set<std::int64_t> seen;
      for (const std::int64_t number : numbered.numbers) {
        if (seen.insert(number).second) {
          want.push_back(numbered.distinct[static_cast<std::size_t>(number)]);
        }
      }
    }
    const device_copy back(bytes(key_bytes(want).size(), 0x55));
    ASSERT_EQ(monofold_device_groups_keys(there.get(), back.at()), MONOFOLD_OK);
    EXPECT_EQ(back.back(), key_bytes(want));
    for (const monofold_operation op : {MONOFOLD_SUM, MONOFOLD_ARGMAX, MONOFOLD_MINMAX}) {
      compare_one({op, MONOFOLD_FLOAT32, MONOFOLD_FLOAT32, MONOFOLD_OPTIONS_INIT}, items,
                  numbered.numbers, there, order);
    }
  }
}

TEST_F(device_groups, of_integer_keys) {
  compare_keys<bool>(mf::dtype::boolean, 900, 2);
  compare_keys<std::int8_t>(mf::dtype::int8, 900, 50);
  compare_keys<std::int16_t>(mf::dtype::int16, 900, 300);
  compare_keys<std::int32_t>(mf::dtype::int32, 900, 300);
  compare_keys<std::int64_t>(mf::dtype::int64, 900, 300);
  compare_keys<std::uint8_t>(mf::dtype::uint8, 900, 50);
  compare_keys<std::uint16_t>(mf::dtype::uint16, 900, 300);
  compare_keys<std::uint32_t>(mf::dtype::uint32, 900, 300);
  compare_keys<std::uint64_t>(mf::dtype::uint64, 900, 300);
}

TEST_F(device_groups, of_float_keys) {
  compare_keys<mf::float16>(mf::dtype::float16, 900, 100);
  compare_keys<mf::bfloat16>(mf::dtype::bfloat16, 900, 60);
  compare_keys<float>(mf::dtype::float32, 900, 300);
  compare_keys<double>(mf::dtype::float64, 900, 300);
}

TEST_F(device_groups, of_one_key_and_of_as_many_as_items) {
  compare_keys<std::int64_t>(mf::dtype::int64, 1, 1);
  compare_keys<std::int64_t>(mf::dtype::int64, 900, 1);
  compare_keys<std::uint32_t>(mf::dtype::uint32, 3000, std::uint64_t{1} << 40);
  compare_keys<double>(mf::dtype::float64, 3000, std::uint64_t{1} << 40);
}

/// Every operation that has kernels, on items of a type: keys as the processor takes them.
template <class Item>
void compare_items(mf::dtype type, pattern kind) {
  constexpr std::int64_t count = 2500;
  const hard_items::sequence<Item> made(kind, count, 5);
  const bytes items = bytes_of(made.items());
  std::vector<std::int64_t> numbers;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint64_t own = mixed(static_cast<std::uint64_t>(i));
    // Two of a few items, some of many, a giant.
    numbers.push_back(i == 17 || i == 900 ? i : own % 3 == 0 ? 5 : static_cast<int>(own % 37) - 9);
  }
  const device_copy keys(bytes_of(numbers));
  for (const monofold_key_order order : {MONOFOLD_BY_KEY, MONOFOLD_BY_FIRST}) {
    const groups_there there = group_there(keys.at(), mf::dtype::int64, count, order);
    ASSERT_NE(there, nullptr);
    for (const question& what : questions_of(type)) {
      if (what.op == MONOFOLD_TOP || what.op == MONOFOLD_BOTTOM || !is_native(what)) continue;
      if (order == MONOFOLD_BY_FIRST && what.options.nan != MONOFOLD_NAN_PROPAGATE) continue;
      compare_one(what, items, numbers, there, order);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST_F(device_groups, of_integers) {
  compare_items<std::uint8_t>(mf::dtype::uint8, pattern::ordinary);
  compare_items<std::int32_t>(mf::dtype::int32, pattern::ordinary);
  compare_items<std::int64_t>(mf::dtype::int64, pattern::ordinary);
}

TEST_F(device_groups, of_floats) {
  compare_items<mf::bfloat16>(mf::dtype::bfloat16, pattern::ordinary);
  compare_items<float>(mf::dtype::float32, pattern::nan_inside);
  compare_items<double>(mf::dtype::float64, pattern::wide);
}

TEST_F(device_groups, of_no_items) {
  for (const monofold_key_order order : {MONOFOLD_BY_KEY, MONOFOLD_BY_FIRST}) {
    const groups_there there = group_there(nullptr, mf::dtype::float32, 0, order);
    ASSERT_NE(there, nullptr);
    EXPECT_EQ(monofold_device_groups_count(there.get()), 0);
    EXPECT_EQ(monofold_device_groups_keys(there.get(), nullptr), MONOFOLD_OK);
    std::int64_t failed = 5;
    EXPECT_EQ(monofold_device_groups_reduce(there.get(), nullptr, MONOFOLD_FLOAT32, 0, MONOFOLD_MAX,
                                            nullptr, MONOFOLD_FLOAT32, nullptr, nullptr, nullptr,
                                            &failed),
              MONOFOLD_OK);
    EXPECT_EQ(failed, -1);
  }
}

/// Two groups of one item each, whose variance there is not: the first in the order asked for is named.
TEST_F(device_groups, without_an_answer) {
  const std::vector<std::int64_t> keys{9, 3, 9, 5, 3, 1};
  const std::vector<float> items{1, 2, 3, 4, 5, 6};
  const device_copy there(bytes_of(keys)), values(bytes_of(items)), out(bytes(16, 0x55));
  monofold_options options = MONOFOLD_OPTIONS_INIT;
  options.ddof = 1;
  for (const monofold_key_order order : {MONOFOLD_BY_KEY, MONOFOLD_BY_FIRST}) {
    const groups_there groups = group_there(there.at(), mf::dtype::int64, 6, order);
    std::int64_t failed = -2;
    EXPECT_EQ(monofold_device_groups_reduce(groups.get(), values.at(), MONOFOLD_FLOAT32, 6,
                                            MONOFOLD_VAR, &options, MONOFOLD_FLOAT32, out.at(),
                                            nullptr, nullptr, &failed),
              MONOFOLD_EMPTY_INPUT);
    EXPECT_EQ(failed, order == MONOFOLD_BY_KEY ? 0 : 2);
  }
}

TEST_F(device_groups, wrong_use) {
  const std::vector<std::int64_t> keys{9, 3, 9, 5, 3, 1};
  const device_copy there(bytes_of(keys)), items(bytes(64)), out(bytes(64, 0x55));
  group_there(keys.data(), mf::dtype::int64, 6, MONOFOLD_BY_KEY, MONOFOLD_INVALID_ARGUMENT);
  group_there(there.at(), mf::dtype::int64, -1, MONOFOLD_BY_KEY, MONOFOLD_INVALID_ARGUMENT);
  group_there(there.at(), mf::dtype::int64, 6, 2, MONOFOLD_INVALID_ARGUMENT);
  group_there(there.at() + 4, mf::dtype::int64, 2, MONOFOLD_BY_KEY, MONOFOLD_INVALID_ARGUMENT);
  group_there(there.at(), static_cast<mf::dtype>(13), 6, MONOFOLD_BY_KEY,
              MONOFOLD_INVALID_ARGUMENT);
  const groups_there groups = group_there(there.at(), mf::dtype::int64, 6, MONOFOLD_BY_KEY);
  const bytes host(64);
  std::int64_t failed = -2;
  const auto reduce = [&](const void* from, std::int64_t count, monofold_operation op, void* to,
                          monofold_dtype type = MONOFOLD_FLOAT32) {
    return monofold_device_groups_reduce(groups.get(), from, MONOFOLD_FLOAT32, count, op, nullptr,
                                         type, to, nullptr, nullptr, &failed);
  };
  EXPECT_EQ(reduce(items.at(), 5, MONOFOLD_SUM, out.at()), MONOFOLD_INVALID_ARGUMENT);
  EXPECT_EQ(reduce(items.at(), 7, MONOFOLD_SUM, out.at()), MONOFOLD_INVALID_ARGUMENT);
  EXPECT_EQ(reduce(host.data(), 6, MONOFOLD_SUM, out.at()), MONOFOLD_INVALID_ARGUMENT);
  EXPECT_EQ(reduce(items.at(), 6, MONOFOLD_SUM, const_cast<unsigned char*>(host.data())),
            MONOFOLD_INVALID_ARGUMENT);
  EXPECT_EQ(reduce(items.at(), 6, MONOFOLD_SUM, nullptr), MONOFOLD_INVALID_ARGUMENT);
  EXPECT_EQ(reduce(items.at(), 6, MONOFOLD_TOP, out.at()), MONOFOLD_INVALID_ARGUMENT);
  EXPECT_EQ(reduce(items.at(), 6, MONOFOLD_SUM, out.at(), MONOFOLD_INT64), MONOFOLD_UNSUPPORTED);
  EXPECT_EQ(failed, -2);
  EXPECT_EQ(out.back(), bytes(64, 0x55));
  EXPECT_EQ(monofold_device_groups_keys(groups.get(), const_cast<unsigned char*>(host.data())),
            MONOFOLD_INVALID_ARGUMENT);
  EXPECT_EQ(monofold_device_groups_keys(groups.get(), nullptr), MONOFOLD_INVALID_ARGUMENT);
  EXPECT_EQ(reduce(items.at(), 6, MONOFOLD_SUM, out.at()), MONOFOLD_OK);
  EXPECT_EQ(failed, -1);
  EXPECT_EQ(monofold_device_groups_count(nullptr), 0);
  monofold_device_groups_destroy(nullptr);
}

}  // namespace
