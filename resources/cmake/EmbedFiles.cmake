# SPDX-License-Identifier: GPL-3.0-or-later
# mitos_embed_files(OUTPUT TEMPLATE FILE.in FILES FILE…): texts as string literals in a C++ file. In the template, @COUNT@ is
# the number of files and @ENTRIES@ one {"name without extension", text} for each. Written at configure time; a changed
# file configures again. With BYTES, files are any bytes, as literals of std::string_view.
function(mitos_embed_files OUTPUT)
    cmake_parse_arguments(ARG "BYTES" "TEMPLATE" "FILES" ${ARGN})
    list(LENGTH ARG_FILES COUNT)
    set(ENTRIES "")
    foreach(FILE IN LISTS ARG_FILES)
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${FILE})
        get_filename_component(NAME ${FILE} NAME_WLE)
        if(ARG_BYTES)
            file(READ ${FILE} TEXT HEX)
            string(REGEX REPLACE "(..)" "\\\\x\\1" TEXT "${TEXT}")
            # 64 bytes a line, each of which is four characters.
            string(REPEAT "." 256 LINE)
            string(REGEX REPLACE "(${LINE})" "\\1\"\n     \"" TEXT "${TEXT}")
            string(APPEND ENTRIES "    {\"${NAME}\",\n     \"${TEXT}\"sv},\n")
            continue()
        endif()
        file(READ ${FILE} TEXT)
        # Compilers limit the length of one literal: a literal for each run of lines, joined by the compiler.
        string(REPLACE "\n\n" "\n\n)~~~\"\n     R\"~~~(" TEXT "${TEXT}")
        string(APPEND ENTRIES "    {\"${NAME}\",\n     R\"~~~(${TEXT})~~~\"},\n")
    endforeach()
    configure_file(${ARG_TEMPLATE} ${OUTPUT} @ONLY)
endfunction()
