// Who did what: rows of the journal, what the servers still know, and what became of commands that were killed.
#include <filesystem>
#include <thread>

#include "cli/recorded_box.h"
#include "support/fault_proxy.h"

using namespace ratectl::test;

namespace {

/// The same deployment behind a link that loses what the test wants it to lose.
struct LossyBox : RecordedBox {
    LossyBox() : link(server().endpoint()) {
        std::ofstream(file("link.toml"))
            << "[deployments.box]\nkind = \"shards\"\nwrites = \"allow\"\ntimeout = \"3s\"\n"
               "[[deployments.box.shards]]\nname = \"alpha\"\nprimary = \""
            << link.endpoint().url() << "\"\n";
    }
    /// Runs it behind the link and kills it while the fault holds its write up.
    void kill_in_mid_write(std::vector<std::string> arguments, FaultMode mode) {
        set_window("core:warm", "1", seconds_from_now(1000));
        REQUIRE(run({"reset", "core:warm", "-c", file("link.toml")}).code == 0);  // the script is known from now on
        link.hit_writes({mode, std::chrono::seconds(20)});
        const auto before = link.counts().writes;
        RunOptions options;
        options.signal_number = 9;
        options.signal_after = std::chrono::milliseconds(1500);
        arguments.insert(arguments.end(), {"-c", file("link.toml")});
        CHECK(run(arguments, options).signal == 9);
        REQUIRE(link.counts().writes == before + 1);
        link.choose({});
    }
    nlohmann::json row_of(const std::string& op) { return rows({"history", op, "-c", file("link.toml")}).at(0); }
    FaultProxy link;
};

}  // namespace

TEST_CASE("history tells who did what with which windows and why") {
    RecordedBox box;
    const auto end = seconds_from_now(1000);
    for (const std::string key : {"core:1", "core:2"}) box.set_window(key, "7", end);
    REQUIRE(box.run({"reset", "core:1", "core:2", "--reason", "ticket 12"}).code == 0);
    const auto rows = box.rows({"history"});
    REQUIRE(rows.size() == 2);
    CHECK(rows[1].at("op") == box.newest() + "/2");
    CHECK(rows[1].at("command") == "reset");
    CHECK(rows[1].at("deployment") == "box");
    CHECK(rows[1].at("shard") == "alpha");
    CHECK(rows[1].at("node") == box.server().endpoint().address());
    CHECK(rows[1].at("run_id").get<std::string>().size() == 40);
    CHECK(rows[1].at("key") == "core:2");
    CHECK(rows[1].at("amount").is_null());
    CHECK(rows[1].at("before_used") == 7);
    CHECK(rows[1].at("before_reset_at") == end);
    CHECK(rows[1].at("after_used").is_null());
    CHECK(rows[1].at("status") == "applied");
    CHECK(rows[1].at("source") == "journal");
    CHECK(rows[1].at("reason_text") == "ticket 12");
    CHECK_FALSE(rows[1].at("actor").get<std::string>().empty());
    CHECK_FALSE(rows[1].at("host").get<std::string>().empty());
    CHECK(contains(box.run({"history"}).out, "ticket 12"));
}

TEST_CASE("history narrows by key operation row time and number and needs no configuration") {
    RecordedBox box;
    for (const std::string key : {"core:1", "core:2"}) box.set_window(key, "7", seconds_from_now(1000));
    const auto first = box.change({"increment", "core:1", "core:2"});
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    const auto second = box.change({"refund", "core:1", "--amount", "2"});
    const auto count = [&](std::vector<std::string> arguments, int code = 0) {
        arguments.insert(arguments.begin(), "history");
        return box.rows(arguments, code).size();
    };
    CHECK(count({}) == 3);
    CHECK(count({"core:1"}) == 2);
    CHECK(count({"core:2"}) == 1);
    CHECK(count({"core:1", "core:2"}) == 3);
    CHECK(count({"core:3"}, 1) == 0);
    CHECK(count({first}) == 2);
    CHECK(count({first, second}) == 3);
    CHECK(count({first + "/2"}) == 1);
    CHECK(count({"core:1", "--op", first}) == 1);
    CHECK(count({"--last", "1"}) == 1);
    CHECK(count({"core:1", "core:2", "--last", "2"}) == 2);
    CHECK(count({"--since", "-1h"}) == 3);
    CHECK(count({"--since", "+1h"}) == 0);
    CHECK(count({"--until", "now"}) == 3);
    CHECK(count({"--until", "-1h"}) == 0);
    CHECK(count({"-d", "box"}) == 3);
    RunOptions bare;
    bare.environment["XDG_STATE_HOME"] = box.file("state");
    const auto without = run_ratectl({"history", "core:1", "-o", "csv", "--columns", "command", "--no-header"}, bare);
    CHECK(without.code == 0);
    CHECK(without.out == "increment\nrefund\n");
    CHECK(box.run({"history", "--last", "x"}).code == 2);
    CHECK(box.run({"history", "--op", "a b"}).code == 2);
    CHECK(box.run({"history", "core:1", first}).code == 2);
}

