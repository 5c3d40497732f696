// Key rows under a header that names their columns: CSV (RFC 4180; LF or CRLF) and TSV.
#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

#include "input/key_records.h"

namespace ratectl::input {

namespace {

struct DelimitedField {
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

class DelimitedRecords : public KeyRowReader::Records {
public:
    explicit DelimitedRecords(ByteSource& source) : Records(source, '\n') {}

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

protected:
    using Fields = std::vector<DelimitedField>;
    /// The fields of the next record that is not a blank line; null at the end.
    virtual std::optional<Fields> read_record() = 0;
    /// A key or a client as the format writes it.
    virtual void take_text(KeyRow& row, std::optional<std::string>& to, std::string text) const = 0;

private:
    bool read_header() {
        auto header = read_record();
        if (!header) return false;
        for (std::size_t i = 0; i < header->size(); ++i) {
            const auto* name = std::find(kKeyRowNames.begin(), kKeyRowNames.end(), (*header)[i].text);
            if (name == kKeyRowNames.end()) continue;
            auto& place = places_[static_cast<std::size_t>(name - kKeyRowNames.begin())];
            if (place) bad(fmt::format("the column '{}' occurs twice", *name));
            place = i;
        }
        if (!places_[kKey] && !places_[kKeyBase64] && !places_[kClient] && !places_[kActor]) {
            bad("the header names no column key, key_b64 or client", "the first row must be the header");
        }
        columns_ = header->size();
        return true;
    }

    /// Null for a column that is not there and for an empty cell without quotes.
    std::optional<std::string> cell(const Fields& fields, KeyRowField column) const {
        if (!places_[column]) return std::nullopt;
        const DelimitedField& field = fields[*places_[column]];
        if (field.text.empty() && !field.quoted) return std::nullopt;
        return field.text;
    }

    KeyRow row_of(const Fields& fields) const {
        KeyRow row;
        if (auto key = cell(fields, kKey)) take_text(row, row.key, *std::move(key));
        const auto base64 = cell(fields, kKeyBase64);
        if (base64 && !base64->empty()) {
            row.key = bytes_of_base64(kKeyBase64, *base64);
            row.key_exact = true;
        }
        if (auto client = cell(fields, kClient)) take_text(row, row.client, *std::move(client));
        if (auto name = cell(fields, kDeployment)) take_text(row, row.deployment, *std::move(name));
        if (const auto amount = cell(fields, kAmount)) row.amount = amount_of(*amount);
        if (const auto reset = cell(fields, kResetAt)) row.seen.reset_at = reset_of(*reset);
        const auto has = [this](KeyRowField column) { return places_[column].has_value(); };
        const auto text = [&](KeyRowField column) {
            std::optional<std::string> found;
            if (row.escaped && kKeyRowNames[column].ends_with("_b64")) return found;  // the escaped text is exact
            if (auto as_written = cell(fields, column)) take_text(row, found, *std::move(as_written));
            return found;
        };
        row.actor = actor_of(text);
        take_seen(row.seen, has, text);
        row.seen.is_look = is_look(row.seen, has);
        check(row, cell(fields, kOrganisation).has_value());
        return row;
    }

    std::array<std::optional<std::size_t>, kKeyRowFields> places_{};
    std::size_t columns_ = 0;
};

class CsvRecords final : public DelimitedRecords {
public:
    using DelimitedRecords::DelimitedRecords;

protected:
    /// Quoted fields may hold line breaks.
    std::optional<Fields> read_record() override {
        while (const auto line = next_line()) {
            if (line->empty() || *line == "\r") continue;
            std::string record(*line);
            Fields fields;
            if (split(record, fields)) return fields;
            close_quote(record);
            split(record, fields);
            return fields;
        }
        return std::nullopt;
    }

    void take_text(KeyRow&, std::optional<std::string>& to, std::string text) const override {
        to = without_guard(std::move(text));
    }

private:
    /// Adds the lines up to the one where the open quote is closed: where quotes are even in number. Cells are looked
    /// at once all are there.
    void close_quote(std::string& record) {
        for (bool open = true; open;) {
            const auto more = next_line();
            if (!more) bad("a quoted cell is not closed");
            if (record.size() + more->size() > kLongestRecord) bad("a quoted cell is too long");
            record.append("\n").append(*more);
            open = std::count(more->begin(), more->end(), '"') % 2 == 0;
        }
    }

    /// False when a quoted cell goes on behind the end of the text.
    bool split(std::string_view text, Fields& fields) const {
        fields.clear();
        std::size_t at = 0;
        do {
            DelimitedField field;
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

    static constexpr std::size_t kLongestRecord = std::size_t{1024} * 1024;
};

/// A line is always a row, and its text is escaped.
class TsvRecords final : public DelimitedRecords {
public:
    using DelimitedRecords::DelimitedRecords;

protected:
    std::optional<Fields> read_record() override {
        while (const auto line = next_line()) {
            std::string_view rest = *line;
            if (rest.ends_with('\r')) rest.remove_suffix(1);
            if (rest.empty()) continue;
            Fields fields;
            std::size_t end = 0;
            for (; (end = rest.find('\t')) != std::string_view::npos; rest.remove_prefix(end + 1)) {
                fields.push_back({std::string(rest.substr(0, end)), false});
            }
            fields.push_back({std::string(rest), false});
            return fields;
        }
        return std::nullopt;
    }

    void take_text(KeyRow& row, std::optional<std::string>& to, std::string text) const override {
        to = std::move(text);
        row.escaped = true;
    }
};

}  // namespace

std::unique_ptr<KeyRowReader::Records> make_csv_records(ByteSource& source) {
    return std::make_unique<CsvRecords>(source);
}
std::unique_ptr<KeyRowReader::Records> make_tsv_records(ByteSource& source) {
    return std::make_unique<TsvRecords>(source);
}

}  // namespace ratectl::input
