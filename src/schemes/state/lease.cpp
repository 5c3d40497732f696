// Leases in a sorted set under K: a request that begins adds a member of its own, whose score is the second, and takes
// it away when it ends. Whose end was lost counts until the lease is over. Source: limiters that are named in
// schemes/book.cpp.
#include "schemes/state/limiters.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "schemes/packed.h"
#include "support/time_text.h"

namespace ratectl::schemes::lease {

/// Embedded from lua/state/ at build, behind lease.lua.
extern const Scripts kScripts;

namespace {

/// The limit is how many may be in use at a time, and `period` is how long a lease lasts (a minute where that is not
/// said). The application's clock counts. The limiter removes what is over at its next check, so that the last leases
/// of a client that stays away stay for good.
class LeaseScheme final : public state::StateScheme {
public:
    explicit LeaseScheme(const domain::Policy* policy);

    std::string_view layout() const override { return "leases"; }
    std::span<const Part> parts() const override;
    std::size_t texts_a_request() const override { return 2; }
    bool limits_rate() const override { return false; }
    bool stays_for_good() const override { return true; }
    std::string words_of(const domain::WindowLook& look, support::Moment now) const override;
    std::string remark(const domain::WindowLook& look, support::Moment now) const override;
    std::optional<support::Instant> next_end(std::string_view key, support::Moment now,
                                             std::optional<support::Seconds> period) const override;
    bool outgrows(const domain::WindowLook& look, support::Moment now, std::int64_t requests) const override;

private:
    Keys keys_after(const domain::WindowLook& look, support::Moment now, std::int64_t requests) const override;
    std::optional<state::Meaning> meaning(const domain::WindowLook& look, const Texts& texts, std::int64_t now_ns,
                                          std::optional<std::int64_t> limit) const override;
    std::vector<std::string> terms(const std::string& key) const override;
    std::string_view uncountable(const domain::WindowLook& /*look*/) const override { return ""; }
    bool is_countable(std::int64_t limit) const override { return limit > 0; }
    support::Seconds lasts() const;
};

using state::kSecondNs;
using support::Instant;
using support::Moment;

constexpr support::Seconds kUsual{60};         // as the limiter was published
constexpr double kMostSeconds = 4e9;           // with any lease 64 bits hold the nanoseconds
constexpr std::string_view kOwn = "ratectl:";  // see lua/state/lease.lua

struct Lease {
    double start = 0;
    std::array<OptionalText, 2> texts;  // of the start, and its member
    bool own = false;
};

/// The oldest first; null: that is none.
std::optional<std::vector<Lease>> leases_in(std::string_view text) {
    auto texts = texts_of(text);
    if (!texts || texts->empty() || texts->size() % 2 != 0) return std::nullopt;
    std::vector<Lease> all;
    for (std::size_t i = 0; i < texts->size(); i += 2) {
        const auto start = state::fraction_in((*texts)[i].value_or(""));
        if (!start || std::fabs(*start) > kMostSeconds) return std::nullopt;
        const bool own = (*texts)[i + 1].value_or("").starts_with(kOwn);
        all.push_back({*start, {std::move((*texts)[i]), std::move((*texts)[i + 1])}, own});
    }
    return all;
}

std::vector<Lease> live(std::vector<Lease> all, std::int64_t now, support::Seconds lasts) {
    const auto over = static_cast<double>(now - lasts.count());
    std::erase_if(all, [over](const Lease& one) { return one.start <= over; });
    return all;
}

std::vector<Lease> live_in(const domain::WindowLook& look, Moment now, support::Seconds lasts) {
    const auto& stored = look.parts.front().value;
    auto all = stored ? leases_in(*stored) : std::nullopt;
    return all ? live(*std::move(all), support::epoch_seconds(now), lasts) : std::vector<Lease>();
}

Instant second_of(const Lease& one) { return support::from_epoch(static_cast<std::int64_t>(std::ceil(one.start))); }

std::string age_of(const Lease& one, Moment now) {
    return support::format_duration(std::max(support::Seconds{0}, now - second_of(one)));
}

}  // namespace

LeaseScheme::LeaseScheme(const domain::Policy* policy) : StateScheme(kScripts, state::Clock::application, policy) {}

std::span<const domain::Limiter::Part> LeaseScheme::parts() const {
    static constexpr std::array<Part, 1> all{{{"set of leases", "sets of leases", "zset"}}};
    return all;
}

support::Seconds LeaseScheme::lasts() const { return period().value_or(kUsual); }

std::optional<state::Meaning> LeaseScheme::meaning(const domain::WindowLook& /*look*/, const Texts& texts,
                                                   std::int64_t now_ns, std::optional<std::int64_t> limit) const {
    auto all = leases_in(*texts.front());
    if (!all) return std::nullopt;
    const auto end_ns = [this](const Lease& one) {
        return support::epoch_seconds(second_of(one) + lasts()) * kSecondNs;
    };
    state::Meaning meant{.used = {}, .end_ns = end_ns(all->back())};
    const auto running = live(*std::move(all), now_ns / kSecondNs, lasts());
    meant.used = std::ssize(running);
    meant.counts = !running.empty();
    // So many have to be over before one passes.
    const auto over = limit && *limit > 0 ? *meant.used - *limit : -1;
    if (over >= 0) meant.passes_ns = end_ns(running[static_cast<std::size_t>(over)]);
    return meant;
}

std::string LeaseScheme::words_of(const domain::WindowLook& look, Moment now) const {
    const auto running = corruption(look).empty() ? live_in(look, now, lasts()) : std::vector<Lease>();
    if (running.empty()) return StateScheme::words_of(look, now);
    return fmt::format("{} in use, the oldest for {}, all of them over at {} at the latest", running.size(),
                       age_of(running.front(), now), support::format_time(second_of(running.back()) + lasts()));
}

std::string LeaseScheme::remark(const domain::WindowLook& look, Moment now) const {
    const auto running = live_in(look, now, lasts());
    if (running.empty()) return {};
    return fmt::format(
        "Of those in use the oldest began {} ago, and the youngest {} ago; one that is never ended counts for {}. A "
        "refund takes the oldest away; a reset takes all of them, and lets as many come in beside those that still "
        "run.",
        age_of(running.front(), now), age_of(running.back(), now), support::format_duration(lasts()));
}

std::optional<Instant> LeaseScheme::next_end(std::string_view /*key*/, Moment now,
                                             std::optional<support::Seconds> /*period*/) const {
    return now + lasts();
}

// As lua/state/lease.lua adds and takes them.
state::StateScheme::Keys LeaseScheme::keys_after(const domain::WindowLook& look, Moment now,
                                                 std::int64_t requests) const {
    auto running = live_in(look, now, lasts());
    const auto second = support::epoch_seconds(now);
    const auto start = static_cast<double>(second);
    const auto behind = std::ranges::upper_bound(running, start, {}, &Lease::start);
    const auto more = std::clamp<std::int64_t>(requests, 0, std::int64_t{kMostElements});
    running.insert(behind, static_cast<std::size_t>(more),
                   {start, {std::to_string(second), std::string(kOwn) + "one more"}, true});
    auto less = std::clamp<std::int64_t>(-requests, 0, std::ssize(running));
    for (auto i = running.size(); i-- > 0 && less > 0;) {
        if (!running[i].own) continue;
        running.erase(running.begin() + static_cast<std::ptrdiff_t>(i));
        --less;
    }
    running.erase(running.begin(), running.begin() + less);
    if (running.empty()) return {};
    std::string all;
    for (const auto& one : running)
        for (const auto& text : one.texts) append_packed(all, text);
    return {{std::move(all), {}, {}, {}}};
}

bool LeaseScheme::outgrows(const domain::WindowLook& look, Moment now, std::int64_t requests) const {
    constexpr std::int64_t largest = kMostElements;
    return requests > largest || std::ssize(live_in(look, now, lasts())) + requests > largest;
}

std::vector<std::string> LeaseScheme::terms(const std::string& /*key*/) const {
    return {std::to_string(lasts().count())};
}

Made make(const domain::Policy* policy) { return std::make_unique<LeaseScheme>(policy); }

}  // namespace ratectl::schemes::lease
