// Words and numbers that all kinds of change share.
#include "commands/write/change.h"

#include <algorithm>

#include <fmt/format.h>

#include "commands/write/operation_writer.h"
#include "domain/cluster/slot_faults.h"
#include "domain/limiter.h"
#include "support/number_text.h"
#include "support/quote.h"

namespace ratectl::commands {

Refusal refused(const PlannedKey& planned, std::string reason, const std::string& what, std::string hint,
                ExitCode code) {
    return {RowStatus::refused, std::move(reason),
            support::Error{code, "key " + support::quoted(planned.key) + " " + what + "; nothing was written to it",
                           std::move(hint)}};
}

std::optional<Refusal> refuse_part(const PlannedKey& planned, const domain::Limiter& limiter) {
    const auto part = limiter.part_of(planned.key);
    if (!part) return std::nullopt;
    const auto whole = part->key();
    if (&limiter.of(planned.key) != &limiter.of(whole)) return std::nullopt;
    return refused(
        planned, "expiry-key",
        fmt::format("ends in '{}', so it is half a window and no window", planned.key.substr(part->stem.size())),
        fmt::format("name the {}'s key: {}", limiter.of(whole).parts().front().name, support::quoted(whole)));
}

Refusal skipped(std::string reason) { return {RowStatus::skipped, std::move(reason), std::nullopt}; }

Refusal lost_look(support::Error error) {
    const bool is_bad_key = domain::is_bad_key(error);
    error.message += is_bad_key ? "; nothing was written to it" : "; nothing was written without a look";
    if (is_bad_key) return {RowStatus::refused, std::string(domain::kBadKey), std::move(error)};
    return {RowStatus::failed, "no-look", std::move(error)};
}

std::optional<support::Error> other_layout(const std::string& what, const std::string& layout, std::string_view key,
                                           const config::Settings& settings) {
    const auto here = limiter_of(settings).of(key).layout();
    if (layout == here) return std::nullopt;
    return support::Error{ExitCode::guard,
                          what + " where it is stored as " + support::quoted(layout) +
                              ", and its scheme here stores it as " + support::quoted(here) +
                              ": something else would be changed; nothing was written",
                          "--scheme NAME, or `scheme` in the configuration, names the limiter whose windows they are"};
}

void take_refusal(WriteRow& row, Refusal refusal) {
    row.status = refusal.status;
    row.reason = std::move(refusal.reason);
    row.error = std::move(refusal.error);
    if (!refusal.elsewhere) return;
    row.deployment = std::move(refusal.elsewhere->deployment);
    take_node(row, refusal.elsewhere->node);
}

Refusal guarded(const PlannedKey& planned, std::string reason, const std::string& what) {
    auto refusal = refused(planned, std::move(reason), what, "look again and decide anew");
    refusal.status = RowStatus::window_changed;
    return refusal;
}

Refusal fewer_used(const PlannedKey& planned) {
    return guarded(planned, "used-too-low", "has fewer requests used than the guard asks for");
}

std::optional<Refusal> foresee_use(const Subject& subject) {
    const auto& least = subject.planned.if_used_at_least;
    if (!least) return std::nullopt;
    const bool open = domain::open_until(subject.look, subject.now).has_value();
    if (open && subject.window.used.value_or(0) < *least) return fewer_used(subject.planned);
    if (open || *least <= 0) return std::nullopt;
    return guarded(subject.planned, "no-window", "has no open window, and the guard asks for one");
}

bool is_too_large(const Subject& subject) {
    return std::ranges::any_of(subject.look.parts, [](const domain::StoredKey& part) {
        const bool in_elements = part.type.value_or("").find("more than") != std::string::npos;
        return in_elements || part.value.value_or("").size() > domain::kLongestValue;
    });
}

// Of a window that is a string each; what others are, their limiter says.
Refusal refuse_corrupt(const Subject& subject) {
    const auto why = subject.look.limiter->corruption(subject.look);
    if (is_too_large(subject))
        return refused(subject.planned, "too-large", "holds more than 64 KiB, or more than 10,000 elements",
                       "what wrote it has to remove it");
    if (domain::has_wrong_type(subject.look))
        return refused(subject.planned, "wrong-type", "is no window: " + why, "what wrote it has to remove it");
    return refused(subject.planned, "not-an-integer", "is no window: " + why);
}

Refusal refuse_endless(const Subject& subject) {
    return refused(subject.planned, "no-expiry", "is a counter that nothing ever ends",
                   "`ratectl reset` removes it, and the next request begins a window");
}

domain::StoredWindow foreseen(const Subject& subject, const std::optional<domain::ModelWindow>& after,
                              std::int64_t requests) {
    const auto& limiter = subject.look.limiter->of(subject.planned.key);
    if (!after || !limiter.end_moves()) return stored_of(after);
    return limiter.foreseen(subject.look, subject.now, requests);
}

std::string overflow_words(const domain::Limiter& limiter) {
    return limiter.end_moves() ? "would have its moment later than any that limiters store (the year 2255)"
                               : "would leave the range of exact integers (2^53)";
}

std::optional<Refusal> refuse_uncountable(const Subject& subject) {
    if (subject.look.parts.empty()) return std::nullopt;  // not looked at: the script will say it
    const auto word = subject.look.limiter->of(subject.planned.key).uncountable(subject.look);
    if (word.empty()) return std::nullopt;
    if (word == "read-only") {
        return refused(subject.planned, std::string(word),
                       "is of a limiter whose windows ratectl reads, and removes, and does not count into",
                       "`ratectl reset` removes the window");
    }
    if (word == "not-counted") {
        return refused(subject.planned, std::string(word),
                       "is of a limiter that counts nothing: as it is set, it lets no request through, or every one",
                       "`ratectl explain` says what it is set to");
    }
    return refused(subject.planned, std::string(word),
                   "has no known limit above 0 with a period, by which its requests are counted",
                   subject.meaning.match ? "--limit and --period say them"
                                         : "a policy that matches the key says them: one of the configuration, or "
                                           "--key TEMPLATE with --limit and --period, and --burst where the limiter "
                                           "has one",
                   ExitCode::configuration);
}

bool is_still_stored(const Subject& subject) {
    const auto& seen = *subject.planned.if_stored;
    if (domain::same_bytes(domain::stored_window(subject.look), seen)) return true;
    return !seen.used && !seen.reset_at && model_of(subject.look) && !domain::open_until(subject.look, subject.now);
}

}  // namespace ratectl::commands
