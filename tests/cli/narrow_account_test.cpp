// Sweeps by accounts that may see the keys of some policies and nothing else.
#include "cli/written_deployment.h"
#include "support/catch.h"

using namespace ratectl::test;

namespace {

using Words = std::vector<std::string>;

const std::string kAccount = "username = \"ann\"\npassword_env = \"ACL_PASSWORD\"\n";

/// One shard with windows of three policies and a pair that is none of theirs. ann may look at and change the first two
/// policies' windows.
class NarrowAccount {
public:
    explicit NarrowAccount(const Words& policies)
        : folder_(ratectl::sandbox::TemporaryFolder::make("/tmp", "ratectl-test").value()) {
        const auto end = std::to_string(seconds_from_now(3000));
        for (const std::string key : {"app:core:1", "app:core:2", "app:search:1", "app:admin:1", "session:1"}) {
            server.command({"SET", key, "7", "EX", "3001"});
            server.command({"SET", key + ":exp", end, "EX", "3001"});
        }
        server.command({"SET", "app:admin:lone", "7"});
        REQUIRE(server.command({"ACL", "SETUSER", "ann", "reset", "on", ">secret", "+@all", "~app:core:*",
                                "~app:search:*", "~ratectl:*"}) == "OK");
        std::ofstream file(config());
        file << "[deployments.one]\nwrites = \"allow\"\n"
             << kAccount << "[[deployments.one.shards]]\nname = \"alpha\"\n"
             << "primary = \"" << server.endpoint().url() << "\"\n";
        for (const auto& name : policies) {
            file << "[[deployments.one.policies]]\nname = \"" << name << "\"\nkey = \"app:" << name
                 << ":{client}\"\nlimit = 100\nperiod = \"1h\"\n";
        }
    }

    RunResult run(const Words& arguments) const {
        RunOptions options;
        options.environment["RATECTL_CONFIG"] = config();
        options.environment["ACL_PASSWORD"] = "secret";
        options.environment["XDG_STATE_HOME"] = folder_.path() + "/state";
        return run_ratectl(arguments, options);
    }
    /// Runs it as ann; what the server was asked to SCAN for, each pattern once.
    std::string patterns_of(const Words& arguments) {
        server.command({"CONFIG", "SET", "slowlog-log-slower-than", "0", "slowlog-max-len", "10000"});
        server.command({"SLOWLOG", "RESET"});
        const auto result = run(arguments);
        INFO(result.out << result.err);
        CHECK(result.code == 0);
        return server.command({"EVAL",
                               "local seen, found = {}, {} for _, e in ipairs(redis.call('SLOWLOG', 'GET', '-1')) do "
                               "local c = e[4] if c[1] == 'SCAN' then local p = c[3] == 'MATCH' and c[4] or '*' "
                               "if not seen[p] then seen[p] = true found[#found + 1] = p end end end "
                               "return table.concat(found, ' ')",
                               "0"});
    }
    bool has(const std::string& key) { return server.command({"EXISTS", key}) == "1"; }

    RedisServer server;

private:
    std::string config() const { return folder_.path() + "/ratectl.toml"; }

    ratectl::sandbox::TemporaryFolder folder_;
};

}  // namespace

TEST_CASE("a server that will not say what it is is not called well") {
    NarrowAccount box({"core"});
    REQUIRE(box.server.command({"ACL", "SETUSER", "ann", "-info", "-role"}) == "OK");
    const auto result = box.run({"nodes", "-o", "json"});
    INFO(result.out << result.err);
    CHECK(result.code == 5);
    CHECK(contains(result.out, "\"state\":\"untold\""));
    CHECK(contains(result.out, "\"complete\":false"));
    CHECK(contains(result.err, "says neither its role nor its state to this login"));
}

