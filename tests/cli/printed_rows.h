// What ratectl printed for programs, as JSON.
#pragma once

#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.h"
#include "support/json.h"
#include "support/run_ratectl.h"

namespace ratectl::test {

using Rows = std::vector<nlohmann::json>;

inline Rows rows_of(const std::string& ndjson) {
    Rows rows;
    std::istringstream lines(ndjson);
    for (std::string line; std::getline(lines, line);) rows.push_back(parse_json(line));
    return rows;
}
/// Those of them that are of a key.
inline Rows key_rows(const RunResult& result) {
    Rows rows;
    for (auto& row : rows_of(result.out)) {
        if (row.contains("key")) rows.push_back(std::move(row));
    }
    return rows;
}
inline nlohmann::json first_row(const std::string& ndjson) { return parse_json(ndjson.substr(0, ndjson.find('\n'))); }
/// Of `--json`; fails when there is not one row.
inline nlohmann::json only_row(const RunResult& result) {
    const auto document = parse_json(result.out);
    REQUIRE(document.at("rows").size() == 1);
    return document.at("rows").at(0);
}
/// The last line of `--messages json`.
inline nlohmann::json summary_of(const RunResult& result) {
    std::istringstream lines(result.err);
    nlohmann::json last;
    for (std::string line; std::getline(lines, line);) last = parse_json(line);
    CHECK(last.at("kind") == "summary");
    return last;
}

}  // namespace ratectl::test
