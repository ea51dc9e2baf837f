// Extrema of columns in memory of a device, which go by words of neighbours: the bytes are those of the processor.

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "monofold/monofold.h"
#include "tests/runtime/device_rows_cases.hpp"
#include "tests/runtime/hard_items.hpp"

namespace {

namespace mf = monofold;
using namespace device_row_cases;  // NOLINT: a test is made of it
using hard_items::pattern;

/// Columns by words of 16 bytes, of 4 and by items; few and many, shared by lanes, by warps and by blocks.
template <class Item>
std::vector<shape> shapes_of_columns() {
  constexpr std::int64_t chunk = 16 / sizeof(Item);
  constexpr std::int64_t word = sizeof(Item) < 4 ? 4 / sizeof(Item) : 1;
  std::vector<shape> out;
  for (const std::int64_t columns :
       {chunk, 3 * chunk, 33 * chunk, 7 * word, 100 * word, std::int64_t{1}, std::int64_t{301}}) {
    for (const std::int64_t items : {1, 9, 40}) {
      out.push_back({{items, columns}, {columns, 1}, {0}, 0});
    }
    out.push_back({{2, 9, columns}, {9 * columns, columns, 1}, {1}, 0});  // with one axis around
  }
  out.push_back({{9000, chunk}, {chunk, 1}, {0}, 0});  // several nodes
  out.push_back({{700, 32 * chunk}, {32 * chunk, 1}, {0}, 0});
  out.push_back({{700, 31 * word}, {31 * word, 1}, {0}, 0});
  out.push_back({{9, 40 * chunk}, {40 * chunk, 1}, {0}, 1});                // at no boundary
  out.push_back({{9, 40 * chunk}, {48 * chunk, 1}, {0}, 0});                // with gaps
  out.push_back({{9, 16 * chunk}, {-16 * chunk, 1}, {0}, 8 * 16 * chunk});  // backwards
  out.push_back({{9, 50}, {100, 2}, {0}, 0});                               // every second one
  out.push_back({{60, 9, 3}, {27, 3, 1}, {1}, 0});                          // short neighbours
  out.push_back({{5, 4, 9, 3 * chunk}, {200 * chunk, 40 * chunk, 4 * chunk, 1}, {2}, 0});
  out.push_back({{5, 4, 9, 20}, {20, 100, 400, 1}, {2}, 0});  // the axes around in no order
  return out;
}

template <class Item>
void compare_columns(mf::dtype type, const std::vector<pattern>& patterns) {
  const std::vector<shape> shapes = shapes_of_columns<Item>();
  for (const pattern kind : patterns) {
    const hard_items::sequence<Item> made(kind, 400000, 13);
    const bytes items = bytes_of(made.items());
    for (const question& what : questions_of(type)) {
      const bool is_asked =
          what.op == MONOFOLD_MIN || what.op == MONOFOLD_MAX || what.op == MONOFOLD_NORMINF;
      if (!is_asked || !is_native(what)) continue;
      const bool is_plain_rule = what.options.nan == MONOFOLD_NAN_PROPAGATE;
      if (!is_plain_rule && kind != pattern::nan_inside && kind != pattern::only_nan) continue;
      if (what.op == MONOFOLD_MIN && kind == pattern::zero) continue;
      for (const shape& how : shapes) {
        if (is_next_asked(2)) compare_rows(what, items, how, false);
      }
    }
  }
}

const std::vector<pattern> of_integers{pattern::ordinary, pattern::lowest_highest};
const std::vector<pattern> of_floats{pattern::zero, pattern::nan_inside, pattern::both_infinities,
                                     pattern::only_nan};

TEST_F(device_rows, extrema_of_columns_of_integers) {
  compare_columns<std::int8_t>(mf::dtype::int8, of_integers);
  compare_columns<std::uint8_t>(mf::dtype::uint8, of_integers);
  compare_columns<std::int16_t>(mf::dtype::int16, of_integers);
  compare_columns<std::uint16_t>(mf::dtype::uint16, of_integers);
  compare_columns<std::int32_t>(mf::dtype::int32, of_integers);
  compare_columns<std::uint32_t>(mf::dtype::uint32, of_integers);
  compare_columns<std::int64_t>(mf::dtype::int64, of_integers);
  compare_columns<std::uint64_t>(mf::dtype::uint64, of_integers);
}

TEST_F(device_rows, extrema_of_columns_of_floats) {
  compare_columns<mf::float16>(mf::dtype::float16, of_floats);
  compare_columns<mf::bfloat16>(mf::dtype::bfloat16, of_floats);
  compare_columns<float>(mf::dtype::float32, of_floats);
  compare_columns<double>(mf::dtype::float64, of_floats);
}

/// Sums of rows of several tiles, of which a warp adds more than lanes finish at once: the emulated device has 64 warps.
/// Among them are rows that no short sum holds.
template <class Item>
void compare_many_long_rows(mf::dtype type, pattern kind, bool with_squares) {
  constexpr std::int64_t length = 4096 / sizeof(Item) + 1;
  constexpr std::int64_t rows = 64 * 33 + 40;
  const hard_items::sequence<Item> made(kind, rows * length, 17);
  const bytes items = bytes_of(made.items());
  for (const question& what : questions_of(type)) {
    const bool is_asked = what.op == MONOFOLD_SUM || (with_squares && what.op == MONOFOLD_VAR);
    if (!is_asked || what.to != what.type || what.options.plain != 0) continue;
    if (what.options.nan != MONOFOLD_NAN_PROPAGATE && kind != pattern::nan_inside) continue;
    compare_rows(what, items, {{rows, length}, {length, 1}, {1}, 0}, false);
  }
}

TEST_F(device_rows, sums_of_many_rows_of_several_tiles) {
  compare_many_long_rows<float>(mf::dtype::float32, pattern::wide, true);
  compare_many_long_rows<float>(mf::dtype::float32, pattern::nan_inside, false);
  compare_many_long_rows<double>(mf::dtype::float64, pattern::ordinary, false);
  compare_many_long_rows<mf::bfloat16>(mf::dtype::bfloat16, pattern::ordinary, true);
}

}  // namespace
