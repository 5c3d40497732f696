// explain on real servers: what it says of every kind of window and server, how it ends, and what --redact hides.
#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "cli/printed_rows.h"
#include "cli/written_deployment.h"
#include "support/catch.h"
#include "support/json.h"

using namespace ratectl::test;

namespace {

nlohmann::json row_of(const RunResult& result) {
    INFO(result.err << result.out);
    return first_row(result.out);
}

/// A primary with a replica that the configuration knows.
struct WithReplica {
    WrittenDeployment box = one_shard();
    RedisServer replica;

    WithReplica() {
        replica.make_replica_of(box.server());
        box.add_replica(0, replica.endpoint());
    }
    std::string primary_address() { return box.server().endpoint().address(); }
    std::string replica_address() { return replica.endpoint().address(); }
    /// From now on it follows a server that does not answer.
    void cut_off() {
        replica.await_replication_of(box.server());
        replica.command({"REPLICAOF", "127.0.0.1", "1"});
    }
};

}  // namespace

TEST_CASE("A limited client is explained with its end and a command that lets it in") {
    auto box = one_shard();
    const auto end = seconds_from_now(600);
    box.set_window("core:42", "100", end);
    const auto result = box.run({"explain", "core:42"});
    INFO(result.out << result.err);
    CHECK(result.code == 0);
    CHECK(result.out.starts_with("'core:42' is limited until "));
    CHECK(contains(result.out, "100 of 100 requests used"));
    CHECK(contains(result.out, "The limit is 100 per 1h, of policy 'core'."));
    CHECK(std::count(result.out.begin(), result.out.end(), '\n') == 1);
    const auto command = "ratectl reset --if-window " + std::to_string(end) + " core:42";
    CHECK(contains(result.out, "`" + command + "`"));
    CHECK(box.run({"explain", "core:42", "--exit-status", "-q"}).code == 1);

    CHECK(box.run({"reset", "--if-window", std::to_string(end), "core:42"}).code == 0);
    const auto after = box.run({"explain", "core:42"});
    CHECK(after.out.starts_with("'core:42' is allowed: it has no window"));
    CHECK(contains(after.out, "From this machine: 100 -> none by reset "));
    CHECK(box.run({"explain", "core:42", "--exit-status"}).code == 0);
}

// It told to remove it, with a command that then found nothing; and of several shards that it is misplaced.
TEST_CASE("The other key of a sound window is explained as what it is and nothing is to be repaired") {
    WrittenDeployment box(kFree, 2);
    int client = 0;
    const auto name = [&] { return "core:" + std::to_string(client); };
    const auto lives_on_first = [&](const std::string& key) {
        return row_of(box.run({"locate", key, "-o", "ndjson"})).at("shard") == "alpha";
    };
    while (!lives_on_first(name()) || lives_on_first(name() + ":exp")) ++client;
    for (const bool elsewhere : {true, false}) {
        box.set_window(name(), "7", seconds_from_now(600));
        auto words = std::vector<std::string>{"explain", name() + ":exp"};
        if (!elsewhere) words.insert(words.end(), {"-u", box.server().endpoint().url(), "--limit", "100"});
        const auto result = box.run(words);
        INFO(result.out << result.err);
        CHECK(contains(result.out, "The expiry half of '" + name() + "' has that name, too"));
        CHECK(contains(result.out, "explain " + name() + "`"));
        for (const char* wrong : {"doctor", "orphan", "misplaced", "reset"}) CHECK_FALSE(contains(result.out, wrong));
    }
    // Without its window it is no less a half.
    box.server().command({"DEL", name()});
    CHECK(contains(box.run({"explain", name()}).out, "doctor --fix orphan-expiry"));
}

