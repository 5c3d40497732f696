// redis-server under test: the sandbox's own server class, with exceptions for errors.
#include "support/redis_server.h"

#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <thread>

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "support/require.h"

namespace ratectl::test {

namespace {

constexpr std::chrono::seconds kServerPatience{20};

support::Deadline soon() { return std::chrono::steady_clock::now() + kServerPatience; }

sandbox::LocalServer launch(const std::string& folder, RedisServerOptions options) {
    sandbox::ServerOptions wanted;
    wanted.program = redis_server_program();
    wanted.folder = folder;
    wanted.tcp = options.tcp;
    wanted.arguments = std::move(options.arguments);
    wanted.environment = std::move(options.environment);
    wanted.config = std::move(options.config);
    wanted.cluster = options.cluster;
    auto server = require(sandbox::LocalServer::launch(std::move(wanted)));
    require(server.await(soon()));
    return server;
}

}  // namespace

std::string redis_server_program() {
    const char* path = std::getenv("PATH");
    const auto program = sandbox::find_program("redis-server", path == nullptr ? "/usr/bin:/usr/local/bin" : path);
    if (!program)
        throw std::runtime_error(
            "this test needs redis-server on the PATH and there is none (Debian: apt-get install redis-server)");
    return *program;
}

RedisServer::RedisServer(RedisServerOptions options)
    : folder_(require(sandbox::TemporaryFolder::make("/tmp", "ratectl-test"))),
      server_(launch(folder_.path(), std::move(options))),
      client_(server_.unix_endpoint()) {}

RedisServer::~RedisServer() {
    release_port();
    server_.process().kill();
}

test::PlainReply RedisServer::reply(const std::vector<std::string>& words) {
    auto answer = client_.command(words);
    // A server that has ended by itself says why.
    if (!answer) throw std::runtime_error(answer.error().message + "; its log ends with:\n" + server_.log_tail());
    return std::move(*answer);
}

void RedisServer::kill() {
    client_.close();
    server_.process().kill();
    if (server_.port() != 0) reserve_port();
}

void RedisServer::reserve_port() {
    reserved_ = support::Descriptor(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const int reuse = 1;
    ::setsockopt(reserved_.get(), SOL_SOCKET, SO_REUSEADDR, &reuse, sizeof reuse);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(server_.port());
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    // Somebody may have been quicker; then there is nothing to keep.
    if (::bind(reserved_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) release_port();
}

void RedisServer::release_port() { reserved_.close(); }

void RedisServer::start_again() {
    release_port();
    require(server_.start_again());
    require(server_.await(soon()));
}

void RedisServer::pause() { server_.process().signal(SIGSTOP); }

void RedisServer::resume() { server_.process().signal(SIGCONT); }

void RedisServer::make_replica_of(RedisServer& primary) {
    require(sandbox::follow(server_.unix_endpoint(), primary.endpoint()));
    require(sandbox::await_link(server_.unix_endpoint(), soon()));
}

void RedisServer::await_replication_of(RedisServer& primary) {
    const auto role = primary.reply({"ROLE"});
    if (role.items.size() < 2) throw std::runtime_error("the primary is none: " + role.shown());
    const auto wanted = std::stoll(role.items[1].text);
    for (const auto deadline = soon(); std::chrono::steady_clock::now() < deadline;) {
        const auto mine = reply({"ROLE"});
        if (mine.items.size() >= 5 && mine.items[4].kind == test::PlainReply::Kind::integer &&
            std::stoll(mine.items[4].text) >= wanted)
            return;
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    throw std::runtime_error("the replica does not catch up: " + command({"ROLE"}));
}

}  // namespace ratectl::test
