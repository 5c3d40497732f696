// Chooses the columns of top's screen by the order in which they are left out; key and bar take the rest of the width.
#include "commands/top/columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "commands/report/fields/window_fields.h"
#include "output/formats/human_cell.h"
#include "output/printable.h"
#include "support/number_text.h"
#include "support/time_text.h"

namespace ratectl::commands::top {
namespace {

using output::Styled;
using output::Tone;

constexpr std::size_t kWide = 100;  // from here on there is air between columns
constexpr std::size_t kSmallBar = 6;
constexpr std::size_t kLargeBar = 20;
constexpr double kNearlyAll = 80;

struct Candidate {
    ScreenColumn column;
    int leaves = 0;  // the larger, the sooner; 0: never
    bool is_key = false;
    bool is_bar = false;
};

Tone tone_of(const PictureRow& row) {
    if (row.window.state != domain::WindowState::open) return state_word(row.window.state).tone;
    return row.percent.value_or(0) >= kNearlyAll ? Tone::warning : Tone::good;
}

char mark_of(Tone tone) { return tone == Tone::bad ? '!' : tone == Tone::warning ? '~' : ' '; }

Styled state_cell(const PictureRow& row) {
    const Tone tone = tone_of(row);
    return {std::string(1, mark_of(tone)) + ' ' + std::string(name_of(row.window.state)), tone};
}

Styled integer_cell(const std::optional<std::int64_t>& value, const output::SinkOptions& style) {
    if (!value) return {"-", Tone::dim};
    return {output::human_cell(style, {"", output::CellType::integer, "", ""}, *value).text};
}

Styled percent_cell(const PictureRow& row) {
    if (!row.percent) return {"-", Tone::dim};
    return {support::percent_text(*row.percent, 0) + "%", tone_of(row)};
}

Styled duration_cell(const std::optional<support::Milliseconds>& duration) {
    return {duration_text(duration), duration ? Tone::plain : Tone::dim};
}

std::optional<support::Milliseconds> reset_in(const PictureRow& row, support::Moment now) {
    if (!row.window.reset_at) return std::nullopt;
    const output::Cell cell = distance_cell(*row.window.reset_at, now);
    const auto* distance = std::get_if<support::Milliseconds>(&cell);
    return distance == nullptr ? std::nullopt : std::optional(*distance);
}

/// Today's without their date, others without their clock.
Styled reset_at_cell(const PictureRow& row, const Picture& picture) {
    constexpr std::size_t date = 10;
    if (!row.window.reset_at) return {"-", Tone::dim};
    const std::string text = support::format_time(*row.window.reset_at, picture.style.zone);
    if (text.size() <= date || text[date] != 'T') return {text};
    const bool today = support::format_time(picture.now, picture.style.zone).starts_with(text.substr(0, date));
    return {today ? text.substr(date + 1) : text.substr(0, date)};
}

class Fitting {
public:
    Fitting(const Picture& picture, std::span<const PictureRow> rows, std::size_t first_rank, std::size_t width)
        : picture_(picture), rows_(rows), width_(width) {
        add("#", true, 5, [&, rank = first_rank](const PictureRow&) mutable -> Styled {
            return {std::to_string(rank++), Tone::dim};
        });
        add("KEY", false, 0, [](const PictureRow& row) -> Styled { return {row.key}; }).is_key = true;
        add("USED", true, 0, [&](const PictureRow& row) { return integer_cell(row.window.used, picture.style); });
        add("LIMIT", true, 4, [&](const PictureRow& row) { return integer_cell(row.window.limit, picture.style); });
        add("%", true, 2, percent_cell);
        Candidate& bar = add("", false, 6, [](const PictureRow& row) -> Styled { return {"", tone_of(row)}; });
        bar.is_bar = true;
        bar.column.width = kSmallBar;
        add("RATE/S", true, 2, [](const PictureRow& row) -> Styled {
            return {rate_text(row.rate), row.rate ? Tone::plain : Tone::dim};
        });
        add("FULL IN", true, 3, [](const PictureRow& row) { return duration_cell(row.exhausted_in); });
        add("RESET IN", true, 1, [&](const PictureRow& row) { return duration_cell(reset_in(row, picture.now)); });
        add("RESET AT", false, 8, [&](const PictureRow& row) { return reset_at_cell(row, picture); });
        if (picture.view.shard_column) {
            add("SHARD", false, 7, [](const PictureRow& row) -> Styled {
                return {row.stale ? row.shard + " (stale)" : row.shard, row.stale ? Tone::warning : Tone::plain};
            });
        }
        add("POLICY", false, 9, [](const PictureRow& row) -> Styled { return {row.policy}; });
        add("STATE", false, 0, state_cell);
    }

