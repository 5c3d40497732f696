// ratectl against the real client libraries of Ruby, PHP and Python: they write, we say where every key must be, and
// look.
#include "live/real_servers.h"
#include "sharding/shard_map.h"
#include "support/base64.h"
#include "support/catch.h"

using namespace ratectl;
using namespace ratectl::test;

namespace {

constexpr std::size_t kKeys = 1500;
const std::size_t kCounts[] = {3, 5, 7};

/// Runs a library's script over the keys; it must end well.
std::string run_library(const std::string& program, std::vector<std::string> arguments,
                        const std::vector<std::string>& keys) {
    RunOptions options;
    options.input = hex_lines(keys);
    const auto result = run_program(system_program(program), arguments, options);
    INFO(program << " " << arguments.front() << ": " << result.out << result.err);
    REQUIRE(result.code == 0);
    return result.out;
}

std::vector<std::string> addresses(const RealServers& servers) {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < servers.size(); ++i) texts.push_back(servers.endpoint(i).address());
    return texts;
}

std::vector<std::string> with(std::vector<std::string> front, const std::vector<std::string>& back) {
    front.insert(front.end(), back.begin(), back.end());
    return front;
}

bool without_php_redis() {
    return is_absent("phpredis", "php-cli php-redis", "php", {"-r", "exit(class_exists('RedisArray') ? 0 : 1);"});
}

bool without_django_redis() {
    return is_absent("django-redis", "python3-django-redis", "python3", {"-c", "import django_redis"});
}

bool without_php_predis() {
    return is_absent("Predis", "php-cli php-predis", "php", {"-r", "require 'Predis/Autoloader.php';"});
}

}  // namespace

TEST_CASE("every key that ruby-redis Distributed sets is where ratectl says") {
    const auto preset = redis_rb_preset();
    if (!preset) return;
    RandomSource random;
    SHOW_SEED(random);
    RealServers servers(7);
    for (const std::size_t count : kCounts) {
        servers.use(count);
        std::vector<std::string> urls;
        for (const auto& address : addresses(servers)) urls.push_back("redis://" + address + "/0");
        const auto keys = random_keys(random, kKeys, KeyBytes::any);
        run_library("ruby", with({script("redis_rb.rb"), "set"}, urls), keys);
        check_located(DeploymentFile(deployment_text(servers, *preset)), servers, servers.keys_found(), kKeys);
        servers.use(count);
        run_library("ruby", with({script("redis_rb.rb"), "window"}, urls), keys);
        check_windows_found(DeploymentFile(deployment_text(servers, *preset)), servers, servers.keys_found());
    }
}

TEST_CASE("every key that Predis sets is where ratectl says with both rings and with weights") {
    if (without_php_predis()) return;
    RandomSource random;
    SHOW_SEED(random);
    RealServers servers(7);
    for (const std::string ring : {"hash", "ketama"}) {
        for (const std::size_t count : kCounts) {
            servers.use(count);
            std::vector<std::string> arguments{script("predis.php"), "set", ring};
            std::vector<std::string> weights;
            for (const auto& address : addresses(servers)) {
                const auto weight = std::to_string(count == 5 ? 100 : random.number(1, 9));
                arguments.push_back(address + ":" + weight);
                weights.push_back("weight = " + weight);
            }
            run_library("php", arguments, random_keys(random, kKeys, KeyBytes::any));
            const std::string preset = ring == "hash" ? "\"predis\"" : "\"predis-ketama\"";
            INFO(ring << ", " << count << " servers");
            check_located(DeploymentFile(deployment_text(servers, preset, weights)), servers, servers.keys_found(),
                          kKeys);
        }
    }
}

TEST_CASE("windows that Predis writes by scripts are found") {
    if (without_php_predis()) return;
    RandomSource random;
    SHOW_SEED(random);
    RealServers servers(5);
    std::vector<std::string> arguments{script("predis.php"), "window", "hash"};
    for (const auto& address : addresses(servers)) arguments.push_back(address + ":1");
    run_library("php", arguments, random_keys(random, kKeys, KeyBytes::any));
    check_windows_found(DeploymentFile(deployment_text(servers, "\"predis\"")), servers, servers.keys_found());
}

TEST_CASE("every key that RedisArray sets is where ratectl says with and without consistent and algorithm") {
    if (without_php_redis()) return;
    RandomSource random;
    SHOW_SEED(random);
    RealServers servers(7);
    for (const std::string mode : {"plain", "consistent"}) {
        for (const std::string algorithm : {"-", "md5", "fnv1a64"}) {
            for (const std::size_t count : kCounts) {
                servers.use(count);
                auto keys = random_keys(random, kKeys / 2, KeyBytes::any);
                // Of an empty tag's hash phpredis makes an index behind its list: it may crash.
                if (algorithm != "-")
                    std::erase_if(keys, [](const auto& key) { return key.find("{}") != std::string::npos; });
                run_library("php", with({script("redis_array.php"), mode, algorithm}, addresses(servers)), keys);
                const std::string preset = mode == "plain" ? "redis-array" : "redis-array-consistent";
                const std::string sharding = algorithm == "-"
                                                 ? "\"" + preset + "\""
                                                 : "{ preset = \"" + preset + "\", hash = \"" + algorithm + "\" }";
                INFO(sharding << ", " << count << " servers");
                check_located(DeploymentFile(deployment_text(servers, sharding)), servers, servers.keys_found(),
                              keys.size());
            }
        }
    }
}

