// Limiters that keep their requests one by one, in a list or a sorted set, or what they know in the fields of a hash.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "domain/identify/evidence.h"
#include "domain/identify/shape.h"
#include "support/number_text.h"

namespace ratectl::domain::identify {
namespace {

using Type = HeldKey::Type;

constexpr double kYear = 366 * 86'400.0;

Origin remembered(const Evidence& e, Sureness sureness, std::string_view what) {
    Origin origin;
    origin.sureness = sureness;
    origin.used = e.key.length;
    origin.means = support::counted(static_cast<std::uint64_t>(e.key.length), what);
    if (e.expires()) origin.means += fmt::format("; the last is forgotten at {}", moment(e.expires_s(), e.now));
    return origin;
}

/// True when there are elements and all of them are so.
template <class Test>
bool all_elements(const Evidence& e, Test test) {
    return !e.elements().empty() && std::ranges::all_of(e.elements(), test);
}

/// A moment of the last year, counted in so many a second.
bool is_recent(const Evidence& e, std::string_view text, double a_second) {
    const auto at = decimal_in(text);
    const auto now = static_cast<double>(e.now);
    return at && *at / a_second > now - kYear && *at / a_second < now + 86'400;
}

constexpr double kMicroseconds = 1e6;

// ---- sorted sets

/// Member and score are the same moment.
Answer koa(const Evidence& e) {
    constexpr std::string_view start = "limit:";
    if (!e.is(Type::zset)) return std::nullopt;
    const auto is_moment = [&e](const auto& element) {
        return is_recent(e, element.second, kMicroseconds) && is_digits(element.first) && element.first.size() == 16 &&
               decimal_in(element.first) == decimal_in(element.second);
    };
    if (!all_elements(e, is_moment)) return std::nullopt;
    const bool usual = e.name.starts_with(start) && e.expires();
    auto origin = remembered(e, usual ? Sureness::certain : Sureness::unsure, "request");
    if (usual) {
        if (auto key = template_of({start, kClient})) origin.policy = PolicyHint{*key};
    }
    return origin;
}

Answer rolling(const Evidence& e) {
    if (!e.is(Type::zset)) return std::nullopt;
    const auto is_request = [&e](const auto& element) {
        return is_uuid(element.first) && is_recent(e, element.second, kMicroseconds);
    };
    if (!all_elements(e, is_request)) return std::nullopt;
    return remembered(e, e.expires() ? Sureness::likely : Sureness::unsure, "request");
}

constexpr std::string_view kConcurrent = "concurrent_requests_limiter.";
constexpr std::string_view kFleet = "fleet_usage_load_shedder";

Answer leases(const Evidence& e, bool distinctive) {
    if (!e.is(Type::zset)) return std::nullopt;
    if (!all_elements(e, [&e](const auto& element) { return is_recent(e, element.second, 1); })) return std::nullopt;
    const bool usual = all_elements(e, [](const auto& element) { return element.first.size() == 4; });
    Origin origin;
    origin.sureness = usual && distinctive && !e.expires() ? Sureness::certain : Sureness::likely;
    origin.used = e.key.length;
    origin.means =
        fmt::format("{} requests in flight, those that were lost among them; the oldest began at {}", e.key.length,
                    moment(static_cast<std::int64_t>(*decimal_in(e.elements().front().second)), e.now));
    return origin;
}

bool is_fleet(std::string_view name) {
    return name == kFleet || (name.starts_with(kConcurrent) && name.substr(kConcurrent.size()) == kFleet);
}

Answer stripe_fleet(const Evidence& e) {
    return is_fleet(e.name) ? leases(e, e.name.starts_with(kConcurrent)) : std::nullopt;
}

Answer stripe_concurrent(const Evidence& e) {
    return e.name.starts_with(kConcurrent) && !is_fleet(e.name) ? leases(e, true) : std::nullopt;
}

// ---- lists

/// The name itself, once for each request.
Answer redis_docs_list(const Evidence& e) {
    if (!e.is(Type::list)) return std::nullopt;
    if (!all_elements(e, [&e](const auto& element) { return element.first == e.name; })) return std::nullopt;
    auto origin = remembered(e, e.expires() ? Sureness::certain : Sureness::likely, "request");
    if (!e.expires()) return origin;
    origin.reset_at = support::from_epoch((*e.expires_ms - 1) / 1000);
    origin.reset_kind = "ttl";
    origin.means = fmt::format("{}; the window ends at {}", counted(e.key.length),
                               moment(support::epoch_seconds(*origin.reset_at), e.now));
    return origin;
}

Answer discourse(const Evidence& e) {
    constexpr std::string_view mark = "l-rate-limit:";
    if (!e.is(Type::list) || e.name.find(mark) == std::string_view::npos) return std::nullopt;
    if (!all_elements(e, [](const auto& element) { return epoch_in(element.first).has_value(); })) return std::nullopt;
    return remembered(e, e.expires() ? Sureness::certain : Sureness::likely, "request");
}

// ---- hashes

constexpr std::string_view kThrottle = "throttle:";
constexpr std::string_view kKnobs = ":knobs";

Answer knobs(const Evidence& e) {
    Origin origin;
    std::size_t known = 0;
    for (const std::string_view field : {"rps", "burst", "window"}) {
        const auto value = e.number_in(field);
        if (!value) continue;
        ++known;
        origin.means += fmt::format("{}{} {}", known == 1 ? "knobs of a throttle: " : ", ", field, plain(*value));
    }
    if (known == 0 || !e.name.ends_with(kKnobs)) return std::nullopt;
    const bool whole = known == 3 && e.key.length == 3 && e.name.starts_with(kThrottle);
    origin.sureness = whole ? Sureness::certain : e.name.starts_with(kThrottle) ? Sureness::likely : Sureness::unsure;
    return origin;
}

/// The fields decide: a throttle may well be called `x:knobs`.
Answer limitlion(const Evidence& e) {
    if (!e.is(Type::hash)) return std::nullopt;
    const auto tokens = e.number_in("tokens");
    const auto* refreshed = e.field("refreshed");
    if (!tokens || refreshed == nullptr || !is_recent(e, *refreshed, 1)) return knobs(e);
    const bool usual = e.name.starts_with(kThrottle);
    Origin origin;
    origin.sureness = !usual                             ? Sureness::unsure
                      : e.key.length == 2 && e.expires() ? Sureness::certain
                                                         : Sureness::likely;
    const bool tuned = e.beside(e.name, kKnobs) != nullptr;
    origin.means = fmt::format("{} tokens were left in the window that began at {}; {}", plain(*tokens),
                               moment(static_cast<std::int64_t>(*decimal_in(*refreshed)), e.now),
                               tuned ? "its knobs say how fast it fills" : "how fast it fills is not stored");
    if (auto key = template_of({kThrottle, kClient}); usual && key) origin.policy = PolicyHint{*key};
    return origin;
}

Answer upstash_token(const Evidence& e) {
    constexpr double milliseconds = 1e3;
    if (!e.is(Type::hash) || e.key.length != 2) return std::nullopt;
    const auto tokens = e.number_in("tokens");
    const auto* refilled = e.field("refilledAt");
    if (!tokens || refilled == nullptr || !is_recent(e, *refilled, milliseconds)) return std::nullopt;
    Origin origin;
    const bool usual = e.name.starts_with("@upstash/ratelimit:") && e.expires();
    origin.sureness = usual ? Sureness::certain : Sureness::unsure;
    origin.means =
        fmt::format("{} tokens were left; it was filled at {}; how fast and how far is not stored", plain(*tokens),
                    moment(static_cast<std::int64_t>(*decimal_in(*refilled) / milliseconds), e.now));
    return origin;
}

/// Laravel's Redis::throttle: it lives for twice its window.
Answer laravel_throttle(const Evidence& e) {
    constexpr std::int64_t slack = 1500;
    if (!e.is(Type::hash) || e.key.length != 3) return std::nullopt;
    const auto* start = e.field("start");
    const auto* end = e.field("end");
    const auto count = e.number_in("count");
    if (start == nullptr || end == nullptr || !count || *count < 0) return std::nullopt;
    const auto from = epoch_in(*start);
    const auto until = epoch_in(*end);
    if (!from || !until || *until <= *from) return std::nullopt;
    const auto lives_until = (*from + 2 * (*until - *from)) * 1000;
    const bool fits = e.expires() && *e.expires_ms >= lives_until - slack && *e.expires_ms <= lives_until + slack;
    return window_until(e, fits ? Sureness::certain : Sureness::unsure, static_cast<std::int64_t>(*count), *until,
                        "stored");
}

Answer bottleneck(const Evidence& e) {
    constexpr std::array parts{
        "_client_last_registered", "_client_last_seen", "_client_num_queued", "_client_running", "_job_clients",
        "_job_expirations",        "_job_weights"};
    if (!e.name.starts_with("b_") || (!e.is(Type::hash) && !e.is(Type::zset))) return std::nullopt;
    Origin origin;
    if (e.name.ends_with("_settings") && e.field("version") != nullptr && e.field("reservoir") != nullptr) {
        const auto running = e.number_in("running");
        origin.sureness = Sureness::certain;
        origin.means = fmt::format("settings and state of a limiter of jobs, {} running", plain(running.value_or(0)));
        return origin;
    }
    if (std::ranges::none_of(parts, [&e](const char* part) { return e.name.ends_with(part); })) return std::nullopt;
    origin.sureness = Sureness::likely;
    origin.means = "a part of a limiter of jobs";
    return origin;
}

constexpr std::array kCollectionRules{
    Rule{"limitlion", limitlion},
    Rule{"upstash-token", upstash_token},
    Rule{"laravel-throttle", laravel_throttle},
    Rule{"bottleneck", bottleneck},
    Rule{"stripe-fleet", stripe_fleet},
    Rule{"stripe-concurrent", stripe_concurrent},
    Rule{"koa", koa},
    Rule{"rolling", rolling},
    Rule{"redis-docs-list", redis_docs_list},
    Rule{"discourse", discourse},
};

}  // namespace

std::span<const Rule> collection_rules() { return kCollectionRules; }

}  // namespace ratectl::domain::identify
