#include "cli/reduce_groups.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "cli/attempt.hpp"
#include "cli/failure.hpp"
#include "cli/group_keys.hpp"
#include "cli/group_report.hpp"
#include "cli/keyed_text.hpp"
#include "cli/output.hpp"
#include "cli/quote.hpp"
#include "cli/result_text.hpp"
#include "runtime/answer_sink.hpp"
#include "runtime/row_reducer.hpp"
#include "runtime/segment_reducer.hpp"

namespace monofold::cli {
namespace {

using runtime::operation;

// Where the items of each answer lie side by side, in their order.
struct items_of_keys {
  std::vector<std::byte> items;
  std::vector<std::uint32_t> keys;
  std::vector<std::int64_t> starts, stops;
  std::vector<std::int64_t> places;  // of the items among those that were read, where asked for

  void add(std::uint32_t key, std::int64_t start, std::int64_t stop) {
    keys.push_back(key);
    starts.push_back(start);
    stops.push_back(stop);
  }
};

// All rows of a key, keys in this order.
items_of_keys by_groups(const keyed_items& from, const std::vector<std::uint32_t>& order,
                        bool with_places) {
  std::vector<std::int64_t> begins(from.keys.size() + 1);  // of each group, and the end
  for (const std::uint32_t group : from.groups) ++begins[group + 1];
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  items_of_keys out;
  for (const std::uint32_t group : order) out.add(group, begins[group], begins[group + 1]);
  out.items.resize(from.items.size());
  if (with_places) out.places.resize(from.groups.size());
  const auto size = static_cast<std::size_t>(info(from.type).size_bytes);
  for (std::size_t i = 0; i < from.groups.size(); ++i) {
    const auto to = static_cast<std::size_t>(begins[from.groups[i]]++);
    std::memcpy(out.items.data() + to * size, from.items.data() + i * size, size);
    if (with_places) out.places[to] = static_cast<std::int64_t>(i);
  }
  return out;
}

// Rows of one key that follow each other, as they lie.
items_of_keys by_runs(keyed_items& from, const group_keys& keys, bool with_places) {
  items_of_keys out;
  if (with_places) {
    out.places.resize(from.groups.size());
    std::iota(out.places.begin(), out.places.end(), 0);
  }
  out.items = std::move(from.items);
  const std::vector<std::uint32_t>& own = from.groups;
  std::size_t start = 0;
  for (std::size_t i = 1; i <= own.size(); ++i) {
    if (i < own.size() && keys.first_equal(own[i]) == keys.first_equal(own[start])) continue;
    out.add(own[start], static_cast<std::int64_t>(start), static_cast<std::int64_t>(i));
    start = i;
  }
  return out;
}

items_of_keys items_by_keys(const reduce_command& command, keyed_items& from) {
  const group_rank rank = command.by_runs ? group_rank::first : command.rank;
  const group_keys keys(from.keys, from.names.size(), command.keys, rank);
  if (command.by_runs) return by_runs(from, keys, command.counts_in_all);
  if (keys.are_joined()) {
    for (std::uint32_t& group : from.groups) group = keys.first_equal(group);
  }
  return by_groups(from, keys.in_order(), command.counts_in_all);
}

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

  // Places in a row, whose items have these ones, become those among all.
  void place(std::size_t i, const std::int64_t* places) {
    for (runtime::answer& of_row : rows_[i]) {
      for (std::int64_t& index : of_row.indices) index = places[index];
    }
  }

 private:
  std::size_t num_ops_;
  std::vector<std::vector<runtime::answer>> rows_;
};

std::string report_of(const reduce_command& command, keyed_items& in) {
  runtime::request what = command.what;
  what.type = in.type;
  for (const operation op : what.ops) {
    if (runtime::is_defined(op, what.type)) continue;
    throw no_result_error(fmt::format("{}: no result: not defined for {}", runtime::info(op).name,
                                      info(what.type).name));
  }
  const items_of_keys all = items_by_keys(command, in);
  const runtime::row_reducer rows(what);
  kept_answers kept(rows.num_ops());
  group_report report(command, in.type, in.names);
  for (std::size_t at = 0; at < all.keys.size(); at += groups_at_once) {
    const std::size_t count = std::min(groups_at_once, all.keys.size() - at);
    runtime::segment_reducer(rows, {all.items.data(), in.count(), all.starts.data() + at,
                                    all.stops.data() + at, static_cast<std::int64_t>(count)})
        .fold(kept);
    for (std::size_t i = 0; i < count; ++i) {
      const auto key = key_fields(in.keys[all.keys[at + i]], in.names.size());
      const std::int64_t num_items = all.stops[at + i] - all.starts[at + i];
      const std::string why = why_no_result(kept.row(i), what, num_items);
      if (!why.empty()) throw no_result_error(group_name(in.names, key) + ": " + why);
      if (command.counts_in_all) kept.place(i, all.places.data() + all.starts[at + i]);
      report.add(key, num_items, kept.row(i));
    }
  }
  return report.finish();
}

}  // namespace

int reduce_groups(const reduce_command& command) {
  const std::string& file = command.files[0];
  return attempt(file, [&] {
    keyed_items in = read_keyed(file, command.reading);
    const std::string text = report_of(command, in);
    if (command.remarks == notes::shown) {
      for (const std::string& remark : in.remarks) complain_about(file, "note: " + remark);
    }
    write_out(text);
  });
}

}  // namespace monofold::cli
