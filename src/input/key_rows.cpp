// The reader of key rows, plain lines, and what all formats check.
#include "input/key_rows.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "input/key_records.h"
#include "support/ascii.h"
#include "support/base64.h"
#include "support/number_text.h"

namespace ratectl::input {
namespace {

/// A key of the largest size that is sensible, escaped, with its base64 beside it and room for other columns.
constexpr std::size_t kLongestRecord = std::size_t{1024} * 1024;

class PlainRecords final : public KeyRowReader::Records {
public:
    using Records::Records;
    bool next(KeyRow& row) override {
        while (const auto line = next_line()) {
            if (line->empty()) continue;
            refuse_other_separators(*line);
            if (!row.key) row.key.emplace();
            row.key->assign(*line);
            return true;
        }
        return false;
    }

private:
    void refuse_other_separators(std::string_view line) const {
        if (are_lines() && line.find('\0') != std::string_view::npos) {
            bad("there is a NUL byte in it, so this is not a line of text",
                "keys that are each ended by a NUL are read with -0");
        }
        if (!are_lines() && unended() && line.ends_with('\n')) {
            bad("the last key is not ended by a NUL but by a line break, so these are lines of text",
                "keys that stand one a line are read without -0");
        }
    }
};

std::unique_ptr<KeyRowReader::Records> make_records(ByteSource& source, RowFormat format, char separator) {
    switch (format) {
        case RowFormat::ndjson: return make_ndjson_records(source);
        case RowFormat::csv: return make_csv_records(source);
        case RowFormat::tsv: return make_tsv_records(source);
        case RowFormat::json: return make_json_records(source);
        case RowFormat::keys: break;
    }
    return std::make_unique<PlainRecords>(source, separator);
}

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
    return cell == kKeyRowNames[kKey] || cell == kKeyRowNames[kKeyBase64] || cell == kKeyRowNames[kClient] ||
           cell == kKeyRowNames[kActor];
}

bool is_letter(char c) { return support::lower(c) >= 'a' && support::lower(c) <= 'z'; }

bool names_a_key_in_any_case(std::string_view cell) {
    constexpr std::size_t longest = 9;  // "key_b64" in its quotes; cells of keys need not be short
    if (cell.empty() || cell.size() > longest ||
        std::string_view("kKcCaA\"").find(cell.front()) == std::string_view::npos)
        return false;
    return names_a_key(support::lower(std::string(cell)));
}

/// `core:\xff,Y29yZTr/`, as csv has a key that is no text.
bool has_escaped_key_and_base64(std::string_view line) {
    const std::size_t comma = line.find(',');
    if (comma == std::string_view::npos || line.substr(0, comma).find('\\') == std::string_view::npos) return false;
    const std::string_view behind = line.substr(comma + 1);
    const std::string_view base64 = behind.substr(0, behind.find(','));
    return !base64.empty() && support::from_base64(base64).has_value();
}

bool is_table_title(std::string_view cell) {
    cell.remove_prefix(std::min(cell.find_first_not_of(' '), cell.size()));
    return cell == "KEY" || cell == "CLIENT" || cell == "ACTOR";
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

std::optional<RowFormat> row_format_from(std::string_view name) {
    if (name == "keys") return RowFormat::keys;
    if (name == "ndjson") return RowFormat::ndjson;
    if (name == "csv") return RowFormat::csv;
    if (name == "tsv") return RowFormat::tsv;
    if (name == "json") return RowFormat::json;
    return std::nullopt;
}

KeyRowReader::KeyRowReader(ByteSource& source, RowFormat format, char separator)
    : records_(make_records(source, format, separator)) {}
KeyRowReader::~KeyRowReader() = default;
KeyRow* KeyRowReader::next() { return records_->next(row_) ? &row_ : nullptr; }
bool KeyRowReader::ready() { return records_->ready(); }
std::uint64_t KeyRowReader::line() const { return records_->line(); }

KeyRowReader::Records::Records(ByteSource& source, char separator)
    : lines_(source, separator, kLongestRecord), are_lines_(separator != '\0') {}

std::optional<std::string_view> KeyRowReader::Records::next_line() {
    auto line = lines_.next();
    if (line && are_lines_ && lines_.line() == 1 && line->starts_with(kByteOrderMark)) {
        line->remove_prefix(kByteOrderMark.size());
    }
    return line;
}

void KeyRowReader::Records::bad(const std::string& what, const std::string& hint) const {
    throw support::Failure(support::ExitCode::local_io, fmt::format("{}, line {}: {}", name(), line(), what), hint);
}

std::int64_t KeyRowReader::Records::amount_of(std::string_view text) const {
    const auto amount = support::parse_decimal(text);
    if (!amount || *amount > support::kMaxExactInteger || *amount < -support::kMaxExactInteger) {
        bad(fmt::format("amount '{}' is not a whole decimal number up to 2^53 - 1", text));
    }
    return *amount;
}

support::Instant KeyRowReader::Records::reset_of(std::string_view text) const {
    const auto second = support::parse_unsigned(text, support::kMaxExactInteger);
    if (!second) bad(fmt::format("reset_at '{}' is not an epoch second", text));
    return support::from_epoch(static_cast<std::int64_t>(*second));
}

std::string KeyRowReader::Records::bytes_of_base64(KeyRowField field, std::string_view text) const {
    auto bytes = support::from_base64(text);
    if (!bytes) bad(fmt::format("{} '{}' is not base64", kKeyRowNames[field], text));
    return *std::move(bytes);
}

void KeyRowReader::Records::check(const KeyRow& row, bool has_organisation) const {
    if (!row.key && !row.client && !row.actor) bad("there is neither a key nor a client");
    if (!row.key && has_organisation)
        bad("the client has an organisation, and rows name clients alone",
            "give the keys of both in rows of their own, or one client with --client and --org");
}

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

bool is_plain_name(std::string_view line) {
    static constexpr auto is_of_rows = [] {
        std::array<bool, 256> all{};
        for (const char c : std::string_view(",;\t \"'[<\\\r")) all[static_cast<unsigned char>(c)] = true;
        return all;
    }();
    return std::ranges::none_of(line, [](char c) { return is_of_rows[static_cast<unsigned char>(c)]; }) &&
           !names_a_key_in_any_case(line);
}

std::string_view seen_instead_of_key(std::string_view line) {
    if (line.starts_with("{\"") && line.ends_with('}')) return "a row of ndjson";
    for (const std::string_view separator : {",", ";", "\t"}) {
        if (any_cell(line, separator, names_a_key_in_any_case)) return "a header of csv or tsv";
    }
    if (line.find('\t') != std::string_view::npos) return "a row of tsv";
    if (line.ends_with(',') || line.find(",,") != std::string_view::npos) return "a row of csv";
    if (has_escaped_key_and_base64(line)) return "a row of csv";
    const std::size_t gap = line.find(kTableGap);
    const bool inside = gap != std::string_view::npos && gap > 0 && line.find_first_not_of(' ', gap) < line.size();
    if (inside || is_table_title(line)) return "a line of a table";
    return {};
}

std::string_view seen_around_key(std::string_view line) {
    if (line.size() < 2) return {};
    if ((line.front() == '"' || line.front() == '\'') && line.back() == line.front()) return "a quoted text";
    const std::size_t second = line.find_first_not_of(" \t", 1);
    if (line.front() == '[' && second != std::string_view::npos && line[second] == '"') return "JSON";
    if (line.front() == '<' && (is_letter(line[1]) || std::string_view("/?!").find(line[1]) != std::string_view::npos))
        return "markup";
    const std::size_t digits = line.find_first_not_of("0123456789");
    if (digits > 0 && digits != std::string_view::npos && line.substr(digits).starts_with(") \""))
        return "an answer of redis-cli";
    return {};
}

}  // namespace ratectl::input
