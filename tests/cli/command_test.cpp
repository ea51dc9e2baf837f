/// From words to plain structs, and what is wrong with the words.
#include "cli/command.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <variant>
#include <vector>

#include "cli/failure.hpp"
#include "cli/operation_pages.hpp"
#include "cli/quantity.hpp"
#include "cli/rank_team.hpp"

namespace monofold::cli {
namespace {

using runtime::operation;

reduce_command reduce(const std::vector<std::string>& words) {
  return std::get<reduce_command>(parse_command(words));
}

std::string text(const std::vector<std::string>& words) {
  return std::get<print_command>(parse_command(words)).text;
}

std::string error(const std::vector<std::string>& words) {
  try {
    parse_command(words);
    return "";
  } catch (const usage_error& problem) {
    return problem.what();
  }
}

TEST(command, defaults) {
  const reduce_command out = reduce({"sum"});
  EXPECT_EQ(out.label, "sum");
  EXPECT_EQ(out.what.ops, std::vector{operation::sum});
  EXPECT_EQ(out.files, std::vector<std::string>{"-"});
  EXPECT_EQ(out.what.k, 10);
  EXPECT_EQ(out.what.ddof, 0);
  EXPECT_EQ(out.what.num_threads, 0);
  EXPECT_EQ(out.what.nan, runtime::nan_policy::propagate);
  EXPECT_FALSE(out.what.plain);
  EXPECT_EQ(out.reading.format, file_format::detect);
  EXPECT_FALSE(out.reading.type || out.reading.column || out.reading.delimiter);
  EXPECT_EQ(out.form, output_form::text);
  EXPECT_EQ(out.base, number_base::decimal);
  EXPECT_EQ(out.remarks, notes::shown);
  EXPECT_EQ(out.device, "auto");
}

TEST(command, operations_come_once_and_in_order) {
  EXPECT_EQ(reduce({"min,sum,min"}).what.ops, (std::vector{operation::min, operation::sum}));
  const reduce_command out = reduce({"stats,top,sum", "-k", "3"});
  ASSERT_EQ(out.what.ops.size(), runtime::stats_operations.size() + 1);
  EXPECT_EQ(out.what.ops.front(), operation::count);
  EXPECT_EQ(out.what.ops.back(), operation::top);
  EXPECT_EQ(out.label, "stats,top,sum");
  for (const auto& entry : runtime::operations) {
    const std::string name(entry.name);
    const std::vector<std::string> files(entry.op == operation::dot ? 2 : 1, "a");
    std::vector<std::string> words{name};
    words.insert(words.end(), files.begin(), files.end());
    EXPECT_EQ(reduce(words).what.ops, std::vector{entry.op});
  }
}

TEST(command, options_stand_anywhere) {
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"sum", "a", "b", "--threads", "3", "--json"},
                                             {"--json", "sum", "--threads=3", "a", "b"},
                                             {"sum", "a", "--threads", "3", "b", "--json"}}) {
    const reduce_command out = reduce(words);
    EXPECT_EQ(out.files, (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(out.what.num_threads, 3);
    EXPECT_EQ(out.form, output_form::json);
  }
  EXPECT_EQ(reduce({"top", "-k5", "a"}).what.k, 5);
  EXPECT_EQ(reduce({"top", "-k", "2K", "a"}).what.k, 2000);
  EXPECT_EQ(reduce({"sum", "--", "--json", "-k"}).files,
            (std::vector<std::string>{"--json", "-k"}));
  EXPECT_EQ(reduce({"sum", "-", "a"}).files, (std::vector<std::string>{"-", "a"}));
  EXPECT_EQ(reduce({"sum", "[a,b]"}).files, std::vector<std::string>{"[a,b]"});
}

TEST(command, reading_options) {
  const reduce_command out =
      reduce({"sum", "a", "--dtype", "f32", "--column", "3", "--delimiter", "\\t", "--na", "NA",
              "--na", "", "--na", "[x,y]", "--na", "-", "--format", "text"});
  EXPECT_EQ(out.reading.type, dtype::float32);
  EXPECT_EQ(out.reading.column, "3");
  EXPECT_EQ(out.reading.delimiter, '\t');
  EXPECT_EQ(out.reading.missing, (std::vector<std::string>{"NA", "", "[x,y]", "-"}));
  EXPECT_EQ(out.reading.format, file_format::text);
  EXPECT_EQ(reduce({"sum", "a", "--delimiter", ";"}).reading.delimiter, ';');
  EXPECT_EQ(reduce({"sum", "a", "--column", "price, total"}).reading.column, "price, total");
}

TEST(command, header) {
  EXPECT_EQ(reduce({"sum", "a"}).reading.header, header_rule::detect);
  EXPECT_EQ(reduce({"sum", "a", "--header", "auto"}).reading.header, header_rule::detect);
  EXPECT_EQ(reduce({"sum", "a", "--header", "yes"}).reading.header, header_rule::present);
  EXPECT_EQ(reduce({"sum", "a", "--header=no"}).reading.header, header_rule::absent);
  EXPECT_EQ(error({"sum", "a", "--header", "maybe"}),
            "--header: expected auto, yes, no, found 'maybe'");
}

TEST(command, values_behind_an_equals_sign) {
  const reduce_command out = reduce({"sum", "--na=", "a", "--column=x=y", "--na=--json", "b"});
  EXPECT_EQ(out.files, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(out.reading.missing, (std::vector<std::string>{"", "--json"}));
  EXPECT_EQ(out.reading.column, "x=y");
  EXPECT_EQ(reduce({"sum", "--na", "--json=1", "a"}).reading.missing,
            std::vector<std::string>{"--json=1"});
  EXPECT_EQ(reduce({"sum", "--", "--json=0"}).files, std::vector<std::string>{"--json=0"});
  EXPECT_EQ(error({"sum", "--threads=", "3"}),
            "--threads: expected a whole number of at least 1, found ''");
  for (const char* const value : {"", "0", "1", "false", "text"}) {
    EXPECT_EQ(error({"sum", "a", std::string("--json=") + value}),
              "option '--json' takes no value, found '" + std::string(value) + "'");
  }
}

TEST(command, what_an_operation_takes) {
  const reduce_command out =
      reduce({"var", "a", "--ddof", "1", "--nan", "omit", "--plain", "--hex", "--quiet"});
  EXPECT_EQ(out.what.ddof, 1);
  EXPECT_EQ(out.what.nan, runtime::nan_policy::omit);
  EXPECT_TRUE(out.what.plain);
  EXPECT_EQ(out.base, number_base::hex);
  EXPECT_EQ(out.remarks, notes::hidden);
}

TEST(command, other_commands) {
  EXPECT_EQ(std::get<info_command>(parse_command({"info", "--json"})).form, output_form::json);
  const auto verify = std::get<verify_command>(parse_command({"verify", "a", "b"}));
  EXPECT_EQ(verify.files, (std::vector<std::string>{"a", "b"}));
  const auto bench = std::get<bench_command>(
      parse_command({"bench", "--size", "64M", "--ops", "sum,min", "--dtype", "i32"}));
  EXPECT_EQ(bench.size_bytes, 64'000'000);
  EXPECT_EQ(bench.ops, (std::vector{operation::sum, operation::min}));
  EXPECT_EQ(bench.type, dtype::int32);
  const auto of_file = std::get<bench_command>(
      parse_command({"bench", "a.npy", "--cold", "--instruction-set", "baseline"}));
  EXPECT_EQ(of_file.file, "a.npy");
  EXPECT_TRUE(of_file.cold);
  EXPECT_EQ(of_file.ops, (std::vector{operation::sum, operation::max}));
  EXPECT_EQ(of_file.instruction_set, "baseline");
  const auto made =
      std::get<generate_command>(parse_command({"generate", "a.npy", "--count", "100M", "--seed",
                                                "3", "--distribution", "ramp", "--dtype", "u8"}));
  EXPECT_EQ(made.file, "a.npy");
  EXPECT_EQ(made.num_items, 100'000'000);
  EXPECT_EQ(made.seed, 3u);
  EXPECT_EQ(made.shape, distribution::ramp);
  EXPECT_EQ(made.type, dtype::uint8);
}

TEST(command, usage_errors_name_the_word) {
  EXPECT_EQ(error({}), "no operation; see monofold --help");
  EXPECT_EQ(error({"smu", "a"}), "unknown operation 'smu' (did you mean 'sum'?)");
  EXPECT_EQ(error({"sum,mni", "a"}), "unknown operation 'mni' (did you mean 'min'?)");
  EXPECT_EQ(error({"sum,", "a"}), "unknown operation ''");
  EXPECT_EQ(error({"inof"}), "unknown operation 'inof' (did you mean 'info'?)");
  EXPECT_EQ(
      error({"data/a.npy"}),
      "expected an operation first, found 'data/a.npy'; for example: monofold sum data/a.npy");
  EXPECT_EQ(error({"sum", "a", "--jsno"}), "unknown option '--jsno' (did you mean '--json'?)");
  EXPECT_EQ(error({"sum", "a", "-x"}), "unknown option '-x'");
  EXPECT_EQ(error({"sum", "a", "--frob=1"}), "unknown option '--frob'");
  EXPECT_EQ(error({"sum", "a", "-hx"}), "option '-h' takes no value, found 'x'");
  EXPECT_EQ(error({"sum", "a", "-5"}), "unknown option '-5'");
  EXPECT_EQ(error({"sum", "--frob", "--threads"}), "unknown option '--frob'");  // the first
  EXPECT_EQ(error({"sum", "a", "--size", "1"}),
            "option '--size' does not belong here; it is for bench");
  EXPECT_EQ(error({"info", "--csv"}), "option '--csv' does not belong here; it is for operations");
  EXPECT_EQ(error({"sum", "a", "--threads"}), "option '--threads' needs a value");
  EXPECT_EQ(error({"--json", "info"}), "options of info come after it: monofold info ...");
  EXPECT_EQ(error({"sum", "-", "-"}), "standard input can be read once only");
  EXPECT_EQ(error({"sum", "a", "--json", "--csv"}), "--json and --csv exclude each other");
  EXPECT_EQ(error({"info", "a"}), "info takes no file, found 'a'");
  EXPECT_EQ(error({"bench", "a", "b"}), "bench takes one file, found 2");
  EXPECT_EQ(error({"bench", "--cold"}), "--cold: bench needs a file");
  EXPECT_EQ(error({"bench", "a", "--ops", "sum,dot"}), "--ops: dot takes two files");
  EXPECT_EQ(error({"bench", "a", "--size", "1M"}), "--size: not with a file");
  EXPECT_NE(error({"bench", "--instruction-set", "MMX"}).find("baseline, found 'MMX'"),
            std::string::npos);
  EXPECT_EQ(error({"bench", "--ops", "xor"}), "--ops: xor is not defined for float64");
  EXPECT_EQ(error({"generate"}), "generate takes one file, found 0");
}

TEST(command, a_ceiling_on_memory_takes_the_map_away_unless_it_is_asked_for) {
  EXPECT_EQ(reduce({"sum", "a"}).reading.io, io_mode::automatic);
  EXPECT_EQ(reduce({"sum", "a"}).memory_bytes, 0);
  EXPECT_EQ(reduce({"sum", "a", "--io", "direct"}).reading.io, io_mode::direct);
  EXPECT_EQ(reduce({"sum", "a", "--memory", "1G"}).memory_bytes, 1'000'000'000);
  EXPECT_EQ(reduce({"sum", "a", "--memory", "1G"}).reading.io, io_mode::read);
  EXPECT_EQ(reduce({"sum", "a", "--memory", "1G", "--io", "map"}).reading.io, io_mode::map);
}

TEST(command, usage_errors_name_the_value) {
  EXPECT_EQ(error({"sum", "a", "--nan", "rise"}),
            "--nan: expected propagate, omit, raise, found 'rise' (did you mean 'raise'?)");
  EXPECT_EQ(error({"sum", "a", "--dtype", "flaot32"}),
            "--dtype: unknown element type 'flaot32' (did you mean 'float32'?)");
  EXPECT_EQ(error({"top", "a", "-k", "0"}),
            "-k: expected a whole number of at least 1 (K, M, G may follow), found '0'");
  EXPECT_EQ(error({"top", "a", "-k", "-3"}),
            "-k: expected a whole number of at least 1 (K, M, G may follow), found '-3'");
  EXPECT_EQ(error({"var", "a", "--ddof", "-1"}),
            "--ddof: expected a whole number of at least 0, found '-1'");
  EXPECT_EQ(error({"sum", "a", "--threads", "0"}),
            "--threads: expected a whole number of at least 1, found '0'");
  EXPECT_EQ(error({"sum", "a", "--threads", "2K"}),
            "--threads: expected a whole number of at least 1, found '2K'");
  EXPECT_EQ(error({"sum", "a", "--io", "mmap"}),
            "--io: expected auto, map, read, direct, found 'mmap' (did you mean 'map'?)");
  EXPECT_EQ(error({"sum", "a", "--memory", "31Mi"}),
            "--memory: expected a whole number of at least 33554432 (K, M, G may follow), found "
            "'31Mi'");
  EXPECT_EQ(error({"sum", "a", "--memory", "1G", "--device", "gpu"}),
            "--memory: not with --device gpu");
  EXPECT_EQ(error({"sum", "a", "--delimiter", "ab"}),
            "--delimiter: expected one character, found 'ab'");
  EXPECT_EQ(error({"sum", "a", "--delimiter", ""}),
            "--delimiter: expected one character, found ''");
  for (const char* const text : {"\"", "\n", "\r"}) {
    EXPECT_EQ(error({"sum", "a", "--delimiter", text}),
              "--delimiter: a quote or the end of a line cannot separate columns");
  }
}

TEST(command, dot_takes_two_files) {
  EXPECT_EQ(reduce({"dot", "a", "b"}).files.size(), 2u);
  EXPECT_EQ(error({"dot"}), "dot takes two files, found 0");
  EXPECT_EQ(error({"dot", "a"}), "dot takes two files, found 1");
  EXPECT_EQ(error({"dot", "a", "b", "c"}), "dot takes two files, found 3");
  EXPECT_EQ(error({"dot,sum", "a", "b"}), "dot takes no other operation beside it");
}

TEST(command, help_names_everything) {
  const std::string overview = text({"--help"});
  for (const auto& entry : runtime::operations) {
    EXPECT_NE(overview.find("  " + std::string(entry.name) + " "), std::string::npos) << entry.name;
    const std::string page = text({std::string(entry.name), "--help"});
    EXPECT_NE(page.find(entry.summary), std::string::npos) << page;
  }
  EXPECT_NE(overview.find("--threads N"), std::string::npos);
  EXPECT_NE(text({"stats", "-h"}).find("monofold stats"), std::string::npos);
  EXPECT_NE(text({"bench", "--help"}).find("--size BYTES"), std::string::npos);
  EXPECT_EQ(text({"--version"}).substr(0, 9), "monofold ");
}

TEST(command, every_example_in_help_is_a_command) {
  for (const operation_page& page : operation_pages) {
    std::vector<std::string> words;
    for (std::string_view rest = page.example; !rest.empty();) {
      const std::size_t end = std::min(rest.find(' '), rest.size());
      words.emplace_back(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    EXPECT_EQ(error(words), "") << page.example;
    EXPECT_EQ(reduce(words).what.ops, std::vector{page.op}) << page.example;
  }
}

TEST(quantity, suffixes) {
  EXPECT_EQ(parse_quantity("--size", "0", 0), 0);
  EXPECT_EQ(parse_quantity("--size", "12", 0), 12);
  EXPECT_EQ(parse_quantity("--size", "12B", 0), 12);
  EXPECT_EQ(parse_quantity("--size", "3k", 0), 3000);
  EXPECT_EQ(parse_quantity("--size", "3KB", 0), 3000);
  EXPECT_EQ(parse_quantity("--size", "3Ki", 0), 3072);
  EXPECT_EQ(parse_quantity("--size", "2MiB", 0), 2 << 20);
  EXPECT_EQ(parse_quantity("--size", "5G", 0), 5'000'000'000);
  EXPECT_EQ(parse_quantity("--size", "9T", 0), 9'000'000'000'000);
  EXPECT_EQ(parse_quantity("--size", "9223372036854775807", 0),
            std::numeric_limits<std::int64_t>::max());
  for (const char* wrong : {"", "K", "-1", "1X", "1KK", "1.5G", " 1", "9223372036854775808",
                            "9223372036854775807K", "0x10", "1i", "1 K"}) {
    EXPECT_THROW(parse_quantity("--size", wrong, 0), usage_error) << wrong;
  }
}

TEST(quantity, readable) {
  EXPECT_EQ(bytes_text(0), "0 B");
  EXPECT_EQ(bytes_text(999), "999 B");
  EXPECT_EQ(bytes_text(1234), "1.23 kB");
  EXPECT_EQ(bytes_text(1.5e9), "1.5 GB");
  EXPECT_EQ(seconds_text(0.4), "0 s");
  EXPECT_EQ(seconds_text(59.4), "59 s");
  EXPECT_EQ(seconds_text(200), "3 min 20 s");
  EXPECT_EQ(seconds_text(7500), "2 h 5 min");
}

TEST(ranks, take_gpus_in_turn) {
  EXPECT_EQ(gpus_of_rank(5, 4).first, 1);
  EXPECT_EQ(gpus_of_rank(5, 1).first, 0);
  EXPECT_EQ(gpus_of_rank(5, 0).first, runtime::gpu_span{}.first);
}

}  // namespace
}  // namespace monofold::cli
