#pragma once
/// python/src/short_arrays: operations on short arrays, where making a reducer is half of the time.

#include <array>
#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

#include "monofold/monofold.h"
#include "runtime/c_boundary.hpp"
#include "runtime/reducer.hpp"
#include "runtime/row_reducer.hpp"
#include "runtime/typed_answers.hpp"

namespace monofold::python {

/// Where answers of rows to one operation go: numbers of a type, or places.
struct row_arrays {
  row_arrays(monofold_operation operation, monofold_dtype type, void* answers)
      : dtype(type),
        values(gives_places(operation) ? nullptr : answers),
        indices(gives_places(operation) ? static_cast<std::int64_t*>(answers) : nullptr) {}

  static bool gives_places(monofold_operation operation) {
    return operation == MONOFOLD_ARGMIN || operation == MONOFOLD_ARGMAX;
  }
  /// What an array of answers is of, where `type` is that of the numbers.
  static monofold_dtype dtype_of(monofold_operation operation, monofold_dtype type) {
    return gives_places(operation) ? MONOFOLD_INT64 : type;
  }

  monofold_dtype dtype;
  void* values;
  std::int64_t* indices;
};

/// Reducers for each type of item, made when the first array of the type comes and used by all others: of rows for a
/// few tiles in memory of the host, of whole arrays for pairs and for items of a GPU.
///
/// sync       any number of threads
class short_arrays {
 public:
  short_arrays(std::vector<monofold_operation> operations, const monofold_options& options)
      : operations_(std::move(operations)),
        options_(options),
        most_few_(most_few_for(operations_, options)) {}
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
  /// The inner product of a few pairs; false as there.
  bool dot(const void* left, const void* right, monofold_dtype dtype, std::int64_t count,
           monofold_result& result) noexcept;
  /// Answers about any number of items in memory of the current GPU.
  bool reduce_there(const void* items, monofold_dtype dtype, std::int64_t count,
                    monofold_result* results) noexcept;

  /// Calls work(reducer, keeper), which reduces a few rows to answers of the only operation, on this thread.
  template <class Work>
  monofold_status fill_rows(monofold_dtype dtype, const row_arrays& out,
                            const Work& work) noexcept {
    return runtime::c_boundary::guarded([&] {
      const auto type = static_cast<monofold::dtype>(out.dtype);
      runtime::typed_keeper keeper({type, out.values, nullptr, out.indices, 1});
      work(rows_of(dtype, runtime::rounding_for(type)), keeper);
      return static_cast<monofold_status>(keeper.code());
    });
  }

 private:
  template <class Reducer>
  using by_type = std::array<std::atomic<const Reducer*>, MONOFOLD_FLOAT64 + 1>;
  static constexpr std::size_t num_roundings = 4;

  template <class Reducer, class Make>
  static const Reducer& made_once(std::atomic<const Reducer*>& place, const Make& make);
  runtime::request request_of(monofold_dtype dtype) const;
  const runtime::row_reducer& rows_of(monofold_dtype dtype, runtime::rounding how);
  /// Up to how many items take less time without a reducer.
  static std::int64_t most_few_for(const std::vector<monofold_operation>& operations,
                                   const monofold_options& options);
  /// The same of a few items, without a reducer.
  bool reduce_few(const void* items, monofold_dtype dtype, std::int64_t count,
                  monofold_result* results) const;
  /// Answers in the order of operations; false: for a row reducer there are too many items.
  bool answer_row(const void* items, monofold_dtype dtype, std::int64_t count,
                  runtime::answer* answers);

  std::vector<monofold_operation> operations_;
  monofold_options options_;
  std::int64_t most_few_;
  std::array<by_type<runtime::row_reducer>, num_roundings> rows_{};
  by_type<runtime::reducer> whole_{};
};

}  // namespace monofold::python
