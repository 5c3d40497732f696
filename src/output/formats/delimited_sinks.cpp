// Formats csv and tsv: a header, then a line a row. CSV is RFC 4180 with plain newlines, and no cell can become a
// formula in a spreadsheet. Fields of TSV are printable text, so a tab or newline in a value is two characters and a
// line is always a row.
#include <string>
#include <vector>

#include "output/formats/delimited_row.h"
#include "output/formats/sinks.h"
#include "output/printable.h"

namespace ratectl::output {
namespace {

class DelimitedSink final : public RowSink {
public:
    DelimitedSink(DelimitedRow row, bool header, ByteSink& out)
        : row_(std::move(row)), header_due_(header), out_(out) {}

    void row(std::span<const Cell> cells, std::uint64_t same) override {
        begin();
        out_.write(row_.next(cells, same));
    }
    void end(const Footer&) override {
        begin();
        out_.flush();
    }
    void flush() override { out_.flush(); }

private:
    void begin() {
        if (!header_due_) return;
        header_due_ = false;
        std::string header;
        row_.append_header(header);
        out_.write(header);
    }

    DelimitedRow row_;
    bool header_due_;
    ByteSink& out_;
};

/// A cell that a spreadsheet would compute. Apostrophes before it count too, so that taking one away on input is exact.
bool is_formula(std::string_view text) {
    const std::size_t first = text.find_first_not_of('\'');
    return first != std::string_view::npos && std::string_view("=+-@\t\r").find(text[first]) != std::string_view::npos;
}

void append_csv_field(std::string& out, std::string_view text) {
    const bool guarded = is_formula(text);
    const bool quoted = text.empty() || text.find_first_of(",\"\n\r") != std::string_view::npos ||
                        text.front() == ' ' || text.back() == ' ';
    if (quoted) out += '"';
    if (guarded) out += '\'';
    if (quoted) {
        for (const char c : text) {
            if (c == '"') out += '"';
            out += c;
        }
        out += '"';
    } else {
        out += text;
    }
}

void append_tsv_field(std::string& out, std::string_view text) {
    is_plain(text) ? out += text : out += printable(text);
}

}  // namespace

std::unique_ptr<RowSink> make_csv_sink(const SinkOptions& options, std::vector<Column> columns, ByteSink& out) {
    return std::make_unique<DelimitedSink>(DelimitedRow(options, columns, ',', append_csv_field, true), options.header,
                                           out);
}

std::unique_ptr<RowSink> make_tsv_sink(const SinkOptions& options, std::vector<Column> columns, ByteSink& out) {
    return std::make_unique<DelimitedSink>(DelimitedRow(options, columns, '\t', append_tsv_field, false),
                                           options.header, out);
}

}  // namespace ratectl::output
