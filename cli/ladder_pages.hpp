#pragma once
/// cli/ladder_pages: the pages of rungs, as text for a terminal and as docs/ladder.md.

#include <string>
#include <utility>
#include <vector>

#include "ladder/registry.hpp"

namespace monofold::cli {

/// One page, with what was measured on an H200 where that is known.
std::string ladder_page_text(const ladder::rung& which);

/// All pages: docs/ladder.md, which a test compares.
std::string ladder_markdown();

/// What a page says besides idea and drawing: titles and texts in their order. A text that is not known
/// is empty.
std::vector<std::pair<std::string, std::string>> ladder_facts(const ladder::rung& which);

}  // namespace monofold::cli
