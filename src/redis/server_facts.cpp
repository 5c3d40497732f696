// Reads the reply to TIME, seconds and microseconds, as a point in time.
#include "redis/server_facts.h"

#include "support/number_text.h"

namespace ratectl::redis {
namespace {

constexpr std::uint64_t kYear9999 = 253'402'300'799;

}  // namespace

std::optional<std::chrono::microseconds> parse_microseconds(const Reply& reply) {
    if (!reply.is_array() || reply.elements.size() != 2) return std::nullopt;
    const auto seconds = support::parse_unsigned(reply.elements[0].text, kYear9999);
    const auto micros = support::parse_unsigned(reply.elements[1].text, 999'999);
    if (!seconds || !micros) return std::nullopt;
    return std::chrono::seconds(*seconds) + std::chrono::microseconds(*micros);
}

std::optional<support::WallTime> parse_time(const Reply& reply) {
    const auto time = parse_microseconds(reply);
    if (!time) return std::nullopt;
    return support::WallTime{std::chrono::floor<support::Milliseconds>(*time)};
}

std::optional<ServerClock> read_clock(const Reply& reply, support::Deadline asked, support::Deadline answered) {
    const auto server = parse_time(reply);
    if (!server) return std::nullopt;
    return ServerClock{*server, asked + (answered - asked) / 2};
}

}  // namespace ratectl::redis
