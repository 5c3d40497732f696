// A few looks: one client has a window or two a policy.
#include "commands/binding.h"

#include <map>
#include <string>

namespace ratectl::commands {
namespace {

/// What is left before a request is refused; exempt: there is no end of it.
struct Left {
    bool exempt = false;
    std::optional<std::int64_t> remaining;
};

Left left_of(const WaitingLook& one, const KeyMeaning& meaning, const config::Settings& settings) {
    const auto now = settings.now.value_or(support::to_instant(one.read_at));
    return {meaning.exempt(), domain::judge(one.look, now, meaning.limit).remaining};
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

/// Whether both the client's own window and the one that it shares were looked at: a filter may have taken one of them away.
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
        std::optional<std::size_t> fewest;
        std::optional<std::int64_t> least;
        bool known = is_complete(group, looks, settings);
        for (const std::size_t i : group) {
            const Left left = left_of(looks[i], meaning_of(looks[i].look.key, settings), settings);
            if (left.exempt) continue;
            known = known && left.remaining;
            if (least && left.remaining >= least) continue;
            fewest = i;
            least = left.remaining;
        }
        if (!known) continue;
        for (const std::size_t i : group) binding[i] = i == fewest;
    }
    return binding;
}

void look_at_organisation(KeyStream& keys, const NamedQuestion& question, const Filter& filter, Context& context,
                          const LookReceiver& receiver, const TellBinding& bind) {
    if (question.from.which == domain::ReadFrom::Which::all) {
        throw support::Failure(ExitCode::usage,
                               "--org compares the answers of one node a shard, and --from all has several",
                               "name one role, or one node, with --from");
    }
    std::vector<WaitingLook> looks;
    LookReceiver waiting = receiver;
    waiting.take = [&](const domain::WindowLook& look, const KeyMeaning&, const domain::Node* node,
                       support::WallTime read_at, bool stale) {
        looks.push_back({look, node == nullptr ? std::nullopt : std::optional{*node}, read_at, stale});
    };
    NamedQuestion all = question;
    all.any_window = true;
    look_at_named(keys, all, filter, context, waiting);
    const auto binding = binding_of(looks, context.settings());
    for (std::size_t i = 0; i < looks.size(); ++i) {
        const WaitingLook& one = looks[i];
        const KeyMeaning meaning = meaning_of(one.look.key, context.settings());
        const auto now = context.settings().now.value_or(support::to_instant(one.read_at));
        const auto window = domain::judge(one.look, now, meaning.limit);
        if (!lets_through(filter, keys.left_out(), one.look.key, window, now)) continue;
        bind(one.look.key, binding[i]);
        receiver.take(one.look, meaning, one.node ? &*one.node : nullptr, one.read_at, one.stale);
    }
}

void look_at_what_is_told(const Selection& selection, KeyStream& keys, const NamedQuestion& question,
                          const Filter& filter, Context& context, const LookReceiver& receiver) {
    check_organisation(selection);
    if (!selection.org || names_organisation(selection))
        return look_at_named(keys, question, filter, context, receiver);
    std::optional<bool> binds;
    LookReceiver told = receiver;
    told.take = [&](const domain::WindowLook& look, const KeyMeaning& meaning, const domain::Node* node,
                    support::WallTime read_at, bool stale) {
        const bool own = !meaning.match || meaning.match->policy->shared_by.empty();
        if (binds.value_or(own)) receiver.take(look, meaning, node, read_at, stale);
    };
    const auto bind = [&](const std::string&, std::optional<bool> binding) { binds = binding; };
    look_at_organisation(keys, question, filter, context, told, bind);
}

std::string_view resource_of(const KeyMeaning& meaning) {
    if (!meaning.match) return {};
    const domain::Policy& policy = *meaning.match->policy;
    return policy.shared_by.empty() ? policy.name : policy.shared_by;
}

}  // namespace ratectl::commands
