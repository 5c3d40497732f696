// Format json: one document {schema, rows, failures, complete}, written as the rows come.
#include "output/formats/json_row.h"
#include "output/formats/machine_text.h"
#include "output/formats/sinks.h"

namespace ratectl::output {
namespace {

class JsonSink final : public RowSink {
public:
    JsonSink(const SinkOptions& options, std::vector<Column> columns, ByteSink& out)
        : schema_(options.schema), row_(options, columns), out_(out) {}

    void row(std::span<const Cell> cells, std::uint64_t same) override {
        text_.clear();
        begin();
        text_ += rows_++ == 0 ? "\n" : ",\n";
        out_.write(text_);
        out_.write(row_.next(cells, same));
    }

    void end(const Footer& footer) override {
        text_.clear();
        begin();
        text_ += rows_ == 0 ? "],\"failures\":[" : "\n],\"failures\":[";
        for (std::size_t i = 0; i < footer.failures.size(); ++i) {
            text_ += i == 0 ? "\n" : ",\n";
            append_json_failure(text_, footer.failures[i]);
        }
        if (!footer.failures.empty()) text_ += '\n';
        text_ += footer.complete ? "],\"complete\":true}\n" : "],\"complete\":false}\n";
        out_.write(text_);
        out_.flush();
    }

    void flush() override { out_.flush(); }

private:
    void begin() {
        if (begun_) return;
        begun_ = true;
        text_ += "{\"schema\":";
        append_json_string(text_, schema_);
        text_ += ",\"rows\":[";
    }

    std::string schema_;
    JsonRow row_;
    ByteSink& out_;
    std::string text_;
    bool begun_ = false;
    std::uint64_t rows_ = 0;
};

}  // namespace

std::unique_ptr<RowSink> make_json_sink(const SinkOptions& options, std::vector<Column> columns, ByteSink& out) {
    return std::make_unique<JsonSink>(options, std::move(columns), out);
}

}  // namespace ratectl::output
