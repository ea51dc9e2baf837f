// Rows, columns and segments in memory of a device: each call writes the bytes that the processor's writes.

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "monofold/monofold.h"
#include "runtime/gpu/devices.hpp"
#include "runtime/gpu/rows/row_library.hpp"
#include "tests/runtime/device_rows_cases.hpp"
#include "tests/runtime/hard_items.hpp"

namespace {

namespace mf = monofold;
using namespace device_row_cases;  // NOLINT: a test is made of it
using hard_items::pattern;

template <class Item>
void compare_type(mf::dtype type, const std::vector<pattern>& patterns) {
  const std::vector<question> all = questions_of(type);
  ASSERT_GE(all.size(), 10u) << mf::info(type).name;
  for (const pattern kind : patterns) {
    const hard_items::sequence<Item> made(kind, 2400, 7);
    const bytes items = bytes_of(made.items());
    for (const question& what : all) {
      const bool is_plain_rule = what.options.nan == MONOFOLD_NAN_PROPAGATE;
      if (!is_native(what) && (kind > pattern::wide || !is_plain_rule)) continue;
      compare_rows(what, items, {{11, 70}, {73, 1}, {1}, 1});
      if (!is_native(what) || (kind > pattern::wide && !is_plain_rule)) continue;
      compare_rows(what, items, {{40, 37}, {37, 1}, {0}, 0});
      compare_rows(what, items, {{3, 19, 5}, {95, 5, 1}, {1}, 2});
    }
  }
}

const std::vector<pattern> integer_patterns{pattern::ordinary, pattern::ties, pattern::zero};
const std::vector<pattern> float_patterns{pattern::ordinary,   pattern::wide,
                                          pattern::zero,       pattern::subnormal,
                                          pattern::nan_inside, pattern::both_infinities,
                                          pattern::only_nan};

TEST_F(device_rows, signed_integers) {
  compare_type<std::int8_t>(mf::dtype::int8, integer_patterns);
  compare_type<std::int16_t>(mf::dtype::int16, integer_patterns);
  compare_type<std::int32_t>(mf::dtype::int32, integer_patterns);
  compare_type<std::int64_t>(mf::dtype::int64, integer_patterns);
}

TEST_F(device_rows, unsigned_integers) {
  compare_type<std::uint8_t>(mf::dtype::uint8, integer_patterns);
  compare_type<std::uint16_t>(mf::dtype::uint16, integer_patterns);
  compare_type<std::uint32_t>(mf::dtype::uint32, integer_patterns);
  compare_type<std::uint64_t>(mf::dtype::uint64, integer_patterns);
}

TEST_F(device_rows, halves) {
  const std::vector<pattern> some{pattern::ordinary, pattern::wide, pattern::nan_inside};
  compare_type<mf::float16>(mf::dtype::float16, some);
  compare_type<mf::bfloat16>(mf::dtype::bfloat16, some);
}

TEST_F(device_rows, floats) { compare_type<float>(mf::dtype::float32, float_patterns); }

TEST_F(device_rows, doubles) { compare_type<double>(mf::dtype::float64, float_patterns); }

/// Rows longer than a tile: few, many, and as columns.
template <class Item>
void compare_long(mf::dtype type) {
  const hard_items::sequence<Item> made(pattern::ordinary, 40000, 3);
  const bytes items = bytes_of(made.items());
  for (const question& what : questions_of(type)) {
    if (!is_native(what) || what.options.nan != MONOFOLD_NAN_PROPAGATE) continue;
    compare_rows(what, items, {{2, 19999}, {20000, 1}, {1}, 1});
    compare_rows(what, items, {{5000, 2}, {2, 1}, {0}, 0});
    compare_rows(what, items,
                 {{2, 3, 4200}, {14000, 4300, 1}, {2}, 1});  // of two axes with room between
  }
}

TEST_F(device_rows, long_ones) {
  compare_long<std::int32_t>(mf::dtype::int32);
  compare_long<float>(mf::dtype::float32);
  compare_long<mf::bfloat16>(mf::dtype::bfloat16);
}

/// Axes that memory does not walk as one: kept ones around them, between them and inside; backwards, and one item for all.
template <class Item>
void compare_several_axes(mf::dtype type, pattern kind) {
  const hard_items::sequence<Item> made(kind, 30000, 5);
  const bytes items = bytes_of(made.items());
  for (const question& what : questions_of(type)) {
    if (!is_native(what)) continue;
    compare_rows(what, items, {{4, 5, 6}, {30, 6, 1}, {0, 2}, 1});
    compare_rows(what, items, {{4, 5, 37}, {300, 40, 1}, {2}, 1});
    compare_rows(what, items, {{4, 5, 24}, {240, 40, 1}, {-1}, 0});
    compare_rows(what, items, {{3, 4, 5, 7}, {140, 35, 7, 1}, {2, 0}, 0});
    compare_rows(what, items, {{3, 4, 5, 7}, {140, 35, 7, 1}, {1, 3}, 0});
    if (what.options.nan != MONOFOLD_NAN_PROPAGATE) continue;
    compare_rows(what, items, {{5, 3, 40, 2}, {240, -80, 2, -1}, {0, 2}, 200});
    compare_rows(what, items,
                 {{5, 3, 2, 32}, {192, -64, 32, 1}, {0, 2}, 128});  // words of 16 bytes
    compare_rows(what, items, {{5, 3, 8}, {24, 8, 1}, {2, 0}, 4});  // or of 8
    compare_rows(what, items, {{5, 4, 16}, {16, 80, 1}, {0, 2}, 0});
    compare_rows(what, items, {{6, 5, 7}, {1, 6, 30}, {0, 2}, 0});
    compare_rows(what, items, {{6, 5, 7, 3}, {7, 0, 1, 42}, {0, 3}, 0});
    compare_rows(what, items, {{2, 3, 2, 2}, {0, 0, 5, 0}, {1, 3}, 2});
    compare_rows(what, items,
                 {{2, 2, 2, 2, 2, 2, 2, 2}, {128, 64, 32, 16, 8, 4, 2, 1}, {0, 2, 4, 6}, 0});
  }
  for (const question& what : questions_of(type)) {
    if (!is_native(what) || what.options.nan != MONOFOLD_NAN_PROPAGATE) continue;
    compare_rows(what, items, {{20, 2, 700}, {1400, 700, 1}, {0, 2}, 0});  // of several tiles
    compare_rows(what, items, {{90, 3, 100}, {300, 100, 1}, {0, 2}, 0});
  }
}

TEST_F(device_rows, of_axes_that_lie_apart) {
  compare_several_axes<std::int8_t>(mf::dtype::int8, pattern::ordinary);
  compare_several_axes<std::uint16_t>(mf::dtype::uint16, pattern::ordinary);
  compare_several_axes<float>(mf::dtype::float32, pattern::nan_inside);
  compare_several_axes<float>(mf::dtype::float32, pattern::wide);
  compare_several_axes<double>(mf::dtype::float64, pattern::ordinary);
  compare_several_axes<mf::bfloat16>(mf::dtype::bfloat16, pattern::zero);
}

/// Rows of several tiles in stretches of so many items, with room between them; by words of 16 bytes, of an item, and of
/// two halves. Exact sums read them where they lie.
template <class Item>
void compare_stretches(mf::dtype type, pattern kind) {
  const hard_items::sequence<Item> made(kind, 30000, 11);
  const bytes items = bytes_of(made.items());
  constexpr std::int64_t tile = 4096 / sizeof(Item);
  for (const question& what : questions_of(type)) {
    const bool is_asked =
        what.op == MONOFOLD_SUM || what.op == MONOFOLD_VAR || what.op == MONOFOLD_NORM1;
    if (!is_asked || !is_native(what) || what.options.plain != 0) continue;
    for (const std::int64_t length : {2, 8, 30, 49, 392}) {
      SCOPED_TRACE(length);
      const std::int64_t stretches = 3 * tile / length;
      compare_rows(what, items, {{stretches, 2, length}, {3 * length, length, 1}, {0, 2}, 16},
                   false);
    }
    compare_rows(what, items, {{3, 2, 3001}, {6002, 3001, 1}, {0, 2}, 1}, false);
    compare_rows(what, items, {{5, 3136}, {6000, 1}, {0, 1}, 8}, false);  // one row
    compare_rows(what, items, {{4, 3, 1568}, {-5008, 1568, 1}, {0, 2}, 20000}, false);
    compare_rows(what, items, {{2, 3, 3, 784}, {8000, 2400, 784, 1}, {1, 3}, 8},
                 false);  // two kept axes
    compare_rows(what, items, {{3, 3, 2, 800}, {1600, 5000, 800, 1}, {1, 3}, 0},
                 false);                                                         // not in order
    compare_rows(what, items, {{4, 3, 3136}, {0, 3136, 1}, {0, 2}, 8}, false);   // one for all
    compare_rows(what, items, {{2, 9, 240}, {2160, 240, 1}, {0, 2}, 0}, false);  // up to a tile
  }
}

TEST_F(device_rows, of_several_stretches) {
  compare_stretches<float>(mf::dtype::float32, pattern::ordinary);
  compare_stretches<float>(mf::dtype::float32, pattern::nan_inside);
  compare_stretches<float>(mf::dtype::float32, pattern::zero);
  compare_stretches<double>(mf::dtype::float64, pattern::wide);
  compare_stretches<mf::bfloat16>(mf::dtype::bfloat16, pattern::wide);
  compare_stretches<mf::float16>(mf::dtype::float16, pattern::ordinary);
}

/// Rows whose mean is the middle between two neighbours of a narrower type, or next to it; and what follows from their
/// squares.
template <class Narrow>
std::vector<double> rows_of_middles() {
  std::vector<double> items;
  for (int i = 0; i < 40; ++i) {
    const auto here =
        static_cast<double>(static_cast<float>(Narrow(1.0f + 0.013f * static_cast<float>(i))));
    const double step = 2 * std::numeric_limits<float>::epsilon();
    for (const double more : {0.0, step, 0x1p-60, -0x1p-60}) {
      for (const double gap : {0x1p-10, 0x1p-7, 0x1p-23}) {
        for (const double x : {here, here + gap, here, here + gap + more}) items.push_back(x);
      }
    }
  }
  return items;
}

TEST_F(device_rows, whose_answers_are_nearly_between_two_numbers) {
  for (const std::vector<double>& items :
       {rows_of_middles<mf::float16>(), rows_of_middles<mf::bfloat16>(),
        rows_of_middles<float>()}) {
    const auto rows = std::ssize(items) / 4;
    const bytes own = bytes_of(items);
    for (const question& what : questions_of(mf::dtype::float64)) {
      if (what.options.nan != MONOFOLD_NAN_PROPAGATE) continue;
      compare_rows(what, own, {{rows, 4}, {4, 1}, {1}, 0});
      compare_rows(what, own, {{4, rows}, {1, 4}, {0}, 0});
    }
  }
}

/// What kernels are promised, in docs/axes.md: a question that has none is not asked below.
TEST_F(device_rows, have_kernels) {
  using enum mf::runtime::operation;
  const auto has = [](mf::runtime::operation op, mf::dtype type, bool plain = false,
                      bool raise_nan = false) {
    return mf::runtime::has_device_rows({op, type, type, false, raise_nan, plain, 0});
  };
  for (const mf::dtype_info& item : mf::dtypes) {
    const bool is_wide_float = item.type >= mf::dtype::float32;
    for (const auto op : {count, sum, mean, var, std, min, max, minmax, argmin, argmax, any, all,
                          nonzero, nan, norm1, norm2, norminf, mean_square}) {
      EXPECT_TRUE(has(op, item.type)) << mf::runtime::info(op).name << " of " << item.name;
    }
    for (const auto op : {bit_and, bit_or, bit_xor}) {
      EXPECT_EQ(has(op, item.type), !item.is_floating) << item.name;
    }
    EXPECT_EQ(has(prod, item.type), !item.is_floating || is_wide_float) << item.name;
    for (const auto op : {top, bottom}) {
      EXPECT_TRUE(has(op, item.type, false, item.is_floating)) << item.name;
      EXPECT_TRUE(
          mf::runtime::has_device_rows({op, item.type, item.type, false, false, false, 0, 1024}));
      EXPECT_FALSE(
          mf::runtime::has_device_rows({op, item.type, item.type, false, false, false, 0, 1025}));
    }
    if (!item.is_floating) continue;
    EXPECT_TRUE(has(logsumexp, item.type) && has(logsumexp, item.type, false, true)) << item.name;
    for (const auto op : {var, std, norm2, mean_square}) {
      EXPECT_FALSE(has(op, item.type, true)) << item.name;
    }
    EXPECT_EQ(has(norm1, item.type, true), is_wide_float) << item.name;
    EXPECT_TRUE(has(norm1, item.type, false, true)) << item.name;
    EXPECT_FALSE(has(prod, item.type, false, true)) << item.name;
  }
}

TEST_F(device_rows, of_no_items) {
  for (const question& what : questions_of(mf::dtype::float32)) {
    compare_rows(what, bytes(64), {{3, 0}, {1, 1}, {1}, 0});
    compare_rows(what, bytes(64), {{1, 4}, {4, 1}, {0}, 0});
    compare_rows(what, bytes(64), {{0, 4}, {4, 1}, {1}, 0});
  }
}

/// NaN that are refused are seen in rows that are too short, too, as the processor sees them.
TEST_F(device_rows, of_fewer_items_than_top_gives) {
  std::vector<float> items(3000, 1.0f);
  for (const bool has_nan : {false, true}) {
    if (has_nan) items[2 * 900 + 4] = items[3] = std::numeric_limits<float>::quiet_NaN();
    for (const std::int64_t k : {6, 90, 1000}) {
      const question what{
          MONOFOLD_BOTTOM, MONOFOLD_FLOAT32, MONOFOLD_FLOAT32, {MONOFOLD_NAN_RAISE, 0, 0, 0, k}};
      for (const std::int64_t length : {k / 2, k - 1}) {
        compare_rows(what, bytes_of(items), {{3, length}, {length, 1}, {1}, 0});
        compare_rows(what, bytes_of(items), {{length, 3}, {3, 1}, {0}, 0});
      }
    }
  }
}

void compare_segments(const question& what, const bytes& items, std::int64_t count,
                      const std::vector<std::int64_t>& starts,
                      const std::vector<std::int64_t>& stops, bool with_places = true) {
  const device_copy copy(items), from(bytes_of(starts)), to(bytes_of(stops));
  const std::int64_t segments = std::ssize(starts);
  const outcome want = on_host(
      what, segments,
      [&](void* values, void* seconds, std::int64_t* indices, std::int64_t* failed) {
        return monofold_reduce_segments(items.data(), what.type, count, starts.data(), stops.data(),
                                        segments, what.op, &what.options, what.to, values, seconds,
                                        with_places ? indices : nullptr, failed);
      });
  const outcome got =
      on_device(what, segments,
                [&](void* values, void* seconds, std::int64_t* indices, std::int64_t* failed) {
                  return monofold_reduce_segments_on_device(
                      copy.at(), what.type, count, from.at<std::int64_t>(), to.at<std::int64_t>(),
                      segments, what.op, &what.options, what.to, values, seconds,
                      with_places ? indices : nullptr, nullptr, failed);
                });
  if (want.status == MONOFOLD_INVALID_ARGUMENT) {
    EXPECT_EQ(got.status, want.status);
    EXPECT_EQ(got.failed, want.failed);
    return;
  }
  expect_same(want, got, what.text() + ", segments");
}

/// Compares segments of 0 to 8 items that begin anywhere, one that overlaps them all, few long ones, and wrong ones.
template <class Item>
void compare_segments_of(mf::dtype type, pattern kind, std::int64_t count) {
  const hard_items::sequence<Item> made(kind, count, 5);
  const bytes items = bytes_of(made.items());
  std::vector<std::int64_t> starts, stops;
  for (std::int64_t at = 0; std::ssize(starts) < 100; at += std::ssize(starts) % 9) {
    starts.push_back(at);
    stops.push_back(at + std::ssize(starts) % 9);
  }
  starts.push_back(3);
  stops.push_back(count - 1);
  std::vector<std::int64_t> bad = stops;
  bad[40] = starts[40] - 1;
  bad[70] = count + 1;
  for (const question& what : questions_of(type)) {
    if (!is_native(what)) continue;
    if (what.op == MONOFOLD_MIN || what.op == MONOFOLD_MAX) {
      compare_segments(what, items, count, starts, stops, false);
    }
    if (type != mf::dtype::float64 && !is_rare(what)) continue;
    compare_segments(what, items, count, starts, stops);
    if (what.options.nan != MONOFOLD_NAN_PROPAGATE) continue;
    compare_segments(what, items, count, {1, 0}, {900, count - 1});
    compare_segments(what, items, count, starts, bad);
  }
}

TEST_F(device_rows, segments) {
  compare_segments_of<double>(mf::dtype::float64, pattern::ordinary, 9000);
  compare_segments_of<float>(mf::dtype::float32, pattern::nan_inside, 4500);
  compare_segments_of<mf::bfloat16>(mf::dtype::bfloat16, pattern::ordinary, 4500);
  compare_segments_of<mf::float16>(mf::dtype::float16, pattern::both_infinities, 4500);
  compare_segments_of<std::int16_t>(mf::dtype::int16, pattern::ordinary, 4500);
  compare_segments_of<std::uint64_t>(mf::dtype::uint64, pattern::ordinary, 4500);
}

TEST_F(device_rows, wrong_use) {
  const device_copy items(bytes(4096)), out(bytes(4096));
  const std::int64_t extents[] = {4, 8, 4};
  std::int64_t failed = -2;
  const auto call = [&](const void* from, std::int64_t axis, std::int32_t num_axes,
                        monofold_operation op, monofold_dtype to) {
    const std::int64_t axes[] = {axis, 2};
    return monofold_reduce_axis_on_device(from, MONOFOLD_FLOAT32, 3, extents, nullptr, axes,
                                          num_axes, op, nullptr, to, out.at(), nullptr,
                                          out.at<std::int64_t>(), 128, nullptr, &failed);
  };
  const bytes host(4096);
  EXPECT_EQ(call(items.at(), 0, 1, MONOFOLD_SUM, MONOFOLD_FLOAT32), MONOFOLD_OK);
  EXPECT_EQ(failed, -1);
  EXPECT_EQ(call(host.data(), 0, 1, MONOFOLD_SUM, MONOFOLD_FLOAT32), MONOFOLD_INVALID_ARGUMENT);
  if (mf::runtime::find_gpus().devices.size() > 1) {
    const auto other = [] {
      const mf::runtime::gpu_in_use there(1);
      return device_copy(bytes(4096));
    }();
    EXPECT_EQ(call(other.at(), 0, 1, MONOFOLD_SUM, MONOFOLD_FLOAT32), MONOFOLD_INVALID_ARGUMENT);
    const mf::runtime::gpu_in_use there(1);
    EXPECT_EQ(call(items.at(), 0, 1, MONOFOLD_SUM, MONOFOLD_FLOAT32), MONOFOLD_INVALID_ARGUMENT);
  }
  EXPECT_EQ(call(items.at(), 3, 1, MONOFOLD_SUM, MONOFOLD_FLOAT32), MONOFOLD_INVALID_ARGUMENT);
  EXPECT_EQ(call(items.at(), 1, 2, MONOFOLD_SUM, MONOFOLD_FLOAT32), MONOFOLD_OK);
  EXPECT_EQ(call(items.at(), 2, 2, MONOFOLD_SUM, MONOFOLD_FLOAT32), MONOFOLD_INVALID_ARGUMENT);
  EXPECT_EQ(call(items.at(), 0, 1, MONOFOLD_TOP, MONOFOLD_FLOAT64), MONOFOLD_UNSUPPORTED);
  EXPECT_EQ(call(items.at(), 0, 1, MONOFOLD_MIN, MONOFOLD_FLOAT64), MONOFOLD_UNSUPPORTED);
  EXPECT_EQ(call(items.at(), 0, 1, MONOFOLD_SUM, MONOFOLD_INT64), MONOFOLD_UNSUPPORTED);
}

}  // namespace
