// A slip of the finger is answered with the word that was meant, whatever kind of name it is; and nothing else happens.
#include <string>
#include <vector>

#include "cli/written_deployment.h"
#include "support/catch.h"

using namespace ratectl::test;

namespace {

void check_meant(const WrittenDeployment& box, const std::vector<std::string>& arguments, const std::string& meant) {
    const auto result = box.run(arguments);
    INFO(arguments.front() << ": " << result.err);
    CHECK(result.code == 2);
    CHECK(result.out.empty());
    CHECK(contains(result.err, "did you mean '" + meant + "'?"));
}

}  // namespace

TEST_CASE("a mistyped command, action, topic or flag is told which one was meant") {
    const WrittenDeployment box("writes = \"allow\"");
    check_meant(box, {"chekc", "core:1"}, "check");
    check_meant(box, {"sharding", "gues"}, "guess");
    check_meant(box, {"config", "inti"}, "init");
    check_meant(box, {"help", "exit-code"}, "exit-codes");
    check_meant(box, {"help", "explian"}, "explain");
    check_meant(box, {"check", "core:1", "--colums", "key"}, "--columns");
    check_meant(box, {"scan", "--exit-stat"}, "--exit-status");
}

// It listed all schemes.
TEST_CASE("a mistyped scheme is told which one was meant") {
    const WrittenDeployment box("scheme = \"expres\"");
    for (const auto& [named, meant] : {std::pair{"contuer", "counter"}, {"", "express"}, {"lravel", "laravel"}}) {
        std::vector<std::string> arguments{"check", "core:1"};
        if (*named != '\0') arguments.insert(arguments.end(), {"--scheme", named});
        const auto result = box.run(arguments);
        INFO(result.err);
        CHECK(result.code == (*named != '\0' ? 2 : 3));
        CHECK(contains(result.err, std::string("did you mean '") + meant + "'?"));
    }
}

TEST_CASE("a mistyped column, format, colour, dialect or shell is told which one was meant") {
    const WrittenDeployment box("writes = \"allow\"");
    check_meant(box, {"check", "core:1", "--columns", "key,usde"}, "used");
    check_meant(box, {"scan", "--sort", "remaning"}, "remaining");
    check_meant(box, {"check", "core:1", "-o", "jsno"}, "json");
    check_meant(box, {"check", "core:1", "--color", "alwys"}, "always");
    check_meant(box, {"check", "core:1", "--messages", "jsn"}, "json");
    check_meant(box, {"check", "core:1", "--key-format", "base46"}, "base64");
    check_meant(box, {"headers", "core:1", "--dialect", "githb"}, "github");
    check_meant(box, {"completion", "zhs"}, "zsh");
}

TEST_CASE("a mistyped deployment, policy, shard, role, state, finding or preset is told which one was meant") {
    const WrittenDeployment box("writes = \"allow\"");
    check_meant(box, {"check", "core:1", "-d", "bxo"}, "box");
    check_meant(box, {"scan", "--policy", "coer"}, "core");
    check_meant(box, {"scan", "--shard", "alhpa"}, "alpha");
    check_meant(box, {"check", "core:1", "--from", "primray"}, "primary");
    check_meant(box, {"scan", "--state", "exhuasted"}, "exhausted");
    check_meant(box, {"doctor", "--only", "leekd"}, "leaked");
    check_meant(box, {"sharding", "show", "twemproxy-ketma"}, "twemproxy-ketama");
    check_meant(box, {"replay", "access.log", "--policy", "coer"}, "core");
}

TEST_CASE("a name that is like none is answered with those that there are") {
    const WrittenDeployment box("writes = \"allow\"");
    CHECK(contains(box.run({"check", "core:1", "-d", "elsewhere"}).err, "deployments: box"));
    CHECK(contains(box.run({"scan", "--policy", "something"}).err, "known: core"));
    CHECK(contains(box.run({"headers", "core:1", "--dialect", "x"}).err, "one of github, legacy"));
    CHECK(contains(box.run({"something"}).err, "'ratectl help' lists the commands"));
}

