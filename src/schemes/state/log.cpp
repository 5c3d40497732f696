// The times of requests under one key: each of them is free again a period later, so that the window moves with the
// clock. Source: limiters that are named in schemes/book.cpp.
#include "schemes/state/limiters.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "schemes/named_quota.h"
#include "schemes/packed.h"
#include "schemes/write_call.h"

/// Embedded from lua/state/ at build, behind list_log.lua and log.lua.
namespace ratectl::schemes::list_log {
extern const Scripts kScripts;
}

/// Embedded from lua/state/ at build, behind set_log.lua and log.lua.
namespace ratectl::schemes::set_log {
extern const Scripts kScripts;
}

namespace ratectl::schemes::log {
namespace {

/// The application's clock counts. Without a period the times are known, and not how long they count.
class LogScheme final : public state::StateScheme {
public:
    LogScheme(Rules rules, const domain::Policy* policy);

    std::string_view layout() const override;
    std::span<const Part> parts() const override;
    std::size_t texts_a_request() const override { return rules_.in_set ? 2 : 1; }
    std::optional<Quota> quota_in(std::string_view key) const override;
    std::optional<support::Instant> next_end(std::string_view key, support::Moment now,
                                             std::optional<support::Seconds> period) const override;
    bool outgrows(const domain::WindowLook& look, support::Moment now, std::int64_t requests) const override;
    std::string_view uncountable(const domain::WindowLook& look) const override;

private:
    /// A time and how it is stored, in a set its member beside it.
    struct Entry {
        double at = 0;
        std::vector<OptionalText> texts;
    };
    /// As they are stored, the newest first; null: something else.
    std::optional<std::vector<double>> times_in(std::string_view text) const;
    std::vector<Entry> entries_in(std::string_view text) const;
    std::string text_of(std::vector<Entry> entries) const;
    /// The time of a request that comes at that millisecond.
    double time_at(std::int64_t now_ms) const;
    bool counts(double at, double now, std::int64_t period) const;
    /// The first second at which it does not count.
    std::int64_t free_at(double at, std::int64_t period) const;
    Keys keys_after(const domain::WindowLook& look, support::Moment now, std::int64_t requests) const override;
    std::optional<state::Meaning> meaning(const domain::WindowLook& look, const Texts& texts, std::int64_t now_ns,
                                          std::optional<std::int64_t> limit) const override;
    std::vector<std::string> terms(const std::string& key) const override;
    bool is_countable(std::int64_t limit) const override { return limit > 0; }
    std::optional<std::int64_t> limit_of(std::string_view key) const override;
    std::optional<support::Seconds> period_of(std::string_view key) const;
    std::int64_t used_in(const std::vector<double>& times, double now, std::int64_t period,
                         std::optional<std::int64_t> limit) const;
    std::int64_t end_of(const std::vector<double>& times, std::int64_t period) const;
    /// Of those that are stored, which one the limiter asks for.
    std::size_t deciding(std::size_t stored, std::int64_t limit) const;

