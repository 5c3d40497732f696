// The one event loop of a command: runs a coroutine to its end, watches the stop signal, keeps steady timers.
#pragma once

#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <asio/awaitable.hpp>
#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/io_context.hpp>

#include "support/stop_signal.h"
#include "support/time.h"

namespace ratectl::redis {

/// Something that ends at once, with a fault, when the user asks a second time: an open connection.
class Abortable {
public:
    virtual ~Abortable() = default;
    virtual void abort() = 0;
    /// The loop dies: nothing may be posted to it any more.
    virtual void abandon() {}
};

/// A first stop signal only tells on_stop; from the second on it first aborts everything that is registered here: connections that are open
/// or being opened, names that are being looked up.
class EventLoop {
public:
    /// on_stop runs (inside the loop) once for each byte that comes through the stop signal's pipe while the loop runs.
    explicit EventLoop(const support::StopSignal* stop = nullptr);
    ~EventLoop();
    EventLoop(const EventLoop&) = delete;
    EventLoop& operator=(const EventLoop&) = delete;

    asio::io_context& context() { return context_; }
    asio::any_io_executor executor() { return context_.get_executor(); }
    const support::StopSignal* stop() const { return stop_; }
    void on_stop(std::function<void()> callback);
    /// Held weakly: it is forgotten when its owner drops it.
    void add(const std::shared_ptr<Abortable>& abortable);
    /// Ends every operation in flight on a connection of this loop, and the connections, with a fault (interrupted).
    void abort_all();

    /// Runs until the awaitable has finished; other coroutines spawned on this loop make progress meanwhile and keep
    /// their place when it returns.
    template <class T>
    T run(asio::awaitable<T> work) {
        std::optional<T> result;
        std::exception_ptr error;
        bool finished = false;
        asio::co_spawn(context_, std::move(work), [&](const std::exception_ptr& e, T value) {
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
    /// Runs what is ready now, without waiting.
    void poll();
    /// How long nobody ran the loop between two runs, all in all: what timed out meanwhile did so for our own reasons.
    std::chrono::steady_clock::duration paused() const { return paused_; }

private:
    struct Running;
    void watch_stop();

    asio::io_context context_;
    const support::StopSignal* stop_;
    struct StopWatch;
    std::unique_ptr<StopWatch> watch_;
    std::function<void()> on_stop_;
    std::vector<std::weak_ptr<Abortable>> abortables_;
    std::chrono::steady_clock::duration paused_{};
    std::optional<std::chrono::steady_clock::time_point> left_at_;
};

}  // namespace ratectl::redis
