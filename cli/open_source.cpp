#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "cli/failure.hpp"
#include "cli/npy_header.hpp"
#include "cli/readers.hpp"
#include "monofold/platform/sealed.hpp"

namespace monofold::cli {
namespace {

constexpr std::size_t sample_bytes = 4096;  // what is looked at to tell text from binary

// Text has no control characters but blanks; numbers that lie in binary nearly always have some
// (a zero byte in every small integer, and in every float with a short fraction).
bool looks_binary(std::string_view sample) {
  constexpr std::string_view blanks = "\t\n\v\f\r";
  return std::any_of(sample.begin(), sample.end(), [&](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && blanks.find(c) == std::string_view::npos) || byte == 0x7f;
  });
}

// The first `count` bytes of the input, fewer if it has no more.
std::string beginning_of(opened_input& input, std::size_t count) {
  if (input.stream != nullptr) return input.stream->peek(count, count);
  std::string bytes(std::min(count, static_cast<std::size_t>(input.file->num_bytes())), '\0');
  input.file->copy(0, static_cast<std::int64_t>(bytes.size()), bytes.data());
  return bytes;
}

// The rules, first match wins:
//   1  --format
//   2  the .npy magic
//   3  the extension: .npy; .csv .tsv .txt are text
//   4  --column, --delimiter, --header or --na: text
//   5  the extensions .bin and .raw where --dtype is given: raw
//   6  the first 4 KiB: with control characters raw, else text (with --dtype a remark says so)
file_format detect(opened_input& input, const std::string& extension, const read_options& options) {
  if (options.format != file_format::detect) return options.format;
  const std::string magic = beginning_of(input, npy_prefix_bytes);
  if (has_npy_magic(std::as_bytes(std::span(magic.data(), magic.size())))) return file_format::npy;
  if (looks_sealed({reinterpret_cast<const unsigned char*>(magic.data()), magic.size()})) {
    throw input_error("a saved state; monofold merge reads it");
  }
  if (const auto said = format_said(extension, options)) return *said;
  if (!looks_binary(beginning_of(input, sample_bytes))) return file_format::text;
  if (options.type) return file_format::raw;
  throw input_error("not text and not .npy; if it is raw binary, say --dtype TYPE");
}

// A regular file is read as a stream if it says that it is empty (the files of /proc do, and have
// bytes all the same), or if it is standard input and somebody has read from it.
opened_input open_input(const descriptor& file) {
  struct stat facts {};
  if (::fstat(file.get(), &facts) != 0) throw input_error("cannot open: " + error_text(errno));
  opened_input input;
  if (S_ISREG(facts.st_mode) && facts.st_size > 0 && ::lseek(file.get(), 0, SEEK_CUR) == 0) {
    input.file = std::make_unique<regular_file>(duplicate(file), facts.st_size);
  } else {
    input.stream = std::make_unique<byte_stream>(duplicate(file));
  }
  return input;
}

}  // namespace

std::optional<file_format> format_said(const std::string& extension, const read_options& options) {
  if (options.format != file_format::detect) return options.format;
  if (extension == ".npy") return file_format::npy;
  for (const std::string_view text : {".csv", ".tsv", ".txt"}) {
    if (extension == text) return file_format::text;
  }
  if (options.column || !options.by.empty() || options.delimiter ||
      options.header != header_rule::detect || !options.missing.empty()) {
    return file_format::text;
  }
  if (options.type && (extension == ".bin" || extension == ".raw")) return file_format::raw;
  return std::nullopt;
}

std::string extension_of(const std::string& name) {
  const std::size_t point = name.find_last_of("./");
  if (point == std::string::npos || name[point] == '/') return {};
  std::string extension = name.substr(point);
  for (char& c : extension) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return extension;
}

namespace {

// An input that is open, and what it is.
struct told_input {
  opened_input input;
  file_format format;
};

told_input tell(descriptor& file, const std::string& name, const read_options& options) {
  opened_input input = open_input(file);
  const file_format format = detect(input, extension_of(name), options);
  if (format != file_format::raw && beginning_of(input, 1).empty()) {
    throw input_error("the file is empty");
  }
  return {std::move(input), format};
}

std::unique_ptr<byte_stream> stream_of(opened_input input, descriptor file) {
  if (input.file == nullptr) return std::move(input.stream);
  input.file.reset();
  return std::make_unique<byte_stream>(std::move(file));
}

}  // namespace

std::unique_ptr<byte_stream> open_text_stream(const std::string& path,
                                              const read_options& options) {
  check_delimiter(options);
  descriptor file = open_for_reading(path);
  told_input told = tell(file, path, options);
  if (told.format != file_format::text) throw input_error("not text, which --by needs");
  return stream_of(std::move(told.input), std::move(file));
}

std::unique_ptr<source> open_descriptor(descriptor file, const std::string& name,
                                        const read_options& options) {
  auto [input, format] = tell(file, name, options);
  if (format == file_format::npy) return open_npy(std::move(input), options);
  if (format == file_format::raw) return open_raw(std::move(input), options);
  return open_text(stream_of(std::move(input), std::move(file)), name, options);
}

std::unique_ptr<source> open_source(const std::string& path, const read_options& options) {
  return open_descriptor(open_for_reading(path), path, options);
}

}  // namespace monofold::cli
