// Keeps connections between two uses, and asks servers for their statistics.
#include "store/memcached/servers.h"

#include <algorithm>
#include <utility>

#include "memcached/commands.h"
#include "store/nodes/conversation.h"
#include "support/number_text.h"

namespace ratectl::store::memcached {
namespace {

constexpr std::chrono::seconds kMostIdle{5};
/// A server looks at its clock once a second, and tells whole seconds.
constexpr support::Milliseconds kClockStep{2500};

std::optional<std::int64_t> number(std::string_view text) { return support::parse_decimal(text); }

/// What a line of the statistics says.
void take_stat(const protocol::Stat& stat, ServerSelf& self, std::string& pid, std::optional<std::int64_t>& time) {
    auto& facts = self.facts;
    if (stat.name == "pid") pid = stat.value;
    if (stat.name == "time") time = number(stat.value);
    if (stat.name == "version") facts.version = domain::parse_server_version(stat.value);
    if (stat.name == "curr_connections") facts.clients = number(stat.value);
    if (stat.name == "bytes") facts.used_memory = number(stat.value);
    if (stat.name == "limit_maxbytes") facts.max_memory = number(stat.value);
    if (stat.name == "evictions") facts.evicted_keys = number(stat.value);
    if (stat.name == "curr_items") facts.keys = number(stat.value);
    if (stat.name == "uptime") {
        if (const auto seconds = number(stat.value)) facts.uptime = support::Seconds(*seconds);
    }
}

ServerSelf self_from(const std::vector<protocol::Answer>& answers, support::WallTime arrived,
                     support::Milliseconds round_trip) {
    ServerSelf self;
    self.asked = arrived;
    self.facts.role = domain::Role::primary;
    self.facts.eviction_policy = "lru";
    self.facts.round_trip = round_trip;
    std::string pid;
    std::optional<std::int64_t> time;
    for (const auto& answer : answers) {
        if (const auto stat = protocol::stat_in(answer.line)) take_stat(*stat, self, pid, time);
    }
    if (!time) return self;
    self.now = support::WallTime(std::chrono::seconds(*time));
    if (self.facts.uptime && !pid.empty()) {
        self.run_id = pid + "@" + std::to_string(*time - self.facts.uptime->count());
        self.facts.run_id = self.run_id;
    }
    const auto skew = std::chrono::duration_cast<support::Milliseconds>(self.now - arrived);
    self.facts.clock_skew = skew > -kClockStep && skew < support::Milliseconds(1000) ? support::Milliseconds(0) : skew;
    return self;
}

}  // namespace

Servers::Servers(std::shared_ptr<Core> core)
    : core_(std::move(core)),
      opener_(std::make_shared<redis::WireOpener>(
          core_->loop, redis::WireOpener::Options{domain::TlsOptions(), core_->options.notice, nullptr})) {}

std::string Servers::part_key(std::string_view key, std::size_t part) const {
    return core_->scheme->of(key).part_key(key, part);
}

std::size_t Servers::server_of(std::string_view key, std::size_t part, Place place) const {
    if (part == 0 || !core_->directory->knows_homes()) return place.shard;
    return core_->directory->place_of(part_key(key, part)).value_or(place).shard;
}

bool Servers::is_home(std::string_view key, Place place) const {
    const auto home = core_->directory->place_of(key);
    return !home || home->shard == place.shard;
}

std::unique_ptr<protocol::Connection> Servers::take(std::size_t server) {
    auto& idle = idle_[server];
    const auto oldest = std::chrono::steady_clock::now() - kMostIdle;
    while (!idle.empty()) {
        auto [connection, since] = std::move(idle.back());
        idle.pop_back();
        if (since >= oldest && connection->is_open() && connection->is_idle()) return std::move(connection);
    }
    return nullptr;
}

void Servers::give_back(std::size_t server, std::unique_ptr<protocol::Connection> connection) {
    if (shut_ || !connection || !connection->is_open()) return;
    idle_[server].emplace_back(std::move(connection), std::chrono::steady_clock::now());
}

void Servers::shut() {
    shut_ = true;
    idle_.clear();
}

asio::awaitable<Outcome<std::unique_ptr<protocol::Connection>>> Servers::open(std::size_t server,
                                                                              support::Deadline deadline) {
    if (auto connection = take(server)) co_return std::move(connection);
    const auto core = core_;
    const auto opener = opener_;
    const auto at = node(server);
    if (auto dead = core->known_dead(at)) co_return redis::fault(std::move(*dead));
    for (int attempt = 1;; ++attempt) {
        auto opened = co_await protocol::open(core->loop, *opener, at, deadline);
        if (opened) co_return opened;
        bool again = worth_another(opened.error(), attempt);
        if (again) again = co_await back_off(core, at, attempt, deadline);
        if (again) continue;
        core->remember_dead(at, opened.error());
        co_return redis::fault(std::move(opened.error()));
    }
}

asio::awaitable<Outcome<void>> Servers::read(std::size_t server, Talk talk) {
    const auto core = core_;
    const auto deadline = core->exchange_deadline();
    for (int attempt = 1;; ++attempt) {
        auto connection = co_await open(server, deadline);
        if (!connection) co_return redis::fault(std::move(connection.error()));
        auto talked = co_await talk(**connection, deadline);
        give_back(server, std::move(*connection));
        if (talked) co_return talked;
        bool again = worth_another(talked.error(), attempt);
        if (again) again = co_await back_off(core, node(server), attempt, deadline);
        if (again) continue;
        core->remember_dead(node(server), talked.error());
        co_return talked;
    }
}

asio::awaitable<Outcome<ServerSelf>> Servers::ask_self(std::size_t server) {
    ServerSelf self;
    const Talk talk = [this, &self](protocol::Connection& connection,
                                    support::Deadline deadline) -> asio::awaitable<Outcome<void>> {
        const auto began = std::chrono::steady_clock::now();
        if (auto sent = co_await connection.send("stats\r\n", deadline); !sent) co_return sent;
        const auto answers = co_await connection.receive_list("stats", deadline);
        if (!answers) co_return redis::fault(answers.error());
        const auto took = std::chrono::steady_clock::now() - began;
        self = self_from(*answers, core_->now(), std::chrono::ceil<support::Milliseconds>(took));
        co_return Outcome<void>();
    };
    auto asked = co_await read(server, talk);
    if (!asked) co_return redis::fault(std::move(asked.error()));
    selves_.emplace(server, self);
    co_return self;
}

const ServerSelf* Servers::self(std::size_t server) const {
    const auto found = selves_.find(server);
    return found == selves_.end() ? nullptr : &found->second;
}

}  // namespace ratectl::store::memcached
