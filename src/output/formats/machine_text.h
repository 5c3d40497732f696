// How machine formats write a column and its values: the names of its one or two fields, JSON strings, numbers and ISO
// times, appended without allocating.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "output/cell.h"
#include "output/row_sink.h"
#include "support/time.h"

namespace ratectl::output {

/// The string in quotes, ASCII only. Bytes that are not valid UTF-8 are written as printable() has them.
void append_json_string(std::string& out, std::string_view bytes);
/// False, and `out` unchanged, when the bytes are not valid UTF-8.
bool try_append_json_string(std::string& out, std::string_view bytes);

/// True when the quotes are all that has to be added.
bool is_json_as_it_is(std::string_view bytes);

/// The digits of a number, and its sign.
class IntegerText {
public:
    explicit IntegerText(std::int64_t value);
    operator std::string_view() const { return {text_, size_}; }

private:
    char text_[20];  // `-9223372036854775808`
    std::size_t size_;
};
void append_integer(std::string& out, std::int64_t value);
/// The shortest text that reads back as the same number; false, and nothing, for infinities and NaN.
bool append_number(std::string& out, double value);
/// `2026-01-01T00:00:00Z`; outside the years 0000-9999 the epoch second.
void append_iso(std::string& out, support::Instant t);
/// `2026-01-01T00:00:00.123Z`.
void append_iso(std::string& out, support::WallTime t);

/// `reset_in` of type duration_s -> {`reset_in_s`}; `reset_at` of type time -> {`reset_at`, `reset_at_iso`} ...
struct MachineNames {
    std::string first;
    std::string second;  // empty: this column has one field
};
/// key_is_text: the key format leaves nothing that could be other than ASCII text, so that there is no twin in base64.
MachineNames machine_names(const Column& column, bool key_is_text);

/// True when a cell of this type holds bytes whose second field is base64.
inline bool is_bytes(CellType type) { return type == CellType::bytes || type == CellType::key; }
/// The bytes or text of a cell, null for the other kinds.
std::optional<std::string_view> text_of(const Cell& cell);

/// Calls `write` with the value of a cell, text and bytes of every kind as std::string_view.
template <class Write>
void visit_cell(const Cell& cell, Write&& write) {
    with_cell(cell, [&write](const auto& value) {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<T, Word> || std::is_same_v<T, TextView> || std::is_same_v<T, Text>) {
            write(std::string_view(value.text));
        } else if constexpr (std::is_same_v<T, BytesView> || std::is_same_v<T, Bytes>) {
            write(std::string_view(value.bytes));
        } else {
            write(value);
        }
    });
}
/// Whether keys are written as encode_key() has them instead of as they are.
inline bool encodes_keys(const SinkOptions& options) {
    return options.key_format && *options.key_format != KeyFormat::raw;
}

}  // namespace ratectl::output