TEST_CASE("the last rows of a key are the newest ones and the newest comes last") {
    RecordedBox box;
    std::string log;
    for (int i = 0; i < 5; ++i)
        log += "ann - - [17/May/2015:01:00:0" + std::to_string(i) + " +0000] \"GET / HTTP/1.1\" 200 5\n";
    REQUIRE(box.run_with_input({"replay", "-", "--policy", "core", "--time", "now"}, log).code == 0);
    const auto replay = box.newest();
    // It was the first steps of the newest operation that were shown: none -> 1, 1 -> 2.
    const auto steps = [&](std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), {"history", "-o", "csv", "--columns", "after_used", "--no-header"});
        return box.run(arguments).out;
    };
    CHECK(steps({"core:ann", "--last", "2"}) == "4\n5\n");
    CHECK(steps({"--last", "1"}) == "5\n");
    CHECK(steps({"--last", "0"}).empty());
    CHECK(steps({replay, "--last", "1"}) == "5\n");
    CHECK(steps({"--on-servers", "--last", "1"}) == "5\n");
    const auto refund = box.change({"refund", "core:ann", "--amount", "2"});
    CHECK(steps({"core:ann", "--last", "2"}) == "5\n3\n");
    CHECK(steps({}) == "1\n2\n3\n4\n5\n3\n");
    const auto told = box.run({"explain", "core:ann"}).out;
    CHECK(contains(told, "From this machine: 5 -> 3 by refund " + refund + ", run by "));
    CHECK(contains(told, "From this machine: none -> 5 in 5 steps by replay " + replay + ", run by "));
}

// It ended with 0 and said that the journal had nothing.
TEST_CASE("no rows at all are no number of rows") {
    RecordedBox box;
    box.change({"increment", "core:1"});
    for (const std::vector<std::string>& none : {std::vector<std::string>{"history", "--last", "0"},
                                                 {"history", "--last", "few"},
                                                 {"scan", "--first", "0"},
                                                 {"scan", "--top", "0"}}) {
        const auto refused = box.run(none);
        INFO(refused.err);
        CHECK(refused.code == 2);
        CHECK(contains(refused.err, none[1] + " '" + none[2] + "' is not a number of "));
        CHECK(contains(refused.err, "for example " + none[1] + " 10"));
    }
}

TEST_CASE("history narrows to a client and to a pattern") {
    RecordedBox box;
    for (const std::string key : {"core:1", "core:12", "core:2"}) box.set_window(key, "7", seconds_from_now(1000));
    REQUIRE(box.run({"reset", "core:1", "core:12", "core:2"}).code == 0);
    CHECK(box.rows({"history", "--client", "1"}).size() == 1);
    CHECK(box.rows({"history", "--client", "1", "--client", "2"}).size() == 2);
    CHECK(box.rows({"history", "--client", "1", "core:2"}).size() == 2);
    CHECK(box.rows({"history", "--match", "core:1*"}).size() == 2);
    CHECK(box.rows({"history", "--match", "core:1*", "--last", "1"}).at(0).at("key") == "core:12");
    CHECK(box.rows({"history", "--on-servers", "--client", "12"}).size() == 1);
    CHECK(box.rows({"history", box.newest(), "--match", "*2"}).size() == 2);
    CHECK(contains(box.run({"history", "--client", "3"}).err, "has no change of client '3'"));
    CHECK(box.run({"history", "--client", "1", "--match", "core:*"}).code == 2);
    CHECK(box.run({"history", "core:1", "--match", "core:*"}).code == 2);
    RunOptions bare;
    bare.environment["XDG_STATE_HOME"] = box.file("state");
    const auto lost = run_ratectl({"history", "--client", "1"}, bare);
    CHECK(lost.code == 3);
    CHECK(contains(lost.err, "no policy says so"));
}

