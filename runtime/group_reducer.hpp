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

/// What is grouped: an item a key.
struct group_request {
  const std::int64_t* keys;
  const void* items;
  std::int64_t count;
  key_order order;
};

/// Groups as they were found, and where they stand in the answer.
struct groups_in_order {
  using list = monofold::detail::group_list<std::uint64_t, typed_answer>;

  std::vector<list> lists;
  monofold::detail::group_order order;
};

/// The answers of groups to one operation, not top or bottom, in the order asked for.
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

  std::int64_t count() const { return found_.order.size(); }
  dtype type() const { return type_; }
  /// Those arrays that are not null, in full.
  void copy(std::int64_t* keys, void* values, void* seconds, std::int64_t* indices) const;

 private:
  dtype type_;
  int num_threads_;
  groups_in_order found_;
};

/// Room for groups and their items: as many keys and items as there are items, and one offset more.
struct grouped_arrays {
  std::int64_t* keys;
  std::int64_t* offsets;
  void* items;
};

/// Brings the items of each key side by side, in their order: group g has those from offset g to before offset g + 1.
/// Returns how many groups there are; what lies behind them in `keys` and `offsets` is not written.
///
/// cost       as `group_answers`, and each item is copied twice more
/// tested by  tests/runtime/group_reducer_test.cpp
std::int64_t group_items(const group_request& what, int item_bytes, int num_threads,
                         const grouped_arrays& out);

}  // namespace monofold::runtime
