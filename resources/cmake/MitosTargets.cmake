# SPDX-License-Identifier: GPL-3.0-or-later
# The house's kinds of targets: libraries (one a folder), programs and tests, with common warnings and flags.

if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Build type" FORCE)
endif()
# Assertions stay on in what users run: no -DNDEBUG. Line tables are enough for a backtrace.
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g1")

# ccache answers for sources with a precompiled header only if it may trust that the header's macros are the same.
find_program(MITOS_CCACHE ccache)
if(MITOS_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_SLOPPINESS=pch_defines,time_macros ${MITOS_CCACHE})
endif()

# The faster of the linkers that come with the compiler: a hundred test programs are linked.
include(CheckLinkerFlag)
check_linker_flag(CXX -fuse-ld=gold MITOS_HAS_GOLD)
if(MITOS_HAS_GOLD)
    add_link_options(-fuse-ld=gold)
endif()

# mitos_add_folders(FOLDER…): the folders of this list that are there.
function(mitos_add_folders)
    foreach(FOLDER IN LISTS ARGN)
        if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${FOLDER}/CMakeLists.txt)
            add_subdirectory(${FOLDER})
        endif()
    endforeach()
endfunction()

add_library(mitos_flags INTERFACE)
target_compile_features(mitos_flags INTERFACE cxx_std_20)
# What g++ 12 only warns about when it optimizes is false alarm here: the unused half of Abseil's InlinedVector, copies
# inside std::string. The sanitizers watch the real thing.
#
# Everything is position-independent, so that programs and libraries can use the same precompiled headers. g++ collects its
# garbage less often than its defaults say: a fifth of the time that compiling takes.
target_compile_options(mitos_flags INTERFACE
    -fPIC -Wall -Wextra -Wpedantic $<$<BOOL:${MITOS_WERROR}>:-Werror>
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized;-fpch-preprocess>
    "$<$<CXX_COMPILER_ID:GNU>:SHELL:--param ggc-min-expand=300 --param ggc-min-heapsize=500000>"
    $<$<AND:$<CXX_COMPILER_ID:GNU>,$<CONFIG:RelWithDebInfo>>:-Wno-restrict$<SEMICOLON>-Wno-array-bounds>)

# Sanitized, pointers are checked where they are used: the address sanitizer stops at one that is null or leaves its object. The checks
# of each member access before that, and of misaligned pointers, take a third of the time that compiling takes.
if(MITOS_SANITIZE)
    list(JOIN MITOS_SANITIZE "," MITOS_SANITIZE_LIST)
    target_compile_options(mitos_flags INTERFACE
        -fsanitize=${MITOS_SANITIZE_LIST} -fno-omit-frame-pointer -fno-sanitize-recover=all
        -fno-sanitize=null,alignment,vptr,object-size,pointer-overflow,nonnull-attribute,returns-nonnull-attribute)
    target_link_options(mitos_flags INTERFACE -fsanitize=${MITOS_SANITIZE_LIST})
endif()

# Every target has the definitions with which the precompiled headers were compiled.
target_link_libraries(mitos_flags INTERFACE fmt::fmt)

# Appending literals to strings is another false alarm of g++ 12, in the views and the tests.
add_library(mitos_qt_flags INTERFACE)
target_compile_options(mitos_qt_flags INTERFACE
    $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow;-Wno-stringop-overread>)
target_compile_definitions(mitos_qt_flags INTERFACE QT_NO_KEYWORDS QT_NO_CAST_FROM_ASCII QT_NO_CAST_TO_ASCII
                                                    QT_NO_FOREACH QT_DISABLE_DEPRECATED_BEFORE=0x060400)

# mitos_precompiled(KIND HEADERS … LIBRARIES …): a precompiled header, compiled once for all targets that ask for its kind: what nearly
# every source includes and never changes. Sources include what they use all the same: the preset `debug` has none.
function(mitos_precompiled KIND)
    cmake_parse_arguments(ARG "" "" "HEADERS;LIBRARIES" ${ARGN})
    set(NAME mitos_precompiled_${KIND})
    file(CONFIGURE OUTPUT ${NAME}.cpp CONTENT "// A precompiled header needs a source to be compiled with.\n" @ONLY)
    add_library(${NAME} OBJECT ${CMAKE_CURRENT_BINARY_DIR}/${NAME}.cpp)
    set_target_properties(${NAME} PROPERTIES CXX_EXTENSIONS OFF AUTOMOC OFF)
    target_link_libraries(${NAME} PRIVATE mitos_flags absl::flat_hash_map ${ARG_LIBRARIES})
    target_precompile_headers(${NAME} PRIVATE ${ARG_HEADERS})
