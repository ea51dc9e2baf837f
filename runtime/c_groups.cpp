/// runtime/c_groups: the calls of monofold.h on groups by key.

#include <cstdint>
#include <memory>
#include <utility>

#include "runtime/c_boundary.hpp"
#include "runtime/c_outputs.hpp"
#include "runtime/device_rows.hpp"
#include "runtime/gpu/rows/key_groups.hpp"
#include "runtime/group_reducer.hpp"
#include "runtime/row_reducer.hpp"
#include "runtime/typed_answers.hpp"

namespace runtime = monofold::runtime;
using monofold::runtime::operation;
using namespace monofold::runtime::c_boundary;  // NOLINT: this file is calls of it

struct monofold_groups {
  monofold_groups(const runtime::row_reducer& rows, monofold::dtype type,
                  const runtime::group_request& what)
      : op(rows.what().ops.front()), answers(rows, type, what) {}

  operation op;
  runtime::group_answers answers;
};

struct monofold_device_groups {
  std::unique_ptr<runtime::key_groups> own;
};

namespace {

monofold::key_order order_of(monofold_key_order order) {
  if (order < MONOFOLD_BY_KEY || order > MONOFOLD_BY_FIRST) refuse();
  return static_cast<monofold::key_order>(order);
}

}  // namespace

monofold_status monofold_group_by(const int64_t* keys, const void* items, monofold_dtype dtype,
                                  int64_t count, monofold_key_order order,
                                  monofold_operation operation, const monofold_options* options,
                                  monofold_dtype value_dtype, monofold_groups** groups) noexcept {
  return guarded([&]() -> monofold_status {
    const runtime::request what = request_of_rows(dtype, operation, options);
    check_items(keys, monofold::dtype::int64, count);
    check_items(items, what.type, count);
    const monofold::key_order by = order_of(order);
    if (is_ranked(what.ops.front()) || groups == nullptr) refuse();
    const monofold::dtype type = value_type_for(what, what.ops.front(), value_dtype);
    const runtime::row_reducer rows(what, runtime::rounding_for(type));
    *groups = new monofold_groups(rows, type, {keys, items, count, by});
    return MONOFOLD_OK;
  });
}

int64_t monofold_groups_count(const monofold_groups* groups) noexcept {
  return groups != nullptr ? groups->answers.count() : 0;
}

monofold_status monofold_groups_copy(const monofold_groups* groups, int64_t* keys, void* values,
                                     void* seconds, int64_t* indices) noexcept {
  return guarded([&]() -> monofold_status {
    if (groups == nullptr) refuse();
    const runtime::typed_arrays out =
        arrays_of(groups->op, groups->answers.type(), values, seconds, indices, 1);
    check_aligned(keys, sizeof(std::int64_t));
    groups->answers.copy(keys, out.values, out.seconds, out.indices);
    return MONOFOLD_OK;
  });
}

monofold_status monofold_group_items(const int64_t* keys, const void* items, monofold_dtype dtype,
                                     int64_t count, monofold_key_order order,
                                     const monofold_options* options, int64_t* group_keys,
                                     int64_t* offsets, void* grouped_items,
                                     int64_t* num_groups) noexcept {
  return guarded([&]() -> monofold_status {
    const runtime::request what = request_of_rows(dtype, MONOFOLD_COUNT, options);
    check_items(keys, monofold::dtype::int64, count);
    check_items(items, what.type, count);
    check_items(group_keys, monofold::dtype::int64, count);
    check_items(offsets, monofold::dtype::int64, count + 1);
    check_items(grouped_items, what.type, count);
    if (num_groups == nullptr) refuse();
    *num_groups = runtime::group_items({keys, items, count, order_of(order)},
                                       monofold::info(what.type).size_bytes, what.num_threads,
                                       {group_keys, offsets, grouped_items});
    return MONOFOLD_OK;
  });
}

monofold_status monofold_find_runs(const int64_t* keys, int64_t count, int64_t* offsets,
                                   int64_t* num_runs) noexcept {
  return guarded([&]() -> monofold_status {
    check_items(keys, monofold::dtype::int64, count);
    check_items(offsets, monofold::dtype::int64, count + 1);
    if (num_runs == nullptr) refuse();
    int64_t found = 0;
    for (int64_t i = 0; i < count; ++i) {
      if (i == 0 || keys[i] != keys[i - 1]) offsets[found++] = i;
    }
    offsets[found] = count;
    *num_runs = found;
    return MONOFOLD_OK;
  });
}

void monofold_groups_destroy(monofold_groups* groups) noexcept { delete groups; }

monofold_status monofold_group_keys_on_device(const void* keys, monofold_dtype key_dtype,
                                              int64_t count, monofold_key_order order, void* stream,
                                              monofold_device_groups** groups) noexcept {
  return guarded([&]() -> monofold_status {
    if (key_dtype < MONOFOLD_BOOL || key_dtype > MONOFOLD_FLOAT64) refuse();
    const auto type = static_cast<monofold::dtype>(key_dtype);
    check_items(keys, type, count);
    const monofold::key_order by = order_of(order);
    if (groups == nullptr) refuse();
    auto own = runtime::group_keys({keys, type, count, by, stream});
    *groups = new monofold_device_groups{std::move(own)};
    return MONOFOLD_OK;
  });
}

int64_t monofold_device_groups_count(const monofold_device_groups* groups) noexcept {
  return groups != nullptr ? groups->own->count() : 0;
}

monofold_status monofold_device_groups_keys(const monofold_device_groups* groups,
                                            void* keys) noexcept {
  return guarded([&]() -> monofold_status {
    if (groups == nullptr) refuse();
    check_items(keys, groups->own->key_type(), groups->own->count());
    groups->own->copy_keys(keys);
    return MONOFOLD_OK;
  });
}

monofold_status monofold_device_groups_reduce(
    const monofold_device_groups* groups, const void* items, monofold_dtype dtype, int64_t count,
    monofold_operation operation, const monofold_options* options, monofold_dtype value_dtype,
    void* values, void* seconds, int64_t* indices, int64_t* failed_group) noexcept {
  return guarded([&]() -> monofold_status {
    const runtime::request what = request_of_rows(dtype, operation, options);
    check_items(items, what.type, count);
    if (groups == nullptr || count != groups->own->num_items()) refuse();
    if (is_ranked(what.ops.front())) refuse();
    const runtime::typed_arrays out = arrays_for(what, what.ops.front(), value_dtype, values,
                                                 seconds, indices, groups->own->count());
    const auto failure = runtime::reduce_groups_on_device(what, *groups->own, items, out);
    if (failed_group != nullptr) *failed_group = failure.row;
    return static_cast<monofold_status>(failure.code);
  });
}

void monofold_device_groups_destroy(monofold_device_groups* groups) noexcept { delete groups; }
