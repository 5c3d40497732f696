// Asks servers for the keys of windows, and puts the two keys of each together.
#include "store/memcached/looks.h"

#include <algorithm>
#include <deque>
#include <exception>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "domain/cluster/slot_faults.h"
#include "memcached/commands.h"
#include "store/nodes/sources.h"
#include "store/tasks.h"
#include "support/quote.h"

namespace ratectl::store::memcached {

// Coroutines hold these, so they are no file's own.

/// One key of one window.
struct PartOfWindow {
    std::size_t window = 0;
    std::size_t part = 0;
};

struct OnServer {
    std::size_t server = 0;
    std::vector<std::string> names;
    std::vector<PartOfWindow> wanted;
};

/// What one server showed: by its names.
struct Shown {
    std::vector<std::optional<protocol::Found>> found;
    std::vector<std::optional<protocol::Expiry>> expiries;  // empty: not asked, or it does not say
};

/// What a server is to be asked, and what it said, for a coroutine of its own.
struct Errand {
    std::shared_ptr<Servers> servers;
    std::shared_ptr<LookJob> job;
    OnServer part;
};

namespace {

using domain::LookDepth;
using support::ExitCode;

constexpr std::size_t kWindowsAtOnce = 200;
constexpr std::size_t kMostBytesAtOnce = std::size_t{16} << 10;
constexpr std::size_t kMostAhead = 800;

std::string request_for(const OnServer& part, LookDepth depth) {
    auto request = protocol::gets(part.names);
    if (depth == LookDepth::light) return request;
    for (const auto& name : part.names) request += protocol::time_left(name);
    return request;
}

/// Answers come in the order of the names, without those that are not there.
bool take_found(std::vector<protocol::Answer> answers, const std::vector<std::string>& names, Shown& shown) {
    std::size_t at = 0;
    for (auto& answer : answers) {
        auto found = protocol::found_in(std::move(answer));
        if (!found) return false;
        while (at < names.size() && names[at] != found->key) ++at;
        if (at == names.size()) return false;
        shown.found[at++] = std::move(found);
    }
    return true;
}

asio::awaitable<Outcome<void>> take_expiries(protocol::Connection& connection, support::Deadline deadline,
                                             Shown& shown) {
    for (std::size_t i = 0; i < shown.found.size(); ++i) {
        const auto answer = co_await connection.receive(deadline);
        if (!answer) co_return redis::fault(answer.error());
        // An older server knows no meta commands: then it is not known.
        shown.expiries.push_back(protocol::expiry_in(*answer));
    }
    co_return Outcome<void>();
}

asio::awaitable<Outcome<Shown>> ask_server(std::shared_ptr<Servers> servers, const OnServer& part, LookDepth depth) {
    Shown shown;
    const Servers::Talk talk = [&](protocol::Connection& connection,
                                   support::Deadline deadline) -> asio::awaitable<Outcome<void>> {
        shown = {};
        shown.found.resize(part.names.size());
        if (auto sent = co_await connection.send(request_for(part, depth), deadline); !sent) co_return sent;
        auto answers = co_await connection.receive_list("gets", deadline);
        if (!answers) co_return redis::fault(std::move(answers.error()));
        if (!take_found(std::move(*answers), part.names, shown)) {
            connection.close();
            co_return redis::fault(protocol::unexpected(connection.where(), "gets"));
        }
        if (depth == LookDepth::light) co_return Outcome<void>();
        co_return co_await take_expiries(connection, deadline, shown);
    };
    auto asked = co_await servers->read(part.server, talk);
    if (!asked) co_return redis::fault(std::move(asked.error()));
    co_return shown;
}

void take_part(LookJob& job, const PartOfWindow& wanted, Shown& shown, std::size_t i) {
    auto& look = job.looks[wanted.window];
    if (!look) return;
    auto& stored = look->parts.at(wanted.part);
    auto& found = shown.found[i];
    if (!found) return;
    job.versions[wanted.window].at(wanted.part) = found->version;
    stored.value = std::move(found->value);
    if (job.depth == LookDepth::light) return;
    stored.type = "string";
    stored.ttl_ms.reset();
    const auto& expiry = i < shown.expiries.size() ? shown.expiries[i] : std::nullopt;
    if (expiry && expiry->is_there) {
        stored.ttl_ms = expiry->seconds ? *expiry->seconds * 1000 : domain::kNoTtl;
    }
}

asio::awaitable<void> run_errand(std::shared_ptr<Errand> errand) {
    auto& job = *errand->job;
    auto shown = co_await ask_server(errand->servers, errand->part, job.depth);
    for (std::size_t i = 0; i < errand->part.wanted.size(); ++i) {
        const auto& one = errand->part.wanted[i];
        if (shown) {
            take_part(job, one, *shown, i);
        } else if (job.looks[one.window]) {
            job.looks[one.window] = tl::make_unexpected(shown.error().error);
            job.servers[one.window] = errand->part.server;
        }
    }
}

domain::StoredKey absent_part(LookDepth depth) {
    domain::StoredKey part;
    if (depth == LookDepth::light) return part;
    part.type = "none";
    part.ttl_ms = domain::kAbsent;
    return part;
}

std::vector<OnServer> parts_of(const Servers& servers, LookJob& job) {
    std::map<std::size_t, OnServer> parts;
    for (std::size_t i = 0; i < job.keys.size(); ++i) {
        const auto& [key, place] = job.keys[i];
        auto& look = job.looks[i];
        if (auto error = unfit_window(servers, key)) {
            look = tl::make_unexpected(std::move(*error));
            continue;
        }
        look->key = key;
        look->depth = job.depth;
        look->limiter = &servers.core().scheme->of(key);
        look->parts.assign(kParts, absent_part(job.depth));
        const std::size_t asked = servers.is_home(key, place) ? kParts : 1;
        for (std::size_t part = 0; part < asked; ++part) {
            const auto server = servers.server_of(key, part, place);
            auto& on_server = parts[server];
            on_server.server = server;
            on_server.names.push_back(servers.part_key(key, part));
            on_server.wanted.push_back({i, part});
        }
    }
    std::vector<OnServer> all;
    all.reserve(parts.size());
    for (auto& [server, part] : parts) all.push_back(std::move(part));
    return all;
}

std::vector<std::shared_ptr<Errand>> prepare(const std::shared_ptr<Servers>& servers,
                                             const std::shared_ptr<LookJob>& job) {
    job->looks.assign(job->keys.size(), domain::WindowLook());
    job->versions.assign(job->keys.size(), {});
    for (const auto& key : job->keys) job->servers.push_back(key.place.shard);
    std::vector<std::shared_ptr<Errand>> errands;
    for (auto& part : parts_of(*servers, *job))
        errands.push_back(std::make_shared<Errand>(Errand{servers, job, std::move(part)}));
    return errands;
}

class StreamedLooks final : public LookStream {
public:
    StreamedLooks(std::shared_ptr<Servers> servers, LookOrder order)
        : servers_(std::move(servers)), order_(std::move(order)) {}

