// One real server behind a lossy link, the store in front of it, and a way past the link to see what stands there.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "fault/carried_out.h"
#include "store/store.h"
#include "support/catch.h"
#include "support/configured_topology.h"
#include "support/fault_proxy.h"
#include "support/patience.h"
#include "support/plain_client.h"
#include "support/redis_server.h"
#include "support/wall_now.h"

namespace ratectl::test {

using std::chrono::milliseconds;

class LinkedStore {
public:
    explicit LinkedStore(milliseconds timeout = milliseconds(200), RedisServerOptions how = {})
        : server(std::move(how)), proxy(server.endpoint()) {
        topology.shards.push_back({"alpha", proxy.endpoint(), {}, false});
        options.timeout = timeout;
        options.wall_clock = wall_now;
        options.notice = [this](const support::Error& error) { notices.push_back(error.message); };
    }

    store::Store& store() {
        if (!store_) store_ = std::make_unique<store::Store>(topology, options);
        return *store_;
    }
    void new_store() { store_.reset(); }

    store::CountItem counted(const std::string& key, std::int64_t amount = 1) const {
        return {{key, 0}, amount, ends, support::to_instant(wall_now())};
    }
    store::RefundItem refunded(const std::string& key, std::int64_t amount = 1) const {
        return {{key, 0}, amount, ends, false, support::to_instant(wall_now())};
    }
    /// Under an id of its own; `id` empty: the next one.
    store::WriteOrder order(std::string id = {}) {
        if (id.empty()) id = "op" + std::to_string(++orders_);
        store::WriteOrder order;
        order.operation = {std::move(id), "tester", "here", "because"};
        return order;
    }
    store::WriteResult count(const std::string& key, std::int64_t amount = 1) {
        return met(store().count(std::vector{counted(key, amount)}, order()).at(0));
    }
    store::WriteResult reset(const std::string& key) {
        return met(store().reset(std::vector<store::ResetItem>{{{key, 0}, {}, {}}}, order()).at(0));
    }
    /// One write of this kind on `k`, which holds 50 (or was set by a write before).
    store::WriteResult write(domain::WriteKind kind) {
        if (kind == domain::WriteKind::reset) return reset("k");
        if (kind == domain::WriteKind::count) return count("k");
        return met(store().refund(std::vector{refunded("k")}, order()).at(0));
    }
    /// What one write of this kind makes of `k`.
    static std::string after(domain::WriteKind kind) {
        return kind == domain::WriteKind::count ? "51" : kind == domain::WriteKind::refund ? "49" : "(nil)";
    }

    /// As an application would have left it.
    void set_window(const std::string& key, const std::string& used) {
        const auto at = std::to_string((support::epoch_seconds(ends) + 1) * 1000);
        server.command({"SET", key, used, "PXAT", at});
        server.command({"SET", key + ":exp", std::to_string(support::epoch_seconds(ends)), "PXAT", at});
    }
    std::string value(const std::string& key) {
        (void)proxy.counts();
        return server.command({"GET", key});
    }
    std::string operation_keys() { return server.command({"KEYS", "ratectl:op:*"}); }
    /// Says it to the server and does not wait for the answer: for what makes it busy or mute.
    void say(const std::vector<std::string>& words) const {
        test::PlainClient passing(server.unix_endpoint(), milliseconds(20));
        (void)passing.command(words);
    }
    /// At the next write that the server would carry out, before it passes.
    void at_next_write(std::function<void()> what, const LinkFault& fault = {}) {
        proxy.choose(at_next_write_to(server, std::move(what), fault));
    }
    /// Until nothing is on its way through the link any more.
    void settle() {
        store_.reset();
        for (int i = 0; i < 400 && proxy.counts().open > 0; ++i) {
            std::this_thread::sleep_for(milliseconds(5));
        }
    }

    RedisServer server;
    FaultProxy proxy;
    test::ConfiguredTopology topology;
    store::Options options;
    std::vector<std::string> notices;
    const support::Instant ends = support::to_instant(wall_now()) + support::Seconds(3600);

private:
    /// Whatever the link's thread did meanwhile is seen from here on.
    store::WriteResult met(store::WriteResult result) const {
        (void)proxy.counts();
        return result;
    }

    std::unique_ptr<store::Store> store_;
    int orders_ = 0;
};

inline const std::vector<domain::WriteKind> kKinds{domain::WriteKind::count, domain::WriteKind::refund,
                                                   domain::WriteKind::reset};

/// A server that takes DEBUG.
inline RedisServerOptions debuggable() { return {{"--enable-debug-command", "local"}, true}; }

/// The running test fails when the scope took longer than a write may: each attempt, finding out what became of it (500
/// ms at least), and 300 ms.
class WithinPatience {
public:
    explicit WithinPatience(milliseconds timeout, int attempts = 1)
        : latest_(std::chrono::steady_clock::now() + attempts * (timeout + std::max(timeout, milliseconds(500))) +
                  milliseconds(300) + kPatience) {}
    ~WithinPatience() { CHECK(std::chrono::steady_clock::now() < latest_); }
    WithinPatience(const WithinPatience&) = delete;
    WithinPatience& operator=(const WithinPatience&) = delete;

private:
    std::chrono::steady_clock::time_point latest_;
};

inline bool says(const store::WriteResult& result, const std::string& words) {
    return result.error && (result.error->message.find(words) != std::string::npos ||
                            result.error->hint.find(words) != std::string::npos);
}

}  // namespace ratectl::test
