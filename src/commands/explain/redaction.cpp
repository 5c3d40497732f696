// Hides clients and hosts for --redact: nothing is searched for and replaced, what is hidden never enters the text.
#include "commands/explain/redaction.h"

#include <algorithm>

#include <fmt/format.h>

#include "commands/report/key_mask.h"
#include "support/ascii.h"
#include "support/digest.h"

namespace ratectl::commands::explain {
namespace {

using support::ExitCode;

constexpr std::string_view kReadMore = "without --redact the whole message is shown";

/// The host without its domain, or the file's name without its folder and ending.
std::string_view first_label(std::string_view name) {
    name.remove_prefix(name.rfind('/') + 1);  // npos + 1 is 0
    return name.substr(0, name.find('.'));
}

/// Servers that are given as URLs are called by their addresses, and people call shards by the host or a part of its
/// name.
bool tells_server(std::string_view shard, const domain::Endpoint& endpoint) {
    const auto name = support::lower(endpoint.kind == domain::Endpoint::Kind::tcp ? endpoint.host : endpoint.path);
    const auto label = first_label(name);
    if (name.find(shard) != std::string::npos) return true;
    return !label.empty() && shard.find(label) != std::string_view::npos;
}

/// Rather a name too many is hidden than a host is told. A shard may be called by a host that serves another one by
/// now.
bool tells_host(std::string_view shard_name, const store::Directory& directory) {
    if (shard_name.find_first_of(".:/") != std::string_view::npos) return true;
    const auto name = support::lower(std::string(shard_name));
    return std::ranges::any_of(directory.places(), [&](const domain::Shard& each) {
        const auto tells = [&](const domain::Endpoint& endpoint) { return tells_server(name, endpoint); };
        return tells(each.primary) || std::ranges::any_of(each.replicas, tells);
    });
}

std::string_view kind_of(ExitCode code) {
    switch (code) {
        case ExitCode::usage: return "the command line is wrong";
        case ExitCode::configuration: return "the configuration is wrong, or a limit that is needed is unknown";
        case ExitCode::unavailable: return "it could not be reached, or did not answer in time";
        case ExitCode::access: return "login or permission was refused";
        case ExitCode::local_io: return "a local file, standard input or standard output failed";
        case ExitCode::protocol: return "it is another kind of server, or does not follow the protocol";
        case ExitCode::interrupted:
        case ExitCode::terminated: return "it was not waited for any longer";
        default: return "something failed";
    }
}

/// A counter or an end is a number; anything else may be a name.
void hide_words_of(domain::StoredKey& stored) {
    if (stored.value && !domain::integer_of(stored)) stored.value = "hidden";
}

}  // namespace

std::string digest_of(std::string_view what, std::string_view bytes) {
    const auto digest = support::sha256(fmt::format("ratectl redacted {}", bytes));
    return fmt::format("{}-{:08x}", what, digest.words[0]);
}

Redaction::Redaction(bool on, const config::Settings& settings, const store::Directory& directory)
    : on_(on), settings_(settings), directory_(directory) {}

std::string Redaction::key(std::string_view key, const std::optional<domain::PolicyMatch>& match) const {
    if (!on_) return visible_key(key, settings_);
    auto captures = match ? match->policy->key.match(key) : std::nullopt;
    if (!captures) return digest_of("key", key);
    for (auto& [hole, bytes] : *captures) bytes = digest_of(hole, bytes);
    return match->policy->key.assemble(*captures);
}

std::string Redaction::client(const domain::PolicyMatch& match) const {
    return on_ && !match.client.empty() ? digest_of("client", match.client) : visible_client(match);
}

std::string Redaction::deployment() const { return on_ && !settings_.file ? "url" : settings_.deployment; }

std::string Redaction::shard(std::size_t shard) const {
    const auto& name = directory_.name_of(shard);
    return on_ && tells_host(name, directory_) ? fmt::format("shard {}", shard + 1) : name;
}

std::string Redaction::shard(std::string_view name) const {
    if (const auto place = directory_.find(name)) return shard(*place);
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

std::vector<domain::Node> nodes_of(std::span<const domain::NodeView> views) {
    std::vector<domain::Node> nodes;
    for (const auto& view : views) nodes.push_back(view.node);
    return nodes;
}

void hide_words(domain::WindowLook& look, const std::string& key) {
    look.key = key;
    for (auto& part : look.parts) hide_words_of(part);
}

std::vector<domain::NodeView> hidden(std::span<const domain::NodeView> views, const std::string& key,
                                     const Redaction& redaction) {
    const auto nodes = nodes_of(views);
    std::vector<domain::NodeView> hidden(views.begin(), views.end());
    for (std::size_t i = 0; i < hidden.size(); ++i) {
        auto& view = hidden[i];
        if (view.look) {
            hide_words(*view.look, key);
            if (view.through_lua) hide_words(*view.through_lua, key);
            for (auto& earlier : view.earlier) hide_words(earlier.look, key);
        }
        if (!redaction.on()) continue;
        view.node.endpoint = {};
        view.node.endpoint.kind = domain::Endpoint::Kind::file;  // its path is its whole address
        view.node.endpoint.path = redaction.node(nodes[i], nodes);
        view.node.shard = redaction.shard(nodes[i].shard);
        if (view.facts && view.facts->primary_address) {
            const auto known = std::ranges::find_if(
                nodes, [&](const domain::Node& node) { return node.name() == *view.facts->primary_address; });
            view.facts->primary_address = known == nodes.end() ? "another server" : redaction.node(*known, nodes);
        }
        if (!view.look) view.look = tl::make_unexpected(redaction.error(view.look.error()));
    }
    return hidden;
}

support::Failure without_names(const support::Failure& failure) {
    const auto code = failure.error().code;
    return {code, std::string(kind_of(code)), std::string(kReadMore)};
}

}  // namespace ratectl::commands::explain
