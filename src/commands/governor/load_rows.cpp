// Reads rows of time and load.
#include "commands/governor/load_rows.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "domain/governor/decide.h"
#include "support/quote.h"
#include "support/time_text.h"

namespace ratectl::commands::governor {
namespace {

constexpr double kLatest = 253'402'300'799;  // the end of the year 9999

std::optional<double> float_in(std::string_view text) {
    double number = 0;
    const auto* const end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data(), end, number);
    return parsed.ec == std::errc() && parsed.ptr == end ? std::optional{number} : std::nullopt;
}

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '"' || text.front() == '\t')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '"' || text.back() == '\t' || text.back() == '\r'))
        text.remove_suffix(1);
    return text;
}

constexpr const char* kRows = "rows of an epoch second, or RFC 3339, a comma, and a load";

/// Cells between commas, semicolons or tabs, without the quotes around them.
std::vector<std::string> cells_of(std::string_view line) {
    std::vector<std::string> cells(1);
    bool is_quoted = false;
    for (const char c : line) {
        if (c == '"') is_quoted = !is_quoted;
        if (!is_quoted && (c == ',' || c == ';' || c == '\t'))
            cells.emplace_back();
        else
            cells.back() += c;
    }
    for (auto& cell : cells) cell = std::string(trimmed(cell));
    return cells;
}

}  // namespace

std::optional<double> load_in(std::string_view text) {
    const auto number = float_in(trimmed(text));
    return number && domain::governor::is_load(*number) ? number : std::nullopt;
}

std::optional<support::WallTime> moment_in(std::string_view text) {
    const auto word = trimmed(text);
    if (const auto number = float_in(word)) {
        if (!(*number >= 0) || *number > kLatest) return std::nullopt;
        return support::WallTime{support::Milliseconds{std::llround(*number * 1000)}};
    }
    if (word.size() < 10 || word.front() < '0' || word.front() > '9') return std::nullopt;
    const auto time = support::parse_time(word, {});
    return time ? std::optional{support::WallTime{*time}} : std::nullopt;
}

LoadRows::LoadRows(const std::string& path, Context& context)
    : source_(path == "-" ? input::borrow(context.in()) : input::open_file(path, context.patience())),
      lines_(*source_) {}

std::optional<TimedLoad> LoadRows::next() {
    while (const auto line = lines_.next()) {
        if (trimmed(*line).empty()) continue;
        auto cells = cells_of(*line);
        if (first_ && take_heading(cells)) continue;
        first_ = false;
        if (cells.size() <= load_) refuse(fmt::format("has no load: {}", support::quoted(*line)));
        if (cells.size() <= time_) cells.resize(time_ + 1);
        auto at = moment_in(cells[time_]);
        if (!at && instead_) at = cells.size() > *instead_ ? moment_in(cells[*instead_]) : std::nullopt;
        if (!at) refuse(fmt::format("has no time: {}", support::quoted(*line)));
        if (last_ && *at < *last_) refuse("goes back in time: rows are in the order of their times");
        last_ = at;
        return TimedLoad{*at, load_of(cells[load_])};
    }
    if (!last_)
        throw support::Failure(ExitCode::local_io, fmt::format("no row of {} has a time and a load", lines_.name()),
                               kRows);
    return std::nullopt;
}

std::optional<double> LoadRows::load_of(const std::string& cell) {
    const auto load = load_in(cell);
    const auto number = float_in(cell);
    if (load || cell.empty() || (number && std::isnan(*number))) return load;
    if (unreadable_++ == 0)
        first_unreadable_ = fmt::format("line {} of {}: {}", lines_.line(), lines_.name(), support::quoted(cell));
    return std::nullopt;
}

bool LoadRows::take_heading(const std::vector<std::string>& cells) {
    first_ = false;
    // A row that is none is refused, and not taken for a heading.
    const char begins = cells.front().empty() ? ' ' : cells.front().front();
    if (moment_in(cells.front()) || begins == '-' || (begins >= '0' && begins <= '9') ||
        (cells.size() > load_ && float_in(cells[load_])))
        return false;
    const auto place_of = [&](std::string_view name) -> std::optional<std::size_t> {
        const auto found = std::ranges::find(cells, name);
        if (found == cells.end()) return std::nullopt;
        return static_cast<std::size_t>(found - cells.begin());
    };
    // Those that our own rows have: a recorded load has a time, one of the model a second.
    const auto time = place_of("at_iso");
    const auto load = place_of("load");
    if (!time || !load) return true;
    time_ = *time;
    load_ = *load;
    instead_ = place_of("second");
    return true;
}

void LoadRows::refuse(const std::string& what) const {
    throw support::Failure(ExitCode::local_io, fmt::format("line {} of {} {}", lines_.line(), lines_.name(), what),
                           kRows);
}

}  // namespace ratectl::commands::governor
