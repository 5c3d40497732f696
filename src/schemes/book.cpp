// One row a limiter that people run: whose layout it has, and what it does differently.
#include "schemes/book.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "schemes/counter/counter_scheme.h"
#include "schemes/memcached/memcached_scheme.h"
#include "schemes/packed.h"
#include "schemes/policy_schemes.h"
#include "schemes/state/knobs.h"
#include "schemes/state/limiters.h"
#include "schemes/window/window_scheme.h"
#include "support/quote.h"
#include "support/suggest.h"

namespace ratectl::schemes {
namespace {

using domain::Layout;

/// What a scheme is made of: the layout that names it, and the policy whose windows it has; null: it has all of them.
struct Terms {
    const Layout& layout;
    const domain::Policy* policy = nullptr;
};

Made window_with(std::string suffix, bool carries_over = false) {
    return std::make_unique<window::WindowScheme>(std::move(suffix), carries_over);
}
Made counter_with(counter::Rules rules) { return std::make_unique<counter::CounterScheme>(std::move(rules)); }

[[noreturn]] void refuse(const Terms& terms, const std::string& why, const std::string& lacks,
                         const std::string& hint) {
    throw support::Failure(support::ExitCode::configuration,
                           "scheme " + support::quoted(terms.layout.scheme) + " " + why + ", and policy " +
                               support::quoted(terms.policy->name) + " has no " + lacks,
                           hint);
}

/// Null: no policy says how its keys are numbered.
std::optional<counter::Buckets> buckets_of(const Terms& terms, counter::BucketNumber number) {
    const auto* policy = terms.policy;
    const bool numbered = policy != nullptr && policy->key.holds(domain::kBucketHole);
    if (policy != nullptr && !policy->scheme.empty() && !numbered)
        refuse(terms, "numbers its windows", "{bucket} in its key",
               "for example key = \"rack::attack:{bucket}:req/ip:{client}\"; a policy of another limiter names that: "
               "scheme = \"counter\"");
    if (policy != nullptr && !policy->scheme.empty() && !policy->period)
        refuse(terms, "numbers its windows", "period",
               "period = \"1m\", or --period 1m: without it nothing says when a window ends");
    if (!numbered || !policy->period) return std::nullopt;
    return counter::Buckets(policy->key, number, *policy->period);
}

/// Without a policy a window ends with its TTL, which is close.
Made numbered_with(const Terms& terms, counter::BucketNumber number, counter::Rules rules = {}) {
    rules.buckets = buckets_of(terms, number);
    rules.lengthens = !rules.buckets;
    return counter_with(std::move(rules));
}

/// Without a policy the moment is known, and not how many requests it stands for.
Made gcra_with(const Terms& terms, gcra::Rules rules) {
    const auto* policy = terms.policy;
    if (policy != nullptr && policy->limit && !policy->burst && rules.beside_first)
        refuse(terms, "lets some requests come at once", "burst",
               "burst = N, or --burst N: how many may come beside the first, 0 for none, as the limiter itself is set");
    return gcra::make(rules, policy);
}

const domain::Policy* with_capacity(const Terms& terms) {
    const auto* policy = terms.policy;
    if (policy != nullptr && policy->limit && !policy->burst)
        refuse(terms, "lets requests come until a bucket is empty", "burst",
               "burst = N, or --burst N: the bucket's capacity, as the limiter itself is set; limit and period say how "
               "many come back");
    return policy;
}

Made bucket_with(const Terms& terms, state::Clock clock) { return bucket::make(clock, with_capacity(terms)); }

Made leases_with(const Terms& terms) { return lease::make(terms.policy); }

Made opaque_with(const Terms& terms, const opaque::Reader& reader) { return opaque::make(reader, terms.policy); }

/// Without a period the times are known, and not how long each counts.
Made log_with(const Terms& terms, log::Rules rules) { return log::make(rules, terms.policy); }

struct Row {
    std::string_view name;
    Made (*make)(const Terms& terms);
    bool by_policy = false;  // each policy has its own
};

using counter::BucketNumber;
using support::Seconds;

// Who checks before counting lets one more through; who sets the TTL at the first request must not be brought back to
// 0. A TTL of a whole period that begins with a request outlives the window by as much.
constexpr Row kRows[] = {
    {"window", [](const Terms& terms) { return window_with(terms.layout.expiry_suffix); }},
    {"github", [](const Terms& /*terms*/) { return window_with(Layout().expiry_suffix); }},
    {"laravel", [](const Terms& /*terms*/) { return window_with(":timer", true); }},
    {"memcached",
     [](const Terms& terms) -> Made {
         return std::make_unique<memcached::MemcachedScheme>(terms.layout.expiry_suffix);
     }},
    {"counter", [](const Terms& /*terms*/) { return counter_with({}); }},
    {"redis-docs-2", [](const Terms& /*terms*/) { return counter_with({.floor = 1, .lets_one_more = true}); }},
    {"redis-docs-list",
     [](const Terms& /*terms*/) { return counter_with({.floor = 1, .lets_one_more = true, .keeps_calls = true}); }},
    {"close-v1", [](const Terms& /*terms*/) { return counter_with({.floor = 1}); }},
    {"limits-fixed", [](const Terms& /*terms*/) { return counter_with({.floor = 1, .names_quota = true}); }},
    {"flask-limiter",
     [](const Terms& /*terms*/) { return counter_with({.floor = 1, .told_late = 2, .names_quota = true}); }},
    {"fastify", [](const Terms& /*terms*/) { return counter_with({.floor = 1, .lengthens = true}); }},
    {"express", [](const Terms& /*terms*/) { return counter_with({.begins_anew = true}); }},
    {"rate-limiter-flexible", [](const Terms& /*terms*/) { return counter_with({.lengthens = true}); }},
    {"redis-docs-1",
     [](const Terms& terms) {
         return numbered_with(terms, BucketNumber::of_period, {.outlives_periods = 1, .outlives = Seconds{10}});
     },
     true},
    {"rack-attack", [](const Terms& terms) { return numbered_with(terms, BucketNumber::of_period); }, true},
    {"gitlab", [](const Terms& terms) { return numbered_with(terms, BucketNumber::of_period); }, true},
    {"mastodon", [](const Terms& terms) { return numbered_with(terms, BucketNumber::of_period); }, true},
    {"upstash-fixed",
     [](const Terms& terms) {
         return numbered_with(terms, BucketNumber::of_period, {.floor = 1, .outlives_periods = 1});
     },
     true},
    {"envoy",
     [](const Terms& terms) {
         return numbered_with(terms, BucketNumber::first_second, {.outlives_periods = 1, .outlives = Seconds{299}});
     },
     true},
    {"kong",
     [](const Terms& terms) { return numbered_with(terms, BucketNumber::first_millisecond, {.outlives_periods = 1}); },
     true},
    {"throttled",
     [](const Terms& terms) {
         return gcra_with(terms,
                          {.unit = gcra::Unit::nanoseconds, .life = gcra::Life::rounded_down, .beside_first = true});
     },
     true},
    {"redis-cell",
     [](const Terms& terms) {
         return gcra_with(
             terms, {.unit = gcra::Unit::nanoseconds, .life = gcra::Life::to_the_millisecond, .beside_first = true});
     },
     true},
    {"redis-rate",
     [](const Terms& terms) {
         return gcra_with(terms, {.unit = gcra::Unit::seconds_since_2017, .life = gcra::Life::rounded_up});
     },
     true},
    {"redis-gcra",
     [](const Terms& terms) { return gcra_with(terms, {.unit = gcra::Unit::seconds, .life = gcra::Life::rounded_up}); },
     true},
    {"stripe", [](const Terms& terms) { return bucket_with(terms, state::Clock::application); }, true},
    {"spring-gateway", [](const Terms& terms) { return bucket_with(terms, state::Clock::server); }, true},
    {"upstash-token", [](const Terms& terms) { return steps::make(with_capacity(terms)); }, true},
    {"limitlion", [](const Terms& terms) { return limitlion::make(terms.policy); }, true},
    {"flipper", [](const Terms& /*terms*/) { return flipper::make(); }},
    {"limitlion-knobs", [](const Terms& /*terms*/) -> Made { return std::make_unique<knobs::KnobsScheme>(); }},
    {"limits-moving", [](const Terms& terms) { return log_with(terms, {.names_quota = true}); }, true},
    {"discourse", [](const Terms& terms) { return log_with(terms, {.whole = true}); }, true},
    {"koa", [](const Terms& terms) { return log_with(terms, {.in_set = true}); }, true},
    {"rolling", [](const Terms& terms) { return log_with(terms, {.in_set = true, .trims = false, .random = true}); },
     true},
    {"limits-sliding", [](const Terms& /*terms*/) { return sliding::make(); }},
    {"upstash-sliding",
     [](const Terms& terms) { return sliding::make(terms.policy, buckets_of(terms, BucketNumber::of_period)); }, true},
    {"stripe-concurrent", leases_with, true},
    {"stripe-fleet", leases_with, true},
    {"django-ratelimit", [](const Terms& terms) { return opaque_with(terms, opaque::kDjango); }, true},
    {"bucket4j", [](const Terms& terms) { return opaque_with(terms, opaque::kBucket4j); }, true},
    {"laravel-throttle", [](const Terms& terms) { return opaque_with(terms, opaque::kLaravelThrottle); }, true},
    {"laravel-funnel", [](const Terms& terms) { return opaque_with(terms, opaque::kLaravelFunnel); }, true},
    {"symfony", [](const Terms& terms) { return opaque_with(terms, opaque::kSymfony); }, true},
};

/// Looks of several threads may ask at once.
struct Book {
    std::map<std::pair<std::string, std::string>, Made> made;
    std::map<std::string, Made> by_policy;  // of one policy, or of all: by what says which they are
    std::mutex guard;
};

Book& book() {
    static Book all;
    return all;
}

const Row& row_of(std::string_view scheme) {
    std::vector<std::string> names;
    names.reserve(std::size(kRows));
    for (const auto& row : kRows) {
        if (row.name == scheme) return row;
        names.emplace_back(row.name);
    }
    std::string hint = support::did_you_mean(scheme, names);
    if (hint.empty()) hint = fmt::format("one of: {}", fmt::join(names, ", "));
    throw support::Failure(support::ExitCode::configuration, "no scheme is called " + support::quoted(scheme),
                           std::move(hint));
}

/// What tells policies apart whose windows their schemes keep differently.
std::string terms_of(const domain::Policy& policy) {
    const auto number = [](const std::optional<std::int64_t>& n) { return n ? std::to_string(*n) : std::string(); };
    const auto period = policy.period ? std::to_string(policy.period->count()) : std::string();
    auto text =
        packed({policy.key.text(), policy.clients, policy.scheme, number(policy.limit), period, number(policy.burst)});
    for (const auto& [name, limit] : policy.classes) text += packed({name, number(limit)});
    for (const auto& [client, member] : policy.members)
        text += packed({client, member.client_class, number(member.limit)});
    return text;
}

/// The scheme of one policy's windows.
const Scheme& scheme_of(const Layout& general, const domain::Policy& policy) {
    const Layout layout{policy.scheme.empty() ? general.scheme : policy.scheme, general.expiry_suffix};
    const auto& row = row_of(layout.scheme);
    if (!row.by_policy) return schemes::scheme_of(layout);
    const auto text = packed({layout.scheme}) + terms_of(policy);
    const std::lock_guard lock(book().guard);
    auto& scheme = book().by_policy[text];
    if (!scheme) scheme = row.make({layout, &policy});
    return *scheme;
}

}  // namespace

const Scheme& scheme_of(const Layout& layout) {
    const std::lock_guard lock(book().guard);
    auto& scheme = book().made[{layout.scheme, layout.expiry_suffix}];
    if (!scheme) scheme = row_of(layout.scheme).make({layout});
    return *scheme;
}

const Scheme& scheme_of(const Layout& layout, std::span<const domain::Policy> policies) {
    const Scheme& rest = scheme_of(layout);
    std::string text = packed({"", layout.scheme, layout.expiry_suffix});
    std::vector<const Scheme*> of_policy;
    std::vector<domain::Policy> known(policies.size());
    for (std::size_t i = 0; i < policies.size(); ++i) {
        const auto& policy = policies[i];
        of_policy.push_back(&scheme_of(layout, policy));
        known[i].name = policy.name;
        known[i].key = policy.key;
        known[i].shared_by = policy.shared_by;
        known[i].clients = policy.clients;
        known[i].secret = policy.secret;
        text += terms_of(policy);
    }
    if (std::ranges::all_of(of_policy, [&rest](const Scheme* scheme) { return scheme == &rest; })) return rest;
    const std::lock_guard lock(book().guard);
    auto& scheme = book().by_policy[text];  // begins as no policy's own does
    if (!scheme) scheme = std::make_unique<PolicySchemes>(std::move(known), std::move(of_policy), rest);
    return *scheme;
}

const Scheme& scheme_of(const domain::Limiter& limiter) { return static_cast<const Scheme&>(limiter); }

}  // namespace ratectl::schemes
