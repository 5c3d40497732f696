// What an undo refuses as a whole, whom it asks, and servers that are no longer those that were changed.
#include "cli/recorded_box.h"
#include "support/contains.h"

using namespace ratectl::test;

TEST_CASE("several windows are put back after a question") {
    RecordedBox box("writes = \"confirm\"");
    for (const std::string key : {"core:1", "core:2"}) box.set_window(key, "7", seconds_from_now(1000));
    REQUIRE(box.run({"reset", "core:1", "core:2", "-y"}).code == 0);
    const auto op = box.newest();
    const auto refused = box.run({"undo", op});
    CHECK(refused.code == 7);
    CHECK(contains(refused.err, "put back 2 windows of deployment 'box'"));
    CHECK(box.run({"undo", op, "-y", "--max-keys", "1"}).code == 7);
    CHECK(box.run({"undo", op, "-y", "--expect", "3"}).code == 7);
    CHECK(box.halves() == "0");
    CHECK(box.run({"undo", op + "/1"}).code == 0);
    CHECK(box.run({"undo", op, "-y", "--expect", "2"}).code == 0);
    CHECK(box.halves() == "4");
}

TEST_CASE("an undo obeys read only runs required reasons and protected keys") {
    RecordedBox box("writes = \"allow\"\nrequire_reason = true");
    for (const std::string nothing : {" ", "\t \n"}) CHECK(box.run({"reset", "core:1", "--reason", nothing}).code == 7);
    box.set_window("core:1", "7", seconds_from_now(1000));
    REQUIRE(box.run({"reset", "core:1", "--reason", "ticket 1"}).code == 0);
    const auto op = box.newest();
    CHECK(box.run({"undo", op}).code == 7);
    CHECK(box.run({"undo", op, "--reason", "ticket 2", "--read-only"}).code == 7);
    CHECK(box.halves() == "0");
    CHECK(box.run({"undo", op, "--reason", "ticket 2"}).code == 0);
    const auto row = box.rows({"history", op + "-undo"}).at(0);
    CHECK(row.at("because") == "ticket 2");
    CHECK(row.at("undoes") == op);
    CHECK(row.at("command") == "undo");
    CHECK(row.at("after_used") == 7);
}

TEST_CASE("an undo cannot be taken back itself") {
    RecordedBox box;
    box.set_window("core:1", "7", seconds_from_now(1000));
    const auto op = box.change({"reset", "core:1"});
    REQUIRE(box.run({"undo", op}).code == 0);
    const auto refused = box.run({"undo", op + "-undo"});
    CHECK(refused.code == 7);
    CHECK(contains(refused.err, "cannot be taken back"));
    CHECK(box.run({"undo", op + "-undo"}, box.elsewhere()).code == 7);
    CHECK(box.used("core:1") == "7");
}

TEST_CASE("operations that nobody knows and more than one at once are refused") {
    RecordedBox box;
    box.set_window("core:1", "7", seconds_from_now(1000));
    const auto op = box.change({"reset", "core:1"});
    const auto unknown = box.run({"undo", op.substr(0, 12)});
    CHECK(unknown.code == 1);
    CHECK(contains(unknown.err, "did you mean " + op));
    CHECK(box.run({"undo"}).code == 2);
    CHECK(box.run({"undo", "core:1"}).code == 2);
    CHECK(box.run({"undo", op, "other"}).code == 2);
    CHECK(box.run({"undo", op + "/0"}).code == 2);
    CHECK(box.halves() == "0");
}

