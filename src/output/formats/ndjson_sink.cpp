// Format ndjson: one object a line. Failures are on standard error, one object a line too with --messages json.
#include "output/formats/json_row.h"
#include "output/formats/sinks.h"

namespace ratectl::output {
namespace {

class NdjsonSink final : public RowSink {
public:
    NdjsonSink(const SinkOptions& options, std::vector<Column> columns, ByteSink& out)
        : row_(options, columns, "}\n"), out_(out) {}

    void row(std::span<const Cell> cells, std::uint64_t same) override { out_.write(row_.next(cells, same)); }
    void end(const Footer&) override { out_.flush(); }
    void flush() override { out_.flush(); }

private:
    JsonRow row_;
    ByteSink& out_;
};

}  // namespace

std::unique_ptr<RowSink> make_ndjson_sink(const SinkOptions& options, std::vector<Column> columns, ByteSink& out) {
    return std::make_unique<NdjsonSink>(options, std::move(columns), out);
}

}  // namespace ratectl::output
