#include "cli/text_rounding.hpp"

#include <gtest/gtest.h>

#include <string>

#include "cli/readers.hpp"
#include "tests/cli/temporary_file.hpp"

namespace monofold::cli {
namespace {

std::string remark_on(const std::string& token) {
  rounding_watch watch(rounding_watch::state::on);
  watch.look(token.data(), token.data() + token.size());
  return watch.remark().value_or("");
}

const std::string rounded = "whole numbers beyond 2^53 were rounded to float64";

TEST(TextRounding, TellsWhatFloat64DoesNotHold) {
  for (const char* const token :
       {"9007199254740993", "+9007199254740993", "-9007199254740993", "0009007199254740993",
        "9223372036854775807", "-9223372036854775807"}) {
    EXPECT_EQ(remark_on(token), rounded + "; --dtype i64 keeps them") << token;
  }
  for (const char* const token : {"9223372036854775809", "18446744073709551615"}) {
    EXPECT_EQ(remark_on(token), rounded + "; --dtype u64 keeps them") << token;
  }
  for (const char* const token :
       {"-9223372036854775809", "18446744073709551617", "100000000000000000000000"}) {
    EXPECT_EQ(remark_on(token), rounded) << token;
  }
}

TEST(TextRounding, SaysNothingOfWhatIsHeld) {
  for (const char* const token :
       {"9007199254740992", "-9007199254740992", "9007199254740994", "1152921504606846976",
        "-9223372036854775808", "18446744073709551616", "100000000000000000000", "0000000000000000",
        "00000000000000000000001", "-00000000000000000001"}) {
    EXPECT_EQ(remark_on(token), "") << token;
  }
}

TEST(TextRounding, SaysNothingOfFractions) {
  for (const char* const token :
       {"0.1234567890123456789", "9007199254740993.5", "9007199254740993e1", "-infinity-infinity",
        "9007199254740993.0"}) {
    EXPECT_EQ(remark_on(token), "") << token;
  }
}

TEST(TextRounding, SaysNothingWhenOff) {
  const std::string token = "9007199254740993";
  rounding_watch watch(rounding_watch::state::off);
  watch.look(token.data(), token.data() + token.size());
  EXPECT_EQ(watch.remark(), std::nullopt);
}

std::vector<std::string> remarks(const std::string& text, const read_options& options,
                                 const std::string& extension) {
  const temporary_file file(text, extension);
  const auto in = open_source(file.path(), options);
  while (in->next().count != 0) continue;
  return in->remarks();
}

// Every way to a number: between blanks and in rows, short cut or not.
TEST(TextRounding, IsSeenWhereverANumberIsRead) {
  const std::vector<std::string> said{rounded + "; --dtype i64 keeps them"};
  read_options second;
  second.column = "2";
  const std::string big = "9007199254740993";
  EXPECT_EQ(remarks("1 " + big + " 2\n", {}, ".txt"), said);
  EXPECT_EQ(remarks("1 " + big, {}, ".txt"), said);
  EXPECT_EQ(remarks("1 +" + big + "\n", {}, ".txt"), said) << "left to the slow way";
  EXPECT_EQ(remarks("1,2\n3," + big + "\n", second, ".csv"), said);
  EXPECT_EQ(remarks("1,2\n3,\"" + big + "\"\n", second, ".csv"), said);
  EXPECT_TRUE(remarks("1,2\n" + big + ",3\n", second, ".csv").empty()) << "another column";
  EXPECT_TRUE(remarks(
                  big + "," + big + "\n1,3\n",
                  [&] {
                    read_options names = second;
                    names.header = header_rule::present;
                    return names;
                  }(),
                  ".csv")
                  .empty())
      << "a name";

  read_options other = second;
  other.missing = {big, "1e99"};
  EXPECT_TRUE(remarks("1,2\n3," + big + "\n", other, ".csv").empty()) << "missing";
  for (const dtype type : {dtype::int64, dtype::float64, dtype::float32}) {
    read_options typed = second;
    typed.type = type;
    EXPECT_TRUE(remarks("1,2\n3," + big + "\n", typed, ".csv").empty()) << "as asked for";
  }
}

}  // namespace
}  // namespace monofold::cli
