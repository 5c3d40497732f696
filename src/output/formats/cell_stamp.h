// A few bytes that stand for a cell's value, so that an unchanged cell can be told without comparing its text.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "output/cell.h"

namespace ratectl::output {

class CellStamp {
public:
    CellStamp() = default;
    /// True when `cell` is known to say what the last one said. Words are static and so are the same at the same
    /// address; other text may have changed where it is: the bytes of a short one are kept, a long one is never known.
    bool repeats(const Cell& cell) {
        const CellStamp now = with_cell(cell, [&cell](const auto& value) { return stamp(cell.index(), value); });
        const bool same = now.kind_ == kind_ && now.bits_ == bits_ && now.more_ == more_ && kind_ != kUnknown;
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
        } else if constexpr (std::is_same_v<T, TextView> || std::is_same_v<T, Text>) {
            return text_stamp(kind, value.text);
        } else {
            return text_stamp(kind, value.bytes);
        }
    }
    /// All bytes of a short text, in two halves that overlap; its length stands beside the kind.
    static CellStamp text_stamp(std::size_t kind, std::string_view text) {
        const std::size_t size = text.size();
        if (size > 16) return {};
        const char* end = text.data() + size;
        CellStamp stamp{kind | size << 8U, 0};
        if (size >= 8) {
            std::memcpy(&stamp.bits_, text.data(), 8);
            std::memcpy(&stamp.more_, end - 8, 8);
        } else if (size >= 4) {
            std::memcpy(&stamp.bits_, text.data(), 4);
            std::memcpy(&stamp.more_, end - 4, 4);
        } else {
            for (const char byte : text) stamp.bits_ = stamp.bits_ << 8U | static_cast<unsigned char>(byte);
        }
        return stamp;
    }
    CellStamp(std::size_t kind, std::uint64_t bits) : kind_(kind), bits_(bits) {}

    std::size_t kind_ = kUnknown;
    std::uint64_t bits_ = 0;
    std::uint64_t more_ = 0;
};

}  // namespace ratectl::output
