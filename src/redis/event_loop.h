// The one event loop of a command: runs a coroutine to its end, watches the stop signal, keeps steady timers.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include <asio/awaitable.hpp>
#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/io_context.hpp>

#include "support/stop_signal.h"
#include "support/time.h"

namespace ratectl::redis {

class EventLoop {
public:
    /// on_stop runs (inside the loop) each time the stop signal's pipe becomes readable while the loop runs.
    explicit EventLoop(const support::StopSignal* stop = nullptr);
    ~EventLoop();
    EventLoop(const EventLoop&) = delete;
    EventLoop& operator=(const EventLoop&) = delete;

    asio::io_context& context() { return context_; }
    asio::any_io_executor executor() { return context_.get_executor(); }
    const support::StopSignal* stop() const { return stop_; }
    void on_stop(std::function<void()> callback);

    /// Runs until the awaitable has finished; other coroutines spawned on this loop make progress meanwhile and keep
    /// their place when it returns.
    template <class T>
    T run(asio::awaitable<T> work) {
        std::optional<T> result;
        std::exception_ptr error;
        bool finished = false;
        asio::co_spawn(context_, std::move(work), [&](std::exception_ptr e, T value) {
            error = e;
            if (!e) result.emplace(std::move(value));
            finished = true;
        });
        run_until([&] { return finished; });
        if (error) std::rethrow_exception(error);
        return std::move(*result);
    }
    void run(asio::awaitable<void> work);
    /// Runs the loop until `done` says so (checked after every handler).
    void run_until(const std::function<bool()>& done);

private:
    void watch_stop();

    asio::io_context context_;
    const support::StopSignal* stop_;
    struct StopWatch;
    std::unique_ptr<StopWatch> watch_;
    std::function<void()> on_stop_;
};

}  // namespace ratectl::redis
