// Other spellings of the servers to try; each one has been the reason for keys on the wrong shard somewhere.

#include "sharding/spellings.h"

#include <algorithm>

#include <fmt/format.h>

#include "sharding/label_rules.h"

namespace ratectl::sharding {

namespace {

constexpr std::string_view kLoopback = "127.0.0.1";
constexpr std::string_view kLocalhost = "localhost";

template <class Change>
Spelling changed(std::string about, std::span<const Server> servers, Change change) {
    Spelling spelling{std::move(about), {servers.begin(), servers.end()}};
    for (std::size_t i = 0; i < spelling.servers.size(); ++i) change(spelling.servers[i], i);
    return spelling;
}

std::string url(const Server& server, bool with_db) {
    if (!server.path.empty()) return fmt::format("unix://{}", server.path);
    const std::string base = fmt::format("{}://{}:{}", server.tls ? "rediss" : "redis", server.host, server.port);
    return with_db ? fmt::format("{}/{}", base, server.db) : base;
}

/// A label for labels and a name for presets that go by names: both, since a spelling does not know its preset.
void call(Server& server, const std::string& name) {
    server.name = name;
    server.label = name;
}

}  // namespace

std::vector<Spelling> spellings(std::span<const Server> servers) {
    std::vector<Spelling> all;
    all.push_back({"", {servers.begin(), servers.end()}});
    const auto any = [&servers](auto test) { return std::any_of(servers.begin(), servers.end(), test); };
    if (any([](const Server& s) { return s.name || s.label; })) {
        all.push_back(changed("addresses instead of names", servers, [](Server& server, std::size_t) {
            server.name.reset();
            server.label.reset();
        }));
    }
    if (!any([](const Server& s) { return !s.name; })) {
        all.push_back(changed("names as labels", servers, [](Server& s, std::size_t) { call(s, *s.name); }));
    }
    all.push_back(changed("host:port as names and labels", servers,
                          [](Server& s, std::size_t i) { call(s, nodes::address(s, i).value_or("")); }));
    all.push_back(changed("hosts alone as names and labels", servers,
                          [](Server& s, std::size_t) { call(s, s.path.empty() ? s.host : s.path); }));
    all.push_back(
        changed("URLs with the database as labels", servers, [](Server& s, std::size_t) { call(s, url(s, true)); }));
    all.push_back(changed("URLs without the database as labels", servers,
                          [](Server& s, std::size_t) { call(s, url(s, false)); }));
    for (const auto& [from, to] : {std::pair(kLoopback, kLocalhost), std::pair(kLocalhost, kLoopback)}) {
        if (!any([host = from](const Server& s) { return s.host == host; })) continue;
        all.push_back(changed(fmt::format("{} instead of {}", to, from), servers,
                              [source = from, target = to](Server& s, std::size_t) {
                                  s.name.reset();
                                  s.label.reset();
                                  if (s.host == source) s.host = target;
                              }));
    }
    for (const std::string_view word : {"server", "shard", "node", "redis"}) {
        all.push_back(changed(fmt::format("{0}1, {0}2 ... as names", word), servers,
                              [word](Server& s, std::size_t i) { call(s, fmt::format("{}{}", word, i + 1)); }));
    }
    return all;
}

}  // namespace ratectl::sharding