endfunction()

set(MITOS_STANDARD_HEADERS
    <algorithm> <array> <bit> <cassert> <charconv> <chrono> <cmath> <compare> <cstddef> <cstdint> <deque> <functional>
    <limits> <map> <memory> <numeric> <optional> <queue> <set> <span> <stop_token> <string> <string_view> <tuple>
    <type_traits> <utility> <variant> <vector>
    <absl/container/btree_map.h> <absl/container/flat_hash_map.h> <absl/container/flat_hash_set.h>
    <absl/container/inlined_vector.h> <absl/functional/function_ref.h> <fmt/format.h> <fmt/ranges.h>)

# mitos_library(NAME SOURCES … [DEPENDS …] [PRIVATE_DEPENDS …] [PRECOMPILED KIND]): the static library of one folder. Sources
# are headers and implementation files beside each other; includes are written from the project's root.
function(mitos_library NAME)
    cmake_parse_arguments(ARG "" "PRECOMPILED" "SOURCES;DEPENDS;PRIVATE_DEPENDS" ${ARGN})
    if(NOT ARG_PRECOMPILED)
        set(ARG_PRECOMPILED core)
    endif()
    add_library(${NAME} STATIC ${ARG_SOURCES})
    target_include_directories(${NAME} PUBLIC ${PROJECT_SOURCE_DIR})
    set_target_properties(${NAME} PROPERTIES CXX_EXTENSIONS OFF)
    target_link_libraries(${NAME} PRIVATE mitos_flags ${ARG_PRIVATE_DEPENDS} PUBLIC ${ARG_DEPENDS})
    target_precompile_headers(${NAME} REUSE_FROM mitos_precompiled_${ARG_PRECOMPILED})
endfunction()

# mitos_program(NAME SOURCES … DEPENDS … [PRECOMPILED KIND]): an executable under build/<preset>/app.
function(mitos_program NAME)
    cmake_parse_arguments(ARG "" "PRECOMPILED" "SOURCES;DEPENDS" ${ARGN})
    if(NOT ARG_PRECOMPILED)
        set(ARG_PRECOMPILED core)
    endif()
    add_executable(${NAME} ${ARG_SOURCES})
    target_include_directories(${NAME} PRIVATE ${PROJECT_SOURCE_DIR})
    set_target_properties(${NAME} PROPERTIES CXX_EXTENSIONS OFF RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/app)
    target_link_libraries(${NAME} PRIVATE mitos_flags ${ARG_DEPENDS})
    target_precompile_headers(${NAME} REUSE_FROM mitos_precompiled_${ARG_PRECOMPILED})
endfunction()

