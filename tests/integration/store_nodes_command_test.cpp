// ratectl nodes on real servers: a row for each, the dead ones included.
#include "integration/store_fixture.h"
#include "support/contains.h"
#include "support/run_ratectl.h"

namespace ratectl::test {
namespace {

std::string config_of(const StoreFixture& shards) {
    std::string text =
        "[deployments.test]\nkind = \"shards\"\nsharding = \"modulo\"\nwrites = \"allow\"\ntimeout = \"500ms\"\n";
    for (const auto& shard : shards.topology.shards) {
        text +=
            "[[deployments.test.shards]]\nname = \"" + shard.name + "\"\nprimary = \"" + shard.primary.url() + "\"\n";
        text += "replicas = [";
        for (const auto& replica : shard.replicas) text += "\"" + replica.url() + "\",";
        text += "]\n";
    }
    return text;
}

RunResult nodes(const StoreFixture& shards, std::vector<std::string> arguments) {
    sandbox::TemporaryFolder folder = sandbox::TemporaryFolder::make("/tmp", "ratectl-test").value();
    const std::string path = folder.path() + "/ratectl.toml";
    if (FILE* file = fopen(path.c_str(), "w")) {
        fputs(config_of(shards).c_str(), file);
        fclose(file);
    }
    arguments.insert(arguments.begin(), {"--config", path, "nodes"});
    return run_ratectl(arguments);
}

TEST_CASE("nodes lists each server with its role and exits 0 when all answer") {
    StoreFixture shards(1, 1);
    const auto run = nodes(shards, {"-o", "csv", "--columns", "shard,node,configured_role,role,state,link"});
    CHECK(run.code == 0);
    CHECK(contains(run.out, "alpha," + shards.primaries[0]->endpoint().address() + ",primary,primary,ok,\n"));
    CHECK(contains(run.out, "alpha," + shards.replicas_of[0][0]->endpoint().address() + ",replica,replica,ok,up\n"));
}

TEST_CASE("nodes prints a dead server as a failed row and exits 9 or 4 when none answers") {
    StoreFixture shards(2);
    shards.primaries[0]->kill();
    auto run = nodes(shards, {"-o", "csv", "--columns", "shard,state,version"});
    CHECK(run.code == 9);
    CHECK(contains(run.out, "alpha,failed,\n"));
    CHECK(contains(run.out, "beta,ok,"));
    CHECK(contains(run.err, shards.primaries[0]->endpoint().address()));
    CHECK(nodes(shards, {"--shard", "beta"}).code == 0);
    CHECK(nodes(shards, {"--shard", "gamma"}).code == 2);
    shards.primaries[1]->kill();
    CHECK(nodes(shards, {}).code == 4);
}

TEST_CASE("nodes warns of a server whose role is not the configured one") {
    StoreFixture shards(1, 1);
    std::swap(shards.topology.shards[0].primary, shards.topology.shards[0].replicas[0]);
    const auto run = nodes(shards, {});
    CHECK(contains(run.out, "wrong-role"));
    CHECK(contains(run.err, "configured as primary, but it is a replica of"));
    CHECK(contains(run.err, "configured as replica, but it is a primary"));
}

}  // namespace
}  // namespace ratectl::test
