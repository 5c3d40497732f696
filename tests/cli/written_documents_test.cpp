// The document of a command that ended before its rows, or among them: it stands on standard output all the same.
#include <algorithm>
#include <csignal>
#include <fstream>

#include "cli/printed_rows.h"
#include "cli/reshard_box.h"
#include "cli/written_deployment.h"
#include "support/catch.h"
#include "support/json.h"

using namespace ratectl::test;
using nlohmann::json;

namespace {

/// No row, not complete, and the error as standard error has it.
void check_ended(const RunResult& result, int code) {
    INFO(result.out << result.err);
    CHECK(result.code == code);
    const auto document = parse_json(result.out);
    REQUIRE(document.is_object());
    CHECK(document.at("rows").empty());
    CHECK(document.at("complete") == false);
    REQUIRE(document.at("failures").size() == 1);
    const auto& failure = document.at("failures").at(0);
    CHECK(failure.at("code") == code);
    CHECK(failure.at("node").is_null());
    CHECK(contains(result.err, failure.at("message").get<std::string>()));
}

struct CautiousBox : WrittenDeployment {
    explicit CautiousBox(const std::string& settings = "writes = \"confirm\"") : WrittenDeployment(settings) {
        for (const auto* key : {"core:1", "core:2", "core:3"}) set_window(key, "50", seconds_from_now(1000));
    }
    RunResult document(std::vector<std::string> arguments, RunOptions options = {}) {
        arguments.insert(arguments.end(), {"-o", "json"});
        return run(arguments, std::move(options));
    }
};

}  // namespace

// A script that reads standard output as JSON got nothing at all.
TEST_CASE("what a guard ends before its rows has a document that says so") {
    CautiousBox box;
    REQUIRE(box.run({"increment", "core:1", "--op-id", "used"}).code == 0);
    const std::vector<std::vector<std::string>> refused{{"increment", "core:2", "--op-id", "used"},
                                                        {"refund", "core:1", "--amount", "1", "--op-id", "used"},
                                                        {"reset", "core:1", "--op-id", "used"},
                                                        {"increment", "core:1", "core:2"},
                                                        {"refund", "core:1", "core:2", "--amount", "1"},
                                                        {"reset", "--match", "core:*"},
                                                        {"reset", "--all", "-y"},
                                                        {"reset", "--match", "*", "-y"},
                                                        {"reset", "core:1", "core:2", "-y", "--max-keys", "1"},
                                                        {"reset", "core:1", "--expect", "2"},
                                                        {"reset", "core:1", "--confirm", "other"},
                                                        {"increment", "core:1", "--read-only"},
                                                        {"undo", "used", "--read-only"},
                                                        {"undo", "used-undo"}};
    REQUIRE(box.run({"increment", "core:3", "--op-id", "back"}).code == 0);
    REQUIRE(box.run({"undo", "back", "--op-id", "used-undo"}).code == 0);
    for (const auto& arguments : refused) check_ended(box.document(arguments), 7);
    check_ended(box.document({"undo", "unheard-of"}), 1);
    check_ended(box.document({"apply", box.file("no.plan")}), 10);
    check_ended(box.document({"increment", "core:1", "--journal", "/dev/null/journal.db"}), 10);
    check_ended(box.document({"increment", "core:1", "-c", "/dev/null/none.toml"}), 3);
    RunOptions from_environment;
    from_environment.environment["RATECTL_READ_ONLY"] = "1";
    from_environment.environment["RATECTL_OUTPUT"] = "json";
    check_ended(box.run({"reset", "core:1"}, from_environment), 7);
    CHECK(box.stored("core:1") == "51");
    CHECK(box.run({"increment", "core:1", "--read-only", "-o", "ndjson"}).out.empty());
}

