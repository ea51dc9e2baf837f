#include <algorithm>
#include <span>
#include <string>

#include "cli/array_source.hpp"
#include "cli/execute.hpp"
#include "cli/failure.hpp"
#include "cli/npy_writer.hpp"
#include "cli/output_file.hpp"
#include "cli/sample_data.hpp"

namespace monofold::cli {
int execute(const generate_command& what) {
  constexpr std::int64_t piece_bytes = 1 << 20;  // stays in the second-level cache
  const std::int64_t item_bytes = info(what.type).size_bytes;
  const std::int64_t piece_items = piece_bytes / item_bytes;
  const aligned_buffer buffer = make_buffer(piece_bytes);
  output_file out(what.file);
  const std::string beginning =
      npy_beginning("'" + npy_descr(what.type) + "'", std::span(&what.num_items, 1));
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
