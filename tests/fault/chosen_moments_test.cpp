// Commands that a signal meets at a chosen moment of their work: how they end, and what their rows and summary say.
#include <csignal>
#include <memory>
#include <set>

#include <fmt/format.h>

#include "fault/linked_deployment.h"
#include "support/built_programs.h"
#include "support/file_text.h"
#include "support/signaller.h"

namespace ratectl::test {
namespace {

using nlohmann::json;
using Moment = std::function<bool(const LinkRequest&)>;

/// The signal comes when the server has answered the first request of that kind, and the client does not know it yet.
RunResult run_stopped(LinkedDeployment& box, const std::vector<std::string>& arguments, Moment moment,
                      const std::string& input = {}) {
    const auto tool = std::make_shared<Signaller>();
    auto options = tool->options();
    options.input = input;
    box.proxy.choose([tool, moment = std::move(moment), met = false](const LinkRequest& request) mutable {
        LinkFault fault;
        if (met || !moment(request)) return fault;
        met = true;
        fault.at_reply = [tool] { tool->send(SIGTERM); };
        return fault;
    });
    auto result = box.run(arguments, options);
    box.proxy.choose({});
    return result;
}

std::string keys(int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += "core:" + std::to_string(i) + "\n";
    return text;
}

RunOptions piped(std::string input) {
    RunOptions options;
    options.input = std::move(input);
    return options;
}

bool is_write(const LinkRequest& request) { return request.write; }

// They ended with 143 and `stopped before the end`, though the document was complete.
TEST_CASE("a change that a signal comes too late for ends as if none had come") {
    LinkedDeployment box;
    box.set_window("core:3", "50");
    const std::vector<std::vector<std::string>> changes{{"increment", "-", "--op-id", "late", "--json"},
                                                        {"undo", "late", "--json"},
                                                        {"refund", "core:3", "--amount", "1", "--json"},
                                                        {"reset", "core:3", "--json"}};
    for (const auto& change : changes) {
        const auto result = run_stopped(box, change, is_write, keys(90));
        INFO(change.front() << result.err);
        CHECK(result.code == 0);
        CHECK_FALSE(contains(result.err, "stopped"));
        const auto document = parse_json(result.out);
        CHECK(document.at("complete") == true);
        CHECK(document.at("not_attempted") == 0);
        for (const auto& row : document.at("rows")) CHECK(row.at("status") == "applied");
    }
}

// What a sweep would have found is not known when it is stopped, whatever came of what it has found.
TEST_CASE("a change whose sweep is stopped is not done however little it has found") {
    LinkedDeployment box;
    box.set_window("core:3", "50");
    const auto result = run_stopped(box, {"reset", "--match", "core:*", "--json"},
                                    [](const LinkRequest& request) { return request.word == "SCAN"; });
    INFO(result.err);
    CHECK(result.code == 143);
    CHECK(contains(result.err, "stopped before the end"));
    CHECK(parse_json(result.out).at("complete") == false);
    CHECK(box.stored("core:3") == "50");
}

std::vector<json> rows_of(const RunResult& result) { return parse_json_lines(result.out); }

/// Every key has a row, in order, and the rows are what the summary counts.
void check_rows(const RunResult& result, std::size_t keys) {
    INFO(result.err);
    CHECK(result.code == 143);
    CHECK(contains(result.err, "stopped before the end"));
    CHECK_FALSE(contains(result.err, "only counted"));
    const auto rows = rows_of(result);
    REQUIRE(rows.size() == keys);
    std::size_t left = 0;
    for (std::size_t i = 0; i < keys; ++i) {
        CHECK(rows[i].at("key") == "core:" + std::to_string(i));
        const bool is_left = rows[i].at("status") == "not-attempted";
        if (!is_left) CHECK(rows[i].at("status") == "applied");
        left += is_left ? 1 : 0;
    }
    CHECK(left > keys / 2);
    CHECK(contains(result.err, fmt::format("{} applied, {} not-attempted", keys - left, left)));
}

// The summary counted what was not attempted, and had no rows of it but those of the chunk that was on its way.
TEST_CASE("every key that a stopped change knew has its row") {
    if (is_binary_sanitized()) return;  // a minute each
    constexpr int known = 24'000;       // some of them on disk
    LinkedDeployment box;
    check_rows(
        run_stopped(box, {"increment", "-", "-o", "ndjson", "--expect", std::to_string(known)}, is_write, keys(known)),
        known);
    constexpr int few = 5'000;
    REQUIRE(box.run({"increment", "-", "--plan", box.file("a.plan"), "-q"}, piped(keys(few))).code == 0);
    check_rows(run_stopped(box, {"apply", box.file("a.plan"), "-o", "ndjson"}, is_write), few);
    REQUIRE(box.run({"increment", "-", "-q", "--op-id", "all"}, piped(keys(few))).code == 0);
    check_rows(run_stopped(box, {"undo", "all", "-o", "ndjson"}, is_write), few);
}

// What it had not asked because of the signal was taken for an answer: the rows were `refused`, as if another server
// were there, with the advice to use --force, or `unknown`, as if an earlier undo might have done them.
TEST_CASE("rows of a stopped undo through another address are not attempted") {
    LinkedDeployment box;
    box.set_window("core:1", "5");
    const auto stopped_at = [&](const std::string& operation, int question) {
        const auto result =
            run_stopped(box, {"undo", operation, "--json"}, [question, met = 0](const LinkRequest& request) mutable {
                return request.word == "GET" && ++met == question;
            });
        INFO(operation << question << result.err);
        CHECK(result.code == 143);
        CHECK_FALSE(contains(result.err, "--force"));
        CHECK(only_row(result).at("status") == "not-attempted");
        CHECK_FALSE(only_row(result).contains("error"));
    };
    REQUIRE(box.run_directly({"increment", "core:1", "--amount", "3", "--op-id", "more"}).code == 0);
    stopped_at("more", 1);
    CHECK(box.stored("core:1") == "8");
    CHECK(only_row(box.run({"undo", "more", "--json"})).at("status") == "applied");

    REQUIRE(box.run_directly({"increment", "core:1", "--amount", "3", "--op-id", "again"}).code == 0);
    REQUIRE(box.run_directly({"undo", "again"}).code == 0);
    stopped_at("again", 2);
    CHECK(only_row(box.run({"undo", "again", "--json"})).at("status") == "already-applied");
    CHECK(box.stored("core:1") == "5");
}

// It said `500 windows are the same` of a sweep that was to compare all there are.
TEST_CASE("a comparison that is stopped says so and how far it came") {
    LinkedDeployment box;
    REQUIRE(box.run({"increment", "-", "-q"}, piped(keys(1200))).code == 0);
    const auto stopped_at = [&](std::uint64_t exchange) {
        std::uint64_t met = 0;
        const auto result = run_stopped(
            box, {"compare", "-", "-o", "ndjson"},
            [&met, exchange](const LinkRequest& request) { return request.word == "EXEC" && ++met == exchange; },
            keys(1200));
        INFO(result.err);
        CHECK(result.code == 143);
        CHECK_FALSE(contains(result.err, "1200 windows"));
        return result.err;
    };
    CHECK(contains(stopped_at(1), "stopped before the end; nothing was compared"));
    CHECK(contains(stopped_at(700), "stopped before the end; what was compared: 500 windows are the same on 1 node"));
}

std::vector<std::string> naming(std::vector<std::string> command, int keys, const std::vector<std::string>& flags) {
    command.reserve(command.size() + static_cast<std::size_t>(keys) + flags.size());
    for (int i = 0; i < keys; ++i) command.push_back("core:" + std::to_string(i));
    command.insert(command.end(), flags.begin(), flags.end());
    return command;
}

std::set<std::string> keys_of(const json& rows) {
    std::set<std::string> keys;
    for (const auto& row : rows) keys.insert(row.at("key"));
    return keys;
}

// Those that had not been read when the signal came were in no count, and others were said to be possible.
TEST_CASE("every key of the command line is accounted for when a look is stopped") {
    constexpr int named = 3000;
    LinkedDeployment box;
    for (const char* command : {"check", "explain", "compare", "headers"}) {
        std::uint64_t met = 0;
        const auto result =
            run_stopped(box, naming({command}, named, {"-o", "json"}),
                        [&met](const LinkRequest& request) { return request.word == "EXEC" && ++met == 80; });
        INFO(command << result.err);
        CHECK(result.code == 143);
        const auto document = parse_json(result.out);
        const auto left = document.at("not_attempted").get<std::size_t>();
        CHECK(keys_of(document.at("rows")).size() + left == named);
        CHECK(left > named / 2);
        CHECK(document.at("complete") == false);
        CHECK(contains(result.err, fmt::format("stopped: {} named keys were not looked at", left)));
        CHECK_FALSE(contains(result.err, "would have come"));
    }
    CHECK_FALSE(parse_json(box.run({"check", "core:1", "-o", "json"}).out).contains("not_attempted"));
}

TEST_CASE("every key of the command line has its row when a change is stopped") {
    constexpr int named = 3000;
    LinkedDeployment box;
    const auto check = [&](const std::vector<std::string>& flags, const Moment& moment) {
        const auto result = run_stopped(box, naming({"increment"}, named, flags), moment);
        INFO(result.err);
        CHECK(result.code == 143);
        CHECK_FALSE(contains(result.err, "would have come"));
        const auto document = parse_json(result.out);
        CHECK(keys_of(document.at("rows")).size() == named);
        std::size_t left = 0;
        for (const auto& row : document.at("rows")) left += row.at("status") == "not-attempted" ? 1 : 0;
        CHECK(document.at("not_attempted") == left);
        CHECK(left > 0);
    };
    check({"-o", "json"}, is_write);
    check({"-o", "json", "--state", "absent"}, [](const LinkRequest& request) { return request.word == "EXEC"; });
}

// The slower of them said `other-operation` of what the other one had taken back, where that was asked in other words.
TEST_CASE("two undos of one operation at the same time say of every window that it is taken back once") {
    for (const std::vector<std::string>& faster : {std::vector<std::string>{"undo", "gone"},
                                                   {"undo", "gone", "--merge"},
                                                   {"undo", "gone", "--op-id", "another"}}) {
        for (const bool is_elsewhere : {false, true}) {
            LinkedDeployment box;
            for (const std::string client : {"a", "b", "c"}) box.set_window("core:" + client, "5");
            REQUIRE(box.run({"reset", "core:a", "core:b", "core:c", "--op-id", "gone"}).code == 0);
            RunOptions options;
            if (is_elsewhere) options.environment["XDG_STATE_HOME"] = box.file("elsewhere");
            box.at_next_write([&] { CHECK(box.run_directly(faster, options).code == 0); });
            const auto slower = box.run({"undo", "gone", "-o", "json"});
            INFO(faster.back() << slower.err << slower.out);
            CHECK(slower.code == 0);
            for (const auto& row : parse_json(slower.out).at("rows")) {
                CHECK(row.at("status") == "already-applied");
                CHECK(row.at("reason") == "already-undone");
                CHECK(row.at("after").at("used") == "5");
            }
            for (const std::string client : {"a", "b", "c"}) CHECK(box.stored("core:" + client) == "5");
            CHECK(parse_json(box.run({"history", "gone-undo", "-o", "json"}).out).at("rows").size() == 3);
        }
    }
}

TEST_CASE("what another undo was not allowed to take back meanwhile is taken back") {
    LinkedDeployment box;
    for (const std::string client : {"a", "b", "c"}) box.set_window("core:" + client, "5");
    REQUIRE(box.run({"reset", "core:a", "core:b", "core:c", "--op-id", "gone"}).code == 0);
    auto narrow = file_text(box.file("direct.toml"));
    narrow.insert(narrow.find("writes"), "protect = [\"core:b\"]\n");
    std::ofstream(box.file("narrow.toml")) << narrow;
    box.at_next_write([&] { CHECK(run_ratectl({"undo", "gone"}, box.options_for("narrow.toml")).code == 9); });
    const auto slower = box.run({"undo", "gone", "-o", "json"});
    INFO(slower.err << slower.out);
    CHECK(slower.code == 0);
    const auto rows = parse_json(slower.out).at("rows");
    CHECK(rows.at(0).at("reason") == "already-undone");
    CHECK(rows.at(1).at("status") == "applied");
    CHECK(rows.at(2).at("reason") == "already-undone");
    for (const std::string client : {"a", "b", "c"}) CHECK(box.stored("core:" + client) == "5");
}

}  // namespace
}  // namespace ratectl::test
