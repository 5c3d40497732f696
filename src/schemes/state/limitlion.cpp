// LimitLion's throttles: a bucket of tokens in a hash under K, filled with each whole window of time that has passed,
// and beside it a hash of knobs (K:knobs) that people and governors turn. Source: limitlion 1.1, throttle.lua.
#include "schemes/state/limiters.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "domain/diagnosis/finding.h"
#include "schemes/packed.h"
#include "schemes/state/knobs.h"
#include "schemes/write_call.h"
#include "support/number_text.h"

namespace ratectl::schemes::limitlion {

/// Embedded from lua/state/ at build, behind limitlion.lua.
extern const Scripts kScripts;

namespace {

/// As soon as the knobs say how many a second, all that counts is theirs: rps, burst and window. Else it is the
/// policy's: `limit` tokens come back with each window, which is `period` long, and `burst` is the capacity (else as
/// much as `limit`). A write of a throttle never touches its knobs, and a reset leaves them.
class LimitlionScheme final : public state::StateScheme {
public:
    explicit LimitlionScheme(const domain::Policy* policy);

    /// Knobs have a scheme of their own.
    const Scheme& of(std::string_view key) const override;
    std::string_view layout() const override { return "bucket filled by windows"; }
    std::span<const Part> parts() const override;
    std::string part_key(std::string_view key, std::size_t part) const override;
    std::string part_glob(std::string_view glob, std::size_t part) const override { return part_key(glob, part); }
    std::optional<PartOf> part_of(std::string_view stored) const override;
    std::optional<Scanned> scanned_as(std::string_view name) const override;
    std::optional<support::Instant> next_end(std::string_view key, support::Moment now,
                                             std::optional<support::Seconds> period) const override;
    std::optional<domain::Knobs> knobs_in(const domain::WindowLook& look) const override {
        return look.parts.size() > 1 ? knobs::read(look.parts[1]) : std::nullopt;
    }
    std::string_view uncountable(const domain::WindowLook& look) const override;
    std::vector<domain::Finding> diagnose(const domain::WindowLook& look,
                                          const domain::Circumstances& around) const override;
    /// A throttle is known by its bucket, and by its knobs where it has none.
    std::string scan_pattern(std::string_view glob, bool orphans) const override;
    bool is_its_sighting(const domain::WindowLook& look, bool scan_key, bool /*by_name*/) const override {
        return scan_key == domain::is_there(look.parts.front());
    }
    std::int64_t most_let_through(std::int64_t limit) const override;

private:
    Keys keys_after(const domain::WindowLook& look, support::Moment now, std::int64_t requests) const override;
    std::optional<state::Meaning> meaning(const domain::WindowLook& look, const Texts& texts, std::int64_t now_ns,
                                          std::optional<std::int64_t> limit) const override;
    bool is_later(const domain::WindowLook& look, const domain::WindowLook& then,
                  const domain::StoredWindow& was) const override;
    std::vector<std::string> terms(const std::string& key) const override;
    std::string fault_in(const Texts& texts) const override;

    knobs::KnobsScheme knobs_;

    struct Rates {
        double rps = 0;
        double window = 0;    // in seconds
        double capacity = 0;  // whole
        bool by_knobs = false;

