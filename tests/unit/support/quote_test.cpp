// Foreign text between quotes, told from what surrounds it.
#include <string>

#include "support/catch.h"
#include "support/quote.h"

using ratectl::support::quoted;
using ratectl::support::unquoted;

TEST_CASE("quotes inside a quoted key are doubled") {
    CHECK(quoted("core:alice") == "'core:alice'");
    CHECK(quoted("it's") == "'it''s'");
    CHECK(quoted("'") == "''''");
    CHECK(quoted("").size() == 2);
}

TEST_CASE("what stood between quotes is what was quoted") {
    for (const std::string text : {"core:alice", "it's", "''", "", "a'' 'b"}) {
        CAPTURE(text);
        const auto between = quoted(text);
        CHECK(unquoted(between.substr(1, between.size() - 2)) == text);
    }
}