TEST_CASE("an operation that nobody knows is said so and near ones are named") {
    RecordedBox box;
    box.set_window("core:1", "7", seconds_from_now(1000));
    const auto op = box.change({"reset", "core:1"});
    const auto half = box.run({"history", op.substr(0, 10)});
    CHECK(half.code == 1);
    CHECK(contains(half.err, "did you mean " + op));
    CHECK(box.run({"history", "01ARZ3NDEKTSV4RRFFQ69G5FAV"}).code == 1);
    CHECK(box.run({"history", "--op", "nothing-like-it"}).code == 1);
    CHECK(box.run({"history", op + "/2"}).code == 1);
}

// `history nosuchop` said 0 and `history --op nosuchop` 1.
TEST_CASE("what is named and not in the history is said so and ends with one") {
    RecordedBox box;
    const auto check_missing = [&](std::vector<std::string> arguments, const std::string& sentence) {
        arguments.insert(arguments.begin(), "history");
        const auto result = box.run(arguments);
        INFO(result.err << result.out);
        CHECK(result.code == 1);
        CHECK(contains(result.err, sentence));
    };
    check_missing({"nosuchop"}, "so it has neither an operation 'nosuchop' nor a change of such a key");
    box.set_window("core:1", "7", seconds_from_now(1000));
    const auto op = box.change({"increment", "core:1"});
    check_missing({"nosuchop"}, "has neither an operation 'nosuchop' nor a change of such a key");
    check_missing({"--op", "nosuchop"}, "there is no operation 'nosuchop'");
    check_missing({"core:2"}, "has no change of key 'core:2'");
    check_missing({"core:1", "core:2"}, "has no change of key 'core:2'");
    check_missing({"core:1", "--since", "+1h"}, "has no such change of key 'core:1'");
    check_missing({"core:2", "--op", op}, "has no such change of key 'core:2'");
    check_missing({"--client", "2"}, "has no change of client '2'");
    check_missing({"core:2", "--on-servers"}, "the servers' operation keys have no change of key 'core:2'");
    CHECK(box.run({"history", "--since", "+1h"}).code == 0);
    CHECK(box.run({"history", "core:1", "core:2", "--last", "1"}).code == 0);
}

TEST_CASE("history that finds nothing says where it looked") {
    RecordedBox box;
    const auto empty = box.run({"history"});
    CHECK(empty.code == 0);
    CHECK(empty.out.empty());
    CHECK(contains(empty.err, "has nothing\n"));
    CHECK(contains(empty.err, "history --on-servers"));
    CHECK(contains(box.run({"history", "--match", "core:1*"}).err, "has nothing of that"));
    CHECK(contains(box.run({"history", "--on-servers"}).err, "the servers have nothing among their operation keys"));
    CHECK(box.run({"history", "-q"}).err.empty());
}

TEST_CASE("the servers know what other machines did") {
    RecordedBox box("writes = \"allow\"", 2);
    std::vector<std::string> reset = {"reset", "--reason", "ticket 9"};
    for (int i = 0; i < 10; ++i) {
        reset.push_back(RecordedBox::spread_key(i));
        REQUIRE(box.run({"increment", reset.back()}).code == 0);
    }
    const auto op = box.change(reset);
    const auto rows = box.rows({"history", op}, 0, box.elsewhere());
    REQUIRE(rows.size() == 10);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        CHECK(rows[i].at("op") == op);  // the number of a row is what the writer counted, and servers do not keep it
        CHECK(rows[i].at("source") == "server");
        CHECK(rows[i].at("status") == "applied");
        CHECK(rows[i].at("before_used") == 1);
        CHECK(rows[i].at("reason_text") == "ticket 9");
    }
    CHECK(box.rows({"history", "--on-servers"}, 0, box.elsewhere()).size() == 20);
    CHECK(box.rows({"history", "--on-servers", RecordedBox::spread_key(3)}, 0, box.elsewhere()).size() == 2);
    for (const std::vector<std::string>& row : {std::vector<std::string>{"history", "--on-servers", op + "/3"},
                                                {"history", op + "/3"},
                                                {"history", "--on-servers", "--op", op + "/3"}}) {
        CHECK(box.rows(row, 7, box.elsewhere()).empty());
    }
    REQUIRE(box.run({"undo", op}).code == 0);
    const auto undone = box.rows({"history", op + "-undo"}, 0, box.elsewhere());
    REQUIRE(undone.size() == 10);
    CHECK(undone[0].at("command") == "undo");
    CHECK(undone[0].at("undoes") == op);
}

