// The words of watch's goals, and what each asks of the last look.
#include "domain/window_goal.h"

#include <algorithm>
#include <array>
#include <vector>

#include "support/number_text.h"
#include "support/suggest.h"

namespace ratectl::domain {
namespace {

using Kind = WindowGoal::Kind;

constexpr std::string_view kBelow = "below:";
constexpr std::array<std::pair<std::string_view, Kind>, 4> kWords{
    {{"ended", Kind::ended}, {"exhausted", Kind::exhausted}, {"absent", Kind::absent}, {"changed", Kind::changed}}};

support::Result<WindowGoal> parse_below(std::string_view text) {
    WindowGoal goal;
    if (text.ends_with('%')) {
        const auto percent = support::parse_percent(text.substr(0, text.size() - 1));
        goal.kind = Kind::below_percent;
        goal.percent = percent.value_or(0);
        if (percent && *percent > 0) return goal;
    } else {
        const auto count = support::parse_unsigned(text, support::kMaxExactInteger);
        goal.kind = Kind::below;
        goal.count = static_cast<std::int64_t>(count.value_or(0));
        if (count && *count > 0) return goal;
    }
    return support::failure(support::ExitCode::usage,
                            "'below:" + std::string(text) +
                                "' ends with neither a number of requests above 0 nor a share above 0, which is " +
                                std::string(support::kPercentWords),
                            "for example below:100, or below:80%");
}

}  // namespace

support::Result<WindowGoal> parse_window_goal(std::string_view text) {
    if (text.starts_with(kBelow)) return parse_below(text.substr(kBelow.size()));
    const auto* found =
        std::find_if(kWords.begin(), kWords.end(), [&](const auto& word) { return word.first == text; });
    if (found != kWords.end()) return WindowGoal{found->second};
    std::vector<std::string> known{"below:80%"};
    for (const auto& [word, kind] : kWords) known.emplace_back(word);
    std::string hint = support::did_you_mean(text, known);
    if (hint.empty()) hint = "one of ended, exhausted, below:N, below:P%, absent, changed";
    return support::failure(support::ExitCode::usage, "'" + std::string(text) + "' is not a condition to wait for",
                            hint);
}

void WindowPast::note(WindowEvent event) {
    switch (event) {
        case WindowEvent::first:
        case WindowEvent::stale:
        case WindowEvent::failed:
        case WindowEvent::back: return;
        case WindowEvent::ended:
        case WindowEvent::removed: ended = true; [[fallthrough]];
        default: changed = true;
    }
}

bool holds(const WindowGoal& goal, const SeenWindow* now, const WindowPast& past) {
    if (goal.kind == Kind::changed) return past.changed;
    if (goal.kind == Kind::ended && past.ended) return true;
    if (now == nullptr) return false;
    const bool over = now->window.state == WindowState::absent || now->window.state == WindowState::closed;
    // As the limit makes it: what some limiters store says of itself how long, and not how many.
    const auto counts = counts_at(now->window, now->now) ? now->window.used : std::optional<std::int64_t>{0};
    const auto used = now->window.state == WindowState::corrupt ? std::nullopt : counts;
    switch (goal.kind) {
        case Kind::changed: break;
        case Kind::ended:
        case Kind::absent: return over;
        case Kind::exhausted: return now->window.exhausted;
        case Kind::below: return used && *used < goal.count;
        case Kind::below_percent:
            return used && now->window.limit &&
                   static_cast<double>(*used) * 100 < goal.percent * static_cast<double>(*now->window.limit);
    }
    return false;
}

}  // namespace ratectl::domain
