# What `ratectl --version` says of a build: the commit (generated/cli/commit.cpp), the build type and the libraries it was made with.
# A release asks git again in every build; other builds are made all day long and say only that they are none.

set(RATECTL_COMMIT "" CACHE STRING "The commit that --version names where the source has no git history")

# The installed Asio says its version in a header only.
file(STRINGS ${ASIO_INCLUDE_DIR}/asio/version.hpp asio_version REGEX "define ASIO_VERSION ")
string(REGEX REPLACE "[^0-9]*([0-9]+).*" "\\1" asio_version "${asio_version}")
math(EXPR asio_major "${asio_version} / 100000")
math(EXPR asio_minor "${asio_version} / 100 % 1000")
math(EXPR asio_patch "${asio_version} % 100")
set(facts "Asio ${asio_major}.${asio_minor}.${asio_patch}, CLI11 ${CLI11_VERSION}, fmt ${fmt_VERSION}, hiredis ${hiredis_VERSION}")
string(APPEND facts ", nlohmann-json ${nlohmann_json_VERSION}, SQLite ${SQLite3_VERSION}, toml++ ${tomlplusplus_VERSION}")
string(APPEND facts ", utf8proc ${utf8proc_VERSION}, xxHash ${xxhash_VERSION}, yaml-cpp ${yaml-cpp_VERSION}, zlib ${ZLIB_VERSION_STRING}")
set(tls_facts "${RATECTL_TLS}")
if(OPENSSL_VERSION)
  string(APPEND tls_facts ", OpenSSL ${OPENSSL_VERSION}")
endif()

set(commit_file ${CMAKE_CURRENT_BINARY_DIR}/generated/cli/commit.cpp)
set(commit_step ${CMAKE_COMMAND} -DOUT=${commit_file} -DSOURCE=${CMAKE_CURRENT_SOURCE_DIR} -DCOMMIT=${RATECTL_COMMIT}
                -DBUILD_TYPE=${CMAKE_BUILD_TYPE} -P ${CMAKE_CURRENT_LIST_DIR}/WriteCommit.cmake)
execute_process(COMMAND ${commit_step})
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  add_custom_target(ratectl_commit COMMAND ${commit_step} BYPRODUCTS ${commit_file} VERBATIM)
  add_dependencies(ratectl_cli ratectl_commit)
endif()
target_sources(ratectl_cli PRIVATE ${commit_file})
set_source_files_properties(src/cli/version.cpp PROPERTIES COMPILE_DEFINITIONS
  "RATECTL_BUILD_TYPE=\"${CMAKE_BUILD_TYPE}\";RATECTL_LINKED=\"${RATECTL_LINK}\";RATECTL_TLS_FACTS=\"${tls_facts}\";RATECTL_LIBRARIES=\"${facts}\"")
