#include "cli/state_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <span>
#include <system_error>

#include "cli/failure.hpp"
#include "cli/output.hpp"
#include "cli/source.hpp"
#include "cli/stream.hpp"
#include "monofold/platform/sealed.hpp"
#include "monofold/platform/status.hpp"

namespace monofold::cli {
namespace {

std::string error_text(int code) { return std::system_category().message(code); }

[[noreturn]] void fail(const std::string& file, int code) {
  throw output_error(fmt::format("{}: cannot write: {}", shown_name(file), error_text(code)),
                     false);
}

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

struct file_closer {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

void write_to(const std::string& name, const std::vector<unsigned char>& bytes,
              const std::string& shown) {
  std::unique_ptr<std::FILE, file_closer> out(std::fopen(name.c_str(), "wb"));
  if (out == nullptr) fail(shown, errno);
  if (std::fwrite(bytes.data(), 1, bytes.size(), out.get()) != bytes.size()) fail(shown, errno);
  if (std::fclose(out.release()) != 0) fail(shown, errno);
}

}  // namespace

runtime::reducer read_state(const std::string& file, std::int64_t& num_bytes) {
  descriptor input(file == "-" ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                               : ::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (input.get() < 0) throw input_error("cannot open: " + error_text(errno));
  struct stat facts {};
  if (::fstat(input.get(), &facts) == 0 && S_ISDIR(facts.st_mode)) {
    throw input_error("cannot read: " + error_text(EISDIR));
  }
  byte_stream stream(std::move(input));
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
  fail(file, code);
}

}  // namespace monofold::cli