TEST_CASE("every key that the ShardClient of django-redis sets is where ratectl says") {
    if (without_django_redis()) return;
    RandomSource random;
    SHOW_SEED(random);
    RealServers servers(7);
    for (const std::size_t count : kCounts) {
        servers.use(count);
        std::vector<std::string> locations;
        for (const auto& address : addresses(servers)) locations.push_back("redis://" + address + "/0");
        const auto keys = random_keys(random, kKeys, KeyBytes::text);
        run_library("python3", with({script("django_shards.py")}, locations), keys);
        // The stored key has a prefix and a version, and is hashed with them.
        check_located(DeploymentFile(deployment_text(servers, "\"django-redis\"")), servers, servers.keys_found(),
                      kKeys);
    }
}

TEST_CASE("a LOCATION of django-redis without a database places keys by its very text") {
    if (without_django_redis()) return;
    RandomSource random;
    SHOW_SEED(random);
    RealServers servers(3);
    std::vector<std::string> locations;
    for (const auto& address : addresses(servers)) locations.push_back("redis://" + address);
    run_library("python3", with({script("django_shards.py")}, locations), random_keys(random, kKeys, KeyBytes::text));
    const auto imported = run_ratectl(with({"config", "import", "urls", "--sharding", "django-redis"}, locations));
    INFO(imported.out << imported.err);
    REQUIRE(imported.code == 0);
    check_located(DeploymentFile(imported.out), servers, servers.keys_found(), kKeys);
}

TEST_CASE("keys on unix sockets are where ratectl says for ruby-redis Predis RedisArray and django-redis") {
    RandomSource random;
    SHOW_SEED(random);
    RealServers servers(5);
    servers.use_sockets(5);
    std::vector<std::string> paths;
    std::vector<std::string> urls;
    std::vector<std::string> locations;
    for (std::size_t i = 0; i < servers.size(); ++i) {
        paths.push_back(servers.endpoint(i).path);
        urls.push_back("unix://" + paths.back());
        locations.push_back(urls.back() + "?db=0");
    }
    const auto check = [&](const std::string& program, const std::vector<std::string>& arguments,
                           const std::string& deployment) {
        servers.use_sockets(5);
        INFO(deployment);
        run_library(program, arguments, random_keys(random, kKeys, KeyBytes::text));
        check_located(DeploymentFile(deployment), servers, servers.keys_found(), kKeys);
    };
    if (const auto preset = redis_rb_preset())
        check("ruby", with({script("redis_rb.rb"), "set"}, urls), deployment_text(servers, *preset));
    if (!without_php_predis()) {
        check("php", with({script("predis.php"), "set", "hash"}, paths), deployment_text(servers, "\"predis\""));
        check("php", with({script("predis.php"), "set", "ketama"}, paths),
              deployment_text(servers, "\"predis-ketama\""));
    }
    if (!without_php_redis()) {
        check("php", with({script("redis_array.php"), "consistent", "-"}, paths),
              deployment_text(servers, "\"redis-array-consistent\""));
    }
    if (!without_django_redis()) {
        const auto imported = run_ratectl(with({"config", "import", "urls", "--sharding", "django-redis"}, locations));
        REQUIRE(imported.code == 0);
        check("python3", with({script("django_shards.py")}, locations), imported.out);
    }
}

TEST_CASE("uhashring puts every key on the node that the shard map names") {
    if (is_absent("uhashring", "python3-uhashring", "python3", {"-c", "import uhashring"})) return;
    RandomSource random;
    SHOW_SEED(random);
    for (const std::string mode : {"default", "ketama"}) {
        for (const std::size_t count : kCounts) {
            std::vector<std::string> arguments{script("uhashring_nodes.py"), mode};
            std::vector<sharding::Server> servers;
            for (std::size_t i = 0; i < count; ++i) {
                sharding::Server server;
                server.name = "node-" + std::to_string(random.number(1, 999)) + "." + std::to_string(i);
                server.weight = static_cast<unsigned>(count == 5 ? 1 : random.number(1, 5));
                arguments.push_back(*server.name + "=" + std::to_string(server.weight));
                servers.push_back(server);
            }
            sharding::Options options;
            options.preset = mode == "ketama" ? "uhashring-ketama" : "uhashring";
            const auto map = sharding::ShardMap::make(options, servers);
            REQUIRE(map);
            const auto keys = random_keys(random, kKeys, KeyBytes::text);
            const auto nodes = lines_of(run_library("python3", arguments, keys));
            REQUIRE(nodes.size() == keys.size());
            std::size_t wrong = 0;
            for (std::size_t i = 0; i < keys.size(); ++i)
                wrong += *servers[map->shard_of(keys[i])].name == nodes[i] ? 0 : 1;
            INFO(options.preset << ", " << count << " nodes");
            CHECK(wrong == 0);
        }
    }
}
