#ifndef MONOFOLD_GROUPS_H
#define MONOFOLD_GROUPS_H
/// groups: the calls of the C interface on groups by key, for monofold.h, which says what holds for every call.

#include <stdint.h>

#include "monofold/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// One answer a key.
typedef struct monofold_groups monofold_groups;

/// Reduces the items of each key by one operation, wherever they lie; the answers are kept until
/// monofold_groups_destroy.
///
/// shape      `count` keys and as many items; none: no groups
/// order      each answer has the bits of monofold_reduce of the group's items in their order, and positions count
///            along them
/// errors     invalid_argument also for MONOFOLD_TOP and MONOFOLD_BOTTOM. Where a group has no answer the status of the
///            first one in `order` is returned, and `groups` is left as it was
/// cost       keys and items are moved twice at most, items of any type as 8 bytes; memory for that, and 40 bytes a
///            group: no state outlives its group
/// tested by  tests/runtime/c_groups_test.c, tests/runtime/group_reducer_test.cpp
MONOFOLD_API monofold_status monofold_group_by(
    const int64_t* keys, const void* items, monofold_dtype dtype, int64_t count,
    monofold_key_order order, monofold_operation operation, const monofold_options* options,
    monofold_dtype value_dtype, monofold_groups** groups) MONOFOLD_NOEXCEPT;

/// How many groups there are. Null: 0.
MONOFOLD_API int64_t monofold_groups_count(const monofold_groups* groups) MONOFOLD_NOEXCEPT;

/// Writes keys and answers, a group at the same place of each array; `values` and `seconds` are of the
/// `value_dtype` asked for. Null arrays are not written.
MONOFOLD_API monofold_status monofold_groups_copy(const monofold_groups* groups, int64_t* keys,
                                                  void* values, void* seconds,
                                                  int64_t* indices) MONOFOLD_NOEXCEPT;

/// Brings the items of each key side by side, for monofold_reduce_segments.
///
/// shape      group g has the key group_keys[g] and, in their order, grouped_items[offsets[g]] to before those at
///            offsets[g + 1]: segments for any number of operations, MONOFOLD_TOP and MONOFOLD_BOTTOM too.
///            Room for `count` keys and items and `count` + 1 offsets; behind `num_groups` of them nothing is written
/// order      groups by `order`; answers of the segments have the bits of monofold_group_by
/// cost       as monofold_group_by, with two copies of each item more, and 8 bytes an item more while it runs
/// tested by  tests/runtime/c_groups_test.c, tests/runtime/group_reducer_test.cpp
MONOFOLD_API monofold_status
monofold_group_items(const int64_t* keys, const void* items, monofold_dtype dtype, int64_t count,
                     monofold_key_order order, const monofold_options* options, int64_t* group_keys,
                     int64_t* offsets, void* grouped_items, int64_t* num_groups) MONOFOLD_NOEXCEPT;

/// Finds runs of equal keys, for monofold_reduce_segments: as reduce_by_key of the headers.
///
/// shape      run r has the items from offsets[r] to before offsets[r + 1], and the key at offsets[r]. Room for
///            `count` + 1 offsets; behind `num_runs` + 1 of them nothing is written
/// cost       one pass over the keys by one thread
/// tested by  tests/runtime/c_groups_test.c, tests/runtime/group_reducer_test.cpp
MONOFOLD_API monofold_status monofold_find_runs(const int64_t* keys, int64_t count,
                                                int64_t* offsets,
                                                int64_t* num_runs) MONOFOLD_NOEXCEPT;

/// Frees groups. Null: does nothing.
MONOFOLD_API void monofold_groups_destroy(monofold_groups* groups) MONOFOLD_NOEXCEPT;

// Keys in memory of a GPU are grouped once, for any number of operations on items there (docs/groups.md):
//
// shape      all arrays lie in memory of the calling thread's current device, or in managed memory
// sync       all work is in one stream of that device, which outlives the groups; null: the default one. In every call
//            the same device is current. No call can be captured in a graph
// errors     as of calls that end in _on_device in monofold.h

typedef struct monofold_device_groups monofold_device_groups;

/// Groups keys by a stable sort on the GPU; kept until monofold_device_groups_destroy.
///
/// shape      fewer than 2^32 keys of any type; none: no groups. All NaN are one key, and so are -0 and +0
/// sync       waits for the lowest and the highest key, and for the number of groups
/// errors     unsupported also: 2^32 keys or more. `groups` is left as it was
/// cost       4 bytes a key, and 16 a group, are kept (for MONOFOLD_BY_FIRST 36)
/// tested by  tests/runtime/device_groups_test.cpp, tests/runtime/c_device_groups_test.c
MONOFOLD_API monofold_status monofold_group_keys_on_device(
    const void* keys, monofold_dtype key_dtype, int64_t count, monofold_key_order order,
    void* stream, monofold_device_groups** groups) MONOFOLD_NOEXCEPT;

/// How many groups there are. Null: 0.
MONOFOLD_API int64_t monofold_device_groups_count(const monofold_device_groups* groups)
    MONOFOLD_NOEXCEPT;

/// Writes the key of each group into memory of the device, in the order asked for.
///
/// shape      an array of the type of the keys, where +0 stands for zeros, and the quiet NaN for all
/// sync       does not wait
MONOFOLD_API monofold_status monofold_device_groups_keys(const monofold_device_groups* groups,
                                                         void* keys) MONOFOLD_NOEXCEPT;

/// Reduces the items of each group, an item a key, into arrays of the device.
///
/// shape      answers as of calls that end in _into, a group at each place
/// order      the bits of a group are those of monofold_group_by, and so are positions
/// sync       does not wait where every group has an answer whatever its items are, as calls that end in _on_device
/// errors     invalid_argument also for MONOFOLD_TOP and MONOFOLD_BOTTOM, and for another `count` than that of keys;
///            unsupported: as of segments. `failed_group`, which may be null, takes the first group without an answer,
///            or -1
/// cost       items are copied, group after group, into memory of the device's pool; one pass over the copy
MONOFOLD_API monofold_status monofold_device_groups_reduce(
    const monofold_device_groups* groups, const void* items, monofold_dtype dtype, int64_t count,
    monofold_operation operation, const monofold_options* options, monofold_dtype value_dtype,
    void* values, void* seconds, int64_t* indices, int64_t* failed_group) MONOFOLD_NOEXCEPT;

/// Frees groups, without waiting. Null: does nothing.
MONOFOLD_API void monofold_device_groups_destroy(monofold_device_groups* groups) MONOFOLD_NOEXCEPT;

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // MONOFOLD_GROUPS_H
