// Nothing is searched for and replaced: what is hidden is never put into the text.
#include "commands/explain/redaction.h"

#include <algorithm>

#include <fmt/format.h>

#include "sharding/hash_functions.h"

namespace ratectl::commands::explain {
namespace {

using support::ExitCode;

constexpr std::string_view kReadMore = "without --redact the whole message is shown";

/// Servers that are given as URLs are called by their addresses.
bool tells_host(const domain::Shard& shard) {
    const auto tells = [&](const domain::Endpoint& endpoint) {
        const auto& name = endpoint.kind == domain::Endpoint::Kind::tcp ? endpoint.host : endpoint.path;
        return !name.empty() && shard.name.find(name) != std::string::npos;
    };
    return tells(shard.primary) || std::any_of(shard.replicas.begin(), shard.replicas.end(), tells);
}

std::string_view kind_of(ExitCode code) {
    switch (code) {
        case ExitCode::usage:
            return "the command line is wrong";
        case ExitCode::configuration:
            return "the configuration is wrong, or a limit that is needed is unknown";
        case ExitCode::unavailable:
            return "it could not be reached, or did not answer in time";
        case ExitCode::access:
            return "login or permission was refused";
        case ExitCode::local_io:
            return "a local file, standard input or standard output failed";
        case ExitCode::protocol:
            return "it is another kind of server, or does not follow the protocol";
        case ExitCode::interrupted:
        case ExitCode::terminated:
            return "it was not waited for any longer";
        default:
            return "something failed";
    }
}

}  // namespace

std::string digest_of(std::string_view what, std::string_view bytes) {
    const auto digest = sharding::hashes::sha256(fmt::format("ratectl redacted {}", bytes));
    return fmt::format("{}-{:08x}", what, digest.words[0]);
}

Redaction::Redaction(bool on, const config::Settings& settings) : on_(on) {
    for (const auto& each : settings.shards) {
        const bool hide = on && tells_host(each.shard);
        names_.push_back(each.shard.name);
        shards_.push_back(hide ? fmt::format("shard {}", shards_.size() + 1) : each.shard.name);
    }
}

std::string Redaction::key(std::string_view key, const std::optional<domain::PolicyMatch>& match) const {
    if (!on_) return std::string(key);
    auto captures = match ? match->policy->key.match(key) : std::nullopt;
    if (!captures) return digest_of("key", key);
    for (auto& [hole, bytes] : *captures) bytes = digest_of(hole, bytes);
    return match->policy->key.expand(*captures).value_or(digest_of("key", key));
}

std::string Redaction::client(std::string_view client) const {
    return on_ && !client.empty() ? digest_of("client", client) : std::string(client);
}

std::string Redaction::shard(std::size_t shard) const { return shards_.at(shard); }

std::string Redaction::shard(std::string_view name) const {
    const auto found = std::find(names_.begin(), names_.end(), name);
    if (found != names_.end()) return shards_[static_cast<std::size_t>(found - names_.begin())];
    return on_ ? "a shard" : std::string(name);
}

std::string Redaction::node(const domain::Node& node, std::span<const domain::Node> nodes) const {
    const auto role = domain::name_of(node.role);
    if (!on_) return fmt::format("{} {}", role, node.name());
    if (node.role == domain::Role::primary) return std::string(role);
    std::size_t number = 0;
    for (const auto& other : nodes) {
        if (other.role == domain::Role::replica) ++number;
        if (other.endpoint.same_server(node.endpoint)) break;
    }
    return fmt::format("{} {}", role, number);
}

std::string Redaction::address(const domain::Node& node, std::span<const domain::Node> nodes) const {
    return on_ ? this->node(node, nodes) : node.name();
}

support::Error Redaction::error(const support::Error& error) const {
    if (!on_) return error;
    return {error.code, std::string(kind_of(error.code)), std::string(kReadMore)};
}

std::string Redaction::limit_source(std::string_view source) const {
    return std::string(on_ && source.starts_with("class-file:") ? "class-file" : source);
}

support::Failure without_names(const support::Failure& failure) {
    const auto code = failure.error().code;
    return {code, std::string(kind_of(code)), std::string(kReadMore)};
}

}  // namespace ratectl::commands::explain
