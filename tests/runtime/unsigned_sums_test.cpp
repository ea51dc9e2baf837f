// runtime/unsigned_sums: sums of 64-bit integers asked for as the other sign, by every call that is asked for a type.

#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "monofold/monofold.h"
#include "monofold/platform/numbers.hpp"
#include "monofold/platform/wide_int.hpp"
#include "tests/inputs/random.hpp"

namespace {

using monofold::int128;

constexpr std::uint64_t poison = 0x5a5a5a5a5a5a5a5a;
constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();

/// What a call leaves: 64 bits an answer, poisoned before it.
struct outcome {
  explicit outcome(std::int64_t count)
      : count(count), bits(static_cast<std::size_t>(count), poison) {}

  monofold_status status = -1;
  std::int64_t failed = -2;
  std::int64_t count;
  std::vector<std::uint64_t> bits;
};

/// Sums, each of which is to be had where it fits `to`.
void expect_sums(const outcome& got, const std::vector<int128>& sums, monofold_dtype to) {
  ASSERT_EQ(got.bits.size(), sums.size());
  std::int64_t failed = -1;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const bool fits = to == MONOFOLD_UINT64
                          ? sums[i] >= 0 && sums[i] <= std::numeric_limits<std::uint64_t>::max()
                          : sums[i] >= least && sums[i] <= most;
    EXPECT_EQ(got.bits[i], fits ? static_cast<std::uint64_t>(sums[i]) : poison) << "answer " << i;
    if (!fits && failed < 0) failed = static_cast<std::int64_t>(i);
  }
  EXPECT_EQ(got.failed, failed);
  EXPECT_EQ(got.status, failed < 0 ? MONOFOLD_OK : MONOFOLD_INTEGER_OVERFLOW);
}

template <class Item>
struct types;
template <>
struct types<std::int64_t> {
  static constexpr monofold_dtype from = MONOFOLD_INT64, to = MONOFOLD_UINT64;
};
template <>
struct types<std::uint64_t> {
  static constexpr monofold_dtype from = MONOFOLD_UINT64, to = MONOFOLD_INT64;
};

/// Few large items, and some that take their sum back again.
template <class Item>
std::vector<Item> items_of(std::int64_t count, std::int64_t every) {
  inputs::generator random(17);
  std::vector<Item> out(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < out.size(); ++i) {
    const bool is_large = i % static_cast<std::size_t>(every) == 0;
    out[i] = is_large ? static_cast<Item>(most - static_cast<std::int64_t>(random() % 9))
                      : static_cast<Item>(random() % 5);
    if (std::is_signed_v<Item> && random() % 3 == 0) out[i] = static_cast<Item>(-out[i]);
  }
  return out;
}

template <class Item>
int128 sum_of(const std::vector<Item>& items, std::int64_t first, std::int64_t count,
              std::int64_t step = 1) {
  int128 sum = 0;
  for (std::int64_t i = 0; i < count; ++i) sum += items[static_cast<std::size_t>(first + i * step)];
  return sum;
}

template <class Item>
class sums_of_other_sign : public testing::Test {};
using item_types = testing::Types<std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(sums_of_other_sign, item_types);

/// Few items, which have a short way, and many; some rows have no large item.
TYPED_TEST(sums_of_other_sign, rows_and_columns) {
  using t = types<TypeParam>;
  for (const std::int64_t columns : {3, 40, 5000}) {
    constexpr std::int64_t rows = 7;
    const auto items = items_of<TypeParam>(rows * columns, columns / 2);
    const std::int64_t extents[] = {rows, columns};
    for (const std::int64_t axis : {0, 1}) {
      outcome got(extents[1 - axis]);
      got.status = monofold_reduce_axis_into(items.data(), t::from, 2, extents, nullptr, &axis, 1,
                                             MONOFOLD_SUM, nullptr, t::to, got.bits.data(), nullptr,
                                             nullptr, got.count, &got.failed);
      std::vector<int128> sums;
      for (std::int64_t i = 0; i < got.count; ++i) {
        sums.push_back(axis == 1 ? sum_of(items, i * columns, columns)
                                 : sum_of(items, i, rows, columns));
      }
      expect_sums(got, sums, t::to);
    }
  }
}

