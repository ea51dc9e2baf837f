#pragma once
/// cli/json: one JSON object in one line, its members in the order in which they come.

#include <concepts>
#include <string>
#include <string_view>

namespace monofold::cli {

/// A string in quotes. What is not UTF-8 becomes U+FFFD, one for each sequence that breaks off.
std::string json_text(std::string_view text);
/// A number that reads back to the same bits, with a point or an exponent; null for NaN and infinity.
std::string json_text(double value);
inline std::string json_text(const char* text) { return json_text(std::string_view(text)); }
inline std::string json_text(bool value) { return value ? "true" : "false"; }
template <std::integral Integer>
std::string json_text(Integer value) {
  return std::to_string(value);
}
template <class Texts>
requires requires(const Texts& texts) { texts.begin()->size(); }
std::string json_text(const Texts& texts) {
  std::string out;
  for (const auto& text : texts)
    out += (out.empty() ? "[" : ",") + json_text(std::string_view(text));
  return (out.empty() ? "[" : out) + ']';
}

/// tested by  tests/cli/report_test.cpp
class json_object {
 public:
  template <class Value>
  json_object& add(std::string_view name, const Value& value) {
    return add_json(name, json_text(value));
  }
  /// A value that is JSON already.
  json_object& add_json(std::string_view name, std::string_view json);
  std::string text() const { return members_.empty() ? "{}" : members_ + '}'; }

 private:
  std::string members_;
};

/// The value of a member of a flat object: a string without its quotes, or what else stands there;
/// empty: there is none. For rows that this project wrote: no escapes.
std::string_view json_member(std::string_view object, std::string_view name);

}  // namespace monofold::cli
