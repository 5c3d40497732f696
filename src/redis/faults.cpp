// Faults of a connection, from an error and the place where it happened.
#include "redis/faults.h"

#include <fmt/format.h>

#include "support/ascii.h"
#include "support/time_text.h"

namespace ratectl::redis {

using support::ExitCode;

TimeLimit::TimeLimit(support::Deadline deadline) : started_(std::chrono::steady_clock::now()), deadline_(deadline) {}

void TimeLimit::restart_unless_same(support::Deadline deadline) {
    if (deadline != deadline_) *this = TimeLimit(deadline);
}

std::string TimeLimit::words() const { return words(deadline_ - started_); }

std::string TimeLimit::words(std::chrono::steady_clock::duration span) {
    using support::Milliseconds;
    const auto exact = std::chrono::ceil<Milliseconds>(span);
    if (exact <= Milliseconds(0)) return "0ms";
    const Milliseconds step = exact > Milliseconds(900) ? Milliseconds(100) : Milliseconds(10);
    return support::format_duration((exact + step - Milliseconds(1)) / step * step);
}

std::string system_words(const std::error_code& code) {
    std::string words = code.message();
    if (words.size() > 1 && words[1] >= 'a' && words[0] >= 'A' && words[0] <= 'Z') {
        words[0] = support::lower(words[0]);
    }
    return words;
}

std::string timed_out(const EventLoop& loop, std::string_view what, std::string_view span) {
    return loop.is_out_of_time() ? fmt::format("{} before the deadline of the command passed", what)
                                 : fmt::format("{} within {}", what, span);
}

Fault interrupted(const EventLoop& loop, std::string_view where, bool maybe_executed) {
    const int signal = loop.stop() == nullptr ? 0 : loop.stop()->signal();
    return {{support::ending_by(signal), fmt::format("{}: interrupted", where), ""}, maybe_executed, false};
}

Fault send_fault(const EventLoop& loop, const WireError& error, std::string_view where, const TimeLimit& limit,
                 bool maybe_executed) {
    std::string words;
    switch (error.kind) {
        case WireError::Kind::aborted: return interrupted(loop, where, maybe_executed);
        case WireError::Kind::timed_out: words = timed_out(loop, "the request was not taken", limit.words()); break;
        case WireError::Kind::closed: words = "connection closed before the request was sent"; break;
        case WireError::Kind::failed:
            words = fmt::format("connection lost while the request was sent: {}", system_words(error.code));
            break;
    }
    return {{ExitCode::unavailable, fmt::format("{}: {}", where, words), ""}, maybe_executed, true};
}

Fault receive_fault(const EventLoop& loop, const WireError& error, std::string_view where, const TimeLimit& limit,
                    std::size_t bytes_read) {
    const std::string how_far =
        bytes_read == 0 ? "before the reply" : fmt::format("in the middle of the reply, after {} bytes", bytes_read);
    std::string words;
    switch (error.kind) {
        case WireError::Kind::aborted: return interrupted(loop, where, true);
        case WireError::Kind::timed_out:
            words = timed_out(loop, bytes_read == 0 ? "no reply" : "no whole reply", limit.words());
            break;
        case WireError::Kind::closed: words = fmt::format("connection closed {}", how_far); break;
        case WireError::Kind::failed:
            words = fmt::format("connection lost {}: {}", how_far, system_words(error.code));
            break;
    }
    return {{ExitCode::unavailable, fmt::format("{}: {}", where, words), ""}, true, true};
}

Fault protocol_fault(std::string_view words, std::string_view where, std::string_view first_bytes) {
    std::string hint;
    if (first_bytes.starts_with("HTTP")) hint = "is this an HTTP server?";
    if (first_bytes.starts_with("SSH")) hint = "is this an SSH server?";
    if (first_bytes.starts_with('\x15')) hint = "this port speaks TLS: it is rediss://, not redis://";
    return {{ExitCode::protocol, fmt::format("{}: not a Redis reply: {}", where, words), hint}, true, false};
}

}  // namespace ratectl::redis
