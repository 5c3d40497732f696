// A Redis Cluster as a deployment: what its table has, and what only that one has.
#include <algorithm>

#include "config_world.h"
#include "support/catch.h"

namespace ratectl::config {
namespace {

std::string cluster(const std::string& lines) { return "[deployments.c]\nkind = \"cluster\"\n" + lines + "\n"; }

TEST_CASE("a Redis Cluster is named by some of its nodes") {
    ConfigWorld world;
    const auto settings =
        world.resolve_text(cluster("nodes = [\"redis://10.0.0.1:7001\", \"redis://10.0.0.2\"]\n"
                                   "address_map = { \"10.1.0.1:6379\" = \"127.0.0.1:7001\" }\n"
                                   "networks = [\"10.0.0.0/8\", \"fd00::/8\"]\n"
                                   "username = \"bob\""));
    CHECK(settings.kind == DeploymentKind::cluster);
    REQUIRE(settings.cluster.nodes.size() == 2);
    CHECK(settings.cluster.nodes[0].port == 7001);
    CHECK(settings.cluster.nodes[1].credentials.username == "bob");
    CHECK(settings.cluster.addresses.reached({"10.1.0.1", 6379}) == domain::HostPort{"127.0.0.1", 7001});
    CHECK(settings.cluster.networks.size() == 2);
    CHECK(settings.shards.empty());
    CHECK(settings.scan_from.which == domain::ReadFrom::Which::primary);
    const auto shown = settings.shown();
    const auto has = [&](const std::string& name, const std::string& value) {
        return std::ranges::find(shown, std::pair(name, value)) != shown.end();
    };
    CHECK(has("kind", "cluster"));
    CHECK(has("nodes", "redis://10.0.0.1:7001 redis://10.0.0.2:6379"));
    CHECK(has("address_map", "10.1.0.1:6379 = 127.0.0.1:7001"));
    CHECK(has("networks", "10.0.0.0/8 fd00::/8"));
}

TEST_CASE("what a Redis Cluster cannot have is refused where it stands") {
    ConfigWorld world;
    const std::string nodes = "nodes = [\"redis://10.0.0.1\"]\n";
    struct Row {
        std::string lines;
        const char* what;
    };
    for (const auto& [lines, what] :
         {Row{"", "needs at least one node"}, Row{"nodes = [\"redis://10.0.0.1/2\"]", "has no dbs to choose among"},
          Row{"nodes = [\"unix:///run/redis.sock\"]", "has a host and a port"},
          Row{nodes + "sharding = \"modulo\"", "only shards have a rule of sharding"},
          Row{nodes + "[[deployments.c.shards]]\nprimary = \"redis://a\"", "not shards of the configuration's own"},
          Row{nodes + "networks = [\"10.0.0.0/40\"]", "is not a network"},
          Row{nodes + "address_map = { \"a:1\" = \"b\" }", "both have a port"},
          Row{nodes + "address_map = { \"a\" = 5 }", "must have texts"}}) {
        INFO(lines);
        const auto error = world.error_of_text(cluster(lines));
        CHECK(error.code == support::ExitCode::configuration);
        CHECK(contains(error.message, what));
    }
    Overrides overrides;
    overrides.sharding = "modulo";
    const auto flag = world.error_of_text(cluster(nodes), overrides);
    CHECK(flag.code == support::ExitCode::usage);
    CHECK(flag.message == "flag --sharding: only shards have a rule of sharding");
    CHECK(contains(flag.hint, "a Redis Cluster tells which node has a key"));
    const auto error = world.error_of_text(
        "[deployments.c]\nnodes = [\"redis://a\"]\n[[deployments.c.shards]]\nprimary = \"redis://a\"\n");
    CHECK(contains(error.message, "only a Redis Cluster has nodes"));
}

}  // namespace
}  // namespace ratectl::config
