#pragma once
/// python/src/exchange: arrays by DLPack's C exchange API, without a call of Python's in between.

#include "python/src/array.hpp"

namespace monofold::python {

/// Items on the host, next to each other, whose memory is an object's.
struct packed_items {
  const void* data = nullptr;
  monofold_dtype dtype = -1;
  std::int64_t count = 0;
};

/// Whether `object` is of a type whose exchange API we were given, and its items are packed. No exception is set:
/// what is false here is for the object's `__dlpack__` to give, to order in a stream, or to refuse.
bool look_at_packed(PyObject* object, packed_items& items);

void bind_exchange(nb::module_& core);

}  // namespace monofold::python
