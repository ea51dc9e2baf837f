#pragma once
/// runtime/gpu/rows/key_groups: keys in memory of a GPU, grouped there once for any number of questions about items.

#include <cstdint>
#include <memory>

#include "monofold/platform/dtype.hpp"
#include "monofold/shape/keys.hpp"

namespace monofold::runtime {

struct device_row_outputs;
struct row_failure;
struct row_question;

/// Keys of any type in memory of the current device, for a stream (a cudaStream_t) of it.
struct device_keys {
  const void* first;
  dtype type;
  std::int64_t count;
  key_order order;
  void* stream;
};

/// Where the items of each key lie.
///
/// sync       all work is in the stream of the keys, which outlives this; the same device is current in every call
/// cost       4 bytes an item and 16 a group; for key_order::first 20 bytes a group more
class key_groups {
 public:
  key_groups() = default;
  key_groups(const key_groups&) = delete;
  key_groups& operator=(const key_groups&) = delete;
  /// Does not wait.
  virtual ~key_groups() = default;

  virtual dtype key_type() const = 0;
  virtual std::int64_t num_items() const = 0;
  virtual std::int64_t count() const = 0;
  /// The key of each group, in the order asked for: of those that are one, the key that stands for them.
  ///
  /// sync       does not wait
  virtual void copy_keys(void* to) const = 0;
  /// Answers about the items of each group, one item a key, in the order of the keys.
  ///
  /// order      the bits of a group are those of its items alone, in their order; indices count from its first item
  /// sync       as start_device_rows
  /// errors     as start_device_rows
  /// cost       items are brought side by side, in memory for a copy of them, and are segments then
  virtual row_failure reduce(const row_question& what, const void* items,
                             const device_row_outputs& out, bool waits) const = 0;
};

/// Groups keys.
///
/// sync       waits for the lowest and the highest key, and for the number of groups
/// errors     throws `error`: invalid_argument: keys that are not memory of the current device, a stream that is being
///            captured; unsupported: 2^32 keys or more; out_of_memory, device_unavailable, internal
/// cost       as group_by of the headers, docs/groups.md
/// tested by  tests/runtime/device_groups_test.cpp
std::unique_ptr<key_groups> group_keys(const device_keys& keys);

}  // namespace monofold::runtime
