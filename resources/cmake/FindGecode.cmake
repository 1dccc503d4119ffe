# SPDX-License-Identifier: GPL-3.0-or-later
# Gecode, the constraint solver (Debian: libgecode-dev), which brings no CMake package of its own: the target Gecode::Gecode.
find_path(GECODE_INCLUDE_DIR gecode/int.hh)
set(GECODE_PARTS search int kernel support)
set(GECODE_REQUIRED GECODE_INCLUDE_DIR)
foreach(PART IN LISTS GECODE_PARTS)
    find_library(GECODE_${PART}_LIBRARY gecode${PART})
    list(APPEND GECODE_REQUIRED GECODE_${PART}_LIBRARY)
endforeach()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Gecode REQUIRED_VARS ${GECODE_REQUIRED})
mark_as_advanced(${GECODE_REQUIRED})

if(Gecode_FOUND AND NOT TARGET Gecode::Gecode)
    add_library(Gecode::Gecode INTERFACE IMPORTED)
    target_include_directories(Gecode::Gecode INTERFACE ${GECODE_INCLUDE_DIR})
    foreach(PART IN LISTS GECODE_PARTS)
        target_link_libraries(Gecode::Gecode INTERFACE ${GECODE_${PART}_LIBRARY})
    endforeach()
endif()
