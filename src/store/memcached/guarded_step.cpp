// Sends guarded commands; where a reply is lost, makes sure that the command cannot be carried out any more.
#include "store/memcached/guarded_step.h"

#include <array>
#include <utility>

namespace ratectl::store::memcached {

// Coroutines hold it, so it is no file's own.
struct StepAnswer {
    std::optional<protocol::Written> written;  // null: `fault` says why
    std::optional<redis::Fault> fault = {};
};

namespace {

using Kind = Step::Kind;
using End = Stepped::End;
using protocol::Written;

std::string request_of(const Step& step) {
    switch (step.kind) {
        case Kind::add: return protocol::add_to(step.key, step.version, step.amount);
        case Kind::take: return protocol::take_from(step.key, step.version, step.amount);
        case Kind::create: return protocol::create(step.key, step.value, step.expires);
        case Kind::replace: return protocol::replace(step.key, step.version, step.value, step.expires);
        case Kind::remove: return protocol::remove(step.key, step.version);
    }
    return {};
}

asio::awaitable<StepAnswer> ask_once(std::shared_ptr<Servers> servers, std::size_t server, const Step& step) {
    const auto deadline = servers->core().exchange_deadline();
    auto connection = co_await servers->open(server, deadline);
    if (!connection) co_return StepAnswer{{}, std::move(connection.error())};
    const auto answer = co_await (*connection)->ask(request_of(step), deadline);
    if (!answer) co_return StepAnswer{{}, answer.error()};
    const auto written = protocol::written_in(*answer);
    auto refused = written ? std::nullopt : protocol::fault_in(*answer, (*connection)->where(), "a guarded write");
    if (!written && !refused) {
        (*connection)->close();
        refused = protocol::unexpected((*connection)->where(), "a guarded write");
    }
    servers->give_back(server, std::move(*connection));
    co_return StepAnswer{written, std::move(refused)};
}

Stepped stepped(Written written, bool resolved = false) {
    switch (written) {
        case Written::done: return {End::done, resolved};
        case Written::not_a_number: return {End::not_a_number, resolved};
        default: return {End::changed, resolved};
    }
}

/// What is stored there now.
asio::awaitable<Outcome<std::optional<protocol::Found>>> look_again(std::shared_ptr<Servers> servers,
                                                                    std::size_t server, const std::string& key) {
    std::optional<protocol::Found> found;
    const Servers::Talk talk = [&](protocol::Connection& connection,
                                   support::Deadline deadline) -> asio::awaitable<Outcome<void>> {
        found.reset();
        const std::array names{key};
        if (auto sent = co_await connection.send(protocol::gets(names), deadline); !sent) co_return sent;
        auto answers = co_await connection.receive_list("gets", deadline);
        if (!answers) co_return redis::fault(std::move(answers.error()));
        if (!answers->empty()) found = protocol::found_in(std::move(answers->front()));
        co_return Outcome<void>();
    };
    auto asked = co_await servers->read(server, talk);
    if (!asked) co_return redis::fault(std::move(asked.error()));
    co_return found;
}

/// An addition of 0 gives the key another version, and so ends every command under the old one: if it is done, the
/// lost one was not, and never will be.
asio::awaitable<Stepped> fence(std::shared_ptr<Servers> servers, std::size_t server, const Step& step,
                               redis::Fault lost) {
    const Step nothing{Kind::add, step.key, step.version, 0};
    const auto asked = co_await ask_once(servers, server, nothing);
    if (asked.written == Written::done) {
        lost.maybe_executed = false;
        co_return Stepped{End::failed, true, std::move(lost)};
    }
    // It is gone, which is what was wanted, and what comes there later has another version.
    if (step.kind == Kind::remove && asked.written == Written::missing) co_return Stepped{End::done, true};
    co_return Stepped{End::unknown, false, std::move(lost)};
}

/// The reply was lost.
asio::awaitable<Stepped> clear_up(std::shared_ptr<Servers> servers, std::size_t server, const Step& step,
                                  redis::Fault lost) {
    if (step.kind == Kind::create) {
        // The same once more: of the two only one can create it.
        const auto again = co_await ask_once(servers, server, step);
        if (again.written == Written::done) co_return stepped(Written::done, true);
    }
    if (step.kind == Kind::create || step.kind == Kind::replace) {
        const auto now = co_await look_again(servers, server, step.key);
        const bool is_wanted = now && *now && (*now)->value == step.value;
        if (is_wanted && step.same_will_do) co_return stepped(Written::done, true);
        if (step.kind == Kind::create || is_wanted) co_return Stepped{End::unknown, false, std::move(lost)};
    }
    co_return co_await fence(servers, server, step, std::move(lost));
}

}  // namespace

asio::awaitable<Stepped> carry_out(std::shared_ptr<Servers> servers, std::size_t server, Step step) {
    auto asked = co_await ask_once(servers, server, step);
    if (asked.written) co_return stepped(*asked.written);
    if (!asked.fault->maybe_executed) co_return Stepped{End::failed, false, std::move(asked.fault)};
    co_return co_await clear_up(servers, server, step, std::move(*asked.fault));
}

}  // namespace ratectl::store::memcached
