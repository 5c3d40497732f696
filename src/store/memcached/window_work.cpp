// One write of one window on memcached servers: what it looked at, the steps it took, and what became of it.
#include "store/memcached/window_work.h"

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
    if (!first_) result.before = seen.stored();
    first_ = true;
    co_return true;
}

asio::awaitable<bool> WindowWork::step(std::size_t part, const Step& asked) {
    Step step = asked;
    step.key = task_.servers->part_key(at_.key, part);
    const auto server = task_.servers->server_of(at_.key, part, at_.place);
    const auto stepped = co_await carry_out(task_.servers, server, std::move(step));
    result.resolved = result.resolved || stepped.resolved;
    again_ = stepped.end == End::changed;
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
    auto failed = not_written(task_.servers->node(server), fault);
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

}  // namespace ratectl::store::memcached
