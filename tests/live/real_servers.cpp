// Servers, keys and the comparison, for all the libraries alike.
#include "live/real_servers.h"

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <set>
#include <sstream>
#include <stdexcept>

#include <sys/stat.h>

#include "sandbox/process.h"
#include "support/base64.h"
#include "support/catch.h"
#include "support/places.h"

namespace ratectl::test {
namespace {

constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789:_-./@+ ";
constexpr std::string_view kBraces = "{}ab$1";
/// Keys that were placed wrongly somewhere, sometime.
const char* const kKnownTraps[] = {"core:1",
                                   "{}",
                                   "{}x",
                                   "x{a}y",
                                   "{a}{b}",
                                   "{a}b}",
                                   "{}x}",
                                   "{}{a}",
                                   "a{b}c{d}",
                                   "foo{}{bar}",
                                   "rl:{user:1}:core",
                                   "{日本}:1",
                                   "日本:é:ß",
                                   "$a$b",
                                   "a$b$c$d",
                                   "{a",
                                   "a}b{c",
                                   "constructor",
                                   "__proto__",
                                   "x"};

std::string utf8_word(RandomSource& random) {
    static const char* const kLetters[] = {"ä", "é", "ß", "日", "本", "Ω", "ж", "\xf0\x9f\x98\x80", "k", "7"};
    std::string word;
    for (auto n = random.number(1, 8); n > 0; --n) word += kLetters[random.number(0, 9)];
    return word;
}

std::string random_key(RandomSource& random, KeyBytes bytes) {
    switch (random.number(0, bytes == KeyBytes::any ? 5 : 4)) {
        case 0: return "core:" + std::to_string(random.number(1, 10'000'000));
        case 1: return random.bytes(kPlain, 1, 60);
        case 2: return random.bytes(kBraces, 1, 12);
        case 3: return "rl:{" + utf8_word(random) + "}:" + std::to_string(random.number(1, 9999));
        case 4: return utf8_word(random) + random.bytes(kPlain, 0, 10);
        default: return random.bytes({}, 1, 24);
    }
}

std::string last_line(const std::string& text) {
    const auto lines = lines_of(text);
    return lines.empty() ? std::string{} : lines.back();
}

}  // namespace

bool is_absent(const std::string& library, const std::string& package, const std::string& program,
               const std::vector<std::string>& arguments) {
    std::string why;
    try {
        const auto result = run_program(system_program(program), arguments);
        if (result.code == 0) return false;
        why = last_line(result.err + result.out);
    } catch (const std::runtime_error& error) {
        why = error.what();
    }
    const std::string message = library + " is not here (Debian: apt-get install " + package + "): " + why;
    if (std::getenv("CI") != nullptr) FAIL(message);
    std::cerr << "left out: " << message << "\n";
    return true;
}

std::string system_program(const std::string& name) {
    const char* path = std::getenv("PATH");
    const auto found = sandbox::find_program(name, "/usr/bin:/usr/sbin:" + std::string{path == nullptr ? "" : path});
    return found.value_or("/usr/bin/" + name);
}

std::optional<std::string> redis_rb_preset() {
    if (is_absent("redis-rb", "ruby-redis", "ruby", {"-e", "require 'redis/distributed'"})) return std::nullopt;
    const auto version = run_program(system_program("ruby"), {"-e", "require 'redis'; print Redis::VERSION"}).out;
    return version.starts_with("4.") ? "\"redis-rb-4\"" : "\"redis-rb-5\"";
}

std::string script(const std::string& name) { return source_dir() + "/tests/live/" + name; }

std::vector<std::string> random_keys(RandomSource& random, std::size_t count, KeyBytes bytes) {
    std::set<std::string> keys(std::begin(kKnownTraps), std::end(kKnownTraps));
    while (keys.size() < count) keys.insert(random_key(random, bytes));
    return {keys.begin(), keys.end()};
}

std::string hex_lines(const std::vector<std::string>& keys) {
    std::string text;
    for (const auto& key : keys) text += support::to_hex(key) + "\n";
    return text;
}

std::vector<std::string> lines_of(const std::string& text) {
    std::istringstream stream(text);
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

RealServers::RealServers(std::size_t count) : used_(count) {
    for (std::size_t i = 0; i < count; ++i) servers_.push_back(std::make_unique<RedisServer>());
}

domain::Endpoint RealServers::endpoint(std::size_t index) const {
    const RedisServer& server = *servers_.at(index);
    return sockets_ ? server.unix_endpoint() : server.endpoint();
}

void RealServers::use_sockets(std::size_t count) {
    use(count);
    sockets_ = true;
}

void RealServers::use(std::size_t count) {
    used_ = count;
    sockets_ = false;
    for (const auto& server : servers_) server->command({"FLUSHALL"});
}

Placement RealServers::keys_found() {
    Placement found;
    for (std::size_t i = 0; i < servers_.size(); ++i) {
        for (const auto& item : servers_[i]->reply({"KEYS", "*"}).items) {
            const bool fresh = found.emplace(item.text, i).second;
            if (!fresh) FAIL("key " << support::to_hex(item.text) << " is on two servers");
        }
    }
    return found;
}

DeploymentFile::DeploymentFile(const std::string& text)
    : folder_(support::value_or_throw(sandbox::TemporaryFolder::make("/tmp", "ratectl-live"))),
      path_(folder_.path() + "/ratectl.toml") {
    std::ofstream(path_) << text;
    ::chmod(path_.c_str(), 0600);
}

std::string deployment_text(const RealServers& servers, const std::string& sharding,
                            const std::vector<std::string>& extra) {
    std::string text = "[deployments.live]\nsharding = " + sharding + "\nwrites = \"allow\"\n";
    for (std::size_t i = 0; i < servers.size(); ++i) {
        text += "[[deployments.live.shards]]\nprimary = \"" + servers.endpoint(i).url() + "\"\n";
        if (i < extra.size()) text += extra[i] + "\n";
    }
    return text;
}

void check_located(const DeploymentFile& deployment, const RealServers& servers, const Placement& real,
                   std::size_t least) {
    std::vector<std::string> keys;
    for (const auto& [key, server] : real) keys.push_back(key);
    RunOptions options;
    options.input = hex_lines(keys);
    const auto located = run_ratectl({"-c", deployment.path(), "locate", "-", "--key-format", "hex", "-o", "tsv",
                                      "--no-header", "--columns", "node,key"},
                                     options);
    INFO(located.err);
    REQUIRE(located.code == 0);
    const auto rows = lines_of(located.out);
    REQUIRE(rows.size() == keys.size());
    CHECK(keys.size() >= least);
    std::size_t wrong = 0;
    std::string first;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const std::string& address = servers.endpoint(real.at(keys[i])).address();
        if (rows[i] == address + "\t" + support::to_hex(keys[i])) continue;
        if (wrong++ == 0) first = support::to_hex(keys[i]) + " is on " + address + ", ratectl says " + rows[i];
    }
    INFO("of " << keys.size() << " keys on " << servers.size() << " servers; the first wrong one: " << first);
    CHECK(wrong == 0);
}

void check_windows_found(const DeploymentFile& deployment, const RealServers& servers, const Placement& real) {
    std::vector<std::string> keys;
    std::vector<std::string> expected;
    for (const auto& [key, server] : real) {
        if (key.ends_with(":exp")) continue;
        keys.push_back(key);
        expected.push_back(support::to_hex(key) + "\t" + servers.endpoint(server).address() + "\topen\t7");
    }
    RunOptions options;
    options.input = hex_lines(keys);
    const auto checked = run_ratectl({"-c", deployment.path(), "check", "-", "--key-format", "hex", "-o", "tsv",
                                      "--no-header", "--columns", "key,node,state,used"},
                                     options);
    INFO(checked.err);
    CHECK(checked.code == 0);
    CHECK(!keys.empty());
    CHECK(lines_of(checked.out) == expected);
}

}  // namespace ratectl::test
