// governor step, run and explain on real servers: dry runs, writes and their undo, the lease, and what is remembered.
#include <signal.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <sstream>
#include <thread>

#include "cli/governed_box.h"
#include "support/catch.h"
#include "support/json.h"

using namespace ratectl::test;
using nlohmann::json;

namespace {

const std::string kGovernor = "ratectl:governor:throttle:search";

}  // namespace

TEST_CASE("without --apply a step plans and writes nothing, no lease neither") {
    GovernedDeployment box;
    box.tune("50");
    const auto row = box.step_row("echo 9", {});
    CHECK(row.at("status") == "planned");
    CHECK(row.at("why") == "tripped");
    CHECK(row.at("before") == 50.0);
    CHECK(row.at("rps") == 0.0);
    CHECK(box.rps() == "50");
    CHECK(box.count(kGovernor) == "0");
    const auto both = box.step("echo 9", {"--apply", "-n"});
    CHECK(contains(both.out, "planned"));
    CHECK(contains(both.err, "a dry run: -n wins, and --apply without it writes"));
    CHECK(box.explained().at("governed") == "never");
}

TEST_CASE("a quiet governor prints no rows, unless -o asks for them, and errors all the same") {
    GovernedDeployment box;
    box.tune("50");
    for (const std::vector<std::string>& flags : {std::vector<std::string>{"-q"}, {"-q", "--apply"}}) {
        const auto result = box.step("echo 9", flags);
        CHECK(result.code == 0);
        CHECK(result.out.empty());
        CHECK(result.err.empty());
    }
    CHECK(box.rps() == "0");
    CHECK(box.run(box.asked("run", "echo 1", {"-q", "--apply", "--every", "100ms", "--iterations", "2"})).out.empty());
    CHECK(box.rps() == "1");
    CHECK(box.step_row("echo 9", {"-q", "--apply"}).at("status") == "applied");
    box.server().command({"SET", kGovernor, "mine"});
    const auto refused = box.step("echo 9", {"-q", "--apply"});
    CHECK(refused.code == 7);
    CHECK(contains(refused.err, "holds what no governor writes"));
}

TEST_CASE("a step is applied, recorded, remembered and undone") {
    GovernedDeployment box;
    box.tune("50");
    auto row = box.step_row("echo 9");
    CHECK(row.at("status") == "applied");
    CHECK(box.rps() == "0");
    const auto op = row.at("op").get<std::string>();
    CHECK(box.rows({"history", op}).at(0).at("change") == "rps 50, burst 1, window 5 -> rps 0, burst 1, window 5");
    CHECK(box.explained().at("why") == "tripped");
    CHECK(box.explained().at("governed") == "reserved");
    CHECK(box.explained().at("breaker_open") == true);
    // The breaker is remembered between steps.
    CHECK(box.step_row("echo 1").at("why") == "open");
    row = box.step_row("echo 1");
    CHECK(row.at("why") == "rearmed");
    CHECK(box.rps() == "1");
    CHECK(box.rows({"undo", row.at("op").get<std::string>()}).at(0).at("status") == "applied");
    CHECK(box.rps() == "0");
    const auto text = box.run({"governor", "explain", "search"});
    CHECK(text.code == 0);
    CHECK(contains(text.out, "reserved for"));
    CHECK(contains(text.out, "breaker closed"));
    CHECK(box.run({"scan", "-o", "name"}).out == "throttle:search\n");  // the governor's key is no window
}

TEST_CASE("another writer's knobs are where the next step begins, and a stop by hand is left alone") {
    GovernedDeployment box;
    box.tune("50");
    box.step("echo 2");
    box.tune("80");
    const auto result = box.step("echo 2");
    CHECK(contains(result.err, "another writer has changed"));
    CHECK(box.rps() == "80");
    box.run({"knobs", "stop", "search"});
    CHECK(box.step_row("echo 0.1").at("why") == "stopped");
    CHECK(box.rps() == "0");
    box.run({"knobs", "unlimited", "search"});
    CHECK(box.step_row("echo 50").at("why") == "unlimited");
    CHECK(box.rps() == "-1");
}

