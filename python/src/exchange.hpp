#pragma once
/// python/src/exchange: arrays by DLPack's C exchange API, or its capsules, without a line of Python's in between.

#include "python/src/array.hpp"
#include "python/src/dlpack_layout.hpp"

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

/// An array on the current GPU, of a library whose stream we know and whose arrays we make.
struct array_there {
  dl_tensor tensor{};
  void* stream = nullptr;  // which the library works in now
  nb::object capsule{};
  const void* library = nullptr;
};

/// The same for arrays of any strides; exceptions as there.
bool look_at_there(PyObject* object, array_there& out);

/// A new array beside it, of the same library, and its memory; null: there is none, and perhaps an exception.
nb::object new_array_beside(const array_there& one, const std::int64_t* extents, std::int32_t rank,
                            monofold_dtype dtype, void*& memory);

void bind_exchange(nb::module_& core);

}  // namespace monofold::python
