// ratectl behind a real nutcracker: its own file is imported, keys are set through it, and every one is where we say.
#include <algorithm>

#include "live/nutcracker.h"
#include "live/real_servers.h"
#include "support/catch.h"

using namespace ratectl;
using namespace ratectl::test;

namespace {

constexpr std::size_t kKeysAPool = 400;

const char* const kHashes[] = {"one_at_a_time", "md5",     "crc16",    "crc32", "crc32a", "fnv1_64",
                               "fnv1a_64",      "fnv1_32", "fnv1a_32", "hsieh", "murmur", "jenkins"};

DeploymentFile imported(const Nutcracker& proxy, const std::string& pool) {
    const auto result = run_ratectl({"config", "import", "twemproxy", proxy.file(), pool});
    INFO(result.err);
    REQUIRE(result.code == 0);
    return DeploymentFile(result.out);
}

/// Sets fresh keys through the pool and compares.
void check_pool(Nutcracker& proxy, RealServers& servers, const std::string& pool, RandomSource& random) {
    servers.use(servers.size());
    proxy.set(pool, random_keys(random, kKeysAPool, KeyBytes::any));
    INFO("pool " << pool);
    check_located(imported(proxy, pool), servers, servers.keys_found(), kKeysAPool);
}

}  // namespace

TEST_CASE("every key set through nutcracker is where its imported file says for every hash") {
    if (nutcracker_is_absent()) return;
    RandomSource random;
    SHOW_SEED(random);
    RealServers servers(5);
    std::vector<Pool> pools;
    for (const std::string hash : kHashes) {
        for (const std::string distribution : {"ketama", "modula"}) {
            pools.push_back({hash + "-" + distribution, "hash: " + hash + "\ndistribution: " + distribution + "\n",
                             server_lines(servers)});
        }
    }
    Nutcracker proxy(pools);
    for (const auto& pool : pools) check_pool(proxy, servers, pool.name, random);
}

TEST_CASE("every key set through nutcracker is where its imported file says with weights names and tags") {
    if (nutcracker_is_absent()) return;
    RandomSource random;
    SHOW_SEED(random);
    const std::vector<std::string> names{"alpha", "b", "gamma-3", "delta", "eps", "zeta", "h.i:7"};
    RealServers servers(7);
    for (const std::size_t count : {std::size_t{3}, std::size_t{7}}) {
        servers.use(count);
        std::vector<unsigned> weights;
        for (std::size_t i = 0; i < count; ++i) weights.push_back(static_cast<unsigned>(random.number(1, 6)));
        std::vector<Pool> pools;
        for (const std::string distribution : {"ketama", "modula"}) {
            const std::string rule = "distribution: " + distribution + "\n";
            pools.push_back({"plain-" + distribution, rule, server_lines(servers)});
            pools.push_back({"weights-" + distribution, rule, server_lines(servers, weights)});
            pools.push_back({"names-" + distribution, rule + "hash: murmur\n", server_lines(servers, {}, names)});
            pools.push_back({"both-" + distribution, rule + "hash: md5\n", server_lines(servers, weights, names)});
            pools.push_back({"tags-" + distribution, rule + "hash_tag: \"{}\"\n", server_lines(servers)});
            pools.push_back(
                {"dollars-" + distribution, rule + "hash: crc32a\nhash_tag: \"$$\"\n", server_lines(servers, weights)});
        }
        Nutcracker proxy(pools);
        for (const auto& pool : pools) check_pool(proxy, servers, pool.name, random);
    }
}

TEST_CASE("sockets without a name are labelled as nutcracker labels them") {
    if (nutcracker_is_absent()) return;
    RandomSource random;
    SHOW_SEED(random);
    RealServers servers(3);
    servers.use_sockets(3);
    Nutcracker proxy(
        {{"sockets", "", server_lines(servers)}, {"names", "", server_lines(servers, {3, 1, 2}, {"a", "b"})}});
    for (const std::string pool : {"sockets", "names"}) {
        servers.use_sockets(3);
        proxy.set(pool, random_keys(random, kKeysAPool, KeyBytes::any));
        check_located(imported(proxy, pool), servers, servers.keys_found(), kKeysAPool);
    }
}