// It was already so, and nothing said that the governor would lift it.
TEST_CASE("a stop by hand while the breaker is open is told that the governor lifts it") {
    GovernedDeployment box;
    box.tune("50");
    CHECK_FALSE(contains(box.run({"knobs", "stop", "search"}).err, "governor"));
    box.tune("50");
    CHECK(box.step_row("echo 9").at("why") == "tripped");
    const auto stopped = box.run({"knobs", "stop", "search"});
    INFO(stopped.err);
    CHECK(stopped.code == 1);
    CHECK(contains(stopped.err, "the open breaker of a governor holds throttle 'search' at rps 0"));
    CHECK_FALSE(contains(box.run({"knobs", "set", "search", "rps=3"}).err, "breaker"));
}

TEST_CASE("without knobs that say a rate it begins from what lets requests through without them") {
    GovernedDeployment box;
    const bool has_others = GENERATE(false, true);
    if (has_others) box.server().command({"HSET", "throttle:search:knobs", "burst", "9", "window", "1"});
    auto row = box.step_row("echo 1");
    CHECK(row.at("why") == "began");
    CHECK(row.at("before") == 5.0);
    CHECK(row.at("rps") == 5.0);
    CHECK(row.at("status") == "unchanged");
    CHECK(box.server().command({"HEXISTS", "throttle:search:knobs", "rps"}) == "0");
    CHECK(contains(box.run({"governor", "explain", "search"}).out, "left the rate as it was"));
    // The breaker's knobs say the rest as the policy has it.
    CHECK(box.step_row("echo 9").at("why") == "tripped");
    CHECK(box.rps() == "0");
    CHECK(box.server().command({"HGET", "throttle:search:knobs", "burst"}) == "2");
    CHECK(box.server().command({"HGET", "throttle:search:knobs", "window"}) == "8");
}

TEST_CASE("knobs of which one is missing are refused as knobs set refuses them, and none is filled in") {
    GovernedDeployment box;
    box.server().command({"HSET", "throttle:search:knobs", "rps", "50"});
    CHECK(box.run({"knobs", "set", "search", "rps=60"}).code == 7);
    for (const std::string verb : {"step", "run"}) {
        for (const bool applies : {false, true}) {
            auto arguments = box.asked(verb, "echo 9");
            if (verb == "run") arguments.insert(arguments.end(), {"--iterations", "1"});
            if (applies) arguments.emplace_back("--apply");
            const auto result = box.run(arguments);
            INFO(result.out << result.err);
            CHECK(result.code == 7);
            CHECK(contains(result.err,
                           "the knobs of throttle 'search' would be broken: burst is missing, so every call of the "
                           "limiter would fail; nothing was written"));
            CHECK(box.server().command({"HLEN", "throttle:search:knobs"}) == "1");
            CHECK(box.rps() == "50");
        }
    }
    CHECK(box.run({"knobs", "set", "search", "burst=1", "window=5"}).code == 0);
    CHECK(box.step_row("echo 9").at("why") == "tripped");
}

TEST_CASE("a first decision that has to change the rate says so, and so does explain") {
    GovernedDeployment box("limit = 3000\nperiod = \"8s\"\n");
    const auto row = box.step_row("echo 1");
    CHECK(row.at("why") == "began");
    CHECK(row.at("bound") == "max");
    CHECK(row.at("before") == 375.0);
    CHECK(box.rps() == "200");
    const auto text = box.run({"governor", "explain", "search"}).out;
    CHECK(contains(text, "200 requests a second are let through"));
    CHECK(contains(text, "more than --max had been let through before"));
}

