#pragma once
/// trace/source_lines: the lines of source that addresses of code come from.

#include <cstdint>
#include <string>
#include <vector>

namespace monofold::trace {

struct source_line {
  std::string file;  // as the compiler was given it; empty: not known
  int line = 0;
};

/// The lines of return addresses of this process, each with those it was inlined into, innermost first.
///
/// errors     none: where a file has no lines (it was compiled without -g), or there is no addr2line
///            (binutils), the lists are empty
/// cost       a process for each library that addresses lie in: a tenth of a second for some MB
std::vector<std::vector<source_line>> lines_of(const std::vector<std::uintptr_t>& addresses);

}  // namespace monofold::trace
