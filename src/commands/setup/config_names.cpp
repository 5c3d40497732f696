// config names: deployments, policies, shards, classes and operations by name, for shells that complete and for
// scripts.
#include <algorithm>

#include "commands/report/fields/config_fields.h"
#include "commands/report/row_writer.h"
#include "commands/setup/config_request.h"
#include "config/deployment_file.h"
#include "journal/journal.h"

namespace ratectl::commands {
namespace {

using Names = std::vector<ConfigName>;

void add_deployments(Context& context, Names& names) {
    const config::World world{[&context](const std::string& name) { return context.env(name); }, context.now()};
    const auto file = config::find_config_file(context.options().overrides, world);
    if (!file) return;
    for (auto& name : config::deployment_names(*file)) names.push_back({std::move(name), "deployment"});
}

void add_parts(const config::Settings& settings, Names& names) {
    for (const auto& policy : settings.policies.policies()) names.push_back({policy.name, "policy"});
    for (auto& name : directory_of(settings)->names()) names.push_back({std::move(name), "shard"});
    for (const auto& policy : settings.policies.policies()) {
        for (const auto& [name, limit] : policy.classes) {
            const auto known = [&name = name](const ConfigName& one) {
                return one.kind == "class" && one.name == name;
            };
            if (std::ranges::none_of(names, known)) names.push_back({name, "class"});
        }
    }
}

/// The newest first, only where they are asked for: there may be many.
void add_operations(Context& context, Names& names) {
    constexpr std::size_t most = 100;
    auto* journal = context.existing_journal();
    if (journal == nullptr) return;
    for (auto& id : journal->operations_like("", most)) names.push_back({std::move(id), "operation"});
}

/// `policies` means rows of the kind `policy`.
bool is_wanted(const std::string& wanted, std::string_view kind) {
    return wanted.empty() || wanted.starts_with(kind.substr(0, 5));
}

}  // namespace

ExitCode run_config_names(const ConfigRequest& request, Context& context) {
    const auto fields = config_name_fields();
    if (answer_columns_help(context, output::columns_of(fields))) return ExitCode::done;
    Names names;
    if (is_wanted(request.kind, "deployment")) add_deployments(context, names);
    if (request.kind == "operations") {
        add_operations(context, names);
    } else if (request.kind != "deployments") {
        add_parts(context.settings_without_servers(), names);
    }
    RowWriter<ConfigName> writer(context, fields, "ratectl.config-names.v1");
    for (const auto& one : names) {
        if (is_wanted(request.kind, one.kind)) writer.write(one);
    }
    return writer.end({});
}

}  // namespace ratectl::commands
