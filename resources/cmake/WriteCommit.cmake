# SPDX-License-Identifier: GPL-3.0-or-later
# cmake -DSOURCE=FOLDER -DOUTPUT=FILE.cpp -P WriteCommit.cmake: a C++ file with the commit of the sources (app/cli/commit.h). The file is
# only written if the commit changed, so that nothing is built again otherwise.
set(COMMIT "unknown")
find_program(GIT git)
if(GIT)
    execute_process(COMMAND ${GIT} -C ${SOURCE} rev-parse --short=12 HEAD
        OUTPUT_VARIABLE HASH OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE FAILED ERROR_QUIET)
    if(FAILED EQUAL 0)
        set(COMMIT ${HASH})
        execute_process(COMMAND ${GIT} -C ${SOURCE} diff-index --quiet HEAD RESULT_VARIABLE CHANGED ERROR_QUIET)
        if(NOT CHANGED EQUAL 0)
            string(APPEND COMMIT ", with changes")
        endif()
    endif()
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT [=[
// Written by the build (resources/cmake/WriteCommit.cmake).
#include "app/cli/commit.h"

namespace mitos::cli {

std::string commitText() { return "@COMMIT@"; }

}  // namespace mitos::cli
]=] @ONLY)
