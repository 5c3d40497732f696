// What became of script calls whose replies were lost: the operation keys on the server tell, once the calls can no
// longer be carried out.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <asio/awaitable.hpp>

#include "domain/operation.h"
#include "store/writes/write_target.h"

namespace ratectl::store {

/// A call that was sent and not answered.
struct LostCall {
    domain::SliceId id;
    /// The deadline that it carries, on the server's clock; null: the server may carry it out at any time.
    std::optional<std::int64_t> late_after_ms;
    support::Deadline end{};  // the same moment on our clock
    /// It has been answered, with an error: nothing more can come of it.
    bool over = false;
};

struct Finding {
    enum class Kind { unknown, applied, absent };
    Kind kind = Kind::unknown;
    std::optional<domain::OperationRecord> record;  // applied: what the operation key says
    bool elsewhere = false;                         // applied: the record is where its slot has gone
    support::Error why;                             // unknown
};

struct Findings {
    std::vector<Finding> of_calls;  // one a call, in order
    /// Open and recognised as the same server, unless something stayed unknown.
    Lease channel;
    std::optional<redis::ServerClock> clock;
};

/// Asks on a new connection, again and again, until each call is known to have been applied or to be impossible from
/// now on; at most one exchange's time (half a second at least) longer than the last of them may take. `lost` is what
/// happened to the replies, for messages. A wish to stop does not end this, a second one does.
asio::awaitable<Findings> find_out(std::shared_ptr<Core> core, const WriteTarget& target,
                                   std::span<const LostCall> calls, const redis::Fault& lost);

}  // namespace ratectl::store