TEST_CASE("A client is told its verdict before a paragraph for each of its windows") {
    auto box = one_shard();
    std::ofstream(box.config_file(), std::ios::app)
        << "[[deployments.box.policies]]\nname = \"search\"\nkey = \"search:{client}\"\nlimit = 30\nperiod = \"1m\"\n"
           "[[deployments.box.policies]]\nname = \"mail\"\nkey = \"mail:{client}\"\nperiod = \"1m\"\n";
    const auto end = seconds_from_now(600);
    box.set_window("search:alice", "30", end);
    const auto limited = box.run({"explain", "--client", "alice"}).out;
    INFO(limited);
    CHECK(limited.starts_with("Client 'alice' is limited by search until "));
    CHECK(contains(
        limited, "), and allowed by core. It is unknown whether client 'alice' is limited by mail.\n\n'core:alice' "));
    CHECK(contains(limited, "\n\n'search:alice' is limited until "));
    CHECK(std::count(limited.begin(), limited.end(), '\n') == 7);
    CHECK(contains(box.run({"explain", "--client", "bob"}).out,
                   "It is unknown whether client 'bob' is limited by mail. It is allowed by core and search.\n"));
    box.set_window("mail:alice", "3", end);
    CHECK(contains(box.run({"explain", "--client", "alice"}).out,
                   "It is unknown whether client 'alice' is limited by mail.\n\n'core:alice'"));
    const auto redacted = box.run({"explain", "--client", "alice", "--redact"}).out;
    CHECK(redacted.starts_with("Client 'client-"));
    CHECK_FALSE(contains(redacted, "alice"));
    CHECK(box.run({"explain", "--client", "alice", "-o", "name"}).out == "core:alice\nsearch:alice\nmail:alice\n");
}

TEST_CASE("The columns say what the paragraph says") {
    auto box = one_shard();
    const auto end = seconds_from_now(600);
    box.set_window("core:42", "100", end);
    const auto row = row_of(box.run({"explain", "core:42", "-o", "ndjson", "--tz", "Europe/Berlin"}));
    CHECK(row.at("verdict") == "limited");
    CHECK(row.at("reason") == "limit-used-up");
    CHECK(row.at("used") == 100);
    CHECK(row.at("limit") == 100);
    CHECK(row.at("remaining") == 0);
    CHECK(row.at("limit_source") == "policy:core");
    CHECK(row.at("reset_at") == end);
    CHECK(row.at("allowed_from") == end + 1);
    CHECK(row.at("state") == "exhausted");
    CHECK(row.at("client") == "42");
    CHECK(row.at("differ") == false);
    CHECK(row.at("findings").is_null());
    CHECK(row.at("silent").is_null());
    CHECK(contains(row.at("reset_at_local"), "+0"));
    CHECK(contains(row.at("answers"), "primary " + box.server().endpoint().address() + ": 100 of 100 used, 0 left"));
    CHECK(contains(row.at("text"), "in Europe/Berlin"));
    CHECK(contains(row.at("advice"), "reset --if-window"));
}

TEST_CASE("Open absent and over windows are allowed and one without a limit is not called so") {
    auto box = one_shard();
    box.set_window("core:42", "7", seconds_from_now(600));
    CHECK(
        contains(box.run({"explain", "core:42"}).out, "'core:42' is allowed: 7 of 100 requests used, 93 left until "));
    CHECK(contains(box.run({"explain", "core:nobody"}).out, "it has no window"));
    const auto later = std::to_string(seconds_from_now(900));
    const auto over = box.run({"explain", "core:42", "--now", later});
    CHECK(contains(over.out, "'core:42' is allowed: its window ended at "));
    CHECK(contains(over.out, "the 7 requests counted there are ignored"));

    box.set_window("other:42", "7", seconds_from_now(600));
    const auto unknown = box.run({"explain", "other:42", "--exit-status"});
    CHECK(unknown.code == 3);
    CHECK(unknown.out.starts_with("It is unknown whether 'other:42' is limited"));
    CHECK(contains(unknown.err, "other:42"));
    CHECK(row_of(box.run({"explain", "other:42", "-o", "ndjson"})).at("verdict") == "limit-unknown");
}

TEST_CASE("Several windows are paragraphs with an empty line between them") {
    auto box = one_shard();
    box.set_window("core:1", "7", seconds_from_now(600));
    box.set_window("core:2", "100", seconds_from_now(600));
    const auto result = box.run({"explain", "core:1", "core:2"});
    CHECK(std::count(result.out.begin(), result.out.end(), '\n') == 3);
    CHECK(contains(result.out, "\n\n'core:2' is limited"));
    const auto swept = box.run({"explain", "--match", "core:*", "--state", "exhausted"});
    CHECK(swept.code == 0);
    CHECK(swept.out.starts_with("'core:2' is limited"));
    CHECK_FALSE(contains(swept.out, "core:1"));
    CHECK(box.run_with_input({"explain", "-", "-o", "name"}, "core:1\ncore:2\n").out == "core:1\ncore:2\n");
    CHECK(box.run({"explain"}).code == 2);
    const auto chosen = box.run({"explain", "core:1", "--from", "primary"});
    CHECK(contains(chosen.err, "--from has no effect on named keys"));
    CHECK_FALSE(contains(box.run({"explain", "--match", "core:*", "--from", "primary"}).err, "--from has no effect"));
}

