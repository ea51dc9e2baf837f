# The emulated device: the target monofold::emulated, with which g++ compiles CUDA sources for it.

set(MONOFOLD_USES_EMULATED OFF)
if(MONOFOLD_EMULATED)
  set(why_not "")
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU" OR NOT CMAKE_SYSTEM_NAME STREQUAL "Linux")
    set(why_not "it needs g++ on Linux")
  elseif("${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_DEBUG}" MATCHES "-fsanitize")
    # One program cannot have the instrumentation of two sanitizers, and they do not know fibers.
    set(why_not "it does not go together with sanitizers")
  else()
    find_package(Boost QUIET COMPONENTS context GLOBAL)
    if(NOT TARGET Boost::context)
      set(why_not "Boost.Context was not found; Debian: libboost-context-dev")
    endif()
  endif()
  if(NOT why_not)
    set(MONOFOLD_USES_EMULATED ON)
  elseif(MONOFOLD_EMULATED STREQUAL "AUTO")
    message(STATUS "monofold: no emulated device (${why_not})")
  else()
    message(FATAL_ERROR "monofold: MONOFOLD_EMULATED is ON, but ${why_not}")
  endif()
endif()
if(NOT MONOFOLD_USES_EMULATED)
  return()
endif()

# The device itself is not instrumented.
file(GLOB emulation_sources CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/emulation/*.cpp ${PROJECT_SOURCE_DIR}/trace/*.cpp)
# What the page that plays a recording is made of, as strings.
file(GLOB page_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/trace/page/*)
include(${CMAKE_CURRENT_LIST_DIR}/embed_texts.cmake)
set(page_parts ${PROJECT_BINARY_DIR}/trace/page_parts.cpp)
monofold_embed_texts(${page_parts} trace/page_parts.hpp monofold::trace::page_part
  monofold::trace::page_parts ${PROJECT_SOURCE_DIR}/trace/page ${page_files})
add_library(monofold_emulation STATIC ${emulation_sources} ${page_parts})
set_target_properties(monofold_emulation PROPERTIES EXPORT_NAME emulation)
monofold_compile_options(monofold_emulation)
monofold_units(monofold_emulation 18)  # all of emulation/, and all of trace/
# What every access of a kernel calls is inline where it can be: tests take 0.94 of the time.
target_compile_options(monofold_emulation PRIVATE -fno-semantic-interposition)
set(monofold_emulation_headers
  builtins.hpp copies.hpp devices.hpp dimensions.hpp grid.hpp launch.hpp launch_shape.hpp random.hpp
  recording.hpp report.hpp warp_call.hpp)
set(emulation_includes
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/emulation/cuda>
  $<INSTALL_INTERFACE:include/monofold_emulation>
  $<INSTALL_INTERFACE:include/monofold_emulation/emulation/cuda>)
# Before all others: there may be a CUDA toolkit on the include path.
target_include_directories(monofold_emulation BEFORE PUBLIC ${emulation_includes})
target_link_libraries(monofold_emulation
  PUBLIC Threads::Threads PRIVATE Boost::context ${CMAKE_DL_LIBS})

add_library(monofold_emulated INTERFACE)
add_library(monofold::emulated ALIAS monofold_emulated)
set_target_properties(monofold_emulated PROPERTIES EXPORT_NAME emulated)
target_link_libraries(monofold_emulated INTERFACE monofold_emulation monofold)
target_compile_definitions(monofold_emulated INTERFACE MONOFOLD_EMULATED=1)
# The calls that -fsanitize=thread puts before each access, without the sanitizer's library: not a
# link option. Copies of structs stay whole, and loops do not become calls of memcpy, which would be
# seen by halves or not at all. What kernels have without an include is included.
target_compile_options(monofold_emulated INTERFACE
  -fsanitize=thread -U__SANITIZE_THREAD__
  -Wno-tsan  # fences of the host's std::atomic: the instrumentation does not see them, nor need it
  "SHELL:--param tsan-distinguish-volatile=1"
  "SHELL:--param tsan-instrument-func-entry-exit=0"
  -fno-tree-sra -fno-tree-loop-distribute-patterns
  "SHELL:-include emulation/builtins.hpp" "SHELL:-include emulation/copies.hpp")

function(monofold_emulated_options target)
  target_compile_features(${target} PRIVATE cxx_std_20)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  target_compile_options(${target} PRIVATE
    -Wall -Wextra -Wno-restrict
    # Registers that a kernel leaves unset in lanes that do not use them.
    -Wno-maybe-uninitialized
    $<$<BOOL:${MONOFOLD_WERROR}>:-Werror>)
endfunction()
