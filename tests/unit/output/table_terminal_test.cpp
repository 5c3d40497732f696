// What only a terminal gets: bars, marks, fewer columns, records; and thousands where they are asked for.
#include <string>
#include <vector>

#include "output/formats/human_cell.h"
#include "output/printable.h"
#include "sample_rows.h"
#include "support/catch.h"
#include "support/number_text.h"

using namespace ratectl::output;

namespace {

std::vector<Column> window_columns() {
    using Shown = Column::Shown;
    return {{"key", CellType::key, "KEY", "the key"},
            {"state", CellType::word, "STATE", "the state"},
            {"used", CellType::integer, "USED", "requests"},
            {"remaining", CellType::integer, "REMAINING", "requests left", Shown::table, 2, "LEFT"},
            {"shard", CellType::text, "SHARD", "the shard", Shown::table, 1}};
}

std::vector<Row> window_rows() {
    return {{Bytes{"core:alice"}, Word{"open", Tone::good}, std::int64_t{1200}, std::int64_t{3800}, Text{"alpha"}},
            {Bytes{"core:bob"}, Word{"exhausted", Tone::bad}, std::int64_t{5000}, std::int64_t{0}, Text{"beta"}},
            {Bytes{"core:carol"}, Word{"leaked", Tone::warning}, std::int64_t{7}, Null{}, Text{"beta"}}};
}

std::string on_terminal(std::size_t width, std::vector<Row> rows = window_rows()) {
    return render({.terminal = true, .width = width}, rows, window_columns());
}

}  // namespace

TEST_CASE("a mark in the gap says without colour which states are bad and which are doubtful") {
    CHECK(on_terminal(80) ==
          "KEY         STATE      USED  REMAINING  SHARD\n"
          "core:alice  open       1200       3800  alpha\n"
          "core:bob   !exhausted  5000          0  beta\n"
          "core:carol ~leaked        7          -  beta\n");
}

TEST_CASE("a mark has the colour of its word") {
    const auto text =
        render({.color = true, .header = false, .terminal = true, .width = 80}, window_rows(), window_columns());
    CHECK(text.find("core:bob   \x1b[31m!exhausted\x1b[0m") != std::string::npos);
}

TEST_CASE("a table in a pipe has no marks and all its columns however narrow things are") {
    CHECK(render({.width = 20}, window_rows(), window_columns()) ==
          "KEY         STATE      USED  REMAINING  SHARD\n"
          "core:alice  open       1200       3800  alpha\n"
          "core:bob    exhausted  5000          0  beta\n"
          "core:carol  leaked        7          -  beta\n");
}

TEST_CASE("headings get shorter before a column goes and the columns that may go do so in their order") {
    CHECK(on_terminal(40).substr(0, 40) == "KEY         STATE      USED  LEFT  SHARD");
    const std::string without_shard = on_terminal(39);
    CHECK(without_shard ==
          "KEY         STATE      USED  LEFT\n"
          "core:alice  open       1200  3800\n"
          "core:bob   !exhausted  5000     0\n"
          "core:carol ~leaked        7     -\n"
          "(no room for SHARD: -o wide shows all)\n");
    const std::string without_both = on_terminal(32);
    CHECK(without_both.substr(0, 28) == "KEY         STATE      USED\n");
    CHECK(without_both.find("(no room for") != std::string::npos);
}

TEST_CASE("a terminal too narrow for the columns that stay gets a block of lines for each row") {
    CHECK(on_terminal(24, {window_rows()[1]}) ==
          "KEY        core:bob\n"
          "STATE     !exhausted\n"
          "USED       5000\n"
          "REMAINING  0\n"
          "SHARD      beta\n"
          "\n");
}

