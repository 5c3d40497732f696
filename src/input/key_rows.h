// Keys with what stands beside them, one a record: plain lines, ndjson objects or CSV rows, as ratectl itself prints
// them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "domain/write.h"
#include "input/byte_source.h"
#include "support/error.h"
#include "support/time.h"

namespace ratectl::input {

enum class RowFormat { keys, ndjson, csv, tsv, json };
/// The words of --input; null for another.
std::optional<RowFormat> row_format_from(std::string_view name);

/// What a look had shown when the row was printed, as far as the row tells.
struct SeenWindow {
    std::optional<support::Instant> reset_at;    // when a window would end; not all that have one are whole
    std::string state;                           // empty: not told
    std::optional<domain::StoredWindow> stored;  // both halves; null: one of them, or both, are not told
    bool is_placed = false;                      // the row names a shard or a server: a command has printed it
    std::string layout = {};                     // how its limiter stores it, in a word; empty: not told
    bool is_look = false;    // it has columns of a look (used, remaining, reset_at), and names nothing all the same
    std::string shard = {};  // that was read; empty: not told

    /// It could be of any window of its key.
    bool names_nothing() const { return !reset_at && state.empty() && !stored && !is_placed && layout.empty(); }

    bool operator==(const SeenWindow&) const = default;
};

/// One record: a key, or a client in its place.
struct KeyRow {
    std::optional<std::string> key;  // key_b64 undone; a plain `key` as written: --key-format is still to be undone
    bool key_exact = false;          // from key_b64: these are the bytes
    bool escaped = false;  // tsv: key, client and halves are as ratectl shows them on a screen; that comes undone first
    std::optional<std::string> client;
    std::optional<std::int64_t> amount;     // |amount| <= 2^53 - 1
    std::optional<std::string> deployment;  // whose window it is; null: not said
    SeenWindow seen;                        // this row's guard
    std::optional<std::string> actor = {};  // as an application calls a client; rollout's rows have it

    bool operator==(const KeyRow&) const = default;
};

/// Fields by name: key, key_b64, client, actor, amount, deployment, layout, reset_at, state, shard, node and both
/// halves (stored_used and stored_reset_at, or counter and expiry as `doctor` has them); others are ignored, so what
/// ratectl prints can be read, but an org beside a client is refused: it would name one window more. key_b64 wins over
/// key, a key over a client, a client over an actor; absent is null, a missing field, or an empty CSV cell. Numbers are
/// strict decimals. CSV needs its header, and a guarding `'` before = + - @ is taken off again; tsv has its header,
/// too. json is the document of -o json, or its rows as an array or one after the other, laid out in any way. Blank
/// lines are not records, and no plain line has a NUL in it.
class KeyRowReader {
public:
    /// The separator is that of plain keys: `\n`, or NUL with -0.
    KeyRowReader(ByteSource& source, RowFormat format, char separator = '\n');
    ~KeyRowReader();
    KeyRowReader(const KeyRowReader&) = delete;
    KeyRowReader& operator=(const KeyRowReader&) = delete;

    /// Null at the end; the row is the reader's until the next call, its strings may be taken. Throws Failure
    /// (local_io) that names source and line and what is wrong with the record.
    KeyRow* next();
    /// True when next() need not wait for the source.
    bool ready();
    /// The line on which the record last returned ended, from 1.
    std::uint64_t line() const;

    /// One way to write records; key_rows_*.cpp have one each.
    class Records;

private:
    std::unique_ptr<Records> records_;
    KeyRow row_;
};

/// How much of a long first line recognise_rows() wants to see.
inline constexpr std::size_t kRecognisable = std::size_t{64} * 1024;

/// The format of the rows that begin so; keys where nothing shows another. Null: the header of a table, which is for
/// people.
std::optional<RowFormat> recognise_rows(std::string_view beginning);
/// Words with blanks between them, as a sentence has them. Keys seldom have one blank.
bool reads_like_prose(std::string_view line);
/// Nothing is in this line that rows, tables or sentences are made of, and it is no title: neither of the following two
/// has anything to say of it.
bool is_plain_name(std::string_view line);
/// What a line of keys surely is instead of a key: "a row of tsv"; empty: a key, for all that can be seen. Rows of csv
/// without a header are known by the empty cell behind a key, as ratectl prints one, or by the base64 of an escaped key
/// there; headers also where they are in capitals or have `;` between their names.
std::string_view seen_instead_of_key(std::string_view line);
/// What stands around the keys in a line, as JSON, markup and redis-cli have it; a key may be written so as well, where
/// its template is. Empty: nothing.
std::string_view seen_around_key(std::string_view line);

}  // namespace ratectl::input
