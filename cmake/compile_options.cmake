# What every target of this project is compiled with. Nothing here touches a parent project: all of
# it is set on targets, and the two directory-wide defaults only when this is the top level.

if(PROJECT_IS_TOP_LEVEL)
  get_property(multi_config GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
  if(NOT CMAKE_BUILD_TYPE AND NOT multi_config)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
  endif()
  find_program(MONOFOLD_CCACHE ccache)
  mark_as_advanced(MONOFOLD_CCACHE)
  if(MONOFOLD_CCACHE AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_C_COMPILER_LAUNCHER ${MONOFOLD_CCACHE})
    set(CMAKE_CXX_COMPILER_LAUNCHER ${MONOFOLD_CCACHE})
  endif()
  # g++ looks through its heap for garbage each time that has doubled, from 128 MB on: a fifteenth of its time.
  # Where each core has memory for that, it begins at 1 GB.
  cmake_host_system_information(RESULT memory QUERY TOTAL_PHYSICAL_MEMORY)  # MiB
  cmake_host_system_information(RESULT cores QUERY NUMBER_OF_LOGICAL_CORES)
  math(EXPR memory_each "${memory} / ${cores}")
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND memory_each GREATER 3000)
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:--param=ggc-min-heapsize=1048576>)
  endif()
endif()

# Compiles so many sources of a target at a time, those without options of their own: what they include
# is read once. clang-tidy wants a command for each.
function(monofold_units target sources)
  if(MONOFOLD_UNITS)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${sources})
  endif()
endfunction()

# monofold_write_unit(unit path...): a source that includes files in this order.
function(monofold_write_unit unit)
  list(TRANSFORM ARGN REPLACE "(.+)" "#include \"\\1\"" OUTPUT_VARIABLE lines)
  list(JOIN lines "\n" content)
  file(CONFIGURE OUTPUT ${unit} CONTENT "${content}\n" @ONLY)
endfunction()

# Where the libraries lie that tests include, as flags of a compiler that CMake does not call itself.
function(monofold_include_flags variable)
  set(flags)
  foreach(library IN ITEMS GTest::gtest ZLIB::ZLIB)
    if(TARGET ${library})
      get_target_property(folders ${library} INTERFACE_INCLUDE_DIRECTORIES)
      list(FILTER folders EXCLUDE REGEX "NOTFOUND$|^/usr/include$")
      list(TRANSFORM folders PREPEND -I)
      list(APPEND flags ${folders})
    endif()
  endforeach()
  set(${variable} ${flags} PARENT_SCOPE)
endfunction()

# Checks of undefined behaviour that end a program by an instruction, and not by a call with what to print: g++ takes an
# eighth to a quarter less. It leaves out who calls a virtual function of what, so this is for sources of the headers,
# which have none. The preset host-asan lets the address sanitizer print the line.
function(monofold_trap_checks target)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_FLAGS MATCHES "fsanitize=[^ ]*undefined")
    target_compile_options(${target} PRIVATE
      $<$<COMPILE_LANGUAGE:CXX>:-fsanitize-undefined-trap-on-error>)
  endif()
endfunction()

# No fast-math flag of any kind, ever: each of them lets the compiler change bits. -ffp-contract=off
# comes with the target `monofold` itself.
function(monofold_compile_options target)
  target_compile_features(${target} PRIVATE cxx_std_20)
  set_target_properties(${target} PROPERTIES
    CXX_EXTENSIONS OFF
    POSITION_INDEPENDENT_CODE ON)
  target_compile_options(${target} PRIVATE
    $<$<OR:$<C_COMPILER_ID:GNU,Clang,AppleClang>,$<CXX_COMPILER_ID:GNU,Clang,AppleClang>>:-ffp-contract=off>
    -Wall -Wextra -Wconversion $<$<CXX_COMPILER_ID:GNU>:-Wshadow=local>
    # gcc 12 sees overlapping copies inside std::string where there are none (gcc bug 105651).
    $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
    $<$<BOOL:${MONOFOLD_WERROR}>:-Werror>)
endfunction()
