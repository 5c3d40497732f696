// Lists what shells complete: presets, states, classes, conditions, and the columns of every command that has rows.
#include "commands/all_commands.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "commands/explain/explain_fields.h"
#include "commands/limit/trace_fields.h"
#include "commands/look/compare_fields.h"
#include "commands/replay/key_fields.h"
#include "commands/report/fields/config_fields.h"
#include "commands/report/fields/finding_fields.h"
#include "commands/report/fields/governor_fields.h"
#include "commands/report/fields/header_fields.h"
#include "commands/report/fields/history_fields.h"
#include "commands/report/fields/identify_fields.h"
#include "commands/report/fields/locate_fields.h"
#include "commands/report/fields/node_fields.h"
#include "commands/report/fields/reshard_fields.h"
#include "commands/report/fields/rollout_fields.h"
#include "commands/report/fields/sandbox_fields.h"
#include "commands/report/fields/sharding_fields.h"
#include "commands/report/fields/stats_fields.h"
#include "commands/report/fields/throttle_fields.h"
#include "commands/report/fields/watch_fields.h"
#include "commands/report/fields/window_fields.h"
#include "commands/report/fields/write_fields.h"
#include "commands/setup/acl_rules.h"
#include "config/settings.h"
#include "domain/diagnosis/finding.h"
#include "domain/rate_headers.h"
#include "domain/window.h"
#include "sharding/shard_map.h"

