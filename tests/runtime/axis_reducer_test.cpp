/// runtime/axis_reducer: the answers of each row are those of a reducer that gets its items alone.

#include "runtime/axis_reducer.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "monofold/monofold.h"
#include "monofold/platform/bits.hpp"
#include "monofold/platform/float_format.hpp"
#include "tests/inputs/random.hpp"

namespace {

namespace mf = monofold;
namespace rt = monofold::runtime;
using rt::operation;

std::string number_bytes(const rt::number& value) {
  return std::visit(
      [&](const auto& x) {
        return std::to_string(value.index()) + ":" +
               std::string(reinterpret_cast<const char*>(&x), sizeof x) + " ";
      },
      value);
}

std::string bytes_of_answers(const std::vector<rt::answer>& answers) {
  std::string all;
  for (const rt::answer& one : answers) {
    all += std::to_string(static_cast<int>(one.code)) + "|";
    for (const rt::number& value : one.values) all += number_bytes(value);
    for (const std::int64_t index : one.indices) all += number_bytes(rt::number(index));
  }
  return all;
}

/// What the arrays hold of a row.
std::string bytes_of_row(const rt::axis_answers& all, std::int64_t row) {
  std::string out;
  const rt::answer_array* before = nullptr;
  for (const rt::answer_array& part : all.arrays) {
    const bool goes_on = before != nullptr && before->op == part.op;
    if (!goes_on) out += "0|";
    for (std::int64_t i = 0; i < part.width; ++i)
      out += number_bytes(part.at(row * part.width + i));
    before = &part;
  }
  return out;
}

template <class Item>
std::vector<Item> items_of_type(std::int64_t count) {
  std::vector<Item> out;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto number = inputs::spread_double(static_cast<std::uint64_t>(i), 6) * 50;
    if constexpr (std::is_same_v<Item, mf::float16> || std::is_same_v<Item, mf::bfloat16>) {
      out.push_back(Item(static_cast<float>(number)));
    } else {
      out.push_back(static_cast<Item>(std::is_signed_v<Item> ? number : std::abs(number)));
    }
  }
  return out;
}

/// Every row of a matrix, reduced along `axis`, against a reducer of a copy of its items.
template <class Item>
void check_matrix(const rt::request& what, const std::vector<Item>& items, std::int64_t rows,
                  std::int64_t columns, int axis) {
  const rt::axis_answers got = rt::reduce_axis(
      what, {items.data(), {rows, columns}, {columns, 1}, {axis}, mf::keepdims::no});
  ASSERT_EQ(got.num_rows, axis == 0 ? columns : rows);
  ASSERT_EQ(got.failed_row, -1);
  for (std::int64_t row = 0; row < got.num_rows; ++row) {
    std::vector<Item> own;
    for (std::int64_t i = 0; i < got.row_items; ++i) {
      const std::int64_t at = axis == 0 ? i * columns + row : row * columns + i;
      own.push_back(items[static_cast<std::size_t>(at)]);
    }
    rt::reducer alone(what);
    alone.push(own.data(), got.row_items);
    ASSERT_EQ(bytes_of_row(got, row), bytes_of_answers(alone.finish()))
        << "row " << row << " of " << rows << " x " << columns << ", axis " << axis;
  }
}

std::vector<operation> ops_for(mf::dtype type) {
  std::vector<operation> out;
  for (const auto& entry : rt::operations) {
    if (entry.op != operation::dot && rt::is_defined(entry.op, type)) out.push_back(entry.op);
  }
  return out;
}

TEST(axis_reducer, every_type_and_operation) {
  for (const mf::dtype_info& entry : mf::dtypes) {
    rt::request what;
    what.type = entry.type;
    what.k = 2;
    mf::visit_dtype(entry.type, [&]<class T>() {
      // Not bool: a vector of those has no array.
      using item = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;
      auto items = items_of_type<item>(40 * 9);
      if (std::is_same_v<T, bool>) {
        for (auto& x : items) x = item(static_cast<int>(x) % 2 == 0 ? 0 : 1);
      }
      for (const operation op : ops_for(entry.type)) {
        what.ops = {op};
        SCOPED_TRACE(testing::Message() << rt::info(op).name << " of " << entry.name);
        for (const int axis : {0, 1}) check_matrix(what, items, 40, 9, axis);
      }
    });
  }
}

