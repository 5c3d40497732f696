// Which policy a key belongs to, and whose limit that makes.
#include "domain/policy.h"

#include <algorithm>

#include <fmt/format.h>

namespace ratectl::domain {

namespace {

constexpr std::string_view kClientHole = "client";

/// The hole that holds the client: `client`, else the first one; none for a template without holes.
std::size_t client_hole(const KeyTemplate& key) {
    const auto names = key.placeholders();
    if (names.empty()) return KeyTemplate::kNoHole;
    const auto named = std::find(names.begin(), names.end(), kClientHole);
    return named != names.end() ? static_cast<std::size_t>(named - names.begin()) : 0;
}

}  // namespace

PolicyBook::PolicyBook(std::vector<Policy> policies) : policies_(std::move(policies)) {
    for (const Policy& policy : policies_) {
        Facts facts{client_hole(policy.key), policy.limit ? "policy:" + policy.name : "", {}, {}};
        for (const auto& [name, limit] : policy.classes) facts.class_sources.emplace(name, "class:" + name);
        for (const auto& [client, member] : policy.members) {
            if (member.limit) facts.member_sources.emplace(client, "class-file:" + client);
        }
        facts_.push_back(std::move(facts));
        beginnings_.push_back({std::string(policy.key.beginning()), {}});
    }
    const auto by_text = [](const Beginning& a, const Beginning& b) { return a.text < b.text; };
    std::sort(beginnings_.begin(), beginnings_.end(), by_text);
    const auto same = [](const Beginning& a, const Beginning& b) { return a.text == b.text; };
    beginnings_.erase(std::unique(beginnings_.begin(), beginnings_.end(), same), beginnings_.end());
    for (Beginning& beginning : beginnings_) {
        for (std::size_t i = 0; i < policies_.size(); ++i) {
            if (beginning.text.starts_with(policies_[i].key.beginning())) beginning.policies.push_back(i);
        }
    }
}

// Whatever a key begins with stands at or before it in the order, and whatever stands between the two begins with that as well. So the
// nearest neighbour before the key begins with all that the key can begin with.
std::span<const std::size_t> PolicyBook::candidates(std::string_view key) const {
    const auto after = std::upper_bound(beginnings_.begin(), beginnings_.end(), key,
                                        [](std::string_view k, const Beginning& b) { return k < b.text; });
    if (after == beginnings_.begin()) return {};
    return std::prev(after)->policies;
}

/// The nearest limit wins: the client's own, its class's, the policy's.
void PolicyBook::set_limit(PolicyMatch& match, const Facts& facts) const {
    const Policy& policy = *match.policy;
    const auto member = policy.members.find(match.client);
    if (member != policy.members.end()) {
        match.client_class = member->second.client_class;
        if (member->second.limit) {
            match.limit = member->second.limit;
            match.limit_source = facts.member_sources.find(match.client)->second;
            return;
        }
        const auto by_class = policy.classes.find(match.client_class);
        if (by_class != policy.classes.end()) {
            match.limit = by_class->second;
            match.limit_source = facts.class_sources.find(match.client_class)->second;
            return;
        }
    }
    match.limit = policy.limit;
    match.limit_source = facts.source;
}

const Policy* PolicyBook::find(std::string_view name) const {
    const auto found =
        std::find_if(policies_.begin(), policies_.end(), [name](const Policy& policy) { return policy.name == name; });
    return found == policies_.end() ? nullptr : &*found;
}

std::optional<PolicyMatch> PolicyBook::match(std::string_view key) const {
    for (const std::size_t index : candidates(key)) {
        PolicyMatch match;
        if (!policies_[index].key.matches(key, facts_[index].client_hole, match.client)) continue;
        match.policy = &policies_[index];
        set_limit(match, facts_[index]);
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