// `knobs set NAME --rps 10` was asked whether it meant --yes, `limit trace --client alice` whether it meant --limit,
// and
// --burst was taken for what is said of windows.
TEST_CASE("a flag that is an argument here is told so and never taken for another one") {
    const WrittenDeployment box(kFree);
    const auto check_told = [&](const std::vector<std::string>& arguments, const std::string& hint) {
        const auto result = box.run(arguments);
        INFO(result.err);
        CHECK(result.code == 2);
        CHECK(result.out.empty());
        CHECK_FALSE(contains(result.err, "did you mean"));
        CHECK(contains(result.err, "hint: " + hint));
    };
    const std::string turns = "`ratectl knobs set NAME rps=N burst=N window=N`";
    check_told({"knobs", "set", "search", "--rps", "10"}, turns);
    check_told({"knobs", "set", "search", "--rps=10"}, turns);
    check_told({"knobs", "set", "search", "rps=10", "--window", "5"}, turns);
    check_told({"knobs", "set", "search", "rps=10", "--burst", "5"}, turns);
    check_told({"limit", "trace", "--client", "alice"}, "`ratectl limit trace CLIENT`");
    check_told({"limit", "trace", "alice", "--client", "bob"}, "`ratectl limit trace CLIENT`");
    check_told({"client", "--client", "alice"}, "`ratectl client ID`");
    check_told({"identify", "--client", "alice"}, "'--client' is a flag of check, explain, ");
}

TEST_CASE("a word of another tool is answered with ours for the same") {
    const WrittenDeployment box("writes = \"allow\"");
    for (const auto& [word, meant] : std::vector<std::pair<std::string, std::string>>{{"get", "check"},
                                                                                      {"show", "check"},
                                                                                      {"describe", "explain"},
                                                                                      {"ls", "scan"},
                                                                                      {"list", "scan"},
                                                                                      {"delete", "reset"},
                                                                                      {"del", "reset"},
                                                                                      {"rm", "reset"},
                                                                                      {"decr", "refund"},
                                                                                      {"incr", "increment"},
                                                                                      {"monitor", "watch"}})
        check_meant(box, {word, "core:1"}, meant);
    check_meant(box, {"reset", "core:1", "--force"}, "--yes");
    check_meant(box, {"reset", "core:1", "--no-confirm"}, "--yes");
    check_meant(box, {"scan", "--head", "5"}, "--first");
    check_meant(box, {"history", "--rows", "5"}, "--last");
    check_meant(box, {"history", "--limits", "5"}, "--last");  // --limit was suggested, which history refuses
    check_meant(box, {"scan", "--limits", "5"}, "--limit");
}

TEST_CASE("a number of rows or of requests that is given as something else is told the flag for it") {
    WrittenDeployment box("writes = \"allow\"");
    box.set_window("core:1", "7", seconds_from_now(1000));
    const auto check_refused = [&](const std::vector<std::string>& arguments, const std::string& hint) {
        const auto result = box.run(arguments);
        INFO(arguments.front() << ": " << result.err << result.out);
        CHECK(result.code == 2);
        CHECK(result.out.empty());
        CHECK(contains(result.err, hint));
    };
    for (const auto* flag : {"--limit", "--first", "--top"}) check_refused({"history", flag, "5"}, "--last N");
    check_refused({"nodes", "--limit", "5"}, "it is the limit of windows, and no number of rows");
    check_refused({"undo", "some-op", "--limit", "5"}, "OP/ROW");
    check_refused({"apply", "some.plan", "--limit", "5"}, "--max-keys N");
    // Beside --key it is what is said of windows in every command.
    for (const char* command : {"history", "nodes"})
        CHECK(box.run({command, "--limit", "5", "--key", "core:{client}"}).code == 0);
    const auto scan = box.run({"scan", "--limit", "5"});
    CHECK(scan.code == 0);
    CHECK(contains(scan.err, "--first N shows the first N rows, --top N those with the most requests"));
    CHECK(contains(box.run({"reset", "--match", "core:2*", "--limit", "5"}).err, "--max-keys N"));
    for (const char* command : {"increment", "refund"}) {
        check_refused({command, "core:1", "3"}, "--amount 3");
        check_refused({command, "3", "core:1"}, "--amount 3");
        check_refused({command, "core:1", "3", "core:2"}, "--amount 3");
        CHECK(box.run({command, "core:1", "3", "--amount", "1", "-n"}).code != 2);
    }
    CHECK(box.stored("core:1") == "7");
}

