// The reader of key rows, plain lines, and what all formats check.
#include "input/key_rows.h"

#include <fmt/format.h>

#include "input/key_records.h"
#include "support/base64.h"
#include "support/decimal.h"

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
        case RowFormat::ndjson:
            return make_ndjson_records(source);
        case RowFormat::csv:
            return make_csv_records(source);
        case RowFormat::tsv:
            return make_tsv_records(source);
        case RowFormat::json:
            return make_json_records(source);
        case RowFormat::keys:
            break;
    }
    return std::make_unique<PlainRecords>(source, separator);
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

void KeyRowReader::Records::check(const KeyRow& row) const {
    if (!row.key && !row.client) bad("there is neither a key nor a client");
}

}  // namespace ratectl::input
