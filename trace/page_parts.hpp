#pragma once
/// trace/page_parts: the files of trace/page as they were when this was compiled.

#include <string_view>
#include <vector>

namespace monofold::trace {

struct page_part {
  std::string_view file;
  std::string_view text;
};

const std::vector<page_part>& page_parts();

}  // namespace monofold::trace
