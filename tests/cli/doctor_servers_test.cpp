// What doctor says of the servers themselves.
#include <string>

#include "cli/doctor_box.h"
#include "sandbox/folder.h"
#include "support/catch.h"

using namespace ratectl::test;

namespace {

/// The classes that a run found, with their details.
std::map<std::string, std::string> found_by(const RunResult& result) {
    std::map<std::string, std::string> found;
    std::istringstream lines(result.out);
    for (std::string line; std::getline(lines, line);) {
        const auto row = nlohmann::json::parse(line);
        found[row.at("class").get<std::string>()] = row.at("detail").get<std::string>();
    }
    return found;
}

}  // namespace

TEST_CASE("a server that may evict windows and is nearly full is found") {
    WrittenDeployment box("");
    CHECK(found_by(box.run({"doctor", "-o", "ndjson"})).empty());
    box.server().command({"CONFIG", "SET", "maxmemory-policy", "volatile-lru"});
    CHECK(found_by(box.run({"doctor", "-o", "ndjson"})).empty());  // no limit, nothing is evicted
    box.server().command({"CONFIG", "SET", "maxmemory", "1500000"});
    const auto found = found_by(box.run({"doctor", "-o", "ndjson"}));
    CHECK(holds(found.at("can-evict"), "volatile-lru"));
    box.server().command({"CONFIG", "SET", "maxmemory-policy", "noeviction"});
    box.server().command({"CONFIG", "SET", "maxmemory", "500000"});
    CHECK(found_by(box.run({"doctor", "-o", "ndjson"})).contains("memory-near-limit"));
}

TEST_CASE("rights that a user lacks are named one by one") {
    WrittenDeployment box("username = \"reader\"\npassword_env = \"DOCTOR_PASSWORD\"");
    box.server().command({"ACL", "SETUSER", "reader", "on", ">secret", "~*", "+@all", "-evalsha", "-eval", "-pttl"});
    RunOptions options;
    options.environment["DOCTOR_PASSWORD"] = "secret";
    const auto result = box.run({"doctor", "-o", "ndjson"}, options);
    INFO(result.err);
    const auto found = found_by(result);
    CHECK(holds(found.at("scripts-denied"), "evalsha eval"));
    CHECK(holds(found.at("commands-denied"), "pttl"));
    CHECK(result.code == 1);
}

TEST_CASE("keys that a server counts and does not list are reported as masked") {
    WrittenDeployment box("");
    box.server().command({"DEBUG", "SET-ACTIVE-EXPIRE", "0"});
    for (int i = 0; i < 30; ++i) box.server().command({"SET", "core:" + std::to_string(i), "1", "PX", "1"});
    box.set_window("core:sound", "7", seconds_from_now(600));
    const auto result = box.run({"doctor", "-o", "ndjson"});
    INFO(result.err);
    CHECK(holds(found_by(result)["masked-keys"], "30 of 32 keys"));
}

TEST_CASE("a dead shard is named and the others are examined all the same") {
    WrittenDeployment box("timeout = \"500ms\"", 3);
    box.server(2).kill();
    box.server(0).command({"SET", "core:orphan", "7"});
    const auto result = box.run({"doctor", "-o", "ndjson", "--only", "orphan-counter"});
    CHECK(result.code == 9);
    CHECK(holds(result.err, "gamma"));
    CHECK(DoctorBox::findings(result.out) == DoctorBox::Findings{{"orphan-counter", "core:orphan"}});
}
