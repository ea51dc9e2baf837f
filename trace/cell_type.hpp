#pragma once
/// trace/cell_type: how the bytes of a cell of memory read as a value.

#include <charconv>
#include <cstddef>
#include <cstring>
#include <string>
#include <type_traits>

namespace monofold::trace {

/// shape      text: of so many bytes, which need not be aligned
struct cell_type {
  std::string name;
  std::size_t bytes = 0;
  std::string (*text)(const void* bytes) = nullptr;
};

/// The shortest decimal text of a number.
template <class T>
std::string number_text(const void* bytes) {
  static_assert(std::is_arithmetic_v<T>, "other types need a text of their own");
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  if constexpr (std::is_same_v<T, bool>) {
    return value ? "yes" : "no";
  } else {
    char text[64];
    return {text, std::to_chars(text, text + sizeof(text), value).ptr};
  }
}

template <class T>
std::string number_name() {
  if (std::is_same_v<T, bool>) return "bool";
  const std::string kind = std::is_floating_point_v<T> ? "float"
                           : std::is_signed_v<T>       ? "int"
                                                       : "uint";
  return kind + std::to_string(8 * sizeof(T));
}

template <class T>
cell_type number_cell() {
  return {number_name<T>(), sizeof(T), &number_text<T>};
}

}  // namespace monofold::trace
