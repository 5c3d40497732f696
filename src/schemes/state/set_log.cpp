// Reads the times of a sorted set.
#include "schemes/state/set_log.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "schemes/packed.h"

namespace ratectl::schemes::set_log {
namespace {

constexpr double kMostMicroseconds = 9e15;
constexpr state::Scripts kScripts{kCountScript, kRefundScript, kResetScript, kRestoreScript};

}  // namespace

SetLogScheme::SetLogScheme(log::Rules rules, const domain::Policy* policy) : LogScheme(kScripts, rules, policy) {}

std::span<const domain::Limiter::Part> SetLogScheme::parts() const {
    static constexpr std::array<Part, 1> all{{{"log", "logs", "zset"}}};
    return all;
}

std::optional<std::vector<double>> SetLogScheme::times_in(std::string_view text) const {
    std::vector<double> times;
    PackedReader reader(text);
    OptionalView score;
    OptionalView member;
    while (!reader.at_end()) {
        const bool sound = reader.next(score) && score && reader.next(member);
        const auto at = sound ? state::moment_in(*score, kMostMicroseconds) : std::nullopt;
        if (!at) return std::nullopt;
        times.push_back(*at);
    }
    std::ranges::reverse(times);
    return times.empty() ? std::nullopt : std::optional{std::move(times)};
}

double SetLogScheme::time_at(std::int64_t now_ms) const { return static_cast<double>(now_ms) * 1000; }

bool SetLogScheme::counts(double at, double now, std::int64_t period) const {
    return at > now - static_cast<double>(period) * 1e6;
}

std::int64_t SetLogScheme::free_at(double at, std::int64_t period) const {
    return static_cast<std::int64_t>(std::ceil(at / 1e6)) + period;
}

}  // namespace ratectl::schemes::set_log
