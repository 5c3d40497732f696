// Slots of a real Redis Cluster that are half on their way: every command finds each window where it is, and tells what
// is nowhere.
#include <chrono>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "cli/cluster_box.h"
#include "cli/written_deployment.h"
#include "sharding/cluster_slots.h"
#include "support/fault_proxy.h"

using namespace ratectl::test;
using ratectl::sharding::cluster_slot;

namespace {

/// A slot half on its way from node 0 to node 1, with a window at each end.
class HalfMoved {
public:
    explicit HalfMoved(std::size_t replicas_each = 0) : box(3, replicas_each) {
        slot = cluster_slot(moved);
        for (const auto& key : {moved, left}) box.cluster.set_window(key, "7", seconds_from_now(1000));
        box.cluster.open_slot(slot, 0, 1);
        for (const auto& name : {moved, moved + ":exp"}) box.cluster.move_key(name, 0, 1);
    }

    ClusterBox box;
    std::string moved = key_on(box.cluster, 0);
    std::string left = moved + "b";
    std::string nowhere = moved + "c";
    std::uint16_t slot = 0;
};

/// By a sweep with such looks, for one window that it leaves out, and says why.
void check_waited_once(const ClusterBox& box, const std::string& look, const std::string& torn,
                       const std::string& why) {
    const auto scanned = box.run({"scan", "*", "--look", look, "--timeout", "1s", "--deadline", "15s"});
    INFO(scanned.out << scanned.err);
    CHECK(scanned.code == 9);
    CHECK_FALSE(contains(scanned.err, "--deadline"));
    CHECK(contains(scanned.err, why));
    CHECK(contains(scanned.err, "left out: key '" + torn + "'\n"));
}

}  // namespace

TEST_CASE("A watched window that its slot carries to another node is the same one") {
    ClusterBox box;
    const auto key = key_on(box.cluster, 0);
    const auto slot = cluster_slot(key);
    for (const auto* end : {"", "b"}) box.cluster.set_window(key + end, "4", seconds_from_now(1000));
    std::thread mover;
    RunOptions options;
    options.environment["RATECTL_CONFIG"] = box.config_file();
    options.started = [&](int) {
        mover = std::thread([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(500));
            box.cluster.open_slot(slot, 0, 1);
            for (const std::string end : {"", ":exp"}) box.cluster.move_key(key + end, 0, 1);
            std::this_thread::sleep_for(std::chrono::milliseconds(500));
            box.cluster.close_slot(slot, 0, 1);
            box.cluster.node(1).command({"INCR", key});
        });
    };
    const auto watched = run_ratectl(
        {"watch", "--match", key + "*", "--every", "100ms", "--until", "changed", "--any", "-o", "csv"}, options);
    mover.join();
    INFO(watched.out << watched.err);
    CHECK_FALSE(contains(watched.out, "opened"));
    CHECK(contains(watched.out, "counted"));
    CHECK(contains(watched.err, "2 windows watched"));
    CHECK(contains(watched.err, ": 1 change,"));
}

TEST_CASE("Windows that came before their slot are compared and explained where they are") {
    HalfMoved half(1);
    half.box.cluster.node(3).await_replication_of(half.box.cluster.node(0));
    const auto compared = half.box.run({"compare", half.moved, half.left, "-o", "json"});
    INFO(compared.out << compared.err);
    CHECK_FALSE(contains(compared.out + compared.err, "misplaced"));
    std::string nodes;
    const auto rows = parse_json(compared.out).at("rows");
    for (const auto& row : rows)
        if (row.at("used") == 7) nodes += row.at("node").get<std::string>() + " ";
    CHECK(nodes ==
          half.box.cluster.address(1) + " " + half.box.cluster.address(0) + " " + half.box.cluster.address(3) + " ");
    for (const auto& key : {half.moved, half.left}) {
        const auto explained = half.box.run({"explain", key});
        INFO(explained.out << explained.err);
        CHECK(explained.code == 0);
        CHECK(contains(explained.out, key == half.moved ? "7 of 100 requests used" : "7 requests are used"));
    }
}

