#include "cli/state_file.hpp"

#include <algorithm>
#include <cstddef>
#include <span>

#include "cli/output_file.hpp"
#include "cli/regular_file.hpp"
#include "cli/source.hpp"
#include "cli/stream.hpp"
#include "monofold/platform/sealed.hpp"
#include "monofold/platform/status.hpp"

namespace monofold::cli {
namespace {

// The rest of the stream; of another kind of file only the beginning, however long it is.
std::vector<unsigned char> bytes_of(byte_stream& in) {
  constexpr std::size_t piece = std::size_t{1} << 16;
  std::vector<unsigned char> bytes;
  for (;;) {
    const std::size_t held = bytes.size();
    bytes.resize(held + piece);
    const std::size_t count = in.read(std::as_writable_bytes(std::span(bytes).subspan(held)));
    bytes.resize(held + count);
    if (count < piece || !looks_sealed(bytes)) return bytes;
  }
}

}  // namespace

runtime::reducer read_state(const std::string& file, std::int64_t& num_bytes) {
  byte_stream stream(open_for_reading(file));
  const std::vector<unsigned char> bytes = bytes_of(stream);
  num_bytes = static_cast<std::int64_t>(bytes.size());
  try {
    return runtime::reducer::load(bytes);
  } catch (const error& wrong) {
    throw input_error(wrong.what());
  }
}

void write_state(const std::string& file, const std::vector<unsigned char>& bytes) {
  replace_file(file, [&](output_file& out) { out.write(bytes.data(), bytes.size()); });
}

}  // namespace monofold::cli
