#include <fmt/core.h>

#include <algorithm>
#include <string>

#include "cli/array_source.hpp"
#include "cli/execute.hpp"
#include "cli/failure.hpp"
#include "cli/output_file.hpp"
#include "cli/sample_data.hpp"

namespace monofold::cli {
namespace {

// NumPy has no bfloat16: two bytes without a meaning, which --dtype bf16 gives them when read.
std::string descr_of(dtype type) {
  const dtype_info& facts = info(type);
  const char* const order = facts.size_bytes == 1 || type == dtype::bfloat16 ? "|" : "<";
  std::string kind = facts.is_floating ? "f" : facts.name.substr(0, 1) == "u" ? "u" : "i";
  if (type == dtype::boolean) kind = "b";
  if (type == dtype::bfloat16) kind = "V";
  return order + kind + std::to_string(facts.size_bytes);
}

// Version 1.0: magic, version, the header's length in two bytes, the header padded to 64 bytes.
std::string npy_beginning(dtype type, std::int64_t num_items) {
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({},), }}",
                                   descr_of(type), num_items);
  constexpr std::size_t prefix = 10;
  header.resize((prefix + header.size() + 1 + 63) / 64 * 64 - prefix - 1, ' ');
  header += '\n';
  std::string out = "\x93NUMPY";
  out +=
      {'\1', '\0', static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)};
  return out + header;
}

}  // namespace

int execute(const generate_command& what) {
  constexpr std::int64_t piece_bytes = 1 << 20;  // stays in the second-level cache
  const std::int64_t item_bytes = info(what.type).size_bytes;
  const std::int64_t piece_items = piece_bytes / item_bytes;
  const aligned_buffer buffer = make_buffer(piece_bytes);
  output_file out(what.file);
  const std::string beginning = npy_beginning(what.type, what.num_items);
  out.write(beginning.data(), beginning.size());
  for (std::int64_t at = 0; at < what.num_items; at += piece_items) {
    const std::int64_t count = std::min(piece_items, what.num_items - at);
    fill_items(what.type, what.shape, what.seed, at, count, buffer.get());
    out.write(buffer.get(), static_cast<std::size_t>(count * item_bytes));
  }
  out.close();
  return exit_code::ok;
}

}  // namespace monofold::cli