    std::vector<ScreenColumn> columns() {
        Candidate& key = *std::find_if(all_.begin(), all_.end(), [](const Candidate& one) { return one.is_key; });
        const std::size_t longest = key.column.width;
        key.column.width = std::min(longest, std::clamp<std::size_t>(width_ / 4, 8, 24));
        drop_what_has_no_room();
        const auto find = [this](bool Candidate::*is) {
            return std::find_if(all_.begin(), all_.end(), [is](const Candidate& one) { return one.*is; });
        };
        const auto kept = find(&Candidate::is_key);
        kept->column.width = std::min(longest, kept->column.width + room());
        if (total() > width_) kept->column.width -= std::min(kept->column.width - 1, total() - width_);
        if (const auto bar = find(&Candidate::is_bar); bar != all_.end()) {
            bar->column.width = std::min(kLargeBar, bar->column.width + room());
            fill_bar(bar->column);
        }
        std::vector<ScreenColumn> columns;
        for (Candidate& one : all_) columns.push_back(std::move(one.column));
        return columns;
    }

private:
    template <class Make>
    Candidate& add(std::string title, bool right, int leaves, Make make) {
        Candidate& added = all_.emplace_back();
        added.column = {std::move(title), right, 0, {}};
        added.leaves = leaves;
        added.column.width = output::display_width(added.column.title);
        for (const PictureRow& row : rows_) {
            added.column.cells.push_back(make(row));
            added.column.width = std::max(added.column.width, output::display_width(added.column.cells.back().text));
        }
        return added;
    }

    std::size_t total() const {
        std::size_t total = gap_of(width_) * (all_.size() - 1);
        for (const Candidate& one : all_) total += one.column.width;
        return total;
    }
    std::size_t room() const { return width_ - std::min(width_, total()); }

    void drop_what_has_no_room() {
        while (total() > width_) {
            const auto worst = std::max_element(
                all_.begin(), all_.end(), [](const Candidate& a, const Candidate& b) { return a.leaves < b.leaves; });
            if (worst->leaves == 0) return;
            all_.erase(worst);
        }
    }

    void fill_bar(ScreenColumn& column) const {
        for (std::size_t i = 0; i < rows_.size(); ++i)
            column.cells[i].text = output::bar(rows_[i].percent.value_or(0), column.width, picture_.style.ascii);
    }

    const Picture& picture_;
    std::span<const PictureRow> rows_;
    std::size_t width_;
    std::vector<Candidate> all_;
};

}  // namespace

std::size_t gap_of(std::size_t width) { return width < kWide ? 1 : 2; }

std::string rate_text(const std::optional<double>& rate) {
    if (!rate) return "-";
    return *rate < 100 ? fmt::format("{:.1f}", *rate) : fmt::format("{:.0f}", *rate);
}

std::string duration_text(const std::optional<support::Milliseconds>& duration) {
    if (!duration) return "-";
    if (duration->count() == 0) return "now";
    return support::format_duration(std::chrono::ceil<support::Seconds>(*duration));
}

std::vector<ScreenColumn> fit_columns(const Picture& picture, std::span<const PictureRow> rows, std::size_t first_rank,
                                      std::size_t width) {
    return Fitting(picture, rows, first_rank, width).columns();
}

}  // namespace ratectl::commands::top
