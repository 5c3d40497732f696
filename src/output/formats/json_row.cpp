// The JSON of a row: numbers are numbers, absent is null, strings are ASCII.
#include "output/formats/json_row.h"

#include "output/formats/machine_text.h"
#include "output/printable.h"
#include "support/base64.h"

namespace ratectl::output {

using support::Instant;
using support::Milliseconds;
using support::WallTime;

namespace {

/// `{"key":`, then `,"state":` ...
std::vector<std::string> leads_of(const SinkOptions& options, std::span<const Column> columns) {
    std::vector<std::string> leads;
    for (const Column& column : columns) {
        leads.push_back((leads.empty() ? "{\"" : ",\"") + machine_names(column, encodes_keys(options)).first + "\":");
    }
    return leads;
}

}  // namespace

JsonRow::JsonRow(const SinkOptions& options, std::span<const Column> columns, std::string_view end)
    : text_(leads_of(options, columns), end) {
    if (encodes_keys(options)) key_format_ = options.key_format;
    for (const Column& column : columns) {
        const std::string second = machine_names(column, key_format_.has_value()).second;
        parts_.push_back({column.type, second.empty() ? "" : ",\"" + second + "\":"});
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

/// One value of one column.
class JsonRow::Writer {
public:
    Writer(const JsonRow& row, std::string& out, const Part& part) : row_(row), out_(out), part_(part) {}

    void operator()(std::string_view text) { row_.append_text(out_, part_, text); }
    void operator()(std::int64_t integer) { append_integer(out_, integer); }
    void operator()(bool boolean) { out_ += boolean ? "true" : "false"; }
    void operator()(double number) {
        if (!append_number(out_, number)) out_ += "null";
    }
    void operator()(Instant time) {
        append_integer(out_, support::epoch_seconds(time));
        append_quoted(part_.second, time);
    }
    void operator()(WallTime time) {
        append_quoted({}, time);
        out_ += part_.second;
        append_integer(out_, time.time_since_epoch().count());
    }
    void operator()(Milliseconds duration) {
        const bool exact = part_.type == CellType::duration_ms;
        append_integer(out_, exact ? duration.count() : std::chrono::floor<support::Seconds>(duration).count());
    }
    void operator()(Null) {
        out_ += "null";
        if (part_.type == CellType::time || part_.type == CellType::wall_time) out_.append(part_.second).append("null");
    }

private:
    template <class Time>
    void append_quoted(std::string_view name, Time time) {
        out_.append(name).append("\"");
        append_iso(out_, time);
        out_ += '"';
    }

    const JsonRow& row_;
    std::string& out_;
    const Part& part_;
};

/// What most cells of a sweep are, integers and bytes without anything to escape, goes straight to its place.
bool JsonRow::writes_in_place(std::size_t column, const Cell& cell) {
    if (const auto* integer = std::get_if<std::int64_t>(&cell)) {
        text_.put(column, IntegerText(*integer));
        return true;
    }
    const auto* view = std::get_if<BytesView>(&cell);
    if (view == nullptr || key_format_ || !is_json_as_it_is(view->bytes)) return false;
    const std::size_t size = view->bytes.size();
    char* at = text_.place(column, 1 + size + 1);
    at[0] = at[1 + size] = '"';
    view->bytes.copy(at + 1, size);
    return true;
}

std::string_view JsonRow::next(std::span<const Cell> cells, std::uint64_t same) {
    return text_.next(same, [this, cells](std::size_t i) {
        if (writes_in_place(i, cells[i])) return;
        text_.compose(i, [&](std::string& out) { visit_cell(cells[i], Writer(*this, out, parts_[i])); });
    });
}

namespace {

void append_nullable(std::string& out, std::string_view text) {
    text.empty() ? void(out += "null") : append_json_string(out, text);
}

}  // namespace

void append_json_failure(std::string& out, const FailureRow& failure) {
    out += "{\"shard\":";
    append_nullable(out, failure.shard);
    out += ",\"node\":";
    append_nullable(out, failure.node);
    out += ",\"code\":";
    append_integer(out, failure.code);
    out += ",\"message\":";
    append_json_string(out, failure.message);
    out += ",\"hint\":";
    append_nullable(out, failure.hint);
    out += '}';
}

}  // namespace ratectl::output
