// A channel over a wire: requests out, replies in, and closed for good as soon as the two may be out of step.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "redis/channel.h"
#include "redis/event_loop.h"
#include "redis/faults.h"
#include "redis/greeting.h"
#include "redis/resp_reader.h"
#include "redis/wire.h"

namespace ratectl::redis {

class SocketChannel : public Channel {
public:
    /// The wire is connected (and encrypted, if it is to be). The loop outlives the channel.
    SocketChannel(EventLoop& loop, Wire wire, std::string where, ReplyCaps caps, TimeLimit limit);
    ~SocketChannel() override = default;

    /// Logs in and learns who is there; to be called first and once.
    asio::awaitable<Outcome<void>> greet(const domain::Endpoint& endpoint, Peer wanted,
                                         std::function<support::WallTime()> wall_clock);

    asio::awaitable<Outcome<void>> send(const Request& request, support::Deadline deadline) override;
    using Channel::receive;
    asio::awaitable<Outcome<void>> receive(Reply& into, ElementReceiver* elements, support::Deadline deadline) override;
    bool take_ready(Reply& into, ElementReceiver* elements) override;
    const ServerFacts& facts() const override { return facts_; }
    bool is_open() const override { return open_ && wire_.is_open(); }
    void close() override;
    const std::string& where() const override { return where_; }
    bool has_input() const override { return left_over() > 0; }

private:
    std::optional<Fault> idle_fault();
    std::size_t left_over() const { return reader_.left_over() + unfed_.size(); }
    asio::awaitable<Fault> after_failed_send(WireError error, std::size_t first_command_bytes);
    void take_limit(support::Deadline deadline);
    void feed_piece();
    asio::awaitable<Outcome<void>> next_reply(Reply& into, ElementReceiver* elements = nullptr);
    asio::awaitable<Outcome<void>> read_reply(Reply& into, ElementReceiver* elements = nullptr);
    Fault unread(const WireError& error);
    asio::awaitable<Outcome<std::vector<Reply>>> greeting_replies(const domain::Endpoint& endpoint, Peer wanted);

    EventLoop* loop_;
    Wire wire_;
    std::string where_;
    RespReader reader_;
    ServerFacts facts_;
    TimeLimit limit_;
    std::deque<TimeLimit> limits_;  // of what is on its way, in its order: each began when it was sent
    std::unique_ptr<char[]> buffer_;
    std::string_view unfed_;       // of the buffer, not yet given to the reader
    std::string first_bytes_;      // of the connection, for hints
    std::size_t outstanding_ = 0;  // commands whose reply has not been received
    bool any_reply_ = false;
    bool greeting_ = false;
    bool open_ = true;
};

}  // namespace ratectl::redis
