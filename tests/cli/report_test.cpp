/// Answers as text.
#include "cli/report.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/json.hpp"
#include "cli/number_text.hpp"
#include "cli/progress.hpp"
#include "cli/result_text.hpp"
#include "cli/table.hpp"

namespace monofold::cli {
namespace {

using runtime::answer;
using runtime::number;
using runtime::operation;

constexpr double infinity = std::numeric_limits<double>::infinity();
const double nan_value = std::nan("");

std::string decimal(const number& value, dtype type = dtype::float64,
                    operation op = operation::max) {
  return number_text(value, number_form::decimal, type, op);
}

TEST(number_text, shortest_that_reads_back) {
  EXPECT_EQ(decimal(0.1), "0.1");
  EXPECT_EQ(decimal(1.0), "1");
  EXPECT_EQ(decimal(-0.0), "-0");
  EXPECT_EQ(decimal(0.1 + 0.2), "0.30000000000000004");
  EXPECT_EQ(decimal(5e-324), "5e-324");
  EXPECT_EQ(decimal(infinity), "inf");
  EXPECT_EQ(decimal(-infinity), "-inf");
  EXPECT_EQ(decimal(nan_value), "nan");
  EXPECT_EQ(decimal(-nan_value), "nan");
  EXPECT_EQ(decimal(0.1f, dtype::float32), "0.1");
  EXPECT_EQ(decimal(std::int64_t{-5}), "-5");
  EXPECT_EQ(decimal(std::numeric_limits<std::uint64_t>::max()), "18446744073709551615");
  EXPECT_EQ(decimal(true), "true");
}

TEST(number_text, items_of_16_bits_have_their_own_shortest) {
  EXPECT_EQ(decimal(0.0999755859375f, dtype::float16), "0.1");
  EXPECT_EQ(decimal(0.10009765625f, dtype::bfloat16), "0.1");
  EXPECT_EQ(decimal(65504.0f, dtype::float16), "65504");
  EXPECT_EQ(decimal(0x1p-24f, dtype::float16), "6e-08");
  EXPECT_EQ(decimal(0x1p-14f, dtype::float16), "6.104e-05");
  EXPECT_EQ(decimal(-0.333251953125f, dtype::float16), "-0.3333");
  // A sum in float32 is no item: its digits are those of the float.
  EXPECT_EQ(decimal(0.0999755859375f, dtype::float16, operation::sum), "0.099975586");
}

TEST(number_text, json_and_hex) {
  const auto as = [](const number& value, number_form form) {
    return number_text(value, form, dtype::float64, operation::sum);
  };
  EXPECT_EQ(as(nan_value, number_form::json), "\"nan\"");
  EXPECT_EQ(as(-infinity, number_form::json), "\"-inf\"");
  EXPECT_EQ(as(-0.0, number_form::json), "-0.0");
  EXPECT_EQ(as(false, number_form::json), "false");
  EXPECT_EQ(as(1.5, number_form::hex), "0x1.8p+0");
  EXPECT_EQ(as(-0.0, number_form::hex), "-0x0p+0");
  EXPECT_EQ(as(0.1f, number_form::hex), "0x1.99999ap-4");
  EXPECT_EQ(as(infinity, number_form::hex), "inf");
  EXPECT_EQ(as(1.5, number_form::json_hex), "\"0x1.8p+0\"");
  EXPECT_EQ(as(std::int64_t{7}, number_form::json_hex), "7");
}

answer one(operation op, number value) { return {op, status::ok, {value}}; }

report_row row_of(std::vector<answer> answers, const std::string& file = "a.npy") {
  return {file, "", dtype::float64, 4, 0, std::move(answers), 0.25, 160};
}

std::string shown(report_style style, const std::vector<report_row>& rows) {
  for (const answer& each : rows[0].answers) style.ops.push_back(each.op);
  style.one_file = rows.size() == 1;
  report out(style);
  std::string text;
  for (const report_row& row : rows) text += out.add(row);
  return text + out.finish();
}

const answer top_answer{operation::top, status::ok, {3.5, 2.0}, {7, 0}};
const answer argmax_answer{operation::argmax, status::ok, {3.5}, {7}};
const answer minmax_answer{operation::minmax, status::ok, {-1.0, 3.5}};

TEST(report, bare_values) {
  EXPECT_EQ(shown({"sum", {}}, {row_of({one(operation::sum, 1.5)})}), "1.5\n");
  EXPECT_EQ(shown({"minmax", {}}, {row_of({minmax_answer})}), "-1 3.5\n");
  EXPECT_EQ(shown({"argmax", {}}, {row_of({argmax_answer})}), "7\n");
  EXPECT_EQ(shown({"top", {}}, {row_of({top_answer})}), "3.5 7\n2 0\n");
}

TEST(report, tables) {
  EXPECT_EQ(shown({"sum,argmax", {}}, {row_of({one(operation::sum, 1.5), argmax_answer})}),
            "sum     1.5\n"
            "argmax  7\n");
  EXPECT_EQ(shown({"sum,min", {}},
                  {row_of({one(operation::sum, 1.5), one(operation::min, -1.0)}),
                   row_of({one(operation::sum, 10.25), one(operation::min, 0.5)}, "longer.npy")}),
            "file          sum  min\n"
            "a.npy         1.5   -1\n"
            "longer.npy  10.25  0.5\n");
  EXPECT_EQ(shown({"top", {}}, {row_of({top_answer}), row_of({top_answer}, "b")}),
            "file   top  index\n"
            "a.npy  3.5      7\n"
            "a.npy    2      0\n"
            "b      3.5      7\n"
            "b        2      0\n");
  EXPECT_EQ(shown({"minmax", {}}, {row_of({minmax_answer}), row_of({minmax_answer}, "b")}),
            "file   min  max\n"
            "a.npy   -1  3.5\n"
            "b       -1  3.5\n");
}

TEST(report, json_of_one_operation) {
  const auto line = [](const std::string& op, const answer& from) {
    return shown({op, {}, output_form::json}, {row_of({from})});
  };
  const auto expected = [](const std::string& op, const std::string& answers) {
    return "{\"op\":\"" + op + "\",\"file\":\"a.npy\",\"dtype\":\"float64\",\"count\":4," +
           answers + ",\"engine\":\"cpu\",\"seconds\":0.25,\"bytes\":160}\n";
  };
  EXPECT_EQ(line("sum", one(operation::sum, 1.5)), expected("sum", "\"value\":1.5"));
  EXPECT_EQ(line("top", top_answer), expected("top", "\"values\":[3.5,2],\"indices\":[7,0]"));
  EXPECT_EQ(line("argmax", argmax_answer), expected("argmax", "\"value\":3.5,\"index\":7"));
  EXPECT_EQ(line("minmax", minmax_answer), expected("minmax", "\"min\":-1,\"max\":3.5"));
}

TEST(report, json_of_several_operations) {
  report_row row = row_of({one(operation::count, std::int64_t{3}), one(operation::sum, nan_value),
                           argmax_answer, minmax_answer, top_answer});
  row.missing = 2;
  row.file = "quote\" and \xff";
  // The count is the answer of count: under --nan omit not the number of items.
  EXPECT_EQ(shown({"count,sum", {}, output_form::json}, {row}),
            "{\"op\":\"count,sum\",\"file\":\"quote\\\" and \xef\xbf\xbd\",\"dtype\":\"float64\","
            "\"count\":3,\"missing\":2,\"sum\":\"nan\",\"argmax\":7,"
            "\"minmax\":{\"min\":-1,\"max\":3.5},\"top\":{\"values\":[3.5,2],\"indices\":[7,0]},"
            "\"engine\":\"cpu\",\"seconds\":0.25,\"bytes\":160}\n");
}

TEST(json, strings) {
  EXPECT_EQ(json_text("a\"\\\b\f\n\r\t/"), R"("a\"\\\b\f\n\r\t/")");
  EXPECT_EQ(json_text(std::string_view("\0\x1f\x7f", 3)), "\"\\u0000\\u001f\x7f\"");
  EXPECT_EQ(json_text("\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"),
            "\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\"");
  const std::string mark = "\xef\xbf\xbd";
  for (const auto& [text, marks] : std::vector<std::pair<std::string, int>>{{"\xff", 1},
                                                                            {"\x80\x80", 2},
                                                                            {"\xe2\x82", 1},
                                                                            {"\xf0\x9f\x98", 1},
                                                                            {"\xc0\xaf", 2},
                                                                            {"\xed\xa0\x80", 3},
                                                                            {"\xe0\x80\x80", 3},
                                                                            {"\xf4\x90\x80\x80", 4},
                                                                            {"\xc3\xe2\x82", 2}}) {
    std::string expected = "\"";
    for (int i = 0; i < marks; ++i) expected += mark;
    EXPECT_EQ(json_text(text + "a"), expected + "a\"");
    EXPECT_EQ(json_text(text), expected + '"');
  }
}

TEST(json, objects) {
  EXPECT_EQ(json_object().text(), "{}");
  EXPECT_EQ(
      json_object()
          .add("s", "x")
          .add("b", true)
          .add("i", std::int64_t{-5})
          .add("d", 2.0)
          .add("e", 1.5e-9)
          .add("n", nan_value)
          .add("l", std::vector<std::string>{"p", "q"})
          .add("none", std::vector<std::string>{})
          .add_json("o", "{}")
          .text(),
      R"({"s":"x","b":true,"i":-5,"d":2.0,"e":1.5e-09,"n":null,"l":["p","q"],"none":[],"o":{}})");
}

TEST(json, members) {
  constexpr std::string_view row = R"({"name":"a,b","n":32,"ok":true,"last":1.5})";
  EXPECT_EQ(json_member(row, "name"), "a,b");
  EXPECT_EQ(json_member(row, "n"), "32");
  EXPECT_EQ(json_member(row, "last"), "1.5");
  EXPECT_EQ(json_member(row, "seconds"), "");
}

TEST(report, csv) {
  EXPECT_EQ(shown({"sum", {}, output_form::csv}, {row_of({one(operation::sum, 1.5)}),
                                                  row_of({one(operation::sum, 2.0)}, "b,\"c")}),
            "file,dtype,count,missing,value,engine,seconds,bytes\n"
            "a.npy,float64,4,0,1.5,cpu,0.25,160\n"
            "\"b,\"\"c\",float64,4,0,2,cpu,0.25,160\n");
  EXPECT_EQ(shown({"top", {}, output_form::csv, number_base::hex}, {row_of({top_answer})}),
            "file,dtype,count,missing,value,index,engine,seconds,bytes\n"
            "a.npy,float64,4,0,0x1.cp+1,7,cpu,0.25,160\n"
            "a.npy,float64,4,0,0x1p+1,0,cpu,0.25,160\n");
  EXPECT_EQ(shown({"minmax,top,argmax", {}, output_form::csv},
                  {row_of({minmax_answer, top_answer, argmax_answer})}),
            "file,dtype,count,missing,minmax_min,minmax_max,top_values,top_indices,argmax,engine,"
            "seconds,bytes\n"
            "a.npy,float64,4,0,-1,3.5,3.5 2,7 0,7,cpu,0.25,160\n");
}

TEST(result_text, names_every_operation_with_the_first_reason) {
  runtime::request what;
  what.k = 5;
  what.ddof = 2;
  const auto failed = [](operation op, status code) {
    answer out{op};
    out.code = code;
    return out;
  };
  EXPECT_EQ(why_no_result({one(operation::sum, 1.0)}, what, 1), "");
  EXPECT_EQ(why_no_result({one(operation::sum, 0.0), failed(operation::min, status::empty_input),
                           failed(operation::max, status::empty_input)},
                          what, 0),
            "min, max: no result: no items");
  EXPECT_EQ(why_no_result({failed(operation::top, status::empty_input)}, what, 3),
            "top: no result: 3 items, -k asks for 5");
  EXPECT_EQ(why_no_result({failed(operation::var, status::empty_input)}, what, 2),
            "var: no result: 2 items, --ddof is 2");
  EXPECT_EQ(why_no_result({failed(operation::sum, status::integer_overflow)}, what, 2),
            "sum: no result: the exact value does not fit 64 bits");
  answer nan = failed(operation::sum, status::nan_found);
  nan.first_nan = 17;
  EXPECT_EQ(why_no_result({nan}, what, 20), "sum: no result: item 17 is NaN");
}

TEST(progress, says_how_far_and_how_fast) {
  EXPECT_EQ(progress_line("a.npy", 2'000'000'000, 8'000'000'000, 2.0),
            "a.npy: 2 GB of 8 GB, 1.00 GB/s, 6 s left");
  EXPECT_EQ(progress_line("standard input", 1'500'000'000, std::nullopt, 3.0),
            "standard input: 1.5 GB, 0.50 GB/s");
  EXPECT_EQ(progress_line("a", 0, 10, 1.5), "a: 0 B of 10 B, 0.00 GB/s");
}

TEST(table, aligns_characters) {
  EXPECT_EQ(aligned_table({{"f\xc3\xbcr", "1"}, {"a", "22"}}, {align::left, align::right}),
            "f\xc3\xbcr   1\na    22\n");
}

}  // namespace
}  // namespace monofold::cli
