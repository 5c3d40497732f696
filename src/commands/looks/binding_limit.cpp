// Finds the limit that binds a client by a few looks: one client has a window or two a policy.
#include "commands/looks/binding_limit.h"

#include <map>
#include <set>
#include <string>

namespace ratectl::commands {
namespace {

domain::Window window_of(const WaitingLook& one, const config::Settings& settings) {
    const auto now = settings.clock_at(one.read_at);
    return domain::judge(one.look, now, meaning_of(one.look, settings).limit);
}

/// The looks of one stack, in their order: of a policy the client's own first.
using Limits = std::vector<std::size_t>;

std::map<std::string, Limits> groups_of(std::span<const WaitingLook> looks, Stack stack,
                                        const config::Settings& settings) {
    std::map<std::string, Limits> groups;
    for (std::size_t i = 0; i < looks.size(); ++i) {
        const auto match = match_of(looks[i].look.key, settings);
        if (!match) continue;
        const domain::Policy& policy = *match->policy;
        const auto& name = policy.shared_by.empty() ? policy.name : policy.shared_by;
        groups[stack == Stack::request ? "" : name].push_back(i);
    }
    return groups;
}

/// Whether of each policy both the client's own window and the one that it shares were looked at: a filter may have
/// taken one of them away, or no organisation was named.
bool is_complete(const Limits& group, std::span<const WaitingLook> looks, const config::Settings& settings) {
    std::set<std::string_view> own;
    std::set<std::string_view> shared;
    for (const std::size_t i : group) {
        const domain::Policy& policy = *match_of(looks[i].look.key, settings)->policy;
        if (policy.shared_by.empty()) own.insert(policy.name);
        if (!policy.shared_by.empty()) shared.insert(policy.shared_by);
        if (policy.shared_by.empty() && settings.policies.shared_with(policy) == nullptr) shared.insert(policy.name);
    }
    return own == shared;
}

/// Which of two that bind keeps the client out longer: what has no window ends first.
bool ends_later(const WaitingLook& one, const WaitingLook& other, const config::Settings& settings) {
    const auto end = [&](const WaitingLook& look) { return window_of(look, settings).reset_at; };
    return end(one) > end(other);
}

void hand_on(const WaitingLook& one, Context& context, const LookReceiver& receiver) {
    const auto meaning = meaning_of(one.look, context.settings());
    receiver.take({one.look, meaning, one.node ? &*one.node : nullptr, one.read_at, one.stale});
}

/// What the filter leaves out is said by `keys`.
bool passes(const WaitingLook& one, KeyStream& keys, const Filter& filter, const config::Settings& settings) {
    const auto now = settings.clock_at(one.read_at);
    return lets_through(filter, keys.left_out(), one.look.key, window_of(one, settings), now);
}

}  // namespace

std::vector<WaitingLook> look_at_all(KeyStream& keys, const NamedQuestion& question, const Filter& filter,
                                     Context& context, const LookReceiver& receiver) {
    if (question.from.which == domain::ReadFrom::Which::all) {
        throw support::Failure(ExitCode::usage,
                               "limits are compared as one node a shard has them, and --from all has several",
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

void check_organisation(const Selection& selection) {
    const bool one = selection.clients.size() == 1 && selection.clients.front() != "-" && selection.keys.empty();
    if (selection.path && !one) {
        throw support::Failure(ExitCode::usage, "--path is that of a request of one client, and no single one is named",
                               "name one client with --client");
    }
    if (!selection.org || one || selection.only_client || names_organisation(selection)) return;
    throw support::Failure(ExitCode::usage, "--org compares one client's windows with those of its organisation",
                           "name one client with --client");
}

std::vector<std::optional<bool>> binding_of(std::span<const WaitingLook> looks, Stack stack,
                                            const config::Settings& settings) {
    std::vector<std::optional<bool>> binding(looks.size());
    for (const auto& [name, group] : groups_of(looks, stack, settings)) {
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

std::vector<bool> told_of(std::span<const WaitingLook> looks, Stack stack, const config::Settings& settings) {
    const auto binding = binding_of(looks, stack, settings);
    std::vector<bool> told(looks.size(), true);
    for (const auto& [name, group] : groups_of(looks, stack, settings)) {
        std::optional<std::size_t> longest;
        for (const std::size_t i : group) {
            if (binding[i] == true && (!longest || ends_later(looks[i], looks[*longest], settings))) longest = i;
        }
        for (const std::size_t i : group) {
            const bool own = match_of(looks[i].look.key, settings)->policy->shared_by.empty();
            told[i] = longest ? i == *longest : own && (stack == Stack::policy || i == group.front());
        }
    }
    return told;
}

void look_at_stack(Stack stack, KeyStream& keys, const NamedQuestion& question, const Filter& filter, Context& context,
                   const LookReceiver& receiver, const TellBinding& bind) {
    const auto looks = look_at_all(keys, question, filter, context, receiver);
    const auto binding = binding_of(looks, stack, context.settings());
    for (std::size_t i = 0; i < looks.size(); ++i) {
        if (!passes(looks[i], keys, filter, context.settings())) continue;
        bind(looks[i].look.key, binding[i]);
        hand_on(looks[i], context, receiver);
    }
}

void look_at_what_is_told(const Selection& selection, KeyStream& keys, const NamedQuestion& question,
                          const Filter& filter, Context& context, const LookReceiver& receiver) {
    check_organisation(selection);
    if ((!selection.org || names_organisation(selection)) && !selection.path)
        return look_at_named(keys, question, filter, context, receiver);
    const auto looks = look_at_all(keys, question, filter, context, receiver);
    const auto told = told_of(looks, stack_of(selection), context.settings());
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
