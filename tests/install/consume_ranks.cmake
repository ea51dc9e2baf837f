# The same for programs that several ranks of MPI run.
#   cmake -DWAY=ranks_openmpi -DMPI=openmpi -DMPICXX=... -DMPIFORT=... -DMPIRUN=... ... -P consume_ranks.cmake

set(work ${BUILD_DIR}/tests/install_${WAY})
file(REMOVE_RECURSE ${work})

function(step)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT code EQUAL 0)
    list(JOIN ARGV " " line)
    message(FATAL_ERROR "${line}\nfailed (${code}):\n${output}")
  endif()
endfunction()

set(programs ranks)
if(MPIFORT)
  list(APPEND programs fortran_ranks)
endif()
set(run sh ${SOURCE_DIR}/tests/mpi/run_ranks.sh ${MPIRUN} -n 2)
if(MPI STREQUAL "openmpi")
  list(APPEND run --oversubscribe --allow-run-as-root)
endif()
step(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${work}/prefix)
step(${CMAKE_COMMAND} -G ${GENERATOR} -S ${SOURCE_DIR}/tests/install/ranks -B ${work}/build
     -DCMAKE_CXX_COMPILER=${MPICXX} -DCMAKE_Fortran_COMPILER=${MPIFORT} -DMPI=${MPI}
     -DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER} -DCMAKE_PREFIX_PATH=${work}/prefix)
step(${CMAKE_COMMAND} --build ${work}/build)
foreach(program IN LISTS programs)
  step(${run} ${work}/build/${program})
endforeach()
