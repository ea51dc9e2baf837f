#pragma once
/// trace/json_text: pieces of JSON, and the short text of a series of numbers.

#include <string>
#include <string_view>
#include <vector>

namespace monofold::trace {

/// A string in quotes; a "<" becomes an escape, so that a page can hold the text, and a byte that belongs to no
/// character of UTF-8 U+FFFD, as a document of JSON has no others.
std::string quote(std::string_view text);

/// Numbers as runs: "0-31" for 0 1 ... 31, "0-30/2" for 0 2 ... 30, "5*32" for 5 32 times, else the
/// numbers; commas between.
std::string series(const std::vector<long>& numbers);

/// Members of an object or of an array as they come.
class json_list {
 public:
  explicit json_list(char open, char close) : text_(1, open), close_(close) {}
  json_list& add(std::string_view json) {
    if (text_.size() > 1) text_ += ',';
    text_ += json;
    return *this;
  }
  json_list& add(std::string_view name, std::string_view json) {
    return add(quote(name) + ':' + std::string(json));
  }
  json_list& add(std::string_view name, long number) { return add(name, std::to_string(number)); }
  std::string text() const { return text_ + close_; }

 private:
  std::string text_;
  char close_;
};

}  // namespace monofold::trace
