// Fields of CSV and TSV rows; absent is an empty field.
#include "output/formats/delimited_row.h"

#include <algorithm>

#include "output/formats/machine_text.h"
#include "output/printable.h"
#include "support/base64.h"

namespace ratectl::output {

using support::Instant;
using support::Milliseconds;
using support::WallTime;

namespace {

std::vector<std::string> leads_of(std::size_t columns, char separator) {
    std::vector<std::string> leads(columns, std::string(1, separator));
    if (!leads.empty()) leads.front().clear();
    return leads;
}

}  // namespace

DelimitedRow::DelimitedRow(const SinkOptions& options, std::span<const Column> columns, char separator,
                           AppendField append_field, bool escape_controls)
    : text_(leads_of(columns.size(), separator), "\n"),
      separator_(separator),
      append_(append_field),
      escape_controls_(escape_controls) {
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
    if (is_plain(text)) return true;
    if (text.find('\\') == std::string_view::npos) return false;
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

/// One value of one column; a column of two fields always writes both.
class DelimitedRow::Writer {
public:
    Writer(const DelimitedRow& row, std::string& out, const Part& part) : row_(row), out_(out), part_(part) {}

    void operator()(std::string_view text) { row_.append_text(out_, part_, text); }
    void operator()(std::int64_t integer) { append_integer(out_, integer); }
    void operator()(bool boolean) { out_ += boolean ? "true" : "false"; }
    void operator()(double number) { append_number(out_, number); }
    void operator()(Instant time) {
        append_integer(out_, support::epoch_seconds(time));
        out_ += row_.separator_;
        append_iso(out_, time);
    }
    void operator()(WallTime time) {
        append_iso(out_, time);
        out_ += row_.separator_;
        append_integer(out_, time.time_since_epoch().count());
    }
    void operator()(Milliseconds duration) {
        const bool exact = part_.type == CellType::duration_ms;
        append_integer(out_, exact ? duration.count() : std::chrono::floor<support::Seconds>(duration).count());
    }
    void operator()(Null) {
        if (!part_.second.empty()) out_ += row_.separator_;
    }

private:
    const DelimitedRow& row_;
    std::string& out_;
    const Part& part_;
};

std::string_view DelimitedRow::next(std::span<const Cell> cells, std::uint64_t same) {
    return text_.next(same, [this, cells](std::size_t i) {
        text_.compose(i, [&](std::string& out) { visit_cell(cells[i], Writer(*this, out, parts_[i])); });
    });
}

}  // namespace ratectl::output
