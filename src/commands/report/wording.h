// Small things that sentences are made of: capitals, distances in time, lists, and keys that can be pasted into a
// shell.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "support/time.h"

namespace ratectl::commands {

/// A distance in time that is told: farther than any calendar is none, nor could milliseconds hold it.
inline constexpr support::Seconds kFarthest = std::chrono::hours{24 * 365 * 10'000};

/// The first letter as a capital, where it is an ASCII letter.
std::string capitalised(std::string text);

/// `1 request`, `5000 requests`.
std::string requests(std::int64_t count);

/// ` (in 12m31s)`; with a zone ` (01:00:00+01:00 in Europe/Berlin, in 12m31s)`; empty for what is farther than any
/// calendar.
std::string beside(support::Instant t, support::Moment now, const std::string& zone);

/// `a`, `a and b`, `a, b and c`.
std::string listed(std::span<const std::string> words);

/// A key as the last arguments of a command line that a POSIX shell takes: bare, quoted, or escaped behind
/// `--key-format escaped`.
std::string as_argument(std::string_view key);

}  // namespace ratectl::commands
