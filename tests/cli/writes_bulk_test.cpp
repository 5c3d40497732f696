// Changes of many windows: streams, sweeps, several shards, broken parts, interruptions; the counts always add up.
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <regex>
#include <sstream>

#include "cli/printed_rows.h"
#include "cli/written_deployment.h"
#include "support/catch.h"
#include "support/json.h"

using namespace ratectl::test;
using nlohmann::json;

namespace {

std::string keys(int from, int to, const std::string& prefix = "core:") {
    std::string text;
    for (int i = from; i < to; ++i) text += prefix + std::to_string(i) + "\n";
    return text;
}

/// `1000 applied, ...`, as the summary has it.
std::ptrdiff_t applied_in(const std::string& told) {
    std::smatch found;
    REQUIRE(std::regex_search(told, found, std::regex("([0-9]+) applied")));
    return std::stol(found.str(1));
}

}  // namespace

TEST_CASE("keys from standard input are changed in their order on the shards that have them") {
    WrittenDeployment box(kFree, 3);
    const auto result = box.run_with_input({"increment", "-", "--amount", "2", "-o", "ndjson"}, keys(0, 2500));
    CHECK(result.code == 0);
    const auto rows = key_rows(result);
    REQUIRE(rows.size() == 2500);
    std::map<std::string, int> per_shard;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        CHECK(rows[i].at("key") == "core:" + std::to_string(i));
        ++per_shard[rows[i].at("shard")];
    }
    const std::string names[] = {"alpha", "beta", "gamma"};
    for (std::size_t i = 0; i < 3; ++i) {
        CHECK(per_shard[names[i]] > 100);
        CHECK(box.halves(i) == std::to_string(2 * per_shard[names[i]]));
    }
    CHECK(contains(result.err, "2500 applied"));
}

TEST_CASE("keys that memory has no room for and no folder keeps are told of before the first change") {
    WrittenDeployment box(kFree);
    RunOptions options;
    options.input = keys(0, 20001);
    options.environment["TMPDIR"] = box.file("nowhere");
    const auto result = box.run({"increment", "-"}, options);
    INFO(result.err);
    CHECK(result.code == 10);
    CHECK(contains(result.err, "the list of keys"));
    CHECK(box.halves() == "0");
    options.input = keys(0, 20000);
    CHECK(box.run({"increment", "-"}, options).code == 0);
}

TEST_CASE("a key that is named twice is counted twice and removed once") {
    WrittenDeployment box(kFree);
    CHECK(box.run_with_input({"increment", "-"}, "core:1\ncore:1\ncore:1\n").code == 0);
    CHECK(box.stored("core:1") == "3");
    const auto result = box.run({"reset", "core:1", "core:1"});
    CHECK(result.code == 0);
    CHECK_FALSE(contains(result.out, "absent"));
}

TEST_CASE("rows bring their own amounts and their own guards") {
    WrittenDeployment box(kFree);
    const auto reset_at = seconds_from_now(1000);
    for (const std::string key : {"core:1", "core:2", "core:3"}) box.set_window(key, "50", reset_at);
    const std::string rows = R"({"key":"core:1","amount":10,"reset_at":)" + std::to_string(reset_at) + "}\n" +
                             R"({"key":"core:2","amount":20,"reset_at":)" + std::to_string(reset_at - 3600) + "}\n" +
                             R"({"key":"core:3"})" + "\n";
    const auto result = box.run_with_input({"refund", "-", "--input", "ndjson", "--amount", "5"}, rows);
    CHECK(result.code == 9);
    CHECK(box.stored("core:1") == "40");
    CHECK(box.stored("core:2") == "50");
    CHECK(box.stored("core:3") == "45");
}

