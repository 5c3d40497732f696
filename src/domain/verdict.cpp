// Turns judged windows into verdicts.
#include "domain/verdict.h"

#include <array>

namespace ratectl::domain {

std::string_view name_of(Verdict verdict) {
    constexpr std::array<std::string_view, 6> names{"allowed", "limited",      "limit-unknown",
                                                    "broken",  "disagreement", "unknown"};
    return names.at(static_cast<std::size_t>(verdict));
}

bool calls_for_attention(Verdict verdict) { return verdict != Verdict::allowed && verdict != Verdict::limit_unknown; }

std::string_view name_of(VerdictReason reason) {
    constexpr std::array<std::string_view, 13> names{
        "below-limit",   "exempt",         "no-window",      "window-over", "half-window",
        "limit-used-up", "limit-is-zero",  "no-limit-known", "corrupt",     "servers-differ",
        "clocks-differ", "primary-silent", "nobody-answered"};
    return names.at(static_cast<std::size_t>(reason));
}

Ruling rule_on(const Window& window, support::Moment now) {
    using enum Verdict;
    if (window.state == WindowState::corrupt) return {broken, VerdictReason::corrupt};
    if (window.limit && *window.limit <= 0) return {limited, VerdictReason::limit_is_zero};
    if (!window.limit || is_use_unknown(window)) return {limit_unknown, VerdictReason::no_limit_known};
    if (window.exhausted) return {limited, VerdictReason::limit_used_up};
    if (counts_at(window, now)) return {allowed, VerdictReason::below_limit};
    switch (window.state) {
        case WindowState::absent: return {allowed, VerdictReason::no_window};
        case WindowState::orphan_counter:
        case WindowState::orphan_expiry: return {allowed, VerdictReason::half_window};
        default: return {allowed, VerdictReason::window_over};
    }
}

Verdict rule_on(const Answer& answer) {
    if (answer.corrupt) return Verdict::broken;
    if (answer.remaining == 0 && !answer.passes) return Verdict::limited;
    return answer.remaining ? Verdict::allowed : Verdict::limit_unknown;
}

Ruling rule_on_all(const std::optional<Ruling>& decided, const Divergence& divergence) {
    if (!decided) return {Verdict::unknown, VerdictReason::nobody_answered};
    if (divergence.standing == Standing::best_replica) return {Verdict::unknown, VerdictReason::primary_silent};
    Ruling ruling = *decided;
    for (const Answer& answer : divergence.answers) {
        if (rule_on(answer) == decided->verdict) continue;
        if (!answer.by_their_clock_only) return {Verdict::disagreement, VerdictReason::servers_differ};
        ruling = {Verdict::disagreement, VerdictReason::clocks_differ};
    }
    return ruling;
}

}  // namespace ratectl::domain