// As an argument it was taken for a key, unless it looked as if ratectl had made it.
TEST_CASE("an operation whose id was chosen is found on the servers by its name alone") {
    RecordedBox box;
    box.change({"increment", "core:1", "--op-id", "inc1"});
    box.change({"increment", "core:2", "--op-id", "inc2"});
    const auto asked = [&](std::vector<std::string> subjects, int code = 0) {
        subjects.insert(subjects.begin(), {"history", "--on-servers"});
        return box.rows(subjects, code, box.elsewhere());
    };
    CHECK(asked({"inc1"}).at(0).at("key") == "core:1");
    CHECK(asked({"inc1", "inc2"}).size() == 2);
    CHECK(asked({"inc1/1"}, 7).empty());
    CHECK(asked({"core:2"}).at(0).at("op") == "inc2");
    CHECK(asked({"inc3"}, 1).empty());
    CHECK(asked({"inc1", "core:2"}, 2).empty());
    const auto refused = box.run({"increment", "core:3", "--op-id", "inc1"}, box.elsewhere());
    CHECK(refused.code == 7);
    CHECK(contains(refused.err, "`ratectl history --on-servers inc1` tells which"));
    const auto here = box.run({"refund", "core:1", "--amount", "1", "--op-id", "inc1"});
    CHECK(contains(here.err, "`ratectl history inc1` tells which"));
}

// It said that the servers did not know it, and had not asked: the journal had its undo, whose name is like it.
TEST_CASE("the servers are asked for an operation before it is said that they do not know it") {
    RecordedBox box("writes = \"allow\"", 2);
    box.change({"increment", "core:1", "--op-id", "HH"});
    CHECK(box.rows({"history", "HH"}, 0, box.elsewhere()).at(0).at("key") == "core:1");  // no journal yet
    REQUIRE(box.run({"undo", "HH"}, box.elsewhere()).code == 0);
    const auto rows = box.rows({"history", "HH"}, 0, box.elsewhere());
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].at("op") == "HH");
    CHECK(rows[0].at("source") == "server");
    CHECK(box.rows({"history", "HH", "HH-undo"}, 0, box.elsewhere()).size() == 2);
    const auto unknown = box.run({"history", "H"}, box.elsewhere());
    CHECK(unknown.code == 1);
    box.change({"increment", "plain", "--period", "1h"});
    CHECK(box.rows({"history", "plain"}).at(0).at("key") == "plain");
    box.server(1).kill();
    const auto dead = box.run({"history", "HI"}, box.elsewhere());
    CHECK(dead.code == 9);
}

TEST_CASE("a dead shard leaves the others' operations and a failure") {
    RecordedBox box("writes = \"allow\"", 2);
    for (int i = 0; i < 10; ++i) REQUIRE(box.run({"increment", RecordedBox::spread_key(i)}).code == 0);
    box.server(1).kill();
    const auto rows = box.rows({"history", "--on-servers"}, 9);
    CHECK_FALSE(rows.empty());
    CHECK(rows.size() < 10);
}

TEST_CASE("a change whose command was killed after it was done is found on the server and undone") {
    LossyBox box;
    box.set_window("core:1", "7", seconds_from_now(1000));
    box.kill_in_mid_write({"reset", "core:1", "--op-id", "killed"}, FaultMode::delay_reply);
    CHECK(box.halves() == "0");
    const auto open = box.rows({"history", "--last", "1"}).at(0);
    CHECK(open.at("status") == "no-outcome");
    CHECK(box.rows({"history", "core:1"}).back().at("status") == "no-outcome");
    const auto found = box.row_of("killed");
    CHECK(found.at("status") == "applied");
    CHECK(found.at("source") == "server");
    CHECK(found.at("before_used") == 7);
    // From now on the journal knows by itself.
    box.server().command({"DEL", "ratectl:op:killed.1"});
    CHECK(box.row_of("killed").at("status") == "applied");
    CHECK(box.row_of("killed").at("source") == "journal");
    CHECK(box.rows({"undo", "killed", "-c", box.file("link.toml")}).at(0).at("status") == "applied");
    CHECK(box.used("core:1") == "7");
}

