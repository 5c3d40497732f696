// nodes --capabilities against real servers with accounts and renamed commands.
#include <map>

#include "cli/written_deployment.h"
#include "sandbox/folder.h"
#include "support/catch.h"
#include "support/contains.h"
#include "support/json.h"
#include "support/redis_server.h"
#include "support/require.h"
#include "support/run_ratectl.h"

using namespace ratectl::test;
using nlohmann::json;

namespace {

using ByCommand = std::map<std::string, json>;

RunResult asked(const std::string& url, std::vector<std::string> words = {"-o", "ndjson"}) {
    RunOptions options;
    options.environment["SERVERS"] = url;
    words.insert(words.begin(), {"nodes", "--capabilities", "-u", "env:SERVERS"});
    return run_ratectl(words, options);
}

ByCommand trials_at(const std::string& url) {
    const auto result = asked(url);
    INFO(result.out << result.err);
    REQUIRE(result.code == 0);
    ByCommand rows;
    for (auto& row : parse_json_lines(result.out)) {
        const auto command = row.at("command").get<std::string>();
        rows.emplace(command, std::move(row));
    }
    return rows;
}

std::string outcome_of(const ByCommand& rows, const std::string& command) {
    INFO(command);
    REQUIRE(rows.contains(command));
    return rows.at(command).at("outcome");
}

}  // namespace

TEST_CASE("a server that allows everything is shown with its version and nothing that is lost") {
    RedisServer server;
    const auto rows = trials_at(server.endpoint().url());
    for (const std::string command :
         {"INFO",       "ROLE", "TIME",   "CLIENT SETNAME", "SELECT", "DBSIZE", "SCAN", "EVAL",  "EVALSHA", "EVAL_RO",
          "EVALSHA_RO", "WAIT", "CONFIG", "COMMAND",        "OBJECT", "SCRIPT", "HSET", "RPUSH", "ZADD",    "DEL"}) {
        CHECK(outcome_of(rows, command) == "allowed");
        CHECK(rows.at(command).at("without").is_null());
    }
    CHECK(outcome_of(rows, "DEBUG") == "forbidden");  // by enable-debug-command, unless it says yes
    CHECK(contains(rows.at("SCAN").at("server").get<std::string>(), "redis "));
    CHECK(server.command({"DBSIZE"}) == "0");
}

TEST_CASE("what an account may not run is forbidden and what was renamed is unknown and both say what is lost") {
    RedisServer server({"--rename-command", "WAIT", "", "--rename-command", "CONFIG", ""});
    server.command({"ACL", "SETUSER", "ann", "on", ">secret", "~core:*", "+@all", "-scan", "-client|setname", "-time"});
    const auto address = server.endpoint().address();
    const auto rows = trials_at("redis://ann:secret@" + address);
    for (const std::string command : {"SCAN", "CLIENT SETNAME", "TIME"})
        CHECK(outcome_of(rows, command) == "forbidden");
    for (const std::string command : {"WAIT", "CONFIG"}) CHECK(outcome_of(rows, command) == "unknown");
    CHECK(outcome_of(rows, "MGET") == "allowed");
    CHECK(contains(rows.at("SCAN").at("without").get<std::string>(), "no sweep"));
    CHECK(contains(rows.at("WAIT").at("without").get<std::string>(), "no --wait-replicas"));
    CHECK(contains(rows.at("CONFIG").at("without").get<std::string>(), "does not send it"));
    CHECK(contains(rows.at("SCAN").at("needed_for").get<std::string>(), "scan"));
    CHECK(server.command({"DBSIZE"}) == "0");
}

TEST_CASE("without transactions nothing is tried that would write") {
    RedisServer server({"--rename-command", "MULTI", ""});
    const auto rows = trials_at(server.endpoint().url());
    CHECK(outcome_of(rows, "MULTI") == "unknown");
    CHECK(outcome_of(rows, "SET") == "allowed");
    CHECK(outcome_of(rows, "RPUSH") == "not-sent");
    CHECK(contains(rows.at("RPUSH").at("without").get<std::string>(), "without MULTI it would be carried out"));
    CHECK(server.command({"DBSIZE"}) == "0");
}

TEST_CASE("a server that does not tell its version is tried with the commands of every version") {
    RedisServer server;
    server.command({"ACL", "SETUSER", "ann", "on", ">secret", "~*", "+@all", "-info", "-pexpiretime"});
    const auto url = "redis://ann:secret@" + server.endpoint().address();
    const auto rows = trials_at(url);
    CHECK(outcome_of(rows, "PEXPIRETIME") == "forbidden");
    CHECK(contains(rows.at("PEXPIRETIME").at("without").get<std::string>(), "no reset"));
    CHECK(outcome_of(rows, "EVAL_RO") == "allowed");
    RunOptions options;
    options.environment["SERVERS"] = url;
    const auto doctor = run_ratectl({"doctor", "-u", "env:SERVERS", "--key", "core:{client}"}, options);
    INFO(doctor.out << doctor.err);
    CHECK(contains(doctor.out, "pexpiretime"));
}