// It was the same on 1 node, whose replica was not asked, and 0.
TEST_CASE("A replica that cannot show a window before its slot has arrived is not said to agree") {
    HalfMoved half(1);
    auto& cluster = half.box.cluster;
    const auto compared = half.box.run({"compare", half.moved, "-o", "json"});
    INFO(compared.out << compared.err);
    CHECK(compared.code == 9);
    CHECK(contains(compared.err, "slot " + std::to_string(half.slot) + " has not arrived"));
    CHECK(contains(compared.err, "one node alone answered for 1 window; 1 gave no answer"));
    const auto rows = parse_json(compared.out).at("rows");
    REQUIRE(rows.size() == 2);
    CHECK(rows.at(1).at("node") == cluster.address(4));
    CHECK(rows.at(1).at("cause") == "moving");
    CHECK(rows.at(1).at("state").is_null());

    cluster.close_slot(half.slot, 0, 1);
    cluster.node(4).await_replication_of(cluster.node(1));
    const auto arrived = half.box.run({"compare", half.moved, half.left});
    INFO(arrived.err);
    CHECK(arrived.code == 0);
    CHECK(contains(arrived.err, "2 windows are the same on 2 nodes"));
}

// As those of Valkey from 8.0 do.
TEST_CASE("A replica that shows what has come before its slot is compared with its primary") {
    HalfMoved half(1);
    auto& cluster = half.box.cluster;
    FaultProxy link(cluster.node(4).endpoint());
    half.box.write("nodes = [\"" + cluster.url(0) + "\"]\naddress_map = { \"" + cluster.address(4) + "\" = \"" +
                   link.endpoint().address() + "\" }");
    link.choose([](const LinkRequest& request) {
        LinkFault fault;
        const bool ends = request.word == "EXEC";
        fault.rewrite = [ends](const std::string& reply) -> std::string {
            if (ends && reply.starts_with("-EXECABORT")) {
                const std::string nothing = "+none\r\n$0\r\n\r\n:-2\r\n:-2\r\n";
                return "*8\r\n" + nothing + nothing;
            }
            return reply.starts_with("-MOVED") ? "+QUEUED\r\n" : reply;
        };
        if (!ends && request.word != "TYPE" && request.word != "GETRANGE" && !request.word.starts_with("P"))
            fault.rewrite = {};
        return fault;
    });
    const auto compared = half.box.run({"compare", half.moved, "-o", "json"});
    link.choose({});
    INFO(compared.out << compared.err);
    CHECK(compared.code == 1);
    const auto rows = parse_json(compared.out).at("rows");
    REQUIRE(rows.size() == 2);
    CHECK(rows.at(1).at("state") == "absent");
    CHECK(rows.at(1).at("differs") == true);
}

// Windows that were met by a name alone were counted, and then not shown: "1 of 3 windows".
TEST_CASE("A sweep that looks at counters first counts what it shows") {
    HalfMoved half;
    half.box.cluster.move_key(half.left + ":exp", 0, 1);
    const auto lost = key_on(half.box.cluster, 2);
    half.box.cluster.set_window(lost, "9", seconds_from_now(1000));
    half.box.cluster.drop_slot(cluster_slot(lost));
    for (const std::vector<std::string>& order :
         {std::vector<std::string>{"scan"}, {"scan", "--top", "5"}, {"top", "-N", "5"}}) {
        auto words = order;
        words.insert(words.end(), {"--match", "{core:*", "--timeout", "2s", "-o", "name"});
        const auto result = half.box.run(words);
        INFO(result.out << result.err);
        CHECK(result.code == 9);
        CHECK(result.out == half.moved + "\n");
        CHECK(contains(result.err, "1 window on 3 shards"));
        CHECK(contains(result.err, "no node of the Redis Cluster has slot " + std::to_string(cluster_slot(lost))));
        CHECK(contains(result.err, "left out: key '" + half.left + "'"));
    }
}

