// Starting a redis-server, waiting for it, and tying a replica to a primary.
#include "sandbox/server.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "domain/endpoint.h"
#include "sandbox/question.h"
#include "sandbox/state_file.h"
#include "support/descriptor.h"
#include "support/error.h"

namespace ratectl::sandbox {
namespace {

constexpr support::Milliseconds kPingTimeout{500};
constexpr support::Milliseconds kPause{3};

/// A loopback port that is free right now; another process may take it before the server does.
support::Result<std::uint16_t> free_port() {
    const support::Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    const bool found = socket.is_open() && ::bind(socket.get(), generic, length) == 0 &&
                       ::getsockname(socket.get(), generic, &length) == 0;
    const int error = errno;
    if (!found)
        return support::failure(support::ExitCode::local_io,
                                std::string("no free loopback port: ") + std::strerror(error));
    return ntohs(address.sin_port);
}

std::string config_file(const ServerOptions& options) { return options.folder + "/redis.conf"; }

/// A password on the command line would be seen by every user of the machine.
std::string config_of(const ServerOptions& options) {
    const auto& password = options.password.reveal();
    const auto login = password.empty() ? "" : "requirepass " + password + "\nmasterauth " + password + "\n";
    return login + options.config;
}

std::vector<std::string> arguments_for(const ServerOptions& options, std::uint16_t port, std::uint16_t bus_port) {
    std::vector<std::string> words;
    if (!config_of(options).empty()) words.push_back(config_file(options));
    // A replica fed from a file is online at once; one fed from a socket only after its next periodic acknowledgement.
    words.insert(words.end(), {"--bind",
                               "127.0.0.1",
                               "--port",
                               std::to_string(port),
                               "--unixsocket",
                               options.folder + "/redis.sock",
                               "--unixsocketperm",
                               "700",
                               "--save",
                               "",
                               "--appendonly",
                               "no",
                               "--daemonize",
                               "no",
                               "--dir",
                               options.folder,
                               "--logfile",
                               options.folder + "/redis.log",
                               "--repl-diskless-sync",
                               "no",
                               "--rdb-del-sync-files",
                               "yes"});
    if (options.cluster)
        words.insert(words.end(), {"--cluster-enabled", "yes", "--cluster-port", std::to_string(bus_port)});
    words.insert(words.end(), options.arguments.begin(), options.arguments.end());
    return words;
}

}  // namespace

bool answers(const domain::Endpoint& server) {
    const auto reply = ask(server, {"PING"}, kPingTimeout);
    return reply || reply.error().code == support::ExitCode::access;
}

support::Result<LocalServer> LocalServer::launch(ServerOptions options) {
    LocalServer server;
    server.options_ = std::move(options);
    if (server.options_.folder.size() > 90) {
        return support::failure(support::ExitCode::local_io,
                                "the path of a server's socket is too long: " + server.options_.folder,
                                "choose a shorter folder");
    }
    if (const auto config = config_of(server.options_); !config.empty()) {
        if (auto written = write_file(config_file(server.options_), config); !written)
            return tl::make_unexpected(written.error());
    }
    if (auto started = server.start(); !started) return tl::make_unexpected(started.error());
    return server;
}

support::Result<void> LocalServer::start() {
    if (options_.tcp) {
        auto port = free_port();
        if (!port) return tl::make_unexpected(port.error());
        port_ = *port;
    }
    if (options_.cluster) {
        auto port = free_port();
        if (!port) return tl::make_unexpected(port.error());
        bus_port_ = *port;
    }
    return start_again();
}

support::Result<void> LocalServer::start_again() {
    Spawn spawn;
    spawn.program = options_.program;
    spawn.arguments = arguments_for(options_, port_, bus_port_);
    spawn.environment = {"LC_ALL=C"};
    spawn.environment.insert(spawn.environment.end(), options_.environment.begin(), options_.environment.end());
    spawn.folder = options_.folder;
    spawn.own_session = true;
    spawn.die_with_parent = options_.die_with_parent;
    const support::Descriptor log(
        ::open((options_.folder + "/redis.log").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
    spawn.out = log.get();
    spawn.err = log.get();
    auto child = ChildProcess::start(spawn);
    if (!child) return tl::make_unexpected(child.error());
    process_ = std::move(*child);
    return {};
}

support::Result<void> LocalServer::await(support::Deadline deadline) {
    for (int attempts = 1;;) {
        if (answers(unix_endpoint())) return {};
        const auto ended = process_.try_wait();
        const bool port_taken = ended && log_tail().find("Address already in use") != std::string::npos;
        if (ended && (!port_taken || attempts == 5)) {
            return support::failure(support::ExitCode::local_io,
                                    "redis-server ended at once; its log ends with:\n" + log_tail());
        }
        if (ended) {
            ++attempts;
            ::unlink((options_.folder + "/redis.log").c_str());
            if (auto again = start(); !again) return again;
        }
        if (std::chrono::steady_clock::now() >= deadline) {
            return support::failure(support::ExitCode::local_io,
                                    "redis-server does not answer; its log ends with:\n" + log_tail());
        }
        std::this_thread::sleep_for(kPause);
    }
}

domain::Endpoint LocalServer::endpoint() const {
    if (!options_.tcp) return unix_endpoint();
    domain::Endpoint endpoint;
    endpoint.host = "127.0.0.1";
    endpoint.port = port_;
    if (!options_.password.empty()) endpoint.credentials.password = options_.password;
    return endpoint;
}

domain::Endpoint LocalServer::unix_endpoint() const {
    domain::Endpoint endpoint;
    if (!options_.password.empty()) endpoint.credentials.password = options_.password;
    endpoint.kind = domain::Endpoint::Kind::unix_socket;
    endpoint.path = options_.folder + "/redis.sock";
    return endpoint;
}

std::string LocalServer::log_tail() const {
    std::ifstream file(options_.folder + "/redis.log");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    return text.size() <= 1000 ? text : text.substr(text.size() - 1000);
}

support::Result<void> follow(const domain::Endpoint& replica, const domain::Endpoint& primary) {
    return expect_ok(replica, {"REPLICAOF", primary.host, std::to_string(primary.port)});
}

support::Result<void> await_link(const domain::Endpoint& replica, support::Deadline deadline) {
    return await("a replica's link", deadline, [&replica](std::string& seen) {
        const auto role = ask(replica, {"ROLE"});
        const bool follows = role && role->elements.size() >= 4 && role->elements[0].text == "slave";
        if (follows) {
            seen = role->elements[3].text;
        } else {
            seen = role ? role->text : role.error().message;
        }
        return follows && seen == "connected";
    });
}

}  // namespace ratectl::sandbox