namespace ratectl::commands {
namespace {

using Words = std::vector<std::string>;

struct CommandColumns {
    std::string_view command;
    std::vector<output::Column> (*columns)();
};

template <auto Fields>
std::vector<output::Column> columns_by() {
    return output::columns_of(Fields());
}

/// A command that has several kinds of rows stands here once for each; the first ones are offered.
constexpr std::array kColumns{CommandColumns{"check", columns_by<window_fields>},
                              CommandColumns{"client", columns_by<window_fields>},
                              CommandColumns{"scan", columns_by<window_fields>},
                              CommandColumns{"explain", columns_by<explain_fields>},
                              CommandColumns{"headers", columns_by<header_fields>},
                              CommandColumns{"headers", columns_by<claim_fields>},
                              CommandColumns{"watch", columns_by<watch_fields>},
                              CommandColumns{"stats", columns_by<stats_fields>},
                              CommandColumns{"top", columns_by<window_fields>},
                              CommandColumns{"increment", columns_by<write_fields>},
                              CommandColumns{"refund", columns_by<write_fields>},
                              CommandColumns{"reset", columns_by<write_fields>},
                              CommandColumns{"apply", columns_by<write_fields>},
                              CommandColumns{"undo", columns_by<write_fields>},
                              CommandColumns{"history", columns_by<history_fields>},
                              CommandColumns{"replay", columns_by<replay::key_fields>},
                              CommandColumns{"locate", columns_by<step_fields>},
                              CommandColumns{"identify", columns_by<identified_fields>},
                              CommandColumns{"nodes", columns_by<node_fields>},
                              CommandColumns{"nodes", columns_by<capability_fields>},
                              CommandColumns{"nodes", columns_by<probe_fields>},
                              CommandColumns{"compare", columns_by<compare_fields>},
                              CommandColumns{"doctor", columns_by<finding_fields>},
                              CommandColumns{"doctor", columns_by<finding_count_fields>},
                              CommandColumns{"doctor", columns_by<finding_kind_fields>},
                              CommandColumns{"sharding list", columns_by<preset_fields>},
                              CommandColumns{"sharding show", columns_by<preset_fields>},
                              CommandColumns{"sharding verify", columns_by<verified_shard_fields>},
                              CommandColumns{"sharding guess", columns_by<ranked_guess_fields>},
                              CommandColumns{"reshard plan", columns_by<forecast_fields>},
                              CommandColumns{"reshard apply", columns_by<move_fields>},
                              CommandColumns{"throttle show", columns_by<throttle_fields>},
                              CommandColumns{"throttle list", columns_by<throttle_fields>},
                              CommandColumns{"throttle reset", columns_by<write_fields>},
                              CommandColumns{"throttle delete", columns_by<write_fields>},
                              CommandColumns{"knobs get", columns_by<throttle_fields>},
                              CommandColumns{"knobs set", columns_by<write_fields>},
                              CommandColumns{"knobs unset", columns_by<write_fields>},
                              CommandColumns{"knobs stop", columns_by<write_fields>},
                              CommandColumns{"knobs unlimited", columns_by<write_fields>},
                              CommandColumns{"running", columns_by<running_fields>},
                              CommandColumns{"governor run", columns_by<governor_fields>},
                              CommandColumns{"governor step", columns_by<governor_fields>},
                              CommandColumns{"governor simulate", columns_by<governor_fields>},
                              CommandColumns{"governor explain", columns_by<governed_fields>},
                              CommandColumns{"limit trace", columns_by<trace_fields>},
                              CommandColumns{"rollout show", columns_by<feature_fields>},
                              CommandColumns{"rollout set", columns_by<write_fields>},
                              CommandColumns{"rollout who", columns_by<rollout_fields>},
                              CommandColumns{"rollout compare", columns_by<rollout_compare_fields>},
                              CommandColumns{"rollout copy", columns_by<write_fields>},
                              CommandColumns{"config check", columns_by<checked_thing_fields>},
                              CommandColumns{"config show", columns_by<shown_value_fields>},
                              CommandColumns{"config names", columns_by<config_name_fields>},
                              CommandColumns{"acl reader", columns_by<acl_fields>},
                              CommandColumns{"acl operator", columns_by<acl_fields>},
                              CommandColumns{"sandbox status", columns_by<sandbox_fields>}};

Words columns_of_command(std::string_view command) {
    const auto* found = std::ranges::find(kColumns, command, &CommandColumns::command);
    if (found == kColumns.end()) return {};
    Words words;
    for (const auto& column : found->columns()) words.emplace_back(column.name);
    return words;
}

Words states() {
    using enum domain::WindowState;
    Words words;
    for (const auto state : {absent, open, exhausted, closed, orphan_counter, orphan_expiry, leaked, corrupt, negative})
        words.emplace_back(domain::name_of(state));
    return words;
}

Words finding_classes(bool only_repairable) {
    Words words;
    for (const domain::FindingKind& kind : domain::finding_kinds()) {
        if (!only_repairable || kind.repair != domain::Repair::none) words.emplace_back(kind.name);
    }
    if (only_repairable) words.emplace_back("all");
    return words;
}

}  // namespace

std::vector<std::string> own_formats(std::string_view command) {
    if (command == "client") return {"github"};
    if (command == "stats") return {"prometheus", "html"};
    if (command == "governor") return {"plot", "svg", "html"};
    return {};
}

std::vector<std::string> completion_values(std::string_view command, std::string_view name, std::string_view value) {
    if (name == "PRESET") return sharding::preset_names();
    if (name == "sharding") {
        auto words = sharding::preset_names();
        words.emplace_back(config::kAllShards);
        return words;
    }
    if (name == "state") return states();
    if (name == "output") return own_formats(command);
    if (name == "dialect") {
        const auto names = domain::header_dialect_names();
        return {names.begin(), names.end()};
    }
    if (name == "columns") {
        Words words = columns_of_command(command);
        if (!words.empty()) words.emplace_back("help");
        return words;
    }
    if (value == "COLUMN")
        return command == "top" ? Words{"used", "percent", "rate", "reset", "key"} : columns_of_command(command);
    if (value.starts_with("CLASS")) return finding_classes(name == "fix");
    if (value == "CONDITION") return {"ended", "exhausted", "below:", "absent", "changed"};
    if (value == "TIME") return {"now", "today", "yesterday"};
    return {};
}

bool is_column(std::string_view name) {
    // Asked of cells of every line: all of them are put together once.
    static const auto all = [] {
        std::vector<output::Column> columns;
        for (const auto& command : kColumns) std::ranges::copy(command.columns(), std::back_inserter(columns));
        const auto name_and_type = [](const output::Column& each) { return std::pair(each.name, each.type); };
        std::ranges::sort(columns, {}, name_and_type);
        const auto is_same = [&](const output::Column& one, const output::Column& other) {
            return name_and_type(one) == name_and_type(other);
        };
        columns.erase(std::unique(columns.begin(), columns.end(), is_same), columns.end());
        return columns;
    }();
    return output::has_column(all, name);
}

std::string_view offered_names(std::string_view name, std::string_view value) {
    if (value.starts_with("OP")) return "operations";
    if (value != "NAME") return {};
    if (name == "deployment") return "deployments";
    if (name == "policy") return "policies";
    if (name == "shard") return "shards";
    if (name == "class") return "classes";
    return {};
}

}  // namespace ratectl::commands
