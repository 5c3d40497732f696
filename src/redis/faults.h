// Words for broken connections: one place, so that every message about a server reads alike.
#pragma once

#include <string>
#include <string_view>

#include "redis/event_loop.h"
#include "redis/outcome.h"
#include "redis/wire.h"
#include "support/time.h"

namespace ratectl::redis {

/// One exchange's deadline with the moment at which it began, for `within 2s`. The same deadline again continues the
/// exchange.
class TimeLimit {
public:
    explicit TimeLimit(support::Deadline deadline);
    void restart_unless_same(support::Deadline deadline);
    support::Deadline deadline() const { return deadline_; }
    /// `2s`, rounded so that the time between computing a deadline and using it does not show.
    std::string words() const;
    static std::string words(std::chrono::steady_clock::duration span);

private:
    support::Deadline started_;
    support::Deadline deadline_;
};

/// `connection refused`: the system's words for an error, in lower case as in the middle of a sentence.
std::string system_words(const std::error_code& code);

/// `no reply within 2s`; where the command's own time was up it is that, for the server may be well.
std::string timed_out(const EventLoop& loop, std::string_view what, std::string_view span);

/// A signal that came twice: 130 or 143.
Fault interrupted(const EventLoop& loop, std::string_view where, bool maybe_executed);
/// The request did not get out completely.
Fault send_fault(const EventLoop& loop, const WireError& error, std::string_view where, const TimeLimit& limit,
                 bool maybe_executed);
/// The reply did not come completely; bytes_read: of it.
Fault receive_fault(const EventLoop& loop, const WireError& error, std::string_view where, const TimeLimit& limit,
                    std::size_t bytes_read);
/// Bytes that are not a reply. first_bytes: what the server said first on this connection, if this is about its first
/// words, else empty.
Fault protocol_fault(std::string_view words, std::string_view where, std::string_view first_bytes);

}  // namespace ratectl::redis
