# Configures, builds and runs a user's project against this build.
#   cmake -DWAY=find_package|fetch_content -DSOURCE_DIR=... -DBUILD_DIR=... -P consume.cmake

set(work ${BUILD_DIR}/tests/install_${WAY})
file(REMOVE_RECURSE ${work})

function(step)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT code EQUAL 0)
    list(JOIN ARGV " " line)
    message(FATAL_ERROR "${line}\nfailed (${code}):\n${output}")
  endif()
endfunction()

set(configure ${CMAKE_COMMAND} -G ${GENERATOR} -B ${work}/build
  -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_C_COMPILER=${C}
  -DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER} -DCMAKE_C_COMPILER_LAUNCHER=${LAUNCHER}
  -DEXPECT_RUNTIME=${RUNTIME})

if(WAY STREQUAL "find_package")
  step(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${work}/prefix)
  set(target consumer)
  list(APPEND configure -S ${SOURCE_DIR}/tests/install/consumer
       -DCMAKE_PREFIX_PATH=${work}/prefix)
else()
  set(target app)
  list(APPEND configure -S ${SOURCE_DIR}/tests/install/subproject -DMONOFOLD_SOURCE=${SOURCE_DIR})
endif()
step(${configure})
step(${CMAKE_COMMAND} --build ${work}/build --target ${target})
step(${work}/build/${target})

if(WAY STREQUAL "find_package")
  if(RUNTIME)
    step(${CMAKE_COMMAND} --build ${work}/build --target consumer_of_runtime)
    step(${work}/build/consumer_of_runtime)
  endif()
  if(EXISTS ${BUILD_DIR}/bin/monofold)
    step(${work}/prefix/bin/monofold --version)
    foreach(file IN ITEMS man/man1/monofold.1 bash-completion/completions/monofold
            zsh/site-functions/_monofold)
      if(NOT EXISTS ${work}/prefix/share/${file})
        message(FATAL_ERROR "not installed: share/${file}")
      endif()
    endforeach()
  endif()
  if(CUDA)
    # What needs the CUDA toolkit is left out where there is none; the headers are not.
    step(${configure} -B ${work}/build_headers -DEXPECT_RUNTIME=0
         -DCMAKE_DISABLE_FIND_PACKAGE_CUDAToolkit=ON)
    step(${configure} -B ${work}/build_cuda -DASK_FOR=cuda
         -DCMAKE_CUDA_ARCHITECTURES=${CUDA_ARCHITECTURES})
    step(${CMAKE_COMMAND} --build ${work}/build_cuda --target consumer_of_cuda)
    step(${work}/build_cuda/consumer_of_cuda)
  endif()
  if(EMULATED)
    step(${configure} -B ${work}/build_emulated -DASK_FOR=emulated -DEXPECT_RUNTIME=0
         -DCMAKE_DISABLE_FIND_PACKAGE_CUDAToolkit=ON)
    step(${CMAKE_COMMAND} --build ${work}/build_emulated --target consumer_of_emulated)
    step(${work}/build_emulated/consumer_of_emulated)
    # The page of traces, as its reader follows it.
    step(${configure} -S ${SOURCE_DIR}/tests/install/traced -B ${work}/build_traced)
    step(${CMAKE_COMMAND} --build ${work}/build_traced)
    step(${work}/build_traced/turn)
  endif()
  # A component that was not built is refused in words.
  execute_process(COMMAND ${configure} -DASK_FOR=nccl
                  RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE output)
  string(REGEX REPLACE "[ \n]+" " " output "${output}")
  if(code EQUAL 0 OR NOT output MATCHES "component 'nccl' was not built into this installation")
    message(FATAL_ERROR "COMPONENTS nccl: ${code}\n${output}")
  endif()
endif()
