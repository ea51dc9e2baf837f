#include "cli/reduce_axes.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/array_source.hpp"
#include "cli/attempt.hpp"
#include "cli/axis_report.hpp"
#include "cli/failure.hpp"
#include "cli/file_steps.hpp"
#include "cli/output.hpp"
#include "cli/result_text.hpp"
#include "cli/source.hpp"
#include "runtime/axis_reducer.hpp"

namespace monofold::cli {
namespace {

// All items of a source, in the order of the file: where they lie, or in memory of their own.
class whole_array {
 public:
  explicit whole_array(source& in) : items_(in.items_in_place()) {
    if (items_ != nullptr) {
      count_ = *in.count();
    } else if (in.count() && in.fetch_items() != 0) {
      count_ = *in.count();
      own_ = make_buffer(count_ * info(in.type()).size_bytes);
      items_ = in.fetch(0, count_, own_.get());
    } else {
      read_chunks(in);
    }
  }

  const void* items() const { return items_; }
  std::int64_t count() const { return count_; }

 private:
  void read_chunks(source& in) {
    const auto item_bytes = static_cast<std::size_t>(info(in.type()).size_bytes);
    for (chunk part = in.next(); part.count != 0; part = in.next()) {
      const auto* const bytes = static_cast<const std::byte*>(part.items);
      held_.insert(held_.end(), bytes, bytes + static_cast<std::size_t>(part.count) * item_bytes);
      count_ += part.count;
    }
    items_ = held_.data();
  }

  const void* items_;
  std::int64_t count_ = 0;
  aligned_buffer own_;
  std::vector<std::byte> held_;  // new gives memory that is aligned for every item
};

// The axes that are named, each once; the message has the words of the command line.
std::vector<std::int64_t> checked_axes(const std::vector<std::int64_t>& asked, std::int64_t rank) {
  std::vector<std::int64_t> axes;
  for (const std::int64_t axis : asked) {
    const std::int64_t own = axis < 0 ? axis + rank : axis;
    if (own < 0 || own >= rank) {
      throw usage_error(fmt::format("--axis: no axis {} in an array of {}", axis, rank));
    }
    if (std::find(axes.begin(), axes.end(), own) != axes.end()) {
      throw usage_error(fmt::format("--axis: axis {} twice", axis));
    }
    axes.push_back(own);
  }
  return axes;
}

// Places in rows become those in the whole array.
void count_in_array(runtime::axis_answers& answers, const array_rows& rows) {
  for (runtime::answer_array& part : answers.arrays) {
    if (!part.name.starts_with("ind")) continue;
    for (std::int64_t i = 0; i < answers.num_rows * part.width; ++i) {
      unsigned char* const at = part.bytes.data() + static_cast<std::size_t>(i) * sizeof i;
      std::int64_t place = 0;
      std::memcpy(&place, at, sizeof place);
      place = rows.index_of(i / part.width, place);
      std::memcpy(at, &place, sizeof place);
    }
  }
}

// A file as an array.
struct opened_array {
  opened_array(const std::string& name, const reduce_command& command)
      : file(name), in(open_stored(name, command)), all(*in) {
    shape = in->shape().value_or(array_shape{{all.count()}});
    if (shape.extents.size() > max_axes) {
      throw input_error(fmt::format("an array of {} axes; --axis takes up to {}",
                                    shape.extents.size(), max_axes));
    }
  }

  axis_numbers strides() const {
    const axis_numbers extents{std::span<const std::int64_t>(shape.extents)};
    return shape.column_major ? array_view<char>::column_major(nullptr, extents).strides()
                              : array_view<char>(nullptr, extents).strides();
  }
  // Looks at the rest of the file, and tells what is odd about it.
  void finish(const reduce_command& command) const {
    in->check();
    if (command.remarks == notes::hidden) return;
    for (const std::string& remark : in->remarks()) complain_about(file, "note: " + remark);
  }

  std::string file;
  std::unique_ptr<source> in;
  whole_array all;
  array_shape shape;

