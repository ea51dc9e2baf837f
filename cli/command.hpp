#pragma once
/// cli/command: from the words of a command line to plain structs.

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cli/sample_data.hpp"
#include "cli/source.hpp"
#include "ladder/tracing.hpp"
#include "monofold/platform/dtype.hpp"
#include "runtime/reducer.hpp"

namespace monofold::cli {

enum class output_form { text, json, csv };
enum class number_base { decimal, hex };
enum class group_rank { sorted, first };  // --order: by key, or as keys first appear
enum class key_rule { automatic, text };  // --keys: numbers by value, or every key by its text
enum class notes { shown, hidden };       // progress and remarks on standard error

struct reduce_command {
  runtime::request what;  // everything but the element type, which the files know
  std::string label;      // the operations as the user named them: "sum,min", "stats"
  std::vector<std::string> files;
  read_options reading;
  output_form form = output_form::text;
  number_base base = number_base::decimal;
  notes remarks = notes::shown;
  std::string device = "auto";
  std::string save_state;         // a file for the state; empty: none
  std::int64_t first_index = 0;   // of the one file
  std::int64_t memory_bytes = 0;  // a ceiling; 0: none
  bool over_ranks = false;        // --mpi
  group_rank rank = group_rank::sorted;
  key_rule keys = key_rule::automatic;
  bool by_runs = false;        // --runs
  bool counts_in_all = false;  // --global-index: places are those in the whole array
  // --axis: axes that are reduced; none given: the whole array is, as one row.
  std::optional<std::vector<std::int64_t>> axes;
  bool keeps_dims = false;
  std::string output;  // a .npy file for the answers along axes; empty: standard output
};

struct merge_command {
  std::vector<std::string> files;  // of saved states
  bool subtracts = false;          // the others from the first one
  output_form form = output_form::text;
  number_base base = number_base::decimal;
  std::string save_state;
};

struct info_command {
  output_form form = output_form::text;
};

struct verify_command {
  std::vector<std::string> files;
  read_options reading;
};

struct bench_command {
  std::optional<std::string> file;  // none: made-up items in memory
  read_options reading;
  bool cold = false;
  std::int64_t size_bytes = 256'000'000;
  std::vector<runtime::operation> ops;
  dtype type = dtype::float64;  // in memory
  std::string instruction_set;  // empty: the best
  int num_threads = 0;
  output_form form = output_form::text;
};

struct generate_command {
  std::string file;
  std::int64_t num_items = 1'000'000;
  dtype type = dtype::float64;
  std::uint64_t seed = 1;
  distribution shape = distribution::uniform;
};

enum class ladder_output { rows, page, markdown, trace, report };

struct ladder_command {
  ladder_output show = ladder_output::rows;
  std::optional<std::int64_t> num_items;
  std::string device = "auto";
  std::optional<ladder::rung_id> only;  // of a page: whose
  std::optional<ladder::operation> op;
  ladder::element_type type = ladder::element_type::int32;
  output_form form = output_form::text;
  // --trace: one or two rungs, and the files to write; empty: none.
  std::vector<ladder::rung_id> traced;
  std::optional<ladder::trace_operation> trace_op;
  bool with_mistake = false;  // --mistake: the last of them shows its mistake
  std::string trace_page;
  std::string trace_json;
  std::string report_page;  // --report
};

/// Help, the version, the man page: text for standard output.
struct print_command {
  std::string text;
};

using command = std::variant<print_command, reduce_command, info_command, verify_command,
                             bench_command, generate_command, ladder_command, merge_command>;

/// The element type that a word of --dtype names.
///
/// errors     `usage_error`
dtype parse_dtype(const std::string& text);

/// `words` without the program's name.
///
/// errors     `usage_error` with one line that names the word which is wrong
/// tested by  tests/cli/command_test.cpp
command parse_command(const std::vector<std::string>& words);

}  // namespace monofold::cli
