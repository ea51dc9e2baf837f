# Finds the headers of Highway (SIMD) and makes the target Highway::hwy of them: its library is not needed. A module
# of our own because distributions differ in what they ship: a CMake package, a pkg-config file, or neither.

find_path(Highway_INCLUDE_DIR hwy/highway.h)
mark_as_advanced(Highway_INCLUDE_DIR)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Highway REQUIRED_VARS Highway_INCLUDE_DIR)

if(Highway_FOUND AND NOT TARGET Highway::hwy)
  add_library(Highway::hwy INTERFACE IMPORTED)
  set_target_properties(Highway::hwy PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${Highway_INCLUDE_DIR}")
endif()
