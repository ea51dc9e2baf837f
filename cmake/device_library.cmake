# Libraries of kernels, which libmonofold and the tool load at run time when a device is asked for.

# What one is made of: its table, and the folds of each type.
file(GLOB monofold_device_sources CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/runtime/gpu/*.cpp ${PROJECT_SOURCE_DIR}/runtime/gpu/*.cu)
if(MONOFOLD_BUILD_TOOL)
  # The rungs of the ladder: of the emulated device a library of their own.
  file(GLOB monofold_rung_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/ladder/*.cu)
  list(APPEND monofold_rung_sources ${PROJECT_SOURCE_DIR}/ladder/device.cpp)
endif()

# The folds of rows, and their table: of GPUs a library of its own.
file(GLOB monofold_row_sources CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/runtime/gpu/rows/*.cpp ${PROJECT_SOURCE_DIR}/runtime/gpu/rows/*.cu)

# monofold_device_library(target file sources..): a library that exports its tables and the maker of `rung_runner` only.
# What it shares names with, libmonofold and other such libraries, may be in the same process.
function(monofold_device_library target file)
  add_library(${target} MODULE ${ARGN})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_options(${target} PRIVATE -Wl,--exclude-libs,ALL -Wl,-z,defs)
  set_target_properties(${target} PROPERTIES
    OUTPUT_NAME ${file}
    CXX_VISIBILITY_PRESET hidden
    CUDA_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON
    POSITION_INDEPENDENT_CODE ON
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
endfunction()
