# Install rules and the CMake package `monofold`: the headers always, libmonofold as the component
# `runtime`, the tool.

include(CMakePackageConfigHelpers)
include(GNUInstallDirs)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/monofold)

install(DIRECTORY include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN *.hpp PATTERN *.cuh PATTERN *.h)
set(headers_targets monofold)
if(TARGET monofold_threads)
  list(APPEND headers_targets monofold_threads)
endif()
install(TARGETS ${headers_targets} EXPORT monofoldTargets
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT monofoldTargets NAMESPACE monofold:: DESTINATION ${package_dir})

if(TARGET monofold_runtime)
  install(TARGETS monofold_runtime EXPORT monofoldRuntimeTargets)
  install(EXPORT monofoldRuntimeTargets NAMESPACE monofold:: DESTINATION ${package_dir})
endif()
install(TARGETS monofold_cuda EXPORT monofoldCudaTargets)
install(EXPORT monofoldCudaTargets NAMESPACE monofold:: DESTINATION ${package_dir})
# Optional: a build may leave them out.
foreach(library IN ITEMS monofold_gpu_library monofold_gpu_rows_library monofold_emulated_library
        monofold_emulated_ladder_library monofold_traced_library)
  if(TARGET ${library})
    install(TARGETS ${library} DESTINATION ${CMAKE_INSTALL_LIBDIR} OPTIONAL)
  endif()
endforeach()
if(TARGET monofold_emulated)
  # The headers that kernels see; the device itself is compiled.
  set(headers ${monofold_emulation_headers})
  list(TRANSFORM headers PREPEND emulation/)
  install(FILES ${headers}
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/monofold_emulation/emulation)
  install(FILES trace/cell_type.hpp trace/trace.hpp
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/monofold_emulation/trace)
  install(DIRECTORY emulation/cuda
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/monofold_emulation/emulation)
  install(TARGETS monofold_emulation monofold_emulated EXPORT monofoldEmulatedTargets)
  install(EXPORT monofoldEmulatedTargets NAMESPACE monofold:: DESTINATION ${package_dir})
endif()
if(TARGET monofold_tool)
  install(TARGETS monofold_tool)
  # Copies of what the tool prints with --man and --completion; tests/cli compares them.
  install(FILES docs/man/monofold.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES completions/monofold.bash RENAME monofold
          DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES completions/_monofold DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
endif()

set(FORTRAN_RANKS ${CMAKE_INSTALL_DATADIR}/monofold/monofold_ranks.f90)
configure_package_config_file(cmake/monofoldConfig.cmake.in
  ${PROJECT_BINARY_DIR}/monofoldConfig.cmake INSTALL_DESTINATION ${package_dir}
  PATH_VARS FORTRAN_RANKS)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/monofoldConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/monofoldConfig.cmake
              ${PROJECT_BINARY_DIR}/monofoldConfigVersion.cmake
        DESTINATION ${package_dir})
