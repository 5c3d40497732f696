// Plans that are made, applied, applied again, and met by a world that went on.
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <sstream>
#include <thread>

#include "cli/printed_rows.h"
#include "cli/written_deployment.h"
#include "support/built_programs.h"
#include "support/catch.h"
#include "support/file_text.h"
#include "support/json.h"

using namespace ratectl::test;
using nlohmann::json;

namespace {

/// The plan with one text in the place of another, and the sum that says that it was always so.
void forge(const std::string& plan, const std::string& was, const std::string& is) {
    auto text = file_text(plan);
    REQUIRE(text.find(was) != std::string::npos);
    text.replace(text.find(was), was.size(), is);
    const auto last = text.rfind('\n', text.size() - 2) + 1;
    std::uint64_t sum = 0xcbf29ce484222325ULL;
    for (const char c : text.substr(0, last)) sum = (sum ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
    auto end = parse_json(text.substr(last));
    std::ostringstream digits;
    digits << std::hex << std::setw(16) << std::setfill('0') << sum;
    end["checksum"] = "fnv1a64:" + digits.str();
    std::ofstream(plan, std::ios::trunc) << text.substr(0, last) << end.dump() << "\n";
}

std::string words_of(const RunResult& result) { return result.out + result.err; }

}  // namespace

TEST_CASE("a plan that is applied twice is carried out once") {
    WrittenDeployment box(kFree);
    const auto reset_at = seconds_from_now(1000);
    box.set_window("core:1", "50", reset_at);
    box.set_window("core:2", "10", reset_at);
    const auto plan = box.file("a.plan");
    const auto made = box.run({"refund", "--match", "core:*", "--amount", "50%", "--plan", plan});
    CHECK(made.code == 0);
    CHECK(contains(made.err, "2 planned: ratectl apply"));
    CHECK(box.stored("core:1") == "50");
    const auto once = box.run({"apply", plan, "--messages", "json"});
    INFO(words_of(once));
    CHECK(once.code == 0);
    CHECK(summary_of(once).at("applied") == 2);
    CHECK(box.stored("core:1") == "25");
    CHECK(box.stored("core:2") == "5");
    const auto twice = box.run({"apply", plan, "-o", "ndjson", "--messages", "json"});
    INFO(words_of(twice));
    CHECK(twice.code == 0);
    CHECK(summary_of(twice).at("already_applied") == 2);
    CHECK(box.stored("core:1") == "25");
    for (const auto& row : key_rows(twice)) {
        CHECK(row.at("status") == "already-applied");
        CHECK(row.at("before_used").get<int>() == 2 * row.at("after_used").get<int>());
    }
}

TEST_CASE("a plan is not repeated when its operation keys are gone but the journal knows") {
    WrittenDeployment box(kFree);
    box.set_window("core:1", "50", seconds_from_now(1000));
    const auto plan = box.file("a.plan");
    REQUIRE(box.run({"refund", "core:1", "--amount", "10", "--plan", plan}).code == 0);
    REQUIRE(box.run({"apply", plan}).code == 0);
    CHECK(box.stored("core:1") == "40");
    const auto operation = parse_json(file_text(plan).substr(0, file_text(plan).find('\n'))).at("operation");
    CHECK(box.server().command({"DEL", "ratectl:op:" + operation.get<std::string>() + ".1"}) == "1");
    const auto again = box.run({"apply", plan});
    INFO(words_of(again));
    CHECK(again.code == 0);
    CHECK(contains(again.out, "already-applied"));
    CHECK(contains(again.out, "50 -> 40"));
    CHECK(box.stored("core:1") == "40");
}

TEST_CASE("a plan is not repeated from another machine while the operation keys live") {
    WrittenDeployment box(kFree);
    box.set_window("core:1", "50", seconds_from_now(1000));
    const auto plan = box.file("a.plan");
    REQUIRE(box.run({"refund", "core:1", "--amount", "10", "--plan", plan}).code == 0);
    REQUIRE(box.run({"apply", plan}).code == 0);
    RunOptions elsewhere;
    elsewhere.environment["XDG_STATE_HOME"] = box.file("another");
    const auto again = box.run({"apply", plan}, elsewhere);
    CHECK(again.code == 0);
    CHECK(contains(again.out, "already-applied"));
    CHECK(box.stored("core:1") == "40");
}

// `planned 7 -> 4`, and of a reset `skipped`, though all of it was done.
TEST_CASE("a dry run of a plan that was applied says so on every machine") {
    WrittenDeployment box(kFree);
    box.set_window("core:1", "50", seconds_from_now(1000));
    const auto given = box.file("a.plan");
    const auto removed = box.file("b.plan");
    RunOptions elsewhere;
    elsewhere.environment["XDG_STATE_HOME"] = box.file("another");
    REQUIRE(box.run({"refund", "core:1", "--amount", "10", "--plan", given}).code == 0);
    CHECK(contains(box.run({"apply", given, "-n"}).out, "planned"));
    REQUIRE(box.run({"apply", given}).code == 0);
    REQUIRE(box.run({"reset", "core:1", "--plan", removed}).code == 0);
    REQUIRE(box.run({"apply", removed}).code == 0);
    for (const auto& plan : {given, removed}) {
        for (const auto& machine : {RunOptions{}, elsewhere}) {
            const auto dry = box.run({"apply", plan, "-n"}, machine);
            INFO(words_of(dry));
            CHECK(dry.code == 0);
            CHECK(contains(dry.out, "already-applied"));
        }
    }
    CHECK_FALSE(std::filesystem::exists(box.file("another")));
}

TEST_CASE("applying leaves alone what changed since and does the rest") {
    WrittenDeployment box(kFree);
    const auto reset_at = seconds_from_now(1000);
    for (const std::string key : {"core:same", "core:newer", "core:gone", "core:busier"}) {
        box.set_window(key, "50", reset_at);
    }
    const auto plan = box.file("a.plan");
    REQUIRE(box.run({"reset", "--match", "core:*", "--plan", plan}).code == 0);
    box.set_window("core:newer", "1", reset_at + 2000);
    box.set_window("core:busier", "60", reset_at);
    box.server().command({"DEL", "core:gone", "core:gone:exp"});
    box.set_window("core:late", "1", reset_at);
    const auto result = box.run({"apply", plan, "-o", "csv", "--columns", "status,reason,key"});
    INFO(words_of(result));
    CHECK(result.code == 9);
    CHECK(contains(result.out, "applied,,core:same"));
    CHECK(contains(result.out, "applied,,core:busier"));
    CHECK(contains(result.out, "window-changed,window-changed,core:newer"));
    CHECK(contains(result.out, "skipped,absent,core:gone"));
    CHECK(box.stored("core:same") == "(nil)");
    CHECK(box.stored("core:newer") == "1");
    CHECK(box.stored("core:late") == "1");
}

TEST_CASE("a plan that is applied again says of a window that it cannot have that it was left out") {
    WrittenDeployment box(kFree);
    const auto reset_at = seconds_from_now(1000);
    for (const std::string kind : {"refund", "reset"}) {
        for (const std::string key : {"core:a", "core:b"}) box.set_window(key, "10", reset_at);
        const auto plan = box.file(kind + ".plan");
        std::vector<std::string> planning{kind, "core:a", "core:b", "--plan", plan};
        if (kind == "refund") planning.insert(planning.end(), {"--amount", "3"});
        REQUIRE(box.run(planning).code == 0);
        box.server().command({"DEL", "core:a", "core:a:exp"});
        box.run({"apply", plan});
        box.set_window("core:a", "10", reset_at);
        const auto again = box.run({"apply", plan, "-o", "json"});
        INFO(words_of(again));
        CHECK(again.code == 9);
        const auto document = parse_json(again.out);
        CHECK_FALSE(document.at("complete"));
        CHECK(document.at("failures").size() == 1);
        CHECK(document.at("rows").at(0).at("status") == "refused");
        CHECK(document.at("rows").at(0).at("reason") == "left-out");
        CHECK(document.at("rows").at(1).at("status") == "already-applied");
        CHECK(contains(again.err, "make a new plan of what is left"));
        CHECK(box.stored("core:a") == "10");
    }
}

TEST_CASE("applying strictly leaves alone what was used since") {
    WrittenDeployment box(kFree);
    const auto reset_at = seconds_from_now(1000);
    for (const std::string key : {"core:same", "core:busier"}) box.set_window(key, "50", reset_at);
    const auto plan = box.file("a.plan");
    REQUIRE(box.run({"reset", "--match", "core:*", "--plan", plan}).code == 0);
    box.set_window("core:busier", "60", reset_at);
    CHECK(box.run({"apply", plan, "--strict"}).code == 9);
    CHECK(box.stored("core:same") == "(nil)");
    CHECK(box.stored("core:busier") == "60");
    REQUIRE(box.run({"increment", "core:busier", "--plan", box.file("b.plan")}).code == 0);
    CHECK(box.run({"apply", box.file("b.plan"), "--strict"}).code == 2);
}

TEST_CASE("increments of a plan open what was closed and stay out of what opened since") {
    WrittenDeployment box(kFree);
    const auto plan = box.file("a.plan");
    REQUIRE(box.run({"increment", "core:1", "core:2", "--amount", "5", "--plan", plan}).code == 0);
    box.set_window("core:2", "1", seconds_from_now(500));
    const auto result = box.run({"apply", plan});
    INFO(words_of(result));
    CHECK(result.code == 9);
    CHECK(box.stored("core:1") == "5");
    CHECK(box.stored("core:2") == "1");
    CHECK(box.run({"apply", plan}).code == 9);
    CHECK(box.stored("core:1") == "5");
}

// The second row demanded that there be no window, which the first had opened; both were shown as the first.
TEST_CASE("a plan of requests that open a window together counts all of them into it") {
    for (const int between : {0, 1500}) {
        WrittenDeployment box(kFree);
        std::string keys = "core:1\ncore:1\n";
        for (int i = 0; i < between; ++i) keys += "core:other-" + std::to_string(i) + "\n";
        keys += "core:2\ncore:1\n";
        box.set_window("core:2", "7", seconds_from_now(900));
        const auto plan = box.file("a.plan");
        const auto made =
            box.run_with_input({"increment", "-", "--amount", "3", "--plan", plan, "-o", "ndjson"}, keys + "core:2\n");
        INFO(made.err);
        REQUIRE(made.code == 0);
        std::vector<json> shown;
        for (const auto& row : key_rows(made)) {
            if (row.at("key") == "core:1" || row.at("key") == "core:2") shown.push_back(row);
        }
        REQUIRE(shown.size() == 5);
        CHECK(shown[0].at("before_used").is_null());
        const int before[] = {0, 3, 7, 6, 10};
        for (std::size_t i = 0; i < shown.size(); ++i) {
            if (i > 0) CHECK(shown[i].at("before_used") == before[i]);
            CHECK(shown[i].at("after_used") == before[i] + 3);
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1100));  // its end will be another one
        const auto rehearsed = box.run({"apply", plan, "-n", "--messages", "json"});
        CHECK(summary_of(rehearsed).at("planned") == between + 5);
        const auto once = box.run({"apply", plan, "--messages", "json"});
        INFO(words_of(once).substr(0, 2000));
        CHECK(once.code == 0);
        CHECK(summary_of(once).at("applied") == between + 5);
        CHECK(box.stored("core:1") == "9");
        CHECK(box.stored("core:2") == "13");
        const auto twice = box.run({"apply", plan, "--messages", "json"});
        CHECK(summary_of(twice).at("already_applied") == between + 5);
        CHECK(box.stored("core:1") == "9");
    }
}

