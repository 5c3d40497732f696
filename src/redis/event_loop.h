// The one event loop of a command: the coroutines that go on by themselves, the stop signal, steady timers.
#pragma once

#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <ranges>
#include <type_traits>
#include <utility>
#include <vector>

#include <asio/awaitable.hpp>
#include <asio/io_context.hpp>

#include "support/stop_signal.h"
#include "support/time.h"

namespace ratectl::redis {

/// A function or a member function, with nothing else in it that could be gone when it runs.
template <class F>
concept PlainFunction = std::is_member_function_pointer_v<F> ||
    (std::is_pointer_v<F>&& std::is_function_v<std::remove_pointer_t<F>>);
/// A value that refers to nothing it does not own: no pointer, no reference, no view.
template <class T>
concept Owning = std::is_object_v<T> && !std::is_pointer_v<T> && !std::ranges::borrowed_range<T> &&
                 std::is_same_v<std::unwrap_reference_t<T>, T>;

/// Something that ends at once, with a fault, when the user asks a second time: an open connection.
class Abortable {
public:
    virtual ~Abortable() = default;
    virtual void abort() = 0;
    /// The loop dies: nothing may be posted to it any more.
    virtual void abandon() {}
};

/// A first stop signal only tells on_stop; from the second on it first aborts everything that is registered here:
/// connections that are open or being opened, names that are being looked up.
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
    /// When the whole command has to be over; unset: whenever.
    void end_by(std::optional<support::Deadline> deadline) { deadline_ = deadline; }
    bool is_out_of_time() const { return deadline_ && std::chrono::steady_clock::now() >= *deadline_; }
    void on_stop(std::function<void()> callback);
    /// Held weakly: it is forgotten when its owner drops it.
    void add(const std::shared_ptr<Abortable>& abortable);
    /// Ends every operation in flight on a connection of this loop, and the connections, with a fault (interrupted).
    void abort_all();

    using Ended = std::function<void(const std::exception_ptr&)>;
    /// Starts `work(held...)`, a coroutine of nothing, when the loop runs next, and calls `ended` with its exception,
    /// or null, when it has ended. The object that started it may be gone by then, even before it first runs: so `held`
    /// is copied now and lives until it has ended, and a member function's object is held as a shared_ptr, the first of
    /// them. The only way to start a coroutine that is not awaited on the spot.
    template <PlainFunction Work, Owning... Held>
    void spawn(Ended&& ended, Work work, Held... held) {
        start([work, held...] { return std::invoke(work, held...); }, std::move(ended));
    }
    /// Runs the loop until `done` says so (checked after every handler).
    void run_until(const std::function<bool()>& done);
    /// Runs what is ready now, without waiting.
    void poll();
    /// How long the loop stood still between two runs, all in all: what timed out meanwhile did so for our own reasons.
    std::chrono::steady_clock::duration paused() const { return paused_; }

private:
    void start(std::function<asio::awaitable<void>()> work, Ended ended);

    struct Running;
    void watch_stop();

    asio::io_context context_;
    const support::StopSignal* stop_;
    std::optional<support::Deadline> deadline_;
    struct StopWatch;
    std::unique_ptr<StopWatch> watch_;
    std::function<void()> on_stop_;
    std::vector<std::weak_ptr<Abortable>> abortables_;
    std::chrono::steady_clock::duration paused_{};
    std::optional<std::chrono::steady_clock::time_point> left_at_;
};

}  // namespace ratectl::redis
