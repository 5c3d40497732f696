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
