// What a filter saw, the write demands: every window changes between the look and the write.
#include <chrono>
#include <functional>
#include <map>
#include <thread>

#include "cli/printed_rows.h"
#include "cli/written_deployment.h"
#include "support/built_programs.h"
#include "support/catch.h"

using namespace ratectl::test;

namespace {

constexpr std::int64_t kLater = 1000;
const std::string kNewer = "7";

/// A deployment that asks; while the question stands there, `meanwhile` happens.
struct AskingBox : WrittenDeployment {
    AskingBox() : WrittenDeployment("writes = \"confirm-all\"") {}

    /// Changes the key's window after `meanwhile` happened behind the question.
    RunResult change_after(const std::vector<std::string>& arguments, const std::function<void()>& meanwhile) {
        RunOptions options;
        options.terminal_only_for_questions = true;
        options.typed = "y\n";
        options.before_typing = meanwhile;
        return run(arguments, options);
    }

    void half(const std::string& key, const std::string& value) { server().command({"SET", key, value}); }
    /// A healthy window, newer than whatever was there.
    void renew(const std::string& key) {
        server().command({"DEL", key, key + ":exp"});
        set_window(key, kNewer, seconds_from_now(2 * kLater));
    }
    RunResult change(const std::vector<std::string>& arguments, const std::vector<std::string>& renewed) {
        RunOptions options;
        options.terminal_only_for_questions = true;
        options.typed = "y\n";
        options.before_typing = [this, &renewed] {
            for (const auto& key : renewed) renew(key);
        };
        return run(arguments, options);
    }
};

std::vector<std::vector<std::string>> changes() { return {{"reset"}, {"increment"}, {"refund", "--amount", "1"}}; }

std::vector<std::string> joined(std::vector<std::string> some, const std::vector<std::string>& more) {
    some.insert(some.end(), more.begin(), more.end());
    return some;
}

}  // namespace

TEST_CASE("a named key that --state accepted is changed only while its window is the one that was looked at") {
    for (const auto& change : changes()) {
        AskingBox box;
        for (const std::string key : {"core:1", "core:2"}) box.set_window(key, "100", seconds_from_now(kLater));
        const auto result = box.change(joined(change, {"core:1", "core:2", "--state", "exhausted"}), {"core:2"});
        CHECK(result.code == 9);
        CHECK(contains(result.out, "window-changed"));
        CHECK(box.stored("core:1") != "100");
        CHECK(box.stored("core:2") == kNewer);
    }
}

TEST_CASE("a key that --min-used accepted is changed only while its window is the one that was looked at") {
    for (const auto& change : changes()) {
        AskingBox box;
        box.set_window("core:1", "100", seconds_from_now(kLater));
        const auto result = box.change(joined(change, {"core:1", "--min-used", "50"}), {"core:1"});
        CHECK(result.code == 7);
        CHECK(box.stored("core:1") == kNewer);
    }
}

TEST_CASE("a key that was absent when --state absent looked is changed only while it still is") {
    for (const auto& change : changes()) {
        AskingBox box;
        const auto result = box.change(joined(change, {"core:1", "--state", "absent"}), {"core:1"});
        CHECK(result.code == 7);
        CHECK(contains(result.out, "window-changed"));
        CHECK(box.stored("core:1") == kNewer);
    }
    AskingBox box;
    CHECK(box.change({"increment", "core:1", "--state", "absent"}, {}).code == 0);
    CHECK(box.stored("core:1") == "1");
}

TEST_CASE("a window that was over when it was looked at is not taken for the one that opened since") {
    for (const auto& change : changes()) {
        AskingBox box;
        const auto ended = seconds_from_now(kLater);
        box.set_window("core:1", "100", ended);
        const auto result = box.change(
            joined(change, {"core:1", "--state", "closed", "--now", std::to_string(ended + 10)}), {"core:1"});
        CHECK(result.code == 7);
        CHECK(box.stored("core:1") == kNewer);
    }
}