TEST_CASE("a change whose command was killed before it was done is known not to be applied") {
    LossyBox box;
    box.set_window("core:1", "7", seconds_from_now(1000));
    box.kill_in_mid_write({"reset", "core:1", "--op-id", "killed"}, FaultMode::delay_request);
    // The request may still arrive and be carried out; only the deadline that it carries ends that.
    CHECK(box.row_of("killed").at("status") == "unknown");
    CHECK(box.rows({"undo", "killed", "-c", box.file("link.toml")}, 7).at(0).at("reason") == "outcome-unknown");
    std::this_thread::sleep_for(std::chrono::milliseconds(3500));
    CHECK(box.row_of("killed").at("status") == "not-applied");
    CHECK(box.row_of("killed").at("source") == "server");
    const auto undone = box.rows({"undo", "killed", "-c", box.file("link.toml")}, 1);
    CHECK(undone.at(0).at("status") == "skipped");
    CHECK(undone.at(0).at("reason") == "not-applied");
    CHECK(box.used("core:1") == "7");
}

TEST_CASE("without operation keys nobody can tell what became of a killed command") {
    LossyBox box;
    box.set_window("core:1", "7", seconds_from_now(1000));
    box.kill_in_mid_write({"reset", "core:1", "--op-id", "killed", "--no-op-key"}, FaultMode::delay_reply);
    std::this_thread::sleep_for(std::chrono::milliseconds(3500));
    CHECK(box.row_of("killed").at("status") == "unknown");
    CHECK(box.rows({"undo", "killed", "-c", box.file("link.toml")}, 7).at(0).at("reason") == "outcome-unknown");
}

TEST_CASE("without a configuration an open change is shown as open with a hint") {
    LossyBox box;
    box.set_window("core:1", "7", seconds_from_now(1000));
    box.kill_in_mid_write({"reset", "core:1", "--op-id", "killed"}, FaultMode::delay_reply);
    RunOptions bare;
    bare.environment["XDG_STATE_HOME"] = box.file("state");
    const auto result = run_ratectl({"history", "killed", "-o", "csv", "--columns", "status", "--no-header"}, bare);
    CHECK(result.code == 0);
    CHECK(result.out == "no-outcome\n");
    CHECK(contains(result.err, "servers were not asked"));
}

TEST_CASE("keys of any bytes are found again and shown safely") {
    RecordedBox box;
    const std::string key = "core:\x1b[31m\xFF";
    REQUIRE(box.run({"increment", key}).code == 0);
    const auto rows = box.rows({"history", key});
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].contains("key_b64"));
    CHECK(box.run({"history"}).out.find('\x1b') == std::string::npos);
    CHECK(box.rows({"history", "core:\\x1b[31m\\xff", "--key-format", "escaped"}).size() == 1);
}

TEST_CASE("asking for history makes no journal where there is none and says so") {
    RecordedBox box;
    const std::string path = box.file("nowhere.db");
    for (const auto& subject : {"core:1", "01KAAAAAAAAAAAAAAAAAAAAAAA"}) {
        const auto result = box.run({"history", subject, "--journal", path});
        INFO(result.err);
        CHECK(result.out.find("core:") == std::string::npos);
        CHECK(contains(result.err, "journal"));
        CHECK_FALSE(std::filesystem::exists(path));
    }
    CHECK(contains(box.run({"history", "--journal", path}).err, "there is no journal '" + path + "'"));
}

