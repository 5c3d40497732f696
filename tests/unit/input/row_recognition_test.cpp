// What a first line shows.
#include "input/row_recognition.h"

#include "support/catch.h"

using namespace ratectl::input;

TEST_CASE("the format of rows is seen in their first line") {
    for (const char* line : {"{\"schema\":\"ratectl.windows.v1\",\"rows\":[", "{\"schema\": \"x\", \"rows\": []}", "{",
                             "[", "[]", "{\n  \"key\": 1", "[{\"key\":\"a\"}]", "{ \"key\": \"a\","}) {
        CAPTURE(line);
        CHECK(recognise_rows(line) == RowFormat::json);
    }
    CHECK(recognise_rows("{\"key\":\"a\"}\n") == RowFormat::ndjson);
    CHECK(recognise_rows("\r\n{ \"key\": \"a\"}\r\n") == RowFormat::ndjson);
    for (const char* line : {"key,key_b64,used\n", "shard,client", "\xef\xbb\xbfkey\r\n", "\"used\",\"key\""}) {
        CAPTURE(line);
        CHECK(recognise_rows(line) == RowFormat::csv);
    }
    CHECK(recognise_rows("used\tkey\tkey_b64\n") == RowFormat::tsv);
    for (const char* line : {"KEY          STATE      USED\n", "SHARD  KEY\n", "KEY\n"}) {
        CAPTURE(line);
        CHECK_FALSE(recognise_rows(line));
    }
    for (const char* line : {"", "\n", "core:a", "{user}:a", "[::1]", "core:a,b", "keys", "a KEY"}) {
        CAPTURE(line);
        CHECK(recognise_rows(line) == RowFormat::keys);
    }
}

TEST_CASE("a line that is surely no key is told from one that may be") {
    for (const char* line : {"core:a", "{user}:a", "a b", " a", "a, b", "core:75.97.9.59", "  padded", "ends  "}) {
        CAPTURE(line);
        CHECK(seen_instead_of_key(line).empty());
    }
    CHECK(seen_instead_of_key("core:a,,3") == "a row of csv");
    CHECK(seen_instead_of_key("core:a\t\t3") == "a row of tsv");
    CHECK(seen_instead_of_key("core:a  open  3") == "a line of a table");
    CHECK(seen_instead_of_key("{\"key\":\"a\"}") == "a row of ndjson");
}
