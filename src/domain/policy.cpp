// Which policy a key belongs to, and whose limit that makes.
#include "domain/policy.h"

#include <algorithm>

#include <fmt/format.h>

namespace ratectl::domain {

namespace {

constexpr std::string_view kClientHole = "client";

/// The hole that holds the client: `client`, else the first one; empty for a template without holes.
std::string client_hole(const KeyTemplate& key) {
    const auto names = key.placeholders();
    if (names.empty()) return {};
    const auto named = std::find(names.begin(), names.end(), kClientHole);
    return named != names.end() ? *named : names.front();
}

/// The nearest limit wins: the client's own, its class's, the policy's.
void set_limit(PolicyMatch& match) {
    const Policy& policy = *match.policy;
    const auto member = policy.members.find(match.client);
    if (member != policy.members.end()) {
        match.client_class = member->second.client_class;
        if (member->second.limit) {
            match.limit = member->second.limit;
            match.limit_source = "class-file:" + match.client;
            return;
        }
        const auto by_class = policy.classes.find(match.client_class);
        if (by_class != policy.classes.end()) {
            match.limit = by_class->second;
            match.limit_source = "class:" + match.client_class;
            return;
        }
    }
    match.limit = policy.limit;
    if (policy.limit) match.limit_source = "policy:" + policy.name;
}

}  // namespace

const Policy* PolicyBook::find(std::string_view name) const {
    const auto found =
        std::find_if(policies_.begin(), policies_.end(), [name](const Policy& policy) { return policy.name == name; });
    return found == policies_.end() ? nullptr : &*found;
}

std::optional<PolicyMatch> PolicyBook::match(std::string_view key) const {
    for (const Policy& policy : policies_) {
        auto captures = policy.key.match(key);
        if (!captures) continue;
        PolicyMatch match;
        match.policy = &policy;
        match.captures = std::move(*captures);
        const std::string hole = client_hole(policy.key);
        if (!hole.empty()) match.client = match.captures.at(hole);
        set_limit(match);
        return match;
    }
    return std::nullopt;
}

support::Result<std::string> PolicyBook::key_of(const Policy& policy, std::string_view client) {
    const auto holes = policy.key.placeholders();
    if (holes.size() != 1) {
        return support::failure(support::ExitCode::usage,
                                fmt::format("policy '{}': its key '{}' cannot be built from a client alone",
                                            policy.name, policy.key.text()),
                                "name the key itself, or select with --match");
    }
    return policy.key.expand({{holes.front(), std::string(client)}});
}

}  // namespace ratectl::domain