TEST_CASE("what a scan printed cannot hit a newer window") {
    WrittenDeployment box(kFree);
    box.set_window("core:old", "50", seconds_from_now(1000));
    box.set_window("core:new", "50", seconds_from_now(1000));
    const auto listed = box.run({"scan", "core:*", "-o", "ndjson"});
    REQUIRE(listed.code == 0);
    box.set_window("core:new", "1", seconds_from_now(5000));
    const auto result = box.run_with_input({"reset", "-", "--input", "ndjson"}, listed.out);
    CHECK(result.code == 9);
    CHECK(box.stored("core:old") == "(nil)");
    CHECK(box.stored("core:new") == "1");
}

TEST_CASE("what a scan printed as over cannot hit the window that opened since") {
    for (const std::string format : {"ndjson", "csv"}) {
        WrittenDeployment box(kFree);
        const auto ended = seconds_from_now(1000);
        box.set_window("core:over", "50", ended);
        box.set_window("core:anew", "50", ended);
        const auto later = std::to_string(ended + 10);
        const auto listed = box.run({"scan", "core:*", "-o", format, "--now", later});
        REQUIRE(listed.code == 0);
        REQUIRE(contains(listed.out, "closed"));
        box.set_window("core:anew", "1", ended + 5000);
        const auto result = box.run_with_input({"reset", "-", "--input", format, "--now", later}, listed.out);
        CHECK(result.code == 9);
        CHECK(box.stored("core:over") == "(nil)");
        CHECK(box.stored("core:anew") == "1");
    }
}

TEST_CASE("a dry run of a reset foresees that the half that was seen goes") {
    WrittenDeployment box(kFree);
    box.server().command({"SET", "core:half:exp", std::to_string(seconds_from_now(1000))});
    const std::vector<std::string> reset{"reset", "--match", "core:*", "--state", "orphan-expiry"};
    auto dry = reset;
    dry.emplace_back("-n");
    const auto foreseen = box.run(dry);
    CHECK(foreseen.code == 0);
    CHECK(contains(foreseen.out, "planned"));
    CHECK_FALSE(contains(foreseen.out, "window-changed"));
    CHECK(box.run(reset).code == 0);
    CHECK(box.halves() == "0");
}

TEST_CASE("a sweep changes what matches and nothing beside it") {
    WrittenDeployment box(kFree);
    for (const std::string key : {"tenant[1]:a", "tenant[1]:b", "tenant1:a", "tenant1:b", "other:a"})
        box.set_window(key, "5", seconds_from_now(1000));
    const auto result = box.run({"reset", "--match", "tenant\\[1\\]:*"});
    CHECK(result.code == 0);
    CHECK(contains(result.err, "2 applied"));
    CHECK(box.stored("tenant[1]:a") == "(nil)");
    CHECK(box.stored("tenant1:a") == "5");
    CHECK(box.stored("other:a") == "5");
}

TEST_CASE("a pattern without a literal beginning needs --all") {
    WrittenDeployment box(kFree);
    box.set_window("core:1", "5", seconds_from_now(1000));
    box.set_window("unknown:1", "5", seconds_from_now(1000));
    for (const std::string pattern : {"*", "?ore:1", "[c]ore:*"}) {
        const auto result = box.run({"reset", "--match", pattern});
        CHECK(result.code == 7);
        CHECK(contains(result.err, "--all"));
    }
    CHECK(box.stored("core:1") == "5");
    CHECK(box.run({"reset", "--all"}).code == 0);
    CHECK(box.stored("core:1") == "(nil)");
    CHECK(box.stored("unknown:1") == "5");
}

TEST_CASE("a sweep is narrowed by policy and state and use") {
    WrittenDeployment box(kFree);
    const auto reset_at = seconds_from_now(1000);
    box.set_window("core:full", "100", reset_at);
    box.set_window("core:half", "50", reset_at);
    box.set_window("core:low", "1", reset_at);
    CHECK(box.run({"reset", "--policy", "core", "--state", "exhausted"}).code == 0);
    CHECK(box.stored("core:full") == "(nil)");
    CHECK(box.run({"refund", "--policy", "core", "--min-used", "50%", "--amount", "10"}).code == 0);
    CHECK(box.stored("core:half") == "40");
    CHECK(box.stored("core:low") == "1");
    CHECK(box.run({"reset", "--policy", "core", "--min-used", "90%"}).code == 1);
}

