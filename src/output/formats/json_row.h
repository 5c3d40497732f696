// One row as one flat JSON object; used by the formats json and ndjson.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "output/cell.h"
#include "output/formats/row_text.h"
#include "output/row_sink.h"

namespace ratectl::output {

/// Field names are quoted once, when the columns are known.
class JsonRow {
public:
    /// `end`: what stands after the last value, the brace among it.
    JsonRow(const SinkOptions& options, std::span<const Column> columns, std::string_view end = "}");
    /// The row; `same` as RowSink::row() has it. Valid until the next call.
    std::string_view next(std::span<const Cell> cells, std::uint64_t same);
    void append(std::string& out, std::span<const Cell> cells) { out += next(cells, 0); }

private:
    struct Part {
        CellType type;
        std::string second;  // `,"reset_at_iso":`
    };
    void append_text(std::string& out, const Part& part, std::string_view text) const;
    bool writes_in_place(std::size_t column, const Cell& cell);
    class Writer;

    std::vector<Part> parts_;
    RowText text_;
    std::optional<KeyFormat> key_format_;
};

/// An item of `failures`.
void append_json_failure(std::string& out, const FailureRow& failure);

}  // namespace ratectl::output
