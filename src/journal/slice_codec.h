// The windows of one script call, and what became of them, as the two columns of bytes that the journal keeps of it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "journal/journal.h"

namespace ratectl::journal {

/// The numbers of statuses are this order, forever; 0 is `nothing is known`.
inline constexpr std::array kStatuses{domain::WriteStatus::applied, domain::WriteStatus::already_applied,
                                      domain::WriteStatus::skipped, domain::WriteStatus::window_changed,
                                      domain::WriteStatus::refused, domain::WriteStatus::failed,
                                      domain::WriteStatus::unknown, domain::WriteStatus::not_attempted};

/// One window of a call, as it goes in.
struct WindowView {
    std::uint64_t row = 1;
    std::string_view key;
    std::optional<std::int64_t> amount;
};

/// And as it comes out.
struct SliceWindow {
    std::uint64_t row = 1;
    std::string key;
    std::optional<std::int64_t> amount;

    WindowView view() const { return {row, key, amount}; }
};

/// Rows ascending. Keys stand there as they are, so that one can be looked for without unpacking.
std::string pack_windows(std::span<const WindowView> windows);
/// Throws Damaged.
std::vector<SliceWindow> unpack_windows(std::string_view packed);
/// Their rows only.
std::vector<std::uint64_t> unpack_rows(std::string_view packed);

/// One a window, in its order; null: nothing is known yet. `sent_ms`: of the slice.
std::string pack_outcomes(std::span<const Outcome* const> outcomes, std::int64_t sent_ms);
/// Throws Damaged, also where there is not one for each of the rows.
std::vector<std::optional<Outcome>> unpack_outcomes(std::string_view packed, std::span<const std::uint64_t> rows,
                                                    std::int64_t sent_ms);

}  // namespace ratectl::journal
