#pragma once
/// python/src/array: an array of any library where it lies, and its items in order.

#include <nanobind/nanobind.h>

#include <cstdint>
#include <vector>

#include "monofold/monofold.h"

namespace monofold::python {

namespace nb = nanobind;

/// Where items lie. Plain data: threads copy it without the interpreter's lock.
///
/// shape      strides in bytes, of any sign; `data` may be misaligned, and null where there are no items
struct layout {
  const char* data = nullptr;
  monofold_dtype dtype = MONOFOLD_FLOAT64;
  // Items have the other byte order; or they are bool, of bytes that need not be 0 or 1.
  bool swapped = false;
  monofold_place place = MONOFOLD_HOST;
  std::vector<std::int64_t> extents{};
  std::vector<std::int64_t> strides{};

  std::int64_t count() const;
  std::int64_t item_bytes() const;
  /// Items can be read where they lie: this machine's byte order, aligned, whole items apart.
  bool is_native() const;
  /// And they lie next to each other, in row-major order.
  bool is_packed() const;
  /// errors     ValueError: extents that no array has, which another library told us
  void check_extents() const;
  /// errors     TypeError: the items lie where the host cannot read them
  void check_on_host() const;
};

/// An array as Python holds it: what keeps the memory is copied and freed under the interpreter's lock only.
struct array : layout {
  nb::object owner{};
  bool read_only = false;  // as the other library says
};

/// Bytes of an item of a type.
std::int64_t bytes_of(monofold_dtype dtype);

/// The type that a letter of the module `struct` stands for; -1: none of ours.
monofold_dtype dtype_of_format(const char* format, std::int64_t item_bytes);

/// The same items in the order in which they lie in memory: axes by falling strides, none backward.
layout in_memory_order(const layout& items);
/// Every item so often: a last axis that takes no step.
layout repeated(const layout& items, std::int64_t times);
/// Axes in another order: axis i of the result is axis `order[i]`.
layout with_axes(const layout& items, const std::vector<std::int64_t>& order);

void bind_array(nb::module_& core);

}  // namespace monofold::python
