#include <algorithm>
#include <stdexcept>

#include "trace/page_parts.hpp"
#include "trace/trace.hpp"

namespace monofold::trace {

namespace {

std::string_view part(std::string_view file) {
  const auto& all = page_parts();
  const auto own =
      std::find_if(all.begin(), all.end(), [&](const auto& p) { return p.file == file; });
  if (own == all.end()) throw std::logic_error("no part of a page: " + std::string(file));
  return own->text;
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    out += c == '<' ? "&lt;" : c == '&' ? "&amp;" : std::string(1, c);
  }
  return out;
}

/// Puts `text` in the place of a mark, which is there once.
void put(std::string& page, std::string_view mark, std::string_view text) {
  page.replace(page.find(mark), mark.size(), text);
}

}  // namespace

std::string page(std::string_view document, std::string_view title) {
  std::string out(part("page.html"));
  put(out, "@TITLE@", escaped(title));
  put(out, "@STYLE@", part("page.css"));
  std::string script;
  for (const std::string_view file :
       {"model.js", "tree.js", "arrows.js", "view.js", "run.js", "player.js"}) {
    script += part(file);
  }
  put(out, "@SCRIPT@", script);
  put(out, "@TRACE@", document);
  return out;
}

}  // namespace monofold::trace
