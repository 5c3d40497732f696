// One or two pretended shards behind a store: servers with a clock, counters that INFO tells, and operation keys.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "redis/event_loop.h"
#include "schemes/packed.h"
#include "store/store.h"
#include "support/configured_topology.h"
#include "support/fake_channel.h"

namespace ratectl::test {

inline const auto kEvalsha = first_word_is("EVALSHA");

inline constexpr const char* kPrimary = "10.0.0.7:6379";
inline constexpr const char* kReplica = "10.0.0.8:6379";
inline constexpr const char* kOtherPrimary = "10.0.0.9:6379";

/// What a pretended server says of itself beside its scripted answers; all of it may be changed by the test as it runs.
struct PretendedServer {
    bool tells_time = true;
    bool tells_stats = true;
    std::int64_t evicted_keys = 0;
    std::map<std::string, int> calls{{"info", 1}};  // INFO commandstats
    domain::History history;
    std::map<std::string, std::string> stored;           // operation keys
    std::function<redis::Reply()> time_of_its_own;       // in place of `clock`
    std::function<void()> at_get;                        // when it is asked for an operation key
    std::chrono::milliseconds clock{1'790'000'000'000};  // at the start
    std::chrono::steady_clock::time_point started = std::chrono::steady_clock::now();

    std::int64_t now_ms() const {
        return (clock + std::chrono::floor<std::chrono::milliseconds>(std::chrono::steady_clock::now() - started))
            .count();
    }
    redis::Reply time() const {
        if (time_of_its_own) return time_of_its_own();
        if (!tells_time) return error("NOPERM this user has no permissions to run the 'time' command");
        return array({text(std::to_string(now_ms() / 1000)), text(std::to_string(now_ms() % 1000 * 1000))});
    }
    redis::Reply info(const std::string& section) const {
        if (!tells_stats) return error("NOPERM this user has no permissions to run the 'info' command");
        if (section == "stats") {
            return text("# Stats\r\nevicted_keys:" + std::to_string(evicted_keys) + "\r\n");
        }
        if (section == "replication") {
            return text("# Replication\r\nrole:master\r\nmaster_replid:" + history.id + "\r\nmaster_repl_offset:" +
                        std::to_string(history.offset) + "\r\nmaster_replid2:" + history.former_id +
                        "\r\nsecond_repl_offset:" + std::to_string(history.former_end) + "\r\n");
        }
        std::string lines = "# Commandstats\r\n";
        for (const auto& [name, count] : calls)
            lines += "cmdstat_" + name + ":calls=" + std::to_string(count) + ",usec=9\r\n";
        return text(lines);
    }
    void answer_for(FakeNode& node) {
        node.always(first_word_is("TIME"), [this](const Command&) -> Answer { return time(); });
        node.always(
            [](const Command& c) {
                return c.size() == 2 && c[0] == "INFO" &&
                       (c[1] == "stats" || c[1] == "commandstats" || c[1] == "replication");
            },
            [this](const Command& c) -> Answer { return info(c[1]); });
        node.always([](const Command& c) { return c.size() == 2 && c[0] == "GET" && c[1].starts_with("ratectl:op:"); },
                    [this](const Command& c) -> Answer {
                        if (at_get) at_get();
                        const auto found = stored.find(c[1]);
                        return found == stored.end() ? nil() : text(found->second);
                    });
        node.always(first_word_is("EXISTS"),
                    [this](const Command& c) -> Answer { return integer(stored.contains(c.at(1)) ? 1 : 0); });
        node.facts.version = domain::ServerVersion{7, 0, 15, false};
        node.facts.role = domain::Role::primary;
        node.facts.round_trip = std::chrono::milliseconds(1);
        node.facts.clock = redis::ServerClock{support::WallTime(std::chrono::milliseconds(now_ms())),
                                              std::chrono::steady_clock::now()};
    }
};

/// Shard alpha, and beta where two are asked for; run_ids `first` and `second`.
class PretendedShards {
public:
    explicit PretendedShards(std::size_t shards = 1) {
        static const std::vector<std::pair<std::string, std::string>> kShards{{"alpha", "10.0.0.7"},
                                                                              {"beta", "10.0.0.9"}};
        for (std::size_t i = 0; i < shards; ++i) {
            domain::Shard shard{kShards[i].first, {}, {}, false};
            shard.primary.host = kShards[i].second;
            topology.shards.push_back(shard);
            server(i).answer_for(node(i));
            node(i).facts.run_id = i == 0 ? "first" : "second";
        }
        options.timeout = std::chrono::milliseconds(120);
        options.notice = [this](const support::Error& error) { notices.push_back(error.message); };
    }

