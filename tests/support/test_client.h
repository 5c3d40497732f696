// The real connector in a test's hands: open, ask, and check how long it took.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "redis/connection.h"
#include "support/fake_channel.h"
#include "support/run_on.h"

namespace ratectl::test {

class TestClient {
public:
    using Opened = redis::Outcome<std::unique_ptr<redis::Channel>>;
    using Asked = redis::Outcome<std::vector<redis::Reply>>;

    explicit TestClient(redis::ConnectionOptions options = {}, const support::StopSignal* stop = nullptr)
        : loop_(stop), connector_(redis::make_connector(loop_, std::move(options))) {}

    Opened open(const domain::Node& node, std::chrono::milliseconds timeout = std::chrono::seconds(5)) {
        return run_on(loop_, connector_->open(node, from_now(timeout)));
    }
    Opened open(const domain::Endpoint& endpoint, std::chrono::milliseconds timeout = std::chrono::seconds(5)) {
        return open(domain::Node{"alpha", domain::Role::primary, endpoint}, timeout);
    }
    Asked ask(redis::Channel& channel, const std::vector<Command>& commands,
              std::chrono::milliseconds timeout = std::chrono::seconds(5)) {
        redis::Request request;
        for (const Command& command : commands) request.add(std::span<const std::string>(command));
        return run_on(loop_, channel.exchange(request, from_now(timeout)));
    }
    redis::EventLoop& loop() { return loop_; }
    redis::Connector& connector() { return *connector_; }

    static support::Deadline from_now(std::chrono::milliseconds timeout) {
        return std::chrono::steady_clock::now() + timeout;
    }

private:
    redis::EventLoop loop_;
    std::unique_ptr<redis::Connector> connector_;
};

/// Fails the running test, at the end of its scope, if that took longer than the deadline plus 300 ms.
class WithinDeadline {
public:
    explicit WithinDeadline(std::chrono::milliseconds deadline)
        : latest_(std::chrono::steady_clock::now() + deadline + std::chrono::milliseconds(300)) {}
    ~WithinDeadline();
    WithinDeadline(const WithinDeadline&) = delete;
    WithinDeadline& operator=(const WithinDeadline&) = delete;

private:
    std::chrono::steady_clock::time_point latest_;
};

}  // namespace ratectl::test
