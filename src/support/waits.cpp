// Waits with poll() on the descriptor and on the pipe of the stop signal, no longer than up to the deadline.
#include "support/waits.h"

#include <poll.h>

#include <algorithm>
#include <array>
#include <limits>

#include "support/error.h"

namespace ratectl::support {
namespace {

/// For a reader to take what is ready, once there is no time left: a pipeline's next program may have to wait for a
/// processor so long.
constexpr Milliseconds kLastMoment{1000};

/// As poll() counts them: rounded up, -1 forever.
int milliseconds_until(const std::optional<Deadline>& deadline) {
    if (!deadline) return -1;
    const auto left = std::chrono::ceil<Milliseconds>(*deadline - std::chrono::steady_clock::now()).count();
    return static_cast<int>(std::clamp<std::chrono::milliseconds::rep>(left, 0, std::numeric_limits<int>::max()));
}

}  // namespace

void Patience::throw_over(std::string_view doing) const {
    const std::string what(doing);
    if (!is_stopped()) {
        throw Failure(ExitCode::unavailable, "the deadline passed while " + what,
                      "--deadline is for the whole command, its files and pipes too");
    }
    const ExitCode ending = ending_by(stop_->signal());
    throw Failure(ending, (ending == ExitCode::interrupted ? "interrupted while " : "told to stop while ") + what);
}

bool Patience::await_input(int fd, std::string_view doing, std::optional<Deadline> until) const {
    const auto end = until && deadline_ ? std::min(until, deadline_) : until ? until : deadline_;
    for (;;) {
        require(doing);
        // A signal that comes just before the wait ends it through the signal's pipe.
        std::array<pollfd, 2> wanted{{{fd, POLLIN, 0}, {wake_fd(), POLLIN, 0}}};
        ::poll(wanted.data(), wanted.size(), milliseconds_until(end));
        if (is_over()) continue;
        if (wanted[0].revents != 0) return true;
        if (until && std::chrono::steady_clock::now() >= *until) return false;
    }
}

bool Patience::await_output(int fd) const {
    for (;;) {
        const int signals = count();
        const bool last = is_over();
        std::array<pollfd, 2> wanted{{{fd, POLLOUT, 0}, {last ? -1 : wake_fd(), POLLIN, 0}}};
        const int ready = ::poll(wanted.data(), wanted.size(),
                                 last ? static_cast<int>(kLastMoment.count()) : milliseconds_until(deadline_));
        if (ready > 0 && wanted[0].revents != 0) return true;
        // The second signal says: at once.
        if (last && (ready == 0 || count() != signals)) return false;
    }
}

}  // namespace ratectl::support
