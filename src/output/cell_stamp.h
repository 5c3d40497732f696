// What a cell said, in a few bytes: so that one that says the same again can be told without looking at any text.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "output/cell.h"

namespace ratectl::output {

class CellStamp {
public:
    CellStamp() = default;
    /// True when `cell` is known to say what the last one said. Words are static and so are the same at the same address; other text is
    /// never known: it may have changed where it is.
    bool repeats(const Cell& cell) {
        const CellStamp now = with_cell(cell, [&cell](const auto& value) { return stamp(cell.index(), value); });
        const bool same = now.kind_ == kind_ && now.bits_ == bits_ && kind_ != kUnknown;
        *this = now;
        return same;
    }

private:
    static constexpr std::size_t kUnknown = static_cast<std::size_t>(-1);

    template <class T>
    static CellStamp stamp(std::size_t kind, const T& value) {
        if constexpr (std::is_same_v<T, Null>) {
            return {kind, 0};
        } else if constexpr (std::is_same_v<T, Word>) {
            return {kind, reinterpret_cast<std::uintptr_t>(value.text.data())};
        } else if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, std::int64_t>) {
            return {kind, static_cast<std::uint64_t>(value)};
        } else if constexpr (std::is_same_v<T, double>) {
            return {kind, std::bit_cast<std::uint64_t>(value)};
        } else if constexpr (std::is_same_v<T, support::Milliseconds>) {
            return {kind, static_cast<std::uint64_t>(value.count())};
        } else if constexpr (std::is_same_v<T, support::Instant> || std::is_same_v<T, support::WallTime>) {
            return {kind, static_cast<std::uint64_t>(value.time_since_epoch().count())};
        } else {
            return {};
        }
    }
    CellStamp(std::size_t kind, std::uint64_t bits) : kind_(kind), bits_(bits) {}

    std::size_t kind_ = kUnknown;
    std::uint64_t bits_ = 0;
};

}  // namespace ratectl::output
