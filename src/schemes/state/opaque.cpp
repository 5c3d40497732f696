// What limiters have stored that ratectl does not write.
#include "schemes/state/opaque.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "schemes/packed.h"
#include "schemes/state/opaque_span.h"
#include "support/number_text.h"

namespace ratectl::schemes::opaque {
namespace {

using state::kSecondNs;
using state::Meaning;
using Expires = std::optional<std::int64_t>;

constexpr state::Scripts kOfStrings{kCountScript, kRefundScript, kResetScript, kRestoreScript};
constexpr state::Scripts kOfHashes{opaque_span::kCountScript, opaque_span::kRefundScript, opaque_span::kResetScript,
                                   opaque_span::kRestoreScript};

std::optional<Meaning> django(std::string_view text, std::int64_t now_ns, Expires expires_ns) {
    const auto used = support::parse_decimal(text);
    if (!used || *used < 0) return std::nullopt;
    const auto end = expires_ns ? *expires_ns - 5 * kSecondNs : now_ns;
    return Meaning{.used = *used, .counts = !expires_ns || end > now_ns, .end_ns = end};
}

std::optional<Meaning> laravel_throttle(std::string_view text, std::int64_t now_ns, Expires /*expires_ns*/) {
    constexpr std::int64_t most = 9'000'000'000;
    const auto fields = texts_of(text, 3);
    std::array<std::int64_t, 3> numbers{};
    if (!fields || fields->size() != numbers.size()) return std::nullopt;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const auto number = support::parse_decimal((*fields)[i].value_or(""));
        if (!number || *number < 0 || *number > most) return std::nullopt;
        numbers[i] = *number;
    }
    const auto [first, last, count] = numbers;
    const auto now = now_ns / kSecondNs;
    return Meaning{.used = count, .counts = first <= now && now <= last, .end_ns = (last + 1) * kSecondNs};
}

std::optional<Meaning> laravel_funnel(std::string_view text, std::int64_t now_ns, Expires expires_ns) {
    if (text.empty()) return std::nullopt;
    Meaning taken{.used = 1, .counts = true, .end_ns = expires_ns.value_or(now_ns)};
    taken.limit = domain::Limiter::StoredLimit{1};
    return taken;
}

/// Big-endian, as Java writes numbers.
class Bytes {
public:
    explicit Bytes(std::string_view bytes) : rest_(bytes) {}

