// config show: every value that is in force, and where it comes from.
#include "commands/report/fields/config_fields.h"
#include "commands/report/row_writer.h"
#include "commands/setup/config_request.h"

namespace ratectl::commands {
namespace {

/// The origin of a value; one part of a table may stand for all of it (`sharding = "modulo"`).
std::string origin_or_default(const config::Settings& settings, const std::string& name) {
    const auto found = settings.origins.find(name);
    return found == settings.origins.end() ? config::Origin{}.text : found->second.text;
}

}  // namespace

ExitCode run_config_show(const ConfigRequest& request, Context& context) {
    const auto fields = shown_value_fields();
    if (answer_columns_help(context, output::columns_of(fields))) return ExitCode::done;
    const config::Settings& settings = context.settings();
    RowWriter<ShownValue> writer(context, fields, "ratectl.config.v1", {}, true, request.order);
    for (const auto& [name, value] : settings.shown()) writer.write({name, value, origin_or_default(settings, name)});
    return writer.end({});
}

}  // namespace ratectl::commands