    FakeNode& node(std::size_t shard = 0) { return connector->at(shard == 0 ? kPrimary : kOtherPrimary); }
    PretendedServer& server(std::size_t shard = 0) { return servers_[shard]; }
    store::Store& store() {
        if (!store_) store_ = std::make_unique<store::Store>(topology, options, loop, connector);
        return *store_;
    }
    /// Commands that node was asked, by their first word.
    std::size_t asked(const std::string& word, std::size_t shard = 0) {
        std::size_t count = 0;
        for (const auto& command : node(shard).asked()) count += command.front() == word ? 1 : 0;
        return count;
    }

    test::ConfiguredTopology topology;
    store::Options options;
    std::vector<std::string> notices;
    std::shared_ptr<redis::EventLoop> loop = std::make_shared<redis::EventLoop>();

private:
    // The nodes refer to the servers, so they go first.
    std::map<std::size_t, PretendedServer> servers_;

public:
    std::shared_ptr<FakeConnector> connector = std::make_shared<FakeConnector>();

private:
    std::unique_ptr<store::Store> store_;
};

/// How many windows an EVALSHA or EVAL of a write is about.
inline std::size_t windows_of(const Command& command) { return std::stoul(command.at(2)) / 2; }
inline std::string key_of(const Command& command, std::size_t window) { return command.at(3 + 2 * window); }
/// The deadline that the call carries: the first argument after the keys.
inline std::string deadline_of(const Command& command) { return command.at(3 + std::stoul(command.at(2))); }

/// As scripts pack it.
inline std::string window_answer(const std::string& key, const std::string& word = "applied") {
    return schemes::packed(
        {key, word, "1", "1000", "4", "1000", "3", std::nullopt, std::nullopt, std::nullopt, std::nullopt});
}
/// `done`, every window applied.
inline redis::Reply done(std::size_t windows = 1, const std::string& word = "applied") {
    auto answers =
        schemes::packed({"3", "print", "count", "actor", "host", "", "1790000000000", std::to_string(windows)});
    for (std::size_t i = 0; i < windows; ++i) answers += window_answer("k" + std::to_string(i), word);
    return array({text("done"), text("1790000000000"), text(answers)});
}
inline redis::Reply call_status(const std::string& status, std::int64_t server_ms = 1'790'000'000'000) {
    return array({text(status), text(std::to_string(server_ms))});
}

/// An operation key's value: one applied window a key.
inline std::string stored_operation(const std::string& kind, const std::string& fingerprint,
                                    const std::vector<std::string>& keys, std::int64_t server_ms = 1'790'000'000'000) {
    std::string value = schemes::packed(
        {"3", fingerprint, kind, "root", "host", "why", std::to_string(server_ms), std::to_string(keys.size())});
    for (const auto& key : keys) value += window_answer(key);
    return value;
}

inline std::vector<store::CountItem> counts(std::size_t count, std::size_t shard = 0, const std::string& prefix = "k") {
    std::vector<store::CountItem> items;
    for (std::size_t i = 0; i < count; ++i) {
        items.push_back({{prefix + std::to_string(i), shard},
                         3,
                         support::from_epoch(1'790'000'600),
                         support::from_epoch(1'790'000'000)});
    }
    return items;
}

/// An order under the id OP, with slices of `most` items in their order; fingerprints f1, f2 ...
inline store::WriteOrder ordered(std::size_t items = 1, std::size_t most = 100) {
    store::WriteOrder order;
    order.operation = {"OP", "root", "host", "why"};
    for (std::size_t first = 0; first < items; first += most) {
        store::Slice slice;
        slice.number = order.slices.size() + 1;
        slice.fingerprint = "f" + std::to_string(slice.number);
        for (std::size_t i = first; i < std::min(items, first + most); ++i) slice.items.push_back(i);
        order.slices.push_back(std::move(slice));
    }
    return order;
}

}  // namespace ratectl::test
