// A real redis-server for one test: starts in the constructor, ends (exactly it) in the destructor.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "domain/endpoint.h"
#include "sandbox/folder.h"
#include "sandbox/server.h"
#include "support/descriptor.h"
#include "support/plain_client.h"

namespace ratectl::test {

/// How to start one. Without tcp it listens on a unix socket only (a primary with replicas needs tcp).
struct RedisServerOptions {
    std::vector<std::string> arguments;  // `--maxmemory`, `10mb` ...
    bool tcp = true;
    std::vector<std::string> environment = {};  // `NAME=value`
    std::string config = {};                    // lines of its configuration file
    bool cluster = false;                       // a node of a Redis Cluster
};

/// Every failure throws std::runtime_error that says what happened; a missing redis-server too, so that such a test
/// fails and never skips.
class RedisServer {
public:
    explicit RedisServer(RedisServerOptions options = {});
    /// Only arguments.
    explicit RedisServer(std::vector<std::string> arguments)
        : RedisServer(RedisServerOptions{std::move(arguments), true}) {}
    ~RedisServer();
    RedisServer(const RedisServer&) = delete;
    RedisServer& operator=(const RedisServer&) = delete;

    /// TCP on 127.0.0.1 when it has a port, else the unix socket.
    domain::Endpoint endpoint() const { return server_.endpoint(); }
    domain::Endpoint unix_endpoint() const { return server_.unix_endpoint(); }
    std::uint16_t port() const { return server_.port(); }
    std::uint16_t bus_port() const { return server_.bus_port(); }
    pid_t pid() { return server_.process().pid(); }
    const std::string& folder() const { return folder_.path(); }

    /// One command over the unix socket, on one lasting connection; the reply as text: `(nil)`, `(error) ERR ...`,
    /// digits, bytes, an array's items one a line.
    std::string command(const std::vector<std::string>& words) { return reply(words).shown(); }
    /// The same with its type. Throws when there is no reply.
    test::PlainReply reply(const std::vector<std::string>& words);

    /// SIGKILL, and waits. Its port refuses connections, as far as that can be had, until start_again() brings it back
    /// empty at the same addresses.
    void kill();
    void start_again();
    /// SIGSTOP and SIGCONT.
    void pause();
    void resume();
    /// Follows the primary (which needs tcp); returns when its link is up.
    void make_replica_of(RedisServer& primary);
    /// Returns when this replica has everything that its primary has now.
    void await_replication_of(RedisServer& primary);

private:
    /// Binds the dead server's port without listening: otherwise a server of another test may take it and answer.
    void reserve_port();
    void release_port();

    sandbox::TemporaryFolder folder_;
    sandbox::LocalServer server_;
    test::PlainClient client_;
    support::Descriptor reserved_;
};

/// The path of the redis-server binary; throws when there is none.
std::string redis_server_program();

}  // namespace ratectl::test
