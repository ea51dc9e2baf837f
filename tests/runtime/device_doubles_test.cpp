// Rows in memory of a device whose sums additions of doubles have rounded: the bytes are those of the processor, also
// where an answer lies next to the middle between two numbers.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "monofold/monofold.h"
#include "tests/inputs/random.hpp"
#include "tests/runtime/device_rows_cases.hpp"

namespace {

namespace mf = monofold;
using namespace device_row_cases;  // NOLINT: a test is made of it

/// Operations that are answered by sums of items, of magnitudes or of squares.
std::vector<question> questions_of_sums(mf::dtype type) {
  std::vector<question> out;
  for (const question& what : questions_of(type)) {
    const bool is_of_sums = what.op == MONOFOLD_SUM || what.op == MONOFOLD_MEAN ||
                            what.op == MONOFOLD_NORM1 || what.op == MONOFOLD_VAR ||
                            what.op == MONOFOLD_STD || what.op == MONOFOLD_NORM2 ||
                            what.op == MONOFOLD_MEAN_SQUARE;
    const bool is_asked = what.to == static_cast<monofold_dtype>(type) ||
                          what.to == MONOFOLD_FLOAT32 ||
                          (what.to == MONOFOLD_FLOAT64 && what.op == MONOFOLD_MEAN);
    if (is_of_sums && is_asked && what.options.plain == 0) out.push_back(what);
  }
  return out;
}

/// What rows may be like.
enum class kind {
  uniform,     // around 0: sums are no doubles
  middles,     // a number, half the way to its neighbour, a little, and much that cancels
  whole,       // integers whose sums are often the middle between two numbers
  zeros,       // of both signs, rows of -0 alone among them
  cancelling,  // sums that are 0
  subnormal,
  huge,     // sums that are infinite as the type of the items
  special,  // now and then an infinity or NaN
  growing,  // zeros, or items that are small beside those behind them, once or a few times
  hidden    // an item that decides, below what additions round off, which cancels
};
constexpr kind kinds[] = {kind::uniform,    kind::middles,   kind::whole, kind::zeros,
                          kind::cancelling, kind::subnormal, kind::huge,  kind::special,
                          kind::growing,    kind::hidden};

/// A row of so many items.
template <class Item>
void append_row(kind how, std::int64_t row, std::int64_t length, std::vector<Item>& to) {
  const double step = std::is_same_v<Item, float> ? 0x1p-23 : sizeof(Item) == 2 ? 0x1p-8 : 0;
  for (std::int64_t i = 0; i < length; ++i) {
    const std::uint64_t random =
        inputs::mixed(static_cast<std::uint64_t>(row * 1000003 + i) * 8 + 5);
    const double fraction = static_cast<double>(random % 16777216) / 8388608 - 1;
    double x = fraction;
    if (how == kind::middles) {
      const double far = std::ldexp(1, -30 - static_cast<int>(row % 20));
      const double head[] = {1 + step * static_cast<double>(row), step / 2,
                             row % 3 == 0   ? 0
                             : row % 3 == 1 ? far
                                            : -far};
      const auto pair = static_cast<double>(
          static_cast<float>(1 + inputs::mixed(static_cast<std::uint64_t>(i / 2)) % 999));
      x = i < 3 ? head[i] : i == length - 1 && length % 2 == 0 ? 0 : i % 2 == 1 ? pair : -pair;
    }
    if (how == kind::whole) x = std::floor(std::fabs(fraction) * (row % 2 == 0 ? 4 : 65536));
    if (how == kind::zeros) x = row % 3 == 0 || random % 3 == 0 ? -0.0 : 0.0;
    if (how == kind::cancelling) {
      const auto other = inputs::mixed(static_cast<std::uint64_t>(i / 2) + 77) % 4001;
      x = (i % 2 == 0 ? 1 : -1) * (static_cast<double>(other) * 0x1p-9);
      if (i == length - 1 && length % 2 == 1) x = row % 2 == 0 ? 0.0 : -0.0;
    }
    if (how == kind::subnormal) x = fraction * (std::is_same_v<Item, float> ? 0x1p-127 : 0x1p-15);
    if (how == kind::huge) x = fraction * (std::is_same_v<Item, mf::float16> ? 60000 : 0x1p127);
    if (how == kind::special && i == length / 2 && row % 4 != 0) {
      x = row % 4 == 1 ? std::numeric_limits<double>::infinity()
                       : std::numeric_limits<double>::quiet_NaN();
    }
    if (how == kind::growing) {
      const std::int64_t step_items = row % 3 == 0 ? 600 : 40 + 100 * (row % 3);
      const double small = row % 2 == 0 && i < step_items ? 0 : 0x1p-14;
      x = fraction * std::min(1024.0, small * std::ldexp(1, static_cast<int>(i / step_items) * 8));
    }
    if (how == kind::hidden) {
      // In long rows these are where one lane adds them by one chain.
      const std::int64_t places[] = {0, 2, 128, 130, 256};
      const double far = std::ldexp(row % 4 < 2 ? 1 : -1, -149 + static_cast<int>(row / 4 % 30));
      const double own[] = {1, row % 3 == 0 ? -1 : step / 2, 0x1p-60, far, -0x1p-60};
      const double head[] = {1 + step * static_cast<double>(row), step / 2, far};
      const double pair = std::ldexp(
          1 + static_cast<double>(inputs::mixed(static_cast<std::uint64_t>(i / 2)) >> 41) * 0x1p-23,
          static_cast<int>(i / 2 % 40) - 33);
      if (row % 2 == 0) {
        x = 0;
        for (int k = 0; k < 5; ++k) {
          if (i == (length > 256 ? places[k] : k)) x = own[k];
        }
      } else {
        x = i < 3 ? head[i] : i == length - 1 && length % 2 == 0 ? 0 : i % 2 == 1 ? pair : -pair;
      }
    }
    to.push_back(Item(static_cast<float>(x)));
  }
}

/// `count` rows of so many items, with `gap` items between them, from item `first` on.
template <class Item>
void compare_rows_like(mf::dtype type, kind how, std::int64_t count, std::int64_t length,
                       std::int64_t gap, std::int64_t first) {
  std::vector<Item> items(static_cast<std::size_t>(first), Item(3.0f));
  for (std::int64_t row = 0; row < count; ++row) {
    append_row(how, row, length, items);
    items.insert(items.end(), static_cast<std::size_t>(gap), Item(7.0f));
  }
  const bytes own = bytes_of(items);
  for (const question& what : questions_of_sums(type)) {
    if (!is_next_asked(4)) continue;
    SCOPED_TRACE(testing::Message() << "kind " << static_cast<int>(how) << " first " << first);
    compare_rows(what, own, {{count, length}, {length + gap, 1}, {1}, first});
  }
}

template <class Item>
void compare_all(mf::dtype type) {
  constexpr std::int64_t tile = 4096 / sizeof(Item);
  for (const kind how : kinds) {
    compare_rows_like<Item>(type, how, 70, 40, 0, 0);   // lanes have a row each
    compare_rows_like<Item>(type, how, 13, 250, 6, 8);  // by whole chunks
    compare_rows_like<Item>(type, how, 9, tile, 0, 0);  // the same
    compare_rows_like<Item>(type, how, 9, 257, 0, 1);   // by slots
    compare_rows_like<Item>(type, how, 5, tile + 1, 0, 1);
    compare_rows_like<Item>(type, how, 7, tile + 476, 4, 0);
    compare_rows_like<Item>(type, how, 3, 3 * tile + 90, 0, 3);
    compare_rows_like<Item>(type, how, 2, 9 * tile - 5, 2, 2);
    compare_rows_like<Item>(type, how, 33, tile + 3, 1, 1);  // two warps a row, four
    compare_rows_like<Item>(type, how, 16, 3 * tile - 1, 0, 0);
  }
}

TEST_F(device_rows, by_doubles_of_float32) { compare_all<float>(mf::dtype::float32); }
TEST_F(device_rows, by_doubles_of_bfloat16) { compare_all<mf::bfloat16>(mf::dtype::bfloat16); }
TEST_F(device_rows, by_doubles_of_float16) { compare_all<mf::float16>(mf::dtype::float16); }

/// So many rows that warps go from row to row: longer than a tile, and shorter ones of whole chunks.
TEST_F(device_rows, by_doubles_one_after_the_other) {
  for (const kind how : kinds) {
    compare_rows_like<float>(mf::dtype::float32, how, 200, 1030, 1, 1);
    compare_rows_like<float>(mf::dtype::float32, how, 195, 512, 4, 8);
    compare_rows_like<mf::bfloat16>(mf::dtype::bfloat16, how, 66, 2100, 0, 3);
  }
  compare_rows_like<float>(mf::dtype::float32, kind::middles, 2100, 1026, 0,
                           2);  // more than 32 rows each
  compare_rows_like<mf::bfloat16>(mf::dtype::bfloat16, kind::uniform, 193, 1544, 0, 0);
  compare_rows_like<mf::float16>(mf::dtype::float16, kind::middles, 193, 1544, 0, 0);
}

/// Few columns of many rows of memory, and many short ones.
TEST_F(device_rows, by_doubles_across) {
  for (const kind how : kinds) {
    std::vector<float> items;
    for (std::int64_t row = 0; row < 100; ++row) append_row(how, row, 260, items);
    const bytes own = bytes_of(items);
    for (const question& what : questions_of_sums(mf::dtype::float32)) {
      compare_rows(what, own, {{100, 260}, {260, 1}, {0}, 0});
      compare_rows(what, own, {{100, 255}, {260, 1}, {0}, 1});
    }
  }
}

/// Columns of each kind, in an array of so many rows whose last items are not looked at.
template <class Item>
void compare_columns_like(mf::dtype type, kind how, std::int64_t length, std::int64_t count,
                          std::int64_t gap) {
  std::vector<Item> turned(static_cast<std::size_t>(length * (count + gap)), Item(7.0f));
  for (std::int64_t column = 0; column < count; ++column) {
    std::vector<Item> own;
    append_row(how, column, length, own);
    for (std::int64_t i = 0; i < length; ++i) {
      turned[static_cast<std::size_t>(i * (count + gap) + column)] =
          own[static_cast<std::size_t>(i)];
    }
  }
  const bytes own = bytes_of(turned);
  for (const question& what : questions_of_sums(type)) {
    if (!is_next_asked(3)) continue;
    SCOPED_TRACE(testing::Message() << "kind " << static_cast<int>(how));
    compare_rows(what, own, {{length, count}, {count + gap, 1}, {0}, 0});
  }
}
template <class Item>
void compare_wide(mf::dtype type) {
  constexpr std::int64_t chunk = 16 / sizeof(Item);
  for (const kind how : kinds) {
    compare_columns_like<Item>(type, how, 2, 100 * chunk, 0);
    compare_columns_like<Item>(type, how, 5, 97 * chunk, chunk);  // groups that are not whole
    compare_columns_like<Item>(type, how, 37, 66 * chunk, 0);     // warps share columns
  }
  compare_columns_like<Item>(type, kind::middles, 9, 2200 * chunk, 0);  // and have several
  compare_columns_like<Item>(type, kind::hidden, 5, 2200 * chunk, 0);
  compare_columns_like<Item>(type, kind::growing, 700, 70 * chunk, 0);
}

TEST_F(device_rows, by_doubles_down_columns_of_float32) { compare_wide<float>(mf::dtype::float32); }
TEST_F(device_rows, by_doubles_down_columns_of_bfloat16) {
  compare_wide<mf::bfloat16>(mf::dtype::bfloat16);
}
TEST_F(device_rows, by_doubles_down_columns_of_float16) {
  compare_wide<mf::float16>(mf::dtype::float16);
}

/// Columns of each of several matrices.
TEST_F(device_rows, by_doubles_along_a_middle_axis) {
  std::vector<float> items;
  for (std::int64_t row = 0; row < 60; ++row) append_row(kind::uniform, row, 400, items);
  const bytes own = bytes_of(items);
  for (const question& what : questions_of_sums(mf::dtype::float32)) {
    compare_rows(what, own, {{3, 20, 400}, {8000, 400, 1}, {1}, 0});
    compare_rows(what, own, {{3, 20, 392}, {8000, 400, 1}, {1}, 4});
    compare_rows(what, own, {{20, 3, 396}, {400, 8000, 1}, {1}, 0});
  }
}

}  // namespace
