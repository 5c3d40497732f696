// ratectl sandbox: servers come, are used through the environment, and go, whatever happens in between.
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <regex>

#include "sandbox/folder.h"
#include "support/catch.h"
#include "support/contains.h"
#include "support/run_ratectl.h"

using namespace ratectl::test;

namespace {

/// A folder that a sandbox is made in, so that the test sees what it leaves.
struct Ground {
    ratectl::sandbox::TemporaryFolder folder = ratectl::sandbox::TemporaryFolder::make("/tmp", "ratectl-test").value();
    RunOptions options() const {
        RunOptions result;
        result.environment["TMPDIR"] = folder.path();
        return result;
    }
    bool is_empty() const { return std::filesystem::is_empty(folder.path()); }
};

}  // namespace

TEST_CASE("a command runs on a sandbox that is gone afterwards") {
    Ground ground;
    const std::string script =
        "ratectl increment core:1 --amount 41 && ratectl check core:1 --json && ratectl scan --from replica -o wide && "
        "echo "
        "\"$RATECTL_CONFIG\"";
    const auto result =
        run_ratectl({"sandbox", "run", "--shards", "2", "--replicas", "1", "--", "sh", "-c", script}, ground.options());
    INFO(result.err);
    CHECK(result.code == 0);
    CHECK(contains(result.out, "\"used\":41"));
    CHECK(contains(result.out, "replica"));
    CHECK(contains(result.out, ground.folder.path()));
    CHECK(ground.is_empty());
}

TEST_CASE("a sandbox passes on the exit code and the input of its command") {
    Ground ground;
    auto options = ground.options();
    options.input = "hello\n";
    const auto result =
        run_ratectl({"sandbox", "run", "--shards", "1", "--replicas", "0", "--", "sh", "-c", "cat; exit 42"}, options);
    CHECK(result.code == 42);
    CHECK(result.out == "hello\n");
    CHECK(ground.is_empty());
}

TEST_CASE("a sandbox is ended when its run is told to stop") {
    Ground ground;
    for (const int number : {SIGINT, SIGTERM}) {
        auto options = ground.options();
        options.signal_number = number;
        options.signal_after = std::chrono::milliseconds(900);
        const auto result = run_ratectl({"sandbox", "run", "--shards", "1", "--", "sleep", "60"}, options);
        CHECK(result.code == 128 + number);
        CHECK(result.wall_time < std::chrono::seconds(10));
        CHECK(ground.is_empty());
    }
}

TEST_CASE("a sandbox that was started is shown and ended by later runs") {
    Ground ground;
    const auto up = run_ratectl({"sandbox", "up", "--shards", "2", "--replicas", "1"}, ground.options());
    REQUIRE(up.code == 0);
    std::smatch match;
    REQUIRE(std::regex_match(up.out, match, std::regex("export RATECTL_CONFIG='([^']*)'\n")));
    auto options = ground.options();
    options.environment["RATECTL_CONFIG"] = match[1];
    const auto status = run_ratectl({"sandbox", "status"}, options);
    CHECK(status.code == 0);
    CHECK(contains(status.out, "running"));
    CHECK(contains(status.out, "beta"));
    CHECK(run_ratectl({"increment", "core:1"}, options).code == 0);
    const auto down = run_ratectl({"sandbox", "down"}, options);
    CHECK(down.code == 0);
    CHECK(contains(down.err, "4 servers ended"));
    CHECK(ground.is_empty());
    CHECK(run_ratectl({"sandbox", "status"}, options).code == 10);
}

TEST_CASE("a sandbox is a cluster or stands under sentinels and every command knows it") {
    Ground ground;
    const auto check = [&ground](const std::string& kind, const std::string& key, const std::string& servers) {
        const auto up =
            run_ratectl({"sandbox", "up", "--kind", kind, "--shards", "1", "--replicas", "1"}, ground.options());
        INFO(kind << ": " << up.err);
        REQUIRE(up.code == 0);
        std::smatch match;
        REQUIRE(std::regex_match(up.out, match, std::regex("export RATECTL_CONFIG='([^']*)'\n")));
        auto options = ground.options();
        options.environment["RATECTL_CONFIG"] = match[1];
        CHECK(run_ratectl({"sandbox", "status"}, options).code == 0);
        CHECK(run_ratectl({"increment", key}, options).code == 0);
        const auto seen = run_ratectl({"scan", "-o", "csv", "--columns", "key,used"}, options);
        CHECK(seen.code == 0);
        CHECK(contains(seen.out, key + ",,1"));
        const auto nodes = run_ratectl({"nodes", "-o", "csv", "--columns", "role,state"}, options);
        CHECK(contains(nodes.out, "primary,ok"));
        CHECK(contains(nodes.out, "replica,ok"));
        CHECK(run_ratectl({"config", "check", "--connect"}, options).code == 0);
        const auto down = run_ratectl({"sandbox", "down"}, options);
        CHECK(contains(down.err, servers + " servers ended"));
        CHECK(ground.is_empty());
    };
    check("sentinel", "core:1", "5");
    check("cluster", "{core:1}", "2");
}

