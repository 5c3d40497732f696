# scripts/package: the Debian package, made by CPack from what `cmake --install` installs and cmake/DebianFiles.cmake makes of it.

set(RATECTL_MAINTAINER "ratectl authors <ratectl@example.org>" CACHE STRING
    "Who answers for the package; whoever publishes one puts themselves here")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME ratectl)
set(CPACK_PACKAGE_CONTACT "${RATECTL_MAINTAINER}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION admin)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "bash-completion, redis-server")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "look at, correct and reset rate-limit windows in Redis")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
"ratectl finds the window of a client in a sharded, replicated Redis as the
application's own library does, and says what each server answers, why, and
until when. It changes a window only if it is still the one that was looked
at, writes down what it did, and can take it back.")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

# What CPack runs on the installed files just before it packs them.
configure_file(${CMAKE_CURRENT_LIST_DIR}/DebianFiles.cmake ${CMAKE_CURRENT_BINARY_DIR}/DebianFiles.cmake @ONLY)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_BINARY_DIR}/DebianFiles.cmake)
include(CPack)
