// Documents of JSON: every type of value is written as what it is.
#include "output/formats/json_writer.h"

#include <cstdint>
#include <string>

#include "support/catch.h"

namespace ratectl::output {

TEST_CASE("a document has every value as what it is") {
    JsonWriter out;
    out.open('{');
    out.member("text", std::string("a\"b"));
    out.member("literal", "c");
    out.member("yes", true);
    out.member("no", false);
    out.member("count", std::uint64_t{7});
    out.member("small", -3);
    out.member("share", 12.5);
    out.member("nothing", std::optional<std::int64_t>());
    out.member("half", std::optional(0.5));
    out.name("list").open('[');
    out.raw("1");
    out.raw("2");
    out.close(']');
    out.name("empty").open('{');
    out.close('}');
    out.member("at", support::from_epoch(0));
    out.null("end");
    out.close('}');
    CHECK(out.take() == R"({"text":"a\"b","literal":"c","yes":true,"no":false,"count":7,"small":-3,"share":12.50,)"
                        R"("nothing":null,"half":0.50,"list":[1,2],"empty":{},"at":0,)"
                        R"("at_iso":"1970-01-01T00:00:00Z","end":null})");
    CHECK(out.take().empty());
}

}  // namespace ratectl::output
