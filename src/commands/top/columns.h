// The columns of top's screen: which of them a width has room for, and what they say of a row. Pure.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "commands/top/picture.h"

namespace ratectl::commands::top {

struct ScreenColumn {
    std::string title;
    bool right = false;
    std::size_t width = 0;
    std::vector<output::Styled> cells{};  // one a row
};

/// Of these rows, of which the first is number `first_rank`; the widths and the gaps between them fit.
std::vector<ScreenColumn> fit_columns(const Picture& picture, std::span<const PictureRow> rows, std::size_t first_rank,
                                      std::size_t width);
std::size_t gap_of(std::size_t width);

/// `3.2`, `1240`; `-` for null.
std::string rate_text(const std::optional<double>& rate);
std::string duration_text(const std::optional<support::Milliseconds>& duration);

}  // namespace ratectl::commands::top
