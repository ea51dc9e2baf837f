#pragma once
/// python/src/exchange: arrays by DLPack's C exchange API, or its capsules, without a line of Python's in between.

#include "python/src/array.hpp"

namespace monofold::python {

/// Items next to each other, whose memory is an object's, or a capsule's that is held meanwhile.
struct packed_items {
  const void* data = nullptr;
  monofold_dtype dtype = -1;
  std::int64_t count = 0;
  monofold_place place = MONOFOLD_HOST;
  nb::object capsule{};
};

/// Whether `object` is of a type that we were told of, its items are packed, and those on a GPU lie on the current
/// one, where work in the default stream finds them written. What is false here is for the object's `__dlpack__` to
/// give or to refuse; only what is no error, such as an interrupt, is left as an exception.
bool look_at_packed(PyObject* object, packed_items& items);

void bind_exchange(nb::module_& core);

}  // namespace monofold::python
