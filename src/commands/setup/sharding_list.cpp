// sharding list and show: straight from the table of presets, no server and no configuration needed.
#include "commands/report/fields/sharding_fields.h"
#include "commands/report/property_sheet.h"
#include "commands/report/row_writer.h"
#include "commands/setup/sharding_request.h"
#include "sharding/options.h"
#include "support/suggest.h"

namespace ratectl::commands {
namespace {

constexpr std::string_view kPresetsSchema = "ratectl.sharding-presets.v1";

const sharding::Preset& preset_named(const std::string& name) {
    if (const auto* preset = sharding::find_preset(name)) return *preset;
    const auto names = sharding::preset_names();
    auto hint = support::did_you_mean(name, names);
    if (hint.empty()) hint = "`ratectl sharding list` prints them all";
    throw support::Failure(ExitCode::usage, "there is no sharding preset '" + name + "'", hint);
}

}  // namespace

ExitCode run_sharding_list(const ShardingRequest& request, Context& context) {
    if (answer_columns_help(context, output::columns_of(preset_fields()))) return ExitCode::done;
    RowWriter<sharding::Preset> rows(context, preset_fields(), kPresetsSchema, {}, true, request.order);
    for (const sharding::Preset& preset : sharding::presets()) rows.write(preset);
    return rows.end({});
}

/// A row in the formats for programs; for people a sheet of the row, which is too wide for a line, and the options
/// below it.
ExitCode run_sharding_show(const ShardingRequest& request, Context& context) {
    if (answer_columns_help(context, output::columns_of(preset_fields()))) return ExitCode::done;
    const sharding::Preset& preset = preset_named(request.preset);
    if (!stands_upright(context, kPresetsSchema)) {
        RowWriter<sharding::Preset> rows(context, preset_fields(), kPresetsSchema);
        rows.write(preset);
        return rows.end({});
    }
    auto properties = properties_of(preset_fields(), preset);
    properties.pop_back();  // the options: told one by one
    for (const sharding::OptionRule& rule : sharding::option_rules()) {
        if (rule.applies(preset)) properties.push_back({"option", output::TextView{rule.name}, rule.about});
    }
    return write_properties(properties, kPresetsSchema, context);
}

}  // namespace ratectl::commands
