// Formats behind one interface: rows go in one by one, bytes come out, the footer says whether anything is missing.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "output/byte_sink.h"
#include "output/cell.h"
#include "support/error.h"

namespace ratectl::output {

class Mask;

enum class Format { table, wide, json, ndjson, csv, tsv, name };
support::Result<Format> parse_format(std::string_view text);
std::vector<std::string> format_names();
/// Which columns a format shows by default.
Column::Shown breadth_of(Format format);

/// How keys look, in and out.
enum class KeyFormat { raw, escaped, hex, base64 };
support::Result<KeyFormat> parse_key_format(std::string_view text);
/// The bytes of one key written in that format (raw: themselves).
support::Result<std::string> decode_key(KeyFormat format, std::string_view text);
std::string encode_key(KeyFormat format, std::string_view bytes);

struct SinkOptions {
    Format format = Format::table;
    bool color = false;
    bool header = true;
    bool terminal = false;                  // stdout is one: elide, relative times beside absolute
    std::size_t width = 0;                  // columns of the terminal; 0: unlimited
    bool ascii = false;                     // no characters outside ASCII of our own
    std::string zone{};                     // human formats only; empty: UTC
    bool thousands = false;                 // human formats only: 1,234,567
    std::optional<KeyFormat> key_format{};  // null: printable for people, exact for machines
    bool nul_separated = false;             // -0: raw keys, each ended by a NUL (format name)
    std::string schema{};                   // json: `ratectl.windows.v1`
    std::shared_ptr<const Mask> mask{};     // null: everything is shown
    support::Instant now{};                 // for relative times
};

/// One shard or node that is missing from the answer.
struct FailureRow {
    std::string shard;
    std::string node;
    int code = 0;  // the exit code it would have had alone
    std::string message;
    std::string hint;
    bool operator==(const FailureRow&) const = default;
};

/// One key that was named and that a filter left out.
struct LeftOutRow {
    std::string key;  // empty: a client, or what may not be named
    std::string by;   // the flag (`--state`), or what else
    std::string why;  // `its state is open`
};

struct Footer {
    std::vector<FailureRow> failures;
    bool complete = true;
    std::vector<LeftOutRow> left_out = {};  // the first of them
    std::uint64_t left_out_count = 0;
    std::optional<std::uint64_t> not_attempted = {};  // of a change, and of named keys where a look is stopped: what
                                                      // was planned and not tried, listed or not
};

class RowSink {
public:
    virtual ~RowSink() = default;
    void row(std::span<const Cell> cells) { row(cells, 0); }
    /// `same`: bit i says that cell i says what it said in the row before, so that its bytes can be used again.
    virtual void row(std::span<const Cell> cells, std::uint64_t same) = 0;
    virtual void end(const Footer& footer) = 0;
    /// Shows what is buffered now (the table's look-ahead included): when `-` input has nothing ready.
    virtual void flush() = 0;
    /// Keys that format name had to leave out because they need escaping; the command names them and ends with 9.
    /// The first hundred of left_out_count().
    virtual const std::vector<std::string>& left_out() const;
    virtual std::uint64_t left_out_count() const { return 0; }
};

/// The sink keeps a reference to `out`.
std::unique_ptr<RowSink> make_row_sink(const SinkOptions& options, std::vector<Column> columns, ByteSink& out);

}  // namespace ratectl::output
