# Writes OUT: the text of each file that matches FILES, by its name under ROOT.

cmake_minimum_required(VERSION 3.25)

file(GLOB files ${FILES})
set(rows "")
foreach(file IN LISTS files)
  cmake_path(RELATIVE_PATH file BASE_DIRECTORY ${ROOT} OUTPUT_VARIABLE name)
  file(READ ${file} text)
  string(APPEND rows "    {\"${name}\", R\"source(${text})source\"},\n")
endforeach()
file(WRITE ${OUT} "// Made by ladder/traced/sources.cmake.

#include \"ladder/traced/sources.hpp\"

namespace monofold::ladder {

const std::vector<rung_source>& rung_sources() {
  static const std::vector<rung_source> all{
${rows}  };
  return all;
}

}  // namespace monofold::ladder
")