TEST_CASE("a half that a sweep saw is changed only while it is exactly these bytes") {
    const std::vector<std::vector<std::string>> halves{
        {"orphan-counter", "core:1", "5"},
        {"orphan-expiry", "core:1:exp", std::to_string(seconds_from_now(kLater))},
        {"corrupt", "core:1:exp", "no time"}};
    for (const auto& seen : halves) {
        for (const auto& selection : {std::vector<std::string>{"--match", "core:*"}, {"core:1"}}) {
            for (const auto& change : {std::vector<std::string>{"reset"}, {"increment"}}) {
                CAPTURE(seen, selection, change);
                AskingBox box;
                box.half(seen[1], seen[2]);
                const auto arguments = joined(change, joined(selection, {"--state", seen[0]}));
                const auto result = box.change(arguments, {"core:1"});
                CHECK(result.code == 7);
                CHECK(contains(result.out, "window-changed"));
                CHECK(box.stored("core:1") == kNewer);
            }
            AskingBox box;
            box.half(seen[1], seen[2]);
            CHECK(box.change(joined({"reset", "--state", seen[0]}, selection), {}).code == 0);
            CHECK(box.halves() == "0");
        }
    }
}

TEST_CASE("a row without a reset in a pipe is changed only while it is what the row says") {
    for (const std::string format : {"ndjson", "csv"}) {
        for (const auto& change : changes()) {
            AskingBox box;
            box.half("core:1", "5");
            box.half("core:2", "it's, \"no\" number\xff");
            box.half("core:3:exp", std::to_string(seconds_from_now(kLater)));
            const auto rows = box.run({"check", "core:1", "core:2", "core:3", "core:4", "-o", format}).out;
            for (const std::string key : {"core:1", "core:2", "core:3", "core:4"}) box.renew(key);
            const auto result = box.run_with_input(joined(change, {"-", "--input", format, "-y"}), rows);
            CHECK(result.code == 7);
            for (const std::string key : {"core:1", "core:2", "core:3", "core:4"}) CHECK(box.stored(key) == kNewer);
        }
        AskingBox box;
        box.half("core:1", "5");
        box.half("core:2", "it's, \"no\" number\xff");
        const auto rows = box.run({"scan", "core:*", "--orphans", "-o", format}).out;
        const auto result = box.run_with_input({"reset", "-", "--input", format, "-y"}, rows);
        CHECK(result.code == 0);
        CHECK(box.halves() == "0");
    }
}

TEST_CASE("a row of explain in a pipe says as much of its window as a row of check") {
    const std::vector<std::string> keys{"core:1", "core:2", "core:3", "core:4", "core:5"};
    const auto prepare = [](AskingBox& box) {
        box.half("core:1", "5");
        box.half("core:2", "it's, \"no\" number\xff");
        box.half("core:3:exp", std::to_string(seconds_from_now(kLater)));
        box.half("core:5", "9");
        box.half("core:5:exp", std::to_string(seconds_from_now(-kLater)));
    };
    for (const std::string format : {"ndjson", "csv"}) {
        AskingBox box;
        prepare(box);
        const auto rows = box.run(joined(joined({"explain"}, keys), {"-o", format})).out;
        for (const auto& key : keys) box.renew(key);
        const auto changed = box.run_with_input({"reset", "-", "--input", format, "-y"}, rows);
        CHECK(changed.code == 7);
        for (const auto& key : keys) CHECK(box.stored(key) == kNewer);

        AskingBox same;
        prepare(same);
        const auto told = same.run(joined(joined({"explain"}, keys), {"-o", format})).out;
        const auto result = same.run_with_input({"reset", "-", "--input", format, "-y"}, told);
        INFO(result.err);
        CHECK(result.code == 0);
        CHECK(same.halves() == "0");
    }
}

TEST_CASE("what doctor found goes only while it is exactly that") {
    AskingBox box;
    box.half("core:1", "5");
    box.half("core:2", "6");
    const auto rows = box.run({"doctor", "-o", "ndjson"}).out;
    box.half("core:2", "8");
    const auto result = box.run_with_input({"reset", "-", "-y"}, rows);
    CHECK(result.code == 9);
    CHECK(box.stored("core:1") == "(nil)");
    CHECK(box.stored("core:2") == "8");
}

