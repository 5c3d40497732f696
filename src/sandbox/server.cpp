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
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "domain/endpoint.h"
#include "domain/node.h"
#include "redis/connection.h"
#include "redis/event_loop.h"
#include "redis/reply.h"
#include "sandbox/state_file.h"
#include "support/descriptor.h"
#include "support/error.h"

namespace ratectl::sandbox {
namespace {

constexpr support::Milliseconds kAnswerTimeout{5000};
constexpr support::Milliseconds kPingTimeout{500};

/// One question to one server, by an event loop that lives as long as the question.
struct Question {
    std::shared_ptr<redis::Connector> connector;
    domain::Node server;
    std::vector<std::string> words;
    support::Deadline deadline;
    std::optional<redis::Outcome<redis::Reply>> answer;
};

asio::awaitable<void> put(std::shared_ptr<Question> question) {
    auto channel = co_await question->connector->open(question->server, question->deadline);
    if (!channel) {
        question->answer = redis::fault(channel.error());
        co_return;
    }
    redis::Request request;
    request.add(question->words);
    auto replies = co_await (*channel)->exchange(request, question->deadline);
    question->answer = replies ? redis::Outcome<redis::Reply>(std::move(replies->front()))
                               : redis::Outcome<redis::Reply>(redis::fault(replies.error()));
}

support::Result<redis::Reply> ask_within(support::Milliseconds timeout, const domain::Endpoint& server,
                                         const std::vector<std::string>& words) {
    redis::EventLoop loop;
    const auto question = std::make_shared<Question>();
    question->connector = redis::make_connector(loop, {});
    question->server.endpoint = server;
    question->words = words;
    question->deadline = std::chrono::steady_clock::now() + timeout;
    bool ended = false;
    loop.spawn([&ended](const std::exception_ptr&) { ended = true; }, &put, question);
    loop.run_until([&ended] { return ended; });
    question->connector.reset();
    if (!question->answer) return support::failure(support::ExitCode::bug, "a question to a server was dropped");
    if (!*question->answer) return tl::make_unexpected(question->answer->error().error);
    return std::move(**question->answer);
}

/// Errors: as those of opening a connection and of an exchange on it.
support::Result<redis::Reply> ask(const domain::Endpoint& server, const std::vector<std::string>& words) {
    return ask_within(kAnswerTimeout, server, words);
}

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

std::vector<std::string> arguments_for(const ServerOptions& options, std::uint16_t port) {
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
    words.insert(words.end(), options.arguments.begin(), options.arguments.end());
    return words;
}

}  // namespace

bool answers(const domain::Endpoint& server) {
    const auto reply = ask_within(kPingTimeout, server, {"PING"});
    return reply || reply.error().code != support::ExitCode::unavailable;
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
    return start_again();
}

support::Result<void> LocalServer::start_again() {
    Spawn spawn;
    spawn.program = options_.program;
    spawn.arguments = arguments_for(options_, port_);
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
    const auto reply = ask(replica, {"REPLICAOF", primary.host, std::to_string(primary.port)});
    if (!reply) return tl::make_unexpected(reply.error());
    if (reply->is_error())
        return support::failure(support::ExitCode::local_io, "REPLICAOF was refused: " + reply->text);
    return {};
}

support::Result<void> await_link(const domain::Endpoint& replica, support::Deadline deadline) {
    std::string seen;
    while (std::chrono::steady_clock::now() < deadline) {
        const auto role = ask(replica, {"ROLE"});
        if (role && role->elements.size() >= 4 && role->elements[0].text == "slave") {
            seen = role->elements[3].text;
            if (seen == "connected") return {};
        } else {
            seen = role ? role->text : role.error().message;
        }
        std::this_thread::sleep_for(kPause);
    }
    return support::failure(support::ExitCode::local_io, "a replica's link does not come up; it says: " + seen);
}

}  // namespace ratectl::sandbox
