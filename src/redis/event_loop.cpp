// Runs the io_context handler by handler until the caller's work is done, and passes on the wish to stop.
#include "redis/event_loop.h"

#include <algorithm>
#include <array>
#include <vector>

#include <unistd.h>

#include <asio/co_spawn.hpp>
#include <asio/posix/stream_descriptor.hpp>

#include "support/error.h"

namespace ratectl::redis {

namespace {

// Its frame has the work, and with it all that the work holds, from the moment it is made.
asio::awaitable<void> holding(std::function<asio::awaitable<void>()> work) { co_await work(); }

}  // namespace

// Watches a duplicate of the pipe's read end, so that closing it leaves the owner's alone.
struct EventLoop::StopWatch {
    StopWatch(asio::io_context& context, int fd) : pipe(context, ::dup(fd)) {}

    asio::posix::stream_descriptor pipe;
};

EventLoop::EventLoop(const support::StopSignal* stop) : context_(1), stop_(stop) {
    if (stop_ == nullptr || stop_->wake_fd() < 0) return;
    watch_ = std::make_unique<StopWatch>(context_, stop_->wake_fd());
    watch_stop();
}

EventLoop::~EventLoop() {
    for (const auto& weak : abortables_) {
        if (const auto abortable = weak.lock()) abortable->abandon();
    }
}

void EventLoop::on_stop(std::function<void()> callback) { on_stop_ = std::move(callback); }

void EventLoop::watch_stop() {
    watch_->pipe.async_wait(asio::posix::stream_descriptor::wait_read, [this](const std::error_code& error) {
        if (error) return;
        std::array<char, 64> wakes{};
        // It is readable, so this does not block; an end of file means that no signal will wake us any more.
        const auto count = ::read(watch_->pipe.native_handle(), wakes.data(), wakes.size());
        if (count == 0) return;
        if (stop_->count() >= 2) abort_all();
        for (auto i = count; i > 0 && on_stop_; --i) on_stop_();
        watch_stop();
    });
}

void EventLoop::add(const std::shared_ptr<Abortable>& abortable) {
    std::erase_if(abortables_, [](const auto& weak) { return weak.expired(); });
    abortables_.push_back(abortable);
}

void EventLoop::abort_all() {
    const auto all = abortables_;
    for (const auto& weak : all) {
        if (const auto abortable = weak.lock()) abortable->abort();
    }
}

void EventLoop::start(std::function<asio::awaitable<void>()> work, Ended ended) {
    asio::co_spawn(context_, holding(std::move(work)), std::move(ended));
}

struct EventLoop::Running {
    explicit Running(EventLoop& its) : loop(its) {
        if (loop.left_at_) loop.paused_ += std::chrono::steady_clock::now() - *loop.left_at_;
        loop.left_at_.reset();
    }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;
    ~Running() { loop.left_at_ = std::chrono::steady_clock::now(); }

    EventLoop& loop;
};

void EventLoop::poll() {
    const Running running(*this);
    if (context_.stopped()) context_.restart();
    context_.poll();
}

void EventLoop::run_until(const std::function<bool()>& done) {
    const Running running(*this);
    while (!done()) {
        if (context_.stopped()) context_.restart();
        if (context_.run_one() == 0 && !done()) {
            throw support::Failure(support::ExitCode::bug, "the event loop has nothing left to wait for",
                                   "please report this");
        }
    }
}

}  // namespace ratectl::redis
