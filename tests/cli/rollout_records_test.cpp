// What became of the changes of a rollout's copy is recorded, whatever ends it.
#include <csignal>
#include <map>
#include <utility>

#include "cli/rollout_box.h"
#include "support/catch.h"
#include "support/contains.h"
#include "support/fault_proxy.h"
#include "support/signaller.h"

using namespace ratectl::test;
using nlohmann::json;

namespace {

/// The status of each change of an operation in history, and how many have it.
std::map<std::string, int> recorded_statuses(const RolloutBox& box, const std::string& op) {
    const auto result = box.run({"history", op, "-o", "json"});
    INFO(result.out << result.err);
    std::map<std::string, int> counts;
    const auto document = parse_json(result.out);
    for (const auto& row : document.at("rows")) ++counts[row.at("status").get<std::string>()];
    return counts;
}

std::string client_key(int client) { return "core:" + std::to_string(client); }

}  // namespace

// What was asked before all names showed the key, and the hint could not be followed.
TEST_CASE("Clients that the old deployment hides are not copied to a bare URL, nor shown where that is asked for") {
    RolloutBox box;
    box.add(RolloutBox::policy("legacy", "hush") + "secret = true\n");
    box.old.open("hush:alice", 40, now_s() + 1000);
    const auto url = box.redis.endpoint().url();
    const auto refused = box.copy({"-u", url, "hush:alice", "-y"});
    INFO(refused.out << refused.err);
    CHECK(refused.code == 3);
    CHECK(contains(refused.out, "secret"));
    CHECK(contains(refused.err, "a bare URL has no policies"));
    const auto asked = box.copy({"-u", url, "hush:alice", "hush:bob"});
    INFO(asked.err);
    CHECK(asked.code == 7);
    CHECK(contains(asked.err, "about to carry requests over"));
    CHECK_FALSE(contains(refused.out + refused.err + asked.out + asked.err, "alice"));
    CHECK(box.redis.command({"EXISTS", "hush:alice"}) == "0");

    box.add(RolloutBox::policy("new", "hush") + "secret = true\n");
    CHECK(box.copy({"hush:alice", "-y"}).code == 0);
    CHECK(box.used("hush:alice") == "40");
}

// Of chunks that were reported one by one the last one was sent, and never recorded.
TEST_CASE("what became of a whole chunk of a copy is recorded also where it is the last one") {
    RolloutBox box;
    const auto end = now_s() + 1000;
    for (int i = 0; i < 1000; ++i) box.old.open(client_key(i), 4, end);
    REQUIRE(box.copied({"--all", "--op-id", "carry"}).size() == 1000);
    box.redis.command({"FLUSHALL"});  // and the operation keys, which tell it, too
    CHECK(recorded_statuses(box, "carry") == std::map<std::string, int>{{"applied", 1000}});
}

TEST_CASE("a copy that is stopped among its calls has none of those in history that were not attempted") {
    RolloutBox box;
    FaultProxy link(box.redis.endpoint());
    box.add(
        "[deployments.linked]\nkind = \"shards\"\nwrites = \"allow\"\n[[deployments.linked.shards]]\nname = \"one\"\n"
        "primary = \"" +
        link.endpoint().url() + "\"\n" + RolloutBox::policy("linked", "core"));
    const auto end = now_s() + 1000;
    for (int i = 0; i < 1000; ++i) box.old.open(client_key(i), 4, end);
    Signaller tool;
    link.choose([&tool, is_sent = false](const LinkRequest& request) mutable {
        LinkFault fault;
        if (request.number != 1) return fault;
        fault.mode = FaultMode::delay_reply;
        fault.delay = std::chrono::milliseconds(300);
        if (!std::exchange(is_sent, true)) tool.send(SIGTERM);
        return fault;
    });
    const auto result = box.copy({"--all", "-y", "-d", "linked", "--op-id", "carry", "-o", "json"}, tool.options());
    INFO(result.err);
    CHECK(result.code == 143);
    const auto document = parse_json(result.out);
    std::map<std::string, int> counts;
    for (const auto& row : document.at("rows")) ++counts[row.at("status").get<std::string>()];
    REQUIRE(counts["applied"] > 0);
    REQUIRE(counts["not-attempted"] > 0);
    CHECK(counts["applied"] + counts["not-attempted"] == 1000);
    CHECK(recorded_statuses(box, "carry") == std::map<std::string, int>{{"applied", counts["applied"]}});
    CHECK(box.run({"undo", "carry", "-y", "-d", "linked"}).code == 0);
    CHECK(box.used(client_key(0)) == "(nil)");
}

