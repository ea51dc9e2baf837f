// What a user's first program does. (The README's own lines: tests/docs/readme_test.cpp.)

#include <cstdint>
#include <cstdio>
#include <tuple>
#include <vector>

#include "monofold/monofold.hpp"
namespace mf = monofold;

struct longest_rise {  // a fold of your own: the longest strictly rising stretch
  struct state {
    std::int64_t best, head, tail, count;
    int first, last;
  };
  state lift(int x, std::int64_t) const { return {1, 1, 1, 1, x, x}; }
  state combine(const state& l, const state& r) const {  // order is kept: l lies left of r
    const bool meets = l.last < r.first;
    const std::int64_t across = meets ? l.tail + r.head : 0;
    const std::int64_t longer = l.best > r.best ? l.best : r.best;
    return {across > longer ? across : longer,
            meets && l.head == l.count ? across : l.head,
            meets && r.tail == r.count ? across : r.tail,
            l.count + r.count,
            l.first,
            r.last};
  }
  std::int64_t finish(const state& s) const { return s.best; }
};

int main() {
  const std::vector<int> values{3, 1, 4, 5, 9, 2, 6};
  auto total = mf::reduce(values, mf::sum);  // std::int64_t, exact
  auto [n, mean, var, ends] =                // several folds, one pass
      mf::reduce(values, mf::all(mf::count, mf::mean, mf::variance(1), mf::extrema));
  auto rise = mf::reduce(mf::cpu(4), values, longest_rise{});  // at most four threads, same bits
  auto even = mf::reduce(values, mf::count | mf::where([](int x) { return x % 2 == 0; }));
  mf::running_state<int, decltype(mf::sum)> running(mf::sum);  // data in pieces, same bits
  running.push(values);
  const bool right = total == 30 && n == 7 && mean == 30.0 / 7 && var > 7.23 && var < 7.24 &&
                     ends.max == 9 && ends.argmax == 4 && rise == 4 && even == 3 &&
                     running.finish() == 30;
  if (!right) std::puts("a wrong result");
  return right ? 0 : 1;
}