TEST_CASE("rows of a plan that follow one which was not carried out stay out of the window that is there") {
    WrittenDeployment box(kFree);
    const auto plan = box.file("a.plan");
    REQUIRE(box.run_with_input({"increment", "-", "--plan", plan}, "core:1\ncore:1\ncore:2\ncore:2\n").code == 0);
    box.set_window("core:1", "50", seconds_from_now(500));
    for (int attempt = 0; attempt < 2; ++attempt) {
        const auto result = box.run({"apply", plan, "-o", "ndjson"});
        INFO(words_of(result));
        CHECK(result.code == 9);
        const auto rows = key_rows(result);
        REQUIRE(rows.size() == 4);
        for (const auto& row : rows) {
            const bool changed = row.at("key") == "core:1";
            CHECK(row.at("status") == (changed ? "window-changed" : attempt == 0 ? "applied" : "already-applied"));
        }
        CHECK(box.stored("core:1") == "50");
        CHECK(box.stored("core:2") == "2");
    }
}

TEST_CASE("a dry run of keys that come again goes on from row to row") {
    WrittenDeployment box(kFree);
    const auto result = box.run_with_input({"increment", "-", "-n", "-o", "ndjson"}, "core:1\ncore:1\ncore:1\n");
    CHECK(result.code == 0);
    const auto rows = key_rows(result);
    REQUIRE(rows.size() == 3);
    for (int i = 0; i < 3; ++i) CHECK(rows[static_cast<std::size_t>(i)].at("after_used") == i + 1);
    CHECK(rows[1].at("reset_at") == rows[2].at("reset_at"));
    CHECK(box.halves() == "0");
}

