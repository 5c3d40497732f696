// Recognises rows by marks that no sensible key has.
#include "input/row_recognition.h"

#include <algorithm>
#include <array>

#include "input/key_records.h"

namespace ratectl::input {
namespace {

constexpr std::string_view kTableGap = "  ";

bool any_cell(std::string_view line, std::string_view separator, bool (*is_wanted)(std::string_view)) {
    for (;;) {
        const std::size_t end = line.find(separator);
        if (is_wanted(line.substr(0, end))) return true;
        if (end == std::string_view::npos) return false;
        line.remove_prefix(end + separator.size());
    }
}

/// A column that says which window a row is about, in quotes or not.
bool names_a_key(std::string_view cell) {
    if (cell.size() > 2 && cell.front() == '"' && cell.back() == '"') cell = cell.substr(1, cell.size() - 2);
    return cell == kKeyRowNames[kKey] || cell == kKeyRowNames[kKeyBase64] || cell == kKeyRowNames[kClient];
}

bool is_table_title(std::string_view cell) {
    cell.remove_prefix(std::min(cell.find_first_not_of(' '), cell.size()));
    return cell == "KEY" || cell == "CLIENT";
}

/// The document's members, any of which may come first once another program had it.
bool is_document(std::string_view line) {
    constexpr std::array members{"{\"schema\"", "{\"rows\"", "{\"failures\"", "{\"left_out\"", "{\"complete\""};
    return std::ranges::any_of(members, [line](const char* member) { return line.starts_with(member); });
}

/// Null: no JSON. A key may well begin with a brace, but not with one and a quote.
std::optional<RowFormat> recognise_json(std::string_view line) {
    const std::size_t second = line.find_first_not_of(" \t", 1);
    const char follows = second == std::string_view::npos ? '\0' : line[second];
    if (line.front() == '[' && (follows == '\0' || follows == '{' || follows == ']')) return RowFormat::json;
    if (line.front() != '{' || (follows != '\0' && follows != '"')) return std::nullopt;
    if (follows == '\0' || is_document(line)) return RowFormat::json;
    return line.back() == '}' || line.size() >= kRecognisable ? RowFormat::ndjson : RowFormat::json;
}

}  // namespace

std::optional<RowFormat> recognise_rows(std::string_view beginning) {
    if (beginning.starts_with(kByteOrderMark)) beginning.remove_prefix(kByteOrderMark.size());
    beginning.remove_prefix(std::min(beginning.find_first_not_of("\r\n"), beginning.size()));
    std::string_view line = beginning.substr(0, beginning.find('\n'));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) return RowFormat::keys;
    if (const auto json = recognise_json(line)) return json;
    if (any_cell(line, ",", names_a_key)) return RowFormat::csv;
    if (any_cell(line, "\t", names_a_key)) return RowFormat::tsv;
    if (any_cell(line, kTableGap, is_table_title)) return std::nullopt;
    return RowFormat::keys;
}

bool reads_like_prose(std::string_view line) {
    constexpr std::ptrdiff_t few_blanks = 2;
    return std::ranges::count(line, ' ') > few_blanks;
}

std::string_view seen_instead_of_key(std::string_view line) {
    if (line.starts_with("{\"") && line.ends_with('}')) return "a row of ndjson";
    if (any_cell(line, ",", names_a_key) || any_cell(line, "\t", names_a_key)) return "a header of csv or tsv";
    if (line.find('\t') != std::string_view::npos) return "a row of tsv";
    if (line.find(",,") != std::string_view::npos) return "a row of csv";
    const std::size_t gap = line.find(kTableGap);
    const bool inside = gap != std::string_view::npos && gap > 0 && line.find_first_not_of(' ', gap) < line.size();
    if (inside || is_table_title(line)) return "a line of a table";
    return {};
}

}  // namespace ratectl::input