// The last copy alone was known, and all but what that had added was carried over once more.
TEST_CASE("nothing is carried over again where the record of the copy that opened a window is gone") {
    RolloutBox box;
    box.old.open("core:alice", 30, now_s() + 1000);
    box.copied({"core:alice", "--op-id", "ev1"});
    box.old.ask("incr core:alice 5");
    box.copied({"core:alice", "--op-id", "ev2"});
    REQUIRE(box.redis.command({"DEL", "ratectl:op:ev1.1"}) == "1");
    for (const std::string journal : {".db", ".elsewhere.db"}) {
        CHECK(box.copied({"core:alice", "--journal", box.file() + journal}, 1).at(0).at("why_not") == "window-there");
        CHECK(box.used("core:alice") == "35");
        box.old.ask("incr core:alice 2");
    }
}

// What the operation key told stayed a state that was not read: "something -> something".
TEST_CASE("a change of settings whose reply was lost has what was there before and after in its row") {
    RolloutBox box;
    FaultProxy link(box.redis.endpoint());
    box.add(
        "[deployments.linked]\nkind = \"shards\"\nwrites = \"allow\"\n[[deployments.linked.shards]]\nname = \"one\"\n"
        "primary = \"" +
        link.endpoint().url() +
        "\"\n[[deployments.linked.policies]]\nname = \"throttles\"\nkey = \"throttle:{client}\"\n"
        "scheme = \"limitlion\"\nlimit = 40\nperiod = \"8s\"\nburst = 80\n");
    box.redis.command({"HSET", "throttle:a:knobs", "rps", "2", "burst", "1", "window", "5"});
    box.redis.command({"HSET", "throttle:a", "tokens", "5", "refreshed", std::to_string(now_s() + 20)});
    box.redis.command({"HSET", "search", "percentage_of_actors", "10"});
    using Words = std::vector<std::string>;
    for (const auto& words : {Words{"knobs", "set", "a", "rps=4"}, Words{"rollout", "set", "search", "25"},
                              Words{"throttle", "delete", "a"}}) {
        int lost = 0;
        link.choose([&lost](const LinkRequest& request) {
            LinkFault fault;
            if (request.word == "EVAL" && lost++ == 0) fault.mode = FaultMode::drop_reply;
            return fault;
        });
        auto arguments = words;
        arguments.insert(arguments.end(), {"-d", "linked", "-y", "-o", "json"});
        const auto result = box.run(arguments);
        INFO(result.out << result.err);
        REQUIRE(result.code == 0);
        const auto rows = parse_json(result.out).at("rows");
        REQUIRE_FALSE(rows.empty());
        CHECK(rows.at(0).at("resolved") == true);
        for (const auto& row : rows) CHECK_FALSE(row.at("stored_before").is_null());
    }
}

// That had been carried over once more.
TEST_CASE("nothing is carried over again where the server may have evicted the record of a later copy") {
    for (const int copies : {2, 3}) {
        RolloutBox box;
        using Words = std::vector<std::string>;
        for (const auto& words :
             {Words{"SET", "other", "1", "EX", "100"}, Words{"CONFIG", "SET", "maxmemory-policy", "volatile-lru"},
              Words{"CONFIG", "SET", "maxmemory", "1"}, Words{"GET", "other"},
              Words{"CONFIG", "SET", "maxmemory", "0"}})
            box.redis.command(words);
        REQUIRE(box.redis.command({"DBSIZE"}) == "0");
        box.old.open("core:alice", 30, now_s() + 1000);
        for (int copy = 1; copy <= copies; ++copy) {
            box.copied({"core:alice", "--op-id", "ev" + std::to_string(copy)});
            if (copy < copies) box.old.ask("incr core:alice 5");
        }
        const auto all = box.used("core:alice");
        REQUIRE(box.redis.command({"DEL", "ratectl:op:ev2.1"}) == "1");
        for (const std::string journal : {".db", ".elsewhere.db"}) {
            const auto result = box.copy({"core:alice", "--journal", box.file() + journal});
            INFO(copies << result.out << result.err);
            CHECK(result.code == 1);
            CHECK(contains(result.out, "window-there"));
            CHECK(contains(result.err, "whose server may have evicted records of copies"));
            CHECK(box.used("core:alice") == all);
            box.old.ask("incr core:alice 2");
        }
    }
}