TEST_CASE("where nothing says which rate a throttle has, it is asked for, and nothing is written") {
    GovernedDeployment box("");
    for (const bool applies : {false, true}) {
        const auto result = applies ? box.step("echo 1") : box.step("echo 1", {});
        INFO(result.err);
        CHECK(result.code == 3);
        CHECK(contains(result.err, "nothing says which one it has without"));
        CHECK(contains(result.err, "--limit"));
        CHECK(box.count("throttle:search:knobs") == "0");
    }
    const auto row = box.step_row("echo 1", {"--limit", "100", "--period", "10s"});
    CHECK(row.at("before") == 10.0);
}

TEST_CASE("a load that is none holds the rate, and is never shown") {
    GovernedDeployment box;
    box.tune("50");
    for (const std::string load : {"echo nan", "echo -1", "echo inf", "printf 'x\\033[31msecret'", "exit 3", "true",
                                   "head -c 200000 /dev/zero", "sleep 60"}) {
        const auto result = box.step(load, {"--apply", "--load-timeout", "200ms"});
        INFO(load << result.err);
        CHECK(result.code == 1);  // cron hears of it
        CHECK(contains(result.out, "held"));
        CHECK(contains(result.err, "no load"));
        CHECK_FALSE(contains(result.err, "secret"));
        CHECK_FALSE(contains(result.err, "\033"));
    }
    CHECK(box.rps() == "50");
}

TEST_CASE("a file's last line is the load, as old as the file, and standard input's last line as well") {
    GovernedDeployment box;
    box.tune("50");
    const auto path = box.box().file("load.txt");
    std::ofstream(path) << "1\n9\n";
    const auto ask = [&](const std::string& file, const std::string& input) {
        return box.rows({"governor", "step", "search", "--load-file", file, "--set-point", "2", "--max", "200"}, input)
            .at(0);
    };
    CHECK(ask(path, "").at("why") == "tripped");
    CHECK(ask("-", "8\n7\n").at("load") == 7.0);
    CHECK(ask("-", "1767225600 9\n").at("why") == "held");  // long ago
    CHECK(ask("/nonexistent", "").at("why") == "held");
}

TEST_CASE("set points go to commands first, then to files, wherever these stand on the command line") {
    GovernedDeployment box;
    box.tune("50");
    const auto path = box.box().file("load.txt");
    std::ofstream(path) << "40\n";
    const auto share = [&](const std::vector<std::string>& inputs) {
        std::vector<std::string> arguments{"governor", "step", "search", "--max", "200", "--set-point", "20,1"};
        arguments.insert(arguments.end(), inputs.begin(), inputs.end());
        return box.rows(arguments, "").at(0).at("load_share");
    };
    CHECK(share({"--load-file", path, "--load-command", "echo 1"}) == 40.0);
    CHECK(share({"--load-command", "echo 30", "--load-file=" + path}) == 40.0);
    CHECK(share({"--load-command=echo 30", "--load-command", "echo 1"}) == 1.5);
}

TEST_CASE("of what a command says beside its load only the last line is told, when it failed") {
    GovernedDeployment box;
    box.tune("50");
    auto result = box.step("echo much >&2; printf '\\033[31mno route\\n\\n' >&2; exit 3");
    CHECK(result.code == 1);
    CHECK(contains(result.err, "it ended with status 3; it says '\\x1b[31mno route'"));
    CHECK_FALSE(contains(result.err, "much"));
    CHECK_FALSE(contains(result.err, "\033"));
    result = box.step("echo much >&2; echo 2", {"--apply", "--messages", "json"});
    CHECK(result.code == 0);
    CHECK_FALSE(contains(result.err, "much"));
    // More than a pipe holds, and without an end.
    result = box.step("head -c 300000 /dev/zero | tr '\\0' x >&2; echo 2");
    CHECK(result.code == 0);
    CHECK(result.err.size() < 2000);
    result = box.step("yes it fails >&2", {"--load-timeout", "2s"});
    CHECK(result.code == 1);
    CHECK(contains(result.err, "no answer within 2s; it was ended"));
}