        bool stopped() const { return !unlimited() && !(rps > 0 && window > 0 && capacity > 0); }
        bool unlimited() const { return by_knobs && rps == -1; }
        /// So many tokens have come back after so many windows.
        double back_after(double windows) const;
        /// The moment in which this many lack no more.
        std::int64_t end_ns(double at, double lacking) const;
    };
    /// Of what the knobs say (null: they say nothing, and the policy does) or would be broken by.
    std::optional<Rates> rates(const std::optional<std::string_view>& knobs, std::optional<std::int64_t> limit) const;
};

using state::kSecondNs;
using support::Instant;
using support::Moment;

constexpr double kMostSeconds = 9e9;     // more nanoseconds than that are none of 64 bits
constexpr double kFractionNoise = 1e-3;  // what fractions may be off
constexpr auto kMostTokens = static_cast<double>(support::kMaxExactInteger);
constexpr std::size_t kLongestNumber = 24;
constexpr std::string_view kTurnAnew =
    "`ratectl knobs set NAME rps=N burst=N window=N` makes them whole, and `ratectl knobs unset NAME` removes them, so "
    "that the application's own figures count";
constexpr std::string_view kOtherType = "find the writer: no command of ratectl removes knobs of another type";
constexpr std::array<std::string_view, 2> kBucketFields{"tokens", "refreshed"};

/// As Python and Lua write numbers: `2.5`, `1e-05`.
std::optional<double> number_in(const OptionalText& text) {
    if (!text) return std::nullopt;
    const auto mark = text->find_first_of("eE");
    auto number = state::fraction_in(std::string_view(*text).substr(0, mark));
    if (!number || mark == std::string::npos) return number;
    auto power = std::string_view(*text).substr(mark + 1);
    if (power.starts_with('-') || power.starts_with('+')) power.remove_prefix(1);
    const bool is_short = !power.empty() && power.size() <= 2 && text->size() <= kLongestNumber;
    const bool is_whole = std::ranges::all_of(power, [](char c) { return c >= '0' && c <= '9'; });
    if (!is_short || !is_whole) return std::nullopt;
    std::from_chars(text->data(), text->data() + text->size(), *number);
    return number;
}

bool is_within(const std::optional<double>& number, double most) { return !number || std::fabs(*number) <= most; }

/// Knobs that count: without a rate the others are ignored. Null: there are none.
std::optional<domain::Knobs> turned(const std::optional<std::string_view>& text) {
    domain::StoredKey key;
    if (text) key.value = *text;
    auto knobs = knobs::read(key);
    return knobs && knobs->of(domain::Knob::rps) ? knobs : std::nullopt;
}

/// What a hash shows of its fields; null: there is none.
std::optional<std::vector<OptionalText>> fields_in(const std::optional<std::string_view>& text, std::size_t fields) {
    return text ? fields_of(*text, fields) : std::nullopt;
}

}  // namespace

LimitlionScheme::LimitlionScheme(const domain::Policy* policy) : StateScheme(kScripts, state::Clock::server, policy) {}

std::span<const domain::Limiter::Part> LimitlionScheme::parts() const {
    static constexpr std::array<Part, 2> all{
        {{"bucket", "buckets", "hash", kBucketFields}, {"knobs", "knobs", "hash", knobs::kFields, true, false, true}}};
    return all;
}

const Scheme& LimitlionScheme::of(std::string_view key) const {
    return part_of(key) ? static_cast<const Scheme&>(knobs_) : *this;
}

std::string LimitlionScheme::part_key(std::string_view key, std::size_t part) const {
    return std::string(key).append(part == 0 ? "" : knobs::kSuffix);
}

std::optional<domain::Limiter::PartOf> LimitlionScheme::part_of(std::string_view stored) const {
    if (!stored.ends_with(knobs::kSuffix)) return std::nullopt;
    return PartOf{stored.substr(0, stored.size() - knobs::kSuffix.size()), 1};
}

std::optional<Scheme::Scanned> LimitlionScheme::scanned_as(std::string_view name) const {
    const auto own = TypedKeysScheme::scanned_as(name);
    const auto part = own ? part_of(name) : std::nullopt;
    return part ? std::optional{Scanned{part->stem, false}} : own;
}

// Wider than the glob: it also has to find K:knobs; the sweep compares K with the glob again.
std::string LimitlionScheme::scan_pattern(std::string_view glob, bool orphans) const {
    return std::string(glob).append(orphans && !glob.ends_with('*') ? "*" : "");
}

double LimitlionScheme::Rates::back_after(double windows) const { return std::ceil(windows * rps * window); }

std::int64_t LimitlionScheme::Rates::end_ns(double at, double lacking) const {
    const double lacks = std::ceil(lacking);
    double windows = lacks > 0 ? std::max(1.0, std::floor((lacks - 1) / (rps * window)) - 1) : 0;
    while (windows <= kMostSeconds && back_after(windows) < lacks) ++windows;
    const double end = windows > kMostSeconds ? kMostSeconds : std::ceil(at + windows * window);
    return static_cast<std::int64_t>(std::clamp(end, -kMostSeconds, kMostSeconds)) * kSecondNs;
}

std::optional<LimitlionScheme::Rates> LimitlionScheme::rates(const std::optional<std::string_view>& knobs,
                                                             std::optional<std::int64_t> limit) const {
    if (const auto set = turned(knobs)) {
        if (!domain::breakage_of(*set).empty()) return std::nullopt;
        const auto number = [&set](domain::Knob knob) { return *domain::limiter_number(*set->of(knob)); };
        const double rps = number(domain::Knob::rps);
        const double window = number(domain::Knob::window);
        if (rps == 0 || rps == -1) return Rates{rps, window, 0, true};
        return Rates{rps, window, std::ceil(rps * number(domain::Knob::burst) * window), true};
    }
    const auto span = period();
    if (!limit || !span) return Rates{};
    const auto seconds = static_cast<double>(span->count());
    return Rates{static_cast<double>(*limit) / seconds, seconds, static_cast<double>(most_let_through(*limit))};
}

std::int64_t LimitlionScheme::most_let_through(std::int64_t limit) const {
    return limit > 0 && policy() != nullptr ? policy()->burst.value_or(limit) : limit;
}

std::optional<state::Meaning> LimitlionScheme::meaning(const domain::WindowLook& look, const Texts& texts,
                                                       std::int64_t now_ns, std::optional<std::int64_t> limit) const {
    const auto each = rates(texts[1], limit);
    if (!each) return std::nullopt;
    if (!each->by_knobs && !(is_within(each->capacity, kMostTokens) && is_within(each->window, kMostSeconds)))
        return std::nullopt;
    const auto bucket = fields_in(texts[0], kBucketFields.size()).value_or(std::vector<OptionalText>(2));
    const auto stored = number_in(bucket[0]);
    const auto at = number_in(bucket[1]);
    if ((bucket[0] && !stored) || (bucket[1] && !at)) return std::nullopt;
    if (!is_within(stored, kMostTokens) || !is_within(at, kMostSeconds)) return std::nullopt;

    state::Meaning meant{.used = 0, .end_ns = now_ns};
    if (each->unlimited()) {
        meant.limit = StoredLimit{};
    } else if (each->by_knobs) {
        const auto window = support::Seconds(state::whole_up(each->window));
        meant.limit = StoredLimit{static_cast<std::int64_t>(each->stopped() ? 0 : each->capacity), window};
    }
    if (!each->by_knobs && (!limit || !period())) {
        const auto expires = look.parts.front().expires_at_ms;
        meant.used.reset();
        meant.counts = true;
        if (expires) meant.end_ns = *expires * state::kMillisecondNs;
        return meant;
    }
    meant.stopped = each->stopped();
    meant.counts = meant.stopped;
    if (meant.stopped || each->unlimited()) return meant;

    const std::int64_t second = now_ns / kSecondNs;
    const auto now = static_cast<double>(second);
    const double tokens = stored.value_or(each->capacity);
    const double windows = std::floor(std::max(0.0, now - at.value_or(0)) / each->window);
    const double filled = std::min(each->capacity, tokens + each->back_after(windows));
    meant.used = static_cast<std::int64_t>(each->capacity - std::floor(filled));
    meant.part_left = filled - std::floor(filled);
    meant.counts = filled < each->capacity;
    meant.end_ns = each->end_ns(at.value_or(0), each->capacity - tokens);
    meant.passes_ns = each->end_ns(at.value_or(0), 1 - tokens);
    return meant;
}

bool LimitlionScheme::is_later(const domain::WindowLook& look, const domain::WindowLook& then,
                               const domain::StoredWindow& /*was*/) const {
    const auto each = rates(texts_in(look)[1], limit_of(look.key));
    if (!each || each->stopped() || each->unlimited()) return false;
    struct Held {
        double tokens = 0, at = 0;
    };
    const auto held = [&each](const domain::WindowLook& of) {
        const auto bucket = fields_in(texts_in(of)[0], kBucketFields.size()).value_or(std::vector<OptionalText>(2));
        return Held{number_in(bucket[0]).value_or(each->capacity), number_in(bucket[1]).value_or(0)};
    };
    const auto now = held(look);
    const auto before = held(then);
    const double windows = (now.at - before.at) / each->window;
    const double most = windows * each->back_after(1) + kFractionNoise;
    return now.tokens - before.tokens <= most && std::fabs(windows - std::floor(windows + 0.5)) < kFractionNoise;
}

std::string LimitlionScheme::fault_in(const Texts& texts) const {
    const auto set = turned(texts[1]);
    const auto broken = set ? domain::breakage_of(*set) : std::string();
    return broken.empty() ? StateScheme::fault_in(texts) : broken;
}

// Where the knobs are what is broken, the bucket may go, and nothing is mended.
std::vector<domain::Finding> LimitlionScheme::diagnose(const domain::WindowLook& look,
                                                       const domain::Circumstances& around) const {
    auto found = StateScheme::diagnose(look, around);
    if (found.empty() || found.front().what != domain::FindingClass::corrupt) return found;
    const auto set = turned(texts_in(look)[1]);
    if (set && !domain::breakage_of(*set).empty()) found.front().own_advice = kTurnAnew;
    if (domain::has_wrong_type(look.parts[1], "hash")) found.front().own_advice = kOtherType;
    return found;
}

// After one request: what is used comes back with the next window.
std::optional<Instant> LimitlionScheme::next_end(std::string_view /*key*/, Moment now,
                                                 std::optional<support::Seconds> period) const {
    const auto window = this->period();
    if (!window && !period) return std::nullopt;
    return now + window.value_or(period.value_or(support::Seconds{}));
}

std::string_view LimitlionScheme::uncountable(const domain::WindowLook& look) const {
    const auto each = rates(texts_in(look)[1], limit_of(look.key));
    if (!each) return "";  // corrupt
    if (each->stopped()) return each->by_knobs ? "not-counted" : "no-rate";
    return each->unlimited() ? "not-counted" : "";
}

state::StateScheme::Keys LimitlionScheme::keys_after(const domain::WindowLook& look, Moment now,
                                                     std::int64_t requests) const {
    const auto texts = texts_in(look);
    const auto each = rates(texts[1], limit_of(look.key));
    if (!each || each->stopped() || each->unlimited()) return {};
    const auto bucket = fields_in(texts[0], kBucketFields.size()).value_or(std::vector<OptionalText>(2));
    const std::int64_t now_s = now_ns(look, now) / kSecondNs;
    const auto second = static_cast<double>(now_s);
    double tokens = number_in(bucket[0]).value_or(each->capacity);
    double at = number_in(bucket[1]).value_or(0);
    const auto windows = [&] { return std::floor(std::max(0.0, second - at) / each->window); };
    const auto filled = [&] { return std::min(each->capacity, tokens + each->back_after(windows())); };
    // What is given back is put beside what there was, before time has brought more.
    if (requests > 0) {
        tokens = filled();
        at = at == 0 ? second : at + windows() * each->window;
    }
    tokens = std::min(each->capacity, tokens - static_cast<double>(requests));
    if (filled() >= each->capacity) return {};
    return {{packed({state::fraction_text(tokens), state::fraction_text(at)}), {}, {}, {}}};
}

std::vector<std::string> LimitlionScheme::terms(const std::string& key) const {
    const auto window = period();
    return {number(limit_of(key)), window ? std::to_string(window->count()) : std::string(),
            number(policy() != nullptr ? policy()->burst : std::nullopt)};
}

Made make(const domain::Policy* policy) { return std::make_unique<LimitlionScheme>(policy); }

}  // namespace ratectl::schemes::limitlion
