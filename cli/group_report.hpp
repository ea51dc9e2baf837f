#pragma once
/// cli/group_report: the answers of groups as a table, JSON lines or CSV.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"
#include "monofold/platform/dtype.hpp"
#include "runtime/reducer.hpp"

namespace monofold::cli {

/// Turns groups into text, one after the other.
///
/// shape      a row a group: the fields of its key, then its answers. Text is a table, which `finish` gives
/// tested by  tests/cli/tool_groups_test.py
class group_report {
 public:
  group_report(const reduce_command& command, dtype type, std::vector<std::string> key_names)
      : command_(command), type_(type), key_names_(std::move(key_names)) {}

  void add(const std::vector<std::string_view>& key, std::int64_t count,
           const std::vector<runtime::answer>& answers);
  /// All of it.
  std::string finish();

 private:
  using row = std::vector<std::string>;
  void add_json(const std::vector<std::string_view>& key, std::int64_t count,
                const std::vector<runtime::answer>& answers);
  row header() const;
  row cells(const std::vector<std::string_view>& key,
            const std::vector<runtime::answer>& answers) const;

  const reduce_command& command_;
  dtype type_;
  std::vector<std::string> key_names_;
  std::string text_;
  std::vector<row> table_;
};

}  // namespace monofold::cli
