// How throttles are named: on the command line, by lines and rows of standard input, and under other policies.
#include <string>
#include <vector>

#include "cli/knobs_deployment.h"
#include "cli/written_deployment.h"
#include "support/catch.h"

using namespace ratectl::test;
using nlohmann::json;

// The keys that -o name prints were taken for names, and rows were refused with a flag that is not there.
TEST_CASE("what a list of throttles prints is read back by every command of throttles") {
    KnobsDeployment box;
    box.tune("a", "9");
    box.tune("b", "9");
    for (const std::string format : {"name", "ndjson", "csv", "json", "tsv"}) {
        auto listed = box.run({"throttle", "list", "-o", format}).out;
        INFO(format << listed);
        CHECK(box.rows({"check", "-"}, listed).size() == 2);
        CHECK(box.rows({"throttle", "show", "-"}, listed).at(1).at("rps") == "9");
        CHECK(box.rows({"knobs", "get", "-"}, listed).size() == 2);
        CHECK(box.run({"knobs", "stop", "-", "-y"}, listed).code == 0);
        CHECK(box.knobs("a") == "rps 0 burst 1 window 5");
        CHECK(box.run({"knobs", "set", "-", "rps=9", "-y"}, listed).code == 0);
        CHECK(box.knobs("b") == "rps 9 burst 1 window 5");
        box.put("a", "3");
        listed = box.run({"throttle", "list", "-o", format}).out;  // rows guard what they saw
        CHECK(box.run({"throttle", "reset", "-", "-y"}, listed).code == 0);
        CHECK(box.count("throttle:a") == "0");
        CHECK(box.count("throttle:throttle:a:knobs") == "0");
    }
    const auto listed = box.run({"throttle", "list", "-o", "name"}).out;
    CHECK(box.run({"throttle", "delete", "-", "-y"}, listed).code == 0);
    CHECK((box.count("throttle:a:knobs") == "0" && box.count("throttle:b:knobs") == "0"));
    // A row of another policy's key is no throttle.
    const auto other = box.run({"knobs", "stop", "-", "-y"}, "{\"key\":\"core:x\"}\n");
    INFO(other.err);
    CHECK(other.code == 2);
    CHECK(box.count("core:x:knobs") == "0");
}

TEST_CASE("changes of throttles ask about throttles and are refused before their names are read") {
    WrittenDeployment box(
        "writes = \"confirm\"\n[[deployments.box.policies]]\nname = \"throttles\"\nkey = \"throttle:{client}\"\n"
        "scheme = \"limitlion\"\nlimit = 40\nperiod = \"8s\"\n");
    for (const std::vector<std::string>& words : {std::vector<std::string>{"knobs", "stop", "a", "b"},
                                                  {"knobs", "unset", "a", "b"},
                                                  {"throttle", "reset", "a", "b"}}) {
        const auto asked = box.run(words);
        INFO(asked.err);
        CHECK(asked.code == 7);
        CHECK(contains(asked.err, "2 throttles"));
    }
    CHECK(box.run({"knobs", "stop", "a", "b", "-y", "--op-id", "HALT"}).code == 0);
    CHECK(contains(box.run({"undo", "HALT"}).err, "2 throttles"));
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"knobs", "stop", "-"}, {"knobs", "unset", "-"}, {"throttle", "delete", "-"}}) {
        auto arguments = words;
        arguments.push_back("--read-only");
        const auto refused = box.run_with_input(arguments, "rps=4\n");
        INFO(refused.err);
        CHECK(refused.code == 7);
        CHECK(contains(refused.err, "read-only"));
    }
}

// The hint was at --set, which these commands do not have.
TEST_CASE("a policy whose keys one name does not fill is refused with what helps") {
    LimiterDeployment box(
        "[[deployments.box.policies]]\nname = \"routes\"\nkey = \"throttle:{route}:{client}\"\n"
        "scheme = \"limitlion\"\nlimit = 40\nperiod = \"8s\"\n");
    box.server().command({"HSET", "throttle:search:a:knobs", "rps", "2", "burst", "3", "window", "5"});
    for (const std::vector<std::string>& words : {std::vector<std::string>{"throttle", "show", "a"},
                                                  {"throttle", "reset", "a"},
                                                  {"throttle", "delete", "-"},
                                                  {"knobs", "get", "a"},
                                                  {"knobs", "stop", "a"},
                                                  {"governor", "explain", "a"}}) {
        auto arguments = words;
        arguments.insert(arguments.end(), {"--policy", "routes"});
        const auto refused = box.run(arguments);
        INFO(words.front() << refused.err);
        CHECK(refused.code == 2);
        CHECK_FALSE(contains(refused.err, "--set"));
        CHECK(contains(refused.err, "--key 'throttle:{client}'"));
    }
    CHECK(box.rows({"throttle", "list"}).size() == 1);
    CHECK(box.run({"throttle", "show", "search:a", "--scheme", "limitlion", "--key", "throttle:{client}"}).code == 0);
}

