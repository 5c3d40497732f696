// Formats csv, tsv and name.
#include "output/printable.h"
#include "sample_rows.h"
#include "support/catch.h"

using namespace ratectl::output;

TEST_CASE("csv has a header and a field for every machine name") {
    CHECK(render({.format = Format::csv}, {sample_row("core:alice"), absent_row("k")}, sample_columns()) ==
          "key,key_b64,state,used,percent,reset_at,reset_at_iso,reset_in_s,read_at_iso,read_at_ms,stale,stored,stored_"
          "b64\n"
          "core:alice,,open,9007199254740993,84.25,1767225600,2026-01-01T00:00:00Z,751,2025-12-31T23:47:28.123Z,"
          "1767224848123,false,\\xff,/w==\n"
          "k,,absent,,,,,,,,,,\n");
}

TEST_CASE("csv quotes and guards and escapes keys") {
    CHECK(render_keys({.format = Format::csv, .header = false}, nasty_keys()) ==
          "a\\nb,YQpi,1\n"
          "\\x1b[2J,G1sySg==,1\n"
          "\\xff\\xfe,//4=,1\n"
          "\"q\"\"'q\",,1\n"
          "b\\s,,1\n"
          "\u65e5\u672c,,1\n"
          "x\\u{202e}y,eOKArnk=,1\n"
          "'=1+1,,1\n"
          "\"\",,1\n");
}

TEST_CASE("csv guards every way into a formula and never a number") {
    CHECK(render_keys({.format = Format::csv, .header = false}, {"+1", "-1", "@x", "'=1", "'quoted'", "a,b", " a"}) ==
          "'+1,,1\n'-1,,1\n'@x,,1\n''=1,,1\n'quoted',,1\n\"a,b\",,1\n\" a\",,1\n");
    const std::vector<Column> columns{{"used", CellType::integer, "USED", "", Column::Shown::table}};
    CHECK(render({.format = Format::csv, .header = false}, {{Cell{std::int64_t{-5}}}}, columns) == "-5\n");
}

TEST_CASE("tsv keeps one row on one line") {
    CHECK(render_keys({.format = Format::tsv}, {"a\tb\nc", "b\\s", "\xff", "=1", "\x1b"}) ==
          "key\tkey_b64\tused\n"
          "a\\tb\\nc\t\t1\n"
          "b\\\\s\t\t1\n"
          "\\xff\t/w==\t1\n"
          "=1\t\t1\n"
          "\\x1b\t\t1\n");
}

TEST_CASE("csv of no rows is its header") {
    CHECK(render_keys({.format = Format::csv}, {}) == "key,key_b64,used\n");
    CHECK(render_keys({.format = Format::csv, .header = false}, {}).empty());
    CHECK(render_keys({.format = Format::csv, .key_format = KeyFormat::base64}, {}) == "key,used\n");
}

TEST_CASE("name leaves out keys that are no safe line and says which") {
    StringSink out;
    const auto sink =
        make_row_sink({.format = Format::name}, {{"key", CellType::key, "KEY", "", Column::Shown::table}}, out);
    for (const std::string& key : nasty_keys()) sink->row(Row{BytesView{key}});
    sink->end({});
    CHECK(out.text == "q\"'q\nb\\s\n\u65e5\u672c\n=1+1\n");
    CHECK(sink->left_out() == std::vector<std::string>{"a\nb", "\x1b[2J", "\xff\xfe", "x\u202ey", ""});
    CHECK(sink->left_out_count() == 5);
}

TEST_CASE("name gives every key but the empty one in an escaped format or ended by NUL") {
    CHECK(render_keys({.format = Format::name, .key_format = KeyFormat::escaped}, {"a\nb", "\xff"}) ==
          "a\\nb\n\\xff\n");
    CHECK(render_keys({.format = Format::name, .key_format = KeyFormat::hex}, {"a\nb", "\xff"}) == "610a62\nff\n");
    CHECK(render_keys({.format = Format::name, .nul_separated = true}, {"a\nb", "\xff", ""}) ==
          std::string("a\nb\0\xff\0", 6));  // nothing is no record
}
