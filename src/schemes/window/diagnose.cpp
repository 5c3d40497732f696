// The rules for windows: PEXPIRETIME == (exp + 1) * 1000 for both halves, and everything that can stand in its way.
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>

#include "domain/diagnosis/finding.h"
#include "schemes/window/window_scheme.h"
#include "support/time_text.h"

namespace ratectl::schemes::window {
namespace {

using domain::Circumstances;
using domain::Finding;
using domain::FindingClass;
using domain::has_wrong_type;
using domain::integer_of;
using domain::is_there;
using domain::kExpiryTolerance;
using domain::StoredKey;
using domain::WindowLook;
using support::Milliseconds;
using support::Moment;

std::optional<std::int64_t> expires_at(const StoredKey& stored, const Circumstances& around) {
    return domain::expires_at(stored, around.server_now);
}

std::string duration(std::int64_t ms) { return support::format_duration(Milliseconds{std::abs(ms)}); }

// ---- one rule after the other
// ---------------------------------------------------------------------------------------------------

/// As it is written, of any size.
bool is_integer(std::string_view text) {
    text.remove_prefix(text.starts_with('-') ? 1 : 0);
    return !text.empty() && text.front() != '0' && text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::optional<std::string> corrupt_half(const StoredKey& half, std::string_view name, bool is_number) {
    if (has_wrong_type(half)) return fmt::format("the {} is a {}", name, *half.type);
    if (!half.value || is_number) return std::nullopt;
    return fmt::format("the {} holds {}, which is {}", name, domain::value_words(*half.value),
                       is_integer(*half.value) ? "out of range" : "no integer");
}

/// What the application's scripts read there: numbers as Lua has them, blanks around them and fractions included.
std::optional<double> number_in_lua(const StoredKey& half) {
    constexpr std::string_view blanks = " \t\n\v\f\r";
    std::string_view text = half.value ? std::string_view(*half.value) : std::string_view();
    text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
    text = text.substr(0, text.find_last_not_of(blanks) + 1);
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool is_number = error == std::errc() && end == text.data() + text.size();
    return is_number ? std::optional{number} : std::nullopt;
}

/// What the application does with a corrupt window: it reads the expiry half first, and counts with INCRBY in a window
/// that is open, or else sets both halves anew, whatever is there.
std::string_view effect_of_corrupt(const WindowLook& look, Moment now) {
    const auto& counter = stored_used(look);
    const auto& expiry = stored_reset(look);
    if (has_wrong_type(expiry))
        return "every look and every request of this client ends in an error (WRONGTYPE), until it is removed";
    const auto end = number_in_lua(expiry);
    const bool is_open = end && *end >= static_cast<double>(support::epoch_seconds(now));
    if (has_wrong_type(counter) && is_open)
        return "every look and every request of this client ends in an error (WRONGTYPE) until the window ends; the "
               "next request then starts a new one";
    if (has_wrong_type(counter))
        return "looks at this client end in an error (WRONGTYPE); the next request starts a new window in its place";
    if (!is_open)
        return "the application sees no window: the next request starts a new one in its place, and what was counted "
               "is lost";
    if (counter.value && !integer_of(counter))
        return "every request of this client fails at INCRBY until the window ends; the next one then starts anew";
    return "the application takes the end for a number that is not over, and goes on counting in this window";
}

Finding corrupt_finding(const WindowLook& look, Moment now, std::string detail) {
    constexpr std::string_view of_strings =
        "find the writer; `ratectl reset --state corrupt KEY` removes both halves, and the next request starts anew";
    constexpr std::string_view of_others =
        "find the writer; ratectl changes strings alone, so what wrote it, or DEL in redis-cli, has to remove it";
    return {FindingClass::corrupt, std::move(detail), effect_of_corrupt(look, now),
            has_wrong_type(look) ? of_others : of_strings};
}

std::optional<Finding> corrupt(const WindowLook& look, Moment now) {
    auto counter = corrupt_half(stored_used(look), "counter", integer_of(stored_used(look)).has_value());
    auto expiry = corrupt_half(stored_reset(look), "expiry half", end_of(stored_reset(look)).has_value());
    if (!counter && !expiry) return std::nullopt;
    if (counter && expiry) return corrupt_finding(look, now, *counter + "; " + *expiry);
    return corrupt_finding(look, now, counter ? *counter : *expiry);
}

std::optional<Finding> orphan(const WindowLook& look, const Circumstances& around) {
    if (!is_there(stored_reset(look))) {
        const auto expires = expires_at(stored_used(look), around);
        const auto used = *integer_of(stored_used(look));
        if (expires) return Finding{FindingClass::orphan_counter, fmt::format("{} used, no expiry half", used)};
        return Finding{FindingClass::orphan_counter,
                       fmt::format("{} used, no expiry half and no TTL: a late EXPIREAT leaves this", used)};
    }
    if (is_there(stored_used(look))) return std::nullopt;
    const bool stays = !expires_at(stored_reset(look), around);
    return Finding{FindingClass::orphan_expiry,
                   fmt::format("ends {}, no counter{}", support::format_time(*end_of(stored_reset(look))),
                               stays ? ", and no TTL" : "")};
}

/// `the counter`, `the expiry half` or `both`, whichever this is true of; empty: neither.
template <class Test>
std::string_view halves_where(const WindowLook& look, Test test) {
    const bool counter = test(stored_used(look));
    const bool expiry = test(stored_reset(look));
    if (counter && expiry) return "both halves";
    if (counter) return "the counter";
    return expiry ? "the expiry half" : std::string_view{};
}

/// Why the expiries are not right_ms, of a window that has both halves.
std::optional<Finding> wrong_expiry(const WindowLook& look, std::int64_t right_ms, const Circumstances& around) {
    const auto deviation = [&](const StoredKey& half) {
        return expires_at(half, around).value_or(right_ms) - right_ms;
    };
    const auto leaked = halves_where(look, [&](const StoredKey& half) { return !expires_at(half, around); });
    if (!leaked.empty()) {
        return Finding{FindingClass::leaked,
                       fmt::format("{} {} no TTL", leaked, leaked == "both halves" ? "have" : "has")};
    }
    const auto worst = [&](auto better) {
        return better(deviation(stored_used(look)), deviation(stored_reset(look))) ? deviation(stored_used(look))
                                                                                   : deviation(stored_reset(look));
    };
    const auto verb = [](std::string_view halves) { return halves == "both halves" ? "expire" : "expires"; };
    const auto tolerance = kExpiryTolerance.count();
    const auto early = halves_where(look, [&](const StoredKey& half) { return deviation(half) < -tolerance; });
    if (!early.empty()) {
        return Finding{FindingClass::ttl_short,
                       fmt::format("{} {} {} too early", early, verb(early), duration(worst(std::less<>{})))};
    }
    const auto late = halves_where(look, [&](const StoredKey& half) { return deviation(half) > tolerance; });
    if (late.empty()) return std::nullopt;
    return Finding{FindingClass::ttl_long,
                   fmt::format("{} {} {} too late", late, verb(late), duration(worst(std::greater<>{})))};
}

/// The faults of a whole window with an end that is a number.
std::optional<Finding> expiry_fault(const WindowLook& look, const Circumstances& around) {
    const auto end = *end_of(stored_reset(look));
    if (auto found = domain::absurd_end(end, around)) return found;
    auto found = wrong_expiry(look, right_expiry_ms(end), around);
    if (!found || !domain::is_over(end, around)) return found;
    const auto ago = support::epoch_seconds(around.now) - support::epoch_seconds(end);
    return Finding{FindingClass::expiry_past,
                   fmt::format("it ended {} ago, and {}", duration(ago * 1000), found->detail)};
}

/// Half a window that no policy knows and that holds no number is a key of another program.
bool is_foreign(const WindowLook& look, const Circumstances& around) {
    if (around.is_ours || (is_there(stored_used(look)) && is_there(stored_reset(look)))) return false;
    return !integer_of(stored_used(look)) && !end_of(stored_reset(look));
}

}  // namespace

std::optional<std::int64_t> WindowScheme::right_expiry_ms(const WindowLook& look) const {
    const auto end = end_of(stored_reset(look));
    return end ? std::optional{window::right_expiry_ms(*end)} : std::nullopt;
}

bool WindowScheme::looks_sound(const WindowLook& look, const Circumstances& around) const {
    const auto used = integer_of(stored_used(look));
    const auto end = end_of(stored_reset(look));
    if (!used || *used < 0 || !end || domain::absurd_end(*end, around) || look.key.ends_with(suffix_)) return false;
    const auto right_ms = window::right_expiry_ms(*end);
    const auto is_right = [&](const StoredKey& half) {
        const auto expires = expires_at(half, around);
        return expires && std::abs(*expires - right_ms) <= kExpiryTolerance.count();
    };
    return is_right(stored_used(look)) && is_right(stored_reset(look));
}

std::vector<Finding> WindowScheme::diagnose(const WindowLook& look, const Circumstances& around) const {
    std::vector<Finding> findings;
    if (is_absent(look) || is_foreign(look, around)) return findings;
    auto own = corrupt(look, around.now);
    const bool is_corrupt = own.has_value();
    if (!own) own = orphan(look, around);
    if (!own) own = expiry_fault(look, around);
    if (own) findings.push_back(std::move(*own));
    const auto used = integer_of(stored_used(look));
    const auto end = end_of(stored_reset(look));
    if (!is_corrupt && used && *used < 0 && end && *end >= around.now) {
        findings.push_back({FindingClass::negative, fmt::format("{} used", *used)});
    }
    if (look.key.ends_with(suffix_) && is_there(stored_reset(look))) {
        const std::string_view other(look.key.data(), look.key.size() - suffix_.size());
        findings.push_back({FindingClass::suffix_clash, fmt::format("its counter is the expiry half of '{}'", other)});
    }
    return findings;
}

}  // namespace ratectl::schemes::window
