#include "cli/reduce_groups.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "cli/attempt.hpp"
#include "cli/failure.hpp"
#include "cli/group_report.hpp"
#include "cli/keyed_text.hpp"
#include "cli/output.hpp"
#include "cli/quote.hpp"
#include "cli/result_text.hpp"
#include "cli/text_parse.hpp"
#include "runtime/answer_sink.hpp"
#include "runtime/row_reducer.hpp"
#include "runtime/segment_reducer.hpp"

namespace monofold::cli {
namespace {

using runtime::operation;

using key_parts = std::vector<std::vector<std::string_view>>;

// The order of groups by key, column by column: as numbers where all keys of a column are numbers, else by bytes.
class key_ranks {
 public:
  explicit key_ranks(const key_parts& keys, std::size_t num_columns)
      : keys_(keys), numbers_(num_columns) {
    for (std::size_t c = 0; c < num_columns; ++c) {
      std::vector<double>& own = numbers_[c];
      for (const auto& key : keys) {
        double value = 0;
        if (parse_number(key[c], value) != text_fault::none) {
          own.clear();
          break;
        }
        own.push_back(value);
      }
    }
  }

  bool before(std::size_t a, std::size_t b) const {
    for (std::size_t c = 0; c < numbers_.size(); ++c) {
      if (!numbers_[c].empty()) {
        const double x = numbers_[c][a];
        const double y = numbers_[c][b];
        if (std::isnan(x) != std::isnan(y)) return std::isnan(y);  // NaN come last
        if (x < y || y < x) return x < y;
      }
      const int bytes = keys_[a][c].compare(keys_[b][c]);
      if (bytes != 0) return bytes < 0;
    }
    return false;
  }

 private:
  const key_parts& keys_;
  std::vector<std::vector<double>> numbers_;  // of a column, or none
};

std::vector<std::size_t> order_of(const key_parts& keys, std::size_t num_columns, group_rank rank) {
  std::vector<std::size_t> order(keys.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (rank == group_rank::first) return order;
  const key_ranks ranks(keys, num_columns);
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return ranks.before(a, b); });
  return order;
}

// The items of each group side by side, in their order.
struct side_by_side {
  std::vector<std::byte> items;
  std::vector<std::int64_t> begins;  // of each group, and the end

  explicit side_by_side(const keyed_items& from)
      : items(from.items.size()), begins(from.keys.size() + 1) {
    for (const std::uint32_t group : from.groups) ++begins[group + 1];
    std::partial_sum(begins.begin(), begins.end(), begins.begin());
    std::vector<std::int64_t> next(begins.begin(), begins.end() - 1);
    const auto size = static_cast<std::size_t>(info(from.type).size_bytes);
    for (std::size_t i = 0; i < from.groups.size(); ++i) {
      const auto to = static_cast<std::size_t>(next[from.groups[i]]++);
      std::memcpy(items.data() + to * size, from.items.data() + i * size, size);
    }
  }
};

std::string group_name(const std::vector<std::string>& names,
                       const std::vector<std::string_view>& key) {
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i) {
    out += fmt::format("{}{} {}", i == 0 ? "" : ", ", escaped_name(names[i]), quote(key[i]));
  }
  return out;
}

// Groups whose answers are found together, by all threads, and then become text: however many groups there are, the
// answers of so many lie in memory.
constexpr std::size_t groups_at_once = 4096;

// Keeps the answers of rows.
class kept_answers final : public runtime::answer_sink {
 public:
  explicit kept_answers(std::size_t num_ops) : num_ops_(num_ops), rows_(groups_at_once) {}
  void keep(std::int64_t row, const runtime::answer* answers) override {
    rows_[static_cast<std::size_t>(row)].assign(answers, answers + num_ops_);
  }
  const std::vector<runtime::answer>& row(std::size_t i) const { return rows_[i]; }

 private:
  std::size_t num_ops_;
  std::vector<std::vector<runtime::answer>> rows_;
};

std::string report_of(const reduce_command& command, const keyed_items& in) {
  runtime::request what = command.what;
  what.type = in.type;
  for (const operation op : what.ops) {
    if (runtime::is_defined(op, what.type)) continue;
    throw no_result_error(fmt::format("{}: no result: not defined for {}", runtime::info(op).name,
                                      info(what.type).name));
  }
  key_parts keys;
  for (const std::string& key : in.keys) keys.push_back(key_fields(key, in.names.size()));
  const side_by_side sorted(in);
  const runtime::row_reducer rows(what);
  kept_answers kept(rows.num_ops());
  group_report report(command, in.type, in.names);
  const std::vector<std::size_t> order = order_of(keys, in.names.size(), command.rank);
  std::vector<std::int64_t> starts, stops;
  for (std::size_t at = 0; at < order.size(); at += starts.size()) {
    starts.clear();
    stops.clear();
    for (std::size_t i = at; i < std::min(order.size(), at + groups_at_once); ++i) {
      starts.push_back(sorted.begins[order[i]]);
      stops.push_back(sorted.begins[order[i] + 1]);
    }
    runtime::segment_reducer(rows, {sorted.items.data(), std::ssize(in.groups), starts.data(),
                                    stops.data(), std::ssize(starts)})
        .fold(kept);
    for (std::size_t i = 0; i < starts.size(); ++i) {
      const auto& key = keys[order[at + i]];
      const std::int64_t count = stops[i] - starts[i];
      const std::string why = why_no_result(kept.row(i), what, count);
      if (!why.empty()) throw no_result_error(group_name(in.names, key) + ": " + why);
      report.add(key, count, kept.row(i));
    }
  }
  return report.finish();
}

}  // namespace

int reduce_groups(const reduce_command& command) {
  const std::string& file = command.files[0];
  return attempt(file, [&] {
    const keyed_items in = read_keyed(file, command.reading);
    const std::string text = report_of(command, in);
    if (command.remarks == notes::shown) {
      for (const std::string& remark : in.remarks) complain_about(file, "note: " + remark);
    }
    write_out(text);
  });
}

}  // namespace monofold::cli
