/// platform/status: a result has a value or says why not.

#include "monofold/platform/status.hpp"

#include <set>
#include <string>

#include <gtest/gtest.h>

namespace {

namespace mf = monofold;

constexpr mf::status all_codes[] = {mf::status::ok,
                                    mf::status::empty_input,
                                    mf::status::integer_overflow,
                                    mf::status::nan_found,
                                    mf::status::invalid_argument,
                                    mf::status::unsupported,
                                    mf::status::device_unavailable,
                                    mf::status::out_of_memory,
                                    mf::status::internal,
                                    mf::status::malformed_state};

TEST(status, numbers_never_change) {
  int expected = 0;
  for (const mf::status code : all_codes) EXPECT_EQ(static_cast<int>(code), expected++);
}

TEST(status, every_code_has_a_line_of_its_own) {
  std::set<std::string> texts;
  for (const mf::status code : all_codes) {
    const std::string text = mf::describe(code);
    EXPECT_FALSE(text.empty());
    EXPECT_EQ(text.find('\n'), std::string::npos);
    EXPECT_TRUE(texts.insert(text).second) << text;
  }
}

TEST(result, with_a_value) {
  const mf::result<int> r(42);
  EXPECT_TRUE(r.has_value());
  EXPECT_TRUE(static_cast<bool>(r));
  EXPECT_EQ(r.code(), mf::status::ok);
  EXPECT_EQ(r.value(), 42);
  EXPECT_EQ(*r, 42);
  EXPECT_EQ(r.value_or(7), 42);
}

TEST(result, without_a_value) {
  for (const mf::status code : all_codes) {
    if (code == mf::status::ok) continue;
    const mf::result<std::string> r(code);
    EXPECT_FALSE(r.has_value());
    EXPECT_FALSE(static_cast<bool>(r));
    EXPECT_EQ(r.code(), code);
    EXPECT_EQ(r.value_or("other"), "other");
    try {
      static_cast<void>(r.value());
      FAIL() << "no throw";
    } catch (const mf::error& e) {
      EXPECT_EQ(e.code(), code);
      EXPECT_STREQ(e.what(), mf::describe(code));
    }
  }
}

TEST(result, made_of_nothing_is_room_for_one) {
  mf::result<double> r;
  EXPECT_EQ(r.code(), mf::status::empty_input);
  r = 1.5;
  EXPECT_EQ(r.value(), 1.5);
}

TEST(error, detail_follows_the_line_of_the_code) {
  const mf::error e(mf::status::invalid_argument, "count is -1");
  EXPECT_EQ(e.code(), mf::status::invalid_argument);
  EXPECT_STREQ(e.what(), "invalid argument: count is -1");
}

}  // namespace
