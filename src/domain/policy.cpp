// Finds the policy that a key belongs to, and the limit that follows.
#include "domain/policy.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "support/digest.h"

namespace ratectl::domain {

namespace {

constexpr std::string_view kClientHole = "client";
constexpr std::string_view kOrganisationHole = "org";
constexpr std::string_view kExempt = "exempt";

/// The number of the hole that holds the client.
std::size_t number_of_client_hole(const Policy& policy) {
    const auto names = policy.key.placeholders();
    auto named = std::find(names.begin(), names.end(), policy.shared_by.empty() ? kClientHole : kOrganisationHole);
    if (named == names.end())
        named = std::find_if(names.begin(), names.end(), [](const auto& n) { return n != kBucketHole; });
    return named != names.end() ? static_cast<std::size_t>(named - names.begin()) : KeyTemplate::kNoHole;
}

/// `holes`: that nothing is known for.
std::string words_to_fill(std::span<const std::string> holes) {
    const auto organisations = std::ranges::count(holes, kOrganisationHole);
    const bool has_others = std::ssize(holes) > organisations;
    const auto* flags = organisations == 0 ? "--set NAME=VALUE says what they hold"
                        : has_others       ? "--org ID and --set NAME=VALUE say what they hold"
                                           : "--org ID names the organisation of the clients";
    return std::string(flags) +
           "; `ratectl client ID --sweep` reads the name of every key and finds all of the client's windows";
}

}  // namespace

std::string organisation_policy(std::string_view policy) { return fmt::format("{}/org", policy); }

std::optional<std::string_view> path_in(std::string_view request) {
    if (const auto scheme = request.find("://"); scheme != std::string_view::npos && scheme < request.find('/')) {
        const auto begin = request.find_first_of("/?#", scheme + 3);
        request = begin == std::string_view::npos || request[begin] != '/' ? "/" : request.substr(begin);
    }
    if (!request.starts_with('/')) return std::nullopt;
    return request.substr(0, request.find_first_of("?#"));
}

std::optional<Captures> holes_of_request(const Policy& policy, std::string_view request) {
    if (policy.paths.empty()) return Captures{};
    const auto path = path_in(request);
    if (!path) return std::nullopt;
    for (const auto& beginning : policy.paths) {
        // What is longer first: a hole at its shortest then ends with its segment.
        for (const std::string_view rest : {"{rest_of_path}", ""}) {
            const auto whole = KeyTemplate::parse(beginning.text() + std::string(rest));
            auto held = whole ? whole->match(*path) : std::nullopt;
            if (!held) continue;
            held->erase("rest_of_path");
            const auto is_segment = [](const auto& hole) { return hole.second.find('/') == std::string::npos; };
            if (std::ranges::all_of(*held, is_segment)) return held;
        }
    }
    return std::nullopt;
}

PolicyBook::PolicyBook(std::vector<Policy> policies) : policies_(std::move(policies)) {
    for (const Policy& policy : policies_) {
        Facts facts;
        facts.client_hole = number_of_client_hole(policy);
        facts.chooses = !policy.clients.empty() && !policy.key.holds_digest(client_hole(policy));
        if (policy.limit) facts.source = "policy:" + policy.name;
        hides_ = hides_ || policy.masked;
        has_secrets_ = has_secrets_ || policy.secret;
        if (policy.secret && facts.client_hole != KeyTemplate::kNoHole)
            facts.masked_key = policy.key.with_fingerprint_in(client_hole(policy));
        for (const auto& [name, limit] : policy.classes) facts.class_sources.emplace(name, "class:" + name);
        for (const auto& [client, member] : policy.members) {
            if (!member.limit) continue;
            facts.member_sources.emplace(client,
                                         "class-file:" + (policy.masked ? support::fingerprint(client) : client));
        }
        facts_.push_back(std::move(facts));
    }
    std::map<std::string_view, std::vector<std::size_t>> by_beginning;
    for (std::size_t i = 0; i < policies_.size(); ++i) by_beginning[policies_[i].key.beginning()].push_back(i);
    for (const auto& [text, numbers] : by_beginning) {
        Beginning beginning{std::string(text), numbers};
        for (std::size_t length = 0; length < text.size(); ++length) {
            const auto shorter = by_beginning.find(text.substr(0, length));
            if (shorter == by_beginning.end()) continue;
            beginning.policies.insert(beginning.policies.end(), shorter->second.begin(), shorter->second.end());
        }
        std::sort(beginning.policies.begin(), beginning.policies.end());
        beginnings_.push_back(std::move(beginning));
    }
}

// Whatever a key begins with stands at or before it in the order, and whatever stands between the two begins with that
// as well. So the nearest neighbour before the key begins with all that the key can begin with.
std::span<const std::size_t> PolicyBook::candidates(std::string_view key) const {
    const auto after = std::upper_bound(beginnings_.begin(), beginnings_.end(), key,
                                        [](std::string_view k, const Beginning& b) { return k < b.text; });
    if (after == beginnings_.begin()) return {};
    return std::prev(after)->policies;
}

/// The nearest limit wins: the client's own, its class's, the policy's; but an exempt client has none.
void PolicyBook::set_limit(PolicyMatch& match, const Facts& facts) const {
    const Policy& policy = *match.policy;
    const auto member = policy.members.find(match.client);
    if (member != policy.members.end()) match.client_class = member->second.client_class;
    if (policy.exempt.contains(match.client)) {
        match.exempt = true;
        match.limit_source = kExempt;
        return;
    }
    if (member != policy.members.end()) {
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
    std::optional<PolicyMatch> match;
    for (const std::size_t index : candidates(key)) {
        std::string_view client;
        if (!policies_[index].key.matches(key, facts_[index].client_hole, client)) continue;
        if (facts_[index].chooses && !glob_matches(policies_[index].clients, client)) continue;
        match.emplace();
        match->policy = &policies_[index];
        match->client = client;
        set_limit(*match, facts_[index]);
        break;
    }
    return match;
}

const Policy* PolicyBook::shared_with(const Policy& policy) const {
    const auto found = std::find_if(policies_.begin(), policies_.end(),
                                    [&policy](const Policy& other) { return other.shared_by == policy.name; });
    return found == policies_.end() ? nullptr : &*found;
}

std::string PolicyBook::client_hole(const Policy& policy) {
    const std::size_t number = number_of_client_hole(policy);
    return number == KeyTemplate::kNoHole ? "" : policy.key.placeholders()[number];
}

bool PolicyBook::is_for(const Policy& policy, std::string_view client) {
    if (policy.clients.empty()) return true;
    const std::string hole = client_hole(policy);
    const bool hidden = policy.key.holds_digest(hole);
    return glob_matches(policy.clients, hidden ? client : policy.key.filtered(hole, client));
}

support::Result<std::string> PolicyBook::key_of(const Policy& policy, std::string_view client, const Captures& known) {
    const std::string hole = client_hole(policy);
    Captures values = known;
    if (!hole.empty()) values[hole] = client;
    std::vector<std::string> missing;
    for (const std::string& name : policy.key.placeholders())
        if (!values.contains(name)) missing.push_back(name);
    if (hole.empty() || !missing.empty()) {
        return support::failure(
            support::ExitCode::usage,
            fmt::format(
                "policy '{}': its key '{}' cannot be built from a client alone{}", policy.name, policy.key.text(),
                missing.empty() ? "" : fmt::format(": nothing is known for {{{}}}", fmt::join(missing, "}, {"))),
            hole.empty() ? "name the key itself" : words_to_fill(missing));
    }
    auto key = policy.key.expand(values);
    // Where it is the number that tells windows apart, another reading of the key is another window.
    if (!key || !policy.key.holds(kBucketHole)) return key;
    const auto held = policy.key.match(*key);
    for (const auto& [name, value] : values) {
        if (!policy.key.holds(name) || (held && held->at(name) == policy.key.filtered(name, value))) continue;
        return support::failure(
            support::ExitCode::usage,
            fmt::format("policy '{}': the key '{}' of this client would be read as another one's", policy.name, *key),
            "a key says whose it is where {bucket} stands at its end, behind the client");
    }
    return key;
}

const Policy* PolicyBook::masked_by(std::string_view key) const {
    for (std::size_t i = 0; i < policies_.size(); ++i)
        if (facts_[i].masked_key && facts_[i].masked_key->match(key)) return &policies_[i];
    return nullptr;
}

std::optional<std::string> PolicyBook::unmasked(std::string_view masked, std::string_view client) const {
    for (const Policy& policy : policies_) {  // secret or not any more
        const std::string hole = client_hole(policy);
        auto held = policy.key.with_fingerprint_in(hole).match(masked);
        if (!held || hole.empty()) continue;
        // An application may write keys without the filter.
        for (const std::string& in_key : {policy.key.filtered(hole, client), std::string(client)}) {
            (*held)[hole] = in_key;
            std::string key = policy.key.assemble(*held);
            if (with_fingerprint(policy, key) == masked) return key;
        }
    }
    return std::nullopt;
}

std::string PolicyBook::with_fingerprint(const Policy& policy, std::string_view key) {
    auto held = policy.key.match(key).value_or(Captures{});
    const auto client = held.find(client_hole(policy));
    if (client == held.end()) return std::string(key);
    client->second = support::fingerprint(client->second);
    return policy.key.assemble(held);
}

std::string PolicyBook::hidden_key(std::string_view key, bool Policy::*hidden) const {
    const auto found = masked_by(key) == nullptr ? match(key) : std::nullopt;
    if (!found || !(found->policy->*hidden)) return std::string(key);
    const Policy* best = found->policy;  // the one that hides most of it: --key may put a hole anywhere
    std::size_t most = found->client.size();
    for (const std::size_t index : candidates(key)) {
        std::string_view client;
        const Policy& policy = policies_[index];
        if (!(policy.*hidden) || !policy.key.matches(key, facts_[index].client_hole, client)) continue;
        if (client.size() <= most) continue;
        best = &policy;
        most = client.size();
    }
    return with_fingerprint(*best, key);
}

std::string PolicyBook::visible(std::string_view key) const {
    return hides_ ? hidden_key(key, &Policy::masked) : std::string(key);
}

std::string PolicyBook::recorded(std::string_view key) const {
    return has_secrets_ ? hidden_key(key, &Policy::secret) : std::string(key);
}

}  // namespace ratectl::domain
