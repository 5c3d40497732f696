// replay on real servers: what it writes, what it asks first, and how it ends when something is wrong.
#include <csignal>

#include "cli/written_deployment.h"
#include "support/catch.h"
#include "support/json.h"

using namespace ratectl::test;
using nlohmann::json;

namespace {

std::string line(const std::string& client, int second, int status = 200) {
    char clock[16];
    std::snprintf(clock, sizeof clock, "%02d:%02d:%02d", second / 3600 % 24, second / 60 % 60, second % 60);
    return client + " - - [17/May/2015:" + clock + " +0000] \"GET /p HTTP/1.1\" " + std::to_string(status) +
           " 5 \"-\" \"agent\"\n";
}

std::string lines(const std::string& client, int count, int first_second = 0) {
    std::string text;
    for (int i = 0; i < count; ++i) text += line(client, first_second + i);
    return text;
}

}  // namespace

TEST_CASE("a replayed log is counted by its policy and its refunds are given back") {
    WrittenDeployment box(kFree, 3);
    const auto result =
        box.run_with_input({"replay", "-", "--policy", "core", "--refund-status", "304", "--time", "now"},
                           lines("ann", 3) + line("ann", 9, 304) + line("bob", 9, 304) + "what is this\n");
    INFO(result.err);
    CHECK(result.code == 0);
    CHECK(contains(result.err,
                   "5 requests of 2 keys: 5 counted, 2 refunded, 0 over the limit, 2 windows, 1 line malformed"));
    CHECK(contains(result.err, "standard input, line 6: not counted: there is no time in brackets: what is this"));
    const auto looked = parse_json(box.run({"check", "core:ann", "core:bob", "--json"}).out).at("rows");
    CHECK(looked.at(0).at("used") == 3);
    CHECK(looked.at(1).at("used") == 0);
    CHECK(looked.at(1).at("state") == "open");
}