TEST_CASE("a load that is too old, or dated ahead, is said to be none, and why") {
    GovernedDeployment box;
    box.tune("50");
    const auto now =
        std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
    const auto step = [&](std::int64_t at) {
        return box.step("echo " + std::to_string(at) + " 2", {"--stale-after", "1m"});
    };
    const auto row = box.step_row("echo " + std::to_string(now - 3600) + " 2", {"--stale-after", "1m"});
    CHECK(row.at("load").is_null());
    CHECK(row.at("measured_at_ms") == (now - 3600) * 1000);
    CHECK(contains(row.at("reason").get<std::string>(), "--load-command: no load: it is 1h"));
    auto result = step(now - 3600);
    CHECK(result.code == 1);
    CHECK(contains(result.err, "--load-command: no load: it is 1h"));
    CHECK(contains(result.err, "old, and --stale-after is 1m"));
    result = step(now + 7200);
    CHECK(result.code == 1);
    CHECK(contains(result.err, "no load: it is dated "));
    CHECK(step(now - 5).code == 0);
    // Once, and again after a good one.
    const auto path = box.box().file("turn");
    const std::string by_turns = "echo x >> " + path + "; n=$(wc -l < " + path + "); [ $n = 3 ] && echo 2 || echo 9 2";
    result = box.run(box.asked("run", by_turns, {"--every", "100ms", "--iterations", "5"}));
    CHECK(result.code == 0);
    const auto first = result.err.find("old, and --stale-after");
    const auto second = result.err.find("old, and --stale-after", first + 1);
    CHECK(second != std::string::npos);
    CHECK(result.err.find("old, and --stale-after", second + 1) == std::string::npos);
}

TEST_CASE("format name prints the throttle whenever its rate was changed") {
    GovernedDeployment box;
    box.tune("50");
    CHECK(box.step("echo 2", {"--apply", "-o", "name"}).out.empty());
    CHECK(box.step("echo 9", {"-o", "name"}).out.empty());
    CHECK(box.step("echo 9", {"--apply", "-o", "name"}).out == "search\n");
}

TEST_CASE("guards hold for governors") {
    GovernedDeployment box;
    box.tune("50");
    CHECK(box.step("echo 9", {"--apply", "--read-only"}).code == 7);
    CHECK(box.step("echo 9", {"--read-only"}).code == 0);
    CHECK(box.step("echo 9", {"--apply", "--lease", "1s"}).code == 2);
    CHECK(box.run({"governor", "step", "search", "--set-point", "2", "--max", "9"}).code == 2);
    CHECK(box.run({"governor", "step", "search", "--load-command", "echo 1", "--max", "9"}).code == 2);
    box.server().command({"SET", kGovernor, "mine"});
    CHECK(box.step("echo 9").code == 7);
    CHECK(box.rps() == "50");
    CHECK(box.server().command({"GET", kGovernor}) == "mine");
}

TEST_CASE("a second governor is told who has the throttle, and writes nothing") {
    GovernedDeployment box;
    box.tune("50");
    RunningGovernor first(box, box.asked("run", "echo 2", {"--apply", "--every", "200ms"}));
    const auto second = box.step("echo 9");
    CHECK(second.code == 7);
    CHECK(contains(second.err, "is governed by"));
    CHECK(contains(second.err, "nothing was written"));
    CHECK(box.rps() == "50");
    CHECK(box.explained().at("governed") == "governed");
    CHECK(first.end(SIGINT).code == 130);
    CHECK(box.explained().at("governed") == "free");
    CHECK(box.step("echo 9").code == 0);
    CHECK(box.rps() == "0");
}

