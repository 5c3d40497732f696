// Parses pasted headers line by line; a table says which header holds what.
#include "input/header_claims.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

#include <fmt/format.h>

#include "input/access_log.h"
#include "support/ascii.h"
#include "support/number_text.h"
#include "support/time_text.h"

namespace ratectl::input {
namespace {

using domain::HeaderClaim;
using support::ExitCode;
using support::Instant;
using support::Seconds;

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(" \t\r");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

/// `Sun, 06 Nov 1994 08:49:37 GMT`
std::optional<Instant> parse_http_date(std::string_view text) {
    constexpr std::string_view shape = "Sun, 06 Nov 1994 08:49:37 GMT";
    if (text.size() != shape.size() || text.substr(3, 2) != ", " || !text.ends_with(" GMT")) return std::nullopt;
    std::string log_time(text.substr(5, 20));
    log_time[2] = log_time[6] = '/';
    log_time[11] = ':';
    return parse_log_time(log_time + " +0000");
}

/// What a rate-limit header must be, when it is not.
std::string must_be(std::string_view what) { return fmt::format("is not {}", what); }

/// Fields of HeaderClaim from a value; each returns what is wrong, or nothing.
using Wrong = std::optional<std::string>;

template <std::optional<std::int64_t> HeaderClaim::*Member>
Wrong take_count(std::string_view value, HeaderClaim& claim) {
    // Some proxies join repeated headers with a comma: the first is the nearest to the client.
    const auto number = support::parse_decimal(trimmed(value.substr(0, value.find_first_of(",;"))));
    if (!number) return must_be("a whole number");
    claim.*Member = *number;
    return std::nullopt;
}

template <std::optional<Seconds> HeaderClaim::*Member>
Wrong take_seconds(std::string_view value, HeaderClaim& claim) {
    const auto number = support::parse_unsigned(value, UINT32_MAX);
    if (!number) return must_be("a number of seconds");
    claim.*Member = Seconds(static_cast<std::int64_t>(*number));
    return std::nullopt;
}

/// Epoch seconds are ten digits and more since 2001; a window of that length has never been seen.
constexpr std::int64_t kFirstEpoch = 1'000'000'000;

Wrong take_reset(std::string_view value, HeaderClaim& claim) {
    if (const auto number = support::parse_decimal(value); number && *number >= 0 && *number < kFirstEpoch) {
        claim.reset_in = Seconds(*number);
        return std::nullopt;
    }
    const auto time = support::parse_time(value, Instant{});
    if (!time || value.empty() || value == "now" || value[0] == '+' || value[0] == '-')
        return must_be("an epoch second, a number of seconds or RFC 3339");
    claim.reset_at = *time;
    return std::nullopt;
}

Wrong take_retry_after(std::string_view value, HeaderClaim& claim) {
    if (const auto date = parse_http_date(value)) {
        claim.reset_at = *date;
        return std::nullopt;
    }
    return take_seconds<&HeaderClaim::retry_after>(value, claim);
}

Wrong take_date(std::string_view value, HeaderClaim& claim) {
    claim.date = parse_http_date(value);
    if (!claim.date) return must_be("a date like Sun, 06 Nov 1994 08:49:37 GMT");
    return std::nullopt;
}

Wrong take_resource(std::string_view value, HeaderClaim& claim) {
    claim.resource = std::string(value);
    return std::nullopt;
}

/// One `name=value` of a list; a name without a value says nothing.
Wrong take_parameter(std::string_view item, HeaderClaim& claim) {
    const auto equals = item.find('=');
    if (equals == std::string_view::npos) return std::nullopt;
    const std::string name = support::lower(std::string(trimmed(item.substr(0, equals))));
    const std::string_view value = trimmed(item.substr(equals + 1));
    if (name == "limit" || name == "q") return take_count<&HeaderClaim::limit>(value, claim);
    if (name == "remaining" || name == "r") return take_count<&HeaderClaim::remaining>(value, claim);
    if (name == "reset" || name == "t") return take_seconds<&HeaderClaim::reset_in>(value, claim);
    if (name == "w") return take_seconds<&HeaderClaim::period>(value, claim);
    return std::nullopt;
}

/// `3-in-1min`, as express-rate-limit calls a quota without a name: the limit and the period, no resource.
bool is_quota_in_words(std::string_view name) {
    constexpr std::string_view digits = "0123456789";
    constexpr std::string_view in = "-in-";
    const auto limit = std::min(name.find_first_not_of(digits), name.size());
    const auto period = name.substr(limit);
    return limit > 0 && period.starts_with(in) && period.find_first_of(digits) == in.size();
}

/// Drafts 7 (`limit=5, remaining=2, reset=7`, policy `5;w=60`) and 8 (`"core";r=2;t=7`, policy `"core";q=5;w=60`).
Wrong take_structured(std::string_view value, HeaderClaim& claim) {
    bool first = true;
    bool listed = false;  // a comma ends the first of several limits; else it parts the parameters of one
    for (std::string_view rest = value; !rest.empty();) {
        const bool quoted = rest.front() == '"';
        const auto closing = quoted ? rest.find('"', 1) : 0;
        if (closing == std::string_view::npos) return must_be("a list of parameters: a quote is not closed");
        const auto end = std::min(rest.find_first_of(",;", closing), rest.size());
        const std::string_view item = trimmed(rest.substr(0, end));
        if (first && quoted) {
            const auto name = rest.substr(1, closing - 1);
            if (!is_quota_in_words(name)) claim.resource = std::string(name);
            listed = true;
        } else if (first && support::parse_decimal(item)) {
            listed = true;
            if (auto wrong = take_count<&HeaderClaim::limit>(item, claim)) return wrong;
        } else if (auto wrong = take_parameter(item, claim)) {
            return wrong;
        }
        first = false;
        if (end < rest.size() && rest[end] == ',' && listed) break;
        rest = trimmed(rest.substr(std::min(end + 1, rest.size())));
    }
    return std::nullopt;
}

struct Known {
    std::string_view name;
    Wrong (*take)(std::string_view, HeaderClaim&);
};
constexpr std::array kKnown{
    Known{"x-ratelimit-limit", take_count<&HeaderClaim::limit>},
    Known{"x-ratelimit-remaining", take_count<&HeaderClaim::remaining>},
    Known{"x-ratelimit-used", take_count<&HeaderClaim::used>},
    Known{"x-ratelimit-reset", take_reset},
    Known{"x-ratelimit-resource", take_resource},
    Known{"x-rate-limit-limit", take_count<&HeaderClaim::limit>},
    Known{"x-rate-limit-remaining", take_count<&HeaderClaim::remaining>},
    Known{"x-rate-limit-reset", take_reset},
    Known{"ratelimit-limit", take_count<&HeaderClaim::limit>},
    Known{"ratelimit-remaining", take_count<&HeaderClaim::remaining>},
    Known{"ratelimit-reset", take_reset},
    Known{"ratelimit", take_structured},
    Known{"ratelimit-policy", take_structured},
    Known{"retry-after", take_retry_after},
    Known{"date", take_date},
};

bool is_status_line(std::string_view line) { return line.starts_with("HTTP/"); }

}  // namespace

void HeaderClaims::take(std::string_view line, ClaimBlock& block) {
    const auto colon = line.find(':');
    if (colon == std::string_view::npos) return;
    const std::string name = support::lower(std::string(trimmed(line.substr(0, colon))));
    const auto known = std::find_if(kKnown.begin(), kKnown.end(), [&](const Known& one) { return one.name == name; });
    if (known == kKnown.end()) return;
    const std::string_view value = trimmed(line.substr(colon + 1));
    if (const auto wrong = known->take(value, block.claim)) {
        throw support::Failure(
            ExitCode::local_io,
            fmt::format("{}, line {}: {} '{}' {}", lines_.name(), lines_.line(), name, value, *wrong),
            "paste the headers as the client got them");
    }
    if (block.line == 0) block.line = lines_.line();
}

std::optional<ClaimBlock> HeaderClaims::next() {
    ClaimBlock block;
    while (const auto read = lines_.next()) {
        std::string_view line = trimmed(*read);
        if (line.starts_with("< ") || line == "<") line = trimmed(line.substr(1));
        if (line.empty() || is_status_line(line)) {
            if (block.claim.says_something()) return block;
            block = {};
        } else if (line.front() != '#') {
            take(line, block);
        }
    }
    if (block.claim.says_something()) return block;
    return std::nullopt;
}

}  // namespace ratectl::input