// It wrote over what was open with a window that ended hours later, and an undo could not bring that back.
TEST_CASE("what would be counted into windows to come is left out unless that is asked for") {
    WrittenDeployment box(kFree);
    const auto reset_at = seconds_from_now(500);
    box.set_window("core:ann", "4200", reset_at);
    const auto log = line("ann", 0) + line("ann", 3599) + line("ann", 3600) + line("ann", 20'000);
    const auto left_out = box.run_with_input({"replay", "-", "--policy", "core"}, line("ann", 0) + line("ann", 3600));
    INFO(left_out.err);
    CHECK(left_out.code == 9);
    CHECK(box.stored("core:ann") == "4201");
    CHECK(box.stored("core:ann:exp") == std::to_string(reset_at));
    CHECK(contains(left_out.err, "standard input, from line 2 on: 1 request came a window or more after the first"));
    CHECK(contains(left_out.err, "1 line of windows to come left out"));
    CHECK(box.run_with_input({"replay", "-", "--policy", "core", "--time", "now"}, log).code == 0);
    CHECK(box.stored("core:ann") == "4205");
    const auto dry = box.run_with_input({"replay", "-", "--policy", "core", "-n"}, log);
    CHECK(dry.code == 0);
    CHECK(contains(dry.err, "4 requests of 1 key"));
    CHECK(box.run_with_input({"replay", "-", "--policy", "core", "--time", "log"}, log).code == 0);
    CHECK(box.stored("core:ann") == "1");
}

TEST_CASE("a replay that gives requests back shows how many") {
    WrittenDeployment box(kFree);
    const auto log = lines("ann", 4) + line("ann", 9, 304);
    const std::vector<std::string> replay{"replay", "-", "--policy", "core", "--time", "now", "--limit", "2", "-n"};
    CHECK_FALSE(contains(box.run_with_input(replay, log).out, "REFUNDED"));
    auto refunding = replay;
    refunding.insert(refunding.end(), {"--refund-status", "304"});
    const auto result = box.run_with_input(refunding, log);
    INFO(result.out << result.err);
    CHECK(contains(result.out, "COUNTED  REFUNDED  OVER"));
    CHECK(contains(result.out, "5         1     3"));
}

TEST_CASE("a replay counts on in a window that is there and tells who went over its limit") {
    WrittenDeployment box(kFree);
    const auto reset_at = seconds_from_now(500);
    box.set_window("core:ann", "98", reset_at);
    const auto result =
        box.run_with_input({"replay", "-", "--policy", "core", "--time", "now", "--json"}, lines("ann", 4));
    CHECK(result.code == 0);
    const auto row = parse_json(result.out).at("rows").at(0);
    CHECK(row.at("key") == "core:ann");
    CHECK(row.at("over") == 2);
    CHECK(row.at("first_over_line") == 3);
    CHECK(box.stored("core:ann") == "102");
    CHECK(box.stored("core:ann:exp") == std::to_string(reset_at));
}

TEST_CASE("an enforced replay leaves a window at its limit") {
    WrittenDeployment box(kFree);
    box.set_window("core:ann", "98", seconds_from_now(500));
    const auto result =
        box.run_with_input({"replay", "-", "--policy", "core", "--time", "now", "--enforce"}, lines("ann", 4));
    CHECK(result.code == 0);
    CHECK(contains(result.err, "2 counted, 2 rejected"));
    CHECK(box.stored("core:ann") == "100");
}

TEST_CASE("a dry run of a replay needs no server and writes nothing") {
    WrittenDeployment box(kFree);
    box.server().kill();
    const auto result =
        box.run_with_input({"replay", "-", "--policy", "core", "-n", "--limit", "2", "-o", "name"}, lines("ann", 4));
    CHECK(result.code == 0);
    CHECK(result.out == "core:ann\n");
    CHECK(contains(result.err, "dry run: nothing was written"));
}

TEST_CASE("a replay asks before it writes and -y answers") {
    WrittenDeployment box("writes = \"confirm\"");
    const auto log = lines("ann", 2) + lines("bob", 1);
    const auto asked = box.run_with_input({"replay", "-", "--policy", "core"}, log);
    CHECK(asked.code == 7);
    CHECK(contains(asked.err, "count requests in each of 2 windows"));
    CHECK(box.halves() == "0");
    const auto answered = box.run_with_input({"replay", "-", "--policy", "core", "-y"}, log);
    CHECK(answered.code == 0);
    CHECK(box.stored("core:ann") == "2");
    const auto many = box.run_with_input({"replay", "-", "--policy", "core", "-y", "--max-keys", "1"}, log);
    CHECK(many.code == 7);
    CHECK(box.stored("core:ann") == "2");
}

TEST_CASE("a replay that is confirmed for another deployment counts nothing") {
    WrittenDeployment box("writes = \"confirm\"");
    const std::vector<std::string> replay{"replay", "-", "--policy", "core", "--time", "now", "-y", "--confirm"};
    for (const auto& [name, code] : {std::pair{"other", 7}, std::pair{"box", 0}}) {
        auto arguments = replay;
        arguments.push_back(name);
        CHECK(box.run_with_input(arguments, lines("ann", 1)).code == code);
        CHECK(box.halves() == (code == 0 ? "2" : "0"));
    }
}

TEST_CASE("a replay cannot write where nothing may be written") {
    WrittenDeployment box("writes = \"deny\"");
    CHECK(box.run_with_input({"replay", "-", "--policy", "core", "-y"}, lines("ann", 2)).code == 7);
    CHECK(box.halves() == "0");
    WrittenDeployment protects("writes = \"allow\"\nprotect = [\"core:internal-*\"]");
    const auto result =
        protects.run_with_input({"replay", "-", "--policy", "core"}, lines("internal-1", 2) + lines("ann", 1));
    CHECK(result.code == 9);
    CHECK(contains(result.err, "1 counted, 2 refused"));
    CHECK(protects.stored("core:ann") == "1");
    CHECK(protects.server().command({"EXISTS", "core:internal-1"}) == "0");
}

TEST_CASE("a counter that is no number is refused and the others are counted") {
    WrittenDeployment box(kFree);
    box.set_window("core:ann", "many", seconds_from_now(500));
    const auto result =
        box.run_with_input({"replay", "-", "--policy", "core", "--time", "now"}, lines("ann", 1) + lines("bob", 1));
    CHECK(result.code == 9);
    CHECK(box.stored("core:ann") == "many");
    CHECK(box.stored("core:bob") == "1");
    CHECK(box.run_with_input({"replay", "-", "--policy", "core", "--time", "now"}, lines("ann", 1)).code == 7);
}

TEST_CASE("a dead shard is named and the others are counted") {
    WrittenDeployment box(kFree, 3);
    box.server(1).kill();
    std::string log;
    for (int i = 0; i < 60; ++i) log += line(std::to_string(2654435761U * static_cast<unsigned>(i + 1)), i);
    const auto result = box.run_with_input({"replay", "-", "--policy", "core", "--json"}, log);
    CHECK(result.code == 9);
    CHECK(contains(result.err, "beta"));
    const auto document = parse_json(result.out);
    CHECK(document.at("complete") == false);
    CHECK(document.at("failures").size() == 1);
    CHECK(contains(result.err, "60 requests of 60 keys"));
    CHECK(contains(result.err, "not attempted"));
}

TEST_CASE("a replay that is interrupted while it waits for its log tells what it has done") {
    WrittenDeployment box(kFree);
    RunOptions options;
    options.input = lines("ann", 3);
    options.close_input = false;
    options.signal_number = SIGINT;
    options.signal_after = std::chrono::milliseconds{2000};
    const auto result = box.run({"replay", "-", "--policy", "core", "--time", "now"}, options);
    CHECK(result.code == 130);
    CHECK(contains(result.err, "3 requests of 1 key: 3 counted"));
    CHECK(box.stored("core:ann") == "3");
}

TEST_CASE("a log with a broken end is counted up to there") {
    WrittenDeployment box(kFree);
    const auto result = box.run_with_input({"replay", "-", "--policy", "core", "--time", "now"},
                                           std::string("\x1f\x8b\x08\x00nonsense", 12));
    CHECK(result.code == 10);
    CHECK(contains(result.err, "gzip"));
    CHECK(box.run({"replay", "/nowhere/access.log", "--policy", "core"}).code == 10);
    CHECK(box.run({"replay", "/", "--policy", "core"}).code == 10);
}

// A window that goes with its key lasted a second longer than its period, which for a second was twice as long.
TEST_CASE("a rehearsal ends windows that go with their keys a period after they began") {
    WrittenDeployment box(std::string(kFree) +
                          "\n[[deployments.box.policies]]\nname = \"x\"\nkey = \"x:{client}\"\n"
                          "scheme = \"express\"\nlimit = 2\nperiod = \"1s\"\n");
    std::string log;
    for (int second = 0; second < 60; ++second) log += line("ann", second) + line("ann", second);
    const auto result = box.run_with_input({"replay", "-", "--policy", "x", "-n"}, log);
    INFO(result.err);
    CHECK(contains(result.err, "120 requests of 1 key: 120 counted, 0 over the limit, 60 windows"));
}
