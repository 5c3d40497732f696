// Reads limit and period out of a key.
#include "schemes/named_quota.h"

#include <algorithm>
#include <array>
#include <utility>

#include "support/number_text.h"

namespace ratectl::schemes {
namespace {

constexpr std::uint64_t kMostUnits = 1'000'000;

}  // namespace

std::optional<domain::Limiter::Quota> named_quota(std::string_view key) {
    static constexpr std::array<std::pair<std::string_view, int>, 6> units{{{"second", 1},
                                                                            {"minute", 60},
                                                                            {"hour", 3600},
                                                                            {"day", 86'400},
                                                                            {"month", 30 * 86'400},
                                                                            {"year", 360 * 86'400}}};
    const auto take_last = [&key] {
        const auto slash = key.rfind('/');
        const auto part = slash == std::string_view::npos ? std::string_view() : key.substr(slash + 1);
        key = key.substr(0, slash == std::string_view::npos ? 0 : slash);
        return part;
    };
    const auto word = take_last();
    const auto multiple = support::parse_unsigned(take_last(), kMostUnits);
    const auto limit = support::parse_unsigned(take_last(), support::kMaxExactInteger);
    const auto* const unit =
        std::find_if(units.begin(), units.end(), [&](const auto& one) { return one.first == word; });
    if (unit == units.end() || !multiple || *multiple == 0 || !limit) return std::nullopt;
    return domain::Limiter::Quota{static_cast<std::int64_t>(*limit),
                                  support::Seconds(static_cast<std::int64_t>(*multiple) * unit->second)};
}

}  // namespace ratectl::schemes
