// sharding guess and verify on windows that real libraries wrote: the rule is found without being told, and a wrong one
// is seen.
#include "live/nutcracker.h"
#include "live/real_servers.h"
#include "support/catch.h"
#include "support/contains.h"

using namespace ratectl;
using namespace ratectl::test;

namespace {

constexpr std::size_t kWindows = 900;

RunResult sharding(const DeploymentFile& deployment, const std::string& action) {
    return run_ratectl({"-c", deployment.path(), "sharding", action, "-o", "tsv", "--no-header", "--columns",
                        action == "guess" ? "preset,options,in_place_percent" : "sampled,misplaced"});
}

/// `rule` is the first line of the ranking: preset, options.
void check_guess(const RealServers& servers, const std::vector<std::string>& extra, const std::string& rule) {
    const auto guess = sharding(DeploymentFile(deployment_text(servers, "\"all-shards\"", extra)), "guess");
    INFO(guess.out << guess.err);
    CHECK(guess.code == 0);
    REQUIRE(!guess.out.empty());
    CHECK(lines_of(guess.out).front() == rule + "\t100");
}

void check_verified(const RealServers& servers, const std::vector<std::string>& extra, const std::string& right,
                    const std::string& wrong) {
    const auto proof = sharding(DeploymentFile(deployment_text(servers, right, extra)), "verify");
    INFO(proof.out << proof.err);
    CHECK(proof.code == 0);
    CHECK(contains(proof.err, "100 % in place"));
    const auto doubt = sharding(DeploymentFile(deployment_text(servers, wrong, extra)), "verify");
    INFO(doubt.out << doubt.err);
    CHECK(doubt.code == 1);
    const auto size = std::to_string(servers.size());
    const auto by_chance = "about " + std::to_string(servers.size() - 1) + "/" + size + " misplaced";
    // Ports that are spread unevenly over a ring have more of the windows in common than chance.
    CHECK((contains(doubt.err, by_chance) || contains(doubt.err, "or the order of servers is wrong")));
}

std::vector<std::string> window_arguments(const RealServers& servers, std::vector<std::string> front,
                                          const std::string& before, const std::string& after) {
    for (std::size_t i = 0; i < servers.size(); ++i) front.push_back(before + servers.endpoint(i).address() + after);
    return front;
}

void write_windows(const std::string& program, const std::vector<std::string>& arguments, RandomSource& random) {
    RunOptions options;
    options.input = hex_lines(random_keys(random, kWindows, KeyBytes::any));
    const auto written = run_program(system_program(program), arguments, options);
    INFO(written.out << written.err);
    REQUIRE(written.code == 0);
}

}  // namespace

TEST_CASE("sharding guess names the rule of windows written through nutcracker") {
    if (nutcracker_is_absent()) return;
    RandomSource random;
    SHOW_SEED(random);
    RealServers servers(5);
    const std::vector<std::string> names{"alpha", "beta", "gamma", "delta", "eps"};
    std::vector<std::string> extra;
    for (const auto& name : names) extra.push_back("name = \"" + name + "\"");
    Nutcracker proxy({{"plain", "", server_lines(servers)},
                      {"murmur", "hash: murmur\ndistribution: modula\n", server_lines(servers, {}, names)},
                      {"tags", "hash: crc32a\nhash_tag: \"{}\"\n", server_lines(servers)}});
    const auto write = [&](const std::string& pool) {
        servers.use(5);
        proxy.write_windows(pool, random_keys(random, kWindows, KeyBytes::any));
    };
    write("plain");
    check_guess(servers, {}, "twemproxy-ketama\t");
    check_verified(servers, {}, "\"twemproxy-ketama\"", "{ preset = \"twemproxy-ketama\", hash = \"murmur\" }");
    write("murmur");
    check_guess(servers, extra, "twemproxy-modula\thash=murmur");
    check_verified(servers, extra, "{ preset = \"twemproxy-modula\", hash = \"murmur\" }", "\"redis-rb-4\"");
    write("tags");
    check_guess(servers, {}, "twemproxy-ketama\thash=crc32a,key_tag=redis");
    check_verified(servers, {}, "{ preset = \"twemproxy-ketama\", hash = \"crc32a\", key_tag = \"{}\" }", "\"predis\"");
}

TEST_CASE("sharding guess names the rule of windows written through ruby-redis") {
    const auto preset = redis_rb_preset();
    if (!preset) return;
    RandomSource random;
    SHOW_SEED(random);
    RealServers servers(3);
    write_windows("ruby", window_arguments(servers, {script("redis_rb.rb"), "window"}, "redis://", "/0"), random);
    const std::string name = preset->substr(1, preset->size() - 2);
    check_guess(servers, {}, name + "\t");
    check_verified(servers, {}, *preset, name == "redis-rb-4" ? "\"redis-rb-5\"" : "\"redis-rb-4\"");
}

TEST_CASE("sharding guess names the rule of windows written through Predis") {
    if (is_absent("Predis", "php-cli php-predis", "php", {"-r", "require 'Predis/Autoloader.php';"})) return;
    RandomSource random;
    SHOW_SEED(random);
    RealServers servers(7);
    write_windows("php", window_arguments(servers, {script("predis.php"), "window", "hash"}, "", ":1"), random);
    check_guess(servers, {}, "predis\t");
    check_verified(servers, {}, "\"predis\"", "\"predis-ketama\"");
}
