#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cli/attempt.hpp"
#include "cli/engines.hpp"
#include "cli/execute.hpp"
#include "cli/failure.hpp"
#include "cli/file_steps.hpp"
#include "cli/fold_source.hpp"
#include "cli/machine.hpp"
#include "cli/memory_limit.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/reduce_axes.hpp"
#include "cli/reduce_groups.hpp"
#include "cli/reduce_ranks.hpp"
#include "cli/report.hpp"
#include "cli/state_file.hpp"
#include "runtime/families.hpp"
#include "runtime/gpu/load_device_library.hpp"

namespace monofold::cli {
namespace {

using runtime::operation;
using runtime::reducer;
using clock = std::chrono::steady_clock;

double seconds_since(clock::time_point start) {
  return std::chrono::duration<double>(clock::now() - start).count();
}

void check_device(const std::string& device) {
  if (device == "auto") return;
  const engine_state engine = state_of_engine(device);
  if (!engine.available) throw device_error(fmt::format("--device {}: {}", device, engine.why));
  if (device == "emulated") runtime::use_devices(runtime::device_kind::emulated);
}

// Reduces the files of one command, one after the other.
class file_reduction {
 public:
  explicit file_reduction(const reduce_command& command)
      : command_(command),
        report_({command.label, command.what.ops, command.form, command.base, one_file(),
                 command.what.on_gpu ? command.device : "cpu"}) {}

  int run() {
    if (is_dot()) {
      try_step(command_.files[0], [&] {
        const report_row row = dot_row();
        if (!failed_) print(row);
      });
    } else {
      for (const std::string& file : command_.files) {
        try_step(file, [&] { print(file_row(file)); });
      }
      if (!one_file()) print_total();
    }
    if (!state_.empty()) write_state(command_.save_state, state_);
    write_out(report_.finish());
    return code_;
  }

 private:
  bool is_dot() const { return command_.what.ops.front() == operation::dot; }
  bool one_file() const { return is_dot() || command_.files.size() == 1; }

  void print(const report_row& row) {
    const std::string text = report_.add(row);
    if (!text.empty()) write_out(text);
  }

  // Where a file keeps a step from an answer the others go on.
  template <class Step>
  void try_step(const std::string& file, const Step& step) {
    const int code = attempt(file, step);
    if (code == exit_code::ok) return;
    if (code_ == exit_code::ok) code_ = code;
    failed_ = true;
  }

  // Each remark once in a run.
  void remark_on(const std::string& file, const source& in) {
    if (command_.remarks == notes::hidden) return;
    for (const std::string& remark : in.remarks()) {
      if (!remarks_made_.insert(remark).second) continue;
      complain_about(file, "note: " + remark);
    }
  }

  // What is written at the end, also where it has no answer yet: joined with others it may have.
  void keep_state(const reducer& done) {
    if (!command_.save_state.empty()) state_ = done.save();
  }

  report_row file_row(const std::string& file) {
    const clock::time_point start = clock::now();
    runtime::request what = command_.what;
    const std::unique_ptr<source> in = open_for(command_, file, what);
    fit_threads(command_, what, *in);
    progress shown(file, in->total_bytes(), command_.remarks);
    const on_bytes report = [&](std::int64_t bytes) { shown.update(bytes); };

    const bool in_total = !one_file() && !failed_ && fits_total(what.type);
    const bool two_trees = in_total && total_ && depends_on_tree(what);
    const std::int64_t offset = in_total && total_ && !two_trees ? total_->count() : 0;
    const std::int64_t first = command_.first_index + offset;
    reducer own(what, first);
    if (two_trees) {
      // The tree of the total lies over the items of all files, that of the row over its own.
      push_source(*in, {&own, &*total_}, report);
    } else {
      fold_source(*in, own, report);
      if (in_total && !total_) total_.emplace(what);
      if (in_total) total_->merge(own);
    }
    shown.clear();
    remark_on(file, *in);
    if (one_file()) keep_state(own);
    report_row row;
    row.file = file;
    row.missing = in->missing_count();
    row.seconds = seconds_since(start);
    row.bytes = in->consumed_bytes();
    add_to_total(row);
    return finished(std::move(row), own, what, offset);
  }

  report_row dot_row() {
    const clock::time_point start = clock::now();
    runtime::request what = command_.what;
    const std::string& other = command_.files[1];
    const std::unique_ptr<source> left = open_source(command_.files[0], command_.reading);
    std::unique_ptr<source> right;
    try_step(other, [&] { right = open_source(other, command_.reading); });
    if (right == nullptr) return {};
    check_pair(*left, *right, other);
    what.type = left->type();
    std::optional<std::int64_t> bytes;
    if (left->total_bytes() && right->total_bytes()) {
      bytes = *left->total_bytes() + *right->total_bytes();
    }
    fit_threads(command_, what, *left);
    progress shown(command_.files[0], bytes, command_.remarks);
    reducer own(what, command_.first_index);
    push_pairs(*left, *right, own, [&](std::int64_t done) { shown.update(done); });
    shown.clear();
    keep_state(own);
    remark_on(command_.files[0], *left);
    remark_on(other, *right);
    report_row row;
    row.file = command_.files[0];
    row.other = other;
    row.missing = left->missing_count() + right->missing_count();
    row.seconds = seconds_since(start);
    row.bytes = left->consumed_bytes() + right->consumed_bytes();
    return finished(std::move(row), own, what, 0);
  }

  bool fits_total(dtype type) {
    if (!total_row_) {
      total_row_.emplace();
      total_row_->file = "total";
      total_row_->type = type;
    }
    mixed_types_ = mixed_types_ || total_row_->type != type;
    return !mixed_types_;
  }

  void add_to_total(const report_row& row) {
    if (!total_row_) return;
    total_row_->missing += row.missing;
    total_row_->seconds += row.seconds;
    total_row_->bytes += row.bytes;
  }

  void print_total() {
    if (failed_ || !total_row_) return;
    if (mixed_types_) {
      if (!command_.save_state.empty()) {
        complain("--save-state: no total, the element types differ");
        code_ = exit_code::no_result;
      } else if (command_.remarks == notes::shown) {
        complain("note: no total, the element types differ");
      }
      return;
    }
    keep_state(*total_);
    runtime::request what = command_.what;
    what.type = total_row_->type;
    try_step("total", [&] { print(finished(*total_row_, *total_, what, 0)); });
  }

  const reduce_command& command_;
  report report_;
  int code_ = exit_code::ok;
  bool failed_ = false;
  bool mixed_types_ = false;
  std::set<std::string> remarks_made_;
  std::optional<reducer> total_;      // of the files so far
  std::vector<unsigned char> state_;  // saved; empty: none is to be written
  std::optional<report_row> total_row_;
};

}  // namespace

int execute(const reduce_command& what) {
  check_device(what.device);
  if (what.memory_bytes != 0) limit_memory(what.memory_bytes);
  if (what.what.num_threads > num_cores() && what.remarks == notes::shown) {
    complain(fmt::format("note: --threads {}, and there {} {}", what.what.num_threads,
                         num_cores() == 1 ? "is" : "are", cores_text()));
  }
  if (what.over_ranks) return reduce_ranks(what);
  if (!what.reading.by.empty()) return reduce_groups(what);
  if (what.axes) return reduce_axes(what);
  return file_reduction(what).run();
}

}  // namespace monofold::cli
