#pragma once
/// tests/fuzz/properties: what holds of every input, and how a fuzz target hands an input over.

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "cli/map_file.hpp"
#include "cli/source.hpp"

namespace fuzz {

/// Ends the process, which is how a fuzz target says that an input is a bug.
inline void require(bool holds, std::string_view what, std::string_view detail = "") {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %.*s\n%.*s\n", static_cast<int>(what.size()), what.data(),
               static_cast<int>(detail.size()), detail.data());
  std::abort();
}

inline std::string_view text_of(const std::uint8_t* bytes, std::size_t num_bytes) {
  return {reinterpret_cast<const char*>(bytes), num_bytes};
}

/// A message is one short line that cannot steer a terminal.
inline void require_message(const std::string& text) {
  require(!text.empty() && text.size() < 2000, "a message is a line", text);
  const auto control = [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7f;
  };
  require(std::none_of(text.begin(), text.end(), control), "a message has no control byte", text);
}

/// The number that stands behind `word` in a message, which must be there and be at least `least`.
inline std::int64_t require_number_after(const std::string& text, std::string_view word,
                                         std::int64_t least) {
  const std::size_t at = text.find(word);
  require(at != std::string::npos, "a message says where", text);
  char* end = nullptr;
  const char* begin = text.c_str() + at + word.size();
  const long long number = std::strtoll(begin, &end, 10);
  require(end != begin && number >= least, "a place is counted from its first number", text);
  return number;
}

/// A file in memory, at its start; for the readers it is a regular file.
inline monofold::cli::descriptor memory_file(std::string_view bytes) {
  monofold::cli::descriptor file(::memfd_create("fuzz", MFD_CLOEXEC));
  require(file.get() >= 0, "memfd_create");
  while (!bytes.empty()) {
    const ssize_t count = ::write(file.get(), bytes.data(), bytes.size());
    require(count > 0, "write to memory");
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  require(::lseek(file.get(), 0, SEEK_SET) == 0, "lseek in memory");
  return file;
}

/// What a reader made of an input.
struct reading {
  std::string items;    // as bytes in memory
  std::string problem;  // the message of its `input_error`; empty: there was none
  std::int64_t missing = 0;

  bool operator==(const reading&) const = default;
};

/// Reads to the end by `next`, and checks what every source promises.
inline std::string all_items(monofold::cli::source& in) {
  const auto item_bytes = static_cast<std::size_t>(monofold::info(in.type()).size_bytes);
  const std::optional<std::int64_t> count = in.count();
  const std::optional<std::int64_t> total_bytes = in.total_bytes();
  require(!total_bytes || *total_bytes >= 0, "a number of bytes");
  std::string items;
  bool ended = false;
  std::int64_t consumed = in.consumed_bytes();
  for (;;) {
    const monofold::cli::chunk part = in.next();
    require(in.consumed_bytes() >= consumed, "consumed bytes grow");
    consumed = in.consumed_bytes();
    if (part.count == 0) break;
    require(part.count > 0 && !ended, "only the last chunk is no multiple of 4096");
    ended = part.count % 4096 != 0;
    require(reinterpret_cast<std::uintptr_t>(part.items) % item_bytes == 0, "chunks are aligned");
    items.append(static_cast<const char*>(part.items),
                 static_cast<std::size_t>(part.count) * item_bytes);
  }
  require(in.next().count == 0, "the end stays the end");
  require(!count || static_cast<std::size_t>(*count) * item_bytes == items.size(),
          "as many items as were announced");
  require(!total_bytes || *total_bytes == consumed, "as many bytes as were announced");
  in.check();
  return items;
}

/// Opens by `open()` and reads to the end.
template <class Open>
reading read_all(const Open& open) {
  reading out;
  try {
    const auto in = open();
    out.items = all_items(*in);
    out.missing = in->missing_count();
  } catch (const monofold::cli::input_error& error) {
    out.problem = error.what();
    require_message(out.problem);
  }
  return out;
}

}  // namespace fuzz
