// How one column becomes one or two fields of a machine format, shared by JSON, CSV and TSV.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "output/cell.h"
#include "output/row_sink.h"

namespace ratectl::output {

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
