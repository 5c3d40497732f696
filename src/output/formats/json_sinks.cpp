// Formats json: one document {schema, rows, failures, left_out, not_attempted, complete}, written as the rows come; and
// ndjson: one object a line, its failures on standard error, one object a line too with --messages json.
#include <array>

#include "output/formats/json_row.h"
#include "output/formats/machine_text.h"
#include "output/formats/sinks.h"

namespace ratectl::output {
namespace {

class JsonSink final : public RowSink {
public:
    JsonSink(const SinkOptions& options, std::vector<Column> columns, ByteSink& out)
        : schema_(options.schema), row_(options, columns), left_out_(options, left_out_columns()), out_(out) {}

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
        text_ += rows_ == 0 ? "]" : "\n]";
        append_list("failures", footer.failures, append_json_failure);
        append_list("left_out", footer.left_out, [this](std::string& text, const LeftOutRow& one) {
            const auto cell = [](const std::string& value) { return value.empty() ? Cell{Null{}} : Cell{Text{value}}; };
            const Cell key = one.key.empty() ? Cell{Null{}} : Cell{BytesView{one.key}};
            left_out_.append(text, std::array{key, cell(one.by), cell(one.why)});
        });
        text_ += ",\"left_out_count\":" + std::to_string(footer.left_out_count);
        if (footer.not_attempted) text_ += ",\"not_attempted\":" + std::to_string(*footer.not_attempted);
        text_ += footer.complete ? ",\"complete\":true}\n" : ",\"complete\":false}\n";
        out_.write(text_);
        out_.flush();
    }

    void flush() override { out_.flush(); }

private:
    static std::array<Column, 3> left_out_columns() {
        return {Column{"key", CellType::key, "", ""}, Column{"by", CellType::text, "", ""},
                Column{"why", CellType::text, "", ""}};
    }

    template <class One, class Append>
    void append_list(const char* name, const std::vector<One>& all, Append append) {
        text_.append(",\"").append(name).append("\":[");
        for (std::size_t i = 0; i < all.size(); ++i) {
            text_ += i == 0 ? "\n" : ",\n";
            append(text_, all[i]);
        }
        text_ += all.empty() ? "]" : "\n]";
    }

    void begin() {
        if (begun_) return;
        begun_ = true;
        text_ += "{\"schema\":";
        append_json_string(text_, schema_);
        text_ += ",\"rows\":[";
    }

    std::string schema_;
    JsonRow row_;
    JsonRow left_out_;
    ByteSink& out_;
    std::string text_;
    bool begun_ = false;
    std::uint64_t rows_ = 0;
};

}  // namespace

std::unique_ptr<RowSink> make_json_sink(const SinkOptions& options, std::vector<Column> columns, ByteSink& out) {
    return std::make_unique<JsonSink>(options, std::move(columns), out);
}

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
