// Sentinels that know a part, ask for a password, or are too few: what is shown all the same, what is not written, and
// how each of them is checked.
#include <sys/stat.h>

#include <fstream>

#include "sandbox/folder.h"
#include "support/catch.h"
#include "support/contains.h"
#include "support/json.h"
#include "support/require.h"
#include "support/run_ratectl.h"
#include "support/sentinels.h"

using namespace ratectl::test;
using nlohmann::json;

namespace {

/// Two shards under three sentinels, and a configuration that is written anew for each case.
class Box {
public:
    void write(const std::string& settings, const std::string& before = {}) const {
        std::ofstream(config()) << "[deployments.box]\nwrites = \"allow\"\nsharding = \"modulo\"\n"
                                << before << settings
                                << "[[deployments.box.policies]]\nname = \"core\"\nkey = \"core:{client}\"\n"
                                   "limit = 100000\nperiod = \"1h\"\n";
    }
    RunResult run(const std::vector<std::string>& arguments) const {
        RunOptions options;
        options.environment["RATECTL_CONFIG"] = config();
        options.environment["XDG_STATE_HOME"] = folder_.path() + "/state";
        return run_ratectl(arguments, options);
    }
    std::string config() const { return folder_.path() + "/ratectl.toml"; }
    Sentinels& world() { return world_; }
    std::string address(std::size_t sentinel) { return world_.sentinel(sentinel).endpoint().address(); }

private:
    Sentinels world_{2};
    ratectl::sandbox::TemporaryFolder folder_{require(ratectl::sandbox::TemporaryFolder::make("/tmp", "ratectl-test"))};
};

std::string replaced(std::string text, const std::string& what, const std::string& by) {
    text.replace(text.find(what), what.size(), by);
    return text;
}

std::vector<json> sentinel_rows(const RunResult& result) {
    std::vector<json> rows;
    const auto document = parse_json(result.out);
    for (const auto& row : document.at("rows")) {
        if (row.at("check") == "sentinel") rows.push_back(row);
    }
    return rows;
}

void check_unknown_name(Box& box) {
    const auto settings = box.world().settings();
    box.write(replaced(settings, "\"m2\"", "\"m22\""));
    const auto looked = box.run({"check", "core:1", "core:2", "core:3", "core:4", "-o", "json"});
    INFO(looked.err << looked.out);
    CHECK(looked.code == 9);
    CHECK(contains(looked.err, "shard 'beta' (address not known): the sentinels watch no master 'm22'"));
    CHECK(contains(looked.err, "did you mean 'm2'? they watch m1 and m2"));
    CHECK_FALSE(contains(looked.err, "26379"));
    CHECK(contains(looked.out, box.world().primary(0).endpoint().address()));
    CHECK(box.run({"scan"}).code == 9);
    const auto why = std::string("the sentinels watch no master 'm22' (its `master` in the configuration)");
    for (const auto& words : std::vector<std::vector<std::string>>{
             {"check", "core:1", "core:2", "core:3", "core:4", "-o", "json"}, {"nodes", "-o", "json"}}) {
        const auto told = box.run(words);
        INFO(told.out << told.err);
        CHECK(told.code == 9);
        const auto document = parse_json(told.out);
        CHECK(contains(document.at("failures").dump(), why));
        for (const auto& row : document.at("rows")) {
            CHECK(row.at("error").is_null() == (row.at("shard") != "beta"));
            if (row.at("shard") == "beta") CHECK(contains(row.at("error").dump(), why));
        }
        CHECK(contains(document.at("rows").dump(), "\"beta\"") == (words.front() == "nodes"));
    }
    const auto checked = box.run({"config", "check", "--connect", "-o", "json"});
    const auto rows = sentinel_rows(checked);
    REQUIRE(rows.size() == 3);
    CHECK(rows[0].at("result") == "warning");
    CHECK(contains(rows[0].at("detail").get<std::string>(), "watches no master m22; it watches m1, m2"));

    box.write(replaced(replaced(settings, "\"m2\"", "\"m22\""), "\"m1\"", "\"m11\""));
    const auto none = box.run({"check", "core:1", "core:2"});
    INFO(none.err);
    CHECK(none.code == 3);
    CHECK(times(none.err, "the sentinels watch no master") == 1);
    box.write(settings);
}

void check_password(Box& box) {
    for (std::size_t i = 0; i < box.world().size(); ++i)
        REQUIRE(box.world().sentinel(i).command({"ACL", "SETUSER", "default", "resetpass", ">xyzzy"}) == "OK");
    for (const std::string login : {"", "sentinel_login = { password = \"wrong-one\" }\n"}) {
        box.write(box.world().settings(), login);
        REQUIRE(::chmod(box.config().c_str(), 0600) == 0);
        const auto looked = box.run({"check", "core:1", "core:2", "core:3", "core:4"});
        INFO(looked.err);
        CHECK(looked.code == 5);
        CHECK(times(looked.err, "no sentinel tells where the servers are") == 1);
        CHECK(times(looked.err, "sentinel_login") == 1);
        CHECK_FALSE(contains(looked.err, "wrong-one"));
        const auto checked = box.run({"config", "check", "--connect", "-o", "json"});
        INFO(checked.out << checked.err);
        CHECK(checked.code == 5);
        CHECK_FALSE(contains(checked.out + checked.err, "REDISCLI_AUTH"));
        const auto rows = sentinel_rows(checked);
        REQUIRE(rows.size() == 3);
        CHECK(rows[0].at("result") == "failed");
        for (const auto& row : rows) CHECK(contains(row.at("detail").get<std::string>(), "sentinel_login = { ... }"));
        CHECK(box.run({"increment", "core:1"}).code == 5);
    }
}

}  // namespace

