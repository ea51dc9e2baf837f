#include "cli/output_file.hpp"

#include <fmt/core.h>

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
  if (std::fwrite(bytes, 1, count, out_) != count) fail(shown_);
}

void output_file::close() {
  if (std::fflush(out_) != 0) fail(shown_);
  if (own_ != nullptr && std::fclose(own_.release()) != 0) fail(shown_);
}

}  // namespace monofold::cli
