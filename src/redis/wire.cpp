// Reads and writes sockets under deadlines: one lazy timer a connection, because most deadlines never pass.
#include "redis/wire.h"

#include <cerrno>
#include <optional>
#include <utility>

#include <sys/socket.h>

#include <asio/buffer.hpp>
#include <asio/error.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/redirect_error.hpp>
#include <asio/steady_timer.hpp>
#include <asio/this_coro.hpp>
#include <asio/use_awaitable.hpp>
#include <asio/write.hpp>

namespace ratectl::redis {

namespace {

using Clock = std::chrono::steady_clock;

auto into_code(std::error_code& error) { return asio::redirect_error(asio::use_awaitable, error); }

}  // namespace

// Shared with coroutines in flight and with the timer's handler, which may outlive the Wire.
struct Wire::State : Abortable, std::enable_shared_from_this<State> {
    explicit State(EventLoop& its_loop) : loop(its_loop), socket(its_loop.context()), timer(its_loop.context()) {}

    void begin(support::Deadline deadline);
    void end() { due.reset(); }
    void wait_until(support::Deadline deadline);
    void on_timer();
    void abort() override;
    void shut();
    WireError error_of(const std::error_code& code, std::size_t transferred = 0) const;

    EventLoop& loop;
    asio::generic::stream_protocol::socket socket;
    asio::steady_timer timer;
    std::unique_ptr<TlsSession> tls;
    std::optional<support::Deadline> due;  // of the operation in flight
    std::optional<support::Deadline> timer_set;
    std::chrono::steady_clock::duration paused_before{};  // when it began
    bool expired = false;
    bool aborted = false;
};

void Wire::State::begin(support::Deadline deadline) {
    due = deadline;
    paused_before = loop.paused();
    if (!timer_set || deadline < *timer_set) wait_until(deadline);
}

void Wire::State::wait_until(support::Deadline deadline) {
    timer_set = deadline;
    timer.expires_at(deadline);
    timer.async_wait([weak = weak_from_this()](const std::error_code& error) {
        if (error) return;
        if (const auto self = weak.lock()) self->on_timer();
    });
}

void Wire::State::on_timer() {
    timer_set.reset();
    if (!due) return;
    // An answer may have come while the loop was not running, or come now.
    const auto until = *due + (loop.paused() - paused_before);
    if (until > Clock::now()) return wait_until(until);
    expired = true;
    shut();
}

void Wire::State::abort() {
    aborted = true;
    shut();
}

void Wire::State::shut() {
    std::error_code ignored;
    socket.close(ignored);
}

WireError Wire::State::error_of(const std::error_code& code, std::size_t transferred) const {
    if (aborted) return {WireError::Kind::aborted, code, transferred};
    if (expired) return {WireError::Kind::timed_out, code, transferred};
    const bool ended = code == asio::error::eof || (tls && tls->is_end(code));
    return {ended || !socket.is_open() ? WireError::Kind::closed : WireError::Kind::failed, code, transferred};
}

namespace {

// A unix socket whose backlog is full answers EAGAIN at once instead of queueing: ask again until the deadline.
template <class State>
asio::awaitable<std::error_code> connect_patiently(std::shared_ptr<State> state, Wire::Endpoint endpoint) {
    for (;;) {
        std::error_code error;
        co_await state->socket.async_connect(endpoint, into_code(error));
        if (error != asio::error::try_again || !state->socket.is_open()) co_return error;
        asio::steady_timer pause(state->socket.get_executor(), std::chrono::milliseconds(10));
        std::error_code ignored;
        co_await pause.async_wait(into_code(ignored));
        if (!state->socket.is_open()) co_return asio::error::operation_aborted;
    }
}

}  // namespace

Wire::Wire(EventLoop& loop) : state_(std::make_shared<State>(loop)) { loop.add(state_); }

Wire::~Wire() {
    if (state_) state_->shut();
}

Wire::Wire(Wire&&) noexcept = default;

Wire& Wire::operator=(Wire&&) noexcept = default;

asio::awaitable<WireResult<void>> Wire::connect(Endpoint endpoint, support::Deadline deadline) {
    const auto state = state_;
    std::error_code error;
    state->socket.open(endpoint.protocol(), error);
    if (error) co_return tl::make_unexpected(state->error_of(error));
    state->begin(deadline);
    error = co_await connect_patiently(state, endpoint);
    state->end();
    if (error || !state->socket.is_open()) co_return tl::make_unexpected(state->error_of(error));
    // Requests are single writes: waiting to fill a segment only adds latency. Unix sockets refuse the option.
    if (endpoint.protocol().family() != AF_UNIX) state->socket.set_option(asio::ip::tcp::no_delay(true), error);
    state->socket.non_blocking(true, error);
    co_return WireResult<void>();
}

asio::awaitable<WireResult<void>> Wire::start_tls(TlsContext& context, std::string server_name,
                                                  support::Deadline deadline) {
    const auto state = state_;
    state->tls = context.start(state->socket, server_name);
    state->begin(deadline);
    const std::error_code error = co_await state->tls->handshake();
    state->end();
    if (error || !state->socket.is_open()) co_return tl::make_unexpected(state->error_of(error));
    co_return WireResult<void>();
}

asio::awaitable<WireResult<void>> Wire::write(std::string_view bytes, support::Deadline deadline) {
    const auto state = state_;
    std::error_code error;
    std::size_t written = 0;
    state->begin(deadline);
    if (!state->tls) {
        // Mostly there is room for all of it, and the caller need not wait for a turn of the loop.
        written = state->socket.write_some(asio::buffer(bytes), error);
        if (error == asio::error::would_block) error.clear();
        if (!error && written < bytes.size()) {
            const auto rest = asio::buffer(bytes.substr(written));
            written += co_await asio::async_write(state->socket, rest, into_code(error));
        }
    } else {
        while (!error && written < bytes.size()) {
            written += co_await state->tls->write_some(asio::buffer(bytes.substr(written)), error);
        }
        // A record that failed may have left all the same.
        if (error) written = bytes.size();
    }
    state->end();
    if (error) co_return tl::make_unexpected(state->error_of(error, written));
    co_return WireResult<void>();
}

asio::awaitable<WireResult<std::size_t>> Wire::read(std::span<char> into, support::Deadline deadline) {
    const auto state = state_;
    const asio::mutable_buffer buffer(into.data(), into.size());
    std::error_code error;
    std::size_t count = 0;
    state->begin(deadline);
    if (state->tls) {
        count = co_await state->tls->read_some(buffer, error);
    } else {
        count = co_await state->socket.async_read_some(buffer, into_code(error));
    }
    state->end();
    if (error || count == 0) co_return tl::make_unexpected(state->error_of(error ? error : asio::error::eof));
    co_return count;
}

Wire::Idle Wire::idle_state() const {
    char byte = 0;
    const auto got = ::recv(state_->socket.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    const int error = errno;
    if (got == 0 || (got < 0 && error != EAGAIN && error != EINTR)) return Idle::closed;
    // TLS sends records of its own (session tickets) behind the scenes.
    return got > 0 && !state_->tls ? Idle::unexpected_data : Idle::quiet;
}

bool Wire::is_open() const { return state_->socket.is_open(); }

bool Wire::is_encrypted() const { return state_->tls != nullptr; }

TlsFailure Wire::tls_failure(const std::error_code& code) const {
    return state_->tls ? state_->tls->failure(code) : TlsFailure();
}

void Wire::close() { state_->shut(); }

}  // namespace ratectl::redis
