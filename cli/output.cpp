#include "cli/output.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "cli/failure.hpp"
#include "cli/quote.hpp"

namespace monofold::cli {
namespace {

std::string* kept_lines = nullptr;

}  // namespace

void write_out(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0) {
    return;
  }
  const int code = errno;
  throw output_error("write error: " + error_text(code), code == EPIPE);
}

void complain(std::string_view text) {
  const std::string line = fmt::format("monofold: {}\n", text);
  if (kept_lines != nullptr) {
    *kept_lines += line;
  } else {
    pass_on(line);
  }
}

void pass_on(std::string_view lines) { std::fwrite(lines.data(), 1, lines.size(), stderr); }

complaints_kept::complaints_kept(std::string& lines) : before_(kept_lines) { kept_lines = &lines; }
complaints_kept::~complaints_kept() { kept_lines = before_; }

void complain_about(const std::string& file, std::string_view text) {
  complain(fmt::format("{}: {}", shown_name(file), text));
}

std::string shown_name(const std::string& file) {
  return file == "-" ? "standard input" : escaped_name(file);
}

std::string escaped_name(const std::string& file) {
  const bool plain = std::none_of(file.begin(), file.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7f;
  });
  return plain ? file : quote(file);
}

}  // namespace monofold::cli