TEST_CASE("a sweep never opens a window that is over") {
    WrittenDeployment box(kFree);
    box.set_window("core:1", "5", seconds_from_now(1000));
    const auto later = std::to_string(seconds_from_now(2000));
    CHECK(box.run({"increment", "--match", "core:*", "--now", later}).code == 1);
    CHECK(box.stored("core:1") == "5");
}

TEST_CASE("a window on a shard where nobody looks for it is not changed by a sweep") {
    WrittenDeployment box(kFree, 2);
    const auto placed = box.run({"increment", "core:1", "--json"});
    const bool on_alpha = parse_json(placed.out).at("rows").at(0).at("shard") == "alpha";
    auto& wrong = box.server(on_alpha ? 1 : 0);
    const auto reset_at = seconds_from_now(1000);
    wrong.command({"SET", "core:1", "9", "EXAT", std::to_string(reset_at + 1)});
    wrong.command({"SET", "core:1:exp", std::to_string(reset_at), "EXAT", std::to_string(reset_at + 1)});
    const auto result = box.run({"reset", "--match", "core:*"});
    CHECK(contains(result.out, "misplaced"));
    CHECK(wrong.command({"GET", "core:1"}) == "9");
    CHECK(box.run({"reset", "--match", "core:*", "--shard", on_alpha ? "beta" : "alpha"}).code == 0);
    CHECK(wrong.command({"GET", "core:1"}) == "(nil)");
}

TEST_CASE("several shards and nobody who says how they share keys is refused") {
    RedisServer alpha;
    RedisServer beta;
    const std::vector<std::string> urls = {"-u", alpha.endpoint().url(), "-u", beta.endpoint().url()};
    auto arguments = urls;
    arguments.insert(arguments.begin(), {"increment", "core:1", "--period", "1h"});
    const auto result = run_ratectl(arguments);
    CHECK(result.code == 3);
    CHECK(contains(result.err, "--sharding"));
    CHECK(alpha.command({"DBSIZE"}) == "0");
    CHECK(beta.command({"DBSIZE"}) == "0");
}

TEST_CASE("one server of several that is dead leaves the keys of the others changed and ends as partial") {
    WrittenDeployment box(kFree, 2);
    box.server(1).kill();
    const auto result = box.run_with_input({"increment", "-", "--messages", "json", "-o", "ndjson"}, keys(0, 50));
    CHECK(result.code == 9);
    const auto summary = summary_of(result);
    CHECK(summary.at("applied").get<int>() > 0);
    CHECK(summary.at("failed").get<int>() > 0);
    CHECK(summary.at("applied").get<int>() + summary.at("failed").get<int>() == 50);
    CHECK(key_rows(result).size() == 50);
    CHECK(box.halves(0) == std::to_string(2 * summary.at("applied").get<int>()));
}

TEST_CASE("a sweep that cannot see a shard changes what it saw and ends as partial") {
    WrittenDeployment box(kFree, 2);
    REQUIRE(box.run_with_input({"increment", "-", "-o", "ndjson"}, keys(0, 50)).code == 0);
    box.server(1).kill();
    const auto result = box.run({"reset", "--match", "core:*", "--json"});
    CHECK(result.code == 9);
    CHECK(box.halves(0) == "0");
    const auto document = parse_json(result.out);
    CHECK(document.at("complete") == false);
    CHECK(document.at("failures").at(0).at("shard") == "beta");
}

