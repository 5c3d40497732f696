// One set of columns and nasty rows for the tests of every format.
#pragma once

#include <string>
#include <vector>

#include "output/row_sink.h"

namespace ratectl::output {

inline std::vector<Column> sample_columns() {
    return {
        {"key", CellType::key, "KEY", "the key", Column::Shown::table},
        {"state", CellType::word, "STATE", "the state", Column::Shown::table},
        {"used", CellType::integer, "USED", "requests", Column::Shown::table},
        {"percent", CellType::number, "%", "share", Column::Shown::wide},
        {"reset_at", CellType::time, "RESET", "the end", Column::Shown::table},
        {"reset_in", CellType::duration_s, "IN", "time left", Column::Shown::wide},
        {"read_at", CellType::wall_time, "READ AT", "the reading", Column::Shown::machine},
        {"stale", CellType::boolean, "STALE", "old", Column::Shown::machine},
        {"stored", CellType::bytes, "STORED", "as stored", Column::Shown::machine},
    };
}

inline Row sample_row(std::string key) {
    return {Bytes{std::move(key)},
            Word{"open", Tone::good},
            std::int64_t{9007199254740993},
            84.25,
            support::from_epoch(1767225600),
            support::Milliseconds{751'900},
            support::WallTime{support::Milliseconds{1767224848123}},
            false,
            Bytes{"\xff"}};
}

inline Row absent_row(std::string key) {
    return {Bytes{std::move(key)}, Word{"absent", Tone::dim}, Null{}, Null{}, Null{}, Null{}, Null{}, Null{}, Null{}};
}

/// Newline, ESC, invalid UTF-8, quotes, backslash, wide characters, an RTL override, a formula, nothing.
inline std::vector<std::string> nasty_keys() {
    return {"a\nb", "\x1b[2J", "\xff\xfe", "q\"'q", "b\\s", "\u65e5\u672c", "x\u202ey", "=1+1", ""};
}

inline std::string render(SinkOptions options, const std::vector<Row>& rows, std::vector<Column> columns,
                          Footer footer = {}) {
    StringSink out;
    const auto sink = make_row_sink(options, std::move(columns), out);
    for (const Row& row : rows) sink->row(row);
    sink->end(footer);
    return out.text;
}

inline std::string render_keys(SinkOptions options, const std::vector<std::string>& keys) {
    std::vector<Row> rows;
    for (const std::string& key : keys) rows.push_back({Bytes{key}, std::int64_t{1}});
    return render(options, rows,
                  {{"key", CellType::key, "KEY", "", Column::Shown::table},
                   {"used", CellType::integer, "USED", "", Column::Shown::table}});
}

}  // namespace ratectl::output
