// A pool of a nutcracker.yml: what twemproxy makes of it, with the defaults that it has.
#include <algorithm>
#include <array>
#include <span>

#include <fmt/format.h>
#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/yaml.h>

#include "config/import.h"
#include "config/servers.h"
#include "config/table_view.h"
#include "config/toml_words.h"
#include "sharding/preset.h"
#include "support/number_text.h"
#include "support/suggest.h"

namespace ratectl::config {
namespace {

using support::ExitCode;
using support::Failure;

constexpr std::uint64_t kLargestPort = 65'535;
constexpr std::string_view kMemcachedPort = "11211";

/// Every key that twemproxy 0.5 knows.
const std::array<std::string, 17> kPoolKeys{"listen",
                                            "hash",
                                            "hash_tag",
                                            "distribution",
                                            "timeout",
                                            "backlog",
                                            "client_connections",
                                            "redis",
                                            "tcpkeepalive",
                                            "redis_auth",
                                            "redis_db",
                                            "preconnect",
                                            "auto_eject_hosts",
                                            "server_connections",
                                            "server_retry_timeout",
                                            "server_failure_limit",
                                            "servers"};

/// The file, for messages that name the place in it.
class PoolFile {
public:
    explicit PoolFile(const ConfigFile& file) : path_(file.path) {
        try {
            root_ = YAML::Load(file.text);
        } catch (const YAML::DeepRecursion& error) {
            fail(error.mark, "nested too deeply");
        } catch (const YAML::Exception& error) {
            fail(error.mark, error.msg);
        }
        if (!root_.IsMap()) fail(root_.Mark(), "this is not a list of pools: NAME: and its settings below it");
    }

    const YAML::Node& root() const { return root_; }
    const std::string& path() const { return path_; }

    [[noreturn]] void fail(const YAML::Mark& mark, const std::string& message, const std::string& hint = {}) const {
        const std::string place =
            mark.is_null() ? path_ : fmt::format("{}:{}:{}", path_, mark.line + 1, mark.column + 1);
        throw Failure(ExitCode::configuration, fmt::format("{}: {}", place, message), hint);
    }
    std::string text(const YAML::Node& node, const std::string& name) const {
        if (!node.IsScalar())
            fail(node.Mark(), fmt::format("{}: must be a single value", name), "quote it if it has braces or brackets");
        if (!fits_toml(node.Scalar())) fail(node.Mark(), fmt::format("{}: is not valid UTF-8", name));
        return node.Scalar();
    }

private:
    std::string path_;
    YAML::Node root_;
};

/// One pool: each setting read once, with the default that twemproxy has.
class Pool {
public:
    Pool(const PoolFile& file, std::string name, const YAML::Node& node)
        : file_(file), name_(std::move(name)), node_(node) {
        if (!node_.IsMap()) file_.fail(node_.Mark(), fmt::format("pool {}: has no settings", toml_text(name_)));
    }

    const std::string& name() const { return name_; }
    const PoolFile& file() const { return file_; }
    bool has(const std::string& key) const { return find(key).IsDefined(); }
    YAML::Node find(const std::string& key) const { return node_[key]; }
    std::optional<std::string> text(const std::string& key) const {
        const YAML::Node value = find(key);
        if (!value.IsDefined()) return std::nullopt;
        return file_.text(value, dotted(key));
    }
    bool flag(const std::string& key) const {
        const auto word = text(key);
        if (!word || *word == "false") return false;
        if (*word != "true") fail(key, "must be true or false");
        return true;
    }
    std::string word(const std::string& key, const std::string& by_default, std::span<const std::string> words) const {
        const auto given = text(key);
        if (!given) return by_default;
        if (std::find(words.begin(), words.end(), *given) == words.end()) {
            fail(key, fmt::format("twemproxy has none of that name; there are {}", fmt::join(words, ", ")),
                 support::did_you_mean(*given, words));
        }
        return *given;
    }
    [[noreturn]] void fail(const std::string& key, const std::string& message, const std::string& hint = {}) const {
        file_.fail(find(key).Mark(), fmt::format("{}: {}", dotted(key), message), hint);
    }
    std::string dotted(const std::string& key) const { return fmt::format("{}.{}", name_, key); }

