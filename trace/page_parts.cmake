# Writes OUT: each file of FOLDER as strings, each of which a compiler takes (they limit the length of one).

cmake_minimum_required(VERSION 3.25)

file(GLOB files ${FOLDER}/*)
set(rows "")
foreach(file IN LISTS files)
  cmake_path(GET file FILENAME name)
  file(READ ${file} text)
  set(parts "")
  string(LENGTH "${text}" left)
  set(from 0)
  while(from LESS left)
    string(SUBSTRING "${text}" ${from} 8000 part)
    string(APPEND parts "\n     R\"part(${part})part\"")
    math(EXPR from "${from} + 8000")
  endwhile()
  string(APPEND rows "    {\"${name}\",${parts}},\n")
endforeach()
file(WRITE ${OUT} "// Made by trace/page_parts.cmake.

#include \"trace/page_parts.hpp\"

namespace monofold::trace {

const std::vector<page_part>& page_parts() {
  static const std::vector<page_part> all{
${rows}  };
  return all;
}

}  // namespace monofold::trace
")
