#pragma once
/// runtime/asked_members: the members that a request needs, and its answers from their states.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

#include "runtime/answers.hpp"
#include "runtime/families.hpp"
#include "runtime/member_states.hpp"
#include "runtime/request_rules.hpp"

namespace monofold::runtime {

/// What a request asks for, by whichever way its items are folded.
///
/// sync       calls that are const: any number of threads at once
/// errors     the constructor throws as that of `reducer`
/// tested by  tests/runtime/reducer_test.cpp, python/tests/test_dask_rows.py
struct asked_members {
  explicit asked_members(const request& what)
      : wanted((check_request(what), exact_where_integer(what))),
        kinds(families_of(wanted)),
        members(make_members()) {}

  /// The bytes of an item, or of a pair where dot is asked for.
  int item_bytes() const {
    const int bytes = monofold::info(wanted.type).size_bytes;
    return wanted.ops.front() == operation::dot ? 2 * bytes : bytes;
  }

  std::vector<member_request> member_requests() const {
    std::vector<member_request> all;
    for (const family kind : kinds) {
      all.push_back({kind, wanted.type, wanted.nan == nan_policy::omit, wanted.k});
    }
    return all;
  }

  answer_context context_of(std::int64_t count, rounding how) const {
    return {wanted.ddof, count, wanted.nan == nan_policy::omit, how};
  }

  /// The answer about NaN, by the states of a context's items or null where there are none; and how many items take part,
  /// on which other answers depend.
  answer look_for_nan(const member_states* all, answer_context& context) const {
    answer nan{operation::nan};
    const family nans = has(family::summary) ? family::summary : nan_family(wanted);
    if (has(nans)) {
      nan = finish_one(operation::nan, nans, all, context);
      if (wanted.nan == nan_policy::omit)
        context.count -= std::get<std::int64_t>(nan.values.front());
    }
    return nan;
  }

  /// One answer, after `look_for_nan`.
  answer finish_op(operation op, const member_states* all, const answer_context& context,
                   const answer& nan) const {
    const bool counts = op == operation::count || op == operation::nan;
    if (wanted.nan == nan_policy::raise && nan.first_nan >= 0 && !counts) {
      answer out = failed(op, status::nan_found);
      out.first_nan = nan.first_nan;
      return out;
    }
    if (op == operation::count) return one_number(op, context.count);
    if (is_mean(op) && context.count == 0) return failed(op, status::empty_input);
    return finish_one(op, answering_family(op, wanted.plain, kinds), all, context);
  }

  /// Hands on the answers about `count` items: put(answer) for each operation, rounded as how(its place) says.
  template <class How, class Put>
  void finish(const member_states* all, std::int64_t count, const How& how, const Put& put) const {
    answer_context context = context_of(count, rounding::native);
    const answer nan = look_for_nan(all, context);
    for (std::size_t place = 0; place < wanted.ops.size(); ++place) {
      context.how = how(place);
      put(finish_op(wanted.ops[place], all, context, nan));
    }
  }

  request wanted;
  std::vector<family> kinds;
  member_list members;

 private:
  member_list make_members() const {
    member_list made;
    for (const member_request& one : member_requests()) made.push_back(make_member(one));
    return made;
  }

  bool has(family kind) const { return std::find(kinds.begin(), kinds.end(), kind) != kinds.end(); }

  answer finish_one(operation op, family kind, const member_states* all,
                    const answer_context& context) const {
    const auto at =
        static_cast<std::size_t>(std::find(kinds.begin(), kinds.end(), kind) - kinds.begin());
    return members[at]->finish(op, all != nullptr ? all->parts[at].get() : nullptr, context);
  }
};

}  // namespace monofold::runtime
