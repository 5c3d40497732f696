// Foreign text between quotes, told from what surrounds it.
#include "support/quote.h"

#include <cstdio>
#include <memory>
#include <string>

#include "support/catch.h"

namespace support = ratectl::support;  // qualified: std has a quoted of its own

TEST_CASE("quotes inside a quoted key are doubled") {
    CHECK(support::quoted("core:alice") == "'core:alice'");
    CHECK(support::quoted("it's") == "'it''s'");
    CHECK(support::quoted("'") == "''''");
    CHECK(support::quoted("").size() == 2);
}

TEST_CASE("what stood between quotes is what was quoted") {
    for (const std::string text : {"core:alice", "it's", "''", "", "a'' 'b"}) {
        CAPTURE(text);
        const auto between = support::quoted(text);
        CHECK(support::unquoted(between.substr(1, between.size() - 2)) == text);
    }
}

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