TEST_CASE("a governor that was held up until another one had its throttle writes nothing any more") {
    GovernedDeployment box;
    box.tune("50");
    auto asked = box.asked("run", "echo 1", {"--apply", "--every", "200ms", "--lease", "1s"});
    // Held up while it writes to its journal it keeps others from theirs.
    asked.insert(asked.end(), {"--journal", box.box().file("first.db")});
    RunningGovernor first(box, asked);
    ::kill(first.pid(), SIGSTOP);
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));
    CHECK(box.step("echo 9").code == 0);
    CHECK(box.rps() == "0");
    ::kill(first.pid(), SIGCONT);
    const auto result = first.end(0);
    CHECK(result.code == 7);
    CHECK(contains(result.err, "is reserved for"));
    CHECK(contains(result.err, "nothing was written"));
    CHECK(box.rps() == "0");
    CHECK(box.explained().at("governed") == "reserved");
}

TEST_CASE("a governor that was killed leaves its memory, and the next one goes on when its lease is over") {
    GovernedDeployment box;
    box.tune("50");
    RunningGovernor first(box, box.asked("run", "echo 9", {"--apply", "--every", "200ms", "--lease", "1s"}));
    while (box.rps() != "0") std::this_thread::sleep_for(std::chrono::milliseconds(20));
    CHECK(first.end(SIGKILL).signal == SIGKILL);
    CHECK(box.step("echo 1").code == 7);
    std::this_thread::sleep_for(std::chrono::milliseconds(1200));
    const auto row = box.step_row("echo 1");
    CHECK(row.at("why") == "open");  // and not `stopped`: it was the breaker
    CHECK(box.step_row("echo 1").at("why") == "rearmed");
}

TEST_CASE("a dry run accuses no other writer of what it has only planned, and its breaker stays open") {
    GovernedDeployment box;
    box.tune("40");
    const auto result = box.run(box.asked("run", "echo 4", {"--every", "100ms", "--iterations", "4", "-o", "json"}));
    INFO(result.out << result.err);
    CHECK(result.code == 0);
    CHECK_FALSE(contains(result.err, "another writer"));
    const auto document = parse_json(result.out);
    REQUIRE(document.at("rows").size() == 4);
    for (const auto& row : document.at("rows")) {
        CHECK(row.at("before") == 40.0);
        CHECK(row.at("turned") == false);
    }
    const auto open = box.rows(box.asked("run", "echo 9", {"--every", "100ms", "--iterations", "3"}));
    CHECK(open.at(0).at("why") == "tripped");
    CHECK(open.at(2).at("why") == "open");
    CHECK(open.at(2).at("status") == "planned");
}

TEST_CASE("what stood before another rate was set by hand is told as it was") {
    GovernedDeployment box;
    box.tune("50");
    box.step("echo 2");
    CHECK(box.run({"knobs", "unlimited", "search"}).code == 0);
    CHECK(contains(box.step("echo 2").err, "the last decision left rps 50"));
    CHECK(box.run({"knobs", "set", "search", "rps=20"}).code == 0);
    const auto result = box.step("echo 2");
    CHECK(contains(result.err, "the last decision left it unlimited"));
    CHECK_FALSE(contains(result.err, "rps 0"));
}

TEST_CASE("a load of any size is told in a few characters") {
    GovernedDeployment box;
    box.tune("50");
    for (const std::string load : {"1e308", "1e200"}) {
        CHECK(box.step_row("echo " + load, {}).at("load") == std::stod(load));
        const auto result = box.step("echo " + load, {});
        INFO(result.out);
        CHECK(contains(result.out, load.substr(0, 2) + "+" + load.substr(2) + " "));
    }
}

// It took the lease first, and said that nothing was written.
TEST_CASE("a run that nothing gives a rate to begin from takes no lease") {
    GovernedDeployment box("");
    for (const std::string verb : {"step", "run"}) {
        const auto refused = box.run(box.asked(verb, "echo 2", {"--apply"}));
        CHECK(refused.code == 3);
        CHECK(contains(refused.err, "nothing was written"));
        CHECK(box.server().command({"DBSIZE"}) == "0");
    }
}