 private:
  static std::unique_ptr<source> open_stored(const std::string& name,
                                             const reduce_command& command) {
    read_options reading = command.reading;
    reading.order = item_order::stored;
    return open_source(name, reading);
  }
};

class axis_reduction {
 public:
  explicit axis_reduction(const reduce_command& command) : command_(command) {}

  // The exit code.
  int run() {
    const int code = attempt(command_.files[0], [&] { reduce_files(); });
    return code != exit_code::ok ? code : code_;
  }

 private:
  void reduce_files() {
    const opened_array first(command_.files[0], command_);
    runtime::request what = command_.what;
    what.type = first.in->type();
    check_defined(what);
    // The right side of dot.
    std::optional<opened_array> second;
    if (what.ops.front() == runtime::operation::dot) {
      const std::string& other = command_.files[1];
      code_ = attempt(other, [&] { second.emplace(other, command_); });
      if (!second) return;
      check_pair(*first.in, *second->in, other);
      if (second->shape.extents != first.shape.extents) {
        throw input_error(fmt::format("dot along axes needs arrays of one shape: {}, and {} in {}",
                                      row_text(first.shape.extents),
                                      row_text(second->shape.extents), shown_name(other)));
      }
    }
    const runtime::axis_answers answers = reduce(what, first, second);
    first.finish(command_);
    if (second) second->finish(command_);
    show(what, answers);
  }

  runtime::axis_answers reduce(const runtime::request& what, const opened_array& first,
                               const std::optional<opened_array>& second) {
    const auto rank = static_cast<std::int64_t>(first.shape.extents.size());
    const std::vector<std::int64_t> axes = checked_axes(*command_.axes, rank);
    const axis_numbers extents{std::span<const std::int64_t>(first.shape.extents)};
    const axis_numbers strides = first.strides();
    for (std::int64_t k = 0; k < rank; ++k) {
      const bool is_reduced = std::find(axes.begin(), axes.end(), k) != axes.end();
      if (!is_reduced || command_.keeps_dims) kept_.push_back(k);
    }
    const axis_numbers asked{std::span<const std::int64_t>(axes)};
    // Nothing is computed that cannot be shown.
    const array_rows rows = rows_of(extents, strides, asked);
    if (command_.form == output_form::text && command_.output.empty() &&
        rows.num_rows > most_table_rows) {
      throw usage_error(fmt::format(
          "a result of {} rows is no table: say --output FILE, --csv or --json", rows.num_rows));
    }
    const runtime::axis_request array{first.all.items(), extents, strides, asked,
                                      command_.keeps_dims ? keepdims::yes : keepdims::no};
    try {
      if (second) return runtime::dot_axis(what, array, second->all.items(), second->strides());
      runtime::axis_answers answers = runtime::reduce_axis(what, array);
      if (command_.counts_in_all && answers.failed_row < 0) count_in_array(answers, rows);
      return answers;
    } catch (const error& failed) {
      if (!what.on_gpu || failed.code() != status::unsupported) throw;
      std::string_view why = failed.what();  // the words of the status come first, or alone
      if (const auto end = why.rfind(": "); end != why.npos) why.remove_prefix(end + 2);
      throw usage_error(fmt::format("--device {}: {}", command_.device, why));
    }
  }

  void show(const runtime::request& what, const runtime::axis_answers& answers) {
    const axis_report report{command_, answers, what.type, kept_};
    if (answers.failed_row >= 0) {
      const std::string why = why_no_result(answers.failed, what, answers.row_items);
      if (answers.extents.empty()) throw no_result_error(why);
      throw no_result_error(
          fmt::format("row {}: {}", row_text(report.indices_of(answers.failed_row)), why));
    }
    if (command_.output.empty()) {
      report.print();
    } else {
      report.save();
    }
  }

  const reduce_command& command_;
  int code_ = exit_code::ok;  // of the second file
  std::vector<std::int64_t> kept_;
};

}  // namespace

int reduce_axes(const reduce_command& what) { return axis_reduction(what).run(); }

}  // namespace monofold::cli
