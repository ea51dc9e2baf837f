#pragma once
/// cli/npy_header: what the header of a .npy file says about the items behind it.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "monofold/platform/dtype.hpp"

namespace monofold::cli {

struct npy_header {
  dtype type = dtype::float64;
  bool swapped = false;             // the items are not in this machine's byte order
  bool fortran_order = false;       // column-major
  std::vector<std::int64_t> shape;  // empty: one item
  std::int64_t num_items = 0;       // the product of the shape
  std::int64_t data_offset = 0;     // where the items begin, counted from the start of the file
};

/// Bytes that must be there before `npy_header_bytes` can be asked.
inline constexpr std::size_t npy_prefix_bytes = 12;

/// A longer header is refused. NumPy itself refuses 10 kB unless told to trust the file.
inline constexpr std::size_t npy_most_header_bytes = std::size_t{1} << 20;

/// True if the bytes begin with the six bytes that begin every .npy file.
bool has_npy_magic(std::span<const std::byte> bytes);

/// The length of the whole header, from the first 12 bytes of the file (or all, if it is shorter).
///
/// errors     `input_error`: no .npy file, a version that is not 1.0, 2.0 or 3.0, too long
std::size_t npy_header_bytes(std::span<const std::byte> bytes);

/// Parses the beginning of a file; bytes behind the header are not looked at. `type` is what the
/// user says the items are: it gives a meaning to `V2`, which is how NumPy writes bfloat16.
///
/// errors     `input_error` for whatever is malformed or not supported, with the byte offset, what
///            was expected and what was found
/// source     numpy.lib.format, versions 1.0 to 3.0
/// tested by  tests/cli/npy_header_test.cpp, tests/fuzz/npy_header_fuzz.cpp
npy_header parse_npy_header(std::span<const std::byte> bytes,
                            std::optional<dtype> type = std::nullopt);

}  // namespace monofold::cli
