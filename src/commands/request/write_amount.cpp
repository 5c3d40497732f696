// Reads the amount of a change, strictly.
// `010`, `0x10`, ` 7`, `1e3`, `+5` and the empty text are refused, because each means something else somewhere.
#include "commands/request/write_amount.h"

#include <fmt/format.h>

#include "support/error.h"
#include "support/number_text.h"

namespace ratectl::commands {

namespace {

constexpr std::int64_t kWhole = 10'000;

[[noreturn]] void refuse_amount(const std::string& text, const std::string& expected) {
    throw support::Failure(support::ExitCode::usage, "--amount '" + text + "' is not " + expected,
                           "for example --amount 40");
}

std::optional<std::int64_t> hundredths_of(std::string_view digits) {
    const auto point = digits.find('.');
    const auto whole = support::parse_unsigned(digits.substr(0, point), 100);
    if (!whole) return std::nullopt;
    auto hundredths = static_cast<std::int64_t>(*whole) * 100;
    if (point != std::string_view::npos) {
        std::string fraction(digits.substr(point + 1));
        const bool good =
            !fraction.empty() && fraction.size() <= 2 && fraction.find_first_not_of("0123456789") == std::string::npos;
        if (!good) return std::nullopt;
        fraction.resize(2, '0');
        hundredths += (fraction[0] - '0') * 10 + (fraction[1] - '0');
    }
    if (hundredths < 1 || hundredths > kWhole) return std::nullopt;
    return hundredths;
}

}  // namespace

std::int64_t WriteAmount::of(std::int64_t used) const {
    if (!is_share()) return requests;
    if (used <= 0) return 0;
    return used / kWhole * hundredths + used % kWhole * hundredths / kWhole;
}

std::string WriteAmount::text() const {
    if (!is_share()) return std::to_string(requests);
    std::string text = std::to_string(hundredths / 100);
    if (hundredths % 100 != 0) {
        const auto rest = hundredths % 100;
        text += rest % 10 == 0 ? "." + std::to_string(rest / 10) : (rest < 10 ? ".0" : ".") + std::to_string(rest);
    }
    return text + "%";
}

WriteAmount parse_requests(const std::string& text, std::int64_t least) {
    const auto number = support::parse_unsigned(text, static_cast<std::uint64_t>(support::kMaxExactInteger));
    if (!number || static_cast<std::int64_t>(*number) < least) {
        refuse_amount(
            text, "a whole number from " + std::to_string(least) + " to " + std::to_string(support::kMaxExactInteger));
    }
    return {static_cast<std::int64_t>(*number), 0};
}

WriteAmount parse_requests_or_share(const std::string& text) {
    if (!text.ends_with('%')) return parse_requests(text, 1);
    const auto hundredths = hundredths_of(std::string_view(text).substr(0, text.size() - 1));
    if (!hundredths) refuse_amount(text, "a share above 0% and up to 100%, with at most two decimals");
    return {0, *hundredths};
}

std::uint64_t count_of(std::string_view flag, const std::string& text, std::string_view of_what) {
    const auto number = support::parse_unsigned(text, UINT32_MAX);
    if (number && *number > 0) return *number;
    throw support::Failure(support::ExitCode::usage, fmt::format("{} '{}' is not a number of {}", flag, text, of_what),
                           fmt::format("for example {} 10", flag));
}

void refuse_amount_as_key(const std::vector<std::string>& keys, Context& context) {
    if (keys.size() < 2) return;
    const auto& policies = context.settings().policies;
    for (const std::string& key : keys) {
        const std::string_view digits = std::string_view(key).substr(0, key.size() - (key.ends_with('%') ? 1 : 0));
        if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos) continue;
        if (!policies.empty() && policies.match(key)) continue;
        support::throw_usage("'" + key + "' stands where keys stand, and no policy has such a key; nothing was written",
                             "--amount " + key + " says how many requests; a key of that name is named alone");
    }
}

}  // namespace ratectl::commands