TEST_CASE("A terminal gets lines that fit and a pipe one line a window") {
    auto box = one_shard();
    box.set_window("core:42", "7", seconds_from_now(600));
    RunOptions terminal;
    terminal.terminal = true;
    terminal.columns = 70;
    std::istringstream lines(box.run({"explain", "core:42", "--color", "never"}, terminal).terminal);
    std::size_t count = 0;
    for (std::string line; std::getline(lines, line); ++count) CHECK(line.size() <= 71);  // with its carriage return
    CHECK(count > 2);
    CHECK(count < 9);
}

TEST_CASE("A replica that was cut off before a reset is quoted and the primary is right") {
    WithReplica shard;
    shard.box.set_window("core:42", "100", seconds_from_now(600));
    shard.cut_off();
    shard.box.server().command({"DEL", "core:42", "core:42:exp"});
    const auto result = shard.box.run({"explain", "core:42", "--exit-status"});
    INFO(result.out << result.err);
    CHECK(result.code == 1);
    CHECK(result.out.starts_with("'core:42' is allowed according to primary " + shard.primary_address() +
                                 ", but limited according to replica " + shard.replica_address() + "."));
    CHECK(
        contains(result.out, "Primary " + shard.primary_address() + " of shard 'alpha' decides, and says: no window"));
    CHECK(contains(result.out, "Replica " + shard.replica_address() + " would have said: 100 of 100 used"));
    CHECK(contains(result.out, "The reason (cut-off): "));
    CHECK(contains(result.out, "its link to 127.0.0.1:1 has been down"));
    CHECK(contains(result.out, "Next: repair the link"));
    const auto row = row_of(shard.box.run({"explain", "core:42", "-o", "ndjson"}));
    CHECK(row.at("verdict") == "disagreement");
    CHECK(row.at("causes") == "cut-off");
    CHECK(row.at("differ") == true);
    CHECK(row.at("used").is_null());
}

// It was left out by the state of what the replica had, and the primary was not mentioned.
TEST_CASE("A filter leaves out no named key that no primary tells of") {
    WithReplica shard;
    shard.box.set_window("core:42", "7", seconds_from_now(600));
    shard.cut_off();
    shard.box.server().kill();
    for (const std::vector<std::string>& filter :
         {std::vector<std::string>{"--state", "exhausted"}, {"--min-used", "50"}, {"--resets-within", "1s"}}) {
        std::vector<std::string> words{"explain", "core:42"};
        words.insert(words.end(), filter.begin(), filter.end());
        const auto result = shard.box.run(words);
        INFO(result.out << result.err);
        CHECK(contains(result.out, "It is unknown whether 'core:42' is limited: no primary of shard 'alpha'"));
        CHECK_FALSE(contains(result.err, "left out"));
    }
    // A sweep and the looks at what it finds both meet with the dead primary.
    const auto swept = shard.box.run({"explain", "--match", "core:*"}).err;
    INFO(swept);
    CHECK(contains(swept, shard.primary_address()));
    CHECK(swept.find(shard.primary_address()) == swept.rfind(shard.primary_address()));
}

TEST_CASE("An operation is named once and one request is no requests") {
    auto box = one_shard();
    // The two operations of such a replay take turns.
    std::string log;
    for (int i = 0; i < 6; ++i)
        log += "ann - - [17/May/2015:01:00:0" + std::to_string(i) + " +0000] \"GET / HTTP/1.1\" " +
               (i % 2 == 0 ? "200" : "304") + " 5\n";
    REQUIRE(
        box.run_with_input({"replay", "-", "--policy", "core", "--time", "now", "--refund-status", "304"}, log).code ==
        0);
    const auto told = box.run({"explain", "core:ann"}).out;
    INFO(told);
    std::size_t changes = 0;
    for (auto at = told.find("From this machine"); at != std::string::npos; at = told.find("From this machine", at + 1))
        ++changes;
    CHECK(changes == 2);
    box.set_window("other:1", "1", seconds_from_now(600));
    CHECK(contains(box.run({"explain", "other:1"}).out, "1 request is used, and its limit is unknown"));
    CHECK(contains(box.run({"explain", "other:1", "--limit", "1"}).out, "1 of 1 request used"));
    box.set_window("other:1", "0", seconds_from_now(600));
    CHECK(contains(box.run({"explain", "other:1", "--limit", "1"}).out, "0 of 1 request used, 1 left"));
}

