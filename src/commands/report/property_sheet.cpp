// Prints a value as a sheet: its properties are rows like any others, of three columns.
#include "commands/report/property_sheet.h"

#include <string>

namespace ratectl::commands {
namespace {

const output::Field<Property> kFields[] = {
    {{"property", output::CellType::text, "PROPERTY", "the column that this is"},
     [](const Property& p) -> output::Cell { return output::TextView{p.name}; }},
    {{"value", output::CellType::bytes, "VALUE", "what is there"},
     [](const Property& p) -> output::Cell { return p.value; }},
    {{"meaning", output::CellType::text, "MEANING", "what the property is about"},
     [](const Property& p) -> output::Cell { return output::TextView{p.about}; }},
};

output::Cell as_text(const output::Cell& cell) {
    if (const bool* flag = std::get_if<bool>(&cell)) return output::TextView{*flag ? "yes" : "no"};
    if (const auto* number = std::get_if<std::int64_t>(&cell)) return output::Text{std::to_string(*number)};
    return cell;
}

}  // namespace

bool stands_upright(Context& context, std::string_view schema) {
    const auto format = context.sink_options(schema).format;
    return (format == output::Format::table || format == output::Format::wide) && !context.options().columns;
}

ExitCode write_properties(std::span<const Property> properties, std::string_view schema, Context& context) {
    RowWriter<Property> rows(context, kFields, schema);
    for (const Property& property : properties) {
        if (std::holds_alternative<output::Null>(property.value)) continue;
        rows.write({property.name, as_text(property.value), property.about});
    }
    return rows.end({});
}

}  // namespace ratectl::commands
