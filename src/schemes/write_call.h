// Makes a call of a write script, as the frame in lua/operation.lua wants it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "redis/script.h"
#include "schemes/operation_key.h"
#include "schemes/scheme.h"
#include "support/time.h"

namespace ratectl::schemes {

// ---- arguments as text: nothing is the empty text
inline std::string seconds(support::Instant t) { return std::to_string(support::epoch_seconds(t)); }
inline std::string seconds(support::Moment t) { return seconds(support::Instant(t)); }
inline std::string seconds(const std::optional<support::Instant>& t) { return t ? seconds(*t) : std::string(); }
inline std::string number(const std::optional<std::int64_t>& n) { return n ? std::to_string(*n) : std::string(); }
inline std::string flag(bool on) { return on ? "1" : "0"; }

/// `add_keys(key, keys)` appends the keys of a window; `arguments_of(item)` is an array or a vector with an argument a
/// column. A column of which every window has the same is sent once.
template <class Item, class AddKeys, class Arguments>
redis::ScriptCall write_call(const redis::Script& script, std::span<const Item* const> items, const CallHead& head,
                             AddKeys add_keys, Arguments arguments_of) {
    using Row = decltype(arguments_of(*items.front()));
    constexpr char once = '1';
    constexpr char each = 'n';
    redis::ScriptCall call;
    call.script = &script;
    call.keys.reserve(domain::kMostParts * items.size() + 2);
    std::vector<Row> rows;
    rows.reserve(items.size());
    std::string layout;
    for (const Item* item : items) {
        add_keys(item->at.key, call.keys);
        const Row& row = rows.emplace_back(arguments_of(*item));
        layout.resize(row.size(), once);
        for (std::size_t c = 0; c < row.size(); ++c) {
            if (row[c] != rows.front()[c]) layout[c] = each;
        }
    }
    if (head.id) call.keys.push_back(operation_key(*head.id));
    if (head.undoes) call.keys.push_back(undone_key(*head.undoes));
    const std::string behind = std::string(!head.id ? "" : head.repeatable ? "O" : "o") + (head.undoes ? "u" : "");
    call.arguments = {number(head.deadline_ms), head.fingerprint, head.actor, head.host, head.reason, behind, layout};
    for (std::size_t c = 0; c < layout.size(); ++c) {
        const auto end = layout[c] == once ? rows.begin() + std::min<std::ptrdiff_t>(1, std::ssize(rows)) : rows.end();
        for (auto row = rows.begin(); row != end; ++row) call.arguments.push_back(std::move((*row)[c]));
    }
    return call;
}

}  // namespace ratectl::schemes
