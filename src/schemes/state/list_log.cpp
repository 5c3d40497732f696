// Reads the times of a list.
#include "schemes/state/list_log.h"

#include <array>
#include <cmath>

#include "schemes/packed.h"

namespace ratectl::schemes::list_log {
namespace {

constexpr double kMostSeconds = 9e9;
constexpr state::Scripts kScripts{kCountScript, kRefundScript, kResetScript, kRestoreScript};

}  // namespace

ListLogScheme::ListLogScheme(log::Rules rules, const domain::Policy* policy) : LogScheme(kScripts, rules, policy) {}

std::span<const domain::Limiter::Part> ListLogScheme::parts() const {
    static constexpr std::array<Part, 1> all{{{"log", "logs", "list"}}};
    return all;
}

std::optional<std::vector<double>> ListLogScheme::times_in(std::string_view text) const {
    std::vector<double> times;
    PackedReader reader(text);
    OptionalView one;
    while (!reader.at_end()) {
        const auto at = reader.next(one) && one ? state::moment_in(*one, kMostSeconds) : std::nullopt;
        if (!at) return std::nullopt;
        times.push_back(*at);
    }
    return times.empty() ? std::nullopt : std::optional{std::move(times)};
}

double ListLogScheme::time_at(std::int64_t now_ms) const {
    const double seconds = static_cast<double>(now_ms) / 1000;
    return rules().whole ? std::floor(seconds) : seconds;
}

bool ListLogScheme::counts(double at, double now, std::int64_t period) const {
    return at >= now - static_cast<double>(period);
}

std::int64_t ListLogScheme::free_at(double at, std::int64_t period) const {
    return static_cast<std::int64_t>(std::floor(at)) + period + 1;
}

}  // namespace ratectl::schemes::list_log