    /// Unknown settings may matter; a setting given twice is an error in twemproxy, too.
    void review_keys(std::vector<ImportNote>& notes) const {
        std::vector<std::string> seen;
        for (const auto& entry : node_) {
            const std::string key = file_.text(entry.first, name_);
            if (std::find(seen.begin(), seen.end(), key) != seen.end())
                file_.fail(entry.first.Mark(), fmt::format("{}: is given twice", dotted(key)));
            seen.push_back(key);
            if (std::find(kPoolKeys.begin(), kPoolKeys.end(), key) != kPoolKeys.end()) continue;
            notes.push_back({fmt::format("{}:{}: '{}' is not a setting of twemproxy 0.5 and was left out", file_.path(),
                                         entry.first.Mark().line + 1, dotted(key)),
                             support::did_you_mean(key, kPoolKeys)});
        }
    }

private:
    const PoolFile& file_;
    std::string name_;
    YAML::Node node_;
};

/// `HOST:PORT:WEIGHT [NAME]` or `/PATH:WEIGHT [NAME]`, taken apart from its end as twemproxy does.
struct ServerLine {
    std::string address;  // HOST or the path
    std::string port;     // as written; empty for a socket
    std::uint64_t weight = 1;
    std::optional<std::string> name;

    bool socket() const { return address.starts_with('/'); }
    /// What twemproxy's ring calls it; of a socket the port is empty and the colon stays.
    std::string label() const {
        if (name) return *name;
        return port == kMemcachedPort ? address : fmt::format("{}:{}", address, port);
    }
};

support::Result<ServerLine> parse_server(std::string text) {
    const auto bad = [](std::string_view why) {
        return support::failure(ExitCode::configuration, std::string{why},
                                "a server is HOST:PORT:WEIGHT [NAME] or /PATH:WEIGHT [NAME]");
    };
    ServerLine line;
    if (const auto blank = text.rfind(' '); blank != std::string::npos) {
        line.name = text.substr(blank + 1);
        text.resize(blank);
        if (line.name->empty()) return bad("ends with a blank");
    }
    const auto take_last = [&text](std::string& part) {
        const auto colon = text.rfind(':');
        if (colon == std::string::npos) return false;
        part = text.substr(colon + 1);
        text.resize(colon);
        return true;
    };
    std::string weight;
    if (!take_last(weight) || (!text.starts_with('/') && !take_last(line.port))) return bad("has too few colons");
    const auto number = support::parse_unsigned(weight, kLargestWeight);
    if (!number || *number == 0) return bad(fmt::format("its weight is not a number from 1 to {}", kLargestWeight));
    line.weight = *number;
    line.address = std::move(text);
    if (line.socket()) return line;
    const auto port = support::parse_unsigned(line.port, kLargestPort);
    if (!port || *port == 0) return bad("its port is not a number from 1 to 65535");
    return line;
}

std::string url_of(const ServerLine& line, int db) {
    if (line.socket()) return fmt::format("unix://{}{}", line.address, db == 0 ? "" : fmt::format("?db={}", db));
    const bool bracketed = line.address.find(':') != std::string::npos;
    return fmt::format("redis://{}:{}{}", bracketed ? fmt::format("[{}]", line.address) : line.address, line.port,
                       db == 0 ? "" : fmt::format("/{}", db));
}

ImportedShard shard_of(const Pool& pool, const YAML::Node& node, std::size_t index, int db) {
    const std::string place = fmt::format("{}[{}]", pool.dotted("servers"), index);
    const auto line = parse_server(pool.file().text(node, place));
    if (!line) pool.file().fail(node.Mark(), fmt::format("{}: {}", place, line.error().message), line.error().hint);
    const auto endpoint = domain::parse_endpoint(url_of(*line, db));
    if (!endpoint)
        pool.file().fail(node.Mark(), fmt::format("{}: {}", place, endpoint.error().message), endpoint.error().hint);
    ImportedShard shard;
    shard.primary = endpoint->url();
    shard.weight = static_cast<unsigned>(line->weight);
    if (line->name && check_name(*line->name)) shard.name = line->name;
    const auto* rules = sharding::find_preset("twemproxy-ketama");
    const auto server = make_shard(*endpoint, {.name = shard.name, .label = {}, .weight = shard.weight}).server;
    if (rules->node(server, index) != line->label()) shard.label = line->label();
    shard.remark =
        fmt::format("its label is {}: {}", toml_text(line->label()),
                    line->name                     ? "the name in the pool"
                    : line->port == kMemcachedPort ? "the pool gives no name, and twemproxy leaves :11211 out"
                                                   : "the pool gives no name");
    return shard;
}

void read_servers(const Pool& pool, ImportedDeployment& deployment) {
    const YAML::Node servers = pool.find("servers");
    if (!servers.IsDefined() || !servers.IsSequence() || servers.size() == 0) {
        pool.file().fail((servers.IsDefined() ? servers : pool.file().root()).Mark(),
                         fmt::format("{}: has no servers", pool.name()));
    }
    std::uint64_t db = 0;
    if (const auto text = pool.text("redis_db")) {
        const auto number = support::parse_unsigned(*text, kLargestPort);
        if (!number) pool.fail("redis_db", "must be a number");
        db = *number;
    }
    for (std::size_t i = 0; i < servers.size(); ++i)
        deployment.shards.push_back(shard_of(pool, servers[i], i, static_cast<int>(db)));
}

std::vector<std::string> hash_names() {
    std::vector<std::string> names;
    for (const auto& hash : sharding::find_preset("twemproxy-ketama")->hashes) names.emplace_back(hash.name);
    return names;
}

void read_rule(const Pool& pool, ImportedDeployment& deployment) {
    const std::array<std::string, 3> distributions{"ketama", "modula", "random"};
    const std::string distribution = pool.word("distribution", "ketama", distributions);
    const std::string hash = pool.word("hash", "fnv1a_64", hash_names());
    const auto tag = pool.text("hash_tag");
    if (tag && tag->size() != 2) pool.fail("hash_tag", "must be two characters");
    const auto by_default = [&](const std::string& key) { return pool.has(key) ? "" : ", twemproxy's default"; };
    deployment.remarks = {
        fmt::format("distribution: {}{}", distribution, by_default("distribution")),
        fmt::format("hash: {}{}", hash, by_default("hash")),
        tag ? fmt::format("hash_tag: {}", toml_text(*tag)) : std::string{"no hash_tag: the whole key is hashed"}};
    const bool ejects = pool.flag("auto_eject_hosts");
    if (distribution != "random") {
        auto& rule = deployment.rule.emplace();
        rule.preset = "twemproxy-" + distribution;
        rule.hash = hash;
        rule.key_tag = tag;
    }
    if (deployment.shards.size() == 1) return;
    if (distribution == "random") {
        deployment.all_shards = true;
        deployment.remarks.emplace_back("random: any key may be on any server");
        deployment.notes.push_back({fmt::format("pool '{}' shares keys out at random: every look asks all shards, and "
                                                "a change needs a key that is on one of them only",
                                                pool.name()),
                                    ""});
    } else if (ejects) {
        deployment.all_shards = true;
        deployment.remarks.emplace_back(
            "auto_eject_hosts: while a server was out, its keys went to others; the line below holds while none is");
        deployment.notes.push_back({fmt::format("pool '{}' ejects servers that fail, and their keys move for a while: "
                                                "every look asks all shards",
                                                pool.name()),
                                    "to trust the ring alone, use the line in the file that begins with # sharding"});
    }
}

/// The named pool, or the only one.
Pool chosen_pool(const PoolFile& file, const std::optional<std::string>& wanted) {
    std::vector<std::string> names;
    std::optional<Pool> chosen;
    for (const auto& entry : file.root()) {
        names.push_back(file.text(entry.first, "a pool's name"));
        if (std::find(names.begin(), names.end() - 1, names.back()) != names.end() - 1)
            file.fail(entry.first.Mark(), fmt::format("two pools are named '{}'", names.back()));
        if (!wanted || *wanted == names.back()) chosen.emplace(file, names.back(), entry.second);
    }
    if (names.empty()) file.fail(file.root().Mark(), "no pool in this file");
    if (!chosen) {
        std::string hint = support::did_you_mean(*wanted, names);
        if (hint.empty()) hint = fmt::format("pools: {}", fmt::join(names, ", "));
        throw Failure(ExitCode::usage, fmt::format("there is no pool '{}' in {}", *wanted, file.path()), hint);
    }
    if (!wanted && names.size() > 1) {
        throw Failure(ExitCode::usage, fmt::format("{} has several pools: {}", file.path(), fmt::join(names, ", ")),
                      fmt::format("name one: ratectl config import twemproxy {} {}", file.path(), names.front()));
    }
    return *chosen;
}

}  // namespace

ImportedDeployment import_twemproxy(const ConfigFile& file, const std::optional<std::string>& pool_name) {
    const PoolFile pools(file);
    const Pool pool = chosen_pool(pools, pool_name);
    ImportedDeployment deployment;
    deployment.source = fmt::format("pool {} of {}", toml_text(pool.name()), toml_text(file.path));
    if (check_name(pool.name())) deployment.name = pool.name();
    pool.review_keys(deployment.notes);
    if (!pool.flag("redis")) {
        pools.fail((pool.has("redis") ? pool.find("redis") : pools.root()).Mark(),
                   fmt::format("pool '{}' is for memcached, and pools of Redis are imported", pool.name()),
                   "a Redis pool says redis: true");
    }
    read_servers(pool, deployment);
    read_rule(pool, deployment);
    deployment.password = pool.has("redis_auth");
    if (deployment.password) {
        deployment.notes.push_back({fmt::format("the pool's redis_auth is not copied: without it the servers of '{}' "
                                                "will refuse",
                                                deployment.name),
                                    "put it into a file of its own and name that: password_file"});
    }
    return deployment;
}

}  // namespace ratectl::config