TYPED_TEST(sums_of_other_sign, windows_and_beginnings) {
  using t = types<TypeParam>;
  constexpr std::int64_t count = 5000;
  const auto items = items_of<TypeParam>(count, 1400);
  for (const std::int64_t window : {1, 5, 1500}) {
    outcome got(count - window + 1);
    got.status = monofold_rolling(items.data(), t::from, count, window, MONOFOLD_SUM, nullptr,
                                  t::to, got.bits.data(), nullptr, nullptr, &got.failed);
    std::vector<int128> sums;
    for (std::int64_t i = 0; i < got.count; ++i) sums.push_back(sum_of(items, i, window));
    expect_sums(got, sums, t::to);
  }
  outcome got(count);
  got.status = monofold_scan(items.data(), t::from, 1, count, 0, MONOFOLD_SUM, nullptr, t::to,
                             got.bits.data(), nullptr, nullptr, &got.failed);
  std::vector<int128> sums;
  for (std::int64_t i = 0; i < count; ++i) sums.push_back(sum_of(items, 0, i + 1));
  expect_sums(got, sums, t::to);
}

TYPED_TEST(sums_of_other_sign, segments_and_groups) {
  using t = types<TypeParam>;
  constexpr std::int64_t count = 4200, num_segments = 6;
  const auto items = items_of<TypeParam>(count, 350);
  const std::int64_t ends[num_segments + 1] = {0, 1, 300, 700, 700, 1400, count};
  outcome got(num_segments);
  got.status = monofold_reduce_segments(items.data(), t::from, count, ends, ends + 1, num_segments,
                                        MONOFOLD_SUM, nullptr, t::to, got.bits.data(), nullptr,
                                        nullptr, &got.failed);
  std::vector<int128> sums;
  std::vector<std::int64_t> keys;
  for (std::int64_t i = 0; i < num_segments; ++i) {
    sums.push_back(sum_of(items, ends[i], ends[i + 1] - ends[i]));
    keys.insert(keys.end(), static_cast<std::size_t>(ends[i + 1] - ends[i]), i);
  }
  expect_sums(got, sums, t::to);
  for (std::int64_t group : {0, 1, 2, 4, 5}) {  // those that have items
    const std::int64_t first = ends[group], length = ends[group + 1] - ends[group];
    monofold_groups* groups = nullptr;
    outcome own(1);
    own.status = monofold_group_by(keys.data() + first, items.data() + first, t::from, length,
                                   MONOFOLD_BY_KEY, MONOFOLD_SUM, nullptr, t::to, &groups);
    own.failed = own.status == MONOFOLD_OK ? -1 : 0;
    std::int64_t key = -1;
    if (groups != nullptr) {
      monofold_groups_copy(groups, &key, own.bits.data(), nullptr, nullptr);
      EXPECT_EQ(key, group);
    }
    monofold_groups_destroy(groups);
    expect_sums(own, {sums[static_cast<std::size_t>(group)]}, t::to);
  }
}

TYPED_TEST(sums_of_other_sign, states_and_inner_products) {
  using t = types<TypeParam>;
  const std::vector<std::vector<TypeParam>> cases = {
      {}, {3, 4}, {most, 1}, {most, most, 1}, {most, most, 2}};
  for (const auto& items : cases) {
    const auto count = static_cast<std::int64_t>(items.size());
    // The mean shares its pass with the sum.
    for (const std::int32_t num_operations : {1, 2}) {
      const monofold_operation operations[] = {MONOFOLD_SUM, MONOFOLD_VAR};
      monofold_state* state = nullptr;
      ASSERT_EQ(monofold_state_create(t::from, operations, num_operations, 0, nullptr, &state),
                MONOFOLD_OK);
      ASSERT_EQ(monofold_state_push(state, items.data(), count, MONOFOLD_HOST), MONOFOLD_OK);
      outcome got(1);
      got.status = monofold_state_result_into(state, 0, t::to, got.bits.data(), nullptr, nullptr);
      got.failed = got.status == MONOFOLD_OK ? -1 : 0;
      expect_sums(got, {sum_of(items, 0, count)}, t::to);
      monofold_state_destroy(state);
    }
    const std::vector<TypeParam> ones(items.size(), 1);
    const std::int64_t axis = 0;
    outcome got(1);
    got.status = monofold_dot_axis(items.data(), ones.data(), t::from, 1, &count, nullptr, nullptr,
                                   &axis, 1, nullptr, t::to, got.bits.data(), 1, &got.failed);
    expect_sums(got, {sum_of(items, 0, count)}, t::to);
  }
}

/// Sums of magnitudes are unsigned by themselves.
TEST(norms_of_integers, as_uint64) {
  const std::int64_t items[] = {least, most}, extent = 2, axis = 0;
  outcome got(1);
  got.status = monofold_reduce_axis_into(items, MONOFOLD_INT64, 1, &extent, nullptr, &axis, 1,
                                         MONOFOLD_NORM1, nullptr, MONOFOLD_UINT64, got.bits.data(),
                                         nullptr, nullptr, 1, &got.failed);
  expect_sums(got, {(int128{1} << 64) - 1}, MONOFOLD_UINT64);
}

}  // namespace
