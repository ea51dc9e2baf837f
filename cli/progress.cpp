#include "cli/progress.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "cli/output.hpp"
#include "cli/quantity.hpp"

namespace monofold::cli {
namespace {

// A terminal that can go back to the start of a line and wipe it.
bool is_watched() {
  const char* const term = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) == 1 && term != nullptr && std::string_view(term) != "dumb";
}

}  // namespace

progress::progress(const std::string& name, std::optional<std::int64_t> total_bytes, notes remarks)
    : name_(shown_name(name)),
      total_bytes_(total_bytes),
      watched_(remarks == notes::shown && is_watched()) {}

void progress::update(std::int64_t done_bytes) {
  if (!watched_) return;
  const clock::time_point now = clock::now();
  const std::lock_guard lock(mutex_);
  if (now < next_) return;
  next_ = now + std::chrono::milliseconds(100);
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const std::string line = progress_line(name_, done_bytes, total_bytes_, seconds);
  fmt::print(stderr, "\r\x1b[K{}", line);
  std::fflush(stderr);
  drawn_ = true;
}

void progress::clear() {
  const std::lock_guard lock(mutex_);
  if (!drawn_) return;
  fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
  drawn_ = false;
}

std::string progress_line(const std::string& name, std::int64_t done_bytes,
                          std::optional<std::int64_t> total_bytes, double seconds) {
  constexpr std::size_t name_characters = 24;
  std::string shown = name;
  if (shown.size() > name_characters) shown = "..." + shown.substr(shown.size() - name_characters);
  const auto done = static_cast<double>(done_bytes);
  const double rate = seconds > 0 ? done / seconds : 0;
  std::string line = fmt::format("{}: {}", shown, bytes_text(done));
  if (total_bytes) {
    const auto total = static_cast<double>(*total_bytes);
    line += fmt::format(" of {}", bytes_text(total));
    line += fmt::format(", {:.2f} GB/s", rate * 1e-9);
    if (rate > 0 && total >= done)
      line += fmt::format(", {} left", seconds_text((total - done) / rate));
  } else {
    line += fmt::format(", {:.2f} GB/s", rate * 1e-9);
  }
  return line;
}

}  // namespace monofold::cli
