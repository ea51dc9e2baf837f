/// runtime/c_interface: the calls of monofold.h that take a whole array.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "monofold/platform/version.hpp"
#include "runtime/c_boundary.hpp"

namespace runtime = monofold::runtime;
using monofold::runtime::operation;
using namespace monofold::runtime::c_boundary;  // NOLINT: this file is calls of it

namespace {

/// All items of a call, from where they lie.
void push_whole(runtime::reducer& reducer, const void* items, std::int64_t count,
                monofold_place place) {
  if (is_on_device(place)) {
    check_device_items(items, count);
    reducer.push_whole_device(items, nullptr, count);
  } else {
    reducer.push(items, count);
  }
}

}  // namespace

void monofold_options_init(monofold_options* options) noexcept {
  if (options != nullptr) *options = monofold_options MONOFOLD_OPTIONS_INIT;
}

monofold_status monofold_reduce(const void* items, monofold_dtype dtype, int64_t count,
                                monofold_place place, monofold_operation operation,
                                const monofold_options* options, monofold_result* result) noexcept {
  return monofold_reduce_several(items, dtype, count, place, &operation, 1, options, result);
}

monofold_status monofold_reduce_several(const void* items, monofold_dtype dtype, int64_t count,
                                        monofold_place place, const monofold_operation* operations,
                                        int32_t num_operations, const monofold_options* options,
                                        monofold_result* results) noexcept {
  return guarded([&]() -> monofold_status {
    const runtime::request what = make_request(dtype, operations, num_operations, options);
    for (const operation op : what.ops) {
      if (is_ranked(op) || op == operation::dot) refuse();
    }
    check_items(items, what.type, count);
    if (results == nullptr) refuse();
    runtime::reducer reducer(what);
    push_whole(reducer, items, count, place);
    const std::vector<runtime::answer> answers = reducer.finish();
    monofold_status first = MONOFOLD_OK;
    for (std::size_t i = 0; i < answers.size(); ++i) {
      results[i] = to_c(answers[i]);
      if (first == MONOFOLD_OK) first = results[i].status;
    }
    return first;
  });
}

monofold_status monofold_top(const void* items, monofold_dtype dtype, int64_t count,
                             monofold_place place, monofold_operation operation,
                             const monofold_options* options, int64_t capacity,
                             monofold_number* values, int64_t* indices,
                             int64_t* first_nan) noexcept {
  return guarded([&]() -> monofold_status {
    const runtime::request what = make_request(dtype, &operation, 1, options);
    if (!is_ranked(what.ops.front())) refuse();
    check_items(items, what.type, count);
    if (what.k > capacity || values == nullptr || indices == nullptr) refuse();
    runtime::reducer reducer(what);
    push_whole(reducer, items, count, place);
    return write_ranked(reducer.finish().front(), values, indices, first_nan);
  });
}

monofold_status monofold_dot(const void* left, const void* right, monofold_dtype dtype,
                             int64_t count, monofold_place place, const monofold_options* options,
                             monofold_result* result) noexcept {
  return guarded([&]() -> monofold_status {
    const monofold_operation dot = MONOFOLD_DOT;
    const runtime::request what = make_request(dtype, &dot, 1, options);
    check_items(left, what.type, count);
    check_items(right, what.type, count);
    if (result == nullptr) refuse();
    runtime::reducer reducer(what);
    if (is_on_device(place)) {
      check_device_items(left, count);
      check_device_items(right, count);
      reducer.push_whole_device(left, right, count);
    } else {
      reducer.push_pairs(left, right, count);
    }
    *result = to_c(reducer.finish().front());
    return result->status;
  });
}

const char* monofold_status_text(monofold_status status) noexcept {
  if (status < MONOFOLD_OK || status > MONOFOLD_MALFORMED_STATE) return "unknown status";
  return monofold::describe(static_cast<monofold::status>(status));
}

const char* monofold_version() noexcept { return monofold::version; }

const char* monofold_instruction_set() noexcept {
  thread_local std::string name;
  try {
    name = runtime::instruction_set();
  } catch (...) {
    return "unknown";
  }
  return name.c_str();
}
