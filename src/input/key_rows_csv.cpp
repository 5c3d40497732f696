// Key rows as CSV with a header (RFC 4180; LF or CRLF).
#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

#include "input/key_records.h"

namespace ratectl::input {

namespace {

struct CsvField {
    std::string text;
    bool quoted = false;
};

/// Takes off the `'` that keeps a spreadsheet from computing a cell.
std::string without_guard(std::string text) {
    const std::size_t first = text.find_first_not_of('\'');
    const bool guarded = first != 0 && first != std::string::npos &&
                         std::string_view("=+-@\t\r").find(text[first]) != std::string_view::npos;
    if (guarded) text.erase(0, 1);
    return text;
}

class CsvRecords final : public KeyRowReader::Records {
public:
    explicit CsvRecords(ByteSource& source) : Records(source, '\n') {}

    bool next(KeyRow& row) override {
        if (columns_ == 0 && !read_header()) return false;
        const auto fields = read_record();
        if (!fields) return false;
        if (fields->size() != columns_) {
            bad(fmt::format("{} cells under a header of {}", fields->size(), columns_));
        }
        row = row_of(*fields);
        return true;
    }

private:
    bool read_header() {
        auto header = read_record();
        if (!header) return false;
        constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
        if (header->front().text.starts_with(byte_order_mark)) header->front().text.erase(0, byte_order_mark.size());
        for (std::size_t i = 0; i < header->size(); ++i) {
            const auto* name = std::find(kKeyRowNames.begin(), kKeyRowNames.end(), (*header)[i].text);
            if (name == kKeyRowNames.end()) continue;
            auto& place = places_[static_cast<std::size_t>(name - kKeyRowNames.begin())];
            if (place) bad(fmt::format("the column '{}' occurs twice", *name));
            place = i;
        }
        if (!places_[kKey] && !places_[kKeyBase64] && !places_[kClient]) {
            bad("the header names no column key, key_b64 or client", "the first row of CSV must be its header");
        }
        columns_ = header->size();
        return true;
    }

    /// The fields of the next record that is no blank line; quoted fields may hold line breaks.
    std::optional<std::vector<CsvField>> read_record() {
        while (const auto line = lines().next()) {
            if (line->empty() || *line == "\r") continue;
            std::string record(*line);
            std::vector<CsvField> fields;
            if (split(record, fields)) return fields;
            close_quote(record);
            split(record, fields);
            return fields;
        }
        return std::nullopt;
    }

    /// Adds the lines up to the one where the open quote is closed: where quotes are even in number. Cells are looked at once all are there.
    void close_quote(std::string& record) {
        for (bool open = true; open;) {
            const auto more = lines().next();
            if (!more) bad("a quoted cell is not closed");
            if (record.size() + more->size() > kLongestRecord) bad("a quoted cell is too long");
            record.append("\n").append(*more);
            open = std::count(more->begin(), more->end(), '"') % 2 == 0;
        }
    }

    /// False when a quoted cell goes on behind the end of the text.
    bool split(std::string_view text, std::vector<CsvField>& fields) const {
        fields.clear();
        std::size_t at = 0;
        do {
            CsvField field;
            field.quoted = at < text.size() && text[at] == '"';
            if (field.quoted) {
                if (!take_quoted(text, at, field.text)) return false;
            } else {
                const std::size_t end = std::min(text.find(',', at), text.size());
                field.text = std::string(text.substr(at, end - at));
                at = end;
                if (field.text.find('"') != std::string::npos) bad("a quote in the middle of a cell");
                if (at == text.size() && field.text.ends_with('\r')) field.text.pop_back();
            }
            fields.push_back(std::move(field));
        } while (at++ < text.size());
        return true;
    }

    /// A quoted cell from its opening quote; `at` ends on the comma behind it or at the end of the text.
    bool take_quoted(std::string_view text, std::size_t& at, std::string& out) const {
        for (++at;; ++at) {
            const std::size_t quote = text.find('"', at);
            if (quote == std::string_view::npos) return false;
            out += text.substr(at, quote - at);
            at = quote + 1;
            if (at >= text.size() || text[at] != '"') break;
            out += '"';
        }
        if (text.substr(at) == "\r") at = text.size();
        if (at < text.size() && text[at] != ',') bad("something follows a closing quote");
        return true;
    }

    /// Null for a column that is not there and for an empty cell without quotes.
    std::optional<std::string> cell(const std::vector<CsvField>& fields, KeyRowField column) const {
        if (!places_[column]) return std::nullopt;
        const CsvField& field = fields[*places_[column]];
        if (field.text.empty() && !field.quoted) return std::nullopt;
        return field.text;
    }

    KeyRow row_of(const std::vector<CsvField>& fields) const {
        KeyRow row;
        if (auto key = cell(fields, kKey)) row.key = without_guard(*std::move(key));
        const auto base64 = cell(fields, kKeyBase64);
        if (base64 && !base64->empty()) {
            row.key = key_of_base64(*base64);
            row.key_exact = true;
        }
        if (auto client = cell(fields, kClient)) row.client = without_guard(*std::move(client));
        if (const auto amount = cell(fields, kAmount)) row.amount = amount_of(*amount);
        if (const auto reset = cell(fields, kResetAt)) row.reset_at = reset_of(*reset);
        const auto stored = cell(fields, kStoredResetAt);
        if (stored && !row.reset_at) row.ended_at = stored_reset_of(*stored);
        check(row);
        return row;
    }

    static constexpr std::size_t kLongestRecord = std::size_t{1024} * 1024;
    std::array<std::optional<std::size_t>, kKeyRowFields> places_{};
    std::size_t columns_ = 0;
};

}  // namespace

std::unique_ptr<KeyRowReader::Records> make_csv_records(ByteSource& source) {
    return std::make_unique<CsvRecords>(source);
}

}  // namespace ratectl::input