TEST_CASE("Leaked and broken windows are told with what is odd and how it is set right") {
    auto box = one_shard();
    box.set_window("core:leaked", "7", seconds_from_now(600));
    box.server().command({"PERSIST", "core:leaked"});
    const auto leaked = box.run({"explain", "core:leaked"});
    CHECK(contains(leaked.out, "The counter has no TTL"));
    CHECK(contains(leaked.out, "(leaked)"));
    CHECK(contains(leaked.out, "`ratectl doctor --fix leaked core:leaked`"));
    // The command does what it is said to do.
    CHECK(box.run({"doctor", "--fix", "leaked", "core:leaked", "-y"}).code == 0);
    CHECK_FALSE(contains(box.run({"explain", "core:leaked"}).out, "(leaked)"));

    box.set_window("core:broken", "12.5", seconds_from_now(600));
    const auto broken = box.run({"explain", "core:broken", "--exit-status"});
    CHECK(broken.code == 1);
    CHECK(broken.out.starts_with("'core:broken' is broken"));
    CHECK(contains(broken.out, "12.5"));
}

// The effect was two guesses for all of them, the advised reset was refused where no policy matches, and of half a
// window that no policy knows not even what is stored was said.
TEST_CASE("A corrupt half is told as it is stored with what the application makes of it and a command that acts") {
    auto box = one_shard();
    const auto end = seconds_from_now(600);
    for (const std::string owner : {"core:", "other:"}) {
        box.set_window(owner + "text", "12abc", end);
        box.set_window(owner + "soon", "7", end);
        box.server().command({"SET", owner + "soon:exp", "soon", "KEEPTTL"});
        box.server().command({"SET", owner + "alone", "12abc", "EX", "600"});
        box.set_window(owner + "before", "7", end);
        box.server().command({"SET", owner + "before:exp", "-1", "KEEPTTL"});
        box.set_window(owner + "huge", "7", end);
        box.server().command({"SET", owner + "huge:exp", "99999999999999999999", "KEEPTTL"});
        box.set_window(owner + "list", "7", end);
        box.server().command({"DEL", owner + "list:exp"});
        box.server().command({"RPUSH", owner + "list:exp", "x"});
        struct Case {
            std::string client, stored, effect;
        };
        for (const auto& [client, stored, effect] :
             {Case{"text", "The counter holds '12abc', which is no integer", "fails at INCRBY until the window ends"},
              Case{"soon", "The expiry half holds 'soon', which is no integer", "the application sees no window"},
              Case{"before", "The expiry half holds '-1', which is out of range", "the application sees no window"},
              Case{"huge", "The expiry half holds '99999999999999999999', which is out of range",
                   "goes on counting in this window"},
              Case{"alone", "The counter holds '12abc', which is no integer", "the application sees no window"}}) {
            const auto key = owner + client;
            INFO(key);
            const auto result = box.run({"explain", key, "--exit-status"});
            INFO(result.out << result.err);
            CHECK(result.code == 1);
            CHECK(result.out.starts_with("'" + key + "' is broken"));
            CHECK(contains(result.out, stored + " (corrupt). What that does: "));
            CHECK(contains(result.out, effect));
            CHECK(contains(result.out, "`ratectl reset --state corrupt " + key + "` removes both halves"));
            // The command does what it is said to do.
            CHECK(box.run({"reset", "--state", "corrupt", key}).code == 0);
            CHECK(box.run({"explain", key}).out.starts_with("'" + key + "' is broken") == false);
        }
        const auto list = box.run({"explain", owner + "list", "--exit-status"});
        CHECK(list.code == 1);
        CHECK(contains(list.out, "The expiry half is a list (corrupt). What that does: every look and every request"));
        CHECK(contains(list.out, "ratectl changes strings alone"));
        CHECK_FALSE(contains(list.out, "ratectl reset"));
    }
}

