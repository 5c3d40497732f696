// Foreign text between quotes, told from what surrounds it.
#include <string>

#include "support/catch.h"
#include "support/quote.h"

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