TEST_CASE("halves and corrupt windows that a plan names go only as they were seen") {
    WrittenDeployment box(kFree);
    box.server().command({"SET", "core:half", "7"});
    box.server().command({"SET", "core:odd", "7"});
    box.server().command({"SET", "core:odd:exp", "soon"});
    box.server().command({"SET", "core:was", "7"});
    box.server().command({"SET", "core:was:exp", "soon"});
    const auto plan = box.file("a.plan");
    const auto made = box.run(
        {"reset", "--match", "core:*", "--state", "orphan-counter,corrupt", "--plan", plan, "--key-format", "raw"});
    INFO(words_of(made));
    REQUIRE(made.code == 0);
    box.server().command({"SET", "core:was:exp", "later"});
    const auto result = box.run({"apply", plan});
    INFO(words_of(result));
    CHECK(result.code == 9);
    CHECK(box.stored("core:half") == "(nil)");
    CHECK(box.stored("core:odd:exp") == "(nil)");
    CHECK(box.stored("core:was:exp") == "later");
}

TEST_CASE("applying asks as the commands do and keeps to the reasons they gave") {
    WrittenDeployment box("writes = \"confirm\"\nmax_keys = 2\nrequire_reason = true");
    for (const std::string key : {"core:1", "core:2", "core:3"}) box.set_window(key, "50", seconds_from_now(1000));
    const auto plan = box.file("a.plan");
    REQUIRE(box.run({"reset", "--match", "core:*", "--plan", plan}).code == 0);
    CHECK(box.run({"apply", plan, "-y", "--confirm", "box"}).code == 7);
    CHECK(box.run({"apply", plan, "-y", "--reason", "ticket"}).code == 7);
    CHECK(box.run({"apply", plan, "--reason", "ticket", "--confirm", "box", "--expect", "2"}).code == 7);
    CHECK(box.halves() == "6");
    CHECK(box.run({"apply", plan, "--reason", "ticket", "--confirm", "box", "--expect", "3"}).code == 0);
    CHECK(box.stored("core:1") == "(nil)");
    const auto reasoned = box.file("b.plan");
    REQUIRE(box.run({"increment", "core:9", "--reason", "because", "--plan", reasoned}).code == 0);
    CHECK(box.run({"apply", reasoned}).code == 0);
}

