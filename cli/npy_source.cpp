#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cli/array_source.hpp"
#include "cli/npy_header.hpp"
#include "cli/readers.hpp"

namespace monofold::cli {
namespace {

array_layout layout_of(const npy_header& header, const read_options& options) {
  if (options.type && *options.type != header.type) {
    throw input_error("the header says " + std::string(info(header.type).name) + ", --dtype says " +
                      std::string(info(*options.type).name));
  }
  array_layout layout;
  layout.type = header.type;
  layout.fixes = fixes_for(header.type, header.swapped);
  layout.num_items = header.num_items;
  layout.data_offset = header.data_offset;
  layout.shape = array_shape{header.shape, header.fortran_order};
  if (header.fortran_order && options.order == item_order::logical && header.num_items > 1) {
    layout.column_major_shape = header.shape;
  }
  return layout;
}

// Takes the header, and no byte behind it: read(span) gives the bytes that come next, and how many.
template <class Read>
npy_header read_header(const Read& read, const read_options& options) {
  std::vector<std::byte> bytes(npy_prefix_bytes);
  bytes.resize(read(std::span(bytes)));
  const std::size_t header_bytes = std::max(npy_header_bytes(bytes), bytes.size());
  const std::size_t prefix_bytes = bytes.size();
  bytes.resize(header_bytes);
  bytes.resize(prefix_bytes + read(std::span(bytes).subspan(prefix_bytes)));
  return parse_npy_header(bytes, options.type);
}

}  // namespace

std::unique_ptr<source> open_npy(opened_input input, const read_options& options) {
  if (input.stream != nullptr) {
    const npy_header header =
        read_header([&](std::span<std::byte> out) { return input.stream->read(out); }, options);
    array_layout layout = layout_of(header, options);
    const auto large = [](std::int64_t extent) { return extent > 1; };
    if (std::count_if(layout.column_major_shape.begin(), layout.column_major_shape.end(), large) >
        1) {
      throw input_error(
          "an array in Fortran order cannot be read from a pipe, only from a regular file");
    }
    layout.column_major_shape.clear();
    return streamed_array(std::move(input.stream), std::move(layout));
  }
  const regular_file& file = *input.file;
  std::int64_t at = 0;
  const npy_header header = read_header(
      [&](std::span<std::byte> out) {
        const std::int64_t n =
            std::min(static_cast<std::int64_t>(out.size()), file.num_bytes() - at);
        file.copy(at, n, out.data());
        at += n;
        return static_cast<std::size_t>(n);
      },
      options);
  array_layout layout = layout_of(header, options);
  const std::int64_t found_bytes = file.num_bytes() - header.data_offset;
  if (found_bytes != layout.num_items * info(layout.type).size_bytes) {
    throw input_error(wrong_item_bytes(layout, found_bytes));
  }
  return file_array(std::move(input.file), std::move(layout), options.io);
}

}  // namespace monofold::cli
