#include "cli/npy_writer.hpp"

#include <fmt/core.h>

namespace monofold::cli {

std::string npy_descr(dtype type) {
  const dtype_info& facts = info(type);
  const char* const order = facts.size_bytes == 1 || type == dtype::bfloat16 ? "|" : "<";
  std::string kind = facts.is_floating ? "f" : facts.name.substr(0, 1) == "u" ? "u" : "i";
  if (type == dtype::boolean) kind = "b";
  if (type == dtype::bfloat16) kind = "V";
  return order + kind + std::to_string(facts.size_bytes);
}

// Version 1.0: magic, version, the header's length in two bytes, the header padded to 64 bytes.
std::string npy_beginning(const std::string& descr, std::span<const std::int64_t> shape) {
  std::string extents;
  for (const std::int64_t extent : shape) extents += fmt::format("{}, ", extent);
  if (shape.size() > 1) extents.resize(extents.size() - 2);
  if (shape.size() == 1) extents.pop_back();
  std::string header =
      fmt::format("{{'descr': {}, 'fortran_order': False, 'shape': ({}), }}", descr, extents);
  constexpr std::size_t prefix = 10;
  header.resize((prefix + header.size() + 1 + 63) / 64 * 64 - prefix - 1, ' ');
  header += '\n';
  std::string out = "\x93NUMPY";
  out +=
      {'\1', '\0', static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)};
  return out + header;
}

}  // namespace monofold::cli
