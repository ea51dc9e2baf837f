// Rows and columns of many lengths in memory of a device, by operations that have more than one type of items to a kernel
// or that need more than one sum: the bytes are those of the processor.

#include <gtest/gtest.h>

#include <cstdint>
#include <type_traits>
#include <vector>

#include "monofold/monofold.h"
#include "tests/inputs/random.hpp"
#include "tests/runtime/device_rows_cases.hpp"
#include "tests/runtime/hard_items.hpp"

namespace {

namespace mf = monofold;
using namespace device_row_cases;  // NOLINT: a test is made of it
using hard_items::pattern;

/// Rows and columns of all lengths at which kernels change.
template <class Item>
void compare_lengths(mf::dtype type, const std::vector<pattern>& patterns) {
  for (const pattern kind : patterns) {
    const hard_items::sequence<Item> made(kind, 25010, 11);
    const bytes items = bytes_of(made.items());
    for (const question& what : questions_of(type)) {
      if (!is_rare(what)) continue;
      for (const std::int64_t length : {0, 1, 2, 3, 31, 32, 33, 100, 1000, 5000}) {
        const bool is_plain_rule = what.options.nan == MONOFOLD_NAN_PROPAGATE;
        if (length > (is_plain_rule && kind == pattern::ordinary ? 5000 : 100)) continue;
        if (!is_next_asked(2)) continue;
        compare_rows(what, items, {{5, length}, {length + 1, 1}, {1}, 1});
        compare_rows(what, items, {{length, 5}, {5, 1}, {0}, 3});
      }
    }
  }
}

TEST_F(device_rows, integers_of_all_lengths) {
  const std::vector<pattern> some{pattern::ordinary, pattern::lowest_highest};
  compare_lengths<bool>(mf::dtype::boolean, {pattern::ordinary});
  compare_lengths<std::int8_t>(mf::dtype::int8, some);
  compare_lengths<std::uint16_t>(mf::dtype::uint16, some);
  compare_lengths<std::int32_t>(mf::dtype::int32, some);
  compare_lengths<std::int64_t>(mf::dtype::int64, some);
  compare_lengths<std::uint64_t>(mf::dtype::uint64, some);
}

TEST_F(device_rows, floats_of_all_lengths) {
  const std::vector<pattern> some{pattern::ordinary, pattern::zero, pattern::nan_inside,
                                  pattern::both_infinities};
  compare_lengths<mf::float16>(mf::dtype::float16, some);
  compare_lengths<mf::bfloat16>(mf::dtype::bfloat16, some);
  compare_lengths<float>(mf::dtype::float32, some);
  compare_lengths<double>(mf::dtype::float64, some);
}

/// Rows of whole chunks of 8 or 16 bytes, or several of which are one: sums and extrema have a kernel for these.
template <class Item>
void compare_chunks(mf::dtype type, const std::vector<pattern>& patterns) {
  using enum mf::runtime::operation;
  constexpr std::int64_t chunk = 16 / sizeof(Item);
  for (const pattern kind : patterns) {
    const hard_items::sequence<Item> made(kind, 9 * 4096, 23);
    const bytes items = bytes_of(made.items());
    for (const question& what : questions_of(type)) {
      const auto op = static_cast<mf::runtime::operation>(what.op);
      if (op != sum && op != mean && op != min && op != max && op != norminf) continue;
      if (!is_native(what)) continue;
      for (const std::int64_t chunks : {1, 3, 25, 32, 33, 65, 250, 256}) {
        if (chunks > 33 && kind != patterns.front() && what.options.plain == 0 && chunks != 65)
          continue;
        compare_rows(what, items, {{9, chunks * chunk}, {chunks * chunk, 1}, {1}, 0});
      }
      compare_rows(what, items, {{9, 7 * chunk}, {8 * chunk, 1}, {1}, 0});  // with gaps
      if (chunk == 1) continue;
      compare_rows(what, items, {{9, 25 * chunk / 2}, {25 * chunk / 2, 1}, {1}, 0});
      compare_rows(what, items, {{64, chunk / 2}, {chunk / 2, 1}, {1}, 0});
    }
  }
}

TEST_F(device_rows, of_whole_chunks) {
  const std::vector<pattern> some{pattern::ordinary, pattern::zero, pattern::wide,
                                  pattern::nan_inside, pattern::both_infinities};
  compare_chunks<mf::bfloat16>(mf::dtype::bfloat16, some);
  compare_chunks<float>(mf::dtype::float32, some);
  compare_chunks<mf::float16>(mf::dtype::float16, {pattern::ordinary, pattern::wide});
  compare_chunks<double>(mf::dtype::float64, {pattern::ordinary, pattern::nan_inside});
  compare_chunks<std::int8_t>(mf::dtype::int8, {pattern::ordinary, pattern::lowest_highest});
  compare_chunks<std::uint32_t>(mf::dtype::uint32, {pattern::ordinary, pattern::lowest_highest});
}

/// Rows of numbers near 1, or odd: no product is 0 or infinite.
template <class Item>
void compare_products(mf::dtype type) {
  std::vector<Item> made(30000);
  for (std::size_t i = 0; i < made.size(); ++i) {
    if constexpr (std::is_integral_v<Item>) {
      made[i] = static_cast<Item>(inputs::mixed(i) | 1);
    } else {
      made[i] = static_cast<Item>(1 + 0x1p-8 * inputs::unit_double(i));
    }
  }
  const bytes items = bytes_of(made);
  for (const question& what : questions_of(type)) {
    if (!is_rare(what) || what.options.nan != MONOFOLD_NAN_PROPAGATE) continue;
    compare_rows(what, items, {{1, 29999}, {29999, 1}, {1}, 1});
    compare_rows(what, items, {{9999, 3}, {3, 1}, {0}, 1});
    compare_rows(what, items, {{3000, 3}, {4, 1}, {1}, 1});
    compare_rows(what, items, {{30, 700}, {1, 33}, {1}, 2});
  }
}

TEST_F(device_rows, giants_and_many) {
  compare_products<std::int64_t>(mf::dtype::int64);
  compare_products<mf::bfloat16>(mf::dtype::bfloat16);
  compare_products<float>(mf::dtype::float32);
  compare_products<double>(mf::dtype::float64);
}

}  // namespace
