// The narrowing half of SELECTION: checked once, then asked for every window.
#include <algorithm>
#include <array>

#include "commands/request/selection.h"
#include "support/number_text.h"
#include "support/quote.h"
#include "support/suggest.h"
#include "support/time_text.h"

namespace ratectl::commands {
namespace {

using domain::WindowState;

[[noreturn]] void unknown_name(const std::string& what, const std::string& name,
                               const std::vector<std::string>& known) {
    std::string hint = support::did_you_mean(name, known);
    if (hint.empty() && known.empty()) hint = "none is configured";
    if (hint.empty()) {
        hint = "known:";
        for (const std::string& each : known) hint += ' ' + each;
    }
    throw support::Failure(ExitCode::usage, "no " + what + " is called '" + name + "'", std::move(hint));
}

void check_known(const std::string& what, const std::vector<std::string>& names,
                 const std::vector<std::string>& known) {
    for (const std::string& name : names) {
        if (std::find(known.begin(), known.end(), name) == known.end()) unknown_name(what, name, known);
    }
}

std::vector<std::string> policy_names(const config::Settings& settings) {
    std::vector<std::string> names;
    for (const domain::Policy& policy : settings.policies.policies()) names.push_back(policy.name);
    return names;
}

std::vector<std::string> class_names(const config::Settings& settings) {
    std::vector<std::string> names;
    for (const domain::Policy& policy : settings.policies.policies()) {
        for (const auto& [name, limit] : policy.classes) names.push_back(name);
        for (const auto& [client, member] : policy.members) names.push_back(member.client_class);
    }
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
}

std::vector<std::string> state_names() {
    std::vector<std::string> names;
    for (const WindowState state : {WindowState::absent, WindowState::open, WindowState::exhausted, WindowState::closed,
                                    WindowState::orphan_counter, WindowState::orphan_expiry, WindowState::leaked,
                                    WindowState::corrupt, WindowState::negative}) {
        names.emplace_back(name_of(state));
    }
    return names;
}

bool names(const std::vector<std::string>& words, std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

bool reaches(std::int64_t used, double percent, std::int64_t limit) {
    return static_cast<double>(used) * 100 >= percent * static_cast<double>(limit);
}

[[noreturn]] void limit_is_needed(std::string_view key, const std::string& by) {
    throw support::Failure(
        ExitCode::configuration,
        "the limit of key " + support::quoted(key) + " is unknown, and " + by + " cannot be answered without it",
        "give --limit, or a policy that matches the key; where every request moves the end, --key and --period, too");
}

[[noreturn]] void has_no_slots(const std::string& shard) {
    throw support::Failure(ExitCode::usage,
                           "--shard: " + support::quoted(shard) + " has no slots, so that no window is asked for there",
                           "`ratectl doctor --only misplaced` tells of keys that lie there all the same");
}

}  // namespace

Filter::Filter(const Selection& selection, const config::Settings& settings, const store::Directory& directory)
    : policies_(selection.policies),
      classes_(selection.classes),
      client_(selection.only_client),
      org_(selection.org),
      settings_(settings) {
    check_known("policy", policies_, policy_names(settings));
    check_known("class", classes_, class_names(settings));
    for (const std::string& name : selection.states) {
        const auto state = domain::window_state_from(name);
        if (!state) unknown_name("state", name, state_names());
        states_.push_back(*state);
    }
    exhausted_wanted_ = std::find(states_.begin(), states_.end(), WindowState::exhausted) != states_.end();
    only_exhausted_ = exhausted_wanted_ && states_.size() == 1;
    const auto shard_names = directory.names();
    for (const auto& stray : directory.strays()) {
        if (names(selection.shards, stray.shard)) has_no_slots(stray.shard);
    }
    check_known("shard", selection.shards, shard_names);
    for (const std::string& name : selection.shards) {
        const auto found = std::find(shard_names.begin(), shard_names.end(), name);
        shards_.push_back(static_cast<std::size_t>(found - shard_names.begin()));
    }
    if (selection.min_used) {
        const std::string_view text = *selection.min_used;
        if (text.ends_with('%')) {
            min_percent_ = support::parse_percent(text.substr(0, text.size() - 1));
        } else {
            min_used_ = support::parse_decimal(text);
        }
        if (!min_percent_ && !min_used_) {
            throw support::Failure(ExitCode::usage,
                                   "--min-used '" + *selection.min_used + "' is neither a number nor " +
                                       std::string(support::kPercentWords),
                                   "for example --min-used 100 or --min-used 80%");
        }
    }
    if (selection.resets_within) {
        resets_within_ =
            std::chrono::floor<support::Seconds>(support::duration_of("--resets-within", *selection.resets_within));
    }
}

bool Filter::accepts_shard(std::size_t shard) const {
    return shards_.empty() || std::find(shards_.begin(), shards_.end(), shard) != shards_.end();
}

std::string_view Filter::refused_by(const std::optional<domain::PolicyMatch>& match) const {
    if (!judges_names()) return {};
    if (match ? !accepts_policy(*match->policy) : !policies_.empty()) return "--policy";
    if (!match) return classes_.empty() ? "--client" : "--class";
    if (client_) {
        const domain::Policy& policy = *match->policy;
        const auto& owner = policy.shared_by.empty() ? client_ : org_;
        const std::string hole = domain::PolicyBook::client_hole(policy);
        if (!owner || match->client.empty() || policy.key.filtered(hole, *owner) != match->client) return "--client";
    }
    return classes_.empty() || names(classes_, match->client_class) ? "" : "--class";
}

bool Filter::accepts_listed(const KeyMeaning& meaning) const {
    const bool limits = !client_ || !policies_.empty() || !meaning.is_settings;
    return limits && refused_by(meaning.match).empty();
}

bool Filter::accepts_policy(const domain::Policy& policy) const {
    return policies_.empty() || names(policies_, policy.name);
}

domain::Captures Filter::known_of(const domain::Policy& policy) const {
    const auto& owner = policy.shared_by.empty() ? client_ : org_;
    const std::string hole = domain::PolicyBook::client_hole(policy);
    if (!owner || hole.empty()) return {};
    return {{hole, *owner}};
}

std::string_view Filter::refused_by(std::string_view key, const domain::Window& window, support::Moment now) const {
    if (!states_.empty() && !is_in(window, states_)) {
        const bool counts = !window.limit && counts_at(window, now) && *window.used >= 0;
        const bool could_be = exhausted_wanted_ && (counts || is_use_unknown(window));
        if (could_be && !meaning_of(key, settings_).exempt()) limit_is_needed(key, "--state exhausted");
        return "--state";
    }
    if ((min_used_ || min_percent_) && is_use_unknown(window)) {
        if (meaning_of(key, settings_).exempt()) return "--min-used";
        limit_is_needed(key, "--min-used");
    }
    if (min_used_ && !(window.used && *window.used >= *min_used_)) return "--min-used";
    if (min_percent_) {
        if (!counts_at(window, now)) return "--min-used";
        if (!window.limit && meaning_of(key, settings_).exempt()) return "--min-used";
        if (!window.limit) limit_is_needed(key, "a percentage in --min-used");
        if (!reaches(*window.used, *min_percent_, *window.limit)) return "--min-used";
    }
    const bool soon =
        !resets_within_ || (window.reset_at && *window.reset_at >= now && *window.reset_at - now <= *resets_within_);
    return soon ? "" : "--resets-within";
}

bool lets_through(const Filter& filter, LeftOut& left_out, std::string_view key, const domain::Window& window,
                  support::Moment now) {
    const auto flag = filter.refused_by(key, window, now);
    left_out.note(key, flag, flag.empty() ? std::string() : Filter::words_for(flag, window));
    return flag.empty();
}

bool Filter::rules_out(std::string_view counter, std::optional<std::int64_t> limit) const {
    if (!can_rule_out()) return false;
    const auto used = support::parse_decimal(counter);
    if (!used) return true;  // corrupt, and neither a number of requests nor exhausted
    if (exhausted_wanted_ && !limit) return false;
    if (min_used_ && *used < *min_used_) return true;
    if (!limit) return false;
    return (min_percent_ && !reaches(*used, *min_percent_, *limit)) || (only_exhausted_ && *used < *limit);
}

std::optional<std::int64_t> Filter::least_used(const domain::WindowLook& look, const domain::Window& window) const {
    std::optional<std::int64_t> least = min_used_;
    const auto demand = [&least](std::int64_t used) { least = std::max(least.value_or(used), used); };
    const auto is_named = [this](WindowState state) { return std::ranges::find(states_, state) != states_.end(); };
    const bool would_do =
        is_named(WindowState::open) || (window.state != WindowState::exhausted && is_named(window.state));
    if (window.limit && window.exhausted && exhausted_wanted_ && !would_do)
        demand(domain::most_let_through(look, *window.limit));
    if (min_percent_ && window.limit) {
        auto used = static_cast<std::int64_t>(*min_percent_ * static_cast<double>(*window.limit) / 100);
        while (!reaches(used, *min_percent_, *window.limit)) ++used;
        demand(used);
    }
    return least;
}

std::string Filter::words_for(std::string_view flag, const domain::Window& window) {
    if (flag == "--state") return "its state is " + std::string(domain::name_of(window.state));
    if (flag == "--resets-within" && window.reset_at) return "it ends at " + support::format_time(*window.reset_at);
    if (flag == "--min-used" && window.used)
        return *window.used == 1 ? "1 request is used" : std::to_string(*window.used) + " requests are used";
    return "there is no open window, its state is " + std::string(domain::name_of(window.state));
}

bool Filter::needs_full_look() const {
    return std::any_of(states_.begin(), states_.end(),
                       [](WindowState state) { return state == WindowState::leaked || state == WindowState::corrupt; });
}

}  // namespace ratectl::commands
