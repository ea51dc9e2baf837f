# monofold_embed_texts(out header type function root files...): the source `out`, in which `function` gives the texts of
# files as a vector of `type`: {name under `root`, text}. `header` declares both. Run by itself, this file writes it.

if(NOT CMAKE_SCRIPT_MODE_FILE)
  function(monofold_embed_texts out header type function root)
    set(script ${CMAKE_CURRENT_FUNCTION_LIST_FILE})
    string(REPLACE ";" "\\;" files "${ARGN}")
    add_custom_command(OUTPUT ${out}
      COMMAND ${CMAKE_COMMAND} -D OUT=${out} -D HEADER=${header} -D TYPE=${type} -D FUNCTION=${function}
              -D ROOT=${root} -D FILES=${files} -P ${script}
      DEPENDS ${ARGN} ${script}
      VERBATIM)
  endfunction()
  return()
endif()

set(rows "")
foreach(file IN LISTS FILES)
  cmake_path(RELATIVE_PATH file BASE_DIRECTORY ${ROOT} OUTPUT_VARIABLE name)
  file(READ ${file} text)
  # In parts, as compilers limit the length of a string.
  set(parts "")
  string(LENGTH "${text}" length)
  set(from 0)
  while(from LESS length)
    string(SUBSTRING "${text}" ${from} 8000 part)
    string(APPEND parts "\n   R\"text(${part})text\"")
    math(EXPR from "${from} + 8000")
  endwhile()
  string(APPEND rows "  {\"${name}\",${parts}},\n")
endforeach()
file(WRITE ${OUT} "// Made by cmake/embed_texts.cmake.

#include \"${HEADER}\"

const std::vector<${TYPE}>& ${FUNCTION}() {
  static const std::vector<${TYPE}> all{
${rows}  };
  return all;
}
")
