// Every rung with every operator and element type that it takes, on every device that is here.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "ladder/data.hpp"
#include "ladder/device.hpp"
#include "ladder/pages.hpp"
#include "ladder/reference.hpp"
#include "ladder/registry.hpp"
#include "ladder/run_rungs.hpp"
#include "runtime/gpu/devices.hpp"
#include "runtime/gpu/load_device_library.hpp"

namespace {

using namespace monofold::ladder;
using device = monofold::runtime::device_kind;

/// What makes a `rung_runner` on a device; null, and the reason, where there is no such device.
rung_runner_maker maker_on(device where, std::string& why) {
  return reinterpret_cast<rung_runner_maker>(
      monofold::runtime::ladder_symbol(where, rung_runner_symbol, ladder_version_symbol, why));
}

/// Around warps, blocks, tiles of 512, stages of 2 KiB, and grids of several tiles a block.
const std::vector<std::int64_t>& hard_counts() {
  static const std::vector<std::int64_t> counts{0,    1,    2,    31,   32,   33,   255,   256,
                                                257,  511,  512,  513,  767,  1023, 1024,  1025,
                                                2047, 2048, 2049, 3071, 4097, 7937, 33791, 73729};
  return counts;
}

struct place {
  device where;
  operation op;
  element_type type;
};

class ladder_rungs : public testing::TestWithParam<place> {};

TEST_P(ladder_rungs, are_right_for_every_count) {
  const auto [where, op, type] = GetParam();
  // The slow device does the largest counts, and all, for one commutative operator and one that is not; the others
  // take every second count, each the ones that the next leaves out.
  const bool all = where == device::gpu || (op == operation::sum && type == element_type::int32) ||
                   (op == operation::matmul && type == element_type::int64);
  std::string why;
  const rung_runner_maker make = maker_on(where, why);
  if (make == nullptr) GTEST_SKIP() << why;
  int turn = 0;
  int ran = 0;
  int pick = static_cast<int>(op) + static_cast<int>(type);
  for (const std::int64_t n : hard_counts()) {
    if (!all && (++pick % 2 == 0 || n > 5'000)) continue;
    // Addresses off a boundary of 16 bytes too.
    const task what{op, type, n, turn++ % 4};
    const std::vector<std::byte> items = make_items(what);
    const std::unique_ptr<rung_runner> there(make(what, items.data()));
    for (std::size_t i = 0; i < rungs.size(); ++i) {
      const std::int64_t taken = items_taken(rungs[i], n);
      if (!why_not(rungs[i], op, type, taken).empty()) continue;
      // A warp rung does the same for all counts from 32 on.
      if (rungs[i].needs.most_items != 0 && n > rungs[i].needs.most_items + 1) continue;
      const outcome found = there->run(static_cast<rung_id>(i), timing::none);
      ASSERT_EQ(found.failed, "") << rungs[i].name << ", n = " << n;
      const auto wanted = reference(what, items, taken, rungs[i].needs.items_per_result);
      ASSERT_TRUE(same(found.results, wanted))
          << rungs[i].name << ", n = " << n << ", " << found.results.size() << " results, first "
          << found.results[0][0] << ", wanted " << wanted.size() << ", first " << wanted[0][0];
      EXPECT_GT(found.launches, 0) << rungs[i].name;
      ++ran;
    }
  }
  EXPECT_GT(ran, 0);
}

std::vector<place> places() {
  std::vector<place> out;
  for (const device where : {device::gpu, device::emulated}) {
    for (std::size_t op = 0; op < operation_names.size(); ++op) {
      for (std::size_t type = 0; type < element_names.size(); ++type) {
        out.push_back({where, static_cast<operation>(op), static_cast<element_type>(type)});
      }
    }
  }
  return out;
}

std::string place_name(const testing::TestParamInfo<place>& of) {
  return std::string(of.param.where == device::gpu ? "gpu_" : "emulated_") +
         std::string(name_of(of.param.op)) + "_" + std::string(name_of(of.param.type));
}

INSTANTIATE_TEST_SUITE_P(all, ladder_rungs, testing::ValuesIn(places()), place_name);

// What the results are compared with.

TEST(ladder_reference, knows_small_answers_by_heart) {
  const std::int32_t items[] = {3, -4, 10, 10};
  const auto* const bytes = reinterpret_cast<const std::byte*>(items);
  const std::vector<std::byte> four(bytes, bytes + sizeof items);
  const auto of = [&](operation op, std::int64_t n, int each) {
    return reference({op, element_type::int32, 4}, four, n, each);
  };
  EXPECT_TRUE(same(of(operation::sum, 4, 0), {{19}}));
  EXPECT_TRUE(same(of(operation::sum, 3, 2), {{-1}, {10}}));
  EXPECT_TRUE(same(of(operation::max, 2, 0), {{3}}));
  EXPECT_TRUE(same(of(operation::min, 4, 0), {{-4}}));
  EXPECT_TRUE(same(of(operation::mean, 4, 0), {{19, 4}}));
  EXPECT_TRUE(same(of(operation::top2, 4, 0), {{10, 10}}));
  EXPECT_TRUE(same(of(operation::top2, 1, 0), {{3, -2147483648.0L}}));
  EXPECT_TRUE(same(of(operation::top2, 0, 0), {{-2147483648.0L, -2147483648.0L}}));
  EXPECT_TRUE(same(of(operation::matmul, 0, 0), {{1, 0, 0, 1}}));
  EXPECT_TRUE(same(of(operation::sum, 0, 0), {{0}}));
  EXPECT_FALSE(same({{1}}, {{2}}));
  EXPECT_FALSE(same({{1}}, {{1}, {1}}));
}

/// Factors in another order, one left out, one of another value: all show.
TEST(ladder_reference, sees_what_happens_to_one_item) {
  for (std::size_t type = 0; type < element_names.size(); ++type) {
    for (const operation op : {operation::sum, operation::matmul}) {
      const task what{op, static_cast<element_type>(type), 1000};
      auto items = make_items(what);
      const auto size = static_cast<std::size_t>(item_bytes(op, what.type));
      const auto right = reference(what, items, 1000, 0);
      EXPECT_FALSE(same(right, reference(what, items, 999, 0))) << element_names[type];
      if (op != operation::matmul) continue;
      std::swap_ranges(items.begin() + 500 * size, items.begin() + 501 * size,
                       items.begin() + 501 * size);
      EXPECT_FALSE(same(right, reference(what, items, 1000, 0))) << element_names[type];
    }
  }
}

TEST(ladder_reference, items_make_mistakes_visible) {
  const auto sum = reference({operation::sum, element_type::int32, 64},
                             make_items({operation::sum, element_type::int32, 64}), 64, 0);
  EXPECT_GT(sum[0][0], 2147483647.0L);  // an int32 would have overflowed
  for (const operation op : {operation::max, operation::min, operation::top2}) {
    const task what{op, element_type::float64, 100};
    const auto found = reference(what, make_items(what), 100, 0);
    EXPECT_EQ(op == operation::min, found[0][0] > 0);  // a padding of zeros would win
    EXPECT_NE(found[0][0], 0);
  }
  const task even{operation::top2, element_type::int32, 100};
  const auto tied = reference(even, make_items(even), 100, 0);
  EXPECT_EQ(tied[0][0], tied[0][1]);
}

// What the registry says.

TEST(ladder_registry, rungs_refuse_in_words) {
  const auto why = [](rung_id which, operation op, element_type type, std::int64_t n) {
    return why_not(info(which), op, type, n);
  };
  EXPECT_EQ(why(rung_id::block_shared, operation::matmul, element_type::int32, 10),
            "does not keep order, which the product of matrices needs");
  EXPECT_EQ(why(rung_id::block_global_inplace, operation::sum, element_type::int32, 257),
            "has no bounds test: n must be a multiple of 256, not 257");
  EXPECT_EQ(why(rung_id::block_global_inplace, operation::sum, element_type::int32, 0),
            "has no bounds test: n must not be 0");
  EXPECT_EQ(why(rung_id::warp_redux, operation::sum, element_type::float32, 32),
            "takes int32, not float32");
  EXPECT_EQ(why(rung_id::warp_redux, operation::mean, element_type::int32, 32),
            "takes sum, max, min, not mean");
  EXPECT_EQ(why(rung_id::top2_shuffle, operation::sum, element_type::int32, 32),
            "takes top2, not sum");
  EXPECT_EQ(why(rung_id::engine, operation::sum, element_type::int32, 0), "");
  EXPECT_EQ(why(rung_id::engine, operation::matmul, element_type::float64, 77), "");
}

TEST(ladder_registry, every_rung_has_a_whole_page_and_every_page_a_rung) {
  std::set<std::string_view> names;
  for (const rung& own : rungs) {
    names.insert(own.name);
    const page text = page_of(own.name);
    for (const auto* part : {&text.title, &text.idea, &text.drawing, &text.bytes, &text.limit,
                             &text.mistake, &text.next}) {
      EXPECT_FALSE(part->empty()) << own.name;
    }
  }
  EXPECT_EQ(names.size(), rungs.size());
  EXPECT_EQ(rung_comments().size(), rungs.size());
  for (const rung_comment& own : rung_comments()) {
    EXPECT_TRUE(names.count(own.name) == 1) << own.name;
    EXPECT_LE(std::count(own.text.begin(), own.text.end(), '\n'), 15) << own.name;
    EXPECT_EQ(own.text.rfind("/// ladder/rungs/" + std::string(own.name) + ": ", 0), 0u)
        << own.name;
  }
}

TEST(ladder_registry, a_rung_that_refuses_does_not_stop_others) {
  std::string why;
  const rung_runner_maker make = maker_on(device::emulated, why);
  if (make == nullptr) GTEST_SKIP() << why;
  const rungs_request asked{make, 33, element_type::int32, operation::matmul, {}, timing::none};
  std::vector<rung_row> rows;
  run_rungs(asked, [&](const rung_row& row) { rows.push_back(row); });
  ASSERT_EQ(rows.size(), rungs.size());
  for (const rung_row& row : rows) {
    EXPECT_EQ(row.refused.empty(), info(row.which).keeps == order::kept) << info(row.which).name;
    EXPECT_EQ(row.refused.empty(), row.ok);
  }
}

}  // namespace
