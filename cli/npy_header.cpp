#include "cli/npy_header.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <limits>
#include <string>
#include <string_view>

#include "cli/npy_descr.hpp"
#include "cli/quote.hpp"
#include "cli/source.hpp"

namespace monofold::cli {
namespace {

constexpr std::string_view magic = "\x93NUMPY";

[[noreturn]] void fail(std::size_t offset, const std::string& what) {
  throw input_error("bad .npy header: at byte " + std::to_string(offset) + ": " + what);
}

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// A reader of the Python dictionary literal: a cursor over the header that knows its place in the
// file.
class literal_reader {
 public:
  literal_reader(std::string_view text, std::size_t begin) : text_(text), at_(begin) {}

  std::size_t offset() const { return at_; }
  std::string_view between(std::size_t begin, std::size_t end) const {
    return text_.substr(begin, end - begin);
  }

  char peek() {
    skip_blanks();
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  bool accept(char c) {
    if (peek() != c || at_ == text_.size()) return false;
    ++at_;
    return true;
  }

  void expect(char c) {
    if (!accept(c)) fail_here(quote({&c, 1}));
  }

  [[noreturn]] void fail_here(const std::string& expected) {
    skip_blanks();
    fail(at_, "expected " + expected + ", found " +
                  (at_ == text_.size() ? "the end of the header" : quote(token())));
  }

  std::string_view string(const std::string& expected) {
    const char mark = peek();
    if (mark != '\'' && mark != '"') fail_here(expected);
    const std::size_t begin = ++at_;
    const std::size_t end = text_.find(mark, begin);
    if (end == std::string_view::npos) fail(begin - 1, "the string has no end");
    at_ = end + 1;
    return between(begin, end);
  }

  bool boolean() {
    for (const bool value : {true, false}) {
      const std::string_view name = value ? "True" : "False";
      peek();
      if (text_.substr(at_, name.size()) != name) continue;
      at_ += name.size();
      return value;
    }
    fail_here("True or False");
  }

  std::int64_t extent() {
    const char first = peek();
    if (first == '-') fail(at_, "expected an extent of at least 0, found " + quote(token()));
    std::int64_t value = 0;
    const char* begin = text_.data() + at_;
    const char* end = text_.data() + text_.size();
    const auto [stop, code] = std::from_chars(begin, end, value);
    if (code == std::errc::result_out_of_range) {
      fail(at_, "expected an extent below 2^63, found " + quote(token()));
    }
    if (code != std::errc()) fail_here("an extent or ')'");
    at_ += static_cast<std::size_t>(stop - begin);
    if (at_ < text_.size() && text_[at_] == 'L') ++at_;  // Python 2 wrote long integers so
    return value;
  }

  // Passes over a bracketed value, so that a message can show it.
  std::string_view skip_brackets() {
    const std::size_t begin = at_;
    int depth = 0;
    for (; at_ < text_.size(); ++at_) {
      depth += text_[at_] == '[' || text_[at_] == '(';
      depth -= text_[at_] == ']' || text_[at_] == ')';
      if (depth == 0) break;
    }
    return between(begin, std::min(at_ + 1, text_.size()));
  }

 private:
  void skip_blanks() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != text_.npos) ++at_;
  }

  // What a message shows of a wrong place: up to the next character that separates.
  std::string_view token() const {
    const std::size_t end = text_.find_first_of(" \t\r\n,:(){}[]'\"", at_);
    return between(at_, std::max(at_ + 1, std::min(end, text_.size())));
  }