TEST_CASE("A sweep by state finds windows that came before their slot") {
    HalfMoved half(1);
    const auto all = half.box.run({"scan", "-o", "name"});
    const auto open = half.box.run({"scan", "--state", "open", "-o", "name"});
    INFO(open.out << open.err);
    CHECK(contains(all.out, half.moved));
    CHECK(contains(open.out, half.moved));
    CHECK(open.code == all.code);
    const auto planned = half.box.run({"reset", "--match", "*", "--all", "--state", "open", "-n", "-o", "name"});
    INFO(planned.out << planned.err);
    CHECK(contains(planned.out, half.moved));
}

// Replicas do not know that a slot is on its way: they showed the half that had not left as an orphan, and, counters
// first, hid the window or showed it twice, all with 0.
TEST_CASE("A sweep of replicas shows of a slot on its way what one of primaries shows") {
    for (const std::string torn : {"", ":exp"}) {
        HalfMoved half(1);
        half.box.cluster.move_key(half.left + torn, 0, 1);
        for (std::size_t i = 0; i < 3; ++i) half.box.cluster.node(3 + i).await_replication_of(half.box.cluster.node(i));
        for (const std::vector<std::string>& order : {std::vector<std::string>{}, {"--sort", "used", "--reverse"}}) {
            const auto swept = [&](const char* from) {
                std::vector<std::string> words{"scan", "{core:*", "--timeout", "1s", "-o", "name", "--from", from};
                words.insert(words.end(), order.begin(), order.end());
                return half.box.run(words);
            };
            const auto right = swept("primary");
            const auto result = swept("replica");
            INFO(torn << order.size() << result.err << right.err);
            CHECK(right.out == half.moved + "\n");
            CHECK(result.out == right.out);
            for (const auto* each : {&result, &right}) {
                CHECK(each->code == 9);
                CHECK(contains(each->err, "left out: key '" + half.left + "'"));
            }
        }
        const auto compared = half.box.run({"compare", "--match", "{core:*", "--timeout", "1s"});
        CHECK(contains(compared.err, "left out: key '" + half.left + "'"));
    }
}

// Those of the node that a window has come to were not asked, and all was complete.
TEST_CASE("All servers are asked for windows of a slot on its way, each where it is") {
    HalfMoved half(1);
    auto& cluster = half.box.cluster;
    cluster.node(3).await_replication_of(cluster.node(0));
    const auto check_all = [&half](const char* look) {
        return half.box.run({"check", half.moved, half.left, "--from", "all", "--look", look, "-o", "json"});
    };
    for (const auto* look : {"light", "full"}) {
        const auto result = check_all(look);
        INFO(result.out << result.err);
        CHECK(result.code == 9);
        CHECK(times(result.err, "has not arrived, and until then a replica shows none of its keys") == 1);
        const auto answer = parse_json(result.out);
        CHECK(answer.at("failures").at(0).at("node") == cluster.address(4));
        const auto& rows = answer.at("rows");
        REQUIRE(rows.size() == 3);
        CHECK(rows.at(0).at("node") == cluster.address(1));
        CHECK(rows.at(1).at("node") == cluster.address(0));
        CHECK(rows.at(2).at("node") == cluster.address(3));
        for (const auto& row : rows) CHECK(row.at("used") == 7);
    }

    // What is nowhere is absent at its primary, and a replica that has none of it could not tell.
    const auto absent = half.box.run({"check", half.nowhere, "--from", "all", "-o", "json"});
    INFO(absent.out << absent.err);
    CHECK(absent.code == 9);
    CHECK(times(absent.err, "a replica does not know which keys have left it") == 1);
    CHECK(parse_json(absent.out).at("rows").size() == 1);
    CHECK(parse_json(absent.out).at("complete") == false);

    // As replicas of Valkey from 8.0 do it.
    FaultProxy link(cluster.node(4).endpoint());
    half.box.write("nodes = [\"" + cluster.url(0) + "\"]\naddress_map = { \"" + cluster.address(4) + "\" = \"" +
                   link.endpoint().address() + "\" }");
    link.choose([](const LinkRequest& request) {
        LinkFault fault;
        fault.rewrite = [](const std::string& reply) {
            return reply.starts_with("-MOVED") ? std::string("*2\r\n$1\r\n6\r\n$10\r\n4000000000\r\n") : reply;
        };
        if (request.word != "MGET") fault.rewrite = {};
        return fault;
    });
    const auto shown = check_all("light");
    link.choose({});
    INFO(shown.out << shown.err);
    CHECK(shown.code == 0);
    const auto rows = parse_json(shown.out).at("rows");
    REQUIRE(rows.size() == 4);
    CHECK(rows.at(1).at("node") == link.endpoint().address());
    CHECK(rows.at(1).at("used") == 6);
}

