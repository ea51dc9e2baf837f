/// reducer::answers_of: the answers for other items are those that a new reducer gives them.

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/reducer.hpp"
#include "tests/inputs/random.hpp"

namespace {

namespace rt = monofold::runtime;

void expect_same(const std::vector<rt::answer>& found, const std::vector<rt::answer>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].code, expected[i].code);
    EXPECT_EQ(found[i].values, expected[i].values);
    EXPECT_EQ(found[i].indices, expected[i].indices);
  }
}

TEST(answers_of, are_those_of_a_new_reducer) {
  rt::request what;
  what.ops = {rt::operation::count, rt::operation::sum,    rt::operation::mean,
              rt::operation::var,   rt::operation::argmax, rt::operation::top};
  what.k = 2;
  const auto items = inputs::spread_doubles(200003, 40, 3);
  for (const bool plain : {false, true}) {
    what.plain = plain;
    rt::reducer kept(what);
    kept.push(items.data(), 1000);
    const auto before = kept.finish();
    for (const std::int64_t n : {0, 1, 2, 31, 511, 512, 513, 40000, 200003}) {
      rt::reducer alone(what);
      alone.push(items.data(), n);
      expect_same(kept.answers_of(items.data(), n), alone.finish());
    }
    expect_same(kept.finish(), before);  // nothing was appended
  }
}

TEST(answers_of, rejects_what_push_rejects) {
  rt::request what;
  what.ops = {rt::operation::sum};
  EXPECT_THROW(rt::reducer(what).answers_of(nullptr, 1), monofold::error);
  what.ops = {rt::operation::dot};
  EXPECT_THROW(rt::reducer(what).answers_of(nullptr, 0), monofold::error);
}

}  // namespace
