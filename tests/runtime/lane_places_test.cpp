/// runtime/lanes: answers that are left where they belong are those of each row alone, and nothing beside them is
/// written.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/axis_reducer.hpp"
#include "runtime/lane_request.hpp"
#include "runtime/typed_answers.hpp"
#include "tests/inputs/random.hpp"
#include "tests/runtime/parity.hpp"

namespace {

namespace mf = monofold;
namespace rt = monofold::runtime;
using rt::operation;

constexpr std::int64_t edge = 128;  // elements on both sides of the answers

std::string text_of(const std::vector<char>& bytes) { return {bytes.begin(), bytes.end()}; }

/// `rows` rows of `length` items, or columns, answered as numbers of a type.
template <class Item>
void check_places(const rt::request& what, const std::vector<Item>& items, mf::dtype type,
                  std::int64_t rows, std::int64_t length, int axis) {
  const bool in_rows = axis == 1;
  const mf::axis_numbers extents =
      in_rows ? mf::axis_numbers{rows, length} : mf::axis_numbers{length, rows};
  const auto bytes = static_cast<std::int64_t>(mf::info(type).size_bytes);
  std::vector<char> got(static_cast<std::size_t>((rows + 2 * edge) * bytes), 'x');
  std::vector<char> wanted = got;
  const rt::rounding how = rt::rounding_for(type);
  rt::typed_keeper keeper({type, got.data() + edge * bytes, nullptr, nullptr, 1});
  const rt::row_reducer reducer(what, how);
  rt::reduce_rows(reducer, items.data(), mf::rows_of(extents, {extents[1], 1}, {axis}), keeper);
  for (std::int64_t r = 0; r < rows; ++r) {
    std::vector<Item> own;
    for (std::int64_t i = 0; i < length; ++i) {
      own.push_back(items[static_cast<std::size_t>(in_rows ? r * length + i : i * rows + r)]);
    }
    rt::reducer alone(what);
    alone.push(own.data(), length);
    rt::store_typed({type, wanted.data() + edge * bytes, nullptr, nullptr, 1}, r,
                    alone.finish(how).front());
  }
  EXPECT_EQ(text_of(got), text_of(wanted))
      << rt::info(what.ops.front()).name << (what.plain ? ", plain, of " : " of ") << rows
      << " rows of " << length << " along " << axis << " as " << mf::info(type).name;
}

template <class Item>
std::vector<Item> usual_items(std::int64_t count) {
  std::vector<Item> out;
  for (std::int64_t i = 0; i < count; ++i) {
    const double number = inputs::spread_double(static_cast<std::uint64_t>(i), 4);
    out.push_back(static_cast<Item>(std::is_integral_v<Item> ? 1000 * number : number));
  }
  return out;
}

template <class Item>
void check_all_places(const std::vector<mf::dtype>& types, const std::vector<Item>& items) {
  rt::request what;
  what.type = parity::dtype_of<Item>();
  for (const operation op : {operation::sum, operation::mean, operation::max, operation::std}) {
    what.ops = {op};
    for (const bool plain : {false, true}) {
      what.plain = plain;
      if (plain && (std::is_integral_v<Item> || op == operation::max || op == operation::std)) {
        continue;
      }
      for (const mf::dtype type : types) {
        if (!mf::info(type).is_floating && (op == operation::mean || op == operation::std))
          continue;
        for (const std::int64_t rows : {1, 7, 8, 15, 16, 63, 64, 65, 128, 192, 200}) {
          for (const std::int64_t length : {1, 2, 3, 8, 9, 40, 300}) {
            check_places(what, items, type, rows, length, 1);
            check_places(what, items, type, rows, length, 0);
          }
        }
      }
    }
  }
}

TEST(lane_places, of_every_width) {
  const std::string own = rt::instruction_set();
  for (const std::string& name : rt::instruction_sets()) {
    ASSERT_TRUE(rt::use_instruction_set(name));
    SCOPED_TRACE(name);
    check_all_places({mf::dtype::float64, mf::dtype::float32}, usual_items<double>(60'000));
    check_all_places({mf::dtype::float64, mf::dtype::float32, mf::dtype::float16},
                     usual_items<float>(60'000));
    check_all_places({mf::dtype::int64, mf::dtype::float64, mf::dtype::float32},
                     usual_items<std::int32_t>(60'000));
  }
  ASSERT_TRUE(rt::use_instruction_set(own));
}

/// Rows without an answer of the lanes' are found another way, amid others.
TEST(lane_places, amid_unknown_ones) {
  std::vector<double> items = usual_items<double>(60'000);
  using limits = std::numeric_limits<double>;
  const double rare[] = {limits::quiet_NaN(), limits::infinity(), 1e300, -1e300, -0.0, 1e-310};
  for (std::size_t i = 0; i < 60; ++i) items[i * i * 16 + 37] = rare[i % 6];
  check_all_places({mf::dtype::float64, mf::dtype::float32}, items);
  std::vector<float> narrow;
  for (const double x : items) narrow.push_back(static_cast<float>(x));
  check_all_places({mf::dtype::float64, mf::dtype::float32}, narrow);
}

/// Columns of two items, so many that answers are written past the caches, which begin in the middle of a line.
template <class Item, class Answer, class Expected>
void check_many(operation op, bool plain, const Expected& expected) {
  const std::int64_t rows = rt::most_cached_bytes / static_cast<std::int64_t>(sizeof(Item)) + 37;
  const std::vector<Item> items = usual_items<Item>(2 * rows);
  rt::request what;
  what.type = parity::dtype_of<Item>();
  what.ops = {op};
  what.plain = plain;
  const mf::dtype type = parity::dtype_of<Answer>();
  for (const int length : {1, 2}) {
    std::vector<Answer> got(static_cast<std::size_t>(rows + 2 * edge), Answer(-7));
    std::vector<Answer> wanted = got;
    rt::typed_keeper keeper({type, got.data() + edge + 3, nullptr, nullptr, 1});
    const rt::row_reducer reducer(what, rt::rounding_for(type));
    rt::reduce_rows(reducer, items.data(), mf::rows_of({length, rows}, {rows, 1}, {0}), keeper);
    for (std::int64_t r = 0; r < rows; ++r) {
      const auto own = static_cast<std::size_t>(r);
      const Item first = items[own];
      wanted[own + edge + 3] =
          length == 1 ? static_cast<Answer>(first) : expected(first, items[own + items.size() / 2]);
    }
    EXPECT_TRUE(got == wanted) << rt::info(op).name << (plain ? ", plain, of " : " of ") << length
                               << " " << mf::info(what.type).name;
  }
}

TEST(lane_places, past_the_caches) {
  const std::string own = rt::instruction_set();
  for (const std::string& name : rt::instruction_sets()) {
    if (name == "baseline") continue;  // has no lanes
    ASSERT_TRUE(rt::use_instruction_set(name));
    SCOPED_TRACE(name);
    check_many<float, float>(operation::sum, true, [](float a, float b) { return a + b; });
    check_many<float, float>(operation::max, false,
                             [](float a, float b) { return std::max(a, b); });
    check_many<float, double>(operation::sum, false,
                              [](float a, float b) { return double{a} + double{b}; });
    check_many<double, double>(operation::sum, true, [](double a, double b) { return a + b; });
    check_many<std::int32_t, std::int32_t>(
        operation::max, false, [](std::int32_t a, std::int32_t b) { return std::max(a, b); });
  }
  ASSERT_TRUE(rt::use_instruction_set(own));
}

}  // namespace
