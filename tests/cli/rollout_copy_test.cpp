// Windows are carried over from a real memcached to a real Redis: as they are, once, whatever counts, dies or is
// repeated meanwhile.
#include <atomic>
#include <csignal>
#include <map>
#include <thread>

#include "cli/recorded_box.h"
#include "cli/rollout_box.h"
#include "support/built_programs.h"
#include "support/catch.h"
#include "support/contains.h"
#include "support/fault_proxy.h"

using namespace ratectl::test;
using nlohmann::json;

namespace {

/// The clients in `moved` have one more request counted in the new deployment whenever a copy is about to write: behind
/// its look.
class BusyBox : public RolloutBox {
public:
    BusyBox() : link_(redis.endpoint()) {
        add("[deployments.busy]\nkind = \"shards\"\nwrites = \"allow\"\n[[deployments.busy.shards]]\nname = \"one\"\n"
            "primary = \"" +
            link_.endpoint().url() + "\"\n" + policy("busy", "core"));
    }
    /// At so many of the writes that come now.
    void count_at_writes(std::vector<std::string> moved, int writes) {
        link_.choose([this, moved, left = writes](const LinkRequest& request) mutable {
            if (request.write && left-- > 0) {
                for (const auto& key : moved) count_here(key);
            }
            return LinkFault{};
        });
    }

private:
    FaultProxy link_;
};

std::string key_of(int client) { return "core:" + std::to_string(client); }

std::string number(std::int64_t value) { return std::to_string(value); }

}  // namespace

TEST_CASE("a copied window has the count and the end that it had") {
    RolloutBox box;
    const auto end = now_s() + 1000;
    box.old.open("core:alice", 40, end);
    box.old.set("core:over", "9");
    box.old.set("core:over:reset_at", number(now_s() - 5));
    auto rows = box.copied({"core:alice", "core:over", "core:none"});
    CHECK(rows.at(0).at("status") == "applied");
    CHECK(rows.at(1).at("why_not") == "closed");
    CHECK(rows.at(2).at("why_not") == "absent");
    CHECK(box.used("core:alice") == "40");
    CHECK(box.end("core:alice") == number(end));
    CHECK(box.redis.command({"EXPIRETIME", "core:alice"}) == number(end + 1));
    CHECK(box.old.get("core:alice") == "40");  // the application counts on there
    CHECK(box.used("core:over") == "(nil)");
}

TEST_CASE("a copy is repeated and carries over what was counted since and nothing twice") {
    RolloutBox box;
    const auto end = now_s() + 1000;
    box.old.open("core:alice", 40, end);
    CHECK(box.copied({"--all", "-n"}).at(0).at("status") == "planned");
    CHECK(box.used("core:alice") == "(nil)");
    box.copied({"--all"});
    CHECK(box.copied({"--all"}, 1).at(0).at("why_not") == "already-copied");
    box.old.ask("incr core:alice 5");
    box.count_here("core:alice");  // its client has moved
    box.copied({"--all"});
    CHECK(box.used("core:alice") == "46");
    CHECK(box.copied({"--all"}, 1).at(0).at("why_not") == "already-copied");
    CHECK(box.used("core:alice") == "46");
}

TEST_CASE("a repeated copy under one operation id writes once") {
    RolloutBox box;
    box.old.open("core:alice", 40, now_s() + 1000);
    box.copied({"core:alice", "--op-id", "carry"});
    box.old.ask("incr core:alice 5");
    CHECK(box.copied({"core:alice", "--op-id", "carry"}).at(0).at("status") == "already-applied");
    CHECK(box.used("core:alice") == "40");
    box.copied({"core:alice", "--op-id", "carry-2"});
    CHECK(box.used("core:alice") == "45");
}

TEST_CASE("a copy that was taken back is known to be so and another machine knows of both") {
    RolloutBox box;
    box.old.open("core:alice", 40, now_s() + 1000);
    box.copied({"--all", "--op-id", "carry"});
    const auto elsewhere = box.copied({"--all", "--journal", box.file() + ".elsewhere"}, 1);
    CHECK(elsewhere.at(0).at("why_not") == "already-copied");
    CHECK(box.run({"undo", "carry"}).code == 0);
    CHECK(box.used("core:alice") == "(nil)");
    box.copied({"--all", "--journal", box.file() + ".elsewhere"});
    CHECK(box.used("core:alice") == "40");
}

