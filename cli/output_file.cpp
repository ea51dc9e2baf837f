#include "cli/output_file.hpp"

#include <fmt/core.h>
#include <sys/stat.h>

#include <cerrno>
#include <utility>

#include "cli/failure.hpp"
#include "cli/output.hpp"

namespace monofold::cli {
namespace {

[[noreturn]] void fail(const std::string& file) {
  const int code = errno;
  throw output_error(fmt::format("{}: cannot write: {}", shown_name(file), error_text(code)),
                     code == EPIPE && file == "-");
}

}  // namespace

output_file::output_file(const std::string& path, std::string shown)
    : shown_(std::move(shown)),
      own_(path == "-" ? nullptr : std::fopen(path.c_str(), "wb")),
      out_(path == "-" ? stdout : own_.get()) {
  if (out_ == nullptr) fail(shown_);
}

void output_file::write(const void* bytes, std::size_t count) {
  // Nothing may lie at a null pointer.
  if (count > 0 && std::fwrite(bytes, 1, count, out_) != count) fail(shown_);
}

void output_file::close() {
  if (std::fflush(out_) != 0) fail(shown_);
  if (own_ != nullptr && std::fclose(own_.release()) != 0) fail(shown_);
}

void replace_file(const std::string& path, const std::function<void(output_file&)>& fill) {
  const auto write = [&](const std::string& to) {
    output_file out(to, path);
    fill(out);
    out.close();
  };
  struct stat facts {};
  if (path == "-" || (::stat(path.c_str(), &facts) == 0 && !S_ISREG(facts.st_mode))) {
    write(path);
    return;
  }
  const std::string part = path + ".part";
  try {
    write(part);
  } catch (const output_error&) {
    std::remove(part.c_str());
    throw;
  }
  if (std::rename(part.c_str(), path.c_str()) == 0) return;
  const int code = errno;
  std::remove(part.c_str());
  throw output_error(fmt::format("{}: cannot write: {}", shown_name(path), error_text(code)),
                     false);
}

}  // namespace monofold::cli
