// Writes explain's paragraph.
// The sentences stand in the order in which a support engineer asks: what, until when, why, says who, what is odd, what
// was done.
#include <algorithm>
#include <chrono>
#include <set>

#include <fmt/format.h>

#include "commands/explain/facts.h"
#include "commands/report/wording.h"
#include "commands/request/selection.h"
#include "domain/write.h"
#include "output/printable.h"
#include "support/time_text.h"

namespace ratectl::commands::explain {
namespace {

using domain::Verdict;
using domain::VerdictReason;
using support::Instant;

constexpr support::Milliseconds kTolerableSkew{1000};

std::string shown(std::string_view bytes) { return output::printable(bytes); }

class Paragraph {
public:
    Paragraph(const WindowFacts& facts, const std::string& zone) : facts_(facts), zone_(zone) {}

    std::string text() {
        say(headline());
        if (!facts_.part.empty())
            say(fmt::format("The {} of '{}' has that name, too: where that is meant, only the window itself tells.",
                            facts_.part, shown(facts_.whole)));
        say(limit());
        say(beginning());
        say(facts_.remark);
        if (facts_.bad_key.empty()) say_servers();
        for (const auto& shard : facts_.silent_shards)
            say(fmt::format("Shard '{}' could not be asked, and may have the key as well.", shown(shard)));
        for (const auto& finding : facts_.findings)
            say(fmt::format("{} ({}). What that does: {}.", capitalised(shown(finding.detail)),
                            domain::name_of(finding.what), finding.effect()));
        say_changes();
        const auto steps = advice_for(facts_);
        for (std::size_t i = 0; i < steps.size(); ++i)
            say(fmt::format("{}{}{}", i == 0 ? "Next: " : "", i == 0 ? steps[i] : capitalised(steps[i]),
                            steps[i].ends_with('?') ? "" : "."));
        return std::move(text_);
    }

private:
    void say(const std::string& sentence) {
        if (sentence.empty()) return;
        if (!text_.empty()) text_ += ' ';
        text_ += sentence;
    }

    std::string key() const { return "'" + shown(facts_.key) + "'"; }

    std::string beside(Instant t) const { return commands::beside(t, facts_.now, zone_); }
    std::string when(Instant t) const { return support::format_time(t) + beside(t); }

    std::string headline() const {
        switch (facts_.ruling.reason) {
            case VerdictReason::below_limit:
                return fmt::format("{} is allowed: {} of {} used, {} left{}.", key(), *facts_.window.used,
                                   requests(*facts_.window.limit), *facts_.window.remaining, end_words(" until "));
            case VerdictReason::exempt:
                if (!facts_.window.used)
                    return key() + " holds settings: nothing is counted in it, and it limits no client by itself.";
                return fmt::format("{} is allowed: {} used in the window{}.", key(), requests(*facts_.window.used),
                                   end_words(" that ends at "));
            case VerdictReason::no_window:
                return key() + " is allowed: it has no window, so nothing is counted at this moment.";
            case VerdictReason::window_over: return over();
            case VerdictReason::half_window: return no_end();
            case VerdictReason::limit_used_up: return used_up();
            case VerdictReason::limit_is_zero: return key() + " is limited at all times: its limit is 0.";
            case VerdictReason::no_limit_known: return limit_unknown();
            case VerdictReason::corrupt: return key() + " is broken: what is stored for it cannot be counted on.";
            case VerdictReason::servers_differ:
            case VerdictReason::clocks_differ: return disagreement();
            case VerdictReason::primary_silent:
                return fmt::format("It is unknown whether {} is limited: no primary of {} {}.", key(), shard(),
                                   silence());
            case VerdictReason::nobody_answered:
                if (!facts_.bad_key.empty())
                    return fmt::format("It is unknown whether {} is limited: {}.", key(), shown(facts_.bad_key));
                if (facts_.ownerless)
                    return fmt::format(
                        "It is unknown whether {} is limited: no node of the Redis Cluster has its slot.", key());
                return fmt::format("It is unknown whether {} is limited: no server of {} {}.", key(), silent_shard(),
                                   silence());
        }
        return {};
    }

    /// Of a window whose second key is another shard's to show, as on memcached, that one may be silent alone.
    std::string silent_shard() const {
        const auto other = facts_.servers.empty() ? std::string() : facts_.servers.front().shard;
        if (other.empty() || facts_.shard.empty() || other == facts_.shard) return shard();
        return fmt::format("shard '{}', which has its other key,", shown(other));
    }

