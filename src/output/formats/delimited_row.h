// What CSV and TSV share: the header's names and the text of each field; how a field is quoted is the format's
// business.
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

/// Writes one text field, quoted as the format needs it. Numbers, times and empty fields never need that.
using AppendField = void (*)(std::string& out, std::string_view text);

class DelimitedRow {
public:
    /// escape_controls: a key or value with control or invisible characters is written escaped, with its base64 beside
    /// it, although it is valid UTF-8 (where the format itself has no escape for them).
    DelimitedRow(const SinkOptions& options, std::span<const Column> columns, char separator, AppendField append,
                 bool escape_controls);
    void append_header(std::string& out) const;
    /// The line; `same` as RowSink::row() has it. Valid until the next call.
    std::string_view next(std::span<const Cell> cells, std::uint64_t same);

private:
    struct Part {
        CellType type;
        std::string first;
        std::string second;
    };
    void append_text(std::string& out, const Part& part, std::string_view text) const;
    class Writer;
    bool travels(std::string_view text) const;

    std::vector<Part> parts_;
    RowText text_;
    char separator_;
    AppendField append_;
    bool escape_controls_;
    std::optional<KeyFormat> key_format_;
};

}  // namespace ratectl::output