TEST_CASE("a master that sentinels do not know leaves the other shards shown, and a refused login is one of access") {
    Box box;
    check_unknown_name(box);
    const auto sound = box.run({"config", "check", "--connect", "-o", "json"});
    CHECK(sound.code == 0);
    const auto rows = sentinel_rows(sound);
    REQUIRE(rows.size() == 3);
    CHECK(rows[2].at("detail") == "sentinel " + box.address(2) + " answers, watches m1, m2");

    const auto located = box.run({"locate", "core:1", "core:2", "core:3", "core:4"});
    CHECK(located.code == 0);
    CHECK(contains(located.out, box.world().primary(0).endpoint().address()));
    CHECK(contains(located.out, box.world().primary(1).endpoint().address()));

    const auto server = box.world().primary(0).endpoint().url();
    const auto settings = box.world().settings();
    const auto first = box.world().sentinel(0).endpoint().url();
    box.write(replaced(settings, first, server));
    const auto odd = box.run({"config", "check", "--connect", "-o", "json"});
    CHECK(odd.code == 9);
    CHECK(contains(sentinel_rows(odd).at(0).at("detail").get<std::string>(), "is a Redis server, and no sentinel"));
    box.write(replaced(settings, first, box.world().sentinel(1).endpoint().url()));
    const auto twice = box.run({"config", "check"});
    CHECK(twice.code == 3);
    CHECK(contains(twice.err, box.address(1) + " is listed twice"));
    check_password(box);
}

TEST_CASE("on the word of a minority of sentinels windows are shown with a warning, and nothing is written") {
    Box box;
    box.write(box.world().settings());
    REQUIRE(box.run({"increment", "core:1", "core:2"}).code == 0);
    box.world().sentinel(0).kill();
    CHECK(box.run({"increment", "core:1", "core:2"}).code == 0);
    box.world().sentinel(2).kill();
    const auto looked = box.run({"check", "core:1", "core:2"});
    INFO(looked.err);
    CHECK(looked.code == 0);
    CHECK(times(looked.err, "only 1 of 3 sentinels tells where the servers are") == 1);
    CHECK(contains(looked.err, box.address(0) + " and " + box.address(2) + ": cannot connect: connection refused"));
    const auto written = box.run({"increment", "core:1", "core:2", "core:3", "core:4"});
    INFO(written.err << written.out);
    CHECK(written.code == 4);
    CHECK(contains(written.err, "only 1 of 3 sentinels tells that this is the primary"));
    CHECK(contains(written.err, "nothing was written"));
    for (std::size_t shard = 0; shard < 2; ++shard) CHECK(box.world().primary(shard).command({"GET", "core:1"}) != "3");
    CHECK(box.run({"reset", "core:1", "-y"}).code == 4);
    const auto checked = box.run({"config", "check", "--connect", "-o", "json"});
    CHECK(checked.code == 9);
    CHECK(sentinel_rows(checked).at(1).at("result") == "ok");
    CHECK(sentinel_rows(checked).at(2).at("result") == "failed");
}
