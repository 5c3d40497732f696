// --deadline and signals bound what a command does with files, pipes and fifos as they bound its servers.
#include <sys/stat.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <string>
#include <vector>

#include "support/built_programs.h"
#include "support/catch.h"
#include "support/contains.h"
#include "support/patience.h"
#include "support/redis_server.h"
#include "support/run_ratectl.h"

namespace {

using namespace std::chrono_literals;
using ratectl::test::contains;
using ratectl::test::kPatience;
using ratectl::test::ratectl_binary;
using ratectl::test::RedisServer;
using ratectl::test::run_program;
using ratectl::test::RunOptions;
using ratectl::test::RunResult;

/// A shell line in which $R is the binary, $P a policy, and fifo a named pipe in the working folder.
class LocalWait {
public:
    LocalWait() {
        char name[] = "/tmp/ratectl-wait-XXXXXX";
        REQUIRE(::mkdtemp(name) != nullptr);
        folder_ = name;
        REQUIRE(::mkfifo((folder_ + "/fifo").c_str(), 0600) == 0);
    }
    LocalWait(const LocalWait&) = delete;
    LocalWait& operator=(const LocalWait&) = delete;
    ~LocalWait() { run_program("/bin/rm", {"-r", folder_}); }

    std::string path(const std::string& name) const { return folder_ + "/" + name; }
    RunResult shell(const std::string& line) const {
        RunOptions options;
        options.folder = folder_;
        options.timeout = 20s;
        return run_program("/bin/bash",
                           {"-c", "exec 9<>fifo; unset RATECTL_CONFIG; R='" + ratectl_binary() +
                                      "'; "
                                      "P='-u redis://127.0.0.1:1 --key core:{client} --limit 5 --period 1h'; " +
                                      line},
                           options);
    }

private:
    std::string folder_;
};

/// What waits or works for ever; fd 9 holds both ends of the fifo, and says and reads nothing.
const std::vector<std::pair<std::string, std::string>> kEndless{
    {"a fifo with headers", "$R $P headers core:1 --verify fifo @"},
    {"a fifo with a log", "$R $P replay fifo -n @"},
    {"a fifo with a dump", "$R $P scan --rdb fifo @"},
    {"a log without an end",
     "yes '1.2.3.4 - - [22/Nov/2026:10:00:00 +0000] \"GET / HTTP/1.1\" 200 1' | $R $P replay - -n @"},
    {"keys without an end", "yes core:42 | $R $P locate - -o name @ > /dev/null"},
    {"output that is not read", "yes core:42 | head -300000 | $R $P locate - -o name @ > fifo"},
    {"a password command", "$R -c wait.toml check core:1 @"},
};

}  // namespace

TEST_CASE("a deadline ends every wait for files, pipes and programs and all work on them") {
    const LocalWait wait;
    std::ofstream(wait.path("wait.toml"))
        << "[deployments.a]\npassword_command = \"sleep 30\"\n[[deployments.a.shards]]\n"
           "name = \"one\"\nprimary = \"redis://127.0.0.1:1\"\n";
    REQUIRE(::chmod(wait.path("wait.toml").c_str(), 0600) == 0);
    for (const auto& [what, command] : kEndless) {
        std::string line = command;
        line.replace(line.find('@'), 1, "--deadline 500ms");
        const auto result =
            wait.shell("set -o pipefail; s=${EPOCHREALTIME/./}; { " + line +
                       "; }; c=${PIPESTATUS[@]: -1}; echo $(( (${EPOCHREALTIME/./} - s) / 1000 )) >&2; exit $c");
        INFO(what << ": " << result.err);
        CHECK_FALSE(result.timed_out);
        CHECK(result.code == (what == "a log without an end" ? 9 : 4));  // some of it is counted
        CHECK(contains(result.err, "the deadline passed while "));
        CHECK(result.wall_time < 2s + kPatience);
    }
}