    std::size_t room() const override { return asked_.size() < kMostAhead ? kMostAhead - asked_.size() : 0; }
    void ask(std::string_view key, std::span<const Place> places) override {
        for (const Place place : places) asked_.push_back({{std::string(key), place}, next_key_});
        ++next_key_;
    }

    std::span<LookView> next() override {
        views_.clear();
        take_batch();
        if (batch_.empty()) return {};
        Tasks tasks(servers_->shared_core());
        for (const auto& errand : prepare(servers_, job_)) tasks.add(run_errand, errand);
        const bool finished = tasks.finish_or_stop() && !servers_->core().stopping();
        job_->read_at = servers_->core().now();
        if (!finished) error_ = servers_->core().interrupted();
        for (std::size_t i = 0; i < batch_.size(); ++i) {
            auto& look = job_->looks[i];
            LookView view{batch_[i].number,
                          batch_[i].at.key,
                          &servers_->node(job_->servers[i]),
                          nullptr,
                          nullptr,
                          job_->read_at,
                          false,
                          std::nullopt};
            if (!finished) {
                view.error = &error_;
            } else if (look) {
                view.look = &*look;
            } else {
                view.error = &look.error();
            }
            views_.push_back(view);
        }
        // What was left behind at a stop signal still writes there.
        if (!finished) job_ = std::make_shared<LookJob>();
        return views_;
    }
    bool ready() const override { return asked_.empty(); }
    const std::vector<NodeFailure>& failures() const override { return failures_; }

private:
    struct Asked {
        KeyAt at;
        std::uint64_t number = 0;
    };