TEST_CASE("a node that does not answer is a row of its own and a failure") {
    RedisServer server;
    const auto url = server.endpoint().url();
    server.kill();
    const auto result = asked(url);
    INFO(result.out << result.err);
    CHECK(result.code == 4);
    const auto row = parse_json(result.out.substr(0, result.out.find('\n')));
    CHECK(row.at("outcome") == "failed");
    CHECK_FALSE(row.at("error").is_null());
    CHECK(asked(url, {"--probe"}).code == 2);
    CHECK(contains(asked(url, {"--columns", "help"}).out, "without"));
}

TEST_CASE("what an account may run is allowed whichever keys it is kept to and what it lacks is said as it is") {
    RedisServer server;
    server.command({"ACL", "SETUSER", "ann", "on", ">secret", "~core:*", "+@all", "-get", "-multi"});
    server.command({"ACL", "SETUSER", "bob", "on", ">secret", "~*", "+@all", "-get"});
    const auto ann = "redis://ann:secret@" + server.endpoint().address();
    const auto rows = trials_at(ann);
    for (const std::string command : {"EVAL", "EVALSHA", "EVAL_RO", "EVALSHA_RO"})
        CHECK(outcome_of(rows, command) == "allowed");
    CHECK(contains(rows.at("GET").at("without").get<std::string>(), "no change but with --no-op-key"));
    CHECK(contains(rows.at("MULTI").at("without").get<std::string>(), "--look light"));

    const auto run = [&server](const std::string& user, std::vector<std::string> words) {
        RunOptions options;
        options.environment["SERVERS"] = "redis://" + user + ":secret@" + server.endpoint().address();
        for (const char* word : {"-u", "env:SERVERS", "--key", "core:{client}", "--limit", "10", "--period", "1h"})
            words.emplace_back(word);
        return run_ratectl(words, options);
    };
    const auto full = run("ann", {"check", "core:a"});
    INFO(full.out << full.err);
    CHECK(full.code == 5);
    CHECK(contains(full.err, "--look light"));
    CHECK(run("ann", {"check", "core:a", "--look", "light"}).code == 0);
    const auto explained = run("ann", {"explain", "core:a"});
    INFO(explained.out << explained.err);
    CHECK_FALSE(contains(explained.out, "answers"));
    CHECK(contains(explained.out, "does not let this user run 'multi'"));
    CHECK(run("bob", {"increment", "core:a"}).code == 5);
    CHECK(run("bob", {"increment", "core:a", "--no-op-key"}).code == 0);
}

TEST_CASE("a sweep that may not look again at half a window says so") {
    RedisServer server;
    server.command({"RPUSH", "core:list", "x"});
    server.command({"SET", "core:list:exp", std::to_string(seconds_from_now(1000))});
    server.command({"ACL", "SETUSER", "ann", "on", ">secret", "~*", "+@all", "-pttl"});
    RunOptions options;
    options.environment["SERVERS"] = "redis://ann:secret@" + server.endpoint().address();
    const auto scanned = run_ratectl({"scan", "-u", "env:SERVERS", "--key", "core:{client}", "-o", "json"}, options);
    INFO(scanned.out << scanned.err);
    CHECK(scanned.code == 9);
    CHECK(contains(scanned.err, "does not let this user run 'pttl'"));
    const auto document = parse_json(scanned.out);
    CHECK(document.at("complete") == false);
    CHECK(document.at("rows").at(0).at("look") == "light");
}

TEST_CASE("undo says what it cannot know where the servers may not be swept") {
    RedisServer server;
    const auto end = seconds_from_now(1000);
    for (const auto& [key, value] : {std::pair{"core:a", std::string("5")}, {"core:a:exp", std::to_string(end)}})
        server.command({"SET", key, value, "EXAT", std::to_string(end + 1)});
    server.command({"ACL", "SETUSER", "ann", "on", ">secret", "~*", "+@all", "-scan"});
    RunOptions options;
    const auto folder = require(ratectl::sandbox::TemporaryFolder::make("/tmp", "ratectl-test"));
    options.environment["SERVERS"] = "redis://ann:secret@" + server.endpoint().address();
    options.environment["XDG_STATE_HOME"] = folder.path();
    const std::vector<std::string> where{"-u", "env:SERVERS", "--key", "core:{client}", "-y"};
    const auto run = [&](std::vector<std::string> words) {
        words.insert(words.end(), where.begin(), where.end());
        return run_ratectl(words, options);
    };
    CHECK(run({"reset", "core:a", "--op-id", "chosen"}).code == 0);
    const auto undone = run({"undo", "chosen"});
    INFO(undone.out << undone.err);
    CHECK(undone.code == 9);
    CHECK(server.command({"GET", "core:a"}) == "5");
    CHECK(contains(undone.err, "whether another machine has done more there under the id 'chosen' is not known"));
}
