// The shapes of names and values by which limiters are told apart: digits, addresses, moments, templates. No regular
// expressions: a million keys pass through here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace ratectl::domain::identify {

bool is_digits(std::string_view text);
bool is_hex(std::string_view text, std::size_t length);
bool is_uuid(std::string_view text);
/// An IPv4 address, or what can be an IPv6 one (also with a prefix length, as express keeps them).
bool is_address(std::string_view text);
/// A whole decimal number, also with a fraction or an exponent.
std::optional<double> decimal_in(std::string_view text);
/// Digits, as a number of a bucket or a moment.
std::optional<std::int64_t> natural_in(std::string_view text);
/// An epoch second of this century, as ten digits.
std::optional<std::int64_t> epoch_in(std::string_view text);

/// The hole of the client that is limited.
inline constexpr std::string_view kClient = "client";

/// What stands before and behind the last mark; null where there is none.
struct Cut {
    std::string_view before, behind;
};
std::optional<Cut> cut_last(std::string_view text, char mark);

/// The length of the buckets of which this one, counted from the epoch, ends at `end` (both in seconds): exact.
std::optional<std::int64_t> period_by_end(std::int64_t bucket, std::int64_t end);
/// The one that has this bucket run at `now`; of several the one that people would choose, null where none stands out.
std::optional<std::int64_t> period_by_clock(std::int64_t bucket, std::int64_t now);

/// A key template: literal bytes and the names of holes by turns. Null where the bytes are no text.
std::optional<std::string> template_of(std::initializer_list<std::string_view> parts);
/// The same for a name that ends with its client: an address, or what stands behind the last colon.
std::optional<std::string> template_of_client_at_end(std::string_view name);

}  // namespace ratectl::domain::identify