TEST_CASE("a block of lines drops the date of today and keeps that of another day with its clock") {
    const std::vector<Column> columns{{"key", CellType::key, "KEY", "the key"},
                                      {"reset_at", CellType::time, "RESET AT", "the end"}};
    const auto now = ratectl::support::from_epoch(1767225600);
    const auto block = [&](std::int64_t offset) {
        return render({.terminal = true, .width = 20, .now = now},
                      {{Bytes{"core:alice"}, now + ratectl::support::Seconds(offset)}}, columns);
    };
    CHECK(block(751) == "KEY       core:alice\nRESET AT  00:12:31Z (in 12m)\n\n");
    CHECK(block(86400) == "KEY       core:alice\nRESET AT  2026-01-02T00:00:00Z (in 1d)\n\n");
}

TEST_CASE("rows that come after the layout stands align with each other") {
    const std::vector<Column> columns{{"key", CellType::key, "KEY", ""},
                                      {"used", CellType::integer, "USED", ""},
                                      {"state", CellType::word, "STATE", ""}};
    StringSink out;
    const auto sink = make_row_sink({}, columns, out);
    for (int i = 0; i < 1000; ++i) sink->row(Row{Bytes{"core:1"}, std::int64_t{1}, Word{"open"}});
    out.text.clear();
    for (const char* key : {"core:100000", "core:2", "core:100001"})
        sink->row(Row{Bytes{key}, std::int64_t{1}, Word{"open"}});
    sink->end({});
    CHECK(out.text ==
          "core:100000     1  open\n"
          "core:2          1  open\n"
          "core:100001     1  open\n");
}

TEST_CASE("amounts of memory have units for people and are numbers for programs") {
    const std::vector<Column> columns{{"memory_bytes", CellType::byte_count, "MEMORY", ""}};
    const std::vector<Row> rows{{std::int64_t{1234567}}, {std::int64_t{0}}, {Null{}}};
    CHECK(render({}, rows, columns) == " MEMORY\n1.2 MiB\n    0 B\n      -\n");
    CHECK(render({.format = Format::csv}, rows, columns) == "memory_bytes\n1234567\n0\n\n");
}

TEST_CASE("rows without a key are named by the column that names them") {
    const std::vector<Column> columns{{"shard", CellType::text, "SHARD", ""},
                                      {"node", CellType::text, "NODE", "", Column::Shown::table, 0, {}, true}};
    CHECK(render({.format = Format::name}, {{Text{"alpha"}, Text{"h:1"}}, {Text{"alpha"}, Text{"h:2"}}}, columns) ==
          "h:1\nh:2\n");
}

TEST_CASE("no line of a table is wider than its terminal") {
    for (std::size_t width = 21; width <= 60; ++width) {
        const std::string text = on_terminal(width);
        for (std::size_t begin = 0; begin < text.size(); begin = text.find('\n', begin) + 1) {
            INFO(width << ": " << text);
            CHECK(display_width(text.substr(begin, text.find('\n', begin) - begin)) <= width);
        }
    }
}

TEST_CASE("a percent has a bar on a terminal that has the room") {
    const std::vector<Column> columns{{"percent", CellType::percent, "%", "share"}};
    const std::vector<Row> rows{{62.5}, {100.0}, {0.0}, {Null{}}};
    CHECK(render({.terminal = true, .width = 80}, rows, columns) ==
          "               %\n"
          "\u2588\u2588\u2588\u2588\u2588\u2588\u258e     62.5\n"
          "\u2588\u2588\u2588\u2588\u2588\u2588\u2588\u2588\u2588\u2588   100\n"
          "               0\n"
          "               -\n");
    CHECK(render({.terminal = true, .width = 80, .ascii = true}, rows, columns).substr(17, 17) == "######      62.5\n");
    const std::string plain = "   %\n62.5\n 100\n   0\n   -\n";
    CHECK(render({.terminal = true, .width = 10}, rows, columns) == plain);
    CHECK(render({}, rows, columns) == plain);
}

