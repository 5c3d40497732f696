// How long a command waits for what is not a server, or works on its input: until it is told to stop, or --deadline.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "support/stop_signal.h"
#include "support/time.h"

namespace ratectl::support {

class Patience {
public:
    /// Without an end.
    Patience() = default;
    /// `stop` outlives it.
    explicit Patience(const StopSignal& stop, std::optional<Deadline> deadline = {})
        : stop_(&stop), deadline_(deadline) {}

    bool is_over() const { return is_stopped() || is_late(); }
    /// Throws Failure once it is over: interrupted or terminated, unavailable after the deadline. `doing`: `reading
    /// access.log`.
    void require(std::string_view doing) const {
        if (is_over()) throw_over(doing);
    }
    [[noreturn]] void throw_over(std::string_view doing) const;

    /// Waits until the descriptor can be read, or says what is wrong with it. Throws as require() does; false: `until`
    /// has passed.
    bool await_input(int fd, std::string_view doing, std::optional<Deadline> until = {}) const;
    /// Waits until the descriptor takes bytes, or says what is wrong with it. Once it is over, a reader that does read
    /// has one more moment, for what was done is to be told. False: it takes none.
    bool await_output(int fd) const;

private:
    bool is_stopped() const { return stop_ != nullptr && *stop_; }
    int count() const { return stop_ != nullptr ? stop_->count() : 0; }
    int wake_fd() const { return stop_ != nullptr ? stop_->wake_fd() : -1; }
    bool is_late() const { return deadline_ && std::chrono::steady_clock::now() >= *deadline_; }

    const StopSignal* stop_ = nullptr;
    std::optional<Deadline> deadline_;
};

}  // namespace ratectl::support
