// Who governs a throttle: one run at a time, for a while on the server's clock.
//
// A run takes the lease, and keeps it with every decision. Each write of the knobs is bound to the end of the lease as
// the server told it: a script that comes later writes nothing. So a run that was held up, and whose lease another one
// has taken meanwhile, cannot write any more, whatever it still believes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "support/time.h"

namespace ratectl::domain::governor {

/// What the names of governors' keys begin with; the throttle's key follows.
inline constexpr std::string_view kGovernorPrefix = "ratectl:governor:";

struct LeaseCall {
    enum class Verb : std::uint8_t { take, keep, free, reserve, look };
    Verb verb = Verb::look;
    std::string throttle;  // its key
    std::string token;     // of this run; never empty but for a look
    std::string actor;
    std::string host;
    support::Milliseconds length{};
    std::string memory;  // empty: what is there stays
};

struct LeaseAnswer {
    enum class Word : std::uint8_t { held, other, free, odd };
    Word word = Word::free;
    support::WallTime server_now{};
    /// As it stands now; empty, and 0, where nothing is stored.
    std::string token;  // empty: no run has it
    std::string actor;
    std::string host;
    support::WallTime since{};
    support::WallTime until{};
    std::string memory;
};

}  // namespace ratectl::domain::governor
