// Format tsv: fields are printable text, so a tab or newline in a value is two characters and a line is always a row.
#include "output/formats/delimited_sink.h"
#include "output/formats/sinks.h"
#include "output/printable.h"

namespace ratectl::output {
namespace {

void append_tsv_field(std::string& out, std::string_view text) {
    is_plain(text) ? out += text : out += printable(text);
}

}  // namespace

std::unique_ptr<RowSink> make_tsv_sink(const SinkOptions& options, std::vector<Column> columns, ByteSink& out) {
    return std::make_unique<DelimitedSink>(DelimitedRow(options, columns, '\t', append_tsv_field, false),
                                           options.header, out);
}

}  // namespace ratectl::output