// It ended with 1, as if the dead shard had been asked, and without a document.
TEST_CASE("an unknown operation is not said to be none while a shard cannot be asked") {
    RecordedBox box("writes = \"allow\"", 2);
    CHECK(box.run({"undo", "unheard-of"}).code == 1);
    box.server(1).kill();
    const auto result = box.run({"undo", "unheard-of", "-o", "json"});
    INFO(result.err);
    CHECK(result.code == 9);
    CHECK(contains(result.err, "there is no operation 'unheard-of'"));
    CHECK(contains(result.err, box.server(1).endpoint().address()));
    const auto document = parse_json(result.out);
    CHECK(document.at("schema") == "ratectl.writes.v1");
    CHECK(document.at("rows").empty());
    CHECK(document.at("complete") == false);
    CHECK(document.at("failures").size() == 1);
    CHECK(document.at("failures").at(0).at("shard") == "beta");
    CHECK(box.run({"undo", "unheard-of/2", "-n"}).code == 9);
}

TEST_CASE("another deployment's operation needs force") {
    RecordedBox box;
    box.set_window("core:1", "7", seconds_from_now(1000));
    const auto op = box.change({"reset", "core:1"});
    std::string text;
    std::ifstream in(box.config_file());
    for (std::string line; std::getline(in, line);) {
        if (const auto at = line.find("deployments.box"); at != std::string::npos)
            line.replace(at, 15, "deployments.other");
        text += line + "\n";
    }
    std::ofstream(box.file("other.toml")) << text;
    const auto refused = box.run({"undo", op, "-c", box.file("other.toml")});
    CHECK(refused.code == 7);
    CHECK(contains(refused.err, "deployment 'box'"));
    CHECK(box.halves() == "0");
    CHECK(box.run({"undo", op, "-c", box.file("other.toml"), "--force"}).code == 0);
    CHECK(box.used("core:1") == "7");
}

TEST_CASE("a server that was restarted since needs force") {
    RecordedBox box;
    box.set_window("core:1", "7", seconds_from_now(1000));
    const auto op = box.change({"reset", "core:1"});
    box.server().kill();
    box.server().start_again();
    const auto refused = box.rows({"undo", op}, 7);
    CHECK(refused.at(0).at("reason") == "other-server");
    CHECK(box.halves() == "0");
    CHECK(box.rows({"undo", op, "--force"}).at(0).at("status") == "applied");
    CHECK(box.used("core:1") == "7");
}

TEST_CASE("a server that is gone is said once and not once a key") {
    RecordedBox box;
    std::vector<std::string> increment{"increment"};
    for (int i = 0; i < 30; ++i) increment.push_back("core:" + std::to_string(i));
    const auto op = box.change(increment);
    box.server().kill();
    const auto address = box.server().endpoint().address();
    for (const std::string dry : {"-n", "-y"}) {
        const auto result = box.run({"undo", op, dry});
        INFO(result.err);
        CHECK(result.code == 4);
        CHECK(times(result.err, address) == 1);
        CHECK_FALSE(contains(result.err, "further problems"));
        increment.push_back(dry);
        CHECK(times(box.run(increment).err, address) == 1);
        increment.pop_back();
    }
}

TEST_CASE("a shard at another address needs force") {
    RecordedBox box;
    RedisServer replacement;
    box.set_window("core:1", "7", seconds_from_now(1000));
    const auto op = box.change({"reset", "core:1"});
    box.write_alone("moved.toml", replacement.endpoint());
    CHECK(box.rows({"undo", op, "-c", box.file("moved.toml")}, 7).at(0).at("reason") == "other-server");
    CHECK(replacement.command({"DBSIZE"}) == "0");
    CHECK(box.rows({"undo", op, "-c", box.file("moved.toml"), "--force"}).at(0).at("status") == "applied");
    CHECK(replacement.command({"GET", "core:1"}) == "7");
}

// It was `other-server`, with the advice to use --force.
TEST_CASE("a server at another address that does not answer is not called another one") {
    RecordedBox box;
    RedisServer gone;
    box.set_window("core:1", "7", seconds_from_now(1000));
    const auto op = box.change({"reset", "core:1"});
    box.write_alone("moved.toml", gone.endpoint());
    gone.kill();
    const auto result = box.run({"undo", op, "-c", box.file("moved.toml"), "--json"});
    INFO(result.err);
    CHECK(result.code == 4);
    CHECK_FALSE(contains(result.err, "--force"));
    const auto row = parse_json(result.out).at("rows").at(0);
    CHECK(row.at("status") == "failed");
    CHECK(row.at("node") == gone.endpoint().address());
    CHECK(box.rows({"undo", op}).at(0).at("status") == "applied");
}