TEST_CASE("where the memory is gone it begins anew, and where all is gone as well") {
    GovernedDeployment box;
    box.tune("50");
    box.step("echo 2");
    box.server().command({"DEL", kGovernor});
    const auto result = box.step("echo 2");
    CHECK(contains(result.err, "begins anew"));
    CHECK(box.rps() == "50");
    RunningGovernor run(box, box.asked("run", "echo 2", {"--apply", "--every", "200ms"}));
    box.server().command({"FLUSHALL"});
    const auto decided_at = [&box] {
        for (int i = 0; i < 200 && box.explained().at("governed") != "governed"; ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
        return box.explained().at("decided_at_ms");
    };
    // It may have looked before all was gone.
    const auto first = decided_at();
    for (int i = 0; i < 200 && decided_at() == first; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(50));
    CHECK(box.count("throttle:search:knobs") == "0");
    const auto ended = run.end(SIGTERM);
    CHECK(ended.code == 143);
    CHECK(contains(ended.err, "the lease was gone, as where another run had it in between"));
    CHECK(contains(ended.err, "no knob says a rate of throttle 'search' any more"));
    CHECK_FALSE(contains(ended.err, "another writer"));
}

TEST_CASE("knobs that are gone are not put back in one step, and not at all without a load") {
    GovernedDeployment box;  // 5 requests a second without knobs
    box.tune("100");
    CHECK(box.step_row("echo 1").at("why") == "began");
    const bool by_the_tool = GENERATE(false, true);
    if (by_the_tool)
        CHECK(box.run({"knobs", "unset", "search"}).code == 0);
    else
        box.server().command({"DEL", "throttle:search:knobs"});
    auto result = box.step("false");
    CHECK(result.code == 1);
    CHECK(contains(result.err, "no knob says a rate of throttle 'search' any more: rps 5, burst 2, window 8"));
    CHECK(contains(result.err, "the last decision left rps 100"));
    CHECK_FALSE(contains(result.err, "another writer"));
    CHECK(box.count("throttle:search:knobs") == "0");
    auto row = box.step_row("false");
    CHECK(row.at("status") == "unchanged");
    CHECK(row.at("rps") == 5.0);
    CHECK(contains(row.at("reason").get<std::string>(), "--load-command: no load: it ended with status 1"));
    // Above the set point it is not raised, and below it by --rise only.
    row = box.step_row("echo 2.5");
    CHECK(row.at("before") == 5.0);
    CHECK(row.at("rps") <= 5.0);
    row = box.step_row("echo 0.1");
    CHECK(row.at("rps") < 7.0);
}

TEST_CASE("a breaker whose knobs are gone opens again at the next load, and a rate set by hand is held without one") {
    GovernedDeployment box;
    box.tune("50");
    box.step("echo 9");
    box.run({"knobs", "unset", "search"});
    CHECK(box.step_row("false").at("why") == "held");
    CHECK(box.count("throttle:search:knobs") == "0");
    CHECK(box.step_row("echo 4").at("why") == "open");
    CHECK(box.rps() == "0");
    // Without a load for too long it opens, and a rate that is set then stands.
    box.tune("7");
    box.step("echo 2");
    CHECK(box.step_row("false", {"--apply", "--hold-for", "1ms"}).at("why") == "blind");
    box.tune("9");
    CHECK(box.step_row("false").at("why") == "held");
    CHECK(box.rps() == "9");
}

TEST_CASE("where knobs are gone and nothing says a rate without them, a step is refused and a run waits") {
    GovernedDeployment box("");
    box.tune("50");
    box.step("echo 2");
    box.server().command({"DEL", "throttle:search:knobs"});
    const auto result = box.step("echo 1");
    CHECK(result.code == 3);
    CHECK(contains(result.err, "nothing says which one it has without"));
    const auto row = box.step_row("false");
    CHECK(row.at("why") == "held");
    CHECK(row.at("rps").is_null());
    CHECK(row.at("before").is_null());
    CHECK(box.count("throttle:search:knobs") == "0");
    box.tune("40");
    RunningGovernor run(box, box.asked("run", "echo 2", {"--apply", "--every", "100ms"}));
    while (box.explained().at("rps") != 40.0) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    box.server().command({"DEL", "throttle:search:knobs"});
    std::this_thread::sleep_for(std::chrono::milliseconds(400));
    box.tune("30");
    while (box.explained().at("rps") != 30.0) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    const auto ended = run.end(SIGTERM);
    CHECK(ended.code == 143);
    CHECK(contains(ended.err, "nothing was decided: no knob says which rate"));
    CHECK(box.rps() == "30");
    // The breaker acts all the same.
    box.server().command({"DEL", "throttle:search:knobs"});
    CHECK(box.step_row("echo 9").at("why") == "tripped");
    CHECK(box.rps() == "0");
}

TEST_CASE("a throttle without knobs whose rate is unchanged was changed by none") {
    GovernedDeployment box("limit = 100\nperiod = \"3s\"\n");  // a rate with more digits than a knob is given
    CHECK(contains(box.step("echo 2").out, "unchanged"));
    const auto result = box.step("echo 2");
    CHECK(contains(result.out, "unchanged"));
    CHECK_FALSE(contains(result.err, "another writer"));
    CHECK_FALSE(contains(result.err, "any more"));
    CHECK(box.count("throttle:search:knobs") == "0");
}

TEST_CASE("a source that hangs keeps the breaker from nothing: it opens when --hold-for is over") {
    GovernedDeployment box;
    box.tune("50");
    const auto path = box.box().file("first");
    const std::string hangs = "[ -e " + path + " ] && sleep 60; touch " + path + "; echo 2";
    const auto begun = std::chrono::steady_clock::now();
    auto arguments = box.asked("run", hangs, {"--apply", "--every", "200ms", "--hold-for", "1500ms"});
    arguments.insert(arguments.end(), {"--load-timeout", "60s", "--load-command", "sleep 60"});
    arguments.insert(arguments.end(), {"--iterations", "20", "-o", "ndjson"});
    RunningGovernor run(box, arguments);
    while (box.rps() != "0") std::this_thread::sleep_for(std::chrono::milliseconds(20));
    // Long before any of the sources is given up.
    CHECK(std::chrono::steady_clock::now() - begun < std::chrono::seconds(30));
    const auto result = run.end(SIGTERM);
    CHECK(contains(result.err, "no load: no answer within"));
    CHECK(contains(result.out, "blind"));
}

TEST_CASE("acl's operator may govern, and its reader may see who does") {
    GovernedDeployment box;
    box.tune("50");
    const auto as = [&](const std::string& kind, std::vector<std::string> arguments) {
        const std::string digest =
            "ef92b778bafe771e89245b89ecbc08a44a4e166c06659911881f383d4473e94f";  // of password123
        std::istringstream line(box.run({"acl", kind, "--user", "ann", "--password-sha256", digest}).out);
        const std::vector<std::string> rules{std::istream_iterator<std::string>(line), {}};
        REQUIRE(box.server().command(rules) == "OK");
        RunOptions options;
        options.environment["ANNS"] = "redis://ann:password123@" + box.server().endpoint().address();
        for (const char* word : {"-u", "env:ANNS", "--scheme", "limitlion", "--key", "throttle:{client}"})
            arguments.emplace_back(word);
        return run_ratectl(arguments, options);
    };
    const auto stepped = as("operator", box.asked("step", "echo 2", {"--apply"}));
    INFO(stepped.err);
    CHECK(stepped.code == 0);
    const auto explained = as("reader", {"governor", "explain", "search", "-o", "ndjson"});
    INFO(explained.err);
    CHECK(explained.code == 0);
    CHECK(contains(explained.out, "began"));
    CHECK(as("reader", box.asked("step", "echo 2", {"--apply"})).code == 5);
}
