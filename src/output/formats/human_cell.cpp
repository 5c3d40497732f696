// Formats cells for tables.
#include "output/formats/human_cell.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "output/formats/machine_text.h"
#include "output/printable.h"
#include "support/number_text.h"
#include "support/time_text.h"

namespace ratectl::output {
namespace {

constexpr std::array<std::string_view, 8> kEighths{"",       "\u258f", "\u258e", "\u258d",
                                                   "\u258c", "\u258b", "\u258a", "\u2589"};
constexpr std::string_view kFull = "\u2588";

/// How many of `all` steps are filled.
std::size_t steps(double percent, std::size_t all) {
    if (!(percent > 0) || all == 0) return 0;
    if (percent >= 100) return all;
    const auto filled = static_cast<std::size_t>(std::llround(percent / 100 * static_cast<double>(all)));
    return std::min(std::max<std::size_t>(filled, 1), std::max<std::size_t>(all - 1, 1));
}

}  // namespace

using support::Instant;
using support::Milliseconds;
using support::WallTime;

namespace {

std::string relative(Instant t, Instant now) {
    const auto distance = t - now;
    if (distance.count() == 0) return "now";
    const std::string text = support::format_duration(distance.count() > 0 ? distance : -distance);
    return distance.count() > 0 ? "in " + text : text + " ago";
}

/// From ten minutes on seconds only make a line long.
std::string short_relative(Instant t, Instant now) {
    const auto distance = t - now;
    const bool far = distance >= std::chrono::minutes(10) || distance <= -std::chrono::minutes(10);
    return relative(far ? t - distance % std::chrono::minutes(1) : t, now);
}

constexpr std::size_t kDate = 10;  // the length of 2026-01-01

/// `2026-01-01T00:00:00Z (in 12m31s)`; brief: today's times without their date, others without their clock, both
/// without needless seconds.
HumanCell time_cell(const SinkOptions& options, Instant t) {
    const std::string absolute = support::format_time(t, options.zone);
    if (!options.terminal) return {absolute, Tone::plain};
    HumanCell cell{absolute + " (" + relative(t, options.now) + ")", Tone::plain};
    if (absolute.size() <= kDate || absolute[kDate] != 'T') return cell;
    const bool today = support::format_time(options.now, options.zone).starts_with(absolute.substr(0, kDate));
    cell.brief =
        (today ? absolute.substr(kDate + 1) : absolute.substr(0, kDate)) + " (" + short_relative(t, options.now) + ")";
    cell.dateless = today;
    return cell;
}

std::string wall_time_text(const SinkOptions& options, WallTime t) {
    return options.zone.empty() ? support::format_wall_time(t)
                                : support::format_time(support::to_instant(t), options.zone);
}

/// `2026-01-01T00:00:00.250Z`; brief: without the fraction, today's without their date.
HumanCell wall_time_cell(const SinkOptions& options, WallTime t) {
    HumanCell cell{wall_time_text(options, t), Tone::plain};
    if (!options.terminal) return cell;
    const std::string seconds = support::format_time(support::to_instant(t), options.zone);
    if (seconds.size() <= kDate || seconds[kDate] != 'T') return cell;
    const bool today = support::format_time(options.now, options.zone).starts_with(seconds.substr(0, kDate));
    cell.brief = today ? seconds.substr(kDate + 1) : seconds;
    cell.dateless = today;
    return cell;
}

std::string number_text(double value) {
    if (!std::isfinite(value)) return "-";
    if (std::abs(value) >= 1e15) return fmt::format("{}", value);  // hundreds of digits tell nothing
    const double tenths = std::round(value * 10) / 10;
    return fmt::format("{:.{}f}", tenths, tenths == std::round(tenths) ? 0 : 1);
}

std::string digits(const SinkOptions& options, const std::string& text) {
    return options.thousands ? support::with_thousands(text) : text;
}

constexpr std::size_t kBar = 10;

/// `######      62.5`; brief, and in a pipe, only the number.
HumanCell percent_cell(const SinkOptions& options, double value) {
    std::string number = support::percent_text(value);
    if (number.ends_with(".0")) number.resize(number.size() - 2);
    number = digits(options, number);
    if (!options.terminal) return {number, Tone::plain};
    return {bar(value, kBar, options.ascii) + fmt::format(" {:>5}", number), Tone::plain, number};
}

char mark_of(const SinkOptions& options, Tone tone) {
    if (!options.terminal) return ' ';
    return tone == Tone::bad ? '!' : tone == Tone::warning ? '~' : ' ';
}

std::string bytes_text(const SinkOptions& options, const Column& column, std::string_view bytes) {
    if (bytes.empty()) return is_bytes(column.type) ? "\"\"" : "";
    if (column.type == CellType::key && encodes_keys(options)) return encode_key(*options.key_format, bytes);
    return options.terminal && options.ascii ? printable_ascii(bytes) : printable(bytes);
}

}  // namespace

HumanCell human_cell(const SinkOptions& options, const Column& column, const Cell& cell) {
    if (const auto* word = std::get_if<Word>(&cell))
        return {std::string(word->text), word->tone, {}, mark_of(options, word->tone)};
    if (const auto text = text_of(cell)) return {bytes_text(options, column, *text), Tone::plain};
    if (const auto* integer = std::get_if<std::int64_t>(&cell)) {
        if (column.type == CellType::byte_count) return {support::format_bytes(*integer), Tone::plain};
        return {digits(options, fmt::to_string(*integer)), Tone::plain};
    }
    if (const auto* time = std::get_if<Instant>(&cell)) return time_cell(options, *time);
    if (const auto* wall = std::get_if<WallTime>(&cell)) return wall_time_cell(options, *wall);
    if (const auto* duration = std::get_if<Milliseconds>(&cell))
        return {support::format_duration(*duration), Tone::plain};
    if (const auto* number = std::get_if<double>(&cell)) {
        if (column.type == CellType::percent) return percent_cell(options, *number);
        return {digits(options, number_text(*number)), Tone::plain};
    }
    if (const auto* boolean = std::get_if<bool>(&cell)) return {*boolean ? "yes" : "no", Tone::plain};
    return {"-", Tone::dim};
}

bool leans_right(CellType type) {
    return type == CellType::integer || type == CellType::number || type == CellType::percent ||
           type == CellType::duration_s || type == CellType::duration_ms || type == CellType::byte_count;
}

std::string_view tone_on(Tone tone) {
    switch (tone) {
        case Tone::plain: return "";
        case Tone::good: return "\x1b[32m";
        case Tone::warning: return "\x1b[33m";
        case Tone::bad: return "\x1b[31m";
        case Tone::dim: return "\x1b[2m";
    }
    return "";
}

std::string_view tone_off(Tone tone) { return tone == Tone::plain ? "" : "\x1b[0m"; }

std::string bar(double percent, std::size_t columns, bool ascii) {
    std::string text;
    if (ascii) {
        text.assign(steps(percent, columns), '#');
        text.resize(columns, ' ');
        return text;
    }
    const std::size_t eighths = steps(percent, columns * 8);
    for (std::size_t i = 0; i < eighths / 8; ++i) text += kFull;
    text += kEighths[eighths % 8];
    text.append(columns - (eighths + 7) / 8, ' ');
    return text;
}

}  // namespace ratectl::output