// "no healthy replica; its primary is read instead" was all that was said, although no server had told what it is.
TEST_CASE("an account that may not ask for roles is told that they are unknown and which right is missing") {
    WrittenDeployment box(kAccount);
    RedisServer replica;
    replica.make_replica_of(box.server());
    box.add_replica(0, replica.endpoint());
    box.set_window("core:1", "7", seconds_from_now(3000));
    replica.await_replication_of(box.server());
    for (auto* server : {&box.server(), &replica})
        REQUIRE(server->command({"ACL", "SETUSER", "ann", "reset", "on", ">secret", "+@all", "~*", "-info", "-role"}) ==
                "OK");
    RunOptions options;
    options.environment["ACL_PASSWORD"] = "secret";
    const auto primary = box.server().endpoint().address();
    for (const Words& look : std::vector<Words>{{"scan"}, {"doctor"}, {"top"}, {"stats"}}) {
        const auto result = box.run(look, options);
        INFO(look.front() << ": " << result.err);
        CHECK(contains(result.err, "no healthy replica (" + replica.endpoint().address() + ": role unknown"));
        CHECK(contains(result.err, "; " + primary + ", known as its primary (role unknown), is read instead"));
        CHECK(contains(result.err, "grant +role; `ratectl acl reader`"));
        CHECK_FALSE(contains(result.err, "its primary is read"));
    }
    const auto by_hand = box.run({"check", "core:1", "--from", "replica"}, options);
    CHECK(by_hand.code == 4);
    CHECK(contains(by_hand.err, "role unknown"));
    CHECK(contains(box.run({"explain", "core:1"}, options).out,
                   "Server " + primary + " (role unknown) of shard 'alpha' says so"));
}

// Expiries were asked as what is left, which is no moment without the server's clock: nothing was examined.
TEST_CASE("an account without INFO and TIME has windows examined all the same") {
    NarrowAccount box({"core"});
    box.server.command({"SET", "app:core:leaked", "7"});
    box.server.command({"SET", "app:core:leaked:exp", std::to_string(seconds_from_now(3000))});
    REQUIRE(box.server.command({"ACL", "SETUSER", "ann", "-info", "-time"}) == "OK");
    for (const Words& more : std::vector<Words>{{}, {"--scheme", "express"}}) {
        Words words{"doctor", "-o", "ndjson"};
        words.insert(words.end(), more.begin(), more.end());
        const auto result = box.run(words);
        INFO(result.out << result.err);
        CHECK(contains(result.out, "not allowed: info time"));
        if (more.empty()) CHECK(contains(result.out, "\"class\":\"leaked\""));
        CHECK(result.code == 1);
    }
}

TEST_CASE("a change of two policies is carried out by an account that may see nothing but these") {
    // It scanned everything there is and looked at it, and was refused.
    NarrowAccount box({"core", "search", "admin"});
    CHECK(box.patterns_of({"reset", "--policy", "core", "--policy", "search", "-y"}) == "app:*:exp");
    CHECK_FALSE(box.has("app:core:1"));
    CHECK_FALSE(box.has("app:core:2"));
    CHECK_FALSE(box.has("app:search:1"));
    CHECK(box.has("app:admin:1"));
    CHECK(box.has("session:1"));
}

TEST_CASE("looks at two policies are answered to an account that may see nothing but these") {
    NarrowAccount box({"core", "search", "admin"});
    const std::string both = "core,search";
    for (const Words& look : std::vector<Words>{{"scan", "--policy", both},
                                                {"scan", "--policy", both, "--look", "full"},
                                                {"scan", "--policy", both, "--sort", "key"},
                                                {"stats", "--policy", both},
                                                {"compare", "--policy", both},
                                                {"explain", "--policy", both}}) {
        INFO(look.front());
        CHECK(box.patterns_of(look) == "app:*:exp");
    }
    for (const Words& look : std::vector<Words>{{"top", "--policy", both, "-o", "ndjson"},
                                                {"scan", "--policy", both, "--min-used", "1"},
                                                {"scan", "--policy", both, "--orphans"}}) {
        CHECK(box.patterns_of(look) == "app:*");
    }
    CHECK(box.patterns_of({"scan", "*", "--policy", both}) == "*:exp");
}

TEST_CASE("an account that may see the keys of all policies is not refused what others keep beside them") {
    NarrowAccount box({"core", "search"});
    box.server.command({"DEL", "app:admin:1"});
    for (const Words& run : std::vector<Words>{{"scan"},
                                               {"stats"},
                                               {"doctor"},
                                               {"top", "-o", "ndjson"},
                                               {"explain", "--all"},
                                               {"reset", "--all", "-n"}}) {
        INFO(run.front());
        box.patterns_of(run);
    }
    box.patterns_of({"reset", "--all", "-y"});
    CHECK_FALSE(box.has("app:search:1"));
    CHECK(box.has("session:1"));
}
