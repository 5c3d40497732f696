// A decision as a line of numbers.
#include "domain/governor/memory.h"

#include <array>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

namespace ratectl::domain::governor {
namespace {

constexpr std::string_view kFormat = "2";
constexpr std::size_t kNumbers = 17;
constexpr double kLatest = 9e15;  // milliseconds that a double holds exactly

double milliseconds(const std::optional<support::WallTime>& at) {
    return at ? static_cast<double>(at->time_since_epoch().count()) : -1;
}

std::optional<support::WallTime> moment(double milliseconds) {
    if (!(milliseconds >= 0 && milliseconds < kLatest)) return std::nullopt;
    return support::WallTime{support::Milliseconds{static_cast<std::int64_t>(milliseconds)}};
}

std::optional<std::array<double, kNumbers>> numbers_in(std::string_view text) {
    std::array<double, kNumbers> numbers{};
    for (double& number : numbers) {
        if (!text.starts_with(' ')) return std::nullopt;
        const auto* const end = text.data() + text.size();
        const auto parsed = std::from_chars(text.data() + 1, end, number);
        if (parsed.ec != std::errc() || !std::isfinite(number)) return std::nullopt;
        text.remove_prefix(static_cast<std::size_t>(parsed.ptr - text.data()));
    }
    return text.empty() ? std::optional{numbers} : std::nullopt;
}

}  // namespace

std::string text_of(const Decision& decision) {
    const State& next = decision.next;
    const double load = next.last ? next.last->load : -1;
    const auto at = next.last ? std::optional{next.last->at} : std::nullopt;
    return fmt::format("{} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {}", kFormat, next.rps,
                       milliseconds(next.decided_at), milliseconds(next.seen_at), load, milliseconds(at), next.error,
                       next.slope, next.open ? 1 : 0, next.calm, decision.rps, static_cast<int>(decision.why),
                       static_cast<int>(decision.bound), decision.p, decision.i, decision.d, decision.turned ? 1 : 0,
                       next.integral);
}

std::optional<Decision> decision_in(std::string_view text) {
    if (!text.starts_with(kFormat)) return std::nullopt;
    const auto numbers = numbers_in(text.substr(kFormat.size()));
    if (!numbers) return std::nullopt;
    const auto& n = *numbers;
    Decision decision;
    State& next = decision.next;
    next.rps = n[0];
    next.decided_at = moment(n[1]);
    next.seen_at = moment(n[2]);
    if (const auto at = moment(n[4]); at && is_load(n[3])) next.last = Sample{n[3], *at};
    next.error = n[5];
    next.slope = n[6];
    next.open = n[7] != 0;
    next.calm = n[8] >= 0 && n[8] < 1000 ? static_cast<int>(n[8]) : 0;
    decision.rps = n[9];
    const auto last_why = static_cast<double>(Why::unlimited), last_bound = static_cast<double>(Bound::above);
    if (!(n[10] >= 0 && n[10] <= last_why && n[11] >= 0 && n[11] <= last_bound)) return std::nullopt;
    decision.why = static_cast<Why>(static_cast<int>(n[10]));
    decision.bound = static_cast<Bound>(static_cast<int>(n[11]));
    decision.p = n[12];
    decision.i = n[13];
    decision.d = n[14];
    decision.turned = n[15] != 0;
    next.integral = n[16];
    return decision;
}

}  // namespace ratectl::domain::governor
