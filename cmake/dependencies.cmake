# What the libraries need. Tests, benchmarks and the tool look for their own packages where they are
# built. GLOBAL: a parent project that adds this directory links our targets from its own scope.

find_package(Threads REQUIRED GLOBAL)

set(MONOFOLD_USES_TBB OFF)
if(MONOFOLD_TBB STREQUAL "AUTO")
  find_package(TBB QUIET CONFIG GLOBAL)
elseif(MONOFOLD_TBB)
  find_package(TBB REQUIRED CONFIG GLOBAL)
endif()
if(MONOFOLD_TBB AND TARGET TBB::tbb)
  set(MONOFOLD_USES_TBB ON)
  message(STATUS "monofold: threads by oneTBB ${TBB_VERSION}")
else()
  message(STATUS "monofold: threads made for each call (oneTBB not found or turned off)")
endif()

if(MONOFOLD_BUILD_RUNTIME)
  list(APPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR})
  find_package(Highway QUIET GLOBAL)
  if(NOT Highway_FOUND AND PROJECT_IS_TOP_LEVEL)
    message(FATAL_ERROR "monofold: libmonofold needs Highway (Debian: libhwy-dev). "
                        "For the headers alone configure with -DMONOFOLD_BUILD_RUNTIME=OFF.")
  endif()
endif()
