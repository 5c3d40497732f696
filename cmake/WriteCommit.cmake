# cmake -DOUT=FILE -DSOURCE=FOLDER -DBUILD_TYPE=TYPE [-DCOMMIT=NAME] -P: writes FILE, and only if it would say something else.

set(commit "${COMMIT}")
if(NOT commit AND NOT BUILD_TYPE STREQUAL "Release")
  set(commit "not recorded in a development build")
elseif(NOT commit)
  execute_process(COMMAND git -C ${SOURCE} describe --always --dirty=-modified --abbrev=12 --exclude=*
                  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  if(failed)
    set(commit "unknown")
  endif()
endif()
set(text "// Made by cmake/WriteCommit.cmake.\n#include \"cli/version.h\"\n\n")
string(APPEND text "namespace ratectl::cli {\nconst std::string_view kCommit = \"${commit}\";\n}  // namespace ratectl::cli\n")
file(CONFIGURE OUTPUT ${OUT} CONTENT "${text}" @ONLY)
