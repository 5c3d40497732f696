// The memcached commands that looks, listings and guarded writes consist of: lines out, answers in. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "memcached/answer_reader.h"
#include "support/error.h"

namespace ratectl::memcached {

inline constexpr std::size_t kLongestKey = 250;
/// Why no server takes such a key, in words: too long, or with blanks, ends of lines or NUL bytes in it; null: it is
/// fit. What is not fit is never sent: a blank would make another command of it.
std::optional<std::string> why_unfit(std::string_view key);

/// `gets a b`: values and what tells their versions apart. Every key is fit.
std::string gets(std::span<const std::string> keys);
/// Of one key: what is left of it, in seconds; see Found.
std::string time_left(std::string_view key);

/// What is stored under a key, and its version: every change of whatever kind gives it another one.
struct Found {
    std::string key;
    std::string value;  // without the blanks that decr leaves behind a number that got shorter
    std::uint64_t version = 0;
};
/// From a `VALUE` line; null: that is none.
std::optional<Found> found_in(Answer answer);

/// What is left of a key.
struct Expiry {
    bool is_there = false;
    std::optional<std::int64_t> seconds;  // null: it never expires
};
/// Null: no such answer.
std::optional<Expiry> expiry_in(const Answer& answer);

// ---- writes, each of one key, and done only if it is as it is said here. Meta commands: 1.6 or newer.
/// Adds, or takes away (never below 0), while the version is this one; the expiry stays.
std::string add_to(std::string_view key, std::uint64_t version, std::int64_t amount);
std::string take_from(std::string_view key, std::uint64_t version, std::int64_t amount);
/// Only where there is nothing. `expires`: an epoch second of the server's clock; null: never.
std::string create(std::string_view key, std::string_view value, std::optional<std::int64_t> expires);
/// In the place of that version.
std::string replace(std::string_view key, std::uint64_t version, std::string_view value,
                    std::optional<std::int64_t> expires);
std::string remove(std::string_view key, std::uint64_t version);

enum class Written {
    done,
    changed,      // another version is there
    missing,      // nothing is there, or for create: something is
    not_a_number  // what is there cannot be counted in
};
/// Null: an error of the server's, or no such answer.
std::optional<Written> written_in(const Answer& answer);
/// An error whose words leave it open whether the write was done, or will be: those of a proxy, say, whose server has
/// not answered in time (`SERVER_ERROR timeout`).
bool leaves_open(const Answer& error);

/// One key of `lru_crawler metadump`; null: that is no such line.
std::optional<std::string> listed_in(std::string_view line);

/// `STAT name value`
struct Stat {
    std::string_view name;
    std::string_view value;
};
std::optional<Stat> stat_in(std::string_view line);

}  // namespace ratectl::memcached