  std::string_view text_;
  std::size_t at_;
};

std::vector<std::int64_t> read_shape(literal_reader& in) {
  std::vector<std::int64_t> shape;
  in.expect('(');
  while (!in.accept(')')) {
    shape.push_back(in.extent());
    if (in.accept(',')) continue;
    if (shape.size() == 1) in.fail_here("','");  // (3) is a number, not a tuple
    in.expect(')');
    break;
  }
  return shape;
}

// The number of items. A header and items of 2^63 bytes or more can be in no file; with a zero among
// the extents the others do not matter.
std::int64_t count_items(const npy_header& header, std::size_t offset) {
  if (std::find(header.shape.begin(), header.shape.end(), 0) != header.shape.end()) return 0;
  std::int64_t room = (std::numeric_limits<std::int64_t>::max() - header.data_offset) /
                      info(header.type).size_bytes;
  std::int64_t product = 1;
  for (const std::int64_t extent : header.shape) {
    room /= extent;
    if (room == 0) fail(offset, "expected a shape of fewer than 2^63 bytes, found a larger one");
    product *= extent;
  }
  return product;
}

struct header_values {
  std::optional<std::size_t> descr_at, order_at, shape_at;  // where the values begin
};

std::size_t claim(std::optional<std::size_t>& seen, std::string_view key, std::size_t key_at,
                  std::size_t value_at) {
  if (seen) fail(key_at, "duplicate key " + quote(key));
  seen = value_at;
  return value_at;
}

void read_value(literal_reader& in, std::string_view key, std::size_t key_at,
                std::optional<dtype> type, header_values& seen, npy_header& header) {
  const char first = in.peek();
  if (key == "descr") {
    const std::size_t at = claim(seen.descr_at, key, key_at, in.offset());
    if (first == '[' || first == '(') {
      fail(at, "structured dtype " + quote(in.skip_brackets()) + " is not supported");
    }
    const std::string_view descr = in.string("a dtype in quotes");
    const npy_descr meaning = parse_npy_descr(descr, type);
    if (!meaning.problem.empty()) fail(at, meaning.problem);
    header.type = meaning.type;
    header.swapped = meaning.swapped;
  } else if (key == "fortran_order") {
    claim(seen.order_at, key, key_at, in.offset());
    header.fortran_order = in.boolean();
  } else if (key == "shape") {
    claim(seen.shape_at, key, key_at, in.offset());
    header.shape = read_shape(in);
  } else {
    fail(key_at, "expected the key 'descr', 'fortran_order' or 'shape', found " + quote(key));
  }
}

}  // namespace

bool has_npy_magic(std::span<const std::byte> bytes) {
  return as_text(bytes).substr(0, magic.size()) == magic;
}

std::size_t npy_header_bytes(std::span<const std::byte> bytes) {
  const std::string_view text = as_text(bytes);
  const auto byte = [&](std::size_t i) { return std::to_integer<std::size_t>(bytes[i]); };
  if (!has_npy_magic(bytes)) {
    fail(0, "expected '\\x93NUMPY', found " + quote(text.substr(0, magic.size())));
  }
  const auto need = [&](std::size_t count) {
    if (bytes.size() >= count) return;
    fail(bytes.size(), "expected the version and the header length, found the end of the file");
  };
  need(8);
  const std::size_t major = byte(6);
  if (major < 1 || major > 3 || byte(7) != 0) {
    fail(6, "expected version 1.0, 2.0 or 3.0, found " + std::to_string(major) + "." +
                std::to_string(byte(7)));
  }
  const std::size_t prefix = major == 1 ? 10 : 12;
  need(prefix);
  std::size_t length = byte(8) | byte(9) << 8;
  if (major > 1) length |= byte(10) << 16 | byte(11) << 24;
  if (length > npy_most_header_bytes) {
    fail(8, "expected a header of at most " + std::to_string(npy_most_header_bytes) +
                " bytes, found a length of " + std::to_string(length));
  }
  return prefix + length;
}

npy_header parse_npy_header(std::span<const std::byte> bytes, std::optional<dtype> type) {
  const std::size_t header_bytes = npy_header_bytes(bytes);
  if (header_bytes > bytes.size()) {
    fail(bytes.size(), "expected a header up to byte " + std::to_string(header_bytes) +
                           ", found the end of the file");
  }
  npy_header header;
  header_values seen;
  const bool version_1 = bytes[6] == std::byte{1};
  literal_reader in(as_text(bytes.first(header_bytes)), version_1 ? 10 : 12);
  in.expect('{');
  while (!in.accept('}')) {
    in.peek();
    const std::size_t key_at = in.offset();
    const std::string_view key = in.string("a key in quotes or '}'");
    in.expect(':');
    read_value(in, key, key_at, type, seen, header);
    if (in.accept(',')) continue;
    if (in.peek() != '}') in.fail_here("',' or '}'");
  }
  const std::size_t close_at = in.offset() - 1;
  if (!seen.descr_at) fail(close_at, "the key 'descr' is missing");
  if (!seen.order_at) fail(close_at, "the key 'fortran_order' is missing");
  if (!seen.shape_at) fail(close_at, "the key 'shape' is missing");
  in.peek();
  if (in.offset() != header_bytes) in.fail_here("blanks up to the end of the header");
  header.data_offset = static_cast<std::int64_t>(header_bytes);
  header.num_items = count_items(header, *seen.shape_at);
  return header;
}

}  // namespace monofold::cli
