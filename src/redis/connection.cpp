// Opens channels: addresses, connect, TLS and greeting, all before one deadline.
#include "redis/connection.h"

#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <asio/ip/tcp.hpp>
#include <asio/local/stream_protocol.hpp>

#include "redis/faults.h"
#include "redis/socket_channel.h"
#include "redis/tls.h"
#include "redis/wire.h"

namespace ratectl::redis {
namespace {

using support::ExitCode;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kLongestPath = sizeof(sockaddr_un::sun_path) - 1;

// One place to connect to, and its words for a message when there are several.
struct Candidate {
    Wire::Endpoint endpoint;
    std::string words;
};

Fault unavailable(std::string message) { return {{ExitCode::unavailable, std::move(message), ""}, false, true}; }

class SocketConnector : public Connector {
public:
    SocketConnector(EventLoop& loop, ConnectionOptions options) : loop_(&loop), options_(std::move(options)) {}

    asio::awaitable<Outcome<std::unique_ptr<Channel>>> open(const domain::Node& node,
                                                            support::Deadline deadline) override;

private:
    asio::awaitable<Outcome<std::vector<Candidate>>> candidates(const domain::Endpoint& endpoint,
                                                                const std::string& where, const TimeLimit& limit);
    asio::awaitable<Outcome<Wire>> connect(const std::vector<Candidate>& candidates, const std::string& where,
                                           const TimeLimit& limit);
    asio::awaitable<Outcome<void>> start_tls(Wire& wire, const domain::Endpoint& endpoint, const std::string& where,
                                             const TimeLimit& limit);
    Outcome<void> prepare_tls(const std::string& where);

