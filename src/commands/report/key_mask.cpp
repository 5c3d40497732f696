// Shows keys of secret policies as fingerprints; both halves of a window get the same one.
#include "commands/report/key_mask.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "commands/context.h"
#include "config/given.h"
#include "store/directory.h"
#include "support/digest.h"
#include "support/quote.h"

namespace ratectl::commands {
namespace {

/// What is called so, as `show` has its window's key.
template <class Show>
std::string whole_or_part(std::string_view key, const domain::Limiter& limiter, Show show) {
    const auto part = limiter.part_of(key);
    return part ? limiter.part_key(show(part->key()), part->part) : show(key);
}

bool is_masked(const std::optional<domain::PolicyMatch>& match) {
    return match && match->policy->masked && !match->client.empty();
}

/// Messages quote templates and patterns as well, and those name no client.
bool names_all_keys(std::string_view text, const domain::PolicyBook& policies) {
    return std::ranges::any_of(policies.policies(), [text](const domain::Policy& policy) {
        return text == policy.key.text() || text == policy.key.glob();
    });
}

}  // namespace

std::string visible_key(std::string_view key, const config::Settings& settings) {
    return whole_or_part(key, limiter_of(settings),
                         [&](std::string_view counter) { return settings.policies.visible(counter); });
}

std::string visible_client(const domain::PolicyMatch& match) {
    return is_masked(match) ? support::fingerprint(match.client) : std::string(match.client);
}

output::Cell key_cell(std::string_view key, const std::optional<domain::PolicyMatch>& match) {
    // What hides a key of --key depends on the other policies; the sink of the column knows them.
    if (!is_masked(match) || match->policy->name == config::kKeyPolicy) return output::BytesView{key};
    return output::Bytes{domain::PolicyBook::with_fingerprint(*match->policy, key)};
}

output::Cell client_cell(const std::optional<domain::PolicyMatch>& match) {
    if (!match || match->client.empty()) return output::Null{};
    if (!is_masked(match)) return output::BytesView{match->client};
    return output::Bytes{visible_client(*match)};
}

std::string recorded_key(std::string_view key, const config::Settings& settings) {
    return whole_or_part(key, limiter_of(settings),
                         [&](std::string_view counter) { return settings.policies.recorded(counter); });
}

std::string fingerprinted_key(std::string_view key, const config::Settings& settings) {
    return whole_or_part(key, limiter_of(settings), [&](std::string_view counter) {
        const auto match = settings.policies.match(counter);
        return match ? domain::PolicyBook::with_fingerprint(*match->policy, counter) : std::string(counter);
    });
}

std::optional<support::Error> fingerprint_fault(std::string_view key, const config::Settings& settings) {
    const domain::Policy* policy = settings.policies.masked_by(key);  // whatever may be shown
    if (policy == nullptr) return std::nullopt;
    return support::Error{support::ExitCode::usage,
                          fmt::format("key {} has a fingerprint where its client was: policy '{}' is secret, and no "
                                      "window can be found by it",
                                      support::quoted(key), policy->name),
                          "give --reveal to the command that printed it, or name the client with --client"};
}

void KeyMask::learn(const config::Settings& settings) {
    if (!settings.policies.hides()) return;
    auto policies = settings.policies.policies();
    for (auto& policy : policies) policy.members.clear();  // who is in which class says nothing about keys
    rules_.push_back({domain::PolicyBook(std::move(policies)), &limiter_of(settings)});
}

std::string KeyMask::key(std::string_view key) const {
    std::string shown(key);
    for (const Rule& rule : rules_) {
        if (names_all_keys(key, rule.policies)) return shown;
        shown =
            whole_or_part(key, *rule.limiter, [&](std::string_view counter) { return rule.policies.visible(counter); });
        if (shown != key) break;
    }
    return shown;
}

}  // namespace ratectl::commands
