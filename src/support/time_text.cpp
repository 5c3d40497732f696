// Reads and writes durations and times, strictly; zones come from the system's time zone database.
#include "support/time_text.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <string_view>

#include <fmt/format.h>

#include "support/error.h"
#include "support/number_text.h"

namespace ratectl::support {
namespace {

struct Unit {
    std::string_view name;
    std::int64_t milliseconds;
};
constexpr std::array<Unit, 5> kUnits{{{"d", 86'400'000}, {"h", 3'600'000}, {"m", 60'000}, {"s", 1000}, {"ms", 1}}};
constexpr std::int64_t kLongestDuration = std::int64_t{36'500} * 86'400'000;

constexpr Instant kFirstPrintable{Seconds{-62'167'219'200}};  // 0000-01-01T00:00:00Z
constexpr Instant kLastPrintable{Seconds{253'402'300'799}};   // 9999-12-31T23:59:59Z

tl::unexpected<Error> bad_duration(std::string_view text, std::string_view why, std::string hint = {}) {
    if (hint.empty()) hint = "write it like 500ms, 90s, 15m, 1h30m or 2d";
    return failure(ExitCode::usage, fmt::format("'{}' is not a duration: {}", text, why), std::move(hint));
}

tl::unexpected<Error> bad_time(std::string_view text, std::string_view why, std::string hint = {}) {
    if (hint.empty()) hint = "write it like 1767225600, 2026-01-01T00:00:00Z, 2026-01-01, yesterday, +15m, -15m or now";
    return failure(ExitCode::usage, fmt::format("'{}' is not a time: {}", text, why), std::move(hint));
}

/// Index into kUnits, or its size for a name that is none.
std::size_t unit_index(std::string_view name) {
    for (std::size_t i = 0; i < kUnits.size(); ++i) {
        if (kUnits[i].name == name) return i;
    }
    return kUnits.size();
}

/// `n` digits at `at` as a number, -1 when they are not all there.
int fixed_number(std::string_view text, std::size_t at, std::size_t n) {
    if (at + n > text.size()) return -1;
    int value = 0;
    for (const char c : text.substr(at, n)) {
        if (c < '0' || c > '9') return -1;
        value = value * 10 + (c - '0');
    }
    return value;
}

/// The offset of RFC 3339: `Z` or `+hh:mm`.
std::optional<Seconds> parse_offset(std::string_view text) {
    if (text == "Z" || text == "z") return Seconds{0};
    if (text.size() != 6 || (text[0] != '+' && text[0] != '-') || text[3] != ':') return std::nullopt;
    const int hours = fixed_number(text, 1, 2);
    const int minutes = fixed_number(text, 4, 2);
    if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59) return std::nullopt;
    const Seconds offset = std::chrono::hours{hours} + std::chrono::minutes{minutes};
    return text[0] == '-' ? -offset : offset;
}

std::optional<Instant> parse_rfc3339(std::string_view text) {
    using namespace std::chrono;
    constexpr std::string_view shape = "dddd-dd-ddTdd:dd:dd";
    if (text.size() <= shape.size()) return std::nullopt;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        const bool separator = shape[i] != 'd' && text[i] != shape[i];
        if (separator && !(i == 10 && (text[i] == 't' || text[i] == ' '))) return std::nullopt;
    }
    const int y = fixed_number(text, 0, 4);
    const int mo = fixed_number(text, 5, 2);
    const int d = fixed_number(text, 8, 2);
    const int h = fixed_number(text, 11, 2);
    const int mi = fixed_number(text, 14, 2);
    const int s = fixed_number(text, 17, 2);
    if (y < 0 || mo < 0 || d < 0 || h < 0 || h > 23 || mi < 0 || mi > 59 || s < 0 || s > 59) return std::nullopt;
    const year_month_day date{year{y}, month{static_cast<unsigned>(mo)}, day{static_cast<unsigned>(d)}};
    if (!date.ok()) return std::nullopt;
    std::string_view rest = text.substr(shape.size());
    if (rest.starts_with('.')) {
        const std::size_t end = rest.find_first_not_of("0123456789", 1);
        if (end == 1 || end == std::string_view::npos) return std::nullopt;
        rest.remove_prefix(end);
    }
    const auto offset = parse_offset(rest);
    if (!offset) return std::nullopt;
    return Instant{sys_days{date}} + hours{h} + minutes{mi} + Seconds{s} - *offset;
}

/// Where a day begins, in UTC.
std::optional<Instant> parse_day(std::string_view text, Instant now) {
    const Instant today = std::chrono::floor<std::chrono::days>(now);
    if (text == "today") return today;
    if (text == "yesterday") return today - std::chrono::days{1};
    constexpr std::size_t length = 10;
    return text.size() == length ? parse_rfc3339(std::string(text) + "T00:00:00Z") : std::nullopt;
}

/// `2026-01-01T00:00:00`, of a time that is known to be printable.
std::string date_and_time(Instant t) {
    const auto day = std::chrono::floor<std::chrono::days>(t);
    const std::chrono::year_month_day date{day};
    const std::chrono::hh_mm_ss clock{t - day};
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", static_cast<int>(date.year()),
                       static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), clock.hours().count(),
                       clock.minutes().count(), clock.seconds().count());
}

bool printable_year(Instant t) { return t >= kFirstPrintable && t <= kLastPrintable; }

// The C library is asked about a zone that is named by its file. The date library knows zones too, but Debian has it as
// a shared library only, which brings libstdc++ as one: a single check then takes 0.72 of the time of redis-cli GET,
// and without the two 0.56 (the bound is 0.6).
constexpr const char* kFolder = "/usr/share/zoneinfo/";
constexpr const char* kLocalFile = "/etc/localtime";
constexpr std::string_view kMagic = "TZif";

/// A zone's name, and nothing that leads out of the folder or to its other files.
bool is_name(std::string_view name) {
    const bool plain = std::ranges::all_of(name, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
               c == '+' || c == '/';
    });
    return plain && !name.empty() && name.front() != '/' && !name.starts_with("posix/") && !name.starts_with("right/");
}

std::string file_of(const std::string& zone) { return zone == kLocalZone ? kLocalFile : kFolder + zone; }

void choose(const std::string& zone) {
    static std::string chosen;
    if (chosen == zone) return;
    if (!has_zone(zone)) throw Failure(ExitCode::bug, "the time zone '" + zone + "' was not checked");
    ::setenv("TZ", (":" + file_of(zone)).c_str(), 1);
    ::tzset();
    chosen = zone;
}

}  // namespace

Result<Milliseconds> parse_duration(std::string_view text) {
    if (text.empty()) return bad_duration(text, "it is empty");
    if (text == "0") return bad_duration(text, "it must be longer than nothing");
    if (parse_decimal(text)) {
        return bad_duration(text, "it has no unit", fmt::format("say the unit: {}s, {}m, {}h", text, text, text));
    }
    std::int64_t total = 0;
    std::size_t next_unit = 0;
    for (std::string_view rest = text; !rest.empty();) {
        const std::string_view digits = rest.substr(0, rest.find_first_not_of("0123456789"));
        rest.remove_prefix(digits.size());
        const std::string_view name = rest.substr(0, rest.find_first_of("0123456789"));
        rest.remove_prefix(name.size());
        if (digits.empty()) return bad_duration(text, "a number is missing or is not a plain decimal");
        const auto number = parse_unsigned(digits, static_cast<std::uint64_t>(kLongestDuration));
        if (!number) return bad_duration(text, fmt::format("'{}' is not a plain decimal number", digits));
        const std::size_t unit = unit_index(name);
        if (name.empty()) return bad_duration(text, fmt::format("'{}' has no unit", digits));
        if (unit == kUnits.size()) return bad_duration(text, fmt::format("'{}' is not a unit", name));
        if (unit < next_unit) return bad_duration(text, "units go from large to small, each at most once");
        next_unit = unit + 1;
        const auto count = static_cast<std::int64_t>(*number);
        if (count > (kLongestDuration - total) / kUnits[unit].milliseconds) {
            return bad_duration(text, "it is longer than a hundred years");
        }
        total += count * kUnits[unit].milliseconds;
    }
    if (total == 0) return bad_duration(text, "it must be longer than nothing");
    return Milliseconds{total};
}

std::string format_duration(Milliseconds d) {
    // Unsigned, so that the smallest value has an absolute one too.
    const auto raw = static_cast<std::uint64_t>(d.count());
    std::uint64_t rest = d.count() < 0 ? 0 - raw : raw;
    std::string text = d.count() < 0 ? "-" : "";
    for (std::size_t i = 0; i < kUnits.size(); ++i) {
        const auto unit = static_cast<std::uint64_t>(kUnits[i].milliseconds);
        if (rest < unit) continue;
        text += fmt::format("{}{}", rest / unit, kUnits[i].name);
        rest %= unit;
        if (i + 1 < kUnits.size()) {
            const auto smaller = static_cast<std::uint64_t>(kUnits[i + 1].milliseconds);
            if (rest >= smaller) text += fmt::format("{}{}", rest / smaller, kUnits[i + 1].name);
        }
        return text;
    }
    return "0s";
}

Result<Instant> parse_time(std::string_view text, Instant now) {
    if (text.empty()) return bad_time(text, "it is empty");
    if (text == "now") return now;
    if (text.front() == '+' || text.front() == '-') {
        const auto distance = parse_duration(text.substr(1));
        if (!distance) return bad_time(text, distance.error().message, distance.error().hint);
        const auto whole = std::chrono::duration_cast<Seconds>(*distance);
        if (whole != *distance) return bad_time(text, "times are whole seconds");
        return text.front() == '+' ? now + whole : now - whole;
    }
    if (text.find_first_not_of("0123456789") == std::string_view::npos) {
        const auto epoch = parse_unsigned(text, kMaxExactInteger);
        if (!epoch) return bad_time(text, "it is not a plain decimal second");
        return from_epoch(static_cast<std::int64_t>(*epoch));
    }
    if (const auto day = parse_day(text, now)) return *day;
    const auto instant = parse_rfc3339(text);
    if (!instant) return bad_time(text, "it is neither an epoch second nor RFC 3339");
    return *instant;
}

std::string format_time(Instant t, const std::string& zone) {
    Seconds offset{0};
    if (!printable_year(t)) return fmt::format("{}", epoch_seconds(t));
    if (!zone.empty()) {
        // Whole minutes: the local mean times of long ago have seconds, and RFC 3339 cannot say them.
        offset = std::chrono::duration_cast<std::chrono::minutes>(offset_at(t, zone));
    }
    if (offset == Seconds{0} || !printable_year(t + offset)) return date_and_time(t) + "Z";
    const auto minutes = std::chrono::duration_cast<std::chrono::minutes>(std::chrono::abs(offset)).count();
    return fmt::format("{}{}{:02}:{:02}", date_and_time(t + offset), offset.count() < 0 ? '-' : '+', minutes / 60,
                       minutes % 60);
}

std::string format_wall_time(WallTime t) {
    const Instant second = to_instant(t);
    const auto milliseconds = (t - second).count();
    if (!printable_year(second)) return fmt::format("{}.{:03}", epoch_seconds(second), milliseconds);
    return fmt::format("{}.{:03}Z", date_and_time(second), milliseconds);
}

Result<void> check_zone(const std::string& zone) {
    if (zone.empty() || has_zone(zone)) return {};
    return failure(ExitCode::usage, fmt::format("'{}' is not a time zone that this machine knows", zone),
                   "name it as in Europe/Berlin, UTC or local");
}

Milliseconds duration_of(std::string_view flag, const std::string& text) {
    const auto duration = parse_duration(text);
    if (duration) return *duration;
    throw Failure(ExitCode::usage, std::string(flag) + ": " + duration.error().message, duration.error().hint);
}

bool has_zone(const std::string& name) {
    if (!is_name(name)) return false;
    std::ifstream file(file_of(name), std::ios::binary);
    char magic[kMagic.size()] = {};
    return file.read(magic, sizeof magic) && std::string_view(magic, sizeof magic) == kMagic;
}

Seconds offset_at(Instant t, const std::string& zone) {
    choose(zone);
    const std::time_t second = epoch_seconds(t);
    std::tm local{};
    return ::localtime_r(&second, &local) == nullptr ? Seconds{0} : Seconds{local.tm_gmtoff};
}

}  // namespace ratectl::support