    /// What is so of servers that showed nothing; those that refused have answered.
    std::string silence() const {
        const auto refused = std::ranges::find_if(facts_.servers, [](const auto& one) { return !one.refusal.empty(); });
        return refused == facts_.servers.end() ? "answers" : "shows it (" + shown(refused->refusal) + ")";
    }

    std::string over() const {
        if (facts_.end_moves) return key() + " is allowed: all that was used is free again.";
        if (!facts_.ended_at)
            return key() + " is allowed: the window of its number has not begun, and what is counted there is ignored.";
        const bool one = facts_.stored_used == "1";
        const auto counted = facts_.stored_used ? fmt::format("; the {} request{} counted there {} ignored",
                                                              *facts_.stored_used, one ? "" : "s", one ? "is" : "are")
                                                : std::string();
        return fmt::format("{} is allowed: its window ended at {}{}.", key(), when(*facts_.ended_at), counted);
    }

    std::string without_end() const {
        return facts_.is_pair ? "only half of a window is there" : "its counter has no TTL";
    }

    std::string no_end() const {
        if (facts_.carried == 0) return fmt::format("{} is allowed: {}, which counts as none.", key(), without_end());
        return fmt::format(
            "{} is allowed: {} of {} used, {} left. No window is open: its counter has outlived the last one, and the "
            "next request opens one that goes on from there.",
            key(), facts_.carried, requests(*facts_.window.limit), *facts_.window.remaining);
    }

    std::string limit_unknown() const {
        const auto& window = facts_.window;
        const bool counts = counts_at(window, facts_.now);
        const bool some = window.state == domain::WindowState::open && !window.used;
        const std::string stored =
            some     ? "some requests are used"
            : counts ? fmt::format("{} {} used", requests(*window.used), *window.used == 1 ? "is" : "are")
            : window.state == domain::WindowState::absent ? "it has no window"
            : facts_.carried > 0
                ? fmt::format("no window is open, and the next one goes on from {} used", facts_.carried)
            : window.state == domain::WindowState::orphan_counter || window.state == domain::WindowState::orphan_expiry
                ? without_end()
            : facts_.end_moves ? "nothing of it is used any more"
            : facts_.ended_at  ? "its window is over"
                               : "its window has not begun";
        const std::string end = some              ? " All of it is free again at " + when(*window.reset_at) + "."
                                : !counts         ? ""
                                : window.reset_at ? " The window ends at " + when(*window.reset_at) + "."
                                                  : " Nothing ends the window.";
        return fmt::format("It is unknown whether {} is limited: {}, and {}.{}", key(), stored,
                           window.limit ? "nothing says how many these are" : "its limit is unknown", end);
    }

    std::string end_words(const char* until) const {
        const auto& end = facts_.window.reset_at;
        if (end && facts_.end_moves) return "; all of it is free again at " + when(*end);
        return end ? until + when(*end) : ", and nothing ends its window";
    }

    std::string used_up() const {
        if (!facts_.window.reset_at) {
            return fmt::format("{} is limited: {} of {} used, and nothing ends its window.", key(), *facts_.window.used,
                               requests(*facts_.window.limit));
        }
        const auto& passes = facts_.window.passes_at;
        if (passes && passes == facts_.window.reset_at) {
            return fmt::format("{} is limited until {}, when all of it is free again: {} of {} used.", key(),
                               when(*passes), *facts_.window.used, requests(*facts_.window.limit));
        }
        if (passes) {
            return fmt::format("{} is limited until {}, when one request is let through: {} of {} used{}.", key(),
                               when(*passes), *facts_.window.used, requests(*facts_.window.limit), end_words(""));
        }
        return fmt::format(
            "{} is limited until {}: {} of {} used. That second still counts; the first request is let "
            "through at {}.",
            key(), when(*facts_.window.reset_at), *facts_.window.used, requests(*facts_.window.limit),
            support::format_time(*allowed_from(facts_)));
    }

    /// The answer that counts beside the first one that decides otherwise.
    std::string disagreement() const {
        const auto& counts = facts_.answers.front();
        const auto other = std::find_if(facts_.answers.begin(), facts_.answers.end(),
                                        [&](const AnswerFacts& one) { return one.verdict != counts.verdict; });
        if (other == facts_.answers.end()) return key() + " is judged differently by its servers.";
        if (facts_.ruling.reason == VerdictReason::clocks_differ)
            return fmt::format("{} is {} by our clock, but {} by the clock of {}.", key(), standing(counts.verdict),
                               standing(other->verdict), names(other->from));
        return fmt::format("{} is {} according to {}, but {} according to {}.", key(), standing(counts.verdict),
                           names(counts.from), standing(other->verdict), names(other->from));
    }

