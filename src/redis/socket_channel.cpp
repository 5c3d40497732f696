// Matches replies to commands over a socket; whatever does not add up closes the connection.
#include "redis/socket_channel.h"

#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "redis/proxy.h"
#include "redis/reply_class.h"

namespace ratectl::redis {

using support::ExitCode;

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kBufferSize = 64u << 10;

// For who comes when the connection is closed already: what came first, its own end or that of the time.
WireError closed_before(support::Deadline deadline) {
    const bool in_time = Clock::now() < deadline;
    return {in_time ? WireError::Kind::closed : WireError::Kind::timed_out, {}, 0};
}

}  // namespace

SocketChannel::SocketChannel(EventLoop& loop, Wire wire, std::string where, ReplyCaps caps, TimeLimit limit)
    : loop_(&loop),
      wire_(std::move(wire)),
      where_(std::move(where)),
      reader_(caps),
      limit_(limit),
      buffer_(std::make_unique_for_overwrite<char[]>(kBufferSize)) {}

void SocketChannel::close() {
    open_ = false;
    wire_.close();
}

std::optional<Fault> SocketChannel::idle_fault() {
    // A server that closes on accept says why; that is read as the greeting's first reply.
    if (greeting_ || outstanding_ > 0) return std::nullopt;
    switch (wire_.idle_state()) {
        case Wire::Idle::quiet: return std::nullopt;
        case Wire::Idle::closed:
            return Fault{{ExitCode::unavailable, fmt::format("{}: the server has closed the connection", where_), ""},
                         false,
                         true};
        case Wire::Idle::unexpected_data: break;
    }
    Fault fault = protocol_fault("unexpected data while nothing was asked", where_, {});
    fault.maybe_executed = false;
    return fault;
}

asio::awaitable<Outcome<void>> SocketChannel::send(const Request& request, support::Deadline deadline) {
    limit_.restart_unless_same(deadline);
    if (!is_open()) co_return fault(send_fault(*loop_, closed_before(deadline), where_, limit_, false));
    if (limits_.empty() || limits_.back().deadline() != deadline) limits_.push_back(limit_);
    if (auto unexpected = idle_fault()) {
        close();
        co_return fault(*std::move(unexpected));
    }
    if (facts_.proxied) {
        if (auto refused = not_through_proxy(request, where_)) co_return fault(*std::move(refused));
    }
    const std::size_t waiting = outstanding_;
    WireResult<void> written = co_await wire_.write(request.bytes(), deadline);
    outstanding_ += request.commands();
    if (written) co_return Outcome<void>();
    const bool nothing_waits = waiting == 0;
    const std::size_t first = request.first_command_bytes();
    if (!nothing_waits) {
        close();
        co_return fault(send_fault(*loop_, written.error(), where_, limit_, written.error().transferred >= first));
    }
    co_return fault(co_await after_failed_send(written.error(), first));
}

// A server that closes on accept says why first (`max number of clients reached`); a write that fails must not hide it.
asio::awaitable<Fault> SocketChannel::after_failed_send(WireError error, std::size_t first_command_bytes) {
    const bool maybe_executed = error.transferred >= first_command_bytes;
    Fault lost = send_fault(*loop_, error, where_, limit_, maybe_executed);
    if (wire_.is_open()) {
        Reply last_words;
        const Outcome<void> heard = co_await read_reply(last_words);
        if (heard && last_words.is_error()) {
            lost = fault_from_reply(last_words.text, where_, greeting_ ? "AUTH" : "the request");
            lost.maybe_executed = maybe_executed && lost.maybe_executed;
        } else if (!heard && heard.error().error.code == ExitCode::access) {
            // TLS 1.3 says only now that it wants another client certificate.
            lost = heard.error();
            lost.maybe_executed = false;
        }
    }
    close();
    co_return lost;
}

asio::awaitable<Outcome<void>> SocketChannel::receive(Reply& into, ElementReceiver* elements,
                                                      support::Deadline deadline) {
    if (outstanding_ == 0) {
        throw support::Failure(ExitCode::bug, where_ + ": a reply was awaited although nothing was asked");
    }
    // What was sent before the connection broke may still have been carried out.
    take_limit(deadline);
    if (!is_open()) co_return fault(receive_fault(*loop_, closed_before(deadline), where_, limit_, 0));
    co_return co_await next_reply(into, elements);
}

// The last one is left to receive(), which sees what must not come behind it, and so is whatever is wrong.
bool SocketChannel::take_ready(Reply& into, ElementReceiver* elements) {
    if (outstanding_ < 2 || !is_open()) return false;
    for (;;) {
        const auto parsed = reader_.next(into, elements);
        if (!parsed) return false;
        if (*parsed) break;
        if (unfed_.empty()) return false;
        feed_piece();
    }
    any_reply_ = true;
    --outstanding_;
    return true;
}

