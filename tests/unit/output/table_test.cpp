// Formats table and wide: aligned, streamed after a look ahead, and safe for any terminal.
#include "output/printable.h"
#include "sample_rows.h"
#include "support/catch.h"

using namespace ratectl::output;

namespace {

std::vector<Column> short_columns() {
    auto columns = sample_columns();
    columns.erase(columns.begin() + 6, columns.end());
    return columns;
}

Row short_row(std::string key) {
    Row row = sample_row(std::move(key));
    row.erase(row.begin() + 6, row.end());
    return row;
}

}  // namespace

TEST_CASE("the table aligns numbers to the right and ends lines without blanks") {
    Row small = short_row("b");
    small[2] = std::int64_t{7};
    small[4] = Null{};
    small[5] = Null{};
    CHECK(render({}, {short_row("core:alice"), small}, short_columns()) ==
          "KEY         STATE              USED     %  RESET                     IN\n"
          "core:alice  open   9007199254740993  84.3  2026-01-01T00:00:00Z  12m31s\n"
          "b           open                  7  84.3  -                          -\n");
}

TEST_CASE("the table in a pipe elides nothing and colours nothing") {
    const std::string key(120, 'k');
    const std::string text = render_keys({.width = 40}, {key});
    CHECK(text.find(key) != std::string::npos);
    CHECK(text.find('\x1b') == std::string::npos);
}

TEST_CASE("the table on a terminal elides the middle of long keys and shows relative times") {
    const std::string key = "core:" + std::string(80, 'k') + ":end";
    const std::string text = render_keys({.terminal = true, .width = 40}, {key});
    CHECK(text.find(key) == std::string::npos);
    CHECK(text.find("core:kkk") != std::string::npos);
    CHECK(text.find("kk:end") != std::string::npos);
    for (std::size_t begin = 0; begin < text.size(); begin = text.find('\n', begin) + 1) {
        CHECK(display_width(text.substr(begin, text.find('\n', begin) - begin)) <= 40);
    }
    SinkOptions options{.terminal = true, .width = 200};
    options.now = ratectl::support::from_epoch(1767225600 - 751);
    CHECK(render(options, {short_row("k")}, short_columns()).find("2026-01-01T00:00:00Z (in 12m31s)") !=
          std::string::npos);
    options.now = ratectl::support::from_epoch(1767225601);
    CHECK(render(options, {short_row("k")}, short_columns()).find("(1s ago)") != std::string::npos);
}

TEST_CASE("colour surrounds the word that says the same") {
    CHECK(render({.color = true, .header = false}, {{Word{"exhausted", Tone::bad}}},
                 {{"state", CellType::word, "STATE", "", Column::Shown::table}}) == "\x1b[31mexhausted\x1b[0m\n");
}

TEST_CASE("no control byte of a key reaches a table") {
    for (const Format format : {Format::table, Format::wide}) {
        for (const std::optional<KeyFormat> key_format : {std::optional<KeyFormat>{}, std::optional{KeyFormat::raw}}) {
            const std::string text = render_keys({.format = format, .key_format = key_format}, nasty_keys());
            for (const char c : text) CHECK((c == '\n' || (c != 0x7f && static_cast<unsigned char>(c) >= 0x20)));
            CHECK(text.find("\u202e") == std::string::npos);
            CHECK(is_valid_utf8(text));
            CHECK(std::count(text.begin(), text.end(), '\n') == 10);
        }
    }
}

TEST_CASE("wide characters keep the columns of a table in line") {
    CHECK(render_keys({.header = false}, {"\u65e5\u672c", "abcd", "a\nb", ""}) ==
          "\u65e5\u672c  1\nabcd  1\na\\nb  1\n\"\"    1\n");
}

TEST_CASE("the table streams once it has seen two hundred rows") {
    StringSink out;
    const auto sink = make_row_sink({}, {{"used", CellType::integer, "USED", "", Column::Shown::table}}, out);
    for (int i = 0; i < 199; ++i) sink->row(Row{std::int64_t{i}});
    CHECK(out.text.empty());
    sink->row(Row{std::int64_t{199}});
    CHECK(std::count(out.text.begin(), out.text.end(), '\n') == 201);
    sink->row(Row{std::int64_t{123456}});
    CHECK(out.text.substr(out.text.size() - 13) == "\n 199\n123456\n");
    sink->end({});
    CHECK(std::count(out.text.begin(), out.text.end(), '\n') == 202);
}

TEST_CASE("a flush shows what the table was holding back") {
    StringSink out;
    const auto sink = make_row_sink({}, {{"used", CellType::integer, "USED", "", Column::Shown::table}}, out);
    sink->row(Row{std::int64_t{1}});
    sink->flush();
    CHECK(out.text == "USED\n   1\n");
    sink->end({});
    CHECK(out.text == "USED\n   1\n");
}

