// Parses a zone's yearly rule from left to right, and applies it with the calendar of std::chrono.
#include "support/zone_rule.h"

#include <algorithm>

namespace ratectl::support {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// Takes parts off the front of a text; each says whether it was there.
class RuleReader {
public:
    explicit RuleReader(std::string_view text) : rest_(text) {}

    bool at_end() const { return rest_.empty(); }

    bool take(char c) {
        if (!rest_.starts_with(c)) return false;
        rest_.remove_prefix(1);
        return true;
    }

    /// `CET` or `<+0530>`.
    bool take_name() {
        const bool quoted = take('<');
        const auto end =
            std::ranges::find_if(rest_, [quoted](char c) { return quoted ? c == '>' : !is_letter(c); }) - rest_.begin();
        rest_.remove_prefix(static_cast<std::size_t>(end));
        return end > 0 && (!quoted || take('>'));
    }

    bool take_number(int& number, int largest) {
        if (rest_.empty() || !is_digit(rest_.front())) return false;
        number = 0;
        for (; !rest_.empty() && is_digit(rest_.front()); rest_.remove_prefix(1)) {
            number = number * 10 + (rest_.front() - '0');
            if (number > largest) return false;
        }
        return true;
    }

    /// `2`, `-1:30`, `26:00:00`.
    bool take_time(Seconds& time) {
        const bool negative = take('-');
        if (!negative) take('+');
        int hours = 0;
        int minutes = 0;
        int seconds = 0;
        if (!take_number(hours, 167)) return false;
        if (take(':') && !take_number(minutes, 59)) return false;
        if (take(':') && !take_number(seconds, 59)) return false;
        time = std::chrono::hours{hours} + std::chrono::minutes{minutes} + Seconds{seconds};
        if (negative) time = -time;
        return true;
    }

    bool take_change(ZoneChange& change) { return take_day(change) && (!take('/') || take_time(change.time)); }

private:
    bool take_day(ZoneChange& change) {
        if (!take('M')) {
            const bool without_leap_day = take('J');
            change.day = without_leap_day ? ZoneChange::Day::of_year_without_leap_day : ZoneChange::Day::of_year;
            return take_number(change.number, 365) && !(without_leap_day && change.number == 0);
        }
        int month = 0;
        int week = 0;
        int weekday = 0;
        const bool there = take_number(month, 12) && take('.') && take_number(week, 5) && take('.') &&
                           take_number(weekday, 6) && month > 0 && week > 0;
        change.month = static_cast<unsigned>(month);
        change.week = static_cast<unsigned>(week);
        change.weekday = static_cast<unsigned>(weekday);
        return there;
    }

    std::string_view rest_;
};

/// When `change` comes in `year`, in seconds of the wall clock before it.
Instant moment_of(const ZoneChange& change, std::chrono::year year) {
    using namespace std::chrono;
    if (change.day == ZoneChange::Day::of_week) {
        const auto month_of_year = year / month{change.month};
        const weekday day{change.weekday};
        const sys_days date =
            change.week == 5 ? sys_days{month_of_year / day[last]} : sys_days{month_of_year / day[change.week]};
        return Instant{date} + change.time;
    }
    constexpr int kLastOfFebruary = 59;  // its number in a year without the leap day
    int days_after_new_year = change.number;
    if (change.day == ZoneChange::Day::of_year_without_leap_day) {
        days_after_new_year -= year.is_leap() && change.number > kLastOfFebruary ? 0 : 1;
    }
    return Instant{sys_days{year / January / 1} + days{days_after_new_year}} + change.time;
}

}  // namespace

std::optional<ZoneRule> ZoneRule::parse(std::string_view text) {
    RuleReader reader(text);
    ZoneRule rule;
    Seconds behind{0};
    if (!reader.take_name() || !reader.take_time(behind)) return std::nullopt;
    rule.standard_ = -behind;
    if (reader.at_end()) return rule;
    if (!reader.take_name()) return std::nullopt;
    rule.summer_ = rule.standard_ + std::chrono::hours{1};
    if (!reader.take(',')) {
        if (!reader.take_time(behind) || !reader.take(',')) return std::nullopt;
        rule.summer_ = -behind;
    }
    if (!reader.take_change(rule.begin_) || !reader.take(',') || !reader.take_change(rule.end_)) return std::nullopt;
    if (!reader.at_end()) return std::nullopt;
    return rule;
}

Seconds ZoneRule::offset_at(Instant t) const {
    if (!summer_) return standard_;
    const auto year = std::chrono::year_month_day{std::chrono::floor<std::chrono::days>(t + standard_)}.year();
    const Instant begin = moment_of(begin_, year) - standard_;
    const Instant end = moment_of(end_, year) - *summer_;
    // South of the equator summer spans the new year.
    const bool summer = begin < end ? begin <= t && t < end : !(end <= t && t < begin);
    return summer ? *summer_ : standard_;
}

}  // namespace ratectl::support
