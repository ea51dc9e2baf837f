// The C++ of README.md: its code blocks are the marked pieces (tests/docs/snippets_test.py).

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

// [readme_call]
#include "monofold/monofold.hpp"
namespace mf = monofold;
// [/readme_call]

namespace {

TEST(readme, call) {
  const std::vector<float> values{0.5F, 1e30F, 0.25F, -1e30F};
  // [readme_call]
  double total = mf::reduce(values, mf::sum);  // exact, rounded once, on all cores
  auto [n, mean, var, ends] =                  // four answers, one pass over the data
      mf::reduce(values, mf::all(mf::count, mf::mean, mf::variance(1), mf::extrema));
  // [/readme_call]
  EXPECT_EQ(total, 0.75);
  EXPECT_EQ(n, 4);
  EXPECT_EQ(mean, 0.1875);
  EXPECT_GT(var, 1e59);
  EXPECT_EQ(ends.argmax, 1);
}

TEST(readme, fold) {
  const std::vector<int> readings{3, 0, 4, 1, 5, 0};
  // [readme_fold]
  // The latest reading that is not missing (0): order matters, and is kept.
  auto latest = mf::ordered([](int older, int newer) { return newer != 0 ? newer : older; });
  int current = mf::reduce(readings, latest);
  // clang-format off
  struct rises {  // how often an item is larger than the one before it
    struct state { int first, last; std::int64_t count; };
    MONOFOLD_HD state lift(int item, std::int64_t) const { return {item, item, 0}; }
    MONOFOLD_HD state combine(const state& l, const state& r) const {  // l lies left of r
      return {l.first, r.last, l.count + r.count + (l.last < r.first ? 1 : 0)};
    }
    MONOFOLD_HD std::int64_t finish(const state& s) const { return s.count; }
  };
  // clang-format on
  auto count = mf::reduce(mf::cpu(4), readings, rises{});  // at most four threads, same answer
  // [/readme_fold]
  EXPECT_EQ(current, 5);
  EXPECT_EQ(count, 2);
}

}  // namespace
