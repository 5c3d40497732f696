// One value with more columns than a line has room for, printed as a sheet: a row a column.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "commands/report/row_writer.h"
#include "output/field.h"

namespace ratectl::commands {

/// One column of the value, for people: its name, its value, what it is about.
struct Property {
    std::string_view name;
    output::Cell value;
    std::string_view about;
};

/// True where people read and did not choose columns: only then is a value printed as a sheet.
bool stands_upright(Context& context, std::string_view schema);
/// Writes the properties; what a value does not have is left out.
ExitCode write_properties(std::span<const Property> properties, std::string_view schema, Context& context);

template <class T>
std::vector<Property> properties_of(std::span<const output::Field<T>> fields, const T& value) {
    std::vector<Property> properties;
    for (const auto& field : fields) properties.push_back({field.column.name, field.get(value), field.column.about});
    return properties;
}

}  // namespace ratectl::commands
