// The policies of one deployment's table.
#include "config/deployment_draft.h"

#include <algorithm>

#include <fmt/format.h>

#include "domain/key_template.h"
#include "support/decimal.h"

namespace ratectl::config {
namespace {

using support::Milliseconds;
using support::Seconds;

constexpr Milliseconds kShortestPeriod{1000};
constexpr Milliseconds kLongestPeriod{std::chrono::hours{24 * 3660}};

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

domain::Policy read_policy(const TableView& table, const std::string& folder) {
    domain::Policy policy;
    policy.name = table.take("name", check_name(required(table, "name", "every policy needs one: name = \"core\"")));
    const auto key = required(table, "key", "every policy needs one: key = \"core:{client}\"");
    policy.key = table.take("key", domain::KeyTemplate::parse(key));
    policy.limit = table.integer("limit", 0, support::kMaxExactInteger);
    policy.period = read_period(table);
    read_classes(table, policy);
    if (const auto path = table.text("class_file")) policy.class_file = path_from(folder, *path);
    // A promise that output cannot keep yet is refused, not ignored.
    if (table.boolean("secret").value_or(false))
        table.fail("secret", "clients cannot be hidden by this version",
                   "leave it out, and let the application hash what goes into its keys");
    return policy;
}

}  // namespace

void read_policies(const TableView& table, const std::string& folder, DeploymentDraft& draft) {
    for (const auto& view : table.tables("policies", "deployments.NAME.policies")) {
        domain::Policy policy = read_policy(view, folder);
        const auto same_name = [&](const domain::Policy& other) { return other.name == policy.name; };
        if (std::any_of(draft.policies.begin(), draft.policies.end(), same_name)) {
            view.fail("name", fmt::format("another policy is named '{}', too", policy.name));
        }
        for (const std::string_view key : {"key", "limit", "period", "classes", "class_file"}) {
            if (view.has(key))
                draft.settings.origins[fmt::format("policies.{}.{}", policy.name, key)] = view.origin(key);
        }
        draft.policies.push_back(std::move(policy));
    }
}

}  // namespace ratectl::config