// Only the journal of the machine that took it back told of that.
TEST_CASE("history of an operation says what another machine has taken back of it") {
    RecordedBox box;
    box.set_window("core:1", "10", seconds_from_now(1000));
    box.set_window("core:2", "10", seconds_from_now(1000));
    RunOptions third = box.elsewhere();
    third.environment["XDG_STATE_HOME"] = box.file("third");
    const auto undone_by = [&](const std::string& id, const RunOptions& options, std::vector<std::string> more = {}) {
        more.insert(more.begin(), {"history", id});
        std::vector<nlohmann::json> by;
        for (const auto& row : box.rows(more, 0, options)) by.push_back(row.at("undone_by"));
        return by;
    };
    REQUIRE(box.run({"reset", "core:1", "core:2", "--op-id", "mine"}).code == 0);
    CHECK(undone_by("mine", {}) == std::vector<nlohmann::json>{nullptr, nullptr});
    REQUIRE(box.run({"undo", "mine"}, box.elsewhere()).code == 0);
    for (const auto& options : {RunOptions{}, box.elsewhere(), third}) {
        for (const std::vector<std::string>& where : {std::vector<std::string>{}, {"--on-servers"}})
            CHECK(undone_by("mine", options, where) == std::vector<nlohmann::json>{"mine-undo", "mine-undo"});
        CHECK(contains(box.run({"history", "mine"}, options).err, "operation 'mine' was undone by 'mine-undo', "));
    }
}

// It stood at the time of the first attempt, with the reason that was given for that.
TEST_CASE("a repeated undo stands in history as it was made") {
    RecordedBox box;
    const auto end = seconds_from_now(1000);
    box.set_window("core:1", "5", end);
    REQUIRE(box.count_by_rows("core:1", 2, "mine").code == 0);
    box.server().command({"SET", "core:1:exp", std::to_string(end + 60), "KEEPTTL"});
    REQUIRE(box.run({"undo", "mine", "--reason", "too early"}).code == 7);
    const auto made = [&] { return box.rows({"history", "mine-undo"}); };
    const auto refused = made().at(0);
    REQUIRE(box.run({"increment", "core:2"}).code == 0);
    box.server().command({"SET", "core:1:exp", std::to_string(end), "KEEPTTL"});
    REQUIRE(box.run({"undo", "mine/1", "--reason", "in time"}).code == 0);
    const auto applied = made().at(0);
    INFO(refused.dump() << applied.dump());
    CHECK(applied.at("status") == "applied");
    CHECK(applied.at("because") == "in time");
    CHECK(applied.at("time_ms") > refused.at("time_ms"));
    CHECK(box.rows({"history", "--last", "1"}).at(0).at("command") == "undo");
    // Of an operation that goes on, each row has its own time.
    REQUIRE(box.run({"undo", "mine/2"}).code == 0);
    CHECK(made().at(0).at("time_ms") == applied.at("time_ms"));
    CHECK(made().at(1).at("time_ms") > applied.at("time_ms"));
}

// Every row of the key was told as undone where the journal is another machine's.
TEST_CASE("of several changes of one key those are undone that were taken back") {
    RecordedBox box;
    REQUIRE(box.count_by_rows("core:1", 3, "thrice").code == 0);
    const auto expect = [&](const std::vector<nlohmann::json>& expected) {
        for (const auto& options : {RunOptions{}, box.elsewhere()}) {
            for (const auto& where : std::vector<std::vector<std::string>>{{}, {"--on-servers"}}) {
                std::vector<std::string> asked{"history", "thrice"};
                asked.insert(asked.end(), where.begin(), where.end());
                std::vector<nlohmann::json> by;
                for (const auto& row : box.rows(asked, 0, options)) by.push_back(row.at("undone_by"));
                CHECK(by == expected);
            }
            std::vector<nlohmann::json> by;
            for (const auto& row : box.rows({"history", "--on-servers"}, 0, options))
                if (row.at("command") == "increment") by.push_back(row.at("undone_by"));
            CHECK(by == expected);
        }
    };
    expect({nullptr, nullptr, nullptr});
    REQUIRE(box.run({"undo", "thrice/2"}).code == 0);
    expect({nullptr, "thrice-undo", nullptr});
    CHECK(contains(box.run({"history", "thrice"}, box.elsewhere()).err,
                   "1 of 3 changes of operation 'thrice' was undone by 'thrice-undo', "));
    // Calls of the whole operation, under another id; the one of the second row finds that done.
    REQUIRE(box.run({"undo", "thrice", "--op-id", "rest"}, box.elsewhere()).code == 0);
    expect({"rest", "thrice-undo", "rest"});
}
