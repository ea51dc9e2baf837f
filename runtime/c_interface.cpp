/// runtime/c_interface: the calls of monofold.h that take a whole array.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "monofold/engine/fetched.hpp"  // threads of one call
#include "monofold/platform/version.hpp"
#include "runtime/c_boundary.hpp"

namespace runtime = monofold::runtime;
using monofold::runtime::operation;
using namespace monofold::runtime::c_boundary;  // NOLINT: this file is calls of it

namespace {

/// A reducer for items that lie there.
runtime::reducer reducer_for(runtime::request what, monofold_place place) {
  if (place == MONOFOLD_HOST_TO_GPUS) {
    what.on_gpu = true;
    what.gpus = {0, 0};
  }
  return runtime::reducer(what);
}

/// All items of a call, from where they lie.
void push_whole(runtime::reducer& reducer, const void* items, std::int64_t count,
                monofold_place place) {
  if (place != MONOFOLD_HOST_TO_GPUS && is_on_device(place)) {
    check_device_items(items, count);
    reducer.push_whole_device(items, nullptr, count);
  } else {
    reducer.push(items, count);
  }
}

/// Throws where an operation has a call of its own.
void check_unranked(const runtime::request& what) {
  for (const operation op : what.ops) {
    if (is_ranked(op) || op == operation::dot) refuse();
  }
}

monofold_status write_answers(const std::vector<runtime::answer>& answers,
                              monofold_result* results) {
  monofold_status first = MONOFOLD_OK;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    results[i] = to_c(answers[i]);
    if (first == MONOFOLD_OK) first = results[i].status;
  }
  return first;
}

/// The items of all shards, each folded by its GPU, which a thread of this call feeds.
runtime::reducer reduce_shards(runtime::request what, std::span<const monofold_shard> shards) {
  what.on_gpu = true;
  std::vector<runtime::reducer> parts;
  std::int64_t first = 0;
  for (const monofold_shard& shard : shards) {
    what.gpus = {shard.device, 1};
    parts.emplace_back(what, first);
    first += shard.count;
  }
  const auto fold = [&](std::int64_t i) {
    const monofold_shard& shard = shards[static_cast<std::size_t>(i)];
    runtime::reducer& part = parts[static_cast<std::size_t>(i)];
    const runtime::gpu_in_use here(shard.device);
    if (shard.count > 0 && runtime::is_device_memory(shard.items)) {
      part.push_device(shard.items, shard.count);
    } else {
      part.push(shard.items, shard.count);
    }
  };
  const auto count = static_cast<std::int64_t>(shards.size());
  monofold::detail::on_own_threads(count, count, monofold::detail::any_body(fold));
  for (std::size_t i = 1; i < parts.size(); ++i) parts.front().merge(parts[i]);
  return std::move(parts.front());
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
    check_unranked(what);
    check_items(items, what.type, count);
    if (results == nullptr) refuse();
    runtime::reducer reducer = reducer_for(what, place);
    push_whole(reducer, items, count, place);
    return write_answers(reducer.finish(), results);
  });
}

monofold_status monofold_reduce_shards(const monofold_shard* shards, int32_t num_shards,
                                       monofold_dtype dtype, const monofold_operation* operations,
                                       int32_t num_operations, const monofold_options* options,
                                       monofold_result* results) noexcept {
  return guarded([&]() -> monofold_status {
    const runtime::request what = make_request(dtype, operations, num_operations, options);
    check_unranked(what);
    if (shards == nullptr || num_shards < 1 || results == nullptr) refuse();
    const std::span all(shards, static_cast<std::size_t>(num_shards));
    std::int64_t count = 0;
    for (const monofold_shard& shard : all) {
      check_items(shard.items, what.type, shard.count);
      if (shard.device < 0 || __builtin_add_overflow(count, shard.count, &count)) refuse();
    }
    return write_answers(reduce_shards(what, all).finish(), results);
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
    runtime::reducer reducer = reducer_for(what, place);
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
    runtime::reducer reducer = reducer_for(what, place);
    constexpr std::int64_t few_pairs = 4096;  // whose folding is no work for several threads
    if (place == MONOFOLD_HOST && count <= few_pairs) {
      *result = to_c(reducer.answers_about_pairs(left, right, count).front());
      return result->status;
    }
    if (place != MONOFOLD_HOST_TO_GPUS && is_on_device(place)) {
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
