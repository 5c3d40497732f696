// The table of unit suffixes and twins that output/cell.h documents.
#include "output/formats/machine_cell.h"

namespace ratectl::output {

MachineNames machine_names(const Column& column, bool key_is_text) {
    const std::string name(column.name);
    switch (column.type) {
        case CellType::time: return {name, name + "_iso"};
        case CellType::wall_time: return {name + "_iso", name + "_ms"};
        case CellType::duration_s: return {name + "_s", ""};
        case CellType::duration_ms: return {name + "_ms", ""};
        case CellType::bytes: return {name, name + "_b64"};
        case CellType::key: return {name, key_is_text ? "" : name + "_b64"};
        default: return {name, ""};
    }
}

std::optional<std::string_view> text_of(const Cell& cell) {
    if (const auto* bytes = std::get_if<BytesView>(&cell)) return bytes->bytes;
    if (const auto* text = std::get_if<TextView>(&cell)) return text->text;
    if (const auto* word = std::get_if<Word>(&cell)) return word->text;
    if (const auto* text = std::get_if<Text>(&cell)) return text->text;
    if (const auto* bytes = std::get_if<Bytes>(&cell)) return bytes->bytes;
    return std::nullopt;
}

}  // namespace ratectl::output