    static std::string_view standing(Verdict verdict) {
        return verdict == Verdict::limit_unknown ? "counted without a known limit" : domain::name_of(verdict);
    }

    std::string limit() const {
        const auto& source = facts_.limit_source;
        if (facts_.ruling.reason == VerdictReason::corrupt || facts_.answers.empty()) return {};
        if (facts_.ruling.reason == VerdictReason::exempt && !facts_.window.used) return {};
        if (source == "exempt")
            return fmt::format("Its client is exempt: policy '{}' never limits it.", shown(facts_.policy));
        if (source == kStoredLimit && !facts_.window.limit) return "Nothing limits it, as is stored beside it.";
        if (source == kStoredLimit)
            return fmt::format("The limit is {} at once, as is stored with it.", *facts_.window.limit);
        if (!facts_.window.limit) {
            const std::string why = facts_.policy.empty() ? "no policy matches the key"
                                    : facts_.limit        ? "policy '" + shown(facts_.policy) + "' names no period"
                                                          : "policy '" + shown(facts_.policy) + "' names none";
            return facts_.ruling.reason == VerdictReason::no_limit_known ? capitalised(why) + "."
                                                                         : "Its limit is unknown: " + why + ".";
        }
        auto figures = std::to_string(facts_.limit.value_or(*facts_.window.limit));
        if (facts_.period && facts_.limits_rate) figures += " per " + support::format_duration(*facts_.period);
        if (facts_.end_moves)
            figures += facts_.limits_rate ? fmt::format(", {} at once", *facts_.window.limit) : " at a time";
        if (source == "key") return fmt::format("The limit is {}, as the key says.", figures);
        if (source == "flag") return fmt::format("The limit is {}, given with --limit.", figures);
        if (source.starts_with("class:"))
            return fmt::format("The limit is {}, of class '{}' in policy '{}'.", figures, shown(facts_.client_class),
                               shown(facts_.policy));
        if (source.starts_with("class-file"))
            return fmt::format("The limit is {}, the client's own in the class file of policy '{}'.", figures,
                               shown(facts_.policy));
        return fmt::format("The limit is {}, of policy '{}'.", figures, shown(facts_.policy));
    }

    std::string beginning() const {
        const auto& window = facts_.window;
        if (facts_.begins_below == 0 || !counts_at(window, facts_.now) || *window.used >= facts_.begins_below)
            return {};
        return fmt::format(
            "{} begins the counter's time anew: this limiter sets it with the request that counts the first.",
            *window.used == 0 ? "The next request" : "The request that brings the counter to 1");
    }

    std::string shard() const { return facts_.shard.empty() ? "any shard" : "shard '" + shown(facts_.shard) + "'"; }

    std::string names(const std::vector<std::size_t>& servers) const {
        std::vector<std::string> shown_names;
        shown_names.reserve(servers.size());
        for (const auto server : servers) shown_names.push_back(shown(facts_.servers[server].name));
        return listed(shown_names);
    }

    void say_servers() {
        say(decider());
        std::set<std::size_t> told;
        for (std::size_t i = 1; i < facts_.answers.size(); ++i) say_other_answer(facts_.answers[i], told);
        for (std::size_t i = 0; i < facts_.servers.size(); ++i) {
            const auto& server = facts_.servers[i];
            const bool moves = !server.answered && server.cause == domain::Cause::moving;
            if (moves && facts_.ruling.reason == VerdictReason::nobody_answered) continue;  // the headline says it
            if (!server.answered) {
                say(fmt::format("{} could not {} ({}); what it would say is unknown.", capitalised(shown(server.name)),
                                moves ? "show it" : "be asked", shown(server.detail)));
            } else if (!told.contains(i) && is_worth_telling(server)) {
                say(reason_of(server, capitalised(shown(server.name))));
            }
        }
        say_clock();
    }

    void say_other_answer(const AnswerFacts& answer, std::set<std::size_t>& told) {
        say(fmt::format("{} would have said{}: {}.", capitalised(names(answer.from)),
                        answer.through_lua_only       ? " to a script"
                        : !answer.by_their_clock_only ? ""
                        : answer.from.size() == 1     ? " by its own clock"
                                                      : " by their own clocks",
                        answer.words));
        for (const auto i : answer.from) {
            const auto& server = facts_.servers[i];
            if (!is_worth_telling(server) || !told.insert(i).second) continue;
            say(reason_of(server, answer.from.size() == 1 ? "The reason" : capitalised(shown(server.name))));
        }
    }

