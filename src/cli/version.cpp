// Prints the facts of this build; they come from cmake/BuildFacts.cmake, so no third-party header is needed for them.
#include "cli/version.h"

#include <fmt/core.h>

namespace ratectl::cli {

std::string version_text() {
#if defined(__clang__)
    constexpr std::string_view compiler = "clang " __clang_version__;
#else
    constexpr std::string_view compiler = "gcc " __VERSION__;
#endif
    return fmt::format("ratectl {}\ncommit {}\ncompiler {}, {} build\ntls {}\nlibraries, {}: {}\n", RATECTL_VERSION,
                       kCommit, compiler, RATECTL_BUILD_TYPE, RATECTL_TLS_FACTS, RATECTL_LINKED, RATECTL_LIBRARIES);
}

}  // namespace ratectl::cli