TEST_CASE("what was reset after it had been copied is not brought back") {
    RolloutBox box;
    box.old.open("core:alice", 40, now_s() + 1000);
    box.copied({"--all"});
    CHECK(box.run({"reset", "core:alice"}).code == 0);
    const auto again = box.copy({"--all"});
    CHECK(again.code == 1);
    CHECK(contains(again.out, "gone"));
    CHECK(contains(again.err, "1 of the skipped were copied before and have no window here any more"));
    // The rest alone is carried over then; nothing said that the new side lacks what was before.
    box.old.ask("incr core:alice 2");
    for (const std::string dry : {"-n", "-y"}) {
        const auto rest = box.copy({"--all", dry});
        INFO(rest.out << rest.err);
        CHECK(rest.code == 1);
        CHECK(contains(rest.err, "1 of the windows were copied before and had no window here any more"));
        CHECK(contains(rest.err, "only what deployment 'legacy' has counted since is carried over"));
    }
    CHECK(box.used("core:alice") == "2");
    box.old.ask("incr core:alice 2");
    CHECK_FALSE(contains(box.copy({"--all"}).err, "copied before"));
    CHECK(box.used("core:alice") == "4");
}

// It was told as copied already, or only what it had more was carried over.
TEST_CASE("a window that has begun anew in an old Redis deployment is another one, whatever it counts") {
    RolloutBox box;
    RedisServer redis;
    box.add(
        "[deployments.older]\nkind = \"shards\"\nwrites = \"allow\"\n[[deployments.older.shards]]\nname = \"one\"\n"
        "primary = \"" +
        redis.endpoint().url() + "\"\n" + RolloutBox::policy("older", "core"));
    const auto open = [&redis](const std::string& used, std::int64_t end) {
        redis.command({"SET", "core:alice", used, "EXAT", number(end + 1)});
        redis.command({"SET", "core:alice:exp", number(end), "EXAT", number(end + 1)});
    };
    const auto copy = [&box] { return box.run({"rollout", "copy", "--old", "older", "--all"}); };
    const auto end = now_s() + 1000;
    open("4", end);
    CHECK(copy().code == 0);
    for (const std::string used : {"3", "4", "7"}) {
        open(used, end + 300);
        const auto other = copy();
        INFO(used << other.out << other.err);
        CHECK(other.code == 1);
        CHECK(contains(other.out, "window-there"));
        CHECK(contains(other.err, "one that has begun anew since"));
        CHECK(box.used("core:alice") == "4");
    }
    // The one here has ended.
    box.redis.command({"DEL", "core:alice", "core:alice:exp"});
    CHECK(copy().code == 0);
    CHECK(box.used("core:alice") == "7");
    CHECK(box.end("core:alice") == number(end + 300));
}

TEST_CASE("the window of a client that has moved stays as it is") {
    RolloutBox box;
    box.old.open("core:alice", 40, now_s() + 1000);
    const auto end = number(now_s() + 3000);
    box.redis.command({"SET", "core:alice", "3"});
    box.redis.command({"SET", "core:alice:exp", end});
    const auto result = box.copy({"--all"});
    CHECK(result.code == 1);
    CHECK(result.out.find("window-there") != std::string::npos);
    CHECK(result.err.find("1 of the skipped have a window of their own here") != std::string::npos);
    CHECK(box.used("core:alice") == "3");
    CHECK(box.end("core:alice") == end);
}

