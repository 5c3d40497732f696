// Two counters, of the present period and of the one before: the longer ago that is, the fewer of its requests count.
// Source: limiters that are named in schemes/book.cpp.
#include "schemes/state/limiters.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>

#include <fmt/format.h>

#include "domain/diagnosis/finding.h"
#include "schemes/named_quota.h"
#include "schemes/write_call.h"
#include "support/number_text.h"
#include "support/time_text.h"

namespace ratectl::schemes::sliding {

/// Embedded from lua/state/ at build, behind sliding.lua.
extern const Scripts kScripts;

namespace {

/// Whose the periods are. By TTL: Python's limits, K is the present one and lives for two periods, `K/-1` is the one
/// before, and both are moved by the first request of a new period; limit and period are in the key. By number:
/// Upstash's, every period has a key, and a window's second part is that of the number before.
class SlidingScheme final : public state::StateScheme {
public:
    /// By TTL.
    SlidingScheme();
    /// By number. Without buckets nothing says when a period is over, and so how many requests count.
    SlidingScheme(const domain::Policy* policy, std::optional<counter::Buckets> buckets);

    std::string_view layout() const override { return by_ttl_ ? "sliding counters" : "numbered sliding counters"; }
    std::span<const Part> parts() const override;
    std::string part_key(std::string_view key, std::size_t part) const override;
    std::string part_glob(std::string_view glob, std::size_t part) const override;
    bool parts_are_windows() const override { return true; }
    std::optional<PartOf> part_of(std::string_view stored) const override;
    std::optional<Scanned> scanned_as(std::string_view name) const override;
    std::optional<Quota> quota_in(std::string_view key) const override;
    domain::Captures holes_at(std::string_view policy, support::Moment now) const override;
    std::string key_at(std::string key, support::Moment now) const override;
    std::optional<support::Instant> next_end(std::string_view key, support::Moment now,
                                             std::optional<support::Seconds> period) const override;
    std::string_view uncountable(const domain::WindowLook& look) const override {
        return period_ms(look.key) ? "" : "no-rate";
    }
    std::int64_t floor_of(const domain::WindowLook& look, support::Moment now) const override;

private:
    struct Counters;

    std::size_t own_parts() const override { return 2; }
    std::optional<state::Meaning> meaning(const domain::WindowLook& look, const Texts& texts, std::int64_t now_ns,
                                          std::optional<std::int64_t> limit) const override;
    bool is_later(const domain::WindowLook& look, const domain::WindowLook& then,
                  const domain::StoredWindow& was) const override;
    Keys keys_after(const domain::WindowLook& look, support::Moment now, std::int64_t requests) const override;
    std::vector<std::string> terms(const std::string& key) const override;
    std::optional<std::int64_t> limit_of(std::string_view key) const override;
    bool is_countable(std::int64_t limit) const override { return limit > 0 && (by_ttl_ || buckets_); }
    std::optional<std::int64_t> needed_until_ns(const domain::WindowLook& look, std::size_t part,
                                                const state::Meaning& meant) const override;
    std::optional<domain::Finding> own_fault(const domain::WindowLook& look,
                                             const domain::Circumstances& around) const override;

    /// Null: the key does not say it, or nothing says how its periods are numbered.
    std::optional<std::int64_t> period_ms(std::string_view key) const;
    /// Null: no such integers are stored, or the period is not known.
    std::optional<Counters> counters_in(const domain::WindowLook& look) const;
    /// The same, after so many requests more.
    std::optional<Counters> counters_after(const domain::WindowLook& look, support::Moment now,
                                           std::int64_t requests) const;