    EventLoop* loop_;
    ConnectionOptions options_;
    std::unique_ptr<TlsContext> tls_;
    std::optional<support::Error> tls_error_;
};

std::string place_of(const domain::Node& node) {
    return node.shard.empty() ? node.name() : fmt::format("shard '{}' ({})", node.shard, node.name());
}

asio::awaitable<Outcome<std::unique_ptr<Channel>>> SocketConnector::open(const domain::Node& node,
                                                                         support::Deadline deadline) {
    const TimeLimit limit(deadline);
    const std::string where = place_of(node);
    const domain::Endpoint& endpoint = node.endpoint;
    if (endpoint.tls) {
        if (const auto ready = prepare_tls(where); !ready) co_return fault(ready.error());
    }
    const auto places = co_await candidates(endpoint, where, limit);
    if (!places) co_return fault(places.error());
    auto wire = co_await connect(*places, where, limit);
    if (!wire) co_return fault(std::move(wire.error()));
    if (endpoint.tls) {
        const auto secured = co_await start_tls(*wire, endpoint, where, limit);
        if (!secured) co_return fault(secured.error());
    }
    auto channel = std::make_unique<SocketChannel>(*loop_, std::move(*wire), where, options_.caps, limit);
    const auto greeted = co_await channel->greet(endpoint, options_.wall_clock);
    if (!greeted) co_return fault(greeted.error());
    co_return std::unique_ptr<Channel>(std::move(channel));
}

asio::awaitable<Outcome<std::vector<Candidate>>> SocketConnector::candidates(const domain::Endpoint& endpoint,
                                                                             const std::string& where,
                                                                             const TimeLimit& limit) {
    if (endpoint.kind == domain::Endpoint::Kind::unix_socket) {
        if (endpoint.path.size() > kLongestPath) {
            co_return fault({{ExitCode::configuration,
                              fmt::format("{}: the socket's path is longer than {} bytes", where, kLongestPath), ""},
                             false,
                             false});
        }
        co_return std::vector<Candidate>{{asio::local::stream_protocol::endpoint(endpoint.path), endpoint.path}};
    }
    const auto addresses = co_await resolve(*loop_, endpoint.host, options_.lookup, limit.deadline());
    if (!addresses) {
        const ResolveError& error = addresses.error();
        if (error.kind == ResolveError::Kind::aborted) co_return fault(interrupted(*loop_, where, false));
        const std::string why =
            error.kind == ResolveError::Kind::timed_out ? timed_out(*loop_, "no answer", limit.words()) : error.words;
        co_return fault(unavailable(fmt::format("{}: cannot resolve '{}': {}", where, endpoint.host, why)));
    }
    std::vector<Candidate> places;
    for (const asio::ip::address& address : *addresses) {
        places.push_back({asio::ip::tcp::endpoint(address, endpoint.port), address.to_string()});
    }
    co_return places;
}

// Each address gets its share of what is left, so that a dead first one does not use up the time of a good second.
asio::awaitable<Outcome<Wire>> SocketConnector::connect(const std::vector<Candidate>& candidates,
                                                        const std::string& where, const TimeLimit& limit) {
    std::string failures;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        const auto now = Clock::now();
        const auto share = (limit.deadline() - now) / static_cast<int>(candidates.size() - i);
        Wire wire(*loop_);
        const auto connected = co_await wire.connect(candidates[i].endpoint, now + share);
        if (connected) co_return std::move(wire);
        const WireError& error = connected.error();
        if (error.kind == WireError::Kind::aborted) co_return fault(interrupted(*loop_, where, false));
        const std::string span = candidates.size() == 1 ? limit.words() : TimeLimit::words(share);
        const std::string why = error.kind == WireError::Kind::timed_out
                                    ? timed_out(*loop_, "no answer to connect", span)
                                    : system_words(error.code);
        failures += failures.empty() ? "" : "; ";
        failures += candidates.size() == 1 ? why : fmt::format("{}: {}", candidates[i].words, why);
    }
    co_return fault(unavailable(fmt::format("{}: cannot connect: {}", where, failures)));
}

Outcome<void> SocketConnector::prepare_tls(const std::string& where) {
    if (!tls_ && !tls_error_) {
        auto made = make_tls_context(options_.tls);
        if (!made) {
            tls_error_ = std::move(made.error());
        } else {
            tls_ = std::move(*made);
            if (options_.tls.insecure && options_.notice) {
                options_.notice(
                    {ExitCode::done, "TLS: the identity of the servers is not verified (insecure = true)", ""});
            }
        }
    }
    if (!tls_error_) return {};
    return fault(
        {{tls_error_->code, fmt::format("{}: {}", where, tls_error_->message), tls_error_->hint}, false, false});
}

asio::awaitable<Outcome<void>> SocketConnector::start_tls(Wire& wire, const domain::Endpoint& endpoint,
                                                          const std::string& where, const TimeLimit& limit) {
    const std::string& wanted = options_.tls.server_name;
    const std::string name = wanted.empty() ? endpoint.host : wanted;
    const auto secured = co_await wire.start_tls(*tls_, name, limit.deadline());
    if (secured) co_return Outcome<void>();
    const WireError& error = secured.error();
    if (error.kind == WireError::Kind::aborted) co_return fault(interrupted(*loop_, where, false));
    TlsFailure failure = wire.tls_failure(error.code);
    if (error.kind == WireError::Kind::timed_out) {
        failure = {loop_->is_out_of_time() ? ExitCode::unavailable : ExitCode::protocol,
                   timed_out(*loop_, "no TLS answer", limit.words()),
                   loop_->is_out_of_time() ? "" : "is this a plain port? Then it is redis://, not rediss://"};
    }
    const bool transient = failure.code == ExitCode::unavailable;
    co_return fault({{failure.code, fmt::format("{}: {}", where, failure.words), failure.hint}, false, transient});
}

}  // namespace

std::unique_ptr<Connector> make_connector(EventLoop& loop, ConnectionOptions options) {
    return std::make_unique<SocketConnector>(loop, std::move(options));
}

}  // namespace ratectl::redis
