#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/array_source.hpp"
#include "cli/readers.hpp"
#include "cli/text_parse.hpp"
#include "cli/text_reader.hpp"
#include "cli/text_rounding.hpp"

namespace monofold::cli {
namespace {

constexpr std::int64_t chunk_items = 128 << 10;  // 1 MiB of doubles: they are reduced while cached

// What `parse_prefix` may take. A field ends at its delimiter even where a number would go on.
constexpr bool occurs_in_numbers(char c) {
  return std::string_view("+-.0123456789eE").find(c) != std::string_view::npos;
}

class text_source final : public source, private text_reader {
 public:
  text_source(std::unique_ptr<byte_stream> stream, const std::string& extension,
              const read_options& options)
      : text_reader(std::move(stream), extension, options),
        rounding_(options.type ? rounding_watch::state::off : rounding_watch::state::on),
        items_(make_buffer(chunk_items * info(type_).size_bytes)) {}

  dtype type() const override { return type_; }
  std::optional<std::int64_t> count() const override { return std::nullopt; }
  std::optional<std::int64_t> total_bytes() const override { return std::nullopt; }
  std::int64_t consumed_bytes() const override { return text_.taken_bytes(); }
  std::int64_t missing_count() const override { return missing_count_; }
  std::vector<std::string> remarks() const override {
    std::vector<std::string> out;
    if (guessed_) out.emplace_back("read as text, as it looks; --format raw reads its bytes");
    if (const auto rounded = rounding_.remark()) out.push_back(*rounded);
    return out;
  }

  chunk next() override {
    const std::int64_t count = visit_dtype(type_, [this]<class T>() { return parse<T>(); });
    return {items_.get(), count};
  }

 private:
  // Parses until the buffer of items is full or the text has ended.
  template <class T>
  std::int64_t parse() {
    auto* begin = static_cast<T*>(items_.get());
    T* out = begin;
    T* const out_end = begin + chunk_items;
    for (;;) {
      out = layout_.table ? parse_rows(out, out_end) : parse_tokens(out, out_end);
      if (out == out_end || !more()) return out - begin;
    }
  }

  // Numbers between blanks. Stops where the items are full, or at a token that may go on behind the
  // window.
  template <class T>
  T* parse_tokens(T* out, T* const out_end) {
    const char* at = text_.begin();
    const char* const last = text_.end();
    const bool plain = !number_missing_;
    while (out != out_end) {
      for (; at != last && is_blank(*at); ++at) {
        if (*at != '\n') continue;
        ++line_;
        before_line_ = 0;
        line_begin_ = at + 1;
      }
      if (at == last) break;
      const char* end = plain ? parse_prefix(at, last, *out) : at;
      if (end == at || end == last || !is_blank(*end)) {
        end = at;
        while (!is_blank(*end)) ++end;
        if (end == last) break;
        const std::string_view token(at, end);
        if (!is_missing(token)) {
          const text_fault fault = parse_number(token, *out);
          if (fault != text_fault::none) fail_token(at, token, fault);
          rounding_.look(at, end);
          ++out;
        }
      } else {
        rounding_.look(at, end);
        ++out;
      }
      at = end;
      any_token_ = true;
    }
    // The window moves; how far the line had come is remembered as a count.
    before_line_ += at - line_begin_;
    text_.consume(at);
    line_begin_ = at;
    return out;
  }

  // Rows of a table. The common row has no quotes: its column is parsed where it is found, and only
  // delimiters are counted behind it. Any other row is scanned as a whole.
  template <class T>
  T* parse_rows(T* out, T* const out_end) {
    const char* at = text_.begin();
    const char* const last = text_.end();
    const bool plain = !number_missing_ && layout_.delimiter != blank_delimiter &&
                       !occurs_in_numbers(layout_.delimiter);
    while (out != out_end && at != last) {
      const char* end = plain ? parse_plain_row(at, last, *out) : at;
      if (end != at) {
        ++out;
        ++line_;
      } else {
        bool kept = false;
        end = parse_any_row(at, last, *out, kept);
        if (end == at) break;
        out += kept;
      }
      at = end;
    }
    text_.consume(at);
    return out;
  }

  // The end of the row, or `first` if it is not as simple as that.
  template <class T>
  const char* parse_plain_row(const char* first, const char* last, T& out) {
    const char delimiter = layout_.delimiter;
    const char* at = first;
    const auto skips = [&](char c) { return is_space(c) && c != delimiter; };
    for (std::int64_t i = 0; i < layout_.column; ++i, ++at) {
      while (skips(*at)) ++at;
      if (*at == '"') return first;
      while (*at != delimiter && *at != '\n') ++at;
      if (*at == '\n') return first;
    }
    while (skips(*at)) ++at;
    const char* end = parse_prefix(at, last, out);
    if (end == at) return first;
    rounding_.look(at, end);
    while (skips(*end)) ++end;
    std::int64_t left = layout_.num_columns - layout_.column - 1;
    for (; *end == delimiter; --left) {
      ++end;
      while (skips(*end)) ++end;
      if (*end == '"') return first;
      while (*end != delimiter && *end != '\n') ++end;
    }
    return *end == '\n' && end < last && left == 0 ? end + 1 : first;
  }

  // The end of the row, or `first` if the window ends inside it.
  template <class T>
  const char* parse_any_row(const char* first, const char* last, T& out, bool& kept) {
    std::string_view raw;
    bool doubled = false;
    const auto choose = [&](std::int64_t index, std::string_view text, bool doubled_quotes) {
      if (index != layout_.column) return;
      raw = text;
      doubled = doubled_quotes;
    };
    const text_row row = scan_row(first, last, layout_.delimiter, choose);
    check_row(row);
    if (row.result == text_row::outcome::incomplete) return first;
    if (!row.blank) {
      check_columns(row);
      const std::string token = unquoted(raw, doubled);
      kept = !is_missing(token);
      if (kept) {
        out = number_in<T>(token);
        rounding_.look(token.data(), token.data() + token.size());
      }
    }
    line_ += row.num_lines;
    return row.end;
  }

  rounding_watch rounding_;
  aligned_buffer items_;
};

}  // namespace

void check_delimiter(const read_options& options) {
  if (options.delimiter &&
      (*options.delimiter == '"' || *options.delimiter == '\n' || *options.delimiter == '\r')) {
    throw input_error("a quote or the end of a line cannot separate columns");
  }
}

std::unique_ptr<source> open_text(std::unique_ptr<byte_stream> stream, const std::string& name,
                                  const read_options& options) {
  check_delimiter(options);
  return std::make_unique<text_source>(std::move(stream), extension_of(name), options);
}

}  // namespace monofold::cli