// The document said complete and named no failure, beside the exit code of one.
TEST_CASE("the document of a change lists the rows that failed and is not complete then") {
    WrittenDeployment box(std::string(kFree) + "\nprotect = [\"core:9\"]");
    box.server().command({"LPUSH", "core:list", "x"});
    const auto whole = parse_json(box.run({"increment", "core:1", "core:2", "--json"}).out);
    CHECK(whole.at("complete") == true);
    CHECK(whole.at("failures").empty());
    for (const auto& change : {std::vector<std::string>{"increment"}, {"refund", "--amount", "1"}, {"reset"}}) {
        auto arguments = change;
        arguments.insert(arguments.end(), {"core:1", "core:list", "core:9", "--json"});
        const auto result = box.run(arguments);
        INFO(change.front() << result.out << result.err);
        CHECK(result.code == 9);
        const auto document = parse_json(result.out);
        CHECK(document.at("complete") == false);
        REQUIRE(document.at("failures").size() == 2);
        for (const auto& failure : document.at("failures")) {
            CHECK(failure.at("code") == 7);
            CHECK(failure.at("shard") == "alpha");
            CHECK(contains(failure.at("message").get<std::string>(), "nothing was written"));
        }
    }
}

TEST_CASE("an interrupted change finishes what is in flight and its counts add up") {
    WrittenDeployment box("writes = \"confirm\"");
    RunOptions options;
    options.input = keys(0, 30'000);
    options.signal_number = SIGINT;
    options.signal_after = std::chrono::milliseconds(1200);
    const auto result = box.run(
        {"increment", "-", "--confirm", "box", "--expect", "30000", "--messages", "json", "-o", "ndjson"}, options);
    const auto summary = summary_of(result);
    INFO(result.err);
    const int applied = summary.at("applied").get<int>();
    const int left = summary.at("not_attempted").get<int>();
    CHECK(box.halves() == std::to_string(2 * applied));
    if (applied < 30'000) CHECK(result.code == 130);
    if (applied > 0) CHECK(applied + left == 30'000);
    CHECK((result.code == 130 || result.code == 0));
}

TEST_CASE("one refused key among good ones is partial and all refused is a guard") {
    WrittenDeployment box(kFree);
    box.server().command({"LPUSH", "core:list", "x"});
    box.server().command({"LPUSH", "core:other", "x"});
    const auto mixed = box.run({"increment", "core:1", "core:list"});
    CHECK(mixed.code == 9);
    CHECK(box.stored("core:1") == "1");
    CHECK(box.run({"increment", "core:list", "core:other"}).code == 7);
}

// The signal came while the pipe was full: the summary had all windows, standard output a part of them.
TEST_CASE("what was applied before a signal is printed for a reader that is slow or said to be missing there") {
    for (const std::string reader : {"while [ ! -e told ]; do sleep 0.05; done; cat", "sleep 4; cat"}) {
        WrittenDeployment box(kFree);
        RunOptions options;
        options.environment["RATECTL_CONFIG"] = box.config_file();
        options.environment["XDG_STATE_HOME"] = box.file("state");
        options.folder = box.file("");
        std::ofstream(box.file("keys")) << keys(0, 1500);
        const auto result =
            run_program("/bin/bash",
                        {"-c", "exec 3> >(" + reader + "); '" + ratectl_binary() +
                                   "' increment - -o ndjson <keys >&3 & p=$!; exec 3>&-; "
                                   "until [ -s state/ratectl/journal.db ]; do sleep 0.05; done; "
                                   "sleep 1; kill -TERM $p; touch told; wait $p; code=$?; wait; exit $code"},
                        options);
        INFO(result.err);
        const auto printed = std::ranges::count(result.out, '\n');
        // A busy machine may not have come to all of them by then.
        const auto applied = applied_in(result.err);
        const bool too_late = applied == 1500 && printed == applied;
        CHECK(result.code == (too_late ? 0 : 143));  // it ended with 143, whatever was left to be stopped
        CHECK(box.halves() == std::to_string(2 * applied));
        CHECK((printed < applied) == contains(result.err, "while standard output was not read"));
        CHECK((printed < applied) == contains(result.err, "lists what was done"));
    }
}

RunOptions stopped_stream_of(int count) {
    RunOptions options;
    options.input = keys(0, count);
    options.close_input = false;
    options.signal_number = SIGINT;
    options.signal_after = std::chrono::milliseconds(ratectl::test::is_binary_sanitized() ? 5000 : 1500);
    options.signal_once_caught = true;
    return options;
}

TEST_CASE("a stopped stream finishes what it began and tells how far it came") {
    WrittenDeployment box("writes = \"confirm\"");
    const auto result =
        box.run({"increment", "-", "-y", "--confirm", "box", "--messages", "json"}, stopped_stream_of(40));
    CHECK(result.code == 130);
    const auto summary = summary_of(result);
    CHECK(summary.at("applied").get<int>() == 40);
    CHECK(box.halves() == "80");
    CHECK(contains(result.err, "stopped before the end"));
}

// It advised to apply a plan that was not there.
TEST_CASE("a stream that is stopped leaves no plan and says so") {
    WrittenDeployment box(kFree);
    const auto planned = box.run({"increment", "-", "--plan", box.file("a.plan")}, stopped_stream_of(3000));
    INFO(planned.err);
    CHECK(planned.code == 130);
    CHECK(contains(planned.err, " planned"));
    CHECK(contains(planned.err, "; the plan was not written"));
    CHECK(contains(planned.err, "stopped before the end; nothing was written; how many more keys would have come"));
    CHECK_FALSE(contains(planned.err, "ratectl apply"));
    CHECK_FALSE(std::filesystem::exists(box.file("a.plan")));
    const auto dry = box.run({"increment", "-", "-n"}, stopped_stream_of(40));
    CHECK(dry.code == 130);
    CHECK(contains(dry.err, "stopped before the end; nothing was written; how many more keys would have come"));
}

TEST_CASE("input that breaks off after some writes is named with its line and the summary stays true") {
    WrittenDeployment box(kFree);
    std::string rows;
    for (int i = 0; i < 1500; ++i) rows += R"({"key":"core:)" + std::to_string(i) + "\"}\n";
    const auto result = box.run_with_input({"increment", "-", "--input", "ndjson"}, rows + "{broken\n");
    CHECK(result.code == 10);
    CHECK(contains(result.err, "1501"));
    CHECK(contains(result.err, "1500 applied"));
    CHECK(box.halves() == "3000");
    const auto told = box.run_with_input({"increment", "-", "--input", "ndjson", "--json"}, rows + "{broken\n");
    CHECK(told.code == 10);
    CHECK(parse_json(told.out).at("rows").size() == 1500);
    CHECK(parse_json(told.out).at("complete") == false);
    WrittenDeployment asked("writes = \"confirm\"");
    const auto spooled = asked.run_with_input({"increment", "-", "--input", "ndjson"}, rows + "{broken\n");
    CHECK(spooled.code == 10);
    CHECK(asked.halves() == "0");
}

TEST_CASE("a reader that goes away is told nothing more but the summary stays true") {
    WrittenDeployment box(kFree);
    RunOptions options;
    options.environment["RATECTL_CONFIG"] = box.config_file();
    options.input = keys(0, 5000);
    const auto result = run_program(
        "/bin/sh", {"-c", "'" + ratectl_binary() + "' increment - -o ndjson | head -n 1 > /dev/null"}, options);
    std::istringstream words(result.err);
    std::int64_t applied = -1;
    words.ignore(std::string_view("ratectl: ").size()) >> applied;
    INFO(result.err);
    CHECK(std::to_string(2 * applied) == box.halves());
}

TEST_CASE("a full disk under the rows does not hide what went wrong with the keys") {
    WrittenDeployment box(kFree);
    RunOptions options;
    options.environment["RATECTL_CONFIG"] = box.config_file();
    box.server().command({"LPUSH", "core:list", "x"});
    const auto run = [&](const std::string& arguments) {
        return run_program("/bin/sh", {"-c", "'" + ratectl_binary() + "' increment " + arguments + " > /dev/full"},
                           options);
    };
    const auto mixed = run("core:1 core:list");
    CHECK(mixed.code == 9);
    CHECK(contains(mixed.err, "1 applied, 1 refused"));
    CHECK(contains(mixed.err, "No space left on device"));
    const auto good = run("core:2 core:3");
    CHECK(good.code == 10);
    CHECK(contains(good.err, "2 applied"));
}
