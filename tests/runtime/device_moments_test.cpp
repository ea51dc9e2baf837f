// Sums and variances of rows and columns in memory of a device, where they are added by doubles and where these do not
// hold them: the bytes are those of the processor.

#include <gtest/gtest.h>

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

/// Operations that are answered by the sums of items and of their squares.
std::vector<question> questions_of_sums(mf::dtype type) {
  std::vector<question> out;
  for (const question& what : questions_of(type)) {
    const bool is_of_sums = what.op == MONOFOLD_SUM || what.op == MONOFOLD_MEAN ||
                            what.op == MONOFOLD_VAR || what.op == MONOFOLD_STD ||
                            what.op == MONOFOLD_NORM2 || what.op == MONOFOLD_MEAN_SQUARE;
    if (is_of_sums && what.options.nan == MONOFOLD_NAN_PROPAGATE && what.options.plain == 0 &&
        what.to >= MONOFOLD_FLOAT16) {
      out.push_back(what);
    }
  }
  return out;
}

/// What items may be like.
enum class kind { ordinary, ties, far_apart, near_to_three, special };
constexpr kind kinds[] = {kind::ordinary, kind::ties, kind::far_apart, kind::near_to_three,
                          kind::special};

template <class Item>
std::vector<Item> items_like(kind how, std::int64_t count) {
  std::vector<Item> out;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint64_t random = inputs::mixed(static_cast<std::uint64_t>(i) * 8 + 3);
    const double fraction = static_cast<double>(random % 16777216) / 8388608 - 1;
    const auto far = static_cast<int>((random >> 32) % 60);
    double x = fraction;
    if (how == kind::ties) x = std::floor(fraction * 8) / 4;
    if (how == kind::far_apart) x = std::ldexp(fraction, 10 - (i % 97 == 0 ? far : far % 5));
    if (how == kind::near_to_three) x = 3 + fraction / 1024;
    if (how == kind::special && i % 1201 == 17) {
      x = i % 2 == 0 ? std::numeric_limits<double>::infinity()
                     : std::numeric_limits<double>::quiet_NaN();
    }
    if (how == kind::special && i % 5 == 0) x = -0.0;
    out.push_back(Item(static_cast<float>(x)));
  }
  return out;
}

/// Rows that begin and end anywhere in 16 bytes, side by side or with gaps.
template <class Item>
void compare_rows_within_chunks(mf::dtype type) {
  for (const kind how : kinds) {
    const bytes items = bytes_of(items_like<Item>(how, 9 * 2060));
    for (const question& what : questions_of_sums(type)) {
      for (const std::int64_t length : {64, 65, 67, 129, 250, 999, 1021, 1022, 2041}) {
        const std::int64_t gap = length % 4;
        compare_rows(what, items, {{7, length}, {length + gap, 1}, {1}, length % 3});
      }
      compare_rows(what, items, {{1, 70}, {70, 1}, {1}, 3});
      compare_rows(what, items, {{2, 71}, {71, 1}, {1}, 1});
      compare_rows(what, items, {{40, 70}, {1, 1}, {1}, 1});  // overlapping
    }
  }
}

TEST_F(device_rows, within_chunks_of_float32) {
  compare_rows_within_chunks<float>(mf::dtype::float32);
}
TEST_F(device_rows, within_chunks_of_bfloat16) {
  compare_rows_within_chunks<mf::bfloat16>(mf::dtype::bfloat16);
}
TEST_F(device_rows, within_chunks_of_float16) {
  compare_rows_within_chunks<mf::float16>(mf::dtype::float16);
}

/// Columns of which a lane has several: neighbours that one load brings, and others.
template <class Item>
void compare_many_columns(mf::dtype type) {
  for (const kind how : kinds) {
    const bytes items = bytes_of(items_like<Item>(how, 10 * 8196 + 8));
    for (const question& what : questions_of_sums(type)) {
      for (const std::int64_t rows : {4, 10}) {
        compare_rows(what, items, {{rows, 4096}, {4096, 1}, {0}, 0});
        compare_rows(what, items, {{rows, 8195}, {8195, 1}, {0}, 1});
      }
    }
  }
}

TEST_F(device_rows, many_columns_of_float32) { compare_many_columns<float>(mf::dtype::float32); }
TEST_F(device_rows, many_columns_of_bfloat16) {
  compare_many_columns<mf::bfloat16>(mf::dtype::bfloat16);
}

/// Columns of several pages, tiles and nodes, whose squares two doubles do not always hold.
TEST_F(device_rows, long_columns) {
  for (const kind how : kinds) {
    std::vector<float> own = items_like<float>(how, 260 * 5000);
    own[260 * 3 + 7] = 0x1p-100f;  // below what three doubles hold
    own[260 * 4000 + 9] = 0x1p-60f;
    const bytes items = bytes_of(own);
    for (const question& what : questions_of_sums(mf::dtype::float32)) {
      if (what.to == MONOFOLD_FLOAT16) continue;
      compare_rows(what, items, {{5000, 128}, {128, 1}, {0}, 0});
      compare_rows(what, items, {{300, 260}, {260, 1}, {0}, 0});
      compare_rows(what, items, {{1000, 40}, {40, 1}, {0}, 2});
    }
  }
}

}  // namespace
