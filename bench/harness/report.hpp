#pragma once
/// bench/harness/report: rows as a table for people and as JSON lines for programs.

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "bench/harness/machine.hpp"
#include "bench/harness/samples.hpp"

namespace bench {

/// How a range's segments lie where an operation is on each of them; no kind: it is on the range.
struct segments_of_row {
  std::string kind;
  std::int64_t length;
  std::int64_t count;
  std::int64_t moved_bytes;  // of items, ends and answers; of keys
  std::string keys{};        // the type of keys that say where segments are; empty: there are none
};

/// How one subject did in one group: an operation on one piece of data.
struct report_row {
  std::string op;
  std::string dtype;
  std::string path;
  std::int64_t bytes = 0;  // that the operation must read
  std::string pages;       // "huge" or "small"; "file" for the page cache
  summary time{};
  summary isolated{};  // the same behind somebody else's kernel, on a GPU; no samples: not measured
  summary launched{};  // the same, launched by the host instead of replayed; or no samples
  std::vector<double> values{};
  double target = 0;    // share of the read bandwidth that is asked for; 0: none
  int num_devices = 0;  // GPUs at work; 0: not said
  segments_of_row segments{};
};

/// A group's rows. `limit` is the read loop's time in the same rounds; no samples: not measured.
struct report_group {
  summary limit;
  std::string limit_variant;
  summary isolated_limit{};
  std::vector<report_row> rows;
};

/// 1 GB = 1e9 B.
double gbps(std::int64_t bytes, const summary& time);
/// The share of the read bandwidth measured in the same rounds.
double share(const report_group& group, const report_row& row);
/// The same of the 5th percentiles: what is left where other programs take turns on the cores.
double undisturbed_share(const report_group& group, const report_row& row);
bool is_ours(const std::string& path);

/// Times the subjects in turn, of which the first is the read loop and the others are the group's rows.
void time_rows(report_group& group, const std::vector<subject>& subjects, const sampling& how);

/// A line on the machine, as the head of a suite's output.
void print_machine(const provenance& where, const std::string& instruction_set);

/// 67108864 as "64M".
std::string size_text(std::int64_t bytes);

/// A file of rows as JSON lines.
///
/// errors     the constructor throws std::runtime_error where it cannot be written; an empty name is
///            no file, and nothing is written
class json_rows {
 public:
  explicit json_rows(const std::string& file);
  /// Writes a group, a line a row; rows of ours state a verdict against each peer.
  void write(const std::string& suite, const report_group& group, const provenance& where,
             const std::string& instruction_set) const;

 private:
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> out_;
};

/// Prints it as a part of a table; the first group prints the table's head.
void print_group(const report_group& group, bool first);

}  // namespace bench
