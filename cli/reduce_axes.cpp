#include "cli/reduce_axes.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/array_source.hpp"
#include "cli/attempt.hpp"
#include "cli/axis_report.hpp"
#include "cli/failure.hpp"
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

class axis_reduction {
 public:
  explicit axis_reduction(const reduce_command& command) : command_(command) {}

  void run() {
    read_options reading = command_.reading;
    reading.order = item_order::stored;
    const std::unique_ptr<source> in = open_source(command_.files[0], reading);
    runtime::request what = command_.what;
    what.type = in->type();
    check_defined(what);
    const whole_array all(*in);
    const array_shape shape = in->shape().value_or(array_shape{{all.count()}});
    if (shape.extents.size() > max_axes) {
      throw input_error(fmt::format("an array of {} axes; --axis takes up to {}",
                                    shape.extents.size(), max_axes));
    }
    const runtime::axis_answers answers = reduce(what, all, shape);
    in->check();
    remark_on(*in);
    show(what, answers);
  }

 private:
  runtime::axis_answers reduce(const runtime::request& what, const whole_array& all,
                               const array_shape& shape) {
    const auto rank = static_cast<std::int64_t>(shape.extents.size());
    const std::vector<std::int64_t> axes = checked_axes(*command_.axes, rank);
    const axis_numbers extents{std::span<const std::int64_t>(shape.extents)};
    const auto strides = shape.column_major
                             ? array_view<char>::column_major(nullptr, extents).strides()
                             : array_view<char>(nullptr, extents).strides();
    for (std::int64_t k = 0; k < rank; ++k) {
      const bool is_reduced = std::find(axes.begin(), axes.end(), k) != axes.end();
      if (!is_reduced || command_.keeps_dims) kept_.push_back(k);
    }
    const axis_numbers asked{std::span<const std::int64_t>(axes)};
    // Nothing is computed that cannot be shown.
    const std::int64_t rows = rows_of(extents, strides, asked).num_rows;
    if (command_.form == output_form::text && command_.output.empty() && rows > most_table_rows) {
      throw usage_error(
          fmt::format("a result of {} rows is no table: say --output FILE, --csv or --json", rows));
    }
    try {
      return runtime::reduce_axis(what, {all.items(), extents, strides, asked,
                                         command_.keeps_dims ? keepdims::yes : keepdims::no});
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

  void remark_on(const source& in) const {
    if (command_.remarks == notes::hidden) return;
    for (const std::string& remark : in.remarks()) {
      complain_about(command_.files[0], "note: " + remark);
    }
  }

  const reduce_command& command_;
  std::vector<std::int64_t> kept_;
};

}  // namespace

int reduce_axes(const reduce_command& what) {
  return attempt(what.files[0], [&] { axis_reduction(what).run(); });
}

}  // namespace monofold::cli