TEST(axis_reducer, lengths_threads_and_several_operations) {
  const auto items = items_of_type<float>(300'000);
  rt::request what;
  what.type = mf::dtype::float32;
  for (const bool plain : {false, true}) {
    what.plain = plain;
    for (const auto& ops :
         {std::vector<operation>(rt::stats_operations.begin(), rt::stats_operations.end()),
          {operation::norm2, operation::top, operation::prod}}) {
      what.ops = ops;
      what.k = 1;
      for (const std::int64_t columns : {3, 129, 1000, 4099, 70'000, 150'000}) {
        what.num_threads = columns % 2 != 0 ? 3 : 1;
        const std::int64_t rows = std::min<std::int64_t>(300'000 / columns, 70);
        for (const int axis : {0, 1}) {
          check_matrix(what, items, rows, columns > 5000 ? 40 : columns, axis);
        }
        if (columns > 2000) check_matrix(what, items, columns, rows, 0);
        if (columns > 5000) check_matrix(what, items, rows, columns, 1);
      }
    }
  }
}

TEST(axis_reducer, nan_by_every_rule) {
  auto items = items_of_type<double>(600);
  items[7] = std::numeric_limits<double>::quiet_NaN();
  items[311] = items[7];
  rt::request what;
  what.ops.assign(rt::stats_operations.begin(), rt::stats_operations.end());
  for (const bool plain : {false, true}) {
    what.plain = plain;
    what.nan = rt::nan_policy::propagate;
    check_matrix(what, items, 30, 20, 1);
    what.nan = rt::nan_policy::omit;
    check_matrix(what, items, 30, 20, 0);
    what.nan = rt::nan_policy::raise;
    const auto got =
        rt::reduce_axis(what, {items.data(), {30, 20}, {20, 1}, {0}, mf::keepdims::no});
    EXPECT_EQ(got.failed_row, 7) << "the first column with NaN";
    EXPECT_EQ(got.failed[2].code, mf::status::nan_found);
    EXPECT_EQ(got.failed[2].first_nan, 0);
  }
}

TEST(axis_reducer, types_of_answers_and_extents) {
  rt::request what;
  what.type = mf::dtype::int8;
  what.ops = {operation::sum,    operation::max, operation::mean,
              operation::argmin, operation::any, operation::top};
  what.k = 2;
  const std::vector<std::int8_t> items(24, 3);
  const auto got =
      rt::reduce_axis(what, {items.data(), {2, 3, 4}, {12, 4, 1}, {1}, mf::keepdims::yes});
  EXPECT_EQ(got.extents, (std::vector<std::int64_t>{2, 1, 4}));
  std::string types;
  for (const auto& part : got.arrays) {
    types += std::string(part.name) + " " + std::string(mf::info(part.type).name) + ", ";
  }
  EXPECT_EQ(types,
            "value int64, value int8, value float64, value int8, index int64, value bool, "
            "values int8, indices int64, ");
}

TEST(axis_reducer, empty_rows_and_bad_requests) {
  rt::request what;
  what.ops = {operation::sum, operation::count};
  const double none = 0;
  const auto sums = rt::reduce_axis(what, {&none, {3, 0}, {0, 1}, {1}, mf::keepdims::no});
  EXPECT_EQ(sums.num_rows, 3);
  EXPECT_EQ(std::get<double>(sums.arrays[0].at(2)), 0.0);
  what.ops = {operation::max};
  const auto failed = rt::reduce_axis(what, {&none, {3, 0}, {0, 1}, {1}, mf::keepdims::no});
  EXPECT_EQ(failed.failed_row, 0);
  EXPECT_EQ(failed.failed[0].code, mf::status::empty_input);
  EXPECT_EQ(rt::reduce_axis(what, {&none, {0, 3}, {3, 1}, {1}, mf::keepdims::no}).num_rows, 0);
  EXPECT_THROW(rt::reduce_axis(what, {&none, {1, 1}, {1, 1}, {2}, mf::keepdims::no}), mf::error);
  EXPECT_THROW(rt::reduce_axis(what, {nullptr, {1, 1}, {1, 1}, {1}, mf::keepdims::no}), mf::error);
  what.ops = {operation::dot};
  EXPECT_THROW(rt::reduce_axis(what, {&none, {1, 1}, {1, 1}, {1}, mf::keepdims::no}), mf::error);
}

// More answers than caches hold, which begin anywhere in a vector.
TEST(axis_reducer, single_items_are_copied_past_the_caches) {
  constexpr std::int64_t count = (std::int64_t{1} << 22) + 77;
  std::vector<float> items(count + 3);
  for (std::size_t i = 0; i < items.size(); ++i) {
    items[i] = static_cast<float>(inputs::spread_double(i, 20));
  }
  items[10] = -0.0F;
  items[11] = std::numeric_limits<float>::denorm_min();
  items[12] = -std::numeric_limits<float>::signaling_NaN();
  items[13] = -std::numeric_limits<float>::infinity();
  std::vector<double> wide(count + 3);
  std::vector<float> narrow(count + 3);
  const float* const first = items.data() + 3;
  const std::int64_t axis = 1;
  const std::int64_t extents[] = {count, 1};
  for (const int shift : {0, 3}) {
    for (const auto op : {MONOFOLD_SUM, MONOFOLD_MEAN, MONOFOLD_MAX}) {
      monofold_options options = MONOFOLD_OPTIONS_INIT;
      options.num_threads = 1 + shift;
      const auto into = [&](monofold_dtype type, void* out) {
        return monofold_reduce_axis_into(first, MONOFOLD_FLOAT32, 2, extents, nullptr, &axis, 1, op,
                                         &options, type, out, nullptr, nullptr, count, nullptr);
      };
      if (op != MONOFOLD_MAX) {
        ASSERT_EQ(into(MONOFOLD_FLOAT64, wide.data() + shift), MONOFOLD_OK);
      }
      ASSERT_EQ(into(MONOFOLD_FLOAT32, narrow.data() + shift), MONOFOLD_OK);
      for (std::int64_t i = 0; i < count; ++i) {
        const float own = std::isnan(first[i]) ? std::numeric_limits<float>::quiet_NaN() : first[i];
        const auto at = static_cast<std::size_t>(shift + i);
        ASSERT_EQ(mf::bits_as<std::uint32_t>(narrow[at]), mf::bits_as<std::uint32_t>(own)) << i;
        if (op == MONOFOLD_MAX) continue;
        ASSERT_EQ(mf::bits_as<std::uint64_t>(wide[at]), mf::bits_as<std::uint64_t>(double{own}))
            << i;
      }
    }
  }
}

TEST(axis_reducer, counts_of_all_items_read_none) {
  rt::request what;
  what.ops = {operation::count};
  const void* const nowhere = reinterpret_cast<const void*>(std::uintptr_t{64});
  for (const mf::axis_numbers& axes : {mf::axis_numbers{0, 2}, mf::axis_numbers{1}}) {
    const auto counts =
        rt::reduce_axis(what, {nowhere, {3, 700, 5}, {7000, 10, 2}, axes, mf::keepdims::no});
    EXPECT_EQ(counts.num_rows, axes.size() == 2 ? 700 : 15);
    for (const std::int64_t row : {std::int64_t{0}, counts.num_rows - 1}) {
      EXPECT_EQ(std::get<std::int64_t>(counts.arrays[0].at(row)), axes.size() == 2 ? 15 : 700);
    }
  }
  const double items[] = {1, std::numeric_limits<double>::quiet_NaN(), 3, 4};
  what.nan = rt::nan_policy::omit;
  const auto counts = rt::reduce_axis(what, {items, {2, 2}, {2, 1}, {1}, mf::keepdims::no});
  EXPECT_EQ(std::get<std::int64_t>(counts.arrays[0].at(0)), 1);
}

}  // namespace