    /// 0 behind the end, where ok() is false.
    std::int64_t next(std::size_t size) {
        if (rest_.size() < size) ok_ = false;
        std::uint64_t number = 0;
        for (const char c : rest_.substr(0, size)) number = number << 8U | static_cast<unsigned char>(c);
        rest_.remove_prefix(std::min(size, rest_.size()));
        return ok_ ? static_cast<std::int64_t>(number) : 0;
    }
    void skip(std::size_t size) {
        ok_ = ok_ && rest_.size() >= size;
        rest_.remove_prefix(std::min(size, rest_.size()));
    }
    bool expect(std::size_t size, std::int64_t number) { return next(size) == number && ok_; }
    bool ok() const { return ok_; }

private:
    std::string_view rest_;
    bool ok_ = true;
};

struct Bandwidth {
    double capacity = 0, period_ns = 0, refill = 0;
    bool at_once = false;  // what comes back does so at the end of a period
};

std::optional<Bandwidth> next_bandwidth(Bytes& bytes) {
    Bandwidth one;
    if (!bytes.expect(4, 1)) return std::nullopt;
    one.capacity = static_cast<double>(bytes.next(8));
    bytes.skip(8);  // how many there are at first
    one.period_ns = static_cast<double>(bytes.next(8));
    one.refill = static_cast<double>(bytes.next(8));
    one.at_once = bytes.next(1) != 0;
    bytes.skip(8 + 1);
    if (bytes.next(1) != 0) bytes.skip(static_cast<std::size_t>(bytes.next(2)));
    constexpr auto most = static_cast<double>(support::kMaxExactInteger);
    const bool usual = one.capacity >= 1 && one.capacity <= most && one.period_ns >= 1 && one.refill >= 1;
    return bytes.ok() && usual ? std::optional{one} : std::nullopt;
}

Meaning meaning_of(const Bandwidth& one, std::int64_t last_ns, std::int64_t stored, std::int64_t now_ns) {
    const auto tokens = static_cast<double>(stored);
    const double elapsed = std::max(0.0, static_cast<double>(now_ns - last_ns)) / one.period_ns;
    const double back = (one.at_once ? std::floor(elapsed) : elapsed) * one.refill;
    const double filled = std::min(one.capacity, std::floor(tokens + back));
    const auto moment = [&](double wanted) {
        const double periods = std::max(0.0, wanted - tokens) / one.refill;
        const double ahead = (one.at_once ? std::ceil(periods) : periods) * one.period_ns;
        return last_ns + static_cast<std::int64_t>(std::min(std::ceil(ahead), 9.2e18 - static_cast<double>(last_ns)));
    };
    Meaning meant{.used = static_cast<std::int64_t>(one.capacity - filled),
                  .counts = filled < one.capacity,
                  .end_ns = moment(one.capacity)};
    meant.passes_ns = moment(1);
    meant.limit = domain::Limiter::StoredLimit{static_cast<std::int64_t>(one.capacity)};
    return meant;
}

/// Of several bandwidths the one that has the fewest left decides.
std::optional<Meaning> bucket4j(std::string_view text, std::int64_t now_ns, Expires /*expires_ns*/) {
    constexpr std::int64_t most = 64;
    constexpr std::int64_t state_of_longs = 3;
    constexpr std::int64_t farthest = 9'000'000'000 * kSecondNs;
    constexpr auto exact = support::kMaxExactInteger;
    Bytes bytes(text);
    const auto format = bytes.next(4);
    if ((format != 1 && format != 2) || !bytes.expect(4, 1)) return std::nullopt;
    const auto count = bytes.next(4);
    if (count < 1 || count > most) return std::nullopt;
    std::vector<Bandwidth> all;
    for (std::int64_t i = 0; i < count; ++i) {
        const auto one = next_bandwidth(bytes);
        if (!one) return std::nullopt;
        all.push_back(*one);
    }
    if (!bytes.expect(4, state_of_longs) || !bytes.expect(4, 1) || !bytes.expect(4, 3 * count)) return std::nullopt;
    std::optional<Meaning> least;
    for (const auto& one : all) {
        const auto last_ns = bytes.next(8);
        const auto tokens = bytes.next(8);
        bytes.skip(8);  // what rounding has left over
        if (!bytes.ok() || last_ns < 0 || last_ns > farthest || tokens < -exact || tokens > exact) return std::nullopt;
        const auto meant = meaning_of(one, last_ns, tokens, now_ns);
        const auto left = [](const Meaning& of) { return *of.limit->limit - *of.used; };
        if (!least || left(meant) < left(*least)) least = meant;
    }
    return least;
}

constexpr std::array<std::string_view, 3> kSpanFields{"start", "end", "count"};

}  // namespace

const Reader kDjango{"counter of django-ratelimit", {"counter", "counters"}, state::Clock::server, django};
const Reader kLaravelThrottle{
    "span and count", {"span", "spans", "hash", kSpanFields}, state::Clock::server, laravel_throttle};
const Reader kLaravelFunnel{"place of a funnel", {"place", "places"}, state::Clock::server, laravel_funnel};
const Reader kBucket4j{"bucket4j", {"state", "states"}, state::Clock::application, bucket4j};

OpaqueScheme::OpaqueScheme(const Reader& reader, const domain::Policy* policy)
    : StateScheme(reader.part.type == "hash" ? kOfHashes : kOfStrings, reader.clock, policy), reader_(reader) {}

std::optional<Meaning> OpaqueScheme::meaning(const domain::WindowLook& look, const Texts& texts, std::int64_t now_ns,
                                             std::optional<std::int64_t> /*limit*/) const {
    const auto& expires = look.parts.front().expires_at_ms;
    return reader_.decode(*texts.front(), now_ns,
                          expires ? std::optional{*expires * state::kMillisecondNs} : std::nullopt);
}

}  // namespace ratectl::schemes::opaque