TEST_CASE("check finds every window written through nutcracker on the shard where it is") {
    if (nutcracker_is_absent()) return;
    RandomSource random;
    SHOW_SEED(random);
    RealServers servers(5);
    const std::vector<Pool> pools{
        {"ketama", "hash: fnv1a_64\n", server_lines(servers, {1, 2, 1, 3, 1}, {"a", "b", "c", "d", "e"})},
        {"modula", "hash: jenkins\ndistribution: modula\nhash_tag: \"{}\"\n", server_lines(servers)}};
    Nutcracker proxy(pools);
    for (const auto& pool : pools) {
        servers.use(5);
        proxy.write_windows(pool.name, random_keys(random, kKeysAPool, KeyBytes::any));
        INFO("pool " << pool.name);
        check_windows_found(imported(proxy, pool.name), servers, servers.keys_found());
    }
}

TEST_CASE("named keys are looked at and changed through nutcracker where its scripts are") {
    if (nutcracker_is_absent()) return;
    RandomSource random;
    SHOW_SEED(random);
    RealServers servers(3);
    const std::vector<Pool> pools{{"ketama", "hash: fnv1a_64\n", server_lines(servers)}};
    Nutcracker proxy(pools);
    std::vector<std::string> keys;
    for (int i = 0; i < 40; ++i) keys.push_back("core:" + std::to_string(i));
    servers.use(3);
    proxy.write_windows("ketama", keys);
    const auto journal = sandbox::TemporaryFolder::make("/tmp", "ratectl-test").value();
    const auto run = [&](std::vector<std::string> words, const std::string& url) {
        for (const std::string word : {"--key", "core:{client}", "--limit", "10", "--period", "1h", "-y", "-u"})
            words.push_back(word);
        words.push_back(url);
        RunOptions options;
        for (const auto& key : keys) options.input += key + "\n";
        options.environment["XDG_STATE_HOME"] = journal.path();
        return run_ratectl(words, options);
    };
    const auto url = proxy.url("ketama");
    const auto changed = run({"increment", "-", "--amount", "2"}, url);
    INFO(changed.err);
    CHECK(changed.code == 0);
    const auto looked = run({"check", "-", "-o", "ndjson", "--columns", "used"}, url);
    INFO(looked.out << looked.err);
    CHECK(looked.code == 0);
    const auto lines = lines_of(looked.out);
    CHECK(std::count(lines.begin(), lines.end(), "{\"used\":9}") == 40);
    // Each window is whole on the server that has its first key.
    std::size_t windows = 0;
    for (const auto& [key, server] : servers.keys_found()) {
        if (!key.starts_with("core:") || key.ends_with(":exp")) continue;
        PlainClient client(servers.endpoint(server));
        CHECK(client.command({"MGET", key, key + ":exp"})->items[0].text == "9");
        CHECK_FALSE(client.command({"MGET", key, key + ":exp"})->items[1].text.empty());
        ++windows;
    }
    CHECK(windows == 40);
    const auto swept = run({"scan"}, url);
    INFO(swept.err);
    CHECK(swept.code == 11);
    CHECK(swept.err.find("SCAN cannot be asked through one") != std::string::npos);
    const auto unnamed = run({"check", "core:1"}, url.substr(0, url.find('?')));
    INFO(unnamed.err);
    CHECK(unnamed.code == 4);
    CHECK(unnamed.err.find("?proxy=true") != std::string::npos);
    CHECK(run({"reset", "-"}, url).code == 0);
    const auto left = servers.keys_found();
    CHECK(std::ranges::none_of(left, [](const auto& entry) { return entry.first.starts_with("core:"); }));
}
