// What a real shell makes of a quoted word.
#include <cstdio>
#include <memory>
#include <string>

#include "support/catch.h"
#include "support/shell_word.h"

using ratectl::support::shell_quoted;

namespace {

/// The word as `sh` hands it to a program.
std::string as_sh_reads(const std::string& word) {
    const std::unique_ptr<FILE, int (*)(FILE*)> sh(popen(("printf %s " + word).c_str(), "r"), pclose);
    REQUIRE(sh != nullptr);
    std::string read;
    for (int c = std::fgetc(sh.get()); c != EOF; c = std::fgetc(sh.get())) read += static_cast<char>(c);
    return read;
}

}  // namespace

TEST_CASE("a shell reads a quoted word as it was") {
    for (const std::string text :
         {"plain", "two words", "it's", "''", "$(echo no) `echo no` \\n \"x\"", "line\nbreak", "", "'"}) {
        CAPTURE(text);
        CHECK(as_sh_reads(shell_quoted(text)) == text);
    }
}
