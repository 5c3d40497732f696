// What people and files bring: rows of keys, access logs, configuration, URLs, arguments, keys to be placed.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/parse.h"
#include "config/deployment_file.h"
#include "config/import.h"
#include "domain/endpoint.h"
#include "fuzz/broken.h"
#include "input/access_log.h"
#include "input/key_rows.h"
#include "output/row_sink.h"
#include "sharding/key_tag.h"
#include "sharding/shard_map.h"
#include "support/number_text.h"

namespace ratectl::fuzz {

/// Hands out few bytes at a time.
class DripSource final : public input::ByteSource {
public:
    DripSource(std::string_view bytes, std::size_t piece) : bytes_(bytes), piece_(piece) {}
    std::size_t read(std::span<char> buffer) override {
        const std::size_t n = bytes_.copy(buffer.data(), std::min(piece_, buffer.size()));
        bytes_.remove_prefix(n);
        return n;
    }
    const std::string& name() const override { return name_; }

private:
    std::string_view bytes_;
    std::size_t piece_;
    std::string name_ = "rows";
};

struct Rows {
    std::vector<input::KeyRow> rows;
    std::string complaint;

    bool operator==(const Rows&) const = default;
};

inline Rows rows_of(std::string_view bytes, input::RowFormat format, std::size_t piece, char separator = '\n') {
    Rows result;
    DripSource source(bytes, piece);
    try {
        input::KeyRowReader reader(source, format, separator);
        while (auto* row = reader.next()) {
            promise(row->key || row->client, "a row without key or client");
            promise(!row->amount ||
                        (*row->amount <= support::kMaxExactInteger && *row->amount >= -support::kMaxExactInteger),
                    "an amount beyond what Lua can count");
            result.rows.push_back(std::move(*row));
        }
    } catch (const support::Failure& failure) {
        promise(failure.error().code == support::ExitCode::local_io, "bad input is no local_io");
        result.complaint = failure.error().message;
    }
    return result;
}

inline void key_rows(std::string_view bytes) {
    for (const auto format : {input::RowFormat::keys, input::RowFormat::ndjson, input::RowFormat::csv}) {
        const Rows whole = rows_of(bytes, format, 65536);
        promise(rows_of(bytes, format, 1) == whole, "read byte by byte, the rows differ");
        promise(rows_of(bytes, format, 5) == whole, "read in pieces of five, the rows differ");
    }
    rows_of(bytes, input::RowFormat::keys, 65536, '\0');
}

/// The bytes as a key through the formats that ratectl reads back.
inline void round_trip(std::string_view bytes) {
    if (bytes.empty()) return;
    for (const auto format : {output::Format::ndjson, output::Format::csv}) {
        output::StringSink out;
        output::SinkOptions options;
        options.format = format;
        options.schema = "fuzz";
        const auto sink = output::make_row_sink(options, {{"key", output::CellType::key, "KEY", "the key"}}, out);
        const output::Cell cell = output::BytesView{bytes};
        sink->row({&cell, 1});
        sink->end({});
        const bool csv = format == output::Format::csv;
        const Rows read = rows_of(out.text, csv ? input::RowFormat::csv : input::RowFormat::ndjson, 65536);
        promise(read.complaint.empty(), "what ratectl prints it does not read");
        promise(read.rows.size() == 1 && read.rows[0].key == std::string(bytes), "a key as printed reads as another");
    }
}

inline void access_log(std::string_view bytes) {
    const auto request = input::parse_access_log_line(bytes);
    promise(!request || !request->client.empty(), "a request without a client");
    promise(request || !request.error().message.empty(), "a malformed line without words");
}

/// The whole file but for what lies outside it: a deployment that cannot exist is asked for, so no password is fetched
/// and no file read.
inline void config(std::string_view bytes) {
    config::ConfigFile file;
    file.path = "ratectl.toml";
    file.folder = "/nowhere";
    file.text = bytes;
    config::World world;
    world.env = [](const std::string&) -> std::optional<std::string> { return std::nullopt; };
    const config::Given wanted{"no, such deployment", "--deployment", {}};
    try {
        config::settings_from_file(file, wanted, world);
        throw Broken("a deployment was found under a name that is none");
    } catch (const support::Failure& failure) {
        const auto code = failure.error().code;
        promise(code == support::ExitCode::configuration || code == support::ExitCode::usage,
                "a bad file is no configuration error");
        promise(!failure.error().message.empty(), "a bad file is refused without words");
    }
}

/// A twemproxy file: what is imported from it reads back as it was, and never holds its password.
inline void twemproxy(std::string_view bytes) {
    config::ConfigFile file;
    file.path = "nutcracker.yml";
    file.folder = "/nowhere";
    file.text = bytes;
    config::ImportedDeployment imported;
    try {
        imported = config::import_twemproxy(file, std::nullopt);
    } catch (const support::Failure& failure) {
        const auto code = failure.error().code;
        promise(code == support::ExitCode::configuration || code == support::ExitCode::usage,
                "a bad pool is no configuration error");
        promise(!failure.error().message.empty(), "a bad pool is refused without words");
        return;
    }
    file.path = "ratectl.toml";
    file.text = config::imported_file(imported);
    config::World world;
    world.env = [](const std::string&) -> std::optional<std::string> { return std::nullopt; };
    const auto settings = config::settings_from_file(file, std::nullopt, world);
    promise(settings.deployment == imported.name, "an imported deployment has another name");
    promise(settings.shards.size() == imported.shards.size(), "an imported deployment has other shards");
    for (std::size_t i = 0; i < settings.shards.size(); ++i) {
        promise(settings.shards[i].server.label == imported.shards[i].label, "an imported label reads differently");
        promise(settings.shards[i].server.name == imported.shards[i].name, "an imported name reads differently");
    }
    promise(!settings.login.password.has_value(), "an import brought a password");
}

inline void endpoint(std::string_view bytes) {
    const auto first = domain::parse_endpoint(bytes);
    if (!first) return;
    const auto second = domain::parse_endpoint(first->url());
    promise(second.has_value(), "an endpoint's own URL is refused");
    promise(second->same_server(*first) && second->tls == first->tls && second->db == first->db,
            "an endpoint's own URL leads elsewhere");
    promise(!first->address().empty(), "an endpoint without an address");
}

/// Arguments, each ended by a NUL.
inline void arguments(std::string_view bytes) {
    std::vector<std::string_view> words;
    while (!bytes.empty() && words.size() < 64) {
        const auto end = std::min(bytes.find('\0'), bytes.size());
        words.push_back(bytes.substr(0, end));
        bytes.remove_prefix(std::min(end + 1, bytes.size()));
    }
    const auto parsed = cli::parse(words);
    if (const auto* early = std::get_if<cli::Early>(&parsed)) {
        promise(early->code == support::ExitCode::done || early->code == support::ExitCode::usage,
                "a bad command line is no usage error");
        promise(early->code == support::ExitCode::done || !early->error.message.empty(), "a usage error without words");
    }
}

/// The bytes as a key for every preset and every key tag rule.
inline void placement(std::string_view key) {
    static const std::vector<sharding::ShardMap> kMaps = [] {
        std::vector<sharding::Server> servers(3);
        for (std::size_t i = 0; i < servers.size(); ++i) {
            servers[i].name = "server" + std::to_string(i);
            servers[i].host = "10.0.0." + std::to_string(i);
        }
        std::vector<sharding::ShardMap> maps;
        for (const auto& preset : sharding::preset_names()) {
            sharding::Options options;
            options.preset = preset;
            maps.push_back(support::value_or_throw(sharding::ShardMap::make(options, servers)));
        }
        return maps;
    }();
    for (const auto& map : kMaps) {
        promise(map.shard_of(key) < 3, "a key is on a shard that does not exist");
        promise(map.explain(key).shard == map.shard_of(key), "the steps lead to another shard");
    }
    for (const auto& rule : sharding::key_tag_names()) {
        const auto tag = sharding::find_tag(*sharding::parse_key_tag(rule), key);
        promise(!tag || key.find(*tag) != std::string_view::npos, "a key tag is no part of its key");
    }
}

}  // namespace ratectl::fuzz