TEST_CASE("a bar shows something for more than nothing and is full only at the limit") {
    CHECK(bar(0, 4, false) == "    ");
    CHECK(bar(0.01, 4, false) == "\u258f   ");
    CHECK(bar(50, 4, false) == "\u2588\u2588  ");
    CHECK(bar(99.99, 4, false) == "\u2588\u2588\u2588\u2589");
    CHECK(bar(100, 4, false) == "\u2588\u2588\u2588\u2588");
    CHECK(bar(250, 4, true) == "####");
    CHECK(bar(99, 4, true) == "### ");
    CHECK(bar(1, 4, true) == "#   ");
    CHECK(bar(50, 0, false).empty());
    for (int percent = -1; percent <= 120; ++percent) {
        CHECK(display_width(bar(percent, 7, false)) == 7);
        CHECK(bar(percent, 7, true).size() == 7);
    }
}

TEST_CASE("thousands are grouped for people who ask and never for machines") {
    CHECK(ratectl::support::with_thousands("0") == "0");
    CHECK(ratectl::support::with_thousands("999") == "999");
    CHECK(ratectl::support::with_thousands("1000") == "1,000");
    CHECK(ratectl::support::with_thousands("-123456") == "-123,456");
    CHECK(ratectl::support::with_thousands("1234567.5") == "1,234,567.5");
    CHECK(ratectl::support::with_thousands("-") == "-");
    const std::vector<Column> columns{{"used", CellType::integer, "USED", "requests"}};
    CHECK(render({.thousands = true}, {{std::int64_t{9007199254740993}}}, columns) ==
          "                 USED\n9,007,199,254,740,993\n");
    for (const Format format : {Format::csv, Format::tsv, Format::json, Format::ndjson}) {
        CHECK(render({.format = format, .thousands = true}, {{std::int64_t{1234567}}}, columns).find("1234567") !=
              std::string::npos);
    }
}

TEST_CASE("wide and combining characters keep a terminal's columns in line") {
    const std::vector<Row> rows{{Bytes{"\u65e5\u672c\u8a9e"}, std::int64_t{1}},
                                {Bytes{"\U0001f600x"}, std::int64_t{1}},
                                {Bytes{"e\u0301abcd"}, std::int64_t{1}},
                                {Bytes{"abcdef"}, std::int64_t{1}}};
    const std::vector<Column> columns{{"key", CellType::key, "KEY", ""}, {"used", CellType::integer, "USED", ""}};
    const std::string text = render({.header = false, .terminal = true, .width = 80}, rows, columns);
    CHECK(text == "\u65e5\u672c\u8a9e  1\n\U0001f600x     1\ne\u0301abcd   1\nabcdef  1\n");
}

TEST_CASE("a sentence that has no room in its column goes on below") {
    const std::vector<Column> columns{{"check", CellType::word, "CHECK", "what"},
                                      {"detail", CellType::text, "DETAIL", "why"},
                                      {"result", CellType::word, "RESULT", "how"}};
    const std::vector<Row> rows{{Word{"clock"}, Text{"the server's clock is an hour ahead of ours"}, Word{"ok"}},
                                {Word{"role"}, Text{"primary"}, Word{"wrong", Tone::bad}}};
    CHECK(render({.terminal = true, .width = 38}, rows, columns) ==
          "CHECK  DETAIL                   RESULT\n"
          "clock  the server's clock is    ok\n"
          "       an hour ahead of ours\n"
          "role   primary                 !wrong\n");
    CHECK(render({.width = 38}, rows, columns) ==
          "CHECK  DETAIL                                       RESULT\n"
          "clock  the server's clock is an hour ahead of ours  ok\n"
          "role   primary                                      wrong\n");
}

TEST_CASE("a terminal that knows only ASCII gets the rest as escapes") {
    const std::vector<Column> columns{{"key", CellType::key, "KEY", ""}};
    SinkOptions options{.header = false, .terminal = true, .width = 80, .ascii = true};
    CHECK(render(options, {{Bytes{"\u65e5x"}}}, columns) == "\\u{65e5}x\n");
    options.terminal = false;
    CHECK(render(options, {{Bytes{"\u65e5x"}}}, columns) == "\u65e5x\n");
}
