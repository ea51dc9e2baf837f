#pragma once
/// cli/joined: several texts as one, and a list with commas as its parts.

#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace monofold::cli {

template <class Texts>
std::string joined(const Texts& texts, std::string_view separator) {
  std::string out;
  for (const auto& text : texts) {
    if (&text != &*std::begin(texts)) out += separator;
    out += text;
  }
  return out;
}

/// What lies between the commas of a list: one part more than there are commas.
inline std::vector<std::string> parts_of_list(const std::string& text) {
  std::vector<std::string> parts{""};
  for (const char c : text) {
    if (c == ',') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

}  // namespace monofold::cli
