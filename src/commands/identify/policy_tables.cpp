// Makes tables of policies out of what keys have told of themselves.
#include "commands/identify/policy_tables.h"

#include <fmt/format.h>

#include "store/directory.h"
#include "support/time_text.h"

namespace ratectl::commands::identify {
namespace {

bool is_scheme(std::string_view name) {
    try {
        store::limiter_of({.scheme = std::string(name)});
        return true;
    } catch (const support::Failure&) {
        return false;
    }
}

}  // namespace

const std::string* PolicyTables::table_of(const domain::Origin& origin) {
    if (!origin.policy) return nullptr;
    const std::string system(origin.system);
    auto scheme = schemes_.find(system);
    if (scheme == schemes_.end()) scheme = schemes_.emplace(system, is_scheme(system)).first;
    if (!scheme->second) return nullptr;
    const auto [known, is_new] = known_.emplace(
        std::tuple(system, origin.policy->key, origin.policy->period.value_or(support::Seconds{})), tables_.size());
    if (is_new) {
        config::StarterPolicy policy;
        policy.name = name_for(system);
        policy.key = origin.policy->key;
        policy.scheme = system;
        if (origin.policy->limit) policy.limit = std::to_string(*origin.policy->limit);
        if (origin.policy->period) policy.period = support::format_duration(*origin.policy->period);
        tables_.push_back({config::policy_table(policy, deployment_), *origin.sureness, origin.policy->guessed});
    }
    return &tables_[known->second].text;
}

std::string PolicyTables::name_for(const std::string& system) {
    const auto number = ++names_[system];
    return number == 1 ? system : fmt::format("{}-{}", system, number);
}

std::string PolicyTables::text() const {
    std::string text;
    for (const auto& table : tables_) {
        text += "\n";
        if (table.sureness != domain::Sureness::certain) text += "# likely, and not certain\n";
        if (table.guessed) text += "# where the client begins is a guess\n";
        text += table.text;
    }
    return text;
}

}  // namespace ratectl::commands::identify
