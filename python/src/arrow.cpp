#include "python/src/arrow.hpp"

#include <cstddef>
#include <cstring>
#include <string>
#include <utility>

namespace monofold::python {

namespace {

// The structures of the interface, as its specification lays them out.
struct arrow_schema {
  const char* format;
  const char* name;
  const char* metadata;
  std::int64_t flags;
  std::int64_t num_children;
  arrow_schema** children;
  arrow_schema* dictionary;
  void (*release)(arrow_schema*);
  void* own;
};

struct arrow_array {
  std::int64_t length;
  std::int64_t null_count;  // -1: not counted
  std::int64_t offset;
  std::int64_t num_buffers;
  std::int64_t num_children;
  const void** buffers;  // validity, items
  arrow_array** children;
  arrow_array* dictionary;
  void (*release)(arrow_array*);
  void* own;
};

struct arrow_stream {
  int (*get_schema)(arrow_stream*, arrow_schema* out);
  int (*get_next)(arrow_stream*, arrow_array* out);
  const char* (*get_last_error)(arrow_stream*);
  void (*release)(arrow_stream*);
  void* own;
};

monofold_dtype dtype_of_column(const arrow_schema& schema) {
  const std::string format = schema.format;
  if (schema.dictionary != nullptr)
    throw nb::type_error("columns of a dictionary (categories) are not reduced: give their values");
  if (format.size() == 1) {
    switch (format[0]) {
      case 'b': return MONOFOLD_BOOL;
      case 'c': return MONOFOLD_INT8;
      case 's': return MONOFOLD_INT16;
      case 'i': return MONOFOLD_INT32;
      case 'l': return MONOFOLD_INT64;
      case 'C': return MONOFOLD_UINT8;
      case 'S': return MONOFOLD_UINT16;
      case 'I': return MONOFOLD_UINT32;
      case 'L': return MONOFOLD_UINT64;
      case 'e': return MONOFOLD_FLOAT16;
      case 'f': return MONOFOLD_FLOAT32;
      case 'g': return MONOFOLD_FLOAT64;
      default: break;
    }
  }
  throw nb::type_error(("columns of Arrow's format '" + format + "' are not reduced").c_str());
}

bool is_table(const arrow_schema& schema) { return std::strcmp(schema.format, "+s") == 0; }

/// The only column of a table; what is none is one itself.
const arrow_schema& only_column(const arrow_schema& schema) {
  if (!is_table(schema)) return schema;
  if (schema.num_children == 1) return *schema.children[0];
  std::string names;
  for (std::int64_t i = 0; i < schema.num_children; ++i) {
    const char* name = schema.children[i]->name;
    names += (i == 0 ? "" : ", ") + std::string(name != nullptr ? name : "");
  }
  throw nb::type_error(("a table of several columns or none is not reduced: give one column of (" +
                        names + "), as table['NAME'] or relation.select('NAME')")
                           .c_str());
}

/// Bits as bytes of 0 or 1, in memory that Python owns.
array unpacked(const void* bits, std::int64_t offset, std::int64_t count) {
  nb::object room =
      nb::steal(PyByteArray_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(count)));
  char* bytes = PyByteArray_AsString(room.ptr());
  const auto* from = static_cast<const unsigned char*>(bits);
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t at = offset + i;
    bytes[i] = static_cast<char>((from[at / 8] >> (at % 8)) & 1);
  }
  return {bytes, MONOFOLD_BOOL, false, MONOFOLD_HOST, {count}, {1}, std::move(room)};
}

/// A chunk as (items, mask or None); `owner` keeps its buffers.
nb::tuple piece_of(const arrow_array& chunk, monofold_dtype dtype, const nb::object& owner) {
  array items;
  if (dtype == MONOFOLD_BOOL) {
    items = unpacked(chunk.buffers[1], chunk.offset, chunk.length);
  } else {
    const std::int64_t bytes = bytes_of(dtype);
    const char* first = static_cast<const char*>(chunk.buffers[1]);
    items = {first != nullptr ? first + chunk.offset * bytes : nullptr,
             dtype,
             false,
             MONOFOLD_HOST,
             {chunk.length},
             {bytes},
             owner};
  }
  nb::object mask = nb::none();
  if (chunk.null_count != 0 && chunk.buffers[0] != nullptr) {
    mask = nb::cast(unpacked(chunk.buffers[0], chunk.offset, chunk.length));
  }
  return nb::make_tuple(nb::cast(std::move(items)), mask);
}

