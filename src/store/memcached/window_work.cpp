// One write of one window on memcached servers: what it looked at, the steps it took, and what became of it.
#include "store/memcached/window_work.h"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "schemes/memcached/memcached_scheme.h"
#include "schemes/write_answer.h"
#include "store/writes/write_results.h"
#include "support/quote.h"

namespace ratectl::store::memcached {

using End = Stepped::End;
using support::ExitCode;

WindowWork::WindowWork(Task task, KeyAt at) : task_(std::move(task)), at_(std::move(at)) {
    result.node = task_.servers->node(at_.place.shard);
}

asio::awaitable<bool> WindowWork::look() {
    auto job = std::make_shared<LookJob>();
    job->keys.push_back(at_);
    job->depth = domain::LookDepth::full;
    co_await look_at(task_.servers, job);
    auto& look = job->looks.front();
    if (!look) {
        give_up({look.error(), false, false}, job->servers.front());
        co_return false;
    }
    seen = Seen{std::move(*look), job->versions.front(), {}, {}};
    const auto judged = domain::judge(seen.look, domain::kWhenever, std::nullopt);
    seen.corrupt = judged.state == domain::WindowState::corrupt;
    seen.used = judged.used;
    seen.end = judged.reset_at;
    // What another program did between two looks is none of this change's doing. Once its own end is there, the counter
    // alone may be another one.
    auto stored = seen.stored();
    if (wrote_) {
        result.before.used = std::move(stored.used);
    } else {
        result.before = std::move(stored);
    }
    co_return true;
}

asio::awaitable<bool> WindowWork::step(std::size_t part, const Step& asked) {
    Step step = asked;
    step.key = task_.servers->part_key(at_.key, part);
    const auto server = task_.servers->server_of(at_.key, part, at_.place);
    const auto stepped = co_await carry_out(task_.servers, server, std::move(step));
    result.resolved = result.resolved || stepped.resolved;
    again_ = stepped.end == End::changed;
    if (stepped.end == End::done || stepped.end == End::unknown)
        task_.servers->core().changed.insert(task_.servers->node(server).shard);
    if (stepped.end == End::done) {
        wrote_ = true;
        co_return true;
    }
    if (stepped.end == End::not_a_number) refuse("not-an-integer");
    if (stepped.end == End::failed) give_up(*stepped.fault, server);
    if (stepped.end == End::unknown) {
        result.node = task_.servers->node(server);
        be_unknown(stepped.fault->error);
    }
    co_return false;
}

void WindowWork::refuse(std::string_view word) {
    auto answer = schemes::answer_for_word(word).value_or(schemes::WriteAnswer{});
    result.status = answer.status;
    result.reason = std::move(answer.reason);
    result.error = std::move(answer.error);
    if (result.error) result.error->message = worded(result.error->message + "; nothing was written to it");
    result.after = result.before;
    if (wrote_) half_done();
}

void WindowWork::applied(StoredWindow after) {
    result.status = WriteStatus::applied;
    result.after = std::move(after);
    result.written_at = task_.servers->core().now();
}

void WindowWork::too_busy() {
    refuse("window-changed");
    if (result.error) result.error->message = worded("it changed at every look; nothing was written to it");
    if (wrote_) half_done();
}

void WindowWork::crossed(std::string_view how) { be_unknown({ExitCode::unknown, worded(std::string(how)), ""}); }
asio::awaitable<bool> WindowWork::lasts(support::Instant end) {
    for (std::size_t part = 0; part < kParts; ++part) {
        const auto server = task_.servers->server_of(at_.key, part, at_.place);
        if (task_.servers->self(server) == nullptr) co_await task_.servers->ask_self(server);
        const auto* self = task_.servers->self(server);
        if (self == nullptr || self->now == support::WallTime{}) continue;
        const auto now = self->now + (task_.servers->core().now() - self->asked);
        if (support::WallTime(std::chrono::seconds(schemes::memcached::second_of_removal(end))) <= now) co_return false;
    }
    co_return true;
}

std::string WindowWork::worded(const std::string& words) const {
    return fmt::format("{}: key {}: {}", where(result.node), support::quoted(at_.key), words);
}

void WindowWork::give_up(const redis::Fault& fault, std::size_t server) {
    auto failed = not_written(task_.servers->core(), task_.servers->node(server), fault);
    failed.before = std::move(result.before);
    failed.resolved = result.resolved;
    result = std::move(failed);
    if (wrote_) half_done();
}

void WindowWork::be_unknown(support::Error why) {
    auto unknown = unknown_outcome(result.node, std::move(why), task_.what, "");
    unknown.before = std::move(result.before);
    result = std::move(unknown);
}

void WindowWork::half_done() {
    auto error = result.error.value_or(support::Error{});
    error.message = worded("the first of its two keys was written, and the second one could not be");
    be_unknown(std::move(error));
}

// Coroutines hold it, so it is no file's own.
struct StepAnswer {
    std::optional<protocol::Written> written;  // null: `fault` says why
    std::optional<redis::Fault> fault = {};
};

using Kind = Step::Kind;

namespace {
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
    if (!written && !refused) refused = protocol::unexpected((*connection)->where(), "a guarded write");
    if (!written && protocol::leaves_open(*answer)) refused->maybe_executed = true;
    if (refused && refused->maybe_executed) (*connection)->close();
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
