# Makes of what was installed for a .deb what Debian wants of it; run by `cpack`.
set(stage ${CPACK_TEMPORARY_INSTALL_DIRECTORY})
file(GLOB peers ${stage}/usr/bin/dyn_bench_peers)
if(peers)
  file(REMOVE ${peers})  # would depend on every library that it compares with
endif()
if(CPACK_DYN_PYTHON_DIR)
  file(MAKE_DIRECTORY ${stage}/usr/lib/python3)
  file(RENAME ${stage}/usr/${CPACK_DYN_PYTHON_DIR} ${stage}/usr/lib/python3/dist-packages)
  get_filename_component(emptied ${CPACK_DYN_PYTHON_DIR} DIRECTORY)
  file(REMOVE_RECURSE ${stage}/usr/${emptied})
endif()
file(GLOB_RECURSE binaries ${stage}/usr/bin/* ${stage}/usr/lib/*.so ${stage}/usr/lib/*.so.*)
foreach(binary ${binaries})
  file(RPATH_REMOVE FILE ${binary})
endforeach()
string(REPLACE ";" ":" libraries "${stage}/usr/lib;${CPACK_DYN_LIBRARIES}")
execute_process(
  COMMAND ${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${libraries} /usr/bin/python3
    ${CMAKE_CURRENT_LIST_DIR}/documents.py ${stage} ${CPACK_PACKAGE_NAME} ${CPACK_PACKAGE_VERSION}
    ${CPACK_DEBIAN_PACKAGE_MAINTAINER} ${CPACK_DYN_CHANGELOG} ${CPACK_DYN_PROGRAMS}
  COMMAND_ERROR_IS_FATAL ANY)
