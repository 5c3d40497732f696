// Collects what flags and environment said.
#include "config/given.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "domain/key_template.h"
#include "sharding/options.h"
#include "support/ascii.h"
#include "support/number_text.h"
#include "support/time_text.h"

namespace ratectl::config {
namespace {

using support::Milliseconds;
using support::Seconds;

/// RATECTL_READ_ONLY for read-only.
std::string variable_of(std::string_view option) {
    std::string name = "RATECTL_";
    for (const char c : option) name += c == '-' ? '_' : support::upper(c);
    return name;
}

Milliseconds duration_of(const Given& given, Milliseconds most) {
    const auto value = given.take(support::parse_duration(given.text));
    if (value > most) given.fail(fmt::format("'{}' is longer than {}", given.text, support::format_duration(most)));
    return value;
}

Seconds period_of(const Given& given) {
    const auto value = given.take(support::parse_duration(given.text));
    if (value < Seconds{1} || value % Seconds{1} != Milliseconds{0})
        given.fail("a period is whole seconds, one at least");
    return std::chrono::duration_cast<Seconds>(value);
}

/// `what`: `limit`.
std::int64_t requests_of(const Given& given, std::string_view what) {
    const auto value = support::parse_unsigned(given.text, static_cast<std::uint64_t>(support::kMaxExactInteger));
    if (!value)
        given.fail(fmt::format("'{}' is not a {}", given.text, what),
                   fmt::format("a whole number from 0 to {}", support::kMaxExactInteger));
    return static_cast<std::int64_t>(*value);
}

/// --key: a policy without a limit of its own, asked before all others. `scheme`: of the command line, or empty.
domain::PolicyBook with_policy_in_front(const domain::PolicyBook& book, const Given& given, std::string scheme) {
    domain::Policy policy;
    policy.name = kKeyPolicy;
    policy.scheme = std::move(scheme);
    policy.key = given.take(domain::KeyTemplate::parse(given.text));
    // Another way to write the keys of a secret policy must not show them.
    policy.secret = std::ranges::any_of(book.policies(), [](const domain::Policy& other) { return other.secret; });
    policy.masked = policy.secret;
    std::vector<domain::Policy> policies{std::move(policy)};
    policies.insert(policies.end(), book.policies().begin(), book.policies().end());
    return domain::PolicyBook(std::move(policies));
}

/// --scheme stands above every policy.
domain::PolicyBook without_schemes(const domain::PolicyBook& book) {
    auto policies = book.policies();
    for (domain::Policy& policy : policies) policy.scheme.clear();
    return domain::PolicyBook(std::move(policies));
}

domain::PolicyBook revealed(const domain::PolicyBook& book) {
    auto policies = book.policies();
    for (domain::Policy& policy : policies) policy.masked = false;
    return domain::PolicyBook(std::move(policies));
}

/// --sharding names a rule, --all-shards says that there is none: one of them, unless a flag overrules the environment.
std::optional<Given> given_sharding(const Overrides& overrides, const World& world) {
    auto preset = given(overrides.sharding, "sharding", world);
    auto everywhere = given_switch(overrides.all_shards, "all-shards", world);
    if (!everywhere) return preset;
    if (preset && preset->text != kAllShards && preset->origin.kind == everywhere->origin.kind) {
        everywhere->fail(
            fmt::format("{} names a rule for where keys live, and this says that there is none", preset->label),
            "give one of them");
    }
    if (preset && preset->origin.kind == Origin::Kind::flag) return preset;
    everywhere->text = kAllShards;
    return everywhere;
}

void apply_sharding(Settings& settings, const Overrides& overrides, const World& world) {
    const auto preset = given_sharding(overrides, world);
    if (!preset) return;
    settings.sharding = preset->take(sharding::parse_options(preset->text));
    settings.origins["sharding.preset"] = preset->origin;
    for (const sharding::OptionRule& rule : sharding::option_rules()) {
        const std::string name = fmt::format("sharding.{}", rule.name);
        settings.origins.erase(name);
        if (rule.get(*settings.sharding)) settings.origins[name] = preset->origin;
    }
}

void apply_reading(Settings& settings, const Overrides& overrides, const World& world) {
    if (const auto from = given(overrides.read_from, "from", world)) {
        if (from->text.empty()) from->fail("a role or a node is expected", "primary, replica, all, or an address");
        settings.read_from = domain::parse_read_from(from->text);
        settings.read_from.strictly = settings.read_from.which == domain::ReadFrom::Which::replica;
        settings.scan_from = settings.read_from;
        settings.from_given = true;
        settings.origins["read_from"] = from->origin;
        settings.origins["scan_from"] = from->origin;
    }
    if (const auto most = given(overrides.max_staleness, "max-staleness", world)) {
        settings.max_staleness = duration_of(*most, kLongestStaleness);
        if (*settings.max_staleness < kShortestStaleness) most->fail("a replica is never 0s behind", "1ms at least");
        settings.origins["max_staleness"] = most->origin;
    }
    if (const auto scheme = given(overrides.scheme, "scheme", world)) {
        settings.layout.scheme = scheme->text;
        settings.policies = without_schemes(settings.policies);
        settings.origins["scheme"] = scheme->origin;
    }
    if (const auto suffix = given(overrides.expiry_suffix, "expiry-suffix", world)) {
        if (suffix->text.empty() || suffix->text.size() > kLongestSuffix)
            suffix->fail(fmt::format("1 to {} bytes", kLongestSuffix));
        settings.layout.expiry_suffix = suffix->text;
        settings.origins["expiry_suffix"] = suffix->origin;
    }
}

void apply_times(Settings& settings, const Overrides& overrides, const World& world) {
    if (const auto timeout = given(overrides.timeout, "timeout", world)) {
        settings.timeout = duration_of(*timeout, kLongestTimeout);
        settings.origins["timeout"] = timeout->origin;
    }
    settings.deadline = deadline_of(overrides, world);
    if (const auto deadline = given(overrides.deadline, "deadline", world))
        settings.origins["deadline"] = deadline->origin;
    if (const auto now = given(overrides.now, "now", world)) {
        settings.now = now->take(support::parse_time(now->text, world.now));
        settings.origins["now"] = now->origin;
    }
}

void apply_policy(Settings& settings, const Overrides& overrides, const World& world) {
    if (const auto limit = given(overrides.limit, "limit", world)) {
        settings.limit = requests_of(*limit, "limit");
        settings.origins["limit"] = limit->origin;
    }
    if (const auto period = given(overrides.period, "period", world)) {
        settings.period = period_of(*period);
        settings.origins["period"] = period->origin;
    }
    if (const auto burst = given(overrides.burst, "burst", world)) {
        settings.burst = requests_of(*burst, "burst");
        settings.origins["burst"] = burst->origin;
    }
    if (const auto key = given(overrides.key, "key", world)) {
        const auto scheme = given(overrides.scheme, "scheme", world);
        settings.policies = with_policy_in_front(settings.policies, *key, scheme ? scheme->text : "");
        settings.origins["policies.--key.key"] = key->origin;
    }
    if (overrides.reveal && settings.policies.hides()) settings.policies = revealed(settings.policies);
}

}  // namespace

void Given::fail(const std::string& message, const std::string& hint) const {
    throw support::Failure(support::ExitCode::usage, fmt::format("{}: {}", label, message), hint);
}

std::optional<Given> given(const std::optional<std::string>& flag, std::string_view option, const World& world) {
    if (!flag) return given_in_environment(option, world);
    const std::string label = fmt::format("--{}", option);
    return Given{*flag, label, {Origin::Kind::flag, "flag " + label}};
}

std::optional<Given> given_in_environment(std::string_view option, const World& world) {
    const std::string name = variable_of(option);
    auto text = world.env(name);
    if (!text || text->empty()) return std::nullopt;
    return Given{std::move(*text), name, {Origin::Kind::environment, "environment " + name}};
}

std::optional<Given> given_switch(bool flag, std::string_view option, const World& world) {
    if (flag) return given(std::string{"true"}, option, world);
    auto value = given_in_environment(option, world);
    if (!value) return std::nullopt;
    constexpr std::array<std::string_view, 3> yes{"1", "true", "yes"};
    constexpr std::array<std::string_view, 3> no{"0", "false", "no"};
    if (std::find(no.begin(), no.end(), value->text) != no.end()) return std::nullopt;
    if (std::find(yes.begin(), yes.end(), value->text) == yes.end())
        value->fail(fmt::format("'{}' is neither yes nor no", value->text), "1 or 0");
    return value;
}

std::optional<support::Milliseconds> deadline_of(const Overrides& overrides, const World& world) {
    const auto deadline = given(overrides.deadline, "deadline", world);
    if (!deadline) return std::nullopt;
    return deadline->take(support::parse_duration(deadline->text));
}

void apply_given(Settings& settings, const Overrides& overrides, const World& world) {
    apply_sharding(settings, overrides, world);
    apply_reading(settings, overrides, world);
    apply_times(settings, overrides, world);
    apply_policy(settings, overrides, world);
    if (const auto read_only = given_switch(overrides.read_only, "read-only", world)) {
        settings.read_only = true;
        settings.origins["read_only"] = read_only->origin;
    }
}

}  // namespace ratectl::config
