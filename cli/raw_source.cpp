#include "cli/array_source.hpp"
#include "cli/readers.hpp"

namespace monofold::cli {

std::unique_ptr<source> open_raw(opened_input input, const read_options& options) {
  if (!options.type) throw input_error("raw binary needs an element type: --dtype TYPE");
  array_layout layout;
  layout.type = *options.type;
  layout.fixes = fixes_for(*options.type, false);
  if (input.stream != nullptr) {
    layout.num_items = unknown_count;
    return streamed_array(std::move(input.stream), std::move(layout));
  }
  const std::int64_t item_bytes = info(*options.type).size_bytes;
  const std::int64_t file_bytes = input.file->num_bytes();
  if (file_bytes % item_bytes != 0) {
    throw input_error(partial_item_bytes(*options.type, file_bytes));
  }
  layout.num_items = file_bytes / item_bytes;
  return file_array(std::move(input.file), std::move(layout), options.io);
}

}  // namespace monofold::cli
