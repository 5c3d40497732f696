// Draws top's screen from top to bottom: two lines about the sweep, what is missing, the ranking, details, keys.
#include "commands/top/picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "commands/report/fields/window_fields.h"
#include "commands/top/columns.h"
#include "output/printable.h"
#include "support/number_text.h"
#include "support/time_text.h"

namespace ratectl::commands::top {
namespace {

using output::ScreenLine;
using output::ScreenSize;
using output::Styled;
using output::Tone;

constexpr std::size_t kMostTroubles = 3;
constexpr support::Milliseconds kWorthSaying{1000};
constexpr std::size_t kDetails = 6;
constexpr std::size_t kLowest = 12;  // lines of a terminal that has room for the keys, too

constexpr std::array<std::string_view, 13> kHelp{
    "u p r t n   rank by used, percent, rate, time of reset, key; R turns it round",
    "/           only keys with this text, or that match this pattern; Esc: all",
    "space       stand still: servers are asked nothing until it is pressed again",
    "up down     mark a row, or j and k; PgUp PgDn Home End",
    "Enter       details of the marked window; Esc or Enter again: away",
    "s           the column of shards, or not",
    "q           leave",
    "",
    "RATE/S      requests a second, over the last ten seconds or between two looks",
    "FULL IN     when the limit is reached at this rate; -: not before the reset",
    "! exhausted the next request is refused",
    "~           80% of the limit is used, or something is wrong with the window",
    "Rows on the screen are looked at each second, all others by the next sweep.",
};

using support::counted;

/// `a` at the left, `b` at the right end, if there is room.
ScreenLine line_with_end(ScreenLine line, Styled end, std::size_t width) {
    std::size_t used = output::display_width(end.text) + 1;
    for (const Styled& piece : line) used += output::display_width(piece.text);
    if (used > width) return line;
    line.push_back({std::string(width - used + 1, ' ')});
    line.push_back(std::move(end));
    return line;
}

/// Null: of none is one known.
std::optional<double> rate_of_all(const std::vector<PictureRow>& rows) {
    std::optional<double> sum;
    for (const PictureRow& row : rows) {
        if (row.rate) sum = sum.value_or(0) + *row.rate;
    }
    return sum;
}

ScreenLine headline(const Picture& picture, std::size_t width) {
    const bool exhausted = picture.sweep.exhausted > 0;
    ScreenLine line{{picture.deployment, Tone::plain, true},
                    {"  " + counted(picture.sweep.windows, "window")},
                    {"  "},
                    {fmt::format("{} exhausted", picture.sweep.exhausted), exhausted ? Tone::bad : Tone::plain}};
    if (const auto rate = rate_of_all(picture.rows)) line.push_back({fmt::format("  {}/s shown", rate_text(rate))});
    return line_with_end(std::move(line), {support::format_time(picture.now, picture.style.zone)}, width);
}

std::string age_text(support::Milliseconds age) {
    return support::format_duration(std::chrono::floor<support::Seconds>(age));
}

/// From a second on without milliseconds.
std::string length_text(support::Milliseconds length) {
    return support::format_duration(length < kWorthSaying ? length : std::chrono::ceil<support::Seconds>(length));
}

/// `used`; turned round `used, least first`.
std::string order_text(const Order& order) {
    std::string name(name_of(order.by));
    if (!order.reversed) return name;
    if (order.by == SortKey::key) return name + ", Z to A";
    return name + (order.by == SortKey::reset ? ", last first" : ", least first");
}

std::string sweep_text(const Picture& picture) {
    const SweepPicture& sweep = picture.sweep;
    std::string text;
    if (sweep.age) {
        text = fmt::format("by {}, ranked {} ago", order_text(sweep.order), age_text(*sweep.age));
    } else {
        text = "first sweep";
    }
    if (sweep.under_way && (!sweep.age || *sweep.age > picture.every + support::Milliseconds{1000})) {
        text += fmt::format("  sweeping: {} of {}, {}", sweep.shards_done, counted(sweep.shards, "shard"),
                            counted(sweep.found, "window"));
    } else if (sweep.age) {
        text += fmt::format("  every {}", length_text(picture.every));
        if (sweep.took >= kWorthSaying) text += fmt::format(", a sweep takes {}", length_text(sweep.took));
    }
    return text;
}

ScreenLine second_line(const Picture& picture, std::size_t width) {
    const View& view = picture.view;
    ScreenLine line;
    if (view.paused) line.push_back({"paused  ", Tone::warning, true});
    if (view.order != picture.sweep.order && picture.sweep.age) {
        line.push_back({fmt::format("by {} with the next sweep; ", order_text(view.order)), Tone::warning});
    }
    line.push_back({sweep_text(picture), Tone::dim});
    if (!view.filter.empty() && !view.typing)
        line.push_back({"  only '" + output::printable(view.filter) + "'", Tone::warning});
    std::size_t used = 2;
    for (const Styled& piece : line) used += output::display_width(piece.text);
    if (picture.sweep.left_out.empty() || used >= width) return line;
    line.push_back(
        {"  " + output::elide_middle(picture.sweep.left_out, width - used, picture.style.ascii), Tone::warning});
    return line;
}

std::vector<ScreenLine> trouble_lines(const Picture& picture) {
    std::vector<ScreenLine> lines;
    const auto& all = picture.troubles;
    for (std::size_t i = 0; i < std::min(all.size(), kMostTroubles); ++i) lines.push_back({{all[i], Tone::bad, true}});
    if (all.size() > kMostTroubles) {
        lines.back().push_back({fmt::format("; and {} more", all.size() - kMostTroubles), Tone::bad, true});
    }
    return lines;
}

/// As many keys as have room, and always the one that shows all of them.
std::string keys_text(std::size_t width) {
    constexpr std::string_view help = "? help";
    std::string text;
    for (const std::string_view key :
         {"q quit", "u/p/r/t/n sort", "R reverse", "/ filter", "space pause", "Enter details"}) {
        if (text.size() + key.size() + 2 + help.size() > width) break;
        text.append(key).append("  ");
    }
    return text.append(help);
}

ScreenLine bottom_line(const Picture& picture, std::size_t width) {
    if (!picture.view.typing) return {{keys_text(width), Tone::dim}};
    return {{"filter: "},
            {output::printable(picture.view.filter), Tone::plain, true},
            {" ", Tone::plain, false, true},
            {"  Enter: keep it, Esc: all keys", Tone::dim}};
}

std::string padded(const std::string& text, std::size_t width, bool right) {
    const std::size_t used = output::display_width(text);
    const std::string blanks(width > used ? width - used : 0, ' ');
    return right ? blanks + text : text + blanks;
}

ScreenLine row_line(const std::vector<ScreenColumn>& columns, std::size_t i, const Picture& picture, std::size_t width,
                    bool marked) {
    ScreenLine line;
    for (const ScreenColumn& column : columns) {
        if (!line.empty()) line.push_back({std::string(gap_of(width), ' ')});
        Styled cell = column.cells[i];
        cell.text =
            padded(output::elide_middle(cell.text, column.width, picture.style.ascii), column.width, column.right);
        line.push_back(std::move(cell));
    }
    if (!marked) return line;
    Styled all{{}, Tone::plain, false, true};
    for (const Styled& piece : line) all.text += piece.text;
    all.text = padded(all.text, width, false);
    return {all};
}

ScreenLine title_line(const std::vector<ScreenColumn>& columns, std::size_t width) {
    std::string text;
    for (const ScreenColumn& column : columns) {
        if (!text.empty()) text += std::string(gap_of(width), ' ');
        text += padded(column.title, column.width, column.right);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    return {{text, Tone::plain, true}};
}

std::vector<ScreenLine> table_lines(const Picture& picture, const ScreenSize& size, std::size_t page) {
    const View& view = picture.view;
    const auto rows = std::span(picture.rows).subspan(std::min(view.first, picture.rows.size()));
    const auto shown = rows.first(std::min(rows.size(), page));
    const auto columns = fit_columns(picture, shown, view.first + 1, size.width);
    std::vector<ScreenLine> lines{title_line(columns, size.width)};
    for (std::size_t i = 0; i < shown.size(); ++i)
        lines.push_back(row_line(columns, i, picture, size.width, view.first + i == view.cursor));
    if (!shown.empty()) return lines;
    lines.push_back(
        {{!view.filter.empty() ? "no window of the ranking passes the filter; the next sweep looks for others"
          : picture.sweep.age.has_value() ? "no open window"
                                          : "nothing has been read yet",
          Tone::dim}});
    return lines;
}

const PictureRow* detailed(const Picture& picture) {
    if (!picture.view.details) return nullptr;
    const auto found = std::find_if(picture.rows.begin(), picture.rows.end(),
                                    [&](const PictureRow& row) { return row.id == *picture.view.details; });
    return found == picture.rows.end() ? nullptr : &*found;
}

std::string number_or_dash(const std::optional<std::int64_t>& n) { return n ? std::to_string(*n) : "-"; }

std::string owner_text(const PictureRow& row) {
    std::string text;
    const auto add = [&text](const char* what, const std::string& value) {
        if (!value.empty()) text += (text.empty() ? "" : ", ") + std::string(what) + value;
    };
    add("policy ", row.policy);
    add("client ", row.client);
    add("class ", row.client_class);
    add("limit from ", row.limit_source);
    return text.empty() ? "no policy matches the key" : text;
}

std::string course_text(const PictureRow& row, const Picture& picture) {
    if (!row.window.reset_at) return "no window is open";
    std::string text = "resets at " + support::format_time(*row.window.reset_at, picture.style.zone);
    if (!row.rate) return text + "; a rate needs two looks";
    text += fmt::format("; {} requests/s", rate_text(row.rate));
    if (!row.exhausted_in) return text + ", not full before the reset";
    if (row.window.exhausted) return text;
    return text + ", full in " + duration_text(row.exhausted_in);
}

/// kDetails lines.
std::vector<ScreenLine> detail_lines(const PictureRow& row, const Picture& picture, std::size_t width) {
    const auto& window = row.window;
    const std::string limited =
        window.limit ? fmt::format(" of {}, {} left", *window.limit, number_or_dash(window.remaining))
                     : std::string(row.limit_source == "exempt" ? "; never limited" : "; the limit is unknown");
    const auto plain = [&](const std::string& text) {
        return ScreenLine{{output::elide_middle(text, width, picture.style.ascii)}};
    };
    ScreenLine key = plain(row.key);
    key.front().strong = true;
    return {{{std::string(width, '-'), Tone::dim}},
            std::move(key),
            plain(fmt::format("{}: used {}{}", name_of(window.state), number_or_dash(window.used), limited)),
            plain(owner_text(row)),
            plain(course_text(row, picture)),
            plain(fmt::format("shard {}, {}, looked at {} ago{}", row.shard, row.node, age_text(row.age),
                              row.stale ? "; it has lost its primary" : ""))};
}

bool has_bottom_line(const Picture& picture, const ScreenSize& size) {
    return size.height >= kLowest || picture.view.typing;
}

}  // namespace

std::size_t page_of(const Picture& picture, const ScreenSize& size) {
    std::size_t others = 3 + std::min(picture.troubles.size(), kMostTroubles);
    if (has_bottom_line(picture, size)) ++others;
    if (detailed(picture) != nullptr) others += kDetails;
    return size.height > others ? size.height - others : 1;
}

std::vector<ScreenLine> lines_of(const Picture& picture, const ScreenSize& size) {
    std::vector<ScreenLine> lines{headline(picture, size.width), second_line(picture, size.width)};
    for (ScreenLine& line : trouble_lines(picture)) lines.push_back(std::move(line));
    const std::size_t page = page_of(picture, size);
    if (picture.view.help) {
        lines.emplace_back();
        for (const std::string_view line : kHelp) lines.push_back({{std::string(line)}});
    } else {
        for (ScreenLine& line : table_lines(picture, size, page)) lines.push_back(std::move(line));
    }
    const PictureRow* row = picture.view.help ? nullptr : detailed(picture);
    const std::size_t bottom = has_bottom_line(picture, size) ? 1 : 0;
    const std::size_t below = bottom + (row == nullptr ? 0 : kDetails);
    lines.resize(std::max(size.height, below + 1) - below);
    if (row != nullptr) {
        for (ScreenLine& line : detail_lines(*row, picture, size.width)) lines.push_back(std::move(line));
    }
    if (bottom == 1) lines.push_back(bottom_line(picture, size.width));
    return lines;
}

}  // namespace ratectl::commands::top
