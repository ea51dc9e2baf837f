#include "cli/command.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>

#include "cli/completion.hpp"
#include "cli/failure.hpp"
#include "cli/help.hpp"
#include "cli/joined.hpp"
#include "cli/ladder_options.hpp"
#include "cli/memory_limit.hpp"
#include "cli/operation_pages.hpp"
#include "cli/options.hpp"
#include "cli/quantity.hpp"
#include "cli/quote.hpp"
#include "cli/row_options.hpp"
#include "cli/split_words.hpp"
#include "cli/suggest.hpp"

namespace monofold::cli {
namespace {

using runtime::operation;

std::vector<std::string> first_words() {
  std::vector<std::string> names;
  names.reserve(runtime::operations.size() + commands.size() + 1);
  for (const auto& entry : runtime::operations) names.emplace_back(entry.name);
  names.emplace_back(stats_name);
  for (const auto& entry : commands) names.emplace_back(entry.name);
  return names;
}

char parse_delimiter(const std::string& text) {
  if (text == "\\t" || text == "tab") return '\t';
  if (text == "\"" || text == "\n" || text == "\r") {
    throw usage_error("--delimiter: a quote or the end of a line cannot separate columns");
  }
  if (text.size() == 1) return text[0];
  throw usage_error(fmt::format("--delimiter: expected one character, found {}", quote(text)));
}

file_format parse_format(const std::string& text) {
  if (text == "npy") return file_format::npy;
  return text == "raw" ? file_format::raw : file_format::text;
}

io_mode parse_io(const std::string& text) {
  if (text == "map") return io_mode::map;
  if (text == "read") return io_mode::read;
  return text == "direct" ? io_mode::direct : io_mode::automatic;
}

header_rule parse_header(const std::string& text) {
  if (text == "yes") return header_rule::present;
  return text == "no" ? header_rule::absent : header_rule::detect;
}

read_options parse_reading(const split_command& split) {
  read_options out;
  if (const auto text = split.value("--format")) out.format = parse_format(*text);
  if (const auto text = split.value("--dtype")) out.type = parse_dtype(*text);
  out.column = split.value("--column");
  if (const auto text = split.value("--delimiter")) out.delimiter = parse_delimiter(*text);
  if (const auto text = split.value("--header")) out.header = parse_header(*text);
  if (const auto text = split.value("--io")) out.io = parse_io(*text);
  if (split.has("--na")) out.missing = split.values.at("--na");
  return out;
}

// The operations in `text`, each once. `shown` completes a message about a word that is none.
std::vector<operation> parse_operations(const std::string& text,
                                        const std::vector<std::string>& known) {
  std::vector<operation> ops;
  const auto add = [&](operation op) {
    if (std::find(ops.begin(), ops.end(), op) == ops.end()) ops.push_back(op);
  };
  for (const std::string& name : parts_of_list(text)) {
    if (name == stats_name) {
      for (const operation op : runtime::stats_operations) add(op);
    } else if (const auto op = runtime::operation_from_name(name)) {
      add(*op);
    } else {
      throw usage_error(
          fmt::format("unknown operation {}{}", quote(name), suggestion(name, known)));
    }
  }
  return ops;
}

void check_files(const std::vector<std::string>& files) {
  if (std::count(files.begin(), files.end(), "-") > 1) {
    throw usage_error("standard input can be read once only");
  }
}

int parse_threads(const split_command& split) {
  const auto text = split.value("--threads");
  if (!text) return 0;
  constexpr std::int64_t most = 4096;  // a pool of more is a mistake, and slow to start
  const std::int64_t threads = parse_integer("--threads", *text, 1);
  if (threads > most)
    throw usage_error(fmt::format("--threads: at most {}, found {}", most, *text));
  return static_cast<int>(threads);
}

output_form form_of(const split_command& split) {
  if (split.has("--json") && split.has("--csv"))
    throw usage_error("--json and --csv exclude each other");
  if (split.has("--json")) return output_form::json;
  return split.has("--csv") ? output_form::csv : output_form::text;
}

notes notes_of(const split_command& split) {
  return split.has("--quiet") ? notes::hidden : notes::shown;
}

runtime::request parse_request(const split_command& split, std::vector<operation> ops) {
  runtime::request what;
  what.ops = std::move(ops);
  if (const auto rule = split.value("--nan")) {
    what.nan = *rule == "omit"    ? runtime::nan_policy::omit
               : *rule == "raise" ? runtime::nan_policy::raise
                                  : runtime::nan_policy::propagate;
  }
  if (const auto text = split.value("-k")) what.k = parse_quantity("-k", *text, 1);
  if (const auto text = split.value("--ddof")) what.ddof = parse_integer("--ddof", *text, 0);
  what.plain = split.has("--plain");
  what.num_threads = parse_threads(split);
  return what;
}

void check_dot(const reduce_command& out) {
  const auto& ops = out.what.ops;
  if (std::find(ops.begin(), ops.end(), operation::dot) == ops.end()) return;
  if (ops.size() > 1) throw usage_error("dot takes no other operation beside it");
  if (out.files.size() != 2) {
    throw usage_error(fmt::format("dot takes two files, found {}", out.files.size()));
  }
}

std::string unknown_first_word(const std::string& word) {
  const bool file = word.find('.') != std::string::npos || word.find('/') != std::string::npos;
  if (!file) return {};
  return fmt::format("expected an operation first, found {}; for example: monofold sum {}",
                     quote(word), word);
}

// Room for the indices of more items than any file has.
constexpr std::int64_t most_first_index = std::int64_t{1} << 62;

command parse_reduce(const std::vector<std::string>& args) {
  const split_command split = split_words(args, command_bit::reduce);
  if (split.has("--version")) return print_command{version_text()};
  if (split.has("--man")) return print_command{manual_page()};
  if (const auto shell = split.value("--completion")) return print_command{completion(*shell)};
  const bool help = split.has("--help") || split.has("-h");
  if (split.words.empty()) {
    if (help) return print_command{overview_text()};
    throw usage_error("no operation; see monofold --help");
  }
  const std::string& label = split.words[0];
  for (const command_entry& entry : commands) {
    if (entry.name == label) {
      throw usage_error(fmt::format("options of {} come after it: monofold {} ...", label, label));
    }
  }
  const std::string hint = unknown_first_word(label);
  if (!hint.empty()) throw usage_error(hint);
  std::vector<operation> ops = parse_operations(label, first_words());
  if (help) return print_command{operations_text(label, ops)};

  reduce_command out;
  out.label = label;
  out.files.assign(split.words.begin() + 1, split.words.end());
  if (out.files.empty() && label != "dot") out.files.emplace_back("-");
  check_files(out.files);
  out.what = parse_request(split, std::move(ops));
  out.reading = parse_reading(split);
  out.form = form_of(split);
  out.base = split.has("--hex") ? number_base::hex : number_base::decimal;
  out.remarks = notes_of(split);
  out.save_state = split.value("--save-state").value_or("");
  if (const auto text = split.value("--first-index")) {
    out.first_index = parse_quantity("--first-index", *text, 0);
    if (out.first_index > most_first_index) {
      throw usage_error(
          fmt::format("--first-index: at most {}, found {}", most_first_index, *text));
    }
    if (out.files.size() > 1 && label != "dot") {
      throw usage_error(fmt::format("--first-index is for one file, found {}", out.files.size()));
    }
  }
  out.device = split.value("--device").value_or("auto");
  // Data of files and pipes lies in host memory: `auto` leaves it to the processor.
  out.what.on_gpu = out.device != "auto" && out.device != "cpu";
  if (out.device == "gpus" || out.device == "emulated") out.what.gpus = {0, 0};  // all there are
  if (const auto text = split.value("--memory")) {
    out.memory_bytes = parse_quantity("--memory", *text, least_memory_bytes);
    if (out.what.on_gpu) throw usage_error("--memory: not with --device " + out.device);
    // An array whose axes are reduced is read where it lies.
    if (out.reading.io == io_mode::automatic && !split.has("--axis")) {
      out.reading.io = io_mode::read;
    }
  }
  check_dot(out);
  parse_row_options(split, out);
  return out;
}

command parse_merge(const split_command& split) {
  merge_command out;
  if (split.words.empty()) throw usage_error("merge takes saved states, found none");
  out.files = split.words;
  check_files(out.files);
  out.form = form_of(split);
  out.base = split.has("--hex") ? number_base::hex : number_base::decimal;
  out.save_state = split.value("--save-state").value_or("");
  out.subtracts = split.has("--subtract");
  return out;
}

command parse_verify(const split_command& split) {
  check_files(split.words);
  if (!split.words.empty() && std::count(split.words.begin(), split.words.end(), "-") > 0) {
    throw usage_error("verify reads its files several times, which standard input cannot be");
  }
  return verify_command{split.words, parse_reading(split)};
}

command parse_bench(const split_command& split) {
  bench_command out;
  if (split.words.size() > 1) {
    throw usage_error(fmt::format("bench takes one file, found {}", split.words.size()));
  }
  if (!split.words.empty()) out.file = split.words[0];
  if (out.file == "-") {
    throw usage_error("bench reads its file several times, which standard input cannot be");
  }
  out.reading = parse_reading(split);
  out.type = out.reading.type.value_or(out.type);
  out.cold = split.has("--cold");
  if (out.cold && !out.file) throw usage_error("--cold: bench needs a file");
  if (const auto text = split.value("--size")) {
    if (out.file) throw usage_error("--size: not with a file");
    out.size_bytes = parse_quantity("--size", *text, 8);
  }
  if (const auto text = split.value("--instruction-set")) {
    const std::vector<std::string> sets = runtime::instruction_sets();
    if (std::find(sets.begin(), sets.end(), *text) == sets.end()) {
      throw usage_error(
          fmt::format("--instruction-set: {}, found {}", joined(sets, ", "), quote(*text)));
    }
    out.instruction_set = *text;
  }
  std::vector<std::string> known = first_words();
  if (const auto text = split.value("--ops")) {
    out.ops = parse_operations(*text, known);
  } else if (out.file) {
    out.ops = {operation::sum, operation::max};
  } else {
    for (const auto& entry : runtime::operations) out.ops.push_back(entry.op);
    std::erase_if(out.ops, [&](operation op) { return !runtime::is_defined(op, out.type); });
  }
  for (const operation op : out.ops) {
    if (out.file && op == operation::dot) throw usage_error("--ops: dot takes two files");
    if (!out.file && !runtime::is_defined(op, out.type)) {
      throw usage_error(fmt::format("--ops: {} is not defined for {}", runtime::info(op).name,
                                    info(out.type).name));
    }
  }
  out.num_threads = parse_threads(split);
  out.form = form_of(split);
  return out;
}

command parse_generate(const split_command& split) {
  generate_command out;
  if (split.words.size() != 1) {
    throw usage_error(fmt::format("generate takes one file, found {}", split.words.size()));
  }
  out.file = split.words[0];
  if (const auto text = split.value("--count")) out.num_items = parse_quantity("--count", *text, 0);
  if (const auto text = split.value("--dtype")) out.type = parse_dtype(*text);
  if (const auto text = split.value("--seed")) {
    out.seed = static_cast<std::uint64_t>(parse_integer("--seed", *text, 0));
  }
  if (const auto text = split.value("--distribution")) {
    out.shape = distribution_from_name(*text).value_or(distribution::uniform);
  }
  return out;
}

}  // namespace

dtype parse_dtype(const std::string& text) {
  if (const auto type = dtype_from_name(text)) return *type;
  std::vector<std::string> names;
  names.reserve(2 * dtypes.size());
  for (const dtype_info& entry : dtypes) {
    names.emplace_back(entry.name);
    names.emplace_back(entry.short_name);
  }
  throw usage_error(
      fmt::format("--dtype: unknown element type {}{}", quote(text), suggestion(text, names)));
}

command parse_command(const std::vector<std::string>& words) {
  const auto entry = std::find_if(commands.begin(), commands.end(), [&](const auto& known) {
    return !words.empty() && words[0] == known.name;
  });
  if (entry == commands.end()) return parse_reduce(words);
  const split_command split = split_words({words.begin() + 1, words.end()}, entry->bit);
  if (split.has("--help") || split.has("-h")) return print_command{command_text(*entry)};
  switch (entry->bit) {
    case command_bit::merge: return parse_merge(split);
    case command_bit::verify: return parse_verify(split);
    case command_bit::bench: return parse_bench(split);
    case command_bit::generate: return parse_generate(split);
    case command_bit::ladder: return parse_ladder(split);
    default: break;
  }
  if (!split.words.empty()) {
    throw usage_error(fmt::format("info takes no file, found {}", quote(split.words[0])));
  }
  return info_command{form_of(split)};
}

}  // namespace monofold::cli