TEST_CASE("a deadline that passes while a file is worked on does not speak of waiting for it") {
    const LocalWait wait;
    std::ofstream(wait.path("keys.txt")) << "core:1\n";
    const auto result = wait.shell(
        "for i in {1..22}; do cat keys.txt keys.txt > k2 && mv k2 keys.txt; done; $R $P locate - -o name --deadline "
        "100ms < keys.txt > /dev/null");
    INFO(result.err);
    CHECK(result.code == 4);
    CHECK(contains(result.err, "the deadline passed while standard input, a file, was worked on"));
}

TEST_CASE("a signal ends every wait for files, pipes and programs and all work on them") {
    const LocalWait wait;
    std::ofstream(wait.path("wait.toml"))
        << "[deployments.a]\npassword_command = \"sleep 30\"\n[[deployments.a.shards]]\n"
           "name = \"one\"\nprimary = \"redis://127.0.0.1:1\"\n";
    REQUIRE(::chmod(wait.path("wait.toml").c_str(), 0600) == 0);
    for (const auto& [what, command] : kEndless) {
        std::string line = command;
        line.erase(line.find('@'), 1);
        line.replace(line.find("$R"), 2, "timeout --foreground -k 5 --preserve-status -s TERM 0.5 $R");
        const auto result = wait.shell("{ " + line + "; }; exit ${PIPESTATUS[@]: -1}");
        INFO(what << ": " << result.err);
        CHECK_FALSE(result.timed_out);
        CHECK(result.code == 143);
        CHECK(result.wall_time < 2s + kPatience);
    }
}

TEST_CASE("what was written before output blocked is not reported as nothing") {
    RedisServer server;
    const LocalWait wait;
    const std::string at = "-u " + server.endpoint().url() + " --key 'core:{client}' --limit 5 --period 1h";
    const auto result =
        wait.shell("seq -f core:%.0f 20000 | $R " + at + " increment - -y -o ndjson --max-keys 100000 --confirm " +
                   server.endpoint().address() + " --deadline 4s > fifo; exit ${PIPESTATUS[1]}");
    INFO(result.err);
    CHECK_FALSE(result.timed_out);
    CHECK(result.code == 9);
    CHECK(result.wall_time < 6s + kPatience);
}

// Standard error is not the pipe that waits: what was done is said there whoever reads the rows, and however late.
TEST_CASE("the summary of a change comes on standard error although the reader of its rows pauses at a signal") {
    RedisServer server;
    const LocalWait wait;
    const std::string at = " - -u " + server.endpoint().url() +
                           " --key 'core:{client}' --limit 5 --period 1h -y -o ndjson --max-keys 100000 --confirm " +
                           server.endpoint().address();
    const std::string reader =
        " > >(head -c 1000; touch read; sleep 2; cat > /dev/null) & p=$!; until [ -e read ]; do sleep 0.1; done; "
        "sleep 0.5; kill -TERM $p; wait $p";
    for (const std::string command : {"increment", "refund --amount 1", "reset"}) {
        const auto result =
            wait.shell("rm -f read; seq -f core:%.0f 20000 > keys; $R " + command + at + " < keys" + reader);
        INFO(command << ": " << result.err);
        CHECK_FALSE(result.timed_out);
        CHECK(result.code == 143);
        CHECK(contains(result.err, " applied, "));
        CHECK(contains(result.err, " not-attempted"));
        CHECK(contains(result.err, "to take it back: ratectl -u "));
    }
}

// The table of findings comes last, and was all that was tried to be said.
TEST_CASE("the summary of a repair comes on standard error although its rows have no reader any more") {
    RedisServer server;
    const LocalWait wait;
    for (int i = 0; i < 300; ++i) server.command({"SET", "core:" + std::to_string(i), "1"});
    const auto result = wait.shell("$R doctor --fix orphan-counter -y -u " + server.endpoint().url() +
                                   " --key 'core:{client}' --limit 5 --period 1h > /dev/full");
    INFO(result.err);
    CHECK(result.code == 10);
    CHECK(contains(result.err, "300 applied; to take it back: ratectl -u "));
}

TEST_CASE("a resume file that is no file is refused and left alone") {
    const LocalWait wait;
    const auto result = wait.shell("$R $P scan --resume fifo; c=$?; test -p fifo && exit $c");
    CHECK(result.code == 2);
    CHECK(contains(result.err, "is not a file that --resume has written"));
}
