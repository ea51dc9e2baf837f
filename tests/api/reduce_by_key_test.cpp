/// reduce_by_key: the answer of a run is that of `reduce` of its items alone, by bytes.

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "monofold/group_by.hpp"
#include "monofold/monofold.hpp"
#include "tests/inputs/hard_numbers.hpp"
#include "tests/inputs/random.hpp"
#include "tests/inputs/same_answers.hpp"

namespace {

namespace mf = monofold;
using inputs::mixed;
using inputs::same_answers;

/// Runs of 1 to `longest` items, of few keys, so that a key comes again.
std::vector<std::int32_t> keys_in_runs(std::size_t n, std::uint64_t longest) {
  std::vector<std::int32_t> keys;
  for (std::uint64_t run = 0; keys.size() < n; ++run) {
    const std::uint64_t length = 1 + mixed(run) % longest;
    const auto key = static_cast<std::int32_t>(run % 3) - 1;
    keys.insert(keys.end(), std::min<std::size_t>(length, n - keys.size()), key);
  }
  return keys;
}

TEST(reduce_by_key, runs_in_their_order) {
  const auto fold = mf::all(mf::sum, mf::plain_sum, mf::argmax);
  for (const auto& [n, longest] : {std::pair<std::size_t, std::uint64_t>{0, 1},
                                   {1, 1},
                                   {20000, 1},
                                   {100000, 20},
                                   {300000, 3000},
                                   {600000, 1 << 20}}) {
    const auto keys = keys_in_runs(n, longest);
    const auto values = inputs::spread_doubles(n, 40, 3);
    for (const int threads : {1, 2, 5}) {
      const auto found = mf::reduce_by_key(mf::cpu(threads), keys, values, fold);
      const auto in_all = mf::reduce_by_key(mf::cpu(threads), keys, values, fold, mf::global_index);
      ASSERT_EQ(found.answers.size(), found.keys.size());
      ASSERT_EQ(in_all.keys, found.keys);
      std::size_t run = 0;
      for (std::size_t at = 0; at < n; ++run) {
        std::size_t end = at;
        while (end < n && keys[end] == keys[at]) ++end;
        ASSERT_LT(run, found.keys.size());
        ASSERT_EQ(found.keys[run], keys[at]);
        const mf::contiguous_view<double> items(values.data() + at,
                                                static_cast<std::int64_t>(end - at));
        ASSERT_TRUE(same_answers(found.answers[run], mf::reduce(mf::cpu(1), items, fold)));
        ASSERT_EQ(std::get<2>(in_all.answers[run]),
                  std::get<2>(found.answers[run]) + static_cast<std::int64_t>(at));
        at = end;
      }
      ASSERT_EQ(run, found.keys.size());
    }
  }
}

TEST(reduce_by_key, nan_and_zeros_are_one_key_each) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> keys = {nan, -nan, -0.0, 0.0, 1, nan};
  const auto found = mf::reduce_by_key(keys, std::vector<int>{1, 2, 4, 8, 16, 32}, mf::sum);
  EXPECT_EQ(found.answers, (std::vector<std::int64_t>{3, 12, 16, 32}));
  EXPECT_TRUE(std::isnan(found.keys[0]));
  EXPECT_FALSE(std::signbit(found.keys[1]));
}

TEST(reduce_by_key, any_key_that_can_be_compared) {
  struct point {
    int x, y;
    bool operator==(const point&) const = default;
  };
  const auto found = mf::reduce_by_key(std::vector<point>{{1, 2}, {1, 2}, {2, 1}},
                                       std::vector<double>{1, 2, 4}, mf::mean);
  EXPECT_EQ(found.answers, (std::vector<double>{1.5, 4}));
  EXPECT_EQ(found.keys[1], (point{2, 1}));
}

TEST(reduce_by_key, a_run_without_an_answer_is_named) {
  const std::vector<int> keys = {7, 7, 7, 8, 7, 7};
  const std::vector<double> values(6);
  try {
    mf::reduce_by_key(keys, values, mf::variance(1));
    FAIL();
  } catch (const mf::segment_error& failure) {
    EXPECT_EQ(failure.code(), mf::status::empty_input);
    EXPECT_EQ(failure.segment(), 1);
  }
  const auto tried = mf::try_reduce_by_key(mf::cpu, keys, values, mf::variance(1));
  EXPECT_EQ(*tried.answers[0], 0);
  EXPECT_EQ(tried.answers[1].code(), mf::status::empty_input);
}

}  // namespace