// What was known of the slot when the command began was followed to its node alone.
TEST_CASE("All servers that have a window's slot by now are asked for it") {
    ClusterBox box(3, 1);
    const auto key = key_on(box.cluster, 0);
    box.cluster.set_window(key, "7", seconds_from_now(1000));
    FaultProxy link(box.cluster.node(0).endpoint());
    box.reach_through(link.endpoint());
    bool moved = false;
    link.choose([&](const LinkRequest& request) {
        if (!moved && request.word == "MGET") {
            moved = true;
            box.cluster.move_slot(cluster_slot(key), 0, 1);
            box.cluster.node(4).await_replication_of(box.cluster.node(1));
        }
        return LinkFault();
    });
    const auto result = box.run({"check", key, "--from", "all", "--look", "light", "-o", "json"});
    link.choose({});
    INFO(result.out << result.err);
    CHECK(result.code == 0);
    const auto rows = parse_json(result.out).at("rows");
    REQUIRE(rows.size() == 2);
    CHECK(rows.at(0).at("node") == box.cluster.address(1));
    CHECK(rows.at(1).at("node") == box.cluster.address(4));
    for (const auto& row : rows) CHECK(row.at("used") == 7);
}

TEST_CASE("What is at neither end of a slot on its way is known to be absent") {
    HalfMoved half;
    for (const auto& more : std::vector<std::vector<std::string>>{
             {"--look", "light"}, {"--look", "full"}, {"--as-script"}, {"--from", "all"}}) {
        std::vector<std::string> command{"check", half.moved, half.nowhere, half.left, "--timeout", "2s"};
        command.insert(command.end(), more.begin(), more.end());
        const auto rows = half.box.rows(command);
        REQUIRE(rows.size() == 3);
        CHECK(rows.at(0).at("used") == 7);
        CHECK(rows.at(1).at("state") == "absent");
        CHECK(rows.at(2).at("used") == 7);
    }
    CHECK(half.box.run({"check", half.nowhere}).code == 0);
    CHECK(contains(half.box.run({"explain", half.nowhere}).out, "it has no window"));

    // One half alone is no window that could be told whole.
    half.box.cluster.move_key(half.left + ":exp", 0, 1);
    const auto torn = half.box.run({"check", half.left, "--timeout", "2s"});
    CHECK(torn.code == 4);
    CHECK(contains(torn.err, "slot is on its way to another node"));
}

// Looks that are transactions called it absent, as the node that the slot goes to has neither half; light ones waited
// for it, and so did explain, for 24 seconds.
TEST_CASE("A half whose other one is at neither end of a slot on its way is told of at once, where it is") {
    HalfMoved half;
    const auto check_half = [&half](const std::string& key, std::size_t home, const std::string& words) {
        const auto explained = half.box.run({"explain", key, "--timeout", "2s"});
        INFO(key << "\n" << explained.out << explained.err);
        CHECK(explained.code == 0);
        CHECK(contains(explained.out, words));
        for (const auto& more : std::vector<std::vector<std::string>>{
                 {"--look", "light"}, {"--look", "full"}, {"--as-script"}, {"--from", "all"}}) {
            std::vector<std::string> command{"check", key, half.nowhere, "--timeout", "2s"};
            command.insert(command.end(), more.begin(), more.end());
            const auto rows = half.box.rows(command);
            INFO(more.back() << rows.dump());
            REQUIRE(rows.size() == 2);
            CHECK(rows.at(0).at("state") == "orphan-counter");
            CHECK(rows.at(0).at("node") == half.box.cluster.address(home));
            CHECK(rows.at(1).at("state") == "absent");
        }
    };
    check_half(half.left + ":exp", 0, "only half of a window is there");
    check_half(half.moved + ":exp", 1, "only half of a window is there");
    half.box.cluster.node(0).command({"DEL", half.left + ":exp"});
    check_half(half.left, 0, "'" + half.left + "'");
}