    /// All places of a key together.
    void take_batch() {
        batch_.clear();
        job_ = std::make_shared<LookJob>();
        job_->depth = order_.depth;
        std::size_t bytes = 0;
        while (!asked_.empty()) {
            const bool full = batch_.size() >= kWindowsAtOnce || bytes >= kMostBytesAtOnce;
            if (full && asked_.front().number != batch_.back().number) break;
            bytes += 2 * asked_.front().at.key.size();
            batch_.push_back(std::move(asked_.front()));
            asked_.pop_front();
            job_->keys.push_back(batch_.back().at);
        }
    }

    std::shared_ptr<Servers> servers_;
    LookOrder order_;
    std::deque<Asked> asked_;
    std::vector<Asked> batch_;
    std::shared_ptr<LookJob> job_;
    std::vector<LookView> views_;
    std::vector<NodeFailure> failures_;
    support::Error error_;
    std::uint64_t next_key_ = 0;
};

}  // namespace

std::optional<support::Error> unfit_window(const Servers& servers, std::string_view key) {
    auto why = protocol::why_unfit(key);
    const auto second = servers.part_key(key, 1);
    if (!why && protocol::why_unfit(second))
        why = fmt::format("with the second one's ending it has {} bytes, and memcached takes at most {}", second.size(),
                          protocol::kLongestKey);
    if (!why) return std::nullopt;
    return support::Error{
        ExitCode::usage,
        fmt::format("key {}: no memcached has such a key: {}; it was not sent", support::quoted(key), *why), "",
        domain::kBadKey};
}

asio::awaitable<void> look_at(std::shared_ptr<Servers> servers, std::shared_ptr<LookJob> job) {
    for (const auto& errand : prepare(servers, job)) co_await run_errand(errand);
    job->read_at = servers->core().now();
}

void check_source(const Core& core, const domain::ReadFrom& from, std::span<const std::size_t> shards) {
    using Which = domain::ReadFrom::Which;
    if (from.which == Which::replica && from.strictly) {
        throw support::Failure(ExitCode::usage, "--from replica: a memcached has no replicas",
                               "leave --from out: every server is the only one that has its keys");
    }
    if (from.which != Which::node) return;
    std::vector<std::size_t> asked(shards.begin(), shards.end());
    for (std::size_t i = 0; shards.empty() && i < core.directory->places().size(); ++i) asked.push_back(i);
    const auto is_named = [&](std::size_t shard) { return core.directory->primary(shard).name() == from.node; };
    if (std::ranges::none_of(asked, is_named) && !asked.empty())
        throw support::Failure(no_such_node(core, asked.front(), from));
}

std::unique_ptr<LookStream> stream_looks(const std::shared_ptr<Servers>& servers, LookOrder order) {
    check_source(servers->core(), order.from, order.shards);
    return std::make_unique<StreamedLooks>(servers, std::move(order));
}

LookResult look_once(const std::shared_ptr<Servers>& servers, const LookQuestion& question) {
    LookResult result;
    const auto stream = stream_looks(servers, {question.from, question.depth, question.as_script});
    for (const auto& [key, place] : question.keys) stream->ask(key, place);
    for (auto views = stream->next(); !views.empty(); views = stream->next()) {
        for (auto& view : views) {
            LookAnswer answer{static_cast<std::size_t>(view.key),
                              *view.node,
                              domain::WindowLook(),
                              view.read_at,
                              false,
                              std::nullopt};
            if (view.look != nullptr) {
                answer.look = std::move(*view.look);
            } else {
                answer.look = tl::make_unexpected(*view.error);
            }
            result.answers.push_back(std::move(answer));
        }
    }
    return result;
}

}  // namespace ratectl::store::memcached
