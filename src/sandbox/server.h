// One throw-away redis-server: nothing on disk but its log, a unix socket, and a free loopback port if wanted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "domain/endpoint.h"
#include "sandbox/process.h"
#include "support/error.h"
#include "support/time.h"

namespace ratectl::sandbox {

struct ServerOptions {
    std::string program;                   // the redis-server binary
    std::string folder;                    // its own, existing
    bool tcp = true;                       // replicas reach their primary only so
    domain::Secret password;               // for clients and for replicas; empty: none is asked for
    std::string config;                    // lines of its configuration file
    std::vector<std::string> arguments;    // appended: `--maxmemory`, `10mb` ...
    std::vector<std::string> environment;  // `NAME=value`, beside a plain locale
    bool die_with_parent = true;
    bool cluster = false;  // a node of a Redis Cluster (tcp), its own talk on another free port
};

/// launch() starts it, await() waits until it answers (and starts again on another port when that one was taken), so
/// that several come up at once.
class LocalServer {
public:
    static support::Result<LocalServer> launch(ServerOptions options);
    /// Error (local_io) with the end of its log when it does not come up.
    support::Result<void> await(support::Deadline deadline);

    /// TCP when there is a port, else the unix socket; with the password.
    domain::Endpoint endpoint() const;
    domain::Endpoint unix_endpoint() const;
    std::uint16_t port() const { return port_; }
    /// Where the other nodes of a cluster talk to it.
    std::uint16_t bus_port() const { return bus_port_; }
    const std::string& folder() const { return options_.folder; }
    const ServerOptions& options() const { return options_; }
    /// The end of its log, for messages.
    std::string log_tail() const;
    ChildProcess& process() { return process_; }
    /// Starts it again, empty, at the same addresses; it must have ended.
    support::Result<void> start_again();

private:
    support::Result<void> start();

    ServerOptions options_;
    ChildProcess process_;
    std::uint16_t port_ = 0;
    std::uint16_t bus_port_ = 0;
};

/// Makes the replica follow the primary, and waits until it says that the link is up.
support::Result<void> follow(const domain::Endpoint& replica, const domain::Endpoint& primary);
support::Result<void> await_link(const domain::Endpoint& replica, support::Deadline deadline);
/// It answers: also when it wants another password, but not while it still loads, or when it ends at its start, as a
/// cluster's node does whose bus port another process was quicker to take.
bool answers(const domain::Endpoint& server);

}  // namespace ratectl::sandbox