TEST_CASE("a kind of sandbox that there is not is refused") {
    const auto result = run_ratectl({"sandbox", "up", "--kind", "memcached"});
    CHECK(result.code == 2);
    CHECK(contains(result.err, "shards, sentinel, cluster"));
}

TEST_CASE("a folder that a sandbox leaves because of another's file is not said to be removed") {
    Ground ground;
    const std::string folder = ground.folder.path() + "/box";
    REQUIRE(run_ratectl({"sandbox", "up", "--shards", "1", "--replicas", "0", "--dir", folder}).code == 0);
    std::ofstream(folder + "/notes.txt") << "mine";
    const auto down = run_ratectl({"sandbox", "down", "--dir", folder});
    CHECK(down.code == 0);
    CHECK(contains(down.err, "1 server ended; " + folder + " stays"));
    CHECK(contains(down.err, "notes.txt"));
    CHECK(!contains(down.err, "removed"));
    CHECK(std::filesystem::exists(folder + "/notes.txt"));
}

TEST_CASE("a sandbox that runs around a command is not ended from within") {
    Ground ground;
    const auto result = run_ratectl({"sandbox", "run", "--shards", "1", "--replicas", "0", "--", "sh", "-c",
                                     "ratectl sandbox down; echo \"exit $?\"; ratectl sandbox status -o csv"},
                                    ground.options());
    INFO(result.err);
    CHECK(result.code == 0);
    CHECK(contains(result.out, "exit 10"));
    CHECK(contains(result.err, "belongs to a ratectl that is running"));
    CHECK(ground.is_empty());
}

TEST_CASE("two sandboxes stand beside each other") {
    Ground ground;
    const std::string first = ground.folder.path() + "/first";
    const std::string second = ground.folder.path() + "/second";
    REQUIRE(run_ratectl({"sandbox", "up", "--shards", "1", "--replicas", "0", "--dir", first}).code == 0);
    REQUIRE(run_ratectl({"sandbox", "up", "--shards", "1", "--replicas", "0", "--dir", second}).code == 0);
    CHECK(run_ratectl({"sandbox", "down", "--dir", first}).code == 0);
    CHECK(run_ratectl({"sandbox", "status", "--dir", second}).code == 0);
    CHECK(run_ratectl({"sandbox", "down", "--dir", second}).code == 0);
    CHECK(ground.is_empty());
}

TEST_CASE("a missing redis-server is said in so many words") {
    Ground ground;
    auto options = ground.options();
    options.environment["PATH"] = ground.folder.path();
    const auto result = run_ratectl({"sandbox", "up"}, options);
    CHECK(result.code == 10);
    CHECK(contains(result.err, "redis-server"));
    CHECK(contains(result.err, "apt-get install redis-server"));
}

// It was looked for first, and its absence was what was told.
TEST_CASE("a wrong output is refused before a sandbox is looked for") {
    Ground ground;
    for (const std::vector<std::string>& wrong : {std::vector<std::string>{"-o", "bogus"}, {"--columns", "bogus"}}) {
        std::vector<std::string> words{"sandbox", "status", "--dir", ground.folder.path()};
        CHECK(run_ratectl(words, ground.options()).code == 10);
        words.insert(words.end(), wrong.begin(), wrong.end());
        const auto result = run_ratectl(words, ground.options());
        INFO(result.err);
        CHECK(result.code == 2);
        CHECK(contains(result.err, "bogus"));
    }
}

TEST_CASE("a sandbox that nobody named is asked for") {
    const auto result = run_ratectl({"sandbox", "down"});
    CHECK(result.code == 2);
    CHECK(contains(result.err, "--dir"));
}

TEST_CASE("sizes of a sandbox are numbers within reason") {
    for (const std::string bad : {"0", "65", "x", "-1", "03"})
        CHECK(run_ratectl({"sandbox", "up", "--shards=" + bad}).code == 2);
    CHECK(run_ratectl({"sandbox", "up", "--replicas", "5"}).code == 2);
}

TEST_CASE("a command that does not exist starts no sandbox") {
    Ground ground;
    const auto result = run_ratectl({"sandbox", "run", "--", "no-such-command-here"}, ground.options());
    CHECK(result.code == 10);
    CHECK(ground.is_empty());
}

// They shared the journal of their user: an id that had been used in an earlier one was unknown in the next one, and
// its rows were listed there.
TEST_CASE("what was done in one sandbox is unknown to the next and does not hinder it") {
    Ground ground;
    auto options = ground.options();
    options.environment["XDG_STATE_HOME"] = ground.folder.path() + "/state";
    const std::string script =
        "ratectl history -o name && ratectl increment core:42 && ratectl reset core:42 --op-id mistake && "
        "ratectl undo mistake && ratectl check core:42 -o csv --columns used --no-header";
    for (const std::string kind : {"shards", "shards", "cluster", "sentinel"}) {
        auto words = kind == "cluster" ? std::regex_replace(script, std::regex("core:42"), "'{core:42}'") : script;
        const auto result = run_ratectl(
            {"sandbox", "run", "--kind", kind, "--shards", "1", "--replicas", "0", "--", "sh", "-c", words}, options);
        INFO(kind << ": " << result.err << result.out);
        CHECK(result.code == 0);
        CHECK(result.out.ends_with("\n1\n"));
        CHECK(ground.is_empty());
    }
}
