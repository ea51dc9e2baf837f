/// runtime/c_groups: the calls of monofold.h on groups by key.

#include <cstdint>

#include "runtime/c_boundary.hpp"
#include "runtime/c_outputs.hpp"
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

monofold_status monofold_group_by(const int64_t* keys, const void* items, monofold_dtype dtype,
                                  int64_t count, monofold_key_order order,
                                  monofold_operation operation, const monofold_options* options,
                                  monofold_dtype value_dtype, monofold_groups** groups) noexcept {
  return guarded([&]() -> monofold_status {
    const runtime::request what = request_of_rows(dtype, operation, options);
    check_items(keys, monofold::dtype::int64, count);
    check_items(items, what.type, count);
    if (order < MONOFOLD_BY_KEY || order > MONOFOLD_BY_FIRST) refuse();
    if (is_ranked(what.ops.front()) || groups == nullptr) refuse();
    const monofold::dtype type = value_type_for(what, what.ops.front(), value_dtype);
    const runtime::row_reducer rows(what, runtime::rounding_for(type));
    const auto by = static_cast<monofold::key_order>(order);
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

void monofold_groups_destroy(monofold_groups* groups) noexcept { delete groups; }
