// Opens wires: the addresses of a name one after the other, then TLS.
#include "redis/wire_opener.h"

#include <utility>

#include <fmt/format.h>
#include <asio/ip/tcp.hpp>
#include <asio/local/stream_protocol.hpp>

namespace ratectl::redis {

using support::ExitCode;
using Clock = std::chrono::steady_clock;

/// One place to connect to, and its words for a message when there are several.
struct WireOpener::Candidate {
    Wire::Endpoint endpoint;
    std::string words;
};

namespace {

constexpr std::size_t kLongestPath = sizeof(sockaddr_un::sun_path) - 1;

Fault unavailable(std::string message) { return {{ExitCode::unavailable, std::move(message), ""}, false, true}; }

}  // namespace

std::string place_of(const domain::Node& node) {
    return node.shard.empty() ? node.name() : fmt::format("shard '{}' ({})", node.shard, node.name());
}

asio::awaitable<Outcome<Wire>> WireOpener::open(const domain::Endpoint& endpoint, const std::string& where,
                                                const TimeLimit& limit) {
    if (endpoint.is_to_be_told())
        co_return fault({{ExitCode::unavailable, where + ": no sentinel has told where it is", ""}, false, false});
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
    co_return std::move(*wire);
}

asio::awaitable<Outcome<std::vector<WireOpener::Candidate>>> WireOpener::candidates(const domain::Endpoint& endpoint,
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
asio::awaitable<Outcome<Wire>> WireOpener::connect(const std::vector<Candidate>& candidates, const std::string& where,
                                                   const TimeLimit& limit) {
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

Outcome<void> WireOpener::prepare_tls(const std::string& where) {
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

asio::awaitable<Outcome<void>> WireOpener::start_tls(Wire& wire, const domain::Endpoint& endpoint,
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

}  // namespace ratectl::redis
