// Reads rows of time and load.
#include "commands/governor/load_rows.h"

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
        const auto comma = line->find_first_of(",;\t");
        const auto at = moment_in(line->substr(0, comma));
        if (at)
            return TimedLoad{*at, comma == std::string_view::npos ? std::nullopt : load_in(line->substr(comma + 1))};
        if (lines_.line() == 1) continue;
        throw support::Failure(
            ExitCode::local_io,
            fmt::format("line {} of {} begins with no time: {}", lines_.line(), lines_.name(), support::quoted(*line)),
            "rows of an epoch second, or RFC 3339, a comma, and a load");
    }
    return std::nullopt;
}

}  // namespace ratectl::commands::governor
