// A scripted server on a real socket: it says what it was told to, byte for byte, and can fall silent, drip, close or
// reset.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "domain/node.h"

namespace ratectl::test {

/// What happens on one connection, step by step.
struct ServerStep {
    enum class Then { keep, close, reset, silence };

    std::string expect;  // waits until this has arrived since the last step; empty: speaks at once
    std::string reply;   // raw bytes
    Then then = Then::keep;
    std::chrono::milliseconds drip{0};  // pause after each byte of the reply; 0: all at once
};

using ServerScript = std::vector<ServerStep>;

/// The answer to the greeting of a connection without password and db, from a stand-alone primary of this version.
ServerStep greets(const std::string& version = "7.0.15");
/// Bytes for a bulk string.
std::string bulk(const std::string& bytes);

/// Each accepted connection plays the next script, the last one again and again if `repeat_last`. The destructor fails
/// the running test for a connection without a script, a script without a connection, and bytes that came after a
/// script's last step.
class FakeServer {
public:
    struct Options {
        std::string unix_path = {};  // listen there instead of on a loopback port
        bool repeat_last = false;
        bool ipv6 = false;  // on ::1
    };

    explicit FakeServer(std::vector<ServerScript> scripts);
    FakeServer(std::vector<ServerScript> scripts, Options options);
    ~FakeServer();
    FakeServer(const FakeServer&) = delete;
    FakeServer& operator=(const FakeServer&) = delete;

    domain::Endpoint endpoint() const;
    /// The endpoint as shard 'alpha'.
    domain::Node node() const;
    std::uint16_t port() const;
    /// Everything that all connections have received so far.
    std::string received() const;
    std::size_t connections() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// A loopback port whose queue of connections is full: a connect to it gets no answer.
class FullBacklog {
public:
    FullBacklog();
    ~FullBacklog();
    FullBacklog(const FullBacklog&) = delete;
    FullBacklog& operator=(const FullBacklog&) = delete;

    std::uint16_t port() const { return port_; }

private:
    std::vector<int> sockets_;
    std::uint16_t port_ = 0;
};

/// A loopback port on which no process listens (until one takes it).
std::uint16_t closed_port();

}  // namespace ratectl::test
