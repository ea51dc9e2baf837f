#include "cli/state_file.hpp"

#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <span>

#include "cli/failure.hpp"
#include "cli/regular_file.hpp"
#include "cli/output.hpp"
#include "cli/output_file.hpp"
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

void write_to(const std::string& path, const std::vector<unsigned char>& bytes,
              const std::string& shown) {
  output_file out(path, shown);
  out.write(bytes.data(), bytes.size());
  out.close();
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
  struct stat facts {};
  if (::stat(file.c_str(), &facts) == 0 && !S_ISREG(facts.st_mode)) {
    write_to(file, bytes, file);
    return;
  }
  const std::string part = file + ".part";
  try {
    write_to(part, bytes, file);
  } catch (const output_error&) {
    std::remove(part.c_str());
    throw;
  }
  if (std::rename(part.c_str(), file.c_str()) == 0) return;
  const int code = errno;
  std::remove(part.c_str());
  throw output_error(fmt::format("{}: cannot write: {}", shown_name(file), error_text(code)),
                     false);
}

}  // namespace monofold::cli