TEST_CASE("a plan that is torn or edited or for another deployment changes nothing") {
    WrittenDeployment box(kFree);
    for (const std::string key : {"core:1", "core:2", "core:3"}) box.set_window(key, "50", seconds_from_now(1000));
    const auto plan = box.file("a.plan");
    REQUIRE(box.run({"reset", "--match", "core:*", "--plan", plan}).code == 0);
    CHECK(box.run({"reset", "--match", "core:*", "--plan", plan}).code == 10);
    const auto whole = file_text(plan);
    const auto refuse = [&](const std::string& text) {
        std::ofstream(box.file("b.plan")) << text;
        const auto result = box.run({"apply", box.file("b.plan"), "-y"});
        INFO(words_of(result));
        CHECK(result.code == 7);
        CHECK(contains(result.err, "nothing was written"));
    };
    refuse(whole.substr(0, whole.size() / 2));
    const auto second = whole.find('\n') + 1;
    refuse(whole.substr(0, second) + whole.substr(whole.find('\n', second) + 1));
    auto other = whole;
    other.replace(other.find("\"box\""), 5, "\"out\"");
    refuse(other);
    RunOptions elsewhere;
    const auto result = run_ratectl({"apply", plan, "-u", box.server().endpoint().url()}, elsewhere);
    CHECK(result.code == 7);
    CHECK(contains(result.err, "-d box"));
    CHECK(box.halves() == "6");
}

