// Finds the limit that binds a client by a few looks: one client has a window or two a policy.
#include "commands/looks/binding_limit.h"

#include <map>
#include <string>

namespace ratectl::commands {
namespace {

domain::Window window_of(const WaitingLook& one, const config::Settings& settings) {
    const auto now = settings.now.value_or(support::to_instant(one.read_at));
    return domain::judge(one.look, now, meaning_of(one.look, settings).limit);
}

/// The looks of one policy, the client's own first.
using PolicyGroup = std::vector<std::size_t>;

std::map<std::string, PolicyGroup> groups_of(std::span<const WaitingLook> looks, const config::Settings& settings) {
    std::map<std::string, PolicyGroup> groups;
    for (std::size_t i = 0; i < looks.size(); ++i) {
        const auto match = settings.policies.match(looks[i].look.key);
        if (!match) continue;
        const domain::Policy& policy = *match->policy;
        groups[policy.shared_by.empty() ? policy.name : policy.shared_by].push_back(i);
    }
    return groups;
}

/// Whether both the client's own window and the one that it shares were looked at: a filter may have taken one of them
/// away.
bool is_complete(const PolicyGroup& group, std::span<const WaitingLook> looks, const config::Settings& settings) {
    bool own = false;
    bool shared = false;
    for (const std::size_t i : group) {
        const domain::Policy& policy = *settings.policies.match(looks[i].look.key)->policy;
        own = own || policy.shared_by.empty();
        shared = shared || !policy.shared_by.empty() || settings.policies.shared_with(policy) == nullptr;
    }
    return own && shared;
}

/// Which of two that bind keeps the client out longer: what has no window ends first.
bool ends_later(const WaitingLook& one, const WaitingLook& other, const config::Settings& settings) {
    const auto end = [&](const WaitingLook& look) { return window_of(look, settings).reset_at; };
    return end(one) > end(other);
}

/// All looks before any is given on, whatever the filter says of them. Throws Failure (usage) for --from all.
std::vector<WaitingLook> look_at_all(KeyStream& keys, const NamedQuestion& question, const Filter& filter,
                                     Context& context, const LookReceiver& receiver) {
    if (question.from.which == domain::ReadFrom::Which::all) {
        throw support::Failure(ExitCode::usage,
                               "--org compares the answers of one node a shard, and --from all has several",
                               "name one role, or one node, with --from");
    }
    std::vector<WaitingLook> looks;
    LookReceiver waiting = receiver;
    waiting.take = [&](const SeenLook& seen) {
        const auto node = seen.node == nullptr ? std::nullopt : std::optional{*seen.node};
        looks.push_back({seen.look, node, seen.read_at, seen.stale});
    };
    NamedQuestion all = question;
    all.any_window = true;
    look_at_named(keys, all, filter, context, waiting);
    return looks;
}

void hand_on(const WaitingLook& one, Context& context, const LookReceiver& receiver) {
    const auto meaning = meaning_of(one.look, context.settings());
    receiver.take({one.look, meaning, one.node ? &*one.node : nullptr, one.read_at, one.stale});
}

/// What the filter leaves out is said by `keys`.
bool passes(const WaitingLook& one, KeyStream& keys, const Filter& filter, const config::Settings& settings) {
    const auto now = settings.now.value_or(support::to_instant(one.read_at));
    return lets_through(filter, keys.left_out(), one.look.key, window_of(one, settings), now);
}

}  // namespace

void check_organisation(const Selection& selection) {
    const bool one = selection.clients.size() == 1 && selection.clients.front() != "-" && selection.keys.empty();
    if (!selection.org || one || selection.only_client || names_organisation(selection)) return;
    throw support::Failure(ExitCode::usage, "--org compares one client's windows with those of its organisation",
                           "name one client with --client");
}

std::vector<std::optional<bool>> binding_of(std::span<const WaitingLook> looks, const config::Settings& settings) {
    std::vector<std::optional<bool>> binding(looks.size());
    for (const auto& [policy, group] : groups_of(looks, settings)) {
        std::map<std::size_t, std::optional<std::int64_t>> left;  // without those that are exempt
        std::optional<std::int64_t> least;
        bool known = is_complete(group, looks, settings);
        for (const std::size_t i : group) {
            if (meaning_of(looks[i].look, settings).exempt()) continue;
            const auto remaining = left[i] = window_of(looks[i], settings).remaining;
            known = known && remaining;
            if (remaining && (!least || *remaining < *least)) least = remaining;
        }
        if (!known && least != 0) continue;  // what is used up binds, whatever else there is
        for (const std::size_t i : group) {
            const auto one = left.find(i);
            if (one == left.end()) {
                binding[i] = false;
            } else if (one->second) {
                binding[i] = one->second == least;
            }
        }
    }
    return binding;
}

std::vector<bool> told_of(std::span<const WaitingLook> looks, const config::Settings& settings) {
    const auto binding = binding_of(looks, settings);
    std::vector<bool> told(looks.size(), true);
    for (const auto& [policy, group] : groups_of(looks, settings)) {
        std::optional<std::size_t> longest;
        for (const std::size_t i : group) {
            if (binding[i] == true && (!longest || ends_later(looks[i], looks[*longest], settings))) longest = i;
        }
        for (const std::size_t i : group)
            told[i] = longest ? i == *longest : settings.policies.match(looks[i].look.key)->policy->shared_by.empty();
    }
    return told;
}

void look_at_organisation(KeyStream& keys, const NamedQuestion& question, const Filter& filter, Context& context,
                          const LookReceiver& receiver, const TellBinding& bind) {
    const auto looks = look_at_all(keys, question, filter, context, receiver);
    const auto binding = binding_of(looks, context.settings());
    for (std::size_t i = 0; i < looks.size(); ++i) {
        if (!passes(looks[i], keys, filter, context.settings())) continue;
        bind(looks[i].look.key, binding[i]);
        hand_on(looks[i], context, receiver);
    }
}

void look_at_what_is_told(const Selection& selection, KeyStream& keys, const NamedQuestion& question,
                          const Filter& filter, Context& context, const LookReceiver& receiver) {
    check_organisation(selection);
    if (!selection.org || names_organisation(selection))
        return look_at_named(keys, question, filter, context, receiver);
    const auto looks = look_at_all(keys, question, filter, context, receiver);
    const auto told = told_of(looks, context.settings());
    for (std::size_t i = 0; i < looks.size(); ++i) {
        if (told[i] && passes(looks[i], keys, filter, context.settings())) hand_on(looks[i], context, receiver);
    }
}

std::string_view resource_of(const KeyMeaning& meaning) {
    if (!meaning.match) return {};
    const domain::Policy& policy = *meaning.match->policy;
    return policy.shared_by.empty() ? policy.name : policy.shared_by;
}

}  // namespace ratectl::commands
