// Formats json and ndjson: valid JSON of ASCII bytes for any key, numbers exact, absent is null.
#include "support/json.h"
#include "output/formats/machine_text.h"
#include "output/printable.h"
#include "sample_rows.h"
#include "support/catch.h"

using namespace ratectl::output;
using nlohmann::json;
using ratectl::test::parse_json;

TEST_CASE("an ndjson row has every value under its documented name") {
    CHECK(
        render({.format = Format::ndjson}, {sample_row("core:alice")}, sample_columns()) ==
        R"({"key":"core:alice","state":"open","used":9007199254740993,"percent":84.25,)"
        R"("reset_at":1767225600,"reset_at_iso":"2026-01-01T00:00:00Z","reset_in_s":751,)"
        R"("read_at_iso":"2025-12-31T23:47:28.123Z","read_at_ms":1767224848123,"stale":false,"stored":"\\xff","stored_b64":"/w=="})"
        "\n");
}

TEST_CASE("absent values are null in ndjson with their twins") {
    CHECK(
        render({.format = Format::ndjson}, {absent_row("k")}, sample_columns()) ==
        R"({"key":"k","state":"absent","used":null,"percent":null,"reset_at":null,"reset_at_iso":null,"reset_in_s":null,)"
        R"("read_at_iso":null,"read_at_ms":null,"stale":null,"stored":null})"
        "\n");
}

TEST_CASE("every nasty key survives ndjson") {
    const std::vector<std::string> keys = nasty_keys();
    const std::string text = render_keys({.format = Format::ndjson}, keys);
    for (const char c : text) CHECK((c == '\n' || (c >= 0x20 && c < 0x7f)));
    std::size_t begin = 0;
    for (const std::string& key : keys) {
        const std::size_t end = text.find('\n', begin);
        const json row = parse_json(text.substr(begin, end - begin));
        begin = end + 1;
        if (is_valid_utf8(key)) {
            CHECK(row["key"] == key);
            CHECK_FALSE(row.contains("key_b64"));
        } else {
            CHECK(unprintable(row["key"].get<std::string>()) == key);
            CHECK(row["key_b64"] == "//4=");
        }
    }
    CHECK(begin == text.size());
}

TEST_CASE("json is one document with schema and rows and failures and completeness") {
    const Footer footer{{{"beta", "10.0.0.8:6379", 4, "no reply within 2s", ""}}, false};
    const json document = parse_json(render({.format = Format::json, .schema = "ratectl.windows.v1"},
                                            {sample_row("a"), absent_row("b")}, sample_columns(), footer));
    CHECK(document["schema"] == "ratectl.windows.v1");
    REQUIRE(document["rows"].size() == 2);
    CHECK(document["rows"][1]["key"] == "b");
    CHECK(document["complete"] == false);
    REQUIRE(document["failures"].size() == 1);
    CHECK(document["failures"][0]["shard"] == "beta");
    CHECK(document["failures"][0]["code"] == 4);
    CHECK(document["failures"][0]["hint"].is_null());
}

TEST_CASE("json lists named keys that were left out as rows list keys") {
    Footer footer;
    footer.left_out = {{"\xff\xfe", "--state", "its state is open"}, {"", "--client", ""}};
    footer.left_out_count = 5;
    const json document =
        parse_json(render({.format = Format::json, .schema = "s"}, {sample_row("a")}, sample_columns(), footer));
    REQUIRE(document["left_out"].size() == 2);
    CHECK(document["left_out"][0]["key_b64"] == "//4=");
    CHECK(document["left_out"][0]["by"] == "--state");
    CHECK(document["left_out"][1]["key"].is_null());
    CHECK(document["left_out"][1]["why"].is_null());
    CHECK(document["left_out_count"] == 5);
}

TEST_CASE("json without rows is still a document") {
    const json document = parse_json(render({.format = Format::json, .schema = "s"}, {}, sample_columns()));
    CHECK(document["rows"].empty());
    CHECK(document["failures"].empty());
    CHECK(document["left_out"].empty());
    CHECK(document["complete"] == true);
}

TEST_CASE("keys in another key format are plain text in json") {
    CHECK(render_keys({.format = Format::ndjson, .key_format = KeyFormat::hex}, {"\xff\n"}) ==
          "{\"key\":\"ff0a\",\"used\":1}\n");
    CHECK(render_keys({.format = Format::ndjson, .key_format = KeyFormat::escaped}, {"\xff\n"}) ==
          "{\"key\":\"\\\\xff\\\\n\",\"used\":1}\n");
    CHECK(render_keys({.format = Format::ndjson, .key_format = KeyFormat::base64}, {"\xff\n"}) ==
          "{\"key\":\"/wo=\",\"used\":1}\n");
}

TEST_CASE("json strings escape characters beyond the basic plane as surrogate pairs") {
    std::string text;
    append_json_string(text, "\U0001F600\u00e9\x7f");
    CHECK(text == "\"\\ud83d\\ude00\\u00e9\\u007f\"");
}

TEST_CASE("iso times hold at the edges of the calendar") {
    const auto iso = [](std::int64_t second) {
        std::string text;
        append_iso(text, ratectl::support::from_epoch(second));
        return text;
    };
    CHECK(iso(0) == "1970-01-01T00:00:00Z");
    CHECK(iso(-1) == "1969-12-31T23:59:59Z");
    CHECK(iso(951782400) == "2000-02-29T00:00:00Z");
    CHECK(iso(253402300799) == "9999-12-31T23:59:59Z");
    CHECK(iso(253402300800) == "253402300800");
    CHECK(iso(INT64_MAX) == "9223372036854775807");
    CHECK(iso(INT64_MIN) == "-9223372036854775808");
}

TEST_CASE("numbers that are none become null in json") {
    const std::vector<Column> columns{{"percent", CellType::number, "%", "", Column::Shown::table}};
    CHECK(render({.format = Format::ndjson}, {{Cell{1.0 / 0.0}}, {Cell{0.1}}}, columns) ==
          "{\"percent\":null}\n{\"percent\":0.1}\n");
}
