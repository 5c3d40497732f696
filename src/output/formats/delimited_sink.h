// The sink that CSV and TSV share: a header, then a line a row.
#pragma once

#include <string>
#include <vector>

#include "output/formats/delimited_row.h"
#include "output/row_sink.h"

namespace ratectl::output {

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

}  // namespace ratectl::output
