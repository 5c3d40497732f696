// Shares out looks and stored keys to the schemes that they are of.
#include "schemes/policy_schemes.h"

#include <algorithm>
#include <utility>

namespace ratectl::schemes {

PolicySchemes::PolicySchemes(std::vector<domain::Policy> policies, std::vector<const Scheme*> of_policy,
                             const Scheme& rest)
    : policies_(std::move(policies)), of_policy_(std::move(of_policy)), rest_(&rest), all_{rest_}, widest_(rest_) {
    for (const Scheme* scheme : of_policy_) {
        if (std::ranges::find(all_, scheme) != all_.end()) continue;
        all_.push_back(scheme);
        if (scheme->parts().size() > widest_->parts().size()) widest_ = scheme;
    }
}

// A part may have a scheme of its own, such as knobs.
const Scheme& PolicySchemes::of(std::string_view key) const {
    const auto part = part_of(key);
    return (part ? of_window(part->key()) : of_window(key)).of(key);
}

const Scheme& PolicySchemes::of_window(std::string_view key) const {
    const auto match = policies_.match(key);
    const domain::Policy* policy = match ? match->policy : policies_.masked_by(key);  // as records have it
    return policy != nullptr ? of_policy(*policy) : *rest_;
}

const Scheme& PolicySchemes::of_policy(const domain::Policy& policy) const {
    return *of_policy_[static_cast<std::size_t>(&policy - policies_.policies().data())];
}

std::optional<std::size_t> PolicySchemes::reset_part() const {
    const bool all_have = std::ranges::all_of(all_, [](const Scheme* one) { return one->reset_part().has_value(); });
    return all_have ? widest_->reset_part() : std::nullopt;
}

// A client may be called `alice:exp`: only where the window beside it has the scheme that knows such names is it a
// part, and where no policy of another scheme, before that window's, says that it is a window of its own.
std::optional<domain::Limiter::PartOf> PolicySchemes::part_of(std::string_view stored) const {
    for (const Scheme* scheme : all_) {
        auto part = scheme->part_of(stored);
        if (!part) continue;
        const auto window = part->key();
        if (&of_window(window) != scheme) continue;
        const auto own = policies_.match(stored);
        if (!own || &of_policy(*own->policy) == scheme) return part;
        const auto beside = policies_.match(window);
        if (!beside || beside->policy > own->policy) continue;
        part->may_be_window = false;  // the window of a limiter that does not read it
        return part;
    }
    return std::nullopt;
}

const Scheme& PolicySchemes::of_stored(std::string_view stored) const {
    const auto part = part_of(stored);
    return part ? of_window(part->key()) : of_window(stored);
}

domain::Captures PolicySchemes::holes_at(std::string_view policy, support::Moment now) const {
    const auto* found = policies_.find(policy);
    return found != nullptr ? of_policy(*found).holes_at(policy, now) : domain::Captures();
}

std::string PolicySchemes::key_at(std::string key, support::Moment now) const {
    const Scheme& scheme = of(key);
    return scheme.key_at(std::move(key), now);
}

domain::WindowLook PolicySchemes::look_at(std::string key, const domain::StoredWindow& stored) const {
    const Scheme& scheme = of(key);
    return scheme.look_at(std::move(key), stored);
}

std::vector<PolicySchemes::Group> PolicySchemes::groups(std::span<const std::string> keys) const {
    std::vector<Group> all;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const Scheme* scheme = &of(keys[i]);
        auto group = std::ranges::find(all, scheme, &Group::scheme);
        if (group == all.end()) group = all.insert(all.end(), {scheme, {}, {}});
        group->keys.push_back(keys[i]);
        group->at.push_back(i);
    }
    return all;
}

void PolicySchemes::ask_looks(redis::Request& request, std::span<const std::string> keys, domain::LookDepth depth,
                              const redis::ServerFacts& facts) const {
    for (const auto& group : groups(keys)) group.scheme->ask_looks(request, group.keys, depth, facts);
}

std::size_t PolicySchemes::look_replies(std::span<const std::string> keys, domain::LookDepth depth,
                                        const redis::ServerFacts& facts) const {
    std::size_t replies = 0;
    for (const auto& group : groups(keys)) replies += group.scheme->look_replies(group.keys, depth, facts);
    return replies;
}

void PolicySchemes::decode_looks(std::span<const std::string> keys, std::span<const redis::Reply> replies,
                                 domain::LookDepth depth, const redis::ServerFacts& facts,
                                 std::span<Look> looks) const {
    for (auto& group : groups(keys)) {
        const auto own = std::min(group.scheme->look_replies(group.keys, depth, facts), replies.size());
        Looks found(group.keys.size());
        group.scheme->decode_looks(group.keys, replies.first(own), depth, facts, found);
        for (std::size_t i = 0; i < found.size(); ++i) looks[group.at[i]] = std::move(found[i]);
        replies = replies.subspan(own);
    }
}

bool PolicySchemes::decode_looks(std::span<const std::string> keys, std::span<const redis::Reply> replies,
                                 domain::LookDepth depth, const redis::ServerFacts& facts,
                                 std::span<domain::WindowLook> looks) const {
    for (auto& group : groups(keys)) {
        const auto own = std::min(group.scheme->look_replies(group.keys, depth, facts), replies.size());
        std::vector<domain::WindowLook> found(group.keys.size());
        for (std::size_t i = 0; i < found.size(); ++i) std::swap(found[i], looks[group.at[i]]);
        if (!group.scheme->decode_looks(group.keys, replies.first(own), depth, facts, found)) return false;
        for (std::size_t i = 0; i < found.size(); ++i) std::swap(found[i], looks[group.at[i]]);
        replies = replies.subspan(own);
    }
    return replies.empty();
}

std::vector<redis::ScriptCall> PolicySchemes::script_look_calls(std::span<const std::string> keys) const {
    std::vector<redis::ScriptCall> calls;
    for (const auto& group : groups(keys)) {
        for (auto& call : group.scheme->script_look_calls(group.keys)) calls.push_back(std::move(call));
    }
    return calls;
}

// A scheme makes one call of its keys.
void PolicySchemes::decode_script_looks(std::span<const std::string> keys, std::span<const redis::Reply> replies,
                                        std::span<Look> looks) const {
    for (auto& group : groups(keys)) {
        Looks found(group.keys.size());
        group.scheme->decode_script_looks(group.keys, replies.first(1), found);
        for (std::size_t i = 0; i < found.size(); ++i) looks[group.at[i]] = std::move(found[i]);
        replies = replies.subspan(1);
    }
}

// One SCAN for all of them: where their patterns differ, what all of these names begin with.
std::string PolicySchemes::scan_pattern(std::string_view glob, bool orphans) const {
    auto pattern = rest_->scan_pattern(glob, orphans);
    const bool same =
        std::ranges::all_of(all_, [&](const Scheme* scheme) { return scheme->scan_pattern(glob, orphans) == pattern; });
    if (same) return pattern;
    pattern = glob;
    if (!pattern.ends_with('*')) pattern += '*';
    return pattern;
}

std::optional<Scheme::Scanned> PolicySchemes::scanned_as(std::string_view name) const {
    return of_stored(name).scanned_as(name);
}

}  // namespace ratectl::schemes
