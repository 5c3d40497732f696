// How one column becomes one or two fields of a machine format, shared by JSON, CSV and TSV.
#pragma once

#include <optional>
#include <string>
#include <string_view>
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
/// Whether keys are written as encode_key() has them instead of as they are.
inline bool encodes_keys(const SinkOptions& options) {
    return options.key_format && *options.key_format != KeyFormat::raw;
}

}  // namespace ratectl::output
