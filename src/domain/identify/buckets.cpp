// Limiters that write the number of a bucket of time, or its beginning, into the name of its counter.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>

#include <fmt/format.h>

#include "domain/identify/evidence.h"
#include "domain/identify/shape.h"
#include "domain/key_template.h"

namespace ratectl::domain::identify {
namespace {

using Type = HeldKey::Type;

/// A name that ends with a bucket's number or a moment, and what stands before the mark.
struct Numbered {
    std::string_view before;
    std::string_view digits;
    std::int64_t number = 0;
};

std::optional<Numbered> numbered(std::string_view name, char mark) {
    const auto cut = cut_last(name, mark);
    if (!cut) return std::nullopt;
    const auto number = natural_in(cut->behind);
    if (!number) return std::nullopt;
    return Numbered{cut->before, cut->behind, *number};
}

/// `end`: the first second of the next one.
Origin bucket_until(const Evidence& e, Sureness sureness, std::int64_t end, std::int64_t period) {
    auto origin = window_until(e, sureness, e.number, end - 1, "computed");
    origin.means += fmt::format("; windows of {} s", period);
    origin.policy = PolicyHint{.period = support::Seconds{period}};  // until its keys have a template
    return origin;
}

/// What a policy of such keys would say, where it is more than a guess.
void add_hint(Answer& answer, const std::optional<std::string>& key) {
    if (!answer || *answer->sureness == Sureness::unsure || !key || !answer->policy) return;
    answer->policy->key = *key;
}

/// Counters whose key lives a second longer than their bucket: that second tells the period.
Answer aligned(const Evidence& e, std::int64_t bucket) {
    // A time to live and the clock that it counts from are read a moment apart.
    for (const std::int64_t apart : {0, 3, -3}) {
        const auto period = e.expires() ? period_by_end(bucket, (*e.expires_ms + apart) / 1000 - 1) : std::nullopt;
        if (period) return bucket_until(e, Sureness::certain, (bucket + 1) * *period, *period);
    }
    if (const auto period = period_by_clock(bucket, e.now))
        return bucket_until(e, Sureness::likely, (bucket + 1) * *period, *period);
    Origin origin;
    origin.sureness = Sureness::unsure;
    origin.used = e.number;
    origin.means = "called like a counter of a bucket of time, whose length neither its clock nor its end tells";
    return origin;
}

constexpr std::string_view kRack = "rack::attack:";

/// fail2ban's and allow2ban's keys.
Answer banned(const Evidence& e) {
    Origin origin;
    origin.sureness = e.expires() ? Sureness::certain : Sureness::likely;
    origin.used = e.number;
    origin.means = "a client is banned";
    if (e.expires()) {
        origin.reset_at = support::from_epoch(e.expires_s());
        origin.reset_kind = "ttl";
        origin.means += fmt::format(" until {}", moment(e.expires_s(), e.now));
    }
    return origin;
}

Answer rack_attack(const Evidence& e) {
    if (!e.counts()) return std::nullopt;
    const auto at = e.name.find(kRack);
    if (at == std::string_view::npos) return std::nullopt;
    const auto before = e.name.substr(0, at + kRack.size());
    const auto rest = e.name.substr(before.size());
    if (rest.starts_with("fail2ban:ban:") || rest.starts_with("allow2ban:ban:")) return banned(e);
    const auto colon = rest.find(':');
    const auto bucket = natural_in(rest.substr(0, colon));
    if (!bucket || colon == std::string_view::npos) return std::nullopt;
    auto answer = aligned(e, *bucket);
    if (rest.find("2ban:count:", colon) != std::string_view::npos) {
        answer->means += "; what may lead to a ban";
        return answer;
    }
    const auto throttle = rest.find(':', colon + 1);  // where its name ends
    if (throttle != std::string_view::npos)
        add_hint(answer, template_of({before, kBucketHole, rest.substr(colon, throttle + 1 - colon), kClient}));
    return answer;
}

Answer gitlab(const Evidence& e) {
    constexpr std::string_view start = "application_rate_limiter:";
    const auto at = e.name.find(start);
    if (at == std::string_view::npos || !(e.counts() || e.is(Type::set))) return std::nullopt;
    const auto end = numbered(e.name, ':');
    if (!end) return std::nullopt;
    auto answer = aligned(e, end->number);
    const auto action = e.name.find(':', at + start.size());  // where its name ends
    if (e.counts() && action < end->before.size())
        add_hint(answer, template_of({e.name.substr(0, action + 1), kClient, ":", kBucketHole}));
    return answer;
}

Answer mastodon(const Evidence& e) {
    constexpr std::string_view start = "rate_limit:";
    if (!e.name.starts_with(start) || !e.counts()) return std::nullopt;
    const auto end = numbered(e.name.substr(start.size()), ':');
    const auto family = end ? cut_last(end->before, ':') : std::nullopt;
    if (!family || !is_digits(family->before) || family->behind.empty()) return std::nullopt;
    auto answer = aligned(e, end->number);
    // Nothing but these words tells its name from another's: only an end that fits does.
    if (answer->sureness == Sureness::likely) answer->sureness = Sureness::unsure;
    const auto middle = e.name.substr(start.size() + family->before.size(), family->behind.size() + 2);
    add_hint(answer, template_of({start, kClient, middle, kBucketHole}));
    return answer;
}

/// `<unit>` as Kong and limits call it, in seconds; calendars are not counted.
std::optional<std::int64_t> unit_in(std::string_view word) {
    constexpr std::array<std::pair<std::string_view, std::int64_t>, 6> units{
        {{"second", 1}, {"minute", 60}, {"hour", 3600}, {"day", 86'400}, {"month", 2'592'000}, {"year", 31'536'000}}};
    for (const auto& [name, seconds] : units) {
        if (name == word) return seconds;
    }
    return std::nullopt;
}

/// Months and years are those of the calendar.
std::int64_t end_by_calendar(std::int64_t first, std::int64_t unit) {
    constexpr std::int64_t longest_even = 86'400;
    if (unit <= longest_even) return first + unit;
    const std::chrono::year_month_day begin(std::chrono::floor<std::chrono::days>(support::from_epoch(first)));
    const auto months = std::chrono::months{unit > 31 * longest_even ? 12 : 1};
    return support::epoch_seconds(std::chrono::sys_days{begin + months});
}

Answer kong(const Evidence& e) {
    constexpr std::string_view start = "ratelimit:";
    constexpr std::size_t uuid = 36;
    if (!e.name.starts_with(start) || !e.counts()) return std::nullopt;
    const auto ids = e.name.substr(start.size());
    if (ids.size() < 2 * uuid + 3 || !is_uuid(ids.substr(0, uuid)) || ids[uuid] != ':' ||
        !is_uuid(ids.substr(uuid + 1, uuid)))
        return std::nullopt;
    const auto unit_word = cut_last(ids, ':');
    const auto unit = unit_in(unit_word->behind);
    const auto begin = numbered(unit_word->before, ':');
    if (!unit || !begin || begin->digits.size() != 13 || begin->number % 1000 != 0) return std::nullopt;
    const auto end = end_by_calendar(begin->number / 1000, *unit);
    Answer answer = bucket_until(e, e.expires() ? Sureness::certain : Sureness::likely, end, *unit);
    const auto behind = e.name.substr(e.name.size() - unit_word->behind.size() - 1);
    add_hint(answer, template_of({e.name.substr(0, start.size() + 2 * uuid + 2), kClient, ":", kBucketHole, behind}));
    return answer;
}

// ---- Upstash

constexpr std::string_view kUpstash = "@upstash/ratelimit:";

/// How long a window is, in ms, and the roundest amount that it is a multiple of.
struct RoundLength {
    std::int64_t ms = 0;
    std::int64_t round = 0;
};

/// The length that has a key of this bucket end where it does, when it lives for `lengths` of them from its first
/// request on and so much `longer`; of several the roundest. Null: none is a whole number of seconds.
std::optional<RoundLength> upstash_length(std::int64_t bucket, std::int64_t expires_ms, std::int64_t lengths,
                                          std::int64_t longer) {
    constexpr std::int64_t longest = 366 * 86'400'000LL;
    const auto end = expires_ms - longer;
    for (const std::int64_t round : {86'400'000, 3'600'000, 60'000, 1000}) {
        const auto length = end / (bucket + lengths) / round * round;
        if (length > 0 && length <= longest && end < length * (bucket + lengths + 1)) return RoundLength{length, round};
    }
    return std::nullopt;
}

struct UpstashCounter {
    std::int64_t bucket = 0;
    std::optional<RoundLength> fixed, sliding;
};

std::optional<UpstashCounter> upstash_counter(const Evidence& e) {
    if (!e.name.starts_with(kUpstash) || !e.counts()) return std::nullopt;
    const auto end = numbered(e.name, ':');
    if (!end) return std::nullopt;
    UpstashCounter counter{end->number, {}, {}};
    if (!e.expires()) return counter;
    counter.fixed = upstash_length(end->number, *e.expires_ms, 1, 0);
    counter.sliding = upstash_length(end->number, *e.expires_ms, 2, 1000);
    // A length that is rounder is the one that was chosen.
    if (counter.fixed && counter.sliding && counter.fixed->round != counter.sliding->round)
        (counter.fixed->round > counter.sliding->round ? counter.sliding : counter.fixed).reset();
    return counter;
}

Answer upstash_of(const Evidence& e, std::int64_t bucket, const std::optional<RoundLength>& length, bool ambiguous) {
    if (!length) return std::nullopt;
    const auto end = (bucket + 1) * length->ms / 1000;
    return bucket_until(e, ambiguous ? Sureness::unsure : Sureness::certain, end, length->ms / 1000);
}

Answer upstash_fixed(const Evidence& e) {
    const auto counter = upstash_counter(e);
    if (!counter) return std::nullopt;
    if (counter->fixed || counter->sliding) {
        auto answer = upstash_of(e, counter->bucket, counter->fixed, counter->sliding.has_value());
        add_hint(answer, template_of({kUpstash, kClient, ":", kBucketHole}));
        return answer;
    }
    Origin origin;
    origin.sureness = Sureness::unsure;
    origin.used = e.number;
    origin.means = "a counter of Upstash's, of a fixed or a sliding window";
    return origin;
}

Answer upstash_sliding(const Evidence& e) {
    const auto counter = upstash_counter(e);
    if (!counter) return std::nullopt;
    auto answer = upstash_of(e, counter->bucket, counter->sliding, counter->fixed.has_value());
    if (answer) answer->means += "; the one before counts in part";
    add_hint(answer, template_of({kUpstash, kClient, ":", kBucketHole}));
    return answer;
}

// ---- the others

/// A key that ends ten seconds behind its last request, of the second that its name says.
Answer redis_docs_1(const Evidence& e) {
    constexpr std::int64_t lives = 10;
    if (!e.counts() || !e.expires()) return std::nullopt;
    const auto end = numbered(e.name, ':');
    if (!end || !epoch_in(end->digits)) return std::nullopt;
    const auto last_request = e.expires_s() - lives;
    if (std::abs(last_request - end->number) > 1) return std::nullopt;
    // Figures of all kinds are kept by the second, and clients of the documentation are addresses.
    const auto sureness = !is_address(end->before)      ? Sureness::unsure
                          : last_request == end->number ? Sureness::certain
                                                        : Sureness::likely;
    Answer answer = bucket_until(e, sureness, end->number + 1, 1);
    add_hint(answer, template_of({"", kClient, ":", kBucketHole}));
    return answer;
}

/// All joined by `_`, nothing escaped, and a key that lives for its unit, up to five minutes longer, from every request
/// on.
Answer envoy(const Evidence& e) {
    constexpr std::int64_t jitter = 300;
    if (!e.counts() || !e.expires()) return std::nullopt;
    const auto end = numbered(e.name, '_');
    if (!end || !epoch_in(end->digits) || end->number > e.now + jitter) return std::nullopt;
    if (std::ranges::count(end->before, '_') < 2) return std::nullopt;
    const auto lives = e.expires_s() - end->number;
    for (const std::int64_t unit : {86'400, 3600, 60, 1}) {
        if (end->number % unit == 0 && lives >= unit && lives <= 2 * unit + jitter)
            return bucket_until(e, Sureness::unsure, end->number + unit, unit);  // as figures of all kinds are kept
    }
    return std::nullopt;
}

/// LimitLion's running counters: `rc:NAME:BUCKET`, and `rc:GROUP:group_keys`.
Answer running_counter(const Evidence& e) {
    if (!e.name.starts_with("rc:") || !e.expires()) return std::nullopt;
    const auto end = cut_last(e.name, ':');
    Origin origin;
    origin.sureness = Sureness::likely;
    if (e.is(Type::zset) && end->behind == "group_keys") {
        origin.means = fmt::format("the {} counters of a group of running counters", e.key.length);
        return origin;
    }
    const auto bucket = natural_in(end->behind);
    const auto count = decimal_in(e.value);
    if (!e.is(Type::string) || !bucket || !count) return std::nullopt;
    const auto period = period_by_clock(*bucket, e.now);
    if (!period) origin.sureness = Sureness::unsure;
    origin.means = fmt::format("a running counter, {} in a bucket of {}", plain(*count),
                               period ? fmt::format("{} s", *period) : std::string("unknown length"));
    return origin;
}

constexpr std::array kBucketRules{
    Rule{"rack-attack", rack_attack},         Rule{"kong", kong},     Rule{"upstash-fixed", upstash_fixed},
    Rule{"upstash-sliding", upstash_sliding}, Rule{"gitlab", gitlab}, Rule{"mastodon", mastodon},
    Rule{"redis-docs-1", redis_docs_1},       Rule{"envoy", envoy},   Rule{"limitlion", running_counter},
};

}  // namespace

std::span<const Rule> bucket_rules() { return kBucketRules; }

}  // namespace ratectl::domain::identify
