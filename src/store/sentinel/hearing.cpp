// Weighs the words of several sentinels, and puts what they do not say into messages.
#include "store/sentinel/hearing.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "support/quote.h"
#include "support/suggest.h"

namespace ratectl::store::sentinel {
namespace {

using support::ExitCode;

std::string listed(const std::vector<std::string>& names) {
    if (names.size() < 2) return names.empty() ? std::string{} : names.front();
    return fmt::format("{} and {}", fmt::join(names.begin(), std::prev(names.end()), ", "), names.back());
}

/// Its address is named once, before the reason.
std::string reason_of(const Heard& heard) {
    const auto& message = heard.refusal->error.message;
    const auto start = heard.sentinel->address() + ": ";
    return message.starts_with(start) ? message.substr(start.size()) : message;
}

}  // namespace

std::size_t Hearing::told() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(heard_, [](const Heard& each) { return each.word.has_value(); }));
}

std::optional<Word> Hearing::newest() const {
    std::optional<Word> newest;
    for (const auto& [sentinel, word, refusal] : heard_) {
        if (word && (!newest || word->epoch > newest->epoch)) newest = word;
    }
    return newest;
}

std::string Hearing::reasons() const {
    std::vector<std::pair<std::string, std::vector<std::string>>> by_reason;
    for (const auto& each : heard_) {
        if (!each.refusal) continue;
        const auto reason = reason_of(each);
        auto found = std::ranges::find(by_reason, reason, [](const auto& one) { return one.first; });
        if (found == by_reason.end()) found = by_reason.insert(found, {reason, {}});
        found->second.push_back(each.sentinel->address());
    }
    std::string text;
    for (const auto& [reason, who] : by_reason)
        text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", listed(who), reason);
    return text;
}

std::optional<support::Error> Hearing::disagreement() const {
    const auto taken = newest();
    std::string words;
    bool differ = false;
    for (const auto& [sentinel, word, refusal] : heard_) {
        if (!word) continue;
        const auto primary = word->primary.text();
        differ = differ || primary != taken->primary.text();
        words += fmt::format("{}{} says {}", words.empty() ? "" : ", ", sentinel->address(), primary);
    }
    if (!differ) return std::nullopt;
    return support::Error{ExitCode::unavailable,
                          fmt::format("the sentinels disagree about the primary of shard '{}': {}; the word of the "
                                      "latest failover counts, {}",
                                      shard_, words, taken->primary.text()),
                          "they agree again when a failover is over; if not, they do not watch the same servers"};
}

support::Error Hearing::minority() const {
    return {ExitCode::unavailable,
            fmt::format("only {} of {} sentinels tells where the servers are ({}): it may be on a side that a failover "
                        "has passed by, and what is shown may be a former primary's",
                        told(), heard_.size(), reasons()),
            "nothing is written on the word of so few; `ratectl config check --connect` asks each of them"};
}

support::Error Hearing::doubt() const {
    return {ExitCode::unavailable,
            fmt::format("only {} of {} sentinels tells that this is the primary, and it may be a former one", told(),
                        heard_.size()),
            "write when most of the sentinels answer; -u URL names a server that is the primary for sure"};
}

ExitCode Hearing::silence_code() const {
    const auto has = [](ExitCode code) {
        return [code](const Heard& each) { return each.refusal && each.refusal->error.code == code; };
    };
    if (std::ranges::any_of(heard_, has(ExitCode::access))) return ExitCode::access;
    return std::ranges::all_of(heard_, has(ExitCode::configuration)) ? ExitCode::configuration : ExitCode::unavailable;
}

std::optional<support::Error> Hearing::silence() const {
    const auto is_unknown = [](const Heard& each) { return each.refusal && each.refusal->is_unknown; };
    if (std::ranges::all_of(heard_, is_unknown)) return std::nullopt;
    const auto code = silence_code();
    support::Error error{code, fmt::format("no sentinel tells where the servers are: {}", reasons()), ""};
    if (code != ExitCode::access) return error;
    // What is wrong with a certificate is said with it.
    const auto hinted = std::ranges::find_if(heard_, [code](const Heard& each) {
        return each.refusal && each.refusal->error.code == code && !each.refusal->error.hint.empty();
    });
    error.hint = hinted == heard_.end() ? std::string(kLoginHint) : hinted->refusal->error.hint;
    return error;
}

support::Error Hearing::unknown_master() const {
    std::vector<std::string> watched;
    for (const auto& each : heard_) {
        if (!each.refusal) continue;
        for (const auto& name : each.refusal->watched) {
            if (std::ranges::find(watched, name) == watched.end()) watched.push_back(name);
        }
    }
    const auto who = heard_.size() == 1 ? "its sentinel watches" : "the sentinels watch";
    auto hint = support::did_you_mean(master_, watched);
    if (!watched.empty()) {
        hint += fmt::format("{}they watch {}", hint.empty() ? "" : " ", listed(watched));
    } else {
        const auto& sentinel = *heard_.front().sentinel;
        hint =
            fmt::format("`redis-cli -h {} -p {} sentinel masters` lists what they watch", sentinel.host, sentinel.port);
    }
    return {ExitCode::configuration,
            fmt::format("{} no master {} (its `master` in the configuration)", who, support::quoted(master_)), hint};
}

}  // namespace ratectl::store::sentinel
