#pragma once
/// cli/options: the one list of commands and options; parser, help, man page and completions read it.

#include <array>
#include <string_view>

namespace monofold::cli {

/// The reduction (whose first word is an operation) and the other commands, as bits.
namespace command_bit {
inline constexpr unsigned reduce = 1;
inline constexpr unsigned info = 2;
inline constexpr unsigned verify = 4;
inline constexpr unsigned bench = 8;
inline constexpr unsigned generate = 16;
inline constexpr unsigned ladder = 32;
inline constexpr unsigned merge = 64;
inline constexpr unsigned every = 127;
}  // namespace command_bit

struct command_entry {
  unsigned bit;
  std::string_view name;
  std::string_view arguments;  // what follows the name
  std::string_view summary;
  bool takes_files;
};

inline constexpr std::array<command_entry, 6> commands{{
    {command_bit::merge, "merge", "STATE...",
     "join states that --save-state wrote, in the order of their items, and print the answers",
     true},
    {command_bit::info, "info", "",
     "version, engines, instruction sets, cores, and what auto chooses", false},
    {command_bit::verify, "verify", "[FILE...]",
     "check that threads, chunks, alignment and instruction sets leave every bit alone", true},
    {command_bit::bench, "bench", "[FILE]",
     "measure each operation against the speed at which this machine reads memory, or each way of "
     "reading a file against loops that only read it",
     true},
    {command_bit::generate, "generate", "FILE", "write a .npy file of generated numbers", true},
    {command_bit::ladder, "ladder", "[RUNG [RUNG]]",
     "run every technique of parallel reduction, check it, and say how fast it is", false},
}};

struct option_entry {
  std::string_view flag;
  std::string_view value;    // what stands for its value in help; empty: it takes none
  std::string_view choices;  // the values it takes, separated by blanks; empty: any
  std::string_view summary;
  unsigned commands;
};

inline constexpr unsigned reading = command_bit::reduce | command_bit::verify;

/// In the order of help. The choices of --dtype, --ops, --op, --only and --explain come from the lists
/// of element types, operations and rungs.
inline constexpr std::array<option_entry, 52> options{{
    {"-k", "N", "", "how many items top and bottom give (10); K, M, G may follow",
     command_bit::reduce},
    {"--ddof", "N", "", "var and std divide by the count less N (0)", command_bit::reduce},
    {"--nan", "RULE", "propagate omit raise",
     "NaN makes the answer NaN, is left out, or is an error (propagate)", command_bit::reduce},
    {"--plain", "", "",
     "do not sum floats exactly but in floating point, sums of float32 in float32: less work, the "
     "same bits for every number of threads all the same",
     command_bit::reduce},
    {"--axis", "AXIS,...", "",
     "reduce these axes of an array of one file (from 0; -1 is the last): one answer for each "
     "index of "
     "the others, with the bits of its row alone",
     command_bit::reduce},
    {"--keepdims", "", "", "with --axis, reduced axes stay in the result, with extent 1",
     command_bit::reduce},
    {"--output", "FILE", "",
     "with --axis, write the answers to a .npy file; several operations are fields of a record",
     command_bit::reduce},
    {"--global-index", "", "",
     "with --axis or --by, indices count in the whole array, in row-major order, not in the row or "
     "group",
     command_bit::reduce},
    {"--dtype", "TYPE", "",
     "element type of raw, text and generated data: bool, i8 to i64, u8 to u64, f16, bf16, f32, "
     "f64 (text and generated: f64; rungs: i32)",
     reading | command_bit::bench | command_bit::generate | command_bit::ladder},
    {"--format", "FORMAT", "npy raw text",
     "how to read the files (found out from name and content; with --dtype, what has no control "
     "characters counts as text)",
     reading},
    {"--column", "COLUMN", "", "of CSV, the column with this name or number (from 1)", reading},
    {"--by", "COLUMN,...", "",
     "of CSV, one answer for each key, which is what stands in these columns of a row; indices "
     "count "
     "in the group",
     command_bit::reduce},
    {"--order", "ORDER", "sorted first",
     "with --by: groups by key (numbers by value), or as they first appear (sorted)",
     command_bit::reduce},
    {"--keys", "RULE", "auto text",
     "with --by: a column whose keys all are numbers goes by value, so 1 and 1.0 are one key, or "
     "every column goes by its text (auto)",
     command_bit::reduce},
    {"--runs", "", "",
     "with --by: one answer for each run of rows with one key, as they lie; a key may come again",
     command_bit::reduce},
    {"--header", "RULE", "auto yes no",
     "whether the first row of CSV is names; auto: where the cell of the column is not a number, "
     "or some cell is not and the one below it is; a COLUMN that is a name means yes (auto)",
     reading},
    {"--delimiter", "CHAR", "", "what separates columns (comma, else tab, else blanks); tab is \\t",
     reading},
    {"--na", "TEXT", "",
     "text that stands for a missing number, which is dropped: indices count what is left, unlike "
     "with --nan omit; may be given several times",
     reading},
    {"--io", "MODE", "auto map read direct",
     "how .npy and raw files are read: mapped, by read calls, or past the page cache (auto: mapped "
     "or "
     "read, whichever a short measurement finds faster); never changes a bit of the answer",
     reading},
    {"--memory", "BYTES", "",
     "a ceiling on the memory of this process, pages of mapped files aside: fewer threads, no map "
     "that "
     "can be done without, and \"out of memory\" where that is not enough (none; 32Mi or more)",
     command_bit::reduce},
    {"--device", "DEVICE", "auto cpu gpu gpus emulated",
     "where to compute (auto: where the data lies)", command_bit::reduce},
    {"--threads", "N", "", "how many threads (all cores); never changes a bit of the answer",
     command_bit::reduce | command_bit::bench},
    {"--mpi", "", "",
     "under mpirun or srun: each rank reads its own part of the file, .npy or raw, and the first "
     "one prints the answer, with the bits that it has anywhere",
     command_bit::reduce},
    {"--save-state", "FILE", "",
     "also write what was computed to a file, for merge to join with that of other files",
     command_bit::reduce | command_bit::merge},
    {"--subtract", "", "",
     "take the items of the other states out of the first one, which has seen them all: exact "
     "sums, means, variances, "
     "norms and counts",
     command_bit::merge},
    {"--first-index", "N", "",
     "the index of the first item, where the file is a part of a larger array (0)",
     command_bit::reduce},
    {"--hex", "", "", "print floats in hexadecimal", command_bit::reduce | command_bit::merge},
    {"--json", "", "",
     "print one JSON object a line (of operations, merge, info, bench and ladder)",
     command_bit::reduce | command_bit::info | command_bit::bench | command_bit::ladder |
         command_bit::merge},
    {"--csv", "", "", "print CSV with a header", command_bit::reduce | command_bit::merge},
    {"--size", "BYTES", "", "how much data to measure on (256M)", command_bit::bench},
    {"--ops", "OP,...", "", "which operations to measure (all; of a file sum and max)",
     command_bit::bench},
    {"--cold", "", "", "of a file: each run reads it from its drive", command_bit::bench},
    {"--instruction-set", "NAME", "",
     "loops for less than this processor has: one of those that info names", command_bit::bench},
    {"--count", "N", "", "how many items to write (1M)", command_bit::generate},
    {"--seed", "N", "", "another seed, other numbers (1)", command_bit::generate},
    {"--distribution", "NAME", "uniform normal ramp integers",
     "uniform in [0, 1), normal, 0 1 2 ..., or whole numbers from 0 to 100 (uniform)",
     command_bit::generate},
    {"--n", "N", "", "how many items the rungs reduce (100M on a GPU, 16384 emulated)",
     command_bit::ladder},
    {"--device", "DEVICE", "gpu emulated",
     "where the rungs run (a GPU where one can be used, else the emulated device)",
     command_bit::ladder},
    {"--only", "RUNG", "", "this rung alone", command_bit::ladder},
    {"--op", "OP", "", "the operator (sum, of selection rungs top2)", command_bit::ladder},
    {"--explain", "RUNG", "", "print the page of a rung", command_bit::ladder},
    {"--trace", "FILE", "",
     "play the rung named before it, or two side by side, step by step on the emulated device: a "
     "page of HTML that loads nothing (--n: up to 1024 items; --op also letters)",
     command_bit::ladder},
    {"--trace-json", "FILE", "", "the same as JSON, which docs/traces.md describes",
     command_bit::ladder},
    {"--mistake", "", "", "with --trace: the mistake that the page of the (last) rung warns of",
     command_bit::ladder},
    {"--report", "FILE", "",
     "write the measurements, or where no GPU is recorded ones, as a page of HTML, and beside it a "
     "folder of traces",
     command_bit::ladder},
    {"--quiet", "", "", "no progress and no notes on standard error", command_bit::reduce},
    {"--help", "", "", "this help; after an operation, what it does", command_bit::every},
    {"--version", "", "", "the version", command_bit::reduce},
    // Not in help: they make the files that the packages install.
    {"--man", "", "", "", command_bit::reduce},
    {"--markdown", "", "", "", command_bit::ladder},
    {"--completion", "SHELL", "bash zsh", "", command_bit::reduce},
    {"-h", "", "", "", command_bit::every},
}};

constexpr bool is_hidden(const option_entry& entry) { return entry.summary.empty(); }

}  // namespace monofold::cli
