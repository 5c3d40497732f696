// One row as one flat JSON object; used by the formats json and ndjson.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "output/cell.h"
#include "output/row_sink.h"

namespace ratectl::output {

/// Field names are quoted once, when the columns are known; append() then only copies bytes.
class JsonRow {
public:
    JsonRow(const SinkOptions& options, std::span<const Column> columns);
    void append(std::string& out, std::span<const Cell> cells) const;

private:
    struct Part {
        CellType type;
        std::string first;  // `"reset_at":`, with the comma that separates it from what is before
        std::string second;
    };
    void append_text(std::string& out, const Part& part, std::string_view text) const;
    class Writer;

    std::vector<Part> parts_;
    std::optional<KeyFormat> key_format_;
};

}  // namespace ratectl::output
