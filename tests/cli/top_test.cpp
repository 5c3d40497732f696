// top where there is no screen: once, the same rows as scan, in every format, from real servers.
#include <signal.h>

#include "cli/written_deployment.h"
#include "support/catch.h"
#include "support/json.h"

using namespace ratectl::test;

namespace {

struct TopBox : WrittenDeployment {
    explicit TopBox(std::size_t shards = 1) : WrittenDeployment("writes = \"allow\"", shards) {
        const auto end = seconds_from_now(3600);
        for (int i = 0; i < 30; ++i) set_window("core:c" + std::to_string(i), std::to_string(i * 4), end);
    }
};

}  // namespace

TEST_CASE("top in a pipe prints the heaviest windows once and ends") {
    TopBox box;
    const auto result = box.run({"top", "--rows", "3", "--columns", "key,used"});
    INFO(result.err);
    CHECK(result.code == 0);
    CHECK(result.out == "KEY       USED\ncore:c29   116\ncore:c28   112\ncore:c27   108\n");
    const auto usual = box.run({"top", "-o", "name"});
    CHECK(std::count(usual.out.begin(), usual.out.end(), '\n') == 20);
}

TEST_CASE("top prints the rows of scan in every format") {
    TopBox box;
    for (const std::string format : {"table", "wide", "json", "ndjson", "csv", "tsv", "name"}) {
        INFO(format);
        // Without what differs from look to look.
        const std::vector<std::string> common{"-o", format, "--columns", "key,state,used,limit,percent,reset_at"};
        std::vector<std::string> top{"top", "-N", "5", "--sort", "percent"};
        std::vector<std::string> scan{"scan", "--top", "5", "--sort", "percent"};
        top.insert(top.end(), common.begin(), common.end());
        scan.insert(scan.end(), common.begin(), common.end());
        const auto got = box.run(top);
        CHECK(got.code == 0);
        CHECK(got.out.size() > 20);
        CHECK(got.out == box.run(scan).out);
    }
}

TEST_CASE("top takes the filters of a selection") {
    TopBox box;
    const auto result = box.run({"top", "--min-used", "90%", "--state", "open", "-o", "name"});
    CHECK(result.code == 0);
    CHECK(result.out == "core:c24\ncore:c23\n");
    const auto by_end = box.run({"top", "core:c1?", "--sort", "key", "-N", "2", "-o", "name"});
    CHECK(by_end.out == "core:c10\ncore:c11\n");
}

TEST_CASE("top names a dead shard and ends as partial") {
    TopBox box(2);
    box.server(1).kill();
    const auto result = box.run({"top", "-o", "ndjson"});
    CHECK(result.code == 9);
    CHECK(contains(result.out, "core:c29"));
    CHECK(contains(result.err, "shard 'beta'"));
    box.server(0).kill();
    const auto none = box.run({"top", "-o", "ndjson"});
    CHECK(none.code == 4);
    CHECK(none.out.empty());
}

TEST_CASE("top on a dumb terminal prints once") {
    TopBox box;
    RunOptions options;
    options.terminal = true;
    options.environment = {{"TERM", "dumb"}};
    const auto result = box.run({"top", "-N", "2"}, options);
    CHECK(result.code == 0);
    CHECK(contains(result.terminal, "core:c29"));
    CHECK(result.terminal.find('\x1b') == std::string::npos);
}

TEST_CASE("a terminal that nobody knows gets the table too") {
    TopBox box;
    RunOptions options;
    options.terminal = true;
    // ncurses keeps what it had set up before it found out that it does not know the terminal.
    options.environment = {{"TERM", "no-such-terminal"}, {"ASAN_OPTIONS", "detect_leaks=0"}};
    const auto result = box.run({"top", "-N", "2"}, options);
    CHECK(result.code == 0);
    CHECK(contains(result.terminal, "core:c29"));
}
