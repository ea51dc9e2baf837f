#pragma once
/// runtime/group_reducer: one answer a key, of items whose type and operation are chosen at run time.

#include <cstdint>
#include <vector>

#include "monofold/engine/group_order.hpp"
#include "monofold/platform/dtype.hpp"
#include "monofold/platform/status.hpp"
#include "monofold/shape/keys.hpp"
#include "runtime/row_reducer.hpp"

namespace monofold::runtime {

/// The answer of a group, in bytes of the type of the answers.
struct typed_answer {
  std::uint64_t value;
  std::uint64_t second;
  std::int64_t index;
  status code;
};

/// What is grouped: an item a key, by one operation, not top or bottom.
struct group_request {
  const std::int64_t* keys;
  const void* items;
  std::int64_t count;
  key_order order;
};

/// The answers of groups, in the order asked for.
///
/// order      the bits of a group's answer are those of a `reducer` that gets its items, in their order; indices
///            count from its first item
/// sync       `request.num_threads` threads
/// errors     throws `error`: the status of the first group without an answer, integer_overflow where `type` has no
///            such number
/// cost       as group_by of the headers; items take 8 bytes while they are moved
/// tested by  tests/runtime/c_groups_test.c, tests/runtime/group_reducer_test.cpp
class group_answers {
 public:
  group_answers(const row_reducer& rows, dtype type, const group_request& what);

  std::int64_t count() const { return order_.size(); }
  dtype type() const { return type_; }
  /// Those arrays that are not null, in full.
  void copy(std::int64_t* keys, void* values, void* seconds, std::int64_t* indices) const;

 private:
  using list = monofold::detail::group_list<std::uint64_t, typed_answer>;

  dtype type_;
  int num_threads_;
  std::vector<list> lists_;
  monofold::detail::group_order order_;
};

}  // namespace monofold::runtime
