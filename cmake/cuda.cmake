# CUDA: the target monofold::cuda, which is the headers plus what CUDA sources need, wherever it is built;
# and whether this build compiles CUDA code of its own, or lets nvcc look at it.

add_library(monofold_cuda INTERFACE)
add_library(monofold::cuda ALIAS monofold_cuda)
set_target_properties(monofold_cuda PROPERTIES EXPORT_NAME cuda)
target_link_libraries(monofold_cuda INTERFACE monofold CUDA::cudart_static)
# -std: CMake 3.25.1 does not know that nvcc has C++20. --fmad: the same bits as on a CPU, so no
# contracted multiply-adds on the device (nvcc contracts by default), nor in the host half.
target_compile_options(monofold_cuda INTERFACE
  "$<$<COMPILE_LANG_AND_ID:CUDA,NVIDIA>:-std=c++20;--fmad=false;-Xcompiler=-ffp-contract=off>")

# The GPU engine is built where there is something to run it, or where it is asked for.
file(GLOB devices /dev/nvidia[0-9]* /dev/dxg)
set(MONOFOLD_USES_CUDA OFF)
if(MONOFOLD_CUDA STREQUAL "AUTO")
  if(devices)
    include(CheckLanguage)
    check_language(CUDA)
    if(CMAKE_CUDA_COMPILER)
      set(MONOFOLD_USES_CUDA ON)
    endif()
  endif()
elseif(MONOFOLD_CUDA)
  set(MONOFOLD_USES_CUDA ON)
endif()

set(MONOFOLD_NVCC_CHECKS OFF)
if(MONOFOLD_CHECK_CUDA AND NOT MONOFOLD_USES_CUDA)
  find_program(MONOFOLD_NVCC nvcc HINTS $ENV{CUDACXX} /usr/local/cuda/bin)
  mark_as_advanced(MONOFOLD_NVCC)
  if(MONOFOLD_NVCC)
    set(MONOFOLD_NVCC_CHECKS ON)
  endif()
endif()

if(NOT MONOFOLD_USES_CUDA)
  message(STATUS "monofold: no GPU engine (no GPU or no nvcc is here, or MONOFOLD_CUDA is OFF)")
else()
  set(default_architectures 90)
  if(devices)
    set(default_architectures native)
  endif()
  set(MONOFOLD_CUDA_ARCHITECTURES ${default_architectures} CACHE STRING
      "Compute capabilities for which this project's own CUDA code is compiled")
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES ${MONOFOLD_CUDA_ARCHITECTURES})
  endif()
  if(PROJECT_IS_TOP_LEVEL AND MONOFOLD_CCACHE AND NOT DEFINED CMAKE_CUDA_COMPILER_LAUNCHER)
    set(CMAKE_CUDA_COMPILER_LAUNCHER ${MONOFOLD_CCACHE})
  endif()
  enable_language(CUDA)
  find_package(CUDAToolkit REQUIRED)
  if(CMAKE_CUDA_COMPILER_ID STREQUAL "NVIDIA")
    set(MONOFOLD_NVCC ${CMAKE_CUDA_COMPILER})
  endif()
  message(STATUS "monofold: GPU engine by CUDA ${CUDAToolkit_VERSION}, "
                 "compute capabilities ${CMAKE_CUDA_ARCHITECTURES}")
endif()

function(monofold_cuda_options target)
  set_target_properties(${target} PROPERTIES
    CUDA_EXTENSIONS OFF
    CUDA_RUNTIME_LIBRARY Static
    POSITION_INDEPENDENT_CODE ON)
  target_compile_options(${target} PRIVATE
    "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra,-Wno-restrict>"
    "$<$<AND:$<COMPILE_LANGUAGE:CUDA>,$<BOOL:${MONOFOLD_WERROR}>>:-Werror=all-warnings>")
endfunction()

# A target that asks nvcc what it thinks of sources, the code for a device, and keeps nothing that could
# be run: a tenth of a compilation. That code is made, not only read: calls that a device cannot make
# show only then. Where no GPU runs tests, the host's compiler makes them for the emulated device
# besides. So many sources are one look: what they include is half of each.
function(monofold_check_cuda target sources_a_look)
  monofold_include_flags(folders)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${target})
  set(checked)
  separate_arguments(flags NATIVE_COMMAND "${CMAKE_CUDA_FLAGS}")
  if(CMAKE_CUDA_HOST_COMPILER)
    list(APPEND flags -ccbin=${CMAKE_CUDA_HOST_COMPILER})
  endif()
  set(number 0)
  while(ARGN)
    list(SUBLIST ARGN 0 ${sources_a_look} sources)
    list(REMOVE_ITEM ARGN ${sources})
    set(look ${folder}/look_${number}.cu)
    monofold_write_unit(${look} ${sources})
    list(TRANSFORM sources REPLACE ".*/" "" OUTPUT_VARIABLE names)
    list(JOIN names ", " names)
    set(output ${folder}/look_${number}.ltoir)
    add_custom_command(OUTPUT ${output}
      COMMAND ${MONOFOLD_NVCC} -x cu -ltoir -gencode=arch=compute_90,code=lto_90
              -std=c++20 --fmad=false --extended-lambda -DMONOFOLD_NVCC_LOOKS
              $<$<BOOL:${MONOFOLD_WERROR}>:-Werror=all-warnings>
              -I${PROJECT_SOURCE_DIR} -I${PROJECT_SOURCE_DIR}/include ${folders} ${flags}
              -MD -MF ${output}.d -MT ${output} ${look} -o ${output}
      DEPENDS ${look} ${sources}
      DEPFILE ${output}.d
      COMMENT "Checking ${names} with nvcc"
      VERBATIM
      COMMAND_EXPAND_LISTS)
    list(APPEND checked ${output})
    math(EXPR number "${number} + 1")
  endwhile()
  add_custom_target(${target} ALL DEPENDS ${checked})
endfunction()