TEST_CASE("nothing is added to a window with the same end that no copy is known to have opened") {
    RolloutBox box;
    const auto end = now_s() + 1000;
    box.old.open("core:alice", 7, end);
    box.redis.command({"SET", "core:alice", "3"});
    box.redis.command({"SET", "core:alice:exp", number(end)});
    box.old.open("core:bob", 4, end);
    box.copied({"core:bob"});
    box.redis.command({"EVAL", "return redis.call('DEL', unpack(redis.call('KEYS', 'ratectl:op:*')))", "0"});
    for (int run = 0; run < 2; ++run) {
        for (const auto& row : box.copied({"--all"}, 1)) CHECK(row.at("why_not") == "window-there");
        CHECK(box.used("core:alice") == "3");
        CHECK(box.used("core:bob") == "4");
        box.old.ask("incr core:bob 2");
    }
}

TEST_CASE("what was carried into a long window and taken back of it is known as long as the window stays") {
    constexpr std::int64_t lasts_s = 10 * 86'400;
    RolloutBox box;
    box.old.open("core:alice", 7, now_s() + lasts_s);
    box.copied({"--all", "--op-id", "carry"});
    CHECK(std::stoll(box.redis.command({"TTL", "ratectl:op:carry.1"})) > lasts_s - 60);
    CHECK(box.run({"undo", "carry"}).code == 0);
    CHECK(std::stoll(box.redis.command({"TTL", "ratectl:op:carry-undo.1"})) > lasts_s - 60);
    box.run({"increment", "core:bob", "--period", "240h", "--op-id", "plain"});
    CHECK(std::stoll(box.redis.command({"TTL", "ratectl:op:plain.1"})) <= 86'400);
}

TEST_CASE("counters that have lost their end are not carried over and are told") {
    RolloutBox box;
    const auto end = now_s() + 1000;
    box.old.open("core:alice", 7, end);
    box.old.set("core:lost", "30");
    box.old.set("core:gone", "11");
    const auto result = box.copy({"--all", "-o", "json"});
    INFO(result.out << result.err);
    CHECK(result.code == 1);
    const auto document = parse_json(result.out);
    std::map<std::string, json> rows;
    for (const auto& row : document.at("rows")) rows[row.at("key")] = row;
    REQUIRE(rows.size() == 3);
    CHECK(rows["core:alice"].at("status") == "applied");
    CHECK(rows["core:lost"].at("why_not") == "orphan");
    CHECK(result.err.find("2 of the skipped: a counter in deployment 'legacy' that has lost its end (41 requests") !=
          std::string::npos);
    CHECK(box.used("core:lost") == "(nil)");
    box.old.set("core:lost:reset_at", number(end));
    CHECK(box.copied({"core:lost"}).at(0).at("status") == "applied");
    CHECK(box.used("core:lost") == "30");
}

// It was called a counter that has lost its end, with as many requests as the second of its end.
TEST_CASE("the second key of a window that is named for a copy is told as what it is") {
    RolloutBox box;
    box.old.open("core:alice", 7, now_s() + 1000);
    const auto result = box.copy({"core:alice:reset_at"});
    INFO(result.out << result.err);
    CHECK(result.code == 1);
    CHECK(contains(result.err, "'core:alice:reset_at' looks like the reset_at key of 'core:alice'"));
    CHECK_FALSE(contains(result.err, "lost its end"));
    CHECK(box.redis.command({"DBSIZE"}) == "0");
}

TEST_CASE("a sweep names the windows of the old side that are corrupt and copies the others") {
    RolloutBox box;
    RedisServer before;
    box.add("[deployments.before]\nkind = \"shards\"\n[[deployments.before.shards]]\nname = \"one\"\nprimary = \"" +
            before.endpoint().url() + "\"\n" + RolloutBox::policy("before", "core"));
    const auto end = now_s() + 1000;
    for (const auto& [name, end_name] : {std::pair("legacy", ":reset_at"), std::pair("before", ":exp")}) {
        const auto put = [&](const std::string& key, const std::string& value) {
            if (name == std::string("legacy")) return box.old.set(key, value);
            before.command({"SET", key, value});
        };
        box.redis.command({"FLUSHALL"});
        for (const auto& [key, used, until] :
             {std::tuple("core:alice", "7", number(end)), std::tuple("core:huge", "18446744073709551615", number(end)),
              std::tuple("core:odd", "abc", number(end)), std::tuple("core:never", "5", std::string("xyz"))}) {
            put(key, used);
            put(std::string(key) + end_name, until);
        }
        for (const std::string which : {"--all", "--match=core:*"}) {
            const auto result = box.run({"rollout", "copy", "--old", name, which, "-o", "json"});
            INFO(name << which << result.out << result.err);
            CHECK(result.code == 9);
            std::map<std::string, json> rows;
            const auto document = parse_json(result.out);
            for (const auto& row : document.at("rows")) rows[row.at("key")] = row;
            REQUIRE(rows.size() == 4);
            for (const auto* key : {"core:huge", "core:odd", "core:never"}) {
                CHECK(rows[key].at("status") == "refused");
                CHECK(rows[key].at("why_not") == "not-an-integer");
            }
            CHECK(box.used("core:alice") == "7");
        }
    }
}

// It was called an overflow.
TEST_CASE("a counter of the old side that is below 0 is refused and called so") {
    RolloutBox box;
    RedisServer before;
    box.add("[deployments.before]\nkind = \"shards\"\n[[deployments.before.shards]]\nname = \"one\"\nprimary = \"" +
            before.endpoint().url() + "\"\n" + RolloutBox::policy("before", "core"));
    before.command({"SET", "core:alice", "-5"});
    before.command({"SET", "core:alice:exp", number(now_s() + 1000)});
    const auto result = box.run({"rollout", "copy", "--old", "before", "core:alice", "-o", "json"});
    INFO(result.out << result.err);
    CHECK(result.code == 7);
    const auto row = parse_json(result.out).at("rows").at(0);
    CHECK(row.at("status") == "refused");
    CHECK(row.at("why_not") == "negative");
    CHECK(result.err.find("has -5 used in deployment 'before'") != std::string::npos);
    CHECK(box.used("core:alice") == "(nil)");
    // A sweep dropped it without a word.
    before.command({"SET", "core:bob", "4"});
    before.command({"SET", "core:bob:exp", number(now_s() + 1000)});
    for (const std::string which : {"--all", "--match=core:*"}) {
        const auto swept = box.run({"rollout", "copy", "--old", "before", which, "-o", "json"});
        INFO(swept.out << swept.err);
        CHECK(swept.code == 9);
        std::map<std::string, json> rows;
        const auto document = parse_json(swept.out);
        for (const auto& each : document.at("rows")) rows[each.at("key")] = each;
        REQUIRE(rows.size() == 2);
        CHECK(rows["core:alice"].at("why_not") == "negative");
        CHECK(box.used("core:bob") == "4");
    }
}

TEST_CASE("a copied window is added to also where its counter has lost its end and been given another one") {
    RolloutBox box;
    const auto end = now_s() + 1000;
    box.old.open("core:alice", 4, end);
    box.copied({"--all"});
    // The two-key race: one half goes, and the next request gives what is left a new end.
    box.old.ask("delete core:alice:reset_at");
    CHECK(box.copied({"core:alice"}, 1).at(0).at("why_not") == "orphan");
    box.old.ask("incr core:alice 1");
    box.old.set("core:alice:reset_at", number(end + 300));
    CHECK(box.copied({"core:alice", "-n"}).at(0).at("after_used") == 5);
    const auto result = box.copy({"core:alice"});
    CHECK(result.code == 0);
    CHECK_FALSE(contains(result.err, "no known copy"));
    CHECK(box.used("core:alice") == "5");
    CHECK(box.end("core:alice") == number(end));
    CHECK(box.copied({"core:alice"}, 1).at(0).at("why_not") == "already-copied");
    CHECK(box.used("core:alice") == "5");
    // What counts less than was carried over is another window: nothing is made up of the two.
    box.old.open("core:alice", 2, end + 400);
    const auto other = box.copy({"core:alice"});
    CHECK(contains(other.out, "window-there"));
    CHECK(contains(other.err, "one that has begun anew since"));
    CHECK(box.used("core:alice") == "5");
}

TEST_CASE("what was given back in the old deployment is told and not written") {
    RolloutBox box;
    box.old.open("core:alice", 40, now_s() + 1000);
    box.copied({"--all"});
    box.old.ask("decr core:alice 10");
    const auto row = box.copied({"core:alice"}, 7).at(0);
    CHECK(row.at("why_not") == "used-less");
    CHECK(row.at("message").get<std::string>().find("10 less than were carried over") != std::string::npos);
    CHECK(box.used("core:alice") == "40");
    // Copies know of no refund here: the one that was recommended took 10 away at every copy.
    const auto again = box.copy({"core:alice"});
    INFO(again.err);
    CHECK_FALSE(contains(again.err, "refund"));
    CHECK(contains(again.err, "nothing is to be done"));
    box.old.ask("incr core:alice 15");
    CHECK(box.copied({"core:alice"}).at(0).at("status") == "applied");
    CHECK(box.used("core:alice") == "45");
}

TEST_CASE("under copies of two machines and an application that goes on every request is in the end counted once") {
    const int clients = is_binary_sanitized() ? 100 : 300;
    const int runs = is_binary_sanitized() ? 3 : 6;
    RolloutBox box;
    const auto end = now_s() + 2000;
    for (int i = 0; i < clients; ++i) box.old.open(key_of(i), i % 7, end);
    std::atomic<bool> done = false;
    std::vector<std::int64_t> here(static_cast<std::size_t>(clients), 0);
    std::thread application([&] {  // those of the upper half have moved as soon as they have a window there
        for (int n = 0; !done; ++n) {
            const int client = n * 37 % clients;
            if (client > clients / 2 && box.redis.command({"EXISTS", key_of(client)}) == "1") {
                box.count_here(key_of(client));
                ++here[static_cast<std::size_t>(client)];
            }
            box.old.ask("incr " + key_of(client) + " 1");
        }
    });
    for (int run = 0; run < runs; ++run) {
        RunResult elsewhere;
        std::thread other([&] { elsewhere = box.copy({"--all", "-q", "--journal", box.file() + ".db"}); });
        const auto result = box.copy({"--all", "-q"});
        other.join();
        INFO(result.err << elsewhere.err);
        // 1: the other machine has done it all.
        for (const int code : {result.code, elsewhere.code}) CHECK((code <= 1 || code == 7 || code == 9));
    }
    done = true;
    application.join();
    CHECK((box.copy({"--all"}).code <= 1));
    int wrong = 0;
    for (int i = 0; i < clients; ++i) {
        const auto counted = std::stoll(box.old.get(key_of(i))) + here[static_cast<std::size_t>(i)];
        wrong += box.used(key_of(i)) != number(counted) || box.end(key_of(i)) != number(end) ? 1 : 0;
    }
    CHECK(wrong == 0);
}

TEST_CASE("a copy that is killed anywhere and run again counts nothing twice") {
    const int clients = is_binary_sanitized() ? 1500 : 4000;
    const int step = is_binary_sanitized() ? 3 : 1;
    RolloutBox box;
    const auto end = now_s() + 2000;
    for (int i = 0; i < clients; ++i) box.old.open(key_of(i), i % 100, end);
    const auto whole = box.copy({"--all", "-n"}).wall_time.count();
    int killed = 0, torn = 0;
    for (int run = 0; run < 14; run += step) {
        RunOptions options;
        options.signal_number = SIGKILL;
        options.signal_after = std::chrono::milliseconds(whole * (4 + run) / 14);
        killed += box.copy({"--all", "-q"}, options).signal == SIGKILL ? 1 : 0;
        const auto keys = std::stoi(box.redis.command({"EVAL", "return #redis.call('KEYS', 'core:*:exp')", "0"}));
        torn += keys > 0 && keys < clients ? 1 : 0;
        for (int i = run; i < clients; i += 14) box.old.ask("incr " + key_of(i) + " 3");
    }
    CHECK(killed > 0);
    CHECK(torn > 0);
    const auto last = box.copy({"--all", "-q"});
    INFO(last.err);
    CHECK(last.code <= 1);
    int wrong = 0;
    for (int i = 0; i < clients; ++i) wrong += box.used(key_of(i)) != box.old.get(key_of(i)) ? 1 : 0;
    CHECK(wrong == 0);
}

// Every one of them ended as window-changed, with exit code 9, and the next copy met the next request.
TEST_CASE("windows that are counted in between their look and their write are looked at again and carried over") {
    BusyBox box;
    const auto end = now_s() + 1000;
    for (const auto* key : {"core:alice", "core:bob", "core:erin"}) box.old.open(key, 40, end);
    box.copied({"--all"});
    for (const auto* key : {"core:alice", "core:bob", "core:erin"}) box.old.ask(std::string("incr ") + key + " 5");
    box.count_at_writes({"core:alice", "core:bob"}, 3);
    const auto rows = box.copied({"core:alice", "core:erin", "core:bob", "-d", "busy"});
    for (const auto& row : rows) CHECK(row.at("status") == "applied");
    CHECK(rows.at(0).at("key") == "core:alice");  // each once, in its place
    CHECK(rows.at(1).at("key") == "core:erin");
    CHECK(rows.at(2).at("key") == "core:bob");
    CHECK(box.used("core:alice") == "48");
    CHECK(box.used("core:erin") == "45");
    CHECK(box.used("core:bob") == "48");
    for (const auto& row : box.copied({"--all"}, 1)) CHECK(row.at("why_not") == "already-copied");
    const std::string op = rows.at(0).at("op_id");
    CHECK(box.run({"undo", op.substr(0, op.find('/')), "-d", "busy"}).code == 0);
    CHECK(box.used("core:alice") == "43");
    CHECK(box.used("core:erin") == "40");
}

TEST_CASE("a window that is counted in at every look is left for another copy and loses nothing") {
    BusyBox box;
    box.old.open("core:alice", 40, now_s() + 1000);
    box.copied({"--all"});
    box.old.ask("incr core:alice 5");
    box.count_at_writes({"core:alice"}, 1'000'000);
    const auto result = box.copy({"--all", "-d", "busy"});
    INFO(result.out << result.err);
    CHECK(result.code == 7);
    CHECK(contains(result.err, "nothing was written to it"));
    CHECK(contains(result.err, "the same command again carries over what is left"));
    const auto counted = std::stoll(box.used("core:alice")) - 40;
    CHECK(counted > 2);  // it was looked at more than once or twice
    CHECK(counted < 20);
    box.count_at_writes({}, 0);
    box.copied({"--all", "-d", "busy"});
    CHECK(box.used("core:alice") == number(40 + counted + 5));
}

TEST_CASE("the calls of a copy under an id that was named are the same ones whenever it is repeated") {
    BusyBox box;
    box.old.open("core:alice", 40, now_s() + 1000);
    box.copied({"--all"});
    box.old.ask("incr core:alice 5");
    box.count_at_writes({"core:alice"}, 1);
    CHECK(box.copied({"core:alice", "-d", "busy", "--op-id", "carry"}, 7).at(0).at("status") == "window-changed");
    CHECK(box.used("core:alice") == "41");
    CHECK(box.copied({"core:alice", "-d", "busy", "--op-id", "carry-2"}).at(0).at("status") == "applied");
    CHECK(box.used("core:alice") == "46");
}

TEST_CASE("what cannot be copied is said before anything is written") {
    RolloutBox box;
    box.old.open("core:alice", 40, now_s() + 1000);
    const auto fails = [&](std::vector<std::string> words, int code, const std::string& why) {
        words.insert(words.begin(), {"rollout", "copy", "--all"});
        const auto result = box.run(std::move(words));
        INFO(result.out << result.err);
        CHECK(result.code == code);
        CHECK(result.err.find(why) != std::string::npos);
    };
    fails({"--old", "new"}, 2, "--old names 127.0.0.1");
    fails({"--old", "legacy", "-d", "legacy"}, 2, "--old names 127.0.0.1");
    fails({"--old", "nothing"}, 2, "nothing");
    fails({"--old", ""}, 2, "empty");
    fails({"--old", "new", "-d", "legacy"}, 2, "is a memcached");
    fails({"--old", "legacy", "--read-only"}, 7, "read-only");
    box.old.kill();
    fails({"--old", "legacy"}, 4, "cannot connect");
    CHECK(box.redis.command({"DBSIZE"}) == "0");
}

// All of the deployment was refused for one policy of another limiter.
TEST_CASE("windows are carried over beside those of a limiter that stores no ends") {
    RolloutBox box;
    std::ofstream(box.file(), std::ios::app)
        << "[[deployments.new.policies]]\nname = \"throttles\"\nkey = \"throttle:{client}\"\n"
           "scheme = \"limitlion\"\nlimit = 40\nperiod = \"8s\"\n";
    box.old.open("core:alice", 40, now_s() + 1000);
    box.old.open("throttle:a", 4, now_s() + 1000);
    CHECK(box.copied({"core:alice"}).at(0).at("status") == "applied");
    CHECK(box.used("core:alice") == "40");
    const auto refused = box.copied({"throttle:a"}, 3).at(0);
    CHECK(refused.at("reason") == "no-end");
    CHECK(box.redis.command({"EXISTS", "throttle:a", "throttle:a:exp"}) == "0");
}

// It ended with 4 and showed no row: what a dead shard does not tell of its own windows was wanted of all.
TEST_CASE("a copy beside a dead shard carries over the windows of the others and names it") {
    MemcachedServer old;
    RecordedBox box("writes = \"allow\"", 2);
    for (int i = 0; i < 20; ++i) old.open(RecordedBox::spread_key(i), 40, now_s() + 1000);
    const auto copied = [&](std::vector<std::string> words) {
        words.insert(words.begin(), {"rollout", "copy", "--old", old.url(), "-y", "-o", "json"});
        const auto result = box.run(words);
        INFO(result.out << result.err);
        CHECK(result.code == 9);
        const auto document = parse_json(result.out);
        REQUIRE_FALSE(document.at("failures").empty());
        CHECK(document.at("failures").at(0).at("shard") == "beta");
        std::map<std::string, int> counts;
        for (const auto& row : document.at("rows")) {
            const std::string status = row.at("status");
            CHECK(row.at("shard") == (status == "failed" ? "beta" : "alpha"));
            ++counts[status];
        }
        return counts;
    };
    box.server(1).kill();
    auto counts = copied({"--all"});
    REQUIRE(counts["applied"] > 0);
    REQUIRE(counts["failed"] > 0);
    CHECK(counts["applied"] + counts["failed"] == 20);
    CHECK(box.halves() == std::to_string(2 * counts["applied"]));
    const auto failed = counts["failed"];
    counts = copied({"--all"});
    CHECK(counts["skipped"] == 20 - failed);
    CHECK(counts["failed"] == failed);
    // What was carried is known of these windows, too, where both sides are compared: of none it was.
    std::vector<std::string> words{"rollout", "compare", "--feature", "f",  "--at",
                                   "100",     "--old",   old.url(),   "-o", "json"};
    for (int i = 0; i < 20; ++i) words.push_back(RecordedBox::spread_key(i));
    const auto compared = box.run(words);
    INFO(compared.out << compared.err);
    CHECK(compared.code == 9);
    const auto pairs = parse_json(compared.out).at("rows");
    int carried = 0;
    for (const auto& row : pairs) carried += row.at("standing") == "carried" ? 1 : 0;
    CHECK(carried == 20 - failed);
}

// The Redis that the windows were to be carried to was named instead.
TEST_CASE("rows and failures of a copy name the memcached that is dead") {
    RolloutBox box;
    box.old.kill();
    for (const std::vector<std::string>& more : {std::vector<std::string>{}, {"-n"}}) {
        auto words = more;
        words.insert(words.end(), {"core:1", "core:2", "-y", "-o", "json"});
        const auto result = box.copy(words);
        INFO(result.out << result.err);
        CHECK(result.code == 4);
        const auto document = json::parse(result.out);
        REQUIRE(document.at("failures").size() == 1);
        CHECK(document.at("failures").at(0).at("node") == box.old.address());
        REQUIRE(document.at("rows").size() == 2);
        for (const auto& row : document.at("rows")) {
            CHECK(row.at("node") == box.old.address());
            CHECK(row.at("deployment") == "legacy");
            CHECK(row.at("status") == "failed");
        }
    }
}