TEST_CASE("doctor --fix removes what was found before the question and no other fault") {
    AskingBox box;
    box.half("core:1", "5");
    RunOptions options;
    options.terminal_only_for_questions = true;
    options.typed = "y\n";
    options.before_typing = [&box] { box.half("core:1", "8"); };
    const auto result = box.run({"doctor", "--fix", "orphan-counter"}, options);
    CHECK(contains(result.out, "window-changed"));
    CHECK(box.stored("core:1") == "8");
}

TEST_CASE("a row that tells a state and nothing to compare it with is refused before anything is written") {
    AskingBox box;
    box.set_window("core:1", "5", seconds_from_now(kLater));
    const auto rows = box.run({"check", "core:1", "-o", "csv", "--columns", "key,state"}).out;
    const auto result = box.run_with_input({"reset", "-", "--input", "csv", "-y"}, rows);
    CHECK(result.code == 2);
    CHECK(contains(result.err, "the row of key 'core:1' says open"));
    CHECK(box.stored("core:1") == "5");
}

TEST_CASE("a row of an orphan expiry in a pipe is not taken for the window that came of it") {
    // It has an end, which was compared alone, and the application's next request makes a window with that end of it.
    for (const std::string format : {"ndjson", "json", "csv", "tsv"}) {
        for (const std::vector<std::string>& look :
             {std::vector<std::string>{"scan", "--state", "orphan-expiry"}, {"check", "core:8"}}) {
            for (const auto& change : changes()) {
                CAPTURE(format, look, change);
                AskingBox box;
                box.half("core:8:exp", std::to_string(seconds_from_now(kLater)));
                const auto rows = box.run(joined(look, {"-o", format})).out;
                box.server().command({"INCRBY", "core:8", "3"});
                const auto result = box.run_with_input(joined(change, {"-", "-y"}), rows);
                CHECK(result.code == 7);
                CHECK(contains(result.out, "window-changed"));
                CHECK(box.stored("core:8") == "3");
            }
            AskingBox box;
            box.half("core:8:exp", std::to_string(seconds_from_now(kLater)));
            const auto rows = box.run(joined(look, {"-o", format})).out;
            CHECK(box.run_with_input({"reset", "-", "-y"}, rows).code == 0);
            CHECK(box.halves() == "0");
        }
    }
    AskingBox box;
    box.half("core:8:exp", std::to_string(seconds_from_now(kLater)));
    const auto rows = box.run({"scan", "--state", "orphan-expiry", "-o", "csv", "--columns", "key,state,reset_at"}).out;
    const auto result = box.run_with_input({"reset", "-", "-y"}, rows);
    CHECK(result.code == 2);
    CHECK(contains(result.err, "the row of key 'core:8' says orphan-expiry, but not what was stored"));
    CHECK(box.halves() == "1");
}

