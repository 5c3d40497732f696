// Chooses columns by name, and describes them.
#include <fmt/format.h>

#include <algorithm>

#include "output/field.h"
#include "support/suggest.h"

namespace ratectl::output {
namespace {

std::string_view type_name(CellType type) {
    switch (type) {
        case CellType::boolean: return "true/false";
        case CellType::integer:
        case CellType::byte_count: return "integer";
        case CellType::number:
        case CellType::percent: return "number";
        case CellType::time:
        case CellType::wall_time: return "time";
        case CellType::duration_s:
        case CellType::duration_ms: return "duration";
        case CellType::word: return "word";
        case CellType::text: return "text";
        case CellType::bytes:
        case CellType::key: return "bytes";
    }
    return "";
}

/// The names that machine formats derive from a column's name lead back to it.
std::string_view machine_suffix(CellType type) {
    switch (type) {
        case CellType::duration_s: return "_s";
        case CellType::duration_ms:
        case CellType::wall_time: return "_ms";
        case CellType::time: return "_iso";
        case CellType::bytes:
        case CellType::key: return "_b64";
        default: return "";
    }
}

bool is_called(const Column& column, std::string_view name) {
    if (column.name == name) return true;
    if (!name.starts_with(column.name)) return false;
    const std::string_view rest = name.substr(column.name.size());
    return rest == machine_suffix(column.type) || (column.type == CellType::wall_time && rest == "_iso");
}

/// `'before_used' or 'after_used'` of `used`: the columns that have it as a word of their names.
std::string named_by_part(std::span<const Column> all, std::string_view part) {
    std::string names;
    for (const Column& column : all) {
        const std::string padded = fmt::format("_{}_", column.name);
        if (padded.find(fmt::format("_{}_", part)) == std::string::npos) continue;
        names += fmt::format("{}'{}'", names.empty() ? "" : " or ", column.name);
    }
    return names;
}

support::Result<std::size_t> find_column(std::span<const Column> all, std::string_view name) {
    const auto exact = std::find_if(all.begin(), all.end(), [&](const Column& c) { return c.name == name; });
    if (exact != all.end()) return static_cast<std::size_t>(exact - all.begin());
    const auto derived = std::find_if(all.begin(), all.end(), [&](const Column& c) { return is_called(c, name); });
    if (derived != all.end()) return static_cast<std::size_t>(derived - all.begin());
    std::vector<std::string> names;
    for (const Column& column : all) names.emplace_back(column.name);
    const std::string parts = named_by_part(all, name);
    std::string hint = parts.empty() ? support::did_you_mean(name, names) : fmt::format("did you mean {}?", parts);
    if (hint.empty()) hint = "`--columns help` lists them";
    const std::string what =
        name.empty() ? "a name in --columns is empty" : "no column is called '" + std::string(name) + "'";
    return support::failure(support::ExitCode::usage, what, std::move(hint));
}

}  // namespace

support::Result<std::vector<std::size_t>> choose_columns(std::span<const Column> all, std::string_view names,
                                                         Column::Shown breadth) {
    std::vector<std::size_t> chosen;
    if (names.empty()) {
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (all[i].shown <= breadth) chosen.push_back(i);
        }
        return chosen;
    }
    for (std::size_t begin = 0; begin <= names.size();) {
        const std::size_t end = std::min(names.find(',', begin), names.size());
        const auto index = find_column(all, names.substr(begin, end - begin));
        if (!index) return tl::make_unexpected(index.error());
        if (std::find(chosen.begin(), chosen.end(), *index) == chosen.end()) chosen.push_back(*index);
        begin = end + 1;
    }
    return chosen;
}

constexpr std::string_view kRounding = "; to 0.01, in tables to 0.1, and 0 or 100 only for none or all";

bool has_column(std::span<const Column> all, std::string_view name) {
    return std::ranges::any_of(all, [&](const Column& column) { return is_called(column, name); });
}

std::string describe_columns(std::span<const Column> columns) {
    std::size_t name_width = 0;
    for (const Column& column : columns) name_width = std::max(name_width, column.name.size());
    std::string text;
    for (const Column& column : columns) {
        const auto rounding = column.type == CellType::percent ? kRounding : std::string_view{};
        text += fmt::format("{:<{}}  {:<10}  {}{}\n", column.name, name_width, type_name(column.type), column.about,
                            rounding);
    }
    return text;
}

}  // namespace ratectl::output
