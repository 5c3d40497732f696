// Several coroutines at once on the store's loop, and the wait for all of them.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <utility>

#include "store/core.h"

namespace ratectl::store {

class Tasks {
public:
    explicit Tasks(std::shared_ptr<Core> core) : core_(std::move(core)) {}

    /// As EventLoop::spawn(): `task(held...)` starts when the loop runs next.
    template <class Task, class... Held>
    void add(Task task, Held... held) {
        ++state_->running;
        const auto ended = [state = state_](const std::exception_ptr& error) {
            --state->running;
            if (error && !state->error) state->error = error;
        };
        core_->loop.spawn(ended, task, std::move(held)...);
    }
    bool ended() const { return state_->running == 0; }
    /// Runs the loop until all have ended; rethrows the first exception then.
    void finish() {
        wait([] { return false; });
    }
    /// The same, but a wish to stop ends the wait: tasks that are still on their way must then leave the caller's
    /// things alone when they wake. False in that case.
    bool finish_or_stop() {
        return wait([] { return false; }, true);
    }
    /// Ends the wait early, too, as soon as there is enough, or one task has thrown.
    void run_until(const std::function<bool()>& enough) {
        wait([&] { return state_->error || enough(); }, true);
    }

private:
    struct State {
        int running = 0;
        std::exception_ptr error;
    };

    bool wait(const std::function<bool()>& enough, bool heed_stop = false) {
        core_->loop.run_until([&] { return state_->running == 0 || enough() || (heed_stop && core_->stopping()); });
        if (state_->error) std::rethrow_exception(std::exchange(state_->error, nullptr));
        return state_->running == 0;
    }

    std::shared_ptr<Core> core_;
    std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace ratectl::store
