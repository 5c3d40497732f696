// Format ndjson: one object a line. Failures are on standard error, one object a line too with --messages json.
#include "output/json_row.h"
#include "output/sinks.h"

namespace ratectl::output {
namespace {

class NdjsonSink final : public RowSink {
public:
    NdjsonSink(const SinkOptions& options, std::vector<Column> columns, ByteSink& out)
        : row_(options, columns), out_(out) {}

    void row(std::span<const Cell> cells) override {
        text_.clear();
        row_.append(text_, cells);
        text_ += '\n';
        out_.write(text_);
    }
    void end(const Footer&) override { out_.flush(); }
    void flush() override { out_.flush(); }

private:
    JsonRow row_;
    ByteSink& out_;
    std::string text_;
};

}  // namespace

std::unique_ptr<RowSink> make_ndjson_sink(const SinkOptions& options, std::vector<Column> columns, ByteSink& out) {
    return std::make_unique<NdjsonSink>(options, std::move(columns), out);
}

}  // namespace ratectl::output