TEST_CASE("A dead replica is named and leaves the answer partial and a dead shard leaves none") {
    WithReplica shard;
    shard.box.set_window("core:42", "7", seconds_from_now(600));
    shard.replica.await_replication_of(shard.box.server());
    const auto replica = shard.replica_address();
    shard.replica.kill();
    const auto result = shard.box.run({"explain", "core:42"});
    INFO(result.out << result.err);
    CHECK(result.code == 9);
    CHECK(result.out.starts_with("'core:42' is allowed"));
    CHECK(contains(result.out, "Replica " + replica + " could not be asked"));
    CHECK(contains(result.err, replica));
    shard.box.server().kill();
    const auto dead = shard.box.run({"explain", "core:42"});
    CHECK(dead.code == 4);
    CHECK(dead.out.starts_with("It is unknown whether 'core:42' is limited: no server of shard 'alpha' answers."));
}

TEST_CASE("A replica alone is quoted but nobody knows the verdict") {
    WithReplica shard;
    shard.box.set_window("core:42", "7", seconds_from_now(600));
    shard.replica.await_replication_of(shard.box.server());
    shard.box.server().kill();
    const auto result = shard.box.run({"explain", "core:42"});
    INFO(result.out << result.err);
    CHECK(result.code == 9);
    CHECK(result.out.starts_with("It is unknown whether 'core:42' is limited: no primary of shard 'alpha' answers."));
    CHECK(contains(result.out, "says: 7 of 100 used"));
}

TEST_CASE("A window on the wrong shard is named beside the shard that counts") {
    WrittenDeployment box("writes = \"allow\"", 2);
    const auto end = seconds_from_now(600);
    box.set_window("core:42", "7", end);
    const auto home = row_of(box.run({"locate", "core:42", "-o", "ndjson"})).at("shard").get<std::string>();
    if (home == "alpha") {  // set_window() puts it on the first shard
        box.server(1).command({"SET", "core:42", "9", "EXAT", std::to_string(end + 1)});
        box.server(1).command({"SET", "core:42:exp", std::to_string(end), "EXAT", std::to_string(end + 1)});
    }
    const std::string stray = home == "alpha" ? "beta" : "alpha";
    const auto result = box.run({"explain", "core:42"});
    INFO(result.out << result.err);
    CHECK(result.code == 0);
    CHECK(contains(result.out, "Shard '" + stray + "' has " + (home == "alpha" ? "9" : "7") + " used until "));
    CHECK(contains(result.out, "the application looks on '" + home + "'"));
    CHECK(row_of(box.run({"explain", "core:42", "-o", "ndjson"})).at("findings") == "misplaced");
}

TEST_CASE("Reading explanations makes no journal") {
    auto box = one_shard();
    box.set_window("core:42", "7", seconds_from_now(600));
    CHECK(box.run({"explain", "core:42"}).code == 0);
    CHECK_FALSE(std::filesystem::exists(box.file("state")));
    const auto named = box.run({"explain", "core:42", "--journal", box.file("none.db")});
    CHECK(named.code == 0);
    CHECK_FALSE(std::filesystem::exists(box.file("none.db")));
    std::ofstream(box.file("damaged.db")) << "this is no journal at all, and long enough to be taken for one";
    const auto damaged = box.run({"explain", "core:42", "--journal", box.file("damaged.db")});
    CHECK(damaged.out.starts_with("'core:42' is allowed"));
    CHECK(contains(damaged.err, "what this machine changed lately is not known"));
}

TEST_CASE("A hostile key is explained with its bytes escaped and a command that names it") {
    auto box = one_shard();
    const std::string nasty = "core:a\nb\x1b[31m'\xff";
    box.set_window(nasty, "100", seconds_from_now(600));
    const auto result = box.run({"explain", nasty});
    CHECK(result.out.find('\x1b') == std::string::npos);
    CHECK(std::count(result.out.begin(), result.out.end(), '\n') == 1);
    const auto begin = result.out.find("`ratectl reset ") + 1;
    const auto command = result.out.substr(begin, result.out.find('`', begin) - begin);
    INFO(command);
    RunOptions shell;
    shell.environment = {{"RATECTL_CONFIG", box.config_file()}, {"XDG_STATE_HOME", box.file("state")}};
    const auto binary = std::filesystem::path(ratectl_binary()).parent_path().string();
    const auto done = run_program("/bin/sh", {"-c", "PATH=" + binary + ":$PATH; " + command}, shell);
    INFO(done.out << done.err);
    CHECK(done.code == 0);
    CHECK(box.halves() == "0");
}

