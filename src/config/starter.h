// The configuration file to start from: written with comments, for people who will go on by hand.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/settings.h"

namespace ratectl::config {

/// Answers as given; starting_file() quotes them, resolving the result checks them.
struct StarterShard {
    std::string name;                   // empty: none is written, the address is the name
    std::string primary;                // a URL without a password
    std::vector<std::string> replicas;  // URLs
    bool discover_replicas = false;
};
struct StarterPolicy {
    std::string name;
    std::string key;
    std::string limit;        // digits, or empty
    std::string period;       // a duration, or empty
    std::string scheme = {};  // empty: the deployment's
    std::string note = {};    // a comment above it, or empty
};
struct Starter {
    std::string name = "main";
    std::vector<StarterShard> shards;
    std::string sharding;  // a preset, or empty
    std::vector<StarterPolicy> policies;
};

/// `NAME=TEMPLATE[:LIMIT/PERIOD]`: `core=core:{client}:5000/1h`. Errors (usage).
support::Result<StarterPolicy> parse_starter_policy(const std::string& text);
/// The policy's table.
std::string policy_table(const StarterPolicy& policy, const std::string& deployment);
/// The text of the file.
std::string starting_file(const Starter& starter);
/// What the file at `path` would say with this text; throws Failure (configuration) when it would be refused.
Settings check_starting_file(const std::string& text, const std::string& path, const World& world);

/// Writes a file that only its owner can use, and the folders on its way. An existing file is an error (local_io)
/// unless `replace`; then it is replaced in one step. Throws Failure (local_io).
void write_private_file(const std::string& path, const std::string& text, bool replace);

}  // namespace ratectl::config
