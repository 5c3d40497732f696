// The sink that CSV and TSV share: a header, then a line a row.
#pragma once

#include <string>
#include <vector>

#include "output/delimited_row.h"
#include "output/row_sink.h"

namespace ratectl::output {

class DelimitedSink final : public RowSink {
public:
    DelimitedSink(DelimitedRow row, bool header, ByteSink& out)
        : row_(std::move(row)), header_due_(header), out_(out) {}

    void row(std::span<const Cell> cells) override {
        text_.clear();
        begin();
        row_.append(text_, cells);
        out_.write(text_);
    }
    void end(const Footer&) override {
        text_.clear();
        begin();
        out_.write(text_);
        out_.flush();
    }
    void flush() override { out_.flush(); }

private:
    void begin() {
        if (header_due_) row_.append_header(text_);
        header_due_ = false;
    }

    DelimitedRow row_;
    bool header_due_;
    ByteSink& out_;
    std::string text_;
};

}  // namespace ratectl::output
