// --columns, -o and --key-format: names to choices, with a near name for a typo.
#include "output/field.h"
#include "sample_rows.h"
#include "support/catch.h"

using namespace ratectl::output;
using ratectl::support::ExitCode;

namespace {

std::vector<std::string> chosen(std::string_view names, Column::Shown breadth = Column::Shown::table) {
    const auto columns = sample_columns();
    const auto indices = choose_columns(columns, names, breadth);
    REQUIRE(indices);
    std::vector<std::string> out;
    for (const std::size_t i : *indices) out.emplace_back(columns[i].name);
    return out;
}

}  // namespace

TEST_CASE("each breadth adds columns to the narrower one") {
    CHECK(chosen("", Column::Shown::table) == std::vector<std::string>{"key", "state", "used", "reset_at"});
    CHECK(chosen("", Column::Shown::wide).size() == 6);
    CHECK(chosen("", Column::Shown::machine).size() == 9);
}

TEST_CASE("columns come in the order asked for and once each") {
    CHECK(chosen("used,key,used") == std::vector<std::string>{"used", "key"});
}

TEST_CASE("the names of machine formats find their column") {
    CHECK(chosen("reset_in_s,reset_at_iso,read_at_ms,read_at_iso,stored_b64") ==
          std::vector<std::string>{"reset_in", "reset_at", "read_at", "stored"});
}

TEST_CASE("an unknown column is a usage error with a near name") {
    const auto columns = sample_columns();
    const auto wrong = choose_columns(columns, "key,usde", Column::Shown::table);
    REQUIRE_FALSE(wrong);
    CHECK(wrong.error().code == ExitCode::usage);
    CHECK(wrong.error().message == "no column is called 'usde'");
    CHECK(wrong.error().hint.find("'used'") != std::string::npos);
    CHECK_FALSE(choose_columns(columns, "key,", Column::Shown::table));
    CHECK_FALSE(choose_columns(columns, "key,state_iso", Column::Shown::table));
}

TEST_CASE("columns help has a line for every column") {
    const std::string text = describe_columns(sample_columns());
    CHECK(std::count(text.begin(), text.end(), '\n') == 9);
    CHECK(text.find("reset_in  duration    time left\n") != std::string::npos);
}

TEST_CASE("formats and key formats are found by name and nothing else") {
    for (const std::string& name : format_names()) CHECK(parse_format(name));
    CHECK(*parse_format("ndjson") == Format::ndjson);
    const auto wrong = parse_format("jsno");
    REQUIRE_FALSE(wrong);
    CHECK(wrong.error().code == ExitCode::usage);
    CHECK(wrong.error().hint.find("json") != std::string::npos);
    CHECK(*parse_key_format("base64") == KeyFormat::base64);
    CHECK_FALSE(parse_key_format("RAW"));
}

TEST_CASE("keys come back from every key format") {
    const std::string key("a\n\0\xff\\", 5);
    for (const KeyFormat format : {KeyFormat::raw, KeyFormat::escaped, KeyFormat::hex, KeyFormat::base64}) {
        const auto back = decode_key(format, encode_key(format, key));
        REQUIRE(back);
        CHECK(*back == key);
    }
    const auto wrong = decode_key(KeyFormat::hex, "0g");
    REQUIRE_FALSE(wrong);
    CHECK(wrong.error().code == ExitCode::usage);
}