TEST_CASE("keys of an earlier policy are no throttles of a policy that every key would match") {
    LimiterDeployment box(
        "[[deployments.box.policies]]\nname = \"first\"\nkey = \"first:{client}\"\nlimit = 40\nperiod = \"8s\"\n"
        "[[deployments.box.policies]]\nname = \"throttles\"\nkey = \"{client}\"\n"
        "scheme = \"limitlion\"\nlimit = 40\nperiod = \"8s\"\n");
    for (const std::string key : {"first:x:knobs", "first::knobs", "q:knobs", ":knobs"})
        box.server().command({"HSET", key, "rps", "2", "burst", "3", "window", "5"});
    const auto listed = box.rows({"throttle", "list"});
    INFO(listed.dump());
    REQUIRE(listed.size() == 1);
    CHECK(listed.at(0).at("name") == "q");
}

// All of them but reset answered as if nothing had been named, or turned the throttle of the other policy.
TEST_CASE("a throttle that an earlier policy takes is left out aloud and never written under another") {
    LimiterDeployment box(
        "[[deployments.box.policies]]\nname = \"special\"\nkey = \"throttle:api:{client}\"\n"
        "scheme = \"limitlion\"\nlimit = 40\nperiod = \"8s\"\n"
        "[[deployments.box.policies]]\nname = \"all\"\nkey = \"throttle:{client}\"\n"
        "scheme = \"limitlion\"\nlimit = 40\nperiod = \"8s\"\n");
    const std::string knobs = "throttle:api:v:knobs";
    box.server().command({"HSET", knobs, "rps", "50", "burst", "1", "window", "5"});
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"throttle", "show", "api:v"},
          {"throttle", "reset", "api:v"},
          {"throttle", "delete", "api:v"},
          {"knobs", "get", "api:v"},
          {"knobs", "set", "api:v", "rps=4"},
          {"knobs", "stop", "api:v"},
          {"knobs", "unlimited", "api:v"},
          {"knobs", "unset", "api:v"},
          {"governor", "explain", "api:v"},
          {"governor", "step", "api:v", "--load-command", "echo 9", "--set-point", "2", "--max", "200", "--apply"}}) {
        auto arguments = words;
        arguments.insert(arguments.end(), {"--policy", "all"});
        const auto refused = box.run(arguments);
        INFO(words[0] << ' ' << words[1] << refused.out << refused.err);
        CHECK(refused.code == 9);
        CHECK(contains(refused.err,
                       "key 'throttle:api:v' is left out by the order of policies: policy 'special' comes before "
                       "'all' and takes it"));
    }
    CHECK(box.server().command({"HGET", knobs, "rps"}) == "50");
    CHECK(box.run({"knobs", "stop", "v", "--policy", "special"}).code == 0);
    CHECK(box.server().command({"HGET", knobs, "rps"}) == "0");
    // The others that are named are shown.
    CHECK(box.rows({"throttle", "show", "api:v", "b", "--policy", "all"}).size() == 1);
}

// The hint was at --match, which none of them has.
TEST_CASE("a pattern in the place of a throttle's name is answered with a hint that these commands can follow") {
    KnobsDeployment box;
    for (const std::vector<std::string>& words : {std::vector<std::string>{"throttle", "show", "lp*"},
                                                  {"throttle", "reset", "lp*"},
                                                  {"throttle", "delete", "lp*"},
                                                  {"knobs", "get", "lp*"},
                                                  {"knobs", "unset", "lp*"}}) {
        const auto told = box.run(words);
        INFO(words[0] << ' ' << words[1] << told.err);
        CHECK(contains(told.err, "was taken literally"));
        CHECK(contains(told.err, "`ratectl throttle list -o name`"));
        CHECK_FALSE(contains(told.err, "--match"));
    }
    CHECK(contains(box.run({"check", "throttle:lp*"}).err, "--match"));
}
