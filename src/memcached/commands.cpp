// Writes command lines and reads their answers.
#include "memcached/commands.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "support/base64.h"
#include "support/number_text.h"

namespace ratectl::memcached {
namespace {

constexpr std::string_view kNotANumber = "CLIENT_ERROR cannot increment or decrement";
constexpr std::uint64_t kLargest = ~std::uint64_t{0};

/// The value of a flag of a meta command's answer, `t3600`; null: it has no such flag.
std::optional<std::string_view> flag_in(std::string_view line, char flag) {
    Words words(line);
    words.next();
    for (auto word = words.next(); !word.empty(); word = words.next()) {
        if (word.front() == flag) return word.substr(1);
    }
    return std::nullopt;
}

std::string stored_as(std::string_view key, std::string_view flags, std::string_view value) {
    return fmt::format("ms {} {} {}\r\n{}\r\n", key, value.size(), flags, value);
}

}  // namespace

std::optional<std::string> why_unfit(std::string_view key) {
    if (key.empty()) return "it is empty";
    if (key.size() > kLongestKey)
        return fmt::format("it has {} bytes, and memcached takes at most {}", key.size(), kLongestKey);
    // Servers part words at blanks alone, and take every other byte, control characters too.
    const bool is_one_word = key.find_first_of(std::string_view(" \r\n\0", 4)) == std::string_view::npos;
    return is_one_word ? std::nullopt : std::optional<std::string>("it holds a blank, a line's end or a NUL byte");
}

std::string gets(std::span<const std::string> keys) { return fmt::format("gets {}\r\n", fmt::join(keys, " ")); }

std::string time_left(std::string_view key) { return fmt::format("mg {} t\r\n", key); }

std::optional<Found> found_in(Answer answer) {
    Words words(answer.line);
    if (words.next() != "VALUE" || !answer.value) return std::nullopt;
    const auto key = words.next();
    words.next();
    words.next();
    const auto version = support::parse_unsigned(words.next(), kLargest);
    if (!version) return std::nullopt;
    Found found{std::string(key), std::move(*answer.value), *version};
    const auto last = found.value.find_last_not_of(' ');
    // Blanks alone are no number that got shorter.
    if (last != std::string::npos) found.value.resize(last + 1);
    return found;
}

std::optional<Expiry> expiry_in(const Answer& answer) {
    if (answer.line == "EN") return Expiry{};
    if (!answer.line.starts_with("HD")) return std::nullopt;
    const auto left = flag_in(answer.line, 't');
    const auto seconds = left ? support::parse_decimal(*left) : std::nullopt;
    if (!seconds) return std::nullopt;
    return Expiry{true, *seconds < 0 ? std::nullopt : std::optional(*seconds)};
}

std::string add_to(std::string_view key, std::uint64_t version, std::int64_t amount) {
    return fmt::format("ma {} C{} D{} MI\r\n", key, version, amount);
}

std::string take_from(std::string_view key, std::uint64_t version, std::int64_t amount) {
    return fmt::format("ma {} C{} D{} MD\r\n", key, version, amount);
}

std::string create(std::string_view key, std::string_view value, std::optional<std::int64_t> expires) {
    return stored_as(key, fmt::format("ME T{}", expires.value_or(0)), value);
}

std::string replace(std::string_view key, std::uint64_t version, std::string_view value,
                    std::optional<std::int64_t> expires) {
    return stored_as(key, fmt::format("C{} T{}", version, expires.value_or(0)), value);
}

std::string remove(std::string_view key, std::uint64_t version) { return fmt::format("md {} C{}\r\n", key, version); }

std::optional<Written> written_in(const Answer& answer) {
    const auto word = Words(answer.line).next();
    if (word == "HD") return Written::done;
    if (word == "EX") return Written::changed;
    if (word == "NF" || word == "NS") return Written::missing;
    if (answer.line.starts_with(kNotANumber)) return Written::not_a_number;
    return std::nullopt;
}

bool leaves_open(const Answer& error) {
    constexpr std::string_view prefix = "SERVER_ERROR";
    // What a memcached says where it has stored nothing.
    constexpr std::string_view refusals[] = {" out of memory", " out of memory storing object",
                                             " object too large for cache"};
    const std::string_view line = error.line;
    return line.starts_with(prefix) && std::ranges::find(refusals, line.substr(prefix.size())) == std::end(refusals);
}

std::optional<std::string> listed_in(std::string_view line) {
    constexpr std::string_view begin = "key=";
    const auto word = Words(line).next();
    if (!word.starts_with(begin)) return std::nullopt;
    return support::percent_decode(word.substr(begin.size()));
}

std::optional<Stat> stat_in(std::string_view line) {
    Words words(line);
    if (words.next() != "STAT") return std::nullopt;
    const auto name = words.next();
    const auto at = static_cast<std::size_t>(name.data() - line.data()) + name.size();
    return Stat{name, at < line.size() ? line.substr(at + 1) : std::string_view{}};
}

}  // namespace ratectl::memcached
