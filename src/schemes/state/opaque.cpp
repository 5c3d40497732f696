// Windows that are read and never counted into, because only their limiter can write them: one row a limiter says what
// is stored. Looks, resets and their undo do with them what they do with others. Source: limiters that are named in
// schemes/book.cpp.
#include "schemes/state/limiters.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "domain/objects/stored_objects.h"
#include "schemes/packed.h"
#include "support/number_text.h"

/// The scripts of opaque windows that are a hash. Embedded from lua/state/ at build, behind opaque_span.lua.
namespace ratectl::schemes::opaque_span {
extern const Scripts kScripts;
}

namespace ratectl::schemes::opaque {

/// Embedded from lua/state/ at build, behind opaque.lua.
extern const Scripts kScripts;

struct Stored {
    std::string_view text;  // of a hash its fields, packed
    std::int64_t now_ns = 0;
    std::optional<std::int64_t> expires_ns;  // null: the key never does, or it was not asked
    bool endless = false;                    // it never does
    std::optional<std::int64_t> limit;       // of the policy
};

/// What a limiter's text means; null: it stores no such thing.
using Decode = std::optional<state::Meaning> (*)(const Stored& stored);

struct Reader {
    std::string_view layout;
    domain::Limiter::Part part;
    state::Clock clock = state::Clock::server;
    Decode decode = nullptr;
};

namespace {

class OpaqueScheme final : public state::StateScheme {
public:
    OpaqueScheme(const Reader& reader, const domain::Policy* policy);

    std::string_view layout() const override { return reader_.layout; }
    std::span<const Part> parts() const override { return {&reader_.part, 1}; }
    std::string_view uncountable(const domain::WindowLook& /*look*/) const override { return "read-only"; }

private:
    Keys keys_after(const domain::WindowLook& /*look*/, support::Moment /*now*/,
                    std::int64_t /*requests*/) const override {
        return {};
    }
    std::optional<state::Meaning> meaning(const domain::WindowLook& look, const Texts& texts, std::int64_t now_ns,
                                          std::optional<std::int64_t> limit) const override;
    std::vector<std::string> terms(const std::string& /*key*/) const override { return {}; }
    bool is_countable(std::int64_t limit) const override { return limit > 0; }

