# Bundles the page: SOURCE (its folder), FOLDER (where npm works), OUTPUT (the C++ file), NPM, NODE. Where the
# packages cannot be had, the program is built without the page, and the next build tries again.
file(MAKE_DIRECTORY ${FOLDER})
foreach(name package.json package-lock.json build.mjs)
  configure_file(${SOURCE}/${name} ${FOLDER}/${name} COPYONLY)
endforeach()

function(without reason)
  message("dyn view is built without its page: ${reason}")
  set(REASON "${reason}")
  configure_file(${CMAKE_CURRENT_LIST_DIR}/no_page.cpp.in ${OUTPUT} @ONLY)
  execute_process(COMMAND touch -d @0 ${OUTPUT})
endfunction()

file(SHA256 ${FOLDER}/package-lock.json wanted)
set(stamp ${FOLDER}/node_modules/.${wanted})
if(NOT EXISTS ${stamp})
  execute_process(COMMAND ${NPM} ci --ignore-scripts --no-audit --no-fund --loglevel=error
    WORKING_DIRECTORY ${FOLDER} TIMEOUT 120 RESULT_VARIABLE failed)
  if(failed)
    without("npm could not fetch its packages")
    return()
  endif()
  file(TOUCH ${stamp})
endif()
execute_process(
  COMMAND ${CMAKE_COMMAND} -E env DYN_PAGE=${SOURCE} NODE_PATH=${FOLDER}/node_modules
    ${NODE} build.mjs ${OUTPUT} ${FOLDER}/page.html
  WORKING_DIRECTORY ${FOLDER} TIMEOUT 120 RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "the page cannot be bundled: see above")
endif()
