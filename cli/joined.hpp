#pragma once
/// cli/joined: several texts as one.

#include <iterator>
#include <string>
#include <string_view>

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

}  // namespace monofold::cli