TEST_CASE("A change that a slot on its way refuses says what can be done, and that can be done") {
    HalfMoved half;
    const auto refused = half.box.run({"increment", half.left, "--timeout", "2s"});
    CHECK(refused.code == 4);
    CHECK(contains(refused.err, "nothing was written"));
    CHECK(contains(refused.err, "redis-cli --cluster fix"));
    CHECK(contains(refused.err, "--no-op-key"));
    const auto alone = half.box.run({"increment", half.left, "--no-op-key", "--timeout", "2s"});
    INFO(alone.err);
    CHECK(alone.code == 0);
    CHECK(half.box.rows({"check", half.left}).at(0).at("used") == 8);
}

TEST_CASE("A dry run says of a slot on its way what the change would") {
    HalfMoved half;
    const auto whole = key_on(half.box.cluster, 2);
    half.box.cluster.set_window(whole, "7", seconds_from_now(1000));
    for (const auto* command : {"increment", "refund", "reset"}) {
        for (const auto& key : {half.left, half.moved}) {
            std::vector<std::string> words{command, key, "--timeout", "2s", "-o", "json"};
            if (words.front() == "refund") words.insert(words.end(), {"--amount", "1"});
            const auto refused = half.box.run(words);
            words.emplace_back("-n");
            const auto dry = half.box.run(words);
            INFO(refused.out << refused.err << dry.out << dry.err);
            CHECK(refused.code == 4);
            CHECK(dry.code == refused.code);
            const auto row = parse_json(dry.out).at("rows").at(0);
            const auto written = parse_json(refused.out).at("rows").at(0);
            CHECK(row.at("status") == written.at("status"));
            CHECK(row.at("reason") == written.at("reason"));
            for (const auto& told : {dry, refused}) {
                CHECK(contains(told.err, "on its way to another node"));
                CHECK(contains(told.err, "--no-op-key"));
            }
        }
    }
    const auto some = half.box.run({"increment", half.left, whole, "-n"});
    INFO(some.out << some.err);
    CHECK(some.code == 9);
    CHECK(contains(some.out, "planned"));
    const auto alone = half.box.run({"increment", half.left, "--no-op-key", "-n"});
    CHECK(alone.code == 0);
    CHECK(contains(alone.out, "planned"));
    const std::vector<std::string> opening{"increment",   half.nowhere, "--period", "1h",
                                           "--no-op-key", "--timeout",  "2s"};
    auto foretold = opening;
    foretold.emplace_back("-n");
    for (const auto& words : {opening, foretold}) CHECK(half.box.run(words).code == 4);
    half.box.cluster.close_slot(half.slot, 0, 1);
    CHECK(half.box.run({"increment", half.moved, "-n"}).code == 0);
}

