#pragma once
/// cli/array_source: items of one type that lie one after the other, in a file or in a pipe.

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/native_items.hpp"
#include "cli/regular_file.hpp"
#include "cli/source.hpp"
#include "cli/stream.hpp"

namespace monofold::cli {

/// Where the items lie and how they are written.
struct array_layout {
  dtype type = dtype::float64;
  item_fixes fixes;
  std::int64_t num_items = 0;
  std::int64_t data_offset = 0;
  std::optional<array_shape> shape;              // none: the file does not say
  std::vector<std::int64_t> column_major_shape;  // empty: the order in the file is the right one
};

/// The items of a file that has all of them (the caller has compared the sizes).
///
/// shape      chunks of 8 MiB in a map where there is one and nothing is to be changed, else of 256
///            KiB to 16 MiB in a buffer
/// errors     `input_error`: it cannot be read in this mode, or its order needs a map that fails
/// tested by  tests/cli/npy_source_test.cpp, tests/cli/raw_source_test.cpp,
///            tests/cli/regular_file_test.cpp
std::unique_ptr<source> file_array(std::unique_ptr<regular_file> file, array_layout layout,
                                   io_mode io);

/// The items that come next in a stream, `layout.num_items` of them, and then the end.
/// `data_offset` is the number of bytes already taken; with `unknown_count` the items go on until
/// the stream ends, which must be between two items.
///
/// shape      chunks of 1 MiB in a buffer
/// tested by  tests/cli/stream_test.cpp
inline constexpr std::int64_t unknown_count = -1;
std::unique_ptr<source> streamed_array(std::unique_ptr<byte_stream> stream, array_layout layout);

/// Messages: the file has fewer or more bytes of items than its header says, or a part of an item.
std::string wrong_item_bytes(const array_layout& layout, std::int64_t found_bytes);
std::string partial_item_bytes(dtype type, std::int64_t found_bytes);

/// Room for `num_bytes`, aligned to a cache line or more.
struct free_deleter {
  void operator()(void* memory) const { std::free(memory); }
};
using aligned_buffer = std::unique_ptr<void, free_deleter>;
aligned_buffer make_buffer(std::int64_t num_bytes, std::int64_t alignment = 64);

}  // namespace monofold::cli
