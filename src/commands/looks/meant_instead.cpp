// Guesses what was meant by a name that names nothing, from what policies say keys and clients look like.
#include "commands/looks/meant_instead.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "commands/outcome.h"
#include "commands/report/wording.h"
#include "domain/key_template.h"
#include "domain/policy.h"
#include "output/printable.h"
#include "store/directory.h"
#include "support/quote.h"

namespace ratectl::commands {
namespace {

/// The key of the first policy that takes this as its client; empty: none does. Clients of secret policies are not
/// guessed at.
std::string key_of_client(std::string_view client, const domain::PolicyBook& book, Context& context) {
    for (const domain::Policy& policy : book.policies()) {
        if (!policy.shared_by.empty() || policy.masked || !domain::PolicyBook::is_for(policy, client)) continue;
        const auto numbers = limiter_of(context.settings()).holes_at(policy.name, context.now());
        if (auto key = domain::PolicyBook::key_of(policy, client, numbers)) return *std::move(key);
    }
    return {};
}

constexpr const char* kThrottlesHint =
    "`ratectl throttle list -o name` prints the keys of all throttles, and `-` reads those that are meant";

/// A fingerprint is no pattern of anything.
std::string pattern_hint(std::string_view key, const domain::PolicyBook& book) {
    const auto match = book.match(key);
    if (match && match->policy->masked) return "--match with the same text takes it for a pattern";
    if (!output::is_plain(key)) return "--match takes it for a pattern, byte for byte: --key-format is for keys";
    return fmt::format("--match {} takes it for a pattern", as_argument(key));
}

}  // namespace

std::optional<domain::Limiter::PartOf> part_alone(std::string_view key, domain::WindowState state,
                                                  const domain::Limiter& limiter) {
    using enum domain::WindowState;
    auto part = limiter.part_of(key);
    const bool may_be_one = state != absent && state != orphan_counter && state != corrupt;
    return part && part->may_be_window && may_be_one ? std::nullopt : part;
}

void MeantInstead::note(std::string_view key, domain::WindowState state) {
    if (state != domain::WindowState::absent) note_found(key);
    if (note_if_part(key, state)) {
        noted_part_ = true;
    } else if (state == domain::WindowState::absent) {
        note_absent(key);
    }
}

bool MeantInstead::note_if_part(std::string_view key, domain::WindowState state) {
    return part_alone(key, state, limiter_of(context_.settings())) && note_part(key);
}

void MeantInstead::tell_untold(Outcome& outcome) const {
    if (noted_part_)
        outcome.cannot_tell({ExitCode::guard,
                             "a key that was named is a half of a window, so --exit-status cannot tell of that window",
                             "name the window's own key"});
    if (slips_.empty() || outcome.has_failures()) return;
    outcome.cannot_tell(
        {ExitCode::configuration,
         "a client that was named is written like a key and has no window, so --exit-status cannot tell of the client "
         "that is in that key",
         "name the client's own id, or check the key"});
}

bool MeantInstead::note_part(std::string_view key) {
    const domain::Limiter& limiter = limiter_of(context_.settings());
    const auto part = limiter.part_of(key);
    if (!part || std::exchange(said_part_, true)) return part.has_value();
    const auto whole = part->key();
    const auto window = support::quoted(whole);
    // Clients of memcached share out every key by itself.
    const auto& places = context_.directory().places();
    const bool by_itself = !places.empty() && places.front().primary.protocol == domain::Protocol::memcached;
    const auto where = by_itself ? std::string("each of its two keys lives where its own name says")
                                 : fmt::format("both halves live where {} does", window);
    context_.messages().notice(fmt::format("{} looks like the {} of {}, and {}", support::quoted(key),
                                           limiter.of(whole).parts()[part->part].name, window, where),
                               fmt::format("ask for {} instead", window));
    return true;
}

void MeantInstead::note_absent(std::string_view key) {
    if (said_) return;
    const auto& book = context_.settings().policies;
    if (domain::has_wildcard(key)) {
        said_ = true;
        context_.messages().notice("key " + support::quoted(key) + " was taken literally, and has no window",
                                   by_name_ ? kThrottlesHint : pattern_hint(key, book));
        return;
    }
    if (book.match(key) || !output::is_plain(key)) return;
    const std::string meant = key_of_client(key, book, context_);
    if (meant.empty()) return;
    said_ = true;
    context_.messages().notice(
        "no policy matches key " + support::quoted(key) +
            (context_.settings().limit ? "" : ", so that its limit is unknown"),
        fmt::format("did you mean {}, or ratectl client {}?", as_argument(meant), as_argument(key)));
}

void MeantInstead::note_found(std::string_view key) {
    std::erase_if(slips_, [key](const auto& keys) { return std::ranges::find(keys, key) != keys.end(); });
}

void MeantInstead::note_client(std::string_view client, std::vector<std::string> keys) {
    const auto match = context_.settings().policies.match(client);
    if (!match || match->client.empty() || match->policy->key.beginning().empty()) return;
    slips_.push_back(std::move(keys));
    if (said_ || match->policy->masked || !output::is_plain(client)) return;
    said_ = true;
    context_.messages().notice(
        fmt::format("client {} is written like a key of policy '{}'", support::quoted(client), match->policy->name),
        fmt::format("did you mean ratectl client {}, or ratectl check {}?", as_argument(match->client),
                    as_argument(client)));
}

}  // namespace ratectl::commands