    bool by_ttl_;
    std::optional<counter::Buckets> buckets_;
};

using domain::WindowLook;
using state::kMillisecondNs;
using support::Instant;
using support::Moment;

constexpr std::string_view kBefore = "/-1";
constexpr std::int64_t kMostMs = 10'000'000'000'000;  // of a period: sums of them and moments stay exact in Lua
constexpr std::int64_t kLonger = 1000;                // than two periods a numbered key lives from its first request on
constexpr std::int64_t kEver = std::numeric_limits<std::int64_t>::max();

constexpr std::int64_t exact(std::int64_t count) {
    return std::clamp(count, -support::kMaxExactInteger, support::kMaxExactInteger);
}

/// As far as 64 bits hold it.
constexpr std::int64_t ns_of(std::int64_t ms) {
    constexpr std::int64_t most = domain::kLatestMoment.time_since_epoch().count() * 1000;
    return std::clamp(ms, -most, most) * kMillisecondNs;
}

/// 0 where nothing is stored; null: no integer that scripts count in.
std::optional<std::int64_t> count_in(const domain::StoredKey& stored) {
    if (!stored.value) return 0;
    const auto count = support::parse_decimal(*stored.value);
    return count && exact(*count) == *count ? count : std::nullopt;
}

/// The same as other moments are rounded.
std::int64_t second_of(std::int64_t ms) { return ms / 1000 + (ms % 1000 > 0 ? 1 : 0); }

/// The name beside one that ends in a number.
std::string numbered_beside(std::string_view key, int by) {
    const auto digits = key.find_last_not_of("0123456789") + 1;
    const auto number = support::parse_unsigned(key.substr(digits), support::kMaxExactInteger);
    const auto there = number ? static_cast<std::int64_t>(*number) + by : -1;
    // What is no such key has none beside it.
    return there < 0 ? fmt::format("{}{:+}", key, by) : fmt::format("{}{}", key.substr(0, digits), there);
}

}  // namespace

/// Moments are milliseconds. The same arithmetic as in lua/state/sliding.lua, to the bit.
struct SlidingScheme::Counters {
    bool by_ttl = false;
    std::int64_t present = 0, previous = 0;
    std::int64_t period = 0;
    bool endless = false;     // the present ones have no TTL that would end them
    std::int64_t begins = 0;  // nothing counts before
    std::int64_t fades = 0;   // none of the previous ones counts any more
    std::int64_t turns = 0;   // the present ones begin to be the previous ones
    std::int64_t ends = 0;    // and none of those counts any more

