// The formats; make_row_sink() chooses.
#pragma once

#include <memory>
#include <vector>

#include "output/row_sink.h"

namespace ratectl::output {

std::unique_ptr<RowSink> make_table_sink(const SinkOptions& options, std::vector<Column> columns, ByteSink& out);
std::unique_ptr<RowSink> make_json_sink(const SinkOptions& options, std::vector<Column> columns, ByteSink& out);
std::unique_ptr<RowSink> make_ndjson_sink(const SinkOptions& options, std::vector<Column> columns, ByteSink& out);
std::unique_ptr<RowSink> make_csv_sink(const SinkOptions& options, std::vector<Column> columns, ByteSink& out);
std::unique_ptr<RowSink> make_tsv_sink(const SinkOptions& options, std::vector<Column> columns, ByteSink& out);
std::unique_ptr<RowSink> make_name_sink(const SinkOptions& options, std::vector<Column> columns, ByteSink& out);

}  // namespace ratectl::output