TEST_CASE("a mistyped flag is not told one that the command refuses") {
    const WrittenDeployment box("writes = \"allow\"");
    for (const char* command : {"history", "reset", "locate"})
        CHECK_FALSE(contains(box.run({command, "--froms", "replica"}).err, "'--from'"));
    check_meant(box, {"check", "--froms", "replica"}, "--from");
}

TEST_CASE("a node to be read is refused where none is chosen") {
    // reset --from replica went on as if nothing had been said.
    WrittenDeployment box("writes = \"allow\"");
    box.set_window("core:1", "7", seconds_from_now(1000));
    for (const auto& arguments : std::vector<std::vector<std::string>>{{"reset", "core:1"},
                                                                       {"increment", "core:1"},
                                                                       {"refund", "core:1", "--amount", "1"},
                                                                       {"undo", "some-op"},
                                                                       {"apply", "some.plan"},
                                                                       {"replay", "access.log", "--policy", "core"},
                                                                       {"history"},
                                                                       {"locate", "core:1"},
                                                                       {"nodes"}}) {
        for (const auto& [flag, value] : {std::pair{"--from", "replica"}, std::pair{"--max-staleness", "5s"}}) {
            auto with_flag = arguments;
            if (arguments.front() == "nodes" && std::string(flag) != "--from") continue;  // it marks what is behind
            with_flag.insert(with_flag.begin(), {flag, value});
            const auto result = box.run(with_flag);
            INFO(arguments.front() << ": " << result.err << result.out);
            CHECK(result.code == 2);
            CHECK(contains(result.err, std::string(flag) + " has no meaning here: "));
        }
    }
    CHECK(box.stored("core:1") == "7");
    RunOptions options;
    options.environment["RATECTL_FROM"] = "primary";
    CHECK(box.run({"increment", "core:1"}, options).code == 0);
}

TEST_CASE("a limit that is taken for a number of rows is said to be none wherever many windows are looked at") {
    const WrittenDeployment box(kFree);
    for (const std::vector<std::string>& command : {std::vector<std::string>{"check", "--all"},
                                                    {"check", "--match", "core:*"},
                                                    {"scan"},
                                                    {"explain", "--match", "core:*"},
                                                    {"explain", "--policy", "core"},
                                                    {"compare", "--match", "core:*"},
                                                    {"watch", "--match", "core:*", "--rounds", "2", "--every", "10ms"},
                                                    {"top", "-N", "1"}}) {
        auto arguments = command;
        arguments.insert(arguments.end(), {"--limit", "3"});
        const auto result = box.run(arguments);
        INFO(command.front() << ": " << result.err);
        CHECK(contains(result.err,
                       "--limit 3 is the limit of every window here, whatever the policies say, and no "
                       "number of rows"));
        const auto hint = command.front() == "top" ? "--rows N" : "--first N";
        CHECK(contains(result.err, hint));
        CHECK(result.err.find("number of rows") == result.err.rfind("number of rows"));
    }
    for (const std::string command : {"check", "explain", "compare"})
        CHECK_FALSE(contains(box.run({command, "core:1", "--limit", "3"}).err, "number of rows"));
}

TEST_CASE("the hint for a pattern with control bytes names no flag that does not read patterns") {
    const WrittenDeployment box(kFree);
    const auto plain = box.run({"reset", "core:*"});
    CHECK(contains(plain.err, "--match 'core:*' takes it for a pattern"));
    const auto odd = box.run({"reset", "core:\x01*"});
    INFO(odd.err);
    CHECK(contains(odd.err, "--match takes it for a pattern, byte for byte: --key-format is for keys"));
}