TEST_CASE("every command that writes has a document of what ended it") {
    CautiousBox denied("writes = \"deny\"");
    std::ofstream(denied.file("log")) << "1 - - [17/May/2015:10:00:00 +0000] \"GET / HTTP/1.1\" 200 5 \"-\" \"-\"\n";
    const std::vector<std::vector<std::string>> refused{
        {"increment", "core:1"},
        {"replay", denied.file("log"), "--policy", "core", "--time", "now"},
        {"doctor", "--fix", "leaked"}};
    for (const auto& arguments : refused) check_ended(denied.document(arguments), 7);
    CautiousBox reasoned("writes = \"allow\"\nrequire_reason = true");
    check_ended(reasoned.document({"reset", "core:1"}), 7);
    ReshardBox moved("writes = \"confirm\"");
    moved.fill(60, seconds_from_now(2000));
    check_ended(moved.apply({"-o", "json"}), 7);
    check_ended(moved.apply({"-o", "json", "-y", "--read-only"}), 7);
}

TEST_CASE("a wrong command line has no document") {
    CautiousBox box;
    CHECK(box.document({"increment", "core:1", "--amount", "many"}).out.empty());
    CHECK(box.run({"increment", "core:1", "-o", "jsn"}).out.empty());
}

// The document began, and never ended.
TEST_CASE("a document of rows that were all refused ends where the input breaks off") {
    CautiousBox box("writes = \"allow\"\nprotect = [\"core:1\"]");
    const std::string rows = "{\"key\":\"core:1\"}\n{broken\n";
    const auto result = box.run_with_input({"increment", "-", "--input", "ndjson", "-o", "json"}, rows);
    INFO(result.out << result.err);
    CHECK(result.code == 10);
    const auto document = parse_json(result.out);
    CHECK(document.at("rows").size() == 1);
    CHECK(document.at("complete") == false);
    REQUIRE(document.at("failures").size() == 2);
    CHECK(document.at("failures").at(0).at("code") == 7);
    CHECK(document.at("failures").at(1).at("code") == 10);
    const auto table = box.run_with_input({"increment", "-", "--input", "ndjson"}, rows);
    CHECK(contains(table.out, "protected"));
}

// They stood in the summary alone.
TEST_CASE("a document counts what an interrupted change has not tried") {
    CautiousBox box;
    RunOptions options;
    for (int i = 0; i < 40; ++i) options.input += "core:new" + std::to_string(i) + "\n";
    options.close_input = false;
    options.signal_number = SIGINT;
    options.signal_once_caught = true;
    options.signal_after = std::chrono::milliseconds(700);
    const auto result =
        box.document({"increment", "-", "-y", "--confirm", "box", "--op-id", "waits", "--messages", "json"}, options);
    INFO(result.out << result.err);
    CHECK(result.code == 130);
    const auto document = parse_json(result.out);
    CHECK(document.at("complete") == false);
    CHECK(document.at("not_attempted") == 40);
    CHECK(summary_of(result).at("not_attempted") == 40);
    CHECK(contains(result.err, "how many more keys would have come is unknown"));
    const auto whole = parse_json(box.document({"increment", "core:1"}).out);
    CHECK(whole.at("not_attempted") == 0);
    CHECK(whole.at("complete") == true);
}

TEST_CASE("rows and counts of an interrupted document add up to the plan") {
    CautiousBox box;
    RunOptions options;
    for (int i = 0; i < 30'000; ++i) options.input += "core:new" + std::to_string(i) + "\n";
    options.signal_number = SIGINT;
    options.signal_once_caught = true;
    options.signal_after = std::chrono::milliseconds(400);
    const auto result =
        box.document({"increment", "-", "-y", "--confirm", "box", "--expect", "30000", "--messages", "json"}, options);
    const auto document = parse_json(result.out);
    if (result.code == 130 && !document.contains("not_attempted")) return check_ended(result, 130);  // it still read
    const auto summary = summary_of(result);
    const auto listed = [&](const char* status) {
        return std::ranges::count_if(document.at("rows"), [&](const json& row) { return row.at("status") == status; });
    };
    CHECK(document.at("complete") == (result.code == 0));
    CHECK(document.at("not_attempted") == summary.at("not_attempted"));
    CHECK(listed("applied") == summary.at("applied"));
    CHECK(listed("not-attempted") <= summary.at("not_attempted"));
    // What was still to be read is not counted, and that is said.
    const int counted = summary.at("applied").get<int>() + summary.at("not_attempted").get<int>();
    CHECK(counted <= 30'000);
    if (counted < 30'000) CHECK(contains(result.err, "they are not counted"));
}
