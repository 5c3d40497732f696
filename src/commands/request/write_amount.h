// Numbers as people give them: how many requests, a share of what is used, how many rows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commands/context.h"

namespace ratectl::commands {

/// `40` or `12.5%`.
struct WriteAmount {
    std::int64_t requests = 0;
    std::int64_t hundredths = 0;  // of a percent; 0: requests count

    bool is_share() const { return hundredths > 0; }
    /// How many requests that is of `used`, rounded down; never below 0.
    std::int64_t of(std::int64_t used) const;
    /// As it was given.
    std::string text() const;
};

/// `least`..2^53-1, strictly decimal. Throws Failure (usage) naming --amount.
WriteAmount parse_requests(const std::string& text, std::int64_t least);
/// The same from 1, or a share above 0 and up to 100% with at most two decimals.
WriteAmount parse_requests_or_share(const std::string& text);

/// How many of these (`windows`) the flag asks for, at least 1. Throws Failure (usage).
std::uint64_t count_of(std::string_view flag, const std::string& text, std::string_view of_what);

/// Throws Failure (usage) where one of several keys is a number or a share, and no policy has such a key:
/// `increment core:alice 3`.
void refuse_amount_as_key(const std::vector<std::string>& keys, Context& context);

}  // namespace ratectl::commands
