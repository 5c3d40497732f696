// list and show: straight from the table of presets, no server and no configuration needed.
#include "commands/sharding.h"

#include <CLI/CLI.hpp>

#include "commands/fields/preset_fields.h"
#include "commands/row_writer.h"
#include "sharding/preset.h"
#include "support/suggest.h"

namespace ratectl::commands {
namespace {

constexpr std::string_view kSchema = "ratectl.sharding-presets.v1";

struct ShardingRequest {
    bool show = false;
    std::string preset;
};

void bind_sharding(CLI::App& app, ShardingRequest& request) {
    app.add_subcommand("list", "every preset, a row each")->callback([&request] { request.show = false; });
    auto* show = app.add_subcommand("show", "one preset: what it needs to be told, and its rules");
    show->callback([&request] { request.show = true; });
    show->add_option("PRESET", request.preset, "its name, as list prints it")->required();
}

const sharding::Preset& preset_named(const std::string& name) {
    if (const auto* preset = sharding::find_preset(name)) return *preset;
    const auto names = sharding::preset_names();
    auto hint = support::did_you_mean(name, names);
    if (hint.empty()) hint = "`ratectl sharding list` prints them all";
    throw support::Failure(ExitCode::usage, "there is no sharding preset '" + name + "'", hint);
}

/// One property of a preset, for people: its name, its value.
struct Property {
    const output::Column* column = nullptr;
    output::Cell value;
};

const output::Field<Property> kPropertyFields[] = {
    {{"property", output::CellType::text, "PROPERTY", "the column of list that this is"},
     [](const Property& p) -> output::Cell { return output::TextView{p.column->name}; }},
    {{"value", output::CellType::text, "VALUE", "what this preset has there"},
     [](const Property& p) -> output::Cell { return p.value; }},
    {{"meaning", output::CellType::text, "MEANING", "what the property is about"},
     [](const Property& p) -> output::Cell { return output::TextView{p.column->about}; }},
};

output::Cell as_text(output::Cell cell) {
    if (const bool* flag = std::get_if<bool>(&cell)) return output::TextView{*flag ? "yes" : "no"};
    if (const auto* number = std::get_if<std::int64_t>(&cell)) return output::Text{std::to_string(*number)};
    return cell;
}

ExitCode list(Context& context) {
    RowWriter<sharding::Preset> rows(context, preset_fields(), kSchema);
    for (const sharding::Preset& preset : sharding::presets()) rows.write(preset);
    return rows.end({});
}

/// A row in the formats for programs; for people the row stood upright, which is too wide to lie down.
ExitCode show(const sharding::Preset& preset, Context& context) {
    const auto format = context.sink_options(kSchema).format;
    const bool upright =
        (format == output::Format::table || format == output::Format::wide) && !context.options().columns;
    if (!upright) {
        RowWriter<sharding::Preset> rows(context, preset_fields(), kSchema);
        rows.write(preset);
        return rows.end({});
    }
    RowWriter<Property> rows(context, kPropertyFields, kSchema);
    for (const auto& field : preset_fields()) {
        if (field.column.name == "preset") continue;
        rows.write({&field.column, as_text(field.get(preset))});
    }
    return rows.end({});
}

ExitCode run_sharding(const ShardingRequest& request, Context& context) {
    if (answer_columns_help(context, output::columns_of(preset_fields()))) return ExitCode::done;
    return request.show ? show(preset_named(request.preset), context) : list(context);
}

}  // namespace

Command sharding_command() {
    return {"sharding", Group::investigate, "the libraries whose rule for placing keys is known",
            "# every library there is a preset for\n"
            "ratectl sharding list\n"
            "# what one of them needs to be told\n"
            "ratectl sharding show twemproxy-ketama",
            bind_request<ShardingRequest, bind_sharding, run_sharding>};
}

}  // namespace ratectl::commands
