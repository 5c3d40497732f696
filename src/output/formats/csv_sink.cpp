// Format csv: RFC 4180 with plain newlines; no cell can become a formula in a spreadsheet.
#include "output/formats/delimited_sink.h"
#include "output/formats/sinks.h"

namespace ratectl::output {
namespace {

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

}  // namespace

std::unique_ptr<RowSink> make_csv_sink(const SinkOptions& options, std::vector<Column> columns, ByteSink& out) {
    return std::make_unique<DelimitedSink>(DelimitedRow(options, columns, ',', append_csv_field, true), options.header,
                                           out);
}

}  // namespace ratectl::output