    Rules rules_;
};

using state::kMillisecondNs;
using state::kSecondNs;
using support::Instant;
using support::Moment;

constexpr double kMostSeconds = 9e9;
constexpr double kMicroseconds = 1e6;  // of a second

}  // namespace

LogScheme::LogScheme(Rules rules, const domain::Policy* policy)
    : StateScheme(rules.in_set ? set_log::kScripts : list_log::kScripts, state::Clock::application, policy),
      rules_(rules) {}

std::string_view LogScheme::layout() const {
    return rules_.in_set ? "sorted set of microseconds" : rules_.whole ? "list of seconds" : "list of times";
}

std::span<const domain::Limiter::Part> LogScheme::parts() const {
    static constexpr Part set{"log", "logs", "zset"};
    static constexpr Part list{"log", "logs", "list"};
    return {rules_.in_set ? &set : &list, 1};
}

std::optional<std::vector<double>> LogScheme::times_in(std::string_view text) const {
    std::vector<double> times;
    PackedReader reader(text);
    OptionalView time;
    OptionalView member;
    while (!reader.at_end()) {
        const bool sound = reader.next(time) && time && (!rules_.in_set || reader.next(member));
        const auto at =
            sound ? state::moment_in(*time, kMostSeconds * (rules_.in_set ? kMicroseconds : 1)) : std::nullopt;
        if (!at) return std::nullopt;
        times.push_back(*at);
    }
    if (rules_.in_set) std::ranges::reverse(times);
    return times.empty() ? std::nullopt : std::optional{std::move(times)};
}

std::vector<LogScheme::Entry> LogScheme::entries_in(std::string_view text) const {
    const auto texts = texts_of(text).value_or(std::vector<OptionalText>());
    const auto each = static_cast<std::ptrdiff_t>(texts_a_request());
    std::vector<Entry> entries;
    for (auto one = texts.begin(); texts.end() - one >= each; one += each)
        entries.push_back({state::fraction_in(one->value_or("")).value_or(0), std::vector(one, one + each)});
    if (rules_.in_set) std::ranges::reverse(entries);
    return entries;
}

std::string LogScheme::text_of(std::vector<Entry> entries) const {
    if (rules_.in_set) std::ranges::reverse(entries);
    std::string all;
    for (const auto& one : entries)
        for (const auto& text : one.texts) append_packed(all, text);
    return all;
}

double LogScheme::time_at(std::int64_t now_ms) const {
    const auto ms = static_cast<double>(now_ms);
    return rules_.in_set ? ms * 1000 : rules_.whole ? std::floor(ms / 1000) : ms / 1000;
}

// Of lists, what lies exactly a period back still counts.
bool LogScheme::counts(double at, double now, std::int64_t period) const {
    const auto span = static_cast<double>(period);
    return rules_.in_set ? at > now - span * kMicroseconds : at >= now - span;
}

std::int64_t LogScheme::free_at(double at, std::int64_t period) const {
    const double second = rules_.in_set ? std::ceil(at / kMicroseconds) : std::floor(at) + 1;
    return static_cast<std::int64_t>(second) + period;
}

std::optional<domain::Limiter::Quota> LogScheme::quota_in(std::string_view key) const {
    return rules_.names_quota ? named_quota(key) : std::nullopt;
}

// What the key says of them is what its library goes by.
std::optional<std::int64_t> LogScheme::limit_of(std::string_view key) const {
    const auto quota = quota_in(key);
    return quota ? std::optional{quota->limit} : StateScheme::limit_of(key);
}

std::optional<support::Seconds> LogScheme::period_of(std::string_view key) const {
    const auto quota = quota_in(key);
    return quota ? std::optional{quota->period} : period();
}

std::size_t LogScheme::deciding(std::size_t stored, std::int64_t limit) const {
    return rules_.whole ? stored - 1 : static_cast<std::size_t>(limit) - 1;
}

// Where a list is not in order, the time that the limiter asks for decides.
std::int64_t LogScheme::used_in(const std::vector<double>& times, double now, std::int64_t period,
                                std::optional<std::int64_t> limit) const {
    const auto is_over = [&](double at) { return !counts(at, now, period); };
    const auto used = std::ranges::find_if(times, is_over) - times.begin();
    if (!limit || *limit <= 0 || std::ssize(times) < *limit) return used;
    const bool full = !is_over(times[deciding(times.size(), *limit)]);
    return full ? std::max<std::int64_t>(used, *limit) : std::min<std::int64_t>(used, *limit - 1);
}

std::int64_t LogScheme::end_of(const std::vector<double>& times, std::int64_t period) const {
    return free_at(*std::ranges::max_element(times), period);
}

std::optional<state::Meaning> LogScheme::meaning(const domain::WindowLook& look, const Texts& texts,
                                                 std::int64_t now_ns, std::optional<std::int64_t> limit) const {
    const auto times = times_in(*texts.front());
    if (!times) return std::nullopt;
    const auto span = period_of(look.key);
    if (!span) {
        const auto expires = look.parts.front().expires_at_ms;
        return state::Meaning{.used = {}, .counts = true, .end_ns = expires ? *expires * kMillisecondNs : now_ns};
    }
    const auto used = used_in(*times, time_at(now_ns / kMillisecondNs), span->count(), limit);
    state::Meaning meant{.used = used, .counts = used > 0, .end_ns = end_of(*times, span->count()) * kSecondNs};
    if (limit && *limit > 0 && used >= *limit)
        meant.passes_ns = free_at((*times)[deciding(times->size(), *limit)], span->count()) * kSecondNs;
    return meant;
}

// After one request.
std::optional<Instant> LogScheme::next_end(std::string_view key, Moment now,
                                           std::optional<support::Seconds> period) const {
    const auto known = period_of(key);
    const auto span = known ? known : period;
    return span ? std::optional{now + *span + support::Seconds{1}} : std::nullopt;
}

std::string_view LogScheme::uncountable(const domain::WindowLook& look) const {
    return period_of(look.key) && (!rules_.trims || limit_of(look.key).value_or(0) > 0) ? "" : "no-rate";
}

// Of a set what does not count any more is cleared away, and where the time is the member each has a microsecond of its
// own; a member of chance is none of what is told of it.
state::StateScheme::Keys LogScheme::keys_after(const domain::WindowLook& look, Moment now,
                                               std::int64_t requests) const {
    const auto span = period_of(look.key);
    if (!span) return {};
    constexpr std::int64_t largest = kMostElements;
    const double at = time_at(now_ns(look, now) / kMillisecondNs);
    const auto limit = limit_of(look.key);
    auto entries = entries_in(look.parts.front().value.value_or(""));
    if (requests < 0) {
        entries.erase(entries.begin(), entries.begin() + std::min<std::int64_t>(-requests, std::ssize(entries)));
    } else {
        const auto is_over = [&](const Entry& one) { return !counts(one.at, at, span->count()); };
        if (rules_.in_set) std::erase_if(entries, is_over);
        const auto most = std::min(rules_.trims && limit ? *limit : largest, largest);
        std::vector<Entry> added(static_cast<std::size_t>(std::clamp<std::int64_t>(requests, 0, most)));
        for (std::size_t i = 0; i < added.size(); ++i) {
            added[i].at = rules_.in_set && !rules_.random ? at - static_cast<double>(i) : at;
            added[i].texts.emplace_back(state::fraction_text(added[i].at));
            if (rules_.in_set) added[i].texts.emplace_back();
        }
        entries.insert(entries.begin(), std::move_iterator(added.begin()), std::move_iterator(added.end()));
        if (std::ssize(entries) > most) entries.resize(static_cast<std::size_t>(most));
    }
    auto text = text_of(std::move(entries));
    const auto times = times_in(text);
    if (!times || used_in(*times, at, span->count(), limit) == 0) return {};
    return {{std::move(text), {}, {}, {}}};
}

bool LogScheme::outgrows(const domain::WindowLook& look, Moment now, std::int64_t requests) const {
    constexpr std::int64_t largest = kMostElements;
    if (requests > largest) return true;
    const auto span = period_of(look.key);
    if (!span || (rules_.trims && limit_of(look.key).value_or(0) <= largest)) return false;
    const double at = time_at(now_ns(look, now) / kMillisecondNs);
    const auto stays = [&](const Entry& one) { return !rules_.in_set || counts(one.at, at, span->count()); };
    const auto entries = entries_in(look.parts.front().value.value_or(""));
    return std::ranges::count_if(entries, stays) + requests > largest;
}

std::vector<std::string> LogScheme::terms(const std::string& key) const {
    const auto span = period_of(key);
    return {number(limit_of(key)), span ? std::to_string(span->count()) : std::string(), flag(rules_.trims),
            rules_.whole    ? "whole"
            : rules_.random ? "random"
                            : ""};
}

Made make(Rules rules, const domain::Policy* policy) { return std::make_unique<LogScheme>(rules, policy); }

}  // namespace ratectl::schemes::log