    static std::string reason_of(const ServerFacts& server, const std::string& subject) {
        return fmt::format("{} ({}): {}.", subject, domain::name_of(server.cause), shown(server.detail));
    }

    /// What a finding says already of the window itself need not be said of each server.
    bool is_worth_telling(const ServerFacts& server) const {
        if (server.cause == domain::Cause::none || server.detail.empty()) return false;
        return server.cause != domain::Cause::missing_ttl || server.differs || facts_.findings.empty();
    }

    void say_clock() {
        const auto* decides = deciding_server(facts_);
        const bool said = std::any_of(facts_.servers.begin(), facts_.servers.end(),
                                      [](const ServerFacts& server) { return server.cause == domain::Cause::clock; });
        if (said || !decides || !decides->clock_skew || std::chrono::abs(*decides->clock_skew) <= kTolerableSkew)
            return;
        say(fmt::format("The clock of {} is {} {} ours.", shown(decides->name),
                        support::format_duration(std::chrono::abs(*decides->clock_skew)),
                        decides->clock_skew->count() > 0 ? "ahead of" : "behind"));
    }

    /// Who said so; and where others say otherwise, what the one that counts says.
    std::string decider() const {
        const auto* decides = deciding_server(facts_);
        if (decides == nullptr) {
            return facts_.shard.empty() && !facts_.answers.empty() ? "None of the shards has it." : std::string();
        }
        const auto answered = std::count_if(facts_.servers.begin(), facts_.servers.end(),
                                            [](const ServerFacts& server) { return server.answered; });
        if (facts_.answers.size() > 1 || facts_.ruling.verdict == Verdict::unknown) {
            auto words = facts_.answers.front().words;
            if (const auto& end = facts_.window.reset_at; end && *end >= facts_.now) words += beside(*end);
            if (facts_.standing == domain::Standing::best_replica)
                return fmt::format("The best of its replicas, {}, says: {}.", shown(decides->name), words);
            return fmt::format("{} of {} decides, and says: {}.", capitalised(shown(decides->name)), shard(), words);
        }
        const auto acts =
            facts_.standing == domain::Standing::promoted_replica ? ", known as a replica and acting as primary," : "";
        const auto others = answered == 1   ? std::string()
                            : answered == 2 ? ", and another server of that shard agrees"
                                            : fmt::format(", and {} other servers of that shard agree", answered - 1);
        return fmt::format("{} of {}{} says so{}.", capitalised(shown(decides->name)), shard(), acts, others);
    }

    void say_changes() {
        for (const auto& change : facts_.changes) {
            const auto by = change.who.empty() ? std::string() : " by " + shown(change.who);
            say(fmt::format("From this machine: {}by {} {}, run{} at {}.", outcome_of(change), shown(change.command),
                            change.operation, by, when(support::to_instant(change.at))));
        }
    }

    /// `none -> 32 in 32 steps `: all that an operation did to the window.
    static std::string outcome_of(const ChangeFacts& change) {
        const bool is_known = change.unknown < change.steps;
        auto text = is_known ? fmt::format("{} -> {} ", shown(domain::used_words(change.before)),
                                           shown(domain::used_words(change.after)))
                             : "with an outcome that is not known ";
        if (change.steps == 1) return text;
        text += fmt::format("in {} steps ", change.steps);
        if (is_known && change.unknown > 0)
            text += fmt::format("({} of them with an unknown outcome) ", change.unknown);
        return text;
    }

    const WindowFacts& facts_;
    const std::string& zone_;
    std::string text_;
};

}  // namespace

const ServerFacts* deciding_server(const WindowFacts& facts) {
    const auto found = std::find_if(facts.servers.begin(), facts.servers.end(),
                                    [](const ServerFacts& server) { return server.decides; });
    return found == facts.servers.end() ? nullptr : &*found;
}

std::optional<Instant> allowed_from(const WindowFacts& facts) {
    const bool ends = facts.window.exhausted && *facts.window.limit > 0;
    if (facts.ruling.verdict == Verdict::unknown || !ends || !facts.window.reset_at) return std::nullopt;
    return facts.window.passes_at.value_or(*facts.window.reset_at + support::Seconds{1});
}

std::string paragraph_of(const WindowFacts& facts, const std::string& zone) { return Paragraph(facts, zone).text(); }

}  // namespace ratectl::commands::explain
