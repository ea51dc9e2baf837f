#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "cli/readers.hpp"
#include "cli/text_buffer.hpp"
#include "tests/cli/dribble.hpp"
#include "tests/cli/temporary_file.hpp"

namespace monofold::cli {
namespace {

read_options column(const std::string& name) {
  read_options options;
  options.column = name;
  return options;
}

read_options delimited(char delimiter, const std::string& name) {
  read_options options = column(name);
  options.delimiter = delimiter;
  return options;
}

std::vector<double> numbers(const std::string& text, const read_options& options = {},
                            const std::string& extension = ".txt") {
  const temporary_file file(text, extension);
  return read_file<double>(file.path(), options);
}

std::string problem(const std::string& text, const read_options& options = {},
                    const std::string& extension = ".txt") {
  return error_in(text, options, extension);
}

using doubles = std::vector<double>;

TEST(TextSource, ReadsNumbersBetweenBlanks) {
  EXPECT_EQ(numbers("1\n2.5\n-3e2\n"), (doubles{1, 2.5, -300}));
  EXPECT_EQ(numbers(" 1 2\r\n3\t4\n\n\v5\f6"), (doubles{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(numbers("+1 .5 5. inf"), (doubles{1, 0.5, 5, INFINITY}));
  EXPECT_EQ(numbers("\xef\xbb\xbf"
                    "7 8"),
            (doubles{7, 8}));
  EXPECT_EQ(numbers("\n \n\n"), doubles{});
  EXPECT_EQ(numbers("1 2", {}, ""), (doubles{1, 2}));
}

TEST(TextSource, SaysWhereANumberIsWrong) {
  EXPECT_EQ(
      problem("x\n1\n"),
      "line 1, character 1: expected a number, found 'x'; if it is a header, say --header yes");
  EXPECT_EQ(problem("1 2\n\n 3  4x 5\n"), "line 3, character 5: expected a number, found '4x'");
  EXPECT_EQ(problem("1\n1e999"), "line 2, character 1: '1e999' is out of range for float64");
  EXPECT_EQ(problem("\xff\xfe\x31"), "the text is UTF-16, expected UTF-8 or ASCII");
}

// The window moves in the middle of a line, and the place is counted from where the line begins.
TEST(TextSource, CountsCharactersOfALineLongerThanTheWindow) {
  const std::size_t width = text_buffer::window_bytes + 100'000;
  std::string line(width, ' ');
  for (std::size_t i = 0; i < width; i += 64) line[i] = '1';
  EXPECT_EQ(problem("5\n" + line + "no\n"),
            "line 2, character " + std::to_string(width + 1) + ": expected a number, found 'no'");
  EXPECT_EQ(numbers("5\n" + line).size(), 1 + (width + 63) / 64);
  EXPECT_EQ(problem(std::string(text_buffer::window_bytes + 1, '1')),
            "line 1: longer than 4194304 bytes without an end of the number");
  EXPECT_EQ(problem("a\n\"" + std::string(text_buffer::window_bytes, '1'), column("a")),
            "line 2: longer than 4194304 bytes without an end of the row");
}

TEST(TextSource, ReadsOneColumnOfATable) {
  const std::string table = "a,b c,d\n1,2,3\n4, 5 ,6\r\n";
  EXPECT_EQ(numbers(table, column("a")), (doubles{1, 4}));
  EXPECT_EQ(numbers(table, column("b c")), (doubles{2, 5}));
  EXPECT_EQ(numbers(table, column("3")), (doubles{3, 6}));
  EXPECT_EQ(numbers("1,2\n3,4", column("2")), (doubles{2, 4}));
  EXPECT_EQ(numbers("1\t2\n3\t4", column("2")), (doubles{2, 4}));
  EXPECT_EQ(numbers("1;2\n3;4\n", delimited(';', "2")), (doubles{2, 4}));
  EXPECT_EQ(numbers("x  y\n1\t 2\n 3 4 \n", column("y")), (doubles{2, 4}));
  EXPECT_EQ(numbers("x\n1\n\n2\n", {}, ".csv"), (doubles{1, 2})) << "one column needs no name";
  EXPECT_EQ(numbers("\n\n1,2\n\n3,4\n\n", column("1")), (doubles{1, 3}));
  EXPECT_EQ(numbers("2,1\n5,6\n", column("2")), (doubles{1, 6})) << "numbers count, then name";
  EXPECT_EQ(numbers("9,x\n5,6\n", column("9")), (doubles{5}));
}

TEST(TextSource, ReadsQuotedFields) {
  EXPECT_EQ(numbers("\"a \"\"q\"\"\",b\n\"1\",2\n3,\"x\ny,z\"\n4,5\n", column("a \"q\"")),
            (doubles{1, 3, 4}));
  EXPECT_EQ(numbers("\"b\nc\",d\n1,2\n", column("b\nc"), ".csv"), doubles{1});
  EXPECT_EQ(numbers("a,b\n \" 7 \" ,1\n", column("a")), doubles{7});
  EXPECT_EQ(problem("a,b\n\"x\ny\",1\nz,2\n", column("a")),
            "line 2, column 1 ('a'): expected a number, found 'x\\ny'");
  EXPECT_EQ(problem("a,b\n1,\"x\ny\"\nz,2\n", column("a")),
            "line 4, column 1 ('a'): expected a number, found 'z'");
  EXPECT_EQ(problem("a,b\n1,\"2\n3,4\n", column("a")),
            "line 2: a quoted field has no closing quote");
  EXPECT_EQ(problem("\"a\n", column("a")), "line 1: a quoted field has no closing quote");
  EXPECT_EQ(problem("a,b\n1,\"2\"x\n", column("a")),
            "line 2, column 2: expected the end of the field after the closing quote, found 'x'");
}

TEST(TextSource, SaysWhereARowIsWrong) {
  EXPECT_EQ(problem("a,b\n1,2\n3\n", column("a")), "line 3: found 1 column, expected 2");
  EXPECT_EQ(problem("a,b\n1,2,3\n", column("a")), "line 2: found 3 columns, expected 2");
  EXPECT_EQ(problem("1,2\n3,x4\n", column("2")), "line 2, column 2: expected a number, found 'x4'");
  EXPECT_EQ(problem("1,2\n3,\n", column("2")),
            "line 2, column 2: expected a number, found an empty field");
  EXPECT_EQ(problem("a,b\n", column("c")), "column 'c' not found; the columns are 1 'a', 2 'b'");
  EXPECT_EQ(problem("a,b\n", column("3")), "column '3' not found; the columns are 1 'a', 2 'b'");
  EXPECT_EQ(problem("a,a\n", column("a")), "column 'a' occurs twice; the columns are 1 'a', 2 'a'");
  EXPECT_EQ(problem("a,b\n1,2\n"),
            "found 2 columns, expected --column to name one; the columns are 1 'a', 2 'b'");
}

// A number goes on behind such a delimiter, a field does not.
TEST(TextSource, EndsAFieldAtADelimiterThatNumbersHold) {
  EXPECT_EQ(numbers("1-2-3\n4-5-6\n", delimited('-', "1")), (doubles{1, 4}));
  EXPECT_EQ(problem("1-2-3\n-5-6-7\n", delimited('-', "1")), "line 2: found 4 columns, expected 3");
  EXPECT_EQ(problem("x\n1.5\n", delimited('.', "x")), "line 2: found 2 columns, expected 1");
  EXPECT_EQ(problem("x\n151\n", delimited('5', "x")), "line 2: found 2 columns, expected 1");
  EXPECT_EQ(problem("x\n1e5\n", delimited('e', "x")), "line 2: found 2 columns, expected 1");
  EXPECT_EQ(problem("1,2\n", delimited('"', "1")),
            "a quote or the end of a line cannot separate columns");
}

TEST(TextSource, LeavesOutAndCountsMissingNumbers) {
  const auto check = [](const std::string& text, const read_options& options,
                        const doubles& expected, std::int64_t missing,
                        const std::string& extension) {
    const temporary_file file(text, extension);
    const auto in = open_source(file.path(), options);
    EXPECT_EQ(all_items<double>(*in), expected) << text;
    EXPECT_EQ(in->missing_count(), missing) << text;
  };
  read_options options;
  options.missing = {"NA", "-9"};
  check("1 NA -9 2\n-90 NA", options, {1, 2, -90}, 3, ".txt");
  check("x\nNA\n3\n", options, {3}, 1, ".csv");
  check("NA\n3\n", options, {3}, 1, ".csv");  // no name: it stands for a number
  options.column = "y";
  check("x,y\n1,NA\n2,5\n3,-9\n4,-9.0\n", options, {5, -9}, 2, ".csv");
  options.missing = {""};
  check("x,y\n1,\n2,5\n3,\"\"\n", options, {5}, 2, ".csv");
}

TEST(TextSource, ReadsEveryType) {
  const auto check = [](dtype type, const auto& expected, const std::string& text) {
    using T = typename std::decay_t<decltype(expected)>::value_type;
    read_options options;
    options.type = type;
    const temporary_file file(text, ".txt");
    EXPECT_EQ(read_file<T>(file.path(), options), expected) << text;
    const temporary_file table("x,y\n" + text + ",1\n", ".csv");
    options.column = "x";
    EXPECT_EQ(read_file<T>(table.path(), options), expected) << text;
  };
  check(dtype::boolean, std::vector<std::uint8_t>{1}, "true");
  check(dtype::int8, std::vector<std::int8_t>{-128}, "-128");
  check(dtype::uint64, std::vector<std::uint64_t>{~std::uint64_t{0}}, "18446744073709551615");
  check(dtype::int64, std::vector<std::int64_t>{9007199254740993}, "9007199254740993");
  check(dtype::float32, std::vector<float>{16777216.0f}, "16777217");
  check(dtype::float16, std::vector<std::uint16_t>{0x3c00}, "1");
  check(dtype::bfloat16, std::vector<std::uint16_t>{0x3f80}, "1.00390625");
  read_options options;
  options.type = dtype::uint8;
  EXPECT_EQ(problem("1\n256\n", options), "line 2, character 1: '256' is out of range for uint8");
  EXPECT_EQ(problem("1.5\n", options), "line 1, character 1: expected an integer, found '1.5'");
}

// The same text in pieces of every length up to a few bytes, so that every token, quote and end of
// line is cut somewhere.
TEST(TextSource, PiecesDoNotMatter) {
  const std::string table = "a,\"b\"\"\n\",c\r\n1.25,-2e-3,\"x,\ny\"\n\n\"3\" ,4,NA\n5,6,\"\"\"\"";
  const std::string plain = "\xef\xbb\xbf 1.25 -3e-2\r\n\n17 nan\t4";
  for (const std::string& text : {table, plain}) {
    read_options options;
    if (text == table) options = column("b\"\n");
    const temporary_file file(text);
    const auto expected = read_file<std::uint64_t>(file.path(), options);
    EXPECT_EQ(expected.size(), text == table ? 3u : 5u);
    for (std::size_t piece = 1; piece < 6; ++piece) {
      dribble pieces(text, piece);
      auto stream = std::make_unique<byte_stream>(pieces.take_reader());
      const auto in = open_text(std::move(stream), "", options);
      EXPECT_EQ(all_items<std::uint64_t>(*in), expected) << piece;
      EXPECT_EQ(in->consumed_bytes(), static_cast<std::int64_t>(text.size()));
    }
  }
}

TEST(TextSource, MessagesShowWholeWordsFromPieces) {
  for (const std::string text : {"a,b\n1,\"2\"xyz\n", "\"1\"xyz,2\n", "a,b\n\"xyz\",2\n"}) {
    const std::string expected = problem(text, column("1"));
    EXPECT_NE(expected.find("'xyz'"), std::string::npos) << expected;
    for (std::size_t piece = 1; piece < 6; ++piece) {
      dribble pieces(text, piece);
      try {
        auto stream = std::make_unique<byte_stream>(pieces.take_reader());
        const auto in = open_text(std::move(stream), "", column("1"));
        all_items<double>(*in);
        ADD_FAILURE() << text;
      } catch (const input_error& error) {
        EXPECT_EQ(error.what(), expected);
      }
    }
  }
}

// Several chunks and several windows; every row has another length.
TEST(TextSource, ReadsTextsLongerThanTheWindow) {
  const std::int64_t count = 700'000;
  std::string plain;
  std::string table = "x,n\n";
  for (std::int64_t i = 0; i < count; ++i) {
    const std::string number = std::to_string(i * i);
    plain += number + (i % 5 == 0 ? "\n" : " ");
    table += (i % 7 == 0 ? "\"" + number + "\"" : number) + "," + std::to_string(i) + "\n";
  }
  ASSERT_GT(plain.size(), text_buffer::window_bytes);
  for (const std::string& text : {plain, table}) {
    const auto found = numbers(text, text == table ? column("x") : read_options{});
    ASSERT_EQ(static_cast<std::int64_t>(found.size()), count);
    for (std::int64_t i = 0; i < count; ++i) {
      ASSERT_EQ(found[static_cast<std::size_t>(i)], static_cast<double>(i * i));
    }
  }
}

}  // namespace
}  // namespace monofold::cli
