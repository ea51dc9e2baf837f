#pragma once
/// cli/ladder_pages: the pages of rungs, as text for a terminal and as docs/ladder.md.

#include <string>

#include "ladder/registry.hpp"

namespace monofold::cli {

/// One page, with what was measured on an H200 where that is known.
std::string ladder_page_text(const ladder::rung& which);

/// All pages: docs/ladder.md, which a test compares.
std::string ladder_markdown();

}  // namespace monofold::cli