/// Removes from a piece of a column what a row of the table says is absent.
nb::tuple without_absent_rows(const nb::tuple& piece, const arrow_array& rows) {
  if (rows.null_count == 0 || rows.buffers[0] == nullptr) return piece;
  array present = unpacked(rows.buffers[0], rows.offset, rows.length);
  if (!piece[1].is_none()) {
    const auto& of_column = nb::cast<const array&>(piece[1]);
    auto* marks = const_cast<char*>(present.data);  // in memory of our own
    for (std::int64_t i = 0; i < rows.length; ++i) marks[i] &= of_column.data[i];
  }
  return nb::make_tuple(piece[0], nb::cast(std::move(present)));
}

/// A chunk of a column, or of a table of one column, whose rows its column's slice follows.
nb::tuple piece_of_chunk(const arrow_array& chunk, bool in_table, monofold_dtype dtype,
                         const nb::object& owner) {
  if (!in_table) return piece_of(chunk, dtype, owner);
  arrow_array column = *chunk.children[0];
  column.offset += chunk.offset;
  column.length = chunk.length;
  return without_absent_rows(piece_of(column, dtype, owner), chunk);
}

/// A structure that is ours to release.
template <class Structure>
class released {
 public:
  released() = default;
  released(const released&) = delete;
  released& operator=(const released&) = delete;
  ~released() {
    if (held.release != nullptr) held.release(&held);
  }

  Structure held{};
};

template <class Structure>
Structure* in_capsule(const nb::object& capsule, const char* name) {
  auto* structure = static_cast<Structure*>(PyCapsule_GetPointer(capsule.ptr(), name));
  if (structure == nullptr) throw nb::python_error();
  if (structure->release == nullptr) throw nb::value_error("an Arrow capsule that was used before");
  return structure;
}

/// A chunk in a capsule of ours, which releases it.
nb::object owner_of_chunk(arrow_array* chunk) {
  const auto release = [](PyObject* capsule) {
    auto* held =
        static_cast<released<arrow_array>*>(PyCapsule_GetPointer(capsule, "monofold.arrow"));
    const nb::error_scope raised;  // as where DLPack's are released
    delete held;
  };
  auto* own = new released<arrow_array>;
  own->held = *chunk;
  chunk->release = nullptr;  // moved
  return nb::steal(PyCapsule_New(own, "monofold.arrow", release));
}

const arrow_array& chunk_of(const nb::object& owner) {
  return static_cast<released<arrow_array>*>(PyCapsule_GetPointer(owner.ptr(), "monofold.arrow"))
      ->held;
}

}  // namespace

nb::tuple from_arrow_array(nb::object schema, nb::object array) {
  const arrow_schema& told = *in_capsule<arrow_schema>(schema, "arrow_schema");
  const monofold_dtype dtype = dtype_of_column(only_column(told));
  const nb::object owner = owner_of_chunk(in_capsule<arrow_array>(array, "arrow_array"));
  nb::list pieces;
  pieces.append(piece_of_chunk(chunk_of(owner), is_table(told), dtype, owner));
  return nb::make_tuple(dtype, pieces);
}

nb::tuple from_arrow_stream(nb::object capsule) {
  arrow_stream* stream = in_capsule<arrow_stream>(capsule, "arrow_array_stream");
  const auto check = [&](int code) {
    if (code == 0) return;
    const char* why = stream->get_last_error(stream);
    throw nb::value_error(why != nullptr ? why : "the Arrow stream failed");
  };
  released<arrow_schema> schema;
  check(stream->get_schema(stream, &schema.held));
  const monofold_dtype dtype = dtype_of_column(only_column(schema.held));
  nb::list pieces;
  while (true) {
    arrow_array chunk{};
    check(stream->get_next(stream, &chunk));
    if (chunk.release == nullptr) break;  // the end
    const nb::object owner = owner_of_chunk(&chunk);
    pieces.append(piece_of_chunk(chunk_of(owner), is_table(schema.held), dtype, owner));
  }
  return nb::make_tuple(dtype, pieces);
}

void bind_arrow(nb::module_& core) {
  core.def("from_arrow_array", &from_arrow_array);
  core.def("from_arrow_stream", &from_arrow_stream);
}

}  // namespace monofold::python
