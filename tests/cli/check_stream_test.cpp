// check - as a stream: rows as soon as their keys are there, readers that dawdle, and memory that does not grow with
// the input.
#include <fstream>
#include <string>
#include <utility>

#include "sandbox/folder.h"
#include "support/built_programs.h"
#include "support/catch.h"
#include "support/file_text.h"
#include "support/json.h"
#include "support/redis_server.h"
#include "support/require.h"
#include "support/run_ratectl.h"

namespace ratectl::test {
namespace {

/// Runs a shell line in which $R is the binary and $U the server.
RunResult shell_with(const RedisServer& server, const std::string& line) {
    return run_program("/bin/bash",
                       {"-c", "R='" + ratectl_binary() + "'; U='" + server.endpoint().url() + "'; " + line});
}

TEST_CASE("A key that is typed is answered before the next one comes") {
    RedisServer server;
    server.command({"MSET", "a", "1", "a:exp", "2000000000", "b", "2", "b:exp", "2000000000"});
    // Whoever types waits for each answer; half a line changes nothing about the answer before it.
    const auto result =
        shell_with(server,
                   "cd $(mktemp -d); mkfifo keys; touch rows; $R check - -u $U -o name < keys > rows & "
                   "exec 3> keys; echo a >&3; printf b >&3; until grep -q a rows; do sleep 0.05; done; "
                   "echo >&3; until grep -q b rows; do sleep 0.05; done; exec 3>&-; wait $!; echo $?; cat rows");
    INFO(result.err);
    CHECK_FALSE(result.timed_out);
    CHECK(result.out == "0\na\nb\n");
}

TEST_CASE("A reader that dawdles longer than any time limit costs no row") {
    RedisServer server;
    const auto result = shell_with(server,
                                   "seq 20000 | $R check - -u $U --timeout 300ms -o ndjson | { sleep 1.5; wc -l; }; "
                                   "echo ${PIPESTATUS[1]}");
    INFO(result.err);
    CHECK(result.out == "20000\n0\n");
}

TEST_CASE("Rows before a bad line are printed and the line is named") {
    RedisServer server;
    const auto result = shell_with(server, "printf 'a\\nb\\n{\"key\":\"c\"}\\nd\\n' | $R check - -u $U -o name");
    CHECK(result.out == "a\nb\n");
    CHECK(result.code == 10);
    CHECK(result.err.find("line 3") != std::string::npos);
}

// It ended with 2, as if nothing had been answered, and no document listed it.
TEST_CASE("A line that ends a look says what that means for the lines before it") {
    RedisServer server;
    const auto url = server.endpoint().url();
    const std::string good = "{\"key\":\"a\"}\n";
    for (const auto& [bad, code] : {std::pair{"{\"key\":\"b\",\"deployment\":\"far\"}\n", 2}, {"{\"key\":\n", 10}}) {
        for (const char* command : {"check", "explain", "compare", "headers", "locate"}) {
            for (const bool first : {false, true}) {
                RunOptions options;
                options.input = first ? bad + good : good + bad;
                const auto result = run_ratectl(
                    {command, "-", "-u", url, "--limit", "5", "--period", "1h", "--input", "ndjson", "-o", "json"},
                    options);
                INFO(command << result.err << result.out);
                CHECK(result.code == code);
                CHECK((result.err.find("what was answered before it stands") == std::string::npos) == first);
                const auto document = parse_json(result.out);
                CHECK(document.at("complete") == false);
                REQUIRE(document.at("failures").size() == 1);
                CHECK(document.at("failures")[0].at("code") == code);
            }
        }
    }
}

// Keys and answers are in files: the peak that the system reports is never below the memory of the process that forked,
// and this one would have had the whole stream in it, twice.
TEST_CASE("The memory of a long stream of keys is that of a short one") {
    if (is_binary_sanitized()) return;  // freed memory is kept for a while
    RedisServer server;
    const auto folder = require(sandbox::TemporaryFolder::make("/tmp", "ratectl-test"));
    const auto peak = [&](int keys) {
        const auto in = folder.path() + "/keys", out = folder.path() + "/answers";
        {
            std::ofstream file(in);
            for (int i = 0; i < keys; ++i) file << "some-client-with-a-rather-long-name:" << i << "\n";
        }
        RunOptions options;
        options.timeout = std::chrono::seconds(90);
        const auto result = run_program("/bin/sh",
                                        {"-c", R"(exec "$0" check - -u "$1" -o name <"$2" >"$3")", ratectl_binary(),
                                         server.endpoint().url(), in, out},
                                        options);
        CHECK(result.code == 0);
        CHECK(file_text(out) == file_text(in));
        return result.peak_rss_kib;
    };
    const auto few = peak(5000);
    CHECK(peak(150'000) < few + 4096);
}

}  // namespace
}  // namespace ratectl::test
