#pragma once
/// runtime/row_reducer: many rows of one length, each reduced as an array of its own, in few calls.

#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/family.hpp"
#include "runtime/member.hpp"
#include "runtime/reducer.hpp"

namespace monofold::runtime {

/// What rows consist of: dot takes pairs, which lie side by side, and all else single items.
enum class row_items { single, pairs };

/// Answers a request for rows that lie in memory.
///
/// order      the bits of a row's answers are those of a `reducer` that gets its items
/// sync       any number of threads at once
/// errors     the constructor throws as that of `reducer`; unsupported: dot of single items, or what is no dot of pairs
/// tested by  tests/runtime/axis_reducer_test.cpp, tests/runtime/pair_axes_test.cpp
class row_reducer {
 public:
  explicit row_reducer(const request& what, rounding how = rounding::native,
                       row_items of = row_items::single);

  /// Answers of row `r`, in the order of `request.ops`, are left at out[r * num_ops()] and on.
  ///
  /// shape      rows of up to longest_row() items, or of none
  void answer_rows(const row_block& rows, answer* out) const;
  std::size_t num_ops() const { return request_.ops.size(); }
  std::int64_t longest_row() const;
  const request& what() const { return request_; }
  rounding how() const { return how_; }

 private:
  struct asked_member {
    family kind;
    std::unique_ptr<member> own;
    std::vector<placed_operation> ops;
  };

  void answer_empty(answer* out) const;
  /// What is known of each row besides its states; NaN are counted where they matter.
  std::vector<answer_context> contexts_of(const row_block& rows, std::vector<answer>& nans) const;

  request request_;
  rounding how_;
  std::vector<asked_member> members_;
  std::size_t nan_member_;  // or as many as there are: none counts NaN
};

}  // namespace monofold::runtime
