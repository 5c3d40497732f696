// Script calls over one channel, several on their way at once, their answers in the order in which they come.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>

#include <asio/awaitable.hpp>

#include "redis/channel.h"
#include "redis/script.h"
#include "redis/server_facts.h"

namespace ratectl::redis {

/// Calls go out as EVALSHA; one that is answered NOSCRIPT goes out once more as EVAL, behind those that are on their
/// way, before its answer is handed on (nothing ran the first time). So answers may change places: calls that touch the
/// same keys are the caller's to keep apart. TIME is asked along with a call when the server's clock was last read more
/// than kClockAge ago.
class ScriptPipeline {
public:
    static constexpr std::chrono::seconds kClockAge{10};

    /// `clock`: a newer reading than the channel's greeting, if there is one. The channel outlives the pipeline.
    explicit ScriptPipeline(Channel& channel, std::optional<ServerClock> clock = {});

    /// A fault that is not maybe_executed: this call cannot have run; what was on its way before it is lost all the
    /// same. `asking`: behind an ASKING.
    asio::awaitable<Outcome<void>> send(std::size_t tag, ScriptCall call, support::Deadline deadline,
                                        bool asking = false);

    struct Answer {
        std::size_t tag = 0;
        Reply reply;  // an error reply, a second NOSCRIPT among them, is the caller's to judge
    };
    /// The next answer; a fault when it does not come before its call's deadline, or at all. Only while something is on
    /// its way.
    asio::awaitable<Outcome<Answer>> receive();
    bool anything_on_its_way() const { return calls_on_their_way_ > 0; }

    /// Null where the server will not tell.
    const std::optional<ServerClock>& clock() const { return clock_; }
    void set_clock(ServerClock clock) { clock_ = clock; }

private:
    struct Sent {
        std::optional<std::size_t> tag;  // null: TIME
        ScriptCall call;
        support::Deadline deadline{};
        support::Deadline asked{};
        bool by_text = false;
        bool asking = false;
    };
    asio::awaitable<Outcome<void>> refresh_clock(support::Deadline deadline);
    asio::awaitable<Outcome<void>> put_last();

    Channel* channel_;
    std::optional<ServerClock> clock_;
    std::deque<Sent> sent_;
    std::size_t calls_on_their_way_ = 0;
    bool asking_time_ = false;
};

}  // namespace ratectl::redis
