// Sends lines and reads answers; closed for good as soon as the two may be out of step.
#include "memcached/connection.h"

#include <array>
#include <utility>

#include <fmt/format.h>

namespace ratectl::memcached {

using redis::fault;
using redis::Fault;
using redis::Outcome;
using support::ExitCode;

namespace {

constexpr std::size_t kReadAtOnce = 16'384;
constexpr std::string_view kVersion = "VERSION ";
/// More than any list has that is asked for.
constexpr std::size_t kMostItems = 10'000;

bool is_item(std::string_view line) { return line.starts_with("VALUE ") || line.starts_with("STAT "); }

std::string hint_for(std::string_view first_bytes) {
    if (first_bytes.starts_with("-ERR") || first_bytes.starts_with("-NOAUTH"))
        return "this is a Redis server: it is redis://, and the deployment is not of kind = \"memcached\"";
    if (first_bytes.starts_with("HTTP")) return "is this an HTTP server?";
    if (first_bytes.starts_with("SSH")) return "is this an SSH server?";
    return {};
}

}  // namespace

asio::awaitable<Outcome<void>> Connection::greet(support::Deadline deadline) {
    const auto answer = co_await ask("version\r\n", deadline);
    if (!answer) co_return fault(answer.error());
    if (const auto refused = fault_in(*answer, where_, "version"); refused && answer->line != "ERROR") {
        close();
        co_return fault(*refused);
    }
    if (!answer->line.starts_with(kVersion)) co_return fault(garbage("it does not say its version"));
    version_ = domain::parse_server_version(std::string_view(answer->line).substr(kVersion.size()));
    co_return Outcome<void>();
}

asio::awaitable<Outcome<void>> Connection::send(std::string request, support::Deadline deadline) {
    limit_.restart_unless_same(deadline);
    if (!is_open() || !is_idle()) {
        close();
        co_return fault({{ExitCode::unavailable, where_ + ": connection closed", ""}, false, true});
    }
    const auto written = co_await wire_.write(request, deadline);
    if (written) co_return Outcome<void>();
    close();
    co_return fault(send_fault(*loop_, written.error(), where_, limit_, written.error().transferred > 0));
}

asio::awaitable<Outcome<Answer>> Connection::receive(support::Deadline deadline) {
    limit_.restart_unless_same(deadline);
    std::array<char, kReadAtOnce> buffer;
    for (;;) {
        auto answer = reader_.next();
        if (!answer) co_return fault(garbage(answer.error()));
        if (*answer) co_return std::move(**answer);
        if (!is_open()) co_return fault({{ExitCode::unavailable, where_ + ": connection closed", ""}, true, true});
        const auto count = co_await wire_.read(buffer, deadline);
        if (!count) {
            const auto pending = reader_.pending();
            close();
            co_return fault(receive_fault(*loop_, count.error(), where_, limit_, pending));
        }
        const std::string_view bytes(buffer.data(), *count);
        if (first_bytes_.size() < 8) first_bytes_.append(bytes.substr(0, 8));
        reader_.feed(bytes);
    }
}

asio::awaitable<Outcome<Answer>> Connection::ask(std::string request, support::Deadline deadline) {
    const auto sent = co_await send(std::move(request), deadline);
    if (!sent) co_return fault(sent.error());
    co_return co_await receive(deadline);
}

asio::awaitable<Outcome<std::vector<Answer>>> Connection::receive_list(std::string_view command,
                                                                       support::Deadline deadline) {
    std::vector<Answer> answers;
    for (;;) {
        auto answer = co_await receive(deadline);
        if (!answer) co_return fault(std::move(answer.error()));
        if (answer->line == "END") co_return answers;
        if (auto refused = fault_in(*answer, where_, command)) {
            close();
            co_return fault(std::move(*refused));
        }
        if (!is_item(answer->line) || answers.size() == kMostItems) {
            close();
            co_return fault(unexpected(where_, command));
        }
        answers.push_back(std::move(*answer));
    }
}

bool Connection::is_idle() const { return reader_.pending() == 0 && wire_.idle_state() == redis::Wire::Idle::quiet; }

void Connection::close() {
    open_ = false;
    wire_.close();
}

Fault Connection::garbage(std::string_view why) {
    close();
    return {{ExitCode::protocol, fmt::format("{}: not a memcached answer: {}", where_, why), hint_for(first_bytes_)},
            true,
            false};
}

asio::awaitable<Outcome<std::unique_ptr<Connection>>> open(redis::EventLoop& loop, redis::WireOpener& opener,
                                                           domain::Node node, support::Deadline deadline) {
    const redis::TimeLimit limit(deadline);
    const std::string where = redis::place_of(node);
    auto wire = co_await opener.open(node.endpoint, where, limit);
    if (!wire) co_return fault(std::move(wire.error()));
    auto connection = std::make_unique<Connection>(loop, std::move(*wire), where, limit);
    auto greeted = co_await connection->greet(deadline);
    if (!greeted) {
        greeted.error().maybe_executed = false;
        co_return fault(std::move(greeted.error()));
    }
    co_return std::move(connection);
}

std::optional<Fault> fault_in(const Answer& answer, std::string_view where, std::string_view command) {
    const std::string_view line = answer.line;
    const auto made = [&](ExitCode code, std::string_view words, std::string_view hint = "", bool transient = false) {
        return Fault{{code, fmt::format("{}: {}", where, words), std::string(hint)}, false, transient};
    };
    if (line == "ERROR")
        return made(ExitCode::write_refused, fmt::format("does not know the command {}", command),
                    "memcached before 1.6 does not, and a server can be told to do without some");
    if (line.starts_with("ERROR Too many open connections"))
        return made(ExitCode::unavailable, "has as many connections as it may have", "memcached's -c says how many",
                    true);
    if (line.starts_with("CLIENT_ERROR unauthenticated") || line.starts_with("CLIENT_ERROR authentication"))
        return made(ExitCode::access, "asks for a login, and ratectl speaks none of memcached's",
                    "SASL and its password file are not supported: a server that asks for neither is needed");
    if (line.starts_with("SERVER_ERROR out of memory"))
        return made(ExitCode::write_refused, fmt::format("has no memory for {}", command));
    if (line.starts_with("SERVER_ERROR"))
        return made(ExitCode::unavailable, fmt::format("has failed at {}", command), "", true);
    if (line.starts_with("CLIENT_ERROR")) return made(ExitCode::protocol, fmt::format("does not accept {}", command));
    if (line.starts_with("BUSY")) return made(ExitCode::unavailable, "is busy with another listing", "", true);
    return std::nullopt;
}

Fault unexpected(std::string_view where, std::string_view command) {
    return {{ExitCode::protocol, fmt::format("{}: not an answer to {}", where, command), ""}, true, false};
}

}  // namespace ratectl::memcached
