#pragma once
/// platform/dtype: the element types that arrays in files and in the C interface may have.

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "monofold/platform/numbers.hpp"

namespace monofold {

/// The numeric values are part of the C interface (monofold.h) and never change.
enum class dtype : std::int32_t {
  boolean = 0,
  int8 = 1,
  int16 = 2,
  int32 = 3,
  int64 = 4,
  uint8 = 5,
  uint16 = 6,
  uint32 = 7,
  uint64 = 8,
  float16 = 9,
  bfloat16 = 10,
  float32 = 11,
  float64 = 12,
};

struct dtype_info {
  dtype type;
  std::string_view name;        // long form, as in NumPy
  std::string_view short_name;  // i32, u8, f32, bf16
  int size_bytes;
  bool is_floating;
};

/// The only list of element types; the tool, the tests and the C interface read it.
inline constexpr std::array<dtype_info, 13> dtypes{{
    {dtype::boolean, "bool", "b", 1, false},
    {dtype::int8, "int8", "i8", 1, false},
    {dtype::int16, "int16", "i16", 2, false},
    {dtype::int32, "int32", "i32", 4, false},
    {dtype::int64, "int64", "i64", 8, false},
    {dtype::uint8, "uint8", "u8", 1, false},
    {dtype::uint16, "uint16", "u16", 2, false},
    {dtype::uint32, "uint32", "u32", 4, false},
    {dtype::uint64, "uint64", "u64", 8, false},
    {dtype::float16, "float16", "f16", 2, true},
    {dtype::bfloat16, "bfloat16", "bf16", 2, true},
    {dtype::float32, "float32", "f32", 4, true},
    {dtype::float64, "float64", "f64", 8, true},
}};

constexpr const dtype_info& info(dtype type) { return dtypes[static_cast<std::size_t>(type)]; }

/// The element type with this long or short name, if there is one.
constexpr std::optional<dtype> dtype_from_name(std::string_view name) {
  for (const dtype_info& entry : dtypes) {
    if (name == entry.name || name == entry.short_name) return entry.type;
  }
  return std::nullopt;
}

/// Calls `visitor.template operator()<T>()` with the C++ type of `type`.
template <class Visitor>
constexpr decltype(auto) visit_dtype(dtype type, Visitor&& visitor) {
  switch (type) {
    case dtype::boolean: return visitor.template operator()<bool>();
    case dtype::int8: return visitor.template operator()<std::int8_t>();
    case dtype::int16: return visitor.template operator()<std::int16_t>();
    case dtype::int32: return visitor.template operator()<std::int32_t>();
    case dtype::int64: return visitor.template operator()<std::int64_t>();
    case dtype::uint8: return visitor.template operator()<std::uint8_t>();
    case dtype::uint16: return visitor.template operator()<std::uint16_t>();
    case dtype::uint32: return visitor.template operator()<std::uint32_t>();
    case dtype::uint64: return visitor.template operator()<std::uint64_t>();
    case dtype::float16: return visitor.template operator()<float16>();
    case dtype::bfloat16: return visitor.template operator()<bfloat16>();
    case dtype::float32: return visitor.template operator()<float>();
    case dtype::float64: break;
  }
  return visitor.template operator()<double>();
}

}  // namespace monofold
