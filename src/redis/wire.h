// A byte stream to one server, TCP or unix socket, with or without TLS, every step of it under an absolute deadline.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

#include <asio/awaitable.hpp>
#include <asio/generic/stream_protocol.hpp>
#include <tl/expected.hpp>

#include "redis/event_loop.h"
#include "redis/tls.h"
#include "support/time.h"

namespace ratectl::redis {

struct WireError {
    enum class Kind { timed_out, aborted, closed, failed };

    Kind kind = Kind::failed;
    std::error_code code;         // failed: what the system or OpenSSL said
    std::size_t transferred = 0;  // write: bytes that may have left
};

template <class T>
using WireResult = tl::expected<T, WireError>;

/// One operation at a time. A deadline that passes, or EventLoop::abort_all, closes the socket and ends the operation
/// in flight.
class Wire {
public:
    using Endpoint = asio::generic::stream_protocol::endpoint;

    explicit Wire(EventLoop& loop);
    ~Wire();
    Wire(Wire&&) noexcept;
    Wire& operator=(Wire&&) noexcept;

    asio::awaitable<WireResult<void>> connect(Endpoint endpoint, support::Deadline deadline);
    /// Everything after it is encrypted. On failure tls_failure() says why.
    asio::awaitable<WireResult<void>> start_tls(TlsContext& context, std::string server_name,
                                                support::Deadline deadline);
    asio::awaitable<WireResult<void>> write(std::string_view bytes, support::Deadline deadline);
    /// At least one byte; an orderly or truncating end of the stream is Kind::closed.
    asio::awaitable<WireResult<std::size_t>> read(std::span<char> into, support::Deadline deadline);

    /// Between exchanges, without waiting: what the peer did meanwhile.
    enum class Idle { quiet, closed, unexpected_data };
    Idle idle_state() const;
    bool is_open() const;
    bool is_encrypted() const;
    TlsFailure tls_failure(const std::error_code& code) const;
    void close();

private:
    struct State;
    std::shared_ptr<State> state_;
};

}  // namespace ratectl::redis
