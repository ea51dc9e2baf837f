#pragma once
/// python/src/short_arrays: operations on short arrays, where making a reducer is half of the time.

#include <array>
#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

#include "monofold/monofold.h"
#include "runtime/reducer.hpp"
#include "runtime/row_reducer.hpp"

namespace monofold::python {

/// A reducer for each type of item, made when the first array of the type comes and used by all others: of rows for a
/// few tiles in memory of the host, of whole arrays for those of a GPU.
///
/// sync       any number of threads
class short_arrays {
 public:
  short_arrays(std::vector<monofold_operation> operations, const monofold_options& options)
      : operations_(std::move(operations)), options_(options) {}
  short_arrays(const short_arrays&) = delete;
  short_arrays& operator=(const short_arrays&) = delete;
  ~short_arrays();

  const std::vector<monofold_operation>& operations() const { return operations_; }
  const monofold_options& options() const { return options_; }

  /// The bits of monofold_reduce_several; false: some answer is missing, or it is not for this class to find it.
  ///
  /// shape      results: one for each operation
  bool reduce(const void* items, monofold_dtype dtype, std::int64_t count,
              monofold_result* results) noexcept;
  /// The k best of at least k items, by the only operation; false as there.
  bool rank(const void* items, monofold_dtype dtype, std::int64_t count,
            runtime::answer& best) noexcept;
  /// Answers about any number of items in memory of the current GPU.
  bool reduce_there(const void* items, monofold_dtype dtype, std::int64_t count,
                    monofold_result* results) noexcept;

 private:
  template <class Reducer>
  using by_type = std::array<std::atomic<const Reducer*>, MONOFOLD_FLOAT64 + 1>;

  template <class Reducer, class Make>
  static const Reducer& made_once(std::atomic<const Reducer*>& place, const Make& make);
  runtime::request request_of(monofold_dtype dtype) const;
  /// Answers in the order of operations; false: for a row reducer there are too many items.
  bool answer_row(const void* items, monofold_dtype dtype, std::int64_t count,
                  runtime::answer* answers);

  std::vector<monofold_operation> operations_;
  monofold_options options_;
  by_type<runtime::row_reducer> made_{};
  by_type<runtime::reducer> made_for_devices_{};
};

}  // namespace monofold::python
