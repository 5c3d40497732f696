# Run by CPack: turns what `cmake --install` has put below /usr into what Debian's policy wants there.

set(usr ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr)
set(doc ${usr}/share/doc/ratectl)

# The same sources make the same package: times come from the last commit, or from SOURCE_DATE_EPOCH.
set(epoch "$ENV{SOURCE_DATE_EPOCH}")
if(NOT epoch)
  execute_process(COMMAND git -C "@CMAKE_CURRENT_SOURCE_DIR@" log -1 --format=%ct OUTPUT_VARIABLE epoch
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(NOT epoch)
  string(TIMESTAMP epoch %s UTC)
endif()
execute_process(COMMAND date -u -R -d @${epoch} OUTPUT_VARIABLE date OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)

file(READ ${doc}/LICENSE licence)
file(REMOVE ${doc}/LICENSE)
string(REGEX MATCH "Copyright [^\n]*" holder "${licence}")
string(REGEX REPLACE "^Copyright (\\(c\\) )?" "" holder "${holder}")
string(REGEX REPLACE "^[^\n]*\n\n[^\n]*\n\n" "" terms "${licence}")
string(STRIP "${terms}" terms)
string(REPLACE "\n\n" "\n.\n" terms "${terms}")
string(REPLACE "\n" "\n " terms "${terms}")
file(WRITE ${doc}/copyright "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: ratectl

Files: *
Copyright: ${holder}
License: Expat
 ${terms}
")

file(WRITE ${doc}/changelog.Debian "ratectl (@PROJECT_VERSION@-1) unstable; urgency=medium

  * Made from the source by scripts/package; changelog.gz says what is new.

 -- @RATECTL_MAINTAINER@  ${date}
")
file(RENAME ${doc}/CHANGELOG.md ${doc}/changelog)

# Debian's zsh looks here, and not in site-functions.
file(MAKE_DIRECTORY ${usr}/share/zsh/vendor-completions)
file(RENAME ${usr}/share/zsh/site-functions/_ratectl ${usr}/share/zsh/vendor-completions/_ratectl)
file(REMOVE_RECURSE ${usr}/share/zsh/site-functions)

file(GLOB pages ${usr}/share/man/man?/*)
execute_process(COMMAND gzip -9n ${pages} ${doc}/changelog ${doc}/changelog.Debian COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND find ${CPACK_TEMPORARY_INSTALL_DIRECTORY} -exec touch -h -d @${epoch} {} + COMMAND_ERROR_IS_FATAL ANY)
