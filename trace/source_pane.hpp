#pragma once
/// trace/source_pane: the pieces of source that a page shows, and the line of each place of a recording.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace monofold::trace {

/// A run of lines of a file.
struct source_piece {
  std::string name;
  int first = 1;
  std::vector<std::string> lines;
};

/// shape      places: for each stack a piece and a line of the file; -1 and 0 where it is not known
struct source_pane {
  std::vector<source_piece> pieces;
  std::vector<std::pair<int, int>> places;
};

/// The line of a stack is the innermost one in the folder of the kernel's file: what the kernel's author
/// wrote, not what it calls of libraries.
///
/// shape      sources: texts of files by the ends of their paths; other files are read
source_pane make_source_pane(const std::vector<std::vector<std::uintptr_t>>& stacks,
                             const std::vector<std::pair<std::string, std::string>>& sources);

}  // namespace monofold::trace