    const Reader& reader_;
};

using state::kSecondNs;
using state::Meaning;

std::optional<Meaning> django(const Stored& stored) {
    const auto used = support::parse_decimal(stored.text);
    if (!used || *used < 0) return std::nullopt;
    const auto end = stored.expires_ns ? *stored.expires_ns - 5 * kSecondNs : stored.now_ns;
    return Meaning{.used = *used,
                   .counts = !stored.expires_ns || end > stored.now_ns,
                   .end_ns = end,
                   .endless = stored.endless,
                   .passes_ns = end};
}

std::optional<Meaning> laravel_throttle(const Stored& stored) {
    constexpr std::int64_t most = 9'000'000'000;
    const auto fields = fields_of(stored.text, 3);
    std::array<std::int64_t, 3> numbers{};
    if (!fields) return std::nullopt;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const auto number = support::parse_decimal((*fields)[i].value_or(""));
        if (!number || *number < 0 || *number > most) return std::nullopt;
        numbers[i] = *number;
    }
    const auto [first, last, count] = numbers;
    const auto now = stored.now_ns / kSecondNs;
    const auto end = (last + 1) * kSecondNs;
    return Meaning{.used = count, .counts = first <= now && now <= last, .end_ns = end, .passes_ns = end};
}

std::optional<Meaning> laravel_funnel(const Stored& stored) {
    if (stored.text.empty()) return std::nullopt;
    const auto end = stored.expires_ns.value_or(stored.now_ns);
    Meaning taken{.used = 1, .counts = true, .end_ns = end, .endless = stored.endless, .passes_ns = end};
    taken.limit = domain::Limiter::StoredLimit{1};
    return taken;
}

/// Of a bucket: so many tokens, of which `refill` come back in each period, in whole ones where `at_once`.
struct Filling {
    double capacity = 0, tokens = 0, refill = 0, period_ns = 0;
    std::int64_t last_ns = 0;
    bool at_once = false;
};

Meaning meaning_of(const Filling& one, std::int64_t now_ns) {
    const double elapsed = std::max(0.0, static_cast<double>(now_ns - one.last_ns)) / one.period_ns;
    const double back = (one.at_once ? std::floor(elapsed) : elapsed) * one.refill;
    const double filled = std::min(one.capacity, std::floor(one.tokens + back));
    const auto moment = [&](double wanted) {
        const double periods = std::max(0.0, wanted - one.tokens) / one.refill;
        const double ahead = (one.at_once ? std::ceil(periods) : periods) * one.period_ns;
        return one.last_ns +
               static_cast<std::int64_t>(std::min(std::ceil(ahead), 9.2e18 - static_cast<double>(one.last_ns)));
    };
    Meaning meant{.used = static_cast<std::int64_t>(one.capacity - filled),
                  .counts = filled < one.capacity,
                  .end_ns = moment(one.capacity)};
    meant.passes_ns = moment(1);
    meant.limit = domain::Limiter::StoredLimit{static_cast<std::int64_t>(one.capacity)};
    return meant;
}

/// Of several bandwidths the one that has the fewest left decides.
std::optional<Meaning> bucket4j(const Stored& stored) {
    constexpr std::int64_t farthest = 9'000'000'000 * kSecondNs;
    constexpr auto exact = support::kMaxExactInteger;
    const auto bandwidths = domain::objects::bucket4j_in(stored.text);
    if (!bandwidths) return std::nullopt;
    std::optional<Meaning> least;
    for (const auto& one : *bandwidths) {
        const bool usual = one.capacity <= exact && one.last_ns >= 0 && one.last_ns <= farthest &&
                           one.tokens >= -exact && one.tokens <= exact;
        if (!usual) return std::nullopt;
        const auto meant = meaning_of(
            Filling{static_cast<double>(one.capacity), static_cast<double>(one.tokens), static_cast<double>(one.refill),
                    static_cast<double>(one.period_ns), one.last_ns, one.at_once},
            stored.now_ns);
        const auto left = [](const Meaning& of) { return *of.limit->limit - *of.used; };
        if (!least || left(meant) < left(*least)) least = meant;
    }
    return least;
}

using domain::objects::SymfonyState;

std::int64_t nanoseconds(double seconds) { return static_cast<std::int64_t>(seconds * 1e9); }

/// The last nanosecond of a window still counts.
Meaning fixed_window(const SymfonyState& state, std::int64_t now_ns) {
    const auto end = nanoseconds(state.at) + state.period.count() * kSecondNs;
    Meaning meant{.used = state.hits, .counts = state.hits > 0 && now_ns <= end, .end_ns = end};
    meant.limit = domain::Limiter::StoredLimit{*state.size};
    return meant;
}

/// Those of the window before count by the share of the present one that is still to come; a window that is over is the
/// one before for as long as a period.
std::int64_t slid(const SymfonyState& state, std::int64_t now_ns) {
    const auto period = static_cast<double>(state.period.count());
    const double now = static_cast<double>(now_ns) / 1e9;
    const bool over = now > state.at;
    if (now >= state.at + period) return 0;
    const double begins = over ? state.at : state.at - period;
    const double share = std::clamp(1 - (now - begins) / period, 0.0, 1.0);
    const auto before = static_cast<double>(over ? state.hits : state.hits_before);
    return static_cast<std::int64_t>(std::floor(before * share + static_cast<double>(over ? 0 : state.hits)));
}

Meaning sliding_window(const SymfonyState& state, std::int64_t now_ns, std::optional<std::int64_t> limit) {
    const auto last = nanoseconds(state.at) + state.period.count() * kSecondNs;
    // The first moment at which no more than so many count.
    const auto falls_to = [&](std::int64_t most) {
        auto low = now_ns;
        auto high = std::max(last, now_ns);
        while (high - low > 1) {
            const auto middle = low + (high - low) / 2;
            (slid(state, middle) <= most ? high : low) = middle;
        }
        return high;
    };
    const auto used = slid(state, now_ns);
    Meaning meant{.used = used, .counts = used > 0, .end_ns = used > 0 ? falls_to(0) : last};
    if (limit && *limit > 0 && used >= *limit) meant.passes_ns = falls_to(*limit - 1);
    return meant;
}

std::optional<Meaning> symfony(const Stored& stored) {
    const auto state = domain::objects::symfony_in(stored.text);
    if (!state) return std::nullopt;
    switch (state->kind) {
        case SymfonyState::Kind::fixed_window: return fixed_window(*state, stored.now_ns);
        case SymfonyState::Kind::sliding_window: return sliding_window(*state, stored.now_ns, stored.limit);
        case SymfonyState::Kind::token_bucket: break;
    }
    return meaning_of(Filling{static_cast<double>(*state->size), static_cast<double>(state->tokens),
                              static_cast<double>(state->refill), static_cast<double>(state->period.count()) * 1e9,
                              nanoseconds(state->at), true},
                      stored.now_ns);
}

constexpr std::array<std::string_view, 3> kSpanFields{"start", "end", "count"};

}  // namespace

const Reader kDjango{"counter of django-ratelimit", {"counter", "counters"}, state::Clock::server, django};
const Reader kLaravelThrottle{
    "span and count", {"span", "spans", "hash", kSpanFields}, state::Clock::server, laravel_throttle};
const Reader kLaravelFunnel{"place of a funnel", {"place", "places"}, state::Clock::server, laravel_funnel};
const Reader kBucket4j{"bucket4j", {"state", "states"}, state::Clock::application, bucket4j};
const Reader kSymfony{"object of Symfony", {"state", "states"}, state::Clock::application, symfony};

OpaqueScheme::OpaqueScheme(const Reader& reader, const domain::Policy* policy)
    : StateScheme(reader.part.type == "hash" ? opaque_span::kScripts : kScripts, reader.clock, policy),
      reader_(reader) {}

std::optional<Meaning> OpaqueScheme::meaning(const domain::WindowLook& look, const Texts& texts, std::int64_t now_ns,
                                             std::optional<std::int64_t> limit) const {
    const auto& key = look.parts.front();
    const auto& expires = key.expires_at_ms;
    return reader_.decode({*texts.front(), now_ns,
                           expires ? std::optional{*expires * state::kMillisecondNs} : std::nullopt,
                           domain::never_expires(key), limit});
}

Made make(const Reader& reader, const domain::Policy* policy) { return std::make_unique<OpaqueScheme>(reader, policy); }

}  // namespace ratectl::schemes::opaque