// They went in one call, which neither node would take.
TEST_CASE("Windows at both ends of a slot on its way are changed each where it is, as a dry run says") {
    HalfMoved half;
    std::vector<std::string> words{"increment", half.left, half.moved, "--no-op-key", "--yes",
                                   "--timeout", "2s",      "-o",       "json"};
    const auto status_of = [&](const std::vector<std::string>& command) {
        const auto result = half.box.run(command);
        INFO(result.out << result.err);
        std::map<std::string, std::string> status;
        status["code"] = std::to_string(result.code);
        const auto rows = parse_json(result.out).at("rows");
        for (const auto& row : rows) status[row.at("key")] = row.at("status");
        return status;
    };
    const auto dry = [&] {
        auto command = words;
        command.emplace_back("-n");
        return status_of(command);
    };
    std::map<std::string, std::string> planned{{"code", "0"}, {half.left, "planned"}, {half.moved, "planned"}};
    CHECK(dry() == planned);
    std::map<std::string, std::string> applied{{"code", "0"}, {half.left, "applied"}, {half.moved, "applied"}};
    CHECK(status_of(words) == applied);

    // One that has to be opened, at neither end, is refused alone.
    words.insert(words.begin() + 1, half.nowhere);
    words.insert(words.end(), {"--period", "1h"});
    for (auto* status : {&planned, &applied}) {
        (*status)["code"] = "9";
        (*status)[half.nowhere] = "failed";
    }
    CHECK(dry() == planned);
    CHECK(status_of(words) == applied);
    for (const auto& key : {half.left, half.moved}) CHECK(half.box.rows({"check", key}).at(0).at("used") == 9);
    CHECK(half.box.rows({"check", half.nowhere}).at(0).at("state") == "absent");
}

TEST_CASE("A window that has gone ahead of its slot is changed where it is, without an operation key") {
    HalfMoved half;
    const auto used = [&](const std::string& key) { return half.box.rows({"check", key}).at(0).at("used"); };
    const auto counted = half.box.run({"increment", half.moved, "--no-op-key", "--timeout", "2s"});
    INFO(counted.out << counted.err);
    CHECK(counted.code == 0);
    CHECK(used(half.moved) == 8);
    const auto before = key_on(half.box.cluster, 1);
    const auto behind = key_on(half.box.cluster, 2);
    const auto among = half.box.run({"increment", before, half.moved, behind, "--no-op-key", "--timeout", "2s"});
    INFO(among.out << among.err);
    CHECK(among.code == 0);
    for (const auto& key : {before, behind}) CHECK(used(key) == 1);
    CHECK(used(half.moved) == 9);
    CHECK(half.box.run({"refund", half.moved, "--amount", "2", "--no-op-key"}).code == 0);
    CHECK(half.box.run({"reset", half.moved, "--no-op-key"}).code == 0);
    CHECK(half.box.rows({"check", half.moved}).at(0).at("state") == "absent");
    CHECK(half.box.run({"increment", half.moved, "--no-op-key", "--timeout", "2s"}).code == 4);
}

TEST_CASE("A window that is torn between two nodes hides none beside it") {
    ClusterBox box;
    const auto whole = key_on(box.cluster, 0);
    const auto torn = whole + "b";
    for (const auto& key : {whole, torn}) box.cluster.set_window(key, "5", seconds_from_now(1000));
    box.cluster.open_slot(cluster_slot(whole), 0, 1);
    box.cluster.move_key(torn, 0, 1);
    const auto explained = box.run({"explain", whole, torn, "--timeout", "2s"});
    INFO(explained.out << explained.err);
    CHECK(explained.code == 9);
    CHECK(contains(explained.out, "5 of 100 requests used"));
    CHECK_FALSE(contains(explained.out, "answers"));
    CHECK_FALSE(contains(explained.out, "could not be asked"));
    CHECK_FALSE(contains(explained.out, "see what became of the servers"));
    CHECK(contains(explained.out, "Next: try again when the slot has arrived"));
    const auto compared = box.run({"compare", whole, torn, "--timeout", "2s", "-o", "json"});
    INFO(compared.out << compared.err);
    const auto rows = parse_json(compared.out).at("rows");
    REQUIRE(rows.size() == 2);
    CHECK(rows.at(0).at("used") == 5);
    CHECK(rows.at(1).at("cause") == "moving");
    CHECK(rows.at(1).at("node").is_null());
    CHECK(contains(compared.err, "1 window is the same on 1 node; 1 window is moving to another node"));
}