TEST_CASE("rows that another deployment has printed are refused by every command that reads them") {
    // A window of the same name and the same end was removed in another deployment than the one that was looked at.
    WrittenDeployment other(kFree);
    WrittenDeployment box(kFree);
    const auto end = seconds_from_now(kLater);
    for (auto* each : {&other, &box}) each->set_window("core:1", "5", end);
    for (const std::string format : {"ndjson", "json", "csv", "tsv"}) {
        auto rows = other.run({"scan", "-o", format}).out;
        CHECK(box.run_with_input({"check", "-", "-o", "name"}, rows).out == "core:1\n");  // both are called box
        for (std::size_t at = 0; (at = rows.find("box", at)) != std::string::npos;) rows.replace(at, 3, "far");
        for (const auto& command : std::vector<std::vector<std::string>>{{"reset", "-", "-y"},
                                                                         {"increment", "-"},
                                                                         {"refund", "-", "--amount", "1"},
                                                                         {"check", "-"},
                                                                         {"headers", "-"},
                                                                         {"explain", "-"},
                                                                         {"compare", "-"},
                                                                         {"watch", "-", "--rounds", "1"},
                                                                         {"locate", "-"}}) {
            const auto result = box.run_with_input(command, rows);
            INFO(format << " " << command.front() << ": " << result.err << result.out);
            CHECK(result.code == 2);
            CHECK(contains(result.err, "this row is of deployment 'far', and the one in use is 'box'"));
            CHECK(contains(result.err, "hint: -d far; rows without a deployment are taken for any"));
        }
        CHECK(box.stored("core:1") == "5");
    }
    CHECK(box.run_with_input({"check", "-"}, "{\"key\":\"core:1\",\"deployment\":\"far\"}\n").code == 2);
    CHECK(box.run_with_input({"check", "-"}, "{\"key\":\"core:1\",\"deployment\":null}\n").code == 0);
    const std::string url = box.server().endpoint().url();
    RunOptions options;
    options.input = run_ratectl({"scan", "-u", url, "-o", "ndjson"}).out;
    CHECK(contains(box.run_with_input({"reset", "-", "-y"}, options.input).err, "-u names its servers"));
    // All deployments that -u names were called the same.
    const auto wrong = run_ratectl({"reset", "-", "-y", "-u", other.server().endpoint().url()}, options);
    CHECK(wrong.code == 2);
    CHECK(contains(wrong.err, "this row is of deployment '" + box.server().endpoint().address() + "'"));
    CHECK(other.halves() == "2");
    CHECK(run_ratectl({"reset", "-", "-y", "-u", url}, options).code == 0);
    CHECK(box.halves() == "0");
}

TEST_CASE("guards of more keys than memory holds are kept as well") {
    if (is_binary_sanitized()) return;  // half a minute
    WrittenDeployment box(std::string(kFree) + "\n");
    constexpr int kKeys = 20'100;
    box.server().command(
        {"EVAL", "for i = 1, ARGV[1] do redis.call('SET', 'core:' .. i, 5) end", "0", std::to_string(kKeys)});
    const auto rows = box.run({"scan", "core:*", "--orphans", "-o", "ndjson"}).out;
    const auto last =
        rows.substr(rows.rfind("\"core:") + 1, rows.find('"', rows.rfind("\"core:") + 1) - rows.rfind("\"core:") - 1);
    box.server().command({"SET", last, "6"});
    const auto result = box.run_with_input({"reset", "-", "--expect", std::to_string(kKeys)}, rows);
    CHECK(result.code == 9);
    CHECK(box.stored(last) == "6");
    CHECK(box.halves() == "1");
}

TEST_CASE("a key that a filter could not look at is not changed when its server answers again") {
    AskingBox box;
    box.set_window("core:1", "5", seconds_from_now(kLater));
    RunOptions options;
    options.terminal_only_for_questions = true;
    options.typed = "y\n";
    options.before_typing = [] { std::this_thread::sleep_for(std::chrono::seconds(7)); };
    box.server().command({"CLIENT", "PAUSE", "6000", "ALL"});
    const auto result = box.run({"reset", "core:1", "--state", "exhausted", "--timeout", "2s"}, options);
    CHECK(result.code == 4);
    CHECK(box.stored("core:1") == "5");
}

TEST_CASE("what a filter chose for its use is changed only while as much is used") {
    // A refund between the look and the answer went unnoticed: the window is the same one.
    const std::vector<std::vector<std::string>> filters{
        {"--state", "exhausted"}, {"--min-used", "60"}, {"--min-used", "60%"}, {"--state", "exhausted,negative"}};
    for (const auto& filter : filters) {
        for (const auto& change : changes()) {
            for (const std::vector<std::string>& selection :
                 {std::vector<std::string>{"core:1"}, {"--match", "core:*"}}) {
                CAPTURE(filter, change, selection);
                AskingBox box;
                box.set_window("core:1", "100", seconds_from_now(kLater));
                const auto result = box.change_after(joined(change, joined(selection, filter)), [&] {
                    box.server().command({"SET", "core:1", "50", "KEEPTTL"});
                });
                CHECK(result.code == 7);
                CHECK(contains(result.out, "used-too-low"));
                CHECK(box.stored("core:1") == "50");
            }
        }
    }
    AskingBox box;
    box.set_window("core:1", "100", seconds_from_now(kLater));
    const auto other = [&] { box.server().command({"SET", "core:1", "50", "KEEPTTL"}); };
    CHECK(box.change_after({"reset", "core:1", "--state", "exhausted,open"}, other).code == 0);
}

