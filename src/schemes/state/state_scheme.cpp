// Judges and writes states through what each limiter says that its own means.
#include "schemes/state/state_scheme.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "domain/diagnosis/finding.h"
#include "schemes/packed.h"
#include "schemes/write_call.h"
#include "support/time_text.h"

namespace ratectl::schemes::state {
namespace {

using domain::Finding;
using domain::FindingClass;
using domain::Window;
using domain::WindowLook;
using domain::WindowState;
using support::Instant;
using support::Moment;

constexpr std::size_t kLongestFraction = 24;
constexpr double kMostSeconds = 9e9;  // more nanoseconds than that are none of 64 bits

/// The first whole second that is not before it.
Instant second_of(std::int64_t ns) { return support::from_epoch(ns / kSecondNs + (ns % kSecondNs > 0 ? 1 : 0)); }

bool shows_anything(const WindowLook& look) {
    return std::ranges::any_of(look.parts, [](const auto& part) { return part.value.has_value(); });
}

/// Of what was none of the limiter's, a record has the bytes alone.
std::string stored_bytes(const domain::StoredWindow& window) { return window.state.value_or(window.used.value_or("")); }

std::string seen_state(const std::optional<domain::StoredWindow>& seen) {
    return seen ? packed({seen->state}) : std::string();
}

/// And its end; empty where nothing of it was there.
std::string seen_window(const std::optional<domain::StoredWindow>& seen) {
    return seen && seen->state ? packed({seen->state, seen->reset_at}) : std::string();
}

}  // namespace

std::optional<double> fraction_in(std::string_view text) {
    const auto* const end = text.data() + text.size();
    double number = 0;
    const auto parsed = std::from_chars(text.data(), end, number, std::chars_format::fixed);
    const bool whole = !text.empty() && text.size() <= kLongestFraction && text.back() != '.';
    if (!whole || parsed.ec != std::errc() || parsed.ptr != end || !std::isfinite(number)) return std::nullopt;
    return number;
}

std::optional<std::int64_t> nanoseconds_in(std::string_view text) {
    const auto seconds = fraction_in(text);
    if (!seconds || std::fabs(*seconds) > kMostSeconds) return std::nullopt;
    const double whole = std::floor(*seconds);
    return static_cast<std::int64_t>(whole) * kSecondNs +
           static_cast<std::int64_t>(std::floor((*seconds - whole) * 1e9 + 0.5));
}

std::string fraction_text(double number) { return fmt::format("{:.17g}", number); }

std::int64_t whole_up(double seconds) {
    constexpr double most = 9e9;
    return static_cast<std::int64_t>(std::clamp(std::ceil(seconds), -most, most));
}

std::optional<double> moment_in(std::string_view text, double most) {
    const auto at = fraction_in(text);
    return at && text.front() >= '0' && text.front() <= '9' && *at <= most ? at : std::nullopt;
}

StateScheme::StateScheme(const Scripts& scripts, Clock clock, const domain::Policy* policy)
    : TypedKeysScheme(true),
      scripts_(scripts),
      clock_(clock),
      policy_(policy != nullptr ? std::vector{*policy} : std::vector<domain::Policy>()) {}

std::optional<std::int64_t> StateScheme::limit_of(std::string_view key) const {
    const auto match = policy_.match(key);
    return match ? match->limit : std::nullopt;
}

std::optional<std::int64_t> StateScheme::known_limit(std::optional<std::int64_t> limit) const {
    return limit && (*limit == 0 || is_countable(*limit)) ? std::optional{most_let_through(*limit)} : std::nullopt;
}

std::optional<std::string> StateScheme::state_in(const WindowLook& look) const {
    const auto stored = std::span(look.parts).first(std::min(own_parts(), look.parts.size()));
    if (stored.size() == 1) return stored.front().value;
    bool there = false;
    std::string state;
    for (std::size_t i = 0; i < stored.size(); ++i) {
        there = there || (stored[i].value && !parts()[i].kept);
        append_packed(state, stored[i].value);
    }
    return there ? std::optional{std::move(state)} : std::nullopt;
}

std::int64_t StateScheme::now_ns(const WindowLook& look, Moment now) const {
    const bool whenever = now == domain::kWhenever;
    if ((clock_ == Clock::server || whenever) && look.server_ms) return *look.server_ms * kMillisecondNs;
    return whenever ? 0 : now.exact().time_since_epoch().count() * kMillisecondNs;
}

/// Null: nothing is there, or nothing of this limiter.
std::optional<Meaning> StateScheme::meaning_at(const WindowLook& look, Moment now,
                                               std::optional<std::int64_t> limit) const {
    if (domain::has_wrong_type(look) || !shows_anything(look)) return std::nullopt;
    return meaning(look, texts_in(look), now_ns(look, now), limit);
}

std::optional<domain::Limiter::StoredLimit> StateScheme::limit_in(const WindowLook& look) const {
    const auto meant = meaning_at(look, domain::kWhenever, limit_of(look.key));
    return meant ? meant->limit : std::nullopt;
}

StateScheme::Texts StateScheme::texts_in(const WindowLook& look) {
    StateScheme::Texts texts;
    for (const auto& part : look.parts) texts.emplace_back(part.value);
    return texts;
}

WindowLook StateScheme::look_after(const WindowLook& look, Moment now, std::int64_t requests) const {
    if (requests == 0) return look;
    auto after = look;
    auto keys = keys_after(look, now, requests);
    keys.resize(own_parts());
    for (std::size_t i = 0; i < std::min(keys.size(), after.parts.size()); ++i)
        if (!parts()[i].kept) after.parts[i] = std::move(keys[i]);
    return after;
}

domain::StoredWindow StateScheme::foreseen(const WindowLook& look, Moment now, std::int64_t requests) const {
    const auto after = look_after(look, now, requests);
    if (!state_in(after)) return {};
    const auto meant = meaning_at(after, now, limit_of(look.key));
    // What would be too much for it to store ends later than all that it could.
    const auto end = meant ? second_of(meant->end_ns) : domain::kLatestMoment + support::Seconds{1};
    return {number(meant ? meant->used : std::nullopt), seconds(end), {}, {}};
}

std::string_view StateScheme::uncountable(const WindowLook& look) const {
    const auto limit = limit_of(look.key);
    return limit && is_countable(*limit) ? "" : "no-rate";
}

Window StateScheme::judge(const WindowLook& look, Moment now, std::optional<std::int64_t> limit) const {
    Window window;
    window.limit = known_limit(limit);
    window.remaining = window.limit;
    if (!corruption(look).empty()) {
        window.state = WindowState::corrupt;
        window.remaining.reset();
        return window;
    }
    const auto meant = meaning_at(look, now, limit);
    if (meant && meant->limit) window.remaining = window.limit = meant->limit->limit;
    const bool there = state_in(look).has_value();
    if (!meant || !(there || meant->stopped) || !meant->counts) {
        window.state = there ? WindowState::closed : WindowState::absent;
        return window;
    }
    window.state = meant->stopped ? WindowState::exhausted : WindowState::open;
    window.used = meant->used;
    window.exhausted = meant->stopped;
    if (meant->stopped) return window;
    if (window.used && *window.used < 0) window.state = WindowState::negative;
    if (meant->endless)
        window.state = WindowState::leaked;
    else
        window.reset_at = second_of(meant->end_ns);
    if (!window.used && window.limit.value_or(1) > 0) window.remaining.reset();
    if (!window.used || !window.limit) return window;
    window.remaining = domain::remaining_of(*window.limit, *window.used);
    window.part_left = meant->part_left;
    window.exhausted = *window.remaining == 0;
    if (!window.exhausted || meant->endless) return window;
    window.state = WindowState::exhausted;
    if (meant->passes_ns) window.passes_at = second_of(*meant->passes_ns);
    return window;
}

std::optional<Instant> StateScheme::open_until(const WindowLook& look, Moment now) const {
    const auto meant = meaning_at(look, now, limit_of(look.key));
    const bool open = meant && meant->counts && !meant->stopped && !meant->endless && state_in(look);
    return open ? std::optional{second_of(meant->end_ns)} : std::nullopt;
}

std::string StateScheme::corruption(const WindowLook& look) const {
    const auto all = parts();
    for (std::size_t i = 0; i < look.parts.size(); ++i) {
        if (domain::has_wrong_type(look.parts[i], all[i].type))
            return type_words(look.parts.size() == 1 ? "key" : "key of the " + std::string(all[i].name),
                              *look.parts[i].type);
    }
    if (!shows_anything(look) || meaning_at(look, domain::kWhenever, limit_of(look.key))) return "";
    return fault_in(texts_in(look));
}

std::string StateScheme::words_of(const WindowLook& look, Moment now) const {
    if (!corruption(look).empty()) return "a value that is no " + std::string(parts().front().name);
    const auto meant = meaning_at(look, now, limit_of(look.key));
    if (meant && meant->stopped) return "a limiter that is stopped";
    if (!meant || !state_in(look)) return "no window";
    if (meant->endless) return std::to_string(meant->used.value_or(0)) + " used, and it never ends";
    const auto end = support::format_time(second_of(meant->end_ns));
    if (!meant->counts) return "nothing used since " + end;
    return (meant->used ? std::to_string(*meant->used) + " used" : std::string("something used")) +
           ", all of it free again at " + end;
}

std::optional<Finding> StateScheme::ttl_fault(const WindowLook& look, const Meaning& meant,
                                              const domain::Circumstances& around) const {
    const auto end = second_of(meant.end_ns);
    for (std::size_t i = 0; i < std::min(own_parts(), look.parts.size()); ++i) {
        const auto& part = look.parts[i];
        if (!domain::is_there(part) || parts()[i].kept) continue;
        const auto name = parts()[i].name;
        if (domain::never_expires(part)) {
            if (end + domain::kOverGrace < around.now)
                return Finding{FindingClass::expiry_past, "all of it is free again, and it never expires"};
            if (stays_for_good()) continue;
            return Finding{FindingClass::leaked, fmt::format("the {} has no TTL", name),
                           "nothing yet: what is used is free again in time, and the key stays",
                           "find what takes the TTL away; once all is free again, doctor --fix expiry-past removes it",
                           domain::Repair::none};
        }
        const auto expires = domain::expires_at(part, around.server_now);
        const auto needed = needed_until_ns(look, i, meant);
        if (!expires || !meant.counts || !needed) continue;
        const auto early = second_of(*needed) - support::from_epoch(*expires / 1000);
        if (early > domain::kOverGrace)
            return Finding{FindingClass::ttl_short,
                           fmt::format("the {} expires {} too early", name, support::format_duration(early)),
                           "what is used is forgotten when the key goes",
                           "is the policy's period that of the limiter? Else find what shortens the TTL",
                           domain::Repair::none};
    }
    return std::nullopt;
}

std::optional<Finding> StateScheme::own_fault(const WindowLook& /*look*/,
                                              const domain::Circumstances& /*around*/) const {
    return std::nullopt;
}

std::vector<Finding> StateScheme::diagnose(const WindowLook& look, const domain::Circumstances& around) const {
    // Any program may have keys without a TTL.
    const bool expires =
        std::ranges::any_of(look.parts, [](const auto& part) { return part.expires_at_ms.has_value(); });
    if (!around.is_ours && !expires) return {};
    if (const auto fault = corruption(look); !fault.empty()) return {{FindingClass::corrupt, fault}};
    const auto meant = meaning_at(look, around.now, limit_of(look.key));
    if (!meant) return {};
    std::vector<Finding> found;
    if (meant->stopped) {
        if (auto fault = ttl_fault(look, *meant, around)) found.push_back(*std::move(fault));
        return found;
    }
    if (meant->used.value_or(0) < 0) found.push_back({FindingClass::negative, std::to_string(*meant->used) + " used"});
    if (meant->endless) {
        found.insert(found.begin(), {FindingClass::endless, std::to_string(meant->used.value_or(0)) + " used"});
        return found;
    }
    if (auto absurd = domain::absurd_end(second_of(meant->end_ns), around)) return {*std::move(absurd)};
    auto fault = ttl_fault(look, *meant, around);
    if (!fault) fault = own_fault(look, around);
    if (fault) found.insert(found.begin(), *std::move(fault));
    return found;
}

domain::StoredWindow StateScheme::stored(const WindowLook& look, Moment now) const {
    auto state = state_in(look);
    const auto meant = meaning_at(look, now, limit_of(look.key));
    if (!state || !meant) return {state, {}, {}, state};
    const bool is_dated = look.server_ms || (clock_ == Clock::application && now != domain::kWhenever);
    const auto used = is_dated ? meant->used : std::nullopt;
    const auto end = meant->endless ? std::nullopt : std::optional{second_of(meant->end_ns)};
    return {used ? std::optional{std::to_string(*used)} : std::nullopt,
            end ? std::optional{seconds(*end)} : std::nullopt,
            {},
            std::move(state)};
}

std::optional<domain::StoredWindow> StateScheme::given_back(const domain::StoredWindow& before,
                                                            const domain::StoredWindow& after) const {
    if (texts_a_request() == 0 || !before.state || (after.used && !after.state)) return std::nullopt;
    auto state = packed_without(*before.state, after.state.value_or(""), texts_a_request());
    return state ? std::optional{domain::StoredWindow{{}, {}, before.expires, std::move(state)}} : std::nullopt;
}

bool StateScheme::went_on(const WindowLook& look, const domain::StoredWindow& was) const {
    if (!was.state) return true;
    auto stored = was;
    for (std::size_t i = 0; i < std::min(look.parts.size(), stored.expires.size()); ++i)
        stored.expires[i] = look.parts[i].expires_at_ms;
    auto then = look_at(look.key, stored);
    for (std::size_t i = 0; i < look.parts.size(); ++i)
        if (parts()[i].kept) then.parts[i] = look.parts[i];
    then.server_ms = look.server_ms;
    return shows_anything(look) && is_later(look, then, was);
}

bool StateScheme::is_later(const WindowLook& look, const WindowLook& then, const domain::StoredWindow& /*was*/) const {
    const std::ptrdiff_t each = parts().front().type == "zset" ? 2 : 1;
    const auto requests = [each](const WindowLook& of) {
        const auto texts = texts_of(of.parts.front().value.value_or("")).value_or(std::vector<OptionalText>());
        std::set<std::vector<OptionalText>> all;
        for (auto at = texts.begin(); texts.end() - at >= each; at += each) all.emplace(at, at + each);
        return all;
    };
    const auto now = requests(look);
    return std::ranges::any_of(requests(then), [&now](const auto& one) { return now.contains(one); });
}

WindowLook StateScheme::look_at(std::string key, const domain::StoredWindow& stored) const {
    const std::size_t count = own_parts();
    WindowLook look{std::move(key), domain::LookDepth::light, this, std::vector<domain::StoredKey>(parts().size()), {}};
    for (std::size_t i = 0; i < count && i < stored.expires.size(); ++i)
        look.parts[i].expires_at_ms = stored.expires[i];
    if (count == 1) {
        look.parts.front().value = stored.state;
        return look;
    }
    const auto texts = texts_of(stored.state.value_or(""), count);
    for (std::size_t i = 0; texts && i < texts->size(); ++i) look.parts[i].value = (*texts)[i];
    return look;
}

std::string StateScheme::clock_at(Moment now) const {
    return clock_ == Clock::application ? std::to_string(now.exact().time_since_epoch().count()) : std::string();
}

template <class Item, class Columns>
redis::ScriptCall StateScheme::call(const redis::Script& script, std::span<const Item* const> items,
                                    const CallHead& head, Columns columns_of) const {
    return schemes::write_call(script, items, head, adds_keys(), [&](const Item& item) {
        const auto& own = columns_of(item);
        std::vector<std::string> all(own.begin(), own.end());
        std::ranges::move(terms(item.at.key), std::back_inserter(all));
        return all;
    });
}

redis::ScriptCall StateScheme::count_call(std::span<const domain::CountItem* const> items, const CallHead& head) const {
    return call(scripts_.count, items, head, [this](const domain::CountItem& item) {
        auto was = seen_window(item.if_was);
        if (item.given_back) was = (was.empty() ? "--" : was) + packed({item.given_back->state});
        return std::array{
            number(item.amount), seen_state(item.if_stored), number(item.if_used_at_least), seconds(item.if_reset),
            std::move(was),      clock_at(item.now)};
    });
}

redis::ScriptCall StateScheme::refund_call(std::span<const domain::RefundItem* const> items,
                                           const CallHead& head) const {
    return call(scripts_.refund, items, head, [this](const domain::RefundItem& item) {
        const std::string none = item.finds_none ? "0" : "";
        return std::array{number(item.amount), seen_window(item.if_was), number(item.if_used_at_least), none,
                          flag(item.clamp),    clock_at(item.now)};
    });
}

redis::ScriptCall StateScheme::reset_call(std::span<const domain::ResetItem* const> items, const CallHead& head) const {
    return call(scripts_.reset, items, head, [this](const domain::ResetItem& item) {
        return std::array{
            std::string(), seen_state(item.if_stored), number(item.if_used_at_least), seconds(item.if_reset),
            std::string(), clock_at(item.now)};
    });
}

redis::ScriptCall StateScheme::put_call(std::span<const domain::PutItem* const> items, const CallHead& head) const {
    if (scripts_.put == nullptr) return Scheme::put_call(items, head);
    return call(*scripts_.put, items, head, [](const domain::PutItem& item) {
        return std::array{item.state.value_or(""), packed({item.if_state}), number(item.expires_at_ms),
                          std::string(),           std::string(),           std::string()};
    });
}

redis::ScriptCall StateScheme::restore_call(std::span<const domain::RestoreItem* const> items,
                                            const CallHead& head) const {
    return call(scripts_.restore, items, head, [this](const domain::RestoreItem& item) {
        const auto& [first, second] = item.window.expires;
        return std::array{stored_bytes(item.window), std::string(),     number(first), number(second),
                          flag(item.merge),          clock_at(item.now)};
    });
}

}  // namespace ratectl::schemes::state