TEST_CASE("With redact no client and no host is in any output of any format or failure") {
    WithReplica shard;
    shard.box.set_window("core:alice-7781", "100", seconds_from_now(600));
    shard.box.set_window("core:bob-3391", "12.5", seconds_from_now(600));
    CHECK(shard.box.run({"refund", "core:alice-7781", "--amount", "1", "--reason", "alice saw a zebra"}).code == 0);
    shard.cut_off();
    shard.box.server().command({"SET", "core:alice-7781", "3", "KEEPTTL"});
    const auto check = [&](const std::vector<std::string>& extra, int code) {
        for (const std::string format : {"table", "wide", "json", "ndjson", "csv", "tsv", "name"}) {
            for (const std::string messages : {"text", "json"}) {
                std::vector<std::string> arguments{
                    "explain", "core:alice-7781", "core:bob-3391", "other:alice-7781", "--redact", "-v", "-o",
                    format,    "--messages",      messages};
                arguments.insert(arguments.end(), extra.begin(), extra.end());
                const auto result = shard.box.run(arguments);
                INFO(format << "\n" << result.out << result.err);
                CHECK(result.code == code);
                for (const std::string hidden : {"alice", "bob", "127.0.0.1", "zebra"}) {
                    INFO(hidden);
                    CHECK_FALSE(contains(result.out, hidden));
                    CHECK_FALSE(contains(result.err, hidden));
                }
                CHECK_FALSE((result.out.empty() && result.err.empty()));
            }
        }
    };
    check({}, 0);
    const auto told = shard.box.run({"explain", "core:alice-7781", "--redact"});
    CHECK(told.out.starts_with("'core:client-"));
    CHECK(contains(told.out, "primary of shard 'alpha' decides") == false);  // a sentence begins with a capital
    CHECK(contains(told.out, "Primary of shard 'alpha' decides"));
    CHECK(contains(told.out, "Replica 1 would have said: 99 of 100 used"));
    CHECK(contains(told.out, "its link to another server has been down"));
    CHECK(contains(told.out, " by refund "));
    CHECK(contains(told.out, ", run at "));
    check({"--state", "alice-7781"}, 2);                                   // a Failure about the command line
    check({"-u", "redis://127.0.0.1:1", "-u", "redis://127.0.0.1:1"}, 2);  // about servers
    check({"-c", "/nowhere/alice-7781/127.0.0.1.toml"}, 3);                // about a file
    check({"--journal", "/dev/null/alice-7781"}, 0);
    shard.replica.kill();
    check({}, 9);
    CHECK(contains(shard.box.run({"explain", "core:alice-7781", "--redact"}).err, "shard 'alpha', replica 1: "));
    shard.box.server().kill();
    check({}, 4);
}

TEST_CASE("Shards that are called by their address are hidden as well") {
    RedisServer one;
    RedisServer two;
    one.command({"SET", "core:alice-7781", "7"});
    const auto result = run_ratectl({"explain", "core:alice-7781", "--redact", "-o", "ndjson", "-u",
                                     one.endpoint().url(), "-u", two.endpoint().url()});
    INFO(result.out << result.err);
    CHECK(result.code == 0);
    CHECK_FALSE(contains(result.out + result.err, "127.0.0.1"));
    CHECK_FALSE(contains(result.out + result.err, "7781"));
    CHECK(row_of(result).at("shard") == "shard 1");
}

TEST_CASE("A key on two shards is explained once a shard where nobody knows the right one") {
    RedisServer one;
    RedisServer two;
    const auto end = seconds_from_now(600);
    for (auto* server : {&one, &two}) {
        server->command({"SET", "core:42", "7", "EXAT", std::to_string(end + 1)});
        server->command({"SET", "core:42:exp", std::to_string(end), "EXAT", std::to_string(end + 1)});
    }
    const std::vector<std::string> servers{"-u", one.endpoint().url(), "-u", two.endpoint().url()};
    const auto run = [&](std::vector<std::string> arguments) {
        arguments.insert(arguments.end(), servers.begin(), servers.end());
        return run_ratectl(arguments);
    };
    const auto both = run({"explain", "core:42", "--limit", "10"});
    INFO(both.out << both.err);
    CHECK(std::count(both.out.begin(), both.out.end(), '\n') == 3);
    CHECK(contains(both.out, "(duplicate)"));
    const auto none = run({"explain", "core:nobody", "--limit", "10"});
    CHECK(std::count(none.out.begin(), none.out.end(), '\n') == 1);
    CHECK(contains(none.out, "None of the shards has it."));
}