    /// How many of them count where so much is left; as the library rounds it.
    std::int64_t faded(std::int64_t count, std::int64_t left) const {
        constexpr auto most = static_cast<double>(support::kMaxExactInteger);
        const auto all = static_cast<double>(period);
        const auto rest = static_cast<double>(std::clamp<std::int64_t>(left, 0, by_ttl ? kEver : period));
        const auto counts = static_cast<double>(count);
        const auto counting = by_ttl ? counts * rest / all : (1 - (all - rest) / all) * counts;
        return static_cast<std::int64_t>(std::clamp(std::floor(counting), -most, most));
    }
    struct Used {
        std::int64_t present = 0, previous = 0;
        std::int64_t all() const { return present + previous; }
    };
    Used used_at(std::int64_t ms) const {
        if (ms < begins) return {};
        if (ms >= turns) return {0, faded(present, ends - ms)};
        return {present, faded(previous, fades - ms)};
    }
    /// The first moment behind `low`, at `high` at the latest, at which that is so.
    template <class Test>
    static std::int64_t first_of(std::int64_t low, std::int64_t high, Test test) {
        while (high - low > 1) {
            const auto middle = low + (high - low) / 2;
            (test(middle) ? high : low) = middle;
        }
        return high;
    }
    std::int64_t faded_at(std::int64_t count, std::int64_t last) const {
        if (count == 0) return last - period;
        return first_of(last - period, last, [&](std::int64_t ms) { return faded(count, last - ms) == 0; });
    }
    std::int64_t end() const { return present == 0 ? faded_at(previous, fades) : faded_at(present, ends); }
    /// By when the present ones' key expires.
    void settle(std::int64_t expires) {
        turns = expires - period + 1;
        ends = expires;
    }
};

SlidingScheme::SlidingScheme() : StateScheme(kScripts, state::Clock::server, nullptr), by_ttl_(true) {}

SlidingScheme::SlidingScheme(const domain::Policy* policy, std::optional<counter::Buckets> buckets)
    : StateScheme(kScripts, state::Clock::application, policy), by_ttl_(false), buckets_(std::move(buckets)) {}

// A numbered key of the period before stands for its client as long as there is none of the present one.
std::span<const domain::Limiter::Part> SlidingScheme::parts() const {
    static constexpr std::array<Part, 3> all{
        {{"counter", "counters"}, {"counter before", "counters before"}, {"counter behind", "counters behind"}}};
    return std::span(all).first(by_ttl_ ? 2 : 3);
}

std::string SlidingScheme::part_key(std::string_view key, std::size_t part) const {
    if (part == 0) return std::string(key);
    if (by_ttl_) return std::string(key).append(kBefore);
    const int by = part == 1 ? -1 : 1;
    const auto beside = buckets_ ? buckets_->key_beside(key, by) : std::nullopt;
    return beside ? *beside : numbered_beside(key, by);
}

std::string SlidingScheme::part_glob(std::string_view glob, std::size_t part) const {
    return std::string(glob).append(by_ttl_ && part > 0 ? kBefore : std::string_view());
}

// A key of limits stands for no window by itself: it goes first.
std::optional<domain::Limiter::PartOf> SlidingScheme::part_of(std::string_view stored) const {
    if (!by_ttl_ || !stored.ends_with(kBefore)) return std::nullopt;
    return PartOf{stored.substr(0, stored.size() - kBefore.size()), 1, {}, false};
}

std::optional<Scheme::Scanned> SlidingScheme::scanned_as(std::string_view name) const {
    return part_of(name) ? std::nullopt : StateScheme::scanned_as(name);
}

std::optional<domain::Limiter::Quota> SlidingScheme::quota_in(std::string_view key) const {
    if (!by_ttl_) return std::nullopt;
    if (key.ends_with('}')) key.remove_suffix(1);  // of the hash tag that keeps both in one slot
    return named_quota(key);
}

domain::Captures SlidingScheme::holes_at(std::string_view /*policy*/, Moment now) const {
    if (!buckets_) return {};
    return {{std::string(domain::kBucketHole), buckets_->number_at(now)}};
}

std::string SlidingScheme::key_at(std::string key, Moment now) const {
    return buckets_ ? buckets_->key_at(std::move(key), now) : key;
}

std::optional<std::int64_t> SlidingScheme::limit_of(std::string_view key) const {
    if (!by_ttl_) return StateScheme::limit_of(key);
    const auto quota = quota_in(key);
    return quota ? std::optional{quota->limit} : std::nullopt;
}

std::optional<std::int64_t> SlidingScheme::period_ms(std::string_view key) const {
    std::optional<support::Seconds> period;
    if (by_ttl_) {
        if (const auto quota = quota_in(key)) period = quota->period;
    } else if (buckets_ && buckets_->bucket_of(key)) {
        period = buckets_->period();
    }
    if (!period || period->count() <= 0 || period->count() > kMostMs / 1000) return std::nullopt;
    return period->count() * 1000;
}

// After one request.
std::optional<Instant> SlidingScheme::next_end(std::string_view key, Moment now,
                                               std::optional<support::Seconds> period) const {
    const auto known = period_ms(key);
    if (!known) return StateScheme::next_end(key, now, period);  // nothing will be counted
    if (key_at(std::string(key), now) != key) return std::nullopt;
    const Instant begins = by_ttl_ ? Instant(now) : buckets_->bucket_of(key)->first;
    return begins + support::Seconds(*known / 1000 + 1);
}

std::optional<SlidingScheme::Counters> SlidingScheme::counters_in(const WindowLook& look) const {
    const auto& first = look.parts[0];
    const auto& second = look.parts[1];
    const auto period = period_ms(look.key);
    const auto present = count_in(first);
    const auto previous = count_in(second);
    if (!period || !present || !previous) return std::nullopt;
    Counters all{.by_ttl = by_ttl_, .present = *present, .previous = *previous, .period = *period};
    if (!by_ttl_) {
        all.begins = support::epoch_seconds(buckets_->bucket_of(look.key)->first) * 1000;
        all.fades = all.turns = all.begins + *period;
        all.ends = all.turns + *period;
        return all;
    }
    all.turns = kEver;
    if (first.expires_at_ms) all.settle(*first.expires_at_ms);
    all.endless = first.value && !first.expires_at_ms;
    if (!second.expires_at_ms) all.previous = 0;  // to the library its time has run out
    all.fades = second.expires_at_ms.value_or(first.expires_at_ms ? *first.expires_at_ms - *period : 0);
    return all;
}

std::optional<state::Meaning> SlidingScheme::meaning(const WindowLook& look, const Texts& /*texts*/,
                                                     std::int64_t now_ns, std::optional<std::int64_t> limit) const {
    const auto& parts = look.parts;
    if (!count_in(parts[0]) || !count_in(parts[1])) return std::nullopt;
    const auto counters = counters_in(look);
    if (!counters) {
        const auto expires = parts[0].expires_at_ms ? parts[0].expires_at_ms : parts[1].expires_at_ms;
        return state::Meaning{.used = {}, .counts = true, .end_ns = ns_of(expires.value_or(0)), .endless = !expires};
    }
    const auto now = now_ns / kMillisecondNs;
    // The client's present period is another window.
    const bool is_superseded = !by_ttl_ && now >= counters->turns && domain::is_there(parts[2]);
    const auto used = is_superseded ? Counters::Used{} : counters->used_at(now);
    state::Meaning meant{.used = used.all(), .counts = used.present != 0 || used.previous != 0};
    meant.endless = counters->endless && counters->present != 0;
    if (meant.endless) return meant;
    meant.end_ns = ns_of(counters->end());
    if (!meant.counts || !limit || *limit <= 0 || used.all() < *limit) return meant;
    meant.passes_ns = ns_of(Counters::first_of(now, counters->end(),
                                               [&](std::int64_t ms) { return counters->used_at(ms).all() < *limit; }));
    return meant;
}

std::optional<SlidingScheme::Counters> SlidingScheme::counters_after(const WindowLook& look, Moment now,
                                                                     std::int64_t requests) const {
    auto counters = counters_in(look);
    if (!counters || counters->endless) return std::nullopt;
    const auto now_at = now_ns(look, now) / kMillisecondNs;
    if (by_ttl_ && now_at >= counters->turns) {
        counters->previous = counters->present;
        counters->fades = counters->ends;
        counters->present = 0;
        counters->settle(counters->ends + counters->period);
    } else if (by_ttl_ && !look.parts[0].value) {
        counters->settle(now_at + 2 * counters->period);
    }
    counters->present += requests;
    return counters;
}

// What nothing is left of stays all the same.
state::StateScheme::Keys SlidingScheme::keys_after(const WindowLook& look, Moment now, std::int64_t requests) const {
    const auto after = counters_after(look, now, requests);
    if (!after) return {};
    Keys keys{look.parts[0], look.parts[1]};
    keys[0].value = std::to_string(after->present);
    if (!by_ttl_) return keys;
    const bool has_turned = keys[0].expires_at_ms && *keys[0].expires_at_ms != after->ends;
    keys[0].expires_at_ms = after->ends;
    if (has_turned) keys[1] = {std::to_string(after->previous), {}, {}, after->fades};
    return keys;
}

std::int64_t SlidingScheme::floor_of(const WindowLook& look, Moment now) const {
    const auto counters = counters_in(look);
    if (!counters) return 0;
    const auto used = counters->used_at(now_ns(look, now) / kMillisecondNs);
    return used.all() - std::max<std::int64_t>(used.present, 0);
}

bool SlidingScheme::is_later(const WindowLook& look, const WindowLook& then, const domain::StoredWindow& was) const {
    const auto now = counters_in(look);
    const auto before = counters_in(then);
    const auto end = support::parse_decimal(was.reset_at.value_or(""));
    if (!now || !before || now->present < before->present) return false;
    return before->endless || !end || std::abs(second_of(before->end()) - *end) <= 1;
}

std::vector<std::string> SlidingScheme::terms(const std::string& key) const {
    const auto period = period_ms(key);
    std::string begins = by_ttl_ ? "ttl" : "";
    if (!by_ttl_ && period) begins = std::to_string(support::epoch_seconds(buckets_->bucket_of(key)->first) * 1000);
    return {std::move(begins), period ? std::to_string(*period / 1000) : std::string()};
}

std::optional<std::int64_t> SlidingScheme::needed_until_ns(const WindowLook& look, std::size_t part,
                                                           const state::Meaning& meant) const {
    const auto counters = counters_in(look);
    if (by_ttl_ || !counters) return std::nullopt;
    return part == 0 ? meant.end_ns : ns_of(counters->fades);
}

// Of a period: two from the first request on, and where the keys are numbered up to one more.
std::optional<domain::Finding> SlidingScheme::own_fault(const WindowLook& look,
                                                        const domain::Circumstances& around) const {
    const auto counters = counters_in(look);
    if (!counters) return std::nullopt;
    for (std::size_t part = 0; part < own_parts(); ++part) {
        const auto expires = domain::expires_at(look.parts[part], around.server_now);
        if (!expires) continue;
        const bool present = part == 0;
        const auto latest = by_ttl_
                                ? around.server_now.time_since_epoch().count() + (present ? 2 : 1) * counters->period
                                : counters->begins + (present ? 3 : 2) * counters->period + kLonger;
        const auto late = support::Milliseconds{*expires - latest};
        if (late <= domain::kOverGrace) continue;
        return domain::Finding{
            domain::FindingClass::ttl_long,
            fmt::format("the {} expires {} later than this limiter's do", parts()[part].name,
                        support::format_duration(late)),
            by_ttl_ ? "its requests count for longer than the policy says"
                    : "nothing but memory: its number says when it "
                      "counts",
            "is the policy's period that of the limiter? Else find what lengthens the TTL; `ratectl reset KEY` lets a "
            "window begin anew",
            domain::Repair::none};
    }
    return std::nullopt;
}

Made make() { return std::make_unique<SlidingScheme>(); }
Made make(const domain::Policy* policy, std::optional<counter::Buckets> buckets) {
    return std::make_unique<SlidingScheme>(policy, std::move(buckets));
}

}  // namespace ratectl::schemes::sliding
