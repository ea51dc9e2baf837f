#include "runtime/row_reducer.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "monofold/plan/tiles.hpp"
#include "runtime/answers.hpp"
#include "runtime/families.hpp"
#include "runtime/raw_items.hpp"
#include "runtime/request_rules.hpp"

namespace monofold::runtime {

row_reducer::row_reducer(const request& what, rounding how, row_items of)
    : request_((check_request(what), exact_where_integer(what))), how_(how) {
  if ((request_.ops.front() == operation::dot) != (of == row_items::pairs)) {
    throw error(status::unsupported, "dot of rows");
  }
  const std::vector<family> kinds = families_of(request_);
  for (const family kind : kinds) {
    members_.push_back(
        {kind,
         make_member({kind, request_.type, request_.nan == nan_policy::omit, request_.k}),
         {}});
  }
  for (std::size_t place = 0; place < request_.ops.size(); ++place) {
    const operation op = request_.ops[place];
    if (op == operation::count) continue;
    const family kind = answering_family(op, request_.plain, kinds);
    const auto at = std::find(kinds.begin(), kinds.end(), kind) - kinds.begin();
    members_[static_cast<std::size_t>(at)].ops.push_back({op, place});
  }
  const family nans = std::find(kinds.begin(), kinds.end(), family::summary) != kinds.end()
                          ? family::summary
                          : nan_family(request_);
  nan_member_ =
      static_cast<std::size_t>(std::find(kinds.begin(), kinds.end(), nans) - kinds.begin());
  if (request_.nan == nan_policy::propagate) nan_member_ = members_.size();
}

std::int64_t row_reducer::longest_row() const {
  const int bytes = monofold::info(request_.type).size_bytes;
  return tile_items_of(request_.ops.front() == operation::dot ? 2 * bytes : bytes) << span_level;
}

std::vector<answer_context> row_reducer::contexts_of(const row_block& rows,
                                                     std::vector<answer>& nans) const {
  const bool omit = request_.nan == nan_policy::omit;
  std::vector<answer_context> contexts(static_cast<std::size_t>(rows.count),
                                       {request_.ddof, rows.length, omit, how_});
  if (nan_member_ == members_.size()) return contexts;
  nans.assign(contexts.size(), answer{operation::nan});
  const placed_operation count{operation::nan, 0};
  members_[nan_member_].own->answer_rows(rows, {&count, 1}, contexts.data(), nans.data(), 1);
  if (!omit) return contexts;
  for (std::size_t r = 0; r < contexts.size(); ++r) {
    contexts[r].count -= std::get<std::int64_t>(nans[r].values.front());
  }
  return contexts;
}

void row_reducer::answer_empty(answer* out) const {
  const answer_context context{request_.ddof, 0, request_.nan == nan_policy::omit, how_};
  for (const asked_member& one : members_) {
    for (const auto& [op, place] : one.ops) {
      out[place] =
          is_mean(op) ? failed(op, status::empty_input) : one.own->finish(op, nullptr, context);
    }
  }
}

void row_reducer::answer_rows(const row_block& rows, answer* out) const {
  std::vector<answer> nans;
  std::vector<answer_context> contexts;
  if (rows.length > 0) contexts = contexts_of(rows, nans);
  for (const asked_member& one : members_) {
    if (one.ops.empty() || rows.length == 0) continue;
    one.own->answer_rows(rows, one.ops, contexts.data(), out, num_ops());
  }
  for (std::int64_t r = 0; r < rows.count; ++r) {
    answer* const own = out + static_cast<std::size_t>(r) * num_ops();
    if (rows.length == 0) answer_empty(own);
    const auto row = static_cast<std::size_t>(r);
    const std::int64_t count = rows.length > 0 ? contexts[row].count : 0;
    const std::int64_t first_nan =
        request_.nan == nan_policy::raise && !nans.empty() ? nans[row].first_nan : -1;
    for (std::size_t place = 0; place < num_ops(); ++place) {
      const operation op = request_.ops[place];
      if (op == operation::count) {
        own[place] = one_number(op, count);
      } else if (op == operation::nan) {
        continue;
      } else if (first_nan >= 0) {
        own[place] = failed(op, status::nan_found);
        own[place].first_nan = first_nan;
      } else if (is_mean(op) && count == 0) {
        own[place] = failed(op, status::empty_input);
      }
    }
  }
}

}  // namespace monofold::runtime
