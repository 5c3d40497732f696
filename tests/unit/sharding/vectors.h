// The recorded answers of real sharding libraries (tests/data/vectors), and the check of a shard map against a column
// of them.
#pragma once

#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <zlib.h>

#include "sharding/shard_map.h"
#include "support/base64.h"
#include "support/catch.h"
#include "support/places.h"

namespace ratectl::sharding::vectors {

struct Table {
    std::vector<std::string> keys;
    std::vector<std::string> columns;                       // in file order
    std::map<std::string, std::vector<std::string>> cells;  // column -> a cell per key
};

inline std::vector<std::string> split(const std::string& line, char separator) {
    std::vector<std::string> fields(1);
    for (const char c : line) {
        if (c == separator)
            fields.emplace_back();
        else
            fields.back() += c;
    }
    return fields;
}

inline std::string unpacked(const std::string& path) {
    const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(gzopen(path.c_str(), "rb"), gzclose);
    if (!file) throw std::runtime_error("cannot open " + path);
    std::string text;
    std::string chunk(65536, '\0');
    for (int n = 0; (n = gzread(file.get(), chunk.data(), static_cast<unsigned>(chunk.size()))) > 0;) {
        text.append(chunk, 0, static_cast<std::size_t>(n));
    }
    return text;
}

inline Table read_table(const std::string& file) {
    std::istringstream lines(unpacked(test::test_data() + "/vectors/" + file));
    Table table;
    std::string line;
    std::getline(lines, line);
    auto names = split(line, '\t');
    table.columns.assign(names.begin() + 1, names.end());
    while (std::getline(lines, line)) {
        const auto fields = split(line, '\t');
        if (fields.size() != names.size())
            throw std::runtime_error("a row of the vectors has another length than the header");
        table.keys.push_back(support::from_hex(fields[0]).value());
        for (std::size_t i = 1; i < fields.size(); ++i) table.cells[names[i]].push_back(fields[i]);
    }
    if (table.keys.size() < 1000) throw std::runtime_error("the vectors are incomplete");
    return table;
}

inline const Table& table() {
    static const Table read = read_table("combined-5.tsv.gz");
    return read;
}

/// The columns that begin with `prefix`.
inline std::vector<std::string> columns(std::string_view prefix) {
    std::vector<std::string> found;
    for (const auto& name : table().columns) {
        if (name.starts_with(prefix)) found.push_back(name);
    }
    return found;
}

/// 127.0.0.1:7001 and on.
inline std::vector<Server> local_servers(std::size_t count = 5) {
    std::vector<Server> servers(count);
    for (std::size_t i = 0; i < count; ++i) {
        servers[i].host = "127.0.0.1";
        servers[i].port = static_cast<std::uint16_t>(7001 + i);
    }
    return servers;
}

inline constexpr std::string_view kGreek[] = {"alpha", "beta", "gamma", "delta", "epsilon"};
inline constexpr unsigned kWeights[] = {1, 2, 1, 3, 1};

inline std::vector<Server> named(std::vector<Server> servers) {
    for (std::size_t i = 0; i < servers.size(); ++i) servers[i].name = kGreek[i];
    return servers;
}
inline std::vector<Server> labelled(std::vector<Server> servers) {
    for (std::size_t i = 0; i < servers.size(); ++i) servers[i].label = kGreek[i];
    return servers;
}
inline std::vector<Server> weighted(std::vector<Server> servers) {
    for (std::size_t i = 0; i < servers.size(); ++i) servers[i].weight = kWeights[i];
    return servers;
}

inline Options of(std::string preset, std::optional<std::string> hash = {}, std::optional<std::string> key_tag = {}) {
    Options options;
    options.preset = std::move(preset);
    options.hash = std::move(hash);
    options.key_tag = std::move(key_tag);
    return options;
}

inline ShardMap map_of(const Options& options, const std::vector<Server>& servers = local_servers(3)) {
    return support::value_or_throw(ShardMap::make(options, servers));
}
/// Why there is no such map; making it and checking it say the same.
inline support::Error refusal(const Options& options, const std::vector<Server>& servers = local_servers(3)) {
    const auto map = ShardMap::make(options, servers);
    REQUIRE_FALSE(map.has_value());
    CHECK(map.error().code == support::ExitCode::configuration);
    const auto checked = ShardMap::check(options, servers);
    REQUIRE_FALSE(checked.has_value());
    CHECK(checked.error() == map.error());
    return map.error();
}

/// Every key of the column, through shard_of and through explain; names the column, the number of wrong keys and the
/// first of them. A column of slots is compared with the bucket, and the shard that shard_of gives with the slot's.
inline void check_column(const std::string& column, const Options& options, const std::vector<Server>& servers,
                         const Table& answers = table(), bool slots = false) {
    const auto map = ShardMap::make(options, servers);
    INFO("column " << column << ", preset " << options.preset << (map ? "" : ": " + map.error().message));
    REQUIRE(map.has_value());
    REQUIRE(answers.cells.count(column) == 1);
    const auto& cells = answers.cells.at(column);
    std::size_t compared = 0;
    std::size_t wrong = 0;
    std::string first;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        if (cells[i].empty() || cells[i] == "-") continue;
        ++compared;
        const std::string& key = answers.keys[i];
        const std::size_t shard = map->shard_of(key);
        const Steps steps = map->explain(key);
        const std::size_t answer = slots ? steps.bucket.value() : shard;
        if (std::to_string(answer) == cells[i] && steps.shard == shard) continue;
        if (wrong++ == 0) first = support::to_hex(key) + " is on " + cells[i] + ", not on " + std::to_string(answer);
    }
    INFO("of " << compared << " keys; the first wrong one, in hexadecimal: " << first);
    CHECK(wrong == 0);
    CHECK(compared >= 900);
}

}  // namespace ratectl::sharding::vectors