void SocketChannel::feed_piece() {
    const auto piece = unfed_.substr(0, RespReader::kMaxFeed);
    reader_.feed(piece);
    unfed_.remove_prefix(piece.size());
}

void SocketChannel::take_limit(support::Deadline deadline) {
    while (limits_.size() > 1 && limits_.front().deadline() != deadline) limits_.pop_front();
    if (!limits_.empty() && limits_.front().deadline() == deadline) limit_ = limits_.front();
    limit_.restart_unless_same(deadline);
}

asio::awaitable<Outcome<void>> SocketChannel::next_reply(Reply& into, ElementReceiver* elements) {
    Outcome<void> read = co_await read_reply(into, elements);
    if (!read) {
        close();
        co_return read;
    }
    any_reply_ = true;
    --outstanding_;
    if (outstanding_ == 0 && left_over() > 0) {
        close();
        co_return fault(protocol_fault("unexpected data after the last reply", where_, {}));
    }
    co_return read;
}

asio::awaitable<Outcome<void>> SocketChannel::read_reply(Reply& into, ElementReceiver* elements) {
    for (;;) {
        const auto parsed = reader_.next(into, elements);
        if (!parsed) {
            co_return fault(protocol_fault(parsed.error(), where_, any_reply_ ? std::string_view() : first_bytes_));
        }
        if (*parsed) co_return Outcome<void>();
        if (unfed_.empty()) {
            const auto count = co_await wire_.read({buffer_.get(), kBufferSize}, limit_.deadline());
            if (!count) co_return fault(unread(count.error()));
            unfed_ = {buffer_.get(), *count};
            if (first_bytes_.size() < 8) first_bytes_.append(unfed_.substr(0, 8 - first_bytes_.size()));
        }
        feed_piece();
    }
}

Fault SocketChannel::unread(const WireError& error) {
    Fault fault = receive_fault(*loop_, error, where_, limit_, reader_.left_over());
    const bool first_words = first_bytes_.empty();
    if (error.kind == WireError::Kind::failed && wire_.is_encrypted()) {
        const TlsFailure failure = wire_.tls_failure(error.code);
        if (first_words) {
            fault.error = {failure.code, fmt::format("{}: {}", where_, failure.words), failure.hint};
            fault.transient = failure.code == ExitCode::unavailable;
        }
    } else if (greeting_ && first_words && !wire_.is_encrypted()) {
        if (error.kind == WireError::Kind::failed) {
            fault.error.code = ExitCode::protocol;
            fault.transient = false;
        }
        if (error.kind != WireError::Kind::aborted) {
            fault.error.hint = error.kind == WireError::Kind::timed_out
                                   ? ""
                                   : "does this port speak TLS? Then it is rediss://, not redis://";
        }
    }
    if (greeting_ && error.kind == WireError::Kind::closed) {
        fault.error.hint += fault.error.hint.empty() ? "" : "; ";
        fault.error.hint += kProxyHint;
    }
    return fault;
}

asio::awaitable<Outcome<std::vector<Reply>>> SocketChannel::greeting_replies(const domain::Endpoint& endpoint,
                                                                             Peer wanted) {
    Request request = greeting_request(endpoint, wanted);
    const Outcome<void> sent = co_await send(request, limit_.deadline());
    request.wipe();
    if (!sent) co_return fault(sent.error());
    std::vector<Reply> replies;
    while (outstanding_ > 0) {
        Reply reply;
        const Outcome<void> read = co_await next_reply(reply);
        if (!read) {
            // An error reply that came before the end explains more than the end itself.
            const auto so_far = read_greeting(endpoint, replies, where_, {}, wanted);
            co_return fault(so_far ? read.error() : so_far.error());
        }
        replies.push_back(std::move(reply));
        if (ends_greeting(replies.back())) break;
    }
    co_return replies;
}

asio::awaitable<Outcome<void>> SocketChannel::greet(const domain::Endpoint& endpoint, Peer wanted,
                                                    std::function<support::WallTime()> wall_clock) {
    greeting_ = true;
    const auto asked = Clock::now();
    auto replies = co_await greeting_replies(endpoint, wanted);
    GreetingTimes times;
    times.asked = asked;
    times.answered = Clock::now();
    times.round_trip = std::chrono::round<support::Milliseconds>(times.answered - asked);
    if (wall_clock) times.arrived = wall_clock();
    greeting_ = false;
    if (!replies) {
        close();
        replies.error().maybe_executed = false;
        co_return fault(std::move(replies.error()));
    }
    Outcome<ServerFacts> facts = read_greeting(endpoint, *replies, where_, times, wanted);
    if (!facts) {
        close();
        co_return fault(std::move(facts.error()));
    }
    facts_ = *std::move(facts);
    co_return Outcome<void>();
}

}  // namespace ratectl::redis