// Every undo after a failover needed --force, which also lets a stranger's server through.
TEST_CASE("a promoted replica that has the operation needs no force") {
    RecordedBox box;
    RedisServer replica;
    replica.make_replica_of(box.server());
    box.write_alone("promoted.toml", replica.endpoint());
    const auto reset_at = seconds_from_now(1000);
    for (const auto* key : {"core:1", "core:2", "core:3"}) box.set_window(key, "7", reset_at);
    const auto reset = box.change({"reset", "core:1"});
    const auto increment = box.change({"increment", "core:2"});
    replica.await_replication_of(box.server());
    // Neither the third change nor its key gets there.
    replica.command({"REPLICAOF", "NO", "ONE"});
    const auto late = box.change({"increment", "core:3"});
    box.server().kill();

    CHECK(box.rows({"undo", reset, "-c", box.file("promoted.toml")}).at(0).at("status") == "applied");
    CHECK(replica.command({"GET", "core:1"}) == "7");
    CHECK(box.rows({"undo", increment, "-c", box.file("promoted.toml")}).at(0).at("status") == "applied");
    CHECK(replica.command({"GET", "core:2"}) == "7");
    CHECK(box.rows({"undo", late, "-c", box.file("promoted.toml")}, 7).at(0).at("reason") == "other-server");
    CHECK(replica.command({"GET", "core:3"}) == "7");
}

TEST_CASE("an undo that a failover has lost is not said to be done nor sent again") {
    RecordedBox box;
    RedisServer replica;
    replica.make_replica_of(box.server());
    box.write_alone("promoted.toml", replica.endpoint());
    box.set_window("core:1", "7", seconds_from_now(1000));
    const auto increment = box.change({"increment", "core:1", "--amount", "3"});
    replica.await_replication_of(box.server());
    replica.command({"REPLICAOF", "NO", "ONE"});
    box.change({"undo", increment});
    const auto again = box.rows({"undo", increment, "-c", box.file("promoted.toml")}, 8).at(0);
    CHECK(again.at("status") == "unknown");
    CHECK(again.at("reason") == "earlier-attempt");
    CHECK(replica.command({"GET", "core:1"}) == "10");
}

TEST_CASE("another database of the same server needs force") {
    RecordedBox box;
    box.set_window("core:1", "7", seconds_from_now(1000));
    const auto op = box.change({"reset", "core:1"});
    std::ofstream(box.file("second.toml")) << "[deployments.box]\nkind = \"shards\"\nwrites = \"allow\"\n"
                                              "[[deployments.box.shards]]\nname = \"alpha\"\nprimary = \""
                                           << box.server().endpoint().url() << "/2\"\n";
    CHECK(box.rows({"undo", op, "-c", box.file("second.toml")}, 7).at(0).at("reason") == "other-server");
    REQUIRE(box.run({"increment", "core:2", "-c", box.file("second.toml"), "--period", "1h"}).code == 0);
    const std::string node = box.rows({"history", "core:2"}).at(0).at("node");
    CHECK(node == box.server().endpoint().address() + "/2");
    CHECK(box.rows({"undo", box.newest(), "-c", box.file("second.toml")}).at(0).at("status") == "applied");
}

TEST_CASE("an undo that cannot be recorded is not sent") {
    RecordedBox box;
    box.set_window("core:1", "7", seconds_from_now(1000));
    const auto op = box.change({"reset", "core:1"});
    // The operation is found on the server; the journal is a full device's.
    CHECK(box.run({"undo", op, "--journal", "/dev/full"}).code == 10);
    CHECK(box.halves() == "0");
}
