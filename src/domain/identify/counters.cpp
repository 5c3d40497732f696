// Limiters whose window is one integer with a time to live: their names tell them apart, or nothing does.
#include <array>
#include <cstdlib>

#include <fmt/format.h>

#include "domain/identify/evidence.h"
#include "domain/identify/shape.h"

namespace ratectl::domain::identify {
namespace {

using Type = HeldKey::Type;

// ---- limits, and Flask-Limiter and slowapi, which use it: limit and period are in the name

struct LimitsName {
    std::string_view before;  // up to the client
    std::string_view quota;   // `/5/1/minute`; of a sliding window `/5/1/minute}`
    std::int64_t limit = 0;
    std::int64_t period = 0;
    bool braced = false;  // of a sliding window
};

std::optional<std::int64_t> limits_unit(std::string_view word) {
    constexpr std::array<std::pair<std::string_view, std::int64_t>, 6> units{
        {{"second", 1}, {"minute", 60}, {"hour", 3600}, {"day", 86'400}, {"month", 2'592'000}, {"year", 31'104'000}}};
    for (const auto& [name, seconds] : units) {
        if (name == word) return seconds;
    }
    return std::nullopt;
}

std::optional<LimitsName> limits_name(std::string_view name) {
    constexpr std::string_view store = "LIMITS:";
    constexpr std::string_view word = "LIMITER/";
    constexpr std::string_view before_it = "/-1";
    LimitsName found;
    const auto whole = name;
    if (name.starts_with(store)) name.remove_prefix(store.size());
    if (name.starts_with('{')) {
        found.braced = true;
        name.remove_prefix(1);
        if (name.ends_with(before_it)) name.remove_suffix(before_it.size());
        if (!name.ends_with('}')) return std::nullopt;
        name.remove_suffix(1);
    }
    if (!name.starts_with(word)) return std::nullopt;
    const auto unit = cut_last(name, '/');
    const auto multiple = unit ? cut_last(unit->before, '/') : std::nullopt;
    const auto amount = multiple ? cut_last(multiple->before, '/') : std::nullopt;
    if (!amount || amount->before.size() < word.size()) return std::nullopt;
    const auto seconds = limits_unit(unit->behind);
    const auto times = natural_in(multiple->behind);
    const auto limit = natural_in(amount->behind);
    if (!seconds || !times || !limit || *times < 1 || *times > 1'000'000) return std::nullopt;
    const auto at = static_cast<std::size_t>(name.data() - whole.data());
    found.before = whole.substr(0, at + word.size());
    found.quota = whole.substr(at + amount->before.size(), name.size() - amount->before.size() + found.braced);
    found.limit = *limit;
    found.period = *times * *seconds;
    return found;
}

void add_quota(Origin& origin, const LimitsName& name) {
    origin.means += fmt::format("; {} in {} s by its name", name.limit, name.period);
    if (*origin.sureness == Sureness::unsure) return;
    if (auto key = template_of({name.before, kClient, name.quota}))
        origin.policy = PolicyHint{*key, name.limit, support::Seconds{name.period}};
}

bool lives_at_most(const Evidence& e, std::int64_t seconds) {
    return e.key.ttl_ms && *e.key.ttl_ms <= seconds * 1000 + 1000;
}

Answer limits_fixed(const Evidence& e) {
    const auto name = limits_name(e.name);
    if (!name || name->braced || !e.counts()) return std::nullopt;
    auto origin = counter_until_expiry(e, lives_at_most(e, name->period) ? Sureness::certain : Sureness::likely);
    add_quota(origin, *name);
    return origin;
}

Answer limits_sliding(const Evidence& e) {
    const auto name = limits_name(e.name);
    if (!name || !name->braced || !e.counts()) return std::nullopt;
    Origin origin;
    origin.sureness = lives_at_most(e, 2 * name->period) ? Sureness::certain : Sureness::likely;
    origin.used = e.number;
    const bool is_former = e.name.ends_with("/-1");
    origin.means = counted(*e.number) + (is_former ? " in the window before, which counts in part"
                                                   : " in the window that runs; the one before counts in part");
    add_quota(origin, *name);
    return origin;
}

Answer limits_moving(const Evidence& e) {
    const auto name = limits_name(e.name);
    if (!name || name->braced || !e.is(Type::list)) return std::nullopt;
    Origin origin;
    origin.sureness = lives_at_most(e, name->period) ? Sureness::certain : Sureness::likely;
    for (const auto& [at, nothing] : e.elements()) {
        const auto when = decimal_in(at);
        if (!when || *when < 1e9 || *when > 4.2e9) origin.sureness = Sureness::unsure;
    }
    origin.used = e.key.length;
    origin.means = fmt::format("{} requests remembered, each for a period from its own moment on", e.key.length);
    add_quota(origin, *name);
    return origin;
}

// ---- known by how their names begin, or end

/// `distinctive`: nothing but this limiter begins its names like that.
Answer named_counter(const Evidence& e, std::string_view start, bool distinctive) {
    if (!e.name.starts_with(start) || e.name.size() == start.size() || !e.is(Type::string)) return std::nullopt;
    Origin origin;
    if (!e.counts()) {
        origin.sureness = distinctive ? Sureness::likely : Sureness::unsure;
        origin.means = "called like a counter, and holds no integer";
        return origin;
    }
    origin = counter_until_expiry(e, distinctive ? Sureness::certain : Sureness::likely);
    if (auto key = template_of({start, kClient})) origin.policy = PolicyHint{*key};
    return origin;
}

Answer rate_limiter_flexible(const Evidence& e) { return named_counter(e, "rlflx:", true); }
Answer fastify(const Evidence& e) { return named_counter(e, "fastify-rate-limit-", true); }

/// Short as it is, others choose that name, too; its client is an address unless it was told otherwise.
Answer express(const Evidence& e) {
    constexpr std::string_view start = "rl:";
    auto answer = named_counter(e, start, false);
    if (!answer || !answer->policy) return answer;
    if (!is_address(e.name.substr(start.size())) || !e.expires()) {
        answer->sureness = Sureness::unsure;
        answer->policy.reset();
    }
    return answer;
}

/// `PREFIX:VERSION:rl:SHA-256` of Django's cache.
Answer django_ratelimit(const Evidence& e) {
    constexpr std::string_view mark = ":rl:";
    constexpr std::size_t digits = 64;
    if (!e.counts() || e.name.size() <= mark.size() + digits) return std::nullopt;
    const auto start = e.name.substr(0, e.name.size() - digits);
    if (!start.ends_with(mark) || !is_hex(e.name.substr(start.size()), digits)) return std::nullopt;
    const auto version = cut_last(start.substr(0, start.size() - mark.size()), ':');
    Origin origin;
    origin.sureness = version && is_digits(version->behind) && e.expires() ? Sureness::certain : Sureness::likely;
    origin.used = e.number;
    origin.means = counted(*e.number);
    // Its key lives for a period and five seconds from its first request on, and the window ends within that.
    constexpr std::int64_t longer = 5;
    if (e.expires()) origin.means += "; the window ends at the latest at " + moment(e.expires_s() - longer, e.now);
    origin.means += "; who its client is, only the hash of the whole rule says";
    return origin;
}

/// Whatever else is an integer: no rule of a name says whose.
Answer any_counter(const Evidence& e) {
    constexpr std::int64_t most = 1'000'000'000;  // moments and identities are larger, counts are not
    if (!e.counts() || std::abs(*e.number) >= most) return std::nullopt;
    auto origin = counter_until_expiry(e, Sureness::unsure);
    origin.means = e.expires()
                       ? origin.means + "; any limiter's counter, or a number that has nothing to do with one"
                       : "a counter that has lost its time to live, or a number that has nothing to do with one";
    return origin;
}

constexpr std::array kCounterRules{
    Rule{"limits-fixed", limits_fixed},
    Rule{"limits-sliding", limits_sliding},
    Rule{"limits-moving", limits_moving},
    Rule{"rate-limiter-flexible", rate_limiter_flexible},
    Rule{"fastify", fastify},
    Rule{"django-ratelimit", django_ratelimit},
    Rule{"express", express},
    Rule{"counter", any_counter},
};

}  // namespace

std::span<const Rule> counter_rules() { return kCounterRules; }

}  // namespace ratectl::domain::identify
