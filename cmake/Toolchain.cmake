# Flags that hold for every target: warnings, sanitizers, exact floating point.

add_compile_options(-Wall -Wextra -Wpedantic -Wconversion -Wshadow)
# Ring points are computed in float and double step by step, as the client libraries do: no fused multiply-add.
add_compile_options(-ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 warns wrongly in optimised builds: about its own optional and string, and about Asio's pairs of allocation and release.
  add_compile_options(-Wno-maybe-uninitialized -Wno-restrict -Wno-mismatched-new-delete)
  # A tenth of its time goes by collecting the garbage of a batch, which memory can hold.
  cmake_host_system_information(RESULT memory QUERY TOTAL_PHYSICAL_MEMORY)  # MiB
  cmake_host_system_information(RESULT cores QUERY NUMBER_OF_LOGICAL_CORES)
  math(EXPR memory_per_core "${memory} / ${cores}")
  if(memory_per_core GREATER 4000)
    add_compile_options(--param=ggc-min-heapsize=1048576)
  endif()
endif()
if(RATECTL_WERROR)
  add_compile_options(-Werror)
endif()
if(RATECTL_SANITIZE)
  add_compile_options(-fsanitize=${RATECTL_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${RATECTL_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND RATECTL_SANITIZE MATCHES "address")
    # Globals that are registered one by one, and descriptions of millions of checks, were most of what a short run did, and a
    # quarter of the compiling. What is read beyond an array's end is seen all the same: UBSan knows the bounds of arrays. Its
    # checks trap, and ASan's report of the signal says where. Checks of addresses are calls, half of the code; whether a pointer
    # is null or aligned is not asked before each use of it: ASan sees the use of a null pointer, and the preset fuzz asks both.
    set(RATECTL_SANITIZED_ONLY --param=asan-globals=0 --param=asan-instrumentation-with-call-threshold=0 -fno-sanitize=null,alignment
        -fsanitize-undefined-trap-on-error -fno-pie)
    add_compile_options(${RATECTL_SANITIZED_ONLY})
    add_link_options(-no-pie)
  endif()
endif()

# No object knows where the tree lies: what one clone has compiled, another finds in the cache.
add_compile_options(-ffile-prefix-map=${PROJECT_SOURCE_DIR}=.)
find_program(RATECTL_CCACHE ccache)
if(RATECTL_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${RATECTL_CCACHE})
endif()

find_program(RATECTL_MOLD mold)
if(RATECTL_MOLD)
  add_link_options(-fuse-ld=mold)
endif()

# CMAKE_UNITY_BUILD: a layer's sources compiled so many at a time, less than a sixth of the time of a build from nothing. Who edits all
# day long leaves it off, and compiles one file instead. What shares a batch shares its anonymous namespaces: names there differ within a
# layer, and within a test binary.
set(CMAKE_UNITY_BUILD_BATCH_SIZE 48)
