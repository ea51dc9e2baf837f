// The header parser alone. The input is the beginning of a .npy file.

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>

#include "cli/npy_header.hpp"
#include "tests/fuzz/properties.hpp"

namespace {

using fuzz::require;
using monofold::dtype;
using monofold::cli::npy_header;
using monofold::cli::parse_npy_header;

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

bool same(const npy_header& a, const npy_header& b) {
  return a.type == b.type && a.swapped == b.swapped && a.fortran_order == b.fortran_order &&
         a.shape == b.shape && a.num_items == b.num_items;
}

// Every factor is below 2^63 and so is the product before it: 128 bits hold the next one.
void check_shape(const npy_header& header) {
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  bool empty = false;
  __extension__ unsigned __int128 product = 1;
  for (const std::int64_t extent : header.shape) {
    require(extent >= 0, "extents are counts");
    empty = empty || extent == 0;
  }
  for (const std::int64_t extent : header.shape) {
    if (!empty) product *= static_cast<std::uint64_t>(extent);
    require(product <= static_cast<std::uint64_t>(most), "a product of extents fits 63 bits");
  }
  require(header.num_items == (empty ? 0 : static_cast<std::int64_t>(product)),
          "the number of items is the product of the shape");
  const std::int64_t item_bytes = monofold::info(header.type).size_bytes;
  require(header.num_items <= (most - header.data_offset) / item_bytes,
          "header and items together are a size of a file");
}

// In the order of `dtype`.
constexpr std::array<std::string_view, 13> codes{"b1", "i1", "i2", "i4", "i8", "u1", "u2",
                                                 "u4", "u8", "f2", "V2", "f4", "f8"};

// The header as NumPy would write it.
std::string written(const npy_header& header) {
  std::string descr = header.swapped ? ">" : "<";
  descr += codes[static_cast<std::size_t>(header.type)];
  std::string text = "{'descr': '" + descr + "', 'fortran_order': ";
  text += header.fortran_order ? "True, 'shape': (" : "False, 'shape': (";
  for (const std::int64_t extent : header.shape) text += std::to_string(extent) + ", ";
  text += "), }\n";
  std::string bytes("\x93NUMPY\x02\x00", 8);
  for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(text.size() >> shift);
  return bytes + text;
}

void check(std::string_view input, std::optional<dtype> type) {
  npy_header header;
  try {
    header = parse_npy_header(bytes_of(input), type);
  } catch (const monofold::cli::input_error& error) {
    const std::string message = error.what();
    fuzz::require_message(message);
    require(message.starts_with("bad .npy header: at byte "), "a message says where", message);
    const std::int64_t at = fuzz::require_number_after(message, "at byte ", 0);
    require(at <= static_cast<std::int64_t>(input.size()), "a place is in the file", message);
    return;
  }
  const auto length = static_cast<std::size_t>(header.data_offset);
  require(length <= input.size(), "the header is in the file");
  require(length == monofold::cli::npy_header_bytes(bytes_of(input)), "the length is as written");
  check_shape(header);

  const std::string alone(input.substr(0, length));
  require(same(header, parse_npy_header(bytes_of(alone), type)), "the header stands alone");
  require(same(header, parse_npy_header(bytes_of(alone + "{}"), type)),
          "bytes behind the header do not matter");
  try {
    parse_npy_header(bytes_of(std::string_view(alone).substr(0, length - 1)), type);
    require(false, "a header that was cut short is refused");
  } catch (const monofold::cli::input_error&) {
  }
  // Rewriting changes the length of the header, and with it how many bytes are left for items.
  const std::string again = written(header);
  if (again.size() <= length) {
    require(same(header, parse_npy_header(bytes_of(again), type)), "a header reads back", again);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t num_bytes) {
  const std::string_view input = fuzz::text_of(bytes, num_bytes);
  check(input, std::nullopt);
  check(input, dtype::bfloat16);
  return 0;
}