TEST_CASE("a plan of many windows on several shards is resumed where an interruption left it") {
    WrittenDeployment box("writes = \"confirm\"", 3);
    const int windows = few_if_sanitized(12'000);
    std::string keys;
    for (int i = 0; i < windows; ++i) keys += "core:" + std::to_string(i) + "\n";
    REQUIRE(box.run_with_input({"increment", "-", "-y", "--confirm", "box", "-o", "name"}, keys).code == 0);
    const auto plan = box.file("a.plan");
    REQUIRE(box.run({"increment", "--match", "core:*", "--plan", plan, "-o", "name"}).code == 0);
    RunOptions stopped;
    stopped.signal_number = SIGINT;
    stopped.signal_after = std::chrono::milliseconds(is_binary_sanitized() ? 500 : 1500);
    const std::vector<std::string> apply{"apply", plan, "--confirm", "box", "--messages", "json", "-o", "ndjson"};
    const auto first = box.run(apply, stopped);
    INFO(first.err);
    CHECK((first.code == 130 || first.code == 0));
    const bool begun =
        !first.err.empty() && !contains(first.err, "nothing was written");  // else the plan was still read
    if (first.code == 130 && begun) {
        const auto summary = summary_of(first);
        CHECK(summary.at("applied").get<int>() + summary.at("not_attempted").get<int>() == windows);
    }
    const auto rest = box.run(apply);
    CHECK(rest.code == 0);
    const auto summary = summary_of(rest);
    INFO(summary.dump());
    CHECK(summary.at("applied").get<int>() + summary.at("already_applied").get<int>() == windows);
    const auto seen = box.run({"check", "--match", "core:*", "--min-used", "2", "--from", "primary", "-o", "name"});
    CHECK(std::count(seen.out.begin(), seen.out.end(), '\n') == windows);
    CHECK(box.run({"scan", "core:*", "--min-used", "3", "-o", "name"}).out.empty());
}

TEST_CASE("a plan whose amount is text or gone is refused and counts nothing") {
    for (const std::string amount : {"\"amount\":\"7\"", "\"amounts\":7", "\"amount\":null"}) {
        WrittenDeployment box(kFree);
        const auto plan = box.file("a.plan");
        REQUIRE(box.run({"increment", "core:1", "--amount", "7", "--plan", plan}).code == 0);
        forge(plan, "\"amount\":7", amount);
        const auto refused = box.run({"apply", plan});
        INFO(words_of(refused));
        CHECK(refused.code == 7);
        CHECK(contains(refused.err, "amount"));
        CHECK(box.halves() == "0");
    }
}

TEST_CASE("a plan whose guard is no number that counts is refused before a script has to") {
    WrittenDeployment box(kFree);
    box.set_window("core:1", "50", seconds_from_now(1000));
    const auto plan = box.file("a.plan");
    REQUIRE(box.run({"reset", "core:1", "--if-used-at-least", "5", "--plan", plan}).code == 0);
    forge(plan, "\"if_used_at_least\":5", "\"if_used_at_least\":-9223372036854775808");
    const auto refused = box.run({"apply", plan});
    CHECK(refused.code == 7);
    CHECK(contains(refused.err, "if_used_at_least"));
    CHECK(box.stored("core:1") == "50");
}

TEST_CASE("a planned change of a half keeps to the bytes that the plan saw") {
    for (const std::string command : {"reset", "increment"}) {
        WrittenDeployment box(kFree);
        box.server().command({"SET", "core:1", "5"});
        const auto plan = box.file("a.plan");
        REQUIRE(box.run({command, "core:1", "--plan", plan}).code == 0);
        box.server().command({"SET", "core:1", "6"});
        CHECK(box.run({"apply", plan}).code == 7);
        CHECK(box.stored("core:1") == "6");
        box.server().command({"SET", "core:1", "5"});
        CHECK(box.run({"apply", plan}).code == 0);
        CHECK(box.stored("core:1") != "5");
    }
}