TEST_CASE("A dead shard is named where nobody knows the right one although another has the key") {
    RedisServer one;
    RedisServer two;
    one.command({"SET", "core:42", "7"});
    const auto dead = two.endpoint();
    two.kill();
    const std::vector<std::string> servers{"-u", one.endpoint().url(), "-u", dead.url()};
    const auto run = [&](std::vector<std::string> arguments) {
        arguments.insert(arguments.end(), servers.begin(), servers.end());
        return run_ratectl(arguments);
    };
    const auto told = run({"explain", "core:42", "--limit", "10"});
    INFO(told.out << told.err);
    CHECK(told.code == 9);
    CHECK(contains(told.out, "Shard '" + dead.address() + "' could not be asked, and may have the key as well."));
    CHECK(contains(told.err, dead.address()));
    CHECK(row_of(run({"explain", "core:42", "-o", "ndjson"})).at("silent") == "shard " + dead.address());
    const auto hidden = run({"explain", "core:42", "--limit", "10", "--redact"});
    CHECK(hidden.code == 9);
    CHECK(contains(hidden.out, "Shard 'shard 2' could not be asked"));
}

TEST_CASE("A command that is pasted from an explanation acts on the servers that were explained") {
    auto elsewhere = one_shard();
    auto box = one_shard();
    const auto end = seconds_from_now(600);
    for (auto* each : {&elsewhere, &box}) each->set_window("core:42", "100", end);
    const auto url = elsewhere.server().endpoint().url();
    const auto check = [&](const std::vector<std::string>& named, const std::string& flags) {
        auto arguments = named;
        arguments.insert(arguments.end(), {"explain", "core:42", "--limit", "100"});
        const auto told = box.run(arguments);
        INFO(told.out << told.err);
        CHECK(contains(told.out, "`ratectl " + flags + " reset --if-window " + std::to_string(end) + " core:42`"));
    };
    check({"-u", url}, "-u " + url);
    check({"-c", elsewhere.config_file()}, "-c " + elsewhere.config_file());
    const auto hidden = box.run({"-u", url, "explain", "core:42", "--limit", "100", "--redact"});
    CHECK(contains(hidden.out, "`ratectl -u URL reset --if-window " + std::to_string(end) + " KEY`"));
}

TEST_CASE("A change of the same key on another server is not told of this one") {
    auto one = one_shard();
    auto two = one_shard();
    for (auto* each : {&one, &two}) each->set_window("core:42", "7", seconds_from_now(600));
    const auto journal = one.file("journal.db");
    const auto run = [&](WrittenDeployment& on, std::vector<std::string> arguments) {
        arguments.insert(arguments.end(), {"--journal", journal, "-u", on.server().endpoint().url()});
        return on.run(arguments);
    };
    const auto refund = run(one, {"refund", "core:42", "--amount", "1", "-y"});
    INFO(refund.err);
    CHECK(refund.code == 0);
    CHECK(contains(run(one, {"explain", "core:42", "--limit", "100"}).out, "From this machine: 7 -> 6 by refund "));
    CHECK_FALSE(contains(run(two, {"explain", "core:42", "--limit", "100"}).out, "From this machine"));
}

TEST_CASE("the repair that explain names finds the key whatever stands in it") {
    auto box = one_shard();
    for (const std::string key : {"core:550e8400-e29b", "core:[a]*b"}) {
        box.server().command({"SET", key, "5"});
        const auto told = box.run({"explain", key});
        INFO(told.out);
        const std::string begin = "doctor --fix orphan-counter '";
        const auto at = told.out.find(begin);
        REQUIRE(at != std::string::npos);
        const auto end = told.out.find('\'', at + begin.size());
        const auto pattern = told.out.substr(at + begin.size(), end - at - begin.size());
        INFO(pattern);
        CHECK(box.run({"doctor", "--fix", "orphan-counter", pattern, "-y"}).code == 0);
        CHECK(box.server().command({"EXISTS", key}) == "0");
    }
}

TEST_CASE("A sweep that finds nothing to explain says so") {
    auto box = one_shard();
    const auto nothing = box.run({"explain", "--match", "core:*", "--state", "exhausted"});
    CHECK(nothing.code == 0);
    CHECK(nothing.out.empty());
    CHECK(contains(nothing.err, "there was no window to explain"));
}
