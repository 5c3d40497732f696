// What --redact hides: clients and hosts, under names that are the same whenever and wherever they are hidden.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "commands/request/selection.h"
#include "domain/diagnosis/divergence.h"
#include "domain/node.h"
#include "domain/window.h"
#include "store/directory.h"
#include "support/error.h"

namespace ratectl::commands::explain {

/// The first eight hexadecimal digits of a SHA-256 over the bytes, behind a name that says what they are:
/// `client-3f9a1c2b`. The same client has the same digest in every report, so that reports can be put side by side. It
/// hides ids from the readers of a ticket; a reader who can list the ids that there are (numbers, names of accounts)
/// can compute theirs and find the one: no secret takes part in it.
std::string digest_of(std::string_view what, std::string_view bytes);

/// Names of keys, clients and servers as a report shows them: as they are, or hidden.
class Redaction {
public:
    Redaction(bool on, const config::Settings& settings, const store::Directory& directory);

    bool on() const { return on_; }
    /// Hidden: every hole of the policy's template as a digest, `core:client-3f9a1c2b`; without a policy
    /// `key-3f9a1c2b`. Else as visible_key() has it.
    std::string key(std::string_view key, const std::optional<domain::PolicyMatch>& match) const;
    std::string client(const domain::PolicyMatch& match) const;
    /// The deployment's name; hidden: `url` where it was named by its servers.
    std::string deployment() const;
    /// The shard's name; hidden: `shard 2` where the name may tell a host.
    std::string shard(std::size_t shard) const;
    std::string shard(std::string_view name) const;
    /// `primary 10.0.0.1:6379`, `replica 10.0.0.2:6379`; hidden: `primary`, `replica 1`. `nodes`: all nodes of its
    /// shard.
    std::string node(const domain::Node& node, std::span<const domain::Node> nodes) const;
    /// The node's address; hidden: as node() has it.
    std::string address(const domain::Node& node, std::span<const domain::Node> nodes) const;
    /// What went wrong at a node; hidden: only its kind, because what a server, a resolver or a certificate says may
    /// name a client or a host.
    support::Error error(const support::Error& error) const;
    /// `class-file:alice` names a client.
    std::string limit_source(std::string_view source) const;

private:
    bool on_;
    const config::Settings& settings_;
    const store::Directory& directory_;
};

std::vector<domain::Node> nodes_of(std::span<const domain::NodeView> views);
/// Its key is called so, and what is stored beside numbers is hidden: it may be a name.
void hide_words(domain::WindowLook& look, const std::string& key);
/// The same views without the key and what is stored beside numbers, and, where names are hidden, of servers without
/// addresses: whatever is then said of them names none.
std::vector<domain::NodeView> hidden(std::span<const domain::NodeView> views, const std::string& key,
                                     const Redaction& redaction);

/// A failure that ends the command, without a word that may name a client or a host.
support::Failure without_names(const support::Failure& failure);

}  // namespace ratectl::commands::explain
