#include "python/src/short_arrays.hpp"

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "python/src/few_items.hpp"

namespace monofold::python {

short_arrays::~short_arrays() {
  for (const auto& all : rows_) {
    for (const auto& one : all) delete one.load();
  }
  for (const auto& one : whole_) delete one.load();
}

template <class Reducer, class Make>
const Reducer& short_arrays::made_once(std::atomic<const Reducer*>& place, const Make& make) {
  if (const Reducer* here = place.load(std::memory_order_acquire)) return *here;
  std::unique_ptr<const Reducer> made = make();
  const Reducer* expected = nullptr;
  // The first of two threads that made one keeps its own.
  if (!place.compare_exchange_strong(expected, made.get())) return *expected;
  return *made.release();
}

runtime::request short_arrays::request_of(monofold_dtype dtype) const {
  return runtime::c_boundary::make_request(
      dtype, operations_.data(), static_cast<std::int32_t>(operations_.size()), &options_);
}

const runtime::row_reducer& short_arrays::rows_of(monofold_dtype dtype, runtime::rounding how) {
  static_assert(static_cast<std::size_t>(runtime::rounding::to_uint64) == num_roundings - 1);
  auto& all = rows_[static_cast<std::size_t>(how)];
  return made_once(all[static_cast<std::size_t>(dtype)], [&] {
    runtime::request what = request_of(dtype);
    what.num_threads = 1;
    return std::make_unique<const runtime::row_reducer>(what, how);
  });
}

namespace {

/// Whether all of them are answers.
bool give(std::span<const runtime::answer> answers, monofold_result* results) {
  bool are_ok = true;
  for (const runtime::answer& one : answers) {
    *results++ = runtime::c_boundary::to_c(one);
    are_ok = are_ok && one.code == status::ok;
  }
  return are_ok;
}

}  // namespace

std::int64_t short_arrays::most_few_for(const std::vector<monofold_operation>& operations,
                                        const monofold_options& options) {
  if (options.plain != 0 || operations.empty()) return 0;
  if (operations.size() > 1) return most_few;
  const monofold_operation only = operations.front();
  if (only == MONOFOLD_SUM || only == MONOFOLD_MEAN) return most_few / 16;
  return only == MONOFOLD_VAR || only == MONOFOLD_STD ? most_few : 0;
}

bool short_arrays::reduce_few(const void* items, monofold_dtype dtype, std::int64_t count,
                              monofold_result* results) const {
  if (count > most_few_) return false;
  double room[most_few];
  const double* const own = as_doubles(items, dtype, count, room);
  return own != nullptr &&
         answer_few(operations_, {own, static_cast<std::size_t>(count)}, options_.ddof, results);
}

bool short_arrays::answer_row(const void* items, monofold_dtype dtype, std::int64_t count,
                              runtime::answer* answers) {
  const runtime::row_reducer& reducer = rows_of(dtype, runtime::rounding::native);
  if (count > reducer.longest_row()) return false;
  const std::int64_t bytes = count * info(static_cast<monofold::dtype>(dtype)).size_bytes;
  reducer.answer_rows({static_cast<const char*>(items), bytes, 1, count}, answers);
  return true;
}

bool short_arrays::reduce(const void* items, monofold_dtype dtype, std::int64_t count,
                          monofold_result* results) noexcept {
  try {
    if (reduce_few(items, dtype, count, results)) return true;
    if (operations_.size() == 1) {
      runtime::answer answer{static_cast<runtime::operation>(operations_.front())};
      return answer_row(items, dtype, count, &answer) && give({&answer, 1}, results);
    }
    std::vector<runtime::answer> answers;
    answers.reserve(operations_.size());
    for (const monofold_operation one : operations_) {
      answers.push_back({static_cast<runtime::operation>(one)});
    }
    return answer_row(items, dtype, count, answers.data()) && give(answers, results);
  } catch (...) {
    return false;  // the long way names what is wrong
  }
}

bool short_arrays::rank(const void* items, monofold_dtype dtype, std::int64_t count,
                        runtime::answer& best) noexcept {
  try {
    best = {static_cast<runtime::operation>(operations_.front())};
    return count >= options_.k && answer_row(items, dtype, count, &best) && best.code == status::ok;
  } catch (...) {
    return false;
  }
}

bool short_arrays::dot(const void* left, const void* right, monofold_dtype dtype,
                       std::int64_t count, monofold_result& result) noexcept {
  try {
    if (options_.plain == 0 && count <= most_few) {
      double room[2][most_few], found = 0;
      const double* const lefts = as_doubles(left, dtype, count, room[0]);
      if (lefts != nullptr &&
          dot_of_few(lefts, as_doubles(right, dtype, count, room[1]), count, found)) {
        runtime::answer answer{runtime::operation::dot};
        answer.values.push_back(found);
        return give({&answer, 1}, &result);
      }
    }
    const auto& reducer = made_once(whole_[static_cast<std::size_t>(dtype)], [&] {
      return std::make_unique<const runtime::reducer>(request_of(dtype));
    });
    return give(reducer.answers_about_pairs(left, right, count), &result);
  } catch (...) {
    return false;
  }
}

bool short_arrays::reduce_there(const void* items, monofold_dtype dtype, std::int64_t count,
                                monofold_result* results) noexcept {
  try {
    const auto& reducer = made_once(whole_[static_cast<std::size_t>(dtype)], [&] {
      auto made = std::make_unique<runtime::reducer>(request_of(dtype));
      made->expect_device();
      return std::unique_ptr<const runtime::reducer>(std::move(made));
    });
    runtime::c_boundary::check_device_items(items, count);
    return give(reducer.answers_about_device(items, count), results);
  } catch (...) {
    return false;
  }
}

}  // namespace monofold::python
