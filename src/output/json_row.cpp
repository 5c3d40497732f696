// The JSON of a row: numbers are numbers, absent is null, strings are ASCII.
#include "output/json_row.h"

#include "output/machine_cell.h"
#include "output/machine_text.h"
#include "output/printable.h"
#include "support/base64.h"

namespace ratectl::output {

using support::Instant;
using support::Milliseconds;
using support::WallTime;

JsonRow::JsonRow(const SinkOptions& options, std::span<const Column> columns) {
    if (encodes_keys(options)) key_format_ = options.key_format;
    for (const Column& column : columns) {
        const MachineNames names = machine_names(column, key_format_.has_value());
        const std::string comma = parts_.empty() ? "" : ",";
        parts_.push_back(
            {column.type, comma + '"' + names.first + "\":", names.second.empty() ? "" : ",\"" + names.second + "\":"});
    }
}

void JsonRow::append_text(std::string& out, const Part& part, std::string_view text) const {
    if (part.type == CellType::key && key_format_) {
        append_json_string(out, encode_key(*key_format_, text));
        return;
    }
    if (try_append_json_string(out, text)) return;
    append_json_string(out, printable(text));
    if (!is_bytes(part.type)) return;
    out += part.second;
    out += '"';
    out += support::to_base64(text);
    out += '"';
}

void JsonRow::append_cell(std::string& out, const Part& part, const Cell& cell) const {
    if (const auto text = text_of(cell)) {
        append_text(out, part, *text);
    } else if (const auto* integer = std::get_if<std::int64_t>(&cell)) {
        append_integer(out, *integer);
    } else if (const auto* time = std::get_if<Instant>(&cell)) {
        append_integer(out, support::epoch_seconds(*time));
        out += part.second;
        out += '"';
        append_iso(out, *time);
        out += '"';
    } else if (const auto* wall = std::get_if<WallTime>(&cell)) {
        out += '"';
        append_iso(out, *wall);
        out += '"';
        out += part.second;
        append_integer(out, wall->time_since_epoch().count());
    } else if (const auto* duration = std::get_if<Milliseconds>(&cell)) {
        append_integer(out, part.type == CellType::duration_ms
                                ? duration->count()
                                : std::chrono::floor<support::Seconds>(*duration).count());
    } else if (const auto* number = std::get_if<double>(&cell)) {
        if (!append_number(out, *number)) out += "null";
    } else if (const auto* boolean = std::get_if<bool>(&cell)) {
        out += *boolean ? "true" : "false";
    } else {
        out += "null";
        if (part.type == CellType::time || part.type == CellType::wall_time) out.append(part.second).append("null");
    }
}

void JsonRow::append(std::string& out, std::span<const Cell> cells) const {
    out += '{';
    for (std::size_t i = 0; i < cells.size(); ++i) {
        out += parts_[i].first;
        append_cell(out, parts_[i], cells[i]);
    }
    out += '}';
}

}  // namespace ratectl::output
