// Lists the output formats by name.
#include "output/row_sink.h"

#include "output/formats/sinks.h"
#include "output/mask.h"
#include "support/suggest.h"

namespace ratectl::output {

std::vector<std::string> format_names() { return {"table", "wide", "json", "ndjson", "csv", "tsv", "name"}; }

support::Result<Format> parse_format(std::string_view text) {
    const std::vector<std::string> names = format_names();
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (text == names[i]) return static_cast<Format>(i);
    }
    std::string hint = support::did_you_mean(text, names);
    if (hint.empty()) {
        hint =
            "formats are table, wide, json, ndjson, csv, tsv and name; "
            "client also has github, stats has html and prometheus, governor simulate has plot, svg and html";
    }
    return support::failure(support::ExitCode::usage, "no output format is called '" + std::string(text) + "'",
                            std::move(hint));
}

Column::Shown breadth_of(Format format) {
    switch (format) {
        case Format::table:
        case Format::name: return Column::Shown::table;
        case Format::wide: return Column::Shown::wide;
        case Format::json:
        case Format::ndjson:
        case Format::csv:
        case Format::tsv: return Column::Shown::machine;
    }
    return Column::Shown::machine;
}

const std::vector<std::string>& RowSink::left_out() const {
    static const std::vector<std::string> none;
    return none;
}

namespace {

std::unique_ptr<RowSink> plain_sink(const SinkOptions& options, std::vector<Column> columns, ByteSink& out) {
    switch (options.format) {
        case Format::table:
        case Format::wide: return make_table_sink(options, std::move(columns), out);
        case Format::json: return make_json_sink(options, std::move(columns), out);
        case Format::ndjson: return make_ndjson_sink(options, std::move(columns), out);
        case Format::csv: return make_csv_sink(options, std::move(columns), out);
        case Format::tsv: return make_tsv_sink(options, std::move(columns), out);
        case Format::name: return make_name_sink(options, std::move(columns), out);
    }
    return make_table_sink(options, std::move(columns), out);
}

}  // namespace

std::unique_ptr<RowSink> make_row_sink(const SinkOptions& options, std::vector<Column> columns, ByteSink& out) {
    auto sink = plain_sink(options, columns, out);
    return options.mask ? masked_sink(std::move(sink), std::move(columns), options.mask) : std::move(sink);
}

}  // namespace ratectl::output
