// The policies of one deployment's table.
#include "config/deployment_draft.h"
#include "config/keys.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "domain/key_template.h"
#include "support/number_text.h"

namespace ratectl::config {
namespace {

using support::Milliseconds;
using support::Seconds;

constexpr Milliseconds kShortestPeriod{1000};
constexpr Milliseconds kLongestPeriod{std::chrono::hours{24 * 3660}};
constexpr std::int64_t kLargestFactor = 1'000'000;

std::optional<Seconds> read_period(const TableView& table) {
    const auto period = table.duration("period", kShortestPeriod, kLongestPeriod);
    if (!period) return std::nullopt;
    if (*period % Seconds{1} != Milliseconds{0}) table.fail("period", "must be whole seconds");
    return std::chrono::duration_cast<Seconds>(*period);
}

void read_classes(const TableView& table, domain::Policy& policy) {
    const toml::table* classes = table.free_table("classes");
    if (!classes) return;
    for (const auto& [key, node] : *classes) {
        const std::string name{key.str()};
        const std::string path = fmt::format("{}.classes.{}", table.path(), name);
        const auto valid = check_name(name);
        if (!valid) table.fail_at(node, path, valid.error().message, valid.error().hint);
        const auto* limit = node.as_integer();
        if (!limit) table.fail_at(node, path, "must be a limit, an integer");
        if (limit->get() < 0 || limit->get() > support::kMaxExactInteger) {
            table.fail_at(node, path, fmt::format("must be between 0 and {}", support::kMaxExactInteger));
        }
        policy.classes.emplace(name, limit->get());
    }
}

std::string required(const TableView& table, std::string_view key, const std::string& hint) {
    auto value = table.text(key);
    if (!value) table.fail(key, "is missing", hint);
    return std::move(*value);
}

/// Holes are those of the policy's key.
void read_paths(const TableView& table, domain::Policy& policy) {
    for (const auto& text : table.texts("paths")) {
        auto path = table.take("paths", domain::KeyTemplate::parse(text));
        if (!text.starts_with('/'))
            table.fail("paths", fmt::format("'{}' does not begin with a /", text),
                       "for example paths = [\"/api/v1/lead/\"]");
        if (const auto at = text.find_first_of("*?#<>| "); at != std::string::npos)
            table.fail("paths",
                       fmt::format("'{}' has a '{}', and paths are no patterns: they are how the paths of requests "
                                   "begin, and a hole such as {{group}} takes one segment",
                                   text, text[at]),
                       "for example paths = [\"/api/v1/lead/\", \"/api/v2/{group}/\"]");
        if (text.ends_with('}') && !text.ends_with("}}"))
            table.fail("paths", fmt::format("'{}' ends with a hole, and nothing says where that ends", text),
                       "end it with text, for example paths = [\"/api/v1/{group}/\"]");
        for (const auto& hole : path.placeholders()) {
            if (!policy.key.holds(hole))
                table.fail("paths", fmt::format("'{}' has a hole {{{}}}, and the policy's key has none", text, hole),
                           fmt::format("for example key = \"{{client}}:{{{}}}\"", hole));
        }
        policy.paths.push_back(std::move(path));
    }
}

domain::Policy read_policy(const TableView& table, const std::string& folder) {
    domain::Policy policy;
    policy.name = table.take("name", check_name(required(table, "name", "every policy needs one: name = \"core\"")));
    const auto key = required(table, "key", "every policy needs one: key = \"core:{client}\"");
    policy.key = table.take("key", domain::KeyTemplate::parse(key));
    policy.scheme = table.text("scheme").value_or("");
    policy.limit = table.integer("limit", 0, support::kMaxExactInteger);
    policy.period = read_period(table);
    policy.burst = table.integer("burst", 0, support::kMaxExactInteger);
    read_classes(table, policy);
    if (const auto path = table.text("class_file")) policy.class_file = path_from(folder, *path);
    if (auto clients = table.text("clients")) {
        table.take("clients", domain::check_glob(*clients));
        if (policy.key.placeholders().empty())
            table.fail("clients", "the policy's key has no hole for a client", "for example key = \"core:{client}\"");
        policy.clients = *std::move(clients);
    }
    read_paths(table, policy);
    for (auto& client : table.texts("exempt")) policy.exempt.insert(std::move(client));
    if (const auto path = table.text("exempt_file")) policy.exempt_file = path_from(folder, *path);
    policy.secret = table.boolean("secret").value_or(false);
    policy.masked = policy.secret;
    return policy;
}

/// The limit that the clients of an organisation share.
std::optional<std::int64_t> read_shared_limit(const TableView& table, const domain::Policy& policy) {
    const auto limit = table.integer("org_limit", 0, support::kMaxExactInteger);
    const auto factor = table.integer("org_factor", 1, kLargestFactor);
    if (!factor) return limit;
    if (limit) table.fail("org_factor", "org_limit says it already", "give one of them");
    if (!policy.limit) table.fail("org_factor", "there is no limit to multiply", "give limit, or org_limit instead");
    if (*policy.limit > support::kMaxExactInteger / *factor)
        table.fail("org_factor", fmt::format("makes a limit above {}", support::kMaxExactInteger));
    return *policy.limit * *factor;
}

/// The policy of the windows that the clients of an organisation share: `org_key` and its limit.
std::optional<domain::Policy> read_organisation(const TableView& table, const domain::Policy& policy) {
    const auto key = table.text("org_key");
    if (!key) {
        for (const std::string_view limit : {"org_limit", "org_factor"})
            if (table.has(limit))
                table.fail(limit, "says nothing without org_key", "for example org_key = \"org:{org}\"");
        return std::nullopt;
    }
    domain::Policy shared;
    shared.name = domain::organisation_policy(policy.name);
    shared.key = table.take("org_key", domain::KeyTemplate::parse(*key));
    const auto holes = shared.key.placeholders();
    const auto has = [&holes](std::string_view name) { return std::ranges::find(holes, name) != holes.end(); };
    if (!has("org") || has("client"))
        table.fail("org_key", "must have a hole {org}, and none for the client", "for example org_key = \"org:{org}\"");
    shared.scheme = policy.scheme;
    shared.limit = read_shared_limit(table, policy);
    shared.period = policy.period;
    shared.burst = policy.burst;
    shared.shared_by = policy.name;
    shared.paths = policy.paths;
    shared.secret = policy.secret;
    shared.masked = policy.masked;
    return shared;
}

/// Where each value of `config show` stands: those of an organisation's policy are written, or implied, in its clients'
/// table.
void note_origins(const TableView& view, const domain::Policy& policy, const std::optional<domain::Policy>& shared,
                  Settings& settings) {
    const auto note = [&](const domain::Policy& of, std::string_view value, std::string_view key) {
        if (view.has(key)) settings.origins[fmt::format("policies.{}.{}", of.name, value)] = view.origin(key);
    };
    note(policy, "exempt", "exempt_file");  // either of them, or both
    for (const std::string& key : keys_of("deployments.NAME.policies")) note(policy, key, key);
    if (!shared) return;
    note(*shared, "key", "org_key");
    for (const std::string_view limit : {"org_limit", "org_factor"}) note(*shared, "limit", limit);
    for (const std::string_view key : {"scheme", "period", "burst", "paths", "secret"}) note(*shared, key, key);
}

/// `names` are those of the policies before it.
void add_policy(const TableView& view, const std::string& folder, std::set<std::string>& names,
                DeploymentDraft& draft) {
    domain::Policy policy = read_policy(view, folder);
    auto shared = read_organisation(view, policy);
    for (const domain::Policy* one : {&policy, shared ? &*shared : nullptr}) {
        if (one != nullptr && !names.insert(one->name).second)
            view.fail("name", fmt::format("another policy is named '{}', too", one->name));
    }
    note_origins(view, policy, shared, draft.settings);
    draft.policies.push_back(std::move(policy));
    if (shared) draft.policies.push_back(*std::move(shared));
}

}  // namespace

void read_policies(const TableView& table, const std::string& folder, DeploymentDraft& draft) {
    std::set<std::string> names;
    for (const auto& view : table.tables("policies", "deployments.NAME.policies")) {
        view.part([&] { add_policy(view, folder, names, draft); });
    }
}

}  // namespace ratectl::config