TEST_CASE("a plan remembers how much its filter wanted of each window") {
    for (const auto& change : changes()) {
        AskingBox box;
        for (const std::string key : {"core:1", "core:2"}) box.set_window(key, "100", seconds_from_now(kLater));
        const std::string plan = box.file("a.plan");
        REQUIRE(box.run(joined(change, {"--match", "core:*", "--state", "exhausted", "--plan", plan})).code == 0);
        box.server().command({"SET", "core:1", "50", "KEEPTTL"});
        const auto result = box.run({"apply", plan, "-y"});
        INFO(result.out << result.err);
        CHECK(result.code == 9);
        CHECK(contains(result.out, "used-too-low"));
        CHECK(box.stored("core:1") == "50");
        CHECK(box.stored("core:2") != "100");
    }
}

TEST_CASE("guards of many keys that a filter chose survive the file where they wait") {
    WrittenDeployment box(std::string(kFree) + "\n");
    constexpr int kKeys = 20'100;
    box.server().command({"EVAL",
                          "for i = 1, ARGV[1] do redis.call('SET', 'core:' .. i, 100, 'EX', 900) "
                          "redis.call('SET', 'core:' .. i .. ':exp', ARGV[2], 'EX', 900) end",
                          "0", std::to_string(kKeys), std::to_string(seconds_from_now(899))});
    const auto result = box.run({"reset", "--match", "core:*", "--min-used", "50", "--expect", std::to_string(kKeys)});
    CHECK(result.code == 0);
    CHECK(box.halves() == "0");
}

// The rows went to the shard where the application looks, and told of nothing there.
TEST_CASE("a row that saw its window on a shard where the application does not look says so") {
    WrittenDeployment box(kFree, 3);
    std::string key = "core:0";
    const auto home = [&] { return first_row(box.run({"locate", key, "-o", "ndjson"}).out).at("shard"); };
    for (int i = 1; home() == "alpha"; ++i) key = "core:" + std::to_string(i);
    box.set_window(key, "7", seconds_from_now(600));
    for (const char* format : {"ndjson", "csv", "tsv"}) {
        const auto rows = box.run({"scan", "-o", format}).out;
        for (const auto& command : std::vector<std::vector<std::string>>{
                 {"reset", "-"}, {"reset", "-", "-n"}, {"refund", "-", "--amount", "1"}, {"increment", "-"}}) {
            auto words = command;
            words.insert(words.end(), {"-o", "ndjson"});
            const auto result = box.run_with_input(words, rows);
            INFO(rows << result.out << result.err);
            CHECK(result.code == 7);
            const auto row = first_row(result.out);
            CHECK(row.at("status") == "refused");
            CHECK(row.at("reason") == "misplaced");
            CHECK(row.at("shard") == "alpha");
            CHECK(contains(result.err, "--shard names one shard"));
            CHECK(box.stored(key) == "7");
        }
    }

    // Another window of that name is where it belongs.
    CHECK(box.run({"increment", key}).code == 0);
    const auto both = box.run_with_input({"reset", "-", "-o", "ndjson"}, box.run({"scan", "-o", "ndjson"}).out);
    INFO(both.out << both.err);
    CHECK(both.code == 9);
    std::map<std::string, std::string> status_of;
    for (const auto& row : rows_of(both.out)) status_of[row.at("shard")] = row.at("status");
    CHECK(status_of == std::map<std::string, std::string>{{"alpha", "refused"}, {home(), "applied"}});
    CHECK(box.stored(key) == "7");

    const auto meant = box.run_with_input({"reset", "-", "--shard", "alpha"},
                                          box.run({"scan", "--shard", "alpha", "-o", "ndjson"}).out);
    INFO(meant.out << meant.err);
    CHECK(meant.code == 0);
    CHECK(box.stored(key) == "(nil)");
}
