// The columns of config show (name, value, origin), config check (check, result, detail ...) and config names.
#include "commands/report/fields/config_fields.h"

namespace ratectl::commands {
namespace {

using output::Cell;
using output::CellType;
using output::Tone;
using Shown = output::Column::Shown;

Cell result_of(const CheckedThing& one) {
    switch (one.result) {
        case CheckedThing::Result::ok: return output::Word{"ok", Tone::good};
        case CheckedThing::Result::note: return output::Word{"note", Tone::dim};
        case CheckedThing::Result::warning: return output::Word{"warning", Tone::warning};
        case CheckedThing::Result::failed: break;
    }
    return output::Word{"failed", Tone::bad};
}

Cell copy_unless_empty(const std::string& text) {
    if (text.empty()) return output::Null{};
    return output::Bytes{text};
}

}  // namespace

std::span<const output::Field<ShownValue>> shown_value_fields() {
    static const output::Field<ShownValue> list[] = {
        {{"name", CellType::text, "NAME", "the key, with dots as in the file", Shown::table},
         [](const ShownValue& one) -> Cell { return output::Text{one.name}; }},
        {{"value", CellType::bytes, "VALUE", "the value in force; of a secret only that it is set", Shown::table},
         [](const ShownValue& one) -> Cell { return output::Bytes{one.value}; }},
        {{"origin", CellType::bytes, "ORIGIN", "flag, environment variable, file and line, or default", Shown::table},
         [](const ShownValue& one) -> Cell { return output::Bytes{one.origin}; }},
    };
    return list;
}

std::span<const output::Field<CheckedThing>> checked_thing_fields() {
    static const output::Field<CheckedThing> list[] = {
        {{"check", CellType::text, "CHECK", "what was looked at", Shown::table},
         [](const CheckedThing& one) -> Cell { return output::Text{one.check}; }},
        {{"result", CellType::word, "RESULT", "ok, note, warning or failed", Shown::table}, result_of},
        {{"detail", CellType::bytes, "DETAIL", "what was found", Shown::table},
         [](const CheckedThing& one) -> Cell { return output::Bytes{one.detail}; }},
        {{"origin", CellType::bytes, "ORIGIN", "where in the configuration it stands", Shown::table},
         [](const CheckedThing& one) -> Cell { return copy_unless_empty(one.origin); }},
        {{"deployment", CellType::text, "DEPLOYMENT", "the deployment that it belongs to", Shown::wide},
         [](const CheckedThing& one) -> Cell { return output::Text{one.deployment}; }},
    };
    return list;
}

std::span<const output::Field<ConfigName>> config_name_fields() {
    static const output::Field<ConfigName> list[] = {
        {{"name", CellType::text, "NAME", "the name, as flags take it", Shown::table},
         [](const ConfigName& one) -> Cell { return output::Text{one.name}; }},
        {{"kind", CellType::word, "KIND", "deployment, policy, shard or class", Shown::table},
         [](const ConfigName& one) -> Cell {
             return output::Word{one.kind, Tone::plain};
         }},
    };
    return list;
}

}  // namespace ratectl::commands
