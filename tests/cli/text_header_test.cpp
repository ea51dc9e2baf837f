#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "cli/readers.hpp"
#include "cli/text_buffer.hpp"
#include "tests/cli/dribble.hpp"
#include "tests/cli/temporary_file.hpp"

namespace monofold::cli {
namespace {

using doubles = std::vector<double>;

read_options column(const std::string& name, header_rule rule = header_rule::detect) {
  read_options options;
  options.column = name;
  options.header = rule;
  return options;
}

doubles numbers(const std::string& text, const read_options& options,
                const std::string& extension = "") {
  const temporary_file file(text, extension);
  return read_file<double>(file.path(), options);
}

TEST(TextHeader, IsTheFirstRowWhereItsCellIsNoNumber) {
  EXPECT_EQ(numbers("a,b\n1,2\n", column("2")), doubles{2});
  EXPECT_EQ(numbers("a,b\nc,2\n", column("2")), doubles{2});
  EXPECT_EQ(numbers("a\n1\n", column("1")), doubles{1});
}

TEST(TextHeader, IsTheFirstRowWhereANumberStandsBelowAWord) {
  EXPECT_EQ(numbers("id,2\n5,7\n", column("2")), doubles{7});
  EXPECT_EQ(numbers("2,id\n7,5\n", column("1")), doubles{7});
  EXPECT_EQ(numbers("x,id,2\ny,5,7\n", column("3")), doubles{7});
  EXPECT_EQ(numbers("id\t2\n5\t7\n", column("2")), doubles{7});
  EXPECT_EQ(numbers("id 2\n5 7\n", column("2")), doubles{7});
  EXPECT_EQ(numbers("\"i\nd\",2\n\n \n5,7\n", column("2"), ".csv"), doubles{7})
      << "blank rows between";
  EXPECT_EQ(numbers("id,2\n\"5\",7", column("2")), doubles{7}) << "no newline at the end";
}

TEST(TextHeader, IsNotThereWhereWordsStandBelowWords) {
  EXPECT_EQ(numbers("x,2\ny,7\n", column("2")), (doubles{2, 7}));
  EXPECT_EQ(numbers("1,2\n5,7\n", column("2")), (doubles{2, 7}));
  EXPECT_EQ(numbers("1,2\nx,7\n", column("2")), (doubles{2, 7}));
  EXPECT_EQ(numbers("x,2\n", column("2")), doubles{2}) << "no second row";
  EXPECT_EQ(numbers("x,2\n\n\n", column("2")), doubles{2});
  EXPECT_EQ(numbers(",2\n5,7\n", column("2")), (doubles{2, 7})) << "an empty field has no say";
  EXPECT_EQ(error_in("id,2\n5,7,9\n", column("2")), "line 2: found 3 columns, expected 2");
  EXPECT_EQ(error_in("id,2\n5,\"7\"x\n", column("2")),
            "line 2, column 2: expected the end of the field after the closing quote, found 'x'");
}

TEST(TextHeader, KnowsMissingNumbers) {
  read_options options = column("2");
  options.missing = {"NA"};
  EXPECT_EQ(numbers("NA,2\n5,7\n", options), (doubles{2, 7})) << "NA stands for a number";
  EXPECT_EQ(numbers("x,2\nNA,7\n", options), (doubles{2, 7})) << "and is none";
  EXPECT_EQ(numbers("id,NA\n5,7\n", options), doubles{7});
}

// What is no number of the type may still be one: then it is wrong, and no name.
TEST(TextHeader, IsNotANumberOfAnotherType) {
  read_options options = column("1");
  options.type = dtype::int64;
  EXPECT_EQ(error_in("1.5\n2\n", options), "line 1, column 1: expected an integer, found '1.5'");
  options.column = "2";
  const temporary_file file("id,2\n5.5,7\n");
  EXPECT_EQ(read_file<std::int64_t>(file.path(), options), std::vector<std::int64_t>{7});
}

TEST(TextHeader, IsWhatTheUserSays) {
  const std::string years = "year,2020,2021\nx,1,2\ny,3,4\n";
  EXPECT_EQ(numbers(years, column("2")), (doubles{2020, 1, 3}));
  EXPECT_EQ(numbers(years, column("2", header_rule::present)), (doubles{1, 3}));
  EXPECT_EQ(numbers(years, column("2020", header_rule::present)), (doubles{1, 3}));
  EXPECT_EQ(numbers(years, column("2020")), (doubles{1, 3})) << "a name means that there are names";
  EXPECT_EQ(numbers("1,2\n5,7\n", column("2", header_rule::present)), doubles{7});
  EXPECT_EQ(numbers("id,2\n5,7\n", column("2", header_rule::absent)), (doubles{2, 7}));
  EXPECT_EQ(error_in("a,b\n1,2\n", column("2", header_rule::absent)),
            "line 1, column 2: expected a number, found 'b'");
  EXPECT_EQ(error_in("a,b\n1,2\n", column("b", header_rule::absent)),
            "column 'b' not found; without a header columns are 1 to 2");
  EXPECT_EQ(error_in("9,8\n1,2\n", column("8", header_rule::absent)),
            "column '8' not found; without a header columns are 1 to 2");
  EXPECT_EQ(error_in("1,2\nx,y\n", column("2", header_rule::present)),
            "line 2, column 2 ('2'): expected a number, found 'y'");
}

TEST(TextHeader, OfOneColumnNeedsNoColumn) {
  read_options options;
  options.header = header_rule::present;
  EXPECT_EQ(numbers("7\n1\n2\n", options), (doubles{1, 2}));
  EXPECT_EQ(numbers("7\n", options), doubles{});
  options.header = header_rule::absent;
  EXPECT_EQ(numbers("7\n1 2\n", options), (doubles{7, 1, 2}));
  EXPECT_EQ(
      error_in("x\n1\n", options),
      "line 1, character 1: expected a number, found 'x'; if it is a header, say --header yes");
}

TEST(TextHeader, IsFoundInPieces) {
  for (const std::string text :
       {"id,2\n5,7\n", "id,2\n\n\"5\",7", "x,2\ny,7\n", "x,2", "x,2\n\n"}) {
    const doubles expected = numbers(text, column("2"));
    for (std::size_t piece = 1; piece < 6; ++piece) {
      dribble pieces(text, piece);
      auto stream = std::make_unique<byte_stream>(pieces.take_reader());
      const auto in = open_text(std::move(stream), "", column("2"));
      EXPECT_EQ(all_items<double>(*in), expected) << text << " in pieces of " << piece;
    }
  }
}

// The second row is looked at where it fits into the window behind the first.
TEST(TextHeader, NeedsNoMoreThanTheWindow) {
  const std::string wide(text_buffer::window_bytes / 2 + 100, 'x');
  EXPECT_EQ(numbers("id,2," + wide + "\n5,7,8\n", column("2")), doubles{7});
  EXPECT_EQ(numbers("id,2," + wide + "\n5,7," + wide + "\n", column("2")), (doubles{2, 7}));
  EXPECT_EQ(
      numbers("id,2\n" + std::string(2 * text_buffer::window_bytes, '\n') + "5,7\n", column("2")),
      (doubles{2, 7}));
}

}  // namespace
}  // namespace monofold::cli
