#pragma once
/// traced/sources: the texts of the rungs, which a page shows beside their runs.

#include <string_view>
#include <vector>

namespace monofold::ladder {

struct rung_source {
  std::string_view file;  // ladder/rungs/NAME.cuh
  std::string_view text;
};

const std::vector<rung_source>& rung_sources();

}  // namespace monofold::ladder
