// What is asked of a look, and the sentences that several rules answer with.
#include "domain/identify/evidence.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "domain/identify/shape.h"
#include "support/number_text.h"
#include "support/time_text.h"

namespace ratectl::domain::identify {

Evidence::Evidence(const Holding& holding)
    : held(holding),
      key(holding.key),
      name(holding.key.name),
      value(holding.key.value),
      now_ms(holding.now_ms),
      now(holding.now_ms / 1000),
      expires_ms(life_end_of(holding.key)) {
    if (is(HeldKey::Type::string)) number = support::parse_decimal(value);
}

const HeldKey* Evidence::beside(std::string_view base, std::string_view suffix) const {
    for (const HeldKey& other : held.beside) {
        const std::string_view called = other.name;
        if (called.size() == base.size() + suffix.size() && called.starts_with(base) && called.ends_with(suffix))
            return &other;
    }
    return nullptr;
}

std::optional<std::int64_t> Evidence::life_end_of(const HeldKey& other) const {
    if (!other.ttl_ms) return std::nullopt;
    return held.now_ms + *other.ttl_ms;
}

const std::string* Evidence::field(std::string_view wanted) const {
    const auto found = std::ranges::find(key.elements, wanted, &std::pair<std::string, std::string>::first);
    return found == key.elements.end() ? nullptr : &found->second;
}

std::optional<double> Evidence::number_in(std::string_view wanted) const {
    const auto* text = field(wanted);
    return text == nullptr ? std::nullopt : decimal_in(*text);
}

std::string counted(std::int64_t used) { return fmt::format("{} request{} counted", used, used == 1 ? "" : "s"); }

std::string moment(std::int64_t at, std::int64_t now) {
    const auto apart = support::Seconds{std::abs(at - now)};
    const auto words = support::format_duration(apart);
    return support::format_time(support::from_epoch(at)) + (at > now   ? " (in " + words + ")"
                                                            : at < now ? " (" + words + " ago)"
                                                                       : " (now)");
}

std::string plain(double number) {
    return std::trunc(number) == number && std::fabs(number) < 1e15 ? fmt::format("{:.0f}", number)
                                                                    : fmt::format("{:.6g}", number);
}

Origin window_until(const Evidence& e, Sureness sureness, std::optional<std::int64_t> used, std::int64_t last,
                    std::string_view kind) {
    Origin origin;
    origin.sureness = sureness;
    origin.used = used;
    origin.reset_at = support::from_epoch(last);
    origin.reset_kind = kind;
    const auto count = used ? counted(*used) : std::string("no request counted");
    origin.means =
        fmt::format("{}; the window {} {}", count, last >= e.now ? "ends at" : "ended at", moment(last, e.now));
    return origin;
}

Origin counter_until_expiry(const Evidence& e, Sureness sureness) {
    if (e.expires()) {
        // It counts as long as it is there: the last whole second of that.
        return window_until(e, sureness, e.number, (*e.expires_ms - 1) / 1000, "ttl");
    }
    Origin origin;
    origin.sureness = std::min(sureness, Sureness::likely);
    origin.used = e.number;
    origin.means = counted(*e.number) + "; nothing ends its window, as it has no time to live";
    return origin;
}

}  // namespace ratectl::domain::identify
