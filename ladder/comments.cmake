# Writes OUT: the leading comment of each file of RUNGS as a string by the rung's name, GOLDEN, and PARTS, which are
# the files that a report is made of.

file(GLOB files ${RUNGS}/*.cuh)
set(rows "")
foreach(file IN LISTS files)
  cmake_path(GET file STEM name)
  file(READ ${file} text)
  string(REGEX MATCH "#pragma once\n(///[^\n]*\n)+" comment "${text}")
  string(REPLACE "#pragma once\n" "" comment "${comment}")
  string(APPEND rows "    {\"${name}\", R\"page(${comment})page\"},\n")
endforeach()
set(measured "")
if(EXISTS ${GOLDEN})
  file(READ ${GOLDEN} text)
  # A row a literal: compilers limit the length of one.
  string(REGEX REPLACE "([^\n]+\n)" "    R\"row(\\1)row\"\n" measured "${text}")
endif()
set(parts "")
foreach(file IN LISTS PARTS)
  cmake_path(GET file FILENAME name)
  file(READ ${file} text)
  string(APPEND parts "  if (file == \"${name}\") return R\"part(${text})part\";\n")
endforeach()
file(WRITE ${OUT} "// Made by ladder/comments.cmake.

#include \"ladder/pages.hpp\"

namespace monofold::ladder {

const std::vector<rung_comment>& rung_comments() {
  static const std::vector<rung_comment> all{
${rows}  };
  return all;
}

std::string_view golden_rows() {
  return \"\"
${measured}    ;
}

std::string_view report_part(std::string_view file) {
${parts}  return {};
}

}  // namespace monofold::ladder
")