TEST_CASE("the other half of a window given as a key is told the window's own key by every command that looks") {
    // It looked like a client with nothing used, or with as many as the second of its window, and 0 was the answer.
    for (const std::size_t shards : {1, 3}) {
        WrittenDeployment box(kFree, shards);
        for (std::size_t i = 0; i < shards; ++i) {
            for (const std::string key : {"core:1", "core:1:exp"})
                box.server(i).command({"SET", key, std::to_string(seconds_from_now(1000)), "EX", "1000"});
        }
        for (const std::vector<std::string>& command : {std::vector<std::string>{"check", "core:1:exp"},
                                                        {"check", "core:absent:exp"},
                                                        {"headers", "core:1:exp"},
                                                        {"explain", "core:1:exp"},
                                                        {"compare", "core:1:exp"},
                                                        {"watch", "core:1:exp", "--rounds", "1"},
                                                        {"locate", "core:1:exp"}}) {
            const auto result = box.run(command);
            const std::string window = contains(command[1], "absent") ? "'core:absent'" : "'core:1'";
            INFO(command.front() << ": " << result.err << result.out);
            CHECK(contains(result.err, "looks like the expiry half of " + window + ", and both halves live where " +
                                           window + " does"));
            CHECK(contains(result.err, "ask for " + window + " instead"));
        }
        for (const std::string command : {"check", "explain"}) {
            for (const std::string key : {"core:1:exp", "core:absent:exp"}) {
                const auto result = box.run({command, key, "--exit-status", "--json"});
                INFO(command << " " << key << ": " << result.err << result.out);
                CHECK(result.code == 7);
                CHECK(contains(result.out, "\"complete\":false"));
                CHECK(contains(result.out, "a key that was named is a half of a window"));
            }
        }
    }
    WrittenDeployment box(kFree);
    box.set_window("core:1:exp", "7", seconds_from_now(1000));
    for (const std::string command : {"check", "explain"}) {
        const auto own = box.run({command, "core:1:exp", "--exit-status"});
        INFO(own.err);
        CHECK(own.code == 0);
        CHECK_FALSE(contains(own.err, "half"));
    }
}

TEST_CASE("a line that ends or begins with a blank is named once, since the blank is part of the key") {
    const WrittenDeployment box(kFree);
    for (const std::string text : {"core:1\ncore:2 \ncore:3 \n", "core:1\n core:2\ncore:3 \n"}) {
        const auto result = box.run_with_input({"check", "-", "--input", "keys", "-o", "name"}, text);
        INFO(result.err);
        CHECK(result.code == 0);
        CHECK(result.out == text);
        const bool ends = contains(text, "2 ");
        CHECK(contains(result.err, ends ? "standard input, line 2: key 'core:2 ' ends with a blank"
                                        : "standard input, line 2: key ' core:2' begins with a blank"));
        CHECK_FALSE(contains(result.err, "line 3"));
    }
    CHECK_FALSE(contains(box.run_with_input({"check", "-"}, "core:1\ncore:2\n").err, "blank"));
    CHECK_FALSE(contains(box.run_with_input({"check", "-", "-0"}, std::string("core:2 \0", 8)).err, "blank"));
}

// A limited client was told to be allowed for a blank that came along with the paste.
TEST_CASE("an argument that pasting has made another name is told of, since its window is not there") {
    const WrittenDeployment box(kFree);
    const auto said = [&box](const std::vector<std::string>& words) {
        const auto result = box.run(words);
        CHECK(result.code == 0);
        return result.err;
    };
    CHECK(contains(said({"check", "core:1 "}), "key 'core:1 ' ends with a blank, which is part of its name"));
    CHECK(contains(said({"check", " core:1"}), "key ' core:1' begins with a blank"));
    CHECK(contains(said({"explain", "core:1\n"}), "ends with a control character"));
    CHECK(contains(said({"check", "core:1,core:2"}), "key 'core:1,core:2' is one name with commas in it"));
    CHECK(contains(said({"client", "\"alice\""}), "a client that is named stands in quotes"));
    CHECK(contains(said({"client", "alice "}), "a client that is named ends with a blank"));
    for (const std::string key : {"core:1", "core:1,2", "core:a b"}) CHECK(said({"check", key}).empty());
}
