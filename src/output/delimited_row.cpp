// Fields of CSV and TSV rows; absent is an empty field.
#include "output/delimited_row.h"

#include <algorithm>

#include "output/machine_cell.h"
#include "output/machine_text.h"
#include "output/printable.h"
#include "support/base64.h"

namespace ratectl::output {

using support::Instant;
using support::Milliseconds;
using support::WallTime;

DelimitedRow::DelimitedRow(const SinkOptions& options, std::span<const Column> columns, char separator,
                           AppendField append_field, bool escape_controls)
    : separator_(separator), append_(append_field), escape_controls_(escape_controls) {
    if (encodes_keys(options)) key_format_ = options.key_format;
    for (const Column& column : columns) {
        MachineNames names = machine_names(column, key_format_.has_value());
        parts_.push_back({column.type, std::move(names.first), std::move(names.second)});
    }
}

void DelimitedRow::append_header(std::string& out) const {
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        if (i != 0) out += separator_;
        out += parts_[i].first;
        if (parts_[i].second.empty()) continue;
        out += separator_;
        out += parts_[i].second;
    }
    out += '\n';
}

/// A backslash alone is no reason to escape: the format carries it.
bool DelimitedRow::travels(std::string_view text) const {
    if (!escape_controls_) return is_valid_utf8(text);
    if (text.find('\\') == std::string_view::npos) return is_plain(text);
    std::string rest(text);
    std::replace(rest.begin(), rest.end(), '\\', '/');
    return is_plain(rest);
}

void DelimitedRow::append_text(std::string& out, const Part& part, std::string_view text) const {
    if (part.type == CellType::key && key_format_) {
        append_(out, encode_key(*key_format_, text));
        return;
    }
    const bool as_it_is = travels(text);
    as_it_is || !escape_controls_ ? append_(out, text) : append_(out, printable(text));
    if (part.second.empty()) return;
    out += separator_;
    if (!as_it_is) out += support::to_base64(text);
}

void DelimitedRow::append_cell(std::string& out, const Part& part, const Cell& cell) const {
    if (const auto text = text_of(cell)) {
        append_text(out, part, *text);
        return;
    }
    if (const auto* integer = std::get_if<std::int64_t>(&cell)) {
        append_integer(out, *integer);
    } else if (const auto* time = std::get_if<Instant>(&cell)) {
        append_integer(out, support::epoch_seconds(*time));
        out += separator_;
        append_iso(out, *time);
        return;
    } else if (const auto* wall = std::get_if<WallTime>(&cell)) {
        append_iso(out, *wall);
        out += separator_;
        append_integer(out, wall->time_since_epoch().count());
        return;
    } else if (const auto* duration = std::get_if<Milliseconds>(&cell)) {
        append_integer(out, part.type == CellType::duration_ms
                                ? duration->count()
                                : std::chrono::floor<support::Seconds>(*duration).count());
    } else if (const auto* number = std::get_if<double>(&cell)) {
        append_number(out, *number);
    } else if (const auto* boolean = std::get_if<bool>(&cell)) {
        out += *boolean ? "true" : "false";
    }
    if (!part.second.empty()) out += separator_;
}

void DelimitedRow::append(std::string& out, std::span<const Cell> cells) const {
    for (std::size_t i = 0; i < cells.size(); ++i) {
        if (i != 0) out += separator_;
        append_cell(out, parts_[i], cells[i]);
    }
    out += '\n';
}

}  // namespace ratectl::output