# mitos_tests(FOLDER SOURCES … LIBRARIES … [LABEL NAME] [CONCURRENT NAME …] [LONG NAME …] [GUI]): the Qt Test program of one folder of tests. Each source tst_*.cpp
# is a test class (tests/support/test_program.h) and a test of ctest by its own name, run offscreen in a fixed locale, with
# settings and data of its own instead of the user's. GUI tests have a QApplication. CONCURRENT names the tests of what runs on several
# threads; they have the label `concurrent`, by which .ci/run finds them for the thread sanitizer. Of tst_x:function, the thread
# sanitizer runs that function alone. LONG tests start first, so that none of them runs alone at the end, and have the label `long`,
# by which .ci/run leaves them to a sanitized run of everything.
# MITOS_SOURCE_DIR and MITOS_BINARY_DIR tell them where samples, rule sets and built programs are.
function(mitos_tests FOLDER)
    cmake_parse_arguments(ARG "GUI" "LABEL" "SOURCES;LIBRARIES;CONCURRENT;LONG" ${ARGN})
    set(PROGRAM tests_${FOLDER})
    set(APPLICATION QCoreApplication)
    set(PRECOMPILED test)
    if(ARG_GUI)
        set(APPLICATION QApplication)
        set(PRECOMPILED gui_test)
    endif()
    if(NOT ARG_LABEL)
        set(ARG_LABEL unit)
    endif()

    # The limit stops tests that hang. Sanitizers slow down tests that compute much by a factor of 10 to 50.
    set(SECONDS 300)
    if(MITOS_SANITIZE)
        set(SECONDS 900)
    endif()

    set(DECLARATIONS "")
    set(ENTRIES "")
    foreach(SOURCE IN LISTS ARG_SOURCES)
        if(NOT SOURCE MATCHES "^(tst_.*)\\.cpp$")
            continue()
        endif()
        set(NAME ${CMAKE_MATCH_1})
        string(APPEND DECLARATIONS "namespace ${NAME} {\nstd::unique_ptr<QObject> make();\n}\n")
        string(APPEND ENTRIES "        mitos::tests::TestClass{\"${NAME}\", ${NAME}::make},\n")
        set(FUNCTIONS ${ARG_CONCURRENT})
        list(FILTER FUNCTIONS INCLUDE REGEX "^${NAME}(:|$)")
        set(LABELS ${ARG_LABEL})
        if(FUNCTIONS)
            list(APPEND LABELS concurrent)
        endif()
        if(NAME IN_LIST ARG_LONG)
            list(APPEND LABELS long)
        endif()
        list(TRANSFORM FUNCTIONS REPLACE "^${NAME}:?" "")
        if(NOT MITOS_SANITIZE STREQUAL thread)
            set(FUNCTIONS "")
        endif()
        add_test(NAME ${NAME} COMMAND ${PROGRAM} ${NAME} ${FUNCTIONS})
        # TSAN_OPTIONS: Qt is not built for the thread sanitizer, which cannot see how Qt hands objects from thread to thread.
        # And tests that fork on purpose (killed sessions) go on with threads in the child.
        # QTEST_FUNCTION_TIMEOUT: Qt's own limit, in milliseconds, is that of the test.
        # ASAN_OPTIONS: five frames of each allocation tell who made it; the usual thirty take a tenth of the tests' time.
        set(TEST_HOME ${CMAKE_CURRENT_BINARY_DIR}/${NAME}.home)
        set_tests_properties(${NAME} PROPERTIES
            LABELS "${LABELS}" TIMEOUT ${SECONDS}
            ENVIRONMENT "QT_QPA_PLATFORM=offscreen;LANG=C.UTF-8;LC_ALL=C.UTF-8;QT_LOGGING_RULES=qt.qpa.*=false;\
QTEST_FUNCTION_TIMEOUT=${SECONDS}000;XDG_CONFIG_HOME=${TEST_HOME}/config;XDG_DATA_HOME=${TEST_HOME}/data;XDG_CACHE_HOME=${TEST_HOME}/cache;\
TSAN_OPTIONS=ignore_noninstrumented_modules=1:die_after_fork=0;ASAN_OPTIONS=malloc_context_size=5")
        if(NAME IN_LIST ARG_LONG)
            set_tests_properties(${NAME} PROPERTIES COST 100)
        endif()
    endforeach()
    configure_file(${PROJECT_SOURCE_DIR}/tests/support/main.cpp.in ${PROGRAM}_main.cpp @ONLY)

    add_executable(${PROGRAM} ${ARG_SOURCES} ${CMAKE_CURRENT_BINARY_DIR}/${PROGRAM}_main.cpp)
    set_target_properties(${PROGRAM} PROPERTIES AUTOMOC ON CXX_EXTENSIONS OFF UNITY_BUILD_BATCH_SIZE 6)
    target_include_directories(${PROGRAM} PRIVATE ${PROJECT_SOURCE_DIR})
    target_compile_definitions(${PROGRAM} PRIVATE MITOS_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
                                                  MITOS_BINARY_DIR="${PROJECT_BINARY_DIR}")
    target_link_libraries(${PROGRAM} PRIVATE mitos_test_flags mitos_test_support ${ARG_LIBRARIES})
    target_precompile_headers(${PROGRAM} REUSE_FROM mitos_precompiled_${PRECOMPILED})
endfunction()