TEST_CASE("a table that is flushed early keeps room for times that its first rows do not have") {
    const std::vector<Column> columns{{"reset_at", CellType::time, "RESET", ""},
                                      {"at", CellType::wall_time, "AT", ""},
                                      {"shard", CellType::text, "SHARD", ""}};
    const auto now = ratectl::support::from_epoch(1767225600);
    const auto lines_of = [&](SinkOptions options) {
        options.now = now;
        StringSink out;
        const auto sink = make_row_sink(options, columns, out);
        sink->flush();  // nothing is there yet
        sink->row(Row{Null{}, Null{}, Text{"alpha"}});
        sink->flush();
        sink->row(Row{now + ratectl::support::Seconds{754}, ratectl::support::WallTime{now}, Text{"beta"}});
        sink->end({});
        return out.text;
    };
    CHECK(lines_of({}) ==
          "RESET                 AT                        SHARD\n"
          "-                     -                         alpha\n"
          "2026-01-01T00:12:34Z  2026-01-01T00:00:00.000Z  beta\n");
    CHECK(lines_of({.terminal = true, .width = 50}) ==
          "RESET                 AT         SHARD\n"
          "-                     -          alpha\n"
          "00:12:34Z (in 12m)    00:00:00Z  beta\n");
}

TEST_CASE("the table of no rows is nothing at all") { CHECK(render_keys({}, {}).empty()); }

TEST_CASE("times lose their date before a line would wrap") {
    SinkOptions options{.terminal = true, .width = 50};
    options.now = ratectl::support::from_epoch(1767225600 + 3600);
    const std::vector<Column> columns{{"key", CellType::key, "KEY", "", Column::Shown::table},
                                      {"state", CellType::word, "STATE", "", Column::Shown::table},
                                      {"reset_at", CellType::time, "RESET AT", "", Column::Shown::table}};
    const auto line = [&](std::int64_t second) {
        return render(
            options, {{Bytes{"core:" + std::string(30, 'k')}, Word{"exhausted"}, ratectl::support::from_epoch(second)}},
            columns);
    };
    CHECK(line(1767225600 + 5400).find("  01:30:00Z (in 30m)\n") != std::string::npos);
    CHECK(line(1767225600 + 5431).find("  01:30:31Z (in 30m)\n") != std::string::npos);
    CHECK(line(1767225600 + 3 * 86400).find("  2026-01-04 (in 2d23h)\n") != std::string::npos);
    options.width = 80;
    CHECK(line(1767225600 + 5400).find("2026-01-01T01:30:00Z (in 30m)\n") != std::string::npos);
}

TEST_CASE("a table that is too wide for its terminal says no needless part of clock times") {
    const std::vector<Column> columns{{"read_at", CellType::wall_time, "READ AT", "the reading"},
                                      {"note", CellType::word, "NOTE", "a word"}};
    const std::vector<Row> rows{
        {ratectl::support::WallTime{ratectl::support::Milliseconds{1767225600250}}, Text{"as-long-as-it-is"}}};
    SinkOptions options{.terminal = true, .width = 80};
    options.header = false;
    options.now = ratectl::support::from_epoch(1767225660);
    CHECK(render(options, rows, columns) == "2026-01-01T00:00:00.250Z  as-long-as-it-is\n");
    options.width = 40;
    CHECK(render(options, rows, columns) == "00:00:00Z  as-long-as-it-is\n");
    options.now = ratectl::support::from_epoch(1767225600 + 86400);
    CHECK(render(options, rows, columns) == "2026-01-01T00:00:00Z  as-long-as-it-is\n");
    options.terminal = false;
    CHECK(render(options, rows, columns) == "2026-01-01T00:00:00.250Z  as-long-as-it-is\n");
}

// STATUS and WHY NOT both said window-changed.
TEST_CASE("a table does not repeat in one column what another one says") {
    auto columns =
        std::vector<Column>{{"status", CellType::word, "STATUS", ""}, {"why_not", CellType::text, "WHY NOT", ""}};
    columns[1].echoes = "status";
    const std::vector<Row> rows{{Word{"refused"}, Text{"below-zero"}}, {Word{"over"}, Text{"over"}}};
    CHECK(render({}, rows, columns) == "STATUS   WHY NOT\nrefused  below-zero\nover     -\n");
    SinkOptions csv;
    csv.format = Format::csv;
    CHECK(render(csv, rows, columns) == "status,why_not\nrefused,below-zero\nover,over\n");
    columns.erase(columns.begin());
    CHECK(render({}, {{Text{"over"}}}, columns) == "WHY NOT\nover\n");
}

TEST_CASE("a quiet column comes with the first row for which it has something to tell and with a heading of its own") {
    auto columns = std::vector<Column>{{"key", CellType::key, "KEY", ""},
                                       {"deployment", CellType::text, "DEPLOYMENT", ""},
                                       {"undone_by", CellType::text, "UNDONE BY", ""}};
    columns[1].quiet = Column::Quiet::while_same;
    columns[2].quiet = Column::Quiet::while_null;
    const Row plain{Bytes{"a"}, Text{"one"}, Null{}};
    CHECK(render({}, {plain, plain}, columns) == "KEY\na\na\n");
    CHECK(render({}, {plain, {Bytes{"b"}, Text{"two"}, Null{}}}, columns) == "KEY  DEPLOYMENT\na    one\nb    two\n");
    CHECK(render({}, {{Bytes{"a"}, Text{"one"}, Text{"U"}}, {Bytes{"b"}, Text{"one"}, Text{"U"}}}, columns) ==
          "KEY  UNDONE BY\na    U\nb    U\n");
    // Behind the rows by which the table was laid out, too.
    std::vector<Row> many(300, plain);
    many.push_back({Bytes{"b"}, Text{"two"}, Null{}});
    CHECK(render({}, many, columns).ends_with("\na\nKEY  DEPLOYMENT\nb    two\n"));
}