// It was looked at in every round of lists, and counted each time: 21 windows in 40 seconds.
TEST_CASE("A sweep waits once for a window whose slot's way was broken off at one end, and counts it once") {
    ClusterBox box;
    const auto whole = key_on(box.cluster, 0);
    const auto torn = whole + "b";
    for (const auto& key : {whole, torn}) box.cluster.set_window(key, "5", seconds_from_now(1000));
    const auto slot = cluster_slot(whole);
    box.cluster.open_slot(slot, 0, 1);
    for (const auto& name : {whole, whole + ":exp", torn}) box.cluster.move_key(name, 0, 1);
    REQUIRE(box.cluster.node(1).command({"CLUSTER", "SETSLOT", std::to_string(slot), "STABLE"}) == "OK");
    for (const auto* look : {"light", "full"}) {
        check_waited_once(box, look, torn, "slot " + std::to_string(slot) + " of the Redis Cluster goes on moving");
    }
    const auto looked = box.run({"check", torn, "--look", "full", "--timeout", "1s"});
    INFO(looked.err);
    CHECK(contains(looked.err, box.cluster.address(1) + "): does not take in slot " + std::to_string(slot)));
}

// A full look was sent from the one node to the other and back until its time was over, in each of 20 rounds of lists.
TEST_CASE("A sweep with full looks waits once for a window that is torn between two nodes") {
    ClusterBox box;
    const auto torn = key_on(box.cluster, 0);
    box.cluster.set_window(torn, "5", seconds_from_now(1000));
    box.cluster.open_slot(cluster_slot(torn), 0, 1);
    box.cluster.move_key(torn + ":exp", 0, 1);
    for (const auto* look : {"light", "full"}) {
        check_waited_once(box, look, torn, box.cluster.address(0) + "): the keys' slot is on its way");
    }
}

// Its expiry half at the other node led to it.
TEST_CASE("An orphan whose other half a move left behind is shown to those alone who ask for orphans") {
    ClusterBox box;
    const auto torn = key_on(box.cluster, 0);
    box.cluster.set_window(torn, "5", seconds_from_now(1000));
    box.cluster.open_slot(cluster_slot(torn), 0, 1);
    box.cluster.move_key(torn + ":exp", 0, 1);
    REQUIRE(box.cluster.node(0).command({"CLUSTER", "SETSLOT", std::to_string(cluster_slot(torn)), "STABLE"}) == "OK");
    for (const auto* look : {"light", "full"}) {
        CHECK(box.rows({"scan", "*", "--look", look}).empty());
        const auto rows = box.rows({"scan", "*", "--look", look, "--orphans"});
        REQUIRE(rows.size() == 1);
        CHECK(rows.at(0).at("state") == "orphan-counter");
    }
}

// The node that a slot leaves goes on sending clients to the former primary: check called that the primary, and with
// increment and reset each said something else.
TEST_CASE("Where the node that a slot goes to has failed over all commands say the same") {
    HalfMoved half(1);
    half.box.cluster.node(4).await_replication_of(half.box.cluster.node(1));
    half.box.cluster.promote(4, false);
    const auto is = half.box.cluster.address(4);
    const auto told = "shard '" + is + "' (" + is + "): does not take in slot " + std::to_string(half.slot);
    RunResult looked;
    for (int i = 0; i < 100 && !contains(looked.err, told); ++i)
        looked = half.box.run({"check", half.moved, "--timeout", "1s"});
    INFO(looked.err);
    CHECK(looked.code == 4);
    for (const std::vector<std::string>& words : {std::vector<std::string>{"check", half.moved, "--look", "full"},
                                                  {"reset", half.moved, "-n"},
                                                  {"reset", half.moved, "-y", "--no-op-key"},
                                                  {"increment", half.moved, "-y", "--no-op-key"}}) {
        auto arguments = words;
        arguments.insert(arguments.end(), {"--timeout", "1s"});
        const auto result = half.box.run(arguments);
        INFO(words.front() << "\n" << result.out << result.err);
        CHECK(result.code == 4);
        CHECK_FALSE(contains(result.err, "call it the primary"));
        CHECK_FALSE(contains(result.err, "is a replica of"));
    }
}
