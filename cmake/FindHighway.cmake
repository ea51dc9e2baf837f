# Finds Highway (SIMD with run-time dispatch) and makes the target Highway::hwy. A module of our own
# because distributions differ in what they ship: a CMake package, a pkg-config file, or neither.

find_path(Highway_INCLUDE_DIR hwy/highway.h)
find_library(Highway_LIBRARY hwy)
mark_as_advanced(Highway_INCLUDE_DIR Highway_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Highway REQUIRED_VARS Highway_LIBRARY Highway_INCLUDE_DIR)

if(Highway_FOUND AND NOT TARGET Highway::hwy)
  add_library(Highway::hwy UNKNOWN IMPORTED)
  set_target_properties(Highway::hwy PROPERTIES
    IMPORTED_LOCATION "${Highway_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${Highway_INCLUDE_DIR}")
endif()
